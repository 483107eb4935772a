"""Height fields: contacts of colliders with a grid of heights, two triangles to each cell, solid below.

    z    a point in the field's axes, its third component is up        x    the same in the world
    n    normal of a triangle, out of the terrain                      inward    its opposite, world axes

Spheres, and points along capsules, touch the nearest points of the triangles around them. Corners of boxes and hulls
touch the triangle below them; of a cylinder it is the lowest points of discs along its axis, and points of its rims.
Peaks and ridges that are narrower than a solid touch its underside (field_ridges.py); steep triangles are tested one by
one (field_slopes.py).
"""

from __future__ import annotations

import math

from linkwork._jit import kernel
from linkwork.contact.round.cylinder_faces import LEVEL_SINE
from linkwork.contact.round.nearest_points import clamp
from linkwork.contact.surfaces import perpendicular
from linkwork.contact.terrain.field_grid import (
    add_field_candidate,
    add_field_contacts,
    below_or_beside,
    cell,
    height_above,
    nearest_in_extent,
    nearest_on_triangle,
    triangle,
    within_extent,
)
from linkwork.contact.terrain.field_ridges import ridge_contacts
from linkwork.contact.terrain.field_slopes import STEEP_COSINE, slope_contacts, slope_nearer
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

SECOND_SLOPE_COSINE = 0.95  # cosine between normals below which a sphere touches two slopes
STANDING_COSINE = 0.1  # cosine between a cylinder's axis and up below which it lies: its rims make no candidates
MOST_POINTS = 24  # along a capsule or a cylinder's axis
RIM_POINTS = 12  # of each rim of a cylinder
DISC = 0x1000  # feature number of the first disc of a cylinder


@kernel
def sphere_on_field(colliders, scratch, j, x, r, margin, count, feature):
    """Candidates of a sphere around x (world): the nearest point, and a second one on another slope."""
    R = load9(scratch.R, j)
    p = load3(scratch.p, j)
    z = unrotate(R, sub(x, p))
    height, n, above = below_or_beside(colliders, j, z)
    if not above:
        if height - r >= margin:
            return count
        inward = neg(rotate(R, n))
        return add_field_candidate(
            scratch, count, add_scaled(x, r + 0.5 * (height - r), inward), inward, height - r, feature
        )
    radius = r + margin
    a0, b0, dx, dy = cell(colliders, j, z[0] - radius, z[1] - radius)
    a1, b1, dx, dy = cell(colliders, j, z[0] + radius, z[1] + radius)
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
                    distance = norm(d)
                    if distance == 0.0:
                        continue
                    if _pass == 0:
                        if distance < first:
                            first = distance
                            n_first = scale(1.0 / distance, d)
                    elif within and distance < second and dot(d, n_first) < SECOND_SLOPE_COSINE * distance:
                        second = distance
                        n_second = scale(1.0 / distance, d)
    for k in range(2):
        distance = first if k == 0 else second
        if distance - r < margin:
            inward = neg(rotate(R, n_first if k == 0 else n_second))
            count = add_field_candidate(
                scratch, count, add_scaled(x, r + 0.5 * (distance - r), inward), inward, distance - r, 2 * feature + k
            )
    return count


@kernel
def point_beside_field(colliders, scratch, j, x, z, margin, count, feature):
    """Candidate of a corner x (z in the field's axes) in front of a side of the field, well below its upper edge."""
    y = nearest_in_extent(colliders, j, z)
    d = sub(z, y)
    gap = norm(d)
    height, _ = height_above(colliders, j, (y[0], y[1], z[2] + margin))
    if gap >= margin or height > 0.0 or (d[0] != 0.0 and d[1] != 0.0):
        return count
    inward = rotate(load9(scratch.R, j), scale(-1.0 / gap, d))
    return add_field_candidate(scratch, count, add_scaled(x, 0.5 * gap, inward), inward, gap, feature)


