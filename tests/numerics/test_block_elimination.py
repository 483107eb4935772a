"""Elimination of blocks along a graph, against numpy's solution of the same matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from linkwork._jit import entry
from linkwork.numerics.block_elimination import (
    add_node,
    clear_blocks,
    make_elimination_graph,
    order_nodes,
    place_of_block,
    row_length,
    solve_graph,
    start_graph,
    touch,
)


@entry
def build(graph, sizes, edges, most):  # type: ignore
    """Nodes one after another, in x from unknown 1 on."""
    if not start_graph(graph, sizes.size):
        return False
    first = 1
    for k in range(sizes.size):
        if add_node(graph, first, sizes[k]) != k:
            return False
        first += sizes[k]
    for e in range(edges.shape[0]):
        touch(graph, edges[e, 0], edges[e, 1])
    if not order_nodes(graph, most):
        return False
    clear_blocks(graph)
    return True


@entry
def add_block(graph, a, b, block):  # type: ignore
    o = place_of_block(graph, a, b)
    for i in range(block.shape[0]):
        for j in range(block.shape[1]):
            graph.values[o + i * row_length(graph, b) + j] += block[i, j]


@entry
def solve(graph, x):  # type: ignore
    return solve_graph(graph, x)


def made(sizes: Any, edges: Any, seed: int = 0, most: int = 10_000) -> tuple[Any, Any] | None:
    """A graph with random blocks, and the same matrix in full; None where it does not fit."""
    rng = np.random.default_rng(seed)
    sizes, edges = np.array(sizes), np.array(edges, dtype=np.int64).reshape(-1, 2)
    graph = make_elimination_graph(len(sizes), int(sizes.sum()), int(sizes.max()))
    if not build(graph, sizes, edges, most):
        return None
    at = np.concatenate([[0], np.cumsum(sizes)])
    full = np.eye(at[-1])
    pairs = {(k, k) for k in range(len(sizes))} | {(a, b) for a, b in edges} | {(b, a) for a, b in edges}
    for a, b in sorted(pairs):
        block = rng.normal(size=(sizes[a], sizes[b])) + (8.0 * np.eye(sizes[a]) if a == b else 0.0)
        add_block(graph, a, b, block)
        full[at[a] : at[a + 1], at[b] : at[b + 1]] += block
    return graph, full


GRAPHS = {
    "alone": ([5], []),
    "chain": ([6] * 12, [(k, k + 1) for k in range(11)]),
    "tree": ([6, 3, 1, 6, 6, 2], [(0, 1), (0, 2), (1, 3), (1, 4), (2, 5)]),
    "ring": ([6] * 7, [(k, (k + 1) % 7) for k in range(7)]),
    "grid": ([6] * 16, [(k, k + 1) for k in range(16) if k % 4 < 3] + [(k, k + 4) for k in range(12)]),
    "all": ([2, 6, 6, 1, 4], [(a, b) for a in range(5) for b in range(a)]),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_solves_what_numpy_solves(name: str) -> None:
    found = made(*GRAPHS[name])
    assert found is not None
    graph, full = found
    b = np.random.default_rng(1).normal(size=len(full) + 2)
    x = b.copy()
    assert solve(graph, x)
    assert x[1:-1] == pytest.approx(np.linalg.solve(full, b[1:-1]), rel=1e-9)
    assert (x[[0, -1]] == b[[0, -1]]).all()


def test_chains_are_linear_in_their_nodes() -> None:
    """Ten times the boxes of a tower, ten times the products; what costs more than it may is refused."""
    for n in (10, 100):
        chain = [6] * n, [(k, k + 1) for k in range(n - 1)]
        assert made(*chain, most=2 * n) is not None
        assert made(*chain, most=2 * n - 3) is None


def test_tells_what_does_not_fit() -> None:
    graph = make_elimination_graph(3, 18, 6)
    assert not build(graph, np.full(4, 6), np.zeros((0, 2), dtype=np.int64), 100)
    assert not build(graph, np.array([6, 7]), np.zeros((0, 2), dtype=np.int64), 100)
