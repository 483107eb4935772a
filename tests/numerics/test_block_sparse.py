"""Blocks on a graph against dense numpy: pattern, factor, solve; redundant rows, empty nodes, single nodes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from linkwork._jit import entry
from linkwork.numerics.block_sparse import (
    LARGEST,
    block_work,
    eliminate,
    expect_rows,
    factor_blocks,
    pattern,
    solve_blocks,
    unit_scales,
    weigh,
)

TOLERANCE = 1e-10


@entry
def factor(shape, work, tolerance):
    unit_scales(shape, work)
    return factor_blocks(shape, work, tolerance, 0.0, 0, shape.order.size)


@entry
def expect(work):
    expect_rows(work)


@entry
def solve(shape, work, x):
    solve_blocks(shape, work, x, 0, 0, shape.order.size)


@entry
def halves(shape, work, x, out):
    eliminate(shape, work, x, 0, 0, shape.order.size)
    weigh(shape, work, x, 0, 0, shape.order.size, out)


class Graph:
    """Nodes with rows on two of `bodies` bodies of six freedoms each (-1 is the ground), as joints have them."""

    def __init__(self, ends, sizes, rng, redundant=()):
        self.ends = ends
        bodies = max(max(pair) for pair in ends) + 1
        self.first = np.concatenate([[0], np.cumsum(sizes)])
        self.G = np.zeros((self.first[-1], 6 * bodies))
        for node, (a, b) in enumerate(ends):
            rows = slice(self.first[node], self.first[node + 1])
            for body in (a, b):
                if body >= 0:
                    self.G[rows, 6 * body : 6 * body + 6] = rng.normal(size=(sizes[node], 6))
        for node, others in redundant:  # rows of this node are mixtures of rows of others
            rows = slice(self.first[node], self.first[node + 1])
            source = np.concatenate([np.arange(self.first[k], self.first[k + 1]) for k in others])
            self.G[rows] = rng.normal(size=(sizes[node], len(source))) @ self.G[source]
        self.G *= 10.0 ** rng.uniform(-1, 1, size=(len(self.G), 1))  # metres beside radians
        self.S = self.G @ self.G.T
        touching = [
            (c, d)
            for c in range(len(ends))
            for d in range(c)
            if {*ends[c]} & {*ends[d]} - {-1} and sizes[c] and sizes[d]
        ]
        self.shape = pattern(sizes, touching)
        self.touching = touching

    def factored(self, work=None):
        shape, work = self.shape, work or block_work(self.shape)
        for p, k in enumerate(shape.order):
            work.S[shape.diagonal[k] : shape.diagonal[k] + shape.size[k] ** 2] = self.block(k, k).ravel()
            for s in range(shape.column[p], shape.column[p + 1]):
                i = shape.below[s]
                work.S[shape.offset[s] : shape.offset[s] + shape.size[i] * shape.size[k]] = self.block(i, k).ravel()
        self.rank = factor(shape, work, TOLERANCE)
        return work

    def block(self, i, k):
        return self.S[self.first[i] : self.first[i + 1], self.first[k] : self.first[k + 1]]


def random_graph(seed, nodes=14, bodies=9, redundant=False):
    """Any graph: chains, stars, loops, several nodes between the same two bodies."""
    rng = np.random.default_rng(seed)
    ends = [(int(rng.integers(-1, k)), k) for k in range(bodies)]  # a tree, then loops
    while len(ends) < nodes:
        a, b = rng.integers(-1, bodies, 2)
        if a != b:
            ends.append((int(a), int(b)))
    sizes = [int(rng.integers(1, LARGEST + 1)) for _ in ends]
    while sum(sizes) > 6 * bodies - 2:  # leave some freedom, so that no row is redundant by their number
        sizes[int(rng.integers(len(sizes)))] = 1
    mixtures = []
    if redundant:
        for node in rng.choice(len(ends), 3, replace=False):
            ends.append(ends[node])
            sizes.append(int(rng.integers(1, sizes[node] + 3)) if sizes[node] < 4 else 3)
            mixtures.append((len(ends) - 1, [int(node)]))
    return Graph(ends, sizes, rng, mixtures)


@pytest.mark.parametrize("redundant", [False, True])
@pytest.mark.parametrize("seed", range(15))
def test_against_dense(seed, redundant):
    graph = random_graph(seed, redundant=redundant)
    work = graph.factored()
    scaled = graph.S / np.sqrt(np.outer(np.diag(graph.S), np.diag(graph.S)))
    values = np.linalg.eigvalsh(scaled)
    assert graph.rank == np.sum(values > 1e-9)
    if redundant:
        assert graph.rank < len(graph.S)
    # a right side in the range: what the multipliers do is what the dense solution does
    rng = np.random.default_rng([seed, 1])
    b = graph.S @ rng.normal(size=len(graph.S))
    x = b.copy()
    solve(graph.shape, work, x)
    dense = np.linalg.lstsq(graph.S, b, rcond=1e-11)[0]
    conditioned = 1e-11 / values[values > 1e-9].min()
    force, wanted = graph.G.T @ x, graph.G.T @ dense
    assert np.abs(force - wanted).max() < conditioned * np.abs(wanted).max()


def test_small_pivots_do_not_make_dependent_rows_look_independent():
    """A pivot of 1e-7 magnifies rounding to 1e-9, above the tolerance: the row that repeats is found all the same."""
    graph = random_graph(6)
    values = np.linalg.eigvalsh(graph.S / np.sqrt(np.outer(np.diag(graph.S), np.diag(graph.S))))
    assert values[0] < 1e-15
    assert 1e-8 < values[1] < 1e-7
    graph.factored()
    assert graph.rank == len(graph.S) - 1


def test_rows_that_geometry_knows_are_kept_whatever_the_masses():
    """Light bodies before a heavy one: what is left of a row is 1e-12 of what it was, and yet a row."""
    graph = Graph([(-1, 0), (0, 1), (1, 2), (0, 1)], [5, 5, 5, 3], np.random.default_rng(2), redundant=[(3, [1])])
    work = graph.factored()
    assert graph.rank == 15
    masses = np.repeat([1e-12, 1e-12, 1.0], 6)
    graph.S = (graph.G / masses) @ graph.G.T
    graph.factored()
    assert graph.rank < 15  # by the pivots alone
    expect(work)
    graph.factored(work)
    assert graph.rank == 15
    b = graph.S @ np.random.default_rng(3).normal(size=18)
    x = b.copy()
    solve(graph.shape, work, x)
    assert graph.S @ x == pytest.approx(b, abs=1e12 * np.finfo(float).eps * np.abs(b).max())  # rounding times ratio


def test_solution_again():
    """The same factor serves any number of right sides."""
    graph = random_graph(3)
    work = graph.factored()
    for seed in range(3):
        b = graph.S @ np.random.default_rng(seed).normal(size=len(graph.S))
        x = b.copy()
        solve(graph.shape, work, x)
        assert graph.S @ x == pytest.approx(b, abs=1e-8 * np.abs(b).max())


@pytest.mark.parametrize("seed", range(5))
def test_pattern_is_closed_under_elimination(seed):
    """Every node once; every neighbour stored; eliminating a node only meets blocks that are there."""
    graph = random_graph(seed, nodes=20, bodies=12)
    shape = graph.shape
    assert sorted(shape.order) == list(range(len(graph.ends)))
    place = {int(k): p for p, k in enumerate(shape.order)}
    stored = {}
    for p, k in enumerate(shape.order):
        for s in range(shape.column[p], shape.column[p + 1]):
            assert place[int(shape.below[s])] > p
            stored[(int(shape.below[s]), int(k))] = int(shape.offset[s])
    for c, d in graph.touching:
        assert (c, d) in stored or (d, c) in stored
    for p in range(len(shape.order)):
        below = [int(i) for i in shape.below[shape.column[p] : shape.column[p + 1]]]
        targets = list(shape.target[shape.update[p] : shape.update[p + 1]])
        for a, i in enumerate(below):
            for j in below[: a + 1]:
                assert targets.pop(0) == (shape.diagonal[i] if i == j else stored[(i, j)])
    # blocks do not overlap
    spans = [(stored[pair], int(shape.size[pair[0]] * shape.size[pair[1]])) for pair in stored]
    spans += [(int(shape.diagonal[k]), int(shape.size[k]) ** 2) for k in range(len(graph.ends))]
    ends = sorted((start, start + size) for start, size in spans)
    assert all(first[1] <= second[0] for first, second in itertools.pairwise(ends))
    assert ends[-1][1] == shape.total


def test_dependent_rows_inside_one_node():
    rng = np.random.default_rng(0)
    graph = Graph([(-1, 0), (0, 1)], [6, 5], rng)
    graph.G[3:6] = rng.normal(size=(3, 3)) @ graph.G[:3]
    graph.S = graph.G @ graph.G.T
    work = graph.factored()
    assert graph.rank == 3 + 5
    b = graph.S @ rng.normal(size=11)
    x = b.copy()
    solve(graph.shape, work, x)
    assert graph.S @ x == pytest.approx(b, abs=1e-10 * np.abs(b).max())


def test_rows_that_are_nothing():
    """A row of zeros is no row; its multiplier is zero."""
    graph = Graph([(-1, 0), (0, 1)], [3, 3], np.random.default_rng(1))
    graph.G[1] = 0.0
    graph.S = graph.G @ graph.G.T
    work = graph.factored()
    assert graph.rank == 5
    b = graph.S @ np.ones(6)
    x = b.copy()
    solve(graph.shape, work, x)
    assert x[1] == 0.0
    assert graph.S @ x == pytest.approx(b, abs=1e-11 * np.abs(b).max())


def test_nodes_without_rows_and_alone():
    """Free joints have no row; nodes on bodies of their own touch nobody; there may be no node at all."""
    graph = Graph([(-1, 0), (0, 1), (-1, 2)], [3, 0, 2], np.random.default_rng(2))
    work = graph.factored()
    assert graph.rank == 5
    assert graph.shape.below.size == 0
    x = graph.S @ np.arange(5.0)
    solve(graph.shape, work, x)
    assert x == pytest.approx(np.arange(5.0), abs=1e-10)
    empty = pattern([], [])
    work = block_work(empty)
    assert factor(empty, work, TOLERANCE) == 0
    solve(empty, work, np.zeros(0))
    assert empty.total == 0


def test_pairs_may_come_twice_and_with_themselves():
    once = pattern([2, 3, 1], [(0, 1), (1, 2)])
    often = pattern([2, 3, 1], [(0, 1), (1, 0), (2, 1), (1, 1), (0, 1)])
    for left, right in zip(once, often, strict=True):
        assert np.array_equal(left, right)


@pytest.mark.parametrize("redundant", [False, True])
def test_halves(redundant):
    """b . S^+ b' by two eliminated sides, one of them weighed: what reduces a component to its border."""
    graph = random_graph(4, redundant=redundant)
    work = graph.factored()
    rng = np.random.default_rng(5)
    left, right = (graph.S @ rng.normal(size=(len(graph.S), 2))).T.copy()
    wanted = left @ np.linalg.pinv(graph.S, rcond=1e-11, hermitian=True) @ right
    weighed = np.zeros_like(left)
    halves(graph.shape, work, right, weighed)
    halves(graph.shape, work, left, np.zeros_like(left))
    assert left @ weighed == pytest.approx(wanted, rel=1e-8)


def test_groups_go_one_after_another():
    sizes, pairs = [1] * 8, [(k, k + 1) for k in range(7)]
    shape = pattern(sizes, pairs, [[2, 3, 4], [7, 6], [0, 1, 5]])
    assert shape.start.tolist() == [0, 3, 5, 8]
    assert [sorted(shape.order[a:b]) for a, b in itertools.pairwise(shape.start)] == [[2, 3, 4], [6, 7], [0, 1, 5]]


@pytest.mark.parametrize("n", [50, 200, 400])
def test_chain_has_no_fill(n):
    """Least degree eats a chain from its ends: as many blocks below the diagonal as there are pairs."""
    chain = pattern([5] * n, [(k, k + 1) for k in range(n - 1)])
    assert chain.below.size == n - 1
    assert chain.target.size <= n
