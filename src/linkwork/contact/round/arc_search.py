"""Search along a great circle: the direction perpendicular to a given one along which two solids are farthest apart.

    n    unit, from i to j            x(n)    support point of i along n       y(n)    of j against n
    d    y(n) - x(n)                  f(n)    n . d, the separation along n    low high    ends of the arc

f is concave (of any n, not only of unit length), and n' . d(n) is never less than f(n'). So the best n between two ends
is no better than the highest place under both of their planes n . d, which is looked at next: with corners it is the
best one after a few rounds. With rims d turns along with n; there every other round takes the place where the slope
of f vanishes by interpolation.
"""

from __future__ import annotations

import math

from linkwork._jit import kernel, small
from linkwork.contact.surfaces import perpendicular
from linkwork.spatial.codes import BOX, CYLINDER
from linkwork.spatial.vectors import (
    ZERO,
    add,
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
    scale,
    sub,
)

ROUNDS = 40  # at most
SETTLED_PART = 1e-13  # of the smaller shape: no more is to be gained
ROUNDED = 1e-15  # of d: nor is this


@kernel
def support_point(colliders, scratch, i, n):
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
def support_difference(colliders, scratch, i, j, n):
    """d(n)."""
    return sub(support_point(colliders, scratch, j, neg(n)), support_point(colliders, scratch, i, n))


@small
def unit(a):
    """a / |a|."""
    return scale(1.0 / norm(a), a)


@small
def highest_place(about, low, d_low, high, d_high):
    """Where under the planes of both ends of an arc f may be largest, and how large."""
    n = cross(about, sub(d_low, d_high))
    if dot(n, add(low, high)) < 0.0:
        n = neg(n)
    size = norm(n)
    t = cross(about, n)
    if not size > 0.0 or dot(d_low, t) < 0.0:
        n = add_scaled(d_low, -dot(d_low, about), about)  # the plane of the low end is highest before they cross
    elif dot(d_high, t) > 0.0:
        n = add_scaled(d_high, -dot(d_high, about), about)
        d_low = d_high
    n = unit(n)
    return n, dot(n, d_low)


@kernel
def best_on_arc(colliders, scratch, i, j, about, start, known, margin):
    """Best n perpendicular to `about` within 90 degrees of `start`, and f there.

    Stops once none beats `known`, or where f exceeds the margin.
    """
    a = add_scaled(start, -dot(start, about), about)
    a = unit(a) if norm(a) > 1e-9 * norm(start) else perpendicular(about)
    high = cross(about, a)
    low = neg(high)
    d_low = ZERO
    d_high = ZERO
    slope_low = 0.0
    slope_high = 0.0
    n = a
    best_n = a
    best = -math.inf
    least = SETTLED_PART * min(colliders.bound[i], colliders.bound[j])
    for step in range(ROUNDS):
        d = support_difference(colliders, scratch, i, j, n)
        f = dot(n, d)
        if f > best:
            best = f
            best_n = n
        slope = dot(d, cross(about, n))
        gain = least + ROUNDED * norm(d)
        if f > margin or abs(slope) <= gain:
            break
        if slope > 0.0:
            low = n
            d_low = d
            slope_low = slope
            end = high
            beyond = dot(d, cross(about, high)) > 0.0
        else:
            high = n
            d_high = d
            slope_high = slope
            end = low
            beyond = dot(d, cross(about, low)) < 0.0
        if (dot(d, end) if beyond else math.sqrt(f * f + slope * slope)) < known:
            break
        if slope_low > 0.0 and slope_high < 0.0:
            n, bound = highest_place(about, low, d_low, high, d_high)
            if bound < known or bound - best <= gain:
                break
            if step % 2 == 0:
                n = unit(add_scaled(scale(-slope_high, low), slope_low, high))
        elif beyond:
            n = unit(add(low, high))
        else:
            n = unit(add_scaled(d, -dot(d, about), about))
    return best_n, best
