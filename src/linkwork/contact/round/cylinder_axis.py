"""Cylinders without facets: the direction along which one is farthest apart from another solid, or overlaps least.

    n    unit, from i to j            x(n)    support point of i along n       y(n)    of j against n
    d    y(n) - x(n)                  f(n)    n . d, the separation along n
    u    axis of a cylinder           L r     its half length, radius          t       part of n perpendicular to u

The largest f is at a face or a cap; or on the great circle perpendicular to an edge or to the axis (arc_search.py); or,
for two rims, where Newton's method finds it. The search ends where the points that touch along n are no farther apart
than f. Where a rim is nearest to a single corner the true distance is a little more than f, as it is for polyhedra
(separating_axis.py).
"""

from __future__ import annotations

import math

from linkwork._jit import kernel
from linkwork.contact.polyhedra.box_axis import face_along, largest_of
from linkwork.contact.round.arc_search import best_on_arc, support_difference, support_point, unit
from linkwork.contact.round.nearest_points import signed_distance
from linkwork.contact.surfaces import perpendicular
from linkwork.spatial.codes import BOX, CYLINDER
from linkwork.spatial.vectors import (
    add_scaled,
    axis_z,
    column,
    cross,
    dot,
    load3,
    load9,
    neg,
    norm,
    rotate,
    scale,
    sub,
    unrotate,
)

# where a cylinder touches: a face of the other, its own cap, the other's cap, or a side or rim
SEPARATED, FACE, CAP, OTHER_CAP, CURVED = 0, 1, 2, 3, 4
CAP_PREFERENCE = 1e-4  # of the smaller shape: by how much a cap must be farther apart than a face or the first cap
CURVED_PREFERENCE = 1e-7  # of the smaller shape: by how much a side or rim must be farther apart than these
ARC_SEARCHES = 3  # searches along great circles, before Newton's method
NEWTON_STEPS = 8
LONGEST_STEP = 0.3  # rad, of Newton's method


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
            n, f = best_on_arc(colliders, scratch, i, j, unit(about), n, f, math.inf)
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
def box_flat_axis(colliders, scratch, i, j, margin):
    """`best_flat_axis` of a cylinder and a box, in closed form."""
    R = load9(scratch.R, j)
    u = axis_z(load9(scratch.R, i))
    between = sub(load3(scratch.p, j), load3(scratch.p, i))
    c = unrotate(R, between)
    v = unrotate(R, u)
    s = load3(colliders.size, j)
    r = colliders.size[i, 0]
    half = colliders.size[i, 1]
    k, best = largest_of(
        abs(c[0]) - s[0] - half * abs(v[0]) - r * math.sqrt(v[1] * v[1] + v[2] * v[2]),
        abs(c[1]) - s[1] - half * abs(v[1]) - r * math.sqrt(v[2] * v[2] + v[0] * v[0]),
        abs(c[2]) - s[2] - half * abs(v[2]) - r * math.sqrt(v[0] * v[0] + v[1] * v[1]),
    )
    along = dot(between, u)
    f = abs(along) - half - (s[0] * abs(v[0]) + s[1] * abs(v[1]) + s[2] * abs(v[2]))
    if best <= margin and f > best + CAP_PREFERENCE * min(colliders.bound[i], colliders.bound[j]):
        return CAP, -1, u if along >= 0.0 else neg(u), f
    side = 1.0 if c[k] >= 0.0 else -1.0
    return FACE, face_along(colliders, j, k, -side), scale(side, column(R, k)), best


@kernel
def none_is_better(colliders, scratch, i, j, n, f):
    """Whether no direction separates i and j by more than f, by the points that touch along n.

    A ball around a point of one within the other overlaps it along any direction by its radius; and no direction
    separates two by more than the distance of a point of one from the other.
    """
    _, gap = signed_distance(colliders, scratch, j, support_point(colliders, scratch, i, n))
    if gap <= f:
        return True
    _, gap = signed_distance(colliders, scratch, i, support_point(colliders, scratch, j, neg(n)))
    return gap <= f


@kernel
def cylinder_separation(colliders, scratch, i, j, margin):
    """(where, face, n, f) of cylinder i and solid j: SEPARATED, a FACE of j, a CAP of i, OTHER_CAP of j, or CURVED."""
    if colliders.kind[j] == BOX:
        region, face, n, best = box_flat_axis(colliders, scratch, i, j, margin)
    else:
        region, face, n, best = best_flat_axis(colliders, scratch, i, j, margin)
    if best > margin:
        return SEPARATED, face, n, best
    slack = CURVED_PREFERENCE * min(colliders.bound[i], colliders.bound[j])
    if none_is_better(colliders, scratch, i, j, n, best + slack):
        return region, face, n, best
    u = axis_z(load9(scratch.R, i))
    from_centre = sub(load3(scratch.p, j), load3(scratch.p, i))
    is_cylinder = colliders.kind[j] == CYLINDER
    first = colliders.edge_start[j]
    # perpendicular to the axis, then to edges, or to the other's axis
    for k in range(2 if is_cylinder else 1 + colliders.edge_start[j + 1] - first):
        about = u
        if k > 0:
            R = load9(scratch.R, j)
            about = axis_z(R) if is_cylinder else rotate(R, load3(colliders.edge, first + k - 1))
        start = n if abs(dot(n, about)) < 0.9 else from_centre
        new, f = best_on_arc(colliders, scratch, i, j, about, start, best + slack, margin)
        if f > best + slack:
            region = CURVED
            best = f
            n = new
            if best > margin:
                return SEPARATED, face, n, best
            if none_is_better(colliders, scratch, i, j, n, best + slack):
                return region, face, n, best
    if is_cylinder:
        new, f = best_rim_axis(colliders, scratch, i, j, n)
        if f > best + slack:
            region = CURVED
            best = f
            n = new
    return (SEPARATED if best > margin else region), face, n, best
