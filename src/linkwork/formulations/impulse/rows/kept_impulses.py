"""[MST17] Impulses from step to step: rows start with those of the last one, found by their ids."""

from __future__ import annotations

from linkwork._jit import small
from linkwork.formulations.impulse.rest.sleeping import is_asleep
from linkwork.formulations.impulse.rows.rows import ALL_ROWS
from linkwork.numerics.arrays import copy


@small
def warm_start(table, rows, contacts, ratio):
    """Step 4: rows start with the impulses of the last step, times `ratio`, this step's length by the last one's."""
    copy(rows.newton_kept, rows.newton)
    for r in range(rows.count[ALL_ROWS]):
        id = rows.id[r] - table.id_count
        more = id - 3 * contacts.id.size
        if id < 0:
            p = rows.kept[rows.id[r]]
        elif more < 0:
            p = contacts.impulse[id // 3, id % 3]
        else:
            p = contacts.moment[more // 3, more % 3]
        p *= ratio
        rows.p[r] = p if rows.normal_row[r] >= 0 else min(max(p, rows.low[r]), rows.high[r])


@small
def store_impulses(table, rows, contacts, sleep, islands, ratio):
    """Keep the impulses for the next step to start from; those of contacts that sleep are kept, times `ratio`."""
    for k in range(rows.kept.size):
        rows.kept[k] = 0.0
    copy(rows.newton, rows.newton_kept)
    for e in range(rows.sliding.size):
        rows.kept[table.first_friction + e] = rows.sliding[e]
    for e in range(contacts.count[0]):
        part = ratio if is_asleep(sleep, islands, contacts, e) else 0.0
        for j in range(3):
            contacts.impulse[e, j] *= part
            if contacts.moment.shape[0] > 0:
                contacts.moment[e, j] *= part
    for r in range(rows.count[ALL_ROWS]):
        id = rows.id[r] - table.id_count
        if id < 0:
            rows.kept[rows.id[r]] = rows.p[r]
        elif id < 3 * contacts.id.size:
            contacts.impulse[id // 3, id % 3] = rows.p[r]
        else:
            id -= 3 * contacts.id.size
            contacts.moment[id // 3, id % 3] = rows.p[r]
