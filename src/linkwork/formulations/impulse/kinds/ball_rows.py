"""Cones and dry friction of ball joints as rows: torques between the two links.

    z_a z_b   axes of the joint on both sides          theta   swing, the angle between them
    t         axis about which theta grows             tau     twist, the rest of the turn after that swing
    w         angular velocity of b in a               d       what tau changes by: tau' = d . w
    alpha     the whole turn, about one axis           u       that axis: alpha' = u . w

A stop keeps theta, tau or alpha within their bounds at the end of the step, not at its start: what they gain beyond
their first rates, since the axes turn on the way, goes into the target. So a pendulum that slides around its cone moves
along chords of it, neither faster nor slower.

Friction has a torque of one length in whatever direction. A joint that stands still has three rows, and their impulse
may have that length at most; one that slides has a row along its motion. Which of the two it is, is taken from the last
step, and the step is repeated where that was wrong.
"""

from __future__ import annotations

import math

from linkwork._jit import kernel, small
from linkwork.contact.surfaces import perpendicular
from linkwork.formulations.impulse.kinds.soft_rows import PUSH_TURN
from linkwork.formulations.impulse.rows.row_table import BALL_FRICTION, CONE_SIDES
from linkwork.formulations.impulse.rows.rows import ALL_ROWS, defer_softness, set_wrench
from linkwork.mechanics.rows.joint_frames import angle_near, attitude, frame_axes, relative_spin
from linkwork.spatial.codes import BY_ANGLES, BY_BODIES, RIGID
from linkwork.spatial.quaternions import exponential, rotation_of
from linkwork.spatial.vectors import (
    ZERO,
    add,
    add_scaled,
    axis_x,
    axis_y,
    axis_z,
    cross,
    dot,
    multiply,
    norm,
    rotate,
    scale,
    unit_vector,
)

STOP_PART = 0.3  # part of the excess that a joint beyond its stop moves back in a step, as of other stops
CONE_STEPS = 4.0  # steps of its present motion within which a joint must reach its cone for it to become a row
CONE_NEAR = 1e-3  # rad: a cone this near is a row anyhow
NO_SWING = 1e-9  # rad: with less the axis t is that of the motion
NO_TWIST = 1e-6  # 1 + cos theta: with less the twist is not defined
WITHIN = 1e-9  # part of the friction by which a torque may exceed it
# elements of a cone
SWING, LOWER_TWIST, UPPER_TWIST, WHOLE_TURN = range(CONE_SIDES)
# slots of `RowWork.ball_friction`
SLIDES, ROUNDS, DIRECTION = range(3)


@small
def cone_axes(drives, work, c):
    """Axes of both sides of cone c in the world."""
    return frame_axes(work, drives.cone_a[c], drives.cone_Ra, c), frame_axes(work, drives.cone_b[c], drives.cone_Rb, c)


@small
def swing_of(R_a, R_b):
    """theta, and the axis t about which it grows; zero where there is none."""
    x = cross(axis_z(R_a), axis_z(R_b))
    s = norm(x)
    return math.atan2(s, dot(axis_z(R_a), axis_z(R_b))), scale(1.0 / s if s > NO_SWING else 0.0, x)


@small
def twist_of(R_a, R_b):
    """tau between -pi and pi, and d; zero where the axes point against each other."""
    e = attitude(R_a, R_b)
    tau = angle_near(2.0 * math.atan2(e[3], e[0]), 0.0)
    both = add(axis_z(R_a), axis_z(R_b))
    room = 0.5 * dot(both, both)  # 1 + cos theta
    return tau, scale(1.0 / room if room > NO_TWIST else 0.0, both)


@small
def turn_of(R_a, R_b):
    """alpha between 0 and pi, and u in the world; zero where there is no turn."""
    e = attitude(R_a, R_b)
    sign = -1.0 if e[0] < 0.0 else 1.0
    x = (sign * e[1], sign * e[2], sign * e[3])
    s = norm(x)
    return 2.0 * math.atan2(s, abs(e[0])), rotate(R_a, scale(1.0 / s if s > NO_SWING else 0.0, x))


@small
def turned(w, h, R):
    """R after a turn with the angular velocity w during h."""
    return multiply(rotation_of(exponential(scale(h, w))), R)


@small
def turned_axes(moves, R_a, R_b, w_a, w, h):
    """Axes of both sides after a step with the angular velocities w_a and w_a + w, as the joint is moved by it."""
    if moves == BY_BODIES:
        return turned(w_a, h, R_a), turned(add(w_a, w), h, R_b)
    if moves == BY_ANGLES:
        x = axis_x(R_a)
        y = axis_y(R_b)
        return R_a, turned(scale(dot(w, x), x), h, turned(scale(dot(w, y), y), h, R_b))
    return R_a, turned(w, h, R_b)


@small
def measured_stop(drives, c, side, R_a, R_b):
    """How far a side of cone c is from its bound, and the direction of motion in which that grows."""
    if side == SWING:
        theta, t = swing_of(R_a, R_b)
        return drives.cone_swing[c] - theta, scale(-1.0, t)
    if side == WHOLE_TURN:
        alpha, u = turn_of(R_a, R_b)
        return drives.cone_turn[c] - alpha, scale(-1.0, u)
    tau, d = twist_of(R_a, R_b)
    if side == LOWER_TWIST:
        return tau - drives.cone_low[c], d
    return drives.cone_high[c] - tau, scale(-1.0, d)


