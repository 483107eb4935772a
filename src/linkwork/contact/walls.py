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
from linkwork.contact.apart import farthest, unit
from linkwork.contact.clip import cut_by, facing
from linkwork.contact.grid import cell, in_world, nearest_on_triangle, note, range_of, tell_four, triangle
from linkwork.contact.hills import BELOW
from linkwork.contact.rims import LYING
from linkwork.contact.separate import FACES_FIRST, PARALLEL
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
def walls(c, m, contacts, i, j, margin):
    """Contacts of solid i with the steep triangles of the field j."""
    low, high = range_of(c, m, i, j)
    a0, b0, dx, dy = cell(c, j, low[0] - margin, low[1] - margin)
    a1, b1, dx, dy = cell(c, j, high[0] + margin, high[1] + margin)
    count = 0
    for a in range(a0, a1 + 1):
        for b in range(b0, b1 + 1):
            for upper in range(2):
                one, two, three = triangle(c, j, a, b, dx, dy, upper == 1)
                n = cross(sub(two, one), sub(three, one))
                if n[2] >= STEEP * norm(n):
                    continue
                if max(one[2], two[2], three[2]) < low[2] - margin or min(one[2], two[2], three[2]) > high[2] + margin:
                    continue
                one = in_world(m, j, one)
                two = in_world(m, j, two)
                three = in_world(m, j, three)
                tag = 16 * (2 * (a * c.grid_shape[j, 1] + b) + upper)
                count = solid_and_triangle(c, m, i, j, margin, one, two, three, count, tag)
    while count > 0:
        # those of the wall that is deepest in, four of them; then the rest
        deepest = 0
        for e in range(count):
            if m.gap[e] < m.gap[deepest]:
                deepest = e
        way = load3(m.way, deepest)
        same = 0
        for e in range(count):
            if dot(way, load3(m.way, e)) > SAME_WALL:
                swap(m, e, same)
                same += 1
        tell_four(c, m, contacts, i, j, same, way)
        for e in range(same, count):
            swap(m, e, e - same)
        count -= same


@kernel
def swap(m, e, g):
    """Two candidates change places."""
    x = load3(m.corner[2], e)
    way = load3(m.way, e)
    gap = m.gap[e]
    tag = m.tag[2, e]
    store3(m.corner[2], e, load3(m.corner[2], g))
    store3(m.way, e, load3(m.way, g))
    m.gap[e] = m.gap[g]
    m.tag[2, e] = m.tag[2, g]
    store3(m.corner[2], g, x)
    store3(m.way, g, way)
    m.gap[g] = gap
    m.tag[2, g] = tag


@kernel
def before(c, m, i, n, one, two, three):
    """f(n)."""
    return min(dot(n, one), dot(n, two), dot(n, three)) - dot(n, farthest(c, m, i, n))


@kernel
def solid_and_triangle(c, m, i, j, margin, one, two, three, count, tag):
    """Candidates of solid i at a steep triangle; returns how many there are now."""
    into = neg(unit(cross(sub(two, one), sub(three, one))))
    n = into
    best = -math.inf
    slack = FACES_FIRST * c.bound[i]
    R = load9(m.R, i)
    u = axis_z(R)
    round_one = c.kind[i] == CYLINDER
    faces = 2 if round_one else c.face_start[i + 1] - c.face_start[i]
    edges = 1 if round_one else c.edge_start[i + 1] - c.edge_start[i]
    # its own way; faces of the solid, or ends; edges of both; the round side against corners
    for k in range(1 + faces + 3 * edges + (3 if round_one else 0)):
        w = into
        if 0 < k <= faces:
            w = rotate(R, load3(c.face_normal, c.face_start[i] + k - 1)) if not round_one else (u if k == 1 else neg(u))
        elif k > faces:
            e = (k - 1 - faces) // 3
            q = (k - 1 - faces) % 3
            a = one if q == 0 else (two if q == 1 else three)
            if e < edges:
                b = two if q == 0 else (three if q == 1 else one)
                w = cross(u if round_one else rotate(R, load3(c.edge, c.edge_start[i] + e)), sub(b, a))
                w = w if dot(w, into) > 0.0 else neg(w)
            else:
                w = sub(a, load3(m.p, i))
                w = add_scaled(w, -dot(w, u), u)
        size = norm(w)
        if size < PARALLEL * c.bound[i] or dot(w, into) < INTO * size:
            continue
        w = scale(1.0 / size, w)
        s = before(c, m, i, w, one, two, three)
        if s > best + (slack if k > 0 else 0.0):
            best = s
            n = w
            if best > margin:
                return count
    # what lies on undersides is left to hills and corners
    if best > margin or dot(n, axis_z(load9(m.R, j))) < BELOW:
        return count
    if round_one:
        return round_candidate(c, m, i, n, best, one, two, three, count, tag)
    g = facing(c, m, i, neg(n))
    out = rotate(R, load3(c.face_normal, g))
    base = load3(m.vertex, c.loop[c.face_loop[g]])
    store3(m.corner[0], 0, one)
    store3(m.corner[0], 1, two)
    store3(m.corner[0], 2, three)
    for k in range(3):
        m.tag[0, k] = k
    left, here = cut_by(c, m, g, n, 3)
    for e in range(left):
        y = load3(m.corner[here], e)
        gap = dot(out, sub(y, base)) / dot(out, n)
        if gap < margin:
            count = note(m, count, add_scaled(y, -0.5 * gap, n), n, gap, tag + (m.tag[here, e] & 15))
    return count


@kernel
def round_candidate(c, m, i, n, gap, one, two, three, count, tag):
    """Candidates of a cylinder: the line of its side farthest along n, over the triangle, or a point of its rim."""
    u = axis_z(load9(m.R, i))
    s = dot(n, u)
    out = unit(cross(sub(two, one), sub(three, one)))
    if abs(s) < LYING:
        x = add_scaled(load3(m.p, i), -c.size[i, 1], u)
        x = add_scaled(x, c.size[i, 0], unit(add_scaled(n, -s, u)))
        dx = scale(2.0 * c.size[i, 1], u)
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
                count = note(m, count, add_scaled(y, 0.5 * gap, n), n, gap, tag + k)
            return count
    x = farthest(c, m, i, n)
    y, _ = nearest_on_triangle(add_scaled(x, gap, n), one, two, three)
    aside = add_scaled(sub(y, x), -dot(n, sub(y, x)), n)
    if norm(aside) < BESIDE * c.size[i, 0]:
        count = note(m, count, add_scaled(x, 0.5 * gap, n), n, gap, tag + 2)
    return count


@kernel
def wall_nearer(c, j, z, depth):
    """Whether a point z (axes of the field) that is `depth` under the surface comes out by a wall on a shorter way."""
    a0, b0, dx, dy = cell(c, j, z[0] - depth, z[1] - depth)
    a1, b1, dx, dy = cell(c, j, z[0] + depth, z[1] + depth)
    for a in range(a0, a1 + 1):
        for b in range(b0, b1 + 1):
            for upper in range(2):
                one, two, three = triangle(c, j, a, b, dx, dy, upper == 1)
                n = cross(sub(two, one), sub(three, one))
                if n[2] < STEEP * norm(n):
                    y, _ = nearest_on_triangle(z, one, two, three)
                    if norm(sub(y, z)) < depth:
                        return True
    return False
