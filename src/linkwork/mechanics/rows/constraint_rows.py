"""Constraint rows: those by which a joint closes a loop, and the coordinates that it keeps while doing so.

Those of wheels that roll are in rolling.py; all rows of a system, with those of couplings, in rows.py.

    e_a e_b  axes of the joint's frames on a and b, world      d   from the origin of frame a to that of frame b
    g gd gdd  value of a row and its two rates                  W   its wrench: torque about the world's origin, force

A row acts with +W on b and -W on a, and gd = W . (V_b - V_a); G of V06 (2.10) is W times the body Jacobians.
"""

from __future__ import annotations

import math

from linkwork._jit import kernel, small
from linkwork.mechanics.rows.guides import (
    arc_acceleration,
    arc_direction,
    arc_measure,
    guide_acceleration,
    guide_direction,
    guide_foot,
    guide_row,
    relative_motion,
)
from linkwork.mechanics.rows.joint_frames import angle_near, attitude, frame_axes, turn_about_z
from linkwork.mechanics.tree.motions import world_axis
from linkwork.spatial.codes import (
    ACROSS,
    ALONG,
    ANGLE_FIRST,
    ANGLE_SCREW,
    ANGLE_SECOND,
    ANGLE_Z,
    ARC_LENGTH,
    ATTITUDE,
    ATTITUDE_OUTER,
    CROSSED,
    DISTANCE,
    LENGTH,
    OFFSET,
    RIM,
)
from linkwork.spatial.vanishing import vanished
from linkwork.spatial.vectors import (
    ZERO,
    add,
    add_scaled,
    axis_x,
    axis_y,
    axis_z,
    column,
    cross,
    dot,
    load3,
    load9,
    load_pair,
    norm,
    rotate,
    scale,
    store_pair,
    sub,
)

TINY = 1e-13  # m: a rod shorter than this has no direction
ROUNDING = 1e-12  # of the most that a row and an axis could give: less is no motion
NOWHERE = 1e-3  # m: about the world's origin places are known no better than about this distance from it


@small
def cut_frames(cuts, work, c):
    """World rotation and origin of the two frames of cut c."""
    a = cuts.cut_a[c]
    b = cuts.cut_b[c]
    p_a = add(load3(work.pose_p, a), rotate(load9(work.pose_R, a), load3(cuts.cut_pa, c)))
    p_b = add(load3(work.pose_p, b), rotate(load9(work.pose_R, b), load3(cuts.cut_pb, c)))
    return frame_axes(work, a, cuts.cut_Ra, c), p_a, frame_axes(work, b, cuts.cut_Rb, c), p_b


@small
def along(d):
    """Direction and length of d; of a d that vanishes the direction is zero."""
    length = norm(d)
    return scale(1.0 / length, d) if length > TINY else ZERO, length


@small
def second_rate_of_length(d, u, b):
    """Second rate of |d|, where d changes with the velocity u and the acceleration b."""
    e, length = along(d)
    swing = dot(u, u) - dot(u, e) * dot(u, e)
    return dot(b, e) + swing / max(length, TINY)


@small
def row_wrench(cuts, r, R_a, R_b, p_b, d):
    """W of row r: torque about the world's origin, force."""
    kind = cuts.row_kind[r]
    if kind == CROSSED:
        return cross(column(R_b, cuts.row_j[r]), column(R_a, cuts.row_i[r])), ZERO
    if kind == DISTANCE:
        e, _ = along(d)
        return cross(p_b, e), e
    if kind >= ACROSS:
        k, u = guide_foot(cuts, r, r + 1, R_a, d)
        e = guide_direction(cuts, r, R_a, d, k, u)
        return cross(p_b, e), e
    e = column(R_a, cuts.row_i[r])
    n = cross(p_b, e)
    if kind == ALONG:
        return n, e
    return add_scaled(n, -cuts.row_pitch[r], e), e


