"""[V06] Components with joint coordinates as state: absolute accelerations through D and r, integrated at the joints.

Each evaluation follows 2.4-2.8: absolute coordinates and velocities from the joints' along the tree, accelerations of
all bodies through the hierarchy, and from them the second rates of the joints' coordinates (the paper's function
epsilon). After a step the loops are stabilised in joint coordinates (2.39); a tree needs nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import entry, kernel, small, written_out
from linkwork.formulations.absolute.joint_blocks import carry_lent, free_accelerations, place_bodies, push_bodies
from linkwork.formulations.component.border_response import solve_up
from linkwork.formulations.component.component import Workspace as ComponentWork
from linkwork.formulations.component.component import factor_waiting, find_independent_rows, solve_components
from linkwork.formulations.component.remote_border import ACCELERATIONS
from linkwork.formulations.explicit.loops import (
    RANK_LARGEST,
    RANK_NOW,
    LoopWork,
    close_loops,
    factor_loops,
    loop_work,
)
from linkwork.formulations.explicit.stepping import Stepping, advance, stepping, store_rate, take_trial
from linkwork.formulations.samples import RANK
from linkwork.mechanics.counts import count_cut_rates, count_q
from linkwork.mechanics.forces.laws import law_scratch
from linkwork.mechanics.power import add_ground_power
from linkwork.mechanics.rows.constraint_rows import measure_accelerations, measure_cuts
from linkwork.mechanics.rows.given import add_given_power, renew_given
from linkwork.mechanics.rows.row_loads import cut_reactions
from linkwork.mechanics.rows.rows import row_accelerations
from linkwork.mechanics.tree.articulated import inward_inertias
from linkwork.mechanics.tree.kinematics import forward_kinematics
from linkwork.mechanics.tree.motions import store_quaternion
from linkwork.mechanics.tree.workspace import TreeWork, tree_work
from linkwork.numerics.block_sparse import remember_rows
from linkwork.spatial.quaternions import quaternion_of
from linkwork.spatial.vectors import add, cross, load3, load9, load_pair, multiply, rotate, store_pair, sub, unrotate


class Workspace(NamedTuple):
    stabilize: bool
    rank_tolerance: float
    steps: Stepping
    tree: TreeWork
    loops: LoopWork
    absolute: Any  # tables of the absolute system; never changed, as the four maps below
    parts: ComponentWork
    body_of: Any  # (absolute body,) its number among the bodies of the tree
    centre: Any  # (absolute body, 3) m, centre of mass in the body's frame
    rate_of: Any  # (dof,) place of its second rate among those of the absolute cuts; below 0 for a free body
    joint_of: Any  # (group,) group of the absolute system; -1 for a joint of the tree that is listed for its coordinate
    y: Any  # (q and v of the absolute system,) written by `absolute_state`
    vd: Any  # (dof of the absolute system,) accelerations of the bodies; `evaluate`
    cut_q: Any  # coordinates of all joints; `free_accelerations`
    cut_rate: Any  # their rates; `free_accelerations`
    cut_acceleration: Any  # their second rates; `evaluate`
    cut_force: Any  # (joint, 6) N, N m, reactions of all joints; `accept`
    law_input: Any  # (16 + seen,) scratch: what a law is evaluated at
    out: Any  # (4,) scratch: what a law returns


class Hierarchy(NamedTuple):
    """The absolute system beside the tree that is integrated: its tables, its partition, and what belongs to what."""

    absolute: Any
    parts: Any  # Partition
    body_of: Any  # these four as in `Workspace`
    centre: Any
    rate_of: Any
    joint_of: Any
    cut_q: Any  # coordinates of its joints at the start


def workspace(tables: Any, hierarchy: Hierarchy, parts: ComponentWork, method: Any) -> Workspace:
    """Memory for the tree `tables` and the absolute system beside it, which is solved in `parts`."""
    absolute = hierarchy.absolute
    rates, nv = count_cut_rates(absolute.cuts), absolute.tree.dof_link.size
    return Workspace(
        stabilize=method.stabilize,
        rank_tolerance=float(method.rank_tolerance),
        steps=stepping(method, tables),
        tree=tree_work(tables),
        loops=loop_work(tables),
        absolute=absolute,
        parts=parts,
        body_of=hierarchy.body_of,
        centre=hierarchy.centre,
        rate_of=hierarchy.rate_of,
        joint_of=hierarchy.joint_of,
        y=np.zeros(count_q(absolute.tree) + nv),
        vd=np.zeros(nv),
        cut_q=hierarchy.cut_q.copy(),
        cut_rate=np.zeros(rates),
        cut_acceleration=np.zeros(rates),
        cut_force=np.zeros((absolute.cuts.side_link.shape[0], 6)),
        law_input=law_scratch(tables.laws),
        out=np.zeros(4),
    )


@kernel
def absolute_state(tree, work, absolute, body_of, centre, y):
    """Coordinates and velocities of the centres of mass (2.4) from the poses of the tree's links."""
    nq = y.size - absolute.dof_link.size
    for b in range(absolute.body_link.size):
        i = absolute.body_link[b]
        c = body_of[b]
        j = tree.body_link[c]
        X = load9(work.pose_R, j)
        R = multiply(X, load9(tree.body_R, c))
        d = add(rotate(X, load3(tree.body_p, c)), rotate(R, load3(centre, b)))
        w, u = load_pair(work.pose_v, j)
        x = add(load3(work.pose_p, j), d)
        u = add(u, cross(w, d))
        k = absolute.link_q[i]
        m = nq + absolute.link_v[i]
        for e in range(3):
            y[k + e] = x[e]
            y[m + e] = u[e]
            y[m + 3 + e] = w[e]
        store_quaternion(y, k + 3, quaternion_of(R))


