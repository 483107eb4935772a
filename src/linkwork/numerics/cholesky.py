"""Cholesky factor of a dense symmetric positive definite matrix, in place."""

from __future__ import annotations

import math

from linkwork._jit import kernel


@kernel
def factor(A):
    """A becomes its lower factor (the upper triangle is not touched). False where A is not positive definite."""
    n = A.shape[0]
    for i in range(n):
        for j in range(i + 1):
            x = A[i, j]
            for k in range(j):
                x -= A[i, k] * A[j, k]
            if i == j:
                if not x > 0.0:
                    return False
                A[i, i] = math.sqrt(x)
            else:
                A[i, j] = x / A[j, j]
    return True


@kernel
def solve(L, b):
    """b becomes the solution of L L^T x = b."""
    n = b.size
    for i in range(n):
        x = b[i]
        for k in range(i):
            x -= L[i, k] * b[k]
        b[i] = x / L[i, i]
    for i in range(n - 1, -1, -1):
        x = b[i]
        for k in range(i + 1, n):
            x -= L[k, i] * b[k]
        b[i] = x / L[i, i]
