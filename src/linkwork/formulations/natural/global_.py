"""[CD03] The global method: natural coordinates, index-3 augmented Lagrangian, trapezoidal rule, Newton in positions.

    z zd zdd   nodes: points and unit vectors that neighbours share        Phi   lengths and angles, joints that remain
    M          mass matrix, constant                                       Phi_q their gradients, J in the code
    alpha      penalty, a row                                              lam   multipliers lambda* of (1)
    f_z f      tangent matrix (26) and residual (27)                       delta increment of positions

The equations are those of the hybrid method with q in place of the relative coordinates: (1), (2), (21)-(27), (35) and
(36). But nothing has to be accumulated along a tree: M does not change, and f_z has a block where two nodes share a
body or a row. It is factored along that graph by a sparse Cholesky factorisation whose pattern is analysed once.

The projections are written as increments: f_z (zd - zd*) = -dt^2/4 Phi_q^T alpha (Phi_q zd* + Phi_t) is (35), and (36)
likewise; what f_z holds besides the rows drops out, and so does its rounding. Springs and dampers in f_z turn the
projection of accelerations aside, so that recorded accelerations and loads are settled anew, as at the start: they are
those of the recorded positions and velocities.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from linkwork._jit import entry, kernel, small, written_out
from linkwork.formulations.convergence import ROUNDING, closed, largest_part, left_after, left_over, settled
from linkwork.formulations.explicit.stepping import copy, finite, largest
from linkwork.formulations.implicit.implicit import HALVES, ImplicitMethod, chosen_penalties
from linkwork.formulations.natural.coordinates import (
    add_bias,
    add_to,
    balance,
    fill_rows,
    finite_nodes,
    given_nodes,
    largest_node,
    link_rates,
    measure_gradient,
    part_opening,
    place_links,
    row_rates,
)
from linkwork.formulations.natural.reactions import Network, factor_network, ground_power, joint_forces, network
from linkwork.formulations.natural.stiffness import drive_slopes, load_gradient, spring_gradient, tyre_gradient
from linkwork.formulations.protocol import Needs, Ran
from linkwork.formulations.samples import (
    EVALUATIONS,
    GAP_RATE,
    MOST_SWEEPS,
    REFUSED,
    RESIDUAL,
    SWEEPS,
    WORST_RESIDUAL,
    keep_sample,
)
from linkwork.formulations.status import NOT_CONVERGED, NOT_FINITE, SINGULAR
from linkwork.mechanics.constraint_rows import measure_cuts
from linkwork.mechanics.forces import apply_forces
from linkwork.mechanics.grounds import move_grounds
from linkwork.mechanics.motions import load_quaternion, store_quaternion
from linkwork.mechanics.size import size_of
from linkwork.mechanics.workspace import TreeWork, tree_work
from linkwork.numerics.block_cholesky import factor, solve
from linkwork.numerics.block_sparse import BlockPattern, pattern
from linkwork.spatial.codes import COUPLE, SOFT_COIL, SOFT_DRIVE, SOFT_LOAD, SOFT_SPRING
from linkwork.spatial.quaternions import normalized, quaternion_of, rotation_of
from linkwork.spatial.vectors import (
    ZERO,
    add,
    add_scaled,
    cross,
    dot,
    load3,
    load9,
    load_pair,
    norm,
    rotate,
    scale,
    store3,
)

GRIP = 3e5  # dt^2/4 alpha is at least so many times the mass that a row moves: less, and the multipliers settle slowly
ROUNDS = 20  # to settle accelerations and multipliers
SETTLED = 1e-13  # of the largest force on a node
STARTS = {"curve_start", "tyre_road"}  # tables of forces that have an entry where there is nothing


@dataclass(frozen=True, kw_only=True)
class Global(ImplicitMethod):
    """Implicit, in natural coordinates: points and unit vectors that neighbouring bodies share; nothing to prepare.

    `dt` in seconds; `penalty` (N/m) weighs the rows: without one it is chosen for every row from the masses that it
    moves, and one that would hold a row more loosely than that at this dt is raised; `tolerance` is the part of the
    accelerations that Newton's iteration may leave unfound, less where dt resolves the motion well; `iterations` how
    many it may take. A step that does not converge is halved, down to 1/64.

    >>> lw.Global(dt=0.01).name
    'global'
    """

    name: ClassVar[str] = "global"
    supports: ClassVar[frozenset[str]] = frozenset({"loops", "redundant", "distances", "moving grounds"})
    coordinates: ClassVar[str] = "absolute"
    needs: ClassVar[Needs] = "natural coordinates"
    loop: ClassVar[str] = __name__
    carried: ClassVar[tuple[str, ...]] = (
        *("lam", "alpha", "row_unit", "step", "z", "z0", "zd0", "zdd0"),
        *("power", "net.blocks", "net.first"),
    )

    dt: float = 1e-2
    penalty: float | None = None
    tolerance: float = 3e-8
    iterations: int = 30

    def prepare(self, tables: Any, given: Any) -> Workspace:
        """Scratch and carried memory for the tables of one absolute system and its natural coordinates."""
        return workspace(tables, given, self)

    def run(self, tables, workspace, state, begin, first, dt, steps, every, samples) -> Ran:
        """The compiled loop of this method."""
        return run(tables, workspace, state, begin, first, dt, steps, every, samples)

    def chosen(self, workspace: Any) -> dict[str, Any]:
        """Penalties that were left to the method."""
        return chosen_penalties(self.penalty, workspace.alpha)


class Pairs(NamedTuple):
    """Entries i, j of a row whose product goes to a block of f_z."""

    start: Any  # (row + 1,)
    i: Any  # (pair,)
    j: Any
    offset: Any


class Workspace(NamedTuple):
    penalty: float
    tolerance: float
    iterations: int
    loaded: bool  # there are forces besides gravity
    measured: bool  # forces or rows depend on coordinates of joints
    nat: Any
    tree: TreeWork
    net: Network
    shape: BlockPattern
    pairs: Pairs
    node_mass: Any  # (free,) kg
    length: float  # m, the size of the model
    unit: Any  # (node,) of a point the length, of a unit vector 1
    row_unit: Any  # (row,) the most that a unit of one of its nodes moves it
    mass: Any  # M in the pattern of f_z
    fz: Any  # f_z, factored
    first: Any  # (free, 3) scratch of the factorisation
    weight: Any  # (row,) what a row adds to f_z with its gradient
    alpha: Any  # (row,) of the equations
    step: Any  # (1,) dt for which they are
    lam: Any
    mu: Any  # multipliers of the accelerations below
    force: Any
    g: Any
    gd: Any
    J: Any  # (entry, 3)
    z: Any  # (node, 3) trial
    zd: Any
    zdd: Any
    z0: Any  # (node, 3) carried from step to step
    zd0: Any
    zdd0: Any
    delta: Any  # (node, 3)
    a: Any  # (node, 3) accelerations, settled
    f: Any  # (dof,) motion of the bodies in the last increment of a step that was refused
    power: Any  # (4,) now and at the last step
    kept_lam: Any
    kept_cut: Any
    law_input: Any
    out: Any


def workspace(tables: Any, nat: Any, method: Global) -> Workspace:
    nodes, rows = len(nat.node_link), len(nat.row_kind)
    cuts = tables.cuts
    shape, table = _pattern(nat)
    where = {
        (int(shape.below[s]), int(k)): int(shape.offset[s])
        for p, k in enumerate(shape.order)
        for s in range(int(shape.column[p]), int(shape.column[p + 1]))
    }
    position = np.zeros(max(nat.free, 1), dtype=np.int64)
    position[shape.order] = np.arange(nat.free)
    starts, pairs = [0], []
    for entries in table:
        for i, k in entries:
            for j, m in entries:
                if k == m:
                    pairs.append((i, j, int(shape.diagonal[k])))
                elif position[k] > position[m]:
                    pairs.append((i, j, where[k, m]))
        starts.append(len(pairs))
    columns = np.array(pairs, dtype=np.int64).reshape(-1, 3)
    mass = _masses(tables.tree, nat, shape, position, where)
    diagonal = np.array([mass[d : d + 9 : 4].sum() / 3.0 for d in shape.diagonal])
    equations, length = nat.equations, size_of(tables)
    loaded = any(len(column) > (name in STARTS) for name, column in tables.forces._asdict().items())
    return Workspace(
        penalty=float(method.penalty or 0.0),
        tolerance=float(method.tolerance),
        iterations=int(method.iterations),
        loaded=loaded,
        measured=loaded or bool(np.any(cuts.row_kind == COUPLE)),
        nat=nat,
        tree=tree_work(tables.tree),
        net=network(tables, nat),
        shape=shape,
        pairs=Pairs(np.array(starts, dtype=np.int64), *(columns[:, k].copy() for k in range(3))),
        node_mass=diagonal.reshape(-1),
        length=length,
        unit=np.where(nat.node_is_point == 1, length, 1.0),
        row_unit=np.ones(equations),
        mass=mass,
        fz=np.zeros(shape.total),
        first=np.zeros((nat.free, 3)),
        weight=np.zeros(rows),
        alpha=np.zeros(equations),
        step=np.ones(1),
        lam=np.zeros(equations),
        mu=np.zeros(equations),
        force=np.zeros(equations),
        g=np.zeros(equations),
        gd=np.zeros(equations),
        J=nat.entry_J.copy(),
        **{name: np.zeros((nodes, 3)) for name in ("z", "zd", "zdd", "z0", "zd0", "zdd0", "delta", "a")},
        f=np.zeros(len(tables.tree.dof_link)),
        power=np.zeros(4),
        kept_lam=np.zeros(equations),
        kept_cut=np.zeros(int((cuts.measure_q.max() + 4) if cuts.measure_q.size else 0)),
        law_input=np.zeros(16),
        out=np.zeros(4),
    )


def _pattern(nat: Any) -> tuple[BlockPattern, list[list[tuple[int, int]]]]:
    """Nodes that share a body or a row touch; and the moving entries of every row: (entry, node)."""
    touching = set()
    for link in range(len(nat.link_slots)):
        slots = [int(k) for k in nat.slot_node[link, : nat.link_slots[link]] if k < nat.free]
        touching |= {(a, b) for a in slots for b in slots if a < b}
    table = []
    for r in range(len(nat.row_kind)):
        entries = range(int(nat.row_entry[r]), int(nat.row_entry[r + 1]))
        table.append([(e, int(nat.entry_node[e])) for e in entries if nat.entry_node[e] < nat.free])
        nodes = sorted({k for _, k in table[-1]})
        touching |= {(a, b) for a in nodes for b in nodes if a < b}
    return pattern([3] * nat.free, sorted(touching)), table


def _masses(tree: Any, nat: Any, shape: BlockPattern, position: Any, where: Any) -> Any:
    """M in the pattern of f_z: the blocks of the bodies, added up."""
    mass = np.zeros(shape.total)
    for link in range(tree.grounds, len(nat.link_slots)):
        u = np.zeros(3)
        if nat.link_normal[link] >= 0:
            u = nat.node_local[nat.link_normal[link]]
        S = np.array([[0.0, -u[2], u[1]], [u[2], 0.0, -u[0]], [-u[1], u[0], 0.0]])
        for a in range(int(nat.link_slots[link])):
            for b in range(int(nat.link_slots[link])):
                k, m = int(nat.slot_node[link, a]), int(nat.slot_node[link, b])
                if k >= nat.free or m >= nat.free or (k != m and position[k] < position[m]):
                    continue
                block = nat.mass_1[link, a, b] * np.eye(3) + nat.mass_S[link, a, b] * S
                block += nat.mass_u[link, a, b] * np.outer(u, u)
                o = int(shape.diagonal[k]) if k == m else where[k, m]
                mass[o : o + 9] += block.ravel()
    return mass


# --- terms of the equations


@kernel
def apply_loads(tables, work, state, t, law_input, out, power):
    """Forces on the links; all joints are cuts here, so that nothing is told of the bodies' own coordinates."""
    nv = state.vd.size
    nq = state.y.size - nv - 2
    q = state.y[:nq]
    v = state.y[nq : nq + nv]
    apply_forces(tables, work, t, q, v, state.cut_q, state.cut_rate, law_input, out, power)


