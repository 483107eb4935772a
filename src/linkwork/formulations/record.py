"""What every method hands to the recorder: the state, and rows of it kept inside the compiled loop."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel
from linkwork.mechanics.size import size_of


class State(NamedTuple):
    """What moves. y = q, v, wasted energy, fed-in energy."""

    t: Any  # (1,) s
    y: Any
    last: Any  # (y,) the state before the last step
    vd: Any  # (dof,)
    cut_q: Any  # coordinates of the joints that close loops
    cut_rate: Any
    cut_force: Any  # (cut, 6) force, torque on b at the joint's point, world axes
    foreign: Any  # (foreign body, 24) rotation, origin; velocity and acceleration as in the tables of the links
    drift: Any  # (3,) largest gap as a part of the size or of a radian, largest rate of a gap, row of the first
    size: Any  # (1,) m, what gaps are compared with
    count: Any  # (3,) evaluations, rank of the loops, steps refused
    # of methods with impulses
    push: Any  # (link, 6) loads that no table tells: torque about the world's origin, force; world axes
    touch: Any  # (link, 3) N, what contacts push with; world axes
    drive: Any  # (motor,) N m or N, what motors drive with
    # of methods that iterate
    effort: Any  # (7,) of the last step: sweeps, residual, rows; so far: sweeps, worst residual, steps cut, most sweeps


class Rows(NamedTuple):
    """Kept states, a row each."""

    t: Any
    y: Any
    vd: Any
    cut_q: Any
    cut_rate: Any
    cut_force: Any
    foreign: Any
    drift: Any
    count: Any
    push: Any
    touch: Any
    drive: Any
    effort: Any


def make_state(tables: Any, y: Any, cut_q: Any, pushes: bool = False) -> State:
    """A state with coordinates, velocities and accounts y; `pushes` makes room for loads that no table tells."""
    rates = int((tables.cuts.measure_rate.max() + 4) if tables.cuts.measure_rate.size else 0)
    return State(
        t=np.zeros(1),
        y=y.copy(),
        last=y.copy(),
        vd=np.zeros(tables.tree.dof_link.size),
        cut_q=cut_q.copy(),
        cut_rate=np.zeros(rates),
        cut_force=np.zeros((tables.cuts.cut_a.size, 6)),
        foreign=np.zeros((int((tables.tree.ground_law[1:, 0] < 0).sum()), 24)),
        drift=np.zeros(3),
        size=np.full(1, size_of(tables)),
        count=np.zeros(3, dtype=np.int64),
        push=np.zeros((tables.tree.link_parent.size if pushes else 0, 6)),
        touch=np.zeros((tables.tree.link_parent.size if pushes and tables.colliders.room else 0, 3)),
        drive=np.zeros(tables.drives.motor_law.size if pushes else 0),
        effort=np.zeros(7),
    )


def make_rows(state: State, rows: int) -> Rows:
    """Room for `rows` rows of `state`."""
    arrays = {name: np.zeros((rows, *getattr(state, name).shape), getattr(state, name).dtype) for name in Rows._fields}
    return Rows(**arrays)


@kernel
def keep_row(state, rows, k):
    rows.t[k, 0] = state.t[0]
    keep(state.y, rows.y, k)
    keep(state.vd, rows.vd, k)
    keep(state.cut_q, rows.cut_q, k)
    keep(state.cut_rate, rows.cut_rate, k)
    for c in range(state.cut_force.shape[0]):
        for e in range(6):
            rows.cut_force[k, c, e] = state.cut_force[c, e]
    for i in range(state.foreign.shape[0]):
        for e in range(24):
            rows.foreign[k, i, e] = state.foreign[i, e]
    keep(state.drift, rows.drift, k)
    keep(state.count, rows.count, k)
    for i in range(state.push.shape[0]):
        for e in range(6):
            rows.push[k, i, e] = state.push[i, e]
    for i in range(state.touch.shape[0]):
        for e in range(3):
            rows.touch[k, i, e] = state.touch[i, e]
    keep(state.drive, rows.drive, k)
    keep(state.effort, rows.effort, k)


@kernel
def keep(x, rows, k):
    for i in range(x.size):
        rows[k, i] = x[i]
