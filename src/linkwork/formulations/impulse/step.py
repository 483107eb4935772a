"""[MST17] A step of the impulse methods, section 4, steps 1-8, and the compiled loop over steps.

    q v      coordinates and velocities, slices of state.y       h        length of the step
    v_next   q̇ of (7), after forces; then with impulses          v_plus   velocity and pseudo velocity of (9)
    dv       change of the joint velocities by impulses          world    whether poses in the world are needed

Figures 1-3 are in mechanics (articulated, impulses, inverse_mass), the rows in rows.py and row_kinds.py, the solver in
row_solver.py, forces in free_motion.py. Springs are soft rows [STT17].

A step is a loop over stages, so that the solver is compiled once. Where the paper corrects positions with the rows of
the step's start, `position_iterations` evaluate the new positions and correct them there, with the same effective
masses (simplified Newton's method), until the loops are closed.
"""

from __future__ import annotations

from linkwork._jit import entry, small
from linkwork.contact.broad_phase import find_contacts
from linkwork.formulations.impulse.audit.contact_audit import find_apart, note_contacts
from linkwork.formulations.impulse.audit.results import store_effort, store_energy, store_loads
from linkwork.formulations.impulse.kinds.drag_rows import dragging
from linkwork.formulations.impulse.kinds.row_kinds import hold_stops, make_rows, stops_kept
from linkwork.formulations.impulse.kinds.sliding import predict_sliding, sliding_confirmed
from linkwork.formulations.impulse.motion.deep_turns import turns_deep
from linkwork.formulations.impulse.motion.free_bodies import (
    move_centres,
    spins_known,
    store_centres,
    unforced_free_bodies,
)
from linkwork.formulations.impulse.motion.free_motion import free_motion
from linkwork.formulations.impulse.motion.midpoint import SHARP, UNRESOLVED, energy_transfer, midpoint_known
from linkwork.formulations.impulse.motion.placed import update_kinematics
from linkwork.formulations.impulse.motion.unforced import COASTS, align, count_half, take_coasted, unforced
from linkwork.formulations.impulse.motion.velocity_bias import (
    SHARP_CUT,
    find_velocity_bias,
    has_velocity_bias,
    may_be_blow,
    velocity_bias_known,
)
from linkwork.formulations.impulse.rest.sleeping import add_sleeping_loads, hold_still, settle, wake_changed
from linkwork.formulations.impulse.rows.kept_impulses import store_impulses, warm_start
from linkwork.formulations.impulse.rows.right_side import (
    FORCES,
    POSITIONS,
    PSEUDO_VELOCITIES,
    VELOCITIES,
    right_side,
)
from linkwork.formulations.impulse.rows.row_algebra import add_impulses
from linkwork.formulations.impulse.rows.rows import (
    ALIGNED,
    ALL_ROWS,
    ALL_STOPS,
    BILATERAL_ROWS,
    BLOW,
    COASTING,
    END_UPDATED,
    LAST_STEP,
    MOST_SPIN_ROUNDS,
    PARTS,
    SMOOTH,
    SPIN_ROUNDS,
    UNSETTLED,
)
from linkwork.formulations.impulse.solver.pressure import share_pressure
from linkwork.formulations.impulse.solver.restitution import solve_bouncing
from linkwork.formulations.impulse.solver.row_pivots import keep_pivot
from linkwork.formulations.impulse.solver.row_solver import factor_rows
from linkwork.formulations.samples import COASTED, EVALUATIONS, GAP, GAP_ROW, LATE, keep_sample, record_gap
from linkwork.formulations.status import FLAT, NOT_FINITE, OFF_GUIDE, SPLIT, TORN
from linkwork.mechanics.rows.guides import left_guide
from linkwork.mechanics.rows.rolling import falls_flat
from linkwork.mechanics.tree.inverse_mass import outward_response
from linkwork.mechanics.tree.kinematics import coasting
from linkwork.mechanics.tree.motions import displace
from linkwork.numerics.arrays import clear, copy, exchange, finite

MOST_PARTS = 64.0  # of a step
OVERLAP_SWEEPS = 8  # sweeps for overlaps in a crowd, at most
TORN_GAP = 3.0  # of the size of the model: a cut that is farther open is torn; impulses may close a smaller gap