@written_out
def soft_rows(tables, w, state, t, h):
    """Gradients and weights dt/2 c + dt^2/4 k of springs, coils and laws (28)-(34)."""
    nat = w.nat
    forces = tables.forces
    for r in range(nat.equations, nat.row_kind.size):
        first = nat.row_entry[r]
        for e in range(first, nat.row_entry[r + 1]):
            store3(w.J, e, ZERO)
        s = nat.row_of[r]
        kind = nat.row_kind[r]
        if kind == SOFT_SPRING:
            k, c = spring_gradient(tables, nat, w.tree, w.z, s, t, w.law_input, w.out, w.J, first)
        elif kind == SOFT_COIL:
            measure_gradient(nat, tables.cuts, w.tree, w.z, r, w.J)
            k = forces.coil_k[s] if forces.coil_q[s] >= 0 else 0.0
            c = forces.coil_c[s]
        elif kind == SOFT_DRIVE:
            measure_gradient(nat, tables.cuts, w.tree, w.z, r, w.J)
            k, c = drive_slopes(tables, state, s, t, w.law_input, w.out)
        elif kind == SOFT_LOAD:
            k, c = load_gradient(tables, nat, w.tree, w.z, s, nat.row_turn[r], t, w.law_input, w.out, w.J, first)
        else:
            k, c = tyre_gradient(tables, nat, w.tree, w.z, s, nat.row_turn[r], t, w.law_input, w.out, w.J, first)
        w.weight[r] = 0.5 * h * max(c, 0.0) + 0.25 * h * h * max(k, 0.0)  # what pushes on is left out


