"""[CD03] The semi-recursive method: joint coordinates by accumulation, then independent ones by a second projection.

    z_i z_d    independent and dependent coordinates            G_i G_d  the columns of Phi_z that belong to them
    R          z_d' = R z_i' on the velocity level: -G_d^-1 G_i  lam     multipliers of the independent rows

The independent positions are the unknowns of Newton's iteration (25)-(27); for each of its guesses the dependent ones
follow from Phi = 0, and velocities and accelerations from its rates. So loops are closed to rounding, and there is no
penalty. The price: at a singular position the rows lose rank and R does not exist. The smallest pivot of Phi_z with
the best choice of coordinates is watched: where it would vanish within the next 1/64 of a step, the run is refused.

The choice is by full pivoting, and is changed when its own smallest pivot falls well below that of the best choice.
Pivots are those of rows and columns in units: a coordinate in radians or lengths of the model, a row by the most that
its coordinates could move its place. So they are sines, whatever the sizes: of one row the only pivot is a direction
cosine, and small rows stand beside large ones.
Where rows are redundant, multipliers of rows that were not chosen are zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from linkwork._jit import entry, kernel, small
from linkwork.formulations.convergence import (
    Measure,
    allowed,
    largest_part,
    left_after,
    measure,
    rounding,
    settled,
    stalled,
)
from linkwork.formulations.explicit.stepping import copy, finite, largest, opening
from linkwork.formulations.implicit.implicit import ImplicitMethod, Kept, advance, kept
from linkwork.formulations.implicit.tangent import NewtonScratch, add_forces, fill_mass, find_levers, newton, times_rows
from linkwork.formulations.implicit.trapezoidal import (
    CARRIED_RULE,
    Rule,
    begin_again,
    finish,
    guess,
    kinematics,
    kinematics_again,
    predict,
    rule,
    unbalanced,
)
from linkwork.formulations.protocol import Ran, within
from linkwork.formulations.samples import EVALUATIONS, GAP_RATE, RANK, RESIDUAL, SWEEPS
from linkwork.formulations.status import NOT_CONVERGED, NOT_FINITE, SINGULAR_POSITION
from linkwork.mechanics.constraint_rows import row_accelerations, row_rates
from linkwork.mechanics.motions import displace
from linkwork.numerics.full_pivoting import eliminate, solve, solve_transposed
from linkwork.numerics.sparse_cholesky import times

DEPENDENT = 1e-9  # a smaller pivot is none
BAD = 0.3  # the choice is changed when its smallest pivot is below this part of the best choice's
CLOSE = 1e-10  # units: a correction after which the loops are closed to rounding, as Newton's iteration squares it
FAR = 1e6  # units: it leads nowhere
ROUNDS = 20  # of Newton's iteration that closes the loops


ROW_ORDERS = ("rows", "columns", "best_rows", "best_columns")  # each has every index once


@dataclass(frozen=True, kw_only=True)
class SemiRecursive(ImplicitMethod):
    """Implicit, in independent joint coordinates chosen from all; loops exact, no penalty; no singular positions.

    `dt` in seconds; `tolerance` is the part of the accelerations that Newton's iteration may leave unfound, less where
    dt resolves the motion well; `iterations` how many it may take. A step that does not converge is halved, down to
    1/64. A run that comes to a singular position stops there and says so: use `Hybrid` for such a mechanism.

    >>> lw.SemiRecursive(dt=0.01).tolerance
    1e-07
    """

    name: ClassVar[str] = "semi-recursive"
    supports: ClassVar[frozenset[str]] = frozenset({"loops", "redundant", "distances", "moving grounds", "armature"})
    coordinates: ClassVar[str] = "joint"
    loop: ClassVar[str] = __name__
    carried: ClassVar[tuple[str, ...]] = (
        *CARRIED_RULE,
        *ROW_ORDERS,
        "rank",
        "pivot",
        "row_unit",
        "finest",
    )

    dt: float = 1e-2
    tolerance: float = 1e-7
    iterations: int = 30

    def prepare(self, tables: Any, given: Any = None) -> Workspace:
        """Scratch and carried memory for the tables of one system."""
        return workspace(tables, self)

    def run(self, tables, workspace, state, begin, first, dt, steps, every, samples) -> Ran:
        """The compiled loop of this method."""
        return run(tables, workspace, state, begin, first, dt, steps, every, samples)

    def accepts(self, workspace: Any, name: str, numbers: Any) -> bool:
        """Orders of rows and columns are permutations, and a rank counts them."""
        if name in ROW_ORDERS:
            return np.array_equal(np.sort(numbers), np.arange(numbers.size))
        if name == "rank":
            return within(numbers, min(len(workspace.rows), len(workspace.columns)))
        return super().accepts(workspace, name, numbers)

    def unsettled(self, workspace: Any) -> Any:
        """(dof,) the last increment of a step that was refused."""
        return workspace.x

    def singular_row(self, workspace: Any) -> int:
        """The row with the smallest pivot."""
        return int(workspace.best_rows[max(0, int(workspace.rank[0]) - 1)])


# slots of `Workspace.pivot`
CHOSEN, BEST, BEST_BEFORE, BEST_RATE = range(4)


class Workspace(NamedTuple):
    tolerance: float
    iterations: int
    measure: Measure
    newton: NewtonScratch
    rule: Rule
    kept: Kept
    row_unit: Any  # (row,) the most that a unit of one of its coordinates could move it
    G: Any  # (row, dof) rows in units, eliminated
    rows: Any  # (row,) those of the pivots first
    columns: Any  # (dof,) dependent ones first, then the independent ones
    best_rows: Any
    best_columns: Any
    rank: Any  # (1,)
    pivot: Any  # (4,) smallest: of the CHOSEN rows, of the BEST ones, BEST_BEFORE a step, BEST_RATE
    R: Any  # (dof, dof) column by column of the independent coordinates: the whole z' for a unit of one
    AR: Any  # (dof, dof) A R
    reduced: Any  # (dof, dof) R^T A R, eliminated
    reduced_rows: Any
    reduced_columns: Any
    b: Any  # (dof,) reduced residual
    x: Any  # (dof,)
    f: Any  # (dof,)
    y: Any
    lam: Any  # (row,)
    u: Any  # (row,)
    finest: Any  # (1,) units to which positions are known


def workspace(tables: Any, method: SemiRecursive) -> Workspace:
    nv, rows = tables.tree.dof_link.size, tables.cuts.row_kind.size
    return Workspace(
        float(method.tolerance),
        int(method.iterations),
        measure(tables),
        newton(tables),
        rule(tables),
        kept(tables),
        np.ones(rows),
        np.zeros((rows, nv)),
        np.arange(rows),
        np.arange(nv),
        np.arange(rows),
        np.arange(nv),
        np.zeros(1, dtype=np.int64),
        np.zeros(4),
        np.zeros((nv, nv)),
        np.zeros((nv, nv)),
        np.zeros((nv, nv)),
        np.arange(nv),
        np.arange(nv),
        np.zeros(nv),
        np.zeros(nv),
        np.zeros(nv),
        np.zeros(2 * nv),
        np.zeros(rows),
        np.zeros(rows),
        np.zeros(1),
    )


@kernel
def find_units(tables, w):
    """w.row_unit, and how well positions are known; needs the rows."""
    cuts = tables.cuts
    n = w.newton
    find_levers(cuts, n)
    for c in range(cuts.cut_a.size):
        first = cuts.path_start[c]
        for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
            most = 0.0
            for p in range(first, cuts.path_start[c + 1]):
                most = max(most, n.lever[n.stencil.row_start[r] + p - first] * w.measure.unit[cuts.path_dof[p]])
            w.row_unit[r] = most if most > 0.0 else 1.0
    w.finest[0] = rounding(w.measure, w.rule.z, n.tree.pose_p)


@kernel
def fill_rows(cuts, w):
    """w.G in units."""
    n = w.newton
    for r in range(w.G.shape[0]):
        for k in range(w.G.shape[1]):
            w.G[r, k] = 0.0
    for c in range(cuts.cut_a.size):
        first = cuts.path_start[c]
        for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
            for p in range(first, cuts.path_start[c + 1]):
                k = cuts.path_dof[p]
                w.G[r, k] = n.G[n.stencil.row_start[r] + p - first] * w.measure.unit[k] / w.row_unit[r]


@kernel
def solve_rows(w, b, x):
    """Dependent coordinates x of G_d x = b."""
    for k in range(w.rank[0]):
        w.u[w.rows[k]] = b[w.rows[k]] / w.row_unit[w.rows[k]]
    solve(w.G, w.rows, w.columns, w.rank[0], w.u, x)
    for k in range(w.rank[0]):
        x[w.columns[k]] *= w.measure.unit[w.columns[k]]


@kernel
def solve_columns(w, b, x):
    """x of the chosen rows of G_d^T x = b."""
    for k in range(w.rank[0]):
        w.x[w.columns[k]] = b[w.columns[k]] * w.measure.unit[w.columns[k]]
    solve_transposed(w.G, w.rows, w.columns, w.rank[0], w.x, x)
    for k in range(w.rank[0]):
        x[w.rows[k]] /= w.row_unit[w.rows[k]]


@kernel
def smallest_pivot(G, rows, columns, rank):
    """1 where there is none."""
    return abs(G[rows[rank - 1], columns[rank - 1]]) if rank > 0 else 1.0


@kernel
def factor_choice(tables, w):
    """Factor G_d of the present choice; False where it has lost its rank."""
    fill_rows(tables.cuts, w)
    found = eliminate(w.G, w.rows, w.columns, w.rank[0], DEPENDENT)
    w.pivot[CHOSEN] = smallest_pivot(w.G, w.rows, w.columns, found)
    return found == w.rank[0]


@kernel
def look_for_best(tables, w):
    """The best choice of dependent coordinates here: best_rows, best_columns, its smallest pivot; returns the rank."""
    fill_rows(tables.cuts, w)
    rank = eliminate(w.G, w.best_rows, w.best_columns, w.best_columns.size, DEPENDENT)
    w.pivot[BEST] = smallest_pivot(w.G, w.best_rows, w.best_columns, rank)
    return rank


@kernel
def take_best(w, rank):
    copy(w.best_rows, w.rows)
    copy(w.best_columns, w.columns)
    w.rank[0] = rank


@kernel
def close_loops(tables, w, state, t, h):
    """The dependent part of delta such that Phi = 0; leaves kinematics and the factor of G_d at the result."""
    s = w.rule
    before = 0.0
    for _round in range(ROUNDS):
        displace(tables.tree, state.y, s.delta, 1.0, s.z)
        kinematics(tables, w.newton, state, t, s.z, s.zd)
        if not factor_choice(tables, w):
            return SINGULAR_POSITION
        solve_rows(w, w.newton.g, w.x)
        worst = 0.0
        for k in range(w.rank[0]):
            s.delta[w.columns[k]] -= w.x[w.columns[k]]
            worst = max(worst, abs(w.x[w.columns[k]]) / w.measure.unit[w.columns[k]])
        if not worst < FAR:
            return NOT_CONVERGED
        if worst < CLOSE or stalled(worst, before, w.finest[0]):
            displace(tables.tree, state.y, s.delta, 1.0, s.z)
            return 0
        before = worst
    return NOT_CONVERGED


@kernel
def dependent_part(w, x, rates):
    """The dependent part of x such that its rows' rates, now `rates` with that part zero, vanish."""
    solve_rows(w, rates, w.x)
    for k in range(w.rank[0]):
        x[w.columns[k]] = -w.x[w.columns[k]]


