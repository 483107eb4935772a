"""Sleeping: islands of free bodies that lie still are not solved for, until something touches or changes them.

    rate    speed of a body's origin, plus its size times its angular velocity        g h   what weight adds in a step

An island falls asleep where for a while all its bodies have been slower than the impulses of a step are exact, a few
epsilon g h, and have not become faster: what balances on an edge does. Its bodies then stay as they are, with velocity
zero; their contacts keep their impulses, and still count as loads. It wakes where something awake touches it, in the
same step and with these contacts and impulses; where a drag or a joint pulls at it; and where its coordinates,
velocities or the gravity are no longer those that it fell asleep with.

Only bodies that nothing but weight and contacts acts on fall asleep, on ground at rest and on each other, and not
where contacts are soft.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel, small
from linkwork.contact.scratch import ASLEEP, AWAKE
from linkwork.formulations.impulse.audit.results import add_sensor_force
from linkwork.formulations.impulse.rest.islands import find
from linkwork.spatial.codes import FREE, RIGID
from linkwork.spatial.vectors import add, add_pair, cross, load3, scale

STILL_PART = 10.0  # of epsilon g h: bodies that are slower lie still
QUIET_PART = 1e-2  # of that: what is slower may become faster
FALLS = 2.0  # times that a body takes to fall by its size: so long it must lie still
LEAST_STEPS = 32  # and for so many steps


class Sleep(NamedTuple):
    """Who may sleep, and who does; one entry a tree unless the shape says otherwise."""

    # made once
    may: Any  # 1 of a free body that nothing but weight and contacts acts on
    link: Any
    size: Any  # m, from its origin to its farthest point
    collider_tree: Any  # (collider,) its tree; -1 on the ground, -2 on a ground that moves
    # settle, wake_changed, wake_touched
    asleep: Any  # 1
    rest: Any  # s, for how long it has been lying still
    fastest: Any  # (tree, 2) m/s, largest rate in the first half of the time that it must lie still, and since
    touched: Any  # scratch: 1 where the tree stands for an island with something awake
    q: Any  # (tree, 7) coordinates of what is asleep
    gravity: Any  # (3,) m/s2, when it fell asleep


def make_sleep(tables: Any, method: Any, islands: Any) -> Sleep:
    """Nothing is asleep yet."""
    tree, forces, colliders = tables.tree, tables.forces, tables.colliders
    n = islands.parent.size
    link, size = np.zeros(n, dtype=np.int64), np.zeros(n)
    links = [np.flatnonzero(islands.link_tree == t) for t in range(n)]
    pushed = {int(i) for name in forces._fields if name.endswith(("_a", "_b", "_link")) for i in getattr(forces, name)}
    pulled = {int(tree.dof_link[k]) for k in forces.coil_coordinate if 0 <= k < tree.dof_link.size}
    damped = {int(tree.dof_link[k]) for k in np.flatnonzero(tree.dof_armature)}
    for k in range(colliders.link.size):
        t = int(islands.link_tree[colliders.link[k]])
        if t >= 0:
            size[t] = max(size[t], np.linalg.norm(colliders.p[k]) + colliders.bound[k])
    may = np.zeros(n, dtype=np.int64)
    for t, members in enumerate(links):
        if method.sleep and method.solver == "direct" and len(members) == 1 and size[t] > 0.0:
            i = link[t] = int(members[0])
            free = tree.link_motion[i] == FREE and tree.link_parent[i] == 0 and tree.link_mass[i] > 0.0
            may[t] = free and i not in pushed | pulled | damped
    place = [
        -2 if 0 < i < tree.grounds else int(islands.link_tree[i]) if i >= tree.grounds else -1 for i in colliders.link
    ]
    whole = (np.zeros(n, dtype=np.int64), np.zeros(n), np.zeros((n, 2)), np.zeros(n, dtype=np.int64))
    return Sleep(
        may, link, size, np.array(place, dtype=np.int64), *whole, np.zeros((n, 7)), np.zeros(3)
    )  # fmt: skip


@kernel
def wake(sleep, t):
    """Tree t is awake."""
    sleep.asleep[t] = 0
    sleep.rest[t] = 0.0
    sleep.fastest[t, 0] = 0.0
    sleep.fastest[t, 1] = 0.0


@kernel
def wake_changed(sleep, tree, q, v, still):
    """Wake what has other coordinates, velocities or gravity than it fell asleep with; which colliders are `still`."""
    changed = False
    for j in range(3):
        changed = changed or sleep.gravity[j] != tree.gravity[j]
    for t in range(sleep.asleep.size):
        if sleep.asleep[t] == 1:
            same = not changed
            a = tree.link_q[sleep.link[t]]
            b = tree.link_v[sleep.link[t]]
            for j in range(7):
                same = same and q[a + j] == sleep.q[t, j]
            for j in range(6):
                same = same and v[b + j] == 0.0
            if not same:
                wake(sleep, t)
    for i in range(still.size):
        t = sleep.collider_tree[i]
        if t == -2 or (t >= 0 and sleep.asleep[t] == 0):
            still[i] = AWAKE
        elif still[i] == AWAKE:
            still[i] = ASLEEP


@small
def is_asleep(sleep, islands, contacts, e):
    """Whether contact e is between bodies that sleep, or one and the ground."""
    a = islands.link_tree[contacts.link_a[e]]
    if a >= 0:
        return sleep.asleep[a] == 1
    b = islands.link_tree[contacts.link_b[e]]
    return b >= 0 and sleep.asleep[b] == 1


@kernel
def some_sleep(sleep):
    """Whether anything is asleep."""
    for t in range(sleep.asleep.size):
        if sleep.asleep[t] == 1:
            return True
    return False


@kernel
def wake_touched(sleep, islands, contacts, grounds, held):
    """Wake the islands with something awake; `held` is a tree of island 0, or -1. Needs the union-find of the step."""
    if not some_sleep(sleep):
        return
    parent = islands.parent
    for t in range(parent.size):
        sleep.touched[t] = 0
    for t in range(parent.size):
        if sleep.asleep[t] == 0:
            sleep.touched[find(parent, t)] = 1
    if held >= 0:
        sleep.touched[find(parent, held)] = 1
    for e in range(contacts.count[0]):
        a = contacts.link_a[e]
        b = contacts.link_b[e]
        if 0 < a < grounds and islands.link_tree[b] >= 0:
            sleep.touched[find(parent, islands.link_tree[b])] = 1
        if 0 < b < grounds and islands.link_tree[a] >= 0:
            sleep.touched[find(parent, islands.link_tree[a])] = 1
    for t in range(parent.size):
        if sleep.asleep[t] == 1 and sleep.touched[find(parent, t)] == 1:
            wake(sleep, t)


@kernel
def hold_still(sleep, tree, v):
    """Velocities of what is asleep are zero."""
    for t in range(sleep.asleep.size):
        if sleep.asleep[t] == 1:
            k = tree.link_v[sleep.link[t]]
            for j in range(6):
                v[k + j] = 0.0


@kernel
def contact_may_sleep(contacts, e, grounds):
    """Whether contact e does not keep its bodies awake."""
    a = contacts.link_a[e]
    b = contacts.link_b[e]
    return contacts.soft[e, 0] == RIGID and not 0 < a < grounds and not 0 < b < grounds


@kernel
def lies_still(sleep, tree, t, v, h, limit):
    """Count the time that tree t has been lying still, with the velocities v; whether it is long enough."""
    k = tree.link_v[sleep.link[t]]
    w = math.sqrt(v[k + 3] ** 2 + v[k + 4] ** 2 + v[k + 5] ** 2)
    rate = math.sqrt(v[k] ** 2 + v[k + 1] ** 2 + v[k + 2] ** 2) + sleep.size[t] * w
    if not rate < limit:
        wake(sleep, t)
        return False
    g = math.sqrt(tree.gravity[0] ** 2 + tree.gravity[1] ** 2 + tree.gravity[2] ** 2)
    wait = max(LEAST_STEPS * h, FALLS * math.sqrt(2.0 * sleep.size[t] / g))
    sleep.rest[t] += h
    half = 0 if sleep.rest[t] < 0.5 * wait else 1
    sleep.fastest[t, half] = max(sleep.fastest[t, half], rate)
    if sleep.rest[t] < wait:
        return False
    if sleep.fastest[t, 1] > max(sleep.fastest[t, 0], QUIET_PART * limit):
        # faster than before: once more
        sleep.rest[t] = 0.5 * wait
        sleep.fastest[t, 0] = sleep.fastest[t, 1]
        sleep.fastest[t, 1] = 0.0
        return False
    return True


@kernel
def settle(sleep, islands, contacts, tree, q, v, v_plus, h, epsilon, gravity):
    """After a step: what sleeps stays where it is, and islands that have been lying still fall asleep."""
    limit = STILL_PART * epsilon * gravity * h
    for t in range(sleep.asleep.size):
        if sleep.asleep[t] == 1:
            a = tree.link_q[sleep.link[t]]
            for j in range(7):
                q[a + j] = sleep.q[t, j]
        elif islands.number[t] <= 0:
            sleep.rest[t] = 0.0
    for i in range(1, islands.count[0]):
        tired = limit > 0.0
        for e in range(islands.contact_start[i], islands.contact_start[i + 1]):
            tired = tired and contact_may_sleep(contacts, islands.contact[e], tree.grounds)
        for e in range(islands.start[i], islands.start[i + 1]):
            tired = tired and sleep.may[islands.tree[e]] == 1
        if not tired:
            continue
        for e in range(islands.start[i], islands.start[i + 1]):
            still = lies_still(sleep, tree, islands.tree[e], v_plus, h, limit)
            tired = tired and still
        if tired:
            for e in range(islands.start[i], islands.start[i + 1]):
                fall_asleep(sleep, tree, islands.tree[e], q, v)


@kernel
def fall_asleep(sleep, tree, t, q, v):
    """Tree t falls asleep where it is."""
    sleep.asleep[t] = 1
    a = tree.link_q[sleep.link[t]]
    b = tree.link_v[sleep.link[t]]
    for j in range(7):
        sleep.q[t, j] = q[a + j]
    for j in range(6):
        v[b + j] = 0.0
    for j in range(3):
        sleep.gravity[j] = tree.gravity[j]


@kernel
def add_sleeping_loads(sleep, islands, zones, colliders, work, contacts, state, last):
    """Add the forces of contacts that sleep to the loads of the step; impulses are those of a step of `last`."""
    if not last > 0.0 or not some_sleep(sleep):
        return
    for e in range(contacts.count[0]):
        if not is_asleep(sleep, islands, contacts, e):
            continue
        n = load3(contacts.normal, e)
        t = load3(contacts.tangent, e)
        p = load3(contacts.impulse, e)
        p = scale(1.0 / last, (p[0], p[1], contacts.ratio[e] * p[2]))
        s = cross(n, t)
        f = add(add(scale(p[0], n), scale(p[1], t)), scale(p[2], s))
        torque = cross(load3(contacts.point, e), f)
        if contacts.moment.shape[0] > 0:
            m = scale(1.0 / last, load3(contacts.moment, e))
            torque = add(torque, add(add(scale(m[0], t), scale(m[1], s)), scale(m[2], n)))
        a = contacts.link_a[e]
        b = contacts.link_b[e]
        for j in range(3):
            state.contact_force[b, j] += f[j]
            state.contact_force[a, j] -= f[j]
        add_pair(state.push, b, torque, f)
        add_pair(state.push, a, scale(-1.0, torque), scale(-1.0, f))
        if state.sensor_force.size > 0:
            add_sensor_force(zones, colliders, work, contacts, e, p[0], state.sensor_force)