@kernel
def tangent(shape, pairs, mass, weight, J, fz, first):
    """fz = M + dt/2 C + dt^2/4 (Phi_q^T alpha Phi_q + K) (26), factored; returns 0 or one more than a bad node."""
    copy(mass, fz)
    for r in range(weight.size):
        s = weight[r]
        for p in range(pairs.start[r], pairs.start[r + 1]):
            o = pairs.offset[p]
            y = load3(J, pairs.j[p])
            for a in range(3):
                x = s * J[pairs.i[p], a]
                fz[o + 3 * a] += x * y[0]
                fz[o + 3 * a + 1] += x * y[1]
                fz[o + 3 * a + 2] += x * y[2]
    return factor(shape, fz, first)


@kernel
def project(nat, shape, fz, J, weight, rates, delta, x):
    """x -= f_z^-1 Phi_q^T (weight rates): (35) for velocities, (36) for accelerations."""
    for k in range(delta.shape[0]):
        store3(delta, k, ZERO)
    for r in range(nat.equations):
        s = weight[r] * rates[r]
        for e in range(nat.row_entry[r], nat.row_entry[r + 1]):
            add_to(delta, nat.entry_node[e], scale(s, load3(J, e)))
    solve(shape, fz, delta)
    add_nodes(x, -1.0, delta, nat.free)


