"""Where a line enters a convex shape and where it leaves it.

x n    a point of the line and its direction, unit        (low, high)    places along n; low > high where it passes by
z m    the same in the axes of the shape
"""

from __future__ import annotations

import math

from linkwork._jit import kernel, small
from linkwork.spatial.codes import BOX, CAPSULE, CYLINDER, ELLIPSOID, PLANE, SPHERE
from linkwork.spatial.vectors import add_scaled, axis_z, dot, load3, load9, rotate, sub, unrotate

LEVEL = 1e-12  # cosine below which a line is parallel to a face


@kernel
def column(colliders, scratch, i, x, n):
    """The part (low, high) of the line x + t n within collider i; not for height fields."""
    kind = colliders.kind[i]
    R = load9(scratch.R, i)
    p = load3(scratch.p, i)
    if kind == PLANE:
        up = axis_z(R)
        return below(dot(up, sub(x, p)), dot(up, n), -math.inf, math.inf)
    s = load3(colliders.size, i)
    if kind == SPHERE:
        return through_ball(sub(x, p), n, s[0])
    if kind == CAPSULE:
        first = colliders.vertex_start[i]
        return through_capsule(
            x, n, load3(scratch.vertex, first), load3(scratch.vertex, colliders.vertex_start[i + 1] - 1), s[0]
        )
    z = unrotate(R, sub(x, p))
    m = unrotate(R, n)
    if kind == BOX:
        low, high = between(z[0], m[0], s[0], -math.inf, math.inf)
        low, high = between(z[1], m[1], s[1], low, high)
        return between(z[2], m[2], s[2], low, high)
    if kind == CYLINDER:
        low, high = through_disc(z[0], z[1], m[0], m[1], s[0])
        return between(z[2], m[2], s[1], low, high)
    if kind == ELLIPSOID:
        return quadratic(
            (m[0] / s[0]) ** 2 + (m[1] / s[1]) ** 2 + (m[2] / s[2]) ** 2,
            z[0] * m[0] / (s[0] * s[0]) + z[1] * m[1] / (s[1] * s[1]) + z[2] * m[2] / (s[2] * s[2]),
            (z[0] / s[0]) ** 2 + (z[1] / s[1]) ** 2 + (z[2] / s[2]) ** 2 - 1.0,
        )
    low = -math.inf
    high = math.inf
    for f in range(colliders.face_start[i], colliders.face_start[i + 1]):
        out = rotate(R, load3(colliders.face_normal, f))
        a = load3(scratch.vertex, colliders.loop[colliders.face_loop[f]])
        low, high = below(dot(out, sub(x, a)), dot(out, n), low, high)
    return low, high


@small
def below(height, rise, low, high):
    """The part of (low, high) below a face: its height above it at 0, and how fast it rises."""
    if rise > LEVEL:
        return low, min(high, -height / rise)
    if rise < -LEVEL:
        return max(low, -height / rise), high
    if height > 0.0:
        return math.inf, -math.inf
    return low, high


@small
def between(z, m, half, low, high):
    """The part of (low, high) between two faces at -half and half."""
    low, high = below(z - half, m, low, high)
    return below(-z - half, -m, low, high)


@small
def quadratic(a, b, c):
    """The t between the zeros of a t^2 + 2 b t + c, a > 0."""
    more = b * b - a * c
    if more < 0.0:
        return math.inf, -math.inf
    root = math.sqrt(more)
    # the smaller zero from the product of the two, where they nearly cancel
    far = -b - root if b > 0.0 else -b + root
    near = c / far if far != 0.0 else 0.0
    one = far / a
    return min(one, near), max(one, near)


@small
def through_ball(d, n, r):
    """The part of d + t n within a ball of radius r around the origin."""
    return quadratic(1.0, dot(d, n), dot(d, d) - r * r)


@small
def through_disc(x, y, m, k, r):
    """The part of a line, seen along the axis of a cylinder of radius r, that is within it."""
    a = m * m + k * k
    if a > LEVEL * LEVEL:
        return quadratic(a, x * m + y * k, x * x + y * y - r * r)
    if x * x + y * y > r * r:
        return math.inf, -math.inf
    return -math.inf, math.inf


@kernel
def through_capsule(x, n, a, b, r):
    """The part of the line within a capsule around the segment a, b: in the balls at its ends, or between them."""
    low, high = through_ball(sub(x, a), n, r)
    other_low, other_high = through_ball(sub(x, b), n, r)
    low = min(low, other_low)
    high = max(high, other_high)
    u = sub(b, a)
    uu = dot(u, u)
    d = sub(x, a)
    along = dot(d, u) / uu
    rise = dot(n, u) / uu
    # seen along the axis
    w = add_scaled(d, -along, u)
    m = add_scaled(n, -rise, u)
    mm = dot(m, m)
    if mm > LEVEL * LEVEL:
        from_, to = quadratic(mm, dot(w, m), dot(w, w) - r * r)
        from_, to = below(along - 1.0, rise, from_, to)
        from_, to = below(-along, -rise, from_, to)
        if from_ <= to:
            low = min(low, from_)
            high = max(high, to)
    return low, high