@small
def apply_impulses(tree, work, rows, q, p, dv):
    """dv: change of the joint velocities by the impulses p of all rows (figure 3)."""
    add_impulses(rows, rows.count[ALL_ROWS], p, dv)
    outward_response(tree, work, q, tree.grounds, tree.link_parent.size, dv)


@small
def splits_or_coasts(w, state, t, q, v, h, moves, world):
    """Whether links hand on too much energy for one step; if not, whether trees coast, with velocities for either."""
    tree = w.tables.tree
    sharp = energy_transfer(tree, w.tree, w.free_bodies, v, h, w.expected)
    may_be_unforced = tree.grounds == 1
    if w.persistent[PARTS] < MOST_PARTS and sharp > SHARP and (w.has_rows or not may_be_unforced):
        return True
    may_coast = may_be_unforced and sharp > COASTS
    coasts = moves and may_coast
    state.solver_stats[LATE] = 0.5 * h
    state.solver_stats[COASTED] = 0.0 if not may_coast else 1.0 if w.has_rows else 2.0
    w.persistent[COASTING] = 1.0 if coasts else 0.0
    if moves and coasts != (w.persistent[ALIGNED] > 0.0):
        w.persistent[ALIGNED] = 1.0 if coasts else 0.0
        last = w.persistent[LAST_STEP]
        if last > 0.0:
            exchange(tree.dof_armature, w.joint_armature)
            align(tree, w.tree, w.free_bodies, w.unforced, q, v, last if coasts else h, not w.has_rows, coasts)
            exchange(tree.dof_armature, w.joint_armature)
            update_kinematics(w.tables, w.tree, world, w.law_input, w.out, state, t, q, v)
    return False


@small
def set_up_rows(w, state, t, h, q, v, world):
    """Steps 1-6: free motion, contacts, rows with the impulses of the last step, effective masses. 0 or a status."""
    rows = w.rows
    may_split = w.persistent[PARTS] < MOST_PARTS
    status = free_motion(w, state, t, h, q, v, world)
    if status != 0:
        return status
    if may_split and w.persistent[UNSETTLED] > UNRESOLVED:
        return SPLIT
    # of cuts with the velocities expected after the step, of contacts with those before it
    if not has_velocity_bias(w):
        clear(w.velocity_bias)
    elif find_velocity_bias(w, h, q, v, 1.0, w.velocity_bias) > SHARP_CUT and may_split:
        return SPLIT
    if w.tables.colliders.link.size > 0:
        coasting(w.tables.tree, w.tree, w.coasting)
        unforced_free_bodies(w.free_bodies, w.tree, w.coasting)
        wake_changed(w.sleep, w.tables.tree, q, v, w.contact_scratch.still)
        find_contacts(w.tables.colliders, w.tree, w.v_next_world, w.coasting, w.contact_scratch, w.contacts, h)
        find_apart(w.audit, w.contacts, state.solver_stats)
    make_rows(w, state, t, h, q, v)
    hold_still(w.sleep, w.tables.tree, w.v_next)
    record_gap(w.tables.cuts, rows.gap, state)
    if state.drift[GAP] > TORN_GAP:
        return TORN
    row = falls_flat(w.tables.cuts, w.tree, h)
    if row >= 0:
        state.drift[GAP_ROW] = row
        return FLAT
    if rows.count[ALL_ROWS] > 0:
        last = w.persistent[LAST_STEP]
        warm_start(w.table, rows, w.contacts, h / last if last > 0.0 else 0.0)
        share_pressure(w, w.solver.gravity * h, state.count[EVALUATIONS])
        factor_rows(rows, w.table, w.tables.cuts, w.solver, h)
    return 0


@small
def solve_stage(w, q, stage, sweeps, worst):
    """Step 7: impulses of a stage, and dv; returns the sweeps and the largest residual of the step so far."""
    rows = w.rows
    s = w.solver
    p = rows.p if stage == VELOCITIES else rows.pseudo
    low = rows.low if stage == VELOCITIES else rows.correction_low
    high = rows.high if stage == VELOCITIES else rows.correction_high
    # overlaps are undone over several steps: a few sweeps are exact enough
    only_overlaps = rows.count[BILATERAL_ROWS] == 0 or w.position_iterations > 0
    rough = stage == PSEUDO_VELOCITIES and s.direct and only_overlaps
    crowd = min(s.iterations[0], OVERLAP_SWEEPS) if rough else s.iterations[0]
    more, change = solve_bouncing(w.table, rows, s, w.contacts, w.bounces, low, high, p, crowd, stage == VELOCITIES)
    apply_impulses(w.tables.tree, w.tree, rows, q, p, w.dv)
    if stage < POSITIONS:
        worst = max(worst, s.infeasible[0])
    if stage < POSITIONS and not rough:
        sweeps = max(sweeps, more)
        worst = max(worst, change)
    elif stage >= POSITIONS and not s.direct:
        sweeps += more
    return sweeps, worst


