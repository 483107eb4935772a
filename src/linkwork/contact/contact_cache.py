"""Contact cache: contacts enter their table with the impulse that the same contact had a step ago.

    i j    colliders        n    normal, from i to j        x    point

A contact is the same where its id is (the pair and the features that touch), or where it is the nearest of its pair.
"""

from __future__ import annotations

import math

from linkwork._jit import kernel, small
from linkwork.contact.scratch import APART_GAP, SETTLED
from linkwork.contact.surfaces import bounce_speed, perpendicular, set_grain, set_resistance
from linkwork.contact.table import move_whole_contact
from linkwork.spatial.codes import BEDDED, RIGID
from linkwork.spatial.vectors import dot, load3, store3, sub

FEATURES_PER_PAIR = 1 << 16  # numbers for the features of a pair: the low digits of an id
REFERENCE_ON_J = 0x8000  # added to features of contacts whose reference face is on collider j
SAME_CONTACT = 0.05  # of the smaller shape: the distance up to which contacts of other features are the same


@kernel
def find_slot(scratch, pair):
    """Slot of the first old contact of this pair, or the empty slot where it would be."""
    mask = scratch.hash_slot.size - 1
    k = (pair * 2654435761 >> 8) & mask
    while scratch.hash_slot[k] != 0 and scratch.old_pair[scratch.hash_slot[k] - 1] != pair:
        k = (k + 1) & mask
    return k


@kernel
def start_contacts(scratch, contacts):
    """Empty the table; its contacts become the old ones."""
    for e in range(scratch.old_count[0]):
        scratch.hash_slot[scratch.old_slot[e]] = 0
    for e in range(contacts.count[0]):
        pair = contacts.id[e] // FEATURES_PER_PAIR
        scratch.old_id[e] = contacts.id[e]
        scratch.old_pair[e] = pair
        for j in range(3):
            scratch.old_point[e, j] = contacts.point[e, j]
            scratch.old_impulse[e, j] = contacts.impulse[e, j]
            if contacts.moment.shape[0] > 0:
                scratch.old_moment[e, j] = contacts.moment[e, j]
        if e == 0 or scratch.old_pair[e - 1] != pair:
            scratch.old_slot[e] = find_slot(scratch, pair)
            scratch.hash_slot[scratch.old_slot[e]] = e + 1
        else:
            scratch.old_slot[e] = scratch.old_slot[e - 1]
    scratch.old_count[0] = contacts.count[0]
    keep_settled(scratch, contacts)


@kernel
def keep_settled(scratch, contacts):
    """The table keeps the contacts of two colliders that are settled, and no others."""
    n = scratch.still.size
    kept = 0
    for e in range(contacts.count[0]):
        pair = contacts.id[e] // FEATURES_PER_PAIR - 1
        if scratch.still[pair // n] == SETTLED and scratch.still[pair % n] == SETTLED:
            if kept < e:
                move_whole_contact(contacts, e, kept)
            kept += 1
    contacts.count[0] = kept


@kernel
def matching_contact(scratch, id, x, near):
    """The old contact with this id, or else the nearest of its pair within `near` of x; -1 for none."""
    pair = id // FEATURES_PER_PAIR
    e = scratch.hash_slot[find_slot(scratch, pair)] - 1
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


@small
def set_apart(scratch, n, gap):
    """The two at hand are `gap` apart along n, or farther."""
    for s in range(3):
        scratch.apart[s] = n[s]
    scratch.apart[APART_GAP] = gap


@kernel
def add_contact(colliders, scratch, contacts, i, j, x, n, depth, feature):
    """The place of a contact of colliders i and j at x, n from i to j; `keep_contact` completes it."""
    if -depth < scratch.apart[APART_GAP]:
        set_apart(scratch, n, -depth)
    e = contacts.count[0]
    if e == contacts.id.size:
        scratch.lost[0] += 1
        return
    contacts.count[0] = e + 1
    store3(contacts.point, e, x)
    store3(contacts.normal, e, n)
    contacts.depth[e] = depth
    pair = 1 + i * colliders.link.size + j
    contacts.id[e] = pair * FEATURES_PER_PAIR + (feature & (FEATURES_PER_PAIR - 1))


@kernel
def keep_contact(colliders, work, scratch, contacts, i, j, e):
    """Complete contact e of colliders i and j: their links and materials, and the impulse of the last step."""
    contacts.link_a[e] = colliders.link[i]
    contacts.link_b[e] = colliders.link[j]
    k = colliders.can_collide[i, j] - 2
    contacts.friction[e] = math.sqrt(colliders.friction[i] * colliders.friction[j])
    contacts.ratio[e] = 1.0
    if k >= 0 and colliders.pair_friction[k] >= 0.0:
        contacts.friction[e] = colliders.pair_friction[k]
        store3(contacts.tangent, e, perpendicular(load3(contacts.normal, e)))
    elif colliders.grain_kind[i] == 0 and colliders.grain_kind[j] == 0:
        store3(contacts.tangent, e, perpendicular(load3(contacts.normal, e)))
    else:
        set_grain(colliders, work, contacts, i, j, e)
    contacts.restitution[e] = max(colliders.restitution[i], colliders.restitution[j])
    if k >= 0 and colliders.pair_restitution[k] >= 0.0:
        contacts.restitution[e] = colliders.pair_restitution[k]
    if contacts.restitution[e] > 0.0:
        contacts.bounce_speed[e] = bounce_speed(colliders, i, j, k)
    if contacts.moment.shape[0] > 0:
        set_resistance(colliders, contacts, i, j, k, e)
    k = i if colliders.soft[i, 0] != RIGID else j
    if colliders.soft[k, 0] != BEDDED:  # else bedding.py has set it
        contacts.area[e] = 0.0
        for s in range(3):
            contacts.soft[e, s] = colliders.soft[k, s]
    for s in range(3):
        contacts.impulse[e, s] = 0.0
    near = SAME_CONTACT * min(colliders.bound[i], colliders.bound[j])
    old = matching_contact(scratch, contacts.id[e], load3(contacts.point, e), near)
    if old >= 0:
        scratch.old_id[old] = 0
        for s in range(3):
            contacts.impulse[e, s] = scratch.old_impulse[old, s]
            if contacts.moment.shape[0] > 0:
                contacts.moment[e, s] = scratch.old_moment[old, s]
