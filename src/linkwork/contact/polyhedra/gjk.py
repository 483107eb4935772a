"""Distance of two polyhedra of many corners, by Gilbert, Johnson and Keerthi (1988); corners by climbing along edges.

    d    direction                          w    corner of the Minkowski difference i - j farthest along d
    v    point of it nearest to the origin: the vector from j to i between the nearest points

The simplex is in the first points of `scratch.hull`, its nearest point in the weights. If the origin is on a point,
side or face of it, the two may touch there or overlap: of prisms whose ends are level i - j is symmetric, and such a
face may go through its middle. Then the simplex is completed, and epa.py finds out.
"""

from __future__ import annotations

import math

from linkwork._jit import kernel, small
from linkwork.contact.surfaces import perpendicular
from linkwork.spatial.vectors import add_scaled, cross, dot, load3, neg, norm, scale, store3, sub

ROUNDS = 64  # at most
TRY_ALL = 12  # corners at most: so many are tried faster than climbed
CONVERGED = 1e-10  # of the squared distance
TOUCHING = 1e-12  # of the smaller shape: nearer than this is an overlap


@kernel
def support(colliders, scratch, i, d):
    """Corner of collider i farthest along d: of a few all are tried, else up along the edges from the last one."""
    first = colliders.vertex_start[i]
    last = colliders.vertex_start[i + 1]
    if last - first <= TRY_ALL:
        most = -math.inf
        found = first
        for k in range(first, last):
            x = dot(d, load3(scratch.vertex, k))
            if x > most:
                most = x
                found = k
        return found
    k = scratch.hull.start[i]
    best = dot(d, load3(scratch.vertex, k))
    climbing = True
    while climbing:
        climbing = False
        for e in range(colliders.neighbour_start[k], colliders.neighbour_start[k + 1]):
            m = colliders.neighbour[e]
            x = dot(d, load3(scratch.vertex, m))
            if x > best:
                best = x
                k = m
                climbing = True
    scratch.hull.start[i] = k
    return k


@kernel
def add_point(colliders, scratch, i, j, d, at):
    """Put the corner of i - j that is farthest along d into place `at`; returns it."""
    a = support(colliders, scratch, i, d)
    b = support(colliders, scratch, j, neg(d))
    w = sub(load3(scratch.vertex, a), load3(scratch.vertex, b))
    store3(scratch.hull.point, at, w)
    scratch.hull.corner[at, 0] = a
    scratch.hull.corner[at, 1] = b
    return w


@kernel
def nearest_on_edge(a, b):
    """Weights of a and b at the point of their segment that is nearest to the origin."""
    ab = sub(b, a)
    length = dot(ab, ab)
    t = min(max(-dot(a, ab) / length, 0.0), 1.0) if length > 0.0 else 0.0
    return 1.0 - t, t


@kernel
def nearest_on_face(a, b, c):
    """Weights of a, b and c at the point of their triangle that is nearest to the origin."""
    n = cross(sub(b, a), sub(c, a))
    size = dot(n, n)
    if size > 0.0:
        x = dot(n, cross(b, c)) / size
        y = dot(n, cross(c, a)) / size
        z = dot(n, cross(a, b)) / size
        if x >= 0.0 and y >= 0.0 and z >= 0.0:
            return x, y, z
    # on one of the sides
    best = math.inf
    found = (1.0, 0.0, 0.0)
    for k in range(3):
        p = a if k == 0 else (b if k == 1 else c)
        q = b if k == 0 else (c if k == 1 else a)
        s, t = nearest_on_edge(p, q)
        v = add_scaled(scale(s, p), t, q)
        if dot(v, v) < best:
            best = dot(v, v)
            found = (s, t, 0.0) if k == 0 else ((0.0, s, t) if k == 1 else (t, 0.0, s))
    return found


@small
def is_behind(p, q, r, o):
    """Whether the origin is on the side of the face p, q, r where the fourth corner o of a tetrahedron is."""
    n = cross(sub(q, p), sub(r, p))
    side = dot(n, sub(o, p))
    return side != 0.0 and dot(n, p) * side <= 0.0


