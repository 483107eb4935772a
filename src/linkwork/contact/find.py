"""Which colliders are near each other: boxes around them along the world's axes, sorted along x and swept."""

from __future__ import annotations

import math

from linkwork._jit import kernel
from linkwork.contact.keep import begin_contacts
from linkwork.contact.pairs import meet
from linkwork.spatial.codes import CAPSULE, CYLINDER, PLANE
from linkwork.spatial.vectors import add, axis_z, load3, load9, load_pair, multiply, norm, rotate, store3, store9

SKIN = 1e-4  # m: contacts are looked for so far beyond what speed alone asks for


@kernel
def find_contacts(c, work, ahead_v, m, contacts, h):
    """Fill the table of contacts for a step of h from the poses in `work`; velocities there and at the step's end."""
    n = c.link.size
    if n == 0:
        return
    begin_contacts(m, contacts)
    for i in range(n):
        put_in_world(c, work, ahead_v, m, i, h)
    sort_along_x(m)
    for a in range(m.order.size):
        i = m.order[a]
        for b in range(a + 1, m.order.size):
            j = m.order[b]
            if m.low[j, 0] > m.high[i, 0]:
                break
            if (
                c.meets[i, j] != 0
                and m.low[i, 1] <= m.high[j, 1]
                and m.low[j, 1] <= m.high[i, 1]
                and m.low[i, 2] <= m.high[j, 2]
                and m.low[j, 2] <= m.high[i, 2]
            ):
                # simple shapes first, and always the same way round
                first = c.kind[i] < c.kind[j] or (c.kind[i] == c.kind[j] and i < j)
                meet(c, m, contacts, i if first else j, j if first else i, m.reach[i] + m.reach[j])
    for i in range(n):
        if c.kind[i] == PLANE:
            for a in range(m.order.size):
                j = m.order[a]
                if c.meets[i, j] != 0:
                    meet(c, m, contacts, i, j, m.reach[i] + m.reach[j])


@kernel
def put_in_world(c, work, ahead_v, m, i, h):
    """Pose, vertices, reach and box of collider i."""
    link = c.link[i]
    X = load9(work.pose_R, link)
    R = multiply(X, load9(c.R, i))
    p = add(load3(work.pose_p, link), rotate(X, load3(c.p, i)))
    store9(m.R, i, R)
    store3(m.p, i, p)
    far = c.bound[i]
    spread = norm(load3(c.p, i)) + (far if far < math.inf else 0.0)
    w, v = load_pair(work.pose_v, link)
    w_ahead, v_ahead = load_pair(ahead_v, link)
    reach = SKIN + h * max(norm(v) + spread * norm(w), norm(v_ahead) + spread * norm(w_ahead))
    m.reach[i] = reach
    if c.kind[i] == PLANE:
        return
    for k in range(c.vertex_start[i], c.vertex_start[i + 1]):
        store3(m.vertex, k, add(p, rotate(R, load3(c.vertex, k))))
    if c.kind[i] == CYLINDER:
        u = axis_z(R)
        for s in range(3):
            half = c.size[i, 1] * abs(u[s]) + c.size[i, 0] * math.sqrt(max(0.0, 1.0 - u[s] * u[s])) + reach
            m.low[i, s] = p[s] - half
            m.high[i, s] = p[s] + half
        return
    thick = reach + (c.size[i, 0] if c.kind[i] <= CAPSULE else 0.0)
    for s in range(3):
        m.low[i, s] = math.inf
        m.high[i, s] = -math.inf
        for k in range(c.vertex_start[i], c.vertex_start[i + 1]):
            m.low[i, s] = min(m.low[i, s], m.vertex[k, s] - thick)
            m.high[i, s] = max(m.high[i, s], m.vertex[k, s] + thick)


@kernel
def sort_along_x(m):
    """By insertion: from step to step little changes."""
    for a in range(1, m.order.size):
        i = m.order[a]
        x = m.low[i, 0]
        b = a - 1
        while b >= 0 and m.low[m.order[b], 0] > x:
            m.order[b + 1] = m.order[b]
            b -= 1
        m.order[b + 1] = i