@kernel
def set_accelerations(tree, work, vd):
    """Spatial accelerations of free links from vd, gravity included as everywhere."""
    gravity = (tree.gravity[0], tree.gravity[1], tree.gravity[2])
    for i in range(tree.grounds, tree.link_parent.size):
        k = tree.link_v[i]
        X = load9(work.pose_R, i)
        w, u = load_pair(work.velocity, i)
        a = unrotate(X, (vd[k + 3], vd[k + 4], vd[k + 5]))
        b = sub(unrotate(X, sub((vd[k], vd[k + 1], vd[k + 2]), gravity)), cross(w, u))
        store_pair(work.acceleration, i, a, b)


@kernel
def joint_rates(tree, work, absolute, w, vd):
    """Second rates of the joints (2.8) from the accelerations of the bodies."""
    for k in range(vd.size):
        s = w.rate_of[k]
        if s >= 0:
            vd[k] = w.cut_acceleration[s]
            continue
        # a body that no joint holds: acceleration of its frame's origin, angular acceleration
        b = (-1 - s) // 6
        e = (-1 - s) % 6
        i = absolute.body_link[b]
        m = absolute.link_v[i]
        alpha = (w.vd[m + 3], w.vd[m + 4], w.vd[m + 5])
        if e >= 3:
            vd[k] = alpha[e - 3]
        else:
            c = w.body_of[b]
            j = tree.body_link[c]
            R = multiply(load9(work.pose_R, j), load9(tree.body_R, c))
            d = rotate(R, load3(w.centre, b))
            omega, _ = load_pair(work.pose_v, j)
            a = sub((w.vd[m], w.vd[m + 1], w.vd[m + 2]), add(cross(alpha, d), cross(omega, cross(omega, d))))
            vd[k] = a[e]


