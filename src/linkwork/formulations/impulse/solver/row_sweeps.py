"""[MST17] Sweeps over the rows without forming A: step 7 of the algorithm, impulses change x and through it the rates.

    x    joint impulses of all rows, sum of p_r u_r        B    the bilateral rows, solved as one block
    dp   change of an impulse in a sweep

Contacts get Newton steps first (coulomb.py), each followed by a sweep or two and kept where the last changes less than
the best one before; then sweeps go on, extrapolated (numerics.clipped).

Sweeps are judged by the motion: by how much the rates of the rows differ before and after one. The impulses of rows
that depend on each other may wander on for long, at the pace of their softness, and move nothing.
"""

from __future__ import annotations

import math

from linkwork._jit import kernel, small
from linkwork.formulations.impulse.kinds.contact_moments import is_pair, sweep_pair
from linkwork.formulations.impulse.rest.islands import clear_dofs, copy_dofs, move_dofs_on, subtract_from
from linkwork.formulations.impulse.rows.row_algebra import (
    add_contact_impulses,
    add_impulse,
    contact_rate_changes,
    has_friction,
    rate_change,
)
from linkwork.formulations.impulse.rows.row_table import CONTACT
from linkwork.formulations.impulse.rows.rows import NEWTON_INEXACT, NEWTON_SOFTNESS
from linkwork.formulations.impulse.solver.coulomb import newton_guess, some_slide
from linkwork.formulations.impulse.solver.coulomb_equation import newton_fits
from linkwork.numerics.arrays import copy
from linkwork.numerics.clipped import extrapolate, project_to_disc, put
from linkwork.numerics.semidefinite import solve

NEWTON_GUESSES = 6  # Newton steps for contacts with friction, each followed by a sweep or two, after a first sweep
EXACT_SOFTNESS = 1e-10  # of a Newton step while nothing slides
FIRST_SOFTNESS = 1e-2  # of the first one where something does: the plain step may go much too far then
SOFTNESS_DOWN = 0.3  # factor for the next one after a step that was better than the last
SOFTNESS_UP = 30.0  # or worse, in which case it is discarded
MOST_SOFTNESS = 1.0  # a softer step would change nothing
LAST_SOFTNESS = 0.25  # one that is softer than this, and worse, is the last
KEPT_DOWN = 0.7  # factor for the first one of the next step after a step in which none was discarded
INEXACT_STEPS = 8.0  # after a step without softness that made things worse: steps in which it is not tried again
LARGE_ISLAND = (
    192  # rows: in islands with more, sweeps may end early after Newton steps; what is left goes on in the next step
)
ROUGH = 10.0  # of epsilon: where they may end
ROUGH_BLOW = 100.0  # of epsilon, of the rate that a blow changes: the same where bodies hit each other
JUDGED_SWEEP = 4  # every so many sweeps are judged by the rates that they change


@kernel
def add_island_impulses(rows, s, island, p):
    """s.x of the dofs of an island becomes the joint impulses of its p."""
    clear_dofs(s.islands, island, s.x)
    r = s.islands.row_start[island]
    last = s.islands.row_start[island + 1]
    while r < last:
        if has_friction(rows, r, last):
            if p[r] != 0.0:
                add_contact_impulses(rows, r, p[r], p[r + 1], p[r + 2], s.x)
            r += 3
            continue
        if p[r] != 0.0:
            add_impulse(rows, r, p[r], s.x)
        r += 1


@kernel
def rough_tolerance(rows, s, first, last, epsilon):
    """What sweeps need not go below where Newton steps have done their part, m/s: more than `epsilon`.

    Where bodies hit each other it is a part of the rate that the hardest blow changes. Bounces, whose energy counts,
    are solved for exactly, and so are a few bodies.
    """
    if last - first < LARGE_ISLAND:
        return epsilon
    hardest = 0.0
    for r in range(first, last):
        if rows.code[r] == CONTACT:
            hardest = max(hardest, s.b[r])
            if rows.rebound[r] > 0.0:
                return epsilon
    return max(ROUGH * epsilon, ROUGH_BLOW * s.epsilon * hardest)


