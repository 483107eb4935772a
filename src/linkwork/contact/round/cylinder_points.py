"""Cylinders against solids: contacts with a face or cap (cylinder_faces.py), with an edge, a corner, a side or a rim.

u v    axes (along their lengths)        a b    where they begin        r    radius, 0 of an edge
n      unit, from i to j                 s t    places along u and v
"""

from __future__ import annotations

import math

from linkwork._jit import kernel
from linkwork.contact.contact_cache import add_contact, set_apart
from linkwork.contact.round.arc_search import support_point
from linkwork.contact.round.cylinder_axis import CAP, CURVED, FACE, SEPARATED, cylinder_separation
from linkwork.contact.round.cylinder_faces import LINE_CONTACT_LENGTH, LINE_CONTACT_SINE, flat_contacts, nearly_flat
from linkwork.contact.round.nearest_points import clamp, nearest_between_segments
from linkwork.spatial.codes import CYLINDER
from linkwork.spatial.vectors import add, add_scaled, axis_z, cross, dot, load3, load9, neg, norm, rotate, scale, sub

AXIS_PREFERENCE = 1e-6  # of its distance from the axis, added to a corner's height: of equals the nearer one is lowest
THIRD_POINT_DEEPER = 1e-6  # of a radius: by how much a third point of a line contact must be deeper than its ends


@kernel
def cylinder_apart(colliders, scratch, i, j, margin):
    """Where cylinder i and a solid are nearest (`cylinder_separation`); sets `scratch.apart`."""
    region, face, n, gap = cylinder_separation(colliders, scratch, i, j, margin)
    if region != SEPARATED:
        set_apart(scratch, n, gap)
    return region, face, n, gap


@kernel
def cylinder_and_solid(colliders, scratch, contacts, i, j, margin):
    """Contacts of cylinder i with a box, a hull or another cylinder."""
    region, face, n, gap = cylinder_apart(colliders, scratch, i, j, margin)
    if region == SEPARATED:
        return
    if region == CURVED:
        region, face = nearly_flat(colliders, scratch, i, j, n)
    found = 0
    if region != CURVED:
        upper = j if region == CAP else i
        out = axis_z(load9(scratch.R, i if region == CAP else j))
        if region == FACE:
            out = rotate(load9(scratch.R, j), load3(colliders.face_normal, face))
        elif (dot(n, out) > 0.0) != (region == CAP):
            out = neg(out)
        found = flat_contacts(colliders, scratch, contacts, i, j, upper, face if region == FACE else -1, out, margin)
    if found == 0:
        curved_contacts(colliders, scratch, contacts, i, j, n, gap, margin)


@kernel
def lowest_edge(colliders, scratch, i, j, n):
    """The corner x of j that is lowest along n, and the edge dx from there that rises least, near cylinder i."""
    p = load3(scratch.p, i)
    u = axis_z(load9(scratch.R, i))
    least = math.inf
    x = p
    for k in range(colliders.vertex_start[j], colliders.vertex_start[j + 1]):
        y = load3(scratch.vertex, k)
        height = dot(n, y) + AXIS_PREFERENCE * norm(cross(u, sub(y, p)))
        if height < least:
            least = height
            x = y
    least = math.inf
    dx = (0.0, 0.0, 0.0)
    for k in range(colliders.vertex_start[j], colliders.vertex_start[j + 1]):
        y = load3(scratch.vertex, k)
        d = sub(y, x)
        distance = norm(d)
        if distance > 0.0 and dot(n, d) + AXIS_PREFERENCE * norm(cross(u, sub(y, p))) < least * distance:
            least = (dot(n, d) + AXIS_PREFERENCE * norm(cross(u, sub(y, p)))) / distance
            dx = d
    return x, dx


@kernel
def curved_contacts(colliders, scratch, contacts, i, j, n, gap, margin):
    """Contacts of the side or rim of cylinder i with an edge or corner of j, or with its side or rim."""
    u = axis_z(load9(scratch.R, i))
    r = 0.0
    if colliders.kind[j] == CYLINDER:
        v = scale(2.0 * colliders.size[j, 1], axis_z(load9(scratch.R, j)))
        y = add_scaled(load3(scratch.p, j), -0.5, v)
        r = colliders.size[j, 0]
    else:
        y, v = lowest_edge(colliders, scratch, i, j, n)
    on_rim = abs(dot(n, u)) >= LINE_CONTACT_SINE
    if on_rim or abs(dot(n, v)) >= LINE_CONTACT_SINE * norm(v):
        x = support_point(colliders, scratch, i if on_rim else j, n if on_rim else neg(n))
        add_contact(
            colliders, scratch, contacts, i, j, add_scaled(x, 0.5 * gap if on_rim else -0.5 * gap, n), n, -gap, 0
        )
        return
    a = add_scaled(load3(scratch.p, i), -colliders.size[i, 1], u)
    u = scale(2.0 * colliders.size[i, 1], u)
    if parallel_contacts(colliders, scratch, contacts, i, j, a, u, colliders.size[i, 0], y, v, r, n, margin) == 0:
        # crossing bars: the nearest points
        if r > 0.0:
            y = add_scaled(y, -r, n)
        s, t = nearest_between_segments(add_scaled(a, colliders.size[i, 0], n), u, y, v)
        x = scale(0.5, add(add_scaled(add_scaled(a, colliders.size[i, 0], n), s, u), add_scaled(y, t, v)))
        add_contact(colliders, scratch, contacts, i, j, x, n, -gap, 0)


@kernel
def parallel_contacts(colliders, scratch, contacts, i, j, a, u, r_a, b, v, r_b, n, margin):
    """Contacts of two parallel bars (or an edge, r = 0), n from one to the other, where both begin and end; how many.

    Bars a little out of parallel are nearest between the two: that is a third contact.
    """
    if norm(cross(u, v)) > LINE_CONTACT_SINE * norm(u) * norm(v):
        return 0
    uu = dot(u, u)
    vv = dot(v, v)
    s0 = dot(u, sub(b, a)) / uu
    s1 = dot(u, sub(add(b, v), a)) / uu
    low = max(0.0, min(s0, s1))
    high = min(1.0, max(s0, s1))
    if high - low < LINE_CONTACT_LENGTH:
        return 0
    s, _ = nearest_between_segments(a, u, b, v)
    found = 0
    least = math.inf
    for k in range(3):
        x = add_scaled(a, low if k == 0 else (high if k == 1 else s), u)
        y = add_scaled(b, clamp(dot(v, sub(x, b)) / vv, 0.0, 1.0), v)
        d = sub(y, x)
        distance = norm(d)
        # one inside the other: the direction between the axes is no normal
        if distance < 0.5 * (r_a + r_b) or dot(d, n) < 0.0:
            return found
        gap = distance - r_a - r_b
        if k == 2 and gap > least - THIRD_POINT_DEEPER * r_a:
            return found
        least = min(least, gap)
        if gap < margin:
            w = scale(1.0 / distance, d)
            add_contact(colliders, scratch, contacts, i, j, add_scaled(x, r_a + 0.5 * gap, w), w, -gap, 1 + k)
            found += 1
    return found
