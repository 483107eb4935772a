"""What two colliders would really meet within a step: time of impact by conservative advancement.

    s    part of the step, 0 to 1        n gap    axis along which the two are apart, how far
    v w  velocities of the links         V        how fast the place of contact moves along with a link

A contact at a distance becomes a row that lets no more than the gap close: as if its plane had no end. So it must be
the plane that is met. The two are moved along n until that gap could be closed at the earliest, and again, until they
touch at s, or the step is over. The contacts of the pair are then those at s. If they do not meet, the contacts of the
start are kept as `passing`: they do not hinder the motion as it is, only what other impulses may make of it.

Overlaps of twice the `touch` of the two do not count as meeting: a body that rests on one tile, a little inside of it,
does not run into the side of the next one. What meets only by such an overlap, or because a force of this step pulls it
that way, is looked at where the step ends: there it lies on the tile.
"""

from __future__ import annotations

import math

from linkwork._jit import kernel, small
from linkwork.contact.contact_cache import keep_contact, set_apart
from linkwork.contact.foundation.bedding import bed_contacts, is_bedded, pass_rigidly
from linkwork.contact.foundation.flat_points import share_softness
from linkwork.contact.in_time.contact_motion import set_velocity_bias
from linkwork.contact.in_time.core_sphere import core_passes, hold_core, is_core, is_fast, make_smooth
from linkwork.contact.in_time.inner_edges import leave_out_inner
from linkwork.contact.narrow_phase import collide, polyhedra_apart
from linkwork.contact.polyhedra.clip import incident_face
from linkwork.contact.polyhedra.separating_axis import lowest_projection
from linkwork.contact.round.arc_search import support_point
from linkwork.contact.round.cylinder_points import cylinder_apart
from linkwork.contact.scratch import APART_GAP
from linkwork.spatial.codes import BOX, CAPSULE, CYLINDER, ELLIPSOID, HULL, PLANE, RIGID, SPHERE
from linkwork.spatial.quaternions import exponential, rotation_of
from linkwork.spatial.vectors import (
    ZERO,
    add,
    add_scaled,
    axis_z,
    cross,
    dot,
    load3,
    load9,
    load_pair,
    multiply,
    neg,
    norm,
    rotate,
    scale,
    store3,
    store9,
    sub,
)

NEAR = 2.0  # touches: what is nearer has contacts, moving or not
AT_START = 0.1  # of the touch: up to this gap two colliders touch at the start of the step
INSIDE = 2.0  # touches: overlap at which a moving collider meets another
ADVANCES = 16  # of the time, before the end of the step is asked
ARRIVED = 0.1  # of the touch: gap at which it is met
FLAT = 1e-12  # half the squared angle up to which a normal is that of a face
LESS_STEEP = 0.1  # of the squared angle at the start: a normal that is nearer to that of the face is over it
LARGE_CHANGE = 0.25  # of the thinner shape: motion by the forces of a step that counts as well
NEVER = 2.0  # time of impact of what does not meet


@small
def slop_of(colliders, i, j):
    """How near, or how deep in each other, colliders i and j touch, m."""
    return min(colliders.slop[i], colliders.slop[j])


@kernel
def place_collider(colliders, work, velocity, scratch, i, t):
    """World pose and vertices of collider i after the time t with these velocities of the links."""
    link = colliders.link[i]
    X = load9(work.pose_R, link)
    o = load3(work.pose_p, link)
    if t > 0.0:
        w, v = load_pair(velocity, link)
        if dot(w, w) > 0.0:
            X = multiply(rotation_of(exponential(scale(t, w))), X)
        o = add_scaled(o, t, v)
    R = multiply(X, load9(colliders.R, i))
    p = add(o, rotate(X, load3(colliders.p, i)))
    store9(scratch.R, i, R)
    store3(scratch.p, i, p)
    if colliders.kind[i] != PLANE:
        for k in range(colliders.vertex_start[i], colliders.vertex_start[i + 1]):
            store3(scratch.vertex, k, add(p, rotate(R, load3(colliders.vertex, k))))


@kernel
def place_pair(colliders, work, velocity, scratch, i, j, t):
    """`place_collider` for both, but for what is at rest."""
    if colliders.link[i] != 0:
        place_collider(colliders, work, velocity, scratch, i, t)
    if colliders.link[j] != 0:
        place_collider(colliders, work, velocity, scratch, j, t)