@kernel
def cut_values(cuts, work, cut_q, g, W):
    """g and W of every row of a cut; needs the links' poses."""
    for c in range(cuts.cut_a.size):
        R_a, p_a, R_b, p_b = cut_frames(cuts, work, c)
        d = sub(p_b, p_a)
        k, u = guide_foot(cuts, cuts.cut_row[c], cuts.cut_row[c + 1], R_a, d)
        for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
            kind = cuts.row_kind[r]
            if kind >= RIM:
                continue
            if kind >= ACROSS:
                g[r], e = guide_row(cuts, r, R_a, d, k, u)
                e = rotate(R_a, e)
                store_pair(W, r, cross(p_b, e), e)
                continue
            e = column(R_a, cuts.row_i[r])
            if kind == CROSSED:
                g[r] = dot(e, column(R_b, cuts.row_j[r]))
            elif kind == DISTANCE:
                g[r] = norm(d) - cuts.row_pitch[r]
            else:
                g[r] = dot(d, e)
                if kind != ALONG:
                    previous = cut_q[cuts.measure_q[cuts.cut_measure[c]]]
                    g[r] -= cuts.row_pitch[r] * angle_near(turn_about_z(R_a, R_b), previous)
            n, f = row_wrench(cuts, r, R_a, R_b, p_b, d)
            store_pair(W, r, n, f)


@small
def point_velocity(work, i, p):
    """Angular velocity of link i and velocity of its point now at p, world axes."""
    return velocity_at(work, work.pose_v, i, p)


@small
def velocity_at(work, velocities, i, p):
    """The same where links move with these velocities, a row of six for each."""
    w, u = load_pair(velocities, i)
    return w, add(u, cross(w, sub(p, load3(work.pose_p, i))))


@small
def point_acceleration(work, i, p):
    """Angular acceleration of link i and acceleration of its point now at p; both less gravity, world axes."""
    X = load9(work.pose_R, i)
    w, u = load_pair(work.pose_v, i)
    a, b = load_pair(work.acceleration, i)
    a = rotate(X, a)
    r = sub(p, load3(work.pose_p, i))
    # spatial to classical: + w x u
    b = add(rotate(X, b), cross(w, u))
    return a, add(b, add(cross(a, r), cross(w, cross(w, r))))


@kernel
def cut_rates(cuts, work, gd):
    """Velocity level: gd of every row of a cut; needs the links' poses and world velocities."""
    for c in range(cuts.cut_a.size):
        R_a, p_a, R_b, p_b = cut_frames(cuts, work, c)
        w_a, u_a = point_velocity(work, cuts.cut_a[c], p_b)
        w_b, u_b = point_velocity(work, cuts.cut_b[c], p_b)
        w = sub(w_b, w_a)
        u = sub(u_b, u_a)
        piece, place = guide_foot(cuts, cuts.cut_row[c], cuts.cut_row[c + 1], R_a, sub(p_b, p_a))
        for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
            e = column(R_a, cuts.row_i[r])
            if cuts.row_kind[r] == CROSSED:
                gd[r] = dot(w, cross(column(R_b, cuts.row_j[r]), e))
            elif cuts.row_kind[r] == ALONG:
                gd[r] = dot(u, e)
            elif cuts.row_kind[r] == DISTANCE:
                e, _ = along(sub(p_b, p_a))
                gd[r] = dot(u, e)
            elif cuts.row_kind[r] >= RIM:
                continue
            elif cuts.row_kind[r] >= ACROSS:
                gd[r] = dot(u, guide_direction(cuts, r, R_a, sub(p_b, p_a), piece, place))
            else:
                gd[r] = dot(u, e) - cuts.row_pitch[r] * dot(w, e)


