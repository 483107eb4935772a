"""Springs and dampers as rows: servos, springs of the model, and those that only push, as soft contacts and stops.

    k c    stiffness, damping        gap    stretch, negative where a contact overlaps        A    response of the row
    u0 u1  rate before and after the step        x0 x1    the gap half a step before and after the step's start
    part   of the step in which the two overlap, from x0 to x1        V    energy stored, k x^2 / 2 where x < 0
    bend   of a patch that goes along with what rolls: by how much less than its rate the gap grows, before and after
    turn   of a point on a curve: the gap grows by that much less after, more before

Velocities are half a step ahead of positions: x1 = gap + h u1 / 2, x0 = gap - h u0 / 2, and x1 - x0 is what the mean
rate does in the step. The force of a row that only pushes is F = -(V(x1) - V(x0)) / (x1 - x0), as of a discrete
gradient, so that it takes from the motion what it stores, and gives back what it took: of the second order, and without
loss. While both overlap that is the rule of Newmark with 1/4,

    F = -k (gap + h (u1 - u0) / 4) - c (u0 + u1) / 2

F is convex in x1. A row is linear: it has the chord or the tangent of F at the x1 that would follow if it acted alone.
A spring that is too fast for the step, h^2 k A or h c A above RESOLVED, would rattle on its surface; the faster it is,
the more it follows implicit Euler's rule, which takes energy. What rows take beyond their law is added up. Springs of
the model act both ways: spring_rows.py.
"""

from __future__ import annotations

import math

from linkwork._jit import kernel, small
from linkwork.formulations.samples import SOFT_HELD, SOFT_OWED, SOFT_TAKEN

RESOLVED = 1.0  # h^2 k A: a spring up to this, of about six steps a period, keeps its energy
MOSTLY = 0.5  # part of implicit Euler's rule
ROUNDS = 20  # at most, until x1 is known
KNOWN = 1e-12  # of x1
LEAST_STIFFNESS = 1e-9  # of that of implicit Euler's rule: no row has less
# slots of `RowWork.pushing`, of which springs of the model use the first three too
PUSH_STIFFNESS, PUSH_DAMPING, PUSH_GAP, PUSH_BIAS, PUSH_TURN, PUSH_IMPLICIT, PUSH_RETURNED = range(7)
PUSH_SLOTS = 7


@kernel
def set_softness(rows, r, k, c, gap, v_scale, h):
    """Row r becomes a spring and damper: `gap` its stretch, `pace` the rate at which its rest length moves (13)."""
    stiff = k * h + c
    beta = k * h / stiff  # (6)
    rows.gamma[r] = 1.0 / (h * stiff)
    rows.damping[r] = c
    rows.target[r] = -beta * gap / h + (1.0 - beta) * v_scale


@small
def implicit_part(k, c, A, h):
    """Part of implicit Euler's rule in that of a spring and damper on what gives way by A."""
    fast = max(h * h * k * A, h * c * A) / RESOLVED
    return 1.0 - 1.0 / (fast * fast) if fast > 1.0 else 0.0


@small
def only_pushes(rows, r):
    """Whether row r is clipped at zero alone."""
    return rows.low[r] == 0.0 and rows.high[r] == math.inf


@small
def overlap_part(x0, x1):
    """Part of the way from x0 to x1 that is below zero."""
    if x0 <= 0.0 and x1 <= 0.0:
        return 1.0
    if x0 >= 0.0 and x1 >= 0.0:
        return 0.0
    return min(x0, x1) / (min(x0, x1) - max(x0, x1))


@small
def stored(k, x):
    """Energy of a spring that only pushes, J."""
    return 0.5 * k * x * x if x < 0.0 else 0.0


@small
def pushing_line(k, c, gap, u0, velocity_bias, x1, h):
    """Stiffness S (N s/m) and force F0 (N) of F = F0 - S u1 near the place x1; the damper feels the bend too."""
    x0 = gap - 0.5 * h * u0
    if x0 > 0.0:
        # it begins to overlap; nobody knows when where it would not by itself
        part = overlap_part(x0, x1) if x1 < 0.0 else 1.0
        slope = 0.5 * k * part + c / h
        return 0.5 * h * slope, -slope * gap - c * part * velocity_bias
    if x1 > 0.0:
        # it leaves: the tangent at x1
        way = x1 - x0
        slope = 0.5 * k * x0 * x0 / (way * way)
        return 0.5 * h * slope, slope * (way + x1 - gap) + c * x0 / h + c * x0 / way * velocity_bias
    return 0.25 * h * k + 0.5 * c, -k * gap + (0.25 * h * k - 0.5 * c) * u0 - c * velocity_bias


