"""[CD03] The hybrid method: joint coordinates, loops by an augmented Lagrangian, trapezoidal rule, Newton in positions.

    z zd zdd   joint coordinates, velocities, accelerations      Phi     rows of the cuts (closure conditions)
    M C K      mass, damping and stiffness matrices              Phi_z   their Jacobian, G elsewhere in the house
    alpha      penalty, a row                                    lam     multipliers lambda* of (1)
    f_z f      tangent matrix (26) and residual (27)             delta   displacement from z_n to z_{n+1}

Rotations are displaced by the exponential map, so that ball and free joints integrate without a gimbal lock; for them
delta is a rotation vector and (21)-(24) hold in velocities.

The penalty of a row is chosen from the mass that it holds: dt^2/4 alpha is PENALTY_RATIO times the largest mass that
one of its dofs moves at the row's place. Multipliers then converge as fast at every size, mass and step. (Of the dofs
the heaviest counts: rows that share a light body would else hold the heavy ones beside it too loosely. A row that a dof
moves sideways, or hardly at all, is taken as if it moved it: alpha does not grow where rows vanish.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from linkwork._jit import entry, kernel, small
from linkwork.formulations.convergence import Measure, closed, largest_part, measure, rounding
from linkwork.formulations.implicit.implicit import (
    PENALTY_RATIO,
    ImplicitMethod,
    Kept,
    advance,
    chosen_penalties,
    kept,
)
from linkwork.formulations.implicit.stiffness import add_forces
from linkwork.formulations.implicit.tangent import (
    NewtonScratch,
    add_rows,
    fill_mass,
    find_levers,
    newton,
    rows_times,
    times_rows,
)
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
from linkwork.formulations.protocol import COMMON, Bound, Ran
from linkwork.formulations.status import NOT_CONVERGED, NOT_FINITE
from linkwork.mechanics.rows.rows import row_accelerations
from linkwork.mechanics.tree.newton_euler import inverse_dynamics
from linkwork.numerics.arrays import copy, finite
from linkwork.numerics.sparse_cholesky import factor, size, solve
from linkwork.spatial.codes import CROSSED

STIFFER = 100.0  # penalty of a step that is tried again, times this: weak rows converge faster
REACTION_ROUNDS = 3
START_ROUNDS = 20  # of multipliers, for the accelerations of the start


@dataclass(frozen=True, kw_only=True)
class Hybrid(ImplicitMethod):
    """Implicit, for large steps, stiff springs and singular positions; loops by an augmented Lagrangian.

    `dt` in seconds; `penalty` weighs the closure of the loops (N/m, N m/rad): without one it is chosen, for every row
    and step, from the inertias that the row holds; `tolerance` is the part of the accelerations that Newton's iteration
    may leave unfound, less where dt resolves the motion well; `iterations` how many it may take. A step that does not
    converge is halved, down to 1/64. None of these has to follow the size or the mass of the model.

    >>> lw.Hybrid(dt=0.01, penalty=1e9).penalty
    1000000000.0
    """

    name: ClassVar[str] = "hybrid"
    supports: ClassVar[frozenset[str]] = COMMON | {"armature"}
    coordinates: ClassVar[str] = "joint"
    loop: ClassVar[str] = __name__
    persistent: ClassVar[tuple[str, ...]] = ("newton.lam", *PERSISTENT_RULE)

    dt: float = 1e-2
    penalty: float | None = None
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

    def chosen(self, workspace: Any) -> dict[str, Any]:
        """Penalties that were left to the method."""
        return chosen_penalties(self.penalty, workspace.alpha)


class Workspace(NamedTuple):
    penalty: float  # N/m or N m/rad; 0 where it is chosen
    alpha: Any  # (row,) the penalties of this step; written by `set_penalties`
    weight: Any  # (row,) h^2/4 alpha; `set_penalties`, at the start `hold_masses`
    measure: Measure
    tolerance: float
    iterations: int
    newton: NewtonScratch
    rule: Rule
    kept: Kept
    fz: Any  # values of the tangent matrix; `step`, `begin`
    L: Any  # its factor; `step`, `begin`
    f: Any  # (dof,) residual, then the increment; `step`, `project`, `reactions`, `begin`
    lam: Any  # (row,) N or N m, multipliers of the projected motion; `reactions`
    x: Any  # (dof,) scratch of the factor
    y: Any  # (2 dof,) scratch of the solution


def workspace(tables: Any, method: Hybrid) -> Workspace:
    """Memory of the method for the tables of one system."""
    nv, rows = tables.tree.dof_link.size, tables.cuts.row_kind.size
    shared = newton(tables)
    values = size(shared.stencil.shape)
    return Workspace(
        penalty=float(method.penalty or 0.0),
        alpha=np.zeros(rows),
        weight=np.zeros(rows),
        measure=measure(tables),
        tolerance=float(method.tolerance),
        iterations=int(method.iterations),
        newton=shared,
        rule=rule(tables),
        kept=kept(tables),
        fz=np.zeros(values),
        L=np.zeros(values),
        f=np.zeros(nv),
        lam=np.zeros(rows),
        x=np.zeros(nv),
        y=np.zeros(2 * nv),
    )


@kernel
def hold_masses(tables, w):
    """w.weight = PENALTY_RATIO times the mass (or inertia) that each row holds: needs the rows, n.A and n.gyration."""
    n = w.newton
    cuts = tables.cuts
    find_levers(cuts, n)
    for c in range(cuts.side_link.shape[0]):
        first = cuts.path_start[c]
        for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
            heaviest = 0.0
            moved = False
            e = n.stencil.row_start[r] - first
            for s in range(first, cuts.path_start[c + 1]):
                k = cuts.path_dof[s]
                moved = moved or n.G[e + s] != 0.0
                reach = n.lever[e + s] ** 2
                if reach == 0.0:
                    continue
                # a place close to a heavy axis is not moved by it: no more than the mass itself counts
                if cuts.row_kind[r] != CROSSED:
                    reach = max(reach, n.gyration[k])
                heaviest = max(heaviest, n.A[n.stencil.diagonal[k]] / reach)
            # a row that nothing moves holds nothing: its multiplier would only collect rounding
            w.weight[r] = PENALTY_RATIO * heaviest if moved else 0.0


@small
def set_penalties(tables, w, h, parts):
    """w.alpha and w.weight for a step of h, one of `parts`."""
    hold_masses(tables, w)
    for r in range(w.alpha.size):
        w.alpha[r] = 4.0 / (h * h) * w.weight[r]
        if w.penalty > 0.0 and w.alpha[r] > 0.0:
            w.alpha[r] = w.penalty
        if parts > 1:
            w.alpha[r] *= STIFFER
        w.weight[r] = 0.25 * h * h * w.alpha[r]


@small
def project(tables, w, x, rates):
    """x -= f_z^-1 Phi_z^T h^2/4 alpha rates: (35) for velocities, (36) for accelerations, as increments.

    What f_z holds besides the rows drops out that way, and so does its rounding.
    """
    n = w.newton
    for r in range(rates.size):
        rates[r] *= w.weight[r]
    for k in range(w.f.size):
        w.f[k] = 0.0
    times_rows(tables.cuts, n, rates, w.f, -1.0)
    solve(n.stencil.shape, w.L, w.f, w.y)
    for k in range(w.f.size):
        x[k] += w.f[k]


@small
def step(tables, w, state, t, h, parts):
    """One step to time t. Returns 0 or a status."""
    n = w.newton
    s = w.rule
    predict(s, w.measure.unit, state, h)
    status = NOT_CONVERGED
    before = 0.0
    enough = 0.0
    finest = 0.0
    gap_before = math.inf
    for i in range(w.iterations + 1):
        # the last round only evaluates the result: positions have converged, rates are still to be projected
        end_of_step(tables, s, state, h)
        kinematics(tables, n, state, t, s.z, s.zd)
        velocity_rows(tables.cuts, n, h)
        gap = largest_part(n.g, w.measure.row)
        if i == w.iterations or (status == 0 and closed(gap, gap_before, enough, finest)):
            break
        gap_before = gap if status == 0 else math.inf
        fill_mass(tables.tree, n)
        add_forces(tables, n, t, h, s.z, s.zd, state.cut_q, state.cut_rate)
        if i == 0:
            set_penalties(tables, w, h, parts)
            finest = rounding(w.measure, s.z, n.tree.pose_p)
        residual(tables, n, state, t, s.z, s.zd, s.zdd, w.f)
        for r in range(n.g.size):
            if i > 0:
                n.lam[r] += w.alpha[r] * n.g[r]  # (2)
            n.gd[r] = w.alpha[r] * n.g[r] + n.lam[r]
        times_rows(tables.cuts, n, n.gd, w.f, 1.0)  # (27)
        copy(n.A, w.fz)
        add_rows(tables.cuts, n, w.weight, w.fz)  # (26)
        if not factor(n.stencil.shape, w.fz, w.L, w.x):
            return NOT_FINITE
        for k in range(w.f.size):
            w.f[k] *= -0.25 * h * h
        solve(n.stencil.shape, w.L, w.f, w.y)
        last = i + 1 == w.iterations
        status, before, enough = add_increment(s, w.measure, state, w.f, before, finest, w.tolerance, h, last)
        if status == NOT_FINITE:
            return status
    if status != 0:
        return status
    # velocities and accelerations onto the constraints, with the last tangent matrix
    record_gaps(tables, n, state)
    project(tables, w, s.zd, n.gd)
    velocity_kinematics(tables, n, state, s.z, s.zd)
    residual(tables, n, state, t, s.z, s.zd, s.zdd, w.f)
    row_accelerations(tables.cuts, n.tree, n.gdd)
    project(tables, w, s.zdd, n.gdd)
    reactions(tables, w)
    end_step(tables, w, state, t, h)
    return 0 if finite(state.y) and finite(state.vd) else NOT_FINITE


@small
def end_step(tables, w, state, t, h):
    """The state moves to the end of the step; the reactions on b are -w.lam. n.lam is carried to the next step."""
    n = w.newton
    for r in range(n.g.size):
        n.gd[r] = n.lam[r]
        n.lam[r] = -w.lam[r]
    finish(tables, n, w.rule, state, t, h)
    copy(n.gd, n.lam)


@small
def reactions(tables, w):
    """w.lam: multipliers of the projected motion, M zdd - Q + Phi_z^T lam = 0, from lam + alpha Phi on.

    Those of the iteration belong to the accelerations before the projection and swing about the right value. Here the
    step is that of (2) again: f_z is all but h^2/4 alpha Phi_z^T Phi_z where the rows hold.
    """
    n = w.newton
    s = w.rule
    for r in range(n.g.size):
        w.lam[r] = n.lam[r] + w.alpha[r] * n.g[r]
    inverse_dynamics(tables.tree, n.tree, s.z, s.zdd, n.dq)
    for _round in range(REACTION_ROUNDS if n.g.size > 0 else 0):
        for k in range(w.f.size):
            w.f[k] = n.tree.tau[k] - n.dq[k]
        times_rows(tables.cuts, n, w.lam, w.f, -1.0)
        solve(n.stencil.shape, w.L, w.f, w.y)
        for r in range(n.gd.size):
            n.gd[r] = 0.0
        rows_times(tables.cuts, n, w.f, n.gd, 1.0)
        for r in range(n.gd.size):
            w.lam[r] += w.weight[r] * n.gd[r]


@small
def begin(tables, w, state, t):
    """Accelerations of the start: the equations of motion with the constraints on their second rates, by penalty."""
    n = w.newton
    s = w.rule
    load_state(state, s)
    for r in range(n.lam.size):
        n.lam[r] = 0.0
    kinematics(tables, n, state, t, s.z, s.zd)
    residual(tables, n, state, t, s.z, s.zd, s.zdd, s.delta)
    row_accelerations(tables.cuts, n.tree, n.gdd)
    fill_mass(tables.tree, n)
    hold_masses(tables, w)
    copy(n.A, w.fz)
    add_rows(tables.cuts, n, w.weight, w.fz)
    if not factor(n.stencil.shape, w.fz, w.L, w.x):
        return NOT_FINITE
    # (M + G^T a G) zdd = Q - G^T (a gdd0 + lam), lam += a (gdd0 + G zdd): a few rounds close the second rates
    for _round in range(START_ROUNDS):
        for r in range(n.g.size):
            n.gd[r] = w.weight[r] * n.gdd[r] + n.lam[r]
        for k in range(w.f.size):
            w.f[k] = -s.delta[k]
        times_rows(tables.cuts, n, n.gd, w.f, -1.0)
        solve(n.stencil.shape, w.L, w.f, w.y)
        copy(w.f, s.zdd)
        copy(n.gdd, n.gd)
        rows_times(tables.cuts, n, s.zdd, n.gd, 1.0)
        for r in range(n.g.size):
            n.lam[r] += w.weight[r] * n.gd[r]
    for r in range(n.g.size):
        w.alpha[r] = 0.0
    reactions(tables, w)
    copy(w.lam, n.lam)
    end_step(tables, w, state, t, 0.0)
    return 0 if finite(state.vd) else NOT_FINITE


@entry
def run(tables, w, state, start, first, h, steps, every, samples):
    """`implicit.advance` with the step of this file."""
    return advance(begin, step, tables, w, w.newton.lam, w.kept, state, start, first, h, steps, every, samples)
