"""Depth of two polyhedra that overlap: a polytope inside their Minkowski difference expands to the nearest facet.

    w    corner of the difference        n h    normal of a face of the polytope, its height over the origin

The simplex of `gjk.py`, which has the origin inside, is the first polytope (van den Bergen 2001).
"""

from __future__ import annotations

import math

from linkwork._jit import kernel
from linkwork.contact.polyhedra.gjk import add_point, nearest_on_face
from linkwork.contact.polyhedra.hull_scratch import FACES, POINTS
from linkwork.spatial.vectors import add, cross, dot, load3, neg, norm, scale, store3, sub

ROUNDS = 90  # at most
ON_FACET = 1e-9  # of the smaller shape: a corner that is not farther out lies on the face


@kernel
def add_face(scratch, at, a, b, c, inside):
    """Face `at` with these points, outward as seen from `inside`; False where it has no area."""
    p = load3(scratch.hull.point, a)
    n = cross(sub(load3(scratch.hull.point, b), p), sub(load3(scratch.hull.point, c), p))
    size = norm(n)
    if not size > 0.0:
        return False
    n = scale(1.0 / size, n)
    if dot(n, sub(p, inside)) < 0.0:
        n = neg(n)
        b, c = c, b
    scratch.hull.face[at, 0] = a
    scratch.hull.face[at, 1] = b
    scratch.hull.face[at, 2] = c
    store3(scratch.hull.normal, at, n)
    scratch.hull.height[at] = dot(n, p)
    return True


@kernel
def remove_seen(scratch, faces, w, least):
    """Remove the faces that w sees; returns how many are left and how many edges the rim has."""
    hull = scratch.hull
    edges = 0
    f = 0
    while f < faces:
        if dot(load3(hull.normal, f), w) - hull.height[f] <= least:
            f += 1
            continue
        for s in range(3):
            a = hull.face[f, s]
            b = hull.face[f, (s + 1) % 3]
            # an edge of two such faces is not on the rim
            e = 0
            while e < edges and not (hull.rim[e, 0] == b and hull.rim[e, 1] == a):
                e += 1
            if e < edges:
                edges -= 1
                hull.rim[e, 0] = hull.rim[edges, 0]
                hull.rim[e, 1] = hull.rim[edges, 1]
            elif edges < FACES:
                hull.rim[edges, 0] = a
                hull.rim[edges, 1] = b
                edges += 1
        faces -= 1
        for s in range(3):
            hull.face[f, s] = hull.face[faces, s]
            hull.normal[f, s] = hull.normal[faces, s]
        hull.height[f] = hull.height[faces]
    return faces, edges


@kernel
def depth(colliders, scratch, i, j):
    """Axis from i to j along which they overlap least, and the gap, negative; the simplex becomes the facet there."""
    hull = scratch.hull
    least = ON_FACET * min(colliders.bound[i], colliders.bound[j])
    inside = (0.0, 0.0, 0.0)
    for k in range(4):
        inside = add(inside, scale(0.25, load3(hull.point, k)))
    faces = 0
    for k in range(4):
        if add_face(scratch, faces, (k + 1) % 4, (k + 2) % 4, (k + 3) % 4, inside):
            faces += 1
    points = 4
    facet = (0, 1, 2)
    n = (0.0, 0.0, 1.0)
    lowest = 0.0
    for _round in range(ROUNDS):
        lowest = math.inf
        best = 0
        for f in range(faces):
            if hull.height[f] < lowest:
                lowest = hull.height[f]
                best = f
        n = load3(hull.normal, best)
        facet = (hull.face[best, 0], hull.face[best, 1], hull.face[best, 2])
        if points == POINTS or faces + 8 > FACES:
            break
        w = add_point(colliders, scratch, i, j, n, points)
        if dot(n, w) - lowest <= least:
            break
        faces, edges = remove_seen(scratch, faces, w, 1e-3 * least)
        if faces + edges > FACES:
            break
        for e in range(edges):
            if add_face(scratch, faces, hull.rim[e, 0], hull.rim[e, 1], points, inside):
                faces += 1
        points += 1
    keep_facet(scratch, facet)
    return n, -lowest


@kernel
def keep_facet(scratch, k):
    """The three points k become the simplex, with the weights of its point nearest to the origin."""
    hull = scratch.hull
    p = (load3(hull.point, k[0]), load3(hull.point, k[1]), load3(hull.point, k[2]))
    corner = (
        (hull.corner[k[0], 0], hull.corner[k[0], 1]),
        (hull.corner[k[1], 0], hull.corner[k[1], 1]),
        (hull.corner[k[2], 0], hull.corner[k[2], 1]),
    )
    hull.weight[0], hull.weight[1], hull.weight[2] = nearest_on_face(p[0], p[1], p[2])
    for s in range(3):
        store3(hull.point, s, p[s])
        hull.corner[s, 0] = corner[s][0]
        hull.corner[s, 1] = corner[s][1]
