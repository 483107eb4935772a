"""How many points two shapes touch with where they lie flat on each other: each has that part of their softness.

    n    normal        u v    axes of a capsule or cylinder        c s    cosine and sine of the angle from n to u
    P    points of the pair        d    depth        x    point of contact

What a soft pair stores must depend on where the two are, and on nothing else. If all points that happen to touch had
equal shares, another corner that comes down would change what the first ones have stored, and a box that rocks would
gain or lose energy with every corner. So the share of a point is that of a pair that lies flat: a box on its edge has
two of four, and half the stiffness.

Of what is round about an axis the number goes over from that of the side to that of the end: P = 1 + s^2 of a capsule,
4 - 2 s^2 of a cylinder. So what a point stores, k d^2 / (2 P), depends on the angle too. Its force f = k d / P does
that work as well if it acts a little beside the point, at x - d c u / P of a capsule, x + 2 d c u / P of a cylinder.
"""

from __future__ import annotations

from linkwork._jit import kernel, small
from linkwork.contact.polyhedra.clip import FACE_POINTS, incident_face
from linkwork.spatial.codes import BOX, CAPSULE, CYLINDER, ELLIPSOID, HULL, MANY_CORNERS, PLANE, SPHERE
from linkwork.spatial.vectors import add_scaled, axis_z, cross, dot, load3, load9, neg, store3


@small
def has_axis(colliders, i):
    """Whether collider i is a capsule or cylinder."""
    return colliders.kind[i] == CAPSULE or colliders.kind[i] == CYLINDER


@small
def points_of(colliders, scratch, i, n):
    """Points with which collider i would lie on a plane that is across n, which points out of it."""
    kind = colliders.kind[i]
    if kind == SPHERE or kind == ELLIPSOID:
        return 1.0
    if has_axis(colliders, i):
        c = dot(n, axis_z(load9(scratch.R, i)))
        return 2.0 - c * c if kind == CAPSULE else 2.0 + 2.0 * c * c
    if kind == BOX or kind == HULL:
        face = incident_face(colliders, scratch, i, neg(n))
        return float(min(FACE_POINTS, colliders.face_loop[face + 1] - colliders.face_loop[face]))
    return float(FACE_POINTS)


@small
def corners_on_plane(colliders, scratch, j, n):
    """Points of hull j on a plane with the normal n: all corners of its lowest face, if they are not too many."""
    face = incident_face(colliders, scratch, j, n)
    corners = colliders.face_loop[face + 1] - colliders.face_loop[face]
    many = colliders.vertex_start[j + 1] - colliders.vertex_start[j] > MANY_CORNERS
    return float(min(FACE_POINTS, corners) if many else corners)


@kernel
def share_softness(colliders, scratch, contacts, i, j, e):
    """Set the points of colliders i and j, of which the soft contact e is one; move it to where its force acts."""
    n = load3(contacts.normal, e)
    if colliders.kind[i] == PLANE and colliders.kind[j] == HULL:
        contacts.flat_points[e] = corners_on_plane(colliders, scratch, j, n)
        return
    if scratch.clipped[0] > 0:
        contacts.flat_points[e] = float(min(FACE_POINTS, scratch.clipped[0]))
        return
    of_i = points_of(colliders, scratch, i, n)
    of_j = points_of(colliders, scratch, j, neg(n))
    P = min(of_i, of_j)
    u = axis_z(load9(scratch.R, i))
    v = axis_z(load9(scratch.R, j))
    if has_axis(colliders, i) and has_axis(colliders, j):
        # side by side they touch along a line, crossing each other at one point
        crossing = cross(u, v)
        along_u = cross(n, u)
        along_v = cross(n, v)
        P -= dot(along_u, along_u) * dot(along_v, along_v) * dot(crossing, crossing)
    elif contacts.depth[e] > 0.0:
        k = i if of_i < of_j else j
        if has_axis(colliders, k):
            way = contacts.depth[e] / P * (-1.0 if colliders.kind[k] == CAPSULE else 2.0)
            way *= dot(neg(n), u) if k == i else dot(n, v)
            store3(contacts.point, e, add_scaled(load3(contacts.point, e), way, u if k == i else v))
    contacts.flat_points[e] = P
