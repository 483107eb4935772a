"""Gauss's elimination with partial pivoting, in place: small dense systems without symmetry.

The last unknown is eliminated first: the dofs of a tree's branches come after those of its trunk, and have nothing to
do with each other until those of the trunk are left.
"""

from __future__ import annotations

from linkwork._jit import kernel


@kernel
def solve_in_place(A, b, n):
    """b becomes the solution of the leading (n, n) system; A is used up. False where a pivot is zero or not finite."""
    for c in range(n - 1, -1, -1):
        best = c
        for i in range(c):
            if abs(A[i, c]) > abs(A[best, c]):
                best = i
        if not 0.0 < abs(A[best, c]) < 1e300:
            return False
        if best != c:
            for j in range(c + 1):
                kept = A[c, j]
                A[c, j] = A[best, j]
                A[best, j] = kept
            kept = b[c]
            b[c] = b[best]
            b[best] = kept
        inverse = 1.0 / A[c, c]
        for i in range(c):
            if A[i, c] != 0.0:
                f = A[i, c] * inverse
                for j in range(c):
                    A[i, j] -= f * A[c, j]
                b[i] -= f * b[c]
    for i in range(n):
        x = b[i]
        for j in range(i):
            x -= A[i, j] * b[j]
        b[i] = x / A[i, i]
    return True
