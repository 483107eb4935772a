"""Motion that the rows alone give: positions by Newton's method, velocities and accelerations from the same rows.

    S   rows of loops, motors and gears, without units: a coordinate in radians or lengths of the model, a row too
    g gd gdd   rows, their rates without velocities, their second rates without accelerations

Where motors give every degree of freedom, S has full rank, and S dq = -g, S v = -gd, S vd = -gdd. One factor of S
serves all three, and the next position: it is predicted by v and vd, and corrected with the factor of the last one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import entry, kernel, small
from linkwork.formulations.samples import keep
from linkwork.mechanics.counts import count_q
from linkwork.mechanics.forces.laws import law_scratch
from linkwork.mechanics.rows.constraint_rows import measure_cuts
from linkwork.mechanics.rows.given import renew_given
from linkwork.mechanics.rows.guides import left_guide
from linkwork.mechanics.rows.rows import joint_rows, row_accelerations, row_rates, row_values
from linkwork.mechanics.size import dof_units, row_units
from linkwork.mechanics.tree.articulated import outward_velocities
from linkwork.mechanics.tree.kinematics import forward_kinematics, world_velocities
from linkwork.mechanics.tree.motions import displace
from linkwork.mechanics.tree.newton_euler import accelerate_links
from linkwork.mechanics.tree.workspace import TreeWork, tree_work
from linkwork.numerics.arrays import copy
from linkwork.numerics.full_pivoting import eliminate, solve

CLOSED = 1e-14  # of the size of the model, or rad: a smaller correction is rounding
OPEN = 1e-11  # what rows may be open by where no correction helps
ROUNDS = 12
FARTHEST = 0.1  # of the size, or rad: a correction of the prediction that is larger may lead to another branch
DEAD = 1e-7  # a smaller pivot of S leaves a motion free
# how `follow_rows` ends: all is done, a motion is free, no position was found, a slot has come to its end
DONE, FREE_MOTION, NOT_CLOSED, LEFT_GUIDE = range(4)


class RowMotion(NamedTuple):
    """Memory of `follow_rows`. What moves: q, v, vd and the cut coordinates, where the last position was found."""

    q: Any  # (q,)
    v: Any  # (dof,)
    vd: Any  # (dof,)
    cut_q: Any
    cut_rate: Any
    # scratch
    tree: TreeWork
    trial: Any  # (q,)
    trial_cut: Any  # cut coordinates of the trial
    rest: Any  # (dof,) zeros
    dq: Any  # (dof,)
    g: Any  # (row,) also gd and gdd
    W: Any  # (row, 6)
    G: Any  # (row, dof)
    S: Any  # (row, dof) factored
    rows: Any  # (row,) pivots of S
    columns: Any  # (dof,)
    dof_unit: Any  # (dof,) rad or m; never changed
    row_unit: Any  # (row,)
    rounds: Any  # (1,) corrections so far
    law_input: Any  # (16 + seen,)
    out: Any  # (4,)


def row_motion(tables: Any, q: Any, cut_q: Any, time: float) -> RowMotion:
    """Memory for the tables of a system that stands at q at this time."""
    nv, rows = tables.tree.dof_link.size, tables.cuts.row_kind.size
    work = tree_work(tables)
    work.since[0] = time
    return RowMotion(
        q=q.copy(),
        v=np.zeros(nv),
        vd=np.zeros(nv),
        cut_q=cut_q.copy(),
        cut_rate=np.zeros(work.cut_rate.size),
        tree=work,
        trial=np.zeros(count_q(tables.tree)),
        trial_cut=cut_q.copy(),
        rest=np.zeros(nv),
        dq=np.zeros(nv),
        g=np.zeros(rows),
        W=np.zeros((rows, 6)),
        G=np.zeros((rows, nv)),
        S=np.zeros((rows, nv)),
        rows=np.arange(rows),
        columns=np.arange(nv),
        dof_unit=dof_units(tables),
        row_unit=row_units(tables),
        rounds=np.zeros(1, dtype=np.int64),
        law_input=law_scratch(tables.laws),
        out=np.zeros(4),
    )


@kernel
def factor_rows(tables, w):
    """The factor of S at the present poses; False where a motion is free."""
    joint_rows(tables.tree, tables.cuts, w.tree, w.W, w.G)
    count = 0
    for r in range(w.rows.size):
        moved = False
        for k in range(w.columns.size):
            w.S[r, k] = w.G[r, k] * w.dof_unit[k] / w.row_unit[r]
            moved = moved or w.S[r, k] != 0.0
        if moved:  # others hold by themselves, such as those across a plane mechanism
            w.rows[count] = r
            count += 1
    for k in range(w.columns.size):
        w.columns[k] = k
    return eliminate(w.S, w.rows[:count], w.columns, w.columns.size, DEAD) == w.columns.size


@small
def solve_rows(w, out):
    """S out = -g; returns the largest entry, without units."""
    for r in range(w.g.size):
        w.g[r] = -w.g[r] / w.row_unit[r]
    solve(w.S, w.rows, w.columns, w.columns.size, w.g, out)
    most = 0.0
    for k in range(out.size):
        most = max(most, abs(out[k]))
        out[k] *= w.dof_unit[k]
    return most


@kernel
def close_rows(tables, w, t):
    """Move w.trial onto the rows at t with the present factor, or newer ones; False where that does not converge."""
    gone = 0.0
    last = 0.0
    for i in range(ROUNDS):
        forward_kinematics(tables, w.tree, t, w.trial, w.rest, w.law_input, w.out)
        row_values(tables.cuts, w.tree, w.trial_cut, w.g, w.W)
        if i > 1 and not factor_rows(tables, w):
            return False
        widest = 0.0
        for r in range(w.g.size):
            widest = max(widest, abs(w.g[r]) / w.row_unit[r])
        if not widest < 1e300:
            return False
        if widest <= CLOSED:
            return True
        size = solve_rows(w, w.dq)
        gone += size
        if not gone < FARTHEST:
            return False
        if i > 1 and size >= 0.5 * last and widest < OPEN:
            return True
        last = size
        displace(tables.tree, w.trial, w.dq, 1.0, w.trial)
        w.rounds[0] += 1
    return False


@small
def find_rates(tables, w):
    """w.v and w.vd from the rows at the present position; needs their factor."""
    row_rates(tables.cuts, w.tree, w.g)
    solve_rows(w, w.v)
    outward_velocities(tables.tree, w.tree, w.q, w.v)
    world_velocities(tables.tree, w.tree)
    accelerate_links(tables.tree, w.tree, w.q, w.rest)
    row_accelerations(tables.cuts, w.tree, w.g)
    solve_rows(w, w.vd)


@entry
def follow_rows(tables, w, times, first, samples):
    """The motion from times[first] on, where w stands; every row goes to `samples`. How it ended, and rows done."""
    for k in range(first, times.size):
        t = times[k]
        if k == first:
            copy(w.q, w.trial)
            forward_kinematics(tables, w.tree, t, w.q, w.rest, w.law_input, w.out)
        else:
            h = t - times[k - 1]
            for j in range(w.v.size):
                w.dq[j] = w.v[j] + 0.5 * h * w.vd[j]
            displace(tables.tree, w.q, w.dq, h, w.trial)
            copy(w.cut_q, w.trial_cut)
            if not close_rows(tables, w, t):
                return NOT_CLOSED, k
        row_values(tables.cuts, w.tree, w.cut_q, w.g, w.W)
        if not factor_rows(tables, w):
            return FREE_MOTION, k
        copy(w.trial, w.q)
        find_rates(tables, w)
        measure_cuts(tables.cuts, w.tree, w.cut_q, w.cut_rate)
        if left_guide(tables.cuts, w.cut_q) >= 0:
            return LEFT_GUIDE, k
        renew_given(tables.cuts, w.tree, w.cut_q, t)
        keep_row(w, samples, k, t)
    return DONE, times.size


@small
def keep_row(w, samples, k, t):
    """Sample k is the present state."""
    samples.t[k, 0] = t
    keep(w.q, samples.y, k)
    for j in range(w.v.size):
        samples.y[k, w.q.size + j] = w.v[j]
    keep(w.vd, samples.vd, k)
    keep(w.cut_q, samples.cut_q, k)
    keep(w.cut_rate, samples.cut_rate, k)
