"""[V06, MST17] Articulated bodies with any explicit integrator; loops by multipliers, post-stabilised.

    y   coordinates q, velocities v, and the two energy accounts (wasted, fed in), one flat vector
    f   its rate; the rate at the present state is kept, so it is the first stage of the next step

A step ends with an evaluation at the new state, whose factor stabilises that state.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from linkwork._jit import kernel
from linkwork.formulations.record import State, keep_row
from linkwork.formulations.loops import LoopWork, constrain, cut_reactions, factor_loops, loop_work, stabilize
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
    trial: Any  # (y,)
    new: Any  # (y,)
    end: Any  # (y,)
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
        new=np.zeros(size),
        end=np.zeros(size),
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


@kernel
def evaluate(tables, w, state, t, y, f):
    """f = rate of y at time t. Returns 0 or a status."""
    tree = tables.tree
    work = w.tree
    nv = tree.dof_link.size
    nq = y.size - nv - 2
    q = y[:nq]
    v = y[nq : nq + nv]
    vd = f[nq : nq + nv]
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
    coordinate_rates(tree, q, v, f[:nq])
    f[nq + nv] = w.power[0]
    f[nq + nv + 1] = w.power[1]
    if tree.grounds > 1:
        f[nq + nv + 1] += ground_power(tables, work, q, vd, w.loops)
    state.count[0] += 1
    return SINGULAR + failed - 1 if failed > 0 else 0


@kernel
def settle(tables, w, state, t):
    """Evaluate at the state, stabilise it, and keep its rate, reactions and rank."""
    status = evaluate(tables, w, state, t, state.y, w.f)
    nv = state.vd.size
    nq = state.y.size - nv - 2
    if w.loops.g.size > 0:
        state.drift[0] = largest(w.loops.g)
        cut_reactions(tables.cuts, w.tree, w.loops, state.cut_force)
        state.count[1] = w.loops.rank[0]
        if w.options.stabilize:
            stabilize(tables, w.tree, w.loops, state.y[:nq], state.y[nq : nq + nv])
            state.drift[1] = largest(w.loops.gd)
    for k in range(nv):
        state.vd[k] = w.f[nq + k]
    state.t[0] = t
    if status == 0 and not math.isfinite(total(state.y) + total(state.vd)):
        return NOT_FINITE
    return status


@kernel
def largest(x):
    m = 0.0
    for i in range(x.size):
        m = max(m, abs(x[i]))
    return m


@kernel
def total(x):
    s = 0.0
    for i in range(x.size):
        s += x[i]
    return s


@kernel
def runge_kutta(tables, w, state, t, h, new):
    """new = y after h by the tableau of w; the rate at the beginning is w.f."""
    y = state.y
    tableau = w.tableau
    for i in range(y.size):
        w.k[0, i] = w.f[i]
    for s in range(1, tableau.b.size):
        stage(tableau, s, y, h, w.k, w.trial)
        status = evaluate(tables, w, state, t + tableau.c[s] * h, w.trial, w.k[s])
        if status != 0:
            return status
    finish(tableau, y, h, w.k, new)
    return 0


@kernel
def step(tables, w, state, h):
    """One step of h seconds. Returns 0 or a status."""
    scheme = w.options.scheme
    t = state.t[0]
    nv = state.vd.size
    nq = state.y.size - nv - 2
    status = 0
    if scheme == SEMI_IMPLICIT:
        # (7), (9) of MST17: velocities first, positions with the new velocities
        y = state.y
        for k in range(nv):
            y[nq + k] += h * w.f[nq + k]
        y[nq + nv] += h * w.f[nq + nv]
        y[nq + nv + 1] += h * w.f[nq + nv + 1]
        displace(tables.tree, y[:nq], y[nq : nq + nv], h, y[:nq])
        return settle(tables, w, state, t + h)
    if scheme == ADAPTIVE:
        return adaptive(tables, w, state, h)
    if scheme == ADAMS:
        status = adams(tables, w, state, t, h)
    else:
        status = runge_kutta(tables, w, state, t, h, w.new)
    if status != 0:
        return status
    state.y[:] = w.new
    normalize(tables.tree, state.y[:nq])
    return settle(tables, w, state, t + h)


@kernel
def adams(tables, w, state, t, h):
    """Predict, evaluate, correct (the evaluation of `settle` follows); Runge-Kutta until three rates are known."""
    known = int(w.carried[0])
    history = w.history
    for i in range(state.y.size):
        history[3, i] = history[2, i]
        history[2, i] = history[1, i]
        history[1, i] = history[0, i]
        history[0, i] = w.f[i]
    if known < 3:
        w.carried[0] = known + 1
        return runge_kutta(tables, w, state, t, h, w.new)
    adams_bashforth(state.y, h, history[0], history[1], history[2], history[3], w.trial)
    status = evaluate(tables, w, state, t + h, w.trial, w.end)
    adams_moulton(state.y, h, w.end, history[0], history[1], history[2], w.new)
    return status


@kernel
def adaptive(tables, w, state, span):
    """Steps of the embedded pair over `span` seconds, the last cut to end there; w.carried[1] is the step to try."""
    begin = state.t[0]
    nv = state.vd.size
    nq = state.y.size - nv - 2
    done = 0.0
    h = w.carried[1]
    if not h > 0.0 or h > span:
        h = span if h > span else 0.01 * span
    while done < span:
        cut = done + h >= span * (1.0 - 1e-12)
        size = span - done if cut else h
        t = begin + done
        status = runge_kutta(tables, w, state, t, size, w.new)
        error = 1e9
        if status == 0:
            status = evaluate(tables, w, state, t + size, w.new, w.end)
            error = error_norm(
                w.tableau, state.y, w.new, size, w.k, w.end, w.options.rtol, w.options.atol, nq + nv
            )
        if status == 0 and error <= 1.0:
            done = span if cut else done + size
            state.y[:] = w.new
            normalize(tables.tree, state.y[:nq])
            status = settle(tables, w, state, begin + done)
            if status != 0:
                return status
            if not cut or error > 0.1:
                h = size * min(5.0, 0.9 * max(error, 1e-10) ** -0.2)
        else:
            state.count[2] += 1
            h = size * (max(0.2, 0.9 * error**-0.2) if math.isfinite(error) else 0.2)
            if h < SMALLEST_STEP * span:
                return status if status != 0 else STUCK
    w.carried[1] = h
    return 0


@kernel
def run(tables, w, state, begin, first, h, steps, every, rows):
    """`steps` steps of h from the step numbered `first` of a run that began at time `begin`; every `every`-th is kept.

    Returns steps done, rows kept, status. After a failure `state.last` is the last good state.
    """
    kept = 0
    for n in range(first + 1, first + steps + 1):
        state.last[:] = state.y
        status = step(tables, w, state, h)
        if status != 0:
            return n - 1 - first, kept, status
        state.t[0] = begin + n * h
        if n % every == 0:
            keep_row(state, rows, kept)
            kept += 1
    return steps, kept, 0