@small
def solve_matrix_free(rows, s, island, bilateral, low, high, p, epsilon, iterations, guessing):
    """p of an island for the right side s.b, from the values in p; returns sweeps, and the change of the last as a part
    of what it may be.

    It counts as a velocity (row_solver.py). `guessing`: Newton steps come first, and sweeps may end at
    `rough_tolerance` then.
    """
    islands = s.islands
    first = islands.row_start[island]
    last = islands.row_start[island + 1]
    guess = s.guess
    copy(p[first:last], guess.past[first:])
    add_island_impulses(rows, s, island, p)
    copy_dofs(islands, island, s.x, s.x_past)
    worst = math.inf
    v_scale = 1.0
    softness = FIRST_SOFTNESS
    kept = guessing and island == 0  # what is known of it from the last step
    if kept and rows.newton_kept[NEWTON_SOFTNESS] > 0.0:
        softness = rows.newton_kept[NEWTON_SOFTNESS]
    good = 0.0  # softness of the first Newton step that was kept
    discarded = False
    guesses = NEWTON_GUESSES if guessing else 0
    rough = rough_tolerance(rows, s, first, last, epsilon) if guessing else epsilon
    may_be_exact = True  # not after such a step that made things worse
    if kept and rows.newton_kept[NEWTON_INEXACT] > 0.0:
        may_be_exact = False
        rows.newton[NEWTON_INEXACT] = rows.newton_kept[NEWTON_INEXACT] - 1.0
    for i in range(1, iterations + 1):
        if i == 2 and guesses > 0 and not newton_fits(rows, islands, s.newton, island):
            guesses = 0
        # a Newton step, kept where it is better
        if 1 < i <= 1 + guesses and softness <= MOST_SOFTNESS:
            exact = not some_slide(rows, s, first, last, p) and may_be_exact
            change = newton_step(rows, s, island, bilateral, low, high, p, epsilon, softness, exact)
            better = change < worst or change <= epsilon
            if kept:
                keep_softness(rows.newton, exact, better, softness, good, discarded)
            if change <= epsilon:
                return i, change / epsilon
            if exact:
                may_be_exact = better
            else:
                if better and good == 0.0:
                    good = softness
                discarded = discarded or not better
                softness = next_softness(softness, better)
            v_scale = 1.0
            if better and kept and change <= rough:
                return i, change / rough
            if better:
                worst = change
                copy(p[first:last], guess.past[first:])
                copy_dofs(islands, island, s.x, s.x_past)
            else:
                copy(guess.past[first:last], p[first:])
                copy_dofs(islands, island, s.x_past, s.x)
            continue
        if i == 2 + guesses:
            if worst <= rough:
                return i - 1, worst / rough
            worst = math.inf
        # a sweep, extrapolated
        judged = i > 1 and (i % JUDGED_SWEEP == 0 or i == iterations)
        copy(p[first:last], guess.begin[first:])
        if judged:
            copy_dofs(islands, island, s.x, s.x_change)
        change = sweep_matrix_free(rows, s, island, bilateral, low, high, p)
        if change <= epsilon:
            return i, change / epsilon
        if judged or change <= rough:
            left = rate_of_change(rows, s, island) if judged else change
            if (i > 1 and left <= rough) or i == iterations:
                return i, left / rough
        if s.direct and i < iterations:
            on, v_scale = extrapolate(first, last, guess.begin, guess.past, p, 1.0 if change > worst else v_scale)
            move_dofs_on(islands, island, s.x_past, s.x, on)  # x is linear in p
        worst = change
    return iterations, worst / rough


@small
def newton_step(rows, s, island, bilateral, low, high, p, epsilon, softness, exact):
    """A Newton step and a sweep or two; returns the change of the last."""
    newton_guess(rows, s, island, EXACT_SOFTNESS if exact else softness, bilateral, low, high, p)
    add_island_impulses(rows, s, island, p)
    change = sweep_matrix_free(rows, s, island, bilateral, low, high, p)
    if change > epsilon:
        # where contacts open and others take over, the first sweep puts it right, and the second judges
        copy_dofs(s.islands, island, s.x, s.x_change)
        change = sweep_matrix_free(rows, s, island, bilateral, low, high, p)
        if not exact and change > epsilon:
            change = rate_of_change(rows, s, island)
    return change


@small
def next_softness(softness, better):
    """That of the next Newton step; more than MOST_SOFTNESS where there is to be none."""
    if better:
        return softness * SOFTNESS_DOWN
    return min(softness * SOFTNESS_UP, MOST_SOFTNESS) if softness < LAST_SOFTNESS else softness * SOFTNESS_UP


@small
def keep_softness(newton, exact, better, softness, good, discarded):
    """What the next step is to know of a Newton step of this one; `good` of the first that was kept, or 0."""
    if exact:
        if not better:
            newton[NEWTON_INEXACT] = INEXACT_STEPS
    elif better:
        first = good if good > 0.0 else softness
        newton[NEWTON_SOFTNESS] = max(first if discarded else KEPT_DOWN * first, FIRST_SOFTNESS)