@small
def accelerate_bodies(w, q, v, t):
    """w.vd = accelerations of the bodies through the hierarchy, at (q, v) of the absolute system.

    Returns the rank, and 0 or 1 + a link without inertia.
    """
    absolute = w.absolute
    parts = w.parts
    rows = parts.joint_blocks
    if parts.near_singular.looked[0] == 0:
        find_independent_rows(absolute, parts, q, v, t, w.cut_q)
        parts.near_singular.looked[0] = 1
    place_bodies(absolute, parts, q, v, t)
    rank = factor_waiting(absolute, parts, w.cut_q, 0)
    failed = 0
    for turn in range(2 if absolute.tree.lent_link.size > 0 else 1):
        if turn == 0:
            failed = free_accelerations(absolute, parts, q, v, t, w.cut_q, w.cut_rate, w.vd)
        else:
            carry_lent(absolute.tree, parts.tree, q, v, w.vd)
        row_accelerations(absolute.cuts, parts.tree, rows.gdd)
        solve_up(absolute.cuts, parts.parts, parts.graph, parts.factors, rows, rows.gdd, 0)
        solve_components(absolute, parts, t, ACCELERATIONS, rows.gdd, w.vd, rows.lam)
        push_bodies(absolute, rows, rows.lam, w.vd)
    return rank, failed


@written_out
def evaluate(tables, w, steps, state, t):
    """steps.rate = rate of steps.trial at time t. Returns 0 or a status."""
    tree = tables.tree
    work = w.tree
    nv = tree.dof_link.size
    nq = steps.trial.size - nv - tree.accounts
    q = steps.trial[:nq]
    v = steps.trial[nq : nq + nv]
    forward_kinematics(tables, work, t, q, v, w.law_input, w.out)
    measure_cuts(tables.cuts, work, state.cut_q, state.cut_rate)
    absolute = w.absolute
    parts = w.parts
    n = w.y.size - w.vd.size
    parts.tree.since[0] = work.since[0]
    absolute_state(tree, work, absolute.tree, w.body_of, w.centre, w.y)
    state.count[RANK], failed = accelerate_bodies(w, w.y[:n], w.y[n:], t)
    # from the bodies to the joints
    set_accelerations(absolute.tree, parts.tree, w.vd)
    measure_accelerations(absolute.cuts, parts.tree, w.cut_acceleration)
    joint_rates(tree, work, absolute.tree, w, steps.rate[nq : nq + nv])
    add_given_power(absolute, parts.tree, parts.joint_blocks.lam, parts.power)
    if absolute.tree.grounds > 1:
        add_ground_power(absolute, parts.tree, w.y[:n], w.vd, parts.joint_blocks, parts.power)
    return store_rate(tree, steps, state, q, v, parts.power, failed)


@written_out
def accept(tables, w, steps, state, t):
    """The state moves to steps.trial at time t; its loops are stabilised in joint coordinates (2.39)."""
    take_trial(steps, state, t)
    renew_given(tables.cuts, w.tree, state.cut_q, t)
    renew_given(w.absolute.cuts, w.parts.tree, w.cut_q, t)
    cut_reactions(w.absolute.cuts, w.parts.tree, w.parts.joint_blocks, w.cut_force)
    for c in range(w.joint_of.size):
        for e in range(6):
            state.cut_force[c, e] = w.cut_force[w.joint_of[c], e] if w.joint_of[c] >= 0 else 0.0
    remember_rows(w.parts.factors.blocks)
    if w.loops.g.size > 0:
        inward_inertias(tables.tree, w.tree, state.y)
        factor_loops(tables, w.tree, w.loops, state.y, state.cut_q, w.rank_tolerance)
        independent = w.loops.rank[RANK_NOW] >= w.loops.rank[RANK_LARGEST]
        close_loops(tables, w.tree, w.loops, state, w.stabilize and independent)


@entry
def run(tables, w, state, begin, first, h, steps, every, samples):
    """`advance` with the evaluation of this file."""
    return advance(evaluate, accept, tables, w, w.steps, state, begin, first, h, steps, every, samples)
