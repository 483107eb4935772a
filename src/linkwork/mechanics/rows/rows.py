"""All constraint rows of a system: those of the joints that close loops, then those of couplings.

    x      a joint coordinate, read off the frames of its joint as that of a cut
    g = sum of f(x) - what they add up to    f(x): a factor times x, or a curve over x; slope is f', bend is f''

What the terms add up to is a law of time (motors), or constant (gears), or zero (cams). A term acts on its two links
with its slope times the wrench that does work on x.
"""

from __future__ import annotations

import math

from linkwork._jit import kernel, small
from linkwork.mechanics.forces.curves import curve_rates
from linkwork.mechanics.rows.constraint_rows import (
    NOWHERE,
    ROUNDING,
    accelerate_some,
    cut_accelerations,
    cut_frames,
    cut_joint_rows,
    cut_rates,
    cut_values,
    measure_some,
    measure_wrench,
    point_velocity,
    second_rate_of_length,
)
from linkwork.mechanics.rows.guides import arc_acceleration, relative_motion
from linkwork.mechanics.rows.rolling import rolling_accelerations, rolling_rates, rolling_values
from linkwork.mechanics.tree.motions import world_axis
from linkwork.spatial.codes import ANGLE_FIRST, ANGLE_SECOND, ARC_LENGTH, ATTITUDE, LENGTH, OFFSET
from linkwork.spatial.vanishing import vanished
from linkwork.spatial.vectors import (
    ZERO,
    axis_x,
    axis_y,
    axis_z,
    column,
    cross,
    dot,
    load3,
    norm,
    scale,
    store_pair,
    sub,
)


@small
def first_coupled(cuts):
    """The first row of a coupling."""
    return cuts.row_kind.size - cuts.coupling_law.size


@small
def has_play(cuts, r):
    """Whether row r is a coupling that holds at the ends of a play alone."""
    j = r - first_coupled(cuts)
    return j >= 0 and cuts.coupling_play[j] > 0.0


@small
def term_state(cuts, work, e):
    """Value, slope and bend of term e where its joint is, and the rate of its coordinate."""
    c = cuts.term_cut[e]
    m = cuts.term_measure[e]
    measure_some(cuts, work, c, c + 1, work.cut_q, work.cut_rate)
    x = work.cut_q[cuts.measure_q[m]]
    factor = cuts.term_factor[e]
    rate = work.cut_rate[cuts.measure_rate[m]]
    if cuts.term_curve[e] < 0:
        return factor * x, factor, 0.0, rate
    value, slope, bend = curve_rates(cuts, cuts.term_curve[e], x)
    return factor * value, factor * slope, factor * bend, rate


@small
def term_rate(cuts, work, e):
    """Rate of the coordinate of term e alone."""
    c = cuts.term_cut[e]
    R_a, p_a, R_b, p_b = cut_frames(cuts, work, c)
    n, f = measure_wrench(cuts, cuts.term_measure[e], 0, R_a, p_a, R_b, p_b)
    w_a, u_a = point_velocity(work, cuts.cut_a[c], p_b)
    w_b, u_b = point_velocity(work, cuts.cut_b[c], p_b)
    return dot(sub(u_b, u_a), f) if dot(f, f) > 0.0 else dot(sub(w_b, w_a), n)


@small
def term_wrench(cuts, work, e):
    """What term e does to its link b for a unit of the row: torque about the world's origin, force."""
    R_a, p_a, R_b, p_b = cut_frames(cuts, work, cuts.term_cut[e])
    n, f = measure_wrench(cuts, cuts.term_measure[e], 0, R_a, p_a, R_b, p_b)
    return scale(work.slope[e], n), scale(work.slope[e], f)


@kernel
def row_values(cuts, work, cut_q, g, W):
    """g of every row, and W of those of cuts; needs the links' poses."""
    cut_values(cuts, work, cut_q, g, W)
    rolling_values(cuts, work, g, W)
    for j in range(cuts.coupling_law.size):
        r = first_coupled(cuts) + j
        x = coupling_value(cuts, work, cut_q, j)
        g[r] = x - min(max(x, -cuts.coupling_play[j]), cuts.coupling_play[j])
        store_pair(W, r, ZERO, ZERO)


@kernel
def coupling_value(cuts, work, cut_q, j):
    """g of coupling j without its play, and the slopes of its terms."""
    total = 0.0
    for e in range(cuts.coupling_term[j], cuts.coupling_term[j + 1]):
        k = cuts.measure_q[cuts.term_measure[e]]
        work.cut_q[k] = cut_q[k]
        value, work.slope[e], _, _ = term_state(cuts, work, e)
        total += value
    offset = cut_q[cuts.coupling_q[j]]
    if cuts.coupling_law[j] >= 0:
        offset += work.given[j, 0]
    return 0.0 if math.isnan(offset) else total - offset  # before the start is found, any place will do


@kernel
def row_rates(cuts, work, gd):
    """Velocity level: gd of every row; needs the links' poses and world velocities."""
    cut_rates(cuts, work, gd)
    rolling_rates(cuts, work, gd)
    for j in range(cuts.coupling_law.size):
        total = -work.given[j, 1]
        for e in range(cuts.coupling_term[j], cuts.coupling_term[j + 1]):
            if cuts.term_curve[e] < 0:
                total += cuts.term_factor[e] * term_rate(cuts, work, e)
                continue
            _, work.slope[e], _, rate = term_state(cuts, work, e)
            total += work.slope[e] * rate
        gd[first_coupled(cuts) + j] = total


