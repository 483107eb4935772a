"""[MST17] The Delassus matrix A of the rows of a step, formed from the halves of their responses.

    A_rs = u_r . z_s        S    Schur complement of A_BB, B the bilateral rows, C those after them

z of many rows is laid out by dofs, so that a row of A is a sum of a few rows of that table, one for each dof that row r
moves: vector instructions over the columns, and nothing for the dofs that it does not move.
"""

from __future__ import annotations

from linkwork._jit import kernel, small
from linkwork.formulations.impulse.rows.row_algebra import add_impulse, rate_change
from linkwork.numerics.arrays import clear
from linkwork.numerics.products import add_product, subtract_product, whole_vectors

MOST_COLUMNS = 128  # of A that are formed at once
FEW = 3  # so many rows are formed one by one
SPARSE = 8  # numbers for each one laid out: more are not worth to be cleared together


@small
def lay_out(rows, spread, first, last, on):
    """Column r - first of `spread` (dof, column) becomes z of row r, or zero again where `on` is False.

    Returns how many numbers these are, and the first and the last dof + 1.
    """
    count = 0
    least = spread.shape[0]
    most = 0
    for r in range(first, last):
        i = 0
        for b in range(rows.spans[r]):
            begin = rows.span_first[r, b]
            end = begin + rows.span_length[r, b]
            least = min(least, begin)
            most = max(most, end)
            for k in range(begin, end):
                spread[k, r - first] = rows.z[r, i] if on else 0.0
                i += 1
        count += i
    return count, least, most


@small
def clear_layout(rows, spread, first, last, count, least, most):
    """`spread` becomes zero again: all dofs from `least` on, where the rows move a good part of them."""
    n = last - first
    if (most - least) * n > SPARSE * count:
        lay_out(rows, spread, first, last, False)
        return
    for k in range(least, most):
        for c in range(n):
            spread[k, c] = 0.0


@small
def last_alike(rows, r, last):
    """The row after r and those that follow it between the same two links, which move the same dofs."""
    s = r + 1
    if rows.links[r, 1] >= 0:
        while s < last and rows.links[s, 0] == rows.links[r, 0] and rows.links[s, 1] == rows.links[r, 1]:
            s += 1
    return s


@kernel
def form_rows(rows, A, spread, x, first, last, begin, end):
    """A of the rows first … last - 1 and the columns begin … end - 1, without gamma.

    `spread` is zero before and after; x (dof,) is scratch.
    """
    if last - first <= FEW:
        for r in range(first, last):
            clear(x)
            add_impulse(rows, r, 1.0, x)
            for c in range(begin, end):
                A[r, c] = rate_change(rows, c, x)
    else:
        while begin < end:
            n = min(end - begin, spread.shape[1])
            form_columns(rows, A, spread, first, last, begin, n)
            begin += n


@kernel
def form_columns(rows, A, spread, first, last, begin, n):
    """A of the rows first … last - 1 and of n columns."""
    w = A.shape[1]
    width = rows.u.shape[1]
    columns = spread.shape[1]
    wide = min(whole_vectors(n, w - begin), columns)
    count, least, most = lay_out(rows, spread, begin, begin + n, True)
    r = first
    while r < last:
        end = last_alike(rows, r, last)
        for s in range(r, end):
            for c in range(begin, begin + wide):
                A[s, c] = 0.0
        i = r * width
        for b in range(rows.spans[r]):
            length = rows.span_length[r, b]
            m = rows.span_first[r, b] * columns
            add_product(A, r * w + begin, w, rows.u, i, width, 1, spread, m, columns, end - r, wide, length)
            i += length
        r = end
    clear_layout(rows, spread, begin, begin + n, count, least, most)


@small
def add_softness(rows, A, first, last):
    """Gamma of the rows first … last - 1 onto the diagonal of A."""
    for r in range(first, last):
        A[r, r] += rows.gamma[r]


@kernel
def subtract_bilateral(A, half, rank, first, last):
    """Put S in place of A_CC, C the rows first … last - 1; `half` are the half solutions of A_BB for their columns."""
    w = A.shape[1]
    v = half.shape[1]
    n = last - first
    wide = min(whole_vectors(n, w - first), v - first)
    subtract_product(A, first * w + first, w, half, first, 1, v, half, first, v, n, wide, rank)


@kernel
def responses_left(rows, half, rank, first, last, left):
    """Responses of the rows first … last - 1 while the bilateral ones hold, into `left`."""
    for r in range(first, last):
        left[r] = rows.diagonal[r]
    for k in range(rank):
        for r in range(first, last):
            left[r] -= half[k, r] * half[k, r]
