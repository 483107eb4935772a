"""[VK] Absolute coordinates: bodies by their centres of mass and Euler parameters, joints as constraints.

    G    rows of the joints on body velocities (19)       M   block diagonal
    lam  multipliers of (23)                              g gd gdd  rows and their rates

(23) is reduced to G M^-1 G^T lam = -gdd, whose blocks are the joints (`bonds`); they are factored along the graph of
the mechanism, with dependent rows left out on the way. After each step the coordinates are projected by one of

    successive   (48)-(52): Euler parameters normalised, then positions twice and velocities twice along T delta with
                 one factorisation. Here it is that of the accelerations at the new state: the least change is measured
                 by the masses, so that no further matrix is needed.
    standard     (24)-(33): least change of coordinates (one factorisation) and of velocities (another one).
    baumgarte    gdd + 2 a gd + a^2 g = 0 instead of gdd = 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from linkwork._jit import entry, kernel, written_out
from linkwork.formulations.bonds import (
    BY_COORDINATE,
    BY_MASS,
    BY_VELOCITY,
    Bonds,
    Web,
    body_rows,
    bonds,
    doubt,
    fill_blocks,
    flat_web,
    gap,
    let_go,
    make_alike,
    place_bodies,
    push_bodies,
    refresh,
)
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
from linkwork.mechanics.motions import coordinate_rates, displace
from linkwork.mechanics.parts import measure_cuts, row_accelerations, row_rates, row_values
from linkwork.mechanics.power import ground_power
from linkwork.mechanics.workspace import TreeWork, tree_work
from linkwork.numerics.block_sparse import (
    BlockWork,
    block_work,
    expect_rows,
    factor_blocks,
    remember_rows,
    solve_blocks,
    unit_scales,
)

SUCCESSIVE, STANDARD, BAUMGARTE, NONE = 0, 1, 2, 3
STABILIZATIONS = {"successive": SUCCESSIVE, "standard": STANDARD, "baumgarte": BAUMGARTE, None: NONE}


@dataclass(frozen=True, kw_only=True)
class Absolute:
    """Bodies in absolute coordinates, joints as constraints, projected after every step.

    `stabilization` is "successive", "standard", "baumgarte" (with `baumgarte` in 1/s) or None, which lets the joints
    drift. Integrators as in `Recursive`. The cost grows linearly with the number of bodies for chains, trees and
    ladders of loops.

    >>> lw.Absolute(dt=1e-3, stabilization="standard").stabilization
    'standard'
    """

    name: ClassVar[str] = "absolute"
    supports: ClassVar[frozenset[str]] = frozenset({"loops", "redundant", "distances", "moving grounds"})
    orders: ClassVar[dict[str, int]] = ORDERS
    coordinates: ClassVar[str] = "absolute"

    integrator: str = "rk4"
    dt: float = 1e-3
    rtol: float = 1e-8
    atol: float = 1e-10
    stabilization: str | None = "successive"
    baumgarte: float = 50.0
    rank_tolerance: float = 1e-10

    def prepare(self, tables: Any) -> Workspace:
        """Scratch and carried memory for the tables of one absolute system."""
        return workspace(tables, self)

    def run(self, *arguments: Any) -> Any:
        """The compiled loop of this method."""
        return run(*arguments)


class Workspace(NamedTuple):
    stabilization: int
    baumgarte: float
    rank_tolerance: float
    steps: Stepping
    tree: TreeWork
    web: Web
    blocks: BlockWork
    bonds: Bonds
    straits: Straits
    extra: Any
    told: Any
    out: Any
    power: Any


def workspace(tables: Any, method: Absolute) -> Workspace:
    tree, made = tables.tree, flat_web(tables)
    return Workspace(
        STABILIZATIONS[method.stabilization],
        float(method.baumgarte),
        float(method.rank_tolerance),
        stepping(method, tables),
        tree_work(tree),
        made,
        block_work(made.shape),
        bonds(tables),
        straits(count_q(tree), int(tree.dof_link.size), made.shape.size.size),
        np.zeros(0),
        np.zeros(16),
        np.zeros(4),
        np.zeros(2),
    )


@kernel
def factor_joints(tables, w):
    """Fill and factor S, with pivots that stand out of the gaps of the joints; returns its rank."""
    shape = w.web.shape
    fill_blocks(tables.cuts, w.web, w.blocks.S, w.bonds, w.bonds.x, 0)
    unit_scales(shape, w.blocks)
    return factor_blocks(shape, w.blocks, w.rank_tolerance, doubt(gap(w.bonds)), 0, shape.order.size)


@kernel
def look_first(tables, w, q, v, t, cut_q):
    """Find the independent rows, whatever the masses are."""
    place_bodies(tables, w, q, v, t)
    make_alike(tables.tree, w.bonds)
    row_values(tables.cuts, w.tree, cut_q, w.bonds.g, w.bonds.W)
    body_rows(tables, w.tree, w.bonds, BY_MASS)
    factor_joints(tables, w)
    expect_rows(w.blocks)
    w.straits.looked[0] = 1


@kernel
def solve_joints(w, rho, x):
    """x = S^+ rho."""
    copy(rho, x)
    solve_blocks(w.web.shape, w.blocks, x, 0, 0, w.web.shape.order.size)


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
        row_values(tables.cuts, w.tree, state.cut_q, bonds.g, bonds.W)
        row_rates(tables.cuts, w.tree, bonds.gd)
        body_rows(tables, w.tree, bonds, BY_MASS)
        state.count[1] = factor_joints(tables, w)
        if w.straits.near[0] == 0 or look == ROUNDS or (look > 0 and gap(bonds) < CLOSED):
            break
        # near a singular position: on the joints, where the motion is smooth
        if look == 0:
            copy(steps.trial[: nq + nv], w.straits.y)
            q = w.straits.y[:nq]
            v = w.straits.y[nq:]
        project(tables, w, state.cut_q, w.straits.y, nq, nv, False)
    failed = let_go(tables, w, q, v, t, state.cut_q, state.cut_rate, vd)
    row_accelerations(tables.cuts, w.tree, bonds.gdd)
    for r in range(bonds.g.size):
        bonds.gdd[r] = -bonds.gdd[r]
        if w.stabilization == BAUMGARTE:
            bonds.gdd[r] -= w.baumgarte * (2.0 * bonds.gd[r] + w.baumgarte * bonds.g[r])
    solve_joints(w, bonds.gdd, bonds.lam)
    push_bodies(tables, bonds, bonds.lam, vd)
    if steps.scheme != SEMI_IMPLICIT:
        coordinate_rates(tree, q, v, steps.rate)
    steps.rate[nq + nv] = w.power[0]
    steps.rate[nq + nv + 1] = w.power[1]
    if tree.grounds > 1:
        steps.rate[nq + nv + 1] += ground_power(tables, w.tree, q, vd, bonds)
    state.count[0] += 1
    return SINGULAR + failed - 1 if failed > 0 else 0


@kernel
def correct_positions(tables, w, q, v):
    """q += T delta, with G delta = -g and the factor at hand (49)."""
    bonds = w.bonds
    solve_joints(w, bonds.g, bonds.gdd)
    for k in range(bonds.dq.size):
        bonds.dq[k] = 0.0
    push_bodies(tables, bonds, bonds.gdd, bonds.dq)
    displace(tables.tree, q, bonds.dq, -1.0, q)
    refresh(tables, w.tree, q, v)


@kernel
def correct_velocities(tables, w, v):
    """v += zeta, with G zeta = -gd and the factor at hand (52)."""
    bonds = w.bonds
    solve_joints(w, bonds.gd, bonds.gdd)
    for r in range(bonds.gdd.size):
        bonds.gdd[r] = -bonds.gdd[r]
    push_bodies(tables, bonds, bonds.gdd, v)


@kernel
def project(tables, w, cut_q, y, nq, nv, standard):
    """Positions twice, then velocities twice: successive with one factorisation, standard with two more."""
    cuts = tables.cuts
    bonds = w.bonds
    q = y[:nq]
    v = y[nq : nq + nv]
    if standard:
        body_rows(tables, w.tree, bonds, BY_COORDINATE)
        factor_joints(tables, w)
    for _twice in range(2):
        correct_positions(tables, w, q, v)
        row_values(cuts, w.tree, cut_q, bonds.g, bonds.W)
    if standard:
        body_rows(tables, w.tree, bonds, BY_VELOCITY)
        factor_joints(tables, w)
    for _twice in range(2):
        row_rates(cuts, w.tree, bonds.gd)
        correct_velocities(tables, w, v)
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
    if w.stabilization <= STANDARD:
        if w.straits.near[0] == 1:
            copy(w.straits.y, state.y)
        watch(w.straits, w.blocks)
        project(tables, w, state.cut_q, state.y, nq, nv, w.stabilization == STANDARD)
        # the joints stand where the projected bodies are
        measure_cuts(tables.cuts, w.tree, state.cut_q, state.cut_rate)
    else:
        remember_rows(w.blocks)
    opening(tables.cuts, w.bonds.g, state)
    for k in range(nv):
        state.vd[k] = steps.f[nq + k]
    state.t[0] = t


@entry
def run(tables, w, state, begin, first, h, steps, every, rows):
    """`advance` with the evaluation of this file."""
    return advance(evaluate, accept, tables, w, w.steps, state, begin, first, h, steps, every, rows)
