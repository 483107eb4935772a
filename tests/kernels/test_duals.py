"""Numbers with slopes: every operation that kernels use, against differences; values as plain numbers have them."""

import math

import numpy as np
import pytest

from linkwork._jit import entry
from linkwork._kernels.duals import SLOPES, lift
from linkwork.numerics.lanes import (
    BLOCK,
    LANES,
    add_outer_products,
    add_row,
    add_three_rows,
    multiply_block,
    subtract_block_product,
    three_dots,
)
from linkwork.numerics.products import add_product, subtract_product
from linkwork.numerics.short_rows import add_short_row, add_three_short_rows, dot_short_row, dot_three_short_rows

pytest.importorskip("numba")


@entry
def operations(x, y):
    a, b = x[0], x[1]
    y[0] = a + b
    y[1] = a - b
    y[2] = a * b
    y[3] = a / b
    y[4] = a**b
    y[5] = math.atan2(a, b)
    y[6] = math.hypot(a, b)
    y[7] = math.copysign(a, -b)
    y[8] = max(a, b)
    y[9] = min(a, b)
    y[10] = -a
    y[11] = abs(-a)
    y[12] = math.sqrt(a)
    y[13] = math.sin(a)
    y[14] = math.cos(a)
    y[15] = math.tan(a)
    y[16] = math.exp(a)
    y[17] = math.log(a)
    y[18] = math.sinh(a)
    y[19] = math.cosh(a)
    y[20] = math.tanh(a)
    y[21] = math.atan(a)
    y[22] = math.asin(a)
    y[23] = math.acos(a)
    y[24] = 2.0 + a
    y[25] = a - 3
    y[26] = 2.0 - a
    y[27] = 1.0 / a
    y[28] = a / 3.0
    y[29] = a**2
    y[30] = math.pow(2.0, a)
    y[31] = a if a > b else b
    y[32] = math.floor(3.0 * a) * b
    y[33] = a - round(a)
    y[34] = a + np.rint(3.0 * a)
    y[35] = a if math.isfinite(b) and not math.isnan(b) and b != a else 0.0
    y[36] = max(a, 0.1)
    y[37] = min(0.1, a)
    c = 0.0
    for k in range(2):
        c += x[k] * x[1 - k]
        c -= 0.5 * x[k]
        c *= x[k]
        c /= 2.0 + x[k]
    y[38] = c
    y[39] = math.ceil(a) * b
    y[40] = (7.0 * b) % a
    y[41] = b // a + a
    y[42] = np.sign(-a) * b + np.sin(a) * np.maximum(a, b) - np.abs(-b) + np.arctan2(a, b)


COUNT = 43
X = np.array([0.37, 0.83])


def slopes_by_differences(f, x, k, h=1e-3):
    """Central differences, extrapolated twice."""

    def central(h):
        up, down = x.copy(), x.copy()
        up[k] += h
        down[k] -= h
        return (f(up) - f(down)) / (2 * h)

    coarse, fine, finest = central(h), central(h / 2), central(h / 4)
    first, second = (4 * fine - coarse) / 3, (4 * finest - fine) / 3
    return (16 * second - first) / 15


def plain(x):
    y = np.zeros(COUNT)
    operations(x, y)
    return y


def test_every_operation_has_its_slope():
    x, y = lift(X), lift(np.zeros(COUNT))
    for k in range(2):
        x["d"][k, k] = 1.0
    operations(x, y)
    np.testing.assert_allclose(y["v"], plain(X), rtol=1e-15, atol=1e-300)
    for k in range(2):
        wanted = slopes_by_differences(plain, X, k)
        np.testing.assert_allclose(y["d"][:, k], wanted, rtol=1e-10, atol=1e-10)
    assert not y["d"][:, 2:].any()


@entry
def at_zero(x, y):
    y[0] = math.sqrt(x[0])
    y[1] = math.hypot(x[0], x[0])
    y[2] = math.atan2(x[0], x[0])
    y[3] = math.acos(1.0 + x[0])
    y[4] = x[0] ** 0.0


def test_what_has_no_slope_at_zero_gets_none():
    """The length of a velocity at rest must not make every other slope a NaN."""
    x, y = lift(np.zeros(1)), lift(np.zeros(5))
    x["d"][0, 0] = 1.0
    at_zero(x, y)
    assert np.isfinite(y["d"]).all()


@entry
def lanes(A, B, C, x, y):
    add_row(A, 0, x[0], B, LANES)
    subtract_block_product(C, 2 * BLOCK, 0, BLOCK)
    multiply_block(B, A, 0)
    add_outer_products(A, 0, x[0], x[1], x[2], x, 3, B, 0, LANES)
    a, b, c = three_dots(B, 0, LANES, x, 2)
    add_three_rows(x, 2, a, b, c, B, 8, LANES)
    y[0], y[1], y[2] = a, b, c


@entry
def rows(A, B, C, x, y):
    add_product(A, 0, 8, B, 1, 8, 1, C, 2, 8, 3, 5, 4)
    subtract_product(A, 8, 8, B, 0, 1, 8, C, 0, 8, 2, 7, 3)
    y[3] = dot_short_row(A, 3, x, 1, 7)
    y[0], y[1], y[2] = dot_three_short_rows(B, 0, 8, x, 0, 7)
    add_short_row(x, 0, y[0], A, 4, 9)
    add_three_short_rows(x, 1, y[1], y[2], x[0], C, 0, 8, 6)


@pytest.mark.parametrize("function", [lanes, rows])
def test_what_writes_vector_instructions_has_slopes_too(function):
    """Values as the vector instructions have them, slopes as differences of them."""
    rng = np.random.default_rng(3)
    sizes = (BLOCK, BLOCK, 3 * BLOCK, 32, 4)
    start = [rng.normal(size=n) / 3 for n in sizes]
    ways = [rng.normal(size=n) / 3 for n in sizes]

    def ends(s):
        arrays = [x + s[0] * way for x, way in zip(start, ways, strict=True)]
        function(*arrays)
        return np.concatenate(arrays)

    lifted = [lift(x) for x in start]
    for x, way in zip(lifted, ways, strict=True):
        for k in range(SLOPES):
            x["d"][:, k] = (k + 1) * way
    function(*lifted)
    np.testing.assert_allclose(np.concatenate([x["v"] for x in lifted]), ends([0.0]), rtol=1e-13, atol=1e-14)
    wanted = slopes_by_differences(ends, np.zeros(1), 0)
    found = np.concatenate([x["d"] for x in lifted])
    for k in range(SLOPES):
        np.testing.assert_allclose(found[:, k], (k + 1) * wanted, rtol=1e-9, atol=1e-9)
