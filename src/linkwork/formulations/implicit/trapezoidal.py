"""[CD03] What the implicit methods in joint coordinates share: the trapezoidal rule, kinematics, residual, accounts.

z zd zdd   joint coordinates, velocities, accelerations at the end of the step
delta      displacement from z_n to z_{n+1}; of a rotation, a rotation vector, so that (21)-(24) hold in velocities
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import small
from linkwork.formulations.convergence import allowed, largest_part, left_after, settled
from linkwork.formulations.implicit.tangent import find_axes, find_rows
from linkwork.formulations.samples import (
    EVALUATIONS,
    GAP_RATE,
    MOST_SWEEPS,
    RESIDUAL,
    SWEEPS,
    WORST_RESIDUAL,
    record_gap,
)
from linkwork.formulations.status import NOT_CONVERGED, NOT_FINITE
from linkwork.mechanics.counts import count_q
from linkwork.mechanics.forces.forces import apply_forces
from linkwork.mechanics.power import add_ground_power
from linkwork.mechanics.rows.constraint_rows import measure_cuts
from linkwork.mechanics.rows.given import add_given_power, renew_given
from linkwork.mechanics.rows.row_loads import cut_reactions
from linkwork.mechanics.rows.rows import row_rates, row_values
from linkwork.mechanics.tree.articulated import outward_velocities
from linkwork.mechanics.tree.kinematics import forward_kinematics, world_velocities
from linkwork.mechanics.tree.motions import displace
from linkwork.mechanics.tree.newton_euler import inverse_dynamics
from linkwork.numerics.arrays import finite, largest
from linkwork.spatial.codes import SLIP, TANGENT

LONGER = 2.0  # times the step before: accelerations are not extrapolated over a longer step
JUMP = 0.5  # of the accelerations: a larger change in a step is not that of a smooth motion


class Rule(NamedTuple):
    """Memory of the rule, in joint coordinates: rad, m and s."""

    delta: Any  # (dof,) displacement of the step; written by `predict` and `add_increment`
    z: Any  # (q,) coordinates at its end; `end_of_step`, `load_state`
    zd: Any  # (dof,) velocities; `end_of_step`, then projected by the method
    zdd: Any  # (dof,) accelerations; `end_of_step`, then projected by the method
    last: Any  # (dof,) accelerations a step ago; `finish`, carried
    span: Any  # (1,) s, that step; 0 where there was none; `finish`, carried
    power: Any  # (account,) W wasted and fed in at the last step; `finish`, carried


PERSISTENT_RULE = ("rule.power", "rule.last", "rule.span")  # of the last step


def rule(tables: Any) -> Rule:
    """Memory of the rule for the tables of one system."""
    nv = tables.tree.dof_link.size
    return Rule(
        delta=np.zeros(nv),
        z=np.zeros(count_q(tables.tree)),
        zd=np.zeros(nv),
        zdd=np.zeros(nv),
        last=np.zeros(nv),
        span=np.zeros(1),
        power=np.zeros(tables.tree.accounts),
    )


@small
def kinematics(tables, n, state, t, q, v):
    """Everything that follows from q and v: poses, velocities, axes, rows and Phi."""
    forward_kinematics(tables, n.tree, t, q, v, n.law_input, n.out)
    find_axes(tables.tree, n)
    if n.measures:
        measure_cuts(tables.cuts, n.tree, state.cut_q, state.cut_rate)
    row_values(tables.cuts, n.tree, state.cut_q, n.g, n.W)
    find_rows(tables.tree, tables.cuts, n)


@small
def velocity_rows(cuts, n, h):
    """n.g of rows that forbid velocities alone, as wheels that roll have them: their rates over half a step.

    By the rule (21) their derivative with delta is that of the other rows, but for what turns with the wheel in h / 2.
    """
    if not n.rolls:
        return
    row_rates(cuts, n.tree, n.gd)
    for r in range(n.g.size):
        if cuts.row_kind[r] == SLIP or cuts.row_kind[r] == TANGENT:
            n.g[r] = 0.5 * h * n.gd[r]


@small
def velocity_kinematics(tables, n, state, q, v):
    """The part of `kinematics` that changes with v alone."""
    outward_velocities(tables.tree, n.tree, q, v)
    world_velocities(tables.tree, n.tree)
    if n.measures:
        measure_cuts(tables.cuts, n.tree, state.cut_q, state.cut_rate)


@small
def residual(tables, n, state, t, q, v, a, f):
    """f = M a - Q for the accelerations a, by Newton and Euler (11)-(19)."""
    apply_forces(tables, n.tree, t, q, v, state.cut_q, state.cut_rate, n.law_input, n.out, n.power)
    inverse_dynamics(tables.tree, n.tree, q, a, f)
    for k in range(f.size):
        f[k] -= n.tree.tau[k]


@small
def end_of_step(tables, s, state, h):
    """z, zd, zdd at the end of the step from the displacement delta."""
    nq = s.z.size
    displace(tables.tree, state.y, s.delta, 1.0, s.z)
    for k in range(s.delta.size):
        v0 = state.y[nq + k]
        s.zd[k] = 2.0 / h * s.delta[k] - v0  # (21), (23)
        s.zdd[k] = 4.0 / (h * h) * s.delta[k] - 4.0 / h * v0 - state.vd[k]  # (22), (24)


@small
def predict(s, unit, state, h):
    """First guess of delta: accelerations are extrapolated from the last step.

    Where they jump to and fro, as those of a motion that is stiff for the step, they are taken as constant.
    """
    nq = s.z.size
    size = 0.0
    jump = 0.0
    for k in range(s.delta.size):
        size = max(size, abs(state.vd[k]) / unit[k])
        jump = max(jump, abs(state.vd[k] - s.last[k]) / unit[k])
    grows = h / s.span[0] if s.span[0] > 0.0 else math.inf
    if grows > LONGER or jump > JUMP * size:
        grows = 0.0
    for k in range(s.delta.size):
        end = state.vd[k] + grows * (state.vd[k] - s.last[k])
        s.delta[k] = h * state.y[nq + k] + 0.25 * h * h * (state.vd[k] + end)


@small
def add_increment(s, m, state, x, before, finest, tolerance, h, last):
    """delta += x, an increment of Newton's iteration; `before` is the size of the one before it, 0 for the first.

    Returns a status (0 where the iteration has converged), the size of x, and what may be left of delta, in units.
    """
    for k in range(x.size):
        s.delta[k] += x[k]
    state.count[EVALUATIONS] += 1
    state.solver_stats[SWEEPS] += 1.0
    if not finite(x):
        return NOT_FINITE, 0.0, 0.0
    v = state.y[s.z.size : s.z.size + s.zd.size]
    change = largest_part(x, m.unit)
    left = left_after(change, before)
    enough = max(finest, allowed(m, tolerance, v, state.vd, s.delta, h))
    if not settled(left, change, before, enough, finest, last):
        return NOT_CONVERGED, change, enough
    state.solver_stats[RESIDUAL] = max(state.solver_stats[RESIDUAL], left)
    return 0, change, enough


@small
def record_gaps(tables, n, state):
    """state.drift of the rows n.g, and their rates n.gd."""
    record_gap(tables.cuts, n.g, state)
    row_rates(tables.cuts, n.tree, n.gd)
    state.drift[GAP_RATE] = largest(n.gd)


@small
def finish(tables, n, s, state, t, h):
    """The state moves to z, zd, zdd; reactions of n.lam (on b); the accounts by the trapezoidal rule."""
    nv = s.zd.size
    nq = s.z.size
    for k in range(nq):
        state.y[k] = s.z[k]
    for k in range(nv):
        state.y[nq + k] = s.zd[k]
        s.last[k] = state.vd[k]
        state.vd[k] = s.zdd[k]
    s.span[0] = h
    measure_cuts(tables.cuts, n.tree, state.cut_q, state.cut_rate)
    cut_reactions(tables.cuts, n.tree, n, state.cut_force)
    add_given_power(tables, n.tree, n.lam, n.power)
    renew_given(tables.cuts, n.tree, state.cut_q, t)
    if tables.tree.grounds > 1:
        add_ground_power(tables, n.tree, s.z, s.zdd, n, n.power)
    for j in range(n.power.size):
        state.y[nq + nv + j] += 0.5 * h * (n.power[j] + s.power[j])
        s.power[j] = n.power[j]
    state.t[0] = t
    state.solver_stats[MOST_SWEEPS] = max(state.solver_stats[MOST_SWEEPS], state.solver_stats[SWEEPS])
    state.solver_stats[WORST_RESIDUAL] = max(state.solver_stats[WORST_RESIDUAL], state.solver_stats[RESIDUAL])


@small
def load_state(state, s):
    """z and zd of the present state, zdd zero."""
    for k in range(s.z.size):
        s.z[k] = state.y[k]
    for k in range(s.zd.size):
        s.zd[k] = state.y[s.z.size + k]
        s.zdd[k] = 0.0
