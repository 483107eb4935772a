"""[V06] Response of components at their borders: vd_border = D tau + r, up through the hierarchy; tau back down.

    D r     response of a component's border bodies to forces tau there, and their motion without them (2.15), (2.30)
    D^      block diagonal of the parts' D and of M^-1 of own bodies (2.22)
    B       rows of the component's joints on its nodes                      T   D^ B^T, at the border
    S       B D^ B^T, dependent rows found by pivoting (2.24)                lam multipliers

Leaves (2.12)-(2.17) and wholes (2.20)-(2.31) are one case: a leaf has no parts. S of each component is factored along
its own graph, the joints at the border last, so that a large component costs no more than a divided one. The same
factors serve accelerations, positions and velocities (VK 6): a right-hand side rho, one value a row, goes up and comes
down. A singular D^ (2.23) needs no eigenvectors here: S is semidefinite whatever D^ is, and its pivots find what is
dependent.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel, small
from linkwork.formulations.absolute.joint_blocks import BlockGraph, fill_blocks, graph, pivot_floor
from linkwork.numerics.block_sparse import (
    BlockWork,
    block_work,
    eliminate,
    factor_blocks,
    set_scale,
    solve_blocks,
    weigh,
)
from linkwork.spatial.vectors import dot, load_pair


class Factors(NamedTuple):
    """Numbers of the components, one flat array each; offsets are in the partition."""

    blocks: BlockWork
    Z: Any  # (graph.response_total,) response of the parts to the rows; written by `part_responses`
    D: Any  # by components; `reduce_border`, of those elsewhere `receive_reports`
    r: Any  # by components; `solve_up`, of those elsewhere `receive_reports`
    tau: Any  # like r, N and N m; `solve_down`, of the whole `report_border`
    lam: Any  # (row,) in the order of the components; `solve_up` without the forces at the border, `solve_down` with
    rank: Any  # (component,) independent rows; `factor_components`
    gap: Any  # (component,) largest gap of a joint in it or in its parts; `worst_gap`
    half: Any  # scratch: T of one component, eliminated
    y: Any  # (row,) scratch


def partition_graph(tables: Any, partition: Any) -> BlockGraph:
    """The block graph of the components of `partition`."""
    count = len(partition.D)

    def between(starts: Any, k: int) -> range:
        return range(int(starts[k]), int(starts[k + 1]))

    def end(n: int) -> tuple[Any, int]:
        part = int(partition.node_part[n])
        return (int(partition.node_link[n]), 0) if part < 0 else (("part", part), int(partition.node_place[n]))

    cuts_of = [[int(partition.cut[p]) for p in between(partition.cut_start, k)] for k in range(count)]
    ends: list[Any] = [[None] * tables.cuts.side_link.shape[1] for _ in tables.cuts.side_link]
    for k, cuts in enumerate(cuts_of):
        for c in cuts:
            ends[c] = [None if n < 0 else end(int(partition.node_start[k] + n)) for n in partition.cut_node[c]]
    borders = [
        [
            # no joint is known of a component elsewhere
            (("elsewhere", k), 0)
            if partition.remote[k] >= 0
            else end(int(partition.node_start[k] + partition.border[i]))
            for i in between(partition.border_start, k)
        ]
        for k in range(count)
    ]
    bodies: dict[Any, int] = {("part", k): len(between(partition.border_start, k)) for k in range(count)}
    return graph(np.diff(tables.cuts.cut_row), cuts_of, ends, borders, bodies)


def factors(partition: Any, graph: BlockGraph) -> Factors:
    """Memory for the components of `partition`."""
    rows = int(graph.shape.row[-1])
    borders = 6 * np.diff(partition.border_start)
    return Factors(
        blocks=block_work(graph.shape),
        Z=np.zeros(graph.response_total),
        D=np.zeros(partition.sizes[0]),
        r=np.zeros(partition.sizes[1]),
        tau=np.zeros(partition.sizes[1]),
        lam=np.zeros(rows),
        rank=np.zeros(len(partition.D), dtype=np.int64),
        gap=np.zeros(len(partition.D)),
        half=np.zeros(int((borders * np.diff(partition.row_start)).max(initial=1))),
        y=np.zeros(max(1, rows)),
    )


# ---- D ---------------------------------------------------------------------------------------------------------------


@kernel
def factor_components(tables, parts, graph, factors, joint_blocks, tolerance, waits):
    """S and D of the components that wait, or do not wait, for others elsewhere; parts before wholes (2.28)-(2.31).

    Returns the number of independent rows.
    """
    rank = 0
    for k in range(parts.D.size):
        if parts.waits[k] != waits:
            continue
        part_responses(tables.cuts, parts, graph, factors, joint_blocks, k)
        fill_blocks(tables.cuts, graph, factors.blocks.S, joint_blocks, factors.Z, k)
        worst_gap(tables.cuts, parts, factors, joint_blocks, k)
        scale_rows(tables, parts, graph, factors, joint_blocks, k)
        first = graph.shape.start[2 * k]
        last = graph.shape.start[2 * k + 2]
        floor = pivot_floor(factors.gap[k])
        factors.rank[k] = factor_blocks(graph.shape, factors.blocks, tolerance, floor, first, last)
        rank += factors.rank[k]
        if parts.remote[k] < 0:
            reduce_border(tables.cuts, parts, graph, factors, joint_blocks, k)
    return rank


@kernel
def part_responses(cuts, parts, graph, factors, joint_blocks, k):
    """Z: the motion of all border bodies of a part that a row of component k causes at one of them."""
    for p in range(parts.cut_start[k], parts.cut_start[k + 1]):
        c = parts.cut[p]
        for side in range(cuts.side_link.shape[1]):
            z = graph.response[c, side]
            if z < 0:
                continue
            n = parts.node_start[k] + parts.cut_node[c, side]
            E = graph.border_size[c, side]
            D = parts.D[parts.node_part[n]] + 6 * parts.node_place[n]
            for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
                for a in range(E):
                    x = 0.0
                    for e in range(6):
                        x += factors.D[D + a * E + e] * joint_blocks.B[r, side, e]
                    factors.Z[z + a] = x
                z += E


@kernel
def worst_gap(cuts, parts, factors, joint_blocks, k):
    """The largest gap of a joint of component k and of its parts, as in `largest_gap` of joint_blocks."""
    if parts.remote[k] >= 0:
        return  # it has reported its own
    gap = 0.0
    for n in range(parts.node_start[k], parts.node_start[k + 1]):
        if parts.node_part[n] >= 0:
            gap = max(gap, factors.gap[parts.node_part[n]])
    for p in range(parts.cut_start[k], parts.cut_start[k + 1]):
        c = parts.cut[p]
        for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
            gap = max(gap, abs(joint_blocks.g[r]) / joint_blocks.unit[r])
    factors.gap[k] = gap


@kernel
def scale_rows(tables, parts, graph, factors, joint_blocks, k):
    """Scale the rows of component k by what they would be if their bodies were free.

    So a row that other joints already fix shows as a small pivot, even where only rounding is left of it. Masses of
    foreign bodies are not known: `port_response` stands for them.
    """
    cuts = tables.cuts
    for p in range(parts.cut_start[k], parts.cut_start[k + 1]):
        c = parts.cut[p]
        row = graph.shape.row[p] - cuts.cut_row[c]
        for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
            free = 0.0
            for side in range(cuts.side_link.shape[1]):
                node = parts.cut_node[c, side]
                if node < 0:
                    continue
                n = parts.node_start[k] + node
                if parts.node_link[n] >= tables.tree.grounds:
                    for e in range(6):
                        free += joint_blocks.B[r, side, e] * joint_blocks.Y[r, side, e]
                    continue
                E = graph.border_size[c, side]
                o = parts.D[parts.node_part[n]] + 6 * parts.node_place[n] * (E + 1)
                move, turn = port_response(factors.D, o, E + 1, joint_blocks.reach[parts.node_link[n]])
                force, torque = load_pair(joint_blocks.B[r], side)
                free += move * dot(force, force) + turn * dot(torque, torque)
            set_scale(factors.blocks, row + r, free)


@small
def port_response(D, o, step, length):
    """Responses to any force and any torque, of a foreign body whose D begins at o; by the other one at `length`."""
    move = D[o] + D[o + step] + D[o + 2 * step]
    turn = D[o + 3 * step] + D[o + 4 * step] + D[o + 5 * step]
    if not move > 0.0:
        move = turn * length * length
    elif not turn > 0.0:
        turn = move / (length * length)
    return move, turn


@small
def spread(cuts, graph, factors, joint_blocks, s, e, force, x, row):
    """x += T^T force at coordinate e of a border body, for the rows of the joint of incidence s, from `row` on."""
    c = graph.incident_cut[s]
    side = graph.incident_side[s]
    first = cuts.cut_row[c]
    count = cuts.cut_row[c + 1] - first
    if graph.incident_place[s] < 0:
        for q in range(count):
            x[row + q] += force * joint_blocks.Y[first + q, side, e]
        return
    z = graph.response[c, side] + graph.incident_place[s] + e
    for q in range(count):
        x[row + q] += force * factors.Z[z + q * graph.border_size[c, side]]


@small
def gather(cuts, graph, factors, joint_blocks, s, e, x, row):
    """T x at coordinate e of a border body, over the rows of the joint of incidence s."""
    c = graph.incident_cut[s]
    side = graph.incident_side[s]
    first = cuts.cut_row[c]
    count = cuts.cut_row[c + 1] - first
    value = 0.0
    if graph.incident_place[s] < 0:
        for q in range(count):
            value += joint_blocks.Y[first + q, side, e] * x[row + q]
    else:
        z = graph.response[c, side] + graph.incident_place[s] + e
        for q in range(count):
            value += factors.Z[z + q * graph.border_size[c, side]] * x[row + q]
    return value


@kernel
def reduce_border(cuts, parts, graph, factors, joint_blocks, k):
    """D = D^ - T S^+ T^T at the border of component k (2.16), (2.31), with S^+ by halves: D is as symmetric as D^."""
    shape = graph.shape
    base = parts.row_start[k]
    R = parts.row_start[k + 1] - base
    b0 = parts.border_start[k]
    count = parts.border_start[k + 1] - b0
    E = 6 * count
    D = parts.D[k]
    first = shape.start[2 * k + 1]
    last = shape.start[2 * k + 2]
    for j in range(count):
        own_response(parts, factors, joint_blocks, k, j)
        for e in range(6):
            column = (6 * j + e) * R
            x = factors.half[column : column + R]
            for q in range(R):
                x[q] = 0.0
            for s in range(graph.incident[b0 + j], graph.incident[b0 + j + 1]):
                row = shape.row[graph.node[graph.incident_cut[s]]] - base
                spread(cuts, graph, factors, joint_blocks, s, e, 1.0, x, row)
            eliminate(shape, factors.blocks, x, base, first, last)
    for column in range(E):
        weigh(shape, factors.blocks, factors.half[column * R : column * R + R], base, first, last, factors.y)
        for a in range(column + 1):
            value = factors.D[D + a * E + column]
            for p in range(first, last):
                row = shape.row[shape.order[p]] - base
                for q in range(row, row + shape.size[shape.order[p]]):
                    value -= factors.half[a * R + q] * factors.y[q]
            factors.D[D + a * E + column] = value
            factors.D[D + column * E + a] = value


@kernel
def own_response(parts, factors, joint_blocks, k, j):
    """Columns of D^ at border body j of component k, down to the diagonal: its mass, or the part that it comes from."""
    b0 = parts.border_start[k]
    E = 6 * (parts.border_start[k + 1] - b0)
    n = parts.node_start[k] + parts.border[b0 + j]
    part = parts.node_part[n]
    for i in range(j + 1):
        m = parts.node_start[k] + parts.border[b0 + i]
        o = parts.D[k] + 6 * i * E + 6 * j
        for a in range(6):
            for e in range(6):
                factors.D[o + a * E + e] = 0.0
        if part >= 0 and parts.node_part[m] == part:
            F = 6 * (parts.border_start[part + 1] - parts.border_start[part])
            d = parts.D[part] + 6 * parts.node_place[m] * F + 6 * parts.node_place[n]
            for a in range(6):
                for e in range(6):
                    factors.D[o + a * E + e] = factors.D[d + a * F + e]
        elif part < 0 and i == j:
            link = parts.node_link[n]
            J = joint_blocks.inverse_inertia[link]
            for a in range(3):
                factors.D[o + a * E + a] = joint_blocks.inverse_mass[link]
                factors.D[o + (3 + a) * E + 3 + a] = J[a]
            factors.D[o + 3 * E + 4] = factors.D[o + 4 * E + 3] = J[3]
            factors.D[o + 3 * E + 5] = factors.D[o + 5 * E + 3] = J[4]
            factors.D[o + 4 * E + 5] = factors.D[o + 5 * E + 4] = J[5]


# ---- r, and tau ------------------------------------------------------------------------------------------------------


@kernel
def solve_up(cuts, parts, graph, factors, joint_blocks, rho, waits):
    """Each component closes its own joints by itself, so that B vd = -rho, and reports the motion r of its border."""
    x = joint_blocks.x
    for k in range(parts.D.size):
        if parts.waits[k] != waits:
            continue
        for p in range(parts.cut_start[k], parts.cut_start[k + 1]):
            c = parts.cut[p]
            row = graph.shape.row[p] - cuts.cut_row[c]
            for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
                x[row + r] = -rho[r]
            for side in range(cuts.side_link.shape[1]):
                if graph.response[c, side] < 0:
                    continue
                # motion of the parts' border bodies
                n = parts.node_start[k] + parts.cut_node[c, side]
                o = parts.r[parts.node_part[n]] + 6 * parts.node_place[n]
                for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
                    for e in range(6):
                        x[row + r] -= joint_blocks.B[r, side, e] * factors.r[o + e]
        solve_component(parts, graph, factors, x, k)
        for q in range(parts.row_start[k], parts.row_start[k + 1]):
            factors.lam[q] = x[q]
        b0 = parts.border_start[k]
        for i in range(parts.border_start[k + 1] - b0):
            o = parts.r[k] + 6 * i
            for e in range(6):
                factors.tau[o + e] = 0.0
            if parts.remote[k] >= 0:
                continue
            # motion of the border: that of the parts, and of the multipliers
            n = parts.node_start[k] + parts.border[b0 + i]
            part = parts.node_part[n]
            for e in range(6):
                value = factors.r[parts.r[part] + 6 * parts.node_place[n] + e] if part >= 0 else 0.0
                for s in range(graph.incident[b0 + i], graph.incident[b0 + i + 1]):
                    row = graph.shape.row[graph.node[graph.incident_cut[s]]]
                    value += gather(cuts, graph, factors, joint_blocks, s, e, x, row)
                factors.r[o + e] = value


@kernel
def solve_component(parts, graph, factors, x, k):
    """x = S^+ x at the rows of component k."""
    base = parts.row_start[k]
    rows = x[base : parts.row_start[k + 1]]
    solve_blocks(graph.shape, factors.blocks, rows, base, graph.shape.start[2 * k], graph.shape.start[2 * k + 2])


@kernel
def solve_down(cuts, parts, graph, factors, joint_blocks, lam, waits):
    """The forces tau at a component's border change its multipliers, and go on to its parts; wholes before parts.

    Those of the components that wait for others elsewhere come first, so that these get their forces and go on.
    """
    x = joint_blocks.x
    for k in range(parts.D.size - 1, -1, -1):
        if parts.remote[k] >= 0 or parts.waits[k] != waits:
            continue
        b0 = parts.border_start[k]
        count = parts.border_start[k + 1] - b0
        if count > 0:
            for q in range(parts.row_start[k], parts.row_start[k + 1]):
                x[q] = 0.0
            for i in range(count):
                o = parts.r[k] + 6 * i
                for s in range(graph.incident[b0 + i], graph.incident[b0 + i + 1]):
                    row = graph.shape.row[graph.node[graph.incident_cut[s]]]
                    for e in range(6):
                        spread(cuts, graph, factors, joint_blocks, s, e, factors.tau[o + e], x, row)
                # what acts at the border acts on the part that the body comes from
                n = parts.node_start[k] + parts.border[b0 + i]
                part = parts.node_part[n]
                if part >= 0:
                    for e in range(6):
                        factors.tau[parts.r[part] + 6 * parts.node_place[n] + e] += factors.tau[o + e]
            solve_component(parts, graph, factors, x, k)
            for q in range(parts.row_start[k], parts.row_start[k + 1]):
                factors.lam[q] -= x[q]
        # forces of the multipliers, which the parts feel
        for p in range(parts.cut_start[k], parts.cut_start[k + 1]):
            c = parts.cut[p]
            row = graph.shape.row[p] - cuts.cut_row[c]
            for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
                lam[r] = factors.lam[row + r]
            for side in range(cuts.side_link.shape[1]):
                if graph.response[c, side] < 0:
                    continue
                n = parts.node_start[k] + parts.cut_node[c, side]
                o = parts.r[parts.node_part[n]] + 6 * parts.node_place[n]
                for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
                    for e in range(6):
                        factors.tau[o + e] += joint_blocks.B[r, side, e] * lam[r]
