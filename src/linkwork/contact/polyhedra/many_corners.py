"""Where two polyhedra are nearest: along a face of either, or between edges and corners.

The axis is that of the nearest points (gjk.py), or of the least overlap (epa.py). Where a face separates them as
well, within FACE_PREFERENCE, that face is taken, so that flat things have several contacts. Boxes have a test of their
own (box_axis.py); with few corners the faces are tried first (separating_axis.py).
"""

from __future__ import annotations

import math

from linkwork._jit import kernel
from linkwork.contact.contact_cache import add_contact
from linkwork.contact.polyhedra.box_axis import EDGES, FACE_OF_I, FACE_OF_J, FACE_PREFERENCE, SEPARATED, box_axis
from linkwork.contact.polyhedra.clip import COLLINEAR, incident_face
from linkwork.contact.polyhedra.epa import depth
from linkwork.contact.polyhedra.gjk import distance, support
from linkwork.contact.polyhedra.separating_axis import face_axis
from linkwork.spatial.codes import BOX
from linkwork.spatial.vectors import add, add_scaled, cross, dot, load3, load9, neg, rotate, scale, sub

FEW_CORNERS = 24  # of both together: all their faces are tried first


@kernel
def face_separation(colliders, scratch, i, j, f):
    """Distance of collider j from face f of i along its normal."""
    n = rotate(load9(scratch.R, i), load3(colliders.face_normal, f))
    lowest = load3(scratch.vertex, support(colliders, scratch, j, neg(n)))
    return dot(n, sub(lowest, load3(scratch.vertex, colliders.loop[colliders.face_loop[f]])))


@kernel
def polyhedra_axis(colliders, scratch, i, j, margin):
    """(SEPARATED, FACE_OF_I, FACE_OF_J or EDGES; face; axis; gap; points of the simplex with the nearest points)."""
    if colliders.kind[i] == BOX and colliders.kind[j] == BOX:
        region, face, n, gap = box_axis(colliders, scratch, i, j, margin)
        return region, face, n, gap, 0
    corners = colliders.vertex_start[i + 1] - colliders.vertex_start[i]
    corners += colliders.vertex_start[j + 1] - colliders.vertex_start[j]
    region = EDGES
    face = -1
    along_face = -math.inf
    start = sub(load3(scratch.p, j), load3(scratch.p, i))
    if corners <= FEW_CORNERS:
        region, face, along_face, unsure = face_axis(colliders, scratch, i, j, margin)
        if not unsure:
            return region, face, (0.0, 0.0, 1.0), along_face, 0
        start = rotate(load9(scratch.R, i if region == FACE_OF_I else j), load3(colliders.face_normal, face))
        start = start if region == FACE_OF_I else neg(start)
    n, gap, count = distance(colliders, scratch, i, j, start, margin)
    overlap = count == 4
    if overlap:
        n, gap = depth(colliders, scratch, i, j)
        count = 3
    if count == 0 or gap > margin:
        return SEPARATED, -1, n, gap, 0
    slack = FACE_PREFERENCE * min(colliders.bound[i], colliders.bound[j])
    if corners > FEW_CORNERS:
        region = FACE_OF_I
        face = incident_face(colliders, scratch, i, neg(n))
        along_face = face_separation(colliders, scratch, i, j, face)
        if not along_face >= gap - slack:
            region = FACE_OF_J
            face = incident_face(colliders, scratch, j, n)
            along_face = face_separation(colliders, scratch, j, i, face)
    if along_face >= gap - slack:
        return region, face, n, along_face, count
    # a facet made by two edges is two triangles, and the nearest point may be in the other one
    return EDGES, -1, n, gap, 0 if overlap and corners <= FEW_CORNERS else count


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
def plane_and_hull(colliders, scratch, contacts, i, j, n, p, margin):
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