@kernel
def point_on_field(colliders, scratch, j, x, margin, count, feature):
    """Candidate of a corner x (world), but for steep triangles."""
    R = load9(scratch.R, j)
    z = unrotate(R, sub(x, load3(scratch.p, j)))
    if not within_extent(colliders, j, z):
        return point_beside_field(colliders, scratch, j, x, z, margin, count, feature)
    gap, n = height_above(colliders, j, z)
    if gap >= margin or 0.0 < n[2] < STEEP_COSINE or (gap < -margin and slope_nearer(colliders, j, z, -gap)):
        return count
    inward = neg(rotate(R, n))
    return add_field_candidate(scratch, count, add_scaled(x, 0.5 * gap, inward), inward, gap, feature)


@kernel
def rim_point(colliders, scratch, i, k, up):
    """Point k of the rims of cylinder i, RIM_POINTS on each; the first of each is the lowest."""
    u = axis_z(load9(scratch.R, i))
    s = dot(u, up)
    t = add_scaled(scale(s, u), -1.0, up)
    lean = norm(t)
    t = scale(1.0 / lean, t) if lean > LEVEL_SINE else perpendicular(u)
    angle = 2.0 * math.pi * (k % RIM_POINTS) / RIM_POINTS
    centre = add_scaled(load3(scratch.p, i), colliders.size[i, 1] if k < RIM_POINTS else -colliders.size[i, 1], u)
    r = colliders.size[i, 0]
    return add_scaled(add_scaled(centre, r * math.cos(angle), t), r * math.sin(angle), cross(u, t))


@kernel
def field_contacts(colliders, scratch, contacts, i, j, margin):
    """Contacts of collider i with the height field j."""
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
            points = int(clamp(2.0 + math.floor(norm(u) / min(dx, dy)), 2.0, float(MOST_POINTS)))
        for k in range(points):
            part = k / (points - 1) if points > 1 else 0.0
            count = sphere_on_field(
                colliders, scratch, j, add_scaled(x, part, u), colliders.size[i, 0], margin, count, k
            )
    else:
        if colliders.kind[i] == CYLINDER:
            count = discs_on_field(colliders, scratch, i, j, margin, count)
            if abs(dot(axis_z(load9(scratch.R, i)), up)) > STANDING_COSINE:
                for k in range(2 * RIM_POINTS):
                    count = point_on_field(
                        colliders, scratch, j, rim_point(colliders, scratch, i, k, up), margin, count, k
                    )
        for k in range(first, last):
            count = point_on_field(colliders, scratch, j, load3(scratch.vertex, k), margin, count, k - first)
        count = ridge_contacts(colliders, scratch, i, j, margin, count)
    add_field_contacts(colliders, scratch, contacts, i, j, count, up)
    if colliders.kind[i] > CAPSULE:
        slope_contacts(colliders, scratch, contacts, i, j, margin)


@kernel
def discs_on_field(colliders, scratch, i, j, margin, count):
    """Candidates of a cylinder: of discs along its axis the point lowest above the triangle below."""
    R = load9(scratch.R, j)
    p = load3(scratch.p, j)
    u = axis_z(load9(scratch.R, i))
    r = colliders.size[i, 0]
    half = colliders.size[i, 1]
    _, _, dx, dy = cell(colliders, j, 0.0, 0.0)
    points = int(clamp(2.0 + math.floor(2.0 * half / min(dx, dy)), 2.0, float(MOST_POINTS)))
    for k in range(points):
        centre = add_scaled(load3(scratch.p, i), half * (2.0 * k / (points - 1) - 1.0), u)
        if not within_extent(colliders, j, unrotate(R, sub(centre, p))):
            continue
        x = centre
        inward = neg(axis_z(R))
        n = (0.0, 0.0, 1.0)
        gap = math.inf
        for _round in range(2):
            _, n = height_above(colliders, j, unrotate(R, sub(x, p)))
            inward = neg(rotate(R, n))
            down = add_scaled(inward, -dot(inward, u), u)
            distance = norm(down)
            if distance < 1e-6:
                break
            x = add_scaled(centre, r / distance, down)
            gap, n = height_above(colliders, j, unrotate(R, sub(x, p)))
            inward = neg(rotate(R, n))
        if gap < margin and not 0.0 < n[2] < STEEP_COSINE and within_extent(colliders, j, unrotate(R, sub(x, p))):
            count = add_field_candidate(scratch, count, add_scaled(x, 0.5 * gap, inward), inward, gap, DISC + k)
    return count
