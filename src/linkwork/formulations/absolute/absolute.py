"""[VK] Absolute coordinates: bodies by their centres of mass and Euler parameters, joints as constraints.

    G    rows of the joints on body velocities (19)       M   block diagonal
    lam  multipliers of (23)                              g gd gdd  rows and their rates

(23) is reduced to G M^-1 G^T lam = -gdd, whose blocks are the joints (joint_blocks.py); they are factored along the
graph of the mechanism, with dependent rows left out on the way. After each step the coordinates are projected by one of

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
from linkwork.formulations.absolute.joint_blocks import (
    BY_COORDINATE,
    BY_MASS,
    BY_VELOCITY,
    BlockGraph,
    JointBlocks,
    body_rows,
    doubt,
    fill_blocks,
    flat_graph,
    free_accelerations,
    gap,
    joint_blocks,
    make_alike,
    place_bodies,
    push_bodies,
    refresh,
)
from linkwork.formulations.absolute.near_singular import (
    CARRIED_NEARNESS,
    CARRIED_ROWS,
    CLOSED,
    ROUNDS,
    NearSingular,
    near_singular,
    watch,
)
from linkwork.formulations.explicit.loops import cut_reactions
from linkwork.formulations.explicit.recursive import count_q
from linkwork.formulations.explicit.stepping import (
    CARRIED_STEPS,
    SEMI_IMPLICIT,
    ExplicitMethod,
    Stepping,
    advance,
    copy,
    largest,
    opening,
    stepping,
)
from linkwork.formulations.protocol import Ran
from linkwork.formulations.samples import EVALUATIONS, GAP_RATE, RANK
from linkwork.formulations.status import SINGULAR
from linkwork.mechanics.constraint_rows import measure_cuts, row_accelerations, row_rates, row_values
from linkwork.mechanics.motions import coordinate_rates, displace
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
class Absolute(ExplicitMethod):
    """Bodies in absolute coordinates, joints as constraints, projected after every step.

    `stabilization` is "successive", "standard", "baumgarte" (with `baumgarte` in 1/s) or None, which lets the joints
    drift. Integrators as in `Recursive`. The cost grows linearly with the number of bodies for chains, trees and
    ladders of loops.

    >>> lw.Absolute(dt=1e-3, stabilization="standard").stabilization
    'standard'
    """

    name: ClassVar[str] = "absolute"
    supports: ClassVar[frozenset[str]] = frozenset({"loops", "redundant", "distances", "moving grounds"})
    coordinates: ClassVar[str] = "absolute"
    loop: ClassVar[str] = __name__
    carried: ClassVar[tuple[str, ...]] = (
        *CARRIED_STEPS,
        *CARRIED_NEARNESS,
        *(f"blocks.{name}" for name in CARRIED_ROWS),
    )

    integrator: str = "rk4"
    dt: float = 1e-3
    rtol: float = 1e-8
    atol: float = 1e-10
    stabilization: str | None = "successive"
    baumgarte: float = 50.0
    rank_tolerance: float = 1e-10

    def prepare(self, tables: Any, given: Any = None) -> Workspace:
        """Scratch and carried memory for the tables of one absolute system."""
        return workspace(tables, self)

    def run(self, tables, workspace, state, begin, first, dt, steps, every, samples) -> Ran:
        """The compiled loop of this method."""
        return run(tables, workspace, state, begin, first, dt, steps, every, samples)


class Workspace(NamedTuple):
    stabilization: int
    baumgarte: float
    rank_tolerance: float
    steps: Stepping
    tree: TreeWork
    graph: BlockGraph
    blocks: BlockWork
    joint_blocks: JointBlocks
    near_singular: NearSingular
    extra: Any
    law_input: Any
    out: Any
    power: Any


def workspace(tables: Any, method: Absolute) -> Workspace:
    tree, made = tables.tree, flat_graph(tables)
    return Workspace(
        STABILIZATIONS[method.stabilization],
        float(method.baumgarte),
        float(method.rank_tolerance),
        stepping(method, tables),
        tree_work(tree),
        made,
        block_work(made.shape),
        joint_blocks(tables),
        near_singular(count_q(tree), int(tree.dof_link.size), made.shape.size.size),
        np.zeros(0),
        np.zeros(16),
        np.zeros(4),
        np.zeros(2),
    )


@kernel
def factor_joints(tables, w):
    """Fill and factor S, with pivots that stand out of the gaps of the joints; returns its rank."""
    shape = w.graph.shape
    fill_blocks(tables.cuts, w.graph, w.blocks.S, w.joint_blocks, w.joint_blocks.x, 0)
    unit_scales(shape, w.blocks)
    return factor_blocks(shape, w.blocks, w.rank_tolerance, doubt(gap(w.joint_blocks)), 0, shape.order.size)


@kernel
def look_first(tables, w, q, v, t, cut_q):
    """Find the independent rows, whatever the masses are."""
    place_bodies(tables, w, q, v, t)
    make_alike(tables.tree, w.joint_blocks)
    row_values(tables.cuts, w.tree, cut_q, w.joint_blocks.g, w.joint_blocks.W)
    body_rows(tables, w.tree, w.joint_blocks, BY_MASS)
    factor_joints(tables, w)
    expect_rows(w.blocks)
    w.near_singular.looked[0] = 1


@kernel
def solve_joints(w, rho, x):
    """x = S^+ rho."""
    copy(rho, x)
    solve_blocks(w.graph.shape, w.blocks, x, 0, 0, w.graph.shape.order.size)


@written_out
def evaluate(tables, w, steps, state, t):
    """steps.rate = rate of steps.trial at time t. Returns 0 or a status."""
    tree = tables.tree
    joint_blocks = w.joint_blocks
    nv = tree.dof_link.size
    nq = steps.trial.size - nv - 2
    q = steps.trial[:nq]
    v = steps.trial[nq : nq + nv]
    vd = steps.rate[nq : nq + nv]
    if w.near_singular.looked[0] == 0:
        look_first(tables, w, q, v, t, state.cut_q)
    for look in range(ROUNDS + 1):
        place_bodies(tables, w, q, v, t)
        row_values(tables.cuts, w.tree, state.cut_q, joint_blocks.g, joint_blocks.W)
        row_rates(tables.cuts, w.tree, joint_blocks.gd)
        body_rows(tables, w.tree, joint_blocks, BY_MASS)
        state.count[RANK] = factor_joints(tables, w)
        if w.near_singular.near[0] == 0 or look == ROUNDS or (look > 0 and gap(joint_blocks) < CLOSED):
            break
        # near a singular position: on the joints, where the motion is smooth
        if look == 0:
            copy(steps.trial[: nq + nv], w.near_singular.y)
            q = w.near_singular.y[:nq]
            v = w.near_singular.y[nq:]
        project(tables, w, state.cut_q, w.near_singular.y, nq, nv, False)
    failed = free_accelerations(tables, w, q, v, t, state.cut_q, state.cut_rate, vd)
    row_accelerations(tables.cuts, w.tree, joint_blocks.gdd)
    for r in range(joint_blocks.g.size):
        joint_blocks.gdd[r] = -joint_blocks.gdd[r]
        if w.stabilization == BAUMGARTE:
            joint_blocks.gdd[r] -= w.baumgarte * (2.0 * joint_blocks.gd[r] + w.baumgarte * joint_blocks.g[r])
    solve_joints(w, joint_blocks.gdd, joint_blocks.lam)
    push_bodies(tables, joint_blocks, joint_blocks.lam, vd)
    if steps.scheme != SEMI_IMPLICIT:
        coordinate_rates(tree, q, v, steps.rate)
    steps.rate[nq + nv] = w.power[0]
    steps.rate[nq + nv + 1] = w.power[1]
    if tree.grounds > 1:
        steps.rate[nq + nv + 1] += ground_power(tables, w.tree, q, vd, joint_blocks)
    state.count[EVALUATIONS] += 1
    return SINGULAR + failed - 1 if failed > 0 else 0


@kernel
def correct_positions(tables, w, q, v):
    """q += T delta, with G delta = -g and the factor at hand (49)."""
    joint_blocks = w.joint_blocks
    solve_joints(w, joint_blocks.g, joint_blocks.gdd)
    for k in range(joint_blocks.dq.size):
        joint_blocks.dq[k] = 0.0
    push_bodies(tables, joint_blocks, joint_blocks.gdd, joint_blocks.dq)
    displace(tables.tree, q, joint_blocks.dq, -1.0, q)
    refresh(tables, w.tree, q, v)


@kernel
def correct_velocities(tables, w, v):
    """v += zeta, with G zeta = -gd and the factor at hand (52)."""
    joint_blocks = w.joint_blocks
    solve_joints(w, joint_blocks.gd, joint_blocks.gdd)
    for r in range(joint_blocks.gdd.size):
        joint_blocks.gdd[r] = -joint_blocks.gdd[r]
    push_bodies(tables, joint_blocks, joint_blocks.gdd, v)


@kernel
def project(tables, w, cut_q, y, nq, nv, standard):
    """Positions twice, then velocities twice: successive with one factorisation, standard with two more."""
    cuts = tables.cuts
    joint_blocks = w.joint_blocks
    q = y[:nq]
    v = y[nq : nq + nv]
    if standard:
        body_rows(tables, w.tree, joint_blocks, BY_COORDINATE)
        factor_joints(tables, w)
    for _twice in range(2):
        correct_positions(tables, w, q, v)
        row_values(cuts, w.tree, cut_q, joint_blocks.g, joint_blocks.W)
    if standard:
        body_rows(tables, w.tree, joint_blocks, BY_VELOCITY)
        factor_joints(tables, w)
    for _twice in range(2):
        row_rates(cuts, w.tree, joint_blocks.gd)
        correct_velocities(tables, w, v)
        refresh(tables, w.tree, q, v)


@written_out
def accept(tables, w, steps, state, t):
    """The state moves to steps.trial at time t and is projected; its rate and reactions are kept."""
    nv = state.vd.size
    nq = state.y.size - nv - 2
    copy(steps.trial, state.y)
    copy(steps.rate, steps.f)
    cut_reactions(tables.cuts, w.tree, w.joint_blocks, state.cut_force)
    state.drift[GAP_RATE] = largest(w.joint_blocks.gd)
    if w.stabilization <= STANDARD:
        if w.near_singular.near[0] == 1:
            copy(w.near_singular.y, state.y)
        watch(w.near_singular, w.blocks)
        project(tables, w, state.cut_q, state.y, nq, nv, w.stabilization == STANDARD)
        # the joints stand where the projected bodies are
        measure_cuts(tables.cuts, w.tree, state.cut_q, state.cut_rate)
    else:
        remember_rows(w.blocks)
    opening(tables.cuts, w.joint_blocks.g, state)
    for k in range(nv):
        state.vd[k] = steps.f[nq + k]
    state.t[0] = t


@entry
def run(tables, w, state, begin, first, h, steps, every, samples):
    """`advance` with the evaluation of this file."""
    return advance(evaluate, accept, tables, w, w.steps, state, begin, first, h, steps, every, samples)