@kernel
def second_rates(nat, cuts, work, J, zd, a, out):
    """Second rates of the rows for the accelerations a."""
    row_rates(nat, J, a, out)
    add_bias(nat, cuts, work, zd, out)


# --- a step


@small
def add_nodes(x, s, y, count):
    for k in range(count):
        store3(x, k, add_scaled(load3(x, k), s, load3(y, k)))


@kernel
def copy_nodes(x, out):
    for k in range(x.shape[0]):
        store3(out, k, load3(x, k))


@kernel
def predict(w, h):
    """Trial positions by the velocities and accelerations of the last step."""
    for k in range(w.nat.free):
        for e in range(3):
            w.z[k, e] = w.z0[k, e] + h * w.zd0[k, e] + 0.5 * h * h * w.zdd0[k, e]


@written_out
def trapezoidal(w, h):
    """Velocities and accelerations at the trial positions (21)-(24)."""
    for k in range(w.nat.free):
        for e in range(3):
            d = w.z[k, e] - w.z0[k, e]
            v = w.zd0[k, e]
            w.zd[k, e] = 2.0 / h * d - v
            w.zdd[k, e] = 4.0 / (h * h) * d - 4.0 / h * v - w.zdd0[k, e]


@kernel
def largest_change(w, x):
    """Of the nodes, in units."""
    m = 0.0
    for k in range(w.nat.free):
        m = max(m, max(abs(x[k, 0]), abs(x[k, 1]), abs(x[k, 2])) / w.unit[k])
    return m


@kernel
def rounding(w):
    """Units to which the nodes are known."""
    return ROUNDING * (1.0 + largest_change(w, w.z))


@kernel
def allowed(w, h):
    """Units that may be left of a step of h; see `convergence`."""
    bend = 0.0
    turn = 0.0
    for k in range(w.nat.free):
        for e in range(3):
            bent = w.z[k, e] - w.z0[k, e] - h * w.zd0[k, e]
            bend = max(bend, 0.5 * abs(bent) / w.unit[k])
            turn = max(turn, abs(bent - 0.5 * h * h * w.zdd0[k, e]) / w.unit[k])
    return left_over(w.tolerance, bend, turn)


