"""Pairs of colliders that are near: their contacts, with normals from i to j.

A plane meets the vertices of the other. Spheres and capsules are a point or a segment with a radius, for which nearest
points suffice. So it does for the side of a cylinder on boxes and hulls. These meet face to face or edge to edge; with
its ends and rims, and with other cylinders, a cylinder is a prism.
"""

from __future__ import annotations

from linkwork._jit import kernel
from linkwork.contact.clip import facing, four_of, overlap, side
from linkwork.contact.keep import across, add_contact
from linkwork.contact.nearest import clamp, nearest_of_segment, nearest_of_segments, outside
from linkwork.contact.separate import lowest, separate
from linkwork.contact.terrain import on_field
from linkwork.spatial.codes import CAPSULE, CYLINDER, FIELD, PLANE
from linkwork.spatial.vectors import (
    add,
    add_scaled,
    axis_x,
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

FLAT = 0.9998  # cosine of the angle up to which a contact's normal is that of a face
SIDEWAYS = 0.02  # cosine of the angle between a cylinder's axis and a normal on its side
DEEP = 0.2  # of its radius: overlap beyond which the shortest way out may be another
LYING = 0.05  # sine of the angle up to which a capsule lies on what it touches: it then touches at two points
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
    elif c.kind[i] == CYLINDER and c.kind[j] != CYLINDER:
        if not side_on_solid(c, m, contacts, i, j, margin):
            two_solids(c, m, contacts, i, j, margin)
    elif c.kind[j] == CYLINDER and c.kind[i] != CYLINDER:
        if not side_on_solid(c, m, contacts, j, i, margin):
            two_solids(c, m, contacts, i, j, margin)
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
    down = scale(1.0 / far, down) if far > 1e-6 else axis_x(R)
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
    """Ends of the segment in a capsule, of a cylinder's axis; of a sphere its centre, twice."""
    if c.kind[i] == CYLINDER:
        u = scale(c.size[i, 1], axis_z(load9(m.R, i)))
        return sub(load3(m.p, i), u), add(load3(m.p, i), u)
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
    # side by side: where each ends beside the other
    wide = norm(u) * norm(v)
    if wide > 0.0 and norm(cross(u, v)) < LYING * wide:
        uu = dot(u, u)
        s0 = dot(u, sub(b, a)) / uu
        s1 = dot(u, sub(b1, a)) / uu
        low = max(0.0, min(s0, s1))
        high = min(1.0, max(s0, s1))
        if high - low > LYING:
            for k in range(2):
                x = add_scaled(a, low if k == 0 else high, u)
                y = add_scaled(b, clamp(dot(v, sub(x, b)) / dot(v, v), 0.0, 1.0), v)
                round_contact(c, m, contacts, i, j, x, y, aside, margin, 1 + k)
            return
    s, t = nearest_of_segments(a, u, b, v)
    round_contact(c, m, contacts, i, j, add_scaled(a, s, u), add_scaled(b, t, v), aside, margin, 0)


@kernel
def round_contact(c, m, contacts, i, j, x, y, aside, margin, feature):
    """Of two balls around x and y, pushed `aside` where these are the same."""
    d = sub(y, x)
    far = norm(d)
    r = c.size[i, 0]
    n = scale(1.0 / far, d) if far > THIN * r else aside
    gap = far - r - c.size[j, 0]
    if gap < margin:
        add_contact(c, m, contacts, i, j, add_scaled(x, r + 0.5 * gap, n), n, -gap, feature)


@kernel
def side_on_solid(c, m, contacts, i, j, margin):
    """The side of cylinder i on a box or hull, as round as a capsule's; False where an end or a rim is nearer."""
    a, b = ends(c, m, i)
    ab = sub(b, a)
    t = nearest_of_segment(c, m, j, a, b)
    n, gap = outside(c, m, j, add_scaled(a, t, ab))
    if gap < (1.0 - DEEP) * c.size[i, 0] or abs(dot(n, ab)) > SIDEWAYS * norm(ab):
        return False
    capsule_at(c, m, contacts, i, j, margin, a, ab, t)
    return True


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
        f = facing(c, m, j, neg(n))
        if dot(n, rotate(load9(m.R, j), load3(c.face_normal, f))) > FLAT:
            low = 0.0
            high = 1.0
            for k in range(c.face_loop[f + 1] - c.face_loop[f]):
                y, out = side(c, m, f, k, n)
                s = dot(out, sub(a, y))
                ds = dot(out, ab)
                if ds > 0.0:
                    high = min(high, -s / ds)
                elif ds < 0.0:
                    low = max(low, -s / ds)
                elif s > 0.0:
                    high = -1.0
            if high - low > LYING:
                on_face = load3(m.vertex, c.loop[c.face_loop[f]])
                for k in range(2):
                    x = add_scaled(a, low if k == 0 else high, ab)
                    gap = dot(n, sub(x, on_face)) - r
                    if gap < margin:
                        add_contact(c, m, contacts, i, j, add_scaled(x, -r - 0.5 * gap, n), neg(n), -gap, 1 + k)
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


@kernel
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
    if near > 4:
        chosen = four_of(m, here, near, n)
        for k in range(4):
            e = chosen[k]
            if k < 2 or e != chosen[0]:
                face_contact(c, m, contacts, i, j, here, e, n, normal, mark)
        return
    for e in range(near):
        face_contact(c, m, contacts, i, j, here, e, n, normal, mark)


@kernel
def face_contact(c, m, contacts, i, j, here, e, n, normal, mark):
    gap = m.gap[e]
    x = add_scaled(load3(m.corner[here], e), -0.5 * gap, n)
    add_contact(c, m, contacts, i, j, x, normal, -gap, mark + 2 + m.tag[here, e])


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
