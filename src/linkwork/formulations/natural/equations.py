"""[CD03] Terms of the equations of the global method: loads, soft rows, tangent matrix, projections, accelerations."""

from __future__ import annotations

import math

from linkwork._jit import kernel, small, written_out
from linkwork.formulations.natural.balance import balance
from linkwork.formulations.natural.coordinates import (
    add_bias,
    add_to,
    measure_gradient,
    row_rate,
    row_rates,
)
from linkwork.formulations.natural.stiffness import (
    bushing_gradient,
    drive_slopes,
    load_gradient,
    spring_gradient,
    tyre_gradient,
)
from linkwork.mechanics.forces.forces import apply_forces
from linkwork.numerics.arrays import copy
from linkwork.numerics.block_cholesky import factor, solve
from linkwork.spatial.codes import COUPLED, PART, RIM, SOFT_BUSHING, SOFT_COIL, SOFT_DRIVE, SOFT_LOAD, SOFT_SPRING
from linkwork.spatial.vectors import ZERO, add_scaled, load3, scale, store3

ROUNDS = 20  # of multipliers, for accelerations
CONVERGED = 1e-13  # of the largest force on a node


@small
def add_nodes(x, s, y, count):
    """x += s y, of the first `count` nodes."""
    for k in range(count):
        store3(x, k, add_scaled(load3(x, k), s, load3(y, k)))


@small
def finite_nodes(x, count):
    """Whether the first `count` nodes are finite."""
    s = 0.0
    for k in range(count):
        s += x[k, 0] + x[k, 1] + x[k, 2]
    return math.isfinite(s)


@small
def largest_node(x, count):
    """The largest entry of the first `count` nodes."""
    m = 0.0
    for k in range(count):
        m = max(m, abs(x[k, 0]), abs(x[k, 1]), abs(x[k, 2]))
    return m


@kernel
def copy_nodes(x, out):
    """out = x, of all nodes."""
    for k in range(x.shape[0]):
        store3(out, k, load3(x, k))


@kernel
def apply_loads(tables, work, state, t, law_input, out, power):
    """Forces on the links. All joints are cuts here, so no force acts on the bodies' own coordinates."""
    nv = state.vd.size
    nq = state.y.size - nv - tables.tree.accounts
    q = state.y[:nq]
    v = state.y[nq : nq + nv]
    apply_forces(tables, work, t, q, v, state.cut_q, state.cut_rate, law_input, out, power)


@written_out
def soft_rows(tables, w, state, t, h):
    """Gradients and weights dt/2 c + dt^2/4 k of springs, bushings, coils and laws (28)-(34)."""
    nat = w.nat
    forces = tables.forces
    for r in range(nat.equations, nat.row_kind.size):
        first = nat.row_entry[r]
        for e in range(first, nat.row_entry[r + 1]):
            store3(w.J, e, ZERO)
        s = nat.row_of[r]
        kind = nat.row_kind[r]
        if kind == SOFT_SPRING:
            k, c = spring_gradient(tables, nat, w.tree, w.z, s, t, w.law_input, w.out, w.J, first)
        elif kind == SOFT_BUSHING:
            k, c = bushing_gradient(forces, nat, w.tree, w.z, s, nat.row_turn[r], w.J, first)
        elif kind == SOFT_COIL:
            measure_gradient(nat, tables.cuts, w.tree, w.z, r, w.J)
            k = forces.coil_k[s] if forces.coil_q[s] >= 0 else 0.0
            c = forces.coil_c[s]
        elif kind == SOFT_DRIVE:
            measure_gradient(nat, tables.cuts, w.tree, w.z, r, w.J)
            k, c = drive_slopes(tables, state, s, t, w.law_input, w.out)
        elif kind == SOFT_LOAD:
            k, c = load_gradient(tables, nat, w.tree, w.z, s, nat.row_turn[r], t, w.law_input, w.out, w.J, first)
        else:
            k, c = tyre_gradient(tables, nat, w.tree, w.z, s, nat.row_turn[r], t, w.law_input, w.out, w.J, first)
        w.weight[r] = 0.5 * h * max(c, 0.0) + 0.25 * h * h * max(k, 0.0)  # what pushes on is left out


@kernel
def tangent(shape, pairs, mass, weight, J, fz, first):
    """fz = M + dt/2 C + dt^2/4 (Phi_q^T alpha Phi_q + K) (26), factored; returns 0 or one more than a bad node."""
    copy(mass, fz)
    for r in range(weight.size):
        s = weight[r]
        for p in range(pairs.start[r], pairs.start[r + 1]):
            o = pairs.offset[p]
            y = load3(J, pairs.j[p])
            for a in range(3):
                x = s * J[pairs.i[p], a]
                fz[o + 3 * a] += x * y[0]
                fz[o + 3 * a + 1] += x * y[1]
                fz[o + 3 * a + 2] += x * y[2]
    return factor(shape, fz, first)


@kernel
def project(nat, shape, fz, J, weight, rates, delta, x):
    """x -= f_z^-1 Phi_q^T (weight rates): (35) for velocities, (36) for accelerations."""
    for k in range(delta.shape[0]):
        store3(delta, k, ZERO)
    for r in range(nat.equations):
        s = weight[r] * rates[r]
        for e in range(nat.row_entry[r], nat.row_entry[r + 1]):
            add_to(delta, nat.entry_node[e], scale(s, load3(J, e)))
    solve(shape, fz, delta)
    add_nodes(x, -1.0, delta, nat.free)


@kernel
def velocity_rows(nat, cuts, J, zd, h, g):
    """g of rows that forbid velocities alone, as wheels that roll have them: their rates over half a step."""
    for r in range(nat.equations):
        if nat.row_kind[r] == PART and cuts.row_kind[nat.row_of[r]] > RIM:
            g[r] = 0.5 * h * row_rate(nat, J, zd, r)


@kernel
def less_given(nat, work, gd):
    """gd -= rates that are given."""
    for r in range(nat.equations):
        if nat.row_kind[r] == COUPLED:
            gd[r] -= work.given[nat.row_cut[r], 1]


@kernel
def second_rates(nat, cuts, work, J, zd, a, out):
    """Second rates of the rows for the accelerations a."""
    row_rates(nat, J, a, out)
    add_bias(nat, cuts, work, zd, out)


@written_out
def solve_accelerations(tables, w, a, mu):
    """Accelerations a and multipliers mu of M a + Phi_q^T mu = Q with the rows on their second rates.

    By penalty, in a few rounds from the values given; needs positions, velocities, loads and the factored tangent
    matrix without soft rows. At a singular position the last rounds do not converge, and are left out.
    """
    nat = w.nat
    last = math.inf
    for turn in range(ROUNDS):
        second_rates(nat, tables.cuts, w.tree, w.J, w.zd, a, w.gd)
        size = 0.0
        for r in range(nat.equations):
            if turn > 0:
                mu[r] += w.weight[r] * w.gd[r]
            w.force[r] = mu[r] + w.weight[r] * w.gd[r]
            size = max(size, abs(w.force[r]))
        balance(nat, tables.tree, w.tree, w.loaded, w.z, a, w.J, w.force, nat.slot_node, nat.entry_node, w.delta)
        left = largest_node(w.delta, nat.free)
        if turn > 1 and (left < CONVERGED * size or left > 0.5 * last):
            break
        last = left
        solve(w.shape, w.fz, w.delta)
        add_nodes(a, -1.0, w.delta, nat.free)
