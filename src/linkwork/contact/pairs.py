"""Pairs of colliders that are near: their contacts, with normals from i to j.

A plane meets the vertices of the other. Spheres and capsules are a point or a segment with a radius, for which nearest
points suffice. Boxes and hulls meet face to face or edge to edge (separate.py, clip.py); cylinders meet these and each
other as the round things that they are (apart.py, rims.py).
"""

from __future__ import annotations

import math

from linkwork._jit import kernel, small
from linkwork.contact.clip import facing, overlap, tell_corners
from linkwork.contact.keep import across, add_contact
from linkwork.contact.nearest import nearest_of_segment, nearest_of_segments, outside
from linkwork.contact.rims import DEEPER, FLAT, LEVEL, LYING, alongside, cylinder_and_solid, farthest_centre, over_flat
from linkwork.contact.separate import lowest, separate
from linkwork.contact.terrain import on_field
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
def meet(c, m, contacts, i, j, margin):
    """All contacts of colliders i and j that are closer than `margin` (m)."""
    if c.kind[j] == FIELD:
        on_field(c, m, contacts, i, j, margin)
    elif c.kind[i] == PLANE:
        if c.kind[j] == CYLINDER:
            plane_and_cylinder(c, m, contacts, i, j, margin)
        else:
            plane_and_vertices(c, m, contacts, i, j, margin)
    elif c.kind[i] <= CAPSULE:
        if c.kind[j] <= CAPSULE:
            two_capsules(c, m, contacts, i, j, margin)
        else:
            capsule_and_solid(c, m, contacts, i, j, margin)
    elif c.kind[i] == BOX and c.kind[j] == BOX:  # many are
        two_solids(c, m, contacts, i, j, margin)
    elif c.kind[i] == CYLINDER:
        cylinder_and_solid(c, m, contacts, i, j, margin)
    elif c.kind[j] == CYLINDER:
        cylinder_and_solid(c, m, contacts, j, i, margin)
    else:
        two_solids(c, m, contacts, i, j, margin)


@kernel
def plane_and_vertices(c, m, contacts, i, j, margin):
    n = axis_z(load9(m.R, i))
    p = load3(m.p, i)
    r = c.size[j, 0] if c.kind[j] <= CAPSULE else 0.0
    first = c.vertex_start[j]
    for k in range(first, c.vertex_start[j + 1]):
        x = load3(m.vertex, k)
        gap = dot(n, sub(x, p)) - r
        if gap < margin:
            add_contact(c, m, contacts, i, j, add_scaled(x, -r - 0.5 * gap, n), n, -gap, k - first)


@kernel
def plane_and_cylinder(c, m, contacts, i, j, margin):
    """The lowest point of each rim, the ones beside it, and the one across."""
    n = axis_z(load9(m.R, i))
    p = load3(m.p, i)
    R = load9(m.R, j)
    u = axis_z(R)
    down = add_scaled(scale(dot(n, u), u), -1.0, n)
    far = norm(down)
    down = scale(1.0 / far, down) if far > LEVEL else across(u)
    beside = cross(u, down)
    for end in range(2):
        centre = add_scaled(load3(m.p, j), c.size[j, 1] if end == 0 else -c.size[j, 1], u)
        for k in range(4):
            out = down if k % 2 == 0 else beside
            x = add_scaled(centre, c.size[j, 0] if k < 2 else -c.size[j, 0], out)
            gap = dot(n, sub(x, p))
            if gap < margin:
                add_contact(c, m, contacts, i, j, add_scaled(x, -0.5 * gap, n), n, -gap, 4 * end + k)


@kernel
def ends(c, m, i):
    """Ends of the segment in a capsule; of a sphere its centre, twice."""
    first = c.vertex_start[i]
    return load3(m.vertex, first), load3(m.vertex, c.vertex_start[i + 1] - 1)


@kernel
def two_capsules(c, m, contacts, i, j, margin):
    a, a1 = ends(c, m, i)
    b, b1 = ends(c, m, j)
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
        if alongside(c, m, contacts, i, j, a, u, c.size[i, 0], b, v, c.size[j, 0], sub(y, x), margin) > 0:
            return
    round_contact(c, m, contacts, i, j, x, y, aside, margin)


@kernel
def round_contact(c, m, contacts, i, j, x, y, aside, margin):
    """Of two balls around x and y, pushed `aside` where these are the same."""
    d = sub(y, x)
    far = norm(d)
    r = c.size[i, 0]
    n = scale(1.0 / far, d) if far > THIN * r else aside
    gap = far - r - c.size[j, 0]
    if gap < margin:
        add_contact(c, m, contacts, i, j, add_scaled(x, r + 0.5 * gap, n), n, -gap, 0)


