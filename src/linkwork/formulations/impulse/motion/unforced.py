"""Trees whose links hand on much of their energy within a step coast: a kick, and then motion without loads.

    u    velocities after forces and impulses        a    accelerations without loads, -M^-1 C(q, v) v

In other steps velocities are half a step behind positions, as in a leapfrog. In a whip that is much of its energy.
Here forces and impulses act at the start of the step, and the tree then moves on by itself, by Runge-Kutta's rule of
order 4, in as many parts as its turning needs. That keeps its energy. Velocities then belong to the positions, and are
moved by half a step on the way in and on the way out. Rows see the mean rates of joints on this way, u + h a / 2. Where
a model has no rows, trees fall while they coast; a row must see all of its weight at once.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel
from linkwork.formulations.impulse.rows.rows import ALL_ROWS, coordinate_wrench
from linkwork.mechanics.forces.forces import clear_link_loads
from linkwork.mechanics.tree.articulated import accelerate
from linkwork.mechanics.tree.impulses import rate_between
from linkwork.mechanics.tree.kinematics import velocities_of
from linkwork.mechanics.tree.motions import coordinate_rates, dof_count, normalize
from linkwork.numerics.arrays import copy
from linkwork.spatial.codes import FREE, SLIDE, SWING, SWING_BACK, WELD
from linkwork.spatial.vectors import ZERO, load_pair, store_pair

COASTS = 0.003  # part of the kinetic energy that passes between links in a step (`sharpness`): with more a tree coasts
PART_TURN = 0.15  # rad, turn of a joint in a part of the step
MOST_COAST_PARTS = 1000
ALIGN_ROUNDS = 3


class Unforced(NamedTuple):
    """Scratch of coasting: coordinates, then velocities."""

    y: Any  # (q and v,) where the tree is; written by coast
    stage: Any  # (q and v,)
    rate: Any  # (q and v,)
    total: Any  # (q and v,)
    half: Any  # (dof,) h a / 2 of this step, 0 where the tree does not coast; written by forward_dynamics


def make_unforced(tree: Any) -> Unforced:
    """Room for the coordinates and velocities of a tree."""
    sizes = {WELD: 0, SWING: 4, SWING_BACK: 4, FREE: 7}
    n = sum(sizes.get(int(motion), 1) for motion in tree.link_motion[tree.grounds :]) + tree.dof_link.size
    return Unforced(np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n), half=np.zeros(tree.dof_link.size))


@kernel
def joint_speed(tree, free, v):
    """Largest rate of a joint that turns, rad/s; free bodies that carry no other do not count."""
    fastest = 0.0
    for k in range(v.size):
        if free.dof[k] == 0 and tree.link_motion[tree.dof_link[k]] != SLIDE:
            fastest = max(fastest, abs(v[k]))
    return fastest


@kernel
def free_accelerations(tree, work, q, v, falls, a):
    """Accelerations a at (q, v) without loads, under gravity if it `falls`; loads in `work` are gone then."""
    clear_link_loads(work)
    accelerate_weightless(tree, work, q, v, falls, a)


@kernel
def accelerate_weightless(tree, work, q, v, falls, a):
    """Accelerations a at (q, v) under the loads in `work`, without gravity unless it `falls`."""
    n, g = load_pair(work.acceleration, 0)
    if not falls:
        store_pair(work.acceleration, 0, ZERO, ZERO)
    accelerate(tree, work, q, v, a)
    store_pair(work.acceleration, 0, n, g)


@kernel
def align(tree, work, free, c, q, v, h, falls, forward):
    """Move velocities by half a step of h, `forward` to where the positions are, or back."""
    n = q.size
    velocity = c.stage[n:]
    a = c.rate[n:]
    copy(v, velocity)
    for _round in range(ALIGN_ROUNDS if forward else 1):
        free_accelerations(tree, work, q, velocity, falls, a)
        for k in range(v.size):
            if free.dof[k] == 0:
                velocity[k] = v[k] + (0.5 if forward else -0.5) * h * a[k]
    copy(velocity, v)


@kernel
def unforced(tree, work, free, c, q, h, falls, vd):
    """Move c.y, which has q and u, for h without loads. vd: the loads' part of accelerations; adds that of the end."""
    n = q.size
    y = c.y
    rest = h
    parts = 0
    while rest > 0.0:
        step = rest
        turn = rest * joint_speed(tree, free, y[n:])
        if turn > PART_TURN and parts < MOST_COAST_PARTS:
            step = rest / math.ceil(turn / PART_TURN)
        copy(y, c.stage)
        copy(y, c.total)
        for s in range(4):
            coordinate_rates(tree, c.stage[:n], c.stage[n:], c.rate[:n])
            free_accelerations(tree, work, c.stage[:n], c.stage[n:], falls, c.rate[n:])
            weight = step / 6.0 if s == 0 or s == 3 else step / 3.0
            ahead = 0.5 * step if s < 2 else step
            for i in range(y.size):
                c.total[i] += weight * c.rate[i]
                c.stage[i] = y[i] + ahead * c.rate[i]
        copy(c.total, y)
        normalize(tree, y[:n])
        rest = rest - step if step < rest else 0.0
        parts += 1
    free_accelerations(tree, work, y[:n], y[n:], falls, c.rate[n:])
    for k in range(vd.size):
        if free.dof[k] == 0:
            vd[k] += c.rate[n + k]


@kernel
def take_coasted(tree, free, c, q, v, plus):
    """Coordinates and velocities of trees are those after coasting; `plus` keeps the pseudo velocities alone."""
    n = q.size
    for i in range(tree.grounds, tree.link_parent.size):
        motion = tree.link_motion[i]
        k = tree.link_v[i]
        if motion == WELD or free.dof[k] == 1:
            continue
        for j in range(dof_count(motion)):
            plus[k + j] -= v[k + j]
            v[k + j] = c.y[n + k + j]
        size = 7 if motion == FREE else 4 if motion == SWING or motion == SWING_BACK else 1
        for j in range(tree.link_q[i], tree.link_q[i] + size):
            q[j] = c.y[j]


@kernel
def count_half(w, q):
    """Lower the rates before impulses by h a / 2, which those after them have: the mean is then that of the kick."""
    rows = w.rows
    half = w.unforced.half
    world = w.expected
    velocities_of(w.tables.tree, w.tree, q, half, w.v_next_own, world)
    for r in range(rows.count[ALL_ROWS]):
        if rows.links[r, 1] >= 0:
            n, f = load_pair(rows.wrench, r)
            rows.start_rate[r] -= rate_between(w.tree, world, rows.links[r, 0], rows.links[r, 1], n, f)
            continue
        for j in range(rows.coordinate.shape[1]):
            k = rows.coordinate[r, j]
            if 0 <= k < half.size:
                rows.start_rate[r] -= rows.coefficient[r, j] * half[k]
            elif k >= 0:
                n, f, a, b = coordinate_wrench(w.tables.cuts, w.tree, w.table, k - half.size)
                rows.start_rate[r] -= rows.coefficient[r, j] * rate_between(w.tree, world, a, b, n, f)
