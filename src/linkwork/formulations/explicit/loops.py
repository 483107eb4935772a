"""[V06] Loops in joint coordinates: multipliers of the Delassus matrix G M^-1 G^T, and post-stabilisation (2.39).

    G    rows of the cuts times body Jacobians (2.9)         Y   (M^-1 G^T)^T, a row for each row of G
    A    G M^-1 G^T                                          lam multipliers
    g    position drift      gd  velocity drift              gdd acceleration of the rows without multipliers

Redundant rows make A singular; multipliers of least norm are taken, and the rank is reported. The paper's (2.39) uses
the plain pseudoinverse of G; joint coordinates mix metres with radians, so the least change is measured here by
the mass matrix: the same factor serves accelerations, positions and velocities, and no unit is preferred.

In a singular position rows vanish that hold elsewhere (cranks of a parallelogram in line). It is passed by evaluating
the rows a little further along the motion, where they are back; nothing is stabilised in that step.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel, small
from linkwork.formulations.samples import GAP, GAP_RATE, record_gap
from linkwork.formulations.status import TORN_APART
from linkwork.mechanics.rows.rows import joint_rows, row_accelerations, row_rates, row_values
from linkwork.mechanics.size import dof_units, row_units
from linkwork.mechanics.tree.articulated import outward_velocities
from linkwork.mechanics.tree.inverse_mass import apply_inverse_mass
from linkwork.mechanics.tree.kinematics import outward_poses
from linkwork.mechanics.tree.motions import displace
from linkwork.numerics.arrays import largest
from linkwork.numerics.semidefinite import factor, solve

# slots of `LoopWork.rank`
RANK_NOW, RANK_LARGEST, LOOKED_AHEAD = range(3)
LOOKAHEAD = 1e-5  # of the size of the system, or rad: how far the rows of a singular position are evaluated from it
GAP_PIVOT = 30.0  # times the square of what closes the loops: pivots that open loops make out of nothing
AT_REST = 1e-9  # 1/s: slower than this there is no way ahead


class LoopWork(NamedTuple):
    """Rows of the loops, their multipliers and the factor of A; rows in m and rad, multipliers in N and N m."""

    g: Any  # (row,) gaps; written by `factor_loops`, and by `record_loop_gap` where a loop was torn
    gd: Any  # (row,) rates of the gaps; `stabilize`
    gdd: Any  # (row,) second rates without multipliers; `constrain`; scratch of `stabilize`
    W: Any  # (row, 6) wrenches: torque about the world's origin, force; `factor_loops`
    G: Any  # (row, dof) `factor_loops`
    Y: Any  # (row, dof) `factor_loops`
    A: Any  # (row, row) `factor_loops`
    scale: Any  # (row,) of the factor, as L, K and order; `factor_loops`
    L: Any  # (row, row)
    K: Any  # (row, row)
    order: Any  # (row,)
    lam: Any  # (row,) `constrain`
    y: Any  # (row,) scratch of `solve_loops`
    dq: Any  # (dof,) correction of q; `stabilize`; scratch of `ground_power`
    most: Any  # (row,) the diagonal of A that it could have: the largest of its joint, in its unit; `factor_loops`
    reference: Any  # (row,) largest diagonal of A that the row has had; `factor_loops`, carried
    unit: Any  # (row,) what its gap is compared with: the size of the system, m, or 1 rad; never changed
    dof_unit: Any  # (dof,) the same of the coordinates; never changed
    rank: Any  # (3,) RANK_NOW, RANK_LARGEST so far: `factor_loops`; LOOKED_AHEAD, 1 or 0: the method; carried


def loop_work(tables: Any) -> LoopWork:
    """Memory for the loops of one system."""
    n = tables.cuts.row_kind.size
    nv = tables.tree.dof_link.size
    sizes = {"W": (n, 6), "G": (n, nv), "Y": (n, nv), "A": (n, n), "L": (n, n), "K": (n, max(n, 1)), "dq": (nv,)}
    arrays = {name: np.zeros(sizes.get(name, (n,))) for name in LoopWork._fields}
    arrays["unit"], arrays["dof_unit"] = row_units(tables), dof_units(tables)
    arrays["order"] = np.zeros(n, dtype=np.int64)
    arrays["rank"] = np.zeros(3, dtype=np.int64)
    return LoopWork(**arrays)


@kernel
def factor_loops(tables, work, loops, q, cut_q, tolerance):
    """Rows, their response, and the factor of A at q; needs poses and articulated inertias at q."""
    tree = tables.tree
    cuts = tables.cuts
    row_values(cuts, work, cut_q, loops.g, loops.W)
    joint_rows(tree, cuts, work, loops.W, loops.G)
    for c in range(cuts.side_link.shape[0]):
        for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
            for side in range(cuts.side_link.shape[1]):
                if holds_another_tree(tree, cuts, c, side):
                    first = tree.link_first[cuts.side_link[c, side]]
                    apply_inverse_mass(tree, work, q, loops.G[r], first, tree.link_last[first], loops.Y[r])
    for c in range(cuts.side_link.shape[0]):
        for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
            for s in range(r + 1):
                x = 0.0
                for e in range(cuts.path_start[c], cuts.path_start[c + 1]):
                    k = cuts.path_dof[e]
                    x += loops.G[r, k] * loops.Y[s, k]
                loops.A[r, s] = x
                loops.A[s, r] = x
        top = 0.0
        for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
            loops.reference[r] = max(loops.reference[r], loops.A[r, r])
            top = max(top, loops.A[r, r] / (loops.unit[r] * loops.unit[r]))
        for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
            loops.most[r] = top * loops.unit[r] * loops.unit[r]
    sure = loops.rank[RANK_LARGEST]
    rank = factor_rows(loops, sure, tolerance, tolerance)
    if rank > sure > 0:
        # further rows must stand out of what open loops make, which those that are known would close
        factor_rows(loops, sure, tolerance, math.inf)
        rank = factor_rows(loops, sure, tolerance, max(tolerance, gap_pivot(loops)))
    loops.rank[RANK_LARGEST] = max(sure, rank)


@small
def factor_rows(loops, sure, tolerance, proof):
    """`factor` with the rows of the loops, of which `sure` are known and others need pivots above `proof`; the rank."""
    loops.rank[RANK_NOW] = factor(
        loops.A,
        sure,
        tolerance,
        proof,
        loops.most,
        loops.reference,
        loops.scale,
        loops.L,
        loops.K,
        loops.order,
    )
    return loops.rank[RANK_NOW]


@kernel
def gap_pivot(loops):
    """Largest pivot that may come from loops being open as they are now.

    Rows that depend on others where the loops are closed do so no longer where they are open: their pivots grow with
    the square of the way between, which is what the rows that are known would correct.
    """
    solve_loops(loops, loops.g, loops.lam)
    farthest = 0.0
    for k in range(loops.dof_unit.size):
        way = 0.0
        for r in range(loops.lam.size):
            way += loops.Y[r, k] * loops.lam[r]
        farthest = max(farthest, abs(way) / loops.dof_unit[k])
    return GAP_PIVOT * farthest * farthest


@small
def holds_another_tree(tree, cuts, c, side):
    """Whether a side of group c is on a tree that none before it is on."""
    if cuts.side_link[c, side] < 0:
        return False
    first = tree.link_first[cuts.side_link[c, side]]
    for before in range(side):
        if tree.link_first[cuts.side_link[c, before]] == first:
            return False
    return first >= tree.grounds


@kernel
def lookahead(v, unit):
    """The time in which the fastest coordinate moves by LOOKAHEAD; 0 at rest."""
    fastest = 0.0
    for k in range(v.size):
        fastest = max(fastest, abs(v[k]) / unit[k])
    return LOOKAHEAD / fastest if fastest > AT_REST else 0.0


@kernel
def solve_loops(loops, b, x):
    """x = A^+ b."""
    solve(loops.scale, loops.L, loops.K, loops.order, loops.rank[RANK_NOW], b, loops.y, x)


@kernel
def constrain(tables, work, loops, vd):
    """Accelerations of the open tree become those of the closed one (2.13)-(2.15 with tau = 0); lam is kept."""
    row_accelerations(tables.cuts, work, loops.gdd)
    solve_loops(loops, loops.gdd, loops.lam)
    for r in range(loops.lam.size):
        loops.lam[r] = -loops.lam[r]
        for k in range(vd.size):
            vd[k] += loops.Y[r, k] * loops.lam[r]


@kernel
def stabilize(tables, work, loops, q, v):
    """(2.39): positions, then velocities, with the factor of the unstabilised state."""
    dq = loops.dq
    # velocity drift G v; moving grounds are in it, as it is taken from the links' velocities
    row_rates(tables.cuts, work, loops.gd)
    solve_loops(loops, loops.gd, loops.gdd)
    for r in range(loops.gdd.size):
        for k in range(v.size):
            v[k] -= loops.Y[r, k] * loops.gdd[r]
    solve_loops(loops, loops.g, loops.gdd)
    for k in range(v.size):
        dq[k] = 0.0
    for r in range(loops.gdd.size):
        for k in range(v.size):
            dq[k] -= loops.Y[r, k] * loops.gdd[r]
    displace(tables.tree, q, dq, 1.0, q)


@small
def close_loops(tables, work, loops, state, stabilized):
    """End of a step: stabilise the state where `stabilized`, with the factor of it, and record its largest gap."""
    if stabilized:
        nv = state.vd.size
        nq = state.y.size - nv - tables.tree.accounts
        stabilize(tables, work, loops, state.y, state.y[nq : nq + nv])
        state.drift[GAP_RATE] = largest(loops.gd)
    record_loop_gap(tables, work, loops, state, stabilized)


@kernel
def record_loop_gap(tables, work, loops, state, stabilized):
    """The gap before the stabilisation; of a loop that was torn open, the one after it."""
    record_gap(tables.cuts, loops.g, state)
    if stabilized and state.drift[GAP] > TORN_APART:
        nq = state.y.size - state.vd.size - tables.tree.accounts
        outward_velocities(tables.tree, work, state.y[:nq], state.y[nq : nq + state.vd.size])
        outward_poses(tables.tree, work)
        row_values(tables.cuts, work, state.cut_q, loops.g, loops.W)
        record_gap(tables.cuts, loops.g, state)
