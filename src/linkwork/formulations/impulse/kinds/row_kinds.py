"""[MST17, STT17] What the rows of each kind demand: cuts, couplings, springs, motors, limits, friction.

    goal   where or how fast a motor is to be at the end of the step      pace   how fast that goal moves

A description is entries in the row; the unit impulse, rates and the response are the same for all (rows.py). Springs
between points, bushings, drags and contacts have files of their own (spring_rows.py, bushing_rows.py and so on).
"""

from __future__ import annotations

import math

from linkwork._jit import kernel, small
from linkwork.formulations.impulse.kinds.ball_rows import ball_friction_row, cone_row, cones_kept
from linkwork.formulations.impulse.kinds.bushing_rows import bushing_row
from linkwork.formulations.impulse.kinds.contact_moments import make_moment_rows
from linkwork.formulations.impulse.kinds.contact_rows import describe_contact, set_contact_target, unload_hinge_contacts
from linkwork.formulations.impulse.kinds.drag_rows import drag_row, dragging
from linkwork.formulations.impulse.kinds.spring_rows import (
    describe_spring,
    finish_damper,
    finish_line_spring,
    finish_spring,
    is_short,
)
from linkwork.formulations.impulse.rest.islands import sort_by_islands, unite_islands
from linkwork.formulations.impulse.rest.sleeping import wake_touched
from linkwork.formulations.impulse.rows.row_table import (
    BALL_FRICTION,
    BUSHING,
    CONE,
    COUPLING,
    CUT,
    DRAG,
    JOINT_FRICTION,
    LIMIT,
    LINE_SPRING,
    MOTOR,
    PLAY,
    POINT_SPRING,
    is_spring,
)
from linkwork.formulations.impulse.rows.rows import (
    ALL_ROWS,
    ALL_STOPS,
    BILATERAL_ROWS,
    BRAKE_BEHIND,
    BRAKE_MOST,
    BRAKE_PACE,
    DEFERRED_BRAKE,
    apply_unit_impulse,
    clear_response,
    contact_moves,
    coordinate_wrench,
    defer_softness,
    find_contact_responses,
    find_response,
    reset_row,
    set_correction,
    set_wrench,
    share_no_dof,
)
from linkwork.mechanics.forces.forces import coordinate_rate, coordinate_value, spring_line
from linkwork.mechanics.forces.laws import evaluate
from linkwork.mechanics.rows.rows import coupling_value, first_coupled, row_values, term_state
from linkwork.mechanics.tree.impulses import rate_along
from linkwork.mechanics.tree.kinematics import velocities_of
from linkwork.spatial.codes import RIGID
from linkwork.spatial.vectors import cross, dot, load_pair, sub, unit_vector

LIMIT_STEPS = 4.0  # steps of its present motion within which a joint must reach a stop for it to become a row
LIMIT_NEAR = 1e-3  # m or rad: a stop this near is a row anyhow, since a motor may start towards it
STOP_PART = 0.3  # part of the excess that a joint beyond its stop moves back in a step: all would push others out


@small
def make_rows(w, state, t, h, q, v):
    """Make all rows of this step; needs poses, velocities and articulated inertias."""
    tree = w.tables.tree
    cuts = w.tables.cuts
    rows = w.rows
    table = w.table
    row_values(cuts, w.tree, state.cut_q, rows.gap, rows.cut_wrench)
    rows.count[ALL_ROWS] = 0
    rows.count[BILATERAL_ROWS] = 0
    for id in range(table.id_count):
        r = rows.count[ALL_ROWS]
        if id == table.bilateral_ids:
            rows.count[BILATERAL_ROWS] = r
        if id == table.first_drag and not dragging(w.drags):
            break
        if describe_row(w, state, t, h, q, v, r, id):
            ends = apply_unit_impulse(tree, cuts, w.tree, w.v_next_world, table, rows, w.path, v, w.v_next, r)
            if find_response(tree, w.tree, table, rows, w.path, q, ends, r):
                rows.count[ALL_ROWS] = r + 1
                if rows.code[r] == LINE_SPRING:
                    finish_line_spring(
                        w.tables.forces,
                        w.tables.laws,
                        w.tree,
                        w.v_next_world,
                        rows,
                        w.law_input,
                        w.out,
                        table.element[id],
                        t,
                        h,
                    )
                elif is_spring(rows.code[r]):
                    finish_spring(rows, r, h)
                elif rows.code[r] == MOTOR and rows.gamma[r] > 0.0:
                    finish_damper(rows, r, h)
    make_contact_rows(w, h, q, v)


