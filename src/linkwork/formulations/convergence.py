"""When an iteration has converged: a criterion without units, which falls with the step as the rule's own error does.

    unit    what counts as one of a coordinate or of a row: a radian, or the length of the model
    change  largest change that an iteration made, in units
    left    what further ones would still change, judged by how much smaller this change was than the one before
    bend    h^2/4 times the mean acceleration of the step, in units
    turn    h^2/4 times the change of the accelerations in the step: all that the iteration has to find

An error x of the displacement is an error 4 x / h^2 of the accelerations. It may be `tolerance` of these, and less
where the step resolves the motion. There the error of the rule itself is about (turn / bend)^2 / 12 of them, with
changing sign, and what is left, which may add up, stays near 3e-5 of that. So the order of the rule shows at every
step, size and mass. Rounding is the lower limit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel, small
from linkwork.mechanics.size import dof_units, row_units, size_of
from linkwork.spatial.codes import FREE, GIVEN, SWING, SWING_BACK, WELD
from linkwork.spatial.vectors import load3, norm

RESOLVED = 0.2  # turn / bend below which less than the tolerance may be left
ROUNDING = 4e-16  # of how far positions lie from zero, in units: they are known no better
STALLED = 1e4  # times the rounding: a change below this that no longer falls is rounding, too
FALLING = 0.5  # of the change before
FEW = 1e-8  # units: a change below this is accepted when the iterations are used up, as near singular positions
CLOSED = 4.0  # times the rounding: loops are never closed better
CLOSING = 0.9  # of the gap before: loops that close no further are left


class Measure(NamedTuple):
    """Units of the coordinates and rows of one system; made once by `measure`."""

    length: float  # m, the size of the model
    turns: Any  # (dof,) 1 where it turns, 0 where it slides
    unit: Any  # (dof,) 1 rad, or the length
    place: Any  # (q,) the same of positions
    row: Any  # (row,) of a direction 1, of a distance the length


def measure(tables: Any) -> Measure:
    """Units from the tables of one system."""
    tree, length = tables.tree, size_of(tables)
    turns = np.ones(tree.dof_link.size)
    slides = []  # places in q of slides
    for i in range(tree.grounds, tree.link_motion.size):
        motion, k, m = tree.link_motion[i], tree.link_q[i], tree.link_v[i]
        if motion == FREE:
            turns[m : m + 3] = 0.0
            slides += [k, k + 1, k + 2]
        elif motion not in (SWING, SWING_BACK, WELD, GIVEN) and tree.link_turn[i] == 0.0:
            turns[m] = 0.0
            slides.append(k)
    quaternions = int(np.isin(tree.link_motion, (SWING, SWING_BACK, FREE)).sum())
    place = np.ones(turns.size + quaternions)
    place[slides] = length
    return Measure(length, turns, dof_units(tables), place, row_units(tables))


@kernel
def largest_part(x, unit):
    """Largest of x in units."""
    m = 0.0
    for i in range(x.size):
        m = max(m, abs(x[i]) / unit[i])
    return m


@kernel
def rounding(m, z, pose_p):
    """Units to which positions are known: angles and slides z, and places of the links."""
    far = 0.0
    for i in range(pose_p.shape[0]):
        far = max(far, norm(load3(pose_p, i)))
    return ROUNDING * (1.0 + far / m.length + largest_part(z, m.place))


@kernel
def allowed(m, tolerance, v, vd, delta, h):
    """Error, in units, that a step of h with displacement delta may leave; it began with v and vd."""
    bend = 0.0
    turn = 0.0
    swing = 0.0
    for k in range(delta.size):
        bent = delta[k] - h * v[k]
        bend = max(bend, 0.5 * abs(bent) / m.unit[k])
        turn = max(turn, abs(bent - 0.5 * h * h * vd[k]) / m.unit[k])
        swing = max(swing, m.turns[k] * abs(delta[k]))
    # what turns steadily is accelerated towards its centre
    return left_over(tolerance, bend + 0.25 * swing * swing, turn)


@small
def left_over(tolerance, bend, turn):
    """`tolerance` of the accelerations, less where they turn little in the step."""
    x = turn / (RESOLVED * bend) if bend > 0.0 else 0.0
    return tolerance * bend * min(1.0, x * x)


@small
def left_after(change, before):
    """What further iterations would change; before is 0 where there was no iteration before."""
    return change * min(1.0, change / before) if before > 0.0 else change


@small
def closed(gap, before, enough, finest):
    """The loops are closed, or do not close any further; before is inf where positions still changed."""
    return gap <= max(enough, CLOSED * finest) or gap > CLOSING * before


@small
def settled(left, change, before, enough, finest, last):
    """The iteration has converged: little is left, or rounding, or it is the last one and its change was small."""
    return left <= enough or stalled(change, before, finest) or (last and change < FEW)


@small
def stalled(change, before, finest):
    """The change is rounding: small, and no longer falling."""
    return before > 0.0 and change > FALLING * before and change < STALLED * finest
