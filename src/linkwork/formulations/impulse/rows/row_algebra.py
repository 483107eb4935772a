"""[MST17] Products with the halves u and z of the rows' responses, which extend over the spans of dofs they move.

A_rs = u_r . z_s        rate of row s by impulses p:   z_s . x,   x = sum of p_r u_r, the joint impulses
"""

from __future__ import annotations

from linkwork._jit import kernel, small
from linkwork.numerics.arrays import clear
from linkwork.numerics.lanes import SIX, add_three_rows, three_dots
from linkwork.numerics.short_rows import add_short_row, add_three_short_rows, dot_short_row, dot_three_short_rows


@small
def dot(a, r, i, x, j, n):
    """a[r, i …] . x[j …], n long."""
    return dot_short_row(a, r * a.shape[1] + i, x, j, n)


@small
def add_times(x, j, p, a, r, i, n):
    """x[j …] += p a[r, i …], n long."""
    add_short_row(x, j, p, a, r * a.shape[1] + i, n)


@kernel
def has_friction(rows, r, n):
    """Whether row r is a contact with its two rows of friction after it."""
    return r + 2 < n and rows.partner_row[r + 2] == r + 1 and rows.normal_row[r + 1] == r


@kernel
def row_width(rows, r):
    """Length of u and z of row r."""
    n = 0
    for b in range(rows.spans[r]):
        n += rows.span_length[r, b]
    return n


@kernel
def response(rows, r, s):
    """A_rs."""
    x = 0.0
    i = 0
    for b in range(rows.spans[r]):
        begin = rows.span_first[r, b]
        end = begin + rows.span_length[r, b]
        j = 0
        for c in range(rows.spans[s]):
            first = max(begin, rows.span_first[s, c])
            n = min(end, rows.span_first[s, c] + rows.span_length[s, c]) - first
            if n > 0:
                x += dot(rows.u, r, i + first - begin, rows.z[s], j + first - rows.span_first[s, c], n)
            j += rows.span_length[s, c]
        i += rows.span_length[r, b]
    return x


@kernel
def add_impulse(rows, r, p, x):
    """Add the impulse p of row r to the joint impulses x (dof,)."""
    i = 0
    for b in range(rows.spans[r]):
        n = rows.span_length[r, b]
        add_times(x, rows.span_first[r, b], p, rows.u, r, i, n)
        i += n


@kernel
def rate_change(rows, r, x):
    """Change of the rate of row r by the joint impulses x."""
    change = 0.0
    i = 0
    for b in range(rows.spans[r]):
        n = rows.span_length[r, b]
        change += dot(rows.z, r, i, x, rows.span_first[r, b], n)
        i += n
    return change


@small
def add_three_times(x, j, p, p_1, p_2, a, r, i, n):
    """x[j …] += p a[r, i …] + p_1 a[r + 1, i …] + p_2 a[r + 2, i …], n long."""
    if n == SIX:
        w = a.shape[1]
        add_three_rows(x, j, p, p_1, p_2, a, r * w + i, w)
    else:
        w = a.shape[1]
        add_three_short_rows(x, j, p, p_1, p_2, a, r * w + i, w, n)


@kernel
def add_contact_impulses(rows, r, p, p_1, p_2, x):
    """Add the impulses of a contact with friction to x: of row r and the two after it, which move the same dofs."""
    i = 0
    for b in range(rows.spans[r]):
        n = rows.span_length[r, b]
        add_three_times(x, rows.span_first[r, b], p, p_1, p_2, rows.u, r, i, n)
        i += n


@kernel
def contact_rate_changes(rows, r, x):
    """Changes of the rates of row r and the two after it by the joint impulses x."""
    a = 0.0
    a_1 = 0.0
    a_2 = 0.0
    i = 0
    for b in range(rows.spans[r]):
        n = rows.span_length[r, b]
        first = rows.span_first[r, b]
        w = rows.z.shape[1]
        if n == SIX:
            d, d_1, d_2 = three_dots(rows.z, r * w + i, w, x, first)
        else:
            d, d_1, d_2 = dot_three_short_rows(rows.z, r * w + i, w, x, first, n)
        a += d
        a_1 += d_1
        a_2 += d_2
        i += n
    return a, a_1, a_2


@kernel
def add_impulses(rows, n, p, x):
    """x becomes the joint impulses of all p."""
    clear(x)
    r = 0
    while r < n:
        if has_friction(rows, r, n):
            if p[r] != 0.0 or p[r + 1] != 0.0 or p[r + 2] != 0.0:
                add_contact_impulses(rows, r, p[r], p[r + 1], p[r + 2], x)
            r += 3
            continue
        if p[r] != 0.0:
            add_impulse(rows, r, p[r], x)
        r += 1


@small
def response_alike(rows, r, s, n):
    """A_rs of rows that move the same dofs, n of them."""
    return dot_short_row(rows.u, r * rows.u.shape[1], rows.z, s * rows.z.shape[1], n)
