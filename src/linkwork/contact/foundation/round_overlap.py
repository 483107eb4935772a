"""Where two convex shapes overlap of which one is round: area, volume and their moments, by rays from the middle.

    n        unit, from i to j: the columns in which depth is measured        o    origin; e_1, e_2, n its axes
    u v      coordinates along e_1 and e_2                                    d    depth, plus `shift`
    c b      middle of the patch, and how far it reaches along e_1 and e_2    r    how far along a ray, in units of b

The depth of convex shapes is concave, so the patch where d > 0 is convex, and each ray leaves it once. The rays go to
the places of Gauss on the four sides of the rectangle around the patch. That is exact for a rectangle, and nearly so
for discs, ellipses and stadiums. Along a ray the places of Gauss are exact for depths of the fifth degree.
"""

from __future__ import annotations

import math

from linkwork._jit import kernel, small
from linkwork.contact.foundation.column import column
from linkwork.contact.foundation.flat_overlap import NOTHING, add_sums
from linkwork.contact.surfaces import perpendicular
from linkwork.spatial.codes import BOX, CAPSULE, CYLINDER, PLANE, SPHERE
from linkwork.spatial.vectors import add_scaled, axis_x, axis_y, axis_z, dot, load3, load9, norm, scale, sub

NARROWINGS = 60  # of the place where a ray leaves the patch, at most
FOUND = 1e-10  # of how far it reaches
FARTHER = 64  # doublings of a ray that ends within the patch, at most
CENTRINGS = 2
INWARD = 24  # halvings of the way to the middle of a shape, from a point at the edge of the patch
SLANTED = 0.1  # sine of the angle between n and an axis from which that axis gives the patch its direction
# places and weights of Gauss for the rays, eight to a side, and along one between 0 and 1
PLACE = (0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363)
SHARE = (0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763)
GAUSS = (0.06943184420297371, 0.33000947820757187, 0.6699905217924281, 0.9305681557970262)
WEIGHT = (0.17392742256872692, 0.32607257743127305, 0.32607257743127305, 0.17392742256872692)


@small
def depth_at(colliders, scratch, i, j, x, n, shift):
    """Depth of the column at x, plus `shift`; -inf beside one of the two."""
    low, top = column(colliders, scratch, i, x, n)
    bottom, high = column(colliders, scratch, j, x, n)
    if low > top or bottom > high:
        return -math.inf
    return top - bottom + shift


@kernel
def patch_axis(colliders, scratch, i, j, n):
    """A unit vector perpendicular to n along which a patch of i and j may be long: of a cylinder, or of an edge."""
    best = SLANTED
    found = perpendicular(n)
    for side in range(2):
        k = i if side == 0 else j
        R = load9(scratch.R, k)
        if colliders.kind[k] == CYLINDER or colliders.kind[k] == CAPSULE:
            u = axis_z(R)
            t = add_scaled(u, -dot(u, n), n)
            if norm(t) > SLANTED:
                return scale(1.0 / norm(t), t)
        elif colliders.kind[k] == BOX:
            for axis in range(2):
                u = axis_x(R) if axis == 0 else axis_y(R)
                t = add_scaled(u, -dot(u, n), n)
                if norm(t) > best:
                    best = norm(t)
                    found = scale(1.0 / best, t)
    return found


@kernel
def ray_length(colliders, scratch, i, j, x, way, n, shift, reach):
    """How far the patch reaches from x along `way`, in its units; d > 0 at x. `reach` is a first guess."""
    low = 0.0
    d_low = depth_at(colliders, scratch, i, j, x, n, shift)
    high = reach
    d_high = depth_at(colliders, scratch, i, j, add_scaled(x, high, way), n, shift)
    for _ in range(FARTHER):
        if not d_high > 0.0:
            break
        low = high
        d_low = d_high
        high *= 2.0
        d_high = depth_at(colliders, scratch, i, j, add_scaled(x, high, way), n, shift)
    last = 0
    for _ in range(NARROWINGS):
        if high - low <= FOUND * high:
            break
        t = 0.5 * (low + high)
        if d_high > -math.inf and last < 3:
            # along the secant, with every fourth look in the middle
            t = (low * d_high - high * d_low) / (d_high - d_low)
            t = min(max(t, low + 0.25 * FOUND * high), high - 0.25 * FOUND * high)
            last += 1
        else:
            last = 0
        d = depth_at(colliders, scratch, i, j, add_scaled(x, t, way), n, shift)
        if d > 0.0:
            low = t
            d_low = d
        else:
            high = t
            d_high = d
    return 0.5 * (low + high)


@kernel
def inner_point(colliders, scratch, i, j, x, n, shift):
    """A point with d > 0 near x, and whether there is one: from x towards the middle of the smaller shape."""
    k = i if colliders.kind[i] != PLANE and colliders.bound[i] < colliders.bound[j] else j
    way = sub(load3(scratch.p, k), x)
    way = add_scaled(way, -dot(way, n), n)
    part = 0.5
    for _ in range(INWARD):
        y = add_scaled(x, part, way)
        if depth_at(colliders, scratch, i, j, y, n, shift) > 0.0:
            return y, True
        part *= 0.5
    return x, depth_at(colliders, scratch, i, j, x, n, shift) > 0.0