@small
def make_contact_rows(w, h, q, v):
    """The rows of all contacts, after those of the joints, island by island."""
    tree = w.tables.tree
    cuts = w.tables.cuts
    rows = w.rows
    table = w.table
    islands = w.solver.islands
    first = rows.count[ALL_ROWS]
    held = unite_islands(islands, rows, w.contacts)
    wake_touched(w.sleep, islands, w.contacts, tree.grounds, held)
    sort_by_islands(islands, w.contacts, held, w.sleep.asleep)
    islands.row_start[0] = 0
    island = 0
    known = 0  # rows whose responses are known already
    for k in range(islands.contact_start[islands.count[0]]):
        e = islands.contact[k]
        r = rows.count[ALL_ROWS]
        while k == islands.contact_start[island + 1]:
            island += 1
            islands.row_start[island] = r
        count = 3 if known > 0 else describe_contact(w.tree, w.v_next_world, table, rows, w.contacts, r, e)
        kept = 0
        if count == 3 and share_no_dof(table, rows.links[r, 0], rows.links[r, 1]):
            if known == 0:
                known = 3
                # the next one goes the same ways to the ground
                if k + 1 < islands.contact_start[island + 1] and same_pair(w.contacts, e, islands.contact[k + 1]):
                    describe_contact(w.tree, w.v_next_world, table, rows, w.contacts, r + 3, islands.contact[k + 1])
                    known = 6
                find_contact_responses(tree, w.tree, table, rows, w.path, q, r, known)
            known -= 3
            if contact_moves(table, rows, r):
                kept = 3
            else:
                known = 0  # its rows would have to move up
        else:
            while kept < count:
                ends = apply_unit_impulse(
                    tree, cuts, w.tree, w.v_next_world, table, rows, w.path, v, w.v_next, r + kept
                )
                if not find_response(tree, w.tree, table, rows, w.path, q, ends, r + kept):
                    if kept == 0:
                        break
                    clear_response(rows, r + kept, r)
                kept += 1
        if kept > 0:
            set_contact_target(rows, w.contacts, e, r, h)
            if w.contacts.moment.shape[0] > 0:
                kept += make_moment_rows(w, q, v, r, r + kept, e)
        rows.count[ALL_ROWS] = r + kept
    for i in range(island + 1, islands.count[0] + 1):
        islands.row_start[i] = rows.count[ALL_ROWS]
    unload_hinge_contacts(rows, first)


@small
def same_pair(contacts, e, f):
    """Whether contact f has three rows beside those of contact e, between the same links."""
    same = contacts.link_a[e] == contacts.link_a[f] and contacts.link_b[e] == contacts.link_b[f]
    return same and contacts.friction[f] != 0.0 and contacts.moment.shape[0] == 0


