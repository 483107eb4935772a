"""Which colliders are near each other: boxes around them along the world's axes, sorted along x and swept."""

from __future__ import annotations

import math

from linkwork._jit import kernel
from linkwork.contact.contact_cache import begin_contacts
from linkwork.contact.narrow_phase import collide
from linkwork.spatial.codes import CAPSULE, CYLINDER, PLANE
from linkwork.spatial.vectors import add, axis_z, load3, load9, load_pair, multiply, norm, rotate, store3, store9

SKIN = 1e-4  # m: contacts are looked for so far beyond what speed alone asks for


@kernel
def find_contacts(colliders, work, ahead_v, scratch, contacts, h):
    """Fill the table of contacts for a step of h from the poses in `work`; velocities there and at the step's end."""
    n = colliders.link.size
    if n == 0:
        return
    begin_contacts(scratch, contacts)
    for i in range(n):
        put_in_world(colliders, work, ahead_v, scratch, i, h)
    sort_along_x(scratch)
    for a in range(scratch.order.size):
        i = scratch.order[a]
        for b in range(a + 1, scratch.order.size):
            j = scratch.order[b]
            if scratch.low[j, 0] > scratch.high[i, 0]:
                break
            if (
                colliders.meets[i, j] != 0
                and scratch.low[i, 1] <= scratch.high[j, 1]
                and scratch.low[j, 1] <= scratch.high[i, 1]
                and scratch.low[i, 2] <= scratch.high[j, 2]
                and scratch.low[j, 2] <= scratch.high[i, 2]
            ):
                # simple shapes first, and always the same way round
                first = colliders.kind[i] < colliders.kind[j] or (colliders.kind[i] == colliders.kind[j] and i < j)
                collide(
                    colliders,
                    scratch,
                    contacts,
                    i if first else j,
                    j if first else i,
                    scratch.reach[i] + scratch.reach[j],
                )
    for i in range(n):
        if colliders.kind[i] == PLANE:
            for a in range(scratch.order.size):
                j = scratch.order[a]
                if colliders.meets[i, j] != 0:
                    collide(colliders, scratch, contacts, i, j, scratch.reach[i] + scratch.reach[j])


@kernel
def put_in_world(colliders, work, ahead_v, scratch, i, h):
    """Pose, vertices, reach and box of collider i."""
    link = colliders.link[i]
    X = load9(work.pose_R, link)
    R = multiply(X, load9(colliders.R, i))
    p = add(load3(work.pose_p, link), rotate(X, load3(colliders.p, i)))
    store9(scratch.R, i, R)
    store3(scratch.p, i, p)
    far = colliders.bound[i]
    spread = norm(load3(colliders.p, i)) + (far if far < math.inf else 0.0)
    w, v = load_pair(work.pose_v, link)
    w_ahead, v_ahead = load_pair(ahead_v, link)
    reach = SKIN + h * max(norm(v) + spread * norm(w), norm(v_ahead) + spread * norm(w_ahead))
    scratch.reach[i] = reach
    if colliders.kind[i] == PLANE:
        return
    for k in range(colliders.vertex_start[i], colliders.vertex_start[i + 1]):
        store3(scratch.vertex, k, add(p, rotate(R, load3(colliders.vertex, k))))
    if colliders.kind[i] == CYLINDER:
        u = axis_z(R)
        for s in range(3):
            half = (
                colliders.size[i, 1] * abs(u[s]) + colliders.size[i, 0] * math.sqrt(max(0.0, 1.0 - u[s] * u[s])) + reach
            )
            scratch.low[i, s] = p[s] - half
            scratch.high[i, s] = p[s] + half
        return
    thick = reach + (colliders.size[i, 0] if colliders.kind[i] <= CAPSULE else 0.0)
    for s in range(3):
        scratch.low[i, s] = math.inf
        scratch.high[i, s] = -math.inf
        for k in range(colliders.vertex_start[i], colliders.vertex_start[i + 1]):
            scratch.low[i, s] = min(scratch.low[i, s], scratch.vertex[k, s] - thick)
            scratch.high[i, s] = max(scratch.high[i, s], scratch.vertex[k, s] + thick)


@kernel
def sort_along_x(scratch):
    """By insertion: from step to step little changes."""
    for a in range(1, scratch.order.size):
        i = scratch.order[a]
        x = scratch.low[i, 0]
        b = a - 1
        while b >= 0 and scratch.low[scratch.order[b], 0] > x:
            scratch.order[b + 1] = scratch.order[b]
            b -= 1
        scratch.order[b + 1] = i