@small
def sweep_matrix_free(rows, s, island, bilateral, low, high, p):
    """One pass over the rows of an island, the bilateral ones as a block; returns the largest change, as a velocity."""
    first = s.islands.row_start[island]
    n = s.islands.row_start[island + 1]
    worst = 0.0
    if bilateral > 0:
        worst = solve_block(rows, s, bilateral, p)
    r = first + bilateral
    while r < n:
        if has_friction(rows, r, n):
            worst = max(worst, sweep_contact(rows, s, low, high, r, p))
            r += 3
            continue
        if is_pair(rows, r, n):
            if s.diagonal[r] > 0.0 and s.diagonal[r + 1] > 0.0:
                worst = max(worst, sweep_pair(rows, s, r, p))
            r += 2
            continue
        if s.diagonal[r] > 0.0 and (low[r] < high[r] or rows.normal_row[r] >= 0):
            before = p[r]
            left = s.b[r] - rate_change(rows, r, s.x) - rows.gamma[r] * before
            put(r, before + left / s.diagonal[r], low, high, rows.normal_row, rows.friction, p)
            if p[r] != before:
                add_impulse(rows, r, p[r] - before, s.x)
                worst = max(worst, s.weight[r] * abs(p[r] - before))
        r += 1
    return worst


@kernel
def rate_of_change(rows, s, island):
    """Largest change of a rate of an island, as a velocity, since s.x was copied to s.x_change."""
    subtract_from(s.islands, island, s.x, s.x_change)
    return largest_rate(rows, s, s.islands.row_start[island], s.islands.row_start[island + 1], s.x_change)


@kernel
def largest_rate(rows, s, first, last, dx):
    """Largest rate, as a velocity, that the joint impulses dx make in the rows first … last - 1."""
    worst = 0.0
    r = first
    while r < last:
        if has_friction(rows, r, last):
            a, a_1, a_2 = contact_rate_changes(rows, r, dx)
            worst = max(worst, abs(a), abs(a_1), abs(a_2))
            r += 3
        else:
            worst = max(worst, s.weight[r] / rows.diagonal[r] * abs(rate_change(rows, r, dx)))
            r += 1
    return worst


@small
def sweep_contact(rows, s, low, high, r, p):
    """A contact and its friction, rows r … r + 2: x is read once and written once; returns the largest change."""
    before = p[r]
    one = p[r + 1]
    two = p[r + 2]
    if before == 0.0 and one == 0.0 and two == 0.0:
        if high[r] == 0.0 or not s.b[r] > rate_change(rows, r, s.x):
            return 0.0
    a, a_1, a_2 = contact_rate_changes(rows, r, s.x)
    if low[r] < high[r]:
        left = s.b[r] - a - rows.gamma[r] * before
        put(r, before + left / s.diagonal[r], low, high, rows.normal_row, rows.friction, p)
    dp = p[r] - before
    d = max(s.diagonal[r + 1], s.diagonal[r + 2]) + abs(s.partner_coupling[r + 2])
    left_1 = s.b[r + 1] - a_1 - dp * s.normal_coupling[r + 1] - rows.gamma[r + 1] * one
    left_2 = s.b[r + 2] - a_2 - dp * s.normal_coupling[r + 2] - rows.gamma[r + 2] * two
    project_to_disc(r + 1, one + left_1 / d, two + left_2 / d, rows.normal_row, rows.friction, p)
    add_contact_impulses(rows, r, dp, p[r + 1] - one, p[r + 2] - two, s.x)
    return max(s.weight[r] * abs(dp), s.weight[r + 1] * abs(p[r + 1] - one), s.weight[r + 2] * abs(p[r + 2] - two))


@kernel
def solve_block(rows, s, bilateral, p):
    """Solve the bilateral rows at once for the present x; returns the largest change."""
    b = s.b
    left = s.half[0]  # unused here: S is not formed
    for r in range(bilateral):
        left[r] = b[r] - rate_change(rows, r, s.x) - rows.gamma[r] * p[r]
    change = s.half[1] if bilateral > 1 else s.guess.x
    solve(s.scale, s.L, s.K, s.order, s.rank[0], left[:bilateral], s.y, change)
    worst = 0.0
    for r in range(bilateral):
        p[r] += change[r]
        add_impulse(rows, r, change[r], s.x)
        worst = max(worst, s.weight[r] * abs(change[r]))
    return worst
