"""[V06] Components: every subsystem, at every level, becomes vd_border = D tau + r; tau goes back down.

    D r     response of a component's border bodies to forces tau there, and their motion without them (2.15), (2.30)
    D^      block diagonal of the parts' D and of M^-1 of own bodies (2.22)
    B       rows of the component's joints on its nodes                      T   D^ B^T
    S       B D^ B^T, dependent rows found by pivoting (2.24)                lam multipliers

Leaves (2.12)-(2.17) and wholes (2.20)-(2.31) are one case: a leaf has no parts. The same factors serve accelerations,
positions and velocities (VK 6): a right-hand side rho, one value a row, goes up and comes down in
`solve_components`. A singular D^ (2.23) needs no eigenvectors here: S is semidefinite whatever D^ is, and its pivots
find what is dependent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from linkwork._jit import entry, kernel, written_out
from linkwork.formulations.absolute import DOUBT, DOUBT_MOST, push_bodies, refresh
from linkwork.formulations.border import (
    ACCELERATIONS,
    POSITIONS,
    VELOCITIES,
    Outer,
    correct_foreign,
    fetch_parts,
    give_parts,
    move_foreign,
    outer,
    push_border,
    report_border,
    settle_foreign,
)
from linkwork.formulations.loops import cut_reactions
from linkwork.formulations.recursive import count_q
from linkwork.formulations.stepping import ORDERS, SEMI_IMPLICIT, SINGULAR, Stepping, advance, copy, largest, stepping
from linkwork.mechanics.articulated import inward_inertias, outward_accelerations
from linkwork.mechanics.forces import apply_forces
from linkwork.mechanics.grounds import keep_foreign, move_grounds
from linkwork.mechanics.motions import coordinate_rates, displace
from linkwork.mechanics.parts import measure_cuts, row_accelerations, row_rates, row_values
from linkwork.mechanics.power import ground_power
from linkwork.mechanics.workspace import TreeWork, tree_work
from linkwork.numerics.semidefinite import factor_block, half_solve, solve
from linkwork.spatial.inertia import inverse_symmetric, rotate_symmetric, times
from linkwork.spatial.vectors import cross, load3, load6, load9, load_pair, scale, store_pair, sub


@dataclass(frozen=True, kw_only=True)
class Components:
    """Every subsystem of the model solved by itself through D and r, exactly and without iteration.

    `coordinates` is "joint" (accelerations of all bodies through the hierarchy, integrated at the joints, loops
    stabilised there) or "absolute" (coordinates of all bodies, with distributed successive projection; the only one
    for components that live elsewhere). Integrators as in `Recursive`. The cost grows linearly for models that are
    well partitioned.

    >>> lw.Components(dt=1e-3).coordinates
    'absolute'
    """

    name: ClassVar[str] = "component"
    supports: ClassVar[frozenset[str]] = frozenset(
        {"loops", "redundant", "distances", "moving grounds", "ports", "remote components"}
    )
    orders: ClassVar[dict[str, int]] = ORDERS

    integrator: str = "rk4"
    dt: float = 1e-3
    rtol: float = 1e-8
    atol: float = 1e-10
    coordinates: str = "absolute"
    stabilize: bool = True
    rank_tolerance: float = 1e-10

    def prepare(self, tables: Any, partition: Any) -> Workspace:
        """Scratch and carried memory for the tables of one absolute system and its hierarchy."""
        return workspace(tables, partition, self)

    def run(self, *arguments: Any) -> Any:
        """The compiled loop of this method."""
        if self.coordinates == "joint":
            from linkwork.formulations.component_joint import run as run_joint

            return run_joint(*arguments)
        return run(*arguments)


class Rows(NamedTuple):
    """Rows of all joints; the names are those of `absolute.Bonds`."""

    B: Any  # (row, 2, 6) force and torque about the body's centre of mass, world axes
    Y: Any  # (row, 2, 6) M^-1 B
    g: Any
    gd: Any
    gdd: Any
    W: Any
    lam: Any
    dq: Any


class Factors(NamedTuple):
    """Numbers of the components, one flat array each; offsets are in the partition."""

    T: Any
    S: Any
    L: Any
    K: Any
    D: Any
    r: Any
    tau: Any  # like r
    scale: Any  # (row,) in the order of the components
    order: Any
    lam: Any  # (row,) multipliers without the forces at the border
    rank: Any  # (component,)
    gap: Any  # (component,) largest gap of a joint in it or in its parts
    b: Any  # (largest,) scratch
    x: Any
    y: Any
    node: Any  # scratch: a value for each node coordinate of one component
    half: Any  # scratch: the rows of T at the border of one component, half solved
    inverse_mass: Any  # (link,)
    inverse_inertia: Any  # (link, 6) world axes


class Workspace(NamedTuple):
    stabilize: bool
    rank_tolerance: float
    steps: Stepping
    tree: TreeWork
    parts: Any  # Partition
    factors: Factors
    rows: Rows
    outer: Outer
    extra: Any
    told: Any
    out: Any
    power: Any


def workspace(tables: Any, partition: Any, method: Components) -> Workspace:
    tree, rows = tables.tree, int(tables.cuts.row_kind.size)
    nodes = 6 * int(np.diff(partition.node_start).max(initial=0))
    most = max(1, partition.largest)
    factors = Factors(
        T=np.zeros(partition.sizes[0]),
        S=np.zeros(partition.sizes[1]),
        L=np.zeros(partition.sizes[1]),
        K=np.zeros(partition.sizes[1]),
        D=np.zeros(partition.sizes[2]),
        r=np.zeros(partition.sizes[3]),
        tau=np.zeros(partition.sizes[3]),
        scale=np.zeros(rows),
        order=np.zeros(rows, dtype=np.int64),
        lam=np.zeros(rows),
        rank=np.zeros(len(partition.T), dtype=np.int64),
        gap=np.zeros(len(partition.T)),
        b=np.zeros(most),
        x=np.zeros(most),
        y=np.zeros(most),
        node=np.zeros(max(1, nodes)),
        half=np.zeros(int((6 * np.diff(partition.border_start) * np.diff(partition.row_start)).max(initial=1))),
        inverse_mass=np.zeros(tree.link_parent.size),
        inverse_inertia=np.zeros((tree.link_parent.size, 6)),
    )
    return Workspace(
        method.stabilize,
        float(method.rank_tolerance),
        stepping(method, count_q(tree) + tree.dof_link.size + 2),
        tree_work(tree),
        partition,
        factors,
        Rows(
            B=np.zeros((rows, 2, 6)),
            Y=np.zeros((rows, 2, 6)),
            g=np.zeros(rows),
            gd=np.zeros(rows),
            gdd=np.zeros(rows),
            W=np.zeros((rows, 6)),
            lam=np.zeros(rows),
            dq=np.zeros(tree.dof_link.size),
        ),
        outer(partition),
        np.zeros(0),
        np.zeros(16),
        np.zeros(4),
        np.zeros(2),
    )


@kernel
def invert_masses(tree, work, factors):
    """M^-1 of every body, world axes, about its centre of mass."""
    for i in range(tree.grounds, tree.link_parent.size):
        factors.inverse_mass[i] = 1.0 / tree.link_mass[i]
        J = inverse_symmetric(rotate_symmetric(load9(work.pose_R, i), load6(tree.link_I, i)))
        for e in range(6):
            factors.inverse_inertia[i, e] = J[e]


@kernel
def respond(parts, factors, first, node, x, out, o, stride):
    """out[o + …] += D^ x, the motion of all nodes that x (six numbers at one node) moves, rows `stride` apart."""
    n = first + node
    part = parts.node_part[n]
    if part < 0:
        i = parts.node_link[n]
        w = times(load6(factors.inverse_inertia, i), (x[3], x[4], x[5]))
        o += 6 * node * stride
        for e in range(3):
            out[o + e * stride] += factors.inverse_mass[i] * x[e]
            out[o + (3 + e) * stride] += w[e]
        return
    # every border body of the part answers; they stand side by side, in the order of its border
    E = 6 * (parts.border_start[part + 1] - parts.border_start[part])
    c = 6 * parts.node_place[n]
    o += 6 * (node - parts.node_place[n]) * stride
    D = parts.D[part]
    for a in range(E):
        value = 0.0
        for e in range(6):
            value += factors.D[D + a * E + c + e] * x[e]
        out[o + a * stride] += value


@kernel
def node_rows(tables, parts, work, factors, rows):
    """B of every row on its bodies, foreign ones too, and M^-1 B on those that are here."""
    tree = tables.tree
    cuts = tables.cuts
    for c in range(cuts.cut_a.size):
        for side in range(2):
            i = cuts.cut_a[c] if side == 0 else cuts.cut_b[c]
            if end_node(parts, c, side) < 0:
                continue
            x = load3(work.pose_p, i)
            for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
                n, f = load_pair(rows.W, r)
                n = sub(n, cross(x, f))
                store_pair(rows.B[r], side, f, n)
                if i >= tree.grounds:
                    w = times(load6(factors.inverse_inertia, i), n)
                    store_pair(rows.Y[r], side, scale(factors.inverse_mass[i], f), w)


@kernel
def row_force(rows, r, side):
    """Force and torque of row r on its body: + on b, - on a."""
    s = 1.0 if side == 1 else -1.0
    B = rows.B
    return (
        s * B[r, side, 0],
        s * B[r, side, 1],
        s * B[r, side, 2],
        s * B[r, side, 3],
        s * B[r, side, 4],
        s * B[r, side, 5],
    )


@kernel
def end_node(parts, c, side):
    return parts.cut_node_a[c] if side == 0 else parts.cut_node_b[c]


@kernel
def factor_components(tree, cuts, parts, factors, rows, tolerance, waits):
    """T, S and D of the components that wait, or do not wait, for others elsewhere; parts before wholes (2.28)-(2.31).

    Returns the number of independent rows.
    """
    rank = 0
    for k in range(parts.T.size):
        if parts.waits[k] != waits:
            continue
        R = parts.row_start[k + 1] - parts.row_start[k]
        first = parts.node_start[k]
        N = 6 * (parts.node_start[k + 1] - first)
        T = parts.T[k]
        S = parts.S[k]
        for e in range(N * R):
            factors.T[T + e] = 0.0
        # T = D^ B^T
        q = 0
        for p in range(parts.cut_start[k], parts.cut_start[k + 1]):
            c = parts.cut[p]
            for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
                for side in range(2):
                    node = end_node(parts, c, side)
                    if node >= 0:
                        respond(parts, factors, first, node, row_force(rows, r, side), factors.T, T + q, R)
                q += 1
        # S = B T
        q = 0
        for p in range(parts.cut_start[k], parts.cut_start[k + 1]):
            c = parts.cut[p]
            for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
                for a in range(q + 1):
                    factors.S[S + q * R + a] = 0.0
                for side in range(2):
                    node = end_node(parts, c, side)
                    if node < 0:
                        continue
                    x = row_force(rows, r, side)
                    for e in range(6):
                        t = T + (6 * node + e) * R
                        for a in range(q + 1):
                            factors.S[S + q * R + a] += x[e] * factors.T[t + a]
                for a in range(q):
                    factors.S[S + a * R + q] = factors.S[S + q * R + a]
                q += 1
        worst_gap(cuts, parts, factors, rows, k)
        free_rows(tree, cuts, parts, factors, rows, k)
        rank += factor_one(parts, factors, k, R, tolerance)
        if parts.remote[k] < 0:
            reduce_border(parts, factors, k, R)
    return rank


@kernel
def worst_gap(cuts, parts, factors, rows, k):
    """The largest gap of a joint of component k and of its parts."""
    if parts.remote[k] >= 0:
        return  # it has told
    gap = 0.0
    for n in range(parts.node_start[k], parts.node_start[k + 1]):
        if parts.node_part[n] >= 0:
            gap = max(gap, factors.gap[parts.node_part[n]])
    for p in range(parts.cut_start[k], parts.cut_start[k + 1]):
        c = parts.cut[p]
        for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
            gap = max(gap, abs(rows.g[r]))
    factors.gap[k] = gap


@kernel
def free_rows(tree, cuts, parts, factors, rows, k):
    """Scale the rows of component k by what they would be if their bodies were free.

    What other joints have taken from a row is then seen, also where they hold it altogether: the rounding that is
    left of it is no row. Nothing is known of the masses of foreign bodies: there the entries of D stand for them.
    """
    q = parts.row_start[k]
    for p in range(parts.cut_start[k], parts.cut_start[k + 1]):
        c = parts.cut[p]
        for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
            free = 0.0
            for side in range(2):
                node = end_node(parts, c, side)
                if node < 0:
                    continue
                n = parts.node_start[k] + node
                if parts.node_link[n] >= tree.grounds:
                    for e in range(6):
                        free += rows.B[r, side, e] * rows.Y[r, side, e]
                    continue
                part = parts.node_part[n]
                E = 6 * (parts.border_start[part + 1] - parts.border_start[part])
                o = parts.D[part] + 6 * parts.node_place[n] * (E + 1)
                for e in range(6):
                    for f in range(6):
                        free += abs(rows.B[r, side, e] * factors.D[o + e * E + f] * rows.B[r, side, f])
            factors.scale[q] = 1.0 / free**0.5 if free > 0.0 else 0.0
            q += 1


@kernel
def factor_one(parts, factors, k, R, tolerance):
    """Factor S of component k, with pivots that stand out of its gaps; returns its rank."""
    if R == 0:
        factors.rank[k] = 0
        return 0
    S = parts.S[k]
    row = parts.row_start[k]
    gap = factors.gap[k]
    factors.rank[k] = factor_block(
        factors.S[S : S + R * R].reshape((R, R)),
        R,
        max(tolerance, min(DOUBT * gap * gap, DOUBT_MOST)),
        factors.scale,
        row,
        factors.L[S : S + R * R].reshape((R, R)),
        factors.K[S : S + R * R].reshape((R, R)),
        factors.order[row : row + R],
    )
    return factors.rank[k]


@kernel
def solve_one(parts, factors, k, R):
    """factors.x = S^+ factors.b for component k."""
    S = parts.S[k]
    row = parts.row_start[k]
    solve(
        factors.scale[row : row + R],
        factors.L[S : S + R * R].reshape((R, R)),
        factors.K[S : S + R * R].reshape((R, R)),
        factors.order[row : row + R],
        factors.rank[k],
        factors.b[:R],
        factors.y,
        factors.x,
    )


@kernel
def reduce_border(parts, factors, k, R):
    """D = D^ - T S^+ T^T at the border of component k (2.16), (2.31), with S^+ by halves: D is as symmetric as D^."""
    first = parts.node_start[k]
    b0 = parts.border_start[k]
    count = parts.border_start[k + 1] - b0
    E = 6 * count
    D = parts.D[k]
    S = parts.S[k]
    row = parts.row_start[k]
    rank = factors.rank[k]
    for j in range(count):
        m = parts.border[b0 + j]
        for f in range(6):
            column = 6 * j + f
            # what D^ alone does with a unit at this border coordinate
            for i in range(count):
                for e in range(6):
                    factors.node[6 * parts.border[b0 + i] + e] = 0.0
            unit = (
                1.0 if f == 0 else 0.0,
                1.0 if f == 1 else 0.0,
                1.0 if f == 2 else 0.0,
                1.0 if f == 3 else 0.0,
                1.0 if f == 4 else 0.0,
                1.0 if f == 5 else 0.0,
            )
            respond(parts, factors, first, m, unit, factors.node, 0, 1)
            for i in range(j + 1):
                for e in range(6):
                    factors.D[D + (6 * i + e) * E + column] = factors.node[6 * parts.border[b0 + i] + e]
            if rank == 0:
                continue
            t = parts.T[k] + (6 * m + f) * R
            half_solve(
                factors.scale[row : row + R],
                factors.L[S : S + R * R].reshape((R, R)),
                factors.K[S : S + R * R].reshape((R, R)),
                factors.order[row : row + R],
                rank,
                factors.T[t : t + R],
                factors.half[column * R : column * R + R],
            )
    for column in range(E):
        for a in range(column + 1):
            value = factors.D[D + a * E + column]
            for e in range(rank):
                value -= factors.half[a * R + e] * factors.half[column * R + e]
            factors.D[D + a * E + column] = value
            factors.D[D + column * E + a] = value


@kernel
def solve_up(cuts, parts, factors, rows, rho, waits):
    """Each component closes its own joints by itself, so that B vd = -rho, and reports the motion r of its border."""
    for k in range(parts.T.size):
        if parts.waits[k] != waits:
            continue
        R = parts.row_start[k + 1] - parts.row_start[k]
        q = 0
        for p in range(parts.cut_start[k], parts.cut_start[k + 1]):
            c = parts.cut[p]
            for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
                value = rho[r]
                for side in range(2):
                    node = end_node(parts, c, side)
                    if node >= 0:
                        n = parts.node_start[k] + node
                        part = parts.node_part[n]
                        if part >= 0:
                            x = row_force(rows, r, side)
                            o = parts.r[part] + 6 * parts.node_place[n]
                            for e in range(6):
                                value += x[e] * factors.r[o + e]
                factors.b[q] = -value
                q += 1
        if R > 0:
            solve_one(parts, factors, k, R)
        for a in range(R):
            factors.lam[parts.row_start[k] + a] = factors.x[a]
        if parts.remote[k] >= 0:
            for e in range(6 * (parts.border_start[k + 1] - parts.border_start[k])):
                factors.tau[parts.r[k] + e] = 0.0
            continue
        # motion of the border: that of the parts, and of the multipliers
        for i in range(parts.border_start[k + 1] - parts.border_start[k]):
            m = parts.border[parts.border_start[k] + i]
            n = parts.node_start[k] + m
            part = parts.node_part[n]
            for e in range(6):
                value = 0.0
                if part >= 0:
                    value = factors.r[parts.r[part] + 6 * parts.node_place[n] + e]
                for a in range(R):
                    value += factors.T[parts.T[k] + (6 * m + e) * R + a] * factors.x[a]
                factors.r[parts.r[k] + 6 * i + e] = value
                factors.tau[parts.r[k] + 6 * i + e] = 0.0


@kernel
def solve_down(cuts, parts, factors, rows, lam):
    """The forces tau at a component's border change its multipliers, and go on to its parts."""
    for k in range(parts.T.size - 1, -1, -1):
        if parts.remote[k] >= 0:
            continue
        R = parts.row_start[k + 1] - parts.row_start[k]
        first = parts.node_start[k]
        count = parts.border_start[k + 1] - parts.border_start[k]
        for a in range(R):
            factors.b[a] = 0.0
        for i in range(count):
            m = parts.border[parts.border_start[k] + i]
            for e in range(6):
                t = factors.tau[parts.r[k] + 6 * i + e]
                for a in range(R):
                    factors.b[a] += factors.T[parts.T[k] + (6 * m + e) * R + a] * t
        if R > 0 and count > 0:
            solve_one(parts, factors, k, R)
            for a in range(R):
                factors.lam[parts.row_start[k] + a] -= factors.x[a]
        # forces that the parts feel: those at the border, passed on, and those of the multipliers
        for i in range(count):
            n = first + parts.border[parts.border_start[k] + i]
            part = parts.node_part[n]
            if part >= 0:
                o = parts.r[part] + 6 * parts.node_place[n]
                for e in range(6):
                    factors.tau[o + e] += factors.tau[parts.r[k] + 6 * i + e]
        q = 0
        for p in range(parts.cut_start[k], parts.cut_start[k + 1]):
            c = parts.cut[p]
            for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
                lam[r] = factors.lam[parts.row_start[k] + q]
                for side in range(2):
                    node = end_node(parts, c, side)
                    if node >= 0 and parts.node_part[first + node] >= 0:
                        x = row_force(rows, r, side)
                        o = parts.r[parts.node_part[first + node]] + 6 * parts.node_place[first + node]
                        for e in range(6):
                            factors.tau[o + e] += x[e] * lam[r]
                q += 1


