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
def lowest(c, m, j, n):
    """Least n . x of collider j."""
    x = math.inf
    for k in range(c.vertex_start[j], c.vertex_start[j + 1]):
        x = min(x, dot(n, load3(m.vertex, k)))
    return x


@kernel
def best_face(c, m, i, j, margin):
    """Face of i from which j is farthest, and how far; ends early beyond the margin."""
    R = load9(m.R, i)
    best = -math.inf
    face = -1
    for f in range(c.face_start[i], c.face_start[i + 1]):
        n = rotate(R, load3(c.face_normal, f))
        s = lowest(c, m, j, n) - dot(n, load3(m.vertex, c.loop[c.face_loop[f]]))
        if s > best:
            best = s
            face = f
            if s > margin:
                break
    return face, best


@kernel
def best_edges(c, m, i, j, margin):
    """Axis from i to j across an edge of each along which they are farthest apart, and how far."""
    R_i = load9(m.R, i)
    R_j = load9(m.R, j)
    between = sub(load3(m.p, j), load3(m.p, i))
    best = -math.inf
    axis = (0.0, 0.0, 1.0)
    for e in range(c.edge_start[i], c.edge_start[i + 1]):
        a = rotate(R_i, load3(c.edge, e))
        for g in range(c.edge_start[j], c.edge_start[j + 1]):
            n = cross(a, rotate(R_j, load3(c.edge, g)))
            size = norm(n)
            if size < PARALLEL:
                continue
            n = scale(1.0 / size if dot(n, between) >= 0.0 else -1.0 / size, n)
            s = lowest(c, m, j, n) + lowest(c, m, i, neg(n))
            if s > best:
                best = s
                axis = n
                if s > margin:
                    return axis, best
    return axis, best


@kernel
def separate(c, m, i, j, margin):
    """(what, face, axis, gap): what is 0 for apart, 1 for a face of i, 2 for a face of j, 3 for two edges."""
    face, gap = best_face(c, m, i, j, margin)
    axis = (0.0, 0.0, 1.0)
    if gap > margin:
        return 0, face, axis, gap
    slack = FACES_FIRST * min(c.bound[i], c.bound[j])
    what = 1
    other, s = best_face(c, m, j, i, margin)
    if s > margin:
        return 0, face, axis, s
    if s > gap + slack:
        what = 2
        face = other
        gap = s
    n, s = best_edges(c, m, i, j, margin)
    if s > margin:
        return 0, face, axis, s
    if s > gap + slack:
        return 3, face, n, s
    return what, face, axis, gap
