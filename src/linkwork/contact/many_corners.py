"""Separating axis of two polyhedra of which one has many corners; the same answer as `separating_axis`, much sooner.

The axis is that of the nearest points (gjk.py), or of the least overlap (expanding.py). Where the face most along it
separates them as well, within FACE_PREFERENCE, that face is taken, so that flat things have several contacts.
"""

from __future__ import annotations

from linkwork._jit import kernel
from linkwork.contact.clip import COLLINEAR, incident_face
from linkwork.contact.contact_cache import add_contact
from linkwork.contact.expanding import depth
from linkwork.contact.gjk import distance, support
from linkwork.contact.separating_axis import EDGES, FACE_OF_I, FACE_OF_J, FACE_PREFERENCE, SEPARATED
from linkwork.spatial.vectors import add, add_scaled, cross, dot, load3, load9, neg, rotate, scale, sub

FEW_CORNERS = 24  # of both together: `separating_axis` tries all their faces and edges


@kernel
def face_separation(colliders, scratch, i, j, f):
    """Distance of collider j from face f of i along its normal."""
    n = rotate(load9(scratch.R, i), load3(colliders.face_normal, f))
    lowest = load3(scratch.vertex, support(colliders, scratch, j, neg(n)))
    return dot(n, sub(lowest, load3(scratch.vertex, colliders.loop[colliders.face_loop[f]])))


@kernel
def nearest_axis(colliders, scratch, i, j, margin):
    """(SEPARATED, FACE_OF_I, FACE_OF_J or EDGES; face; axis; gap; points of the simplex with the nearest points)."""
    n, gap, count = distance(colliders, scratch, i, j, margin)
    if count == 4:
        n, gap = depth(colliders, scratch, i, j)
        count = 3
    if count == 0 or gap > margin:
        return SEPARATED, -1, n, gap, 0
    slack = FACE_PREFERENCE * min(colliders.bound[i], colliders.bound[j])
    face = incident_face(colliders, scratch, i, neg(n))
    s = face_separation(colliders, scratch, i, j, face)
    if s >= gap - slack:
        return FACE_OF_I, face, n, s, count
    face = incident_face(colliders, scratch, j, n)
    s = face_separation(colliders, scratch, j, i, face)
    if s >= gap - slack:
        return FACE_OF_J, face, n, s, count
    return EDGES, -1, n, gap, count


@kernel
def middle_of_simplex(scratch, count):
    """Halfway between the nearest points of the two."""
    x = (0.0, 0.0, 0.0)
    for k in range(count):
        a = load3(scratch.vertex, scratch.hull.corner[k, 0])
        b = load3(scratch.vertex, scratch.hull.corner[k, 1])
        x = add_scaled(x, scratch.hull.weight[k], scale(0.5, add(a, b)))
    return x


@kernel
def plane_and_stone(colliders, scratch, contacts, i, j, n, p, margin):
    """Four corners of j near the plane i: the lowest, the farthest from it, and one on either side of their line."""
    first = colliders.vertex_start[j]
    last = colliders.vertex_start[j + 1]
    lowest = support(colliders, scratch, j, neg(n))
    x = load3(scratch.vertex, lowest)
    if dot(n, sub(x, p)) >= margin:
        return
    far = lowest
    longest = 0.0
    for k in range(first, last):
        y = load3(scratch.vertex, k)
        d = sub(y, x)
        if dot(n, sub(y, p)) < margin and dot(d, d) > longest:
            longest = dot(d, d)
            far = k
    line = cross(n, sub(load3(scratch.vertex, far), x))
    most = COLLINEAR * longest
    least = -most
    left = lowest
    right = lowest
    for k in range(first, last):
        y = load3(scratch.vertex, k)
        s = dot(line, sub(y, x))
        if (s > most or s < least) and dot(n, sub(y, p)) < margin:
            if s > most:
                most = s
                left = k
            else:
                least = s
                right = k
    chosen = (lowest, far, left, right)
    for e in range(4):
        k = chosen[e]
        if e == 0 or k != lowest:
            y = load3(scratch.vertex, k)
            gap = dot(n, sub(y, p))
            add_contact(colliders, scratch, contacts, i, j, add_scaled(y, -0.5 * gap, n), n, -gap, k - first)
