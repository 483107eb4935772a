"""[VK, V06] Joints as rows on free bodies: what `absolute` and `component` share.

    G    rows of the joints on body velocities (VK 19), two blocks of six a row      M   block diagonal
    B    one block of G: force and torque about the body's centre of mass            Y   M^-1 B
    Z    response of a part at its border bodies to B at one of them: D B
    S    B D^ B^T, in blocks of two joints that share a body or a part

In `absolute` all joints are one component without parts. Rows stand in the order of the joints (g, lam) or, inside the
factorisation, in that of the components, joint by joint.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from linkwork._jit import kernel, small
from linkwork.mechanics.forces.forces import apply_forces
from linkwork.mechanics.rows.constraint_rows import measure_cuts
from linkwork.mechanics.rows.rows import first_coupled, term_wrench
from linkwork.mechanics.size import joint_units
from linkwork.mechanics.tree.articulated import inward_inertias, outward_accelerations
from linkwork.mechanics.tree.kinematics import forward_kinematics
from linkwork.numerics.block_sparse import BlockPattern, pattern
from linkwork.spatial.inertia import inverse_symmetric, rotate_symmetric, times
from linkwork.spatial.vectors import ZERO, add_pair, cross, load3, load6, load9, load_pair, scale, store_pair, sub

# Rows that are dependent where the joints are closed are not so at a gap g off that place (a stage of Runge-Kutta):
# there a pivot up to some g^2 does not prove that a row is independent. A real pivot that small is lost with them, so
# the floor has a limit.
GAP_PIVOT, GAP_PIVOT_MOST = 30.0, 1e-6
# what measures a change of a body: its mass, its velocity, or its coordinates (an Euler parameter is half an angle)
BY_MASS, BY_VELOCITY, BY_COORDINATE = 0, 1, 2

# where an end of a joint is: a body or a part, and the place among the border bodies of that part; None for a ground
End: TypeAlias = tuple[Hashable, int] | None


class JointBlocks(NamedTuple):
    """Rows of the joints on the bodies that they hold, a side each. Gaps in m and rad, multipliers in N and N m."""

    B: Any  # (row, side, 6) force and torque about the body's centre of mass, world axes; written by `body_rows`
    Y: Any  # (row, side, 6) response of the body: linear and angular, in the order of v; `body_rows`
    g: Any  # (row,) gaps; `row_values`
    gd: Any  # (row,) rates of the gaps; `row_rates`
    gdd: Any  # (row,) second rates, then right sides and corrections of a projection; the method
    W: Any  # (row, 6) wrenches: torque about the world's origin, force; `row_values`
    lam: Any  # (row,) multipliers; the method
    dq: Any  # (dof,) displacement of a projection; the method; scratch of `ground_power`
    x: Any  # (row,) right side and solution, in the order of the components; the method
    unit: Any  # (row,) what a gap is compared with: the length of the shorter body, m, or 1 rad; never changed
    reach: Any  # (link,) m, how long each body is; never changed
    inverse_mass: Any  # (link,) 1/kg; `place_bodies`
    inverse_inertia: Any  # (link, 6) 1/(kg m2) about the centre of mass, world axes; `place_bodies`


class BlockGraph(NamedTuple):
    """Where the blocks of S are, for one component after another; made once by `graph`."""

    shape: BlockPattern  # nodes: joints in the order of the components; two groups each: inner joints, border joints
    node: Any  # (group,) its place among them
    fill: Any  # (component + 1,) first number of S of each component
    pair: Any  # (component + 1,) into pair_…
    pair_c: Any  # two ends of joints at one body or one part; c the row of the block
    pair_d: Any
    pair_side_c: Any
    pair_side_d: Any
    pair_offset: Any  # of the block
    pair_place: Any  # where c is among the border coordinates of the part; -1 at a body
    response: Any  # (group, side) offset of Z of an end that is at a part, else -1
    border_size: Any  # (group, side) border coordinates of that part
    incident: Any  # (border body + 1,) into incident_…; the border bodies of all components
    incident_cut: Any  # ends of joints that move the border body
    incident_side: Any
    incident_place: Any  # where the border body is in Z of that end; -1 where the end is at the body itself
    response_total: int  # length of Z


def graph(
    sizes: Any,
    cuts_of: Sequence[Sequence[int]],
    ends: Sequence[Sequence[End]],
    borders: Sequence[Sequence[tuple[Hashable, int]]],
    bodies: dict[Hashable, int],
) -> BlockGraph:
    """The block graph of components with the joints `cuts_of`, each of `sizes` rows.

    `ends` of every joint are (a body or a part, place in that part's border); `borders` say the same of the border
    bodies of each component, and `bodies` is the number of border bodies of each part.
    """
    order = [c for cuts in cuts_of for c in cuts]
    node = np.zeros(len(ends), dtype=np.int64)
    node[order] = np.arange(len(order))
    groups: list[list[int]] = []
    neighbours: list[tuple[int, int]] = []
    sharing: list[list[tuple[int, int, int, int]]] = []
    incidents: list[list[tuple[int, int, int]]] = []
    for cuts, border in zip(cuts_of, borders, strict=True):
        at: dict[Hashable, list[tuple[int, int]]] = {}
        for c in cuts:
            for side, end in enumerate(ends[c]):
                if end is not None and sizes[c] > 0:
                    at.setdefault(end[0], []).append((c, side))
        sharing.append(
            [(c, side_c, d, side_d) for joints in at.values() for c, side_c in joints for d, side_d in joints]
        )
        neighbours += [(int(node[c]), int(node[d])) for c, _, d, _ in sharing[-1]]
        outer = {c for key, _ in border for c, _ in at.get(key, [])}
        groups += [
            [int(node[c]) for c in cuts if c not in outer],
            [int(node[c]) for c in cuts if c in outer],
        ]
        for key, place in border:
            incidents.append([(c, side, 6 * place if key in bodies else -1) for c, side in at.get(key, [])])
    shape = pattern([sizes[c] for c in order], neighbours, groups)
    where = _offsets(shape)
    later = {int(k): p for p, k in enumerate(shape.order)}
    pairs, starts = [], [0]
    for found in sharing:
        for c, side_c, d, side_d in found:
            i, j = int(node[c]), int(node[d])
            if later[i] >= later[j]:  # blocks below the diagonal only, those on it in full
                key, place = ends[c][side_c] or ("", 0)
                pairs.append((c, d, side_c, side_d, where[(i, j)], 6 * place if key in bodies else -1))
        starts.append(len(pairs))
    fill = [int(shape.diagonal[shape.order[p]]) if p < len(order) else shape.total for p in shape.start[::2]]
    response, size = np.full((2, len(ends), max((len(each) for each in ends), default=2)), -1, dtype=np.int64)
    total = 0
    for c, both in enumerate(ends):
        for side, end in enumerate(both):
            if end is not None and end[0] in bodies:
                response[c, side], size[c, side] = total, 6 * bodies[end[0]]
                total += int(sizes[c]) * 6 * bodies[end[0]]

    pair = np.array(pairs, dtype=np.int64).reshape(-1, 6).T.copy()
    incident = np.array([end for found in incidents for end in found], dtype=np.int64).reshape(-1, 3).T.copy()
    return BlockGraph(
        shape=shape,
        node=node,
        fill=np.array(fill, dtype=np.int64),
        pair=np.array(starts, dtype=np.int64),
        pair_c=pair[0],
        pair_d=pair[1],
        pair_side_c=pair[2],
        pair_side_d=pair[3],
        pair_offset=pair[4],
        pair_place=pair[5],
        response=response,
        border_size=size,
        incident=np.concatenate([[0], np.cumsum([len(found) for found in incidents])]).astype(np.int64),
        incident_cut=incident[0],
        incident_side=incident[1],
        incident_place=incident[2],
        response_total=total,
    )


def _offsets(shape: BlockPattern) -> dict[tuple[int, int], int]:
    """Offset of every block on and below the diagonal, by its row and column node."""
    found = {(int(k), int(k)): int(shape.diagonal[k]) for k in shape.order}
    for p, k in enumerate(shape.order):
        for s in range(int(shape.column[p]), int(shape.column[p + 1])):
            found[(int(shape.below[s]), int(k))] = int(shape.offset[s])
    return found


def flat_graph(tables: Any) -> BlockGraph:
    """The block graph of all joints as one component."""
    ends = [[(int(i), 0) if i >= tables.tree.grounds else None for i in links] for links in tables.cuts.side_link]
    return graph(np.diff(tables.cuts.cut_row), [range(len(ends))], ends, [[]], {})


def joint_blocks(tables: Any) -> JointBlocks:
    """Memory for the rows of all joints."""
    tree, rows = tables.tree, int(tables.cuts.row_kind.size)
    links = tree.link_parent.size
    sides = tables.cuts.side_link.shape[1]
    shapes: dict[str, tuple[int, ...]] = {"B": (rows, sides, 6), "Y": (rows, sides, 6), "W": (rows, 6)}
    shapes["dq"] = (tree.dof_link.size,)
    shapes |= {"inverse_mass": (links,), "inverse_inertia": (links, 6)}
    reach, unit = joint_units(tables)
    arrays = {name: np.zeros(shapes.get(name, (rows,))) for name in JointBlocks._fields}
    return JointBlocks(**(arrays | {"unit": unit, "reach": reach}))


# ---- free bodies -----------------------------------------------------------------------------------------------------


@kernel
def place_bodies(tables, w, q, v, t):
    """All links at (q, v) and time t, and M^-1 of the bodies there."""
    tree = tables.tree
    work = w.tree
    forward_kinematics(tables, work, t, q, v, w.law_input, w.out)
    for i in range(tree.grounds, tree.link_parent.size):
        w.joint_blocks.inverse_mass[i] = 1.0 / tree.link_mass[i]
        J = inverse_symmetric(rotate_symmetric(load9(work.pose_R, i), load6(tree.link_I, i)))
        for e in range(6):
            w.joint_blocks.inverse_inertia[i, e] = J[e]


@kernel
def equal_masses(tree, joint_blocks):
    """M^-1 of bodies of equal mass: geometry, not the masses, decides which rows depend on others."""
    for i in range(tree.grounds, tree.link_parent.size):
        joint_blocks.inverse_mass[i] = 1.0
        for e in range(6):
            joint_blocks.inverse_inertia[i, e] = 1.0 / (joint_blocks.reach[i] * joint_blocks.reach[i]) if e < 3 else 0.0


@kernel
def free_accelerations(tables, w, q, v, t, cut_q, cut_rate, vd):
    """vd = accelerations of the bodies under all forces but those of the joints. Returns 0 or a link without mass."""
    measure_cuts(tables.cuts, w.tree, cut_q, cut_rate)
    apply_forces(tables, w.tree, t, q, v, cut_q, cut_rate, w.law_input, w.out, w.power)
    failed = inward_inertias(tables.tree, w.tree, q)
    outward_accelerations(tables.tree, w.tree, q, v, vd)
    return failed


@kernel
def carry_lent(tree, work, q, v, vd):
    """vd = free accelerations once more, with the forces that lent inertia takes at vd: so it is not felt."""
    for j in range(tree.lent_link.size):
        k = tree.link_v[tree.lent_link[j]]
        for e in range(3):
            work.tau[k + e] += tree.lent_inertia[j, 0] * (vd[k + e] - tree.gravity[e])
            work.tau[k + 3 + e] += tree.lent_inertia[j, 1] * vd[k + 3 + e]
    inward_inertias(tree, work, q)
    outward_accelerations(tree, work, q, v, vd)


# ---- rows on bodies --------------------------------------------------------------------------------------------------


@kernel
def body_rows(tables, work, joint_blocks, metric):
    """B of every row on its bodies, foreign ones too; Y of those that are here: M^-1 B, or B weighed otherwise."""
    tree = tables.tree
    cuts = tables.cuts
    for c in range(cuts.cut_a.size):
        for side in range(2):
            i = cuts.cut_a[c] if side == 0 else cuts.cut_b[c]
            if i == 0 or (i < tree.grounds and tree.ground_law[i, 0] >= 0):
                continue
            x = load3(work.pose_p, i)
            sign = -1.0 if side == 0 else 1.0
            for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
                n, f = load_pair(joint_blocks.W, r)
                n = sub(n, cross(x, f))
                store_pair(joint_blocks.B[r], side, scale(sign, f), scale(sign, n))
    coupled_body_rows(tree, cuts, work, joint_blocks)
    for c in range(cuts.side_link.shape[0]):
        for side in range(cuts.side_link.shape[1]):
            i = cuts.side_link[c, side]
            if i < tree.grounds:
                continue
            for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
                f, n = load_pair(joint_blocks.B[r], side)
                if metric == BY_MASS:
                    turn = times(load6(joint_blocks.inverse_inertia, i), n)
                    store_pair(joint_blocks.Y[r], side, scale(joint_blocks.inverse_mass[i], f), turn)
                else:
                    store_pair(joint_blocks.Y[r], side, f, scale(4.0 if metric == BY_COORDINATE else 1.0, n))


@kernel
def coupled_body_rows(tree, cuts, work, joint_blocks):
    """B of the rows of couplings: what their terms do to each body."""
    for j in range(cuts.coupling_law.size):
        r = first_coupled(cuts) + j
        for side in range(cuts.side_link.shape[1]):
            store_pair(joint_blocks.B[r], side, ZERO, ZERO)
        for e in range(cuts.coupling_term[j], cuts.coupling_term[j + 1]):
            n, f = term_wrench(cuts, work, e)
            for end in range(2):
                side = cuts.term_side[e, end]
                if side < 0:
                    continue
                i = cuts.side_link[cuts.cut_a.size + j, side]
                sign = -1.0 if end == 0 else 1.0
                moment = sub(n, cross(load3(work.pose_p, i), f))
                add_pair(joint_blocks.B[r], side, scale(sign, f), scale(sign, moment))


@kernel
def fill_blocks(cuts, graph, S, joint_blocks, Z, k):
    """S of component k."""
    for e in range(graph.fill[k], graph.fill[k + 1]):
        S[e] = 0.0
    for p in range(graph.pair[k], graph.pair[k + 1]):
        c = graph.pair_c[p]
        d = graph.pair_d[p]
        s_c = graph.pair_side_c[p]
        s_d = graph.pair_side_d[p]
        first_c = cuts.cut_row[c]
        first_d = cuts.cut_row[d]
        n_c = cuts.cut_row[c + 1] - first_c
        n_d = cuts.cut_row[d + 1] - first_d
        o = graph.pair_offset[p]
        place = graph.pair_place[p]
        if place < 0:
            for a in range(n_c):
                for b in range(n_d):
                    x = 0.0
                    for e in range(6):
                        x += joint_blocks.B[first_c + a, s_c, e] * joint_blocks.Y[first_d + b, s_d, e]
                    S[o + a * n_d + b] += x
            continue
        E = graph.border_size[d, s_d]
        z = graph.response[d, s_d] + place
        for a in range(n_c):
            for b in range(n_d):
                x = 0.0
                for e in range(6):
                    x += joint_blocks.B[first_c + a, s_c, e] * Z[z + b * E + e]
                S[o + a * n_d + b] += x


@kernel
def largest_gap(joint_blocks):
    """Of all joints, as a part of the length of the bodies, or rad."""
    worst = 0.0
    for r in range(joint_blocks.g.size):
        worst = max(worst, abs(joint_blocks.g[r]) / joint_blocks.unit[r])
    return worst


@small
def pivot_floor(gap):
    """Smallest pivot that proves a row to be independent where a joint is open by `gap`."""
    return min(GAP_PIVOT * gap * gap, GAP_PIVOT_MOST)


@kernel
def push_bodies(tables, joint_blocks, x, out):
    """out += M^-1 G^T x: response of the bodies to the multipliers x, in the order of v."""
    tree = tables.tree
    cuts = tables.cuts
    for c in range(cuts.side_link.shape[0]):
        for side in range(cuts.side_link.shape[1]):
            i = cuts.side_link[c, side]
            if i < tree.grounds:
                continue
            k = tree.link_v[i]
            for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
                for e in range(6):
                    out[k + e] += x[r] * joint_blocks.Y[r, side, e]
