"""Newton's step for all impulses at once with Coulomb friction: which contacts stick, slide or open.

    a     p - v / S_rr: the impulse that a row would take by itself       v   its rate in excess of its target
    d e   directions along and perpendicular to the slip                  x   joint impulses of all rows

A contact whose a is negative is open; one whose friction keeps within mu a sticks, and holds in three rows; any other
slides: its friction is mu p_n d, so that the impulse p_n acts along n + mu d while the row demands the rate along n.
Perpendicular to the slip friction turns with the motion, as a damper of mu p_n over the speed would. All this is linear
in the impulses, and with p = (target - z . x) / c of each row that holds there is one equation for x,

    (1 + sum u z^T / c) x = sum u target / c + impulses of rows at their bounds

as large as the island has dofs, however many the contacts: blocks on the graph of the trees that touch, eliminated
along it (numerics.block_elimination), so that a tower costs as much as its boxes one by one. Four corners of a box
depend on each other; the softness of pressure.py says how they share. While contacts still open and close the plain
Newton step may go much too far: where something slides a row has more softness, about the impulses at hand (`softness`,
as part of its own response, or of g h where it carries more), less after a step that was better than the last, and
much more after one that was not (`row_sweeps.solve_matrix_free`).
"""

from __future__ import annotations

import math

from linkwork._jit import kernel, small
from linkwork.formulations.impulse.rest.islands import clear_dofs
from linkwork.formulations.impulse.rows.row_algebra import (
    add_impulse,
    contact_rate_changes,
    has_friction,
    rate_change,
    row_width,
)
from linkwork.formulations.impulse.solver.coulomb_equation import add_gathered, add_row_equation, hold_contact
from linkwork.numerics.block_elimination import clear_blocks, solve_graph
from linkwork.numerics.clipped import project_to_disc, put

AT_REST, OF_ISLAND = range(2)  # slots of `RowSolver.pace`
STICKS, AT_BOUND, SLIDES_ALONG, SLIDES_ACROSS = 0, 1, 2, 3  # what a row does: `GuessScratch.kind`


@small
def load_softness(s, softness, normal, p):
    """`softness` of a contact with the normal row `normal`: the more it carries the less, as a part of the rate g h."""
    v_scale = s.v_scale[OF_ISLAND]
    load = s.reduced[normal] * p[normal]
    return softness * v_scale / (v_scale + load) if load > 0.0 else softness


@kernel
def set_soft_row(rows, s, newton, softness, r, p, kind):
    """Row r is to hold, soft about the impulse that it has."""
    soft = softness * s.reduced[r]
    newton.kind[r] = kind
    newton.target[r] = s.b[r] + soft * p[r]
    newton.c[r] = rows.gamma[r] + soft


@kernel
def set_sliding_contact(rows, s, softness, r, most, one, two, length, d, p):
    """Contact r slides: (one, two) is the friction that it would take, `length` long, and `most` its bound."""
    newton = s.newton
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
    hold_contact(rows, s.islands, newton, r, u, z, 0)


@small
def excess_rate(rows, s, r, p, change):
    """v of row r: its rate in excess of its target, `change` what the impulses p add to it."""
    return change + rows.gamma[r] * p[r] - s.b[r]


@small
def friction_response(s, r):
    """The response of contact r along its slip, whichever way that is."""
    return min(
        s.reduced[r + 1] + s.reduced[r + 2],
        max(s.diagonal[r + 1], s.diagonal[r + 2]) + abs(s.partner_coupling[r + 2]),
    )


@small
def bounds_of(rows, r, n, low, high, p):
    """Bounds of the impulse of row r, a torque of a contact or none; of two in a circle where the other is as it is."""
    if rows.normal_row[r] < 0:
        return low[r], high[r]
    most = rows.friction[r] * max(p[rows.normal_row[r]], 0.0)
    other = 0.0
    if rows.partner_row[r] >= 0:
        other = p[r - 1]
    elif r + 1 < n and rows.partner_row[r + 1] == r:
        other = p[r + 1]
    most = math.sqrt(max(most * most - other * other, 0.0))
    return -most, most