@small
def velocities_confirmed(w, state, h, q, v, some):
    """v_next with the impulses; False where it contradicts what was assumed of sliding joints, stops or spins."""
    some_rounds = w.persistent[SPIN_ROUNDS] > 0.0
    held = True
    if some and w.has_trees and (some_rounds or may_be_blow(w.rows, w.rows.count[ALL_ROWS])):
        held = midpoint_known(w.tables.tree, w.free_bodies, v, w.v_next, w.dv, w.row_vd, h, some_rounds)
    known = spins_known(w.free_bodies, w.tables.tree, w.v_next, w.dv, some, w.bounces.any[0] != 0, h, w.row_vd)
    if known and has_velocity_bias(w):
        known = velocity_bias_known(w, h, q, v)
    known = known and held
    if not known and w.persistent[SPIN_ROUNDS] < MOST_SPIN_ROUNDS:
        w.persistent[SPIN_ROUNDS] += 1.0
        return False
    if not sliding_confirmed(w.tables.drives, w.table, w.rows, w.v_next, h):
        return False
    if w.persistent[ALL_STOPS] == 0.0 and not stops_kept(
        w.tables.tree,
        w.tables.cuts,
        w.tables.drives,
        w.tree,
        w.table,
        w.rows,
        q,
        state.cut_q,
        w.v_next,
        w.v_next_own,
        w.v_next_world,
        h,
    ):
        w.persistent[ALL_STOPS] = 1.0
        return False
    return True


@small
def move(w, q, v, vd, h, some):
    """Step 8: new velocities and positions, (9)."""
    tree = w.tables.tree
    for k in range(v.size):
        v[k] = w.v_next[k]
        w.v_plus[k] = v[k] + (w.dv[k] if some else 0.0)
    if w.persistent[COASTING] > 0.0:
        c = w.unforced
        for k in range(v.size):
            c.y[q.size + k] = v[k] - c.half[k]
            vd[k] -= 2.0 * c.half[k] / h
        copy(q, c.y)
        exchange(tree.dof_armature, w.joint_armature)  # springs have had their part of the step
        unforced(tree, w.tree, w.free_bodies, c, q, h, not w.has_rows, vd)
        exchange(tree.dof_armature, w.joint_armature)
        take_coasted(tree, w.free_bodies, c, q, v, w.v_plus)
    store_centres(w.free_bodies, tree, q)
    displace(tree, q, w.v_plus, h, q)  # (9)
    move_centres(w.free_bodies, tree, q, v, w.v_plus, h)


