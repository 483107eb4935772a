"""Gauss's elimination with partial pivoting, in place: small dense systems without symmetry, matrices by rows.

The last unknown is eliminated first: the dofs of a tree's branches come after those of its trunk, and have nothing to
do with each other until those of the trunk are left.
"""

from __future__ import annotations

from linkwork._jit import kernel
from linkwork.numerics.short_rows import add_short_row, dot_short_row

NO_PIVOT = 1e300  # a pivot this large is none


@kernel
def solve_in_place(A, o, n, w, x, f):
    """x[f …] becomes the solution with the (n, n) matrix at A[o …], which is used up. False where there is no pivot.

    Rows of the matrix are w numbers apart.
    """
    for c in range(n - 1, -1, -1):
        best = c
        for i in range(c):
            if abs(A[o + i * w + c]) > abs(A[o + best * w + c]):
                best = i
        if not 0.0 < abs(A[o + best * w + c]) < NO_PIVOT:
            return False
        if best != c:
            for j in range(c + 1):
                kept = A[o + c * w + j]
                A[o + c * w + j] = A[o + best * w + j]
                A[o + best * w + j] = kept
            kept = x[f + c]
            x[f + c] = x[f + best]
            x[f + best] = kept
        inverse = 1.0 / A[o + c * w + c]
        for i in range(c):
            if A[o + i * w + c] != 0.0:
                g = A[o + i * w + c] * inverse
                add_short_row(A, o + i * w, -g, A, o + c * w, c)
                x[f + i] -= g * x[f + c]
    for i in range(n):
        x[f + i] = (x[f + i] - dot_short_row(A, o + i * w, x, f, i)) / A[o + i * w + i]
    return True


@kernel
def invert(A, o, n, B):
    """B[0 …] becomes the inverse of the (n, n) matrix at A[o …], which is used up. False where there is no pivot."""
    for i in range(n):
        for j in range(n):
            B[i * n + j] = 1.0 if i == j else 0.0
    for c in range(n):
        best = c
        for i in range(c + 1, n):
            if abs(A[o + i * n + c]) > abs(A[o + best * n + c]):
                best = i
        if not 0.0 < abs(A[o + best * n + c]) < NO_PIVOT:
            return False
        f = 1.0 / A[o + best * n + c]
        for j in range(n):
            kept = A[o + c * n + j]
            A[o + c * n + j] = f * A[o + best * n + j]
            if best != c:
                A[o + best * n + j] = kept
            kept = B[c * n + j]
            B[c * n + j] = f * B[best * n + j]
            if best != c:
                B[best * n + j] = kept
        for i in range(n):
            g = A[o + i * n + c]
            if i != c and g != 0.0:
                add_short_row(A, o + i * n + c, -g, A, o + c * n + c, n - c)
                add_short_row(B, i * n, -g, B, c * n, n)
    return True
