"""Cylinders on flat ground: the points where one touches a face or a cap, or where a face touches its cap.

    u    axis of a cylinder          n    unit, out of the face or cap below       s    cosine between them
    r    radius                      t    perpendicular to u, downhill             b    u x t
    lower, base    the collider below and a point of its face (or cap, face -1); `upper` is the other one

A cylinder that lies touches along a line, one that stands with a disc: the part of it over the face or cap below. The
disc is represented by four points of its rim (the lowest, the opposite one and the two between), by the corners below
it and by the places where outlines cross; `add_face_contacts` chooses four of these.
"""

from __future__ import annotations

import math

from linkwork._jit import kernel
from linkwork.contact.contact_cache import REFERENCE_ON_J, add_contact
from linkwork.contact.polyhedra.clip import add_face_contacts, clip_segment, face_side, incident_face
from linkwork.contact.round.arc_search import unit
from linkwork.contact.round.cylinder_axis import CAP, CURVED, FACE, OTHER_CAP
from linkwork.contact.scratch import POLYGON
from linkwork.contact.surfaces import perpendicular
from linkwork.spatial.codes import CYLINDER
from linkwork.spatial.vectors import add_scaled, axis_z, cross, dot, load3, load9, neg, norm, rotate, scale, store3, sub

FACE_NORMAL_COSINE = 0.9998  # cosine of the angle up to which a contact's normal is that of a face
LINE_CONTACT_SINE = 0.05  # sine of the angle up to which a cylinder or capsule lies on a face: it touches along a line
LINE_CONTACT_LENGTH = LINE_CONTACT_SINE * LINE_CONTACT_SINE  # part of a line contact below which its ends are one
LEVEL_SINE = 1e-4  # sine of the angle up to which no point of a rim is the lowest
SIDE_TOLERANCE = 1e-7  # of a length: a point this far outside a side or a rim still counts as inside
RIM_CROSSING_STEPS = 5  # of Newton's method to where two rims cross
ON_RIM = 1e-6  # of a squared radius: the error up to which it has converged
# feature numbers of the candidates
RIM, LEVEL_RIM = 0x100, 0x104  # four points of the rim
OTHER_RIM = 0x108  # the lowest of the rim above
RIM_CROSSING, LOWER_RIM = 0x200, 0x204  # where two rims cross, four points of the rim below
CORNER, SIDE_CROSSING = 0x400, 0x800  # corners and sides of a face
LINE_END = 0x4000  # ends of a line contact


@kernel
def nearly_flat(colliders, scratch, i, j, n):
    """Face or cap whose normal is nearly n, or CURVED where there is none."""
    if colliders.kind[j] != CYLINDER:
        face = incident_face(colliders, scratch, j, n)
        if dot(n, rotate(load9(scratch.R, j), load3(colliders.face_normal, face))) < -FACE_NORMAL_COSINE:
            return FACE, face
    elif abs(dot(n, axis_z(load9(scratch.R, j)))) > FACE_NORMAL_COSINE:
        return OTHER_CAP, -1
    if abs(dot(n, axis_z(load9(scratch.R, i)))) > FACE_NORMAL_COSINE:
        return CAP, -1
    return CURVED, -1


@kernel
def flat_contacts(colliders, scratch, contacts, i, j, upper, face, n, margin):
    """Contacts of `upper`, one of i and j, on the other's face (or cap, -1), n out of it; returns how many."""
    lower = j if upper == i else i
    normal = n if lower == i else neg(n)
    base = (
        load3(scratch.vertex, colliders.loop[colliders.face_loop[face]])
        if face >= 0
        else cap_centre(colliders, scratch, lower, n)
    )
    if colliders.kind[upper] == CYLINDER:
        u = axis_z(load9(scratch.R, upper))
        s = dot(u, n)
        if abs(s) < LINE_CONTACT_SINE:
            return line_on_flat(colliders, scratch, contacts, i, j, upper, lower, face, base, n, normal, margin)
        count = disc_on_flat(colliders, scratch, upper, lower, face, base, n, margin)
    else:
        count = face_on_cap(colliders, scratch, upper, lower, base, n, margin)
    return add_face_contacts(
        colliders, scratch, contacts, i, j, POLYGON, count, n, normal, 0 if lower == i else REFERENCE_ON_J
    )


@kernel
def cap_centre(colliders, scratch, i, n):
    """Centre of the cap of cylinder i that faces along n."""
    u = axis_z(load9(scratch.R, i))
    return add_scaled(load3(scratch.p, i), math.copysign(colliders.size[i, 1], dot(u, n)), u)


