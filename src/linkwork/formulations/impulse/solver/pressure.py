"""How the contact points of two bodies share their load, and their softness: equally.

    n    points of the pair        A    response of the pair: to a unit of impulse, an n-th of it at each point
    P    impulses of the pair in the last step        g h   velocity that impulses undo in a step of what lies still

Rigid bodies do not determine how four corners share a weight. So every point of a pair gets the same small softness, as
bodies that give way a little, and equally everywhere, would have it; about the mean impulse of the pair, so that a load
that is shared equally moves nothing. What is symmetric stays symmetric then, and beside a hinge, where a point has
hardly any lever, it carries hardly anything. `lw.Soft` is the softness of the whole pair where it lies flat: it does
not count how many corners a shape is described by (contact/foundation/flat_points.py). On a bed each point has the
stiffness of its own area (contact/foundation/bedding.py); the damping ratio is that of the pair on all of them.
"""

from __future__ import annotations

from linkwork._jit import kernel, small
from linkwork.contact.contact_cache import FEATURES_PER_PAIR
from linkwork.formulations.impulse.rows.row_algebra import add_times, row_width
from linkwork.formulations.impulse.rows.row_table import CONTACT, CONTACT_MOMENT
from linkwork.formulations.impulse.rows.rows import (
    ALL_ROWS,
    DEFERRED_SOFTNESS,
    FAST_PART,
    SOFT_KIND,
    SOFT_PART,
    SOFT_POINTS,
    SOFT_STIFFNESS,
)
from linkwork.numerics.short_rows import dot_short_row
from linkwork.spatial.codes import BEDDED

SHARING = 5e-6  # of g h: how fast a point that carries twice the mean gives way
CLOSE_LOOK = 1e-4  # the same in every LOOK_EVERY-th step: enough for uneven shares to be noticed, and evened out
LOOK_EVERY = 16
NEW_LOAD = 1e-2  # of that of a pair that carried nothing: what rests on the bodies above it is not known yet
FRICTION_SHARING = 1e-4  # of that softness: that of friction, which must not creep
OPPOSED = 1e-3  # of the mean response of its points: where A is less they push against each other, and this holds


@kernel
def share_pressure(w, v_scale_at_rest, step):
    """Softness of all contacts; their responses are known, and p are those of the last step. `pace_at_rest` is g h."""
    rows = w.rows
    path = w.path
    sharing = CLOSE_LOOK if step % LOOK_EVERY == LOOK_EVERY - 1 else SHARING
    r = 0
    while r < rows.count[ALL_ROWS] and rows.code[r] != CONTACT:
        r += 1
    while r < rows.count[ALL_ROWS]:
        last = r
        points = 0
        mean = 0.0
        bed = 0.0
        pair = -1
        shapes = 0
        while last < rows.count[ALL_ROWS] and rows.links[last, 0] == rows.links[r, 0]:
            if rows.links[last, 1] != rows.links[r, 1]:
                break
            if rows.code[last] == CONTACT:
                points += 1
                mean += rows.diagonal[last]
                e = (rows.id[last] - w.table.id_count) // 3
                shapes += w.contacts.id[e] // FEATURES_PER_PAIR != pair
                pair = w.contacts.id[e] // FEATURES_PER_PAIR
                if is_bedded(rows, last):
                    bed += rows.deferred_data[last, SOFT_STIFFNESS]
            last += 1
        mean /= points
        A = 0.0
        if points > 1:
            A = pair_response(rows, path.u[0], path.z[0], r, last) / (points * points)
        if not A > OPPOSED * mean:
            A = mean
        A_least = A
        # softness: P / n more or less on a point is a part of g h; new loads may be those of the heavier body
        alone = 0.0
        for side in range(2):
            of_link = w.solver.link_response[rows.links[r, side]]
            alone += of_link
            if 0.0 < of_link < A:
                A_least = min(A_least, of_link)
        v_scale, P = pair_load(rows, r, last, v_scale_at_rest)
        gamma = sharing * v_scale / (P / points + v_scale / A_least) if points > 1 and v_scale > 0.0 else 0.0
        if not P > 0.0:
            gamma *= NEW_LOAD
        for s in range(r, last):
            if rows.deferred[s] != 0:
                if is_bedded(rows, s):
                    rows.deferred_data[s, SOFT_POINTS] = bed
                    rows.deferred_data[s, SOFT_PART] = A / rows.diagonal[s]
                else:
                    rows.deferred_data[s, SOFT_POINTS] *= shapes
                    rows.deferred_data[s, SOFT_PART] = (min(A, alone) if alone > 0.0 else A) / rows.diagonal[s]
            elif rows.code[s] == CONTACT:
                rows.gamma[s] = gamma
                rows.target[s] += gamma * P / points
            elif points > 1:
                rows.gamma[s] = FRICTION_SHARING * gamma
                if rows.code[s] == CONTACT_MOMENT:
                    rows.gamma[s] *= rows.diagonal[s] / mean
        r = last


@small
def is_bedded(rows, r):
    """Whether row r is a contact on a bed, with a stiffness of its own."""
    return rows.deferred[r] == DEFERRED_SOFTNESS and rows.deferred_data[r, SOFT_KIND] == BEDDED


@kernel
def pair_load(rows, first, last, v_scale):
    """g h (m/s), or a part of the fastest rate where that is more, and P (N s), of the rows first … last - 1."""
    P = 0.0
    for r in range(first, last):
        if rows.code[r] == CONTACT:
            P += rows.p[r]
            v_scale = max(v_scale, FAST_PART * abs(rows.rate[r]))
    return v_scale, P


@kernel
def pair_response(rows, u, z, first, last):
    """Response of the normals among the rows first … last - 1, which move the same dofs, to a unit at each.

    u and z are scratch: their sums.
    """
    n = row_width(rows, first)
    for k in range(n):
        u[k] = 0.0
        z[k] = 0.0
    for r in range(first, last):
        if rows.code[r] == CONTACT:
            add_times(u, 0, 1.0, rows.u, r, 0, n)
            add_times(z, 0, 1.0, rows.z, r, 0, n)
    return dot_short_row(u, 0, z, 0, n)
