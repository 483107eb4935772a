"""Sparse L D L^T against numpy, on groups of every shape."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkwork._jit import entry
from linkwork.numerics import sparse_cholesky as sparse
from linkwork.numerics.sparse_cholesky import add_outer, factor, solve, times


@entry
def add(group, g, x, s, A):
    add_outer(group, g, x, s, A)


@entry
def factored(shape, A, L, x):
    return factor(shape, A, L, x)


@entry
def there_and_back(shape, A, L, b, out, y):
    """out = A b, then b = A^-1 out."""
    times(shape, A, b, out, y)
    for k in range(b.size):
        b[k] = out[k]
    solve(shape, L, b, y)


def made(count, lists, seed, sign=1.0):
    """A matrix of full blocks over the lists: its pattern, values, and dense form."""
    rng = np.random.default_rng(seed)
    shape = sparse.pattern(count, lists)
    group = sparse.groups(shape, lists)
    A = np.zeros(sparse.size(shape))
    dense = np.zeros((count, count))
    for g, members in enumerate(lists):
        for _ in range(len(members) + 1):
            x = rng.normal(size=len(members))
            add(group, g, x, sign, A)
            dense[np.ix_(members, members)] += sign * np.outer(x, x)
    return shape, A, dense, rng


@st.composite
def blocks(draw):
    count = draw(st.integers(1, 25))
    some = st.lists(st.integers(0, count - 1), min_size=1, max_size=5, unique=True)
    return count, [*draw(st.lists(some, max_size=12)), *[[u] for u in range(count)]], draw(st.integers(0, 10**6))


@given(blocks(), st.sampled_from([1.0, -1.0]))
@settings(max_examples=60, deadline=None)
def test_solves_and_multiplies_like_numpy(given, sign):
    count, lists, seed = given
    shape, A, dense, rng = made(count, lists, seed, sign)
    L, x, y, out = np.zeros_like(A), np.zeros(count), np.zeros(2 * count), np.zeros(count)
    assert factored(shape, A, L, x)
    assert not x.any()
    wanted = rng.normal(size=count)
    found = wanted.copy()
    there_and_back(shape, A, L, found, out, y)
    np.testing.assert_allclose(out, dense @ wanted, atol=1e-12 * np.abs(dense).max() * count)
    np.testing.assert_allclose(found, wanted, atol=1e-13 * np.linalg.cond(dense) * np.abs(wanted).max())


def test_a_tree_gets_no_fill():
    """Chains from the leaves to the root: as many entries as pairs that touch."""
    chains = [[0, 1, 2], [0, 1, 3, 4], [0, 5], [0, 5, 6, 7, 8]]
    shape = sparse.pattern(9, chains)
    pairs = {(max(a, b), min(a, b)) for chain in chains for a in chain for b in chain if a != b}
    assert len(shape.column) == len(pairs)


@pytest.mark.parametrize("count", [100, 400])
def test_rows_of_loops_stay_linear(count):
    """A ladder: unknown k touches k + 1 and k + 2; no row of the factor is longer than two."""
    shape = sparse.pattern(count, [[k, k + 1, k + 2] for k in range(count - 2)])
    assert len(shape.column) <= 2 * count


def test_no_pivot_is_told():
    shape = sparse.pattern(2, [[0, 1]])
    L, x = np.zeros(3), np.zeros(2)
    assert not factored(shape, np.zeros(3), L, x)
    assert not factored(shape, np.full(3, np.nan), L, x)
