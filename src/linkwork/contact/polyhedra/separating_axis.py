"""Separating axis test: the face of two polyhedra along which they are farthest apart, or overlap least.

    n    axis, unit, from i to j        s    separation along it, negative where they overlap

The separation along an axis is never more than the true distance. So where corners of the two faces are no farther
from each other than the best face says, that face is the answer, as it is wherever things rest on each other. Else
edges or corners are nearest: boxes try their edges (box_axis.py), others ask gjk.py and epa.py.
"""

from __future__ import annotations

import math

from linkwork._jit import kernel
from linkwork.contact.polyhedra.box_axis import FACE_OF_I, FACE_OF_J, FACE_PREFERENCE, SEPARATED
from linkwork.contact.polyhedra.clip import clip_face, incident_face, is_over_face
from linkwork.spatial.vectors import dot, load3, load9, neg, rotate, sub


@kernel
def lowest_projection(colliders, scratch, j, n):
    """Least n . x over the vertices of collider j."""
    x = math.inf
    for k in range(colliders.vertex_start[j], colliders.vertex_start[j + 1]):
        x = min(x, dot(n, load3(scratch.vertex, k)))
    return x


@kernel
def lowest_corner(colliders, scratch, j, n):
    """The vertex of collider j with the least n . x."""
    least = math.inf
    x = n
    for k in range(colliders.vertex_start[j], colliders.vertex_start[j + 1]):
        y = load3(scratch.vertex, k)
        height = dot(n, y)
        if height < least:
            least = height
            x = y
    return x


@kernel
def centres_apart(colliders, scratch, i, j):
    """How far polyhedra i and j are apart along the line of their centres, at least, m."""
    d = sub(load3(scratch.p, j), load3(scratch.p, i))
    reach = lowest_projection(colliders, scratch, j, d) + lowest_projection(colliders, scratch, i, neg(d))
    return reach / math.sqrt(dot(d, d)) if dot(d, d) > 0.0 else -math.inf


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
def least_over_face(colliders, scratch, i, j, f):
    """Least height over, or depth below, face f of i of the corners of j that are over it, m; inf where none is."""
    n = rotate(load9(scratch.R, i), load3(colliders.face_normal, f))
    base = load3(scratch.vertex, colliders.loop[colliders.face_loop[f]])
    x = lowest_corner(colliders, scratch, j, n)
    if is_over_face(colliders, scratch, f, n, x):
        return abs(dot(n, sub(x, base)))
    count, here = clip_face(colliders, scratch, f, n, incident_face(colliders, scratch, j, n))
    least = math.inf
    for e in range(count):
        least = min(least, abs(dot(n, sub(load3(scratch.corner[here], e), base))))
    return least


@kernel
def face_axis(colliders, scratch, i, j, margin):
    """(SEPARATED, FACE_OF_I or FACE_OF_J; face; gap; whether another axis may be better)."""
    gap = centres_apart(colliders, scratch, i, j)
    if gap > margin:
        return SEPARATED, -1, gap, False
    face, gap = best_face(colliders, scratch, i, j, margin)
    if gap > margin:
        return SEPARATED, face, gap, False
    slack = FACE_PREFERENCE * min(colliders.bound[i], colliders.bound[j])
    other, s = best_face(colliders, scratch, j, i, margin)
    if s > margin:
        return SEPARATED, face, s, False
    if s > gap + slack:
        return FACE_OF_J, other, s, least_over_face(colliders, scratch, j, i, other) > s + slack
    return FACE_OF_I, face, gap, least_over_face(colliders, scratch, i, j, face) > gap + slack
