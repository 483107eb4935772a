"""[MST17] Contacts as rows: one that keeps two bodies apart, two of friction within mu times its impulse.

    a b    links        x    point of contact        axis    normal, tangent, normal x tangent

With a grain the friction along normal x tangent is less, by a `ratio`. That row is scaled by it: then both rows are
within one circle, and what takes most energy there does so in truth.
"""

from __future__ import annotations

import math

from linkwork._jit import small
from linkwork.formulations.impulse.kinds.soft_rows import PUSH_BIAS, PUSH_TURN
from linkwork.formulations.impulse.rows.row_algebra import response
from linkwork.formulations.impulse.rows.row_table import CONTACT, CONTACT_FRICTION
from linkwork.formulations.impulse.rows.rows import ALL_ROWS, SOFT_POINTS, defer_softness, reset_row, set_wrench
from linkwork.mechanics.rows.constraint_rows import velocity_at
from linkwork.spatial.codes import BEDDED, RIGID
from linkwork.spatial.vectors import cross, dot, load3, scale, sub

HOVERING = 1e-2  # of the touch: a smaller gap stays; else points of one face would close theirs at different rates
OVERLAP_PART = 0.2  # part of an overlap that is undone in a step
PASSING_PART = 0.1  # of its gap: how far from its row a body stays that passes
WEAK_RESPONSE = 1e-2  # of another contact's response: with less a contact leaves its load to the other
SAME_RESPONSE = 0.99  # squared cosine between two responses above which both contacts move the same dofs alike


@small
def describe_contact(work, v_next_world, table, rows, contacts, r, e):
    """Rows from r on for contact e, with their rates: one normal and two of friction; returns how many.

    The two points keep together at the end of the step, not just at its start: otherwise a body carried on a curve
    would creep outward in every step, and a lifted one would lag behind (contact_motion.py).
    """
    a = contacts.link_a[e]
    b = contacts.link_b[e]
    x = load3(contacts.point, e)
    normal = load3(contacts.normal, e)
    tangent = load3(contacts.tangent, e)
    old = sub(velocity_at(work, work.pose_v, b, x)[1], velocity_at(work, work.pose_v, a, x)[1])
    v_next = sub(velocity_at(work, v_next_world, b, x)[1], velocity_at(work, v_next_world, a, x)[1])
    count = 3 if contacts.friction[e] != 0.0 else 1
    velocity_bias = load3(contacts.velocity_bias, e)
    axis = normal
    for j in range(count):
        reset_row(rows, r + j, CONTACT_FRICTION if j > 0 else CONTACT, table.id_count + 3 * e + j)
        set_wrench(rows, r + j, a, b, cross(x, axis), axis)
        rows.start_rate[r + j] = dot(axis, old)
        rows.rate[r + j] = dot(axis, v_next)
        rows.target[r + j] = dot(axis, velocity_bias)
        if j == 0:
            rows.low[r] = 0.0
        else:
            rows.normal_row[r + j] = r
            rows.friction[r + j] = contacts.friction[e]
        if j == 2:
            rows.partner_row[r + j] = r + 1
        axis = scale(contacts.ratio[e], cross(normal, tangent)) if j > 0 else tangent
    return count


@small
def set_contact_target(rows, contacts, e, r, h):
    """Target of the normal row r of contact e: no approach beyond its gap, a bounce, or less overlap."""
    depth = contacts.depth[e]
    v_scale = min(depth, 0.0) / h
    passing = contacts.passing[e] != 0.0
    if passing:
        v_scale = min(v_scale, rows.rate[r] + PASSING_PART * v_scale)
        depth = h * v_scale
    if contacts.soft[e, 0] == BEDDED and depth > 0.0:
        # the patch goes along with what rolls: the depth at the end of the step counts, but the damper feels the rate
        defer_softness(rows, r, contacts.soft, e, -depth, v_scale)
        rows.pushing[r, PUSH_BIAS] = rows.target[r]
    elif contacts.soft[e, 0] != RIGID:
        defer_softness(rows, r, contacts.soft, e, -depth, v_scale)  # the remaining gap may close freely
        rows.pushing[r, PUSH_TURN] = rows.target[r]
        rows.deferred_data[r, SOFT_POINTS] = contacts.flat_points[e]
    elif depth < -HOVERING * contacts.slop[e]:
        rows.target[r] += v_scale
    elif depth > contacts.slop[e]:
        rows.correction[r] = OVERLAP_PART * (depth - contacts.slop[e]) / h
        rows.correction_high[r] = math.inf
    if passing:
        return
    if contacts.restitution[e] > 0.0 and depth >= h * rows.start_rate[r]:
        slow = contacts.bounce_speed[e]
        if slow < 0.0:
            slow = max(-slow, abs(rows.rate[r] - rows.start_rate[r]))
        back = -contacts.restitution[e] * rows.start_rate[r]
        if rows.start_rate[r] < -slow and back > rows.target[r]:
            rows.rebound[r] = back - rows.target[r]
            rows.target[r] = back


@small
def unload_hinge_contacts(rows, first):
    """Contacts beside a hinge leave their load to contacts of the same links far from it, which move alike.

    To carry a lid by its rim at the hinge would take unbounded forces. `first` is the first row of a contact.
    """
    r = first
    while r < rows.count[ALL_ROWS]:
        a = rows.links[r, 0]
        b = rows.links[r, 1]
        far = r
        last = r
        while last < rows.count[ALL_ROWS] and rows.links[last, 0] == a and rows.links[last, 1] == b:
            if rows.code[last] == CONTACT and rows.diagonal[last] > rows.diagonal[far]:
                far = last
            last += 1
        for s in range(r, last):
            if (
                rows.code[s] != CONTACT
                or rows.deferred[s] != 0
                or rows.diagonal[s] > WEAK_RESPONSE * rows.diagonal[far]
            ):
                continue
            x = response(rows, s, far)
            if x > 0.0 and x * x > SAME_RESPONSE * rows.diagonal[s] * rows.diagonal[far]:
                rows.high[s] = 0.0
                rows.correction_high[s] = 0.0
        r = last
