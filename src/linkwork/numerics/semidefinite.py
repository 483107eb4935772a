"""Symmetric positive semidefinite systems A x = b with dependent rows: pivoted Cholesky, minimum-norm solution.

A is scaled to a diagonal of one or less first, so that metres and radians weigh alike; rows without any are empty.
With A = L^T L (L of full row rank) the solution of least norm is x = L^T (L L^T)^-1 (L L^T)^-1 L b. Row c of L is what
the c-th pivot takes, over the rows of A as they are numbered there: zero for pivots before it.
"""

from __future__ import annotations

import math

from linkwork._jit import kernel, small
from linkwork.numerics.products import subtract_product, whole_vectors
from linkwork.numerics.short_rows import add_short_row, dot_short_row

EMPTY = 1e-20  # diagonal, as a fraction of what it could be, below which a row is no row
VANISHED = 1e-11  # diagonal, as a fraction of its own reference, below which a row has gone


@kernel
def factor(A, sure, least, tolerance, most, reference, scale, L, K, order):
    """Factor A (n, n); returns its rank. A is not changed.

    scale (n,), L (n, n), K (n, n), order (n,) are filled for `solve`. Rows are scaled by their `reference`, the largest
    diagonal that they have had: one that has nearly gone weighs as little and is the last to be taken, since what is
    left of it may be rounding. A pivot below `tolerance` ends the factorisation; the first `sure` pivots, which are
    known to be some, need only be above `least` as a part of what their rows have. A row is none whose diagonal is
    nothing of the `most` that it could be, or has shrunk to nothing of its `reference`.
    """
    n = A.shape[0]
    for i in range(n):
        there = A[i, i] > EMPTY * most[i] and A[i, i] > VANISHED * reference[i]
        scale[i] = 1.0 / math.sqrt(reference[i]) if there else 0.0
    return factor_known(A, n, sure, 0.0, tolerance, least, scale, 0, L, K, order)


@kernel
def factor_block(A, n, tolerance, own, scale, L, K, order):
    """Factor the leading (n, n) of A with the scales given; returns its rank.

    A pivot is above `tolerance`, and above `own` as a part of what its row had.
    """
    return factor_known(A, n, 0, tolerance, tolerance, own, scale, 0, L, K, order)


@kernel
def factor_known(A, n, sure, least, tolerance, own, scale, first, L, K, order):
    """As `factor_block`, with the scales from place `first` on.

    The first `sure` pivots, which are known to be some, need only be above `least`.
    """
    if n == 0:
        return 0
    w = L.shape[1]
    left = K[0]  # what remains of the diagonal waits here until the end
    for i in range(n):
        left[i] = A[i, i] * scale[first + i] * scale[first + i]
    rank = 0
    for c in range(n):
        p = 0
        for i in range(1, n):
            if left[i] > left[p]:
                p = i
        had = A[p, p] * scale[first + p] * scale[first + p]
        if not (left[p] > (least if c < sure else tolerance) and left[p] > own * had):
            break
        order[c] = p
        pivot = math.sqrt(left[p])
        own_scale = scale[first + p]
        for i in range(n):
            L[c, i] = A[p, i] * own_scale * scale[first + i]
        subtract_product(L, c * w, w, L, p, 0, w, L, 0, w, 1, whole_vectors(n, w), c)
        inverse = 1.0 / pivot
        for i in range(n):
            x = L[c, i] * inverse
            L[c, i] = x
            left[i] -= x * x
        L[c, p] = pivot
        left[p] = -math.inf
        rank = c + 1
    # rounding is left where pivots before it were
    for c in range(1, rank):
        for s in range(c):
            L[c, order[s]] = 0.0
    if rank < n:
        cholesky_gram(L, K, n, rank)
    return rank


@kernel
def cholesky_gram(L, K, n, rank):
    """K, lower: Cholesky factor of L L^T, L by columns."""
    w = L.shape[1]
    v = K.shape[1]
    for a in range(rank):
        for b in range(a + 1):
            x = dot_short_row(L, a * w, L, b * w, n) - dot_short_row(K, a * v, K, b * v, b)
            K[a, b] = math.sqrt(max(x, 1e-300)) if a == b else x / K[b, b]


@kernel
def half_solve(scale, L, K, order, rank, b, y):
    """y (rank,) with y . y' = b . A^+ b' for any two b and b': half of the way to the solution."""
    n = b.size
    w = L.shape[1]
    if rank == n:
        if n == 0:
            return
        left = K[0]  # K is not needed here
        for i in range(n):
            left[i] = b[i] * scale[i]
        for s in range(n):
            y[s] = left[order[s]] / L[s, order[s]]
            add_short_row(left, 0, -y[s], L, s * w, n)
        return
    for c in range(rank):
        value = 0.0
        for i in range(n):
            value += L[c, i] * b[i] * scale[i]
        y[c] = value
    solve_gram(K, rank, y)


@kernel
def half_solve_columns(scale, L, K, order, rank, n, A, first, last, half):
    """half[:, c] becomes the half solution for the first n of A[:, c]; c from first to last - 1."""
    w = L.shape[1]
    v = half.shape[1]
    m = last - first
    wide = whole_vectors(m, v - first)
    for s in range(rank):
        i = order[s]
        if rank == n:
            for c in range(first, last):
                half[s, c] = scale[i] * A[i, c]
            subtract_product(half, s * v + first, v, L, i, 0, w, half, first, v, 1, wide, s)
            divide_row(half, s, first, last, L[s, i])
            continue
        for c in range(first, last):
            half[s, c] = 0.0
        for j in range(n):
            add_short_row(half, s * v + first, L[s, j] * scale[j], A, j * A.shape[1] + first, m)
    if rank == n:
        return
    u = K.shape[1]
    for a in range(rank):
        subtract_product(half, a * v + first, v, K, a * u, 0, 1, half, first, v, 1, wide, a)
        divide_row(half, a, first, last, K[a, a])
    for a in range(rank - 1, -1, -1):
        e = a + 1
        subtract_product(half, a * v + first, v, K, e * u + a, 0, u, half, e * v + first, v, 1, wide, rank - e)
        divide_row(half, a, first, last, K[a, a])


@small
def divide_row(A, r, first, last, d):
    """A[r, first …] / d."""
    inverse = 1.0 / d
    for c in range(first, last):
        A[r, c] *= inverse


@kernel
def solve_gram(K, rank, y):
    """y becomes (L L^T)^-1 y."""
    w = K.shape[1]
    for a in range(rank):
        y[a] = (y[a] - dot_short_row(K, a * w, y, 0, a)) / K[a, a]
    for a in range(rank - 1, -1, -1):
        value = y[a]
        for e in range(a + 1, rank):
            value -= K[e, a] * y[e]
        y[a] = value / K[a, a]


@kernel
def solve(scale, L, K, order, rank, b, y, x):
    """x = A^+ b in the scaled norm. y (n,) is scratch; b is not changed."""
    n = b.size
    w = L.shape[1]
    half_solve(scale, L, K, order, rank, b, y)
    for i in range(n):
        x[i] = 0.0
    if rank == n:
        for s in range(n - 1, -1, -1):
            x[order[s]] = (y[s] - dot_short_row(L, s * w, x, 0, n)) / L[s, order[s]]
    else:
        solve_gram(K, rank, y)
        for c in range(rank):
            add_short_row(x, 0, y[c], L, c * w, n)
    for i in range(n):
        x[i] *= scale[i]
