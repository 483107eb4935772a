"""Systems of blocks on a graph that changes from call to call, without symmetry: H x = b by elimination of nodes.

A node is a few unknowns that lie together in x. H has a block for every two nodes that touch, both ways; eliminating a
node k of block D adds - H_ik D^-1 H_kj to the blocks of its neighbours. The node with fewest neighbours left goes
first: chains and trees fill nothing in, and the cost is linear in their nodes. Blocks are eliminated without pivoting
between them, unknowns of one node with it.

Use: `start_graph`, `add_node` and `touch`, then `order_nodes`; for each H `clear_blocks`, entries into `values` from
`place_of_block` on (by rows), `solve_graph`. Nothing is allocated: `make_elimination_graph` gives the room.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel, small
from linkwork.numerics.gauss import invert, solve_in_place

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
    inverse: Any  # (MOST_UNKNOWNS squared,) scratch
    column: Any  # (MOST_UNKNOWNS,) scratch


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
        np.zeros(min(unknowns * unknowns, MOST_VALUES)),
        np.zeros(m * m),
        np.zeros(m),
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
    if size > graph.column.size:
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
        used += graph.size[k] * graph.size[k]
        for s in range(begin, end):
            j = graph.later[s]
            graph.block[k, j] = used + 1
            used += graph.size[k] * graph.size[j]
            graph.block[j, k] = used + 1
            used += graph.size[k] * graph.size[j]
    graph.count[1] = used
    return used <= graph.values.size


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
            graph.values[o + i * graph.size[k] + i] = 1.0


@kernel
def subtract_product(A, c, a, b, l, m, n):
    """The (l, n) matrix at A[c …] less the product of those at A[a …] and A[b …]; most of the time goes here."""
    if l == 6 and m == 6 and n == 6:
        for i in range(6):
            for j in range(6):
                x = 0.0
                for k in range(6):
                    x += A[a + i * 6 + k] * A[b + k * 6 + j]
                A[c + i * 6 + j] -= x
        return
    for i in range(l):
        for k in range(m):
            x = A[a + i * m + k]
            if x != 0.0:
                for j in range(n):
                    A[c + i * n + j] -= x * A[b + k * n + j]


@kernel
def multiply_columns(B, m, A, o, n, column):
    """The (m, n) matrix at A[o …] becomes B times itself."""
    for j in range(n):
        for i in range(m):
            x = 0.0
            for k in range(m):
                x += B[i * m + k] * A[o + k * n + j]
            column[i] = x
        for i in range(m):
            A[o + i * n + j] = column[i]


@kernel
def subtract_times(A, o, m, n, x, f, g):
    """x[g …] less the (n, m) matrix at A[o …] times x[f …]."""
    for i in range(n):
        y = 0.0
        for k in range(m):
            y += A[o + i * m + k] * x[f + k]
        x[g + i] -= y


@kernel
def solve_graph(graph, x):
    """x becomes the solution, H is used up; False where a block has no pivot."""
    n = graph.count[0]
    values = graph.values
    for p in range(n):
        k = graph.order[p]
        m = graph.size[k]
        f = graph.first[k]
        begin = graph.start[p]
        end = graph.start[p + 1]
        if begin == end:
            if not solve_in_place(values, place_of_block(graph, k, k), m, x, f):
                return False
            continue
        if not invert(values, place_of_block(graph, k, k), m, graph.inverse):
            return False
        multiply_columns(graph.inverse, m, x, f, 1, graph.column)
        for s in range(begin, end):
            j = graph.later[s]
            multiply_columns(graph.inverse, m, values, place_of_block(graph, k, j), graph.size[j], graph.column)
        for s in range(begin, end):
            i = graph.later[s]
            o = place_of_block(graph, i, k)
            subtract_times(values, o, m, graph.size[i], x, f, graph.first[i])
            for e in range(begin, end):
                j = graph.later[e]
                subtract_product(
                    values,
                    place_of_block(graph, i, j),
                    o,
                    place_of_block(graph, k, j),
                    graph.size[i],
                    m,
                    graph.size[j],
                )
    for p in range(n - 1, -1, -1):
        k = graph.order[p]
        for s in range(graph.start[p], graph.start[p + 1]):
            j = graph.later[s]
            subtract_times(
                values, place_of_block(graph, k, j), graph.size[j], graph.size[k], x, graph.first[j], graph.first[k]
            )
    return True