@kernel
def solve_components(tables, w, state_t, phase, rho, vd, lam):
    """Multipliers lam with B vd = -rho for every row; parts and the whole that live elsewhere take part.

    Components that wait for nobody have done their `solve_up` before.
    """
    cuts = tables.cuts
    if w.outer.fetch != 0:
        solve_up(cuts, w.parts, w.factors, w.rows, rho, 1)
    if w.outer.exchange != 0:
        report_border(tables, w.parts, w.factors, w.tree, w.outer, phase, vd, state_t)
    solve_down(cuts, w.parts, w.factors, w.rows, lam)
    if w.outer.give != 0:
        give_parts(tables, w.parts, w.factors, w.tree, w.outer, phase, state_t)


@written_out
def evaluate(tables, w, steps, state, t):
    """steps.rate = rate of steps.trial at time t. Returns 0 or a status."""
    tree = tables.tree
    work = w.tree
    rows = w.rows
    nv = tree.dof_link.size
    nq = steps.trial.size - nv - 2
    q = steps.trial[:nq]
    v = steps.trial[nq : nq + nv]
    vd = steps.rate[nq : nq + nv]
    if tree.grounds > 1:
        move_grounds(tree, tables.laws, work, t, w.told, w.out)
    refresh(tables, work, q, v)
    invert_masses(tree, work, w.factors)
    rank = 0
    for waits in range(2 if w.outer.fetch != 0 else 1):
        # first what needs nothing from parts elsewhere, which are at work meanwhile
        if waits == 1:
            fetch_parts(tables, w.parts, w.factors, work, w.outer, ACCELERATIONS, t)
        row_values(tables.cuts, work, state.cut_q, rows.g, rows.W)
        node_rows(tables, w.parts, work, w.factors, rows)
        rank += factor_components(tree, tables.cuts, w.parts, w.factors, rows, w.rank_tolerance, waits)
    state.count[1] = rank
    measure_cuts(tables.cuts, work, state.cut_q, state.cut_rate)
    apply_forces(tables, work, t, q, v, state.cut_q, state.cut_rate, w.told, w.out, w.power)
    if w.outer.fetch != 0:
        move_foreign(tables, w.parts, w.factors, work, w.outer, False)
    failed = inward_inertias(tree, work, q)
    outward_accelerations(tree, work, q, v, vd)
    row_rates(tables.cuts, work, rows.gd)
    row_accelerations(tables.cuts, work, rows.gdd)
    solve_up(tables.cuts, w.parts, w.factors, rows, rows.gdd, 0)
    solve_components(tables, w, t, ACCELERATIONS, rows.gdd, vd, rows.lam)
    if w.outer.fetch != 0:
        move_foreign(tables, w.parts, w.factors, work, w.outer, True)
    push_bodies(tables, rows, rows.lam, vd)
    push_border(tables, w.parts, w.factors, w.outer, vd)
    if steps.scheme != SEMI_IMPLICIT:
        coordinate_rates(tree, q, v, steps.rate)
    steps.rate[nq + nv] = w.power[0]
    steps.rate[nq + nv + 1] = w.power[1]
    if tree.grounds > 1:
        # moving grounds, and what foreign bodies put in at the ports
        steps.rate[nq + nv + 1] += ground_power(tables, work, q, vd, rows)
    state.count[0] += 1
    return SINGULAR + failed - 1 if failed > 0 else 0