@small
def cone_row(drives, work, v_next_world, rows, r, e, every, h):
    """Row r: a side of a cone that its joint could reach in this step, or any with `every`."""
    c = e // CONE_SIDES
    side = e % CONE_SIDES
    R_a, R_b = cone_axes(drives, work, c)
    w_a, w = relative_spin(v_next_world, drives.cone_a[c], drives.cone_b[c])
    gap, n = measured_stop(drives, c, side, R_a, R_b)
    there = every or gap <= CONE_NEAR + CONE_STEPS * h * norm(w)
    rows.stop_is_row[2 * drives.limit_q.size + e] = 1.0 if there else 0.0
    if not there:
        return False
    if dot(n, n) == 0.0:
        if side == LOWER_TWIST or side == UPPER_TWIST:
            return False
        z = axis_z(R_a)
        t = add_scaled(w, -dot(w, z), z) if side == SWING else w
        n = scale(-1.0 / norm(t), t) if norm(t) > NO_SWING else perpendicular(z)
    set_wrench(rows, r, drives.cone_a[c], drives.cone_b[c], n, ZERO)
    rows.low[r] = 0.0
    # what the gap loses beyond its first rate, if the stop keeps what it would pass
    over = min(dot(n, w) + max(gap, 0.0) / h, 0.0) / dot(n, n)
    w = add_scaled(w, -over, n)
    R_a, R_b = turned_axes(drives.cone_moves[c], R_a, R_b, w_a, w, h)
    end, _ = measured_stop(drives, c, side, R_a, R_b)
    if abs(end - gap) > math.pi:  # half a turn about z
        end = gap + h * dot(n, w)
    velocity_bias = dot(n, w) - (end - gap) / h
    if drives.cone_soft[c, 0] != RIGID:
        defer_softness(rows, r, drives.cone_soft, c, gap, -max(gap, 0.0) / h)  # the remaining gap may close freely
        rows.pushing[r, PUSH_TURN] = velocity_bias
        return True
    rows.target[r] = velocity_bias - max(gap, 0.0) / h
    if gap < 0.0:
        rows.correction[r] = -STOP_PART * gap / h
        rows.correction_high[r] = math.inf
    return True


@kernel
def cones_kept(drives, work, rows, velocities, h):
    """Whether no joint passes a cone in this step that is not a row."""
    for c in range(drives.cone_a.size):
        R_a, R_b = cone_axes(drives, work, c)
        w_a, w = relative_spin(velocities, drives.cone_a[c], drives.cone_b[c])
        E_a, E_b = turned_axes(drives.cone_moves[c], R_a, R_b, w_a, w, h)
        for side in range(CONE_SIDES):
            if rows.stop_is_row[2 * drives.limit_q.size + CONE_SIDES * c + side] == 0.0:
                end, _ = measured_stop(drives, c, side, E_a, E_b)
                if end < 0.0:
                    return False
    return True


@kernel
def start_ball_friction(rows):
    """A step begins: friction of ball joints goes on as in the last one."""
    for s in range(rows.ball_friction.shape[0]):
        rows.ball_friction[s, ROUNDS] = 0.0


@small
def ball_friction_row(drives, work, rows, r, e, h):
    """Row r: friction of a ball joint along its motion, or about an axis of the world while it stands still."""
    s = e // 3
    a = drives.ball_friction_a[s]
    b = drives.ball_friction_b[s]
    known = rows.ball_friction[s]
    if known[SLIDES] != 0.0 and known[ROUNDS] == 0.0 and e % 3 == 0:
        _, w = relative_spin(work.pose_v, a, b)
        if norm(w) > 0.0:
            for j in range(3):
                known[DIRECTION + j] = w[j] / norm(w)
        else:
            known[SLIDES] = 0.0
    axis = unit_vector(e % 3)
    if known[SLIDES] != 0.0:
        if e % 3 > 0:
            return False
        axis = (known[DIRECTION], known[DIRECTION + 1], known[DIRECTION + 2])
    rows.low[r] = -h * drives.ball_friction_most[s]
    rows.high[r] = h * drives.ball_friction_most[s]
    set_wrench(rows, r, a, b, axis, ZERO)
    return True


@kernel
def ball_friction_confirmed(drives, table, rows, h):
    """Whether friction of ball joints is no more than it may be, and no less where they slide; if not, try again."""
    if rows.ball_friction.shape[0] == 0:
        return True
    for s in range(rows.ball_friction.shape[0]):
        if rows.ball_friction[s, SLIDES] == 0.0:
            for j in range(3):
                rows.ball_friction[s, DIRECTION + j] = 0.0
    confirmed = True
    for r in range(rows.count[ALL_ROWS]):
        if rows.code[r] != BALL_FRICTION:
            continue
        e = table.element[rows.id[r]]
        known = rows.ball_friction[e // 3]
        most = h * drives.ball_friction_most[e // 3]
        if known[SLIDES] == 0.0:
            known[DIRECTION + e % 3] = rows.p[r]
        elif known[ROUNDS] == 0.0 and abs(rows.p[r]) < (1.0 - WITHIN) * most:
            known[SLIDES] = 0.0  # it comes to rest
            known[ROUNDS] = 1.0
            confirmed = False
            for j in range(3):
                known[DIRECTION + j] = 0.0
    for s in range(rows.ball_friction.shape[0]):
        known = rows.ball_friction[s]
        p = norm((known[DIRECTION], known[DIRECTION + 1], known[DIRECTION + 2]))
        if known[SLIDES] == 0.0 and p > (1.0 + WITHIN) * h * drives.ball_friction_most[s]:
            known[SLIDES] = 1.0
            known[ROUNDS] += 1.0
            confirmed = False
            for j in range(3):
                known[DIRECTION + j] /= p
    return confirmed
