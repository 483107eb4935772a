"""[MST17] Impulses of the rows: the clipped loop on the Delassus matrix, bilateral rows in it or solved directly.

    A    u_r . z_s of all rows, gamma on the diagonal      b   right side: target - rate, or the correction
    B    the bilateral rows, the first of the table        C   the clipped ones
    x    joint impulses of all rows, sum of p_r u_r        S   Schur complement of A_BB

"sequential" is the paper's loop over all rows. "direct" factors A_BB once (rows that depend on each other are found,
impulses of least norm taken), and loops over C on what is left,

    S = A_CC - A_CB A_BB^+ A_BC        b_C - A_CB A_BB^+ b_B        p_B = A_BB^+ (b_B - A_BC p_C)

A is formed once a step and serves velocities and positions. Every island (islands.py) is solved by itself, and only
island 0 has bilateral rows. For the others A is not formed: impulses change x (row_sweeps.py), after the Newton steps
of coulomb.py. Nor is it formed where the rows of island 0 are many, with B solved as one block in every sweep, or where
few of them are bilateral and contacts have friction.

A change dp of an impulse counts by the velocity that it makes, dp A_rr of a contact, dp sqrt(A_rr / m) of any other
row, m the mean mass of a body: and that is compared with g h, which impulses undo in a step of what lies still (or with
a part of the fastest rate, where that is more). Where A is not formed, rates that do not change any more are enough.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel, small
from linkwork.formulations.impulse.rest.islands import Islands
from linkwork.formulations.impulse.rows.row_algebra import has_friction, response, response_alike, row_width
from linkwork.formulations.impulse.rows.row_matrix import (
    MOST_COLUMNS,
    add_softness,
    form_rows,
    responses_left,
    subtract_bilateral,
)
from linkwork.formulations.impulse.rows.row_scales import find_scales
from linkwork.formulations.impulse.rows.row_table import CONTACT, CONTACT_FRICTION, CONTACT_MOMENT, LIMIT
from linkwork.formulations.impulse.rows.rows import ALL_ROWS, BILATERAL_ROWS, FAST_PART, finish_deferred
from linkwork.formulations.impulse.solver.coulomb import AT_REST, OF_ISLAND
from linkwork.formulations.impulse.solver.coulomb_equation import GuessScratch, make_guess_scratch
from linkwork.formulations.impulse.solver.row_sweeps import LARGE_ISLAND, solve_matrix_free
from linkwork.numerics.clipped import Guess, make_guess, residual_of, solve_clipped
from linkwork.numerics.products import EIGHT, subtract_product, whole_vectors
from linkwork.numerics.semidefinite import factor_block, half_solve, half_solve_columns, solve
from linkwork.numerics.short_rows import dot_short_row

MOST_DENSE_ROWS = 320  # rows up to which A can be formed
DENSE_ROWS = 128  # and up to which it always is; with more, only where a row moves half as many dofs as there are rows
NEGLIGIBLE_RESPONSE = 1e-10  # of its own response: with less left, a row is moved by bilateral rows alone
HELD = 1e-3  # of the response of its bodies without their joints: with less a contact is held nearly still by them
STILL_RATE = 1e-9  # rate below which such a row stands still
NOTHING_LEFT = 64.0 * 2.0**-52  # of the largest response at a joint: what opening loops and rounding leave of a row
MOST_BILATERAL_PART = 0.25  # of the rows: with more bilateral ones A is formed instead of Newton steps


class RowSolver(NamedTuple):
    """Options and scratch of the solver. `factor_rows` writes once a step, `solve_rows` for each right side."""

    # options; `simulation.interaction.real_time` may lower the iterations
    direct: bool
    epsilon: float  # part of m g h
    gravity: float  # m/s2, g
    mass: float  # kg, mean of the moving bodies
    iterations: Any  # (1,) at most
    tolerance: float  # of the rank
    # factor_rows
    A: Any  # (row, row or more) up to MOST_DENSE_ROWS; rows of C hold S instead
    L: Any  # (row, row or more) factors of A_BB, see numerics.semidefinite
    K: Any  # (row, row)
    order: Any  # (row,) of the pivots
    scale: Any  # (row,) 1 / sqrt of the largest diagonal of A_BB at the joint, among forces or torques
    half: Any  # (row, row or more) half solutions of A_BB for the columns of A_BC, one in each column
    spread: Any  # (dof, column) scratch of row_matrix; zero
    diagonal: Any  # (row,) of A, or of S where it is formed
    reduced: Any  # (row,) diagonal of S, 0 where a row is moved by bilateral rows alone
    normal_coupling: Any  # (row,) of a friction row: A_rs with its normal row, where A is not formed
    partner_coupling: Any  # (row,) of the second friction row: A_rs with the first
    link_response: Any  # (link,) 1/kg, of the body alone; 0 of grounds; made once
    weight: Any  # (row,) velocity by which a unit of impulse counts, 1/kg
    v_scale: Any  # (2,) m/s, AT_REST g h of this step, OF_ISLAND that or more; solve_rows
    rank: Any  # (1,) of A_BB
    is_dense: Any  # (1,) 1 where A is formed in this step
    islands: Islands  # written by find_islands and make_contact_rows
    # solve_rows
    b: Any  # (row,) right side; written by step.right_side
    y: Any  # (row,) half solution of the bilateral rows
    x: Any  # (dof,) joint impulses of all rows
    x_past: Any  # (dof,) those of guess.past
    x_change: Any  # (dof,) what a sweep changed
    guess: Guess  # scratch of numerics.clipped
    newton: GuessScratch  # scratch of coulomb
    infeasible: Any  # (1,) part of m g h, the largest impulse that contradicting rows miss
    left: Any  # (1,) the largest change that last sweeps left, as a part of the impulses of its island


def row_solver(method: Any, rows: int, width: int, tree: Any, islands: Islands) -> RowSolver:
    """Scratch for so many rows; `width` is the longest u."""
    n, dofs = min(rows, MOST_DENSE_ROWS), tree.dof_link.size
    wide = whole_vectors(n, n + EIGHT) + EIGHT  # columns from any place on can be whole vectors
    masses = tree.link_mass[tree.grounds :]
    masses = masses[masses > 0.0]
    return RowSolver(
        direct=method.solver == "direct",
        epsilon=float(method.epsilon),
        gravity=float(np.linalg.norm(tree.gravity)),
        mass=float(masses.mean()) if masses.size else 1.0,
        iterations=np.array([int(method.iterations)]),
        tolerance=float(method.rank_tolerance),
        A=np.zeros((n, wide)),
        L=np.zeros((n, wide)),
        K=np.zeros((n, max(n, 1))),
        order=np.zeros(n, dtype=np.int64),
        scale=np.zeros(n),
        half=np.zeros((n, wide)),
        spread=np.zeros((dofs, min(wide, MOST_COLUMNS))),
        diagonal=np.zeros(rows),
        reduced=np.zeros(rows),
        normal_coupling=np.zeros(rows),
        partner_coupling=np.zeros(rows),
        link_response=responses_alone(tree),
        weight=np.zeros(rows),
        v_scale=np.zeros(2),
        rank=np.zeros(1, dtype=np.int64),
        is_dense=np.zeros(1, dtype=np.int64),
        islands=islands,
        b=np.zeros(rows),
        y=np.zeros(n),
        x=np.zeros(dofs),
        x_past=np.zeros(dofs),
        x_change=np.zeros(dofs),
        guess=make_guess(rows),
        newton=make_guess_scratch(rows, dofs, width, islands.tree_dof),
        infeasible=np.zeros(1),
        left=np.zeros(1),
    )


def responses_alone(tree: Any) -> Any:
    """(link,) 1 / mass of moving links, 0 of grounds and of what has no mass."""
    moving = (np.arange(tree.link_mass.size) >= tree.grounds) & (tree.link_mass > 0.0)
    return np.where(moving, 1.0 / np.where(moving, tree.link_mass, 1.0), 0.0)


@kernel
def bilateral_rows(rows, s):
    """Size of the block B: 0 where all rows are swept."""
    count = rows.count[BILATERAL_ROWS]
    return count if s.direct and count <= s.A.shape[0] else 0


@kernel
def worth_forming(rows, s, n):
    """Whether a sweep over A is not much more expensive than one over the dofs that the rows move."""
    if n <= min(DENSE_ROWS, s.A.shape[0]):
        return True
    moved = 0
    for r in range(n):
        for b in range(rows.spans[r]):
            moved += rows.span_length[r, b]
    return n <= s.A.shape[0] and n * n <= 2 * moved


@kernel
def newton_allowed(rows, s, n, bilateral):
    """Whether Newton steps are used for island 0, which has n rows: contacts with friction, few bilateral rows."""
    if not s.direct or bilateral > MOST_BILATERAL_PART * n:
        return False
    for r in range(n - 1, -1, -1):
        if rows.code[r] == CONTACT_FRICTION:
            return True
    return False


@kernel
def count_deferred(rows, first, last):
    """How many of the rows first … last - 1 wait for their effective mass."""
    n = 0
    for r in range(first, last):
        if rows.deferred[r] != 0:
            n += 1
    return n


@small
def factor_rows(rows, table, cuts, s, h):
    """Effective masses of the rows of this step, and the factors of A_BB."""
    n = s.islands.row_start[1]
    bilateral = bilateral_rows(rows, s)
    s.rank[0] = 0
    s.v_scale[AT_REST] = s.gravity * h
    use_newton = newton_allowed(rows, s, n, bilateral)
    dense = not use_newton and worth_forming(rows, s, n)
    s.is_dense[0] = 1 if dense else 0
    rigid = False
    for r in range(bilateral):
        finish_deferred(rows, r, rows.diagonal[r], h)
        rigid = rigid or rows.gamma[r] == 0.0
    # the effective mass of a clipped row is that while the bilateral ones hold
    wanted = dense or (use_newton and n <= s.A.shape[0] and (rigid or count_deferred(rows, bilateral, n) > 0))
    wanted = wanted and bilateral > 0
    formed = n if dense else bilateral
    if formed > 0:
        form_rows(rows, s.A, s.spread, s.x_change, 0, formed, 0, n if dense or wanted else bilateral)
        add_softness(rows, s.A, 0, bilateral)
    if bilateral > 0:
        find_scales(rows, table, cuts, s.A, s.scale, bilateral)
        s.rank[0] = factor_block(s.A, bilateral, NOTHING_LEFT, s.tolerance, s.scale, s.L, s.K, s.order)
    if wanted:
        half_solve_columns(s.scale, s.L, s.K, s.order, s.rank[0], bilateral, s.A, bilateral, n, s.half)
        responses_left(rows, s.half, s.rank[0], bilateral, n, s.reduced)
    for r in range(bilateral, n):
        left = rows.diagonal[r]
        if wanted and (dense or rigid or rows.deferred[r] != 0):
            left = s.reduced[r]
            if not left > NEGLIGIBLE_RESPONSE * rows.diagonal[r]:
                left = 0.0
                dense = dense or worth_forming(rows, s, n)
        if left > 0.0:
            finish_deferred(rows, r, left, h)
            soften_held(rows, s, r, left)
        s.reduced[r] = left + rows.gamma[r] if left > 0.0 else 0.0
    if dense:
        schur_complement(rows, s, bilateral, formed, n)
    else:
        finish_diagonal(rows, s, 0, n)
        for r in range(bilateral):
            s.reduced[r] = s.diagonal[r]
    for r in range(n, rows.count[ALL_ROWS]):
        finish_deferred(rows, r, rows.diagonal[r], h)
        soften_held(rows, s, r, rows.diagonal[r])
        s.reduced[r] = rows.diagonal[r] + rows.gamma[r]
    finish_diagonal(rows, s, n, rows.count[ALL_ROWS])
    for r in range(rows.count[ALL_ROWS]):
        touches = rows.code[r] == CONTACT or rows.code[r] == CONTACT_FRICTION
        s.weight[r] = rows.diagonal[r] if touches else math.sqrt(rows.diagonal[r] / s.mass)


@kernel
def soften_held(rows, s, r, response):
    """A contact that joints hold nearly still, as beside a hinge, gives way a little to loads that it did not have."""
    if rows.code[r] != CONTACT or rows.deferred[r] != 0:
        return
    alone = s.link_response[rows.links[r, 0]] + s.link_response[rows.links[r, 1]]
    if response < HELD * alone:
        rows.target[r] += (HELD * alone - rows.gamma[r]) * rows.p[r]
        rows.gamma[r] = HELD * alone


@kernel
def finish_diagonal(rows, s, first, last):
    """Where A is not formed: the diagonal of the rows first … last - 1, and how those of a contact are coupled."""
    for r in range(first, last):
        s.diagonal[r] = rows.diagonal[r] + rows.gamma[r]
        if has_friction(rows, r, last):
            n = row_width(rows, r)
            s.normal_coupling[r + 1] = response_alike(rows, r + 1, r, n)
            s.normal_coupling[r + 2] = response_alike(rows, r + 2, r, n)
            s.partner_coupling[r + 2] = response_alike(rows, r + 2, r + 1, n)
        elif rows.code[r] == CONTACT_MOMENT:
            s.normal_coupling[r] = response(rows, r, rows.normal_row[r])
            if rows.partner_row[r] >= 0:
                s.partner_coupling[r] = response(rows, r, rows.partner_row[r])


@kernel
def schur_complement(rows, s, bilateral, formed, n):
    """Put S in place of A_CC; needs the half solutions. The first rows of A are `formed` already."""
    s.is_dense[0] = 1
    if formed < n:
        form_rows(rows, s.A, s.spread, s.x_change, bilateral, n, bilateral, n)
    add_softness(rows, s.A, bilateral, n)
    subtract_bilateral(s.A, s.half, s.rank[0], bilateral, n)
    for r in range(bilateral, n):
        s.diagonal[r] = s.reduced[r]


@kernel
def island_v_scale(rows, s, first, last):
    """What changes of rates are compared with, m/s: g h, or a part of the fastest rate of the rows first … last - 1."""
    fastest = 0.0
    for r in range(first, last):
        if rows.code[r] == CONTACT or rows.code[r] == CONTACT_FRICTION:
            fastest = max(fastest, abs(rows.rate[r]))
        else:
            fastest = max(fastest, abs(rows.rate[r]) * s.weight[r] / rows.diagonal[r])
    return max(s.v_scale[AT_REST], FAST_PART * fastest, STILL_RATE)


@kernel
def part_left(s, first, last, p, change):
    """What a sweep still changed, as a part of the largest impulse of the rows first … last - 1."""
    most = change
    for r in range(first, last):
        most = max(most, s.weight[r] * abs(p[r]))
    return change / most


@small
def solve_rows(rows, s, low, high, p, iterations, guessing):
    """Solve for p with the right side s.b, from the values in p; returns sweeps and the largest change of the last one.

    That of an impulse, as a part of m g h. `guessing`: velocities are solved for; Newton steps are allowed.
    `iterations` is for crowds: a few bodies get all that there are.
    """
    bilateral = bilateral_rows(rows, s)
    s.infeasible[0] = 0.0
    s.left[0] = 0.0
    sweeps = 0
    worst = 0.0
    for island in range(s.islands.count[0]):
        first = s.islands.row_start[island]
        last = s.islands.row_start[island + 1]
        if s.islands.solved[island] == 1 or (not guessing and is_quiet(s, first, last)):
            continue
        v_scale = island_v_scale(rows, s, first, last)
        s.v_scale[OF_ISLAND] = v_scale
        if island == 0 and s.is_dense[0] == 1:
            more, change = solve_dense(
                rows, s, bilateral, last, low, high, p, s.epsilon * v_scale, iterations, guessing
            )
        else:
            newton = guessing and s.direct and (island > 0 or newton_allowed(rows, s, last, bilateral))
            held = bilateral if island == 0 else 0
            most = s.iterations[0] if island > 0 and last - first < LARGE_ISLAND else iterations
            more, part = solve_matrix_free(rows, s, island, held, low, high, p, s.epsilon * v_scale, most, newton)
            change = part * s.epsilon * v_scale
        sweeps = max(sweeps, more)
        if change > s.epsilon * v_scale:
            s.left[0] = max(s.left[0], part_left(s, first, last, p, change))
        if change > 0.0:
            worst = max(worst, change / v_scale)
        if island == 0 and s.infeasible[0] > s.epsilon:
            s.left[0] = max(s.left[0], part_left(s, first, last, p, s.infeasible[0] * v_scale))
    return sweeps, worst


@kernel
def is_quiet(s, first, last):
    """Whether the right side of the rows first … last - 1 is zero."""
    for r in range(first, last):
        if s.b[r] != 0.0:
            return False
    return True


@small
def solve_dense(rows, s, bilateral, n, low, high, p, epsilon, iterations, guessing):
    """Impulses p of the first n rows, which are island 0, by A; returns sweeps and the largest change of the last."""
    b = s.b
    infeasible = 0.0
    if bilateral > 0 and bilateral < n:
        half_solve(s.scale, s.L, s.K, s.order, s.rank[0], b[:bilateral], s.y)
        v = s.half.shape[1]
        subtract_product(b, bilateral, 0, s.y, 0, 0, 1, s.half, bilateral, v, 1, n - bilateral, s.rank[0])
        for r in range(bilateral, n):
            if s.diagonal[r] == 0.0:
                # moved by bilateral rows alone: its impulse changes nothing, and follows from the motion
                p[r] = 0.0
                if low[r] > -math.inf and high[r] < math.inf and abs(b[r]) > STILL_RATE:
                    p[r] = high[r] if b[r] > 0.0 else low[r]
                elif b[r] > STILL_RATE and high[r] == math.inf and (guessing or rows.code[r] == LIMIT):
                    infeasible = max(infeasible, b[r] / rows.diagonal[r] * s.weight[r])
    sweeps = 0
    worst = 0.0
    if bilateral < n:
        sweeps, worst = solve_clipped(
            s.A,
            bilateral,
            n,
            s.diagonal,
            b,
            low,
            high,
            rows.normal_row,
            rows.partner_row,
            rows.friction,
            s.weight,
            p,
            epsilon,
            iterations,
            s.direct,
            s.guess,
        )
    if bilateral > 0:
        for r in range(bilateral):
            b[r] -= dot_short_row(s.A, r * s.A.shape[1] + bilateral, p, bilateral, n - bilateral)
        solve(s.scale, s.L, s.K, s.order, s.rank[0], b[:bilateral], s.y, p)
        sweeps = max(sweeps, 1)
        if s.rank[0] < bilateral and guessing:
            for r in range(bilateral):
                infeasible = max(infeasible, abs(residual_of(s.A, 0, bilateral, r, b, p)) / s.A[r, r] * s.weight[r])
    s.infeasible[0] = infeasible * s.epsilon / epsilon
    return sweeps, worst
