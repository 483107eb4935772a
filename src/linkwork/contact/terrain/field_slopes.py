"""Height fields: steep triangles against the sides, corners and edges of solids, one by one.

    one two three    corners of a triangle, counter-clockwise from outside        out    its normal, out of the terrain
    n    unit, from the solid into the terrain                                    f(n)   separation along n

A separating axis test over the triangle's normal, the solid's faces and the cross products of edges. Along the best
axis the triangle is clipped by the solid's face there, and each corner that is left is a candidate. Of a cylinder it is
the line of its side, or a point of its rim.
"""

from __future__ import annotations

import math

from linkwork._jit import kernel, small
from linkwork.contact.polyhedra.box_axis import FACE_PREFERENCE, PARALLEL_SINE
from linkwork.contact.polyhedra.clip import clip_polygon, clip_segment, incident_face
from linkwork.contact.round.arc_search import support_point, unit
from linkwork.contact.round.cylinder_faces import LINE_CONTACT_SINE
from linkwork.contact.scratch import FIELD_CANDIDATE, POLYGON
from linkwork.contact.terrain.field_grid import (
    add_field_candidate,
    add_field_contacts,
    bounds_in_field,
    cell,
    nearest_on_triangle,
    to_world,
    triangle,
)
from linkwork.contact.terrain.field_ridges import UNDERSIDE_COSINE
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

STEEP_COSINE = 0.7  # cosine between the normal of a triangle and up below which it is steep
INTO_SLOPE_COSINE = 0.3  # cosine between an axis and the way into the slope below which the axis is along the slope
RIM_BESIDE = 0.2  # of a radius: how far beside a triangle a rim still touches it
SAME_SLOPE_COSINE = 0.95  # cosine between normals above which candidates are of one slope


@kernel
def slope_contacts(colliders, scratch, contacts, i, j, margin):
    """Contacts of solid i with the steep triangles of the field j."""
    low, high = bounds_in_field(colliders, scratch, i, j)
    a0, b0, dx, dy = cell(colliders, j, low[0] - margin, low[1] - margin)
    a1, b1, dx, dy = cell(colliders, j, high[0] + margin, high[1] + margin)
    count = 0
    for a in range(a0, a1 + 1):
        for b in range(b0, b1 + 1):
            for upper in range(2):
                one, two, three = triangle(colliders, j, a, b, dx, dy, upper == 1)
                n = cross(sub(two, one), sub(three, one))
                if n[2] >= STEEP_COSINE * norm(n):
                    continue
                if max(one[2], two[2], three[2]) < low[2] - margin or min(one[2], two[2], three[2]) > high[2] + margin:
                    continue
                one = to_world(scratch, j, one)
                two = to_world(scratch, j, two)
                three = to_world(scratch, j, three)
                feature = 16 * (2 * (a * colliders.grid_shape[j, 1] + b) + upper)
                count = solid_and_triangle(colliders, scratch, i, j, margin, one, two, three, count, feature)
    while count > 0:
        # four of the slope that is overlapped most; then the other slopes
        deepest = 0
        for e in range(count):
            if scratch.gap[e] < scratch.gap[deepest]:
                deepest = e
        inward = load3(scratch.candidate_normal, deepest)
        same = 0
        for e in range(count):
            if dot(inward, load3(scratch.candidate_normal, e)) > SAME_SLOPE_COSINE:
                swap_candidates(scratch, e, same)
                same += 1
        add_field_contacts(colliders, scratch, contacts, i, j, same, inward)
        for e in range(same, count):
            swap_candidates(scratch, e, e - same)
        count -= same


@kernel
def swap_candidates(scratch, e, g):
    """Exchange two candidates."""
    x = load3(scratch.corner[FIELD_CANDIDATE], e)
    inward = load3(scratch.candidate_normal, e)
    gap = scratch.gap[e]
    feature = scratch.feature[FIELD_CANDIDATE, e]
    store3(scratch.corner[FIELD_CANDIDATE], e, load3(scratch.corner[FIELD_CANDIDATE], g))
    store3(scratch.candidate_normal, e, load3(scratch.candidate_normal, g))
    scratch.gap[e] = scratch.gap[g]
    scratch.feature[FIELD_CANDIDATE, e] = scratch.feature[FIELD_CANDIDATE, g]
    store3(scratch.corner[FIELD_CANDIDATE], g, x)
    store3(scratch.candidate_normal, g, inward)
    scratch.gap[g] = gap
    scratch.feature[FIELD_CANDIDATE, g] = feature


@kernel
def triangle_gap(colliders, scratch, i, n, one, two, three):
    """f(n)."""
    return min(dot(n, one), dot(n, two), dot(n, three)) - dot(n, support_point(colliders, scratch, i, n))


@small
def triangle_axis(colliders, scratch, i, k, into, one, two, three):
    """Candidate axis k of solid i and a triangle, not of unit length.

    First the triangle's own normal; then faces or caps of the solid; cross products of the edges of both; and, for the
    side of a cylinder, the directions to the corners of the triangle.
    """
    R = load9(scratch.R, i)
    u = axis_z(R)
    is_cylinder = colliders.kind[i] == CYLINDER
    faces = 2 if is_cylinder else colliders.face_start[i + 1] - colliders.face_start[i]
    edges = 1 if is_cylinder else colliders.edge_start[i + 1] - colliders.edge_start[i]
    if k == 0:
        return into
    if k <= faces:
        if is_cylinder:
            return u if k == 1 else neg(u)
        return rotate(R, load3(colliders.face_normal, colliders.face_start[i] + k - 1))
    e = (k - 1 - faces) // 3
    q = (k - 1 - faces) % 3
    a = one if q == 0 else (two if q == 1 else three)
    if e < edges:
        b = two if q == 0 else (three if q == 1 else one)
        w = cross(u if is_cylinder else rotate(R, load3(colliders.edge, colliders.edge_start[i] + e)), sub(b, a))
        return w if dot(w, into) > 0.0 else neg(w)
    w = sub(a, load3(scratch.p, i))
    return add_scaled(w, -dot(w, u), u)


