"""Restitution by energy: a collision with friction gives back no more than it may.

    e    coefficient of restitution        E(s)   energy that a contact takes when it leaves with s e times its speed
    s    0 to 1, 1 is Newton's law         g(s)   E(s) - (1 - e^2) E(0), which must not be negative

Newton's law makes a contact leave with e times the speed of approach. While friction slides one way, or does not act,
the contact then takes (1 - e^2) of what it takes without rebound, and friction takes more. Where friction reverses the
slip in the collision it would do work on the bodies, and they could gain energy (Kane's paradox). So a bounce in which
friction did work is repeated: without rebound for E(0), then with the largest s for which g(s) is not negative
(Illinois method: E is a parabola as long as the same contacts slide). Islands without such a bounce stay as they are.

Contacts only take energy. Where the sweeps of an island were cut short, what they left may give some: such impulses are
all made smaller by one factor, the one with which they take most.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel, small
from linkwork.formulations.impulse.rows.row_algebra import add_impulses, has_friction, rate_change
from linkwork.formulations.impulse.rows.row_table import CONTACT, CONTACT_FRICTION, CONTACT_MOMENT
from linkwork.formulations.impulse.rows.rows import ALL_ROWS
from linkwork.formulations.impulse.solver.row_solver import solve_rows

WORKING = 1e-10  # of what the normal takes: friction that does more work than that is not left so
EXACT = 1e-11  # of E(0): as near to zero g is found
MOST_ROUNDS = 20
NEWTON, WITHOUT, SEARCHING, FOUND = range(4)  # what is known of a bounce


class Bounces(NamedTuple):
    """Contacts of the present step whose rebound is reduced."""

    count: Any  # (1,)
    any: Any  # (1,) 1 where a contact of the step leaves with a rebound, reduced or not
    round: Any  # (1,) solutions so far
    row: Any  # (bounce,) its normal row
    state: Any  # (bounce,) NEWTON, WITHOUT, SEARCHING or FOUND
    part: Any  # (bounce,) s
    allowed: Any  # (bounce,) J, (1 - e^2) E(0)
    scale: Any  # (bounce,) J, E(0); first E(1)
    side: Any  # (bounce,) 1 where the last s was allowed, -1 where not
    low: Any  # (bounce, 2) the largest s known to be allowed, and its g
    high: Any  # (bounce, 2) the smallest known not to be, and its g


def make_bounces(contacts: int) -> Bounces:
    """Room for so many."""
    whole = {name: np.zeros(contacts, dtype=np.int64) for name in ("row", "state")}
    own = {name: np.zeros(contacts) for name in ("part", "allowed", "scale", "side")}
    ends = {name: np.zeros((contacts, 2)) for name in ("low", "high")}
    one = {name: np.zeros(1, dtype=np.int64) for name in ("count", "any", "round")}
    return Bounces(**one, **whole, **own, **ends)


@small
def start_bounces(islands, bounces):
    """All islands are to be solved, and no bounce is known."""
    bounces.count[0] = 0
    bounces.any[0] = 0
    bounces.round[0] = 0
    for i in range(islands.count[0]):
        islands.solved[i] = 0


@kernel
def contact_loss(rows, x, r):
    """Energy that contact r and its friction took, and what its friction did; x: joint impulses of all rows."""
    loss = -0.5 * rows.p[r] * (rows.start_rate[r] + rows.rate[r] + rate_change(rows, r, x))
    work = 0.0
    for k in range(r + 1, r + 3):
        work += 0.5 * rows.p[k] * (rows.start_rate[k] + rows.rate[k] + rate_change(rows, k, x))
    return loss - work, work


@kernel
def find_bounces(table, rows, s, contacts, bounces):
    """Bounces in which friction did work: they are to be solved without rebound first."""
    n = rows.count[ALL_ROWS]
    known = False
    for r in range(n):
        if not rows.rebound[r] > 0.0 or not rows.p[r] > 0.0 or rows.deferred[r] != 0:
            continue
        bounces.any[0] = 1
        if not has_friction(rows, r, n):
            continue
        if not known:
            known = True
            add_impulses(rows, n, rows.p, s.x)
        loss, work = contact_loss(rows, s.x, r)
        if work > -WORKING * rows.p[r] * rows.start_rate[r]:
            k = bounces.count[0]
            bounces.count[0] = k + 1
            bounces.row[k] = r
            bounces.state[k] = NEWTON
            bounces.part[k] = 1.0
            bounces.scale[k] = loss


@kernel
def next_part(rows, contacts, table, bounces, k, loss):
    """The s of bounce k that is to be tried next, after one that took `loss`; sets its state."""
    state = bounces.state[k]
    if state == NEWTON:
        bounces.high[k, 0] = 1.0
        bounces.high[k, 1] = bounces.scale[k]
        bounces.state[k] = WITHOUT
        return 0.0
    g = loss - bounces.allowed[k]
    if state == WITHOUT:
        e = contacts.restitution[(rows.id[bounces.row[k]] - table.id_count) // 3]
        bounces.scale[k] = loss
        bounces.allowed[k] = (1.0 - e * e) * loss
        g = e * e * loss
        bounces.high[k, 1] -= bounces.allowed[k]
        bounces.state[k] = SEARCHING
        if not g > 0.0:
            bounces.state[k] = FOUND
            return 0.0
        if bounces.high[k, 1] >= 0.0:
            bounces.state[k] = FOUND
            return 1.0
        bounces.side[k] = 0.0
        bounces.low[k, 0] = 0.0
        bounces.low[k, 1] = g
    elif g >= 0.0:
        if g <= EXACT * bounces.scale[k]:
            bounces.state[k] = FOUND
            return bounces.part[k]
        if bounces.side[k] > 0.0:
            bounces.high[k, 1] *= 0.5
        bounces.side[k] = 1.0
        bounces.low[k, 0] = bounces.part[k]
        bounces.low[k, 1] = g
    else:
        if bounces.side[k] < 0.0:
            bounces.low[k, 1] *= 0.5
        bounces.side[k] = -1.0
        bounces.high[k, 0] = bounces.part[k]
        bounces.high[k, 1] = g
    a = bounces.low[k, 0]
    b = bounces.high[k, 0]
    # a little on the allowed side of the straight line's zero, so that the search can end there
    f_a = bounces.low[k, 1] - 0.5 * EXACT * bounces.scale[k]
    f_b = bounces.high[k, 1] - 0.5 * EXACT * bounces.scale[k]
    if bounces.round[0] >= MOST_ROUNDS or not f_a > 0.0:
        bounces.state[k] = FOUND
        return a
    return a + (b - a) * f_a / (f_a - f_b)


@kernel
def bounces_settled(table, rows, s, contacts, bounces):
    """Whether no bounce gains what it must not; else targets are set for the next solution of the islands concerned."""
    if bounces.round[0] == 0:
        find_bounces(table, rows, s, contacts, bounces)
    if bounces.count[0] == 0:
        return True
    bounces.round[0] += 1
    n = rows.count[ALL_ROWS]
    if bounces.round[0] > 1:
        add_impulses(rows, n, rows.p, s.x)
    settled = True
    islands = s.islands
    for i in range(islands.count[0]):
        islands.solved[i] = 1
    for k in range(bounces.count[0]):
        r = bounces.row[k]
        part = bounces.part[k]
        if bounces.state[k] != FOUND:
            loss, _ = contact_loss(rows, s.x, r)
            part = next_part(rows, contacts, table, bounces, k, loss)
        if part != bounces.part[k] or bounces.state[k] == SEARCHING:
            settled = False
            rows.target[r] += (part - bounces.part[k]) * rows.rebound[r]
            bounces.part[k] = part
            for i in range(islands.count[0]):
                if islands.row_start[i] <= r < islands.row_start[i + 1]:
                    islands.solved[i] = 0
    for r in range(n):
        s.b[r] = rows.target[r] - rows.rate[r]
    return settled


@kernel
def only_contacts(rows, first, last):
    """Whether the rows first … last - 1 are rigid contacts: they are no source of energy."""
    for r in range(first, last):
        code = rows.code[r]
        if code != CONTACT and code != CONTACT_FRICTION and code != CONTACT_MOMENT:
            return False
        if rows.deferred[r] != 0:
            return False
    return True


@kernel
def remove_energy_gain(rows, s, p):
    """Impulses p of contacts that would give energy become those along them that take most."""
    add_impulses(rows, rows.count[ALL_ROWS], p, s.x)
    for i in range(s.islands.count[0]):
        first = s.islands.row_start[i]
        last = s.islands.row_start[i + 1]
        if not only_contacts(rows, first, last):
            continue
        # energy of a part s of p: s work + s^2 change / 2
        work = 0.0
        change = 0.0
        for r in range(first, last):
            if p[r] != 0.0:
                work += p[r] * rows.rate[r]
                change += p[r] * rate_change(rows, r, s.x)
        if work + 0.5 * change > 0.0:
            part = max(-work / change, 0.0)
            for r in range(first, last):
                p[r] *= part


@small
def solve_bouncing(table, rows, s, contacts, bounces, low, high, p, iterations, guessing):
    """`solve_rows`, again where bounces gain too much; `guessing`: velocities are solved for."""
    start_bounces(s.islands, bounces)
    sweeps = 0
    worst = 0.0
    infeasible = 0.0
    left = 0.0
    solving = True
    while solving:
        more, change = solve_rows(rows, s, low, high, p, iterations, guessing)
        sweeps = max(sweeps, more)
        worst = max(worst, change)
        infeasible = max(infeasible, s.infeasible[0])
        left = max(left, s.left[0])
        solving = guessing and not bounces_settled(table, rows, s, contacts, bounces)
    if guessing and left > 0.0:
        remove_energy_gain(rows, s, p)
    s.infeasible[0] = infeasible
    s.left[0] = left
    return sweeps, worst