@kernel
def without_dependent(w, x):
    for k in range(w.rank[0]):
        x[w.columns[k]] = 0.0


@kernel
def move(tables, w, state, t):
    """zd and zdd from their independent parts; w.f = M zdd - Q, w.lam, and w.b = what is left of it (reduced)."""
    n = w.newton
    s = w.rule
    without_dependent(w, s.zd)
    kinematics(tables, n, state, t, s.z, s.zd)
    row_rates(tables.cuts, n.tree, n.gd)
    dependent_part(w, s.zd, n.gd)
    kinematics_again(tables, n, state, s.z, s.zd)
    without_dependent(w, s.zdd)
    unbalanced(tables, n, state, t, s.z, s.zd, s.zdd, w.f)
    row_accelerations(tables.cuts, n.tree, n.gdd)
    dependent_part(w, s.zdd, n.gdd)
    unbalanced(tables, n, state, t, s.z, s.zd, s.zdd, w.f)
    # f + G^T lam = 0 in the dependent coordinates gives lam; what is left of f then are the independent equations
    for r in range(w.lam.size):
        w.lam[r] = 0.0
    solve_columns(w, w.f, w.lam)
    for r in range(w.lam.size):
        w.lam[r] = -w.lam[r]
    times_rows(tables.cuts, n, w.lam, w.f, 1.0)
    for k in range(w.rank[0], w.f.size):
        w.b[k - w.rank[0]] = w.f[w.columns[k]]


