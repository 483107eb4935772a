"""[V06, MST17] Articulated bodies with any explicit integrator; loops by multipliers, post-stabilised.

A step ends with an evaluation at the new state, whose factor stabilises that state.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from linkwork._jit import entry, small
from linkwork.formulations.explicit.loops import (
    LOOKED_AHEAD,
    RANK_LARGEST,
    RANK_NOW,
    LoopWork,
    close_loops,
    constrain,
    factor_loops,
    lookahead,
    loop_work,
)
from linkwork.formulations.explicit.stepping import (
    PERSISTENT_STEPS,
    ExplicitMethod,
    Stepping,
    advance,
    stepping,
    store_rate,
    take_trial,
)
from linkwork.formulations.protocol import COMMON, Bound, Ran, within
from linkwork.formulations.samples import RANK
from linkwork.mechanics.counts import count_q
from linkwork.mechanics.forces.forces import apply_forces
from linkwork.mechanics.forces.laws import law_scratch
from linkwork.mechanics.power import add_ground_power
from linkwork.mechanics.rows.constraint_rows import measure_cuts
from linkwork.mechanics.rows.given import add_given_power, move_given, renew_given
from linkwork.mechanics.rows.row_loads import cut_reactions
from linkwork.mechanics.tree.articulated import inward_inertias, outward_accelerations, outward_velocities
from linkwork.mechanics.tree.kinematics import outward_poses, world_velocities
from linkwork.mechanics.tree.motions import displace
from linkwork.mechanics.tree.workspace import TreeWork, tree_work


@dataclass(frozen=True, kw_only=True)
class Recursive(ExplicitMethod):
    """Articulated bodies in joint coordinates, loops by multipliers and post-stabilised; the default method.

    `dt` in seconds: the step, or with integrator="adaptive" the time between rows. `integrator` is "semi-implicit"
    (order 1), "rk2", "rk4", "abm4" (order 4, two evaluations a step), "adaptive" (order 5(4), with rtol and atol) or
    "trapezoidal" (order 2, by fixed-point iteration: the fully recursive method of CD03).
    `stabilize=False` leaves the loops to drift; `rank_tolerance` says when a constraint row counts as dependent.

    >>> lw.Recursive(integrator="rk4", dt=1e-3).integrator
    'rk4'
    """

    name: ClassVar[str] = "recursive"
    supports: ClassVar[frozenset[str]] = COMMON | {"armature"}
    coordinates: ClassVar[str] = "joint"
    loop: ClassVar[str] = __name__
    persistent: ClassVar[tuple[str, ...]] = (*PERSISTENT_STEPS, "loops.reference", "loops.rank")
    torn_remedy: ClassVar[str] = " or method='absolute'"

    integrator: str = "rk4"
    dt: float = 1e-3
    rtol: float = 1e-8
    atol: float = 1e-10
    stabilize: bool = True
    rank_tolerance: float = 1e-10

    def prepare(self, tables: Any, given: Any = None) -> Workspace:
        """Scratch and carried memory for the tables of one system."""
        return workspace(tables, self)

    def run(self, tables, workspace, state, begin, first, dt, steps, every, samples) -> Ran:
        """The compiled loop of this method."""
        return run(tables, workspace, state, begin, first, dt, steps, every, samples)

    def bind(self, tables, workspace, state, samples) -> Bound:
        """`run`, prepared."""
        return run.bind(tables, workspace, state, 0.0, 0, 0.0, 0, 1, samples)

    def accepts(self, workspace: Any, name: str, numbers: Any) -> bool:
        """A rank counts rows."""
        if name == "loops.rank":
            return within(numbers, len(workspace.loops.g))
        return super().accepts(workspace, name, numbers)


class Workspace(NamedTuple):
    stabilize: bool
    rank_tolerance: float
    needs_world: bool  # forces, cuts or moving grounds need the poses of the links in the world
    steps: Stepping
    tree: TreeWork
    loops: LoopWork
    ahead: Any  # (q,) coordinates beyond a singular position; written by `evaluate`
    extra: Any  # (dof,) joint forces put in from outside, N m or N; empty where there are none
    law_input: Any  # (16 + seen,) scratch: what a law is evaluated at
    out: Any  # (4,) scratch: what a law returns
    power: Any  # (account,) W wasted and fed in; written by `apply_forces`


def workspace(tables: Any, method: Recursive) -> Workspace:
    """Memory of the method for the tables of one system."""
    forces = tables.forces
    points = (forces.spring_a, forces.bushing_a, forces.load_law, forces.tyre_link, forces.rotor_link)
    elements = (*points, forces.coil_coordinate, forces.drive_law)
    return Workspace(
        stabilize=method.stabilize,
        rank_tolerance=float(method.rank_tolerance),
        needs_world=bool(sum(a.size for a in elements) + tables.cuts.cut_a.size + (tables.tree.grounds > 1)),
        steps=stepping(method, tables),
        tree=tree_work(tables),
        loops=loop_work(tables),
        ahead=np.zeros(count_q(tables.tree)),
        extra=np.zeros(0),
        law_input=law_scratch(tables.laws),
        out=np.zeros(4),
        power=np.zeros(tables.tree.accounts),
    )


@small
def evaluate(tables, w, steps, state, t):
    """steps.rate = rate of steps.trial at time t. Returns 0 or a status."""
    tree = tables.tree
    work = w.tree
    nv = tree.dof_link.size
    nq = steps.trial.size - nv - tree.accounts
    q = steps.trial[:nq]
    v = steps.trial[nq : nq + nv]
    vd = steps.rate[nq : nq + nv]
    failed = 0
    for attempt in range(2):
        move_given(tables, work, t, w.law_input, w.out)
        outward_velocities(tree, work, q, v)
        if w.needs_world:
            outward_poses(tree, work)
            world_velocities(tree, work)
            measure_cuts(tables.cuts, work, state.cut_q, state.cut_rate)
            apply_forces(tables, work, t, q, v, state.cut_q, state.cut_rate, w.law_input, w.out, w.power)
        for k in range(w.extra.size):
            work.tau[k] = w.extra[k] + (work.tau[k] if w.needs_world else 0.0)
        failed = inward_inertias(tree, work, q)
        outward_accelerations(tree, work, q, v, vd)
        if w.loops.g.size > 0:
            factor_loops(tables, work, w.loops, q, state.cut_q, w.rank_tolerance)
            constrain(tables, work, w.loops, vd)
        # in a singular position: once more, where the vanished rows are back
        w.loops.rank[LOOKED_AHEAD] = attempt
        ahead = lookahead(v, w.loops.dof_unit)
        if w.loops.rank[RANK_NOW] >= w.loops.rank[RANK_LARGEST] or ahead == 0.0:
            break
        displace(tree, q, v, ahead, w.ahead)
        q = w.ahead
    add_given_power(tables, work, w.loops.lam, w.power)
    if tree.grounds > 1:
        add_ground_power(tables, work, q, vd, w.loops, w.power)
    return store_rate(tree, steps, state, steps.trial, v, w.power, failed)


@small
def accept(tables, w, steps, state, t):
    """The state moves to steps.trial at time t and is stabilised; its rate, reactions and rank are kept."""
    take_trial(steps, state, t)
    renew_given(tables.cuts, w.tree, state.cut_q, t)
    if w.loops.g.size > 0:
        cut_reactions(tables.cuts, w.tree, w.loops, state.cut_force)
        state.count[RANK] = w.loops.rank[RANK_NOW]
        close_loops(tables, w.tree, w.loops, state, w.stabilize and w.loops.rank[LOOKED_AHEAD] == 0)


@entry
def run(tables, w, state, begin, first, h, steps, every, samples):
    """`advance` with the evaluation of this file."""
    return advance(evaluate, accept, tables, w, w.steps, state, begin, first, h, steps, every, samples)
