"""Contacts into their table, each with the impulse that the same contact had a step ago."""

from __future__ import annotations

import math

from linkwork._jit import kernel
from linkwork.spatial.codes import RIGID
from linkwork.spatial.vectors import add_scaled, dot, load3, scale, store3, sub

FEATURES = 1 << 16  # of a pair of shapes
SAME = 0.05  # of the smaller shape: contacts that are as near are the same, whatever corners they come from


@kernel
def across(n):
    """A unit vector perpendicular to n that turns little when n does."""
    if abs(n[0]) < 0.6:
        t = add_scaled((1.0, 0.0, 0.0), -n[0], n)
    else:
        t = add_scaled((0.0, 1.0, 0.0), -n[1], n)
    return scale(1.0 / math.sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]), t)


@kernel
def place_of(scratch, pair):
    """The slot that has the first of the old contacts of this pair, or the empty one where it would be."""
    mask = scratch.slot.size - 1
    k = (pair * 2654435761 >> 8) & mask
    while scratch.slot[k] != 0 and scratch.old_pair[scratch.slot[k] - 1] != pair:
        k = (k + 1) & mask
    return k


@kernel
def begin_contacts(scratch, contacts):
    """Empty the table; impulses of its contacts are remembered."""
    for k in range(scratch.slot.size):
        scratch.slot[k] = 0
    for e in range(contacts.count[0]):
        pair = contacts.id[e] // FEATURES
        scratch.old_id[e] = contacts.id[e]
        scratch.old_pair[e] = pair
        for j in range(3):
            scratch.old_point[e, j] = contacts.point[e, j]
            scratch.old_impulse[e, j] = contacts.impulse[e, j]
        if e == 0 or scratch.old_pair[e - 1] != pair:
            scratch.slot[place_of(scratch, pair)] = e + 1
    scratch.old_count[0] = contacts.count[0]
    contacts.count[0] = 0


@kernel
def same_as(scratch, id, x, near):
    """The old contact with this id, or else the nearest of its pair within `near` of x; -1 for none."""
    pair = id // FEATURES
    e = scratch.slot[place_of(scratch, pair)] - 1
    found = -1
    least = near * near
    while 0 <= e < scratch.old_count[0] and scratch.old_pair[e] == pair:
        if scratch.old_id[e] == id:
            return e
        if scratch.old_id[e] != 0:
            d = sub(x, load3(scratch.old_point, e))
            if dot(d, d) < least:
                least = dot(d, d)
                found = e
        e += 1
    return found


@kernel
def add_contact(colliders, scratch, contacts, i, j, x, n, depth, feature):
    """A contact of colliders i and j at x, n from i to j."""
    e = contacts.count[0]
    if e == contacts.id.size:
        scratch.lost[0] += 1
        return
    contacts.count[0] = e + 1
    contacts.link_a[e] = colliders.link[i]
    contacts.link_b[e] = colliders.link[j]
    store3(contacts.point, e, x)
    store3(contacts.normal, e, n)
    store3(contacts.tangent, e, across(n))
    contacts.depth[e] = depth
    contacts.friction[e] = math.sqrt(colliders.friction[i] * colliders.friction[j])
    contacts.restitution[e] = max(colliders.restitution[i], colliders.restitution[j])
    k = i if colliders.soft[i, 0] != RIGID else j
    for s in range(3):
        contacts.soft[e, s] = colliders.soft[k, s]
        contacts.impulse[e, s] = 0.0
    id = (1 + i * colliders.link.size + j) * FEATURES + (feature & (FEATURES - 1))
    contacts.id[e] = id
    old = same_as(scratch, id, x, SAME * min(colliders.bound[i], colliders.bound[j]))
    if old >= 0:
        scratch.old_id[old] = 0
        for s in range(3):
            contacts.impulse[e, s] = scratch.old_impulse[old, s]
