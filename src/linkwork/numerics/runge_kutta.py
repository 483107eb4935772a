"""Explicit Runge-Kutta and Adams formulas on flat vectors, called by a method between its evaluations."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkwork._jit import kernel

Floats = NDArray[np.float64]


class Tableau(NamedTuple):
    """Butcher's tableau. The first stage is the rate at the beginning of the step."""

    a: Floats  # (stage, stage)
    b: Floats  # (stage,)
    c: Floats  # (stage,)
    e: Floats  # (stage + 1,) weights of the error estimate; the last is for the rate at the end of the step


def _tableau(rows: list[list[float]], b: list[float], e: list[float] | None = None) -> Tableau:
    n = len(b)
    a = np.zeros((n, n))
    for k, row in enumerate(rows):
        a[k + 1, : len(row)] = row
    return Tableau(a, np.array(b), a.sum(axis=1), np.array(e if e is not None else [0.0] * (n + 1)))


MIDPOINT = _tableau([[0.5]], [0.0, 1.0])
CLASSIC = _tableau([[0.5], [0.0, 0.5], [0.0, 0.0, 1.0]], [1 / 6, 1 / 3, 1 / 3, 1 / 6])
# Dormand and Prince 5(4); the seventh stage is the rate at the end of the step
DORMAND_PRINCE = _tableau(
    [
        [1 / 5],
        [3 / 40, 9 / 40],
        [44 / 45, -56 / 15, 32 / 9],
        [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
        [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
    ],
    [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
    [71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40],
)


@kernel
def stage(tableau, s, y, h, k, out):
    """out = y + h sum a[s, j] k[j]."""
    for i in range(y.size):
        x = 0.0
        for j in range(s):
            x += tableau.a[s, j] * k[j, i]
        out[i] = y[i] + h * x


@kernel
def finish(tableau, y, h, k, out):
    """out = y + h sum b[j] k[j]."""
    for i in range(y.size):
        x = 0.0
        for j in range(tableau.b.size):
            x += tableau.b[j] * k[j, i]
        out[i] = y[i] + h * x


@kernel
def error_norm(tableau, y, new, h, k, end, rtol, atol, n):
    """Root mean square of the estimated error of the first n values; 1 is just acceptable."""
    total = 0.0
    stages = tableau.b.size
    for i in range(n):
        x = tableau.e[stages] * end[i]
        for j in range(stages):
            x += tableau.e[j] * k[j, i]
        x = h * x / (atol + rtol * max(abs(y[i]), abs(new[i])))
        total += x * x
    return math.sqrt(total / max(n, 1))


@kernel
def adams_bashforth(y, h, f, out):
    """Predictor of order 4; f[0] is the newest rate."""
    for i in range(y.size):
        out[i] = y[i] + h / 24.0 * (55.0 * f[0, i] - 59.0 * f[1, i] + 37.0 * f[2, i] - 9.0 * f[3, i])


@kernel
def adams_moulton(y, h, end, f, out):
    """Corrector of order 4; `end` is the rate at the predicted end."""
    for i in range(y.size):
        out[i] = y[i] + h / 24.0 * (9.0 * end[i] + 19.0 * f[0, i] - 5.0 * f[1, i] + f[2, i])
