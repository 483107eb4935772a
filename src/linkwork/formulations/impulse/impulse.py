"""[MST17] SIMGC: articulated bodies, semi-implicit Euler, and impulses for all that holds, limits, drives or rubs.

The algorithm of section 4, steps 1-8; figures 1-3 are in mechanics (articulated, impulses, respond), the rows in
rows.py, the loop over them in row_solver.py. Springs are soft rows [STT17]; those on single dofs are eliminated: (13)
with its impulse taken out is the mass matrix plus dt c + dt^2 k.

    ahead   q̇ of (7), after forces and before impulses            plus    velocity and pseudo velocity of (9)

Where the paper corrects positions with the rows of the step's start, `position_iterations` looks at the new positions
and corrects them there, with the same effective masses (Newton's method, simplified), until the loops are closed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from linkwork._jit import entry, small
from linkwork.contact.broad_phase import find_contacts
from linkwork.contact.scratch import ContactScratch, make_contact_scratch, warn_of_lost
from linkwork.contact.table import Contacts, make_contacts
from linkwork.formulations.explicit.stepping import copy, finite, opening
from linkwork.formulations.impulse.drag_rows import Drags, dragging, make_drags
from linkwork.formulations.impulse.free_bodies import (
    FreeBodies,
    carry_free_bodies,
    coast_free_bodies,
    free_bodies,
    hold_free_bodies,
    leave_free_bodies,
    spin_free_bodies,
)
from linkwork.formulations.impulse.results import row_energy, store_loads
from linkwork.formulations.impulse.row_algebra import add_impulse
from linkwork.formulations.impulse.row_kinds import make_rows, repeater_gap, stops_kept
from linkwork.formulations.impulse.row_solver import RowSolver, factor_rows, row_solver, solve_rows
from linkwork.formulations.impulse.row_table import CUT, REPEATER, RowTable, row_table
from linkwork.formulations.impulse.rows import (
    ALL_ROWS,
    ARMATURE_STEP,
    END_SEEN,
    LAST_STEP,
    LASTING_ROWS,
    SMOOTH,
    STOPS_TRIED,
    RowWork,
    keep_impulses,
    recall_impulses,
    row_work,
)
from linkwork.formulations.impulse.sliding import guess_sliding, push_sliding, slides_on, sliding_loss
from linkwork.formulations.protocol import Effort, Method, Ran, within
from linkwork.formulations.samples import (
    ALL_SWEEPS,
    EVALUATIONS,
    GAP,
    RANK,
    RESIDUAL,
    ROW_COUNT,
    STEPS_CUT,
    SWEEPS,
    WORST_RESIDUAL,
    keep_sample,
)
from linkwork.formulations.status import NOT_FINITE, SINGULAR, TORN
from linkwork.mechanics.articulated import inward_inertias, outward_accelerations, outward_velocities
from linkwork.mechanics.constraint_rows import measure_cuts, row_values
from linkwork.mechanics.forces import apply_laws, clear_loads
from linkwork.mechanics.grounds import move_grounds
from linkwork.mechanics.impulses import ImpulsePath, make_impulse_path
from linkwork.mechanics.inverse_mass import outward_response
from linkwork.mechanics.kinematics import coasting, outward_poses, velocities_of, world_velocities
from linkwork.mechanics.motions import displace
from linkwork.mechanics.workspace import TreeWork, tree_work

SUPPORTS = frozenset(
    {
        "loops",
        "redundant",
        "distances",
        "moving grounds",
        "armature",
        "limits",
        "friction",
        "motors",
        "repeaters",
        "contact",
    }
)
PUSHES = 8  # sweeps that push bodies apart which overlap
CLOSED = 1e-9  # m or rad: loops that are closed this well are left alone
GAPING = 10.0  # of the size of the model: a cut that is farther open is torn; what is less, impulses may yet close


@dataclass(frozen=True, kw_only=True)
class ImpulseMethod(Method):
    """Options and answers of the two methods that work by impulses."""

    orders: ClassVar[dict[str, int]] = {"semi-implicit": 1}
    integrator: ClassVar[str] = "semi-implicit"
    impulses: ClassVar[bool] = True
    effort: ClassVar[Effort] = "sweeps"
    loop: ClassVar[str] = __name__
    carried: ClassVar[tuple[str, ...]] = (
        *("carried", "rows.kept", "rows.offset"),
        *("contacts.count", "contacts.id", "contacts.point", "contacts.impulse"),
    )

    dt: float = 1e-3
    solver: str = "direct"
    epsilon: float = 1e-6
    iterations: int = 50
    position_iterations: int = 2
    rank_tolerance: float = 1e-10

    def prepare(self, tables: Any, given: Any = None) -> Workspace:
        """Scratch and carried memory for the tables of one system."""
        return workspace(tables, self)

    def run(self, tables, workspace, state, begin, first, dt, steps, every, samples) -> Ran:
        """The compiled loop of these methods; the workspace has its own tables."""
        result = run(workspace, state, begin, first, dt, steps, every, samples)
        warn_of_lost(workspace.contact_scratch)
        return result

    def accepts(self, workspace: Any, name: str, numbers: Any) -> bool:
        """There is room for so many contacts."""
        if name == "contacts.count":
            return within(numbers, len(workspace.contacts.id))
        return super().accepts(workspace, name, numbers)

    def inherit(self, workspace: Any, old: Any) -> None:
        """How far the followers of repeaters were ahead at the start."""
        workspace.rows.offset[:] = old.rows.offset

    @property
    def torn_remedy(self) -> str:
        """Impulses that are solved for at once close joints in one step."""
        return "" if self.solver == "direct" else ", solver='direct'"

    def last_step(self, workspace: Any) -> float:
        """Length of the last step, s."""
        return float(workspace.carried[LAST_STEP])

    def drag_table(self, workspace: Any) -> Drags:
        """Soft rows that drag bodies."""
        return workspace.drags

    def contact_table(self, workspace: Any) -> Contacts:
        """Contacts of the last step."""
        return workspace.contacts

    def limit_sweeps(self, workspace: Any, most: int) -> None:
        """Steps take at most so many sweeps."""
        workspace.solver.iterations[0] = most


@dataclass(frozen=True, kw_only=True)
class Impulse(ImpulseMethod):
    """Impulses on articulated bodies, for real time: limits, motors, friction, springs of any stiffness, loops.

    `dt` in seconds. `solver` is "direct" (what holds always is solved for at once, only clipped impulses are iterated)
    or "sequential" (the paper's loop over all rows). The loop ends when no impulse (N s, N m s) changes by more than
    `epsilon`, or after `iterations` sweeps; the certificate tells how often that was. `position_iterations` close the
    loops at the new positions; 0 corrects them by pseudo velocities, as the paper does.

    >>> lw.Impulse(dt=0.01, solver="sequential", position_iterations=0).epsilon
    1e-06
    """

    name: ClassVar[str] = "impulse"
    supports: ClassVar[frozenset[str]] = SUPPORTS
    coordinates: ClassVar[str] = "joint"


class CutLoads(NamedTuple):
    """Wrenches and multipliers of the cuts, for those who ask what they carry."""

    W: Any
    lam: Any
    dq: Any


class Workspace(NamedTuple):
    tables: Any  # with inertias of springs and dampers among the armatures
    position_iterations: int
    world: bool  # something needs to know where the links are in the world
    tree: TreeWork
    table: RowTable
    rows: RowWork
    solver: RowSolver
    path: ImpulsePath
    drags: Drags
    contacts: Contacts
    contact_scratch: ContactScratch
    loads: CutLoads
    armature: Any  # (dof,) of the joints themselves
    ahead: Any  # (dof,)
    ahead_own: Any  # (link, 6) velocities of the links that go with it, own axes
    ahead_v: Any  # (link, 6) world axes
    coast: Any  # (link, 6) accelerations of the links while no joint changes its rate, world axes
    dv: Any  # (dof,)
    plus: Any
    free: FreeBodies
    gap: Any  # (cut row,) at the new positions
    wrench: Any  # (cut row, 6) there
    carried: Any  # (5,) LAST_STEP and ARMATURE_STEP (s); whether it was SMOOTH; END_SEEN; STOPS_TRIED (all)
    law_input: Any
    out: Any
    power: Any


def workspace(tables: Any, method: Any) -> Workspace:
    contacts = tables.colliders.room
    tree, forces = tables.tree, tables.forces
    nv, links, cut_rows = tree.dof_link.size, tree.link_parent.size, tables.cuts.row_kind.size
    own = tables._replace(tree=tree._replace(dof_armature=tree.dof_armature.copy()))
    table = row_table(tables)
    rows = row_work(tables, table, contacts)
    apart = (tables.cuts.cut_a, forces.spring_a, forces.load_law, forces.tyre_link, forces.rotor_link)
    return Workspace(
        tables=own,
        position_iterations=int(method.position_iterations) if cut_rows + tables.drives.repeater_ratio.size else 0,
        world=bool(sum(a.size for a in apart) or contacts or tree.grounds > 1),
        tree=tree_work(tree),
        table=table,
        rows=rows,
        solver=row_solver(method, rows.code.size, nv, rows.u.shape[1]),
        path=make_impulse_path(nv),
        drags=make_drags(),
        contacts=make_contacts(contacts),
        contact_scratch=make_contact_scratch(tables.colliders),
        loads=CutLoads(rows.cut_wrench, rows.cut_load, np.zeros(nv)),
        armature=tree.dof_armature.copy(),
        ahead=np.zeros(nv),
        ahead_own=np.zeros((links, 6)),
        ahead_v=np.zeros((links, 6)),
        coast=np.zeros((links, 6)),
        dv=np.zeros(nv),
        plus=np.zeros(nv),
        free=free_bodies(tree),
        gap=np.zeros(cut_rows),
        wrench=np.zeros((cut_rows, 6)),
        carried=np.zeros(5),
        law_input=np.zeros(16),
        out=np.zeros(4),
        power=np.zeros(2),
    )


@small
def look(tree, cuts, laws, work, world, law_input, out, state, t, q, v):
    """Where everything is at time t, and how it moves."""
    if tree.grounds > 1:
        move_grounds(tree, laws, work, t, law_input, out)
    outward_velocities(tree, work, q, v)
    if world:
        outward_poses(tree, work)
        world_velocities(tree, work)
        measure_cuts(cuts, work, state.cut_q, state.cut_rate)


@small
def free_motion(w, state, t, h, q, v, world):
    """Steps 1-3: velocities after a step of h under all forces, in w.ahead; returns 0 or a status."""
    tree = w.tables.tree
    forces = w.tables.forces
    work = w.tree
    if w.carried[ARMATURE_STEP] != h:
        w.carried[ARMATURE_STEP] = h
        copy(w.armature, tree.dof_armature)
        for e in range(w.table.coil_dof.size):
            s = w.table.coil_dof[e]
            k = forces.coil_k[s] if forces.coil_q[s] >= 0 else 0.0
            tree.dof_armature[forces.coil_coordinate[s]] += h * (forces.coil_c[s] + h * k)
    clear_loads(work, w.power)
    push_sliding(w.tables.drives, w.rows, work.tau, h)
    for e in range(w.table.coil_dof.size):
        s = w.table.coil_dof[e]
        k = forces.coil_coordinate[s]
        Q = -forces.coil_c[s] * v[k]
        if forces.coil_q[s] >= 0:
            Q -= forces.coil_k[s] * (q[forces.coil_q[s]] + h * v[k] - forces.coil_rest[s])
        work.tau[k] += Q
    apply_laws(w.tables, work, t, q, v, state.cut_q, state.cut_rate, w.law_input, w.out, w.power, None, 0)
    if w.carried[SMOOTH] > 0.0:
        # centrifugal and Coriolis forces half a step ahead, by the acceleration of the last step
        for k in range(v.size):
            w.ahead[k] = v[k] + 0.5 * h * state.vd[k]
        hold_free_bodies(w.free, tree, v, w.ahead)
        outward_velocities(tree, work, q, w.ahead)
    failed = inward_inertias(tree, work, q)
    outward_accelerations(tree, work, q, v, w.dv)
    spin_free_bodies(w.free, tree, q, v, h, w.dv)
    for k in range(v.size):
        w.ahead[k] = v[k] + h * w.dv[k]  # (7)
    if world:
        velocities_of(tree, work, q, w.ahead, w.ahead_own, w.ahead_v)
    return SINGULAR + failed - 1 if failed > 0 else 0


@small
def right_side(w, state, t, q, v, world, stage):
    """b of a stage: velocities, pseudo velocities, positions again and again. False where there is nothing to do.

    Positions are looked at at the time t, the end of the step.
    """
    rows = w.rows
    b = w.solver.b
    n = rows.count[ALL_ROWS]
    if stage == 0:
        for r in range(n):
            b[r] = rows.want[r] - rows.rate[r]
        return n > 0
    for r in range(n):
        b[r] = 0.0
        rows.pseudo[r] = 0.0
    worst = 0.0
    if stage == 1:
        # gaps that are closed at the new positions are left to the stages that come
        for r in range(n):
            code = rows.code[r]
            if w.position_iterations == 0 or (code != CUT and code != REPEATER):
                b[r] = rows.shift[r]
                worst = max(worst, abs(b[r]))
        return worst > 0.0
    look(w.tables.tree, w.tables.cuts, w.tables.laws, w.tree, world, w.law_input, w.out, state, t, q, v)
    row_values(w.tables.cuts, w.tree, state.cut_q, w.gap, w.wrench)
    for r in range(n):
        if rows.code[r] == CUT:
            b[r] = -w.gap[w.table.element[rows.name[r]]]
        elif rows.code[r] == REPEATER:
            b[r] = -repeater_gap(w.tables.drives, rows.offset, w.table.element[rows.name[r]], q, state.cut_q)
        worst = max(worst, abs(b[r]))
    return worst > CLOSED


@small
def apply_impulses(tree, work, rows, q, p, dv):
    """dv: change of the joint velocities by the impulses p of all rows (figure 3)."""
    for k in range(dv.size):
        dv[k] = 0.0
    for r in range(rows.count[ALL_ROWS]):
        if p[r] != 0.0:
            add_impulse(rows, r, p[r], dv)
    outward_response(tree, work, q, tree.grounds, tree.link_parent.size, dv)


@small
def step(w, state, t, h, end, moves, world):
    """One step of h from t to `end` after `look`; unless it `moves` only accelerations and loads are found. A status.

    w.carried[END_SEEN] tells whether `look` has been at the new state.
    """
    tree = w.tables.tree
    rows = w.rows
    s = w.solver
    nv = state.vd.size
    nq = state.y.size - nv - 2
    q = state.y[:nq]
    v = state.y[nq : nq + nv]
    sweeps = 0
    worst = 0.0
    w.carried[END_SEEN] = 0.0
    w.carried[STOPS_TRIED] = 0.0
    guess_sliding(w.tables.drives, w.table, rows, w.carried[LAST_STEP], h, s.direct)
    stage = -1
    while stage < 2 + w.position_iterations:
        if stage < 0:
            status = free_motion(w, state, t, h, q, v, world)
            if status != 0:
                return status
            find_contacts(w.tables.colliders, w.tree, w.ahead_v, w.contact_scratch, w.contacts, h)
            if w.contacts.count[0] > 0:
                coasting(tree, w.tree, w.coast)
                coast_free_bodies(w.free, w.tree, w.coast)
            make_rows(w, state, t, h, q, v)
            opening(w.tables.cuts, rows.gap, state)
            if state.drift[GAP] > GAPING:
                return TORN
            if rows.count[ALL_ROWS] > 0:
                recall_impulses(
                    w.table, rows, w.contacts, h / w.carried[LAST_STEP] if w.carried[LAST_STEP] > 0.0 else 0.0
                )
                factor_rows(rows, s, h)
            stage = 0
        some = right_side(w, state, end, q, v, world, stage)
        p = rows.p if stage == 0 else rows.pseudo
        if some:
            low = rows.low if stage == 0 else rows.shift_low
            high = rows.high if stage == 0 else rows.shift_high
            # overlaps are undone over several steps: no need to be exact about it
            rough = stage == 1 and s.direct and (rows.count[LASTING_ROWS] == 0 or w.position_iterations > 0)
            most = min(s.iterations[0], PUSHES) if rough else s.iterations[0]
            more, far = solve_rows(rows, s, low, high, p, most, stage == 0)
            apply_impulses(tree, w.tree, rows, q, p, w.dv)
            if stage < 2:
                worst = max(worst, s.torn[0])
            if stage < 2 and not rough:
                sweeps = max(sweeps, more)
                worst = max(worst, far)
            elif stage > 1 and not s.direct:
                sweeps += more
        if stage == 0:
            if some:
                for k in range(nv):
                    w.ahead[k] += w.dv[k]
            if not slides_on(w.tables.drives, rows, w.ahead):
                stage = -1
                continue
            if w.carried[STOPS_TRIED] == 0.0 and not stops_kept(
                tree,
                w.tables.cuts,
                w.tables.drives,
                w.tree,
                w.table,
                rows,
                q,
                state.cut_q,
                w.ahead,
                w.ahead_own,
                w.ahead_v,
                h,
            ):
                w.carried[STOPS_TRIED] = 1.0
                stage = -1
                continue
            store_loads(w, state, h, q, v)
            if not moves:
                return 0
            wasted, fed = row_energy(w.tables.forces, w.table, rows, s.x, w.ahead, h)
            fed += h * w.power[1]
            state.y[nq + nv] += wasted + sliding_loss(w.tables.drives, rows, v, w.ahead)
            state.y[nq + nv + 1] += fed
            keep_impulses(w.table, rows, w.contacts)
            w.carried[LAST_STEP] = h
        elif stage == 1:
            for k in range(nv):
                v[k] = w.ahead[k]
                w.plus[k] = v[k] + (w.dv[k] if some else 0.0)
            leave_free_bodies(w.free, tree, q)
            displace(tree, q, w.plus, h, q)  # (9)
            carry_free_bodies(w.free, tree, q, v, w.plus, h)
        else:
            if not some:
                w.carried[END_SEEN] = 1.0
                break
            displace(tree, q, w.dv, 1.0, q)
        stage += 1
    state.count[EVALUATIONS] += 1
    state.count[RANK] = s.rank[0]
    state.effort[SWEEPS] = sweeps
    state.effort[RESIDUAL] = worst
    state.effort[ROW_COUNT] = rows.count[ALL_ROWS]
    state.effort[ALL_SWEEPS] += sweeps
    state.effort[WORST_RESIDUAL] = max(state.effort[WORST_RESIDUAL], worst)
    state.effort[STEPS_CUT] += 1.0 if worst > s.epsilon else 0.0
    return 0


@entry
def run(w, state, begin, first, h, steps, every, samples):
    """`steps` steps of h from the step numbered `first` of a run that began at `begin`; see `stepping.advance`."""
    nv = state.vd.size
    nq = state.y.size - nv - 2
    kept = 0
    world = w.world or dragging(w.drags)
    for i in range(steps + 1):
        n = first + i
        t = begin + max(n, 0) * h
        if i == 0 or w.carried[END_SEEN] == 0.0:
            look(
                w.tables.tree,
                w.tables.cuts,
                w.tables.laws,
                w.tree,
                world,
                w.law_input,
                w.out,
                state,
                t,
                state.y[:nq],
                state.y[nq : nq + nv],
            )
        if i > 0:
            state.t[0] = t
            if not (finite(state.y) and finite(state.vd)):
                return i - 1, kept, NOT_FINITE
            if n % every == 0:
                keep_sample(state, samples, kept)
                kept += 1
        if i < steps:
            copy(state.y, state.last)
            status = step(w, state, t, h, begin + (n + 1) * h, n >= 0, world)
            if status != 0:
                return i, kept, status
    return steps, kept, 0
