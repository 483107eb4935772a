"""Where two polyhedra overlap, or one and a plane: area, volume and their moments, exactly.

    n        unit, from i to j: the columns in which depth is measured        o    origin; e_1, e_2, n its axes
    u v z    coordinates along e_1, e_2 and n                                 f g  faces of i along n, of j against it
    d        depth: height of i less that of j, plus `shift`                  out  normal of f

Over each pair of faces the depth is linear. The two are seen along n, one clipped by the sides of the other and by
d > 0. What is left is a polygon, of which triangles have all integrals in closed form.
"""

from __future__ import annotations

import math

from linkwork._jit import kernel, small
from linkwork.contact.scratch import CLIPPED, POLYGON
from linkwork.spatial.codes import PLANE
from linkwork.spatial.vectors import axis_z, dot, load3, load9, rotate, sub

UPRIGHT = 1e-6  # cosine between n and the normal of a face below which the face is seen from its edge
# sums over a patch: area, its first and second moments, volume and its first moments
NOTHING = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@small
def add_sums(a, b):
    """Sums of two patches together."""
    return (
        a[0] + b[0],
        a[1] + b[1],
        a[2] + b[2],
        a[3] + b[3],
        a[4] + b[4],
        a[5] + b[5],
        a[6] + b[6],
        a[7] + b[7],
        a[8] + b[8],
    )


@kernel
def polyhedra_overlap(colliders, scratch, i, j, o, e_1, e_2, n, shift):
    """Sums of the patch in which box or hull j overlaps with box, hull or plane i."""
    lowest, _ = extent_along(colliders, scratch, j, o, n)
    if colliders.kind[i] == PLANE:
        height = dot(axis_z(load9(scratch.R, i)), sub(load3(scratch.p, i), o))
        if lowest >= height + shift:
            return NOTHING
        return faces_over(colliders, scratch, j, -1, o, e_1, e_2, n, height, 0.0, 0.0, height, shift)
    R = load9(scratch.R, i)
    sums = NOTHING
    for f in range(colliders.face_start[i], colliders.face_start[i + 1]):
        out = rotate(R, load3(colliders.face_normal, f))
        along = dot(n, out)
        if along < UPRIGHT:
            continue
        highest = -math.inf
        for k in range(colliders.face_loop[f], colliders.face_loop[f + 1]):
            highest = max(highest, dot(n, sub(load3(scratch.vertex, colliders.loop[k]), o)))
        if lowest >= highest + shift:
            continue
        slope_u = -dot(out, e_1) / along
        slope_v = -dot(out, e_2) / along
        x = sub(load3(scratch.vertex, colliders.loop[colliders.face_loop[f]]), o)
        level = dot(n, x) - slope_u * dot(e_1, x) - slope_v * dot(e_2, x)
        more = faces_over(colliders, scratch, j, f, o, e_1, e_2, n, level, slope_u, slope_v, highest, shift)
        sums = add_sums(sums, more)
    return sums


@kernel
def extent_along(colliders, scratch, j, o, n):
    """Least and largest height of the corners of j along n, above o."""
    low = math.inf
    high = -math.inf
    for k in range(colliders.vertex_start[j], colliders.vertex_start[j + 1]):
        z = dot(n, sub(load3(scratch.vertex, k), o))
        low = min(low, z)
        high = max(high, z)
    return low, high


