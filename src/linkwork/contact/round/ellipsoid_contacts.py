"""Contacts of ellipsoids with all other shapes: one point, and its normal.

    j    the ellipsoid, its half axes s, axes R        i    the other        c    centre of j
    v    a point of i less c, in units of s along the axes of j: there the ellipsoid is a unit ball

The point of i nearest to c in these units is where the two touch, whatever the units are. Its direction v gives the
normal of the plane between the two, and their distance along it: exact where they touch, for balls and for planes, and
a little less than the true one where they are apart. Boxes, hulls and cylinders are searched by gjk.py, a second
ellipsoid by Newton's method. Spheres and capsules have the true distance (nearest_points.py).
"""

from __future__ import annotations

import math

from linkwork._jit import kernel
from linkwork.contact.contact_cache import add_contact
from linkwork.contact.polyhedra.gjk import nearest_of_simplex, support
from linkwork.contact.round.arc_search import support_point
from linkwork.contact.round.ellipsoid_points import nearest_to_origin, support_of
from linkwork.contact.round.nearest_points import nearest_on_segment, signed_distance
from linkwork.contact.terrain.field_grid import (
    add_field_candidate,
    add_field_contacts,
    below_or_beside,
    cell,
    nearest_on_triangle,
    to_world,
    triangle,
)
from linkwork.spatial.codes import CAPSULE, CYLINDER, ELLIPSOID, PLANE
from linkwork.spatial.vectors import (
    ZERO,
    add,
    add_scaled,
    axis_x,
    axis_y,
    axis_z,
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

ROUNDS = 64  # at most
CONVERGED = 1e-14  # of the distance in units of s
CENTRE_INSIDE = 1e-6  # units: the centre of the ellipsoid is inside the other shape
POLISHING = 12  # rounds for the normal beside a cylinder
SETTLED = 1e-15  # change of the normal, squared
SECOND_SLOPE_COSINE = 0.95  # cosine between normals below which it touches two slopes


@kernel
def ellipsoid_contact(colliders, scratch, contacts, i, j, margin):
    """The contact of ellipsoid j with i, which is no height field."""
    c = load3(scratch.p, j)
    kind = colliders.kind[i]
    if kind == PLANE:
        n = axis_z(load9(scratch.R, i))
        x, far = support_of(load9(scratch.R, j), load3(colliders.size, j), n)
        gap = dot(n, sub(c, load3(scratch.p, i))) - far
        if gap < margin:
            add_contact(colliders, scratch, contacts, i, j, add_scaled(sub(c, x), -0.5 * gap, n), n, -gap, 0)
        return
    if kind <= CAPSULE:
        first = colliders.vertex_start[i]
        a = load3(scratch.vertex, first)
        b = load3(scratch.vertex, colliders.vertex_start[i + 1] - 1)
        t = nearest_on_segment(colliders, scratch, j, a, b) if kind == CAPSULE else 0.0
        x = add_scaled(a, t, sub(b, a))
        n, gap = signed_distance(colliders, scratch, j, x)
        r = colliders.size[i, 0]
        gap -= r
        if gap < margin:
            add_contact(colliders, scratch, contacts, i, j, add_scaled(x, -r - 0.5 * gap, n), neg(n), -gap, 0)
        return
    n, gap = ellipsoid_axis(colliders, scratch, i, j, margin)
    if gap < margin:
        x, _ = support_of(load9(scratch.R, j), load3(colliders.size, j), n)
        add_contact(colliders, scratch, contacts, i, j, add_scaled(add(c, x), 0.5 * gap, n), neg(n), -gap, 0)


@kernel
def in_units(R, s, x):
    """x in units of s along the axes R."""
    z = unrotate(R, x)
    return (z[0] / s[0], z[1] / s[1], z[2] / s[2])


@kernel
def normal_and_gap(R, s, v):
    """Unit normal, out of the ellipsoid, of the plane through the point v of the other shape; distance along it."""
    n = rotate(R, (v[0] / s[0], v[1] / s[1], v[2] / s[2]))
    length = norm(v)
    steep = norm(n)
    return scale(1.0 / steep, n), (length - 1.0) * length / steep


@kernel
def ellipsoid_axis(colliders, scratch, i, j, margin):
    """Axis from ellipsoid j to i, and the gap along it; one above the margin need not be exact."""
    R = load9(scratch.R, j)
    s = load3(colliders.size, j)
    c = load3(scratch.p, j)
    if colliders.kind[i] == ELLIPSOID:
        v, outside = nearest_of_ellipsoid(colliders, scratch, i, R, s, c)
    else:
        v, outside = nearest_of_solid(colliders, scratch, i, R, s, c, margin)
    if outside:
        n, gap = normal_and_gap(R, s, v)
        if colliders.kind[i] == CYLINDER and gap < margin:
            return polished(colliders, scratch, i, R, s, c, n)
        return n, gap
    # the centre is inside: out of i along the shortest way
    n, gap = signed_distance(colliders, scratch, i, c)
    _, far = support_of(R, s, n)
    return neg(n), gap - far


@kernel
def nearest_of_ellipsoid(colliders, scratch, i, R, s, c):
    """Point of ellipsoid i nearest to c in units of s, and whether c is outside of it."""
    R_i = load9(scratch.R, i)
    s_i = load3(colliders.size, i)
    d = in_units(R, s, sub(load3(scratch.p, i), c))
    x = in_units(R, s, scale(s_i[0], axis_x(R_i)))
    y = in_units(R, s, scale(s_i[1], axis_y(R_i)))
    z = in_units(R, s, scale(s_i[2], axis_z(R_i)))
    u, outside = nearest_to_origin(d, x, y, z)
    v = add_scaled(add_scaled(add_scaled(d, u[0], x), u[1], y), u[2], z)
    return v, outside and norm(v) > CENTRE_INSIDE


@kernel
def farthest(colliders, scratch, i, n):
    """Point of a box, hull or cylinder i that is farthest along n."""
    if colliders.kind[i] == CYLINDER:
        return support_point(colliders, scratch, i, n)
    return load3(scratch.vertex, support(colliders, scratch, i, n))


@kernel
def nearest_of_solid(colliders, scratch, i, R, s, c, margin):
    """Point of a box, hull or cylinder i nearest to c in units of s, and whether c is outside of it."""
    v = in_units(R, s, sub(load3(scratch.p, i), c))
    count = 0
    for _round in range(ROUNDS):
        length = norm(v)
        if length < CENTRE_INSIDE:
            return v, False
        n = rotate(R, (v[0] / s[0], v[1] / s[1], v[2] / s[2]))
        w = in_units(R, s, sub(farthest(colliders, scratch, i, neg(n)), c))
        reach = dot(v, w) / length  # no more than the distance
        if count > 0 and length - reach <= CONVERGED * length:
            return v, True
        if reach > 1.0 and (reach - 1.0) * length / norm(n) > margin:
            return scale(reach / length, v), True
        for k in range(count):
            d = sub(w, load3(scratch.hull.point, k))
            if dot(d, d) == 0.0:
                return v, True
        store3(scratch.hull.point, count, w)
        v, count = nearest_of_simplex(scratch, count + 1)
        if count == 4:
            return v, False
    return v, norm(v) > CENTRE_INSIDE


@kernel
def polished(colliders, scratch, i, R, s, c, n):
    """The normal n from an ellipsoid to cylinder i made exact, and the gap along it.

    A ball as small as the sharpest curvature of the ellipsoid lies inside it and touches where n does; it has its own
    normal to the cylinder, which is nearer to the true one.
    """
    least = min(s[0], s[1], s[2])
    r = least * least / max(s[0], s[1], s[2])
    for _round in range(POLISHING):
        x, _ = support_of(R, s, n)
        out, gap = signed_distance(colliders, scratch, i, add_scaled(add(c, x), -r, n))
        if not gap > 0.0:
            break
        d = add(out, n)
        n = neg(out)
        if dot(d, d) < SETTLED:
            break
    _, far = support_of(R, s, n)
    return n, dot(n, sub(farthest(colliders, scratch, i, neg(n)), c)) - far


@kernel
def ellipsoid_on_field(colliders, scratch, contacts, i, j, margin):
    """Contacts of ellipsoid i with the height field j: its nearest triangle, and one of another slope."""
    R = load9(scratch.R, i)
    s = load3(colliders.size, i)
    c = load3(scratch.p, i)
    R_j = load9(scratch.R, j)
    z = unrotate(R_j, sub(c, load3(scratch.p, j)))
    count = 0
    height, out, above = below_or_beside(colliders, j, z)
    if not above:
        n = neg(rotate(R_j, out))
        x, far = support_of(R, s, n)
        gap = height - far
        if gap < margin:
            count = add_field_candidate(scratch, count, add_scaled(add(c, x), 0.5 * gap, n), n, gap, 0)
    else:
        radius = colliders.bound[i] + margin
        a_0, b_0, dx, dy = cell(colliders, j, z[0] - radius, z[1] - radius)
        a_1, b_1, dx, dy = cell(colliders, j, z[0] + radius, z[1] + radius)
        first = (0.0, 0.0, 1.0)
        for turn in range(2):
            best = math.inf
            found = first
            for a in range(a_0, a_1 + 1):
                for b in range(b_0, b_1 + 1):
                    for upper in range(2):
                        one, two, three = triangle(colliders, j, a, b, dx, dy, upper == 1)
                        v, within = nearest_on_triangle(
                            ZERO,
                            in_units(R, s, sub(to_world(scratch, j, one), c)),
                            in_units(R, s, sub(to_world(scratch, j, two), c)),
                            in_units(R, s, sub(to_world(scratch, j, three), c)),
                        )
                        if norm(v) < CENTRE_INSIDE or (turn == 1 and not within):
                            continue
                        n, gap = normal_and_gap(R, s, v)
                        if gap < best and (turn == 0 or dot(n, first) < SECOND_SLOPE_COSINE):
                            best = gap
                            found = n
            if best < margin:
                x, _ = support_of(R, s, found)
                point = add_scaled(add(c, x), 0.5 * best, found)
                count = add_field_candidate(scratch, count, point, found, best, turn)
            first = found
    add_field_contacts(colliders, scratch, contacts, i, j, count, axis_z(R_j))
