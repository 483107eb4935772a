"""Gauss's elimination against numpy's."""

from __future__ import annotations

import numpy as np
import pytest

from linkwork._jit import entry
from linkwork.numerics.gauss import solve_in_place


@entry
def call(A, b, n):  # type: ignore
    return solve_in_place(A, b, n)


@pytest.mark.parametrize("n", [1, 2, 5, 18])
def test_solves_systems_without_symmetry(n: int) -> None:
    rng = np.random.default_rng(n)
    A, b = rng.normal(size=(n + 2, n + 2)), rng.normal(size=n + 2)
    A[0, 0] = 0.0 if n > 1 else 1.0  # asks for another pivot
    x = b.copy()
    assert call(A.copy(), x, n)
    assert x[:n] == pytest.approx(np.linalg.solve(A[:n, :n], b[:n]), rel=1e-9)
    assert (x[n:] == b[n:]).all()


def test_tells_of_a_singular_one() -> None:
    assert not call(np.array([[1.0, 2.0], [2.0, 4.0]]), np.ones(2), 2)
    assert not call(np.array([[np.nan, 2.0], [2.0, 4.0]]), np.ones(2), 2)
