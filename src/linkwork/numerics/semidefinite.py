"""Symmetric positive semidefinite systems A x = b with dependent rows: pivoted Cholesky, minimum-norm solution.

A is scaled to a unit diagonal first, so that metres and radians weigh alike; rows without any diagonal are empty.
With A = L L^T (L of full column rank) the solution of least norm is x = L (L^T L)^-1 (L^T L)^-1 L^T b.
"""

from __future__ import annotations

import math

from linkwork._jit import kernel

EMPTY = 1e-20  # diagonal, as a fraction of what it could be, below which a row is no row
VANISHED = 1e-11  # diagonal, as a fraction of its own reference, below which a row has gone


@kernel
def factor(A, tolerance, most, reference, scale, L, K, order):
    """Factor A (n, n); returns its rank. A is not changed.

    scale (n,), L (n, n), K (n, n), order (n,) are filled for `solve`. A pivot below `tolerance` (of the scaled
    matrix, whose diagonal is 1) ends the factorisation. A row is none whose diagonal is nothing of the `most` that it
    could be, or has shrunk to nothing of its `reference`.
    """
    n = A.shape[0]
    for i in range(n):
        there = A[i, i] > EMPTY * most[i] and A[i, i] > VANISHED * reference[i]
        scale[i] = 1.0 / math.sqrt(A[i, i]) if there else 0.0
    return factor_block(A, n, tolerance, scale, 0, L, K, order)


@kernel
def factor_block(A, n, tolerance, scale, first, L, K, order):
    """Factor the leading (n, n) of A with the scales given from place `first` on; returns its rank."""
    return factor_known(A, n, 0, tolerance, tolerance, scale, first, L, K, order)


@kernel
def factor_known(A, n, sure, least, tolerance, scale, first, L, K, order):
    """As `factor_block`; the first `sure` pivots, which are known to be some, need only be above `least`."""
    # the remaining diagonal waits in K[:, 0] until the end
    for i in range(n):
        order[i] = i
        K[i, 0] = A[i, i] * scale[first + i] * scale[first + i]
    rank = 0
    for c in range(n):
        best = c
        for i in range(c + 1, n):
            if K[order[i], 0] > K[order[best], 0]:
                best = i
        kept = order[c]
        order[c] = order[best]
        order[best] = kept
        p = order[c]
        pivot = K[p, 0]
        if not pivot > (least if c < sure else tolerance):
            break
        pivot = math.sqrt(pivot)
        L[p, c] = pivot
        for s in range(c + 1, n):
            i = order[s]
            x = A[i, p] * scale[first + i] * scale[first + p]
            for e in range(c):
                x -= L[i, e] * L[p, e]
            x /= pivot
            L[i, c] = x
            K[i, 0] -= x * x
        rank = c + 1
    if rank < n:
        # L is zero above its pivots
        for s in range(rank):
            for c in range(s + 1, rank):
                L[order[s], c] = 0.0
        cholesky_gram(L, K, n, rank)
    return rank


@kernel
def cholesky_gram(L, K, n, rank):
    """K, lower: Cholesky factor of L^T L."""
    for a in range(rank):
        for b in range(a + 1):
            x = 0.0
            for i in range(n):
                x += L[i, a] * L[i, b]
            for e in range(b):
                x -= K[a, e] * K[b, e]
            K[a, b] = math.sqrt(max(x, 1e-300)) if a == b else x / K[b, b]


@kernel
def half_solve(scale, L, K, order, rank, b, y):
    """y (rank,) with y . y' = b . A^+ b' for any two b and b': half of the way to the solution."""
    n = b.size
    if rank == n:
        for s in range(n):
            i = order[s]
            value = b[i] * scale[i]
            for c in range(s):
                value -= L[i, c] * y[c]
            y[s] = value / L[i, s]
        return
    for c in range(rank):
        value = 0.0
        for i in range(n):
            value += L[i, c] * b[i] * scale[i]
        y[c] = value
    solve_gram(K, rank, y)


@kernel
def solve_gram(K, rank, y):
    """y becomes (L^T L)^-1 y."""
    for a in range(rank):
        value = y[a]
        for e in range(a):
            value -= K[a, e] * y[e]
        y[a] = value / K[a, a]
    for a in range(rank - 1, -1, -1):
        value = y[a]
        for e in range(a + 1, rank):
            value -= K[e, a] * y[e]
        y[a] = value / K[a, a]


@kernel
def solve(scale, L, K, order, rank, b, y, x):
    """x = A^+ b in the scaled norm. y (n,) is scratch; b is not changed."""
    n = b.size
    half_solve(scale, L, K, order, rank, b, y)
    if rank == n:
        for s in range(n - 1, -1, -1):
            value = y[s]
            for e in range(s + 1, n):
                value -= L[order[e], s] * y[e]
            y[s] = value / L[order[s], s]
        for s in range(n):
            x[order[s]] = y[s] * scale[order[s]]
        return
    solve_gram(K, rank, y)
    for i in range(n):
        value = 0.0
        for c in range(rank):
            value += L[i, c] * y[c]
        x[i] = value * scale[i]
