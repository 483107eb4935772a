"""The middle of a shape does not pass what it meets, however fast the shape turns after the impact.

    n    normal of a contact, from i to j        away    how far the middle may still go along it, m

Rows hold where a shape touches, along its motion at the start of the step. What is fast and hit at its rim begins to
turn by more than a radian a step; then its rim stays where it is, as far as the row can tell, and its middle goes
through a plate. But no shape comes nearer than the ball that is inside of it. So where the middle could get by within
the step it has a contact of its own, without friction or bounce.
"""

from __future__ import annotations

from linkwork._jit import kernel, small
from linkwork.contact.contact_cache import FEATURES_PER_PAIR, add_contact
from linkwork.contact.round.nearest_points import hull_distance
from linkwork.spatial.codes import CAPSULE, CYLINDER, HULL, PLANE, SPHERE
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
    norm,
    rotate,
    sub,
    unrotate,
)

MIDDLE = 0x7FFF  # its feature number
FAST_TURN = 0.5  # rad a step: what turns more is where rows do not know of


@small
def smaller_of(colliders, i, j):
    """Which of the two has less room around its centre."""
    return i if colliders.bound[i] < colliders.bound[j] else j


@small
def is_fast(colliders, scratch, i, j):
    """Whether the middle of the smaller of i and j, if it is no ball, could get by the other within the step."""
    small_one = smaller_of(colliders, i, j)
    return colliders.kind[small_one] != SPHERE and scratch.margin[i] + scratch.margin[j] > colliders.thin[small_one]


@small
def is_core(contacts, e):
    """Whether contact e is that of a middle."""
    return contacts.id[e] % FEATURES_PER_PAIR == MIDDLE


@small
def make_smooth(contacts, e):
    """Contact e has neither friction nor bounce."""
    contacts.friction[e] = 0.0
    contacts.restitution[e] = 0.0


@kernel
def turning(colliders, velocity, scratch, i):
    """Angular velocity by which collider i changes where it is: a ball may turn, and a wheel about its axis, rad/s."""
    if colliders.kind[i] == SPHERE:
        return ZERO
    w, _ = load_pair(velocity, colliders.link[i])
    if colliders.kind[i] == CAPSULE or colliders.kind[i] == CYLINDER:
        u = axis_z(load9(scratch.R, i))
        w = add_scaled(w, -dot(w, u), u)
    return w


@kernel
def velocity_at(colliders, work, velocity, i, x):
    """Velocity of the point x of the link of collider i, m/s."""
    link = colliders.link[i]
    w, v = load_pair(velocity, link)
    return add(v, cross(w, sub(x, load3(work.pose_p, link))))


@kernel
def core_passes(colliders, work, velocity, i, j, n, gap, time):
    """Whether the centre of the smaller one, with all that is around it, gets by the other's face within the time."""
    if colliders.kind[i] == PLANE:
        return False
    speed = dot(n, sub(centre_velocity(colliders, work, velocity, i), centre_velocity(colliders, work, velocity, j)))
    return time * speed > gap + min(colliders.bound[i], colliders.bound[j])


@kernel
def centre_velocity(colliders, work, velocity, i):
    """Velocity of the centre of collider i, m/s."""
    link = colliders.link[i]
    d = rotate(load9(work.pose_R, link), load3(colliders.p, i))
    return velocity_at(colliders, work, velocity, i, add(load3(work.pose_p, link), d))


@kernel
def ball_inside(colliders, scratch, i):
    """Centre and radius of a ball inside collider i: of a hull around the origin of its link, if that is inside.

    What turns fast turns about its centre of mass, which there is not far from the origin.
    """
    c = load3(scratch.p, i)
    if colliders.kind[i] != HULL:
        return c, colliders.thin[i]
    # the axes of the collider as they are now take its centre back to the origin
    o = sub(c, rotate(load9(scratch.R, i), unrotate(load9(colliders.R, i), load3(colliders.p, i))))
    _, gap = hull_distance(colliders, scratch, i, o)
    if gap < 0.0:
        return o, -gap
    _, gap = hull_distance(colliders, scratch, i, c)
    return c, max(-gap, 0.0)


@kernel
def hold_core(colliders, work, velocity, scratch, contacts, i, j, first, h):
    """Where contacts of i and j begin at `first`, add that of the middle of the smaller one, if it could get by."""
    deepest = first
    for e in range(first + 1, contacts.count[0]):
        if contacts.depth[e] > contacts.depth[deepest]:
            deepest = e
    small_one = smaller_of(colliders, i, j)
    side = 1.0 if small_one == i else -1.0
    n = load3(contacts.normal, deepest)
    # the point is midway between the surfaces
    x = add_scaled(load3(contacts.point, deepest), -0.5 * side * contacts.depth[deepest], n)
    c, thick = ball_inside(colliders, scratch, small_one)
    height = side * dot(n, sub(x, c))
    away = height - thick
    u_i = centre_velocity(colliders, work, velocity, i)
    u_j = centre_velocity(colliders, work, velocity, j)
    way = h * dot(n, sub(u_i, u_j))
    turn = h * norm(turning(colliders, velocity, scratch, small_one))
    if way > max(height, colliders.thin[small_one]) or (way > away and turn > FAST_TURN):
        at = add_scaled(c, side * (thick + 0.5 * away), n)
        add_contact(colliders, scratch, contacts, i, j, at, n, -away, MIDDLE)
