"""The state of every method, and samples of it kept inside the compiled loop."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel
from linkwork.mechanics.counts import count_cut_rates
from linkwork.mechanics.size import size_of
from linkwork.spatial.codes import CROSSED

# slots of `State.solver_stats`: of the last step, then so far
SWEEPS, RESIDUAL, ROW_COUNT, ALL_SWEEPS, WORST_RESIDUAL, STEPS_CUT, MOST_SWEEPS = range(7)
ALL_LEFT, APART_LOSS, ROLLING_LOSS, OVERLAP, WORST_OVERLAP, SEAM_LOSS = range(7, 13)  # of contacts: contact_audit.py
# J, of soft contacts and stops: held, what of that they give back, and taken beyond their law; soft_rows.py
SOFT_HELD, SOFT_OWED, SOFT_TAKEN = range(13, 16)
# of methods with impulses: by how much velocities are behind positions, s; of what joints hold together 1 where that
# goes for the weight alone, 2 where for nothing, else 0
LATE, COASTED = range(17, 19)
SUNK = 16  # deepest overlap of a soft contact so far, as a part of half the mean thickness of the two
SPRINGS_LEAD = 19  # J, what springs hold where their rule keeps energies, beyond that at the positions; spring_rows.py
# slots of `State.count`
EVALUATIONS, RANK, REFUSED = range(3)
# slots of `State.drift`
GAP, GAP_RATE, GAP_ROW = range(3)


class State(NamedTuple):
    """What moves. Written by the method at the end of each step; `last` at its beginning."""

    t: Any  # (1,) s
    y: Any  # coordinates q, velocities v, energy wasted, energy fed in, J; the same two of each part but the first
    last: Any  # (y,) y before the last step
    vd: Any  # (dof,) accelerations, rad/s2 or m/s2
    cut_q: Any  # coordinates of the joints that close loops, rad or m; quaternions of attitudes
    cut_rate: Any  # their rates, rad/s or m/s
    cut_force: Any  # (group, 6) force, torque on b at the joint's point, N, N m, world axes; or effort of a coupling
    foreign: Any  # (foreign body, 24) rotation, origin; velocity and acceleration as in `TreeWork`
    drift: Any  # (3,) largest GAP as a part of the size or of a radian, largest GAP_RATE, GAP_ROW of the first
    size: Any  # (1,) m, what gaps are compared with; never changed
    count: Any  # (3,) EVALUATIONS so far, RANK of the loops, steps REFUSED so far
    inputs: Any  # (input,) numbers that were set, as the last sample has them; `keep_sample`
    row: Any  # (1,) row of the samples in which the first sample of a call is kept
    # of methods with impulses
    push: Any  # (link, 6) loads of impulses: torque about the world's origin, force; N m, N, world axes
    contact_force: Any  # (link, 3) forces of contacts, N, world axes
    drive: Any  # (motor,) forces of motors, N m or N
    stop: Any  # (limit and 3 cone,) forces of stops along the coordinate, N m or N; of a cone on swing, twist, turn
    sensor_force: Any  # (zone,) N, sum of the normal forces on it
    # of methods that iterate
    solver_stats: Any  # (20,) of the last step or so far, see above


class Samples(NamedTuple):
    """Kept states: the arrays of `State`, one row for each sample; written by `keep_sample`."""

    t: Any
    y: Any
    vd: Any
    cut_q: Any
    cut_rate: Any
    cut_force: Any
    foreign: Any
    drift: Any
    count: Any
    inputs: Any  # without rows: those that the tables have now
    push: Any
    contact_force: Any
    drive: Any
    stop: Any
    sensor_force: Any
    solver_stats: Any


def make_state(tables: Any, y: Any, cut_q: Any, pushes: bool = False) -> State:
    """A state with coordinates, velocities and accounts y; `pushes` makes room for loads of impulses."""
    return State(
        t=np.zeros(1),
        y=y.copy(),
        last=y.copy(),
        vd=np.zeros(tables.tree.dof_link.size),
        cut_q=cut_q.copy(),
        cut_rate=np.zeros(count_cut_rates(tables.cuts)),
        cut_force=np.zeros((tables.cuts.side_link.shape[0], 6)),
        foreign=np.zeros((int((tables.tree.ground_law[1:, 0] < 0).sum()), 24)),
        drift=np.zeros(3),
        size=np.full(1, size_of(tables)),
        count=np.zeros(3, dtype=np.int64),
        inputs=tables.laws.law_param[tables.laws.input_law, 0],
        row=np.zeros(1, dtype=np.int64),
        push=np.zeros((tables.tree.link_parent.size if pushes else 0, 6)),
        contact_force=np.zeros((tables.tree.link_parent.size if pushes and tables.colliders.capacity else 0, 3)),
        drive=np.zeros(tables.drives.motor_law.size if pushes else 0),
        stop=np.zeros(tables.drives.limit_q.size + 3 * tables.drives.cone_a.size if pushes else 0),
        sensor_force=np.zeros(tables.zones.link.size if pushes else 0),
        solver_stats=np.zeros(20),
    )


def make_samples(state: State, rows: int) -> Samples:
    """Room for `rows` rows of `state`."""
    arrays = {
        name: np.zeros((rows, *getattr(state, name).shape), getattr(state, name).dtype) for name in Samples._fields
    }
    arrays["inputs"][:] = state.inputs
    return Samples(**arrays)


def copy_sample(state: State, samples: Samples, k: int) -> None:
    """Sample k is the present state: `keep_sample` for loops in Python."""
    for name in Samples._fields:
        getattr(samples, name)[k] = getattr(state, name)


@kernel
def record_gap(cuts, g, state):
    """state.drift: the largest gap of the rows g as a part of the size of the model, or of a radian, and its row."""
    state.drift[GAP] = 0.0
    for r in range(g.size):
        gap = abs(g[r]) if cuts.row_kind[r] == CROSSED else abs(g[r]) / state.size[0]
        if gap > state.drift[GAP]:
            state.drift[GAP] = gap
            state.drift[GAP_ROW] = r


@kernel
def keep_sample(laws, state, samples, kept):
    """Copy the state to the next row of the samples, after the `kept` ones of this call."""
    k = state.row[0] + kept
    for i in range(state.inputs.size):
        state.inputs[i] = laws.law_param[laws.input_law[i], 0]
    keep(state.inputs, samples.inputs, k)
    samples.t[k, 0] = state.t[0]
    keep(state.y, samples.y, k)
    keep(state.vd, samples.vd, k)
    keep(state.cut_q, samples.cut_q, k)
    keep(state.cut_rate, samples.cut_rate, k)
    for c in range(state.cut_force.shape[0]):
        for e in range(6):
            samples.cut_force[k, c, e] = state.cut_force[c, e]
    for i in range(state.foreign.shape[0]):
        for e in range(24):
            samples.foreign[k, i, e] = state.foreign[i, e]
    keep(state.drift, samples.drift, k)
    keep(state.count, samples.count, k)
    for i in range(state.push.shape[0]):
        for e in range(6):
            samples.push[k, i, e] = state.push[i, e]
    for i in range(state.contact_force.shape[0]):
        for e in range(3):
            samples.contact_force[k, i, e] = state.contact_force[i, e]
    keep(state.drive, samples.drive, k)
    keep(state.stop, samples.stop, k)
    keep(state.sensor_force, samples.sensor_force, k)
    keep(state.solver_stats, samples.solver_stats, k)


@kernel
def keep(x, samples, k):
    for i in range(x.size):
        samples[k, i] = x[i]