@kernel
def step(tables, w, state, t, h):
    """One step to time t. Returns 0 or a status."""
    nat = w.nat
    # parts of a step are held as firmly as the whole, and more: multipliers that settled too slowly are settled faster
    grow = (w.step[0] / h) ** 4
    for r in range(nat.equations):
        w.weight[r] = 0.25 * h * h * grow * w.alpha[r]
    predict(w, h)
    if tables.tree.grounds > 1:
        move_grounds(tables.tree, tables.laws, w.tree, t, w.law_input, w.out)
        given_nodes(nat, tables.tree, w.tree, w.z, w.zd, w.zdd)
    status = NOT_CONVERGED
    before = 0.0
    enough = 0.0
    gap_before = math.inf
    finest = rounding(w)
    for i in range(w.iterations + 1):
        trapezoidal(w, h)
        place_links(nat, tables.tree, w.tree, w.z, w.zd)
        if w.measured:
            measure_cuts(tables.cuts, w.tree, state.cut_q, state.cut_rate)
        fill_rows(nat, tables.cuts, w.tree, state.cut_q, w.z, w.g, w.J)
        gap = largest_part(w.g, w.row_unit)
        if i == w.iterations or (status == 0 and closed(gap, gap_before, enough, finest)):
            break
        gap_before = gap if status == 0 else math.inf
        for r in range(nat.equations):
            if i > 0:
                w.lam[r] += grow * w.alpha[r] * w.g[r]  # (2)
            w.force[r] = w.lam[r] + grow * w.alpha[r] * w.g[r]
        if w.loaded:
            apply_loads(tables, w.tree, state, t, w.law_input, w.out, w.power)
            soft_rows(tables, w, state, t, h)
        balance(nat, tables.tree, w.tree, w.loaded, w.z, w.zdd, w.J, w.force, nat.slot_node, nat.entry_node, w.delta)
        if tangent(w.shape, w.pairs, w.mass, w.weight, w.J, w.fz, w.first) > 0:
            return NOT_FINITE
        solve(w.shape, w.fz, w.delta)  # (27) without its factor
        for k in range(nat.free):
            store3(w.delta, k, scale(-0.25 * h * h, load3(w.delta, k)))
        add_nodes(w.z, 1.0, w.delta, nat.free)
        state.count[EVALUATIONS] += 1
        state.effort[SWEEPS] += 1.0
        if not finite_nodes(w.delta, nat.free):
            return NOT_FINITE
        change = largest_change(w, w.delta)
        left = left_after(change, before)
        enough = max(finest, allowed(w, h))
        last = i + 1 == w.iterations
        status = 0 if settled(left, change, before, enough, finest, last) else NOT_CONVERGED
        before = change
        if status == 0:
            state.effort[RESIDUAL] = max(state.effort[RESIDUAL], left)
    if status != 0:
        return status
    # velocities and accelerations onto the constraints, with the tangent matrix at hand
    part_opening(nat, tables.cuts, w.g, state)
    row_rates(nat, w.J, w.zd, w.gd)
    state.drift[GAP_RATE] = largest(w.gd)
    project(nat, w.shape, w.fz, w.J, w.weight, w.gd, w.delta, w.zd)  # (35)
    place_links(nat, tables.tree, w.tree, w.z, w.zd)
    measure_cuts(tables.cuts, w.tree, state.cut_q, state.cut_rate)
    second_rates(nat, tables.cuts, w.tree, w.J, w.zd, w.zdd, w.gd)
    project(nat, w.shape, w.fz, w.J, w.weight, w.gd, w.delta, w.zdd)  # (36)
    if w.loaded:
        apply_loads(tables, w.tree, state, t, w.law_input, w.out, w.power)
    return 0 if finite_nodes(w.zd, nat.free) and finite_nodes(w.zdd, nat.free) else NOT_FINITE


@written_out
def settle(tables, w, a, mu):
    """Accelerations a and multipliers mu of M a + Phi_q^T mu = Q with the rows on their second rates.

    By penalty, in a few rounds, from what is there; needs positions, velocities, loads and the factored tangent matrix
    without anything soft. At a singular position the last rounds lead nowhere, and are left out.
    """
    nat = w.nat
    last = math.inf
    for turn in range(ROUNDS):
        second_rates(nat, tables.cuts, w.tree, w.J, w.zd, a, w.gd)
        size = 0.0
        for r in range(nat.equations):
            if turn > 0:
                mu[r] += w.weight[r] * w.gd[r]
            w.force[r] = mu[r] + w.weight[r] * w.gd[r]
            size = max(size, abs(w.force[r]))
        balance(nat, tables.tree, w.tree, w.loaded, w.z, a, w.J, w.force, nat.slot_node, nat.entry_node, w.delta)
        left = largest_node(w.delta, nat.free)
        if turn > 1 and (left < SETTLED * size or left > 0.5 * last):
            break
        last = left
        solve(w.shape, w.fz, w.delta)
        add_nodes(a, -1.0, w.delta, nat.free)


