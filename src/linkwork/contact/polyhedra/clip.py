"""Two faces in contact: the incident face clipped by the sides of the reference face, reduced to four contacts.

    f n    reference face, its normal        g    incident face of the other polyhedron
    a      corner of a face                  out  perpendicular to a side, out of the face
    s t    signed distances of two neighbouring corners from a side

Clipping by half planes (Sutherland and Hodgman) in `scratch.corner`; every corner carries a number for the features
that it comes from, so that it is found again a step later.
"""

from __future__ import annotations

import math

from linkwork._jit import kernel, small
from linkwork.contact.contact_cache import REFERENCE_ON_J, add_contact
from linkwork.contact.scratch import CLIPPED, POLYGON
from linkwork.spatial.vectors import add_scaled, cross, dot, load3, load9, neg, rotate, store3, sub, unrotate

FACE_POINTS = 4  # of two faces, at most
COLLINEAR = 1e-6  # of the squared length of a polygon: corners nearer to its longest line span no area
SIDE_TOLERANCE = 1e-7  # of the length of a side: corners this far outside still count as inside, as in straight stacks


@kernel
def incident_face(colliders, scratch, j, n):
    """Face of collider j whose normal is most opposed to n."""
    n = unrotate(load9(scratch.R, j), n)
    least = math.inf
    face = colliders.face_start[j]
    for f in range(colliders.face_start[j], colliders.face_start[j + 1]):
        x = dot(n, load3(colliders.face_normal, f))
        if x < least:
            least = x
            face = f
    return face


@kernel
def face_side(colliders, scratch, f, k, n):
    """A corner on side k of face f, and the direction out of the face there."""
    return face_side_inline(colliders, scratch, f, k, n)


@small
def face_side_inline(colliders, scratch, f, k, n):
    """`face_side` for hot loops."""
    first = colliders.face_loop[f]
    a = load3(scratch.vertex, colliders.loop[first + k])
    after = k + 1 if first + k + 1 < colliders.face_loop[f + 1] else 0
    return a, cross(sub(load3(scratch.vertex, colliders.loop[first + after]), a), n)


@kernel
def is_over_face(colliders, scratch, f, n, x):
    """Whether x is within the sides of face f (its normal n), seen along n."""
    for k in range(colliders.face_loop[f + 1] - colliders.face_loop[f]):
        a, out = face_side_inline(colliders, scratch, f, k, n)
        if dot(out, sub(x, a)) > SIDE_TOLERANCE * dot(out, out):
            return False
    return True


@kernel
def clip_face(colliders, scratch, f, n, g):
    """Corners of face g within the sides of face f (its normal n): how many, and in which slot of scratch.corner."""
    count = colliders.face_loop[g + 1] - colliders.face_loop[g]
    for k in range(count):
        store3(scratch.corner[POLYGON], k, load3(scratch.vertex, colliders.loop[colliders.face_loop[g] + k]))
        scratch.feature[POLYGON, k] = k
    return clip_polygon(colliders, scratch, f, n, count)


@small
def clip_polygon(colliders, scratch, f, n, count):
    """Clip the first `count` corners of the POLYGON by the sides of face f, seen along n: how many are left, where."""
    here = POLYGON
    capacity = scratch.gap.size
    for k in range(colliders.face_loop[f + 1] - colliders.face_loop[f]):
        a, out = face_side_inline(colliders, scratch, f, k, n)
        tolerance = SIDE_TOLERANCE * dot(out, out)
        there = CLIPPED if here == POLYGON else POLYGON
        kept = 0
        for e in range(count):
            after = e + 1 if e + 1 < count else 0
            x = load3(scratch.corner[here], e)
            y = load3(scratch.corner[here], after)
            s = dot(out, sub(x, a))
            t = dot(out, sub(y, a))
            if s <= tolerance and kept < capacity:
                store3(scratch.corner[there], kept, x)
                scratch.feature[there, kept] = scratch.feature[here, e]
                kept += 1
            if (s <= tolerance) != (t <= tolerance) and kept < capacity:
                part = min(max(s / (s - t), 0.0), 1.0)
                store3(scratch.corner[there], kept, add_scaled(x, part, sub(y, x)))
                scratch.feature[there, kept] = (
                    37 * scratch.feature[here, e] + 101 * scratch.feature[here, after] + 17 * k + 64
                ) & 0x3FFF
                kept += 1
        here = there
        count = kept
        if count == 0:
            break
    return count, here


@small
def clip_segment(low, high, s, ds):
    """The part (low, high) of a segment that a plane leaves; s is the height of its beginning over it, ds its rise."""
    if ds > 0.0:
        high = min(high, -s / ds)
    elif ds < 0.0:
        low = max(low, -s / ds)
    elif s > 0.0:
        high = -1.0
    return low, high


@kernel
def choose_four(scratch, here, count, n):
    """Four corners that span the most: the deepest, the farthest from it, then one on either side of their line."""
    a = 0
    for e in range(count):
        if scratch.gap[e] < scratch.gap[a]:
            a = e
    x = load3(scratch.corner[here], a)
    b = a
    longest = -1.0
    for e in range(count):
        d = sub(load3(scratch.corner[here], e), x)
        if dot(d, d) > longest:
            longest = dot(d, d)
            b = e
    line = cross(n, sub(load3(scratch.corner[here], b), x))
    left = a
    right = a
    most = COLLINEAR * longest
    least = -most
    for e in range(count):
        s = dot(line, sub(load3(scratch.corner[here], e), x))
        if s > most:
            most = s
            left = e
        if s < least:
            least = s
            right = e
    return a, b, left, right


@small
def add_face_contacts(colliders, scratch, contacts, i, j, here, count, n, normal, id_offset):
    """Contacts of i and j at the corners over a face (its normal n), four at most; returns how many were added."""
    chosen = (0, 1, 2, 3)
    if count > FACE_POINTS:
        chosen = choose_four(scratch, here, count, n)
    added = 0
    for k in range(min(count, FACE_POINTS)):
        e = chosen[k]
        if k < 2 or e != chosen[0]:
            gap = scratch.gap[e]
            x = add_scaled(load3(scratch.corner[here], e), -0.5 * gap, n)
            add_contact(colliders, scratch, contacts, i, j, x, normal, -gap, id_offset + 2 + scratch.feature[here, e])
            added += 1
    return added


@kernel
def contacts_on_face(colliders, scratch, contacts, i, j, reference, face, least, margin):
    """Contacts of polyhedra i and j on a face of `reference`, one of them: the face of the other over it, clipped.

    Returns how many corners have a gap between `least` and the margin.
    """
    other = j if reference == i else i
    n = rotate(load9(scratch.R, reference), load3(colliders.face_normal, face))
    count, here = clip_face(colliders, scratch, face, n, incident_face(colliders, scratch, other, n))
    scratch.clipped[0] = count
    on_face = load3(scratch.vertex, colliders.loop[colliders.face_loop[face]])
    near = 0
    for e in range(count):
        x = load3(scratch.corner[here], e)
        gap = dot(n, sub(x, on_face))
        if least < gap < margin:
            for s in range(3):
                scratch.corner[here, near, s] = x[s]
            scratch.feature[here, near] = scratch.feature[here, e]
            scratch.gap[near] = gap
            near += 1
    normal = n if reference == i else neg(n)
    id_offset = 0 if reference == i else REFERENCE_ON_J
    add_face_contacts(colliders, scratch, contacts, i, j, here, near, n, normal, id_offset)
    return near
