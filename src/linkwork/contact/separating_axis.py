"""Polyhedra: the axis along which two of them are farthest apart, or overlap least (separating axes).

Candidates are the normals of both and the cross products of their edges. The distance along an axis is never more than
the true one, and equals it where a face or two edges meet, which is where bodies touch for longer than a moment.
"""

from __future__ import annotations

import math

from linkwork._jit import kernel
from linkwork.spatial.vectors import cross, dot, load3, load9, neg, norm, rotate, scale, sub

PARALLEL = 1e-3  # sine of the angle below which two edges are parallel
FACES_FIRST = 1e-3  # of the shapes' size: by so much must two edges, or a face of the other, be better than a face


@kernel
def lowest(colliders, scratch, j, n):
    """Least n . x of collider j."""
    x = math.inf
    for k in range(colliders.vertex_start[j], colliders.vertex_start[j + 1]):
        x = min(x, dot(n, load3(scratch.vertex, k)))
    return x


@kernel
def best_face(colliders, scratch, i, j, margin):
    """Face of i from which j is farthest, and how far; ends early beyond the margin."""
    R = load9(scratch.R, i)
    best = -math.inf
    face = -1
    for f in range(colliders.face_start[i], colliders.face_start[i + 1]):
        n = rotate(R, load3(colliders.face_normal, f))
        s = lowest(colliders, scratch, j, n) - dot(n, load3(scratch.vertex, colliders.loop[colliders.face_loop[f]]))
        if s > best:
            best = s
            face = f
            if s > margin:
                break
    return face, best


@kernel
def best_edges(colliders, scratch, i, j, margin):
    """Axis from i to j across an edge of each along which they are farthest apart, and how far."""
    R_i = load9(scratch.R, i)
    R_j = load9(scratch.R, j)
    between = sub(load3(scratch.p, j), load3(scratch.p, i))
    best = -math.inf
    axis = (0.0, 0.0, 1.0)
    for e in range(colliders.edge_start[i], colliders.edge_start[i + 1]):
        a = rotate(R_i, load3(colliders.edge, e))
        for g in range(colliders.edge_start[j], colliders.edge_start[j + 1]):
            n = cross(a, rotate(R_j, load3(colliders.edge, g)))
            size = norm(n)
            if size < PARALLEL:
                continue
            n = scale(1.0 / size if dot(n, between) >= 0.0 else -1.0 / size, n)
            s = lowest(colliders, scratch, j, n) + lowest(colliders, scratch, i, neg(n))
            if s > best:
                best = s
                axis = n
                if s > margin:
                    return axis, best
    return axis, best


@kernel
def separate(colliders, scratch, i, j, margin):
    """(what, face, axis, gap): what is 0 for apart, 1 for a face of i, 2 for a face of j, 3 for two edges."""
    face, gap = best_face(colliders, scratch, i, j, margin)
    axis = (0.0, 0.0, 1.0)
    if gap > margin:
        return 0, face, axis, gap
    slack = FACES_FIRST * min(colliders.bound[i], colliders.bound[j])
    what = 1
    other, s = best_face(colliders, scratch, j, i, margin)
    if s > margin:
        return 0, face, axis, s
    if s > gap + slack:
        what = 2
        face = other
        gap = s
    n, s = best_edges(colliders, scratch, i, j, margin)
    if s > margin:
        return 0, face, axis, s
    if s > gap + slack:
        return 3, face, n, s
    return what, face, axis, gap
