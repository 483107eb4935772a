"""[V06] Components: every subsystem, at every level, becomes vd_border = D tau + r; tau goes back down.

The state is that of all bodies in absolute coordinates, stabilised by distributed successive projection (VK 6): the
factors of the accelerations serve positions and velocities too. How D and r are made is in `dependency`; how parts and
wholes in other processes take part, in `border`; the state of joints instead of bodies, in `component_joint`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from linkwork._jit import entry, kernel, written_out
from linkwork.formulations.bonds import (
    BY_MASS,
    Bonds,
    Web,
    body_rows,
    bonds,
    gap,
    let_go,
    make_alike,
    place_bodies,
    push_bodies,
    refresh,
)
from linkwork.formulations.border import (
    ACCELERATIONS,
    POSITIONS,
    VELOCITIES,
    Outer,
    correct_foreign,
    fetch_parts,
    give_parts,
    move_foreign,
    outer,
    push_border,
    report_border,
    settle_foreign,
)
from linkwork.formulations.dependency import Factors, factor_components, factors, partition_web, solve_down, solve_up
from linkwork.formulations.loops import cut_reactions
from linkwork.formulations.recursive import count_q
from linkwork.formulations.stepping import (
    ORDERS,
    SEMI_IMPLICIT,
    SINGULAR,
    Stepping,
    advance,
    copy,
    largest,
    opening,
    stepping,
)
from linkwork.formulations.straits import CLOSED, ROUNDS, Straits, straits, watch
from linkwork.mechanics.grounds import keep_foreign
from linkwork.mechanics.motions import coordinate_rates, displace
from linkwork.mechanics.parts import measure_cuts, row_accelerations, row_rates, row_values
from linkwork.mechanics.power import ground_power
from linkwork.mechanics.workspace import TreeWork, tree_work
from linkwork.numerics.block_sparse import expect_rows, remember_rows


@dataclass(frozen=True, kw_only=True)
class Components:
    """Every subsystem of the model solved by itself through D and r, exactly and without iteration.

    `coordinates` is "joint" (accelerations of all bodies through the hierarchy, integrated at the joints, loops
    stabilised there) or "absolute" (coordinates of all bodies, with distributed successive projection; the only one
    for components that live elsewhere). Integrators as in `Recursive`. The cost grows linearly for models that are
    well partitioned.

    >>> lw.Components(dt=1e-3).coordinates
    'absolute'
    """

    name: ClassVar[str] = "component"
    supports: ClassVar[frozenset[str]] = frozenset(
        {"loops", "redundant", "distances", "moving grounds", "ports", "remote components"}
    )
    orders: ClassVar[dict[str, int]] = ORDERS

    integrator: str = "rk4"
    dt: float = 1e-3
    rtol: float = 1e-8
    atol: float = 1e-10
    coordinates: str = "absolute"
    stabilize: bool = True
    rank_tolerance: float = 1e-10

    def prepare(self, tables: Any, partition: Any) -> Workspace:
        """Scratch and carried memory for the tables of one absolute system and its hierarchy."""
        return workspace(tables, partition, self)

    def run(self, *arguments: Any) -> Any:
        """The compiled loop of this method."""
        if self.coordinates == "joint":
            from linkwork.formulations.component_joint import run as run_joint

            return run_joint(*arguments)
        return run(*arguments)


class Workspace(NamedTuple):
    stabilize: bool
    rank_tolerance: float
    steps: Stepping
    tree: TreeWork
    parts: Any  # Partition
    web: Web
    factors: Factors
    bonds: Bonds
    outer: Outer
    straits: Straits
    extra: Any
    told: Any
    out: Any
    power: Any


def workspace(tables: Any, partition: Any, method: Components) -> Workspace:
    tree, made = tables.tree, partition_web(tables, partition)
    return Workspace(
        method.stabilize,
        float(method.rank_tolerance),
        stepping(method, tables),
        tree_work(tree),
        partition,
        made,
        factors(partition, made),
        bonds(tables),
        outer(partition),
        straits(count_q(tree), int(tree.dof_link.size), made.shape.size.size),
        np.zeros(0),
        np.zeros(16),
        np.zeros(4),
        np.zeros(2),
    )


@kernel
def factor_here(tables, w, cut_q, waits):
    """Rows of the joints, S and D of the components that wait, or do not wait, for others. Returns independent rows."""
    row_values(tables.cuts, w.tree, cut_q, w.bonds.g, w.bonds.W)
    body_rows(tables, w.tree, w.bonds, BY_MASS)
    return factor_components(tables, w.parts, w.web, w.factors, w.bonds, w.rank_tolerance, waits)


@kernel
def look_first(tables, w, q, v, t, cut_q):
    """Find the independent rows of the components that wait for nobody, whatever the masses are."""
    place_bodies(tables, w, q, v, t)
    make_alike(tables.tree, w.bonds)
    factor_here(tables, w, cut_q, 0)
    expect_rows(w.factors.blocks)
    w.straits.looked[0] = 1


@kernel
def solve_components(tables, w, state_t, phase, rho, vd, lam):
    """Multipliers lam with B vd = -rho for every row; parts and the whole that live elsewhere take part.

    Components that wait for nobody have done their `solve_up` before.
    """
    cuts = tables.cuts
    if w.outer.fetch != 0:
        solve_up(cuts, w.parts, w.web, w.factors, w.bonds, rho, 1)
    if w.outer.exchange != 0:
        report_border(tables, w.parts, w.factors, w.bonds, w.tree, w.outer, phase, vd, state_t)
    if w.outer.give != 0:
        solve_down(cuts, w.parts, w.web, w.factors, w.bonds, lam, 1)
        give_parts(tables, w.parts, w.factors, w.tree, w.outer, phase, state_t)
    solve_down(cuts, w.parts, w.web, w.factors, w.bonds, lam, 0)


@written_out
def evaluate(tables, w, steps, state, t):
    """steps.rate = rate of steps.trial at time t. Returns 0 or a status."""
    tree = tables.tree
    bonds = w.bonds
    nv = tree.dof_link.size
    nq = steps.trial.size - nv - 2
    q = steps.trial[:nq]
    v = steps.trial[nq : nq + nv]
    vd = steps.rate[nq : nq + nv]
    if w.straits.looked[0] == 0:
        look_first(tables, w, q, v, t, state.cut_q)
    for look in range(ROUNDS + 1):
        place_bodies(tables, w, q, v, t)
        # first what needs nothing from parts elsewhere, which are at work meanwhile
        rank = factor_here(tables, w, state.cut_q, 0)
        if w.outer.fetch != 0:
            fetch_parts(tables, w.parts, w.factors, w.tree, w.outer, ACCELERATIONS, t)
            rank += factor_here(tables, w, state.cut_q, 1)
        state.count[1] = rank
        row_rates(tables.cuts, w.tree, bonds.gd)
        if w.straits.near[0] == 0 or look == ROUNDS or (look > 0 and gap(bonds) < CLOSED):
            break
        # near a singular position: on the joints, where the motion is smooth
        if look == 0:
            copy(steps.trial[: nq + nv], w.straits.y)
            q = w.straits.y[:nq]
            v = w.straits.y[nq:]
        project(tables, w, state.cut_q, w.straits.y, nq, nv, t)
    failed = let_go(tables, w, q, v, t, state.cut_q, state.cut_rate, vd)
    if w.outer.fetch != 0:
        move_foreign(tables, w.parts, w.factors, w.tree, w.outer, False)
    row_accelerations(tables.cuts, w.tree, bonds.gdd)
    solve_up(tables.cuts, w.parts, w.web, w.factors, bonds, bonds.gdd, 0)
    solve_components(tables, w, t, ACCELERATIONS, bonds.gdd, vd, bonds.lam)
    if w.outer.fetch != 0:
        move_foreign(tables, w.parts, w.factors, w.tree, w.outer, True)
    push_bodies(tables, bonds, bonds.lam, vd)
    push_border(tables, w.parts, w.factors, bonds, w.outer, vd)
    if steps.scheme != SEMI_IMPLICIT:
        coordinate_rates(tree, q, v, steps.rate)
    steps.rate[nq + nv] = w.power[0]
    steps.rate[nq + nv + 1] = w.power[1]
    if tree.grounds > 1:
        # moving grounds, and what foreign bodies put in at the ports
        steps.rate[nq + nv + 1] += ground_power(tables, w.tree, q, vd, bonds)
    state.count[0] += 1
    return SINGULAR + failed - 1 if failed > 0 else 0


@kernel
def project(tables, w, cut_q, y, nq, nv, t):
    """Distributed successive projection (VK 6): positions twice, then velocities twice, with the factors at hand."""
    cuts = tables.cuts
    bonds = w.bonds
    q = y[:nq]
    v = y[nq : nq + nv]
    for phase in range(POSITIONS, VELOCITIES + 1):
        for _twice in range(2):
            gap = bonds.g if phase == POSITIONS else bonds.gd
            for waits in range(2 if w.outer.fetch != 0 else 1):
                # as above: parts elsewhere are not waited for before they must be
                if waits == 1:
                    fetch_parts(tables, w.parts, w.factors, w.tree, w.outer, phase, t)
                if phase == POSITIONS:
                    row_values(cuts, w.tree, cut_q, bonds.g, bonds.W)
                else:
                    row_rates(cuts, w.tree, bonds.gd)
                if waits == 0:
                    solve_up(cuts, w.parts, w.web, w.factors, bonds, gap, 0)
            if phase == POSITIONS:
                solve_components(tables, w, t, phase, bonds.g, bonds.dq, bonds.gdd)
                for k in range(nv):
                    bonds.dq[k] = 0.0
                push_bodies(tables, bonds, bonds.gdd, bonds.dq)
                push_border(tables, w.parts, w.factors, bonds, w.outer, bonds.dq)
                displace(tables.tree, q, bonds.dq, 1.0, q)
            else:
                solve_components(tables, w, t, phase, bonds.gd, bonds.dq, bonds.gdd)
                push_bodies(tables, bonds, bonds.gdd, v)
                push_border(tables, w.parts, w.factors, bonds, w.outer, v)
                if w.outer.fetch != 0:
                    correct_foreign(w.parts, w.factors, w.tree)
            refresh(tables, w.tree, q, v)


@written_out
def accept(tables, w, steps, state, t):
    """The state moves to steps.trial at time t and is projected; its rate and reactions are kept."""
    nv = state.vd.size
    nq = state.y.size - nv - 2
    copy(steps.trial, state.y)
    copy(steps.rate, steps.f)
    cut_reactions(tables.cuts, w.tree, w.bonds, state.cut_force)
    state.drift[1] = largest(w.bonds.gd)
    if w.stabilize:
        if w.straits.near[0] == 1:
            copy(w.straits.y, state.y)
        if w.outer.fetch == 0 and w.outer.exchange == 0:
            watch(w.straits, w.factors.blocks)
        else:
            remember_rows(w.factors.blocks)
        project(tables, w, state.cut_q, state.y, nq, nv, t)
        # the joints stand where the projected bodies are
        measure_cuts(tables.cuts, w.tree, state.cut_q, state.cut_rate)
    else:
        remember_rows(w.factors.blocks)
    opening(tables.cuts, w.bonds.g, state)
    if w.outer.fetch != 0:
        settle_foreign(tables, w.parts, w.tree, w.outer)
        keep_foreign(tables.tree, w.tree, state.foreign)
    for k in range(nv):
        state.vd[k] = steps.f[nq + k]
    state.t[0] = t


@entry
def run(tables, w, state, begin, first, h, steps, every, rows):
    """`advance` with the evaluation of this file."""
    return advance(evaluate, accept, tables, w, w.steps, state, begin, first, h, steps, every, rows)
