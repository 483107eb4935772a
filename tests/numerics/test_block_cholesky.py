"""The sparse Cholesky factor against dense numpy."""

from __future__ import annotations

import numpy as np
import pytest

from linkwork._jit import entry
from linkwork.numerics import block_cholesky
from linkwork.numerics.block_sparse import pattern


@entry
def factor(shape, S, first):
    return block_cholesky.factor(shape, S, first)


@entry
def solve(shape, S, x):
    block_cholesky.solve(shape, S, x)


def system(nodes, edges, rng, lose=None):
    """A random positive definite matrix on a graph, dense and by blocks; `lose` takes a node's last direction away."""
    A = np.zeros((3 * nodes, 3 * nodes))
    for a, b in [*edges, *((k, k) for k in range(nodes))]:
        rows = rng.normal(size=(3, 3 * nodes))
        keep = np.zeros(3 * nodes)
        for k in (a, b):
            keep[3 * k : 3 * k + 3] = 1.0
        if lose is not None:
            keep[3 * lose + 2] = 0.0
        A += (rows * keep).T @ (rows * keep)
    shape = pattern([3] * nodes, edges)
    S = np.zeros(shape.total)
    for p, k in enumerate(shape.order):
        blocks = [(k, shape.diagonal[k])]
        blocks += [(shape.below[s], shape.offset[s]) for s in range(shape.column[p], shape.column[p + 1])]
        for i, o in blocks:
            S[o : o + 9] = A[3 * i : 3 * i + 3, 3 * k : 3 * k + 3].ravel()
    return A, shape, S


GRAPHS = {
    "one": (1, []),
    "apart": (4, []),
    "chain": (30, [(k, k + 1) for k in range(29)]),
    "star": (12, [(0, k) for k in range(1, 12)]),
    "ring": (9, [(k, (k + 1) % 9) for k in range(9)]),
    "all": (6, [(a, b) for a in range(6) for b in range(a)]),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_solves(name):
    rng = np.random.default_rng(7)
    nodes, edges = GRAPHS[name]
    A, shape, S = system(nodes, edges, rng)
    assert factor(shape, S, np.zeros((nodes, 3))) == 0
    x = rng.normal(size=(nodes + 2, 3))
    b = x.copy()
    solve(shape, S, x)
    assert (A @ x[:nodes].ravel()).reshape(-1, 3) == pytest.approx(b[:nodes], abs=1e-9 * np.linalg.cond(A) ** 0.5)
    assert np.array_equal(x[nodes:], b[nodes:])  # what stands on grounds is left alone


@pytest.mark.parametrize("lost", [0, 3, 8])
def test_names_the_node_that_is_not_held(lost):
    nodes, edges = GRAPHS["ring"]
    _, shape, S = system(nodes, edges, np.random.default_rng(1), lose=lost)
    assert factor(shape, S, np.zeros((nodes, 3))) == lost + 1


@pytest.mark.parametrize("size", [20, 200])
def test_chains_and_ladders_have_no_more_than_two_blocks_a_node(size):
    ladder = [(k, k + 2) for k in range(2 * size - 2)] + [(2 * k, 2 * k + 1) for k in range(size)]
    shape = pattern([3] * (2 * size), ladder)
    assert len(shape.offset) < 2.6 * 2 * size
