"""Height fields: what stands on a grid of heights, two triangles to each cell, solid below.

    a b    cell of the grid        s t    place in it, 0 to 1        up    z of the field

Spheres, and points along capsules, meet the nearest points of the triangles around them. Corners of boxes and hulls
meet the triangle that they are over, and points of the grid meet the undersides of these: where a hill is narrower than
a box it is the hill that pokes. Of a cylinder it is the lowest points of discs along its axis, and points of its rims.
"""

from __future__ import annotations

import math

from linkwork._jit import kernel
from linkwork.contact.clip import four_of
from linkwork.contact.keep import across, add_contact
from linkwork.contact.nearest import clamp, outside
from linkwork.contact.rims import LEVEL
from linkwork.spatial.codes import CAPSULE, CYLINDER
from linkwork.spatial.vectors import (
    add,
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
    unrotate,
)

BELOW = -0.7  # a face that looks down by so much is an underside
AGAIN = 0.95  # cosine between normals below which a ball lies against two slopes
STANDING = 0.1  # cosine between a cylinder's axis and up: with less it lies, and its rims stay out of it
FLAT = 1e-6  # of the field's size: the land is level where it bends less
POINTS = 24  # along a capsule, at most
RIM = 12  # points of a cylinder's rim


@kernel
def cell(c, j, x, y):
    """The cell under (x, y) of field j, and the sizes of a cell."""
    dx = 2.0 * c.size[j, 0] / (c.grid_shape[j, 0] - 1)
    dy = 2.0 * c.size[j, 1] / (c.grid_shape[j, 1] - 1)
    a = int(clamp(math.floor((x + c.size[j, 0]) / dx), 0.0, c.grid_shape[j, 0] - 2.0))
    b = int(clamp(math.floor((y + c.size[j, 1]) / dy), 0.0, c.grid_shape[j, 1] - 2.0))
    return a, b, dx, dy


@kernel
def grid_point(c, j, a, b, dx, dy):
    return (a * dx - c.size[j, 0], b * dy - c.size[j, 1], c.grid[c.grid_start[j] + a * c.grid_shape[j, 1] + b])


@kernel
def triangle(c, j, a, b, dx, dy, upper):
    """Corners of one of the two triangles of a cell, counter-clockwise from above."""
    one = grid_point(c, j, a, b, dx, dy)
    two = grid_point(c, j, a + 1, b + 1, dx, dy)
    if upper:
        return one, two, grid_point(c, j, a, b + 1, dx, dy)
    return one, grid_point(c, j, a + 1, b, dx, dy), two


@kernel
def above(c, j, z):
    """How far the point z (axes of the field) is above the triangle under it, across it, and the triangle's normal."""
    a, b, dx, dy = cell(c, j, z[0], z[1])
    s = (z[0] + c.size[j, 0]) / dx - a
    t = (z[1] + c.size[j, 1]) / dy - b
    one, two, three = triangle(c, j, a, b, dx, dy, t > s)
    n = cross(sub(two, one), sub(three, one))
    n = scale(1.0 / norm(n), n)
    return dot(n, sub(z, one)), n


@kernel
def over(c, j, z):
    return abs(z[0]) <= c.size[j, 0] and abs(z[1]) <= c.size[j, 1]


@kernel
def nearest_on_triangle(z, a, b, c):
    """The point of the triangle a, b, c that is nearest to z, and whether it is within its sides."""
    ab = sub(b, a)
    ac = sub(c, a)
    n = cross(ab, ac)
    inside = (
        dot(cross(ab, sub(z, a)), n) >= 0.0
        and dot(cross(sub(c, b), sub(z, b)), n) >= 0.0
        and dot(cross(sub(a, c), sub(z, c)), n) >= 0.0
    )
    if inside:
        return add_scaled(z, -dot(sub(z, a), n) / dot(n, n), n), True
    best = a
    least = math.inf
    for k in range(3):
        p = a if k == 0 else (b if k == 1 else c)
        q = b if k == 0 else (c if k == 1 else a)
        pq = sub(q, p)
        x = add_scaled(p, clamp(dot(pq, sub(z, p)) / dot(pq, pq), 0.0, 1.0), pq)
        d = sub(z, x)
        if dot(d, d) < least:
            least = dot(d, d)
            best = x
    return best, False


