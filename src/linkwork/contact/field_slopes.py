"""Height fields: where the land is steep, its triangles meet the sides, corners and edges of solids one by one.

    q    corners of a triangle, counter-clockwise from outside        out    its normal, out of the land
    n    from the solid into the land                                 f(n)   how far apart they are along n

Along the best of the triangle's normal, the solid's faces and the cross products of edges: the triangle is cut to what
is before the solid's face that looks there, and each corner that is left is a candidate. Of a cylinder it is the line
of its side, or a point of its rim.
"""

from __future__ import annotations

import math

from linkwork._jit import kernel
from linkwork.contact.clip import cut_by, facing
from linkwork.contact.cylinder_axis import farthest, unit
from linkwork.contact.cylinder_points import LYING
from linkwork.contact.field_grid import add_four, cell, in_world, nearest_on_triangle, note, range_of, triangle
from linkwork.contact.field_ridges import BELOW
from linkwork.contact.separating_axis import FACES_FIRST, PARALLEL
from linkwork.spatial.codes import CYLINDER
from linkwork.spatial.vectors import (
    add_scaled,
    axis_z,
    cross,
    dot,
    load3,
    load9,
    neg,
    norm,
    rotate,
    scale,
    store3,
    sub,
)

STEEP = 0.7  # cosine between the normal of a triangle and up: with less it is a wall
INTO = 0.3  # cosine between a way into the land and the way into a wall: with less it is along the wall
BESIDE = 0.2  # of a radius: a rim that is so far beside a triangle still meets it
SAME_WALL = 0.95  # cosine between normals that are of one wall


@kernel
def slope_contacts(colliders, scratch, contacts, i, j, margin):
    """Contacts of solid i with the steep triangles of the field j."""
    low, high = range_of(colliders, scratch, i, j)
    a0, b0, dx, dy = cell(colliders, j, low[0] - margin, low[1] - margin)
    a1, b1, dx, dy = cell(colliders, j, high[0] + margin, high[1] + margin)
    count = 0
    for a in range(a0, a1 + 1):
        for b in range(b0, b1 + 1):
            for upper in range(2):
                one, two, three = triangle(colliders, j, a, b, dx, dy, upper == 1)
                n = cross(sub(two, one), sub(three, one))
                if n[2] >= STEEP * norm(n):
                    continue
                if max(one[2], two[2], three[2]) < low[2] - margin or min(one[2], two[2], three[2]) > high[2] + margin:
                    continue
                one = in_world(scratch, j, one)
                two = in_world(scratch, j, two)
                three = in_world(scratch, j, three)
                tag = 16 * (2 * (a * colliders.grid_shape[j, 1] + b) + upper)
                count = solid_and_triangle(colliders, scratch, i, j, margin, one, two, three, count, tag)
    while count > 0:
        # those of the wall that is deepest in, four of them; then the rest
        deepest = 0
        for e in range(count):
            if scratch.gap[e] < scratch.gap[deepest]:
                deepest = e
        way = load3(scratch.way, deepest)
        same = 0
        for e in range(count):
            if dot(way, load3(scratch.way, e)) > SAME_WALL:
                swap(scratch, e, same)
                same += 1
        add_four(colliders, scratch, contacts, i, j, same, way)
        for e in range(same, count):
            swap(scratch, e, e - same)
        count -= same


@kernel
def swap(scratch, e, g):
    """Two candidates change places."""
    x = load3(scratch.corner[2], e)
    way = load3(scratch.way, e)
    gap = scratch.gap[e]
    tag = scratch.tag[2, e]
    store3(scratch.corner[2], e, load3(scratch.corner[2], g))
    store3(scratch.way, e, load3(scratch.way, g))
    scratch.gap[e] = scratch.gap[g]
    scratch.tag[2, e] = scratch.tag[2, g]
    store3(scratch.corner[2], g, x)
    store3(scratch.way, g, way)
    scratch.gap[g] = gap
    scratch.tag[2, g] = tag


@kernel
def before(colliders, scratch, i, n, one, two, three):
    """f(n)."""
    return min(dot(n, one), dot(n, two), dot(n, three)) - dot(n, farthest(colliders, scratch, i, n))


