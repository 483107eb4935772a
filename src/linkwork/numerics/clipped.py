"""[MST17] Clipped systems: A p = b with every p between bounds, A symmetric and semidefinite; sequential impulses.

    p   unknowns (impulses)             low high   their bounds
    dp  change of one in a sweep        epsilon    a sweep in which no |dp| is larger ends the loop

Row r holds where p is strictly between its bounds; at a bound it may miss on the side that the bound allows. A row of
dry friction has no bounds of its own: with `normal[r]` >= 0 they are -+ friction[r] p[normal[r]], and where
`partner[r]` >= 0 the two rows together stay within that circle.

`solve_clipped` is the paper's loop (8) with its clipping. With `guessing` it also solves, before a sweep, for all
unknowns between their bounds at once: where the guess which ones these are is right, a single sweep confirms it.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel
from linkwork.numerics.semidefinite import factor_block, solve

DEPENDENT = 1e-11  # pivot of the scaled matrix below which a row depends on others
MOST_FREE = 96  # more unknowns are not solved for at once
GUESSES = 4


class Guess(NamedTuple):
    """Scratch for the unknowns between their bounds."""

    A: Any
    L: Any
    K: Any
    order: Any
    scale: Any
    row: Any
    b: Any
    x: Any
    y: Any


def make_guess(rows: int) -> Guess:
    """Scratch for so many rows."""
    n = min(rows, MOST_FREE)
    return Guess(
        np.zeros((n, n)),
        np.zeros((n, n)),
        np.zeros((n, max(n, 1))),
        np.zeros(n, dtype=np.int64),
        np.zeros(n),
        np.zeros(n, dtype=np.int64),
        np.zeros(n),
        np.zeros(n),
        np.zeros(n),
    )


@kernel
def bounds_of(r, low, high, normal, friction, p):
    """Bounds of row r for the present impulses."""
    if normal[r] >= 0:
        most = friction[r] * max(p[normal[r]], 0.0)
        return -most, most
    return low[r], high[r]


@kernel
def clip(r, value, low, high, normal, partner, friction, p):
    """p[r] = value within its bounds; a pair of friction rows within their circle."""
    least, most = bounds_of(r, low, high, normal, friction, p)
    if partner[r] >= 0:
        other = p[partner[r]]
        length = math.sqrt(value * value + other * other)
        if length > most:
            p[partner[r]] = other * most / length
            p[r] = value * most / length
            return
    p[r] = min(max(value, least), most)


@kernel
def sweep(A, first, last, diagonal, b, low, high, normal, partner, friction, p):
    """One sequential pass over the rows first … last - 1; returns the largest |dp|."""
    worst = 0.0
    for r in range(first, last):
        if not diagonal[r] > 0.0 or (low[r] == high[r] and normal[r] < 0):
            continue
        left = b[r]
        for s in range(first, last):
            left -= A[r, s] * p[s]
        before = p[r]
        clip(r, before + left / diagonal[r], low, high, normal, partner, friction, p)  # (8)
        worst = max(worst, abs(p[r] - before))
    return worst


@kernel
def solve_free(A, first, last, diagonal, b, low, high, normal, partner, friction, p, guess):
    """Solve for all p strictly between their bounds at once; those that leave them are put there and left out."""
    for _round in range(GUESSES):
        n = 0
        for r in range(first, last):
            least, most = bounds_of(r, low, high, normal, friction, p)
            if diagonal[r] > 0.0 and least < p[r] < most:
                if n == guess.row.size:
                    return
                guess.row[n] = r
                n += 1
        if n == 0:
            return
        for i in range(n):
            r = guess.row[i]
            left = b[r]
            for s in range(first, last):
                left -= A[r, s] * p[s]
            guess.b[i] = left
            guess.scale[i] = 1.0 / math.sqrt(A[r, r])
            for j in range(i + 1):
                guess.A[i, j] = A[r, guess.row[j]]
                guess.A[j, i] = guess.A[i, j]
        rank = factor_block(guess.A, n, DEPENDENT, guess.scale, 0, guess.L, guess.K, guess.order)
        solve(guess.scale[:n], guess.L, guess.K, guess.order, rank, guess.b[:n], guess.y, guess.x)
        clipped = False
        for i in range(n):
            r = guess.row[i]
            value = p[r] + guess.x[i]
            clip(r, value, low, high, normal, partner, friction, p)
            clipped = clipped or p[r] != value
        if not clipped:
            return


@kernel
def solve_clipped(
    A, first, last, diagonal, b, low, high, normal, partner, friction, p, epsilon, iterations, guessing, guess
):
    """p of the rows first … last - 1 from the values at hand; returns sweeps and the largest |dp| of the last one."""
    worst = 0.0
    for k in range(iterations):
        if guessing and k < GUESSES:
            solve_free(A, first, last, diagonal, b, low, high, normal, partner, friction, p, guess)
        worst = sweep(A, first, last, diagonal, b, low, high, normal, partner, friction, p)
        if worst <= epsilon:
            return k + 1, worst
    return iterations, worst