@kernel
def second_projection(tables, w):
    """w.R, whose columns are the motions of all coordinates for a unit of an independent one."""
    cuts = tables.cuts
    n = w.newton
    free = w.f.size - w.rank[0]
    for a in range(free):
        k = w.columns[w.rank[0] + a]
        for j in range(w.f.size):
            w.R[a, j] = 0.0
        w.R[a, k] = 1.0
        for r in range(n.gd.size):
            n.gd[r] = 0.0
        for c in range(cuts.cut_a.size):
            for p in range(cuts.path_start[c], cuts.path_start[c + 1]):
                if cuts.path_dof[p] == k:
                    for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
                        n.gd[r] = n.G[n.stencil.row_start[r] + p - cuts.path_start[c]]
        dependent_part(w, w.R[a], n.gd)


@kernel
def newton_step(tables, w, h):
    """Displacements w.x of all coordinates from the reduced tangent matrix R^T A R; False where it is singular."""
    n = w.newton
    free = w.f.size - w.rank[0]
    second_projection(tables, w)
    for a in range(free):
        times(n.stencil.shape, n.A, w.R[a], w.AR[a], w.y)
        w.reduced_rows[a] = a
        w.reduced_columns[a] = a
    for a in range(free):
        for b in range(free):
            value = 0.0
            for j in range(w.f.size):
                value += w.R[a, j] * w.AR[b, j]
            w.reduced[a, b] = value
        w.b[a] *= -0.25 * h * h
    rows = w.reduced_rows[:free]
    if eliminate(w.reduced, rows, w.reduced_columns, free, 0.0) < free:
        return False
    solve(w.reduced, rows, w.reduced_columns, free, w.b, w.y)
    for j in range(w.f.size):
        w.x[j] = 0.0
        for a in range(free):
            w.x[j] += w.R[a, j] * w.y[a]
    return True


