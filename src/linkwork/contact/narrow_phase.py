"""Narrow phase: the contacts of a pair of colliders that are near, with normals from i to j.

    n      unit, from i to j        gap    distance along n, negative where they overlap
    a ab   a capsule's segment      r      radius

A plane touches the vertices of the other. Spheres and capsules are a point or a segment with a radius: nearest points
suffice (nearest_points.py). Boxes and hulls touch face to face or edge to edge (many_corners.py, clip.py).
Cylinders have no facets (cylinder_axis.py, cylinder_points.py), nor have ellipsoids (ellipsoid_contacts.py); height
fields are in height_field.py.
"""

from __future__ import annotations

import math

from linkwork._jit import kernel, small
from linkwork.contact.contact_cache import add_contact, set_apart
from linkwork.contact.polyhedra.box_axis import EDGES, FACE_OF_I, SEPARATED
from linkwork.contact.polyhedra.clip import contacts_on_face, incident_face
from linkwork.contact.polyhedra.many_corners import middle_of_simplex, plane_and_hull, polyhedra_axis
from linkwork.contact.polyhedra.separating_axis import lowest_projection
from linkwork.contact.round.cylinder_faces import (
    FACE_NORMAL_COSINE,
    LEVEL_SINE,
    LINE_CONTACT_SINE,
    cap_centre,
    segment_over_flat,
)
from linkwork.contact.round.cylinder_points import THIRD_POINT_DEEPER, cylinder_and_solid, parallel_contacts
from linkwork.contact.round.ellipsoid_contacts import ellipsoid_contact, ellipsoid_on_field
from linkwork.contact.round.nearest_points import nearest_between_segments, nearest_on_segment, signed_distance
from linkwork.contact.surfaces import perpendicular
from linkwork.contact.terrain.height_field import field_contacts
from linkwork.spatial.codes import BOX, CAPSULE, CYLINDER, ELLIPSOID, FIELD, MANY_CORNERS, PLANE
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

COINCIDENT = 1e-9  # of a shape's size: points nearer than this are the same
EXTREME = 1e-6  # of a shape's size: vertices this far below the farthest one still belong to the extreme edge
EDGES_SLOP = 2.0  # touches: up to this gap two edges touch
NEARLY_FLAT = 0.95  # cosine of the angle from which on a face is across the axis of two edges
# feature numbers of a capsule's contacts: the nearest point, ends over a face, ends beside an edge
NEAREST, FACE_END, EDGE_END = 0, 1, 3


@kernel
def collide(colliders, scratch, contacts, i, j, margin):
    """Add all contacts of colliders i and j that are closer than `margin` (m).

    Of two kinds the simpler one is i, but a cylinder comes before a box.
    """
    if colliders.kind[j] == FIELD:
        if colliders.kind[i] == ELLIPSOID:
            ellipsoid_on_field(colliders, scratch, contacts, i, j, margin)
        else:
            field_contacts(colliders, scratch, contacts, i, j, margin)
    elif colliders.kind[j] == ELLIPSOID:
        ellipsoid_contact(colliders, scratch, contacts, i, j, margin)
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
    elif colliders.kind[i] == BOX and colliders.kind[j] == BOX:  # the most frequent pair
        two_polyhedra(colliders, scratch, contacts, i, j, margin)
    elif colliders.kind[i] == CYLINDER:
        cylinder_and_solid(colliders, scratch, contacts, i, j, margin)
    else:
        two_polyhedra(colliders, scratch, contacts, i, j, margin)


@kernel
def plane_and_vertices(colliders, scratch, contacts, i, j, margin):
    """Every vertex of j near the plane i; of a sphere or capsule the centres, less the radius."""
    n = axis_z(load9(scratch.R, i))
    p = load3(scratch.p, i)
    r = colliders.size[j, 0] if colliders.kind[j] <= CAPSULE else 0.0
    first = colliders.vertex_start[j]
    if colliders.vertex_start[j + 1] - first > MANY_CORNERS:
        plane_and_hull(colliders, scratch, contacts, i, j, n, p, margin)
        return
    for k in range(first, colliders.vertex_start[j + 1]):
        x = load3(scratch.vertex, k)
        gap = dot(n, sub(x, p)) - r
        if gap < margin:
            add_contact(colliders, scratch, contacts, i, j, add_scaled(x, -r - 0.5 * gap, n), n, -gap, k - first)


@kernel
def plane_and_cylinder(colliders, scratch, contacts, i, j, margin):
    """Four points of each rim of cylinder j: the lowest, the opposite one and the two between."""
    n = axis_z(load9(scratch.R, i))
    p = load3(scratch.p, i)
    R = load9(scratch.R, j)
    u = axis_z(R)
    down = add_scaled(scale(dot(n, u), u), -1.0, n)
    lean = norm(down)
    down = scale(1.0 / lean, down) if lean > LEVEL_SINE else perpendicular(u)
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
def segment_ends(colliders, scratch, i):
    """Ends of the segment in a capsule; of a sphere its centre, twice."""
    first = colliders.vertex_start[i]
    return load3(scratch.vertex, first), load3(scratch.vertex, colliders.vertex_start[i + 1] - 1)


