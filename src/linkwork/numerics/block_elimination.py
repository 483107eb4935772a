"""Systems of blocks on a graph that changes from call to call, without symmetry: H x = b by elimination of nodes.

A node is a few unknowns that lie together in x. H has a block for every two nodes that touch, both ways; eliminating a
node k of block D adds - H_ik D^-1 H_kj to the blocks of its neighbours. The node with fewest neighbours left goes
first: chains and trees fill nothing in, and the cost is linear in their nodes. Blocks are eliminated without pivoting
between them, unknowns of one node with it. Where both nodes have six unknowns, as free bodies do, products of blocks
are vector instructions (lanes.py): so rows of a block with six columns are eight numbers apart, and those of wider
ones a multiple of eight.

Use: `start_graph`, `add_node` and `touch`, then `order_nodes`; for each H `clear_blocks`, entries into `values` from
`place_of_block` on (by rows), `solve_graph`. Nothing is allocated: `make_elimination_graph` gives the room.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel, small
from linkwork.numerics.gauss import factor_square, solve_square, solve_square_columns
from linkwork.numerics.lanes import (
    BLOCK,
    LANES,
    SIX,
    invert_block,
    multiply_block,
    subtract_block_product,
    three_dots,
)
from linkwork.numerics.products import subtract_product, whole_vectors
from linkwork.numerics.short_rows import add_short_row, dot_short_row

MOST_NODES = 256  # of a graph
MOST_UNKNOWNS = 64  # of a node
MOST_VALUES = 1 << 18  # entries of all blocks together
TOUCHING = -1  # in `block`: the nodes touch, the block has no place yet


class EliminationGraph(NamedTuple):
    """Nodes, the blocks between them and the elimination order; the kernels of this file write all of it."""

    count: Any  # (2,) nodes, and values in use
    first: Any  # (node,) its first unknown in x
    size: Any  # (node,) unknowns
    block: Any  # (node, node) 1 + place of the block in `values`; TOUCHING; 0 where there is none
    degree: Any  # (node,) neighbours that are not eliminated yet; -1 of a node that is
    order: Any  # (node,) as they are eliminated
    start: Any  # (node + 1,) into later
    later: Any  # neighbours of each that are eliminated after it
    values: Any  # the blocks
    inverse: Any  # (BLOCK,) scratch: a block of lanes.py
    product: Any  # (MOST_UNKNOWNS squared,) scratch
    pivot: Any  # (MOST_UNKNOWNS,) scratch of gauss.py


def make_elimination_graph(nodes: int, unknowns: int, largest: int) -> EliminationGraph:
    """Room for so many nodes with so many unknowns together, `largest` of one at most."""
    n, m = min(nodes, MOST_NODES), min(largest, MOST_UNKNOWNS)
    return EliminationGraph(
        np.zeros(2, dtype=np.int64),
        np.zeros(n, dtype=np.int64),
        np.zeros(n, dtype=np.int64),
        np.zeros((n, n), dtype=np.int64),
        np.zeros(n, dtype=np.int64),
        np.zeros(n, dtype=np.int64),
        np.zeros(n + 1, dtype=np.int64),
        np.zeros(n * (n - 1) // 2 + 1, dtype=np.int64),
        np.zeros(min(3 * unknowns * unknowns, MOST_VALUES)),
        np.zeros(BLOCK),
        np.zeros(m * m),
        np.zeros(m, dtype=np.int64),
    )


@kernel
def start_graph(graph, nodes):
    """Empty the graph; False where it has no room for so many nodes."""
    graph.count[0] = 0
    if nodes > graph.size.size:
        return False
    for i in range(nodes):
        for j in range(nodes):
            graph.block[i, j] = 0
    return True


@kernel
def add_node(graph, first, size):
    """A node with the unknowns first … first + size - 1 of x; its number, or -1 where it is too large."""
    if size * size > graph.product.size:
        return -1
    k = graph.count[0]
    graph.count[0] = k + 1
    graph.first[k] = first
    graph.size[k] = size
    graph.degree[k] = 0
    graph.block[k, k] = TOUCHING
    return k


@small
def touch(graph, a, b):
    """The nodes a and b touch."""
    if graph.block[a, b] == 0:
        graph.block[a, b] = TOUCHING
        graph.block[b, a] = TOUCHING
        graph.degree[a] += 1
        graph.degree[b] += 1


@kernel
def order_nodes(graph, most):
    """Elimination order and places of all blocks; False where it takes more than `most` products of blocks."""
    n = graph.count[0]
    products = 0
    used = 0
    end = 0
    graph.start[0] = 0
    for p in range(n):
        k = -1
        for i in range(n):
            if graph.degree[i] >= 0 and (k < 0 or graph.degree[i] < graph.degree[k]):
                k = i
        products += graph.degree[k] * (graph.degree[k] + 1)
        if products > most:
            return False
        graph.order[p] = k
        graph.degree[k] = -1
        begin = end
        for j in range(n):
            if graph.degree[j] >= 0 and graph.block[k, j] != 0:
                graph.later[end] = j
                end += 1
        graph.start[p + 1] = end
        for s in range(begin, end):
            i = graph.later[s]
            graph.degree[i] -= 1
            for e in range(begin, s):
                touch(graph, i, graph.later[e])
        graph.block[k, k] = used + 1
        used += graph.size[k] * row_length(graph, k)
        for s in range(begin, end):
            j = graph.later[s]
            graph.block[k, j] = used + 1
            used += graph.size[k] * row_length(graph, j)
            graph.block[j, k] = used + 1
            used += graph.size[j] * row_length(graph, k)
    graph.count[1] = used
    return used <= graph.values.size


@small
def row_length(graph, k):
    """How far apart the rows of a block with the columns of node k are."""
    n = graph.size[k]
    return whole_vectors(n, n + LANES) if n >= SIX else n


@small
def place_of_block(graph, a, b):
    """Where the block of rows a and columns b begins in `values`."""
    return graph.block[a, b] - 1


@kernel
def clear_blocks(graph):
    """H becomes the unit matrix."""
    for e in range(graph.count[1]):
        graph.values[e] = 0.0
    for k in range(graph.count[0]):
        o = place_of_block(graph, k, k)
        for i in range(graph.size[k]):
            graph.values[o + i * row_length(graph, k) + i] = 1.0


@kernel
def subtract_blocks(graph, i, k, j):
    """H_ij less H_ik times H_kj; most of the time goes here."""
    A = graph.values
    c = place_of_block(graph, i, j)
    a = place_of_block(graph, i, k)
    b = place_of_block(graph, k, j)
    l = graph.size[i]
    m = graph.size[k]
    n = graph.size[j]
    if l == SIX and m == SIX and n == SIX:
        subtract_block_product(A, c, a, b)
        return
    w = row_length(graph, j)
    subtract_product(A, c, w, A, a, row_length(graph, k), 1, A, b, w, l, w, m)


@kernel
def multiply_rows(B, m, v, A, o, n, w, product):
    """The (m, n) matrix at A[o …] becomes B times itself; rows of B are v numbers apart, those of A w."""
    for i in range(m):
        for j in range(n):
            product[i * n + j] = 0.0
        for k in range(m):
            add_short_row(product, i * n, B[i * v + k], A, o + k * w, n)
    for i in range(m):
        for j in range(n):
            A[o + i * w + j] = product[i * n + j]


@kernel
def subtract_times(graph, i, j, x):
    """x of node i less H_ij times that of node j."""
    A = graph.values
    o = place_of_block(graph, i, j)
    w = row_length(graph, j)
    f = graph.first[j]
    g = graph.first[i]
    if graph.size[i] == SIX and graph.size[j] == SIX:
        for row in range(0, SIX, 3):
            y, y_1, y_2 = three_dots(A, o + row * LANES, LANES, x, f)
            x[g + row] -= y
            x[g + row + 1] -= y_1
            x[g + row + 2] -= y_2
        return
    for row in range(graph.size[i]):
        x[g + row] -= dot_short_row(A, o + row * w, x, f, graph.size[j])


@kernel
def divide_by_diagonal(graph, p, x):
    """x and the later blocks of the p-th node, divided by its own block; False where that has no pivot."""
    k = graph.order[p]
    m = graph.size[k]
    begin = graph.start[p]
    end = graph.start[p + 1]
    o = place_of_block(graph, k, k)
    w = row_length(graph, k)
    if m != SIX or begin == end:
        if not factor_square(graph.values, o, m, w, graph.pivot):
            return False
        solve_square(graph.values, o, m, w, graph.pivot, x, graph.first[k])
        for s in range(begin, end):
            j = graph.later[s]
            b = place_of_block(graph, k, j)
            v = row_length(graph, j)
            solve_square_columns(graph.values, o, m, w, graph.pivot, graph.values, b, v, v)
        return True
    if not invert_block(graph.values, o, graph.inverse):
        return False
    multiply_rows(graph.inverse, m, LANES, x, graph.first[k], 1, 1, graph.product)
    for s in range(begin, end):
        j = graph.later[s]
        o = place_of_block(graph, k, j)
        if graph.size[j] == SIX:
            multiply_block(graph.inverse, graph.values, o)
        else:
            multiply_rows(graph.inverse, m, LANES, graph.values, o, graph.size[j], row_length(graph, j), graph.product)
    return True


@kernel
def solve_graph(graph, x):
    """x becomes the solution, H is used up; False where a block has no pivot."""
    n = graph.count[0]
    for p in range(n):
        if not divide_by_diagonal(graph, p, x):
            return False
        k = graph.order[p]
        for s in range(graph.start[p], graph.start[p + 1]):
            i = graph.later[s]
            subtract_times(graph, i, k, x)
            for e in range(graph.start[p], graph.start[p + 1]):
                subtract_blocks(graph, i, k, graph.later[e])
    for p in range(n - 1, -1, -1):
        k = graph.order[p]
        for s in range(graph.start[p], graph.start[p + 1]):
            subtract_times(graph, k, graph.later[s], x)
    return True