@kernel
def is_over(colliders, scratch, lower, face, base, n, x, except_side):
    """Whether x is over a face, or over a cap (-1); `except_side` is not asked."""
    if face < 0:
        d = sub(x, base)
        d = add_scaled(d, -dot(d, n), n)
        return norm(d) <= (1.0 + SIDE_TOLERANCE) * colliders.size[lower, 0]
    for k in range(colliders.face_loop[face + 1] - colliders.face_loop[face]):
        if k != except_side:
            a, out = face_side(colliders, scratch, face, k, n)
            if dot(out, sub(x, a)) > SIDE_TOLERANCE * dot(out, out):
                return False
    return True


@kernel
def add_candidate(scratch, count, x, gap, feature, margin):
    """Add a candidate within the margin for `add_face_contacts`; returns how many there are now."""
    if gap >= margin or count == scratch.gap.size:
        return count
    store3(scratch.corner[POLYGON], count, x)
    scratch.gap[count] = gap
    scratch.feature[POLYGON, count] = feature
    return count + 1


@kernel
def segment_over_flat(colliders, scratch, lower, face, base, n, x, dx):
    """The part (from, to) of the segment x … x + dx that is over a face or a cap."""
    low = 0.0
    high = 1.0
    if face < 0:
        return segment_over_disc(base, n, colliders.size[lower, 0], x, dx)
    for k in range(colliders.face_loop[face + 1] - colliders.face_loop[face]):
        y, out = face_side(colliders, scratch, face, k, n)
        low, high = clip_segment(low, high, dot(out, sub(x, y)), dot(out, dx))
    return low, high


@kernel
def segment_over_disc(centre, n, r, x, dx):
    """The part of the segment that is over a disc; from > to where there is none."""
    d = sub(x, centre)
    d = add_scaled(d, -dot(d, n), n)
    w = add_scaled(dx, -dot(dx, n), n)
    ww = dot(w, w)
    if ww == 0.0:
        return 0.0, (1.0 if dot(d, d) <= r * r else -1.0)
    middle = -dot(d, w) / ww
    more = middle * middle - (dot(d, d) - r * r) / ww
    if more < 0.0:
        return 0.0, -1.0
    half = math.sqrt(more)
    return max(0.0, middle - half), min(1.0, middle + half)


@kernel
def line_on_flat(colliders, scratch, contacts, i, j, upper, lower, face, base, n, normal, margin):
    """Contacts at the ends of the lowest line of a cylinder that lies, or where the line leaves the face."""
    u = axis_z(load9(scratch.R, upper))
    t = unit(add_scaled(scale(dot(n, u), u), -1.0, n))
    x = add_scaled(add_scaled(load3(scratch.p, upper), -colliders.size[upper, 1], u), colliders.size[upper, 0], t)
    dx = scale(2.0 * colliders.size[upper, 1], u)
    low, high = segment_over_flat(colliders, scratch, lower, face, base, n, x, dx)
    found = 0
    if high < low:
        return found
    for k in range(2):
        y = add_scaled(x, low if k == 0 else high, dx)
        gap = dot(n, sub(y, base))
        if gap < margin and (k == 0 or high - low > LINE_CONTACT_LENGTH):
            add_contact(colliders, scratch, contacts, i, j, add_scaled(y, -0.5 * gap, n), normal, -gap, LINE_END + k)
            found += 1
    return found


@kernel
def disc_on_flat(colliders, scratch, upper, lower, face, base, n, margin):
    """Candidates of a cylinder that stands on a face or cap: of its rim, of the outline below, where they cross."""
    u = axis_z(load9(scratch.R, upper))
    r = colliders.size[upper, 0]
    s = dot(u, n)
    centre = cap_centre(colliders, scratch, upper, neg(n))
    t = add_scaled(scale(s, u), -1.0, n)
    lean = norm(t)
    t = scale(1.0 / lean, t) if lean > LEVEL_SINE else perpendicular(u)
    b = cross(u, t)
    feature = RIM if lean > LEVEL_SINE else LEVEL_RIM
    count = 0
    for k in range(4):
        x = add_scaled(centre, r if k < 2 else -r, t if k % 2 == 0 else b)
        if is_over(colliders, scratch, lower, face, base, n, x, -1):
            count = add_candidate(scratch, count, x, dot(n, sub(x, base)), feature + k, margin)
    if lean > LEVEL_SINE:
        # the lowest point of the other rim, on which a tilted cylinder falls next
        x = add_scaled(cap_centre(colliders, scratch, upper, n), r, t)
        if is_over(colliders, scratch, lower, face, base, n, x, -1):
            count = add_candidate(scratch, count, x, dot(n, sub(x, base)), OTHER_RIM, margin)
    if face < 0:
        return rim_over_cap(colliders, scratch, lower, base, n, margin, centre, u, r, count)
    for k in range(colliders.face_loop[face + 1] - colliders.face_loop[face]):
        a, out = face_side(colliders, scratch, face, k, n)
        # a corner of the face below the disc
        h = dot(u, sub(centre, a)) / s
        x = add_scaled(a, h, n)
        if norm(sub(x, centre)) < r:
            count = add_candidate(scratch, count, x, h, CORNER + k, margin)
        # where the rim crosses a side: A cos + B sin = C
        A = r * dot(out, t)
        B = r * dot(out, b)
        C = dot(out, sub(a, centre))
        size = math.sqrt(A * A + B * B)
        if abs(C) < size:
            middle = math.atan2(B, A)
            half = math.acos(C / size)
            for e in range(2):
                angle = middle + (half if e == 0 else -half)
                x = add_scaled(add_scaled(centre, r * math.cos(angle), t), r * math.sin(angle), b)
                if is_over(colliders, scratch, lower, face, base, n, x, k):
                    count = add_candidate(scratch, count, x, dot(n, sub(x, base)), SIDE_CROSSING + 2 * k + e, margin)
    return count


