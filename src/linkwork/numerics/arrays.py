"""Small things that every method does with plain arrays."""

from __future__ import annotations

import math

from linkwork._jit import kernel


@kernel
def copy(x, out):
    """out = x, the first x.size entries."""
    for i in range(x.size):
        out[i] = x[i]


@kernel
def clear(x):
    """All entries become 0."""
    for i in range(x.size):
        x[i] = 0.0


@kernel
def exchange(a, b):
    """Exchange the entries of two arrays of the same size."""
    for i in range(a.size):
        a[i], b[i] = b[i], a[i]


@kernel
def swap(a, b):
    """Exchange the entries of two tables of the same shape."""
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            a[i, j], b[i, j] = b[i, j], a[i, j]


@kernel
def largest(x):
    """The largest |x_i|; 0 of an empty array."""
    m = 0.0
    for i in range(x.size):
        m = max(m, abs(x[i]))
    return m


@kernel
def finite(x):
    """Whether all entries are finite, and their sum is."""
    s = 0.0
    for i in range(x.size):
        s += x[i]
    return math.isfinite(s)
