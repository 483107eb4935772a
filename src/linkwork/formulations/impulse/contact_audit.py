"""What contacts did that they should not: act on bodies that stay apart, take energy from what only rolls or rests.

A contact may act before its bodies touch, to stop them where they meet at the end of the step. Where the next few steps
find them apart they were never going to meet: the energy that it took is counted. A contact that was there before, and
holds without sliding, takes nothing in truth, neither from what rests nor from what rolls; what it takes is the error
of steps that are too long. How deep bodies overlap that carry each other is noted too. All this goes into
`State.effort`, for the certificate.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel
from linkwork.contact.contact_cache import FEATURES_PER_PAIR
from linkwork.formulations.impulse.row_algebra import has_friction
from linkwork.formulations.impulse.row_table import CONTACT
from linkwork.formulations.impulse.rows import ALL_ROWS
from linkwork.formulations.samples import APART_LOSS, OVERLAP, ROLLING_LOSS, WORST_OVERLAP

APART_PART = 0.1  # of the way that a contact stopped: bodies that are farther apart afterwards did not meet
GRACE = 4  # steps in which they may still meet: what turns fast may stop a little short of the other
HOLDING = 0.999  # of the most that friction can do: what takes less holds


class ContactAudit(NamedTuple):
    """Contacts of the last steps that acted before their bodies touched, which they have not done yet."""

    count: Any  # (1,)
    pair: Any  # (contact,) as in the contact cache
    loss: Any  # (contact,) J
    way: Any  # (contact,) m, how far apart they may be afterwards
    steps: Any  # (contact,) since then


def make_audit(contacts: int) -> ContactAudit:
    """Room for so many contacts."""
    whole = (np.zeros(1, dtype=np.int64), np.zeros(contacts, dtype=np.int64))
    return ContactAudit(*whole, np.zeros(contacts), np.zeros(contacts), np.zeros(contacts, dtype=np.int64))


@kernel
def find_apart(audit, contacts, effort):
    """Count the losses of contacts whose bodies stay apart after all; the table is that of the new positions."""
    n = 0
    for k in range(audit.count[0]):
        apart = True
        for e in range(contacts.count[0]):
            if contacts.id[e] // FEATURES_PER_PAIR == audit.pair[k] and contacts.depth[e] > -audit.way[k]:
                apart = False
                break
        if apart and audit.steps[k] == GRACE:
            effort[APART_LOSS] += audit.loss[k]
        elif apart:
            audit.pair[n] = audit.pair[k]
            audit.loss[n] = audit.loss[k]
            audit.way[n] = audit.way[k]
            audit.steps[n] = audit.steps[k] + 1
            n += 1
    audit.count[0] = n


@kernel
def note_contacts(audit, contacts, table, rows, effort, h):
    """After the impulses of a step: `contacts` still has those of the last one. `rows.loss` is what each row took."""
    n = audit.count[0]
    effort[OVERLAP] = 0.0
    for r in range(rows.count[ALL_ROWS]):
        if rows.code[r] != CONTACT or rows.deferred[r] != 0:
            continue  # what is soft overlaps and takes energy as it was told to
        e = (rows.id[r] - table.id_count) // 3
        depth = contacts.depth[e]
        if not rows.p[r] > 0.0:
            continue
        loss = rows.loss[r]
        holds = True
        if has_friction(rows, r, rows.count[ALL_ROWS]):
            loss += rows.loss[r + 1] + rows.loss[r + 2]
            rubs = math.sqrt(rows.p[r + 1] * rows.p[r + 1] + rows.p[r + 2] * rows.p[r + 2])
            holds = rubs < HOLDING * rows.friction[r + 1] * rows.p[r]
        if contacts.impulse[e, 0] > 0.0:
            effort[OVERLAP] = max(effort[OVERLAP], depth)
            if holds and loss > 0.0:
                effort[ROLLING_LOSS] += loss
        elif depth < 0.0 and loss > 0.0 and not rows.target[r] > 0.0 and n < audit.pair.size:
            audit.pair[n] = contacts.id[e] // FEATURES_PER_PAIR
            audit.loss[n] = loss
            audit.way[n] = max(contacts.touch[e], -APART_PART * h * rows.start_rate[r])
            audit.steps[n] = 0
            n += 1
    effort[WORST_OVERLAP] = max(effort[WORST_OVERLAP], effort[OVERLAP])
    audit.count[0] = n