@small
def is_round(colliders, i):
    """Whether collider i touches at one place that its centre carries along: a sphere, capsule or ellipsoid."""
    return colliders.kind[i] <= CAPSULE or colliders.kind[i] == ELLIPSOID


@small
def is_polyhedron(colliders, i):
    """Whether collider i is a box or hull."""
    return colliders.kind[i] == BOX or colliders.kind[i] == HULL


@small
def approach(colliders, work, velocity, scratch, i, n, far):
    """Velocity of the centre of collider i along n, and the most that its turning adds to that, m/s."""
    link = colliders.link[i]
    if link == 0:
        return 0.0, 0.0
    w, v = load_pair(velocity, link)
    d = rotate(load9(work.pose_R, link), load3(colliders.p, i))
    speed = dot(n, add(v, cross(w, d)))
    kind = colliders.kind[i]
    if kind == SPHERE:
        return speed, 0.0
    if kind == ELLIPSOID:
        # its normals pass the centre no farther than that
        a, b, c = load3(colliders.size, i)
        return speed, (max(a, b, c) - min(a, b, c)) * norm(cross(n, w))
    if kind == CAPSULE or kind == CYLINDER:
        u = axis_z(load9(scratch.R, i))
        w = add_scaled(w, -dot(w, u), u)
    return speed, min(colliders.bound[i], far) * norm(cross(n, w))


@kernel
def time_of_impact(colliders, work, velocity, scratch, contacts, i, j, margin, inside, slop, h):
    """Part of the step after which i and j overlap by `inside`, or NEVER; needs `scratch.apart` of the start."""
    first = contacts.count[0]
    s = 0.0
    for _ in range(ADVANCES):
        n = (scratch.apart[0], scratch.apart[1], scratch.apart[2])
        left = scratch.apart[APART_GAP] + inside
        if left <= ARRIVED * slop:
            return s
        # no point of a plane that the other can reach is farther away
        far = norm(sub(load3(scratch.p, i), load3(scratch.p, j))) + min(colliders.bound[i], colliders.bound[j])
        v_i, turn_i = approach(colliders, work, velocity, scratch, i, n, far)
        v_j, turn_j = approach(colliders, work, velocity, scratch, j, n, far)
        speed = v_i - v_j + turn_i + turn_j
        if left >= h * (1.0 - s) * speed:
            return NEVER
        s += left / (h * speed)
        if not find_apart(colliders, work, velocity, scratch, contacts, i, j, margin, s * h, first):
            return NEVER
    n = (scratch.apart[0], scratch.apart[1], scratch.apart[2])
    if core_passes(colliders, work, velocity, i, j, n, scratch.apart[APART_GAP], h * (1.0 - s)):
        return s
    if find_apart(colliders, work, velocity, scratch, contacts, i, j, margin, h, first):
        if scratch.apart[APART_GAP] <= -inside:
            return s
    return NEVER


@kernel
def find_apart(colliders, work, velocity, scratch, contacts, i, j, margin, t, first):
    """Set `scratch.apart` of i and j after the time t; False where they are farther apart than the margin."""
    place_pair(colliders, work, velocity, scratch, i, j, t)
    scratch.apart[APART_GAP] = math.inf
    if is_polyhedron(colliders, i) and is_polyhedron(colliders, j):
        polyhedra_apart(colliders, scratch, i, j, margin)
        return scratch.apart[APART_GAP] < math.inf
    if colliders.kind[i] == CYLINDER and (colliders.kind[j] == CYLINDER or is_polyhedron(colliders, j)):
        cylinder_apart(colliders, scratch, i, j, margin)
        return scratch.apart[APART_GAP] < math.inf
    lost = scratch.lost[0]
    collide(colliders, scratch, contacts, i, j, margin)
    contacts.count[0] = first
    scratch.lost[0] = lost
    return scratch.apart[APART_GAP] < math.inf


