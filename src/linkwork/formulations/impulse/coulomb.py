"""A guess at all impulses at once where contacts rub: which stick, slide or open, and Newton's step for these.

    a     p - v / S_rr: the impulse that a row would take by itself       v   its rate beyond what it wants
    d e   directions along and across the slip                            x   what all impulses leave for the joints

A contact whose a is negative is open; one whose friction keeps within mu a sticks, and holds in three rows; any other
slides: its friction is mu p_n d, so that the impulse p_n acts along n + mu d while the row asks for the rate along n.
Across the slip friction turns with the motion, as a damper of mu p_n over the speed would. All this is linear in the
impulses, and with p = (wish - z . x) / c of each row that holds there is one equation for x,

    (1 + sum u z^T / c) x = sum u wish / c + what rows at their bounds leave

as large as the tree has dofs, however many the contacts. Two points of one wheel or four corners of a box depend on
each other, and hardly ever agree to the last digit: Newton's own step would make much of what they differ by. So every
row gets some softness about the impulse that it has (`near`, as part of its own response): impulses that nobody can
tell apart stay as they were, and a guess that made things worse is tried again, softer (`row_solver.solve_wide`).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel, small
from linkwork.formulations.impulse.row_algebra import (
    add_impulse,
    add_three_times,
    add_times,
    change_three,
    rate_change,
    rubs,
)
from linkwork.formulations.impulse.rows import ALL_ROWS
from linkwork.numerics.clipped import put, put_pair
from linkwork.numerics.gauss import solve_in_place

MOST_DOFS = 64  # more make the guess dearer than sweeps
HELD, BOUND, ALONG, ACROSS = 0, 1, 2, 3  # what a row does in the guess


class GuessScratch(NamedTuple):
    """Scratch of the guess."""

    H: Any  # (dof, dof)
    x: Any  # (dof,)
    kind: Any  # (row,)
    wish: Any  # (row,)
    c: Any  # (row,)
    slip: Any  # (row, 2) d of a contact that slides
    u: Any  # (3, width) of a contact that slides: rows along and across, the third is nothing
    z: Any


def make_guess_scratch(rows: int, dofs: int, width: int) -> GuessScratch:
    """Room for the guess; none where there are too many dofs for it."""
    n = dofs if dofs <= MOST_DOFS else 0
    return GuessScratch(
        np.zeros((n, n)),
        np.zeros(n),
        np.zeros(rows, dtype=np.int64),
        np.zeros(rows),
        np.zeros(rows),
        np.zeros((rows, 2)),
        np.zeros((3, width)),
        np.zeros((3, width)),
    )


@kernel
def width_of(rows, r):
    """Length of u and z of row r."""
    n = 0
    for b in range(rows.runs[r]):
        n += rows.length[r, b]
    return n


@kernel
def join(rows, newton, r):
    """Row r holds."""
    f = 1.0 / newton.c[r]
    wish = newton.wish[r]
    k = 0
    for a in range(rows.runs[r]):
        for i in range(rows.first[r, a], rows.first[r, a] + rows.length[r, a]):
            g = f * rows.u[r, k]
            k += 1
            if g == 0.0:
                continue
            newton.x[i] += g * wish
            j = 0
            for b in range(rows.runs[r]):
                n = rows.length[r, b]
                add_times(newton.H[i], rows.first[r, b], g, rows.z, r, j, n)
                j += n


@kernel
def join_three(rows, newton, r, u, z, e):
    """Rows r … r + 2 hold; they act by the rows of u from e on, and feel by those of z, laid out as row r."""
    f = 1.0 / newton.c[r]
    f_1 = 1.0 / newton.c[r + 1]
    f_2 = 1.0 / newton.c[r + 2]
    wish = newton.wish[r]
    wish_1 = newton.wish[r + 1]
    wish_2 = newton.wish[r + 2]
    k = 0
    for a in range(rows.runs[r]):
        for i in range(rows.first[r, a], rows.first[r, a] + rows.length[r, a]):
            g = f * u[e, k]
            g_1 = f_1 * u[e + 1, k]
            g_2 = f_2 * u[e + 2, k]
            k += 1
            newton.x[i] += g * wish + g_1 * wish_1 + g_2 * wish_2
            j = 0
            for b in range(rows.runs[r]):
                n = rows.length[r, b]
                add_three_times(newton.H[i], rows.first[r, b], g, g_1, g_2, z, e, j, n)
                j += n


@kernel
def hold_on(rows, s, newton, near, r, p, kind):
    """Row r is to hold, softly about the impulse that it has."""
    soft = near * s.own[r]
    newton.kind[r] = kind
    newton.wish[r] = s.b[r] + soft * p[r]
    newton.c[r] = rows.gamma[r] + soft


@kernel
def slide(rows, s, newton, near, r, most, one, two, length, d, p):
    """Contact r slides: (one, two) is where its friction would go, `length` long, and `most` what it can be."""
    n = width_of(rows, r)
    dx = one / length
    dy = two / length
    mu = rows.friction[r + 1]
    newton.slip[r, 0] = dx
    newton.slip[r, 1] = dy
    u, z = newton.u, newton.z
    for k in range(n):
        # along the slip, and across
        u[0, k] = rows.u[r, k] + mu * (dx * rows.u[r + 1, k] + dy * rows.u[r + 2, k])
        z[0, k] = rows.z[r, k]
        u[1, k] = dx * rows.u[r + 2, k] - dy * rows.u[r + 1, k]
        z[1, k] = dx * rows.z[r + 2, k] - dy * rows.z[r + 1, k]
    hold_on(rows, s, newton, near, r, p, ALONG)
    newton.kind[r + 1] = ACROSS
    newton.kind[r + 2] = ACROSS
    newton.wish[r + 1] = dx * s.b[r + 2] - dy * s.b[r + 1]
    newton.c[r + 1] = (length / most - 1.0 + near) * d
    newton.wish[r + 2] = 0.0
    newton.c[r + 2] = math.inf
    join_three(rows, newton, r, u, z, 0)


@small
def beyond(rows, s, r, p, change):
    """v of row r: its rate beyond what it wants, `change` what the impulses p make of it."""
    return change + rows.gamma[r] * p[r] - s.b[r]


@kernel
def guess_all(rows, s, newton, near, held, low, high, p):
    """p becomes the guess from p, whose x is in s.x; where there is none it stays."""
    n = rows.count[ALL_ROWS]
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
        if not rubs(rows, r, n):
            a = p[r] - beyond(rows, s, r, p, rate_change(rows, r, s.x)) / s.own[r]
            if r < held or low[r] < a < high[r]:
                hold_on(rows, s, newton, near, r, p, HELD)
                join(rows, newton, r)
            else:
                newton.kind[r] = BOUND
                newton.wish[r] = min(max(a, low[r]), high[r])
                add_impulse(rows, r, newton.wish[r], newton.x)
            r += 1
            continue
        v, v_1, v_2 = change_three(rows, r, s.x)
        a = p[r] - beyond(rows, s, r, p, v) / s.own[r]
        if not a > 0.0 or high[r] == 0.0:
            for k in range(3):
                newton.kind[r + k] = BOUND
                newton.wish[r + k] = 0.0
            r += 3
            continue
        d = min(s.own[r + 1] + s.own[r + 2], max(s.diagonal[r + 1], s.diagonal[r + 2]) + abs(s.beside[r + 2]))
        one = p[r + 1] - beyond(rows, s, r + 1, p, v_1) / d
        two = p[r + 2] - beyond(rows, s, r + 2, p, v_2) / d
        length = math.sqrt(one * one + two * two)
        if length <= rows.friction[r + 1] * a:
            for k in range(3):
                hold_on(rows, s, newton, near, r + k, p, HELD)
            join_three(rows, newton, r, rows.u, rows.z, r)
        else:
            pressed = p[r] if p[r] > 0.0 else a
            slide(rows, s, newton, near, r, rows.friction[r + 1] * min(pressed, a), one, two, length, d, p)
        r += 3
    if solve_in_place(newton.H, newton.x, size):
        take(rows, newton, n, low, high, p)


@kernel
def take(rows, newton, n, low, high, p):
    """Impulses of the guess from its x, each within its bounds."""
    r = 0
    while r < n:
        if newton.kind[r] == BOUND:
            p[r] = newton.wish[r]
            r += 1
            continue
        if not rubs(rows, r, n):
            value = (newton.wish[r] - rate_change(rows, r, newton.x)) / newton.c[r]
            put(r, value, low, high, rows.normal, rows.friction, p)
            r += 1
            continue
        v, v_1, v_2 = change_three(rows, r, newton.x)
        p[r] = max(0.0, (newton.wish[r] - v) / newton.c[r])
        if newton.kind[r] == HELD:
            one = (newton.wish[r + 1] - v_1) / newton.c[r + 1]
            two = (newton.wish[r + 2] - v_2) / newton.c[r + 2]
        else:
            dx = newton.slip[r, 0]
            dy = newton.slip[r, 1]
            along = rows.friction[r + 1] * p[r]
            across = (newton.wish[r + 1] - (dx * v_2 - dy * v_1)) / newton.c[r + 1]
            one = along * dx - across * dy
            two = along * dy + across * dx
        put_pair(r + 1, one, two, rows.normal, rows.friction, p)
        r += 3
