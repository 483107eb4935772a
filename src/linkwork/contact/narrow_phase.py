"""Pairs of colliders that are near: their contacts, with normals from i to j.

A plane meets the vertices of the other. Spheres and capsules are a point or a segment with a radius, for which nearest
points suffice. Boxes and hulls meet face to face or edge to edge (separate.py, clip.py); cylinders meet these and each
other as the round things that they are (apart.py, rims.py).
"""

from __future__ import annotations

import math

from linkwork._jit import kernel, small
from linkwork.contact.clip import add_corners, facing, overlap
from linkwork.contact.contact_cache import across, add_contact
from linkwork.contact.cylinder_points import (
    DEEPER,
    FLAT,
    LEVEL,
    LYING,
    alongside,
    cylinder_and_solid,
    farthest_centre,
    over_flat,
)
from linkwork.contact.height_field import on_field
from linkwork.contact.nearest_points import nearest_of_segment, nearest_of_segments, outside
from linkwork.contact.separating_axis import lowest, separate
from linkwork.spatial.codes import BOX, CAPSULE, CYLINDER, FIELD, PLANE
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
    sub,
)

THIN = 1e-9  # of a shape's size: points that are as near are the same


@kernel
def collide(colliders, scratch, contacts, i, j, margin):
    """All contacts of colliders i and j that are closer than `margin` (m)."""
    if colliders.kind[j] == FIELD:
        on_field(colliders, scratch, contacts, i, j, margin)
    elif colliders.kind[i] == PLANE:
        if colliders.kind[j] == CYLINDER:
            plane_and_cylinder(colliders, scratch, contacts, i, j, margin)
        else:
            plane_and_vertices(colliders, scratch, contacts, i, j, margin)
    elif colliders.kind[i] <= CAPSULE:
        if colliders.kind[j] <= CAPSULE:
            two_capsules(colliders, scratch, contacts, i, j, margin)
        else:
            capsule_and_solid(colliders, scratch, contacts, i, j, margin)
    elif colliders.kind[i] == BOX and colliders.kind[j] == BOX:  # many are
        two_solids(colliders, scratch, contacts, i, j, margin)
    elif colliders.kind[i] == CYLINDER:
        cylinder_and_solid(colliders, scratch, contacts, i, j, margin)
    elif colliders.kind[j] == CYLINDER:
        cylinder_and_solid(colliders, scratch, contacts, j, i, margin)
    else:
        two_solids(colliders, scratch, contacts, i, j, margin)


@kernel
def plane_and_vertices(colliders, scratch, contacts, i, j, margin):
    n = axis_z(load9(scratch.R, i))
    p = load3(scratch.p, i)
    r = colliders.size[j, 0] if colliders.kind[j] <= CAPSULE else 0.0
    first = colliders.vertex_start[j]
    for k in range(first, colliders.vertex_start[j + 1]):
        x = load3(scratch.vertex, k)
        gap = dot(n, sub(x, p)) - r
        if gap < margin:
            add_contact(colliders, scratch, contacts, i, j, add_scaled(x, -r - 0.5 * gap, n), n, -gap, k - first)


@kernel
def plane_and_cylinder(colliders, scratch, contacts, i, j, margin):
    """The lowest point of each rim, the ones beside it, and the one across."""
    n = axis_z(load9(scratch.R, i))
    p = load3(scratch.p, i)
    R = load9(scratch.R, j)
    u = axis_z(R)
    down = add_scaled(scale(dot(n, u), u), -1.0, n)
    far = norm(down)
    down = scale(1.0 / far, down) if far > LEVEL else across(u)
    beside = cross(u, down)
    for end in range(2):
        centre = add_scaled(load3(scratch.p, j), colliders.size[j, 1] if end == 0 else -colliders.size[j, 1], u)
        for k in range(4):
            out = down if k % 2 == 0 else beside
            x = add_scaled(centre, colliders.size[j, 0] if k < 2 else -colliders.size[j, 0], out)
            gap = dot(n, sub(x, p))
            if gap < margin:
                add_contact(colliders, scratch, contacts, i, j, add_scaled(x, -0.5 * gap, n), n, -gap, 4 * end + k)


@kernel
def ends(colliders, scratch, i):
    """Ends of the segment in a capsule; of a sphere its centre, twice."""
    first = colliders.vertex_start[i]
    return load3(scratch.vertex, first), load3(scratch.vertex, colliders.vertex_start[i + 1] - 1)


@kernel
def two_capsules(colliders, scratch, contacts, i, j, margin):
    a, a1 = ends(colliders, scratch, i)
    b, b1 = ends(colliders, scratch, j)
    u = sub(a1, a)
    v = sub(b1, b)
    # one through the other: to the side of the first that is one
    aside = (0.0, 0.0, 1.0)
    if norm(u) > 0.0:
        aside = across(scale(1.0 / norm(u), u))
    elif norm(v) > 0.0:
        aside = across(scale(1.0 / norm(v), v))
    s, t = nearest_of_segments(a, u, b, v)
    x = add_scaled(a, s, u)
    y = add_scaled(b, t, v)
    if norm(u) * norm(v) > 0.0:
        if (
            alongside(
                colliders,
                scratch,
                contacts,
                i,
                j,
                a,
                u,
                colliders.size[i, 0],
                b,
                v,
                colliders.size[j, 0],
                sub(y, x),
                margin,
            )
            > 0
        ):
            return
    round_contact(colliders, scratch, contacts, i, j, x, y, aside, margin)