@kernel
def note(m, count, x, way, gap, tag):
    """A candidate in the scratch of corners: world point, normal into the field; returns how many there are now."""
    if count == m.gap.size:
        return count
    store3(m.corner[0], count, x)
    store3(m.way, count, way)
    m.gap[count] = gap
    m.tag[0, count] = tag
    return count + 1


@kernel
def ball_on_field(c, m, j, x, r, margin, count, tag):
    """Candidates of a ball around x (world)."""
    R = load9(m.R, j)
    p = load3(m.p, j)
    z = unrotate(R, sub(x, p))
    if not over(c, j, z):
        return count
    height, n = above(c, j, z)
    if height <= 0.0:
        way = neg(rotate(R, n))
        return note(m, count, add_scaled(x, r + 0.5 * (height - r), way), way, height - r, tag)
    reach = r + margin
    a0, b0, dx, dy = cell(c, j, z[0] - reach, z[1] - reach)
    a1, b1, dx, dy = cell(c, j, z[0] + reach, z[1] + reach)
    first = math.inf
    second = math.inf
    n_first = n
    n_second = n
    for _pass in range(2):
        for a in range(a0, a1 + 1):
            for b in range(b0, b1 + 1):
                for upper in range(2):
                    one, two, three = triangle(c, j, a, b, dx, dy, upper == 1)
                    y, within = nearest_on_triangle(z, one, two, three)
                    d = sub(z, y)
                    far = norm(d)
                    if far == 0.0:
                        continue
                    if _pass == 0:
                        if far < first:
                            first = far
                            n_first = scale(1.0 / far, d)
                    elif within and far < second and dot(d, n_first) < AGAIN * far:
                        second = far
                        n_second = scale(1.0 / far, d)
    for k in range(2):
        far = first if k == 0 else second
        if far - r < margin:
            way = neg(rotate(R, n_first if k == 0 else n_second))
            count = note(m, count, add_scaled(x, r + 0.5 * (far - r), way), way, far - r, 2 * tag + k)
    return count


@kernel
def point_on_field(c, m, j, x, margin, count, tag):
    """Candidate of a corner x (world)."""
    R = load9(m.R, j)
    z = unrotate(R, sub(x, load3(m.p, j)))
    if not over(c, j, z):
        return count
    gap, n = above(c, j, z)
    if gap >= margin:
        return count
    way = neg(rotate(R, n))
    return note(m, count, add_scaled(x, 0.5 * gap, way), way, gap, tag)


@kernel
def on_rim(c, m, i, k, up):
    """Point k of the rims of cylinder i, RIM on each; the first of each is the lowest."""
    u = axis_z(load9(m.R, i))
    s = dot(u, up)
    t = add_scaled(scale(s, u), -1.0, up)
    lean = norm(t)
    t = scale(1.0 / lean, t) if lean > LEVEL else across(u)
    angle = 2.0 * math.pi * (k % RIM) / RIM
    centre = add_scaled(load3(m.p, i), c.size[i, 1] if k < RIM else -c.size[i, 1], u)
    r = c.size[i, 0]
    return add_scaled(add_scaled(centre, r * math.cos(angle), t), r * math.sin(angle), cross(u, t))


@kernel
def on_field(c, m, contacts, i, j, margin):
    """Collider i on the field j."""
    up = axis_z(load9(m.R, j))
    first = c.vertex_start[i]
    last = c.vertex_start[i + 1]
    count = 0
    if c.kind[i] <= CAPSULE:
        x = load3(m.vertex, first)
        u = sub(load3(m.vertex, last - 1), x)
        _, _, dx, dy = cell(c, j, 0.0, 0.0)
        points = 1
        if last - first > 1:
            points = int(clamp(2.0 + math.floor(norm(u) / min(dx, dy)), 2.0, float(POINTS)))
        for k in range(points):
            part = k / (points - 1) if points > 1 else 0.0
            count = ball_on_field(c, m, j, add_scaled(x, part, u), c.size[i, 0], margin, count, k)
    else:
        if c.kind[i] == CYLINDER:
            count = discs(c, m, i, j, margin, count)
            if abs(dot(axis_z(load9(m.R, i)), up)) > STANDING:
                for k in range(2 * RIM):
                    count = point_on_field(c, m, j, on_rim(c, m, i, k, up), margin, count, k)
        for k in range(first, last):
            count = point_on_field(c, m, j, load3(m.vertex, k), margin, count, k - first)
        count = hills(c, m, i, j, margin, count)
    if count <= 4:
        for e in range(count):
            tell(c, m, contacts, i, j, e)
        return
    chosen = four_of(m, 0, count, up)
    for k in range(4):
        e = chosen[k]
        if k < 2 or e != chosen[0]:
            tell(c, m, contacts, i, j, e)