@small
def step(w, state, t, h, end, moves, world):
    """One step of h from t to `end`, or only its accelerations and loads unless it `moves`; returns 0 or a status.

    Needs `update_kinematics` at t. w.persistent[END_UPDATED] becomes 1 where kinematics are those of the new state.
    """
    nq = state.y.size - state.vd.size - w.tables.tree.accounts
    q = state.y[:nq]
    v = state.y[nq : nq + state.vd.size]
    sweeps = 0
    worst = left = before = 0.0
    w.persistent[END_UPDATED] = 0.0
    w.persistent[ALL_STOPS] = 0.0
    w.persistent[SPIN_ROUNDS] = 0.0
    w.persistent[BLOW] = 0.0
    if w.persistent[SMOOTH] == 0.0:
        clear(w.row_vd)
    predict_sliding(w.tables.drives, w.table, w.rows, w.persistent[LAST_STEP], h, w.solver.direct)
    stage = FORCES
    if splits_or_coasts(w, state, t, q, v, h, moves, world):
        return SPLIT
    while stage < POSITIONS + w.position_iterations:
        if stage == FORCES:
            status = set_up_rows(w, state, t, h, q, v, world)
            if status != 0:
                return status
            stage = VELOCITIES
        some, gap = right_side(w, state, end, q, v, world, stage)
        if stage > POSITIONS and gap > before:  # rows from before a singular position lead away behind it: taken back
            displace(w.tables.tree, q, w.dv, -1.0, q)
            break
        before = gap
        if some:
            sweeps, worst = solve_stage(w, q, stage, sweeps, worst)
        if stage == VELOCITIES:
            if not velocities_confirmed(w, state, h, q, v, some):
                stage = FORCES
                continue
            if some and w.persistent[PARTS] < MOST_PARTS and turns_deep(w, q, h):
                w.persistent[SMOOTH] = 0.0  # what rows did belongs to no step
                return SPLIT
            left = w.solver.left[0] if some else 0.0
            store_loads(w, state, h, q, v)
            last = w.persistent[LAST_STEP]
            add_sleeping_loads(
                w.sleep, w.solver.islands, w.tables.zones, w.tables.colliders, w.tree, w.contacts, state, last
            )
            if not moves:
                return 0
            if w.persistent[COASTING] > 0.0:
                count_half(w, q)
            store_energy(w, state, h, q, v)
            hold_stops(w.rows)
            note_contacts(w, state.solver_stats, h)
            ratio = h / last if last > 0.0 else 0.0
            store_impulses(w.table, w.rows, w.contacts, w.sleep, w.solver.islands, ratio)
            keep_pivot(w.rows, w.solver)
            w.persistent[LAST_STEP] = h
        elif stage == PSEUDO_VELOCITIES:
            move(w, q, v, state.vd, h, some)
            s = w.solver
            settle(w.sleep, s.islands, w.contacts, w.tables.tree, q, v, w.v_plus, h, s.epsilon, s.gravity)
        elif some:
            displace(w.tables.tree, q, w.dv, 1.0, q)
        else:
            w.persistent[END_UPDATED] = 1.0
            break
        stage += 1
    store_effort(state, w.solver, w.rows, sweeps, worst, left)
    return 0


@small
def step_in_parts(w, state, t, h, end, moves, world):
    """A step of h from t to `end`, in as many parts as its velocity-dependent forces need; returns 0 or a status."""
    nv = state.vd.size
    nq = state.y.size - nv - w.tables.tree.accounts
    parts = 1
    part = 0
    while part < parts:
        begin = t + part * h / parts
        if part > 0 and w.persistent[END_UPDATED] == 0.0:
            update_kinematics(
                w.tables, w.tree, world, w.law_input, w.out, state, begin, state.y[:nq], state.y[nq : nq + nv]
            )
        w.persistent[PARTS] = parts if moves else MOST_PARTS
        part += 1
        status = step(w, state, begin, h / parts, end if part == parts else t + part * h / parts, moves, world)
        if status == SPLIT:
            part = 2 * (part - 1)
            parts *= 2
            w.persistent[END_UPDATED] = 1.0  # nothing has moved
        elif status != 0:
            return status
    return 0


@entry
def run(w, state, begin, first, h, steps, every, samples):
    """`steps` steps of h from the step numbered `first` of a run that began at `begin`; see `stepping.advance`."""
    nv = state.vd.size
    nq = state.y.size - nv - w.tables.tree.accounts
    kept = 0
    world = w.needs_poses or dragging(w.drags)
    for i in range(steps + 1):
        n = first + i
        t = begin + max(n, 0) * h
        if i == 0 or w.persistent[END_UPDATED] == 0.0:
            update_kinematics(
                w.tables,
                w.tree,
                world,
                w.law_input,
                w.out,
                state,
                t,
                state.y[:nq],
                state.y[nq : nq + nv],
            )
        if i > 0:
            state.t[0] = t
            if not (finite(state.y) and finite(state.vd)):
                return i - 1, kept, NOT_FINITE
            if left_guide(w.tables.cuts, state.cut_q) >= 0:
                return i - 1, kept, OFF_GUIDE
            if n % every == 0:
                keep_sample(w.tables.laws, state, samples, kept)
                kept += 1
        if i < steps:
            copy(state.y, state.last)
            status = step_in_parts(w, state, t, h, begin + (n + 1) * h, n >= 0, world)
            if status != 0:
                return i, kept, status
    return steps, kept, 0
