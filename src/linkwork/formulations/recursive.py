"""[V06, MST17] Articulated bodies with any explicit integrator; loops by multipliers, post-stabilised.

    y   coordinates q, velocities v, and the two energy accounts (wasted, fed in), one flat vector
    f   its rate; the rate at the present state is kept, so it is the first stage of the next step

A step is some inner evaluations and one at the new state, whose factor stabilises that state. All of them pass
through one place of `run`, so that the long evaluation is compiled once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from linkwork._jit import entry, kernel, written_out
from linkwork.formulations.loops import LoopWork, constrain, cut_reactions, factor_loops, loop_work, stabilize
from linkwork.formulations.record import keep_row
from linkwork.mechanics.articulated import inward_inertias, outward_accelerations, outward_velocities
from linkwork.mechanics.forces import apply_forces
from linkwork.mechanics.grounds import move_grounds
from linkwork.mechanics.kinematics import outward_poses, world_velocities
from linkwork.mechanics.motions import coordinate_rates, displace, normalize
from linkwork.mechanics.parts import measure_cuts
from linkwork.mechanics.power import ground_power
from linkwork.mechanics.workspace import TreeWork, tree_work
from linkwork.numerics.runge_kutta import (
    CLASSIC,
    DORMAND_PRINCE,
    MIDPOINT,
    Tableau,
    adams_bashforth,
    adams_moulton,
    error_norm,
    finish,
    stage,
)

SEMI_IMPLICIT, RUNGE_KUTTA, ADAMS, ADAPTIVE = 0, 1, 2, 3
INTEGRATORS = {
    "semi-implicit": (SEMI_IMPLICIT, MIDPOINT),
    "rk2": (RUNGE_KUTTA, MIDPOINT),
    "rk4": (RUNGE_KUTTA, CLASSIC),
    "abm4": (ADAMS, CLASSIC),
    "adaptive": (ADAPTIVE, DORMAND_PRINCE),
}
# what a step may return besides 0; a singular link i is SINGULAR + i
NOT_FINITE, STUCK, SINGULAR = 1, 2, 16
SMALLEST_STEP = 1e-12  # of the time of the run


@dataclass(frozen=True, kw_only=True)
class Recursive:
    """Articulated bodies in joint coordinates, loops by multipliers and post-stabilised; the default method.

    `dt` in seconds: the step, or with integrator="adaptive" the time between rows. `integrator` is "semi-implicit"
    (order 1), "rk2", "rk4", "abm4" (order 4, two evaluations a step) or "adaptive" (order 5(4), with rtol and atol).
    `stabilize=False` leaves the loops to drift; `rank_tolerance` says when a constraint row counts as dependent.

    >>> lw.Recursive(integrator="rk4", dt=1e-3).integrator
    'rk4'
    """

    name: ClassVar[str] = "recursive"
    supports: ClassVar[frozenset[str]] = frozenset({"loops", "redundant", "moving grounds"})
    orders: ClassVar[dict[str, int]] = {"semi-implicit": 1, "rk2": 2, "rk4": 4, "abm4": 4, "adaptive": 5}

    integrator: str = "rk4"
    dt: float = 1e-3
    rtol: float = 1e-8
    atol: float = 1e-10
    stabilize: bool = True
    rank_tolerance: float = 1e-10

    def prepare(self, tables: Any) -> Workspace:
        """Scratch and carried memory for the tables of one system."""
        return workspace(tables, self)


class Options(NamedTuple):
    scheme: int
    stabilize: bool
    rank_tolerance: float
    rtol: float
    atol: float


class Workspace(NamedTuple):
    options: Options
    tableau: Tableau
    tree: TreeWork
    loops: LoopWork
    needs_world: bool
    extra: Any  # (dof,) joint forces put in from outside; empty where there are none
    f: Any  # (y,) rate at the present state
    k: Any  # (stage, y)
    trial: Any  # (y,) where the next evaluation is made
    rate: Any  # (y,) what it gives
    history: Any  # (4, y) rates of the last steps, for Adams
    carried: Any  # (2,) steps in the history, step size of the adaptive integrator
    told: Any
    out: Any
    power: Any


def workspace(tables: Any, method: Recursive) -> Workspace:
    scheme, tableau = INTEGRATORS[method.integrator]
    nq = count_q(tables.tree)
    size = nq + tables.tree.dof_link.size + 2
    forces = tables.forces
    elements = (forces.spring_a, forces.coil_coordinate, forces.drive_law, forces.load_law)
    needs_world = bool(sum(a.size for a in elements) + tables.cuts.cut_a.size + (tables.tree.grounds > 1))
    return Workspace(
        options=Options(scheme, method.stabilize, method.rank_tolerance, method.rtol, method.atol),
        tableau=tableau,
        tree=tree_work(tables.tree),
        loops=loop_work(tables),
        needs_world=needs_world,
        extra=np.zeros(0),
        f=np.zeros(size),
        k=np.zeros((tableau.b.size, size)),
        trial=np.zeros(size),
        rate=np.zeros(size),
        history=np.zeros((4, size)),
        carried=np.zeros(2),
        told=np.zeros(16),
        out=np.zeros(4),
        power=np.zeros(2),
    )


def count_q(tree: Any) -> int:
    """Length of q."""
    extra = {4: 1, 5: 1, 6: 1}  # a quaternion has one number more than it has rates
    return int(tree.dof_link.size + sum(extra.get(int(m), 0) for m in tree.link_motion))


@written_out
def evaluate(tables, w, state, t):
    """w.rate = rate of w.trial at time t. Returns 0 or a status."""
    tree = tables.tree
    work = w.tree
    nv = tree.dof_link.size
    nq = w.trial.size - nv - 2
    q = w.trial[:nq]
    v = w.trial[nq : nq + nv]
    vd = w.rate[nq : nq + nv]
    if tree.grounds > 1:
        move_grounds(tree, tables.laws, work, t, w.told, w.out)
    outward_velocities(tree, work, q, v)
    if w.needs_world:
        outward_poses(tree, work)
        world_velocities(tree, work)
        measure_cuts(tables.cuts, work, state.cut_q, state.cut_rate)
        apply_forces(tables, work, t, q, v, state.cut_q, state.cut_rate, w.told, w.out, w.power)
    for k in range(w.extra.size):
        work.tau[k] = w.extra[k] + (work.tau[k] if w.needs_world else 0.0)
    failed = inward_inertias(tree, work, q)
    outward_accelerations(tree, work, q, v, vd)
    if w.loops.g.size > 0:
        factor_loops(tables, work, w.loops, q, state.cut_q, w.options.rank_tolerance)
        constrain(tables, work, w.loops, vd)
    if w.options.scheme != SEMI_IMPLICIT:
        coordinate_rates(tree, q, v, w.rate)
    w.rate[nq + nv] = w.power[0]
    w.rate[nq + nv + 1] = w.power[1]
    if tree.grounds > 1:
        w.rate[nq + nv + 1] += ground_power(tables, work, q, vd, w.loops)
    state.count[0] += 1
    return SINGULAR + failed - 1 if failed > 0 else 0


@kernel
def inner_count(w):
    """Evaluations of a step before the one at its end."""
    scheme = w.options.scheme
    if scheme == SEMI_IMPLICIT:
        return 0
    if scheme == ADAMS and w.carried[0] > 3.0:
        return 1
    return w.tableau.b.size - 1


@kernel
def next_trial(tree, w, y, s, inner, h):
    """w.trial = where evaluation s = 1 … inner + 1 of a step of h is made; returns its time as a part of h."""
    scheme = w.options.scheme
    nv = tree.dof_link.size
    nq = y.size - nv - 2
    if h == 0.0:
        copy(y, w.trial)
    elif scheme == SEMI_IMPLICIT:
        # (7), (9) of MST17: velocities first, positions with the new velocities
        for k in range(nq, y.size):
            w.trial[k] = y[k] + h * w.f[k]
        displace(tree, y, w.trial[nq : nq + nv], h, w.trial)
        return 1.0
    elif scheme == ADAMS and w.carried[0] > 3.0:
        if s == 1:
            adams_bashforth(y, h, w.history, w.trial)
        else:
            adams_moulton(y, h, w.rate, w.history, w.trial)
    elif s <= inner:
        stage(w.tableau, s, y, h, w.k, w.trial)
        return w.tableau.c[s]
    else:
        finish(w.tableau, y, h, w.k, w.trial)
    if s > inner:
        normalize(tree, w.trial)
    return 1.0


@kernel
def begin_step(w):
    """The rate at hand is the first stage, and the newest of the history."""
    if w.options.scheme != SEMI_IMPLICIT:
        copy(w.f, w.k[0])
    if w.options.scheme == ADAMS:
        for i in range(w.f.size):
            w.history[3, i] = w.history[2, i]
            w.history[2, i] = w.history[1, i]
            w.history[1, i] = w.history[0, i]
            w.history[0, i] = w.f[i]
        w.carried[0] = min(w.carried[0] + 1.0, 4.0)


@written_out
def accept(tables, w, state, t):
    """The state moves to w.trial at time t and is stabilised; its rate, reactions and rank are kept."""
    nv = state.vd.size
    nq = state.y.size - nv - 2
    copy(w.trial, state.y)
    copy(w.rate, w.f)
    if w.loops.g.size > 0:
        state.drift[0] = largest(w.loops.g)
        cut_reactions(tables.cuts, w.tree, w.loops, state.cut_force)
        state.count[1] = w.loops.rank[0]
        if w.options.stabilize:
            stabilize(tables, w.tree, w.loops, state.y, state.y[nq : nq + nv])
            state.drift[1] = largest(w.loops.gd)
    for k in range(nv):
        state.vd[k] = w.f[nq + k]
    state.t[0] = t


@kernel
def copy(x, out):
    for i in range(x.size):
        out[i] = x[i]


@kernel
def largest(x):
    m = 0.0
    for i in range(x.size):
        m = max(m, abs(x[i]))
    return m


@kernel
def finite(x):
    s = 0.0
    for i in range(x.size):
        s += x[i]
    return math.isfinite(s)


@entry
def run(tables, w, state, begin, first, h, steps, every, rows):
    """`steps` steps of h from the step numbered `first` of a run that began at time `begin`; every `every`-th is kept.

    first = -1 settles the start: its rate, reactions and accounts. Returns steps done, rows kept, status. After a
    failure `state.last` is the last good state.
    """
    tree = tables.tree
    scheme = w.options.scheme
    measured = state.y.size - 2  # the accounts are not watched
    kept = 0
    for n in range(first + 1, first + steps + 1):
        copy(state.y, state.last)
        done = 0.0
        span = h if n > 0 else 0.0
        start = begin + (n - 1) * h if n > 0 else begin
        while True:
            # one step, or with the adaptive integrator one of several
            size = span - done
            cut = True
            if scheme == ADAPTIVE and n > 0:
                if not w.carried[1] > 0.0:
                    w.carried[1] = 0.01 * span
                if w.carried[1] < size * (1.0 - 1e-12):
                    size = w.carried[1]
                    cut = False
            inner = 0
            if n > 0:
                begin_step(w)
                inner = inner_count(w)
            status = 0
            for s in range(1, inner + 2):
                t = start + done + size * next_trial(tree, w, state.y, s, inner, size)
                status = evaluate(tables, w, state, t)
                if status != 0:
                    break
                if s <= inner:
                    copy(w.rate, w.k[s])
            if scheme == ADAPTIVE and n > 0:
                error = 1e9
                if status == 0:
                    error = error_norm(w.tableau, state.y, w.trial, size, w.k, w.rate, w.options, measured)
                if not error <= 1.0:
                    state.count[2] += 1
                    w.carried[1] = size * (max(0.2, 0.9 * error**-0.2) if math.isfinite(error) else 0.2)
                    if w.carried[1] < SMALLEST_STEP * span:
                        return n - 1 - first, kept, status if status != 0 else STUCK
                    continue
                if not cut or error > 0.1:
                    w.carried[1] = size * min(5.0, 0.9 * max(error, 1e-10) ** -0.2)
            if status != 0:
                return n - 1 - first, kept, status
            done = span if cut else done + size
            accept(tables, w, state, begin + n * h if cut else start + done)
            if not (finite(state.y) and finite(state.vd)):
                return n - 1 - first, kept, NOT_FINITE
            if cut:
                break
        if n % every == 0:
            keep_row(state, rows, kept)
            kept += 1
    return steps, kept, 0
