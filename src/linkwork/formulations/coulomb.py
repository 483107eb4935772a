"""A guess at all impulses at once where contacts rub: which stick, slide or open, and Newton's step for these.

    a     p - v / S_rr: the impulse that a row would take by itself       v   its rate beyond what it wants
    d e   directions along and across the slip                            x   what all impulses leave for the joints

A contact whose a is negative is open; one whose friction keeps within mu a sticks, and holds in three rows; any other
slides: its friction is mu p_n d, so that the impulse p_n acts along n + mu d while the row asks for the rate along n.
Across the slip friction turns with the motion, as a damper of mu p_n over the speed would. All this is linear in the
impulses, and with p = (wish - z . x) / c of each row that holds there is one equation for x,

    (1 + sum u z^T / c) x = sum u wish / c + what rows at their bounds leave

as large as the tree has dofs, however many the contacts. Rows that depend on each other get a little softness about the
impulses that they have (`near`, as part of their own response): the guess is near the solution, and a sweep finds out
how near.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel, small
from linkwork.formulations.rows import add_impulse, rate_change
from linkwork.numerics.clipped import put, put_pair
from linkwork.numerics.gauss import solve_in_place

MOST_DOFS = 64  # more make the guess dearer than sweeps
HELD, BOUND, ALONG, ACROSS = 0, 1, 2, 3  # what a row does in the guess


class Newton(NamedTuple):
    """Scratch of the guess."""

    H: Any  # (dof, dof)
    x: Any  # (dof,)
    kind: Any  # (row,)
    wish: Any  # (row,)
    c: Any  # (row,)
    slip: Any  # (row, 2) d of a contact that slides
    u: Any  # (width,) of one row that is made of several
    z: Any


def make_newton(rows: int, dofs: int, width: int) -> Newton:
    """Room for the guess; none where there are too many dofs for it."""
    n = dofs if dofs <= MOST_DOFS else 0
    return Newton(
        np.zeros((n, n)),
        np.zeros(n),
        np.zeros(rows, dtype=np.int64),
        np.zeros(rows),
        np.zeros(rows),
        np.zeros((rows, 2)),
        np.zeros(width),
        np.zeros(width),
    )


@kernel
def width_of(table, rows, r):
    """Length of u and z of row r."""
    last = rows.blocks[r] - 1
    t = rows.tree[r, last]
    return rows.place[r, last] + table.tree_dof[t + 1] - table.tree_dof[t]


@kernel
def join(table, rows, newton, r, u, z, wish, c):
    """A row that holds: u and z laid out as those of row r."""
    f = 1.0 / c
    for a in range(rows.blocks[r]):
        t = rows.tree[r, a]
        i0 = table.tree_dof[t]
        place = rows.place[r, a]
        for i in range(table.tree_dof[t + 1] - i0):
            g = f * u[place + i]
            if g == 0.0:
                continue
            newton.x[i0 + i] += g * wish
            H = newton.H[i0 + i]
            for b in range(rows.blocks[r]):
                s = rows.tree[r, b]
                j0 = table.tree_dof[s]
                k = rows.place[r, b]
                n = table.tree_dof[s + 1] - j0
                if n == 6:
                    # a loose body, written out: loops this short cost more than what is in them
                    H[j0] += g * z[k]
                    H[j0 + 1] += g * z[k + 1]
                    H[j0 + 2] += g * z[k + 2]
                    H[j0 + 3] += g * z[k + 3]
                    H[j0 + 4] += g * z[k + 4]
                    H[j0 + 5] += g * z[k + 5]
                else:
                    for j in range(n):
                        H[j0 + j] += g * z[k + j]


@small
def beyond(table, rows, s, r, p):
    """v of row r: its rate beyond what it wants, with x of the impulses p."""
    return rate_change(table, rows, r, s.x) + rows.gamma[r] * p[r] - s.b[r]


@kernel
def hold_on(table, rows, s, newton, near, r, p, kind, u):
    """Row r holds, softly about the impulse that it has; its impulse acts by u."""
    soft = near * s.own[r]
    newton.kind[r] = kind
    newton.wish[r] = s.b[r] + soft * p[r]
    newton.c[r] = rows.gamma[r] + soft
    join(table, rows, newton, r, u, rows.z[r], newton.wish[r], newton.c[r])


@kernel
def mix(one, n_one, two, n_two, out, n):
    for k in range(n):
        out[k] = n_one * one[k] + n_two * two[k]


@kernel
def slide(table, rows, s, newton, near, r, most, one, two, length, d, p):
    """Contact r slides: (one, two) is where its friction would go, `length` long, and `most` what it can be."""
    n = width_of(table, rows, r)
    dx = one / length
    dy = two / length
    mu = rows.friction[r + 1]
    newton.slip[r, 0] = dx
    newton.slip[r, 1] = dy
    u, z = newton.u, newton.z
    mix(rows.u[r + 1], mu * dx, rows.u[r + 2], mu * dy, u, n)
    for k in range(n):
        u[k] += rows.u[r, k]
    hold_on(table, rows, s, newton, near, r, p, ALONG, u)
    # across the slip
    mix(rows.u[r + 1], -dy, rows.u[r + 2], dx, u, n)
    mix(rows.z[r + 1], -dy, rows.z[r + 2], dx, z, n)
    newton.kind[r + 1] = ACROSS
    newton.kind[r + 2] = ACROSS
    newton.wish[r + 1] = dx * s.b[r + 2] - dy * s.b[r + 1]
    newton.c[r + 1] = (length / most - 1.0 + near) * d
    join(table, rows, newton, r, u, z, newton.wish[r + 1], newton.c[r + 1])


@kernel
def guess_all(table, rows, s, newton, near, held, low, high, p):
    """p becomes the guess from p, whose x is in s.x; where there is none it stays."""
    n = rows.count[0]
    size = newton.x.size
    for i in range(size):
        newton.x[i] = 0.0
        for j in range(size):
            newton.H[i, j] = 0.0
        newton.H[i, i] = 1.0
    r = 0
    while r < n:
        if not s.own[r] > 0.0:
            newton.kind[r] = BOUND
            newton.wish[r] = p[r]
            r += 1
            continue
        a = p[r] - beyond(table, rows, s, r, p) / s.own[r]
        rubs = r + 2 < n and rows.normal[r + 1] == r and rows.partner[r + 2] == r + 1
        if not rubs:
            if r < held or low[r] < a < high[r]:
                hold_on(table, rows, s, newton, near, r, p, HELD, rows.u[r])
            else:
                newton.kind[r] = BOUND
                newton.wish[r] = min(max(a, low[r]), high[r])
                add_impulse(table, rows, r, newton.wish[r], newton.x)
            r += 1
            continue
        if not a > 0.0:
            for k in range(3):
                newton.kind[r + k] = BOUND
                newton.wish[r + k] = 0.0
            r += 3
            continue
        d = min(s.own[r + 1] + s.own[r + 2], max(s.diagonal[r + 1], s.diagonal[r + 2]) + s.beside[r + 2])
        one = p[r + 1] - beyond(table, rows, s, r + 1, p) / d
        two = p[r + 2] - beyond(table, rows, s, r + 2, p) / d
        length = math.sqrt(one * one + two * two)
        if length <= rows.friction[r + 1] * a:
            for k in range(3):
                hold_on(table, rows, s, newton, near, r + k, p, HELD, rows.u[r + k])
        else:
            pressed = p[r] if p[r] > 0.0 else a
            slide(table, rows, s, newton, near, r, rows.friction[r + 1] * min(pressed, a), one, two, length, d, p)
        r += 3
    if solve_in_place(newton.H, newton.x, size):
        take(table, rows, newton, n, low, high, p)


@kernel
def take(table, rows, newton, n, low, high, p):
    """Impulses of the guess from its x, each within its bounds."""
    for r in range(n):
        if newton.kind[r] == BOUND:
            p[r] = newton.wish[r]
        elif newton.kind[r] == HELD:
            value = (newton.wish[r] - rate_change(table, rows, r, newton.x)) / newton.c[r]
            if rows.normal[r] >= 0:
                p[r] = value
            else:
                put(r, value, low, high, rows.normal, rows.friction, p)
        elif newton.kind[r] == ALONG:
            mu = rows.friction[r + 1]
            dx = newton.slip[r, 0]
            dy = newton.slip[r, 1]
            pressed = max(0.0, (newton.wish[r] - rate_change(table, rows, r, newton.x)) / newton.c[r])
            along = dx * rate_change(table, rows, r + 2, newton.x) - dy * rate_change(table, rows, r + 1, newton.x)
            turned = (newton.wish[r + 1] - along) / newton.c[r + 1]
            p[r] = pressed
            p[r + 1] = mu * pressed * dx - turned * dy
            p[r + 2] = mu * pressed * dy + turned * dx
    for r in range(n):
        if rows.partner[r] >= 0:
            put_pair(r - 1, p[r - 1], p[r], rows.normal, rows.friction, p)