@kernel
def two_capsules(colliders, scratch, contacts, i, j, margin):
    """Spheres and capsules: along a line where they are parallel, else at their nearest points."""
    a, a1 = segment_ends(colliders, scratch, i)
    b, b1 = segment_ends(colliders, scratch, j)
    u = sub(a1, a)
    v = sub(b1, b)
    # where the segments cross each other: perpendicular to the first that has a direction
    fallback = (0.0, 0.0, 1.0)
    if norm(u) > 0.0:
        fallback = perpendicular(scale(1.0 / norm(u), u))
    elif norm(v) > 0.0:
        fallback = perpendicular(scale(1.0 / norm(v), v))
    s, t = nearest_between_segments(a, u, b, v)
    x = add_scaled(a, s, u)
    y = add_scaled(b, t, v)
    if norm(u) * norm(v) > 0.0:
        if (
            parallel_contacts(
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
    sphere_contact(colliders, scratch, contacts, i, j, x, y, fallback, margin)


@kernel
def sphere_contact(colliders, scratch, contacts, i, j, x, y, fallback, margin):
    """Contact of two spheres around x and y; `fallback` is the normal where the centres coincide."""
    d = sub(y, x)
    distance = norm(d)
    r = colliders.size[i, 0]
    n = scale(1.0 / distance, d) if distance > COINCIDENT * r else fallback
    gap = distance - r - colliders.size[j, 0]
    if gap < margin:
        add_contact(colliders, scratch, contacts, i, j, add_scaled(x, r + 0.5 * gap, n), n, -gap, 0)


@kernel
def capsule_and_solid(colliders, scratch, contacts, i, j, margin):
    """A sphere or capsule i against a box, hull or cylinder j."""
    a, b = segment_ends(colliders, scratch, i)
    t = nearest_on_segment(colliders, scratch, j, a, b) if colliders.kind[i] == CAPSULE else 0.0
    capsule_contacts(colliders, scratch, contacts, i, j, margin, a, sub(b, a), t)


@kernel
def capsule_contacts(colliders, scratch, contacts, i, j, margin, a, ab, t):
    """Contacts of a capsule around a … a + ab whose place t is nearest to solid j."""
    r = colliders.size[i, 0]
    x = add_scaled(a, t, ab)
    n, gap = signed_distance(colliders, scratch, j, x)
    if gap - r > margin:
        return
    if colliders.kind[i] == CAPSULE and capsule_on_face(colliders, scratch, contacts, i, j, margin, a, ab, x, n, gap):
        return
    if abs(dot(n, ab)) < LINE_CONTACT_SINE * norm(ab):
        if colliders.kind[j] == CYLINDER:
            v = scale(2.0 * colliders.size[j, 1], axis_z(load9(scratch.R, j)))
            b = add_scaled(load3(scratch.p, j), -0.5, v)
            radius = colliders.size[j, 0]
            if parallel_contacts(colliders, scratch, contacts, i, j, a, ab, r, b, v, radius, neg(n), margin) > 0:
                return
        if capsule_on_edge(colliders, scratch, contacts, i, j, margin, a, ab, n) == 2:
            return
    gap -= r
    add_contact(colliders, scratch, contacts, i, j, add_scaled(x, -r - 0.5 * gap, n), neg(n), -gap, NEAREST)


@small
def capsule_on_face(colliders, scratch, contacts, i, j, margin, a, ab, x, n, gap):
    """Contacts at the ends of a capsule over a face or cap of j whose normal is n; False where it is over none.

    x is the nearest place of its segment, `gap` the distance there.
    """
    r = colliders.size[i, 0]
    is_cylinder = colliders.kind[j] == CYLINDER
    u = axis_z(load9(scratch.R, j))
    f = -1 if is_cylinder else incident_face(colliders, scratch, j, neg(n))
    out = (
        (u if dot(n, u) > 0.0 else neg(u))
        if is_cylinder
        else rotate(load9(scratch.R, j), load3(colliders.face_normal, f))
    )
    if not dot(n, out) > FACE_NORMAL_COSINE:
        return False
    base = (
        cap_centre(colliders, scratch, j, n)
        if is_cylinder
        else load3(scratch.vertex, colliders.loop[colliders.face_loop[f]])
    )
    low, high = segment_over_flat(colliders, scratch, j, f, base, out, a, ab)
    if not high - low > LINE_CONTACT_SINE:
        return False
    least = math.inf
    for k in range(2):
        y = add_scaled(a, low if k == 0 else high, ab)
        gap_k = dot(out, sub(y, base)) - r
        least = min(least, gap_k)
        if gap_k < margin:
            y = add_scaled(y, -r - 0.5 * gap_k, out)
            add_contact(colliders, scratch, contacts, i, j, y, neg(out), -gap_k, FACE_END + k)
    # deeper still beyond the face
    if gap - r < least - THIRD_POINT_DEEPER * r:
        y = add_scaled(x, -0.5 * (r + gap), n)
        add_contact(colliders, scratch, contacts, i, j, y, neg(n), r - gap, NEAREST)
    return True


@small
def capsule_on_edge(colliders, scratch, contacts, i, j, margin, a, ab, nearest):
    """Contacts at the ends of a capsule along an edge of j, as far as they are beside it; returns how many.

    Their normals are about that of the nearest place: an end that is beside the edge while the other is over a face
    would have a slope in its way that is not there.
    """
    r = colliders.size[i, 0]
    length = norm(ab)
    found = 0
    for k in range(2):
        y = add_scaled(a, float(k), ab)
        n, gap = signed_distance(colliders, scratch, j, y)
        level = abs(dot(n, ab)) < LINE_CONTACT_SINE * length and dot(n, nearest) > FACE_NORMAL_COSINE
        if length > 0.0 and gap > 0.0 and gap - r < margin and level:
            gap -= r
            add_contact(
                colliders, scratch, contacts, i, j, add_scaled(y, -r - 0.5 * gap, n), neg(n), -gap, EDGE_END + k
            )
            found += 1
    return found


@kernel
def polyhedra_apart(colliders, scratch, i, j, margin):
    """Where boxes and hulls are nearest (`polyhedra_axis`); sets `scratch.apart`."""
    region, face, axis, gap, points = polyhedra_axis(colliders, scratch, i, j, margin)
    if region == EDGES:
        set_apart(scratch, axis, gap)
    elif region != SEPARATED:
        n = rotate(load9(scratch.R, i if region == FACE_OF_I else j), load3(colliders.face_normal, face))
        set_apart(scratch, n if region == FACE_OF_I else neg(n), gap)
    return region, face, axis, gap, points


@small
def two_polyhedra(colliders, scratch, contacts, i, j, margin):
    """Boxes and hulls: the clipped corners of two faces, or the nearest points of two edges."""
    region, face, axis, gap, points = polyhedra_apart(colliders, scratch, i, j, margin)
    if region == SEPARATED:
        return
    best = gap
    if region == EDGES and points > 0:
        add_contact(colliders, scratch, contacts, i, j, middle_of_simplex(scratch, points), axis, -gap, 1)
        corners_beside_edges(colliders, scratch, contacts, i, j, axis, gap, margin)
        return
    if region == EDGES:
        x, u = extreme_edge(colliders, scratch, i, axis)
        y, v = extreme_edge(colliders, scratch, j, neg(axis))
        s, t = nearest_between_segments(x, u, y, v)
        middle = scale(0.5, add(add_scaled(x, s, u), add_scaled(y, t, v)))
        add_contact(colliders, scratch, contacts, i, j, middle, axis, -gap, 1)
        corners_beside_edges(colliders, scratch, contacts, i, j, axis, gap, margin)
        return
    reference = i if region == FACE_OF_I else j
    found = contacts_on_face(colliders, scratch, contacts, i, j, reference, face, -math.inf, margin)
    if found == 0 and points > 0:
        # small faces side by side
        add_contact(colliders, scratch, contacts, i, j, middle_of_simplex(scratch, points), axis, -best, 1)


@kernel
def corners_beside_edges(colliders, scratch, contacts, i, j, axis, gap, margin):
    """Beside two edges that touch: corners over a face across their axis, on which moving polyhedra fall next."""
    slop = min(colliders.slop[i], colliders.slop[j])
    if gap > EDGES_SLOP * slop or not scratch.margin[i] + scratch.margin[j] > slop:
        return
    f = incident_face(colliders, scratch, i, neg(axis))
    g = incident_face(colliders, scratch, j, axis)
    along_i = dot(axis, rotate(load9(scratch.R, i), load3(colliders.face_normal, f)))
    along_j = -dot(axis, rotate(load9(scratch.R, j), load3(colliders.face_normal, g)))
    if along_i >= along_j and along_i > NEARLY_FLAT:
        contacts_on_face(colliders, scratch, contacts, i, j, i, f, gap, margin)
    elif along_j > NEARLY_FLAT:
        contacts_on_face(colliders, scratch, contacts, i, j, j, g, gap, margin)


@kernel
def extreme_edge(colliders, scratch, i, n):
    """The edge of collider i that is farthest along n: a point on it and its direction (zero for a single vertex)."""
    top = -lowest_projection(colliders, scratch, i, neg(n)) - EXTREME * colliders.bound[i]
    first = -1
    last = -1
    for k in range(colliders.vertex_start[i], colliders.vertex_start[i + 1]):
        if dot(n, load3(scratch.vertex, k)) >= top:
            if first < 0:
                first = k
            last = k
    x = load3(scratch.vertex, first)
    return x, sub(load3(scratch.vertex, last), x)
