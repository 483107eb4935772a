"""Broad phase: axis-aligned bounding boxes sorted along x and swept; each pair that overlaps goes to the narrow phase.

R p    axes and centre of a collider, world        w v    angular velocity and velocity of its link, world axes
u      axis of a cylinder
"""

from __future__ import annotations

import math

from linkwork._jit import kernel, small
from linkwork.contact.contact_cache import start_contacts
from linkwork.contact.in_time.time_of_impact import NEAR, collide_pair, place_collider
from linkwork.contact.round.ellipsoid_points import support_of
from linkwork.contact.scratch import ASLEEP, SETTLED
from linkwork.spatial.codes import BOX, CAPSULE, CYLINDER, ELLIPSOID, PLANE
from linkwork.spatial.vectors import axis_z, load3, load9, load_pair, norm, unit_vector


@kernel
def find_contacts(colliders, work, next_v, coast, scratch, contacts, h):
    """Fill the table of contacts for a step of h: poses and velocities in `work`, `next_v` those at the step's end.

    `coast`: accelerations of the links while every joint keeps its rate.
    """
    n = colliders.link.size
    if n == 0:
        return
    start_contacts(scratch, contacts)
    for i in range(n):
        if scratch.still[i] != SETTLED:
            update_collider(colliders, work, next_v, scratch, i, h)
    sort_along_x(scratch)
    for a in range(scratch.sweep_order.size):
        i = scratch.sweep_order[a]
        for b in range(a + 1, scratch.sweep_order.size):
            j = scratch.sweep_order[b]
            if scratch.aabb_low[j, 0] > scratch.aabb_high[i, 0]:
                break
            if (
                scratch.aabb_low[i, 1] <= scratch.aabb_high[j, 1]
                and scratch.aabb_low[j, 1] <= scratch.aabb_high[i, 1]
                and scratch.aabb_low[i, 2] <= scratch.aabb_high[j, 2]
                and scratch.aabb_low[j, 2] <= scratch.aabb_high[i, 2]
                and colliders.can_collide[i, j] != 0
                and not both_settled(scratch, i, j)
            ):
                # simple shapes first, always in the same order, so that ids stay
                a_kind = colliders.kind[i]
                b_kind = colliders.kind[j]
                first = a_kind < b_kind or (a_kind == b_kind and i < j)
                if (a_kind == BOX and b_kind == CYLINDER) or (a_kind == CYLINDER and b_kind == BOX):
                    first = not first
                one = i if first else j
                two = j if first else i
                collide_pair(colliders, work, next_v, coast, scratch, contacts, one, two, h)
    for i in range(n):
        if colliders.kind[i] == PLANE:
            for a in range(scratch.sweep_order.size):
                j = scratch.sweep_order[a]
                if colliders.can_collide[i, j] != 0 and not both_settled(scratch, i, j):
                    collide_pair(colliders, work, next_v, coast, scratch, contacts, i, j, h)
    for i in range(n):
        if scratch.still[i] == ASLEEP:
            scratch.still[i] = SETTLED


@small
def both_settled(scratch, i, j):
    """Whether the contacts of colliders i and j are those of the last step."""
    return scratch.still[i] == SETTLED and scratch.still[j] == SETTLED


@kernel
def update_collider(colliders, work, next_v, scratch, i, h):
    """World pose, vertices, margin and bounding box of collider i."""
    link = colliders.link[i]
    place_collider(colliders, work, next_v, scratch, i, 0.0)
    p = load3(scratch.p, i)
    radius = colliders.bound[i]
    spread = norm(load3(colliders.p, i)) + (radius if radius < math.inf else 0.0)
    w, v = load_pair(work.pose_v, link)
    w_next, v_next = load_pair(next_v, link)
    margin = h * max(norm(v) + spread * norm(w), norm(v_next) + spread * norm(w_next))
    scratch.margin[i] = margin
    if colliders.kind[i] == PLANE:
        return
    margin += 0.5 * NEAR * colliders.slop[i]
    if colliders.kind[i] == CYLINDER:
        u = axis_z(load9(scratch.R, i))
        for s in range(3):
            half = (
                colliders.size[i, 1] * abs(u[s])
                + colliders.size[i, 0] * math.sqrt(max(0.0, 1.0 - u[s] * u[s]))
                + margin
            )
            scratch.aabb_low[i, s] = p[s] - half
            scratch.aabb_high[i, s] = p[s] + half
        return
    if colliders.kind[i] == ELLIPSOID:
        for s in range(3):
            _, far = support_of(load9(scratch.R, i), load3(colliders.size, i), unit_vector(s))
            scratch.aabb_low[i, s] = p[s] - far - margin
            scratch.aabb_high[i, s] = p[s] + far + margin
        return
    thick = margin + (colliders.size[i, 0] if colliders.kind[i] <= CAPSULE else 0.0)
    first = colliders.vertex_start[i]
    for s in range(3):
        low = scratch.vertex[first, s]
        high = low
        for k in range(first + 1, colliders.vertex_start[i + 1]):
            low = min(low, scratch.vertex[k, s])
            high = max(high, scratch.vertex[k, s])
        scratch.aabb_low[i, s] = low - thick
        scratch.aabb_high[i, s] = high + thick


@kernel
def sort_along_x(scratch):
    """Insertion sort: from step to step the order changes little."""
    for a in range(1, scratch.sweep_order.size):
        i = scratch.sweep_order[a]
        x = scratch.aabb_low[i, 0]
        b = a - 1
        while b >= 0 and scratch.aabb_low[scratch.sweep_order[b], 0] > x:
            scratch.sweep_order[b + 1] = scratch.sweep_order[b]
            b -= 1
        scratch.sweep_order[b + 1] = i
