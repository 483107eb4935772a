"""The equation of a Newton step for the joint impulses x (coulomb.py): blocks on the graph of the trees that touch.

    (1 + sum u z^T / c) x = sum u target / c + impulses of rows at their bounds

Contacts of the same two links move the same dofs. Where these are many, rows of several contacts are gathered and added
to a block at once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel, small
from linkwork.formulations.impulse.rows.row_algebra import (
    add_impulse,
    add_three_times,
    add_times,
    has_friction,
    row_width,
)
from linkwork.numerics.block_elimination import (
    EliminationGraph,
    add_node,
    make_elimination_graph,
    order_nodes,
    place_of_block,
    row_length,
    start_graph,
    touch,
)
from linkwork.numerics.lanes import LANES, SIX, add_outer_products
from linkwork.numerics.products import add_product

GATHERED = 24  # rows of contacts that are added to the equation at once
MOST_PRODUCTS = 1  # of blocks, for each row: where more are needed Newton steps are more expensive than sweeps


class GuessScratch(NamedTuple):
    """Scratch of a Newton step. `newton_guess` writes it where nothing else is said."""

    graph: EliminationGraph  # of the trees of an island, with the matrix of the equation for x
    x: Any  # (dof,) its right side, then its solution
    kind: Any  # (row,) STICKS, AT_BOUND, SLIDES_ALONG or SLIDES_ACROSS
    target: Any  # (row,) rate; of a row AT_BOUND its impulse
    c: Any  # (row,) softness, 1/kg
    slip: Any  # (row, 2) d of a contact that slides, in its two directions of friction
    u: Any  # (4, width) of a contact that slides: rows along and perpendicular to the slip, the third is zero
    z: Any  # (4, width) the last row is there to be read by vector instructions
    alone: Any  # (row,) a of contacts with friction; some_slide
    gathered: Any  # (2,) rows of contacts of the same two links that wait to be added to the equation; one of them
    gathered_u: Any  # (GATHERED, width) theirs, over c
    gathered_z: Any  # (GATHERED + 1, width) the last row is there to be read by vector instructions


def make_guess_scratch(rows: int, dofs: int, width: int, tree_dof: Any) -> GuessScratch:
    """Room for Newton steps; `tree_dof` is that of the islands."""
    return GuessScratch(
        make_elimination_graph(len(tree_dof) - 1, dofs, int(np.diff(tree_dof).max(initial=0))),
        np.zeros(dofs),
        np.zeros(rows, dtype=np.int64),
        np.zeros(rows),
        np.zeros(rows),
        np.zeros((rows, 2)),
        np.zeros((4, width)),
        np.zeros((4, width)),
        np.zeros(rows),
        np.zeros(2, dtype=np.int64),
        np.zeros((GATHERED, width)),
        np.zeros((GATHERED + 1, width)),
    )


@kernel
def newton_fits(rows, islands, newton, island):
    """Order the graph of the island; False where Newton steps are too expensive for it."""
    graph = newton.graph
    begin = islands.start[island]
    end = islands.start[island + 1]
    if not start_graph(graph, end - begin):
        return False
    for e in range(begin, end):
        t = islands.tree[e]
        islands.node[t] = add_node(graph, islands.tree_dof[t], islands.tree_dof[t + 1] - islands.tree_dof[t])
        if islands.node[t] < 0:
            return False
    first = islands.row_start[island]
    last = islands.row_start[island + 1]
    r = first
    while r < last:
        for a in range(rows.spans[r]):
            for b in range(a):
                touch(graph, node_of_span(rows, islands, r, a), node_of_span(rows, islands, r, b))
        r += 3 if has_friction(rows, r, last) else 1
    return order_nodes(graph, MOST_PRODUCTS * (last - first))


@small
def node_of_span(rows, islands, r, a):
    """Node of the graph whose dofs span a of row r has."""
    return islands.node[islands.dof_tree[rows.span_first[r, a]]]


@small
def place_of_spans(rows, islands, graph, r, a, b):
    """Where the entries of spans a and b of row r begin in the matrix, and the length of a row of the block there."""
    i = node_of_span(rows, islands, r, a)
    j = node_of_span(rows, islands, r, b)
    w = row_length(graph, j)
    begin = (rows.span_first[r, a] - graph.first[i]) * w + rows.span_first[r, b] - graph.first[j]
    return place_of_block(graph, i, j) + begin, w


@kernel
def add_row_equation(rows, islands, newton, r):
    """Row r holds: add it to the equation for x."""
    f = 1.0 / newton.c[r]
    add_impulse(rows, r, f * newton.target[r], newton.x)
    k = 0
    for a in range(rows.spans[r]):
        j = 0
        for b in range(rows.spans[r]):
            place, width = place_of_spans(rows, islands, newton.graph, r, a, b)
            n = rows.span_length[r, b]
            for i in range(rows.span_length[r, a]):
                g = f * rows.u[r, k + i]
                if g != 0.0:
                    add_times(newton.graph.values, place + i * width, g, rows.z, r, j, n)
            j += n
        k += rows.span_length[r, a]


@kernel
def add_contact_equations(rows, islands, newton, r, u, z, e):
    """Rows r … r + 2 hold: impulses act by rows e … e + 2 of u, rates are those of z, with the spans of r."""
    f = 1.0 / newton.c[r]
    f_1 = 1.0 / newton.c[r + 1]
    f_2 = 1.0 / newton.c[r + 2]
    p = f * newton.target[r]
    p_1 = f_1 * newton.target[r + 1]
    p_2 = f_2 * newton.target[r + 2]
    k = 0
    for a in range(rows.spans[r]):
        m = rows.span_length[r, a]
        add_three_times(newton.x, rows.span_first[r, a], p, p_1, p_2, u, e, k, m)
        j = 0
        for b in range(rows.spans[r]):
            place, width = place_of_spans(rows, islands, newton.graph, r, a, b)
            n = rows.span_length[r, b]
            if m == SIX and n == SIX and width == LANES:
                w = u.shape[1]
                add_outer_products(newton.graph.values, place, f, f_1, f_2, u, e * w + k, z, e * w + j, w)
                j += n
                continue
            for i in range(m):
                g = f * u[e, k + i]
                g_1 = f_1 * u[e + 1, k + i]
                g_2 = f_2 * u[e + 2, k + i]
                add_three_times(newton.graph.values, place + i * width, g, g_1, g_2, z, e, j, n)
            j += n
        k += m


@kernel
def gather_contact(rows, newton, r, u, z, e):
    """As `add_contact_equations`, but the matrix waits for `add_gathered`: contacts of two links move the same dofs."""
    n = row_width(rows, r)
    for k in range(3):
        f = 1.0 / newton.c[r + k]
        if f > 0.0:
            at = newton.gathered[0]
            newton.gathered[0] = at + 1
            for i in range(n):
                newton.gathered_u[at, i] = f * u[e + k, i]
                newton.gathered_z[at, i] = z[e + k, i]
    p = newton.target[r] / newton.c[r]
    p_1 = newton.target[r + 1] / newton.c[r + 1]
    p_2 = newton.target[r + 2] / newton.c[r + 2]
    i = 0
    for a in range(rows.spans[r]):
        m = rows.span_length[r, a]
        add_three_times(newton.x, rows.span_first[r, a], p, p_1, p_2, u, e, i, m)
        i += m


@kernel
def add_gathered(rows, islands, newton):
    """Add the rows that wait to the matrix; they have the spans of row gathered[1]."""
    count = newton.gathered[0]
    newton.gathered[0] = 0
    if count == 0:
        return
    r = newton.gathered[1]
    w = newton.gathered_u.shape[1]
    k = 0
    for a in range(rows.spans[r]):
        m = rows.span_length[r, a]
        j = 0
        for b in range(rows.spans[r]):
            place, width = place_of_spans(rows, islands, newton.graph, r, a, b)
            n = rows.span_length[r, b]
            whole = LANES if n == SIX and width == LANES else n
            add_product(
                newton.graph.values, place, width, newton.gathered_u, k, 1, w, newton.gathered_z, j, w, m, whole, count
            )
            j += n
        k += m


@small
def of_free_bodies(rows, r):
    """Whether all spans of row r are those of free bodies: few rows are added to a block as fast as many then."""
    for a in range(rows.spans[r]):
        if rows.span_length[r, a] != SIX:
            return False
    return True


@small
def hold_contact(rows, islands, newton, r, u, z, e):
    """Contact r holds by rows e … e + 2 of u and z: into the equation for x, or to those that wait."""
    if of_free_bodies(rows, r):
        add_contact_equations(rows, islands, newton, r, u, z, e)
        return
    g = newton.gathered[1]
    same = rows.links[r, 0] == rows.links[g, 0] and rows.links[r, 1] == rows.links[g, 1]
    if not same or newton.gathered[0] + 3 > GATHERED:
        add_gathered(rows, islands, newton)
    newton.gathered[1] = r
    gather_contact(rows, newton, r, u, z, e)
