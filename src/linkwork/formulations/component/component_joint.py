"""[V06] Components with joint coordinates as state: absolute accelerations through D and r, integrated at the joints.

Each evaluation follows 2.4-2.8: absolute coordinates and velocities from the joints' along the tree, accelerations of
all bodies through the hierarchy, and from them the second rates of the joints' coordinates (the paper's function
epsilon). After a step the loops are stabilised in joint coordinates (2.39); a tree needs nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import entry, kernel, written_out
from linkwork.formulations.absolute.joint_blocks import free_accelerations, place_bodies, push_bodies
from linkwork.formulations.component.border_response import solve_up
from linkwork.formulations.component.component import Workspace as ComponentWork
from linkwork.formulations.component.component import factor_here, look_first, solve_components
from linkwork.formulations.component.remote_border import ACCELERATIONS
from linkwork.formulations.explicit.loops import (
    RANK_LARGEST,
    RANK_NOW,
    LoopWork,
    cut_reactions,
    factor_loops,
    loop_opening,
    loop_work,
    stabilize,
)
from linkwork.formulations.explicit.recursive import count_q
from linkwork.formulations.explicit.stepping import SEMI_IMPLICIT, Stepping, advance, copy, largest, stepping
from linkwork.formulations.samples import EVALUATIONS, GAP_RATE, RANK
from linkwork.formulations.status import SINGULAR
from linkwork.mechanics.articulated import inward_inertias, outward_velocities
from linkwork.mechanics.constraint_rows import measure_accelerations, measure_cuts, row_accelerations
from linkwork.mechanics.grounds import move_grounds
from linkwork.mechanics.kinematics import outward_poses, world_velocities
from linkwork.mechanics.motions import coordinate_rates, store_quaternion
from linkwork.mechanics.power import ground_power
from linkwork.mechanics.workspace import TreeWork, tree_work
from linkwork.numerics.block_sparse import remember_rows
from linkwork.spatial.quaternions import quaternion_of
from linkwork.spatial.vectors import add, cross, load3, load9, load_pair, multiply, rotate, store_pair, sub, unrotate


class Workspace(NamedTuple):
    stabilize: bool
    rank_tolerance: float
    steps: Stepping
    tree: TreeWork
    loops: LoopWork
    absolute: Any  # tables of the absolute system
    parts: ComponentWork
    body_of: Any  # (absolute body,) its number among the bodies of the tree
    centre: Any  # (absolute body, 3) centre of mass in the body's frame
    rate_of: Any  # (dof,) place of its second rate among those of the absolute cuts; below 0 for a free body
    joint_of: Any  # (cut,) joint of the absolute system
    y: Any  # absolute coordinates, velocities
    vd: Any
    cut_q: Any
    cut_rate: Any
    cut_acceleration: Any
    cut_force: Any
    law_input: Any
    out: Any


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
    rates = int((absolute.cuts.measure_rate.max() + 4) if absolute.cuts.measure_rate.size else 0)
    nv = absolute.tree.dof_link.size
    return Workspace(
        method.stabilize,
        float(method.rank_tolerance),
        stepping(method, tables),
        tree_work(tables.tree),
        loop_work(tables),
        absolute,
        parts,
        hierarchy.body_of,
        hierarchy.centre,
        hierarchy.rate_of,
        hierarchy.joint_of,
        np.zeros(count_q(absolute.tree) + nv),
        np.zeros(nv),
        hierarchy.cut_q.copy(),
        np.zeros(rates),
        np.zeros(rates),
        np.zeros((absolute.cuts.cut_a.size, 6)),
        np.zeros(16),
        np.zeros(4),
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


@written_out
def evaluate(tables, w, steps, state, t):
    """steps.rate = rate of steps.trial at time t. Returns 0 or a status."""
    tree = tables.tree
    work = w.tree
    nv = tree.dof_link.size
    nq = steps.trial.size - nv - 2
    q = steps.trial[:nq]
    v = steps.trial[nq : nq + nv]
    vd = steps.rate[nq : nq + nv]
    if tree.grounds > 1:
        move_grounds(tree, tables.laws, work, t, w.law_input, w.out)
    outward_velocities(tree, work, q, v)
    outward_poses(tree, work)
    world_velocities(tree, work)
    measure_cuts(tables.cuts, work, state.cut_q, state.cut_rate)
    # all bodies by themselves, then through the hierarchy
    free = w.absolute.tree
    cuts = w.absolute.cuts
    parts = w.parts
    rows = parts.joint_blocks
    n = w.y.size - w.vd.size
    absolute_state(tree, work, free, w.body_of, w.centre, w.y)
    if parts.near_singular.looked[0] == 0:
        look_first(w.absolute, parts, w.y[:n], w.y[n:], t, w.cut_q)
    place_bodies(w.absolute, parts, w.y[:n], w.y[n:], t)
    state.count[RANK] = factor_here(w.absolute, parts, w.cut_q, 0)
    failed = free_accelerations(w.absolute, parts, w.y[:n], w.y[n:], t, w.cut_q, w.cut_rate, w.vd)
    row_accelerations(cuts, parts.tree, rows.gdd)
    solve_up(cuts, parts.parts, parts.graph, parts.factors, rows, rows.gdd, 0)
    solve_components(w.absolute, parts, t, ACCELERATIONS, rows.gdd, w.vd, rows.lam)
    push_bodies(w.absolute, rows, rows.lam, w.vd)
    set_accelerations(free, parts.tree, w.vd)
    measure_accelerations(cuts, parts.tree, w.cut_acceleration)
    joint_rates(tree, work, free, w, vd)
    if steps.scheme != SEMI_IMPLICIT:
        coordinate_rates(tree, q, v, steps.rate)
    steps.rate[nq + nv] = parts.power[0]
    steps.rate[nq + nv + 1] = parts.power[1]
    if free.grounds > 1:
        steps.rate[nq + nv + 1] += ground_power(w.absolute, parts.tree, w.y[:n], w.vd, rows)
    state.count[EVALUATIONS] += 1
    return SINGULAR + failed - 1 if failed > 0 else 0


@written_out
def accept(tables, w, steps, state, t):
    """The state moves to steps.trial at time t; its loops are stabilised in joint coordinates (2.39)."""
    nv = state.vd.size
    nq = state.y.size - nv - 2
    copy(steps.trial, state.y)
    copy(steps.rate, steps.f)
    cut_reactions(w.absolute.cuts, w.parts.tree, w.parts.joint_blocks, w.cut_force)
    for c in range(w.joint_of.size):
        for e in range(6):
            state.cut_force[c, e] = w.cut_force[w.joint_of[c], e]
    remember_rows(w.parts.factors.blocks)
    if w.loops.g.size > 0:
        inward_inertias(tables.tree, w.tree, state.y)
        factor_loops(tables, w.tree, w.loops, state.y, state.cut_q, w.rank_tolerance)
        closed = w.stabilize and w.loops.rank[RANK_NOW] >= w.loops.rank[RANK_LARGEST]
        if closed:
            stabilize(tables, w.tree, w.loops, state.y, state.y[nq : nq + nv])
            state.drift[GAP_RATE] = largest(w.loops.gd)
        loop_opening(tables, w.tree, w.loops, state, closed)
    for k in range(nv):
        state.vd[k] = steps.f[nq + k]
    state.t[0] = t


@entry
def run(tables, w, state, begin, first, h, steps, every, samples):
    """`advance` with the evaluation of this file."""
    return advance(evaluate, accept, tables, w, w.steps, state, begin, first, h, steps, every, samples)