@kernel
def some_slide(rows, s, first, last, p):
    """Whether a contact among the rows first … last - 1 slides, by the impulses p that are in s.x.

    Keeps the a of all contacts with friction in s.newton.alone.
    """
    alone = s.newton.alone
    slides = False
    r = first
    while r < last:
        if not has_friction(rows, r, last):
            r += 1
            continue
        alone[r] = 0.0
        if s.reduced[r] > 0.0:
            v, v_1, v_2 = contact_rate_changes(rows, r, s.x)
            alone[r] = p[r] - excess_rate(rows, s, r, p, v) / s.reduced[r]
            if alone[r] > 0.0:
                d = friction_response(s, r)
                alone[r + 1] = p[r + 1] - excess_rate(rows, s, r + 1, p, v_1) / d
                alone[r + 2] = p[r + 2] - excess_rate(rows, s, r + 2, p, v_2) / d
                length = alone[r + 1] * alone[r + 1] + alone[r + 2] * alone[r + 2]
                slides = slides or length > (rows.friction[r + 1] * alone[r]) ** 2
        r += 3
    return slides


@kernel
def newton_guess(rows, s, island, softness, bilateral, low, high, p):
    """One Newton step of an island from p, whose joint impulses are in s.x; p stays where the equation is singular.

    Needs `some_slide` of the same p.
    """
    newton = s.newton
    n = s.islands.row_start[island + 1]
    clear_dofs(s.islands, island, newton.x)
    clear_blocks(newton.graph)
    newton.gathered[0] = 0
    r = s.islands.row_start[island]
    while r < n:
        if not s.reduced[r] > 0.0:
            newton.kind[r] = AT_BOUND
            newton.target[r] = p[r]
            r += 1
            continue
        if not has_friction(rows, r, n):
            a = p[r] - excess_rate(rows, s, r, p, rate_change(rows, r, s.x)) / s.reduced[r]
            least, most = bounds_of(rows, r, n, low, high, p)
            if r < bilateral or least < a < most:
                set_soft_row(rows, s, newton, softness, r, p, STICKS)
                add_row_equation(rows, s.islands, newton, r)
            else:
                newton.kind[r] = AT_BOUND
                newton.target[r] = min(max(a, least), most)
                add_impulse(rows, r, newton.target[r], newton.x)
            r += 1
            continue
        a = newton.alone[r]
        if not a > 0.0 or high[r] == 0.0:
            for k in range(3):
                newton.kind[r + k] = AT_BOUND
                newton.target[r + k] = 0.0
            r += 3
            continue
        one = newton.alone[r + 1]
        two = newton.alone[r + 2]
        length = math.sqrt(one * one + two * two)
        soft = load_softness(s, softness, r, p)
        if length <= rows.friction[r + 1] * a:
            for k in range(3):
                set_soft_row(rows, s, newton, soft, r + k, p, STICKS)
            hold_contact(rows, s.islands, newton, r, rows.u, rows.z, r)
        else:
            pressed = p[r] if p[r] > 0.0 else a
            d = friction_response(s, r)
            set_sliding_contact(rows, s, soft, r, rows.friction[r + 1] * min(pressed, a), one, two, length, d, p)
        r += 3
    add_gathered(rows, s.islands, newton)
    if solve_graph(newton.graph, newton.x):
        read_impulses(rows, newton, s.islands.row_start[island], n, low, high, p)


@kernel
def read_impulses(rows, newton, first, n, low, high, p):
    """Impulses p of the rows first … n - 1 from the solution x, each within its bounds."""
    r = first
    while r < n:
        if newton.kind[r] == AT_BOUND:
            p[r] = newton.target[r]
            r += 1
            continue
        if not has_friction(rows, r, n):
            value = (newton.target[r] - rate_change(rows, r, newton.x)) / newton.c[r]
            put(r, value, low, high, rows.normal_row, rows.friction, p)
            if rows.partner_row[r] >= 0:
                project_to_disc(r - 1, p[r - 1], p[r], rows.normal_row, rows.friction, p)
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
        project_to_disc(r + 1, one, two, rows.normal_row, rows.friction, p)
        r += 3
