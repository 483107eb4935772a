"""Joints that are rows hold halfway through the step: those of free bodies, those that close loops, wheels that roll.

A joint moves its point on a circle; a velocity that is right at the start of the step leads off it, and closing the gap
afterwards costs energy, in every step anew. So the rate of a row at the start is one that vanishes halfway: before an
impulse it is as much to one side as after it to the other, and the impulse does no work (SHAKE). Near a singular
position a rate that is slightly off would move a loop of trees far: there it holds at the start, unless they coast.
"""

from __future__ import annotations

from linkwork._jit import kernel, small
from linkwork.formulations.impulse.motion.free_bodies import unforced_free_bodies
from linkwork.formulations.impulse.motion.midpoint import FAST
from linkwork.formulations.impulse.rows.row_table import CONE, CONTACT, LIMIT, PLAY
from linkwork.formulations.impulse.rows.rows import BILATERAL_ROWS, BLOW, COASTING, PIVOT_NEAR
from linkwork.mechanics.rows.constraint_rows import cut_accelerations, cut_frames
from linkwork.mechanics.rows.rolling import rolling_accelerations
from linkwork.mechanics.tree.kinematics import coasting, velocities_of
from linkwork.numerics.arrays import swap
from linkwork.spatial.codes import CROSSED
from linkwork.spatial.vectors import add, cross, load3, load9, load_pair, norm, rotate, scale, store_pair, sub, unrotate

SHARP_CUT = 0.16  # rate of a row that its bend makes up, as part of the speeds of its ends; about half the turn
BIAS_FORESEEN = 5e-3  # of the rates of cuts, or of g h: with a larger error a contact or a stop has dealt a blow
BIAS_EXACT = 1e-3  # the same: what they may be wrong by after a blow


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
def velocity_bias_rates(tree, cuts, work, coasting, h, velocity_bias):
    """Rate that each row of a cut must have at the step's start so that it vanishes at the end: -h/2 times its bias.

    `coasting`: accelerations while joints keep their rates.
    Returns the largest such rate of what turns fast, as part of the speeds of the links.
    """
    gravity = (tree.gravity[0], tree.gravity[1], tree.gravity[2])
    for i in range(tree.grounds, tree.link_parent.size):
        X = load9(work.pose_R, i)
        w, u = load_pair(work.pose_v, i)
        a, b = load_pair(coasting, i)
        store_pair(work.acceleration, i, unrotate(X, a), unrotate(X, sub(sub(b, gravity), cross(w, u))))
    cut_accelerations(cuts, work, velocity_bias)
    rolling_accelerations(cuts, work, velocity_bias)
    sharpest = 0.0
    for c in range(cuts.cut_a.size):
        turn, speed = end_speeds(tree, work, cuts, c)
        half = 0.5 * h * turn
        for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
            velocity_bias[r] *= -0.5 * h / max(1.0, half * half)
            rate = turn if cuts.row_kind[r] == CROSSED else speed
            if half > 0.5 * FAST and rate > 0.0:
                sharpest = max(sharpest, abs(velocity_bias[r]) / rate)
    return sharpest


@small
def has_velocity_bias(w):
    """Whether joints that are rows hold halfway in this step."""
    whole = not w.has_trees or w.persistent[COASTING] > 0.0 or w.rows.pivot_kept[PIVOT_NEAR] == 0.0
    return whole and w.velocity_bias.size > 0


@kernel
def find_velocity_bias(w, h, q, v, part, velocity_bias):
    """Rates `bend` of cuts (`bend_rates`) for the velocities v_next, with a part of what rows made of them last.

    In smooth motion those of the moment itself count, the mean of v and v_next; after a blow, those that it leaves.
    """
    before = 0.0 if w.persistent[BLOW] > 0.0 else 0.5
    for k in range(v.size):
        w.v_plus[k] = before * v[k] + (1.0 - before) * (w.v_next[k] + part * h * w.row_vd[k])
    velocities_of(w.tables.tree, w.tree, q, w.v_plus, w.v_next_own, w.expected)
    swap(w.tree.pose_v, w.expected)
    coasting(w.tables.tree, w.tree, w.coasting)
    unforced_free_bodies(w.free_bodies, w.tree, w.coasting)
    sharpest = velocity_bias_rates(w.tables.tree, w.tables.cuts, w.tree, w.coasting, h, velocity_bias)
    swap(w.tree.pose_v, w.expected)
    return sharpest


@kernel
def may_be_blow(rows, last):
    """Whether one of the rows before the last one is a contact or a stop that acts."""
    for r in range(rows.count[BILATERAL_ROWS], last):
        code = rows.code[r]
        if rows.p[r] != 0.0 and (code == CONTACT or code == LIMIT or code == CONE or code == PLAY):
            return True
    return False


@kernel
def velocity_bias_known(w, h, q, v):
    """Whether cuts had the right rates; not so where a contact or a stop has changed v_next unforeseen: by a blow."""
    if not may_be_blow(w.rows, w.solver.islands.row_start[1]):
        return True
    find_velocity_bias(w, h, q, v, 0.0, w.bend_found)
    change = 0.0
    v_scale = h * w.solver.gravity
    for r in range(w.velocity_bias.size):
        change = max(change, abs(w.bend_found[r] - w.velocity_bias[r]))
        v_scale = max(v_scale, abs(w.velocity_bias[r]))
    if change <= (BIAS_EXACT if w.persistent[BLOW] > 0.0 else BIAS_FORESEEN) * v_scale:
        return True
    w.persistent[BLOW] = 1.0
    return False
