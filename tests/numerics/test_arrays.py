"""Copies, largest entries and the test for finite numbers, with empty arrays and numbers that are none."""

from __future__ import annotations

import numpy as np
import pytest

from linkwork._jit import entry
from linkwork.numerics.arrays import copy, finite, largest


@entry
def looked_at(x, out):
    copy(x, out)
    return largest(x), finite(x)


@pytest.mark.parametrize(
    ("x", "most", "good"),
    [
        ([], 0.0, True),
        ([1.0, -3.0, 2.0], 3.0, True),
        ([0.0, np.inf], np.inf, False),
        ([0.0, np.nan, 1.0], 1.0, False),
        ([np.inf, -np.inf], np.inf, False),
    ],
)
def test_arrays(x, most, good):
    out = np.full(len(x) + 2, 7.0)
    found = looked_at(np.array(x, dtype=float), out)
    assert found == (most, good)
    np.testing.assert_array_equal(out, [*x, 7.0, 7.0])
