"""[MST17] Products with the halves u and z of the rows' responses, which reach only over the runs of dofs they move.

A_rs = u_r . z_s        rate of row s by impulses p:   z_s . x,   x = sum of p_r u_r
"""

from __future__ import annotations

from linkwork._jit import kernel, small


@small
def dot(a, r, i, x, j, n):
    """a[r, i …] . x[j …], n long; of a loose body written out: most of the time of a pile is spent here."""
    if n == 6:
        return (
            a[r, i] * x[j]
            + a[r, i + 1] * x[j + 1]
            + a[r, i + 2] * x[j + 2]
            + a[r, i + 3] * x[j + 3]
            + a[r, i + 4] * x[j + 4]
            + a[r, i + 5] * x[j + 5]
        )
    total = 0.0
    for k in range(n):
        total += a[r, i + k] * x[j + k]
    return total


@small
def add_times(x, j, p, a, r, i, n):
    """x[j …] += p a[r, i …], n long."""
    if n == 6:
        x[j] += p * a[r, i]
        x[j + 1] += p * a[r, i + 1]
        x[j + 2] += p * a[r, i + 2]
        x[j + 3] += p * a[r, i + 3]
        x[j + 4] += p * a[r, i + 4]
        x[j + 5] += p * a[r, i + 5]
    else:
        for k in range(n):
            x[j + k] += p * a[r, i + k]


@kernel
def rubs(rows, r, n):
    """Whether row r is a contact with two rows of friction after it."""
    return r + 2 < n and rows.partner[r + 2] == r + 1 and rows.normal[r + 1] == r


@kernel
def response(rows, r, s):
    """A_rs."""
    x = 0.0
    i = 0
    for b in range(rows.runs[r]):
        begin = rows.first[r, b]
        end = begin + rows.length[r, b]
        j = 0
        for c in range(rows.runs[s]):
            first = max(begin, rows.first[s, c])
            n = min(end, rows.first[s, c] + rows.length[s, c]) - first
            if n > 0:
                x += dot(rows.u, r, i + first - begin, rows.z[s], j + first - rows.first[s, c], n)
            j += rows.length[s, c]
        i += rows.length[r, b]
    return x


@kernel
def add_impulse(rows, r, p, x):
    """x (dof,) gets what the impulse p of row r leaves for the joints."""
    i = 0
    for b in range(rows.runs[r]):
        n = rows.length[r, b]
        add_times(x, rows.first[r, b], p, rows.u, r, i, n)
        i += n


@kernel
def rate_change(rows, r, x):
    """Change of the rate of row r by all that is in x."""
    change = 0.0
    i = 0
    for b in range(rows.runs[r]):
        n = rows.length[r, b]
        change += dot(rows.z, r, i, x, rows.first[r, b], n)
        i += n
    return change


@small
def add_three_times(x, j, p, p_1, p_2, a, r, i, n):
    """x[j …] += p a[r, i …] + p_1 a[r + 1, i …] + p_2 a[r + 2, i …], n long."""
    if n == 6:
        x[j] += p * a[r, i] + p_1 * a[r + 1, i] + p_2 * a[r + 2, i]
        x[j + 1] += p * a[r, i + 1] + p_1 * a[r + 1, i + 1] + p_2 * a[r + 2, i + 1]
        x[j + 2] += p * a[r, i + 2] + p_1 * a[r + 1, i + 2] + p_2 * a[r + 2, i + 2]
        x[j + 3] += p * a[r, i + 3] + p_1 * a[r + 1, i + 3] + p_2 * a[r + 2, i + 3]
        x[j + 4] += p * a[r, i + 4] + p_1 * a[r + 1, i + 4] + p_2 * a[r + 2, i + 4]
        x[j + 5] += p * a[r, i + 5] + p_1 * a[r + 1, i + 5] + p_2 * a[r + 2, i + 5]
    else:
        for k in range(n):
            x[j + k] += p * a[r, i + k] + p_1 * a[r + 1, i + k] + p_2 * a[r + 2, i + k]


@kernel
def add_three(rows, r, p, p_1, p_2, x):
    """What impulses of a contact that rubs leave: of row r and the two after it, which move the same dofs."""
    i = 0
    for b in range(rows.runs[r]):
        n = rows.length[r, b]
        add_three_times(x, rows.first[r, b], p, p_1, p_2, rows.u, r, i, n)
        i += n


@kernel
def change_three(rows, r, x):
    """Changes of the rates of these three rows."""
    a = 0.0
    a_1 = 0.0
    a_2 = 0.0
    i = 0
    for b in range(rows.runs[r]):
        n = rows.length[r, b]
        first = rows.first[r, b]
        a += dot(rows.z, r, i, x, first, n)
        a_1 += dot(rows.z, r + 1, i, x, first, n)
        a_2 += dot(rows.z, r + 2, i, x, first, n)
        i += n
    return a, a_1, a_2
