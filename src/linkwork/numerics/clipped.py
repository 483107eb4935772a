"""[MST17] Clipped systems: A p = b with every p between bounds, A symmetric and semidefinite; sequential impulses.

    p   unknowns (impulses)             low high   their bounds
    dp  change of one in a sweep        weight     what a unit of it counts for
    epsilon    a sweep in which no |dp| counts for more ends the loop

Row r holds where p is strictly between its bounds; at a bound it may miss on the side that the bound allows. A row of
dry friction has no bounds of its own: with `normal[r]` >= 0 they are -+ friction[r] p[normal[r]], and where
`partner[r]` >= 0 the two rows together stay within that circle.

`solve_clipped` is the paper's loop (8) with its clipping. With `guessing` it first solves for all unknowns between
their bounds at once: where the guess which ones these are is right, a single sweep confirms it. Sweeps then go on from
the best that was found, and each begins a little farther on than the last one ended, along the way that the last two
went, and farther each time, until that way turns (Nesterov's acceleration with restarts).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel, small
from linkwork.numerics.products import EIGHT, whole_vectors
from linkwork.numerics.semidefinite import factor_block, solve
from linkwork.numerics.short_rows import dot_short_row

DEPENDENT = 1e-11  # pivot of the scaled matrix below which a row depends on others
MOST_FREE = 128  # more unknowns are not solved for at once
GUESSES = 4


class Guess(NamedTuple):
    """Scratch of `solve_clipped`: for the n unknowns between their bounds, n at most MOST_FREE, and for sweeps."""

    A: Any  # (n, n) their rows
    L: Any  # (n, n or more) factor of A, with K, order and scale
    K: Any  # (n, n)
    order: Any  # (n,)
    scale: Any  # (n,)
    row: Any  # (n,) which rows they are
    b: Any  # (n,) right side
    x: Any  # (n,) solution
    y: Any  # (n,)
    begin: Any  # (row,) where a sweep began
    past: Any  # (row,) where the last one ended


def make_guess(rows: int) -> Guess:
    """Scratch for so many rows."""
    n = min(rows, MOST_FREE)
    return Guess(
        np.zeros((n, n)),
        np.zeros((n, whole_vectors(n, n + EIGHT))),
        np.zeros((n, max(n, 1))),
        np.zeros(n, dtype=np.int64),
        np.zeros(n),
        np.zeros(n, dtype=np.int64),
        np.zeros(n),
        np.zeros(n),
        np.zeros(n),
        np.zeros(rows),
        np.zeros(rows),
    )


@kernel
def strictly_inside(r, low, high, normal, partner, friction, p):
    """Whether p[r] is between its bounds and not at one."""
    if normal[r] < 0:
        return low[r] < p[r] < high[r]
    other = 0.0
    if partner[r] >= 0:
        other = p[partner[r]]
    elif r + 1 < p.size and partner[r + 1] == r:
        other = p[r + 1]
    return math.sqrt(p[r] * p[r] + other * other) < friction[r] * p[normal[r]]


@kernel
def put(r, value, low, high, normal, friction, p):
    """p[r] = value within its bounds."""
    if normal[r] >= 0:
        most = friction[r] * max(p[normal[r]], 0.0)
        p[r] = min(max(value, -most), most)
    else:
        p[r] = min(max(value, low[r]), high[r])


@kernel
def project_to_disc(r, one, two, normal, friction, p):
    """p[r], p[r + 1] = the two values, shortened to the circle of their friction.

    Both at once: where a contact slides, what is far beyond the circle along the slip takes over from what is left
    across it, so that friction is against the motion.
    """
    most = friction[r] * max(p[normal[r]], 0.0)
    length = math.sqrt(one * one + two * two)
    part = most / length if length > most else 1.0
    p[r] = part * one
    p[r + 1] = part * two


@small
def idle(r, normal, p):
    """Whether the friction of rows r and r + 1 has nothing to hold on to, and is nothing."""
    return not p[normal[r]] > 0.0 and p[r] == 0.0 and p[r + 1] == 0.0


@kernel
def residual_of(A, first, last, r, b, p):
    return b[r] - dot_short_row(A, r * A.shape[1] + first, p, first, last - first)


@small
def sweep(A, first, last, diagonal, b, low, high, normal, partner, friction, weight, p):
    """One sequential pass over the rows first … last - 1; returns the largest change."""
    worst = 0.0
    for r in range(first, last):
        if not diagonal[r] > 0.0 or partner[r] >= 0 or (low[r] == high[r] and normal[r] < 0):
            continue
        before = p[r]
        pair = r + 1 < last and partner[r + 1] == r and diagonal[r + 1] > 0.0
        if pair and idle(r, normal, p):
            continue
        left = residual_of(A, first, last, r, b, p)
        if pair:
            # one step for both, so that it is along the slip, and short enough for both
            d = max(diagonal[r], diagonal[r + 1]) + abs(A[r + 1, r])
            beside = p[r + 1]
            project_to_disc(
                r, before + left / d, beside + residual_of(A, first, last, r + 1, b, p) / d, normal, friction, p
            )
            worst = max(worst, weight[r + 1] * abs(p[r + 1] - beside))
        else:
            put(r, before + left / diagonal[r], low, high, normal, friction, p)  # (8)
        worst = max(worst, weight[r] * abs(p[r] - before))
    return worst


@small
def solve_free(A, first, last, diagonal, b, low, high, normal, partner, friction, p, guess):
    """Solve for all p strictly between their bounds at once; those that leave them are put there and left out."""
    for _round in range(GUESSES):
        n = 0
        for r in range(first, last):
            if diagonal[r] > 0.0 and strictly_inside(r, low, high, normal, partner, friction, p):
                if n == guess.row.size:
                    return
                guess.row[n] = r
                n += 1
        if n == 0:
            return
        for i in range(n):
            r = guess.row[i]
            guess.b[i] = residual_of(A, first, last, r, b, p)
            guess.scale[i] = 1.0 / math.sqrt(A[r, r])
            for j in range(i + 1):
                guess.A[i, j] = A[r, guess.row[j]]
                guess.A[j, i] = guess.A[i, j]
        rank = factor_block(guess.A, n, DEPENDENT, 0.0, guess.scale, guess.L, guess.K, guess.order)
        solve(guess.scale[:n], guess.L, guess.K, guess.order, rank, guess.b[:n], guess.y, guess.x)
        clipped = False
        for i in range(n):
            r = guess.row[i]
            value = p[r] + guess.x[i]
            if partner[r] >= 0:
                one = p[r - 1]
                project_to_disc(r - 1, one, value, normal, friction, p)
                clipped = clipped or p[r - 1] != one
            elif r + 1 < last and partner[r + 1] == r:
                p[r] = value  # together with its partner, which comes next
            else:
                put(r, value, low, high, normal, friction, p)
            clipped = clipped or p[r] != value
        if not clipped:
            return


@kernel
def how_far(A, first, last, diagonal, b, low, high, normal, friction, weight, p):
    """The largest change if every row were put right by itself."""
    worst = 0.0
    for r in range(first, last):
        if diagonal[r] > 0.0 and (low[r] < high[r] or normal[r] >= 0):
            before = p[r]
            put(r, before + residual_of(A, first, last, r, b, p) / diagonal[r], low, high, normal, friction, p)
            worst = max(worst, weight[r] * abs(p[r] - before))
            p[r] = before
    return worst


@kernel
def extrapolate(first, last, begin, past, p, pace):
    """After a sweep from `begin` to p: p moves on along past -> p; returns how far, and the next pace.

    The pace 1 is a fresh start.
    """
    back = 0.0
    for r in range(first, last):
        back += (begin[r] - p[r]) * (p[r] - past[r])
    if back > 0.0:
        pace = 1.0
    faster = 0.5 * (1.0 + math.sqrt(1.0 + 4.0 * pace * pace))
    on = (pace - 1.0) / faster
    move_on(first, last, past, p, on)
    return on, faster


@small
def move_on(first, last, past, p, on):
    for r in range(first, last):
        end = p[r]
        p[r] += on * (end - past[r])
        past[r] = end


@small
def solve_clipped(
    A, first, last, diagonal, b, low, high, normal, partner, friction, weight, p, epsilon, iterations, guessing, guess
):
    """p of the rows first … last - 1 from the values at hand; returns sweeps and the largest change of the last one."""
    worst = 0.0
    pace = 1.0
    for r in range(first, last):
        guess.past[r] = p[r]
    for k in range(iterations):
        guessed = guessing and k < GUESSES
        if guessed:
            solve_free(A, first, last, diagonal, b, low, high, normal, partner, friction, p, guess)
        for r in range(first, last):
            guess.begin[r] = p[r]
        change = sweep(A, first, last, diagonal, b, low, high, normal, partner, friction, weight, p)
        if change <= epsilon:
            return k + 1, change
        if guessed:
            if k == 0:
                worst = how_far(A, first, last, diagonal, b, low, high, normal, friction, weight, guess.past)
            # the best so far is where sweeps go on from, once there were guesses enough
            better = change < worst
            for r in range(first, last):
                if better:
                    guess.past[r] = p[r]
                elif k + 1 == min(GUESSES, iterations):
                    p[r] = guess.past[r]
            if not better:
                continue
        elif guessing and k + 1 < iterations:
            _on, pace = extrapolate(first, last, guess.begin, guess.past, p, 1.0 if change > worst else pace)
        worst = change
    return iterations, worst
