"""[CD03] The hybrid method: joint coordinates, loops by an augmented Lagrangian, trapezoidal rule, Newton in positions.

    z zd zdd   joint coordinates, velocities, accelerations      Phi     rows of the cuts (closure conditions)
    M C K      mass, damping and stiffness matrices              Phi_z   their Jacobian, G elsewhere in the house
    alpha      penalty                                           lam     multipliers lambda* of (1)
    f_z f      tangent matrix (26) and residual (27)             delta   displacement from z_n to z_{n+1}

Rotations are displaced by the exponential map, so that ball and free joints integrate without a gimbal lock; for them
delta is a rotation vector and (21)-(24) hold in velocities.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from linkwork._jit import entry, small
from linkwork.formulations.implicit import Kept, advance, kept
from linkwork.formulations.stepping import NOT_CONVERGED, NOT_FINITE, copy, finite, largest, opening
from linkwork.formulations.tangent import Newton, add_forces, add_rows, fill_mass, newton, rows_times, times_rows
from linkwork.formulations.trapezoidal import (
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
from linkwork.mechanics.newton_euler import inverse_dynamics
from linkwork.mechanics.parts import row_accelerations, row_rates
from linkwork.numerics.sparse_cholesky import factor, size, solve, times

FULL_STEP = 1e-2  # s: below it the penalty grows with 1 / h^2, so that alpha h^2, which closes the loops, stays
MOST = 1e4  # but not more than so many times: alpha Phi is a force, and Phi has rounding
STIFFER = 100.0  # penalty of a step that is tried again, times this: weak rows converge faster
CLOSED = 0.1  # of the tolerance: where the loops count as closed
REACTION_ROUNDS = 3
START_ROUNDS = 20  # of multipliers, for the accelerations of the start


@dataclass(frozen=True, kw_only=True)
class Hybrid:
    """Implicit, for large steps, stiff springs and singular positions; loops by an augmented Lagrangian.

    `dt` in seconds; `penalty` weighs the closure of the loops (steps below 0.01 s take more of it); `tolerance` is the
    largest increment (rad, m) at which Newton's iteration ends, with loops closed to a tenth of it; `iterations` how
    many it may take. A step that does not converge is halved, down to 1/64.

    >>> lw.Hybrid(dt=0.01, penalty=1e9).penalty
    1000000000.0
    """

    name: ClassVar[str] = "hybrid"
    supports: ClassVar[frozenset[str]] = frozenset({"loops", "redundant", "distances", "moving grounds", "armature"})
    coordinates: ClassVar[str] = "joint"
    integrator: ClassVar[str] = "trapezoidal"

    dt: float = 1e-2
    penalty: float = 1e9
    tolerance: float = 1e-8
    iterations: int = 30

    def prepare(self, tables: Any) -> Workspace:
        """Scratch and carried memory for the tables of one system."""
        return workspace(tables, self)

    def run(self, *arguments: Any) -> Any:
        """The compiled loop of this method."""
        return run(*arguments)


class Workspace(NamedTuple):
    penalty: float
    alpha: Any  # (1,) the penalty of this step
    tolerance: float
    iterations: int
    newton: Newton
    rule: Rule
    kept: Kept
    fz: Any  # values of the tangent matrix
    L: Any  # its factor
    f: Any  # (dof,)
    lam: Any  # (row,) multipliers of the projected motion
    x: Any  # scratch of the factor
    y: Any


def workspace(tables: Any, method: Hybrid) -> Workspace:
    nv = tables.tree.dof_link.size
    shared = newton(tables)
    values = size(shared.stencil.shape)
    return Workspace(
        float(method.penalty),
        np.zeros(1),
        float(method.tolerance),
        int(method.iterations),
        shared,
        rule(tables),
        kept(tables),
        np.zeros(values),
        np.zeros(values),
        np.zeros(nv),
        np.zeros(tables.cuts.row_kind.size),
        np.zeros(nv),
        np.zeros(2 * nv),
    )


@small
def project(tables, w, x, h, rates):
    """x = f_z^-1 (A x - h^2/4 Phi_z^T alpha rates): (35) for velocities, (36) for accelerations.

    Of the rates only the part that does not come from x counts: Phi_t, or the second rates at zero accelerations.
    """
    n = w.newton
    rows_times(tables.cuts, n, x, rates, -1.0)
    times(n.stencil.shape, n.A, x, w.f, w.y)
    times_rows(tables.cuts, n, rates, w.f, -0.25 * h * h * w.alpha[0])
    solve(n.stencil.shape, w.L, w.f, w.y)
    copy(w.f, x)


@small
def step(tables, w, state, t, h, parts):
    """One step to time t. Returns 0 or a status."""
    n = w.newton
    s = w.rule
    w.alpha[0] = w.penalty * min(MOST, max(1.0, (FULL_STEP / h) ** 2)) * (1.0 if parts == 1 else STIFFER)
    predict(s, state, h)
    status = NOT_CONVERGED
    for i in range(w.iterations + 1):
        # the last round takes the result: positions are found, velocities and accelerations to be projected
        guess(tables, s, state, h)
        kinematics(tables, n, state, t, s.z, s.zd)
        if i == w.iterations or (status == 0 and largest(n.g) < CLOSED * w.tolerance):
            break
        if i > 0:
            for r in range(n.g.size):
                n.lam[r] += w.alpha[0] * n.g[r]  # (2)
        unbalanced(tables, n, state, t, s.z, s.zd, s.zdd, w.f)
        for r in range(n.g.size):
            n.gd[r] = w.alpha[0] * n.g[r] + n.lam[r]
        times_rows(tables.cuts, n, n.gd, w.f, 1.0)  # (27)
        fill_mass(tables.tree, n)
        add_forces(tables, n, t, h, s.z, s.zd, state.cut_q, state.cut_rate)
        copy(n.A, w.fz)
        add_rows(tables.cuts, n, 0.25 * h * h * w.alpha[0], w.fz)  # (26)
        if not factor(n.stencil.shape, w.fz, w.L, w.x):
            return NOT_FINITE
        for k in range(w.f.size):
            w.f[k] *= -0.25 * h * h
        solve(n.stencil.shape, w.L, w.f, w.y)
        for k in range(w.f.size):
            s.delta[k] += w.f[k]
        state.count[0] += 1
        state.effort[0] += 1.0
        if not finite(w.f):
            return NOT_FINITE
        if largest(w.f) < w.tolerance:
            state.effort[1] = max(state.effort[1], largest(w.f))
            status = 0
    if status != 0:
        return status
    # velocities and accelerations onto the constraints, with the tangent matrix at hand
    opening(tables.cuts, n.g, state)
    row_rates(tables.cuts, n.tree, n.gd)
    state.drift[1] = largest(n.gd)
    project(tables, w, s.zd, h, n.gd)
    kinematics_again(tables, n, state, s.z, s.zd)
    unbalanced(tables, n, state, t, s.z, s.zd, s.zdd, w.f)
    row_accelerations(tables.cuts, n.tree, n.gdd)
    project(tables, w, s.zdd, h, n.gdd)
    reactions(tables, w, h)
    carry(tables, w, state, t, h)
    return 0 if finite(state.y) and finite(state.vd) else NOT_FINITE


@small
def carry(tables, w, state, t, h):
    """The step is done; its cuts carry -w.lam on b. The multipliers n.lam go on to the next step."""
    n = w.newton
    for r in range(n.g.size):
        n.gd[r] = n.lam[r]
        n.lam[r] = -w.lam[r]
    finish(tables, n, w.rule, state, t, h)
    copy(n.gd, n.lam)


@small
def reactions(tables, w, h):
    """w.lam: multipliers of the projected motion, M zdd - Q + Phi_z^T lam = 0, from lam + alpha Phi on.

    Those of the iteration belong to the accelerations before the projection and swing about the right value. Here the
    step is that of (2) again: f_z is all but h^2/4 alpha Phi_z^T Phi_z where the rows hold.
    """
    n = w.newton
    s = w.rule
    for r in range(n.g.size):
        w.lam[r] = n.lam[r] + w.alpha[0] * n.g[r]
    inverse_dynamics(tables.tree, n.tree, s.z, s.zdd, n.dq)
    for _round in range(REACTION_ROUNDS if n.g.size > 0 else 0):
        for k in range(w.f.size):
            w.f[k] = n.tree.tau[k] - n.dq[k]
        times_rows(tables.cuts, n, w.lam, w.f, -1.0)
        solve(n.stencil.shape, w.L, w.f, w.y)
        rows_times(tables.cuts, n, w.f, w.lam, 0.25 * h * h * w.alpha[0])


@small
def begin(tables, w, state, t):
    """Accelerations of the start: the equations of motion with the constraints on their second rates, by penalty."""
    n = w.newton
    s = w.rule
    begin_again(state, s)
    w.alpha[0] = w.penalty
    for r in range(n.lam.size):
        n.lam[r] = 0.0
    kinematics(tables, n, state, t, s.z, s.zd)
    unbalanced(tables, n, state, t, s.z, s.zd, s.zdd, s.delta)
    row_accelerations(tables.cuts, n.tree, n.gdd)
    fill_mass(tables.tree, n)
    copy(n.A, w.fz)
    add_rows(tables.cuts, n, w.penalty, w.fz)
    if not factor(n.stencil.shape, w.fz, w.L, w.x):
        return NOT_FINITE
    # (M + G^T a G) zdd = Q - G^T (a gdd0 + lam), lam += a (gdd0 + G zdd): a few rounds close the second rates
    for _round in range(START_ROUNDS):
        for r in range(n.g.size):
            n.gd[r] = w.penalty * n.gdd[r] + n.lam[r]
        for k in range(w.f.size):
            w.f[k] = -s.delta[k]
        times_rows(tables.cuts, n, n.gd, w.f, -1.0)
        solve(n.stencil.shape, w.L, w.f, w.y)
        copy(w.f, s.zdd)
        copy(n.gdd, n.gd)
        rows_times(tables.cuts, n, s.zdd, n.gd, 1.0)
        for r in range(n.g.size):
            n.lam[r] += w.penalty * n.gd[r]
    copy(n.lam, w.lam)
    carry(tables, w, state, t, 0.0)
    return 0 if finite(state.vd) else NOT_FINITE


@entry
def run(tables, w, state, start, first, h, steps, every, rows):
    """`implicit.advance` with the step of this file."""
    return advance(begin, step, tables, w, w.newton.lam, w.kept, state, start, first, h, steps, every, rows)
