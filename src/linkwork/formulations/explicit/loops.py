"""[V06] Loops in joint coordinates: multipliers of the Delassus matrix G M^-1 G^T, and post-stabilisation (2.39).

    G    rows of the cuts times body Jacobians (2.9)         Y   (M^-1 G^T)^T, a row for each row of G
    A    G M^-1 G^T                                          lam multipliers
    g    position drift      gd  velocity drift              gdd acceleration of the rows without multipliers

Redundant rows make A singular; multipliers of least norm are taken, and the rank is reported. The paper's (2.39) uses
the plain pseudoinverse of G; joint coordinates mix metres with radians, so the least change is measured here by
the mass matrix: the same factor serves accelerations, positions and velocities, and no unit is preferred.

A singular position, where rows vanish that hold elsewhere (cranks of a parallelogram in line), is passed by looking a
hair ahead along the motion: the rows are there again, and so are the multipliers; nothing is stabilised in that step.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel
from linkwork.formulations.explicit.stepping import opening
from linkwork.formulations.samples import GAP
from linkwork.formulations.status import TORN_APART
from linkwork.mechanics.articulated import outward_velocities
from linkwork.mechanics.constraint_rows import cut_frames, joint_rows, row_accelerations, row_rates, row_values
from linkwork.mechanics.inverse_mass import apply_inverse_mass
from linkwork.mechanics.kinematics import outward_poses
from linkwork.mechanics.motions import displace
from linkwork.mechanics.size import dof_units, row_units
from linkwork.numerics.semidefinite import factor, solve
from linkwork.spatial.vectors import add_scaled, cross, load_pair, sub

# slots of `LoopWork.rank`
RANK_NOW, RANK_LARGEST, LOOKED_AHEAD = range(3)


class LoopWork(NamedTuple):
    g: Any  # (row,)
    gd: Any
    gdd: Any
    W: Any  # (row, 6)
    G: Any  # (row, dof)
    Y: Any  # (row, dof)
    A: Any  # (row, row)
    scale: Any
    L: Any
    K: Any
    order: Any
    lam: Any
    y: Any
    dq: Any  # (dof,)
    most: Any  # (row,) the diagonal of A that it could have: the largest of its joint, in its own unit
    reference: Any  # (row,) largest diagonal of A that the row has had
    unit: Any  # (row,) what its gap is compared with: the size of the system, m, or 1 rad
    dof_unit: Any  # (dof,)
    rank: Any  # (3,) RANK_NOW, RANK_LARGEST so far, and whether the last evaluation LOOKED_AHEAD


def loop_work(tables: Any) -> LoopWork:
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
    for c in range(cuts.cut_a.size):
        first_a = tree.link_first[cuts.cut_a[c]]
        first_b = tree.link_first[cuts.cut_b[c]]
        for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
            # each tree that the row holds, once
            if first_a >= tree.grounds:
                apply_inverse_mass(tree, work, q, loops.G[r], first_a, tree.link_last[first_a], loops.Y[r])
            if first_b >= tree.grounds and first_b != first_a:
                apply_inverse_mass(tree, work, q, loops.G[r], first_b, tree.link_last[first_b], loops.Y[r])
    for c in range(cuts.cut_a.size):
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
    loops.rank[RANK_NOW] = factor(
        loops.A, tolerance, loops.most, loops.reference, loops.scale, loops.L, loops.K, loops.order
    )
    loops.rank[RANK_LARGEST] = max(loops.rank[RANK_LARGEST], loops.rank[RANK_NOW])


@kernel
def lookahead(v, unit):
    """A time in which no coordinate moves by more than a hair (1e-5 of the size of the system, or rad); 0 at rest."""
    fastest = 0.0
    for k in range(v.size):
        fastest = max(fastest, abs(v[k]) / unit[k])
    return 1e-5 / fastest if fastest > 1e-9 else 0.0


@kernel
def solve_loops(loops, b, x):
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


@kernel
def loop_opening(tables, work, loops, state, closed):
    """`opening` of the loops; where they were `closed` from far apart it is looked at again."""
    opening(tables.cuts, loops.g, state)
    if closed and state.drift[GAP] > TORN_APART:
        nq = state.y.size - state.vd.size - 2
        outward_velocities(tables.tree, work, state.y[:nq], state.y[nq : nq + state.vd.size])
        outward_poses(tables.tree, work)
        row_values(tables.cuts, work, state.cut_q, loops.g, loops.W)
        opening(tables.cuts, loops.g, state)


@kernel
def cut_reactions(cuts, work, loops, out):
    """out (cut, 6): force and torque on b from a at the joint's point, world axes; of anything with rows W and lam."""
    for c in range(cuts.cut_a.size):
        _, _, _, p_b = cut_frames(cuts, work, c)
        n = (0.0, 0.0, 0.0)
        f = (0.0, 0.0, 0.0)
        for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
            n_r, f_r = load_pair(loops.W, r)
            n = add_scaled(n, loops.lam[r], n_r)
            f = add_scaled(f, loops.lam[r], f_r)
        n = sub(n, cross(p_b, f))
        for e in range(3):
            out[c, e] = f[e]
            out[c, 3 + e] = n[e]