@kernel
def cut_accelerations(cuts, work, gdd):
    """Acceleration level: gdd of every row of a cut for the links' present accelerations."""
    for c in range(cuts.cut_a.size):
        R_a, p_a, R_b, p_b = cut_frames(cuts, work, c)
        d = sub(p_b, p_a)
        w_a, u_a = point_velocity(work, cuts.cut_a[c], p_a)
        w_b, u_b = point_velocity(work, cuts.cut_b[c], p_b)
        a_a, b_a = point_acceleration(work, cuts.cut_a[c], p_a)
        a_b, b_b = point_acceleration(work, cuts.cut_b[c], p_b)
        piece, place = guide_foot(cuts, cuts.cut_row[c], cuts.cut_row[c + 1], R_a, d)
        for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
            e = column(R_a, cuts.row_i[r])
            ed = cross(w_a, e)
            edd = add(cross(a_a, e), cross(w_a, ed))
            if cuts.row_kind[r] == CROSSED:
                k = column(R_b, cuts.row_j[r])
                kd = cross(w_b, k)
                kdd = add(cross(a_b, k), cross(w_b, kd))
                gdd[r] = dot(edd, k) + 2.0 * dot(ed, kd) + dot(e, kdd)
            elif cuts.row_kind[r] == DISTANCE:
                gdd[r] = second_rate_of_length(d, sub(u_b, u_a), sub(b_b, b_a))
            elif cuts.row_kind[r] >= RIM:
                continue
            elif cuts.row_kind[r] >= ACROSS:
                x, xd, xdd = relative_motion(R_a, w_a, a_a, d, sub(u_b, u_a), sub(b_b, b_a))
                gdd[r] = guide_acceleration(cuts, r, x, xd, xdd, piece, place)
            else:
                gdd[r] = dot(sub(b_b, b_a), e) + 2.0 * dot(sub(u_b, u_a), ed) + dot(d, edd)
                if cuts.row_kind[r] != ALONG:
                    gdd[r] -= cuts.row_pitch[r] * (dot(sub(a_b, a_a), e) + dot(sub(w_b, w_a), ed))


@kernel
def cut_joint_rows(tree, cuts, work, W, G):
    """G (row, dof) by the chain rule of V06 2.9: wrenches times the axes of the dofs between the two bodies.

    What rounding leaves of a row that is not there (the second hinge of a door) is set to zero: later it could not be
    told from a row.
    """
    for c in range(cuts.cut_a.size):
        _, _, _, p_b = cut_frames(cuts, work, c)
        for s in range(cuts.path_start[c], cuts.path_start[c + 1]):
            k = cuts.path_dof[s]
            i = tree.dof_link[k]
            w, u = world_axis(tree, work.pose_R, work.pose_p, i, k - tree.link_v[i])
            turn = norm(w)
            most = norm(u) + turn * (norm(p_b) + norm(load3(work.pose_p, i)) + NOWHERE)
            for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
                n, f = load_pair(W, r)
                x = dot(n, w) + dot(f, u)
                there = abs(x) > ROUNDING * (norm(n) * turn + norm(f) * most)
                G[r, k] = cuts.path_sign[s] * (x if there else vanished(x))


@small
def measure_wrench(cuts, m, j, R_a, p_a, R_b, p_b):
    """Wrench that does work on the j-th rate of measure m: torque about the world's origin, force."""
    kind = cuts.measure_kind[m]
    if kind == OFFSET:
        e = column(R_a, cuts.measure_axis[m])
        return cross(p_b, e), e
    if kind == ARC_LENGTH:
        e = arc_direction(cuts, m, R_a, sub(p_b, p_a))
        return cross(p_b, e), e
    if kind == LENGTH:
        e, _ = along(sub(p_b, p_a))
        return cross(p_b, e), e
    if kind == ANGLE_FIRST:
        return axis_x(R_a), ZERO
    if kind == ANGLE_SECOND:
        return axis_y(R_b), ZERO
    if kind == ATTITUDE:
        return column(R_b, j), ZERO
    if kind == ATTITUDE_OUTER:
        return column(R_a, j), ZERO
    return axis_z(R_a), ZERO


@kernel
def measure_cuts(cuts, work, cut_q, cut_rate):
    """Coordinates and rates of the cut joints; angles go on counting turns from their last value in cut_q."""
    measure_some(cuts, work, 0, cuts.cut_a.size, cut_q, cut_rate)


