"""[CD03] The global method: natural coordinates, index-3 augmented Lagrangian, trapezoidal rule, Newton in positions.

    z zd zdd   nodes: points and unit vectors that neighbours share        Phi   lengths and angles, joints that remain
    M          mass matrix, constant                                       Phi_q their gradients, J in the code
    alpha      penalty, a row                                              lam   multipliers lambda* of (1)
    f_z f      tangent matrix (26) and residual (27)                       delta increment of positions

The equations are those of the hybrid method with q in place of the relative coordinates: (1), (2), (21)-(27), (35) and
(36). But nothing has to be accumulated along a tree: M does not change, and f_z has a block where two nodes share a
body or a row. It is factored along that graph by a sparse Cholesky factorisation whose pattern is analysed once.

The projections are written as increments: f_z (zd - zd*) = -dt^2/4 Phi_q^T alpha (Phi_q zd* + Phi_t) is (35), and (36)
likewise; what f_z holds besides the rows drops out, and so does its rounding. Springs and dampers in f_z turn the
projection of accelerations aside, so that recorded accelerations and loads are computed again, as at the start: they
are those of the recorded positions and velocities.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from linkwork._jit import entry, kernel, written_out
from linkwork.formulations.convergence import ROUNDING, closed, largest_part, left_after, left_over, settled
from linkwork.formulations.implicit.implicit import HALVES, PENALTY_RATIO, ImplicitMethod, chosen_penalties
from linkwork.formulations.natural.balance import balance
from linkwork.formulations.natural.bodies import last_increment, place_nodes, store_bodies
from linkwork.formulations.natural.coordinates import (
    fill_rows,
    given_nodes,
    place_links,
    record_part_gap,
    row_rates,
)
from linkwork.formulations.natural.equations import (
    add_nodes,
    apply_loads,
    copy_nodes,
    finite_nodes,
    less_given,
    project,
    second_rates,
    soft_rows,
    solve_accelerations,
    tangent,
    velocity_rows,
)
from linkwork.formulations.natural.reactions import add_ground_power, factor_network, joint_forces
from linkwork.formulations.natural.workspace import Workspace, workspace
from linkwork.formulations.protocol import COMMON, Bound, Needs, Ran
from linkwork.formulations.samples import (
    EVALUATIONS,
    GAP_RATE,
    GAP_ROW,
    MOST_SWEEPS,
    REFUSED,
    RESIDUAL,
    SWEEPS,
    WORST_RESIDUAL,
    keep_sample,
)
from linkwork.formulations.status import FLAT, NOT_CONVERGED, NOT_FINITE, OFF_GUIDE, SINGULAR
from linkwork.mechanics.accounts import clear_power
from linkwork.mechanics.rows.constraint_rows import measure_cuts
from linkwork.mechanics.rows.given import move_given, renew_given
from linkwork.mechanics.rows.guides import left_guide
from linkwork.mechanics.rows.rolling import falls_flat
from linkwork.numerics.arrays import copy, finite, largest
from linkwork.numerics.block_cholesky import solve
from linkwork.spatial.vectors import dot, load3, norm, scale, store3


@dataclass(frozen=True, kw_only=True)
class Global(ImplicitMethod):
    """Implicit, in natural coordinates: points and unit vectors that neighbouring bodies share; nothing to prepare.

    `dt` in seconds; `penalty` (N/m) weighs the rows: without one it is chosen for every row from the masses that it
    moves, and one that would hold a row more loosely than that at this dt is raised; `tolerance` is the part of the
    accelerations that Newton's iteration may leave unfound, less where dt resolves the motion well; `iterations` how
    many it may take. A step that does not converge is halved, down to 1/64.

    >>> lw.Global(dt=0.01).name
    'global'
    """

    name: ClassVar[str] = "global"
    supports: ClassVar[frozenset[str]] = COMMON
    coordinates: ClassVar[str] = "absolute"
    needs: ClassVar[Needs] = "natural coordinates"
    loop: ClassVar[str] = __name__
    persistent: ClassVar[tuple[str, ...]] = (
        *("lam", "alpha", "row_unit", "step", "z", "z0", "zd0", "zdd0"),
        *("power", "power_before", "net.blocks", "net.first"),
    )

    dt: float = 1e-2
    penalty: float | None = None
    tolerance: float = 3e-8
    iterations: int = 30

    def prepare(self, tables: Any, given: Any) -> Workspace:
        """Scratch and carried memory for the tables of one absolute system and its natural coordinates."""
        return workspace(tables, given, self)

    def run(self, tables, workspace, state, begin, first, dt, steps, every, samples) -> Ran:
        """The compiled loop of this method."""
        return run(tables, workspace, state, begin, first, dt, steps, every, samples)

    def bind(self, tables, workspace, state, samples) -> Bound:
        """`run`, prepared."""
        return run.bind(tables, workspace, state, 0.0, 0, 0.0, 0, 1, samples)

    def chosen(self, workspace: Any) -> dict[str, Any]:
        """Penalties that were left to the method."""
        return chosen_penalties(self.penalty, workspace.alpha)


# --- a step


@kernel
def predict(w, h):
    """Trial positions by the velocities and accelerations of the last step."""
    for k in range(w.nat.free):
        for e in range(3):
            w.z[k, e] = w.z0[k, e] + h * w.zd0[k, e] + 0.5 * h * h * w.zdd0[k, e]


@written_out
def trapezoidal(w, h):
    """Velocities and accelerations at the trial positions (21)-(24)."""
    for k in range(w.nat.free):
        for e in range(3):
            d = w.z[k, e] - w.z0[k, e]
            v = w.zd0[k, e]
            w.zd[k, e] = 2.0 / h * d - v
            w.zdd[k, e] = 4.0 / (h * h) * d - 4.0 / h * v - w.zdd0[k, e]


@kernel
def largest_change(w, x):
    """Of the nodes, in units."""
    m = 0.0
    for k in range(w.nat.free):
        m = max(m, max(abs(x[k, 0]), abs(x[k, 1]), abs(x[k, 2])) / w.unit[k])
    return m


@kernel
def rounding(w):
    """Units to which the nodes are known."""
    return ROUNDING * (1.0 + largest_change(w, w.z))


@kernel
def allowed(w, h):
    """Units that may be left of a step of h; see `convergence`."""
    bend = 0.0
    turn = 0.0
    for k in range(w.nat.free):
        for e in range(3):
            bent = w.z[k, e] - w.z0[k, e] - h * w.zd0[k, e]
            bend = max(bend, 0.5 * abs(bent) / w.unit[k])
            turn = max(turn, abs(bent - 0.5 * h * h * w.zdd0[k, e]) / w.unit[k])
    return left_over(w.tolerance, bend, turn)


@kernel
def step(tables, w, state, t, h):
    """One step to time t. Returns 0 or a status."""
    nat = w.nat
    # parts of a step get larger penalties than the whole, so that multipliers converge faster
    grow = (w.step[0] / h) ** 4
    for r in range(nat.equations):
        w.weight[r] = 0.25 * h * h * grow * w.alpha[r]
    predict(w, h)
    move_given(tables, w.tree, t, w.law_input, w.out)
    if tables.tree.grounds > 1:
        given_nodes(nat, tables.tree, w.tree, w.z, w.zd, w.zdd)
    status = NOT_CONVERGED
    before = 0.0
    enough = 0.0
    gap_before = math.inf
    finest = rounding(w)
    for i in range(w.iterations + 1):
        trapezoidal(w, h)
        place_links(nat, tables.tree, w.tree, w.z, w.zd)
        if w.measured:
            measure_cuts(tables.cuts, w.tree, state.cut_q, state.cut_rate)
        fill_rows(nat, tables.cuts, w.tree, state.cut_q, w.z, w.g, w.J)
        velocity_rows(nat, tables.cuts, w.J, w.zd, h, w.g)
        gap = largest_part(w.g, w.row_unit)
        if i == w.iterations or (status == 0 and closed(gap, gap_before, enough, finest)):
            break
        gap_before = gap if status == 0 else math.inf
        for r in range(nat.equations):
            if i > 0:
                w.lam[r] += grow * w.alpha[r] * w.g[r]  # (2)
            w.force[r] = w.lam[r] + grow * w.alpha[r] * w.g[r]
        if w.loaded:
            apply_loads(tables, w.tree, state, t, w.law_input, w.out, w.power)
            soft_rows(tables, w, state, t, h)
        balance(nat, tables.tree, w.tree, w.loaded, w.z, w.zdd, w.J, w.force, nat.slot_node, nat.entry_node, w.delta)
        if tangent(w.shape, w.pairs, w.mass, w.weight, w.J, w.fz, w.first) > 0:
            return NOT_FINITE
        solve(w.shape, w.fz, w.delta)  # (27) without its factor
        for k in range(nat.free):
            store3(w.delta, k, scale(-0.25 * h * h, load3(w.delta, k)))
        add_nodes(w.z, 1.0, w.delta, nat.free)
        state.count[EVALUATIONS] += 1
        state.solver_stats[SWEEPS] += 1.0
        if not finite_nodes(w.delta, nat.free):
            return NOT_FINITE
        change = largest_change(w, w.delta)
        left = left_after(change, before)
        enough = max(finest, allowed(w, h))
        last = i + 1 == w.iterations
        status = 0 if settled(left, change, before, enough, finest, last) else NOT_CONVERGED
        before = change
        if status == 0:
            state.solver_stats[RESIDUAL] = max(state.solver_stats[RESIDUAL], left)
    if status != 0:
        return status
    # velocities and accelerations onto the constraints, with the last tangent matrix
    record_part_gap(nat, tables.cuts, w.g, state)
    row_rates(nat, w.J, w.zd, w.gd)
    less_given(nat, w.tree, w.gd)
    state.drift[GAP_RATE] = largest(w.gd)
    project(nat, w.shape, w.fz, w.J, w.weight, w.gd, w.delta, w.zd)  # (35)
    place_links(nat, tables.tree, w.tree, w.z, w.zd)
    measure_cuts(tables.cuts, w.tree, state.cut_q, state.cut_rate)
    second_rates(nat, tables.cuts, w.tree, w.J, w.zd, w.zdd, w.gd)
    project(nat, w.shape, w.fz, w.J, w.weight, w.gd, w.delta, w.zdd)  # (36)
    if w.loaded:
        apply_loads(tables, w.tree, state, t, w.law_input, w.out, w.power)
    return 0 if finite_nodes(w.zd, nat.free) and finite_nodes(w.zdd, nat.free) else NOT_FINITE


@kernel
def accept(tables, w, state, t, h, wanted, starts):
    """The trial becomes the state: nodes, poses, accounts; accelerations and reactions where `wanted`."""
    nat = w.nat
    moved = tables.tree.grounds > 1 or w.driven
    copy_nodes(w.zdd, w.a)
    if wanted or moved:
        copy(w.lam, w.mu)
        if nat.equations < nat.row_kind.size:  # without soft rows
            for r in range(nat.equations, nat.row_kind.size):
                w.weight[r] = 0.0
            tangent(w.shape, w.pairs, w.mass, w.weight, w.J, w.fz, w.first)
        solve_accelerations(tables, w, w.a, w.mu)
        joint_forces(tables, nat, w.net, w.tree, w.loaded, w.z, w.a, w.J, w.mu, state.cut_force)
    if starts:
        copy_nodes(w.a, w.zdd)
        copy(w.mu, w.lam)
    copy_nodes(w.z, w.z0)
    copy_nodes(w.zd, w.zd0)
    copy_nodes(w.zdd, w.zdd0)
    store_bodies(nat, tables.tree, w.tree, w.z, w.a, state)
    renew_given(tables.cuts, w.tree, state.cut_q, t)
    # the accounts by the same rule
    if not w.loaded:
        clear_power(w.power)
    if moved:
        add_ground_power(tables, w.tree, state.cut_force, w.power)
    n = state.y.size - w.power.size
    for e in range(w.power.size):
        state.y[n + e] += 0.5 * h * (w.power[e] + w.power_before[e])
        w.power_before[e] = w.power[e]
    state.t[0] = t
    state.solver_stats[MOST_SWEEPS] = max(state.solver_stats[MOST_SWEEPS], state.solver_stats[SWEEPS])
    state.solver_stats[WORST_RESIDUAL] = max(state.solver_stats[WORST_RESIDUAL], state.solver_stats[RESIDUAL])


# --- the start


@written_out
def set_penalties(w, h):
    """alpha of each row, by the masses that it moves in a step of h and no less than the penalty; units of the rows."""
    nat = w.nat
    w.step[0] = h
    for r in range(nat.row_kind.size):
        w.weight[r] = 0.0
    heaviest = largest(w.node_mass)
    for r in range(nat.equations):
        x = 0.0  # 1 / mass
        y = 0.0
        J2 = 0.0
        for e in range(nat.row_entry[r], nat.row_entry[r + 1]):
            k = nat.entry_node[e]
            y = max(y, norm(load3(w.J, e)) * w.unit[k])
            if k < nat.free:
                J2 += dot(load3(w.J, e), load3(w.J, e))
                if w.node_mass[k] > 0.0:
                    x += dot(load3(w.J, e), load3(w.J, e)) / w.node_mass[k]
        # across a flat body no mass goes with a vector, and the row alone holds it; what rounding leaves there is none
        if heaviest > 0.0:
            x = max(x, J2 / heaviest)
        w.alpha[r] = max(w.penalty, 4.0 * PENALTY_RATIO / (h * h * x)) if x > 0.0 else w.penalty
        w.weight[r] = 0.25 * h * h * w.alpha[r]
        w.lam[r] = 0.0
        w.row_unit[r] = y if y > 0.0 else 1.0


@kernel
def begin(tables, w, state, t, h):
    """Nodes, rows and loads of the start; its accelerations and multipliers follow when it is accepted."""
    nat = w.nat
    move_given(tables, w.tree, t, w.law_input, w.out)
    given_nodes(nat, tables.tree, w.tree, w.z, w.zd, w.zdd)
    place_nodes(nat, tables.tree, state, w.z, w.zd, w.zdd)
    place_links(nat, tables.tree, w.tree, w.z, w.zd)
    measure_cuts(tables.cuts, w.tree, state.cut_q, state.cut_rate)
    fill_rows(nat, tables.cuts, w.tree, state.cut_q, w.z, w.g, w.J)
    set_penalties(w, h)
    factor_network(w.net)
    if w.loaded:
        apply_loads(tables, w.tree, state, t, w.law_input, w.out, w.power)
    bad = tangent(w.shape, w.pairs, w.mass, w.weight, w.J, w.fz, w.first)
    return SINGULAR + nat.node_link[bad - 1] if bad > 0 else 0


@entry
def run(tables, w, state, start, first, h, steps, every, samples):
    """`steps` steps of h from the step numbered `first` of a run that began at `start`; see `stepping.advance`.

    A step is taken in halves, quarters … down to 1/64 where Newton's iteration does not converge.
    """
    kept = 0
    w.tree.since[0] = state.t[0]
    for n in range(first + 1, first + steps + 1):
        copy(state.y, state.last)
        state.solver_stats[SWEEPS] = 0.0
        state.solver_stats[RESIDUAL] = 0.0
        keep = n % every == 0
        wanted = keep or n == first + steps
        done = 0
        parts = 1
        while done < parts:
            end = start
            part = 0.0
            if n == 0:
                status = begin(tables, w, state, start, h)
            else:
                copy(w.lam, w.kept_lam)
                copy(state.cut_q, w.kept_cut)
                part = h / parts
                # whole steps end where the run's clock says
                end = start + n * h if done + 1 == parts else start + (n - 1) * h + (done + 1) * part
                status = step(tables, w, state, end, part)
            if status == 0:
                done += 1
                accept(tables, w, state, end, part, wanted and done == parts, n == 0)
                if not (finite(state.y) and finite(state.vd)):
                    return n - 1 - first, kept, NOT_FINITE
                if left_guide(tables.cuts, state.cut_q) >= 0:
                    return n - 1 - first, kept, OFF_GUIDE
                row = falls_flat(tables.cuts, w.tree, h)
                if row >= 0:
                    state.drift[GAP_ROW] = row
                    return n - 1 - first, kept, FLAT
                continue
            if n > 0:
                copy(w.kept_lam, w.lam)
                copy(w.kept_cut, state.cut_q)
                state.count[REFUSED] += 1
            if n == 0 or parts == HALVES:
                last_increment(w.nat, tables.tree, w.tree, w.z, w.delta, w.f)
                return n - 1 - first, kept, status
            done *= 2
            parts *= 2
        if keep:
            keep_sample(tables.laws, state, samples, kept)
            kept += 1
    return steps, kept, 0
