"""Seams that block: a body that slides along a face of another is stopped by a side that hardly rises over it.

    n    normal of a contact        out    normal of a face across n        s    how far the other is off that face

Two polyhedra that are stopped along n, and overlap along a face across n by a hair only, would pass each other but for
this hair. Level tiles are such, if their inner edges are met.
"""

from __future__ import annotations

from linkwork._jit import kernel
from linkwork.contact.contact_cache import FEATURES_PER_PAIR
from linkwork.contact.in_time.core_sphere import velocity_at
from linkwork.contact.polyhedra.separating_axis import lowest_projection
from linkwork.spatial.codes import BOX, HULL
from linkwork.spatial.vectors import dot, load3, load9, rotate, sub

STEP_TOLERANCE = 4.0  # touches: a side that reaches beyond a face by less is no step
ACROSS = 0.1  # cosine of the angle up to which a face is across a normal
ALONG = 2.0  # touches a step: what moves less along the normal of a face slides along the face


@kernel
def grazes(colliders, work, scratch, i, j, x, n, slop, h):
    """Whether j slides along a face of i, across n, and overlaps it by no more than a hair."""
    R = load9(scratch.R, i)
    u = sub(
        velocity_at(colliders, work, work.pose_v, j, x),
        velocity_at(colliders, work, work.pose_v, i, x),
    )
    for f in range(colliders.face_start[i], colliders.face_start[i + 1]):
        out = rotate(R, load3(colliders.face_normal, f))
        if abs(dot(n, out)) < ACROSS and h * abs(dot(out, u)) < ALONG * slop:
            base = load3(scratch.vertex, colliders.loop[colliders.face_loop[f]])
            s = lowest_projection(colliders, scratch, j, out) - dot(out, base)
            if -STEP_TOLERANCE * slop < s < slop:
                return True
    return False


@kernel
def at_a_seam(colliders, work, scratch, contacts, e, h):
    """Whether contact e is at a side that the other overlaps by no more than a hair; poses are those of the start."""
    pair = contacts.id[e] // FEATURES_PER_PAIR - 1
    i = pair // colliders.link.size
    j = pair % colliders.link.size
    for k in range(2):
        kind = colliders.kind[i if k == 0 else j]
        if kind != BOX and kind != HULL:
            return False
    x = load3(contacts.point, e)
    n = load3(contacts.normal, e)
    slop = contacts.slop[e]
    if grazes(colliders, work, scratch, i, j, x, n, slop, h):
        return True
    return grazes(colliders, work, scratch, j, i, x, n, slop, h)