@kernel
def time_they_meet(colliders, work, next_v, scratch, contacts, i, j, margin, slop, h):
    """Part of the step at which the contacts of i and j are to be found, or NEVER, and the velocities up to then.

    First with the velocities of the start, in which contacts are at rest. What meets only by the forces of the step,
    or overlaps a little, is found at its end.
    """
    n = (scratch.apart[0], scratch.apart[1], scratch.apart[2])
    gap = scratch.apart[APART_GAP]
    velocity = work.pose_v
    s = time_of_impact(colliders, work, velocity, scratch, contacts, i, j, margin, INSIDE * slop, slop, h)
    if s == NEVER:
        set_apart(scratch, n, gap)
        velocity = next_v
        s = time_of_impact(colliders, work, velocity, scratch, contacts, i, j, margin, 0.0, slop, h)
        if s < NEVER and not forces_count(colliders, work, next_v, i, j, h):
            s = 1.0
    return s, velocity


@small
def lowest_of_round(colliders, scratch, i, n):
    """Least n . x of a sphere, capsule or cylinder i."""
    if colliders.kind[i] == CYLINDER:
        return dot(n, support_point(colliders, scratch, i, neg(n)))
    return lowest_projection(colliders, scratch, i, n) - colliders.size[i, 0]


@kernel
def slides_over_edge(colliders, work, next_v, scratch, contacts, i, j, margin, slop, h):
    """Whether the edge of j that a moving round i touches is passed within the step, and i then is over a face of j.

    So a wheel passes the edge of the next slab where slabs are level: it is in its way by an overlap at most.
    """
    if not is_polyhedron(colliders, j) or is_polyhedron(colliders, i) or colliders.kind[i] == PLANE:
        return False
    if not scratch.margin[i] + scratch.margin[j] > slop:
        return False
    n = (scratch.apart[0], scratch.apart[1], scratch.apart[2])
    inside = INSIDE * slop
    face = incident_face(colliders, scratch, j, n)
    out = rotate(load9(scratch.R, j), load3(colliders.face_normal, face))
    base = load3(scratch.vertex, colliders.loop[colliders.face_loop[face]])
    steep = 1.0 + dot(n, out)
    if steep < FLAT or lowest_of_round(colliders, scratch, i, out) - dot(out, base) < -inside:
        return False
    over = False
    if time_of_impact(colliders, work, work.pose_v, scratch, contacts, i, j, margin, inside, slop, h) == NEVER:
        if find_apart(colliders, work, next_v, scratch, contacts, i, j, margin, h, contacts.count[0]):
            n = (scratch.apart[0], scratch.apart[1], scratch.apart[2])
            over = 1.0 + dot(n, rotate(load9(scratch.R, j), load3(colliders.face_normal, face))) < LESS_STEEP * steep
    place_pair(colliders, work, next_v, scratch, i, j, 0.0)
    return over


@kernel
def forces_count(colliders, work, next_v, i, j, h):
    """Whether the forces of this step move i against j by so much that they could pass through each other."""
    a = colliders.link[i]
    b = colliders.link[j]
    w_a, v_a = load_pair(work.pose_v, a)
    w_b, v_b = load_pair(work.pose_v, b)
    new_a, u_a = load_pair(next_v, a)
    new_b, u_b = load_pair(next_v, b)
    change = norm(sub(sub(u_b, v_b), sub(u_a, v_a)))
    if colliders.bound[i] < math.inf:
        change += colliders.bound[i] * norm(sub(new_a, w_a))
    if colliders.bound[j] < math.inf:
        change += colliders.bound[j] * norm(sub(new_b, w_b))
    return h * change > LARGE_CHANGE * min(colliders.thin[i], colliders.thin[j])


@kernel
def bring_back(colliders, work, velocity, scratch, contacts, i, j, e, t):
    """Contact e found after the time t, as a contact of the start: its arms kept, its depth along the motion."""
    a = colliders.link[i]
    b = colliders.link[j]
    w_a, v_a = load_pair(velocity, a)
    w_b, v_b = load_pair(velocity, b)
    still_a = dot(v_a, v_a) + dot(w_a, w_a) == 0.0
    still_b = dot(v_b, v_b) + dot(w_b, w_b) == 0.0
    if still_a or (not still_b and is_round(colliders, j)):
        V = v_b
    elif still_b or is_round(colliders, i):
        V = v_a
    else:
        V = scale(0.5, add(v_a, v_b))
    n = load3(contacts.normal, e)
    x = add_scaled(load3(contacts.point, e), -t, V)
    u_a = add(v_a, cross(w_a, sub(x, load3(work.pose_p, a))))
    u_b = add(v_b, cross(w_b, sub(x, load3(work.pose_p, b))))
    store3(contacts.point, e, x)
    contacts.depth[e] = min(contacts.depth[e] + t * dot(n, sub(u_b, u_a)), 0.0)


