"""[CD03] The hybrid method: joint coordinates, loops by an augmented Lagrangian, trapezoidal rule, Newton in positions.

    z zd zdd   joint coordinates, velocities, accelerations      Phi     rows of the cuts (closure conditions)
    M C K      mass, damping and stiffness matrices              Phi_z   their Jacobian, G elsewhere in the house
    alpha      penalty                                           lam     multipliers lambda* of (1)
    f_z f      tangent matrix (26) and residual (27)             delta   displacement from z_n to z_{n+1}

Rotations are displaced by the exponential map, so that ball and free joints integrate without a gimbal lock; for them
delta is a rotation vector and (21)-(24) hold in velocities.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from linkwork._jit import entry, kernel
from linkwork.formulations.loops import LoopWork, cut_reactions, loop_work
from linkwork.formulations.record import keep_row
from linkwork.formulations.recursive import count_q
from linkwork.formulations.stepping import NOT_CONVERGED, NOT_FINITE, copy, finite, largest
from linkwork.mechanics.articulated import outward_velocities
from linkwork.mechanics.composite import mass_matrix
from linkwork.mechanics.forces import apply_forces, spring_line
from linkwork.mechanics.grounds import move_grounds
from linkwork.mechanics.kinematics import outward_poses, world_velocities
from linkwork.mechanics.motions import displace, dof_count, world_axis
from linkwork.mechanics.newton_euler import inverse_dynamics
from linkwork.mechanics.parts import (
    joint_rows,
    measure_cuts,
    measure_directions,
    row_accelerations,
    row_rates,
    row_values,
)
from linkwork.mechanics.workspace import TreeWork, tree_work
from linkwork.numerics.cholesky import factor, solve
from linkwork.spatial.vectors import add, cross, dot

HALVES = 64  # a step is cut into no more parts than this


@dataclass(frozen=True, kw_only=True)
class Hybrid:
    """Implicit, for large steps, stiff springs and singular positions; loops by an augmented Lagrangian.

    `dt` in seconds; `penalty` weighs the closure of the loops; `tolerance` is the largest increment (rad, m) at which
    Newton's iteration ends, `iterations` how many it may take. A step that does not converge is halved, down to 1/64.

    >>> lw.Hybrid(dt=0.01, penalty=1e9).penalty
    1000000000.0
    """

    name: ClassVar[str] = "hybrid"
    supports: ClassVar[frozenset[str]] = frozenset({"loops", "redundant", "distances", "armature"})
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
    tolerance: float
    iterations: int
    tree: TreeWork
    loops: LoopWork
    directions: Any  # (rate of a cut, dof)
    composite: Any
    M: Any  # (dof, dof) M + dt/2 C + dt^2/4 K
    fz: Any  # tangent matrix, factored
    f: Any  # (dof,)
    delta: Any
    z: Any  # (q,)
    zd: Any
    zdd: Any
    sz: Any  # (dof,) change of a spring's length with the dofs
    power: Any  # (4,) now and at the last step
    kept: Any  # (y,), (dof,), (row,), (cut coordinate,): what a refused step is taken back to
    kept_vd: Any
    kept_lam: Any
    kept_cut: Any
    told: Any
    out: Any


def workspace(tables: Any, method: Hybrid) -> Workspace:
    nv = tables.tree.dof_link.size
    rates = int((tables.cuts.measure_rate.max() + 4) if tables.cuts.measure_rate.size else 0)
    return Workspace(
        float(method.penalty),
        float(method.tolerance),
        int(method.iterations),
        tree_work(tables.tree),
        loop_work(tables),
        np.zeros((rates, nv)),
        np.zeros((tables.tree.link_parent.size, 10)),
        np.zeros((nv, nv)),
        np.zeros((nv, nv)),
        np.zeros(nv),
        np.zeros(nv),
        np.zeros(count_q(tables.tree)),
        np.zeros(nv),
        np.zeros(nv),
        np.zeros(nv),
        np.zeros(4),
        np.zeros(count_q(tables.tree) + nv + 2),
        np.zeros(nv),
        np.zeros(tables.cuts.row_kind.size),
        np.zeros(rates + 8),
        np.zeros(16),
        np.zeros(4),
    )


@kernel
def kinematics(tables, w, state, t, q, v):
    tree = tables.tree
    if tree.grounds > 1:
        move_grounds(tree, tables.laws, w.tree, t, w.told, w.out)
    outward_velocities(tree, w.tree, q, v)
    outward_poses(tree, w.tree)
    world_velocities(tree, w.tree)
    measure_cuts(tables.cuts, w.tree, state.cut_q, state.cut_rate)
    row_values(tables.cuts, w.tree, state.cut_q, w.loops.g, w.loops.W)
    joint_rows(tree, tables.cuts, w.tree, w.loops.W, w.loops.G)


@kernel
def residual(tables, w, state, t, q, v, a):
    """w.f = M zdd + Phi_z^T alpha Phi + Phi_z^T lam - Q, the brackets of (27); M zdd - Q by Newton and Euler."""
    loops = w.loops
    apply_forces(tables, w.tree, t, q, v, state.cut_q, state.cut_rate, w.told, w.out, w.power)
    inverse_dynamics(tables.tree, w.tree, q, a, w.f)
    for k in range(w.f.size):
        w.f[k] -= w.tree.tau[k]
    for r in range(loops.g.size):
        force = w.penalty * loops.g[r] + loops.lam[r]
        for k in range(w.f.size):
            w.f[k] += loops.G[r, k] * force


@kernel
def add_outer(M, x, s):
    """M += s x x^T."""
    for a in range(x.size):
        if x[a] != 0.0:
            for b in range(x.size):
                M[a, b] += s * x[a] * x[b]


@kernel
def length_rates(tables, w, s):
    """w.sz: change of the length of spring s with each dof (29)."""
    tree = tables.tree
    forces = tables.forces
    p_a, p_b, e, _, _ = spring_line(forces, w.tree, s)
    for k in range(w.sz.size):
        w.sz[k] = 0.0
    for end in range(2):
        i = forces.spring_a[s] if end == 0 else forces.spring_b[s]
        p = p_a if end == 0 else p_b
        while i >= tree.grounds:
            for j in range(dof_count(tree.link_motion[i])):
                n, u = world_axis(tree, w.tree.pose_R, w.tree.pose_p, i, j)
                x = dot(e, add(u, cross(n, p)))
                w.sz[tree.link_v[i] + j] += x if end == 1 else -x
            i = tree.link_parent[i]


@kernel
def tangent(tables, w, h):
    """w.M = M + h/2 C + h^2/4 K with (28)-(34), and w.fz = w.M + h^2/4 Phi_z^T alpha Phi_z (26), factored."""
    forces = tables.forces
    loops = w.loops
    n = w.f.size
    mass_matrix(tables.tree, w.tree, w.composite, w.M)
    for s in range(forces.spring_a.size):
        length_rates(tables, w, s)
        add_outer(w.M, w.sz, 0.5 * h * forces.spring_c[s] + 0.25 * h * h * forces.spring_k[s])
    if forces.coil_coordinate.size > 0:
        measure_directions(tables.tree, tables.cuts, w.tree, w.directions)
    for s in range(forces.coil_coordinate.size):
        k = forces.coil_coordinate[s]
        weight = 0.5 * h * forces.coil_c[s] + 0.25 * h * h * forces.coil_k[s]
        if k < n:
            w.M[k, k] += weight
        else:
            add_outer(w.M, w.directions[k - n], weight)
    for a in range(n):
        for b in range(n):
            w.fz[a, b] = w.M[a, b]
    for r in range(loops.g.size):
        add_outer(w.fz, loops.G[r], 0.25 * h * h * w.penalty)
    return factor(w.fz)


@kernel
def project(w, x, h, rates):
    """x = f_z^-1 (w.M x - h^2/4 Phi_z^T alpha rates): (35) for velocities, (36) for accelerations."""
    loops = w.loops
    n = x.size
    for a in range(n):
        value = 0.0
        for b in range(n):
            value += w.M[a, b] * x[b]
        for r in range(loops.g.size):
            value -= 0.25 * h * h * w.penalty * loops.G[r, a] * rates[r]
        w.f[a] = value
    solve(w.fz, w.f)
    for k in range(n):
        x[k] = w.f[k]


@kernel
def less_own(loops, rates, x):
    """rates -= Phi_z x: what is left is the part that does not come from x."""
    for r in range(rates.size):
        for k in range(x.size):
            rates[r] -= loops.G[r, k] * x[k]


@kernel
def step(tables, w, state, t, h):
    """One step to time t. Returns 0 or a status."""
    tree = tables.tree
    loops = w.loops
    nv = state.vd.size
    nq = state.y.size - nv - 2
    v0 = state.y[nq : nq + nv]
    for k in range(nv):
        w.delta[k] = h * v0[k] + 0.5 * h * h * state.vd[k]
    converged = False
    for i in range(w.iterations):
        displace(tree, state.y, w.delta, 1.0, w.z)
        for k in range(nv):
            w.zd[k] = 2.0 / h * w.delta[k] - v0[k]  # (21), (23)
            w.zdd[k] = 4.0 / (h * h) * w.delta[k] - 4.0 / h * v0[k] - state.vd[k]  # (22), (24)
        kinematics(tables, w, state, t, w.z, w.zd)
        if i > 0:
            for r in range(loops.g.size):
                loops.lam[r] += w.penalty * loops.g[r]  # (2)
        residual(tables, w, state, t, w.z, w.zd, w.zdd)
        if not tangent(tables, w, h):
            return NOT_FINITE
        for k in range(nv):
            w.f[k] *= -0.25 * h * h
        solve(w.fz, w.f)
        for k in range(nv):
            w.delta[k] += w.f[k]
        state.count[0] += 1
        if not finite(w.f):
            return NOT_FINITE
        if largest(w.f) < w.tolerance:
            converged = True
            break
    if not converged:
        return NOT_CONVERGED
    displace(tree, state.y, w.delta, 1.0, w.z)
    for k in range(nv):
        w.zd[k] = 2.0 / h * w.delta[k] - v0[k]
        w.zdd[k] = 4.0 / (h * h) * w.delta[k] - 4.0 / h * v0[k] - state.vd[k]
    # velocities and accelerations onto the constraints, with the tangent matrix at hand
    kinematics(tables, w, state, t, w.z, w.zd)
    state.drift[0] = largest(loops.g)
    row_rates(tables.cuts, w.tree, loops.gd)
    state.drift[1] = largest(loops.gd)
    less_own(loops, loops.gd, w.zd)
    project(w, w.zd, h, loops.gd)  # (35)
    kinematics(tables, w, state, t, w.z, w.zd)
    apply_forces(tables, w.tree, t, w.z, w.zd, state.cut_q, state.cut_rate, w.told, w.out, w.power)
    inverse_dynamics(tree, w.tree, w.z, w.zdd, w.f)
    row_accelerations(tables.cuts, w.tree, loops.gdd)
    less_own(loops, loops.gdd, w.zdd)
    project(w, w.zdd, h, loops.gdd)  # (36)
    # the accounts by the same rule
    state.y[nq + nv] += 0.5 * h * (w.power[0] + w.power[2])
    state.y[nq + nv + 1] += 0.5 * h * (w.power[1] + w.power[3])
    w.power[2] = w.power[0]
    w.power[3] = w.power[1]
    for k in range(nq):
        state.y[k] = w.z[k]
    for k in range(nv):
        state.y[nq + k] = w.zd[k]
        state.vd[k] = w.zdd[k]
    state.t[0] = t
    reactions(tables, w, state)
    return 0 if finite(state.y) and finite(state.vd) else NOT_FINITE


@kernel
def step_by_halves(tables, w, state, t, h):
    """A step from t to t + h, in halves, quarters … down to 1/64 where Newton's iteration does not converge."""
    done = 0
    parts = 1
    while done < parts:
        copy(state.y, w.kept)
        copy(state.vd, w.kept_vd)
        copy(w.loops.lam, w.kept_lam)
        copy(state.cut_q, w.kept_cut)
        status = step(tables, w, state, t + h * (done + 1) / parts, h / parts)
        if status == 0:
            done += 1
            continue
        for k in range(state.y.size):
            state.y[k] = w.kept[k]
        for k in range(state.vd.size):
            state.vd[k] = w.kept_vd[k]
        for r in range(w.loops.lam.size):
            w.loops.lam[r] = w.kept_lam[r]
        for k in range(state.cut_q.size):
            state.cut_q[k] = w.kept_cut[k]
        state.count[2] += 1
        if parts == HALVES:
            return status
        done *= 2
        parts *= 2
    return 0