@small
def describe_row(w, state, t, h, q, v, r, id):
    """Fill in row r for the constraint of this id; False where there is no such row now."""
    rows = w.rows
    drives = w.tables.drives
    forces = w.tables.forces
    code = w.table.code[id]
    e = w.table.element[id]
    reset_row(rows, r, code, id)
    rows.coefficient[r, 0] = 1.0
    if code == CUT:
        cuts = w.tables.cuts
        c = w.table.row_cut[e]
        set_correction(rows, r, -rows.gap[e] / h)
        rows.target[r] = w.velocity_bias[e]
        n, f = load_pair(rows.cut_wrench, e)
        set_wrench(rows, r, cuts.cut_a[c], cuts.cut_b[c], n, f)
    elif code == LINE_SPRING:
        _, p_b, axis, _, _ = spring_line(forces, w.tree, e)
        undamped = forces.spring_c[e] == 0.0 and forces.spring_viscous[e] < 0
        if undamped and is_short(forces, w.tree, w.v_next_world, e, h):
            return False
        set_wrench(rows, r, forces.spring_a[e], forces.spring_b[e], cross(p_b, axis), axis)
    elif code == POINT_SPRING:
        if not is_short(forces, w.tree, w.v_next_world, e // 3, h):
            return False
        p_a, p_b, _, _, _ = spring_line(forces, w.tree, e // 3)
        axis = unit_vector(e % 3)
        describe_spring(rows, r, forces.spring_k[e // 3], 0.0, dot(axis, sub(p_b, p_a)))
        set_wrench(rows, r, forces.spring_a[e // 3], forces.spring_b[e // 3], cross(p_b, axis), axis)
    elif code == BUSHING:
        bushing_row(forces, w.tree, rows, r, e)
    elif code == JOINT_FRICTION:
        if rows.sliding[e] != 0.0:
            return False
        rows.low[r] = -h * drives.friction_most[e]
        rows.high[r] = h * drives.friction_most[e]
        rows.coordinate[r, 0] = drives.friction_coordinate[e]
    elif code == MOTOR:
        rows.coordinate[r, 0] = drives.motor_coordinate[e]
        place = coordinate_value(drives.motor_q[e], q, state.cut_q)
        motor_row(drives, w.tables.laws, rows, w.law_input, w.out, r, e, place, t, h)
    elif code == LIMIT:
        c = drives.limit_coordinate[e // 2]
        value = coordinate_value(drives.limit_q[e // 2], q, state.cut_q)
        speed = abs(coordinate_rate(c, v, state.cut_rate))
        if c < v.size:
            speed = max(speed, abs(w.v_next[c]))
        there = limit_row(drives, rows, r, e, value, speed, w.persistent[ALL_STOPS] != 0.0, h)
        rows.stop_is_row[e] = 1.0 if there else 0.0
        return there
    elif code == COUPLING:
        coupling_row(w, rows, r, e, 1.0)
        set_correction(rows, r, -rows.gap[first_coupled(w.tables.cuts) + e] / h)
        rows.target[r] = coupling_rate(w, e, t, h)
    elif code == PLAY:
        side = 1.0 if e % 2 == 0 else -1.0
        coupling_row(w, rows, r, e // 2, side)
        value = coupling_value(w.tables.cuts, w.tree, state.cut_q, e // 2)
        stop_row(rows, r, w.tables.cuts.coupling_play[e // 2] + side * value, h)
    elif code == CONE:
        return cone_row(drives, w.tree, w.v_next_world, rows, r, e, w.persistent[ALL_STOPS] != 0.0, h)
    elif code == BALL_FRICTION:
        return ball_friction_row(drives, w.tree, rows, r, e, h)
    elif code == DRAG:
        return drag_row(w.tree, rows, w.drags, r, e, h)
    else:
        # COIL_SPRING: a spring or damper on a rate of a cut, or on a ball or free joint
        k = 0.0
        stretch = 0.0
        if forces.coil_q[e] >= 0:
            k = forces.coil_k[e]
            stretch = coordinate_value(forces.coil_q[e], q, state.cut_q) - forces.coil_rest[e]
        describe_spring(rows, r, k, forces.coil_c[e], stretch)
        rows.coordinate[r, 0] = forces.coil_coordinate[e]
    return True


@small
def motor_row(drives, laws, rows, law_input, out, r, e, place, t, h):
    """Motor e: the rate that leads to its goal at the end of the step, within its torque (6)."""
    soft = drives.motor_soft
    most = drives.motor_most[e]
    rows.low[r] = -h * most
    rows.high[r] = h * most
    now = 0.0
    goal = 0.0
    for end in range(2):
        evaluate(laws, drives.motor_law[e], t + end * h, law_input, out)
        now = goal
        goal = out[0]
    v_scale = (goal - now) / h
    if drives.motor_servo[e] == 0:
        rows.target[r] = goal
        if soft[e, 0] != RIGID:
            rows.gamma[r] = 1.0 / (h * soft[e, 2])
    elif soft[e, 0] != RIGID:
        defer_softness(rows, r, soft, e, place - goal, v_scale)
    elif most < math.inf:
        rows.deferred[r] = DEFERRED_BRAKE
        rows.deferred_data[r, BRAKE_MOST] = most
        rows.deferred_data[r, BRAKE_BEHIND] = now - place
        rows.deferred_data[r, BRAKE_PACE] = v_scale
    else:
        rows.target[r] = (goal - place) / h


@small
def limit_gap(drives, e, value):
    """How far a coordinate with this value is from stop e; lower and upper ones in turn."""
    return value - drives.limit_low[e // 2] if e % 2 == 0 else drives.limit_high[e // 2] - value


@kernel
def hold_stops(rows):
    """Joints that their stops hold in this step must not be moved beyond them while loops are closed."""
    for r in range(rows.count[ALL_ROWS]):
        if rows.code[r] == LIMIT and rows.p[r] > 0.0 and rows.deferred[r] == 0:
            rows.correction_high[r] = math.inf


@kernel
def passed_stop(drives, rows, r, e, q, cut_q):
    """How far a joint is beyond the stop e that holds it as row r, negative before it; 0 where that is left."""
    if not rows.correction_high[r] > 0.0 or rows.correction[r] > 0.0:
        return 0.0  # one that was beyond its stop before the step moves back over several
    return -limit_gap(drives, e, coordinate_value(drives.limit_q[e // 2], q, cut_q))


@small
def limit_row(drives, rows, r, e, value, speed, every, h):
    """A stop that its coordinate could reach in this step, or any with `every`; e: lower and upper ones in turn."""
    soft = drives.limit_soft
    lower = e % 2 == 0
    gap = limit_gap(drives, e, value)
    e = e // 2
    rigid = soft[e, 0] == RIGID
    if not every and gap > LIMIT_NEAR + LIMIT_STEPS * h * speed:
        return False
    rows.coordinate[r, 0] = drives.limit_coordinate[e]
    rows.coefficient[r, 0] = 1.0 if lower else -1.0
    rows.low[r] = 0.0
    if not rigid:
        defer_softness(rows, r, soft, e, gap, -max(gap, 0.0) / h)  # the remaining gap may close freely
    else:
        stop_row(rows, r, gap, h)
    return True


@small
def stop_row(rows, r, gap, h):
    """Row r pushes so that a gap does not become negative."""
    rows.low[r] = 0.0
    if gap > 0.0:
        rows.target[r] = -gap / h
    else:
        rows.correction[r] = -STOP_PART * gap / h
        rows.correction_high[r] = math.inf


@small
def coupling_row(w, rows, r, e, side):
    """Row r acts on the coordinates of coupling e, or against them."""
    cuts = w.tables.cuts
    first = cuts.coupling_term[e]
    for j in range(cuts.coupling_term[e + 1] - first):
        rows.coordinate[r, j] = cuts.term_coordinate[first + j]
        rows.coefficient[r, j] = side * w.tree.slope[first + j]


@kernel
def coupling_rate(w, j, t, h):
    """Rate of coupling j at the step's start: the mean one of its law, or that with which cams hold halfway, as joints
    do (velocity_bias.py): -h/2 times the second rate that the bends of their curves make."""
    cuts = w.tables.cuts
    if cuts.coupling_law[j] >= 0:
        evaluate(w.tables.laws, cuts.coupling_law[j], t + h, w.law_input, w.out)
        return (w.out[0] - w.tree.given[j, 0]) / h
    total = 0.0
    for e in range(cuts.coupling_term[j], cuts.coupling_term[j + 1]):
        if cuts.term_curve[e] >= 0:
            _, _, bend, rate = term_state(cuts, w.tree, e)
            total -= 0.5 * h * bend * rate * rate
    return total


@kernel
def stops_kept(tree, cuts, drives, work, table, rows, q, cut_q, v_next, own, world, h):
    """Whether no joint passes a stop in this step that is not a row: impulses may drive it there."""
    dofs = v_next.size
    known = False  # whether `world` holds the velocities of v_next
    for e in range(2 * drives.limit_q.size):
        if rows.stop_is_row[e] != 0.0:
            continue
        c = drives.limit_coordinate[e // 2]
        if c < dofs:
            rate = v_next[c]
        else:
            if not known:
                velocities_of(tree, work, q, v_next, own, world)
                known = True
            n, f, a, b = coordinate_wrench(cuts, work, table, c - dofs)
            rate = rate_along(work, world, b, n, f) - rate_along(work, world, a, n, f)
        value = coordinate_value(drives.limit_q[e // 2], q, cut_q) + h * rate
        if value < drives.limit_low[e // 2] if e % 2 == 0 else value > drives.limit_high[e // 2]:
            return False
    if drives.cone_a.size == 0:
        return True
    if not known:
        velocities_of(tree, work, q, v_next, own, world)
    return cones_kept(drives, work, rows, world, h)
