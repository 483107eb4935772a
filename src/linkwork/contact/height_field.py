"""Height fields: what stands on a grid of heights, two triangles to each cell, solid below.

Spheres, and points along capsules, meet the nearest points of the triangles around them. Corners of boxes and hulls
meet the triangle that they are over, of a cylinder the lowest points of discs along its axis, and points of its rims.
Where a hill is narrower than a box it is the hill that pokes (hills.py); where the land is steep its triangles are met
one by one (walls.py).
"""

from __future__ import annotations

import math

from linkwork._jit import kernel
from linkwork.contact.contact_cache import across
from linkwork.contact.cylinder_points import LEVEL
from linkwork.contact.field_grid import above, add_four, cell, nearest_on_triangle, note, over, triangle
from linkwork.contact.field_ridges import ridge_contacts
from linkwork.contact.field_slopes import STEEP, slope_contacts, wall_nearer
from linkwork.contact.nearest_points import clamp
from linkwork.spatial.codes import CAPSULE, CYLINDER
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
    sub,
    unrotate,
)

AGAIN = 0.95  # cosine between normals below which a ball lies against two slopes
STANDING = 0.1  # cosine between a cylinder's axis and up: with less it lies, and its rims stay out of it
POINTS = 24  # along a capsule, at most
RIM = 12  # points of a cylinder's rim


@kernel
def ball_on_field(colliders, scratch, j, x, r, margin, count, tag):
    """Candidates of a ball around x (world)."""
    R = load9(scratch.R, j)
    p = load3(scratch.p, j)
    z = unrotate(R, sub(x, p))
    # beside the land: nearest is the point of its side
    y = (
        clamp(z[0], -colliders.size[j, 0], colliders.size[j, 0]),
        clamp(z[1], -colliders.size[j, 1], colliders.size[j, 1]),
        z[2],
    )
    height, n = above(colliders, j, y)
    if height <= 0.0:
        if not over(colliders, j, z):
            height = norm(sub(z, y))
            n = scale(1.0 / height, sub(z, y))
        if height - r >= margin:
            return count
        way = neg(rotate(R, n))
        return note(scratch, count, add_scaled(x, r + 0.5 * (height - r), way), way, height - r, tag)
    reach = r + margin
    a0, b0, dx, dy = cell(colliders, j, z[0] - reach, z[1] - reach)
    a1, b1, dx, dy = cell(colliders, j, z[0] + reach, z[1] + reach)
    first = math.inf
    second = math.inf
    n_first = n
    n_second = n
    for _pass in range(2):
        for a in range(a0, a1 + 1):
            for b in range(b0, b1 + 1):
                for upper in range(2):
                    one, two, three = triangle(colliders, j, a, b, dx, dy, upper == 1)
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
            count = note(scratch, count, add_scaled(x, r + 0.5 * (far - r), way), way, far - r, 2 * tag + k)
    return count


@kernel
def point_on_field(colliders, scratch, j, x, margin, count, tag):
    """Candidate of a corner x (world)."""
    R = load9(scratch.R, j)
    z = unrotate(R, sub(x, load3(scratch.p, j)))
    if not over(colliders, j, z):
        return count
    gap, n = above(colliders, j, z)
    if gap >= margin or 0.0 < n[2] < STEEP or (gap < -margin and wall_nearer(colliders, j, z, -gap)):
        return count
    way = neg(rotate(R, n))
    return note(scratch, count, add_scaled(x, 0.5 * gap, way), way, gap, tag)


@kernel
def on_rim(colliders, scratch, i, k, up):
    """Point k of the rims of cylinder i, RIM on each; the first of each is the lowest."""
    u = axis_z(load9(scratch.R, i))
    s = dot(u, up)
    t = add_scaled(scale(s, u), -1.0, up)
    lean = norm(t)
    t = scale(1.0 / lean, t) if lean > LEVEL else across(u)
    angle = 2.0 * math.pi * (k % RIM) / RIM
    centre = add_scaled(load3(scratch.p, i), colliders.size[i, 1] if k < RIM else -colliders.size[i, 1], u)
    r = colliders.size[i, 0]
    return add_scaled(add_scaled(centre, r * math.cos(angle), t), r * math.sin(angle), cross(u, t))


@kernel
def on_field(colliders, scratch, contacts, i, j, margin):
    """Collider i on the field j."""
    up = axis_z(load9(scratch.R, j))
    first = colliders.vertex_start[i]
    last = colliders.vertex_start[i + 1]
    count = 0
    if colliders.kind[i] <= CAPSULE:
        x = load3(scratch.vertex, first)
        u = sub(load3(scratch.vertex, last - 1), x)
        _, _, dx, dy = cell(colliders, j, 0.0, 0.0)
        points = 1
        if last - first > 1:
            points = int(clamp(2.0 + math.floor(norm(u) / min(dx, dy)), 2.0, float(POINTS)))
        for k in range(points):
            part = k / (points - 1) if points > 1 else 0.0
            count = ball_on_field(colliders, scratch, j, add_scaled(x, part, u), colliders.size[i, 0], margin, count, k)
    else:
        if colliders.kind[i] == CYLINDER:
            count = discs(colliders, scratch, i, j, margin, count)
            if abs(dot(axis_z(load9(scratch.R, i)), up)) > STANDING:
                for k in range(2 * RIM):
                    count = point_on_field(
                        colliders, scratch, j, on_rim(colliders, scratch, i, k, up), margin, count, k
                    )
        for k in range(first, last):
            count = point_on_field(colliders, scratch, j, load3(scratch.vertex, k), margin, count, k - first)
        count = ridge_contacts(colliders, scratch, i, j, margin, count)
    add_four(colliders, scratch, contacts, i, j, count, up)
    if colliders.kind[i] > CAPSULE:
        slope_contacts(colliders, scratch, contacts, i, j, margin)


@kernel
def discs(colliders, scratch, i, j, margin, count):
    """Candidates of a cylinder: the lowest point of discs along its axis, as the land under each lies."""
    R = load9(scratch.R, j)
    p = load3(scratch.p, j)
    u = axis_z(load9(scratch.R, i))
    r = colliders.size[i, 0]
    half = colliders.size[i, 1]
    _, _, dx, dy = cell(colliders, j, 0.0, 0.0)
    points = int(clamp(2.0 + math.floor(2.0 * half / min(dx, dy)), 2.0, float(POINTS)))
    for k in range(points):
        centre = add_scaled(load3(scratch.p, i), half * (2.0 * k / (points - 1) - 1.0), u)
        if not over(colliders, j, unrotate(R, sub(centre, p))):
            continue
        x = centre
        way = neg(axis_z(R))
        n = (0.0, 0.0, 1.0)
        gap = math.inf
        for _round in range(2):
            _, n = above(colliders, j, unrotate(R, sub(x, p)))
            way = neg(rotate(R, n))
            down = add_scaled(way, -dot(way, u), u)
            far = norm(down)
            if far < 1e-6:
                break
            x = add_scaled(centre, r / far, down)
            gap, n = above(colliders, j, unrotate(R, sub(x, p)))
            way = neg(rotate(R, n))
        if gap < margin and not 0.0 < n[2] < STEEP and over(colliders, j, unrotate(R, sub(x, p))):
            count = note(scratch, count, add_scaled(x, 0.5 * gap, way), way, gap, 0x1000 + k)
    return count