@kernel
def round_contact(colliders, scratch, contacts, i, j, x, y, aside, margin):
    """Of two balls around x and y, pushed `aside` where these are the same."""
    d = sub(y, x)
    far = norm(d)
    r = colliders.size[i, 0]
    n = scale(1.0 / far, d) if far > THIN * r else aside
    gap = far - r - colliders.size[j, 0]
    if gap < margin:
        add_contact(colliders, scratch, contacts, i, j, add_scaled(x, r + 0.5 * gap, n), n, -gap, 0)


@kernel
def capsule_and_solid(colliders, scratch, contacts, i, j, margin):
    a, b = ends(colliders, scratch, i)
    t = nearest_of_segment(colliders, scratch, j, a, b) if colliders.kind[i] == CAPSULE else 0.0
    capsule_at(colliders, scratch, contacts, i, j, margin, a, sub(b, a), t)


@kernel
def capsule_at(colliders, scratch, contacts, i, j, margin, a, ab, t):
    """Contacts of a capsule around a … a + ab whose place t is nearest to solid j."""
    r = colliders.size[i, 0]
    x = add_scaled(a, t, ab)
    n, gap = outside(colliders, scratch, j, x)
    if gap - r > margin:
        return
    if abs(dot(n, ab)) < LYING * norm(ab):
        # on a face, or an end
        round_one = colliders.kind[j] == CYLINDER
        u = axis_z(load9(scratch.R, j))
        f = -1 if round_one else facing(colliders, scratch, j, neg(n))
        out = (
            (u if dot(n, u) > 0.0 else neg(u))
            if round_one
            else rotate(load9(scratch.R, j), load3(colliders.face_normal, f))
        )
        if dot(n, out) > FLAT:
            base = (
                farthest_centre(colliders, scratch, j, n)
                if round_one
                else load3(scratch.vertex, colliders.loop[colliders.face_loop[f]])
            )
            low, high = over_flat(colliders, scratch, j, f, base, out, a, ab)
            if high - low > LYING:
                least = math.inf
                for k in range(2):
                    y = add_scaled(a, low if k == 0 else high, ab)
                    gap_k = dot(out, sub(y, base)) - r
                    least = min(least, gap_k)
                    if gap_k < margin:
                        y = add_scaled(y, -r - 0.5 * gap_k, out)
                        add_contact(colliders, scratch, contacts, i, j, y, neg(out), -gap_k, 1 + k)
                # lower still beyond the face
                if gap - r < least - DEEPER * r:
                    add_contact(
                        colliders, scratch, contacts, i, j, add_scaled(x, -0.5 * (r + gap), n), neg(n), r - gap, 0
                    )
                return
        if round_one:
            v = scale(2.0 * colliders.size[j, 1], u)
            b = add_scaled(load3(scratch.p, j), -0.5, v)
            if alongside(colliders, scratch, contacts, i, j, a, ab, r, b, v, colliders.size[j, 0], neg(n), margin) > 0:
                return
        # along an edge: both ends, as far as they are beside it
        far = norm(ab)
        beside = 0
        for k in range(2):
            y = add_scaled(a, float(k), ab)
            n_k, gap_k = outside(colliders, scratch, j, y)
            if far > 0.0 and gap_k > 0.0 and gap_k - r < margin and abs(dot(n_k, ab)) < LYING * far:
                gap_k -= r
                add_contact(
                    colliders, scratch, contacts, i, j, add_scaled(y, -r - 0.5 * gap_k, n_k), neg(n_k), -gap_k, 3 + k
                )
                beside += 1
        if beside == 2:
            return
    gap -= r
    add_contact(colliders, scratch, contacts, i, j, add_scaled(x, -r - 0.5 * gap, n), neg(n), -gap, 0)


@small
def two_solids(colliders, scratch, contacts, i, j, margin):
    what, face, axis, gap = separate(colliders, scratch, i, j, margin)
    if what == 0:
        return
    if what == 3:
        x, u = edge_line(colliders, scratch, i, axis)
        y, v = edge_line(colliders, scratch, j, neg(axis))
        s, t = nearest_of_segments(x, u, y, v)
        middle = scale(0.5, add(add_scaled(x, s, u), add_scaled(y, t, v)))
        add_contact(colliders, scratch, contacts, i, j, middle, axis, -gap, 1)
        return
    mine = i if what == 1 else j
    other = j if what == 1 else i
    n = rotate(load9(scratch.R, mine), load3(colliders.face_normal, face))
    g = facing(colliders, scratch, other, n)
    count, here = overlap(colliders, scratch, face, n, g)
    on_face = load3(scratch.vertex, colliders.loop[colliders.face_loop[face]])
    near = 0
    for e in range(count):
        x = load3(scratch.corner[here], e)
        gap = dot(n, sub(x, on_face))
        if gap < margin:
            for s in range(3):
                scratch.corner[here, near, s] = x[s]
            scratch.tag[here, near] = scratch.tag[here, e]
            scratch.gap[near] = gap
            near += 1
    normal = n if what == 1 else neg(n)
    mark = 0 if what == 1 else 0x8000
    add_corners(colliders, scratch, contacts, i, j, here, near, n, normal, mark)


@kernel
def edge_line(colliders, scratch, i, n):
    """The edge of collider i that is farthest along n: a point on it and its direction (zero for a lone vertex)."""
    top = -lowest(colliders, scratch, i, neg(n)) - max(THIN, 1e-6 * colliders.bound[i])
    first = -1
    last = -1
    for k in range(colliders.vertex_start[i], colliders.vertex_start[i + 1]):
        if dot(n, load3(scratch.vertex, k)) >= top:
            if first < 0:
                first = k
            last = k
    x = load3(scratch.vertex, first)
    return x, sub(load3(scratch.vertex, last), x)
