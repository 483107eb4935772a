"""Products of small matrices by vector instructions, against numpy; what lies beside is not written."""

from __future__ import annotations

import numpy as np
import pytest

from linkwork._jit import entry
from linkwork.numerics.products import add_product, subtract_product


@entry
def both(A, C, M, rows, n, depth):  # type: ignore
    add_product(A, 3, A.shape[1], C, 2, C.shape[1], 1, M, 1, M.shape[1], rows, n, depth)
    subtract_product(A, 2, A.shape[1], C, 1, 1, C.shape[1], M, 0, M.shape[1], rows, n, depth)


@pytest.mark.parametrize("rows", [0, 1, 4, 7])
@pytest.mark.parametrize(("n", "depth"), [(0, 3), (1, 1), (3, 0), (5, 4), (8, 2), (15, 7), (61, 3)])
def test_compiled_is_what_plain_python_does(rows: int, n: int, depth: int) -> None:
    rng = np.random.default_rng([rows, n, depth])
    given = rng.normal(size=(9, 66)), rng.normal(size=(10, 10)), rng.normal(size=(9, 63))
    results = []
    for call in (both, both.py_func):
        A, C, M = (each.copy() for each in given)
        call(A, C, M, rows, n, depth)
        assert (given[1] == C).all()
        assert (given[2] == M).all()
        results.append(A)
    assert results[0] == pytest.approx(results[1], rel=1e-12, abs=1e-12)
    written = np.zeros(given[0].shape, dtype=bool)
    written[:rows, 2 : n + 3] = n > 0
    assert (results[0] == given[0])[~written].all()


def test_is_a_product() -> None:
    rng = np.random.default_rng(0)
    A, C, M = np.zeros((5, 11)), rng.normal(size=(5, 6)), rng.normal(size=(6, 11))
    add_product(A, 0, 11, C, 0, 6, 1, M, 0, 11, 5, 11, 6)
    assert np.allclose(A, C @ M, rtol=1e-12)
