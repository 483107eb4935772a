"""A step is taken in parts where what was hit turns fast, and would turn itself deep into the other.

A row of a contact holds at the place where two bodies touch first. What is hit there begins to turn, and brings another
corner down, of which no row knows: it would be as deep as the body turns in the step. Steps of another length move the
moment of the velocities, which costs some energy: so that is for what turns so fast that it would be deep.
"""

from __future__ import annotations

from linkwork._jit import kernel
from linkwork.contact.contact_cache import FEATURES_PER_PAIR
from linkwork.contact.in_time.core_sphere import FAST_TURN, is_core, turning
from linkwork.contact.in_time.time_of_impact import INSIDE, place_pair
from linkwork.formulations.impulse.audit.contact_audit import smallest_gap
from linkwork.formulations.impulse.rows.row_table import CONTACT
from linkwork.formulations.impulse.rows.rows import ALL_ROWS
from linkwork.mechanics.tree.kinematics import velocities_of
from linkwork.spatial.codes import RIGID
from linkwork.spatial.vectors import norm

DEEP = 0.25  # of half the thickness of the thinner one: by that two bodies may turn into each other in a step


@kernel
def turns_deep(w, q, h):
    """Whether rigid bodies that met in this step would turn deep into each other with v_next."""
    colliders = w.tables.colliders
    scratch = w.contact_scratch
    contacts = w.contacts
    rows = w.rows
    known = False
    for r in range(rows.count[ALL_ROWS]):
        if rows.code[r] != CONTACT or not rows.p[r] > 0.0:
            continue
        e = (rows.id[r] - w.table.id_count) // 3
        # those that were there in the last step have its impulses still
        if contacts.impulse[e, 0] > 0.0 or contacts.soft[e, 0] != RIGID or is_core(contacts, e):
            continue
        if not known:
            known = True
            velocities_of(w.tables.tree, w.tree, q, w.v_next, w.v_next_own, w.expected)
        pair = contacts.id[e] // FEATURES_PER_PAIR - 1
        i = pair // colliders.link.size
        j = pair % colliders.link.size
        turn = max(norm(turning(colliders, w.expected, scratch, i)), norm(turning(colliders, w.expected, scratch, j)))
        if h * turn > FAST_TURN:
            most = max(DEEP * min(colliders.thin[i], colliders.thin[j]), INSIDE * contacts.slop[e])
            gap = smallest_gap(colliders, w.tree, w.expected, scratch, contacts, i, j, h)
            place_pair(colliders, w.tree, w.expected, scratch, i, j, 0.0)
            if gap < -most - max(contacts.depth[e], 0.0):
                return True
    return False
