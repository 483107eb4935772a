"""[MST17] Impulses of the rows: the clipped loop on the Delassus matrix, the lasting rows in it or solved directly.

    A    u_r . z_s of all rows, gamma on the diagonal      b   what is missing: want - rate, or shift
    B    the lasting rows, the first of the table          C   the clipped ones

"sequential" is the paper's loop over all rows. "direct" factors A_BB once (rows that depend on each other are found,
impulses of least norm taken), and loops over C on what is left,

    S = A_CC - A_CB A_BB^+ A_BC        b_C - A_CB A_BB^+ b_B        p_B = A_BB^+ (b_B - A_BC p_C)

A is formed once a step and serves velocities and positions. Where rows are many it is not formed: impulses then act on
x, what they leave for the joints (step 7 of the algorithm), and B is solved as one block in every sweep. Nor is it
where contacts rub in a system of few dofs: there the guess of coulomb.py takes the place of S.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel, small
from linkwork.formulations.explicit.stepping import copy
from linkwork.formulations.impulse.coulomb import GuessScratch, guess_all, make_guess_scratch
from linkwork.formulations.impulse.row_algebra import add_impulse, add_three, change_three, rate_change, response, rubs
from linkwork.formulations.impulse.row_table import LIMIT, RUBBING
from linkwork.formulations.impulse.rows import ALL_ROWS, LASTING_ROWS, finish_row
from linkwork.numerics.clipped import (
    Guess,
    counted,
    hurry_on,
    make_guess,
    missing,
    move_on,
    put,
    put_pair,
    solve_clipped,
)
from linkwork.numerics.semidefinite import factor_block, half_solve, solve

DENSE = 320  # rows up to which A can be formed
WORTH = 128  # and up to which it is worth it, unless rows reach over more than half as many dofs as there are rows
HELD = 1e-10  # of its own response: a row with less is moved by lasting rows alone
STILL = 1e-9  # rate below which such a row stands still
GUESSES = 8  # at contacts that rub, each with a sweep after it, after a first sweep to compare them with
NEAR = 1e-2  # softness of the first guess
EXACT = 1e-10  # and of the second: Newton's own step, which goes much too far where rows contradict each other
NEARER = 0.3  # from then on: times that of the first, after a guess that was better than the last
FARTHER = 30.0  # or worse, and forgotten
FAR = 1.0  # so soft a guess is none
FEW = 0.25  # of all rows: more lasting ones are better taken out of A


class RowSolver(NamedTuple):
    direct: bool
    epsilon: float
    iterations: Any  # (1,) at most
    tolerance: float
    A: Any  # (row, row) up to DENSE rows
    L: Any
    K: Any
    order: Any
    scale: Any
    half: Any  # (row, row) half solutions of A_BB for the columns of A_BC
    diagonal: Any  # (row,) of A, or of S where it is formed
    own: Any  # (row,) of S, 0 where a row is moved by lasting rows alone
    under: Any  # (row,) A_rs of a row of friction with that of its contact, where A is not formed
    beside: Any  # (row,) and of the second one with the first
    b: Any
    y: Any
    x: Any  # (dof,) what the impulses leave for the joints
    past: Any  # (dof,) of the impulses in guess.past
    guess: Guess
    newton: GuessScratch
    rank: Any  # (1,) of A_BB
    torn: Any  # (1,) the impulse that rows miss which contradict each other
    formed: Any  # (1,) 1 where A is formed in this step


def row_solver(method: Any, rows: int, dofs: int, width: int) -> RowSolver:
    n = min(rows, DENSE)
    return RowSolver(
        direct=method.solver == "direct",
        epsilon=float(method.epsilon),
        iterations=np.array([int(method.iterations)]),
        tolerance=float(method.rank_tolerance),
        A=np.zeros((n, n)),
        L=np.zeros((n, n)),
        K=np.zeros((n, max(n, 1))),
        order=np.zeros(n, dtype=np.int64),
        scale=np.zeros(n),
        half=np.zeros((n, n)),
        diagonal=np.zeros(rows),
        own=np.zeros(rows),
        under=np.zeros(rows),
        beside=np.zeros(rows),
        b=np.zeros(rows),
        y=np.zeros(n),
        x=np.zeros(dofs),
        past=np.zeros(dofs),
        guess=make_guess(rows),
        newton=make_guess_scratch(rows, dofs, width),
        rank=np.zeros(1, dtype=np.int64),
        torn=np.zeros(1),
        formed=np.zeros(1, dtype=np.int64),
    )


@kernel
def lasting(rows, s):
    """Rows of the block B: none where all are swept."""
    count = rows.count[LASTING_ROWS]
    return count if s.direct and count <= s.A.shape[0] else 0


@kernel
def worth_forming(rows, s, n):
    """Whether a sweep over A is not much longer than one over what the rows move."""
    if n <= min(WORTH, s.A.shape[0]):
        return True
    reach = 0
    for r in range(n):
        for b in range(rows.runs[r]):
            reach += rows.length[r, b]
    return n <= s.A.shape[0] and n * n <= 2 * reach


@kernel
def some_rub(rows, s, n, held):
    """Whether contacts rub, and all impulses can be guessed at once: few dofs, few rows that last."""
    if not s.direct or s.newton.x.size == 0 or held > FEW * n:
        return False
    for r in range(n - 1, -1, -1):
        if rows.code[r] == RUBBING:
            return True
    return False


@small
def factor_rows(rows, s, h):
    """Effective masses, and what is factored of them, for the rows of this step."""
    n = rows.count[ALL_ROWS]
    held = lasting(rows, s)
    s.rank[0] = 0
    rub = some_rub(rows, s, n, held)
    s.formed[0] = 1 if not rub and worth_forming(rows, s, n) else 0
    for r in range(held):
        finish_row(rows, r, rows.diagonal[r], h)
    form(rows, s, 0, held)
    if held > 0:
        for r in range(held):
            s.scale[r] = 1.0 / math.sqrt(s.A[r, r])
        s.rank[0] = factor_block(s.A, held, s.tolerance, s.scale, 0, s.L, s.K, s.order)
    dense = s.formed[0] == 1
    rigid = False
    for r in range(held):
        rigid = rigid or rows.gamma[r] == 0.0
    for r in range(held, n):
        # clipped rows meet the mass that they have while the lasting ones hold
        left = rows.diagonal[r]
        wanted = dense or (rub and n <= s.A.shape[0] and (rigid or rows.later[r] != 0))
        if held > 0 and wanted:
            for c in range(held):
                s.A[r, c] = response(rows, r, c)
                s.A[c, r] = s.A[r, c]
            half_solve(s.scale, s.L, s.K, s.order, s.rank[0], s.A[r, :held], s.half[r])
            for k in range(s.rank[0]):
                left -= s.half[r, k] * s.half[r, k]
            if not left > HELD * rows.diagonal[r]:
                left = 0.0
                dense = dense or worth_forming(rows, s, n)
        if left > 0.0:
            finish_row(rows, r, left, h)
        s.own[r] = left + rows.gamma[r] if left > 0.0 else 0.0
    if dense:
        reduce(rows, s, held, n)
        return
    for r in range(n):
        s.diagonal[r] = rows.diagonal[r] + rows.gamma[r]
        if r < held:
            s.own[r] = s.diagonal[r]
        if rows.normal[r] >= 0:
            s.under[r] = response(rows, r, rows.normal[r])
        if rows.partner[r] >= 0:
            s.beside[r] = response(rows, r, rows.partner[r])


@kernel
def form(rows, s, first, last):
    """A of the rows first … last - 1 among themselves."""
    for r in range(first, last):
        for c in range(first, r + 1):
            s.A[r, c] = response(rows, r, c)
            s.A[c, r] = s.A[r, c]
        s.A[r, r] += rows.gamma[r]


@kernel
def reduce(rows, s, held, n):
    """S in place of A_CC; the half solutions are there."""
    s.formed[0] = 1
    form(rows, s, held, n)
    for r in range(held, n):
        s.diagonal[r] = s.own[r]
        for c in range(held, r + 1):
            less = 0.0
            for k in range(s.rank[0]):
                less += s.half[r, k] * s.half[c, k]
            s.A[r, c] -= less
            s.A[c, r] = s.A[r, c]


@small
def solve_rows(rows, s, low, high, p, iterations, guessing):
    """p for the right side s.b, from the values that p has; returns sweeps and the largest |dp| of the last one.

    `guessing`: velocities are asked for; contacts that rub may be guessed.
    """
    n = rows.count[ALL_ROWS]
    held = lasting(rows, s)
    b = s.b
    torn = 0.0
    s.torn[0] = 0.0
    if s.formed[0] == 0:
        return solve_wide(rows, s, low, high, p, iterations, guessing and some_rub(rows, s, n, held))
    if held > 0 and held < n:
        half_solve(s.scale, s.L, s.K, s.order, s.rank[0], b[:held], s.y)
        for r in range(held, n):
            for k in range(s.rank[0]):
                b[r] -= s.half[r, k] * s.y[k]
            if s.diagonal[r] == 0.0:
                # moved by lasting rows alone: its impulse changes nothing, and is what the motion makes it
                p[r] = 0.0
                if low[r] > -math.inf and high[r] < math.inf and abs(b[r]) > STILL:
                    p[r] = high[r] if b[r] > 0.0 else low[r]
                elif b[r] > STILL and high[r] == math.inf and (guessing or rows.code[r] == LIMIT):
                    torn = max(torn, b[r] / rows.diagonal[r])
    sweeps = 0
    worst = 0.0
    if held < n:
        sweeps, worst = solve_clipped(
            s.A,
            held,
            n,
            s.diagonal,
            b,
            low,
            high,
            rows.normal,
            rows.partner,
            rows.friction,
            p,
            s.epsilon,
            iterations,
            s.direct,
            s.guess,
        )
    if held > 0:
        for r in range(held):
            for c in range(held, n):
                b[r] -= s.A[r, c] * p[c]
        solve(s.scale, s.L, s.K, s.order, s.rank[0], b[:held], s.y, p)
        sweeps = max(sweeps, 1)
        if s.rank[0] < held and guessing:
            for r in range(held):
                torn = max(torn, abs(missing(s.A, 0, held, r, b, p)) / s.A[r, r])
    s.torn[0] = torn
    return sweeps, worst


@small
def solve_wide(rows, s, low, high, p, iterations, guessing):
    """The same without A: step 7 as it stands, impulses change x and through it the rates."""
    n = rows.count[ALL_ROWS]
    held = lasting(rows, s)
    guess = s.guess
    nv = s.x.size
    copy(p[:n], guess.past)
    add_impulses(rows, n, p, s.x)
    copy(s.x[:nv], s.past)
    worst = math.inf
    pace = 1.0
    near = NEAR
    guesses = GUESSES if guessing else 0
    for i in range(1, iterations + 1):
        if 1 < i <= 1 + guesses and near <= FAR:
            guess_all(rows, s, s.newton, EXACT if i == 3 else near, held, low, high, p)
            add_impulses(rows, n, p, s.x)
            change = sweep_wide(rows, s, held, low, high, p)
            if change <= s.epsilon:
                return i, change
            better = change < worst
            if i != 3:
                near *= NEARER if better else FARTHER
            pace = 1.0
            if better:
                worst = change
                copy(p[:n], guess.past)
                copy(s.x[:nv], s.past)
            else:
                copy(guess.past[:n], p)
                copy(s.past[:nv], s.x)
            continue
        copy(p[:n], guess.begin)
        change = sweep_wide(rows, s, held, low, high, p)
        if change <= s.epsilon:
            return i, change
        if s.direct and i < iterations:
            on, pace = hurry_on(0, n, guess.begin, guess.past, p, 1.0 if change > worst else pace)
            move_on(0, nv, s.past, s.x, on)  # what is linear in p goes with it
        worst = change
    return iterations, worst


@small
def sweep_wide(rows, s, held, low, high, p):
    """One pass over all rows, the lasting ones as one block; returns the largest |dp|."""
    n = rows.count[ALL_ROWS]
    worst = 0.0
    if held > 0:
        worst = solve_block(rows, s, held, p)
    r = held
    while r < n:
        if rubs(rows, r, n):
            worst = max(worst, sweep_contact(rows, s, low, high, r, p))
            r += 3
            continue
        if s.diagonal[r] > 0.0 and (low[r] < high[r] or rows.normal[r] >= 0):
            before = p[r]
            left = s.b[r] - rate_change(rows, r, s.x) - rows.gamma[r] * before
            put(r, before + left / s.diagonal[r], low, high, rows.normal, rows.friction, p)
            if p[r] != before:
                add_impulse(rows, r, p[r] - before, s.x)
                worst = max(worst, counted(p[r] - before, s.diagonal[r]))
        r += 1
    return worst


@small
def sweep_contact(rows, s, low, high, r, p):
    """A contact and its friction, rows r … r + 2: x is read once and written once."""
    before = p[r]
    one = p[r + 1]
    two = p[r + 2]
    if before == 0.0 and one == 0.0 and two == 0.0:
        if high[r] == 0.0 or not s.b[r] > rate_change(rows, r, s.x):
            return 0.0
    a, a_1, a_2 = change_three(rows, r, s.x)
    if low[r] < high[r]:
        left = s.b[r] - a - rows.gamma[r] * before
        put(r, before + left / s.diagonal[r], low, high, rows.normal, rows.friction, p)
    dp = p[r] - before
    d = max(s.diagonal[r + 1], s.diagonal[r + 2]) + abs(s.beside[r + 2])
    left_1 = s.b[r + 1] - a_1 - dp * s.under[r + 1] - rows.gamma[r + 1] * one
    left_2 = s.b[r + 2] - a_2 - dp * s.under[r + 2] - rows.gamma[r + 2] * two
    put_pair(r + 1, one + left_1 / d, two + left_2 / d, rows.normal, rows.friction, p)
    add_three(rows, r, dp, p[r + 1] - one, p[r + 2] - two, s.x)
    return counted(max(abs(dp), abs(p[r + 1] - one), abs(p[r + 2] - two)), max(s.diagonal[r], d))


@kernel
def add_impulses(rows, n, p, x):
    """x: what all impulses p leave for the joints."""
    for k in range(x.size):
        x[k] = 0.0
    for r in range(n):
        add_impulse(rows, r, p[r], x)


@kernel
def solve_block(rows, s, held, p):
    """The lasting rows at once, for the present x; returns the largest |dp|."""
    b = s.b
    left = s.half[0]  # free here: S is not formed
    for r in range(held):
        left[r] = b[r] - rate_change(rows, r, s.x) - rows.gamma[r] * p[r]
    change = s.half[1] if held > 1 else s.guess.x
    solve(s.scale, s.L, s.K, s.order, s.rank[0], left[:held], s.y, change)
    worst = 0.0
    for r in range(held):
        p[r] += change[r]
        add_impulse(rows, r, change[r], s.x)
        worst = max(worst, abs(change[r]))
    return worst