@kernel
def accept(tables, w, state, t, h, wanted, starts):
    """The trial becomes the state: nodes carried on, poses and accounts handed over; loads where wanted."""
    nat = w.nat
    moved = tables.tree.grounds > 1
    copy_nodes(w.zdd, w.a)
    if wanted or moved:
        copy(w.lam, w.mu)
        if nat.equations < nat.row_kind.size:
            for r in range(nat.equations, nat.row_kind.size):
                w.weight[r] = 0.0
            tangent(w.shape, w.pairs, w.mass, w.weight, w.J, w.fz, w.first)
        settle(tables, w, w.a, w.mu)
        joint_forces(tables, nat, w.net, w.tree, w.loaded, w.z, w.a, w.J, w.mu, state.cut_force)
    if starts:
        copy_nodes(w.a, w.zdd)
        copy(w.mu, w.lam)
    copy_nodes(w.z, w.z0)
    copy_nodes(w.zd, w.zd0)
    copy_nodes(w.zdd, w.zdd0)
    hand_over(nat, tables.tree, w.tree, w.z, w.a, state)
    # the accounts by the same rule
    if not w.loaded:
        w.power[1] = 0.0
    if moved:
        w.power[1] += ground_power(tables, w.tree, state.cut_force)
    n = state.y.size
    for e in range(2):
        state.y[n - 2 + e] += 0.5 * h * (w.power[e] + w.power[2 + e])
        w.power[2 + e] = w.power[e]
    state.t[0] = t
    state.effort[MOST_SWEEPS] = max(state.effort[MOST_SWEEPS], state.effort[SWEEPS])
    state.effort[WORST_RESIDUAL] = max(state.effort[WORST_RESIDUAL], state.effort[RESIDUAL])


@kernel
def hand_over(nat, tree, work, z, acceleration, state):
    """Coordinates, velocities and accelerations of the bodies."""
    nq = state.y.size - state.vd.size - 2
    for i in range(tree.grounds, tree.link_parent.size):
        q = tree.link_q[i]
        v = tree.link_v[i]
        turn, a = link_rates(nat, work, i, z, acceleration)
        omega, u = load_pair(work.pose_v, i)
        e = normalized(quaternion_of(load9(work.pose_R, i)))
        last = load_quaternion(state.y, q + 3)
        if e[0] * last[0] + e[1] * last[1] + e[2] * last[2] + e[3] * last[3] < 0.0:
            e = (-e[0], -e[1], -e[2], -e[3])
        store_quaternion(state.y, q + 3, e)
        for j in range(3):
            state.y[q + j] = work.pose_p[i, j]
            state.y[nq + v + j] = u[j]
            state.y[nq + v + 3 + j] = omega[j]
            state.vd[v + j] = a[j]
            state.vd[v + 3 + j] = turn[j]


@kernel
def name_culprit(nat, tree, work, z, delta, f):
    """f = how the bodies moved in the last increment."""
    for i in range(tree.grounds, tree.link_parent.size):
        turn, u = link_rates(nat, work, i, z, delta)
        for j in range(3):
            f[tree.link_v[i] + j] = u[j]
            f[tree.link_v[i] + 3 + j] = turn[j]


# --- the start


@kernel
def place_nodes(nat, tree, state, z, zd, zdd):
    """Nodes that move, from the coordinates and velocities of the bodies."""
    nq = state.y.size - state.vd.size - 2
    for k in range(nat.free):
        i = nat.node_link[k]
        q = tree.link_q[i]
        v = nq + tree.link_v[i]
        e = rotate(rotation_of(load_quaternion(state.y, q + 3)), load3(nat.node_local, k))
        ed = cross((state.y[v + 3], state.y[v + 4], state.y[v + 5]), e)
        if nat.node_is_point[k] == 1:
            e = add(e, (state.y[q], state.y[q + 1], state.y[q + 2]))
            ed = add(ed, (state.y[v], state.y[v + 1], state.y[v + 2]))
        store3(z, k, e)
        store3(zd, k, ed)
        store3(zdd, k, ZERO)


