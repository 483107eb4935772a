"""Gauss's elimination against numpy's."""

from __future__ import annotations

import numpy as np
import pytest

from linkwork._jit import entry
from linkwork.numerics.gauss import factor_square, solve_square, solve_square_columns


@entry
def call(A, o, n, w, pivot, x, f, B, b, v, columns):  # type: ignore
    if not factor_square(A, o, n, w, pivot):
        return False
    solve_square(A, o, n, w, pivot, x, f)
    solve_square_columns(A, o, n, w, pivot, B, b, v, columns)
    return True


@pytest.mark.parametrize("n", [1, 2, 5, 8, 18, 45])
def test_solves_systems_without_symmetry(n: int) -> None:
    rng = np.random.default_rng(n)
    A, x, B = rng.normal(size=(n, n + 3)), rng.normal(size=n + 2), rng.normal(size=(n, 13))
    A[n - 1, n - 1] = 0.0 if n > 1 else 1.0  # asks for another pivot
    found, columns = x.copy(), B.ravel().copy()
    flat = np.concatenate([[7.0, 8.0], A.ravel()])
    assert call(flat, 2, n, n + 3, np.zeros(n, dtype=np.int64), found, 1, columns, 1, 13, 11)
    assert found[1 : n + 1] == pytest.approx(np.linalg.solve(A[:, :n], x[1 : n + 1]), rel=1e-9)
    assert (found[[0, -1]] == x[[0, -1]]).all()
    columns = columns.reshape(n, 13)
    assert columns[:, 1:12] == pytest.approx(np.linalg.solve(A[:, :n], B[:, 1:12]), rel=1e-9)
    assert (columns[:, [0, 12]] == B[:, [0, 12]]).all()


def test_tells_of_a_singular_one() -> None:
    for A in ([1.0, 2.0, 2.0, 4.0], [np.nan, 2.0, 2.0, 4.0], [1.0, 2.0, 2.0, np.nan]):
        assert not call(np.array(A), 0, 2, 2, np.zeros(2, dtype=np.int64), np.ones(2), 0, np.ones(2), 0, 1, 1)
