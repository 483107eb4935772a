"""Separating axis test: the axis along which two polyhedra are farthest apart, or overlap least.

    n    axis, unit, from i to j        s    separation along it, negative where they overlap

Candidates are the face normals of both and the cross products of their edges. The separation along an axis is never
more than the true distance, and equals it where a face or two edges touch, which is where bodies stay in contact.
"""

from __future__ import annotations

import math

from linkwork._jit import kernel
from linkwork.spatial.vectors import cross, dot, load3, load9, neg, norm, rotate, scale, sub

PARALLEL_SINE = 1e-3  # sine of the angle below which two edges are parallel and make no axis
FACE_PREFERENCE = 1e-3  # of the smaller shape: by how much edges, or a face of j, must be better than a face of i
# what `separating_axis` returns first
SEPARATED, FACE_OF_I, FACE_OF_J, EDGES = range(4)


@kernel
def lowest_projection(colliders, scratch, j, n):
    """Least n . x over the vertices of collider j."""
    x = math.inf
    for k in range(colliders.vertex_start[j], colliders.vertex_start[j + 1]):
        x = min(x, dot(n, load3(scratch.vertex, k)))
    return x


@kernel
def best_face(colliders, scratch, i, j, margin):
    """Face of i from which j is farthest, and the separation; stops early beyond the margin."""
    R = load9(scratch.R, i)
    best = -math.inf
    face = -1
    for f in range(colliders.face_start[i], colliders.face_start[i + 1]):
        n = rotate(R, load3(colliders.face_normal, f))
        s = lowest_projection(colliders, scratch, j, n) - dot(
            n, load3(scratch.vertex, colliders.loop[colliders.face_loop[f]])
        )
        if s > best:
            best = s
            face = f
            if s > margin:
                break
    return face, best


@kernel
def best_edge_axis(colliders, scratch, i, j, margin):
    """Axis perpendicular to an edge of each along which i and j are farthest apart, and the separation."""
    R_i = load9(scratch.R, i)
    R_j = load9(scratch.R, j)
    from_centre = sub(load3(scratch.p, j), load3(scratch.p, i))
    best = -math.inf
    axis = (0.0, 0.0, 1.0)
    for e in range(colliders.edge_start[i], colliders.edge_start[i + 1]):
        a = rotate(R_i, load3(colliders.edge, e))
        for g in range(colliders.edge_start[j], colliders.edge_start[j + 1]):
            n = cross(a, rotate(R_j, load3(colliders.edge, g)))
            size = norm(n)
            if size < PARALLEL_SINE:
                continue
            n = scale(1.0 / size if dot(n, from_centre) >= 0.0 else -1.0 / size, n)
            s = lowest_projection(colliders, scratch, j, n) + lowest_projection(colliders, scratch, i, neg(n))
            if s > best:
                best = s
                axis = n
                if s > margin:
                    return axis, best
    return axis, best


@kernel
def separating_axis(colliders, scratch, i, j, margin):
    """(SEPARATED, FACE_OF_I, FACE_OF_J or EDGES; face; axis; gap)."""
    face, gap = best_face(colliders, scratch, i, j, margin)
    axis = (0.0, 0.0, 1.0)
    if gap > margin:
        return SEPARATED, face, axis, gap
    slack = FACE_PREFERENCE * min(colliders.bound[i], colliders.bound[j])
    region = FACE_OF_I
    other, s = best_face(colliders, scratch, j, i, margin)
    if s > margin:
        return SEPARATED, face, axis, s
    if s > gap + slack:
        region = FACE_OF_J
        face = other
        gap = s
    n, s = best_edge_axis(colliders, scratch, i, j, margin)
    if s > margin:
        return SEPARATED, face, axis, s
    if s > gap + slack:
        return EDGES, face, n, s
    return region, face, axis, gap
