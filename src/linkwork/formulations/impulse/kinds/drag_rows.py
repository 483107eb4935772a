"""Springs that pull points of bodies to points in the world, as a mouse does: three rows each, along x, y and z."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel, small
from linkwork.formulations.impulse.rows.row_table import DRAGS
from linkwork.formulations.impulse.rows.rows import defer_softness, set_wrench
from linkwork.spatial.vectors import add, cross, dot, load3, load9, norm, rotate, sub, unit_vector

SIDE_BRAKE = 0.1  # of its strength: what a drag may always brake with, also perpendicular to its pull
TINY_LENGTH = 1e-12  # m: a distance below this has no direction


class Drags(NamedTuple):
    """The present drags. Written by `simulation.interaction.drag.place_drags`."""

    link: Any  # (drag,) -1 where there is none
    point: Any  # (drag, 3) m, in the link
    goal: Any  # (drag, 3) m, world
    soft: Any  # (drag, 3) softness as in the tables of drives
    max_force: Any  # (drag,) N
    least_response: Any  # (drag,) 1/kg: softness in hertz refers to no heavier a mass, where joints hardly give way


def make_drags() -> Drags:
    """Room for DRAGS drags, none of them active."""
    return Drags(
        link=np.full(DRAGS, -1, dtype=np.int64),
        point=np.zeros((DRAGS, 3)),
        goal=np.zeros((DRAGS, 3)),
        soft=np.zeros((DRAGS, 3)),
        max_force=np.zeros(DRAGS),
        least_response=np.zeros(DRAGS),
    )


@kernel
def dragging(drags):
    """Whether a body is dragged."""
    for e in range(drags.link.size):
        if drags.link[e] >= 0:
            return True
    return False


@small
def drag_row(work, rows, drags, r, e, h):
    """Row r for component e % 3 of drag e // 3; False where there is no such drag."""
    j = e % 3
    e = e // 3
    i = drags.link[e]
    if i < 0:
        return False
    x = add(load3(work.pose_p, i), rotate(load9(work.pose_R, i), load3(drags.point, e)))
    axis = unit_vector(j)
    d = sub(x, load3(drags.goal, e))
    defer_softness(rows, r, drags.soft, e, dot(axis, d), 0.0)
    rows.damping[r] = drags.least_response[e]
    # all three together pull towards the goal with at most `max_force`
    length = norm(d)
    most = h * drags.max_force[e] * (max(abs(dot(axis, d)) / length, SIDE_BRAKE) if length > TINY_LENGTH else 1.0)
    rows.low[r] = -most
    rows.high[r] = most
    set_wrench(rows, r, 0, i, cross(x, axis), axis)
    return True
