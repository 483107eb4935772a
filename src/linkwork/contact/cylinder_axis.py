"""Cylinders, as round as they are: the direction in which one is farthest apart from another solid, or overlaps least.

    n    unit, from i to j            x(n)    farthest point of i along n      y(n)    of j against n
    d    y(n) - x(n)                  f(n)    n . d, how far apart they are along n
    u    axis of a cylinder           L r     its half length, radius          t       across u, along n

f is concave (of any n, not only of unit length), and n' . d(n) is never less than f(n'): what lies on an arc is bounded
by its ends. Largest f is at a face or an end; or somewhere on the directions across an edge, or across the axis, which
are searched by halving; or, of two rims, by Newton's method. Where a rim is nearest to a lone corner the distance is a
little more than f, as it is for polyhedra (separate.py).
"""

from __future__ import annotations

import math

from linkwork._jit import kernel
from linkwork.contact.contact_cache import across
from linkwork.spatial.codes import BOX, CYLINDER
from linkwork.spatial.vectors import (
    add_scaled,
    axis_x,
    axis_y,
    axis_z,
    cross,
    dot,
    load3,
    load9,
    neg,
    norm,
    rotate,
    scale,
    sub,
)

APART, FACE, END, END_OF_OTHER, ELSEWHERE = 0, 1, 2, 3, 4
END_AFTER_FACE = 1e-4  # of the shapes' size: by so much must an end be better than a face, or than the other's end
ROUND_AFTER_FLAT = 1e-7  # and all else than these
HALVINGS = 30  # of a quarter turn: 1e-9 rad
CLIMBS = 3  # along great circles, before Newton's method
NEWTON = 8  # its steps
STEP = 0.3  # rad, longest of them


@kernel
def farthest(colliders, scratch, i, n):
    """Point of collider i (box, cylinder or hull) that is farthest along n."""
    R = load9(scratch.R, i)
    p = load3(scratch.p, i)
    if colliders.kind[i] == CYLINDER:
        u = axis_z(R)
        s = dot(n, u)
        x = add_scaled(p, math.copysign(colliders.size[i, 1], s), u)
        t = add_scaled(n, -s, u)
        wide = norm(t)
        return add_scaled(x, colliders.size[i, 0] / wide, t) if wide > 1e-12 else x
    if colliders.kind[i] == BOX:
        x = add_scaled(p, math.copysign(colliders.size[i, 0], dot(n, axis_x(R))), axis_x(R))
        x = add_scaled(x, math.copysign(colliders.size[i, 1], dot(n, axis_y(R))), axis_y(R))
        return add_scaled(x, math.copysign(colliders.size[i, 2], dot(n, axis_z(R))), axis_z(R))
    best = -math.inf
    x = p
    for k in range(colliders.vertex_start[i], colliders.vertex_start[i + 1]):
        y = load3(scratch.vertex, k)
        if dot(n, y) > best:
            best = dot(n, y)
            x = y
    return x


@kernel
def between(colliders, scratch, i, j, n):
    """d(n)."""
    return sub(farthest(colliders, scratch, j, neg(n)), farthest(colliders, scratch, i, n))


@kernel
def unit(a):
    return scale(1.0 / norm(a), a)


@kernel
def best_around(colliders, scratch, i, j, about, start, known):
    """Best direction across `about` within a right angle of `start`, and f there; given up where none beats `known`."""
    a = add_scaled(start, -dot(start, about), about)
    a = unit(a) if norm(a) > 1e-9 else across(about)
    high = cross(about, a)
    low = neg(high)
    n = a
    best_n = a
    best = -math.inf
    for _ in range(HALVINGS):
        d = between(colliders, scratch, i, j, n)
        f = dot(n, d)
        if f > best:
            best = f
            best_n = n
        slope = dot(d, cross(about, n))
        if slope > 0.0:
            low = n
            end = high
            beyond = dot(d, cross(about, high)) > 0.0
        else:
            high = n
            end = low
            beyond = dot(d, cross(about, low)) < 0.0
        bound = dot(d, end) if beyond else math.sqrt(f * f + slope * slope)
        if bound < known:
            break
        n = unit((low[0] + high[0], low[1] + high[1], low[2] + high[2]))
    return best_n, best