@written_out
def set_penalties(w, h):
    """alpha of each row: the penalty, or what grips the masses that the row moves in a step of h; units of the rows."""
    nat = w.nat
    w.step[0] = h
    for r in range(nat.row_kind.size):
        w.weight[r] = 0.0
    heaviest = largest(w.node_mass)
    for r in range(nat.equations):
        x = 0.0  # 1 / mass
        y = 0.0
        J2 = 0.0
        for e in range(nat.row_entry[r], nat.row_entry[r + 1]):
            k = nat.entry_node[e]
            y = max(y, norm(load3(w.J, e)) * w.unit[k])
            if k < nat.free:
                J2 += dot(load3(w.J, e), load3(w.J, e))
                if w.node_mass[k] > 0.0:
                    x += dot(load3(w.J, e), load3(w.J, e)) / w.node_mass[k]
        # the length of a vector across a flat body: no mass goes with it, and the row alone holds it
        if x == 0.0 and heaviest > 0.0:
            x = J2 / heaviest
        w.alpha[r] = max(w.penalty, 4.0 * GRIP / (h * h * x)) if x > 0.0 else w.penalty
        w.weight[r] = 0.25 * h * h * w.alpha[r]
        w.lam[r] = 0.0
        w.row_unit[r] = y if y > 0.0 else 1.0


@kernel
def begin(tables, w, state, t, h):
    """Nodes, rows and loads of the start; its accelerations and multipliers are settled when it is accepted."""
    nat = w.nat
    if tables.tree.grounds > 1:
        move_grounds(tables.tree, tables.laws, w.tree, t, w.law_input, w.out)
    given_nodes(nat, tables.tree, w.tree, w.z, w.zd, w.zdd)
    place_nodes(nat, tables.tree, state, w.z, w.zd, w.zdd)
    place_links(nat, tables.tree, w.tree, w.z, w.zd)
    measure_cuts(tables.cuts, w.tree, state.cut_q, state.cut_rate)
    fill_rows(nat, tables.cuts, w.tree, state.cut_q, w.z, w.g, w.J)
    set_penalties(w, h)
    factor_network(w.net)
    if w.loaded:
        apply_loads(tables, w.tree, state, t, w.law_input, w.out, w.power)
    bad = tangent(w.shape, w.pairs, w.mass, w.weight, w.J, w.fz, w.first)
    return SINGULAR + nat.node_link[bad - 1] if bad > 0 else 0


@entry
def run(tables, w, state, start, first, h, steps, every, samples):
    """`steps` steps of h from the step numbered `first` of a run that began at `start`; see `stepping.advance`.

    A step is taken in halves, quarters … down to 1/64 where Newton's iteration does not converge.
    """
    kept = 0
    for n in range(first + 1, first + steps + 1):
        copy(state.y, state.last)
        state.effort[SWEEPS] = 0.0
        state.effort[RESIDUAL] = 0.0
        keep = n % every == 0
        wanted = keep or n == first + steps
        done = 0
        parts = 1
        while done < parts:
            end = start
            part = 0.0
            if n == 0:
                status = begin(tables, w, state, start, h)
            else:
                copy(w.lam, w.kept_lam)
                copy(state.cut_q, w.kept_cut)
                part = h / parts
                # whole steps end where the run's clock says
                end = start + n * h if done + 1 == parts else start + (n - 1) * h + (done + 1) * part
                status = step(tables, w, state, end, part)
            if status == 0:
                done += 1
                accept(tables, w, state, end, part, wanted and done == parts, n == 0)
                if not (finite(state.y) and finite(state.vd)):
                    return n - 1 - first, kept, NOT_FINITE
                continue
            if n > 0:
                copy(w.kept_lam, w.lam)
                for k in range(state.cut_q.size):
                    state.cut_q[k] = w.kept_cut[k]
                state.count[REFUSED] += 1
            if n == 0 or parts == HALVES:
                name_culprit(w.nat, tables.tree, w.tree, w.z, w.delta, w.f)
                return n - 1 - first, kept, status
            done *= 2
            parts *= 2
        if keep:
            keep_sample(state, samples, kept)
            kept += 1
    return steps, kept, 0
