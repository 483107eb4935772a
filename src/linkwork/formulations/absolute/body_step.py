"""[VK, V06] A step of bodies in absolute coordinates: what `absolute` and `component` share.

Both evaluate accelerations on the rows of the joints and project each new state onto them. They differ in how the rows
are factored and solved, so those kernels are passed in, as to `stepping.advance`:

    find_rows(tables, w, q, v, t, cut_q)            once, at the start: which rows are independent
    factor(tables, w, cut_q, t)                     rows and factors at the present poses; returns the rank
    solve(tables, w, t, vd)                         multipliers, and vd with them
    project(tables, w, cut_q, y, nq, nv, t)         q and v of y onto the joints
"""

from __future__ import annotations

from linkwork._jit import written_out
from linkwork.formulations.absolute.joint_blocks import carry_lent, free_accelerations, largest_gap, place_bodies
from linkwork.formulations.absolute.near_singular import CLOSED, PROJECTIONS, detect_near_singular
from linkwork.formulations.explicit.stepping import store_rate, take_trial
from linkwork.formulations.samples import GAP_RATE, RANK, record_gap
from linkwork.mechanics.power import add_ground_power
from linkwork.mechanics.rows.constraint_rows import measure_cuts
from linkwork.mechanics.rows.given import add_given_power, renew_given
from linkwork.mechanics.rows.row_loads import cut_reactions
from linkwork.mechanics.rows.rows import row_rates
from linkwork.numerics.arrays import copy, largest
from linkwork.numerics.block_sparse import remember_rows


@written_out
def evaluate_bodies(find_rows, factor, solve, project, alone, tables, w, steps, state, t):
    """steps.rate = rate of steps.trial at time t. Returns 0 or a status.

    Where the method is `alone`, without parts in other processes, lent inertia is taken off again.
    """
    tree = tables.tree
    nv = tree.dof_link.size
    nq = steps.trial.size - nv - tree.accounts
    q = steps.trial[:nq]
    v = steps.trial[nq : nq + nv]
    vd = steps.rate[nq : nq + nv]
    if w.near_singular.looked[0] == 0:
        find_rows(tables, w, q, v, t, state.cut_q)
        w.near_singular.looked[0] = 1
    for look in range(PROJECTIONS + 1):
        place_bodies(tables, w, q, v, t)
        state.count[RANK] = factor(tables, w, state.cut_q, t)
        row_rates(tables.cuts, w.tree, w.joint_blocks.gd)
        on_joints = w.near_singular.near[0] == 0 or (look > 0 and largest_gap(w.joint_blocks) < CLOSED)
        if on_joints or look == PROJECTIONS:
            break
        # near a singular position: on the joints, where the motion is smooth
        if look == 0:
            copy(steps.trial[: nq + nv], w.near_singular.y)
            q = w.near_singular.y[:nq]
            v = w.near_singular.y[nq:]
        project(tables, w, state.cut_q, w.near_singular.y, nq, nv, t)
    failed = 0
    for turn in range(2 if alone and tree.lent_link.size > 0 else 1):
        if turn == 0:
            failed = free_accelerations(tables, w, q, v, t, state.cut_q, state.cut_rate, vd)
        else:
            carry_lent(tree, w.tree, q, v, vd)
        solve(tables, w, t, vd)
    add_given_power(tables, w.tree, w.joint_blocks.lam, w.power)
    if tree.grounds > 1:  # they move, or foreign bodies put something in at the ports
        add_ground_power(tables, w.tree, q, vd, w.joint_blocks, w.power)
    return store_rate(tree, steps, state, q, v, w.power, failed)


@written_out
def accept_bodies(project, tables, w, blocks, projected, alone, steps, state, t):
    """The state moves to steps.trial at time t, with its rate and reactions; where `projected`, onto the joints.

    Near singular positions are detected where the method is `alone`: it has no part in another process.
    """
    nv = state.vd.size
    nq = state.y.size - nv - tables.tree.accounts
    take_trial(steps, state, t)
    renew_given(tables.cuts, w.tree, state.cut_q, t)
    cut_reactions(tables.cuts, w.tree, w.joint_blocks, state.cut_force)
    state.drift[GAP_RATE] = largest(w.joint_blocks.gd)
    if projected and w.near_singular.near[0] == 1:
        copy(w.near_singular.y, state.y)
    if projected and alone:
        detect_near_singular(w.near_singular, blocks)
    else:
        remember_rows(blocks)
    if projected:
        project(tables, w, state.cut_q, state.y, nq, nv, t)
        # the coordinates of the joints are those of the projected bodies
        measure_cuts(tables.cuts, w.tree, state.cut_q, state.cut_rate)
    record_gap(tables.cuts, w.joint_blocks.g, state)
