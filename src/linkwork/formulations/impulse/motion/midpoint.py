"""Velocity-dependent forces at the midpoint of the step, where something turns fast.

    v_mid    mean of the velocities before and after the step        row_vd    part of the accelerations that rows make

M (v1 - v0) = h (tau - C(q, v_mid) v_mid) with v_mid = (v0 + v1) / 2 is a leapfrog that runs the same backwards: tops,
whips and ropes keep their energy. It is solved by fixed-point rounds, each a pass of forward dynamics. The first round
takes the acceleration of the last step; in slow motions it is the only one. What a blow makes of the velocities nobody
foresees: then the forces are found again with the velocities that it left, and the blow with these forces.
"""

from __future__ import annotations

import math

from linkwork._jit import kernel, small
from linkwork.formulations.impulse.motion.unforced import COASTS, joint_speed
from linkwork.spatial.codes import FREE, SLIDE
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
    scale,
    store_pair,
    unrotate,
)

ROUNDS = 12  # at most
SLOW = 1e-2  # rad, relative error of the accelerations times the turn of links in a step: less, and one round will do
EXACT = 1e-5  # the same after more rounds
FAST = 0.05  # rad: links and joints that turn by less in a step are slow
SHARP = 0.05  # part of the kinetic energy that may pass between links in a step without forces, by the motion alone
FORESEEN = 3.0  # times what the forces of the step change: what rows change beyond is a blow
BLOW_EXACT = 1e-4  # rad: relative error of velocities after a blow times the turn of joints in a step
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


@small
def turns(tree, k):
    """Whether dof k is one of an angle; how fast a free body moves changes no force."""
    i = tree.dof_link[k]
    return tree.link_motion[i] != SLIDE and (tree.link_motion[i] != FREE or k >= tree.link_v[i] + 3)


@kernel
def midpoint_known(tree, free, v, v_next, dv, row_vd, h, again):
    """Whether the velocities of trees after the step, v_next with the changes dv by rows, were foreseen with `row_vd`.

    Not so after a blow that changes them by more than forces do, and by so much that forces feel it; `again`: another
    round after one.
    """
    turn = 0.0
    turn_change = 0.0
    slide = 0.0
    slide_change = 0.0
    forces = 0.0
    slide_forces = 0.0
    for k in range(v.size):
        if free.dof[k] == 1:
            continue
        change = abs(dv[k] - h * row_vd[k])
        speed = max(abs(v[k]), abs(v_next[k] + dv[k]))
        if turns(tree, k):
            turn = max(turn, speed)
            turn_change = max(turn_change, change)
            forces = max(forces, abs(v_next[k] - v[k]))
        elif tree.link_motion[tree.dof_link[k]] == SLIDE:
            slide = max(slide, speed)
            slide_change = max(slide_change, change)
            slide_forces = max(slide_forces, abs(v_next[k] - v[k]))
    if not again and turn_change <= FORESEEN * forces and slide_change <= FORESEEN * slide_forces:
        return True
    relative = 0.0
    if turn > 0.0:
        relative = turn_change / turn
    if slide > 0.0:
        relative = max(relative, slide_change / slide)
    return h * turn * relative <= BLOW_EXACT


@kernel
def energy_transfer(tree, work, free, v, h, coasting):
    """Part of the kinetic energy that links gain or lose in h while every joint keeps its rate; 0 if nothing is fast.

    That is 0 for wheels and tops, which may turn by radians in a step, and large at the end of a whip. Needs the links'
    velocities; `coasting` is scratch for spatial accelerations.
    """
    if h * joint_speed(tree, free, v) <= COASTS:
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
