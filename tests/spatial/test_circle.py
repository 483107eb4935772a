"""Sine and cosine inside kernels, against fifty decimal digits."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest

from linkwork._jit import entry
from linkwork.spatial.circle import FAR, sine_cosine
from linkwork.spatial.vectors import IDENTITY, turn_z

DIGITS = 60


@entry
def circle(x, s, c):
    for k in range(x.size):
        s[k], c[k] = sine_cosine(x[k])


@entry
def turned(x, s, c):
    """The same inside a kernel that may reorder its own sums."""
    for k in range(x.size):
        R = turn_z(IDENTITY, x[k])
        s[k], c[k] = R[3], R[0]


def pi():
    """Machin's formula."""

    def arctan_of_one_over(n):
        total = term = Decimal(1) / n
        k = 1
        while abs(term) > Decimal(10) ** -(DIGITS + 5):
            term = -term / (n * n)
            k += 2
            total += term / k
        return total

    return 4 * (4 * arctan_of_one_over(5) - arctan_of_one_over(239))


def exact(x):
    """(sin x, cos x) of a double, in decimals: whole turns off, then Taylor."""
    turn = 2 * pi()
    y = Decimal(x) % turn
    s = c = Decimal(0)
    term, k = Decimal(1), 0
    while abs(term) > Decimal(10) ** -(DIGITS - 5) or k < 4:
        if k % 2 == 0:
            c += term if k % 4 == 0 else -term
        else:
            s += term if k % 4 == 1 else -term
        k += 1
        term = term * y / k
    return s, c


def angles():
    rng = np.random.default_rng(10)
    quarters = np.arange(1, 25) * (math.pi / 2)
    far = np.array([1000, 4097, 63661]) * (math.pi / 2)
    return np.concatenate(
        [
            [0.0, 5e-324, 1e-300, 1e-20, 1e-9, 1e-4],
            rng.uniform(0, 8, 60),
            10.0 ** rng.uniform(-8, 5, 60),
            # where sine or cosine nearly vanish, the reduction is tried hardest
            quarters,
            np.nextafter(quarters, 0),
            far,
            # the borders between the polynomials
            quarters - math.pi / 4,
            [np.nextafter(FAR, 0), FAR, np.nextafter(FAR, 2 * FAR)],
        ]
    )


@pytest.mark.parametrize("kernel", [circle, turned])
def test_last_digit_or_two(kernel):
    x = angles()
    x = np.concatenate([x, -x])
    s, c = np.zeros(x.size), np.zeros(x.size)
    kernel(x, s, c)
    with localcontext() as context:
        context.prec = DIGITS
        for k in range(x.size):
            for found, wanted in zip((s[k], c[k]), exact(float(x[k])), strict=True):
                # a unit in the last place of the wanted number
                unit = Decimal(math.ulp(float(wanted)))
                assert abs(Decimal(float(found)) - wanted) <= 2 * unit, (x[k], found, float(wanted))


def test_huge_angles_are_those_of_the_library():
    rng = np.random.default_rng(11)
    x = 10.0 ** rng.uniform(5, 300, 200) * rng.choice([-1, 1], 200)
    s, c = np.zeros(x.size), np.zeros(x.size)
    circle(x, s, c)
    for k in range(x.size):
        assert abs(s[k] - math.sin(x[k])) <= 2 * math.ulp(math.sin(x[k]))
        assert abs(c[k] - math.cos(x[k])) <= 2 * math.ulp(math.cos(x[k]))


@pytest.mark.parametrize("kernel", [circle, turned])
def test_nothing_comes_from_nothing(kernel):
    x = np.array([math.nan, math.inf, -math.inf])
    s, c = np.zeros(3), np.zeros(3)
    kernel(x, s, c)
    assert np.all(np.isnan(s))
    assert np.all(np.isnan(c))
