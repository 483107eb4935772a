"""Velocity-dependent forces at the midpoint of the step, where something turns fast.

    v_mid    mean of the velocities before and after the step        row_vd    part of the accelerations that rows make

M (v1 - v0) = h (tau - C(q, v_mid) v_mid) with v_mid = (v0 + v1) / 2 is a leapfrog that runs the same backwards: tops,
whips and ropes keep their energy. It is solved by fixed-point rounds, each a pass of forward dynamics. The first round
takes the acceleration of the last step; in slow motions it is the only one.
"""

from __future__ import annotations

import math

from linkwork._jit import kernel
from linkwork.mechanics.constraint_rows import cut_accelerations
from linkwork.spatial.codes import ACROSS, SLIDE
from linkwork.spatial.vectors import cross, dot, load9, load_pair, store_pair, sub, unrotate

ROUNDS = 12  # at most
SLOW = 1e-3  # rad, relative error of the accelerations times the turn of links in a step: less, and one round will do
EXACT = 1e-5  # the same after more rounds
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
    return relative * h * math.sqrt(fastest)


@kernel
def bend_rates(tree, cuts, work, coasting, h, bend):
    """Rate that each row of a cut must have at the step's start so that it vanishes at the end: -h/2 times its bias.

    A joint of two free bodies that turn moves its point on a circle; a velocity that is right at the start of the step
    leads off it, and closing the gap afterwards costs energy. `coasting`: accelerations while joints keep their rates.
    """
    gravity = (tree.gravity[0], tree.gravity[1], tree.gravity[2])
    for i in range(tree.grounds, tree.link_parent.size):
        X = load9(work.pose_R, i)
        w, u = load_pair(work.pose_v, i)
        a, b = load_pair(coasting, i)
        store_pair(work.acceleration, i, unrotate(X, a), unrotate(X, sub(sub(b, gravity), cross(w, u))))
    cut_accelerations(cuts, work, bend)
    for c in range(cuts.cut_a.size):
        w_a, _ = load_pair(work.pose_v, cuts.cut_a[c])
        w_b, _ = load_pair(work.pose_v, cuts.cut_b[c])
        turn = 0.5 * h * math.sqrt(max(dot(w_a, w_a), dot(w_b, w_b)))
        for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
            bend[r] = -0.5 * h * bend[r] / max(1.0, turn * turn) if cuts.row_kind[r] < ACROSS else 0.0