@kernel
def row_accelerations(cuts, work, gdd):
    """Acceleration level: gdd of every row for the links' present accelerations."""
    cut_accelerations(cuts, work, gdd)
    rolling_accelerations(cuts, work, gdd)
    for j in range(cuts.coupling_law.size):
        total = -work.given[j, 2]
        for e in range(cuts.coupling_term[j], cuts.coupling_term[j + 1]):
            c = cuts.term_cut[e]
            accelerate_some(cuts, work, c, c + 1, work.cut_acceleration)
            acceleration = work.cut_acceleration[cuts.measure_rate[cuts.term_measure[e]]]
            if cuts.term_curve[e] < 0:
                total += cuts.term_factor[e] * acceleration
                continue
            _, slope, bend, rate = term_state(cuts, work, e)
            total += slope * acceleration + bend * rate * rate
        gdd[first_coupled(cuts) + j] = total


@kernel
def measure_bias(cuts, work, c, m):
    """What of the second rate of measure m of cut c, which has one rate, comes from velocities alone."""
    R_a, p_a, R_b, p_b = cut_frames(cuts, work, c)
    w_a, u_a = point_velocity(work, cuts.cut_a[c], p_a)
    w_b, u_b = point_velocity(work, cuts.cut_b[c], p_b)
    kind = cuts.measure_kind[m]
    if kind == OFFSET or kind == ARC_LENGTH or kind == LENGTH:
        b_a = cross(w_a, cross(w_a, sub(p_a, load3(work.pose_p, cuts.cut_a[c]))))
        b_b = cross(w_b, cross(w_b, sub(p_b, load3(work.pose_p, cuts.cut_b[c]))))
        if kind == ARC_LENGTH:
            x, xd, xdd = relative_motion(R_a, w_a, ZERO, sub(p_b, p_a), sub(u_b, u_a), sub(b_b, b_a))
            return arc_acceleration(cuts.guides, cuts.measure_axis[m], x, xd, xdd)
        if kind == LENGTH:
            return second_rate_of_length(sub(p_b, p_a), sub(u_b, u_a), sub(b_b, b_a))
        e = column(R_a, cuts.measure_axis[m])
        ed = cross(w_a, e)
        return dot(sub(b_b, b_a), e) + 2.0 * dot(sub(u_b, u_a), ed) + dot(sub(p_b, p_a), cross(w_a, ed))
    if kind == ANGLE_SECOND:
        return dot(cross(w_b, axis_y(R_b)), sub(w_b, w_a))
    e = axis_x(R_a) if kind == ANGLE_FIRST else axis_z(R_a)
    return dot(cross(w_a, e), sub(w_b, w_a))


@kernel
def coupled_bias(cuts, work, j):
    """What of the second rate of coupling j comes from velocities, and from its law."""
    total = -work.given[j, 2]
    for e in range(cuts.coupling_term[j], cuts.coupling_term[j + 1]):
        _, slope, bend, rate = term_state(cuts, work, e)
        total += slope * measure_bias(cuts, work, cuts.term_cut[e], cuts.term_measure[e]) + bend * rate * rate
    return total


@small
def term_on_dof(tree, cuts, work, n, f, far, s):
    """Change of a term with the wrench (n, f), at the distance `far`, by the dof at place s of the path of its cut."""
    k = cuts.path_dof[s]
    i = tree.dof_link[k]
    w, u = world_axis(tree, work.pose_R, work.pose_p, i, k - tree.link_v[i])
    turn = norm(w)
    most = norm(u) + turn * (far + norm(load3(work.pose_p, i)) + NOWHERE)
    x = dot(n, w) + dot(f, u)
    there = abs(x) > ROUNDING * (norm(n) * turn + norm(f) * most)
    return cuts.path_sign[s] * (x if there else vanished(x))


@kernel
def joint_rows(tree, cuts, work, W, G):
    """G (row, dof) by the chain rule of V06 2.9; needs `row_values`."""
    cut_joint_rows(tree, cuts, work, W, G)
    count = cuts.cut_a.size
    for j in range(cuts.coupling_law.size):
        r = first_coupled(cuts) + j
        for s in range(cuts.path_start[count + j], cuts.path_start[count + j + 1]):
            G[r, cuts.path_dof[s]] = 0.0
        for e in range(cuts.coupling_term[j], cuts.coupling_term[j + 1]):
            c = cuts.term_cut[e]
            n, f = term_wrench(cuts, work, e)
            _, _, _, p_b = cut_frames(cuts, work, c)
            for s in range(cuts.path_start[c], cuts.path_start[c + 1]):
                G[r, cuts.path_dof[s]] += term_on_dof(tree, cuts, work, n, f, norm(p_b), s)


@kernel
def measure_directions(tree, cuts, work, D):
    """D (rate of a cut, dof): change of the cuts' coordinates with the dofs between their bodies."""
    for c in range(cuts.cut_a.size):
        R_a, p_a, R_b, p_b = cut_frames(cuts, work, c)
        for m in range(cuts.cut_measure[c], cuts.cut_measure[c + 1]):
            for j in range(3 if cuts.measure_kind[m] >= ATTITUDE else 1):
                n, f = measure_wrench(cuts, m, j, R_a, p_a, R_b, p_b)
                for s in range(cuts.path_start[c], cuts.path_start[c + 1]):
                    k = cuts.path_dof[s]
                    i = tree.dof_link[k]
                    w, u = world_axis(tree, work.pose_R, work.pose_p, i, k - tree.link_v[i])
                    D[cuts.measure_rate[m] + j, k] = cuts.path_sign[s] * (dot(n, w) + dot(f, u))