@kernel
def discs(c, m, i, j, margin, count):
    """Candidates of a cylinder: the lowest point of discs along its axis, as the land under each lies."""
    R = load9(m.R, j)
    p = load3(m.p, j)
    u = axis_z(load9(m.R, i))
    r = c.size[i, 0]
    half = c.size[i, 1]
    _, _, dx, dy = cell(c, j, 0.0, 0.0)
    points = int(clamp(2.0 + math.floor(2.0 * half / min(dx, dy)), 2.0, float(POINTS)))
    for k in range(points):
        centre = add_scaled(load3(m.p, i), half * (2.0 * k / (points - 1) - 1.0), u)
        if not over(c, j, unrotate(R, sub(centre, p))):
            continue
        x = centre
        way = neg(axis_z(R))
        gap = math.inf
        for _round in range(2):
            _, n = above(c, j, unrotate(R, sub(x, p)))
            way = neg(rotate(R, n))
            down = add_scaled(way, -dot(way, u), u)
            far = norm(down)
            if far < 1e-6:
                break
            x = add_scaled(centre, r / far, down)
            gap, n = above(c, j, unrotate(R, sub(x, p)))
            way = neg(rotate(R, n))
        if gap < margin and over(c, j, unrotate(R, sub(x, p))):
            count = note(m, count, add_scaled(x, 0.5 * gap, way), way, gap, 0x1000 + k)
    return count


@kernel
def pokes(c, j, a, b):
    """Whether the land falls off on two opposite sides of a point of the grid."""
    nx = c.grid_shape[j, 0]
    ny = c.grid_shape[j, 1]
    k = c.grid_start[j] + a * ny + b
    h = 2.0 * c.grid[k] - FLAT * (c.size[j, 0] + c.size[j, 1])
    return (0 < a < nx - 1 and h > c.grid[k - ny] + c.grid[k + ny]) or (
        0 < b < ny - 1 and h > c.grid[k - 1] + c.grid[k + 1]
    )


@kernel
def hills(c, m, i, j, margin, count):
    """Candidates where points of the grid poke into undersides of the solid i."""
    R = load9(m.R, j)
    p = load3(m.p, j)
    up = axis_z(R)
    low = (math.inf, math.inf)
    high = (-math.inf, -math.inf)
    if c.kind[i] == CYLINDER:
        z = unrotate(R, sub(load3(m.p, i), p))
        low = (z[0] - c.bound[i], z[1] - c.bound[i])
        high = (z[0] + c.bound[i], z[1] + c.bound[i])
    for k in range(c.vertex_start[i], c.vertex_start[i + 1]):
        z = unrotate(R, sub(load3(m.vertex, k), p))
        low = (min(low[0], z[0]), min(low[1], z[1]))
        high = (max(high[0], z[0]), max(high[1], z[1]))
    a0, b0, dx, dy = cell(c, j, low[0], low[1])
    a1, b1, dx, dy = cell(c, j, high[0] + dx, high[1] + dy)
    for a in range(a0, a1 + 1):
        for b in range(b0, b1 + 1):
            if not pokes(c, j, a, b):
                continue
            x = add(p, rotate(R, grid_point(c, j, a, b, dx, dy)))
            n, gap = outside(c, m, i, x)
            if gap < margin and dot(n, up) < BELOW:
                count = note(m, count, add_scaled(x, -0.5 * gap, n), n, gap, 0x2000 + a * c.grid_shape[j, 1] + b)
    return count


@kernel
def tell(c, m, contacts, i, j, e):
    add_contact(c, m, contacts, i, j, load3(m.corner[0], e), load3(m.way, e), -m.gap[e], m.tag[0, e])