@kernel
def two_rims(colliders, scratch, i, j, n):
    """From n up to the best direction of two rims, if it leads there: climbing, then Newton's method on the sphere."""
    u = axis_z(load9(scratch.R, i))
    v = axis_z(load9(scratch.R, j))
    best_n = n
    best = -math.inf
    for step in range(CLIMBS + NEWTON):
        d = between(colliders, scratch, i, j, n)
        f = dot(n, d)
        if f < best:
            break
        best = f
        best_n = n
        if step < CLIMBS:
            about = cross(n, d)
            if norm(about) < 1e-9 * norm(d):
                break
            n, f = best_around(colliders, scratch, i, j, unit(about), n, f)
            continue
        # slope and curvature of f across n
        a = across(n)
        b = cross(n, a)
        da = dot(d, a)
        db = dot(d, b)
        aa = -f
        bb = -f
        ab = 0.0
        for k in range(2):
            w = cross(u if k == 0 else v, n)  # along the rim, as long as n is across the axis
            wide = max(norm(w), 1e-6)
            bend = colliders.size[i if k == 0 else j, 0] / (wide * wide * wide)
            wa = dot(w, a)
            wb = dot(w, b)
            aa -= bend * wa * wa
            bb -= bend * wb * wb
            ab -= bend * wa * wb
        det = aa * bb - ab * ab
        if aa >= 0.0 or det <= 0.0:
            break
        s = (ab * db - bb * da) / det
        t = (ab * da - aa * db) / det
        far = math.sqrt(s * s + t * t)
        if far < 1e-12:
            break
        short = STEP / far if far > STEP else 1.0
        n = unit(add_scaled(add_scaled(n, short * s, a), short * t, b))
    return best_n, best


@kernel
def best_flat(colliders, scratch, i, j, margin):
    """Best of the faces and ends: (what, face, n, f)."""
    what = ELSEWHERE
    face = -1
    best = -math.inf
    best_n = (0.0, 0.0, 1.0)
    R = load9(scratch.R, j)
    first = colliders.face_start[j]
    faces = colliders.face_start[j + 1] - first
    slack = END_AFTER_FACE * min(colliders.bound[i], colliders.bound[j])
    for k in range(faces + (4 if colliders.kind[j] == CYLINDER else 2)):
        end = k - faces
        if end < 0:
            n = neg(rotate(R, load3(colliders.face_normal, first + k)))
            kind = FACE
        else:
            n = axis_z(load9(scratch.R, i if end < 2 else j))
            n = n if end % 2 == 0 else neg(n)
            kind = END if end < 2 else END_OF_OTHER
        f = dot(n, between(colliders, scratch, i, j, n))
        if f > best + (slack if what < kind else 0.0):
            what = kind
            face = first + k
            best = f
            best_n = n
            if f > margin:
                break
    return what, face, best_n, best


@kernel
def separation(colliders, scratch, i, j, margin):
    """(what, face, n, f) of cylinder i and solid j: APART, a FACE of j, an END of i or of j, or ELSEWHERE."""
    what, face, n, best = best_flat(colliders, scratch, i, j, margin)
    slack = ROUND_AFTER_FLAT * min(colliders.bound[i], colliders.bound[j])
    u = axis_z(load9(scratch.R, i))
    from_centre = sub(load3(scratch.p, j), load3(scratch.p, i))
    round_other = colliders.kind[j] == CYLINDER
    first = colliders.edge_start[j]
    # across the axis, then across edges, or the other's axis
    for k in range(2 if round_other else 1 + colliders.edge_start[j + 1] - first):
        if best > margin:
            return APART, face, n, best
        about = u
        if k > 0:
            R = load9(scratch.R, j)
            about = axis_z(R) if round_other else rotate(R, load3(colliders.edge, first + k - 1))
        start = n if abs(dot(n, about)) < 0.9 else from_centre
        new, f = best_around(colliders, scratch, i, j, about, start, best + slack)
        if f > best + slack:
            what = ELSEWHERE
            best = f
            n = new
    if round_other and best <= margin:
        new, f = two_rims(colliders, scratch, i, j, n)
        if f > best + slack:
            what = ELSEWHERE
            best = f
            n = new
    return (APART if best > margin else what), face, n, best