@small
def out_of_reach(colliders, scratch, i, j, margin):
    """Whether the balls around i and j, or the plane i and the ball around j, are farther apart than the margin."""
    d = sub(load3(scratch.p, j), load3(scratch.p, i))
    if colliders.kind[i] == PLANE:
        return dot(axis_z(load9(scratch.R, i)), d) > colliders.bound[j] + margin
    far = colliders.bound[i] + colliders.bound[j] + margin
    return dot(d, d) > far * far


@kernel
def collide_pair(colliders, work, next_v, coast, scratch, contacts, i, j, h):
    """Add the contacts of colliders i and j for a step of h."""
    slop = slop_of(colliders, i, j)
    margin = scratch.margin[i] + scratch.margin[j] + NEAR * slop
    if out_of_reach(colliders, scratch, i, j, margin):
        return
    first = contacts.count[0]
    scratch.apart[APART_GAP] = math.inf
    scratch.clipped[0] = 0
    collide(colliders, scratch, contacts, i, j, margin)
    if contacts.count[0] == first and not scratch.apart[APART_GAP] < math.inf:
        return
    bedded = is_bedded(colliders, i, j)
    s = 0.0
    velocity = next_v
    if scratch.apart[APART_GAP] > AT_START * slop:
        s, velocity = time_they_meet(colliders, work, next_v, scratch, contacts, i, j, margin, slop, h)
    elif not bedded and slides_over_edge(colliders, work, next_v, scratch, contacts, i, j, margin, slop, h):
        s = 1.0
    if s > 0.0:
        # two moving balls: the line through their centres, which no place at another time has for both
        round_pair = is_round(colliders, i) and is_round(colliders, j)
        if round_pair and s < NEVER and colliders.link[i] != 0 and colliders.link[j] != 0:
            place_pair(colliders, work, velocity, scratch, i, j, 0.0)
            s = 0.0
        if 0.0 < s < NEVER:
            contacts.count[0] = first
            scratch.clipped[0] = 0
            place_pair(colliders, work, velocity, scratch, i, j, s * h)
            collide(colliders, scratch, contacts, i, j, margin)
            # an impact on an edge may be its only contact
            leave_out_inner(colliders, scratch, contacts, i, j, first, slop, margin, s == 1.0)
            if bedded:
                bed_contacts(colliders, work, next_v, scratch, contacts, i, j, first, (1.0 - s) * h, False)
            elif contacts.count[0] > first and is_fast(colliders, scratch, i, j):
                hold_core(colliders, work, velocity, scratch, contacts, i, j, first, (1.0 - s) * h)
            for e in range(first, contacts.count[0]):
                bring_back(colliders, work, velocity, scratch, contacts, i, j, e, s * h)
        if s > 0.0:
            place_pair(colliders, work, velocity, scratch, i, j, 0.0)
    if s == 0.0 or s == NEVER:
        leave_out_inner(colliders, scratch, contacts, i, j, first, slop, margin, True)
        if bedded and s == NEVER:
            pass_rigidly(contacts, first)
        elif bedded:
            bed_contacts(colliders, work, next_v, scratch, contacts, i, j, first, h, True)
        elif s == 0.0 and contacts.count[0] > first and is_fast(colliders, scratch, i, j):
            hold_core(colliders, work, work.pose_v, scratch, contacts, i, j, first, h)
    # what turns so fast that its middle is held has no points that could be followed
    last = contacts.count[0] - 1
    followed = s == 0.0 and last >= first and not is_core(contacts, last)
    for e in range(first, contacts.count[0]):
        contacts.passing[e] = 1.0 if s == NEVER else 0.0
        contacts.slop[e] = slop
        store3(contacts.velocity_bias, e, ZERO)
        if followed:
            set_velocity_bias(colliders, work, coast, scratch, contacts, i, j, e, h)
        keep_contact(colliders, work, scratch, contacts, i, j, e)
        if not bedded and contacts.soft[e, 0] != RIGID:
            share_softness(colliders, scratch, contacts, i, j, e)
        if is_core(contacts, e):
            make_smooth(contacts, e)