@kernel
def nearest_of_simplex(scratch, count):
    """The point of a simplex of `count` points nearest to the origin; keeps the points that it needs.

    Returns it and how many those are; 4 where the origin is inside.
    """
    point = scratch.hull.point
    weight = scratch.hull.weight
    a = load3(point, 0)
    b = load3(point, 1)
    c = load3(point, 2)
    if count == 4:
        d = load3(point, 3)
        best = math.inf
        for k in range(4):  # without point k
            p = b if k == 0 else a
            q = c if k <= 1 else b
            r = d if k <= 2 else c
            if is_behind(p, q, r, a if k == 0 else (b if k == 1 else (c if k == 2 else d))):
                continue
            x, y, z = nearest_on_face(p, q, r)
            v = add_scaled(add_scaled(scale(x, p), y, q), z, r)
            if dot(v, v) < best:
                best = dot(v, v)
                weight[0] = 0.0 if k == 0 else x
                weight[1] = x if k == 0 else (0.0 if k == 1 else y)
                weight[2] = y if k <= 1 else (0.0 if k == 2 else z)
                weight[3] = 0.0 if k == 3 else z
        if not best < math.inf:
            return (0.0, 0.0, 0.0), 4
    elif count == 3:
        weight[0], weight[1], weight[2] = nearest_on_face(a, b, c)
    elif count == 2:
        weight[0], weight[1] = nearest_on_edge(a, b)
    else:
        weight[0] = 1.0
    kept = 0
    v = (0.0, 0.0, 0.0)
    for k in range(count):
        if weight[k] > 0.0:
            x = load3(point, k)
            v = add_scaled(v, weight[k], x)
            store3(point, kept, x)
            weight[kept] = weight[k]
            for s in range(2):
                scratch.hull.corner[kept, s] = scratch.hull.corner[k, s]
            kept += 1
    return v, kept


@small
def off_simplex(scratch, count, w):
    """How far w is off the point, line or plane of a simplex of `count` points."""
    a = load3(scratch.hull.point, 0)
    r = sub(w, a)
    if count == 1:
        return norm(r)
    u = sub(load3(scratch.hull.point, 1), a)
    if count == 2:
        return norm(cross(u, r)) / norm(u)
    n = cross(u, sub(load3(scratch.hull.point, 2), a))
    return abs(dot(n, r)) / norm(n)


@small
def off_direction(scratch, count, k):
    """Direction k of those off the simplex: along each axis of a point, about a line, or across a plane."""
    if count == 1:
        return (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
    a = load3(scratch.hull.point, 0)
    u = sub(load3(scratch.hull.point, 1), a)
    if count == 3:
        return cross(u, sub(load3(scratch.hull.point, 2), a))
    u = scale(1.0 / norm(u), u)
    v = perpendicular(u)
    return v if k == 0 else cross(u, v)


@kernel
def complete_simplex(colliders, scratch, i, j, count, least):
    """Add corners of i - j that are farthest off the simplex until there are four; returns how many there are."""
    while count < 4:
        farthest = least
        best = -1
        directions = 4 - count
        for k in range(2 * directions):
            d = off_direction(scratch, count, k % directions)
            off = off_simplex(
                scratch, count, add_point(colliders, scratch, i, j, d if k < directions else neg(d), count)
            )
            if off > farthest:
                farthest = off
                best = k
        if best < 0:
            return count
        d = off_direction(scratch, count, best % directions)
        add_point(colliders, scratch, i, j, d if best < directions else neg(d), count)
        count += 1
    return count


@kernel
def distance(colliders, scratch, i, j, d, margin):
    """Axis from i to j, gap, and how many points the simplex has: 4 where they overlap, 0 where farther than margin.

    The search begins along d, which should be about the axis.
    """
    if not dot(d, d) > 0.0:
        d = (0.0, 0.0, 1.0)
    touching = TOUCHING * min(colliders.bound[i], colliders.bound[j])
    v = add_point(colliders, scratch, i, j, d, 0)
    scratch.hull.weight[0] = 1.0
    count = 1
    n = scale(1.0 / norm(d), d)
    for _round in range(ROUNDS):
        length = norm(v)
        if length <= touching:
            return n, 0.0, complete_simplex(colliders, scratch, i, j, count, touching)
        n = scale(-1.0 / length, v)
        w = add_point(colliders, scratch, i, j, n, count)
        reach = -dot(n, w)  # no more than the distance
        if reach > margin:
            return n, reach, 0
        if length - reach <= CONVERGED * length:
            return n, length, count
        known = False
        for k in range(count):
            known = known or (
                scratch.hull.corner[k, 0] == scratch.hull.corner[count, 0]
                and scratch.hull.corner[k, 1] == scratch.hull.corner[count, 1]
            )
        if known:
            return n, length, count
        v, count = nearest_of_simplex(scratch, count + 1)
        if count == 4:
            return n, 0.0, 4
    return n, norm(v), count
