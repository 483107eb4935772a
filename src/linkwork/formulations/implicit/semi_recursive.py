"""[CD03] The semi-recursive method: joint coordinates by accumulation, then independent ones by a second projection.

    z_i z_d    independent and dependent coordinates            G_i G_d  the columns of Phi_z that belong to them
    R          z_d' = R z_i' on the velocity level: -G_d^-1 G_i  lam     multipliers of the independent rows

The independent positions are the unknowns of Newton's iteration (25)-(27); for each of its guesses the dependent ones
follow from Phi = 0, and velocities and accelerations from its rates. So loops are closed to rounding, and there is no
penalty. The price: at a singular position the rows lose rank and R does not exist. The smallest pivot of Phi_z with
the best choice of coordinates is monitored: where it would vanish within the next 1/64 of a step, the run is refused.

The choice (`independent`) is changed when its own smallest pivot falls well below that of the best choice. Where rows
are redundant, multipliers of rows that were not chosen are zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from linkwork._jit import entry, kernel, small
from linkwork.formulations.convergence import Measure, measure, stalled
from linkwork.formulations.implicit.implicit import ImplicitMethod, Kept, advance, kept
from linkwork.formulations.implicit.independent import (
    BEST,
    BEST_BEFORE,
    BEST_RATE,
    CHOSEN,
    clear_dependent,
    dependent_part,
    factor_choice,
    find_best_choice,
    find_units,
    solve_columns,
    solve_rows,
    take_best_choice,
)
from linkwork.formulations.implicit.stiffness import add_forces
from linkwork.formulations.implicit.tangent import NewtonScratch, fill_mass, newton, times_rows
from linkwork.formulations.implicit.trapezoidal import (
    PERSISTENT_RULE,
    Rule,
    add_increment,
    end_of_step,
    finish,
    kinematics,
    load_state,
    predict,
    record_gaps,
    residual,
    rule,
    velocity_kinematics,
    velocity_rows,
)
from linkwork.formulations.protocol import COMMON, Bound, Ran, within
from linkwork.formulations.samples import RANK
from linkwork.formulations.status import NOT_CONVERGED, NOT_FINITE, SINGULAR_POSITION
from linkwork.mechanics.rows.rows import row_accelerations, row_rates
from linkwork.mechanics.tree.motions import displace
from linkwork.numerics.arrays import copy, finite
from linkwork.numerics.full_pivoting import eliminate, solve
from linkwork.numerics.sparse_cholesky import times

BAD = 0.3  # the choice is changed when its smallest pivot is below this part of the best choice's
CLOSE = 1e-10  # units: a correction after which the loops are closed to rounding, as Newton's iteration squares it
FAR = 1e6  # units: a correction larger than this diverges
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
    supports: ClassVar[frozenset[str]] = COMMON | {"armature"}
    coordinates: ClassVar[str] = "joint"
    loop: ClassVar[str] = __name__
    persistent: ClassVar[tuple[str, ...]] = (
        *PERSISTENT_RULE,
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

    def bind(self, tables, workspace, state, samples) -> Bound:
        """`run`, prepared."""
        return run.bind(tables, workspace, state, 0.0, 0, 0.0, 0, 1, samples)

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


class Workspace(NamedTuple):
    tolerance: float
    iterations: int
    measure: Measure
    newton: NewtonScratch
    rule: Rule
    kept: Kept
    # the choice of coordinates, carried; written in `independent`
    row_unit: Any  # (row,) m or rad, the most that a unit of one of its coordinates could move it
    rows: Any  # (row,) those of the pivots first
    columns: Any  # (dof,) dependent ones first, then the independent ones
    best_rows: Any  # (row,) the same of the best choice
    best_columns: Any  # (dof,)
    rank: Any  # (1,) of the present choice
    pivot: Any  # (4,) smallest: of the CHOSEN rows, of the BEST ones, BEST_BEFORE a step, BEST_RATE, 1/s
    finest: Any  # (1,) units to which positions are known
    # scratch
    G: Any  # (row, dof) rows in units, eliminated; `factor_choice`, `find_best_choice`
    u: Any  # (row,) right side; `solve_rows`
    R: Any  # (dof, dof) row by row: the whole z' for a unit of an independent coordinate; `second_projection`
    AR: Any  # (dof, dof) A R; `newton_step`
    reduced: Any  # (dof, dof) R^T A R, eliminated; `newton_step`
    reduced_rows: Any  # (dof,) of its elimination
    reduced_columns: Any  # (dof,)
    b: Any  # (dof,) reduced residual; `constrained_motion`
    x: Any  # (dof,) increment of all coordinates; `newton_step`; corrections of `close_loops`, `dependent_part`
    f: Any  # (dof,) residual; `constrained_motion`
    y: Any  # (2 dof,) of products and solutions
    lam: Any  # (row,) N or N m, multipliers of the chosen rows; `constrained_motion`


def workspace(tables: Any, method: SemiRecursive) -> Workspace:
    """Memory of the method for the tables of one system."""
    nv, rows = tables.tree.dof_link.size, tables.cuts.row_kind.size
    return Workspace(
        tolerance=float(method.tolerance),
        iterations=int(method.iterations),
        measure=measure(tables),
        newton=newton(tables),
        rule=rule(tables),
        kept=kept(tables),
        row_unit=np.ones(rows),
        rows=np.arange(rows),
        columns=np.arange(nv),
        best_rows=np.arange(rows),
        best_columns=np.arange(nv),
        rank=np.zeros(1, dtype=np.int64),
        pivot=np.zeros(4),
        finest=np.zeros(1),
        G=np.zeros((rows, nv)),
        u=np.zeros(rows),
        R=np.zeros((nv, nv)),
        AR=np.zeros((nv, nv)),
        reduced=np.zeros((nv, nv)),
        reduced_rows=np.arange(nv),
        reduced_columns=np.arange(nv),
        b=np.zeros(nv),
        x=np.zeros(nv),
        f=np.zeros(nv),
        y=np.zeros(2 * nv),
        lam=np.zeros(rows),
    )


@kernel
def close_loops(tables, w, state, t, h):
    """The dependent part of delta such that Phi = 0; leaves kinematics and the factor of G_d at the result."""
    s = w.rule
    before = 0.0
    for _round in range(ROUNDS):
        end_of_step(tables, s, state, h)
        kinematics(tables, w.newton, state, t, s.z, s.zd)
        velocity_rows(tables.cuts, w.newton, h)
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
def constrained_motion(tables, w, state, t):
    """zd and zdd from their independent parts; w.f = M zdd - Q, w.lam, and w.b = what is left of it (reduced)."""
    n = w.newton
    s = w.rule
    clear_dependent(w, s.zd)
    kinematics(tables, n, state, t, s.z, s.zd)
    row_rates(tables.cuts, n.tree, n.gd)
    dependent_part(w, s.zd, n.gd)
    velocity_kinematics(tables, n, state, s.z, s.zd)
    clear_dependent(w, s.zdd)
    residual(tables, n, state, t, s.z, s.zd, s.zdd, w.f)
    row_accelerations(tables.cuts, n.tree, n.gdd)
    dependent_part(w, s.zdd, n.gdd)
    residual(tables, n, state, t, s.z, s.zd, s.zdd, w.f)
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
        for c in range(cuts.side_link.shape[0]):
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
    before = 0.0
    for i in range(w.iterations + 1):
        failed = close_loops(tables, w, state, t, h)
        if failed != 0:
            return failed
        end_of_step(tables, s, state, h)
        constrained_motion(tables, w, state, t)
        if status == 0 or i == w.iterations:
            break
        fill_mass(tables.tree, n)
        add_forces(tables, n, t, h, s.z, s.zd, state.cut_q, state.cut_rate)
        if not newton_step(tables, w, h):
            return NOT_FINITE
        last = i + 1 == w.iterations
        status, before, _ = add_increment(s, w.measure, state, w.x, before, w.finest[0], w.tolerance, h, last)
        if status == NOT_FINITE:
            return status
    if status != 0:
        return status
    find_units(tables, w)
    rank = find_best_choice(tables, w)
    if rank < w.rank[0]:
        return SINGULAR_POSITION
    w.pivot[BEST_RATE] = (w.pivot[BEST] - w.pivot[BEST_BEFORE]) / h
    w.pivot[BEST_BEFORE] = w.pivot[BEST]
    end_step(tables, w, state, t, h)
    if rank > w.rank[0] or w.pivot[CHOSEN] < BAD * w.pivot[BEST]:
        take_best_choice(w, rank)
    return 0 if finite(state.y) and finite(state.vd) else NOT_FINITE


@kernel
def end_step(tables, w, state, t, h):
    """The state moves to the end of the step; the reactions on b are -w.lam."""
    n = w.newton
    for r in range(n.lam.size):
        n.lam[r] = -w.lam[r]
    record_gaps(tables, n, state)
    state.count[RANK] = w.rank[0]
    finish(tables, n, w.rule, state, t, h)


@small
def begin(tables, w, state, t):
    """The choice of coordinates at the start, and its accelerations."""
    n = w.newton
    s = w.rule
    load_state(state, s)
    kinematics(tables, n, state, t, s.z, s.zd)
    find_units(tables, w)
    take_best_choice(w, find_best_choice(tables, w))
    w.pivot[BEST_BEFORE] = w.pivot[BEST]
    w.pivot[BEST_RATE] = 0.0
    if not factor_choice(tables, w):
        return SINGULAR_POSITION
    # R^T M R zdd_i = -R^T (M zdd - Q) at zdd_i = 0
    constrained_motion(tables, w, state, t)
    fill_mass(tables.tree, n)
    if not newton_step(tables, w, 2.0):
        return NOT_FINITE
    copy(w.x, s.zdd)
    constrained_motion(tables, w, state, t)
    end_step(tables, w, state, t, 0.0)
    return 0 if finite(state.vd) else NOT_FINITE


@entry
def run(tables, w, state, start, first, h, steps, every, samples):
    """`implicit.advance` with the step of this file."""
    return advance(begin, step, tables, w, w.newton.lam, w.kept, state, start, first, h, steps, every, samples)
