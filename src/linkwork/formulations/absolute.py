"""[VK] Absolute coordinates: bodies by their centres of mass and Euler parameters, joints as constraints.

    G    rows of the joints on body velocities (19), two blocks of six a row      M   block diagonal
    lam  multipliers of (23)                                                      g gd gdd  rows and their rates

(23) is reduced to G M^-1 G^T lam = -gdd, whose blocks are the joints; they are factored along the graph of the
mechanism, with dependent rows left out on the way. After each step the coordinates are projected by one of

    successive   (48)-(52): Euler parameters normalised, then positions twice and velocities twice along T delta with
                 one factorisation. Here it is that of the accelerations at the new state: the least change is measured
                 by the masses, so that no further matrix is needed.
    standard     (24)-(33): least change of coordinates (one factorisation) and of velocities (another one).
    baumgarte    gdd + 2 a gd + a^2 g = 0 instead of gdd = 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from linkwork._jit import entry, kernel, written_out
from linkwork.formulations.loops import cut_reactions
from linkwork.formulations.recursive import count_q
from linkwork.formulations.stepping import ORDERS, SEMI_IMPLICIT, SINGULAR, Stepping, advance, copy, largest, stepping
from linkwork.mechanics.articulated import inward_inertias, outward_accelerations, outward_velocities
from linkwork.mechanics.forces import apply_forces
from linkwork.mechanics.grounds import move_grounds
from linkwork.mechanics.kinematics import outward_poses, world_velocities
from linkwork.mechanics.motions import coordinate_rates, displace
from linkwork.mechanics.parts import measure_cuts, row_accelerations, row_rates, row_values
from linkwork.mechanics.power import ground_power
from linkwork.mechanics.workspace import TreeWork, tree_work
from linkwork.numerics.block_sparse import (
    BlockWork,
    Pattern,
    block_work,
    factor_blocks,
    pattern,
    solve_blocks,
)
from linkwork.spatial.inertia import inverse_symmetric, rotate_symmetric, times
from linkwork.spatial.vectors import cross, load3, load6, load9, load_pair, scale, store_pair, sub

SUCCESSIVE, STANDARD, BAUMGARTE, NONE = 0, 1, 2, 3
STABILIZATIONS = {"successive": SUCCESSIVE, "standard": STANDARD, "baumgarte": BAUMGARTE, None: NONE}
# Rows that are dependent where the joints are closed are so no more by a gap g off that place (a stage of Runge-Kutta):
# pivots up to some g^2 then prove nothing. A real one that small is lost with them, so the doubt has its limit.
DOUBT, DOUBT_MOST = 30.0, 1e-6
# what measures a change of a body: its mass, its velocity, or its coordinates (an Euler parameter is half an angle)
BY_MASS, BY_VELOCITY, BY_COORDINATE = 0, 1, 2


@dataclass(frozen=True, kw_only=True)
class Absolute:
    """Bodies in absolute coordinates, joints as constraints, projected after every step.

    `stabilization` is "successive", "standard", "baumgarte" (with `baumgarte` in 1/s) or None, which lets the joints
    drift. Integrators as in `Recursive`. The cost grows linearly with the number of bodies for chains, trees and
    ladders of loops.

    >>> lw.Absolute(dt=1e-3, stabilization="standard").stabilization
    'standard'
    """

    name: ClassVar[str] = "absolute"
    supports: ClassVar[frozenset[str]] = frozenset({"loops", "redundant", "distances", "moving grounds"})
    orders: ClassVar[dict[str, int]] = ORDERS
    coordinates: ClassVar[str] = "absolute"

    integrator: str = "rk4"
    dt: float = 1e-3
    rtol: float = 1e-8
    atol: float = 1e-10
    stabilization: str | None = "successive"
    baumgarte: float = 50.0
    rank_tolerance: float = 1e-10

    def prepare(self, tables: Any) -> Workspace:
        """Scratch and carried memory for the tables of one absolute system."""
        return workspace(tables, self)

    def run(self, *arguments: Any) -> Any:
        """The compiled loop of this method."""
        return run(*arguments)


class Bonds(NamedTuple):
    """Rows of the joints on their two bodies; side 0 is a, side 1 is b."""

    B: Any  # (row, 2, 6) force and torque about the body's centre of mass, world axes
    Y: Any  # (row, 2, 6) response of the body: linear and angular, in the order of v
    pair_c: Any  # (pair,) two joints that share a body
    pair_d: Any
    pair_side_c: Any
    pair_side_d: Any
    pair_offset: Any  # of their block, c its row
    g: Any
    gd: Any
    gdd: Any
    W: Any
    lam: Any
    dq: Any


class Workspace(NamedTuple):
    stabilization: int
    baumgarte: float
    rank_tolerance: float
    steps: Stepping
    tree: TreeWork
    shape: Pattern
    blocks: BlockWork
    bonds: Bonds
    extra: Any
    told: Any
    out: Any
    power: Any


def workspace(tables: Any, method: Absolute) -> Workspace:
    tree, cuts = tables.tree, tables.cuts
    sizes = np.diff(cuts.cut_row)
    on_link: dict[int, list[tuple[int, int]]] = {}
    for c in range(cuts.cut_a.size):
        for side, link in enumerate((int(cuts.cut_a[c]), int(cuts.cut_b[c]))):
            if link >= tree.grounds and sizes[c] > 0:
                on_link.setdefault(link, []).append((c, side))
    pairs = []
    for joints in on_link.values():
        for s, (c, side_c) in enumerate(joints):
            pairs += [(c, side_c, d, side_d) for d, side_d in joints[:s]]
    shape = pattern(sizes, [(c, d) for c, _, d, _ in pairs])
    position = {int(k): p for p, k in enumerate(shape.order)}
    where = _offsets(shape)
    table = []
    for c, side_c, d, side_d in pairs:
        if c == d:  # both ends on one body cannot be: a joint joins two
            continue
        if position[c] < position[d]:
            c, side_c, d, side_d = d, side_d, c, side_c
        table.append((c, d, side_c, side_d, where[(c, d)]))
    rows = int(cuts.row_kind.size)
    columns = np.array(table, dtype=np.int64).reshape(-1, 5)
    bonds = Bonds(
        B=np.zeros((rows, 2, 6)),
        Y=np.zeros((rows, 2, 6)),
        pair_c=columns[:, 0].copy(),
        pair_d=columns[:, 1].copy(),
        pair_side_c=columns[:, 2].copy(),
        pair_side_d=columns[:, 3].copy(),
        pair_offset=columns[:, 4].copy(),
        g=np.zeros(rows),
        gd=np.zeros(rows),
        gdd=np.zeros(rows),
        W=np.zeros((rows, 6)),
        lam=np.zeros(rows),
        dq=np.zeros(tree.dof_link.size),
    )
    return Workspace(
        STABILIZATIONS[method.stabilization],
        float(method.baumgarte),
        float(method.rank_tolerance),
        stepping(method, count_q(tree) + tree.dof_link.size + 2),
        tree_work(tree),
        shape,
        block_work(shape),
        bonds,
        np.zeros(0),
        np.zeros(16),
        np.zeros(4),
        np.zeros(2),
    )


def _offsets(shape: Pattern) -> dict[tuple[int, int], int]:
    """Offset of every block below the diagonal, by its row and column node."""
    found = {}
    for p, k in enumerate(shape.order):
        for s in range(int(shape.column[p]), int(shape.column[p + 1])):
            found[(int(shape.below[s]), int(k))] = int(shape.offset[s])
    return found


@kernel
def body_rows(tables, work, bonds, metric):
    """B and Y of every row; Y is M^-1 B, or B weighed by coordinates or velocities."""
    tree = tables.tree
    cuts = tables.cuts
    for c in range(cuts.cut_a.size):
        for side in range(2):
            i = cuts.cut_a[c] if side == 0 else cuts.cut_b[c]
            if i < tree.grounds:
                continue
            x = load3(work.pose_p, i)
            m = 1.0 / tree.link_mass[i]
            J = inverse_symmetric(rotate_symmetric(load9(work.pose_R, i), load6(tree.link_I, i)))
            for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
                n, f = load_pair(bonds.W, r)
                n = sub(n, cross(x, f))
                store_pair(bonds.B[r], side, f, n)
                if metric == BY_MASS:
                    store_pair(bonds.Y[r], side, scale(m, f), times(J, n))
                else:
                    store_pair(bonds.Y[r], side, f, scale(4.0 if metric == BY_COORDINATE else 1.0, n))


@kernel
def fill_blocks(tables, shape, blocks, bonds):
    """S = G M^-1 G^T by blocks."""
    tree = tables.tree
    cuts = tables.cuts
    S = blocks.S
    for e in range(S.size):
        S[e] = 0.0
    for c in range(cuts.cut_a.size):
        first = cuts.cut_row[c]
        n = cuts.cut_row[c + 1] - first
        o = shape.diagonal[c]
        for side in range(2):
            i = cuts.cut_a[c] if side == 0 else cuts.cut_b[c]
            if i < tree.grounds:
                continue
            for a in range(n):
                for b in range(n):
                    x = 0.0
                    for e in range(6):
                        x += bonds.B[first + a, side, e] * bonds.Y[first + b, side, e]
                    S[o + a * n + b] += x
    for p in range(bonds.pair_c.size):
        c = bonds.pair_c[p]
        d = bonds.pair_d[p]
        s_c = bonds.pair_side_c[p]
        s_d = bonds.pair_side_d[p]
        sign = 1.0 if s_c == s_d else -1.0
        n_c = cuts.cut_row[c + 1] - cuts.cut_row[c]
        n_d = cuts.cut_row[d + 1] - cuts.cut_row[d]
        o = bonds.pair_offset[p]
        for a in range(n_c):
            for b in range(n_d):
                x = 0.0
                for e in range(6):
                    x += bonds.B[cuts.cut_row[c] + a, s_c, e] * bonds.Y[cuts.cut_row[d] + b, s_d, e]
                S[o + a * n_d + b] += sign * x


@kernel
def factor_joints(tables, w):
    """Fill and factor S, with pivots that stand out of the gaps of the joints."""
    gap = largest(w.bonds.g)
    fill_blocks(tables, w.shape, w.blocks, w.bonds)
    factor_blocks(w.shape, w.blocks, max(w.rank_tolerance, min(DOUBT * gap * gap, DOUBT_MOST)))


@kernel
def push_bodies(tables, bonds, x, out):
    """out += M^-1 G^T x: what the multipliers x do to the bodies, in the order of v."""
    tree = tables.tree
    cuts = tables.cuts
    for c in range(cuts.cut_a.size):
        for side in range(2):
            i = cuts.cut_a[c] if side == 0 else cuts.cut_b[c]
            if i < tree.grounds:
                continue
            k = tree.link_v[i]
            sign = -1.0 if side == 0 else 1.0
            for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
                for e in range(6):
                    out[k + e] += sign * x[r] * bonds.Y[r, side, e]


@kernel
def refresh(tables, work, q, v):
    """Poses and velocities of the links at (q, v)."""
    outward_velocities(tables.tree, work, q, v)
    outward_poses(tables.tree, work)
    world_velocities(tables.tree, work)


@written_out
def evaluate(tables, w, steps, state, t):
    """steps.rate = rate of steps.trial at time t. Returns 0 or a status."""
    tree = tables.tree
    work = w.tree
    bonds = w.bonds
    nv = tree.dof_link.size
    nq = steps.trial.size - nv - 2
    q = steps.trial[:nq]
    v = steps.trial[nq : nq + nv]
    vd = steps.rate[nq : nq + nv]
    if tree.grounds > 1:
        move_grounds(tree, tables.laws, work, t, w.told, w.out)
    refresh(tables, work, q, v)
    measure_cuts(tables.cuts, work, state.cut_q, state.cut_rate)
    apply_forces(tables, work, t, q, v, state.cut_q, state.cut_rate, w.told, w.out, w.power)
    failed = inward_inertias(tree, work, q)
    outward_accelerations(tree, work, q, v, vd)
    row_values(tables.cuts, work, state.cut_q, bonds.g, bonds.W)
    row_rates(tables.cuts, work, bonds.gd)
    row_accelerations(tables.cuts, work, bonds.gdd)
    body_rows(tables, work, bonds, BY_MASS)
    factor_joints(tables, w)
    for r in range(bonds.g.size):
        bonds.gdd[r] = -bonds.gdd[r]
        if w.stabilization == BAUMGARTE:
            bonds.gdd[r] -= w.baumgarte * (2.0 * bonds.gd[r] + w.baumgarte * bonds.g[r])
    solve_blocks(w.shape, w.blocks, bonds.gdd, bonds.lam)
    push_bodies(tables, bonds, bonds.lam, vd)
    if steps.scheme != SEMI_IMPLICIT:
        coordinate_rates(tree, q, v, steps.rate)
    steps.rate[nq + nv] = w.power[0]
    steps.rate[nq + nv + 1] = w.power[1]
    if tree.grounds > 1:
        steps.rate[nq + nv + 1] += ground_power(tables, work, q, vd, bonds)
    state.count[0] += 1
    return SINGULAR + failed - 1 if failed > 0 else 0


@kernel
def correct_positions(tables, w, q, v):
    """q += T delta, with G delta = -g and the factor at hand (49)."""
    bonds = w.bonds
    solve_blocks(w.shape, w.blocks, bonds.g, bonds.gdd)
    for k in range(bonds.dq.size):
        bonds.dq[k] = 0.0
    push_bodies(tables, bonds, bonds.gdd, bonds.dq)
    displace(tables.tree, q, bonds.dq, -1.0, q)
    refresh(tables, w.tree, q, v)


@kernel
def correct_velocities(tables, w, v):
    """v += zeta, with G zeta = -gd and the factor at hand (52)."""
    bonds = w.bonds
    solve_blocks(w.shape, w.blocks, bonds.gd, bonds.gdd)
    for r in range(bonds.gdd.size):
        bonds.gdd[r] = -bonds.gdd[r]
    push_bodies(tables, bonds, bonds.gdd, v)


@kernel
def project(tables, w, cut_q, y, nq, nv):
    """Positions twice, then velocities twice: successive with one factorisation, standard with two more."""
    cuts = tables.cuts
    bonds = w.bonds
    q = y[:nq]
    v = y[nq : nq + nv]
    standard = w.stabilization == STANDARD
    if standard:
        body_rows(tables, w.tree, bonds, BY_COORDINATE)
        factor_joints(tables, w)
    for _twice in range(2):
        correct_positions(tables, w, q, v)
        row_values(cuts, w.tree, cut_q, bonds.g, bonds.W)
    if standard:
        body_rows(tables, w.tree, bonds, BY_VELOCITY)
        factor_joints(tables, w)
    for _twice in range(2):
        row_rates(cuts, w.tree, bonds.gd)
        correct_velocities(tables, w, v)
        refresh(tables, w.tree, q, v)


@written_out
def accept(tables, w, steps, state, t):
    """The state moves to steps.trial at time t and is projected; its rate and reactions are kept."""
    nv = state.vd.size
    nq = state.y.size - nv - 2
    copy(steps.trial, state.y)
    copy(steps.rate, steps.f)
    cut_reactions(tables.cuts, w.tree, w.bonds, state.cut_force)
    state.count[1] = w.blocks.rank[0]
    state.drift[0] = largest(w.bonds.g)
    state.drift[1] = largest(w.bonds.gd)
    if w.stabilization <= STANDARD:
        project(tables, w, state.cut_q, state.y, nq, nv)
        # the joints stand where the projected bodies are
        measure_cuts(tables.cuts, w.tree, state.cut_q, state.cut_rate)
    for k in range(nv):
        state.vd[k] = steps.f[nq + k]
    state.t[0] = t


@entry
def run(tables, w, state, begin, first, h, steps, every, rows):
    """`advance` with the evaluation of this file."""
    return advance(evaluate, accept, tables, w, w.steps, state, begin, first, h, steps, every, rows)