@kernel
def faces_over(colliders, scratch, j, f, o, e_1, e_2, n, level, slope_u, slope_v, highest, shift):
    """Sums over the faces of j above face f (or a plane, -1) of height level + slope_u u + slope_v v."""
    R = load9(scratch.R, j)
    sums = NOTHING
    for g in range(colliders.face_start[j], colliders.face_start[j + 1]):
        if dot(n, rotate(R, load3(colliders.face_normal, g))) > -UPRIGHT:
            continue
        count = 0
        low = math.inf
        for k in range(colliders.face_loop[g], colliders.face_loop[g + 1]):
            x = sub(load3(scratch.vertex, colliders.loop[k]), o)
            z = dot(n, x)
            low = min(low, z)
            scratch.corner[POLYGON, count, 0] = dot(e_1, x)
            scratch.corner[POLYGON, count, 1] = dot(e_2, x)
            scratch.corner[POLYGON, count, 2] = z
            count += 1
        if low >= highest + shift:
            continue
        here = POLYGON
        if f >= 0:
            count, here = clip_by_sides(colliders, scratch, f, o, e_1, e_2, count)
        for k in range(count):
            x = load3(scratch.corner[here], k)
            scratch.corner[here, k, 2] = level + slope_u * x[0] + slope_v * x[1] - x[2] + shift
        count, here = clip_corners(scratch, here, count, 0.0, 0.0, 1.0, 0.0)
        sums = add_sums(sums, polygon_sums(scratch, here, count))
    return sums


@kernel
def clip_by_sides(colliders, scratch, f, o, e_1, e_2, count):
    """Clip the POLYGON by the sides of face f, all seen along n: how many corners are left, and in which slot."""
    here = POLYGON
    first = colliders.face_loop[f]
    last = colliders.face_loop[f + 1]
    a = sub(load3(scratch.vertex, colliders.loop[last - 1]), o)
    for k in range(first, last):
        b = sub(load3(scratch.vertex, colliders.loop[k]), o)
        du = dot(e_1, sub(b, a))
        dv = dot(e_2, sub(b, a))
        count, here = clip_corners(scratch, here, count, -dv, du, 0.0, dv * dot(e_1, a) - du * dot(e_2, a))
        a = b
    return count, here


@kernel
def clip_corners(scratch, here, count, p, q, r, s):
    """Clip a polygon of (u, v, w) by p u + q v + r w + s > 0: how many corners are left, and in which slot."""
    there = CLIPPED if here == POLYGON else POLYGON
    capacity = scratch.gap.size
    kept = 0
    for e in range(count):
        x = load3(scratch.corner[here], e)
        y = load3(scratch.corner[here], e + 1 if e + 1 < count else 0)
        a = p * x[0] + q * x[1] + r * x[2] + s
        b = p * y[0] + q * y[1] + r * y[2] + s
        if a > 0.0 and kept < capacity:
            for k in range(3):
                scratch.corner[there, kept, k] = x[k]
            kept += 1
        if (a > 0.0) != (b > 0.0) and kept < capacity:
            part = a / (a - b)
            for k in range(3):
                scratch.corner[there, kept, k] = x[k] + part * (y[k] - x[k])
            kept += 1
    return kept, there


@kernel
def polygon_sums(scratch, here, count):
    """Sums over a polygon of (u, v, d), d linear; its corners are clockwise, seen along n."""
    sums = NOTHING
    if count < 3:
        return sums
    x = load3(scratch.corner[here], 0)
    for e in range(1, count - 1):
        y = load3(scratch.corner[here], e)
        z = load3(scratch.corner[here], e + 1)
        a = 0.5 * ((z[0] - x[0]) * (y[1] - x[1]) - (y[0] - x[0]) * (z[1] - x[1]))
        u = x[0] + y[0] + z[0]
        v = x[1] + y[1] + z[1]
        d = x[2] + y[2] + z[2]
        b = a / 12.0
        sums = add_sums(
            sums,
            (
                a,
                a * u / 3.0,
                a * v / 3.0,
                b * (u * u + x[0] * x[0] + y[0] * y[0] + z[0] * z[0]),
                b * (u * v + x[0] * x[1] + y[0] * y[1] + z[0] * z[1]),
                b * (v * v + x[1] * x[1] + y[1] * y[1] + z[1] * z[1]),
                a * d / 3.0,
                b * (d * u + x[2] * x[0] + y[2] * y[0] + z[2] * z[0]),
                b * (d * v + x[2] * x[1] + y[2] * y[1] + z[2] * z[1]),
            ),
        )
    return sums
