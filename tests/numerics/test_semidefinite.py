"""Pivoted Cholesky with dependent rows, against numpy's factorisations and pseudoinverse."""

from __future__ import annotations

import numpy as np
import pytest

from linkwork._jit import entry
from linkwork.numerics.semidefinite import factor, solve

EPS = np.finfo(float).eps
TOLERANCE = 1e-10


@entry
def factor_and_solve(A, tolerance, work, b, x):
    """The rank; x of A x = b. work = scale, L, K, order, y, reference."""
    scale, L, K, order, y, reference = work
    for i in range(y.size):
        y[i] = 0.0
        reference[i] = A[i, i]
        for j in range(y.size):
            y[i] = max(y[i], A[j, j])
    rank = factor(A, 0, tolerance, tolerance, y, reference, scale, L, K, order)
    solve(scale, L, K, order, rank, b, y, x)
    return rank


def workspace(n, fill=0.0):
    return (
        np.full(n, fill),
        np.full((n, n), fill),
        np.full((n, max(n, 1)), fill),
        np.zeros(n, dtype=np.int64),
        np.full(n, fill),
        np.zeros(n),
    )


def solution(A, b, work=None):
    x = np.full(b.size, np.nan)
    kept_A, kept_b = A.copy(), b.copy()
    rank = factor_and_solve(A, TOLERANCE, work or workspace(b.size), b, x)
    assert np.array_equal(A, kept_A)
    assert np.array_equal(b, kept_b, equal_nan=True)
    return rank, x


def gram_matrix(rng, n, rank, spread=1.0):
    """A = J J^T of the wanted rank; rows of very different size, as rows in metres and radians are."""
    J = rng.normal(size=(n, rank))
    if n > rank:  # dependent rows are made of the others
        J[rank:] = rng.normal(size=(n - rank, rank)) @ J[:rank]
    J = rng.permutation(J) * 10.0 ** rng.uniform(-spread, spread, (n, 1))
    return J @ J.T


def scaled_least_norm(A, b):
    """The minimum-norm least-squares solution after scaling A to a unit diagonal, by the singular values."""
    scale = 1.0 / np.sqrt(np.diag(A))
    S = A * np.outer(scale, scale)
    return scale * (np.linalg.pinv(S, rcond=TOLERANCE, hermitian=True) @ (scale * b)), np.linalg.svd(S)[1]


@pytest.mark.parametrize("n", [1, 2, 5, 6, 12, 30])
@pytest.mark.parametrize("spread", [0.0, 3.0])
def test_full_rank(n, spread):
    rng = np.random.default_rng([n, int(spread)])
    for _ in range(10):
        A = gram_matrix(rng, n, n + 3, spread)[:n, :n]
        b = rng.normal(size=n) * np.sqrt(np.diag(A))
        rank, x = solution(A, b)
        wanted = np.linalg.solve(A, b)
        values = scaled_least_norm(A, b)[1]
        scale = np.sqrt(np.diag(A))
        assert rank == n
        # backward stable: the error is n roundings times the condition of the scaled matrix
        assert np.linalg.norm(scale * (x - wanted)) < 20 * n * EPS * values[0] / values[-1] * np.linalg.norm(scale * x)


@pytest.mark.parametrize(("n", "rank"), [(2, 1), (6, 5), (6, 3), (12, 7), (24, 10), (30, 29)])
@pytest.mark.parametrize("spread", [0.0, 3.0])
def test_redundant_rows(n, rank, spread):
    rng = np.random.default_rng([n, rank, int(spread)])
    for _ in range(10):
        A = gram_matrix(rng, n, rank, spread)
        scale = np.sqrt(np.diag(A))
        b = A @ (rng.normal(size=n) / scale)
        found_rank, x = solution(A, b)
        wanted, values = scaled_least_norm(A, b)
        assert found_rank == rank
        # L^T L is inverted twice: its condition counts twice over that of the scaled matrix
        error = 20 * n * EPS * (values[0] / values[rank - 1]) ** 2
        assert np.linalg.norm((b - A @ x) / scale) < error * np.linalg.norm(b / scale)
        assert np.linalg.norm(scale * (x - wanted)) < error * np.linalg.norm(scale * wanted)


def test_inconsistent_right_hand_side_is_met_in_the_least_squares_sense():
    rng = np.random.default_rng(3)
    A = gram_matrix(rng, 8, 5, 2.0)
    b = rng.normal(size=8)
    rank, x = solution(A, b)
    wanted, values = scaled_least_norm(A, b)
    assert rank == 5
    scale = np.sqrt(np.diag(A))
    assert np.linalg.norm(scale * (x - wanted)) < 1e3 * EPS * (values[0] / values[4]) ** 2 * np.linalg.norm(
        scale * wanted
    )


def test_equal_rows_share_the_load():
    """The same row three times carries a third each."""
    rank, x = solution(np.ones((3, 3)), np.ones(3))
    assert rank == 1
    assert x == pytest.approx(np.full(3, 1 / 3), abs=4 * EPS)


def test_empty_rows_get_nothing():
    """A row that nothing moves has no diagonal: no multiplier, no harm to the others."""
    rng = np.random.default_rng(4)
    inner = gram_matrix(rng, 4, 6)[:4, :4]
    A = np.zeros((6, 6))
    keep = [0, 2, 3, 5]
    A[np.ix_(keep, keep)] = inner
    b = rng.normal(size=6)
    rank, x = solution(A, b)
    assert rank == 4
    assert np.array_equal(x[[1, 4]], [0.0, 0.0])
    assert x[keep] == pytest.approx(np.linalg.solve(inner, b[keep]), rel=1e-10)
    rank, x = solution(np.zeros((3, 3)), np.ones(3))
    assert rank == 0
    assert np.array_equal(x, np.zeros(3))


def test_no_rows():
    rank, x = solution(np.zeros((0, 0)), np.zeros(0))
    assert rank == 0
    assert x.size == 0


def test_a_used_workspace_changes_nothing():
    """The rank may drop and rise again from one call to the next; what the last call left must not be seen."""
    rng = np.random.default_rng(5)
    used = workspace(6, np.nan)
    for rank in (6, 2, 5, 6, 1, 6):
        A = gram_matrix(rng, 6, rank)
        b = A @ rng.normal(size=6)
        fresh_rank, fresh = solution(A, b)
        found_rank, found = solution(A, b, used)
        assert found_rank == fresh_rank == rank
        assert np.array_equal(found, fresh)


def test_tolerance_decides_what_is_dependent():
    """Two rows at a small angle: the squared sine of it is the second pivot."""
    for angle, rank in ((1e-4, 2), (1e-6, 1)):
        J = np.array([[1.0, 0.0], [np.cos(angle), np.sin(angle)]])
        assert solution(J @ J.T, np.ones(2))[0] == rank


def test_not_a_number_stays_visible():
    assert np.isnan(solution(np.eye(2), np.array([1.0, np.nan]))[1]).any()
    assert np.isnan(solution(np.ones((2, 2)), np.array([1.0, np.nan]))[1]).any()