@kernel
def solid_and_triangle(colliders, scratch, i, j, margin, one, two, three, count, tag):
    """Candidates of solid i at a steep triangle; returns how many there are now."""
    into = neg(unit(cross(sub(two, one), sub(three, one))))
    n = into
    best = -math.inf
    slack = FACES_FIRST * colliders.bound[i]
    R = load9(scratch.R, i)
    u = axis_z(R)
    round_one = colliders.kind[i] == CYLINDER
    faces = 2 if round_one else colliders.face_start[i + 1] - colliders.face_start[i]
    edges = 1 if round_one else colliders.edge_start[i + 1] - colliders.edge_start[i]
    # its own way; faces of the solid, or ends; edges of both; the round side against corners
    for k in range(1 + faces + 3 * edges + (3 if round_one else 0)):
        w = into
        if 0 < k <= faces:
            w = (
                rotate(R, load3(colliders.face_normal, colliders.face_start[i] + k - 1))
                if not round_one
                else (u if k == 1 else neg(u))
            )
        elif k > faces:
            e = (k - 1 - faces) // 3
            q = (k - 1 - faces) % 3
            a = one if q == 0 else (two if q == 1 else three)
            if e < edges:
                b = two if q == 0 else (three if q == 1 else one)
                w = cross(u if round_one else rotate(R, load3(colliders.edge, colliders.edge_start[i] + e)), sub(b, a))
                w = w if dot(w, into) > 0.0 else neg(w)
            else:
                w = sub(a, load3(scratch.p, i))
                w = add_scaled(w, -dot(w, u), u)
        size = norm(w)
        if size < PARALLEL * colliders.bound[i] or dot(w, into) < INTO * size:
            continue
        w = scale(1.0 / size, w)
        s = before(colliders, scratch, i, w, one, two, three)
        if s > best + (slack if k > 0 else 0.0):
            best = s
            n = w
            if best > margin:
                return count
    # what lies on undersides is left to hills and corners
    if best > margin or dot(n, axis_z(load9(scratch.R, j))) < BELOW:
        return count
    if round_one:
        return round_candidate(colliders, scratch, i, n, best, one, two, three, count, tag)
    g = facing(colliders, scratch, i, neg(n))
    out = rotate(R, load3(colliders.face_normal, g))
    base = load3(scratch.vertex, colliders.loop[colliders.face_loop[g]])
    store3(scratch.corner[0], 0, one)
    store3(scratch.corner[0], 1, two)
    store3(scratch.corner[0], 2, three)
    for k in range(3):
        scratch.tag[0, k] = k
    left, here = cut_by(colliders, scratch, g, n, 3)
    for e in range(left):
        y = load3(scratch.corner[here], e)
        gap = dot(out, sub(y, base)) / dot(out, n)
        if gap < margin:
            count = note(scratch, count, add_scaled(y, -0.5 * gap, n), n, gap, tag + (scratch.tag[here, e] & 15))
    return count


@kernel
def round_candidate(colliders, scratch, i, n, gap, one, two, three, count, tag):
    """Candidates of a cylinder: the line of its side farthest along n, over the triangle, or a point of its rim."""
    u = axis_z(load9(scratch.R, i))
    s = dot(n, u)
    out = unit(cross(sub(two, one), sub(three, one)))
    if abs(s) < LYING:
        x = add_scaled(load3(scratch.p, i), -colliders.size[i, 1], u)
        x = add_scaled(x, colliders.size[i, 0], unit(add_scaled(n, -s, u)))
        dx = scale(2.0 * colliders.size[i, 1], u)
        low = 0.0
        high = 1.0
        for k in range(3):
            a = one if k == 0 else (two if k == 1 else three)
            b = two if k == 0 else (three if k == 1 else one)
            aside = cross(n, sub(b, a))
            s = dot(aside, sub(x, a))
            ds = dot(aside, dx)
            if ds > 0.0:
                high = min(high, -s / ds)
            elif ds < 0.0:
                low = max(low, -s / ds)
            elif s > 0.0:
                high = -1.0
        if low <= high:
            for k in range(2):
                y = add_scaled(x, low if k == 0 else high, dx)
                gap = dot(out, sub(y, one)) / -dot(out, n)
                count = note(scratch, count, add_scaled(y, 0.5 * gap, n), n, gap, tag + k)
            return count
    x = farthest(colliders, scratch, i, n)
    y, _ = nearest_on_triangle(add_scaled(x, gap, n), one, two, three)
    aside = add_scaled(sub(y, x), -dot(n, sub(y, x)), n)
    if norm(aside) < BESIDE * colliders.size[i, 0]:
        count = note(scratch, count, add_scaled(x, 0.5 * gap, n), n, gap, tag + 2)
    return count


@kernel
def wall_nearer(colliders, j, z, depth):
    """Whether a point z (axes of the field) that is `depth` under the surface comes out by a wall on a shorter way."""
    a0, b0, dx, dy = cell(colliders, j, z[0] - depth, z[1] - depth)
    a1, b1, dx, dy = cell(colliders, j, z[0] + depth, z[1] + depth)
    for a in range(a0, a1 + 1):
        for b in range(b0, b1 + 1):
            for upper in range(2):
                one, two, three = triangle(colliders, j, a, b, dx, dy, upper == 1)
                n = cross(sub(two, one), sub(three, one))
                if n[2] < STEEP * norm(n):
                    y, _ = nearest_on_triangle(z, one, two, three)
                    if norm(sub(y, z)) < depth:
                        return True
    return False
