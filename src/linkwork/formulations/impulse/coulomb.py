"""Newton's step for all impulses at once with Coulomb friction: which contacts stick, slide or open.

    a     p - v / S_rr: the impulse that a row would take by itself       v   its rate in excess of its target
    d e   directions along and perpendicular to the slip                  x   joint impulses of all rows

A contact whose a is negative is open; one whose friction keeps within mu a sticks, and holds in three rows; any other
slides: its friction is mu p_n d, so that the impulse p_n acts along n + mu d while the row demands the rate along n.
Perpendicular to the slip friction turns with the motion, as a damper of mu p_n over the speed would. All this is linear
in the impulses, and with p = (target - z . x) / c of each row that holds there is one equation for x,

    (1 + sum u z^T / c) x = sum u target / c + impulses of rows at their bounds

as large as the tree has dofs, however many the contacts. Two points of one wheel or four corners of a box depend on
each other, and hardly ever agree to the last digit: the plain Newton step would amplify their difference. So every row
gets some softness about the impulse that it has (`softness`, as part of its own response): impulses that the motion
does not determine stay as they were, and a step that made things worse is repeated with more softness
(`row_solver.solve_matrix_free`).
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
    contact_rate_changes,
    has_friction,
    rate_change,
)
from linkwork.formulations.impulse.rows import ALL_ROWS
from linkwork.numerics.clipped import put, put_pair
from linkwork.numerics.gauss import solve_in_place

MOST_DOFS = 64  # with more dofs Newton steps are more expensive than sweeps
STICKS, AT_BOUND, SLIDES_ALONG, SLIDES_ACROSS = 0, 1, 2, 3  # what a row does: `GuessScratch.kind`


class GuessScratch(NamedTuple):
    """Scratch of a Newton step. `newton_guess` writes all of it."""

    H: Any  # (dof, dof) matrix of the equation for x
    x: Any  # (dof,) its right side, then its solution
    kind: Any  # (row,) STICKS, AT_BOUND, SLIDES_ALONG or SLIDES_ACROSS
    target: Any  # (row,) rate; of a row AT_BOUND its impulse
    c: Any  # (row,) softness, 1/kg
    slip: Any  # (row, 2) d of a contact that slides, in its two directions of friction
    u: Any  # (3, width) of a contact that slides: rows along and perpendicular to the slip, the third is zero
    z: Any  # (3, width)


def make_guess_scratch(rows: int, dofs: int, width: int) -> GuessScratch:
    """Room for Newton steps; none where there are too many dofs for them."""
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
def row_width(rows, r):
    """Length of u and z of row r."""
    n = 0
    for b in range(rows.spans[r]):
        n += rows.span_length[r, b]
    return n


@kernel
def add_row_equation(rows, newton, r):
    """Row r holds: add it to the equation for x."""
    f = 1.0 / newton.c[r]
    target = newton.target[r]
    k = 0
    for a in range(rows.spans[r]):
        for i in range(rows.span_first[r, a], rows.span_first[r, a] + rows.span_length[r, a]):
            g = f * rows.u[r, k]
            k += 1
            if g == 0.0:
                continue
            newton.x[i] += g * target
            j = 0
            for b in range(rows.spans[r]):
                n = rows.span_length[r, b]
                add_times(newton.H[i], rows.span_first[r, b], g, rows.z, r, j, n)
                j += n


@kernel
def add_contact_equations(rows, newton, r, u, z, e):
    """Rows r … r + 2 hold: impulses act by rows e … e + 2 of u, rates are those of z, with the spans of r."""
    f = 1.0 / newton.c[r]
    f_1 = 1.0 / newton.c[r + 1]
    f_2 = 1.0 / newton.c[r + 2]
    target = newton.target[r]
    target_1 = newton.target[r + 1]
    target_2 = newton.target[r + 2]
    k = 0
    for a in range(rows.spans[r]):
        for i in range(rows.span_first[r, a], rows.span_first[r, a] + rows.span_length[r, a]):
            g = f * u[e, k]
            g_1 = f_1 * u[e + 1, k]
            g_2 = f_2 * u[e + 2, k]
            k += 1
            newton.x[i] += g * target + g_1 * target_1 + g_2 * target_2
            j = 0
            for b in range(rows.spans[r]):
                n = rows.span_length[r, b]
                add_three_times(newton.H[i], rows.span_first[r, b], g, g_1, g_2, z, e, j, n)
                j += n


@kernel
def set_soft_row(rows, s, newton, softness, r, p, kind):
    """Row r is to hold, soft about the impulse that it has."""
    soft = softness * s.reduced[r]
    newton.kind[r] = kind
    newton.target[r] = s.b[r] + soft * p[r]
    newton.c[r] = rows.gamma[r] + soft


@kernel
def set_sliding_contact(rows, s, newton, softness, r, most, one, two, length, d, p):
    """Contact r slides: (one, two) is the friction that it would take, `length` long, and `most` its bound."""
    n = row_width(rows, r)
    dx = one / length
    dy = two / length
    mu = rows.friction[r + 1]
    newton.slip[r, 0] = dx
    newton.slip[r, 1] = dy
    u, z = newton.u, newton.z
    for k in range(n):
        # along the slip, and perpendicular to it
        u[0, k] = rows.u[r, k] + mu * (dx * rows.u[r + 1, k] + dy * rows.u[r + 2, k])
        z[0, k] = rows.z[r, k]
        u[1, k] = dx * rows.u[r + 2, k] - dy * rows.u[r + 1, k]
        z[1, k] = dx * rows.z[r + 2, k] - dy * rows.z[r + 1, k]
    set_soft_row(rows, s, newton, softness, r, p, SLIDES_ALONG)
    newton.kind[r + 1] = SLIDES_ACROSS
    newton.kind[r + 2] = SLIDES_ACROSS
    newton.target[r + 1] = dx * s.b[r + 2] - dy * s.b[r + 1]
    newton.c[r + 1] = (length / most - 1.0 + softness) * d
    newton.target[r + 2] = 0.0
    newton.c[r + 2] = math.inf
    add_contact_equations(rows, newton, r, u, z, 0)


@small
def excess_rate(rows, s, r, p, change):
    """v of row r: its rate in excess of its target, `change` what the impulses p add to it."""
    return change + rows.gamma[r] * p[r] - s.b[r]


@kernel
def newton_guess(rows, s, newton, softness, bilateral, low, high, p):
    """One Newton step from p, whose joint impulses are in s.x; p stays where the equation is singular."""
    n = rows.count[ALL_ROWS]
    size = newton.x.size
    for i in range(size):
        newton.x[i] = 0.0
        for j in range(size):
            newton.H[i, j] = 0.0
        newton.H[i, i] = 1.0
    r = 0
    while r < n:
        if not s.reduced[r] > 0.0:
            newton.kind[r] = AT_BOUND
            newton.target[r] = p[r]
            r += 1
            continue
        if not has_friction(rows, r, n):
            a = p[r] - excess_rate(rows, s, r, p, rate_change(rows, r, s.x)) / s.reduced[r]
            if r < bilateral or low[r] < a < high[r]:
                set_soft_row(rows, s, newton, softness, r, p, STICKS)
                add_row_equation(rows, newton, r)
            else:
                newton.kind[r] = AT_BOUND
                newton.target[r] = min(max(a, low[r]), high[r])
                add_impulse(rows, r, newton.target[r], newton.x)
            r += 1
            continue
        v, v_1, v_2 = contact_rate_changes(rows, r, s.x)
        a = p[r] - excess_rate(rows, s, r, p, v) / s.reduced[r]
        if not a > 0.0 or high[r] == 0.0:
            for k in range(3):
                newton.kind[r + k] = AT_BOUND
                newton.target[r + k] = 0.0
            r += 3
            continue
        d = min(
            s.reduced[r + 1] + s.reduced[r + 2],
            max(s.diagonal[r + 1], s.diagonal[r + 2]) + abs(s.partner_coupling[r + 2]),
        )
        one = p[r + 1] - excess_rate(rows, s, r + 1, p, v_1) / d
        two = p[r + 2] - excess_rate(rows, s, r + 2, p, v_2) / d
        length = math.sqrt(one * one + two * two)
        if length <= rows.friction[r + 1] * a:
            for k in range(3):
                set_soft_row(rows, s, newton, softness, r + k, p, STICKS)
            add_contact_equations(rows, newton, r, rows.u, rows.z, r)
        else:
            pressed = p[r] if p[r] > 0.0 else a
            set_sliding_contact(
                rows, s, newton, softness, r, rows.friction[r + 1] * min(pressed, a), one, two, length, d, p
            )
        r += 3
    if solve_in_place(newton.H, newton.x, size):
        read_impulses(rows, newton, n, low, high, p)


@kernel
def read_impulses(rows, newton, n, low, high, p):
    """Impulses p from the solution x, each within its bounds."""
    r = 0
    while r < n:
        if newton.kind[r] == AT_BOUND:
            p[r] = newton.target[r]
            r += 1
            continue
        if not has_friction(rows, r, n):
            value = (newton.target[r] - rate_change(rows, r, newton.x)) / newton.c[r]
            put(r, value, low, high, rows.normal_row, rows.friction, p)
            r += 1
            continue
        v, v_1, v_2 = contact_rate_changes(rows, r, newton.x)
        p[r] = max(0.0, (newton.target[r] - v) / newton.c[r])
        if newton.kind[r] == STICKS:
            one = (newton.target[r + 1] - v_1) / newton.c[r + 1]
            two = (newton.target[r + 2] - v_2) / newton.c[r + 2]
        else:
            dx = newton.slip[r, 0]
            dy = newton.slip[r, 1]
            along = rows.friction[r + 1] * p[r]
            across = (newton.target[r + 1] - (dx * v_2 - dy * v_1)) / newton.c[r + 1]
            one = along * dx - across * dy
            two = along * dy + across * dx
        put_pair(r + 1, one, two, rows.normal_row, rows.friction, p)
        r += 3