@kernel
def rim_over_cap(colliders, scratch, lower, base, n, margin, centre, u, r, count):
    """Candidates of a disc (centre, axis u, radius r) over the cap of a cylinder: where rims cross, the rim below."""
    R = colliders.size[lower, 0]
    d = sub(base, centre)
    d = add_scaled(d, -dot(d, n), n)
    distance = norm(d)
    if abs(r - R) < distance < r + R:
        # first as two circles seen along n; then Newton's method along the tilted rim
        along = 0.5 * (distance + (r - R) * (r + R) / distance)
        aside = math.sqrt(max(0.0, r * r - along * along))
        w = cross(n, d)
        for k in range(2):
            x = add_scaled(scale(along / distance, d), (aside if k == 0 else -aside) / distance, w)
            t = unit(add_scaled(x, -dot(x, u), u))
            off = math.inf
            for _ in range(RIM_CROSSING_STEPS):
                x = add_scaled(centre, r, t)
                q = sub(x, base)
                q = add_scaled(q, -dot(q, n), n)
                b = cross(u, t)
                off = dot(q, q) - R * R
                turn = 2.0 * r * dot(q, b)
                if abs(turn) < ON_RIM * r * r:
                    break
                t = unit(add_scaled(t, -off / turn, b))
            if abs(off) < ON_RIM * R * R:
                count = add_candidate(scratch, count, x, dot(n, sub(x, base)), RIM_CROSSING + k, margin)
    if distance < r:
        w = perpendicular(n)
        for k in range(4):
            x = add_scaled(base, R if k < 2 else -R, w if k % 2 == 0 else cross(n, w))
            h = dot(u, sub(centre, x)) / dot(u, n)
            x = add_scaled(x, h, n)
            if norm(sub(x, centre)) < r:
                count = add_candidate(scratch, count, x, h, LOWER_RIM + k, margin)
    return count


@kernel
def face_on_cap(colliders, scratch, upper, lower, base, n, margin):
    """Candidates of the face of a box or hull over the cap of a cylinder: corners, crossings, points of the rim."""
    g = incident_face(colliders, scratch, upper, n)
    out = rotate(load9(scratch.R, upper), load3(colliders.face_normal, g))
    r = colliders.size[lower, 0]
    s = dot(out, n)
    first = colliders.face_loop[g]
    sides = colliders.face_loop[g + 1] - first
    count = 0
    for k in range(sides):
        a = load3(scratch.vertex, colliders.loop[first + k])
        ab = sub(load3(scratch.vertex, colliders.loop[first + (k + 1 if k + 1 < sides else 0)]), a)
        low, high = segment_over_disc(base, n, r, a, ab)
        if low < high:
            x = add_scaled(a, low, ab)
            count = add_candidate(scratch, count, x, dot(n, sub(x, base)), CORNER + 2 * k, margin)
            if high < 1.0:
                x = add_scaled(a, high, ab)
                count = add_candidate(scratch, count, x, dot(n, sub(x, base)), CORNER + 2 * k + 1, margin)
    t = add_scaled(out, -s, n)
    lean = norm(t)
    t = scale(1.0 / lean, t) if lean > LEVEL_SINE else perpendicular(n)
    for k in range(4):
        x = add_scaled(base, r if k < 2 else -r, t if k % 2 == 0 else cross(n, t))
        h = dot(out, sub(load3(scratch.vertex, colliders.loop[first]), x)) / s
        if is_over(colliders, scratch, upper, g, base, out, x, -1):
            count = add_candidate(scratch, count, add_scaled(x, h, n), h, RIM + k, margin)
    return count
