"""Gauss's elimination with partial pivoting, in place: small dense systems without symmetry, matrices by rows.

The last unknown is eliminated first: the dofs of a tree's branches come after those of its trunk, and have nothing to
do with each other until those of the trunk are left. Four unknowns are eliminated at once, so that most of the work is
products of matrices (products.py). What is left below the diagonal, with it, is one factor, what is above it the other.
"""

from __future__ import annotations

from linkwork._jit import kernel, small
from linkwork.numerics.products import subtract_product
from linkwork.numerics.short_rows import add_short_row, dot_short_row

NO_PIVOT = 1e300  # a pivot this large is none
PANEL = 4  # unknowns that are eliminated at once


@small
def swap_rows(A, a, b, n):
    """Exchange n numbers at A[a …] and A[b …]."""
    for j in range(n):
        kept = A[a + j]
        A[a + j] = A[b + j]
        A[b + j] = kept


@kernel
def factor_square(A, o, n, w, pivot):
    """Factor the (n, n) matrix at A[o …], whose rows are w numbers apart; False where there is no pivot.

    pivot[c] becomes the row that was exchanged with row c.
    """
    last = n
    while last > 0:
        first = max(last - PANEL, 0)
        for c in range(last - 1, first - 1, -1):
            best = c
            for i in range(c):
                if abs(A[o + i * w + c]) > abs(A[o + best * w + c]):
                    best = i
            if not 0.0 < abs(A[o + best * w + c]) < NO_PIVOT:
                return False
            pivot[c] = best
            if best != c:
                swap_rows(A, o + c * w, o + best * w, n)
            inverse = 1.0 / A[o + c * w + c]
            for i in range(c):
                g = A[o + i * w + c] * inverse
                A[o + i * w + c] = g
                if g != 0.0:
                    for j in range(first, c):
                        A[o + i * w + j] -= g * A[o + c * w + j]
        for c in range(last - 1, first, -1):
            for i in range(first, c):
                add_short_row(A, o + i * w, -A[o + i * w + c], A, o + c * w, first)
        subtract_product(A, o, w, A, o + first, w, 1, A, o + first * w, w, first, first, last - first)
        last = first
    return True


@kernel
def solve_square(A, o, n, w, pivot, x, f):
    """x[f …] becomes the solution with the factors of `factor_square`."""
    for c in range(n - 1, -1, -1):
        kept = x[f + c]
        x[f + c] = x[f + pivot[c]]
        x[f + pivot[c]] = kept
    for c in range(n - 2, -1, -1):
        x[f + c] -= dot_short_row(A, o + c * w + c + 1, x, f + c + 1, n - c - 1)
    for i in range(n):
        x[f + i] = (x[f + i] - dot_short_row(A, o + i * w, x, f, i)) / A[o + i * w + i]


@kernel
def solve_square_columns(A, o, n, w, pivot, B, b, v, columns):
    """The same for the columns of the (n, columns) matrix at B[b …], whose rows are v numbers apart."""
    for c in range(n - 1, -1, -1):
        if pivot[c] != c:
            swap_rows(B, b + c * v, b + pivot[c] * v, columns)
    last = n
    while last > 0:
        first = max(last - PANEL, 0)
        for c in range(last - 1, first, -1):
            for i in range(first, c):
                add_short_row(B, b + i * v, -A[o + i * w + c], B, b + c * v, columns)
        subtract_product(B, b, v, A, o + first, w, 1, B, b + first * v, v, first, columns, last - first)
        last = first
    first = 0
    while first < n:
        last = min(first + PANEL, n)
        subtract_product(B, b + first * v, v, A, o + first * w, w, 1, B, b, v, last - first, columns, first)
        for i in range(first, last):
            for j in range(first, i):
                add_short_row(B, b + i * v, -A[o + i * w + j], B, b + j * v, columns)
            inverse = 1.0 / A[o + i * w + i]
            for j in range(columns):
                B[b + i * v + j] *= inverse
        first = last
