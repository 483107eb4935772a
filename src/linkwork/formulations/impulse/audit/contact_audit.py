"""What contacts did that they should not: act on bodies that do not meet, take energy from what only rolls or rests.

A contact may act before its bodies touch, to stop them where they meet at the end of the step. They do meet if they
would overlap while they move on as they did, or as the forces of the step have them: that is looked at here a few times
along the step, without the search of contact/in_time/time_of_impact.py that made the contact. If they do not, and the
next few steps find them apart, the energy that the contact took is counted. A contact that was there before, and holds
without sliding, takes nothing in truth, neither from what rests nor from what rolls; what it takes is the error of
steps that are too long. The step after bodies met is left out: there an impact ends that began at a distance. A body
that slides along a face, and is stopped by a side that reaches beyond this face by no more than overlaps do, was
stopped by a seam (seams.py). How deep bodies overlap that carry each other is noted too. All this goes into
`State.solver_stats`, for the certificate.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel, small
from linkwork.contact.contact_cache import FEATURES_PER_PAIR
from linkwork.contact.in_time.core_sphere import is_core
from linkwork.contact.in_time.seams import at_a_seam
from linkwork.contact.in_time.time_of_impact import find_apart as find_gap
from linkwork.contact.in_time.time_of_impact import place_pair
from linkwork.contact.scratch import APART_GAP
from linkwork.formulations.impulse.rows.row_algebra import has_friction
from linkwork.formulations.impulse.rows.row_table import CONTACT
from linkwork.formulations.impulse.rows.rows import ALL_ROWS
from linkwork.formulations.samples import APART_LOSS, OVERLAP, ROLLING_LOSS, SEAM_LOSS, SUNK, WORST_OVERLAP
from linkwork.mechanics.accounts import part_between
from linkwork.spatial.codes import PLANE, RIGID

APART_PART = 0.1  # of the way that a contact stopped: bodies that stay farther apart did not meet
LOOKS = 8  # along the step
GRACE = 4  # steps in which they may still meet: what turns fast may stop a little short of the other
MET = -1  # in place of the number of steps: they met in the last one
IN_AIR, ROLLED, AT_SEAM = range(3)  # losses of each part
HOLDING = 0.999  # of the most that friction can do: what takes less holds


class ContactAudit(NamedTuple):
    """Contacts of the last steps that acted before their bodies touched, which they have not done yet."""

    count: Any  # (1,)
    pair: Any  # (contact,) as in the contact cache
    loss: Any  # (contact,) J; 0 where they were to meet
    way: Any  # (contact,) m, how far apart they may be afterwards
    steps: Any  # (contact,) since then, or MET
    part: Any  # (contact,) of the model, in which they are
    part_loss: Any  # (3, part) J so far: IN_AIR, ROLLED, AT_SEAM


def make_audit(contacts: int, parts: int) -> ContactAudit:
    """Room for so many contacts in a model of so many parts."""
    return ContactAudit(
        count=np.zeros(1, dtype=np.int64),
        pair=np.zeros(contacts, dtype=np.int64),
        loss=np.zeros(contacts),
        way=np.zeros(contacts),
        steps=np.zeros(contacts, dtype=np.int64),
        part=np.zeros(contacts, dtype=np.int64),
        part_loss=np.zeros((3, parts)),
    )


@kernel
def keep_entry(audit, k, n):
    """Entry k of the audit becomes entry n."""
    audit.pair[n] = audit.pair[k]
    audit.loss[n] = audit.loss[k]
    audit.way[n] = audit.way[k]
    audit.steps[n] = audit.steps[k]
    audit.part[n] = audit.part[k]


@kernel
def find_apart(audit, contacts, stats):
    """Count the losses of contacts whose bodies stay apart after all; the table is that of the new positions."""
    n = 0
    for k in range(audit.count[0]):
        for e in range(contacts.count[0]):
            if contacts.id[e] // FEATURES_PER_PAIR == audit.pair[k] and contacts.depth[e] > -audit.way[k]:
                audit.steps[k] = MET
                break
        if audit.steps[k] == GRACE:
            stats[APART_LOSS] += audit.loss[k]
            audit.part_loss[IN_AIR, audit.part[k]] += audit.loss[k]
        else:
            keep_entry(audit, k, n)
            n += 1
    audit.count[0] = n


@kernel
def smallest_gap(colliders, work, velocity, scratch, contacts, i, j, h):
    """The smallest gap of colliders i and j, negative inside, while they move with these velocities for h."""
    margin = scratch.margin[i] + scratch.margin[j]
    gap = math.inf
    for k in range(LOOKS):
        t = h * (k + 1) / LOOKS
        if find_gap(colliders, work, velocity, scratch, contacts, i, j, margin, t, contacts.count[0]):
            gap = min(gap, scratch.apart[APART_GAP])
    return gap


@small
def meet_in_step(w, pair, gap, h):
    """Whether the gap of a pair becomes as small as `gap` as they move, or as the forces of the step have them."""
    n = w.tables.colliders.link.size
    i = (pair - 1) // n
    j = (pair - 1) % n
    meets = False
    for look in range(2):
        velocity = w.tree.pose_v if look == 0 else w.v_next_world
        if not meets:
            least = smallest_gap(w.tables.colliders, w.tree, velocity, w.contact_scratch, w.contacts, i, j, h)
            meets = least <= gap
    place_pair(w.tables.colliders, w.tree, w.tree.pose_v, w.contact_scratch, i, j, 0.0)
    return meets


@small
def half_thickness(colliders, contacts, e):
    """Mean of half the thickness of the two of contact e, m; nothing gets by a plane, and a field has no thickness.

    At twice that depth, or more, their middles meet: from there on they part on the other side.
    """
    pair = contacts.id[e] // FEATURES_PER_PAIR - 1
    n = colliders.link.size
    i = pair // n
    j = pair % n
    if colliders.kind[i] == PLANE or colliders.kind[j] == PLANE:
        return math.inf
    least = min(colliders.thin[i], colliders.thin[j])
    mean = 0.5 * (colliders.thin[i] + colliders.thin[j])
    return mean if mean < math.inf else least


@kernel
def has_met(audit, pair):
    """Whether the two of a pair met in the last step."""
    for k in range(audit.count[0]):
        if audit.pair[k] == pair and audit.steps[k] == MET:
            return True
    return False


@kernel
def deepest_overlap(contacts):
    """How deep two rigid bodies overlap at most at the start of the step, m, whether they press or not."""
    deepest = 0.0
    for e in range(contacts.count[0]):
        if contacts.soft[e, 0] == RIGID and not is_core(contacts, e):
            deepest = max(deepest, contacts.depth[e])
    return deepest


@small
def note_contacts(w, stats, h):
    """After the impulses of a step, while contacts still have those of the last one."""
    audit = w.audit
    contacts = w.contacts
    rows = w.rows
    n = audit.count[0]
    for r in range(rows.count[ALL_ROWS]):
        if rows.code[r] != CONTACT or not rows.p[r] > 0.0:
            continue
        e = (rows.id[r] - w.table.id_count) // 3
        depth = contacts.depth[e]
        if rows.deferred[r] != 0:
            # what is soft overlaps and takes energy as it was told to, but holds nothing that it lets through
            stats[SUNK] = max(stats[SUNK], depth / half_thickness(w.tables.colliders, contacts, e))
            continue
        loss = rows.loss[r]
        holds = True
        if has_friction(rows, r, rows.count[ALL_ROWS]):
            loss += rows.loss[r + 1] + rows.loss[r + 2]
            rubs = math.sqrt(rows.p[r + 1] * rows.p[r + 1] + rows.p[r + 2] * rows.p[r + 2])
            holds = rubs < HOLDING * rows.friction[r + 1] * rows.p[r]
        pair = contacts.id[e] // FEATURES_PER_PAIR
        part = part_between(w.tables.tree, rows.links[r, 0], rows.links[r, 1])
        if loss > 0.0 and not contacts.impulse[e, 0] > 0.0 and h * rows.start_rate[r] < -contacts.slop[e]:
            if at_a_seam(w.tables.colliders, w.tree, w.contact_scratch, contacts, e, h):
                stats[SEAM_LOSS] += loss
                audit.part_loss[AT_SEAM, part] += loss
        if contacts.impulse[e, 0] > 0.0:
            if holds and loss > 0.0 and not has_met(audit, pair):
                stats[ROLLING_LOSS] += loss
                audit.part_loss[ROLLED, part] += loss
        elif depth < 0.0 and loss > 0.0 and not rows.target[r] > 0.0 and n < audit.pair.size:
            # without it they would overlap, by a part at least of what it foresees
            overlap = APART_PART * (depth - h * min(rows.start_rate[r], rows.rate[r]))
            audit.pair[n] = pair
            audit.part[n] = part
            audit.loss[n] = 0.0 if meet_in_step(w, pair, contacts.slop[e] - overlap, h) else loss
            audit.way[n] = max(contacts.slop[e], -APART_PART * h * rows.start_rate[r])
            audit.steps[n] = 0
            n += 1
    stats[OVERLAP] = deepest_overlap(contacts)
    stats[WORST_OVERLAP] = max(stats[WORST_OVERLAP], stats[OVERLAP])
    close_step(audit, n)


@kernel
def close_step(audit, n):
    """Of the n entries those that are still apart go on, one step older."""
    old = audit.count[0]
    kept = 0
    for k in range(n):
        if audit.steps[k] == MET:
            continue
        keep_entry(audit, k, kept)
        if k < old:
            audit.steps[kept] += 1
        kept += 1
    audit.count[0] = kept