@kernel
def set_pushing(rows, r, k, c, gap, v_scale, A, h):
    """Row r becomes a spring and damper that only push; the gap is to change by its rate less bend and turn."""
    velocity_bias = rows.pushing[r, PUSH_BIAS]
    turn = rows.pushing[r, PUSH_TURN]
    u0 = rows.start_rate[r] - velocity_bias + turn
    free = rows.rate[r] - velocity_bias - turn
    implicit = implicit_part(k, c, A, h)
    late = h * k + c  # implicit Euler's
    F_late = -k * gap + c * (v_scale - velocity_bias)
    x1 = gap + 0.5 * h * free
    S = late
    F0 = F_late
    for _ in range(ROUNDS):
        old = x1
        S, F0 = pushing_line(k, c, gap, u0, velocity_bias, x1, h)
        S = max((1.0 - implicit) * S + implicit * late, LEAST_STIFFNESS * late)
        F0 = (1.0 - implicit) * F0 + implicit * F_late
        u1 = (free + h * A * F0) / (1.0 + h * A * S)
        if F0 - S * u1 < 0.0:
            u1 = free
        x1 = gap + 0.5 * h * u1
        if abs(x1 - old) <= KNOWN * (abs(x1) + abs(gap)):
            break
    rows.gamma[r] = 1.0 / (h * S)
    rows.target[r] = F0 / S + velocity_bias + turn
    rows.pushing[r, PUSH_STIFFNESS] = k
    rows.pushing[r, PUSH_DAMPING] = c
    rows.pushing[r, PUSH_GAP] = gap
    rows.pushing[r, PUSH_IMPLICIT] = implicit
    # of what hits it a damped spring gives back this part, whatever the rule: it may take all else
    rows.pushing[r, PUSH_RETURNED] = math.exp(-2.0 * c * math.sqrt(A / k)) if k > 0.0 else 0.0


@small
def soft_energy(rows, r, rate, h):
    """Of row r, in J: held before and after the step, what of that it is to give back, taken beyond its law, relaxed.

    `rate` is that after the step. Relaxed is what the spring of a damped surface loses after it has let go. What mostly
    follows implicit Euler's rule holds nothing.
    """
    k = rows.pushing[r, PUSH_STIFFNESS]
    c = rows.pushing[r, PUSH_DAMPING]
    gap = rows.pushing[r, PUSH_GAP]
    u0 = rows.start_rate[r] - rows.pushing[r, PUSH_BIAS] + rows.pushing[r, PUSH_TURN]
    u1 = rate - rows.pushing[r, PUSH_BIAS] - rows.pushing[r, PUSH_TURN]
    x0 = gap - 0.5 * h * u0
    x1 = gap + 0.5 * h * u1
    if not rows.p[r] > 0.0:
        return 0.0, 0.0, 0.0, 0.0, stored(k, x0) if c > 0.0 else 0.0
    mean = 0.5 * (rows.start_rate[r] + rate)
    damped = h * c * overlap_part(x0, x1) * mean * mean
    before = 0.0
    after = 0.0
    if rows.pushing[r, PUSH_IMPLICIT] < MOSTLY:
        before = stored(k, x0)
        after = stored(k, x1)
    left = rows.loss[r] - (after - before)
    if rows.pushing[r, PUSH_IMPLICIT] > 0.0:
        damped = min(damped, max(left, 0.0))
    returned = rows.pushing[r, PUSH_RETURNED]
    return before, after, returned * after, returned * (left - damped), 0.0


@small
def count_soft(stats, soft):
    """Count the sums of `soft_energy` in State.effort. Between steps patches change, and with them what is held, J."""
    before, after, owed, beyond, relaxed = soft
    change = before - stats[SOFT_HELD]
    if change < 0.0:
        change = min(change + relaxed, 0.0) * stats[SOFT_OWED] / stats[SOFT_HELD]
    stats[SOFT_TAKEN] += beyond - change
    stats[SOFT_HELD] = after
    stats[SOFT_OWED] = owed
