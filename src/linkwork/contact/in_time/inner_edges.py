"""Inner edges: sides and edges of a collider that its neighbours on the same link cover are not met.

    x    a point where the shape j touches        n    unit, out of j        k    a neighbour of j

Tiles, the parts of a mesh and the steps of a stair lie side by side. A side of one that the next one covers cannot be
met, and neither can the edge between two that are level. Of a contact

  - along the normal of a face of j, the face must be free somewhere around x: not inside a neighbour;
  - along another n (of an edge, a corner) no neighbour that reaches x may rise above the plane through x.

`colliders.beside` lists which colliders of a link touch or overlap each other.
"""

from __future__ import annotations

import math

from linkwork._jit import kernel
from linkwork.contact.polyhedra.clip import contacts_on_face, incident_face
from linkwork.contact.round.arc_search import support_point
from linkwork.contact.round.cylinder_faces import is_over
from linkwork.contact.round.nearest_points import signed_distance
from linkwork.contact.surfaces import perpendicular
from linkwork.contact.table import move_contact
from linkwork.spatial.codes import CYLINDER
from linkwork.spatial.vectors import add_scaled, axis_z, cross, dot, load3, load9, neg, rotate, sub

FACE_COSINE = 0.9998  # cosine of the angle up to which a contact's normal is that of a face
AROUND = 10.0  # touches: how far around a contact a face must be free, and how wide a covered crack may be
REACH = 2.0  # touches: how near to a contact a neighbour reaches it


@kernel
def leave_out_inner(colliders, scratch, contacts, i, j, first, slop, margin, edges):
    """Remove the contacts of i and j, from `first` on, that are at inner sides of either, or `edges`.

    What is deep inside already is kept: it must come out somehow. Where inner edges were the only contacts of two
    polyhedra, as of a box that stands with its edge on a seam, they touch at the face beside it.
    """
    if (
        colliders.adjacent_start[i] == colliders.adjacent_start[i + 1]
        and colliders.adjacent_start[j] == colliders.adjacent_start[j + 1]
    ):
        return
    kept = first
    reference = -1
    face = -1
    for e in range(first, contacts.count[0]):
        x = load3(contacts.point, e)
        n = load3(contacts.normal, e)
        half = 0.5 * contacts.depth[e]
        if contacts.depth[e] < AROUND * slop:
            # n is from i to j; the point is midway between the surfaces
            x_j = add_scaled(x, -half, n)
            x_i = add_scaled(x, half, n)
            if is_inner(colliders, scratch, j, x_j, neg(n), slop, edges):
                if face < 0:
                    reference = j
                    face = free_face(colliders, scratch, j, x_j, neg(n), slop)
                continue
            if is_inner(colliders, scratch, i, x_i, n, slop, edges):
                if face < 0:
                    reference = i
                    face = free_face(colliders, scratch, i, x_i, n, slop)
                continue
        if kept < e:
            move_contact(contacts, e, kept)
        kept += 1
    contacts.count[0] = kept
    other = j if reference == i else i
    if kept == first and face >= 0 and colliders.face_start[other] < colliders.face_start[other + 1]:
        contacts_on_face(colliders, scratch, contacts, i, j, reference, face, -math.inf, margin)


@kernel
def free_face(colliders, scratch, j, x, n, slop):
    """Of the faces of j at the edge or corner x that no neighbour covers the one most along n; -1 for none."""
    R = load9(scratch.R, j)
    best = 1.0 - FACE_COSINE
    found = -1
    for f in range(colliders.face_start[j], colliders.face_start[j + 1]):
        out = rotate(R, load3(colliders.face_normal, f))
        along = dot(n, out)
        height = dot(out, sub(x, load3(scratch.vertex, colliders.loop[colliders.face_loop[f]])))
        if along > FACE_COSINE:
            return -1
        if along > best and abs(height) < AROUND * slop:
            first = colliders.adjacent_start[j]
            last = colliders.adjacent_start[j + 1]
            if face_is_free(colliders, scratch, first, last, j, f, x, out, slop):
                best = along
                found = f
    return found


@kernel
def is_inner(colliders, scratch, j, x, n, slop, edges):
    """Whether the contact at x of collider j, n out of it, is covered by neighbours of j."""
    first = colliders.adjacent_start[j]
    last = colliders.adjacent_start[j + 1]
    if first == last or not reached(colliders, scratch, first, last, x, AROUND * slop):
        return False
    face = -1
    out = axis_z(load9(scratch.R, j))
    if colliders.kind[j] == CYLINDER:
        out = neg(out) if dot(out, n) < 0.0 else out
    else:
        face = incident_face(colliders, scratch, j, neg(n))
        out = rotate(load9(scratch.R, j), load3(colliders.face_normal, face))
    if dot(n, out) > FACE_COSINE:
        return face >= 0 and not face_is_free(colliders, scratch, first, last, j, face, x, out, slop)
    if not edges:
        return False
    for e in range(first, last):
        k = colliders.adjacent[e]
        _, gap = signed_distance(colliders, scratch, k, x)
        if gap < REACH * slop and dot(n, support_point(colliders, scratch, k, n)) - dot(n, x) > REACH * slop:
            return True
    return False


@kernel
def reached(colliders, scratch, first, last, x, near):
    """Whether a neighbour is as near to x as that."""
    for e in range(first, last):
        _, gap = signed_distance(colliders, scratch, colliders.adjacent[e], x)
        if gap < near:
            return True
    return False


@kernel
def face_is_free(colliders, scratch, first, last, j, face, x, out, slop):
    """Whether a face of j is free at x or somewhere around it: outside of all neighbours."""
    a = perpendicular(out)
    b = cross(out, a)
    base = load3(scratch.vertex, colliders.loop[colliders.face_loop[face]])
    for k in range(9):
        y = x
        if k > 0:
            along = a if k < 5 else b
            y = add_scaled(x, (AROUND if k % 2 == 0 else -AROUND) * slop * (1.0 if (k - 1) % 4 < 2 else 0.3), along)
            if not is_over(colliders, scratch, j, face, base, out, y, -1):
                continue
        y = add_scaled(y, AROUND * slop, out)
        free = True
        for e in range(first, last):
            _, gap = signed_distance(colliders, scratch, colliders.adjacent[e], y)
            if gap < slop:
                free = False
                break
        if free:
            return True
    return False
