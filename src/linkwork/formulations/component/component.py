"""[V06] Components: every subsystem, at every level, becomes vd_border = D tau + r; tau goes back down.

The state is that of all bodies in absolute coordinates, stabilised by distributed successive projection (VK 6): the
factors of the accelerations serve positions and velocities too. D and r are computed in `border_response`; parts and
wholes in other processes are reached by `remote_border`; `component_joint` has the state of joints instead of bodies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from linkwork._jit import entry, kernel, small, written_out
from linkwork.formulations.absolute.body_step import accept_bodies, evaluate_bodies
from linkwork.formulations.absolute.joint_blocks import (
    BY_MASS,
    BlockGraph,
    JointBlocks,
    body_rows,
    equal_masses,
    joint_blocks,
    place_bodies,
    push_bodies,
)
from linkwork.formulations.absolute.near_singular import CARRIED_NEARNESS, CARRIED_ROWS, NearSingular, near_singular
from linkwork.formulations.component.border_response import (
    Factors,
    factor_components,
    factors,
    partition_graph,
    solve_down,
    solve_up,
)
from linkwork.formulations.component.remote_border import (
    ACCELERATIONS,
    POSITIONS,
    VELOCITIES,
    RemoteBorder,
    correct_foreign,
    move_foreign,
    push_border,
    receive_reports,
    remote_border,
    report_border,
    send_forces,
    update_foreign,
)
from linkwork.formulations.component.reported_rows import reported_rows
from linkwork.formulations.explicit.stepping import PERSISTENT_STEPS, ExplicitMethod, Stepping, advance, stepping
from linkwork.formulations.protocol import COMMON, Bound, Needs, Ran, within
from linkwork.mechanics.counts import count_q
from linkwork.mechanics.forces.laws import law_scratch
from linkwork.mechanics.rows.rows import row_accelerations, row_rates, row_values
from linkwork.mechanics.tree.grounds import keep_foreign
from linkwork.mechanics.tree.kinematics import place_tree
from linkwork.mechanics.tree.motions import displace
from linkwork.mechanics.tree.workspace import TreeWork, tree_work
from linkwork.numerics.block_sparse import expect_rows


@dataclass(frozen=True, kw_only=True)
class Components(ExplicitMethod):
    """Every subsystem of the model solved by itself through D and r, exactly and without iteration.

    `coordinates` is "joint" (accelerations of all bodies through the hierarchy, integrated at the joints, loops
    stabilised there) or "absolute" (coordinates of all bodies, with distributed successive projection; the only one
    for components that live elsewhere). Integrators as in `Recursive`. The cost grows linearly for models that are
    well partitioned.

    >>> lw.Components(dt=1e-3).coordinates
    'absolute'
    """

    name: ClassVar[str] = "component"
    supports: ClassVar[frozenset[str]] = COMMON | {"ports", "remote components"}
    loop: ClassVar[str] = __name__

    integrator: str = "rk4"
    dt: float = 1e-3
    rtol: float = 1e-8
    atol: float = 1e-10
    coordinates: str = "absolute"
    stabilize: bool = True
    rank_tolerance: float = 1e-10

    @property
    def needs(self) -> Needs:
        """With joint coordinates both systems: the tree that is integrated, the absolute one that is solved."""
        return "hierarchy" if self.coordinates == "joint" else "partition"

    @property
    def draggable(self) -> bool:
        """Loads added to the tree later are not in the absolute system."""
        return self.coordinates == "absolute"

    @property
    def persistent(self) -> tuple[str, ...]:
        """The same of both coordinates, in other places."""
        if self.coordinates == "joint":
            rows = (f"parts.factors.blocks.{name}" for name in CARRIED_ROWS)
            return (*PERSISTENT_STEPS, "loops.reference", "loops.rank", "parts.near_singular.looked", *rows)
        return (*PERSISTENT_STEPS, *CARRIED_NEARNESS, *(f"factors.blocks.{name}" for name in CARRIED_ROWS))

    def accepts(self, workspace: Any, name: str, numbers: Any) -> bool:
        """A rank counts rows."""
        if name == "loops.rank":
            return within(numbers, len(workspace.loops.g))
        return super().accepts(workspace, name, numbers)

    def moving_rows(self, tables: Any, workspace: Any) -> Any:
        """With the responses that components elsewhere reported last."""
        return reported_rows(tables, workspace) if self.coordinates == "absolute" else None

    def prepare(self, tables: Any, given: Any) -> Any:
        """Scratch and carried memory for the tables of one system and its partition or hierarchy."""
        if self.coordinates == "joint":
            from linkwork.formulations.component.component_joint import workspace as joint_workspace

            return joint_workspace(tables, given, workspace(given.absolute, given.parts, self), self)
        return workspace(tables, given, self)

    def run(self, tables, workspace, state, begin, first, dt, steps, every, samples) -> Ran:
        """The compiled loop of this method."""
        if self.coordinates == "joint":
            from linkwork.formulations.component.component_joint import run as run_joint

            return run_joint(tables, workspace, state, begin, first, dt, steps, every, samples)
        return run(tables, workspace, state, begin, first, dt, steps, every, samples)

    def bind(self, tables, workspace, state, samples) -> Bound:
        """`run`, prepared."""
        loop = run
        if self.coordinates == "joint":
            from linkwork.formulations.component.component_joint import run as loop
        return loop.bind(tables, workspace, state, 0.0, 0, 0.0, 0, 1, samples)


class Workspace(NamedTuple):
    stabilize: bool
    rank_tolerance: float
    steps: Stepping
    tree: TreeWork
    parts: Any  # Partition: which component has which bodies, joints and parts; never changed
    graph: BlockGraph
    factors: Factors
    joint_blocks: JointBlocks
    remote_border: RemoteBorder
    near_singular: NearSingular
    law_input: Any  # (16 + seen,) scratch: what a law is evaluated at
    out: Any  # (4,) scratch: what a law returns
    power: Any  # (account,) W wasted and fed in; written by `apply_forces`


def workspace(tables: Any, partition: Any, method: Components) -> Workspace:
    """Memory of the method for the tables of one system and its partition."""
    tree, made = tables.tree, partition_graph(tables, partition)
    return Workspace(
        stabilize=method.stabilize,
        rank_tolerance=float(method.rank_tolerance),
        steps=stepping(method, tables),
        tree=tree_work(tables),
        parts=partition,
        graph=made,
        factors=factors(partition, made),
        joint_blocks=joint_blocks(tables),
        remote_border=remote_border(partition),
        near_singular=near_singular(count_q(tree), int(tree.dof_link.size), made.shape.size.size),
        law_input=law_scratch(tables.laws),
        out=np.zeros(4),
        power=np.zeros(tables.tree.accounts),
    )


@kernel
def factor_waiting(tables, w, cut_q, waits):
    """Rows of the joints, S and D of the components that wait for others elsewhere, or do not; returns the rank."""
    row_values(tables.cuts, w.tree, cut_q, w.joint_blocks.g, w.joint_blocks.W)
    body_rows(tables, w.tree, w.joint_blocks, BY_MASS)
    return factor_components(tables, w.parts, w.graph, w.factors, w.joint_blocks, w.rank_tolerance, waits)


@small
def factor_rows(tables, w, cut_q, t):
    """Rows, S and D of all components; returns the rank. Parts elsewhere work while those that need none are done."""
    rank = factor_waiting(tables, w, cut_q, 0)
    if w.remote_border.fetch != 0:
        receive_reports(tables, w.parts, w.factors, w.tree, w.remote_border, ACCELERATIONS, t)
        rank += factor_waiting(tables, w, cut_q, 1)
    return rank


@kernel
def find_independent_rows(tables, w, q, v, t, cut_q):
    """Which rows of the components that do not wait are independent, by the geometry alone."""
    place_bodies(tables, w, q, v, t)
    equal_masses(tables.tree, w.joint_blocks)
    factor_waiting(tables, w, cut_q, 0)
    expect_rows(w.factors.blocks)


@kernel
def solve_components(tables, w, t, phase, rho, vd, lam):
    """Multipliers lam with B vd = -rho for every row; parts and the whole in other processes take part.

    Components that do not wait have done their `solve_up` before.
    """
    cuts = tables.cuts
    if w.remote_border.fetch != 0:
        solve_up(cuts, w.parts, w.graph, w.factors, w.joint_blocks, rho, 1)
    if w.remote_border.exchange != 0:
        report_border(tables, w.parts, w.factors, w.joint_blocks, w.tree, w.remote_border, phase, vd, t)
    if w.remote_border.give != 0:
        solve_down(cuts, w.parts, w.graph, w.factors, w.joint_blocks, lam, 1)
        send_forces(tables, w.parts, w.factors, w.tree, w.remote_border, phase, t)
    solve_down(cuts, w.parts, w.graph, w.factors, w.joint_blocks, lam, 0)


@small
def solve_accelerations(tables, w, t, vd):
    """Multipliers of all components, and the accelerations vd of free bodies become those of the joined ones."""
    joint_blocks = w.joint_blocks
    if w.remote_border.fetch != 0:
        move_foreign(tables, w.parts, w.factors, w.tree, w.remote_border, False)
    row_accelerations(tables.cuts, w.tree, joint_blocks.gdd)
    solve_up(tables.cuts, w.parts, w.graph, w.factors, joint_blocks, joint_blocks.gdd, 0)
    solve_components(tables, w, t, ACCELERATIONS, joint_blocks.gdd, vd, joint_blocks.lam)
    if w.remote_border.fetch != 0:
        move_foreign(tables, w.parts, w.factors, w.tree, w.remote_border, True)
    push_bodies(tables, joint_blocks, joint_blocks.lam, vd)
    push_border(tables, w.parts, w.factors, joint_blocks, w.remote_border, vd)


@kernel
def project(tables, w, cut_q, y, nq, nv, t):
    """Distributed successive projection (VK 6): positions twice, then velocities twice, with the present factors."""
    cuts = tables.cuts
    joint_blocks = w.joint_blocks
    q = y[:nq]
    v = y[nq : nq + nv]
    for phase in range(POSITIONS, VELOCITIES + 1):
        for _twice in range(2):
            gap = joint_blocks.g if phase == POSITIONS else joint_blocks.gd
            for waits in range(2 if w.remote_border.fetch != 0 else 1):
                # as in `factor_rows`: parts elsewhere are not waited for before they must be
                if waits == 1:
                    receive_reports(tables, w.parts, w.factors, w.tree, w.remote_border, phase, t)
                if phase == POSITIONS:
                    row_values(cuts, w.tree, cut_q, joint_blocks.g, joint_blocks.W)
                else:
                    row_rates(cuts, w.tree, joint_blocks.gd)
                if waits == 0:
                    solve_up(cuts, w.parts, w.graph, w.factors, joint_blocks, gap, 0)
            if phase == POSITIONS:
                solve_components(tables, w, t, phase, joint_blocks.g, joint_blocks.dq, joint_blocks.gdd)
                for k in range(nv):
                    joint_blocks.dq[k] = 0.0
                push_bodies(tables, joint_blocks, joint_blocks.gdd, joint_blocks.dq)
                push_border(tables, w.parts, w.factors, joint_blocks, w.remote_border, joint_blocks.dq)
                displace(tables.tree, q, joint_blocks.dq, 1.0, q)
            else:
                solve_components(tables, w, t, phase, joint_blocks.gd, joint_blocks.dq, joint_blocks.gdd)
                push_bodies(tables, joint_blocks, joint_blocks.gdd, v)
                push_border(tables, w.parts, w.factors, joint_blocks, w.remote_border, v)
                if w.remote_border.fetch != 0:
                    correct_foreign(w.parts, w.factors, w.tree)
            place_tree(tables.tree, w.tree, q, v)


@small
def is_alone(w):
    """Whether neither parts nor the whole are in other processes."""
    return w.remote_border.fetch == 0 and w.remote_border.exchange == 0


@written_out
def evaluate(tables, w, steps, state, t):
    """steps.rate = rate of steps.trial at time t. Returns 0 or a status."""
    return evaluate_bodies(
        find_independent_rows, factor_rows, solve_accelerations, project, is_alone(w), tables, w, steps, state, t
    )


@written_out
def accept(tables, w, steps, state, t):
    """The state moves to steps.trial at time t and is projected; its rate and reactions are kept."""
    accept_bodies(project, tables, w, w.factors.blocks, w.stabilize, is_alone(w), steps, state, t)
    if w.remote_border.fetch != 0:
        update_foreign(tables, w.parts, w.tree, w.remote_border)
        keep_foreign(tables.tree, w.tree, state.foreign)


@entry
def run(tables, w, state, begin, first, h, steps, every, samples):
    """`advance` with the evaluation of this file."""
    return advance(evaluate, accept, tables, w, w.steps, state, begin, first, h, steps, every, samples)