@small
def step(tables, w, state, t, h, parts):
    """One step to time t. Returns 0 or a status."""
    n = w.newton
    s = w.rule
    status = NOT_CONVERGED
    # a singular position is near: the smallest pivot would vanish within this step
    if w.pivot[BEST_BEFORE] + h * w.pivot[BEST_RATE] <= 0.0:
        return SINGULAR_POSITION
    predict(s, w.measure.unit, state, h)
    v = state.y[s.z.size : s.z.size + s.zd.size]
    before = 0.0
    for i in range(w.iterations + 1):
        failed = close_loops(tables, w, state, t, h)
        if failed != 0:
            return failed
        guess(tables, s, state, h)
        move(tables, w, state, t)
        if status == 0 or i == w.iterations:
            break
        fill_mass(tables.tree, n)
        add_forces(tables, n, t, h, s.z, s.zd, state.cut_q, state.cut_rate)
        if not newton_step(tables, w, h):
            return NOT_FINITE
        for k in range(w.x.size):
            s.delta[k] += w.x[k]
        state.count[EVALUATIONS] += 1
        state.effort[SWEEPS] += 1.0
        if not finite(w.x):
            return NOT_FINITE
        change = largest_part(w.x, w.measure.unit)
        left = left_after(change, before)
        enough = max(w.finest[0], allowed(w.measure, w.tolerance, v, state.vd, s.delta, h))
        if settled(left, change, before, enough, w.finest[0], i + 1 == w.iterations):
            state.effort[RESIDUAL] = max(state.effort[RESIDUAL], left)
            status = 0
        before = change
    if status != 0:
        return status
    find_units(tables, w)
    rank = look_for_best(tables, w)
    if rank < w.rank[0]:
        return SINGULAR_POSITION
    w.pivot[BEST_RATE] = (w.pivot[BEST] - w.pivot[BEST_BEFORE]) / h
    w.pivot[BEST_BEFORE] = w.pivot[BEST]
    carry(tables, w, state, t, h)
    if rank > w.rank[0] or w.pivot[CHOSEN] < BAD * w.pivot[BEST]:
        take_best(w, rank)
    return 0 if finite(state.y) and finite(state.vd) else NOT_FINITE


@kernel
def carry(tables, w, state, t, h):
    """The step is done; its cuts carry -lam on b."""
    n = w.newton
    for r in range(n.lam.size):
        n.lam[r] = -w.lam[r]
    opening(tables.cuts, n.g, state)
    row_rates(tables.cuts, n.tree, n.gd)
    state.drift[GAP_RATE] = largest(n.gd)
    state.count[RANK] = w.rank[0]
    finish(tables, n, w.rule, state, t, h)


@small
def begin(tables, w, state, t):
    """The choice of coordinates at the start, and its accelerations."""
    n = w.newton
    s = w.rule
    begin_again(state, s)
    kinematics(tables, n, state, t, s.z, s.zd)
    find_units(tables, w)
    take_best(w, look_for_best(tables, w))
    w.pivot[BEST_BEFORE] = w.pivot[BEST]
    w.pivot[BEST_RATE] = 0.0
    if not factor_choice(tables, w):
        return SINGULAR_POSITION
    # R^T M R zdd_i = -R^T (M zdd - Q) at zdd_i = 0
    move(tables, w, state, t)
    fill_mass(tables.tree, n)
    if not newton_step(tables, w, 2.0):
        return NOT_FINITE
    copy(w.x, s.zdd)
    move(tables, w, state, t)
    carry(tables, w, state, t, 0.0)
    return 0 if finite(state.vd) else NOT_FINITE


@entry
def run(tables, w, state, start, first, h, steps, every, samples):
    """`implicit.advance` with the step of this file."""
    return advance(begin, step, tables, w, w.newton.lam, w.kept, state, start, first, h, steps, every, samples)