@kernel
def measure_some(cuts, work, first, last, cut_q, cut_rate):
    """The same of the cuts from `first` to before `last`."""
    for c in range(first, last):
        if cuts.cut_measure[c] == cuts.cut_measure[c + 1]:
            continue
        R_a, p_a, R_b, p_b = cut_frames(cuts, work, c)
        d = sub(p_b, p_a)
        w_a, u_a = point_velocity(work, cuts.cut_a[c], p_b)
        w_b, u_b = point_velocity(work, cuts.cut_b[c], p_b)
        w = sub(w_b, w_a)
        for m in range(cuts.cut_measure[c], cuts.cut_measure[c + 1]):
            kind = cuts.measure_kind[m]
            k = cuts.measure_q[m]
            s = cuts.measure_rate[m]
            if kind == OFFSET:
                e = column(R_a, cuts.measure_axis[m])
                cut_q[k] = dot(d, e)
                cut_rate[s] = dot(sub(u_b, u_a), e)
            elif kind == ARC_LENGTH:
                cut_q[k], e = arc_measure(cuts, m, R_a, d, cut_q[k])
                cut_rate[s] = dot(sub(u_b, u_a), e)
            elif kind == LENGTH:
                e, cut_q[k] = along(d)
                cut_rate[s] = dot(sub(u_b, u_a), e)
            elif kind == ATTITUDE or kind == ATTITUDE_OUTER:
                e4 = attitude(R_a, R_b)
                # the sign that goes on smoothly
                same = e4[0] * cut_q[k] + e4[1] * cut_q[k + 1] + e4[2] * cut_q[k + 2] + e4[3] * cut_q[k + 3]
                sign = -1.0 if same < 0.0 else 1.0
                for j in range(4):
                    cut_q[k + j] = sign * e4[j]
                for j in range(3):
                    cut_rate[s + j] = dot(column(R_b if kind == ATTITUDE else R_a, j), w)
            else:
                if kind == ANGLE_Z or kind == ANGLE_SCREW:
                    angle = turn_about_z(R_a, R_b)
                    e = axis_z(R_a)
                elif kind == ANGLE_FIRST:
                    y = axis_y(R_b)
                    angle = math.atan2(dot(y, axis_z(R_a)), dot(y, axis_y(R_a)))
                    e = axis_x(R_a)
                else:
                    x = axis_x(R_a)
                    angle = math.atan2(dot(x, axis_z(R_b)), dot(x, axis_x(R_b)))
                    e = axis_y(R_b)
                cut_q[k] = angle_near(angle, cut_q[k])
                cut_rate[s] = dot(e, w)


@kernel
def measure_accelerations(cuts, work, out):
    """Second rates of the cut joints' coordinates, for the links' present accelerations."""
    accelerate_some(cuts, work, 0, cuts.cut_a.size, out)


@kernel
def accelerate_some(cuts, work, first, last, out):
    """The same of the cuts from `first` to before `last`."""
    for c in range(first, last):
        if cuts.cut_measure[c] == cuts.cut_measure[c + 1]:
            continue
        R_a, p_a, R_b, p_b = cut_frames(cuts, work, c)
        d = sub(p_b, p_a)
        w_a, u_a = point_velocity(work, cuts.cut_a[c], p_a)
        w_b, u_b = point_velocity(work, cuts.cut_b[c], p_b)
        a_a, b_a = point_acceleration(work, cuts.cut_a[c], p_a)
        a_b, b_b = point_acceleration(work, cuts.cut_b[c], p_b)
        w = sub(w_b, w_a)
        a = sub(a_b, a_a)
        for m in range(cuts.cut_measure[c], cuts.cut_measure[c + 1]):
            kind = cuts.measure_kind[m]
            s = cuts.measure_rate[m]
            if kind == OFFSET:
                e = column(R_a, cuts.measure_axis[m])
                ed = cross(w_a, e)
                edd = add(cross(a_a, e), cross(w_a, ed))
                out[s] = dot(sub(b_b, b_a), e) + 2.0 * dot(sub(u_b, u_a), ed) + dot(d, edd)
            elif kind == ARC_LENGTH:
                x, xd, xdd = relative_motion(R_a, w_a, a_a, d, sub(u_b, u_a), sub(b_b, b_a))
                out[s] = arc_acceleration(cuts.guides, cuts.measure_axis[m], x, xd, xdd)
            elif kind == LENGTH:
                out[s] = second_rate_of_length(d, sub(u_b, u_a), sub(b_b, b_a))
            elif kind == ATTITUDE:
                for j in range(3):
                    e = column(R_b, j)
                    out[s + j] = dot(e, a) + dot(cross(w_b, e), w)
            elif kind == ATTITUDE_OUTER:
                for j in range(3):
                    e = column(R_a, j)
                    out[s + j] = dot(e, a) + dot(cross(w_a, e), w)
            elif kind == ANGLE_SECOND:
                e = axis_y(R_b)
                out[s] = dot(e, a) + dot(cross(w_b, e), w)
            else:
                e = axis_x(R_a) if kind == ANGLE_FIRST else axis_z(R_a)
                out[s] = dot(e, a) + dot(cross(w_a, e), w)