@kernel
def capsule_and_solid(c, m, contacts, i, j, margin):
    a, b = ends(c, m, i)
    t = nearest_of_segment(c, m, j, a, b) if c.kind[i] == CAPSULE else 0.0
    capsule_at(c, m, contacts, i, j, margin, a, sub(b, a), t)


@kernel
def capsule_at(c, m, contacts, i, j, margin, a, ab, t):
    """Contacts of a capsule around a … a + ab whose place t is nearest to solid j."""
    r = c.size[i, 0]
    x = add_scaled(a, t, ab)
    n, gap = outside(c, m, j, x)
    if gap - r > margin:
        return
    if abs(dot(n, ab)) < LYING * norm(ab):
        # on a face, or an end
        round_one = c.kind[j] == CYLINDER
        u = axis_z(load9(m.R, j))
        f = -1 if round_one else facing(c, m, j, neg(n))
        out = (u if dot(n, u) > 0.0 else neg(u)) if round_one else rotate(load9(m.R, j), load3(c.face_normal, f))
        if dot(n, out) > FLAT:
            base = farthest_centre(c, m, j, n) if round_one else load3(m.vertex, c.loop[c.face_loop[f]])
            low, high = over_flat(c, m, j, f, base, out, a, ab)
            if high - low > LYING:
                least = math.inf
                for k in range(2):
                    y = add_scaled(a, low if k == 0 else high, ab)
                    gap_k = dot(out, sub(y, base)) - r
                    least = min(least, gap_k)
                    if gap_k < margin:
                        y = add_scaled(y, -r - 0.5 * gap_k, out)
                        add_contact(c, m, contacts, i, j, y, neg(out), -gap_k, 1 + k)
                # lower still beyond the face
                if gap - r < least - DEEPER * r:
                    add_contact(c, m, contacts, i, j, add_scaled(x, -0.5 * (r + gap), n), neg(n), r - gap, 0)
                return
        if round_one:
            v = scale(2.0 * c.size[j, 1], u)
            b = add_scaled(load3(m.p, j), -0.5, v)
            if alongside(c, m, contacts, i, j, a, ab, r, b, v, c.size[j, 0], neg(n), margin) > 0:
                return
        # along an edge: both ends, as far as they are beside it
        far = norm(ab)
        beside = 0
        for k in range(2):
            y = add_scaled(a, float(k), ab)
            n_k, gap_k = outside(c, m, j, y)
            if far > 0.0 and gap_k > 0.0 and gap_k - r < margin and abs(dot(n_k, ab)) < LYING * far:
                gap_k -= r
                add_contact(c, m, contacts, i, j, add_scaled(y, -r - 0.5 * gap_k, n_k), neg(n_k), -gap_k, 3 + k)
                beside += 1
        if beside == 2:
            return
    gap -= r
    add_contact(c, m, contacts, i, j, add_scaled(x, -r - 0.5 * gap, n), neg(n), -gap, 0)


@small
def two_solids(c, m, contacts, i, j, margin):
    what, face, axis, gap = separate(c, m, i, j, margin)
    if what == 0:
        return
    if what == 3:
        x, u = edge_line(c, m, i, axis)
        y, v = edge_line(c, m, j, neg(axis))
        s, t = nearest_of_segments(x, u, y, v)
        middle = scale(0.5, add(add_scaled(x, s, u), add_scaled(y, t, v)))
        add_contact(c, m, contacts, i, j, middle, axis, -gap, 1)
        return
    mine = i if what == 1 else j
    other = j if what == 1 else i
    n = rotate(load9(m.R, mine), load3(c.face_normal, face))
    g = facing(c, m, other, n)
    count, here = overlap(c, m, face, n, g)
    on_face = load3(m.vertex, c.loop[c.face_loop[face]])
    near = 0
    for e in range(count):
        x = load3(m.corner[here], e)
        gap = dot(n, sub(x, on_face))
        if gap < margin:
            for s in range(3):
                m.corner[here, near, s] = x[s]
            m.tag[here, near] = m.tag[here, e]
            m.gap[near] = gap
            near += 1
    normal = n if what == 1 else neg(n)
    mark = 0 if what == 1 else 0x8000
    tell_corners(c, m, contacts, i, j, here, near, n, normal, mark)


@kernel
def edge_line(c, m, i, n):
    """The edge of collider i that is farthest along n: a point on it and its direction (zero for a lone vertex)."""
    top = -lowest(c, m, i, neg(n)) - max(THIN, 1e-6 * c.bound[i])
    first = -1
    last = -1
    for k in range(c.vertex_start[i], c.vertex_start[i + 1]):
        if dot(n, load3(m.vertex, k)) >= top:
            if first < 0:
                first = k
            last = k
    x = load3(m.vertex, first)
    return x, sub(load3(m.vertex, last), x)
