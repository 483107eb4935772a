"""Cylinders without facets: the direction along which one is farthest apart from another solid, or overlaps least.

    n    unit, from i to j            x(n)    support point of i along n       y(n)    of j against n
    d    y(n) - x(n)                  f(n)    n . d, the separation along n
    u    axis of a cylinder           L r     its half length, radius          t       part of n perpendicular to u

f is concave (of any n, not only of unit length), and n' . d(n) is never less than f(n'): on an arc f is bounded by what
is known at its ends. The largest f is at a face or a cap; or on the great circle perpendicular to an edge or to the
axis, which is searched by bisection; or, for two rims, where Newton's method finds it. Where a rim is nearest to a
single corner the true distance is a little more than f, as it is for polyhedra (separating_axis.py).
"""

from __future__ import annotations

import math

from linkwork._jit import kernel
from linkwork.contact.surfaces import perpendicular
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

# where a cylinder touches: a face of the other, its own cap, the other's cap, or a side or rim
SEPARATED, FACE, CAP, OTHER_CAP, CURVED = 0, 1, 2, 3, 4
CAP_PREFERENCE = 1e-4  # of the smaller shape: by how much a cap must be farther apart than a face or the first cap
CURVED_PREFERENCE = 1e-7  # of the smaller shape: by how much a side or rim must be farther apart than these
BISECTIONS = 30  # of a quarter turn: 1e-9 rad
ARC_SEARCHES = 3  # searches along great circles, before Newton's method
NEWTON_STEPS = 8
LONGEST_STEP = 0.3  # rad, of Newton's method


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


@kernel
def unit(a):
    """a / |a|."""
    return scale(1.0 / norm(a), a)


@kernel
def best_on_arc(colliders, scratch, i, j, about, start, known):
    """Best n perpendicular to `about` within 90 degrees of `start`, and f there; stops once none beats `known`."""
    a = add_scaled(start, -dot(start, about), about)
    a = unit(a) if norm(a) > 1e-9 * norm(start) else perpendicular(about)
    high = cross(about, a)
    low = neg(high)
    n = a
    best_n = a
    best = -math.inf
    for _ in range(BISECTIONS):
        d = support_difference(colliders, scratch, i, j, n)
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
def best_rim_axis(colliders, scratch, i, j, n):
    """From n to the best direction of two rims: searches along arcs, then Newton's method on the unit sphere."""
    u = axis_z(load9(scratch.R, i))
    v = axis_z(load9(scratch.R, j))
    best_n = n
    best = -math.inf
    for step in range(ARC_SEARCHES + NEWTON_STEPS):
        d = support_difference(colliders, scratch, i, j, n)
        f = dot(n, d)
        if f < best:
            break
        best = f
        best_n = n
        if step < ARC_SEARCHES:
            about = cross(n, d)
            if norm(about) < 1e-9 * norm(d):
                break
            n, f = best_on_arc(colliders, scratch, i, j, unit(about), n, f)
            continue
        # gradient and curvature of f in the plane perpendicular to n
        a = perpendicular(n)
        b = cross(n, a)
        da = dot(d, a)
        db = dot(d, b)
        aa = -f
        bb = -f
        ab = 0.0
        for k in range(2):
            w = cross(u if k == 0 else v, n)  # along the rim, as long as the part of n perpendicular to the axis
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
        length = math.sqrt(s * s + t * t)
        if length < 1e-12:
            break
        shorten = LONGEST_STEP / length if length > LONGEST_STEP else 1.0
        n = unit(add_scaled(add_scaled(n, shorten * s, a), shorten * t, b))
    return best_n, best


@kernel
def best_flat_axis(colliders, scratch, i, j, margin):
    """Best of the faces and caps: (FACE, CAP or OTHER_CAP; face; n; f)."""
    region = CURVED
    face = -1
    best = -math.inf
    best_n = (0.0, 0.0, 1.0)
    R = load9(scratch.R, j)
    first = colliders.face_start[j]
    faces = colliders.face_start[j + 1] - first
    slack = CAP_PREFERENCE * min(colliders.bound[i], colliders.bound[j])
    for k in range(faces + (4 if colliders.kind[j] == CYLINDER else 2)):
        end = k - faces
        if end < 0:
            n = neg(rotate(R, load3(colliders.face_normal, first + k)))
            kind = FACE
        else:
            n = axis_z(load9(scratch.R, i if end < 2 else j))
            n = n if end % 2 == 0 else neg(n)
            kind = CAP if end < 2 else OTHER_CAP
        f = dot(n, support_difference(colliders, scratch, i, j, n))
        if f > best + (slack if region < kind else 0.0):
            region = kind
            face = first + k
            best = f
            best_n = n
            if f > margin:
                break
    return region, face, best_n, best


@kernel
def cylinder_separation(colliders, scratch, i, j, margin):
    """(where, face, n, f) of cylinder i and solid j: SEPARATED, a FACE of j, a CAP of i, OTHER_CAP of j, or CURVED."""
    region, face, n, best = best_flat_axis(colliders, scratch, i, j, margin)
    slack = CURVED_PREFERENCE * min(colliders.bound[i], colliders.bound[j])
    u = axis_z(load9(scratch.R, i))
    from_centre = sub(load3(scratch.p, j), load3(scratch.p, i))
    is_cylinder = colliders.kind[j] == CYLINDER
    first = colliders.edge_start[j]
    # perpendicular to the axis, then to edges, or to the other's axis
    for k in range(2 if is_cylinder else 1 + colliders.edge_start[j + 1] - first):
        if best > margin:
            return SEPARATED, face, n, best
        about = u
        if k > 0:
            R = load9(scratch.R, j)
            about = axis_z(R) if is_cylinder else rotate(R, load3(colliders.edge, first + k - 1))
        start = n if abs(dot(n, about)) < 0.9 else from_centre
        new, f = best_on_arc(colliders, scratch, i, j, about, start, best + slack)
        if f > best + slack:
            region = CURVED
            best = f
            n = new
    if is_cylinder and best <= margin:
        new, f = best_rim_axis(colliders, scratch, i, j, n)
        if f > best + slack:
            region = CURVED
            best = f
            n = new
    return (SEPARATED if best > margin else region), face, n, best