@kernel
def solid_and_triangle(colliders, scratch, i, j, margin, one, two, three, count, feature):
    """Candidates of solid i at a steep triangle; returns how many there are now."""
    into = neg(unit(cross(sub(two, one), sub(three, one))))
    n = into
    best = -math.inf
    slack = FACE_PREFERENCE * colliders.bound[i]
    is_cylinder = colliders.kind[i] == CYLINDER
    faces = 2 if is_cylinder else colliders.face_start[i + 1] - colliders.face_start[i]
    edges = 1 if is_cylinder else colliders.edge_start[i + 1] - colliders.edge_start[i]
    for k in range(1 + faces + 3 * edges + (3 if is_cylinder else 0)):
        w = triangle_axis(colliders, scratch, i, k, into, one, two, three)
        size = norm(w)
        if size < PARALLEL_SINE * colliders.bound[i] or dot(w, into) < INTO_SLOPE_COSINE * size:
            continue
        w = scale(1.0 / size, w)
        s = triangle_gap(colliders, scratch, i, w, one, two, three)
        if s > best + (slack if k > 0 else 0.0):
            best = s
            n = w
            if best > margin:
                return count
    # undersides are left to peaks, ridges and corners
    if best > margin or dot(n, axis_z(load9(scratch.R, j))) < UNDERSIDE_COSINE:
        return count
    if is_cylinder:
        return cylinder_and_triangle(colliders, scratch, i, n, best, one, two, three, count, feature)
    return polyhedron_and_triangle(colliders, scratch, i, n, margin, one, two, three, count, feature)


@small
def polyhedron_and_triangle(colliders, scratch, i, n, margin, one, two, three, count, feature):
    """Candidates of a box or hull: corners of the triangle clipped by the face most along n."""
    g = incident_face(colliders, scratch, i, neg(n))
    out = rotate(load9(scratch.R, i), load3(colliders.face_normal, g))
    base = load3(scratch.vertex, colliders.loop[colliders.face_loop[g]])
    store3(scratch.corner[POLYGON], 0, one)
    store3(scratch.corner[POLYGON], 1, two)
    store3(scratch.corner[POLYGON], 2, three)
    for k in range(3):
        scratch.feature[POLYGON, k] = k
    left, here = clip_polygon(colliders, scratch, g, n, 3)
    for e in range(left):
        y = load3(scratch.corner[here], e)
        gap = dot(out, sub(y, base)) / dot(out, n)
        if gap < margin:
            y = add_scaled(y, -0.5 * gap, n)
            count = add_field_candidate(scratch, count, y, n, gap, feature + (scratch.feature[here, e] & 15))
    return count


@kernel
def cylinder_and_triangle(colliders, scratch, i, n, gap, one, two, three, count, feature):
    """Candidates of a cylinder: the line of its side farthest along n, over the triangle, or a point of its rim."""
    u = axis_z(load9(scratch.R, i))
    s = dot(n, u)
    out = unit(cross(sub(two, one), sub(three, one)))
    if abs(s) < LINE_CONTACT_SINE:
        x = add_scaled(load3(scratch.p, i), -colliders.size[i, 1], u)
        x = add_scaled(x, colliders.size[i, 0], unit(add_scaled(n, -s, u)))
        dx = scale(2.0 * colliders.size[i, 1], u)
        low = 0.0
        high = 1.0
        for k in range(3):
            a = one if k == 0 else (two if k == 1 else three)
            b = two if k == 0 else (three if k == 1 else one)
            aside = cross(n, sub(b, a))
            low, high = clip_segment(low, high, dot(aside, sub(x, a)), dot(aside, dx))
        if low <= high:
            for k in range(2):
                y = add_scaled(x, low if k == 0 else high, dx)
                gap = dot(out, sub(y, one)) / -dot(out, n)
                count = add_field_candidate(scratch, count, add_scaled(y, 0.5 * gap, n), n, gap, feature + k)
            return count
    x = support_point(colliders, scratch, i, n)
    y, _ = nearest_on_triangle(add_scaled(x, gap, n), one, two, three)
    aside = add_scaled(sub(y, x), -dot(n, sub(y, x)), n)
    if norm(aside) < RIM_BESIDE * colliders.size[i, 0]:
        count = add_field_candidate(scratch, count, add_scaled(x, 0.5 * gap, n), n, gap, feature + 2)
    return count


@kernel
def slope_nearer(colliders, j, z, depth):
    """Whether a point z (field's axes) at `depth` below the surface is nearer to a steep triangle."""
    a0, b0, dx, dy = cell(colliders, j, z[0] - depth, z[1] - depth)
    a1, b1, dx, dy = cell(colliders, j, z[0] + depth, z[1] + depth)
    for a in range(a0, a1 + 1):
        for b in range(b0, b1 + 1):
            for upper in range(2):
                one, two, three = triangle(colliders, j, a, b, dx, dy, upper == 1)
                n = cross(sub(two, one), sub(three, one))
                if n[2] < STEEP_COSINE * norm(n):
                    y, _ = nearest_on_triangle(z, one, two, three)
                    if norm(sub(y, z)) < depth:
                        return True
    return False
