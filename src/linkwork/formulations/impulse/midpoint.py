"""Velocity-dependent forces at the midpoint of the step, where something turns fast.

    v_mid    mean of the velocities before and after the step        row_vd    part of the accelerations that rows make

M (v1 - v0) = h (tau - C(q, v_mid) v_mid) with v_mid = (v0 + v1) / 2 is a leapfrog that runs the same backwards: tops,
whips and ropes keep their energy. It is solved by fixed-point rounds, each a pass of forward dynamics. The first round
takes the acceleration of the last step; in slow motions it is the only one.
"""

from __future__ import annotations

import math

from linkwork._jit import kernel, small
from linkwork.mechanics.constraint_rows import cut_accelerations, cut_frames
from linkwork.spatial.codes import ACROSS, CROSSED, SLIDE
from linkwork.spatial.inertia import times
from linkwork.spatial.vectors import (
    ZERO,
    add,
    cross,
    dot,
    load3,
    load6,
    load9,
    load_pair,
    norm,
    rotate,
    scale,
    store_pair,
    sub,
    unrotate,
)

ROUNDS = 12  # at most
SLOW = 1e-2  # rad, relative error of the accelerations times the turn of links in a step: less, and one round will do
EXACT = 1e-5  # the same after more rounds
FAST = 0.05  # rad: links and joints that turn by less in a step are slow
SHARP = 0.05  # part of the kinetic energy that may pass between links in a step without forces, by the motion alone
SHARP_CUT = (
    0.16  # rate of a row of a cut that its bend makes up, as part of the speeds of its ends; about half the turn
)
UNRESOLVED = 1e-2  # the same: more than this after all rounds, and the step is taken in parts


@kernel
def unsettled_midpoint(tree, work, free, v, vd, row_vd, h, v_mid):
    """Set v_mid from the accelerations; returns by what part of its way from v it moved, times the turn in a step."""
    turn = 0.0
    slide = 0.0
    turn_change = 0.0
    slide_change = 0.0
    for k in range(v.size):
        new = v[k] + 0.5 * h * (vd[k] + row_vd[k])
        if free.dof[k] == 1:
            continue
        change = abs(new - v_mid[k])
        v_mid[k] = new
        if tree.link_motion[tree.dof_link[k]] == SLIDE:
            slide = max(slide, abs(new - v[k]))
            slide_change = max(slide_change, change)
        else:
            turn = max(turn, abs(new - v[k]))
            turn_change = max(turn_change, change)
    relative = 0.0
    if turn_change > 0.0:
        relative = turn_change / max(turn, turn_change)
    if slide_change > 0.0:
        relative = max(relative, slide_change / max(slide, slide_change))
    if relative == 0.0:
        return 0.0
    fastest = 0.0
    for i in range(tree.grounds, tree.link_parent.size):
        w, _ = load_pair(work.velocity, i)
        fastest = max(fastest, dot(w, w))
    turned = h * math.sqrt(fastest)
    return relative * turned if turned > FAST else 0.0


@kernel
def sharpness(tree, work, free, v, h, coasting):
    """Part of the kinetic energy that links gain or lose in h while every joint keeps its rate; 0 if nothing is fast.

    That is 0 for wheels and tops, which may turn by radians in a step, and large at the end of a whip. Needs the links'
    velocities; `coasting` is scratch for spatial accelerations.
    """
    fastest = 0.0
    for k in range(v.size):
        if free.dof[k] == 0 and tree.link_motion[tree.dof_link[k]] != SLIDE:
            fastest = max(fastest, abs(v[k]))
    if h * fastest <= FAST:
        return 0.0
    for i in range(tree.grounds):
        store_pair(coasting, i, ZERO, ZERO)
    whole = 0.0
    passed = 0.0
    for i in range(tree.grounds, tree.link_parent.size):
        R = load9(work.R, i)
        a, b = load_pair(coasting, tree.link_parent[i])
        c, d = load_pair(work.bias, i)
        b = add(unrotate(R, add(b, cross(a, load3(work.p, i)))), d)
        a = add(unrotate(R, a), c)
        store_pair(coasting, i, a, b)
        w, u = load_pair(work.velocity, i)
        m_c = load3(tree.link_h, i)
        k = add(times(load6(tree.link_I, i), w), cross(m_c, u))
        l = add(scale(tree.link_mass[i], u), cross(w, m_c))
        whole += dot(w, k) + dot(u, l)
        passed += abs(dot(a, k) + dot(b, l))
    return h * passed / whole if whole > 0.0 else 0.0


@small
def end_speeds(tree, work, cuts, c):
    """Largest angular velocity of the links of cut c, and the speeds at which their centres go around its point."""
    _, _, _, p = cut_frames(cuts, work, c)
    turn = 0.0
    speed = 0.0
    for end in range(2):
        i = cuts.cut_a[c] if end == 0 else cuts.cut_b[c]
        w, _ = load_pair(work.pose_v, i)
        turn = max(turn, norm(w))
        if i >= tree.grounds and tree.link_mass[i] > 0.0:
            centre = scale(1.0 / tree.link_mass[i], load3(tree.link_h, i))
            r = sub(add(load3(work.pose_p, i), rotate(load9(work.pose_R, i), centre)), p)
            speed += norm(cross(w, r))
    return turn, speed


@kernel
def bend_rates(tree, cuts, work, coasting, h, bend):
    """Rate that each row of a cut must have at the step's start so that it vanishes at the end: -h/2 times its bias.

    A joint of two free bodies that turn moves its point on a circle; a velocity that is right at the start of the step
    leads off it, and closing the gap afterwards costs energy. Where nothing turns fast that is little, and rows hold at
    the start. `coasting`: accelerations while joints keep their rates.
    Returns the largest such rate as part of the speeds of the links.
    """
    gravity = (tree.gravity[0], tree.gravity[1], tree.gravity[2])
    for i in range(tree.grounds, tree.link_parent.size):
        X = load9(work.pose_R, i)
        w, u = load_pair(work.pose_v, i)
        a, b = load_pair(coasting, i)
        store_pair(work.acceleration, i, unrotate(X, a), unrotate(X, sub(sub(b, gravity), cross(w, u))))
    cut_accelerations(cuts, work, bend)
    sharpest = 0.0
    for c in range(cuts.cut_a.size):
        turn, speed = end_speeds(tree, work, cuts, c)
        half = 0.5 * h * turn
        for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
            if cuts.row_kind[r] >= ACROSS or half <= 0.5 * FAST:
                bend[r] = 0.0
                continue
            bend[r] *= -0.5 * h / max(1.0, half * half)
            rate = turn if cuts.row_kind[r] == CROSSED else speed
            if rate > 0.0:
                sharpest = max(sharpest, abs(bend[r]) / rate)
    return sharpest