@kernel
def project(tables, w, cut_q, y, nq, nv, t):
    """Distributed successive projection (VK 6): positions twice, then velocities twice, with the factors at hand."""
    cuts = tables.cuts
    rows = w.rows
    q = y[:nq]
    v = y[nq : nq + nv]
    for phase in range(POSITIONS, VELOCITIES + 1):
        for _twice in range(2):
            gap = rows.g if phase == POSITIONS else rows.gd
            for waits in range(2 if w.outer.fetch != 0 else 1):
                # as above: parts elsewhere are not waited for before they must be
                if waits == 1:
                    fetch_parts(tables, w.parts, w.factors, w.tree, w.outer, phase, t)
                if phase == POSITIONS:
                    row_values(cuts, w.tree, cut_q, rows.g, rows.W)
                else:
                    row_rates(cuts, w.tree, rows.gd)
                if waits == 0:
                    solve_up(cuts, w.parts, w.factors, rows, gap, 0)
            if phase == POSITIONS:
                solve_components(tables, w, t, phase, rows.g, rows.dq, rows.gdd)
                for k in range(nv):
                    rows.dq[k] = 0.0
                push_bodies(tables, rows, rows.gdd, rows.dq)
                push_border(tables, w.parts, w.factors, w.outer, rows.dq)
                displace(tables.tree, q, rows.dq, 1.0, q)
            else:
                solve_components(tables, w, t, phase, rows.gd, rows.dq, rows.gdd)
                push_bodies(tables, rows, rows.gdd, v)
                push_border(tables, w.parts, w.factors, w.outer, v)
                if w.outer.fetch != 0:
                    correct_foreign(w.parts, w.factors, w.tree)
            refresh(tables, w.tree, q, v)


@written_out
def accept(tables, w, steps, state, t):
    """The state moves to steps.trial at time t and is projected; its rate and reactions are kept."""
    nv = state.vd.size
    nq = state.y.size - nv - 2
    copy(steps.trial, state.y)
    copy(steps.rate, steps.f)
    cut_reactions(tables.cuts, w.tree, w.rows, state.cut_force)
    state.drift[0] = largest(w.rows.g)
    state.drift[1] = largest(w.rows.gd)
    if w.stabilize:
        project(tables, w, state.cut_q, state.y, nq, nv, t)
        # the joints stand where the projected bodies are
        measure_cuts(tables.cuts, w.tree, state.cut_q, state.cut_rate)
    if w.outer.fetch != 0:
        settle_foreign(tables, w.parts, w.tree, w.outer)
        keep_foreign(tables.tree, w.tree, state.foreign)
    for k in range(nv):
        state.vd[k] = steps.f[nq + k]
    state.t[0] = t


@entry
def run(tables, w, state, begin, first, h, steps, every, rows):
    """`advance` with the evaluation of this file."""
    return advance(evaluate, accept, tables, w, w.steps, state, begin, first, h, steps, every, rows)
