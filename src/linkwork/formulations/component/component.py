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
from linkwork.formulations.absolute.joint_blocks import (
    BY_MASS,
    BlockGraph,
    JointBlocks,
    body_rows,
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
    fetch_parts,
    give_parts,
    move_foreign,
    push_border,
    remote_border,
    report_border,
    settle_foreign,
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
from linkwork.formulations.protocol import Needs, Ran, within
from linkwork.formulations.samples import EVALUATIONS, GAP_RATE, RANK
from linkwork.formulations.status import SINGULAR
from linkwork.mechanics.constraint_rows import measure_cuts, row_accelerations, row_rates, row_values
from linkwork.mechanics.grounds import keep_foreign
from linkwork.mechanics.motions import coordinate_rates, displace
from linkwork.mechanics.power import ground_power
from linkwork.mechanics.workspace import TreeWork, tree_work
from linkwork.numerics.block_sparse import expect_rows, remember_rows


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
    supports: ClassVar[frozenset[str]] = frozenset(
        {"loops", "redundant", "distances", "moving grounds", "ports", "remote components"}
    )
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
    def carried(self) -> tuple[str, ...]:
        """The same of both coordinates, in other places."""
        if self.coordinates == "joint":
            rows = (f"parts.factors.blocks.{name}" for name in CARRIED_ROWS)
            return (*CARRIED_STEPS, "loops.reference", "loops.rank", "parts.near_singular.looked", *rows)
        return (*CARRIED_STEPS, *CARRIED_NEARNESS, *(f"factors.blocks.{name}" for name in CARRIED_ROWS))

    def accepts(self, workspace: Any, name: str, numbers: Any) -> bool:
        """A rank counts rows."""
        if name == "loops.rank":
            return within(numbers, len(workspace.loops.g))
        return super().accepts(workspace, name, numbers)

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


class Workspace(NamedTuple):
    stabilize: bool
    rank_tolerance: float
    steps: Stepping
    tree: TreeWork
    parts: Any  # Partition
    graph: BlockGraph
    factors: Factors
    joint_blocks: JointBlocks
    remote_border: RemoteBorder
    near_singular: NearSingular
    extra: Any
    law_input: Any
    out: Any
    power: Any


def workspace(tables: Any, partition: Any, method: Components) -> Workspace:
    tree, made = tables.tree, partition_graph(tables, partition)
    return Workspace(
        method.stabilize,
        float(method.rank_tolerance),
        stepping(method, tables),
        tree_work(tree),
        partition,
        made,
        factors(partition, made),
        joint_blocks(tables),
        remote_border(partition),
        near_singular(count_q(tree), int(tree.dof_link.size), made.shape.size.size),
        np.zeros(0),
        np.zeros(16),
        np.zeros(4),
        np.zeros(2),
    )


@kernel
def factor_here(tables, w, cut_q, waits):
    """Rows of the joints, S and D of the components that wait, or do not wait, for others. Returns independent rows."""
    row_values(tables.cuts, w.tree, cut_q, w.joint_blocks.g, w.joint_blocks.W)
    body_rows(tables, w.tree, w.joint_blocks, BY_MASS)
    return factor_components(tables, w.parts, w.graph, w.factors, w.joint_blocks, w.rank_tolerance, waits)


@kernel
def look_first(tables, w, q, v, t, cut_q):
    """Find the independent rows of the components that wait for nobody, whatever the masses are."""
    place_bodies(tables, w, q, v, t)
    make_alike(tables.tree, w.joint_blocks)
    factor_here(tables, w, cut_q, 0)
    expect_rows(w.factors.blocks)
    w.near_singular.looked[0] = 1


@kernel
def solve_components(tables, w, state_t, phase, rho, vd, lam):
    """Multipliers lam with B vd = -rho for every row; parts and the whole that live elsewhere take part.

    Components that wait for nobody have done their `solve_up` before.
    """
    cuts = tables.cuts
    if w.remote_border.fetch != 0:
        solve_up(cuts, w.parts, w.graph, w.factors, w.joint_blocks, rho, 1)
    if w.remote_border.exchange != 0:
        report_border(tables, w.parts, w.factors, w.joint_blocks, w.tree, w.remote_border, phase, vd, state_t)
    if w.remote_border.give != 0:
        solve_down(cuts, w.parts, w.graph, w.factors, w.joint_blocks, lam, 1)
        give_parts(tables, w.parts, w.factors, w.tree, w.remote_border, phase, state_t)
    solve_down(cuts, w.parts, w.graph, w.factors, w.joint_blocks, lam, 0)


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
        # first what needs nothing from parts elsewhere, which are at work meanwhile
        rank = factor_here(tables, w, state.cut_q, 0)
        if w.remote_border.fetch != 0:
            fetch_parts(tables, w.parts, w.factors, w.tree, w.remote_border, ACCELERATIONS, t)
            rank += factor_here(tables, w, state.cut_q, 1)
        state.count[RANK] = rank
        row_rates(tables.cuts, w.tree, joint_blocks.gd)
        if w.near_singular.near[0] == 0 or look == ROUNDS or (look > 0 and gap(joint_blocks) < CLOSED):
            break
        # near a singular position: on the joints, where the motion is smooth
        if look == 0:
            copy(steps.trial[: nq + nv], w.near_singular.y)
            q = w.near_singular.y[:nq]
            v = w.near_singular.y[nq:]
        project(tables, w, state.cut_q, w.near_singular.y, nq, nv, t)
    failed = free_accelerations(tables, w, q, v, t, state.cut_q, state.cut_rate, vd)
    if w.remote_border.fetch != 0:
        move_foreign(tables, w.parts, w.factors, w.tree, w.remote_border, False)
    row_accelerations(tables.cuts, w.tree, joint_blocks.gdd)
    solve_up(tables.cuts, w.parts, w.graph, w.factors, joint_blocks, joint_blocks.gdd, 0)
    solve_components(tables, w, t, ACCELERATIONS, joint_blocks.gdd, vd, joint_blocks.lam)
    if w.remote_border.fetch != 0:
        move_foreign(tables, w.parts, w.factors, w.tree, w.remote_border, True)
    push_bodies(tables, joint_blocks, joint_blocks.lam, vd)
    push_border(tables, w.parts, w.factors, joint_blocks, w.remote_border, vd)
    if steps.scheme != SEMI_IMPLICIT:
        coordinate_rates(tree, q, v, steps.rate)
    steps.rate[nq + nv] = w.power[0]
    steps.rate[nq + nv + 1] = w.power[1]
    if tree.grounds > 1:
        # moving grounds, and what foreign bodies put in at the ports
        steps.rate[nq + nv + 1] += ground_power(tables, w.tree, q, vd, joint_blocks)
    state.count[EVALUATIONS] += 1
    return SINGULAR + failed - 1 if failed > 0 else 0


@kernel
def project(tables, w, cut_q, y, nq, nv, t):
    """Distributed successive projection (VK 6): positions twice, then velocities twice, with the factors at hand."""
    cuts = tables.cuts
    joint_blocks = w.joint_blocks
    q = y[:nq]
    v = y[nq : nq + nv]
    for phase in range(POSITIONS, VELOCITIES + 1):
        for _twice in range(2):
            gap = joint_blocks.g if phase == POSITIONS else joint_blocks.gd
            for waits in range(2 if w.remote_border.fetch != 0 else 1):
                # as above: parts elsewhere are not waited for before they must be
                if waits == 1:
                    fetch_parts(tables, w.parts, w.factors, w.tree, w.remote_border, phase, t)
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
    if w.stabilize:
        if w.near_singular.near[0] == 1:
            copy(w.near_singular.y, state.y)
        if w.remote_border.fetch == 0 and w.remote_border.exchange == 0:
            watch(w.near_singular, w.factors.blocks)
        else:
            remember_rows(w.factors.blocks)
        project(tables, w, state.cut_q, state.y, nq, nv, t)
        # the joints stand where the projected bodies are
        measure_cuts(tables.cuts, w.tree, state.cut_q, state.cut_rate)
    else:
        remember_rows(w.factors.blocks)
    opening(tables.cuts, w.joint_blocks.g, state)
    if w.remote_border.fetch != 0:
        settle_foreign(tables, w.parts, w.tree, w.remote_border)
        keep_foreign(tables.tree, w.tree, state.foreign)
    for k in range(nv):
        state.vd[k] = steps.f[nq + k]
    state.t[0] = t


@entry
def run(tables, w, state, begin, first, h, steps, every, samples):
    """`advance` with the evaluation of this file."""
    return advance(evaluate, accept, tables, w, w.steps, state, begin, first, h, steps, every, samples)
