"""Products of short rows, four at a time, against numpy; what lies beside is not written."""

from __future__ import annotations

import numpy as np
import pytest

from linkwork._jit import entry
from linkwork.numerics.short_rows import add_short_row, add_three_short_rows, dot_short_row, dot_three_short_rows


@entry
def all_of_them(Z, x, n, out):  # type: ignore
    w = Z.shape[1]
    out[0] = dot_short_row(Z, w + 2, x, 3, n)
    out[1], out[2], out[3] = dot_three_short_rows(Z, 2, w, x, 5, n)
    add_short_row(x, 2, out[0], Z, w + 1, n)
    add_three_short_rows(x, 4, 2.0, out[1], -3.0, Z, 3, w, n)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5, 7, 8, 11, 16, 19])
def test_compiled_is_what_plain_python_does(n: int) -> None:
    rng = np.random.default_rng(n)
    given = rng.normal(size=(4, 25)), rng.normal(size=30)
    results = []
    for call in (all_of_them, all_of_them.py_func):
        Z, x = (each.copy() for each in given)
        out = np.zeros(4)
        call(Z, x, n, out)
        results.append((Z, x, out))
    for one, two in zip(*results, strict=True):
        assert one == pytest.approx(two, rel=1e-12, abs=1e-12)
    assert (results[0][1] != given[1]).any() == (n > 0)
