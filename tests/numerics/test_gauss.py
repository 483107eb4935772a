"""Gauss's elimination against numpy's."""

from __future__ import annotations

import numpy as np
import pytest

from linkwork._jit import entry
from linkwork.numerics.gauss import invert, solve_in_place


@entry
def call(A, o, n, x, f):  # type: ignore
    return solve_in_place(A, o, n, n, x, f)


@entry
def call_invert(A, o, n, B):  # type: ignore
    return invert(A, o, n, B)


@pytest.mark.parametrize("n", [1, 2, 5, 18])
def test_solves_systems_without_symmetry(n: int) -> None:
    rng = np.random.default_rng(n)
    A, b = rng.normal(size=(n, n)), rng.normal(size=n + 2)
    A[0, 0] = 0.0 if n > 1 else 1.0  # asks for another pivot
    x = b.copy()
    assert call(np.concatenate([[7.0, 8.0], A.ravel()]), 2, n, x, 1)
    assert x[1 : n + 1] == pytest.approx(np.linalg.solve(A, b[1 : n + 1]), rel=1e-9)
    assert (x[[0, -1]] == b[[0, -1]]).all()


@pytest.mark.parametrize("n", [1, 2, 6, 18])
def test_inverts(n: int) -> None:
    A, B = np.random.default_rng(n).normal(size=(n, n)), np.zeros(n * n + 1)
    A[0, 0] = 0.0 if n > 1 else 1.0
    assert call_invert(np.concatenate([[7.0], A.ravel()]), 1, n, B)
    assert B[:-1].reshape(n, n) == pytest.approx(np.linalg.inv(A), rel=1e-9)
    assert B[-1] == 0.0


def test_tells_of_a_singular_one() -> None:
    for A in ([1.0, 2.0, 2.0, 4.0], [np.nan, 2.0, 2.0, 4.0]):
        assert not call(np.array(A), 0, 2, np.ones(2), 0)
        assert not call_invert(np.array(A), 0, 2, np.ones(4))