@kernel
def reactions(tables, w, state):
    """Forces of the cuts: -(lam + alpha Phi) on b."""
    loops = w.loops
    for r in range(loops.g.size):
        loops.lam[r] = -(loops.lam[r] + w.penalty * loops.g[r])
    cut_reactions(tables.cuts, w.tree, loops, state.cut_force)
    for r in range(loops.g.size):
        loops.lam[r] = -loops.lam[r] - w.penalty * loops.g[r]


@kernel
def begin(tables, w, state, t, h):
    """Accelerations of the start: the equations of motion with the constraints on their second rates, by penalty."""
    nv = state.vd.size
    nq = state.y.size - nv - 2
    loops = w.loops
    for k in range(nq):
        w.z[k] = state.y[k]
    v = state.y[nq : nq + nv]
    for k in range(nv):
        w.zdd[k] = 0.0
        w.zd[k] = v[k]
    for r in range(loops.lam.size):
        loops.lam[r] = 0.0
    kinematics(tables, w, state, t, w.z, w.zd)
    residual(tables, w, state, t, w.z, w.zd, w.zdd)
    row_accelerations(tables.cuts, w.tree, loops.gdd)
    mass_matrix(tables.tree, w.tree, w.composite, w.M)
    for a in range(nv):
        for b in range(nv):
            w.fz[a, b] = w.M[a, b]
    for r in range(loops.g.size):
        add_outer(w.fz, loops.G[r], w.penalty)
    if not factor(w.fz):
        return NOT_FINITE
    # (M + G^T a G) zdd = Q - G^T (a gdd0 + mu), mu += a (gdd0 + G zdd): a few rounds close the second rates
    for k in range(nv):
        w.delta[k] = -w.f[k]
    for _round in range(20):
        for k in range(nv):
            w.f[k] = w.delta[k]
            for r in range(loops.g.size):
                w.f[k] -= loops.G[r, k] * (w.penalty * loops.gdd[r] + loops.lam[r])
        solve(w.fz, w.f)
        copy(w.f, w.zdd)
        for r in range(loops.g.size):
            left = loops.gdd[r]
            for k in range(nv):
                left += loops.G[r, k] * w.zdd[k]
            loops.lam[r] += w.penalty * left
    for k in range(nv):
        state.vd[k] = w.zdd[k]
    w.power[2] = w.power[0]
    w.power[3] = w.power[1]
    state.t[0] = t
    reactions(tables, w, state)
    return 0 if math.isfinite(largest(state.vd)) else NOT_FINITE


@entry
def run(tables, w, state, start, first, h, steps, every, rows):
    """`steps` steps of h from the step numbered `first` of a run that began at `start`; see `stepping.advance`."""
    kept = 0
    for n in range(first + 1, first + steps + 1):
        copy(state.y, state.last)
        status = (
            begin(tables, w, state, start, h) if n == 0 else step_by_halves(tables, w, state, start + (n - 1) * h, h)
        )
        if status != 0:
            return n - 1 - first, kept, status
        if n % every == 0:
            keep_row(state, rows, kept)
            kept += 1
    return steps, kept, 0