@kernel
def round_overlap(colliders, scratch, i, j, o, e_1, e_2, n, x, shift):
    """Sums of the patch in which i and j overlap, one of them round; x is a point in it, or at its edge."""
    if colliders.kind[i] == PLANE and colliders.kind[j] == SPHERE:
        return ball_in_plane(colliders, scratch, i, j, o, e_1, e_2, n, shift)
    c, inside = inner_point(colliders, scratch, i, j, x, n, shift)
    if not inside:
        return NOTHING
    reach = min(colliders.bound[i], colliders.bound[j])
    b_1 = reach
    b_2 = reach
    for _ in range(CENTRINGS):
        right = ray_length(colliders, scratch, i, j, c, e_1, n, shift, b_1)
        left = ray_length(colliders, scratch, i, j, c, scale(-1.0, e_1), n, shift, b_1)
        c = add_scaled(c, 0.5 * (right - left), e_1)
        b_1 = 0.5 * (right + left)
        right = ray_length(colliders, scratch, i, j, c, e_2, n, shift, b_2)
        left = ray_length(colliders, scratch, i, j, c, scale(-1.0, e_2), n, shift, b_2)
        c = add_scaled(c, 0.5 * (right - left), e_2)
        b_2 = 0.5 * (right + left)
    if not (b_1 > 0.0 and b_2 > 0.0):
        return NOTHING
    sums = NOTHING
    u = dot(e_1, sub(c, o))
    v = dot(e_2, sub(c, o))
    low, high = straight_part(colliders, scratch, i, j, o, e_1)
    for side in range(4):
        for k in range(2 * len(PLACE)):
            # through the place y of a side of the square of half length 1, in units of b
            y = PLACE[k // 2] if k % 2 == 0 else -PLACE[k // 2]
            a_1 = b_1 * (1.0 if side == 0 else (-y if side == 1 else (-1.0 if side == 2 else y)))
            a_2 = b_2 * (y if side == 0 else (1.0 if side == 1 else (-y if side == 2 else -1.0)))
            way = add_scaled(scale(a_1, e_1), a_2, e_2)
            r = ray_length(colliders, scratch, i, j, c, way, n, shift, 1.0)
            weight = SHARE[k // 2] * b_1 * b_2
            bend = r
            if abs(a_1) > 0.0:
                bend = min(max(((high if a_1 > 0.0 else low) - u) / a_1, 0.0), r)
            sums = add_sums(sums, ray_sums(colliders, scratch, i, j, c, way, n, shift, u, v, a_1, a_2, bend, r, weight))
    return sums


@kernel
def straight_part(colliders, scratch, i, j, o, e_1):
    """Where the straight parts of capsules begin and end along e_1: depths are not smooth there."""
    low = -math.inf
    high = math.inf
    for side in range(2):
        k = i if side == 0 else j
        if colliders.kind[k] == CAPSULE:
            first = colliders.vertex_start[k]
            a = dot(e_1, sub(load3(scratch.vertex, first), o))
            b = dot(e_1, sub(load3(scratch.vertex, colliders.vertex_start[k + 1] - 1), o))
            low = max(low, min(a, b))
            high = min(high, max(a, b))
    return low, high


@kernel
def ray_sums(colliders, scratch, i, j, c, way, n, shift, u, v, a_1, a_2, bend, r, weight):
    """What a ray from c, of length r along `way`, adds to the sums; c is at u and v, `way` is a_1 and a_2.

    Up to `bend` and from there on the depth is smooth.
    """
    volume = 0.0
    volume_u = 0.0
    volume_v = 0.0
    for k in range(2 * len(GAUSS)):
        before = k < len(GAUSS)
        length = bend if before else r - bend
        if length > 0.0:
            t = GAUSS[k % len(GAUSS)] * length + (0.0 if before else bend)
            d = depth_at(colliders, scratch, i, j, add_scaled(c, t, way), n, shift)
            more = weight * WEIGHT[k % len(GAUSS)] * length * t * d
            volume += more
            volume_u += more * (u + t * a_1)
            volume_v += more * (v + t * a_2)
    one = weight * r * r / 2.0
    two = weight * r * r * r / 3.0
    three = weight * r * r * r * r / 4.0
    return (
        one,
        one * u + two * a_1,
        one * v + two * a_2,
        one * u * u + 2.0 * two * u * a_1 + three * a_1 * a_1,
        one * u * v + two * (u * a_2 + v * a_1) + three * a_1 * a_2,
        one * v * v + 2.0 * two * v * a_2 + three * a_2 * a_2,
        volume,
        volume_u,
        volume_v,
    )


@kernel
def ball_in_plane(colliders, scratch, i, j, o, e_1, e_2, n, shift):
    """Sums of the cap of ball j below the plane i; where it is deeper than its middle, of the columns below that."""
    r = colliders.size[j, 0]
    p = load3(scratch.p, j)
    d = r - dot(n, sub(p, load3(scratch.p, i))) + shift
    if d <= 0.0:
        return NOTHING
    u = dot(e_1, sub(p, o))
    v = dot(e_2, sub(p, o))
    cap = min(d, r)
    rr = cap * (2.0 * r - cap)
    area = math.pi * rr
    volume = math.pi * cap * cap * (r - cap / 3.0) + area * (d - cap)
    second = 0.25 * area * rr
    return (
        area,
        area * u,
        area * v,
        area * u * u + second,
        area * u * v,
        area * v * v + second,
        volume,
        volume * u,
        volume * v,
    )
