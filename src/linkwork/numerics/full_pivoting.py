"""Gaussian elimination with full pivoting on a rectangular matrix: its rank, and which rows and columns make it up.

Nothing is swapped: `rows` and `columns` list the pivots in their order, and A keeps L below them and U from them on.
"""

from __future__ import annotations

from linkwork._jit import kernel


@kernel
def eliminate(A, rows, columns, count, tolerance):
    """Eliminate A in place with pivots among the first `count` of `columns`; returns the rank.

    A pivot counts from `tolerance` on. `rows` and `columns` are permuted; on entry they list what may be taken.
    """
    most = min(rows.size, count)
    for k in range(most):
        best = 0.0
        r = k
        c = k
        for i in range(k, rows.size):
            for j in range(k, count):
                x = abs(A[rows[i], columns[j]])
                if x > best:
                    best = x
                    r = i
                    c = j
        if not best > tolerance:
            return k
        row = rows[r]
        rows[r] = rows[k]
        rows[k] = row
        column = columns[c]
        columns[c] = columns[k]
        columns[k] = column
        pivot = A[row, column]
        for i in range(k + 1, rows.size):
            x = A[rows[i], column] / pivot
            A[rows[i], column] = x
            if x != 0.0:
                for j in range(k + 1, count):
                    A[rows[i], columns[j]] -= x * A[row, columns[j]]
    return most


@kernel
def solve(A, rows, columns, rank, b, x):
    """x at the first `rank` of `columns` from b at the first `rank` of `rows`."""
    for k in range(rank):
        value = b[rows[k]]
        for j in range(k):
            value -= A[rows[k], columns[j]] * x[columns[j]]
        x[columns[k]] = value
    for k in range(rank - 1, -1, -1):
        value = x[columns[k]]
        for j in range(k + 1, rank):
            value -= A[rows[k], columns[j]] * x[columns[j]]
        x[columns[k]] = value / A[rows[k], columns[k]]


@kernel
def solve_transposed(A, rows, columns, rank, b, x):
    """x at the first `rank` of `rows` from b at the first `rank` of `columns`: the transposed system."""
    for k in range(rank):
        value = b[columns[k]]
        for j in range(k):
            value -= A[rows[j], columns[k]] * x[rows[j]]
        x[rows[k]] = value / A[rows[k], columns[k]]
    for k in range(rank - 1, -1, -1):
        value = x[rows[k]]
        for j in range(k + 1, rank):
            value -= A[rows[j], columns[k]] * x[rows[j]]
        x[rows[k]] = value
