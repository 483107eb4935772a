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

from linkwork._jit import entry, kernel, small, written_out
from linkwork.formulations.absolute.body_step import accept_bodies, evaluate_bodies
from linkwork.formulations.absolute.joint_blocks import (
    BY_COORDINATE,
    BY_MASS,
    BY_VELOCITY,
    BlockGraph,
    JointBlocks,
    body_rows,
    equal_masses,
    fill_blocks,
    flat_graph,
    joint_blocks,
    largest_gap,
    pivot_floor,
    place_bodies,
    push_bodies,
)
from linkwork.formulations.absolute.near_singular import CARRIED_NEARNESS, CARRIED_ROWS, NearSingular, near_singular
from linkwork.formulations.explicit.stepping import PERSISTENT_STEPS, ExplicitMethod, Stepping, advance, stepping
from linkwork.formulations.protocol import COMMON, Bound, Ran
from linkwork.mechanics.counts import count_q
from linkwork.mechanics.forces.laws import law_scratch
from linkwork.mechanics.rows.rows import row_accelerations, row_rates, row_values
from linkwork.mechanics.tree.kinematics import place_tree
from linkwork.mechanics.tree.motions import displace
from linkwork.mechanics.tree.workspace import TreeWork, tree_work
from linkwork.numerics.arrays import copy
from linkwork.numerics.block_sparse import (
    BlockWork,
    block_work,
    expect_rows,
    factor_blocks,
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
    supports: ClassVar[frozenset[str]] = COMMON
    coordinates: ClassVar[str] = "absolute"
    loop: ClassVar[str] = __name__
    persistent: ClassVar[tuple[str, ...]] = (
        *PERSISTENT_STEPS,
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

    def bind(self, tables, workspace, state, samples) -> Bound:
        """`run`, prepared."""
        return run.bind(tables, workspace, state, 0.0, 0, 0.0, 0, 1, samples)


class Workspace(NamedTuple):
    stabilization: int  # SUCCESSIVE … NONE
    baumgarte: float  # 1/s
    rank_tolerance: float
    steps: Stepping
    tree: TreeWork
    graph: BlockGraph
    blocks: BlockWork
    joint_blocks: JointBlocks
    near_singular: NearSingular
    law_input: Any  # (16 + seen,) scratch: what a law is evaluated at
    out: Any  # (4,) scratch: what a law returns
    power: Any  # (account,) W wasted and fed in; written by `apply_forces`


def workspace(tables: Any, method: Absolute) -> Workspace:
    """Memory of the method for the tables of one system."""
    tree, made = tables.tree, flat_graph(tables)
    return Workspace(
        stabilization=STABILIZATIONS[method.stabilization],
        baumgarte=float(method.baumgarte),
        rank_tolerance=float(method.rank_tolerance),
        steps=stepping(method, tables),
        tree=tree_work(tables),
        graph=made,
        blocks=block_work(made.shape),
        joint_blocks=joint_blocks(tables),
        near_singular=near_singular(count_q(tree), int(tree.dof_link.size), made.shape.size.size),
        law_input=law_scratch(tables.laws),
        out=np.zeros(4),
        power=np.zeros(tables.tree.accounts),
    )


@kernel
def factor_joints(tables, w):
    """Fill and factor S, with pivots that stand out of the gaps of the joints; returns its rank."""
    shape = w.graph.shape
    fill_blocks(tables.cuts, w.graph, w.blocks.S, w.joint_blocks, w.joint_blocks.x, 0)
    unit_scales(shape, w.blocks)
    floor = pivot_floor(largest_gap(w.joint_blocks))
    return factor_blocks(shape, w.blocks, w.rank_tolerance, floor, 0, shape.order.size)


@small
def factor_rows(tables, w, cut_q, t):
    """Rows of the joints at the present poses, and the factor of S; returns its rank."""
    row_values(tables.cuts, w.tree, cut_q, w.joint_blocks.g, w.joint_blocks.W)
    body_rows(tables, w.tree, w.joint_blocks, BY_MASS)
    return factor_joints(tables, w)


@kernel
def find_independent_rows(tables, w, q, v, t, cut_q):
    """Which rows are independent, by the geometry alone."""
    place_bodies(tables, w, q, v, t)
    equal_masses(tables.tree, w.joint_blocks)
    factor_rows(tables, w, cut_q, t)
    expect_rows(w.blocks)


@kernel
def solve_joints(w, rho, x):
    """x = S^+ rho."""
    copy(rho, x)
    solve_blocks(w.graph.shape, w.blocks, x, 0, 0, w.graph.shape.order.size)


@small
def solve_accelerations(tables, w, t, vd):
    """Multipliers (23), and the accelerations vd of free bodies become those of the joined ones."""
    joint_blocks = w.joint_blocks
    row_accelerations(tables.cuts, w.tree, joint_blocks.gdd)
    for r in range(joint_blocks.g.size):
        joint_blocks.gdd[r] = -joint_blocks.gdd[r]
        if w.stabilization == BAUMGARTE:
            joint_blocks.gdd[r] -= w.baumgarte * (2.0 * joint_blocks.gd[r] + w.baumgarte * joint_blocks.g[r])
    solve_joints(w, joint_blocks.gdd, joint_blocks.lam)
    push_bodies(tables, joint_blocks, joint_blocks.lam, vd)


@kernel
def correct_positions(tables, w, q, v):
    """q += T delta, with G delta = -g and the present factor (49)."""
    joint_blocks = w.joint_blocks
    solve_joints(w, joint_blocks.g, joint_blocks.gdd)
    for k in range(joint_blocks.dq.size):
        joint_blocks.dq[k] = 0.0
    push_bodies(tables, joint_blocks, joint_blocks.gdd, joint_blocks.dq)
    displace(tables.tree, q, joint_blocks.dq, -1.0, q)
    place_tree(tables.tree, w.tree, q, v)


@kernel
def correct_velocities(tables, w, v):
    """v += zeta, with G zeta = -gd and the present factor (52)."""
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
        place_tree(tables.tree, w.tree, q, v)


@small
def project_stage(tables, w, cut_q, y, nq, nv, t):
    """A stage of a step, always by the successive projection."""
    project(tables, w, cut_q, y, nq, nv, False)


@small
def project_step(tables, w, cut_q, y, nq, nv, t):
    """The end of a step, by the projection of the options."""
    project(tables, w, cut_q, y, nq, nv, w.stabilization == STANDARD)


@written_out
def evaluate(tables, w, steps, state, t):
    """steps.rate = rate of steps.trial at time t. Returns 0 or a status."""
    return evaluate_bodies(
        find_independent_rows, factor_rows, solve_accelerations, project_stage, True, tables, w, steps, state, t
    )


@written_out
def accept(tables, w, steps, state, t):
    """The state moves to steps.trial at time t and is projected; its rate and reactions are kept."""
    accept_bodies(project_step, tables, w, w.blocks, w.stabilization <= STANDARD, True, steps, state, t)


@entry
def run(tables, w, state, begin, first, h, steps, every, samples):
    """`advance` with the evaluation of this file."""
    return advance(evaluate, accept, tables, w, w.steps, state, begin, first, h, steps, every, samples)
