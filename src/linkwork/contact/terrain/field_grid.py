"""Height fields: cells and triangles of the grid, and the list of candidates of a body on it.

a b    cell of the grid        s t    place in it, 0 to 1        z    a point in the field's axes, its third is up
"""

from __future__ import annotations

import math

from linkwork._jit import kernel
from linkwork.contact.contact_cache import add_contact
from linkwork.contact.polyhedra.clip import choose_four
from linkwork.contact.round.nearest_points import clamp
from linkwork.contact.scratch import FIELD_CANDIDATE
from linkwork.spatial.codes import CYLINDER
from linkwork.spatial.vectors import (
    add,
    add_scaled,
    cross,
    dot,
    load3,
    load9,
    norm,
    rotate,
    scale,
    store3,
    sub,
    unrotate,
)


@kernel
def cell(colliders, j, x, y):
    """The cell under (x, y) of field j, and the sizes of a cell."""
    dx = 2.0 * colliders.size[j, 0] / (colliders.grid_shape[j, 0] - 1)
    dy = 2.0 * colliders.size[j, 1] / (colliders.grid_shape[j, 1] - 1)
    a = int(clamp(math.floor((x + colliders.size[j, 0]) / dx), 0.0, colliders.grid_shape[j, 0] - 2.0))
    b = int(clamp(math.floor((y + colliders.size[j, 1]) / dy), 0.0, colliders.grid_shape[j, 1] - 2.0))
    return a, b, dx, dy


@kernel
def grid_point(colliders, j, a, b, dx, dy):
    """Point (a, b) of the grid, in the field's axes."""
    return (
        a * dx - colliders.size[j, 0],
        b * dy - colliders.size[j, 1],
        colliders.grid[colliders.grid_start[j] + a * colliders.grid_shape[j, 1] + b],
    )


@kernel
def triangle(colliders, j, a, b, dx, dy, upper):
    """Corners of one of the two triangles of a cell, counter-clockwise from above."""
    one = grid_point(colliders, j, a, b, dx, dy)
    two = grid_point(colliders, j, a + 1, b + 1, dx, dy)
    if upper:
        return one, two, grid_point(colliders, j, a, b + 1, dx, dy)
    return one, grid_point(colliders, j, a + 1, b, dx, dy), two


@kernel
def height_above(colliders, j, z):
    """Distance of the point z (field's axes) from the plane of the triangle below it, and the triangle's normal.

    Of a point inside the terrain that is nearer to a side of the field: its distance from that side, and its normal.
    """
    a, b, dx, dy = cell(colliders, j, z[0], z[1])
    s = (z[0] + colliders.size[j, 0]) / dx - a
    t = (z[1] + colliders.size[j, 1]) / dy - b
    one, two, three = triangle(colliders, j, a, b, dx, dy, t > s)
    n = cross(sub(two, one), sub(three, one))
    n = scale(1.0 / norm(n), n)
    gap = dot(n, sub(z, one))
    x = colliders.size[j, 0] - abs(z[0])
    y = colliders.size[j, 1] - abs(z[1])
    if gap < 0.0 and min(x, y) < -gap:
        if x < y:
            return -x, (math.copysign(1.0, z[0]), 0.0, 0.0)
        return -y, (0.0, math.copysign(1.0, z[1]), 0.0)
    return gap, n


@kernel
def nearest_in_extent(colliders, j, z):
    """The point above or below field j that is nearest to z, at the same height."""
    return (
        clamp(z[0], -colliders.size[j, 0], colliders.size[j, 0]),
        clamp(z[1], -colliders.size[j, 1], colliders.size[j, 1]),
        z[2],
    )


@kernel
def below_or_beside(colliders, j, z):
    """Distance of z from the terrain, and the normal there, where z is below it or beside its sides; False then.

    Above the terrain the distance is that from the plane of the triangle below, and True.
    """
    y = nearest_in_extent(colliders, j, z)
    height, n = height_above(colliders, j, y)
    if height <= 0.0 and not within_extent(colliders, j, z):
        d = sub(z, y)
        return norm(d), scale(1.0 / norm(d), d), False
    return height, n, height > 0.0


@kernel
def within_extent(colliders, j, z):
    """Whether z is above or below the field."""
    return abs(z[0]) <= colliders.size[j, 0] and abs(z[1]) <= colliders.size[j, 1]


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
def add_field_candidate(scratch, count, x, inward, gap, feature):
    """Add a candidate: world point, normal into the field, gap, feature number; returns how many there are now."""
    if count == scratch.gap.size:
        return count
    store3(scratch.corner[FIELD_CANDIDATE], count, x)
    store3(scratch.candidate_normal, count, inward)
    scratch.gap[count] = gap
    scratch.feature[FIELD_CANDIDATE, count] = feature
    return count + 1


@kernel
def bounds_in_field(colliders, scratch, i, j):
    """Bounding box (low, high) of solid i in the axes of field j."""
    R = load9(scratch.R, j)
    p = load3(scratch.p, j)
    low = (math.inf, math.inf, math.inf)
    high = (-math.inf, -math.inf, -math.inf)
    if colliders.kind[i] == CYLINDER:
        z = unrotate(R, sub(load3(scratch.p, i), p))
        r = colliders.bound[i]
        return (z[0] - r, z[1] - r, z[2] - r), (z[0] + r, z[1] + r, z[2] + r)
    for k in range(colliders.vertex_start[i], colliders.vertex_start[i + 1]):
        z = unrotate(R, sub(load3(scratch.vertex, k), p))
        low = (min(low[0], z[0]), min(low[1], z[1]), min(low[2], z[2]))
        high = (max(high[0], z[0]), max(high[1], z[1]), max(high[2], z[2]))
    return low, high


@kernel
def to_world(scratch, j, z):
    """The point z of field j in world axes."""
    return add(load3(scratch.p, j), rotate(load9(scratch.R, j), z))


@kernel
def add_field_contacts(colliders, scratch, contacts, i, j, count, n):
    """Contacts of the candidates, four at most: those that span the most area seen along n."""
    chosen = (0, 1, 2, 3)
    if count > 4:
        chosen = choose_four(scratch, FIELD_CANDIDATE, count, n)
    for k in range(min(count, 4)):
        e = chosen[k]
        if k < 2 or e != chosen[0]:
            add_contact(
                colliders,
                scratch,
                contacts,
                i,
                j,
                load3(scratch.corner[FIELD_CANDIDATE], e),
                load3(scratch.candidate_normal, e),
                -scratch.gap[e],
                scratch.feature[FIELD_CANDIDATE, e],
            )
