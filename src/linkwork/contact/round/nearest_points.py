"""Nearest points: signed distance of a point from a shape, of a segment to a shape, of two segments to each other.

x z    the point, in world and in the shape's axes        s    half sides of a box; radius and half length
n      unit, from the surface to the point                t    place on a segment, 0 to 1
"""

from __future__ import annotations

import math

from linkwork._jit import kernel
from linkwork.contact.round.ellipsoid_points import ellipsoid_distance
from linkwork.spatial.codes import BOX, CYLINDER, ELLIPSOID
from linkwork.spatial.vectors import add_scaled, cross, dot, load3, load9, norm, rotate, scale, sub, unrotate

BISECTIONS = 48  # of a segment, down to rounding


@kernel
def clamp(x, low, high):
    return min(max(x, low), high)


@kernel
def signed_distance(colliders, scratch, j, x):
    """Unit vector from the surface of collider j to the point x, and the distance; inside < 0."""
    R = load9(scratch.R, j)
    z = unrotate(R, sub(x, load3(scratch.p, j)))
    s = load3(colliders.size, j)
    if colliders.kind[j] == BOX:
        n, gap = box_distance(z, s)
        return rotate(R, n), gap
    if colliders.kind[j] == CYLINDER:
        n, gap = cylinder_distance(z, s[0], s[1])
        return rotate(R, n), gap
    if colliders.kind[j] == ELLIPSOID:
        n, gap = ellipsoid_distance(z, s)
        return rotate(R, n), gap
    return hull_distance(colliders, scratch, j, x)


@kernel
def box_distance(z, s):
    """Outward normal and signed distance of z from a box of half sides s."""
    d = (
        z[0] - clamp(z[0], -s[0], s[0]),
        z[1] - clamp(z[1], -s[1], s[1]),
        z[2] - clamp(z[2], -s[2], s[2]),
    )
    distance = norm(d)
    if distance > 0.0:
        return scale(1.0 / distance, d), distance
    x = s[0] - abs(z[0])
    y = s[1] - abs(z[1])
    w = s[2] - abs(z[2])
    if x <= y and x <= w:
        return (math.copysign(1.0, z[0]), 0.0, 0.0), -x
    if y <= w:
        return (0.0, math.copysign(1.0, z[1]), 0.0), -y
    return (0.0, 0.0, math.copysign(1.0, z[2])), -w


@kernel
def cylinder_distance(z, radius, half):
    """Outward normal and signed distance of z from a cylinder along z."""
    away = math.sqrt(z[0] * z[0] + z[1] * z[1])
    out = (z[0] / away, z[1] / away, 0.0) if away > 0.0 else (1.0, 0.0, 0.0)
    up = (0.0, 0.0, math.copysign(1.0, z[2]))
    side = away - radius
    cap = abs(z[2]) - half
    if side > 0.0 and cap > 0.0:
        distance = math.sqrt(side * side + cap * cap)
        return (out[0] * side / distance, out[1] * side / distance, up[2] * cap / distance), distance
    if side > cap:
        return out, side
    return up, cap


@kernel
def hull_distance(colliders, scratch, j, x):
    """Outward normal and signed distance of x from the polyhedron j, in world axes."""
    R = load9(scratch.R, j)
    best = -math.inf
    n_best = (0.0, 0.0, 1.0)
    near = math.inf
    d_near = n_best
    for f in range(colliders.face_start[j], colliders.face_start[j + 1]):
        n = rotate(R, load3(colliders.face_normal, f))
        first = colliders.face_loop[f]
        last = colliders.face_loop[f + 1]
        s = dot(n, sub(x, load3(scratch.vertex, colliders.loop[first])))
        if s > best:
            best = s
            n_best = n
        if s <= 0.0:
            continue
        # distance to this face: to its plane, or to the nearest of its sides
        inside = True
        for k in range(first, last):
            a = load3(scratch.vertex, colliders.loop[k])
            b = load3(scratch.vertex, colliders.loop[k + 1 if k + 1 < last else first])
            ab = sub(b, a)
            if dot(cross(ab, n), sub(x, a)) > 0.0:
                inside = False
                t = clamp(dot(ab, sub(x, a)) / dot(ab, ab), 0.0, 1.0)
                d = sub(x, add_scaled(a, t, ab))
                if norm(d) < near:
                    near = norm(d)
                    d_near = d
        if inside and s < near:
            near = s
            d_near = scale(s, n)
    if best <= 0.0 or not near < math.inf:
        return n_best, best
    return scale(1.0 / near, d_near), near


@kernel
def nearest_on_segment(colliders, scratch, j, a, b):
    """Place (0 to 1) on the segment a, b that is nearest to collider j: bisection on the slope of a convex distance."""
    ab = sub(b, a)
    low = 0.0
    high = 1.0
    for k in range(BISECTIONS):
        t = 0.0 if k == 0 else (1.0 if k == 1 else 0.5 * (low + high))
        n, gap = signed_distance(colliders, scratch, j, add_scaled(a, t, ab))
        slope = dot(n, ab) if gap > 0.0 else 0.0
        if k == 0 and slope >= 0.0 and gap > 0.0:
            return 0.0
        if k == 1 and slope <= 0.0 and gap > 0.0:
            return 1.0
        if k > 1:
            if gap <= 0.0:
                return t
            if slope > 0.0:
                high = t
            else:
                low = t
    return 0.5 * (low + high)


@kernel
def nearest_between_segments(a, u, b, v):
    """Places (0 to 1) on the segments a + s u and b + t v that are nearest to each other."""
    w = sub(a, b)
    uu = dot(u, u)
    vv = dot(v, v)
    uv = dot(u, v)
    uw = dot(u, w)
    vw = dot(v, w)
    det = uu * vv - uv * uv
    s = 0.5
    if uu == 0.0:
        s = 0.0
    elif det > 1e-12 * uu * vv:
        s = clamp((uv * vw - vv * uw) / det, 0.0, 1.0)
    t = 0.0
    if vv > 0.0:
        t = clamp((uv * s + vw) / vv, 0.0, 1.0)
    if uu > 0.0:
        s = clamp((uv * t - uw) / uu, 0.0, 1.0)
    return s, t
