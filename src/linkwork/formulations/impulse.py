"""[MST17] SIMGC: articulated bodies, semi-implicit Euler, and impulses for all that holds, limits, drives or rubs.

The algorithm of section 4, steps 1-8; figures 1-3 are in mechanics (articulated, impulses, respond), the rows in
rows.py, the loop over them in row_solver.py. Springs are soft rows [STT17]; those on single dofs are eliminated: (13)
with its impulse taken out is the mass matrix plus dt c + dt^2 k.

    ahead   q̇ of (7), after forces and before impulses            plus    pseudo velocities q̇' of (9)

Where the paper corrects positions with the rows of the step's start, `position_iterations` looks at the new positions
and corrects them there, with the same effective masses (Newton's method, simplified), until the loops are closed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from linkwork._jit import entry, kernel
from linkwork.contact.table import Contacts, make_contacts
from linkwork.formulations.loops import cut_reactions
from linkwork.formulations.record import keep_row
from linkwork.formulations.row_solver import RowSolver, factor_rows, row_solver, solve_rows
from linkwork.formulations.rows import (
    COIL,
    CONTACT,
    CUT,
    DRAG,
    FRICTION,
    LIMIT,
    LINE,
    MOTOR,
    REPEATER,
    RUBBING,
    Drags,
    RowTable,
    RowWork,
    add_impulse,
    clipped_rows,
    keep_impulses,
    lasting_rows,
    make_drags,
    rate_change,
    recall_impulses,
    repeater_gap,
    row_table,
    row_work,
)
from linkwork.formulations.stepping import NOT_FINITE, SINGULAR, copy, finite, largest
from linkwork.mechanics.articulated import inward_inertias, outward_accelerations, outward_velocities
from linkwork.mechanics.forces import apply_laws, clear_loads, push_link
from linkwork.mechanics.grounds import move_grounds
from linkwork.mechanics.impulses import Hands, make_hands
from linkwork.mechanics.kinematics import outward_poses, velocities_of, world_velocities
from linkwork.mechanics.motions import displace
from linkwork.mechanics.parts import cut_frames, measure_cuts, measure_wrench, row_values
from linkwork.mechanics.power import ground_power
from linkwork.mechanics.respond import outward_response
from linkwork.mechanics.workspace import TreeWork, tree_work
from linkwork.spatial.vectors import add_pair, load_pair, scale

SUPPORTS = frozenset(
    {"loops", "redundant", "distances", "moving grounds", "armature", "limits", "friction", "motors", "repeaters"}
)
CLOSED = 1e-12  # m or rad: loops that are closed this well are left alone


@dataclass(frozen=True, kw_only=True)
class Impulse:
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
    integrator: ClassVar[str] = "semi-implicit"
    pushes: ClassVar[bool] = True

    dt: float = 1e-3
    solver: str = "direct"
    epsilon: float = 1e-6
    iterations: int = 50
    position_iterations: int = 2
    rank_tolerance: float = 1e-10

    def prepare(self, tables: Any) -> Workspace:
        """Scratch and carried memory for the tables of one system."""
        return workspace(tables, self)

    def run(self, _tables: Any, *arguments: Any) -> Any:
        """The compiled loop of this method; the workspace has its own tables."""
        return run(*arguments)


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
    hands: Hands
    drags: Drags
    contacts: Contacts
    loads: CutLoads
    armature: Any  # (dof,) of the joints themselves
    ahead: Any  # (dof,)
    ahead_own: Any  # (link, 6) velocities of the links that go with it, own axes
    ahead_v: Any  # (link, 6) world axes
    dv: Any  # (dof,)
    plus: Any
    gap: Any  # (cut row,) at the new positions
    wrench: Any  # (cut row, 6) there
    carried: Any  # (2,) lengths of the last step and of the one that the armatures are made for
    told: Any
    out: Any
    power: Any


def workspace(tables: Any, method: Any, contacts: int = 0) -> Workspace:
    tree, forces = tables.tree, tables.forces
    nv, links, cut_rows = tree.dof_link.size, tree.link_parent.size, tables.cuts.row_kind.size
    own = tables._replace(tree=tree._replace(dof_armature=tree.dof_armature.copy()))
    table = row_table(tables)
    rows = row_work(tables, table, contacts)
    apart = (tables.cuts.cut_a, forces.spring_a, forces.load_law, forces.tyre_link, forces.rotor_link)
    return Workspace(
        tables=own,
        position_iterations=int(method.position_iterations),
        world=bool(sum(a.size for a in apart) or contacts or tree.grounds > 1),
        tree=tree_work(tree),
        table=table,
        rows=rows,
        solver=row_solver(method, rows.code.size, nv),
        hands=make_hands(nv),
        drags=make_drags(),
        contacts=make_contacts(contacts),
        loads=CutLoads(rows.cut_wrench, rows.cut_load, np.zeros(nv)),
        armature=tree.dof_armature.copy(),
        ahead=np.zeros(nv),
        ahead_own=np.zeros((links, 6)),
        ahead_v=np.zeros((links, 6)),
        dv=np.zeros(nv),
        plus=np.zeros(nv),
        gap=np.zeros(cut_rows),
        wrench=np.zeros((cut_rows, 6)),
        carried=np.zeros(2),
        told=np.zeros(16),
        out=np.zeros(4),
        power=np.zeros(2),
    )


@kernel
def in_world(w):
    """Whether anything needs poses in the world."""
    if w.world:
        return True
    for e in range(w.drags.link.size):
        if w.drags.link[e] >= 0:
            return True
    return False


@kernel
def look(w, state, t, q, v):
    """Where everything is at time t, and how it moves."""
    tree = w.tables.tree
    if tree.grounds > 1:
        move_grounds(tree, w.tables.laws, w.tree, t, w.told, w.out)
    outward_velocities(tree, w.tree, q, v)
    if in_world(w):
        outward_poses(tree, w.tree)
        world_velocities(tree, w.tree)
        measure_cuts(w.tables.cuts, w.tree, state.cut_q, state.cut_rate)


@kernel
def free_motion(w, state, t, h, q, v):
    """Steps 1-3: velocities after a step of h under all forces, in w.ahead; returns 0 or a status."""
    tree = w.tables.tree
    forces = w.tables.forces
    work = w.tree
    if w.carried[1] != h:
        w.carried[1] = h
        copy(w.armature, tree.dof_armature)
        for e in range(w.table.coil_dof.size):
            s = w.table.coil_dof[e]
            k = forces.coil_k[s] if forces.coil_q[s] >= 0 else 0.0
            tree.dof_armature[forces.coil_coordinate[s]] += h * (forces.coil_c[s] + h * k)
    clear_loads(work, w.power)
    for e in range(w.table.coil_dof.size):
        s = w.table.coil_dof[e]
        k = forces.coil_coordinate[s]
        Q = -forces.coil_c[s] * v[k]
        if forces.coil_q[s] >= 0:
            Q -= forces.coil_k[s] * (q[forces.coil_q[s]] + h * v[k] - forces.coil_rest[s])
        work.tau[k] += Q
    apply_laws(w.tables, work, t, q, v, state.cut_q, state.cut_rate, w.told, w.out, w.power)
    failed = inward_inertias(tree, work, q)
    outward_accelerations(tree, work, q, v, w.dv)
    for k in range(v.size):
        w.ahead[k] = v[k] + h * w.dv[k]  # (7)
    if in_world(w):
        velocities_of(tree, work, q, w.ahead, w.ahead_own, w.ahead_v)
    return SINGULAR + failed - 1 if failed > 0 else 0


@kernel
def impulses(w, state, t, h, q, v):
    """Steps 4-7: w.ahead becomes the velocity after the impulses, w.plus the pseudo velocity."""
    rows = w.rows
    s = w.solver
    lasting_rows(w, state, t, h, q, v, w.ahead)
    clipped_rows(w, state, t, h, q, v, w.ahead)
    n = rows.count[0]
    for k in range(v.size):
        w.plus[k] = 0.0
    state.effort[0] = 0.0
    state.effort[1] = 0.0
    state.effort[2] = n
    if n == 0:
        return
    recall_impulses(rows, h / w.carried[0] if w.carried[0] > 0.0 else 0.0)
    factor_rows(w, h)
    for r in range(n):
        s.b[r] = rows.want[r] - rows.rate[r]
    sweeps, worst = solve_rows(w, s.b, rows.low, rows.high, rows.p)
    apply_impulses(w, q, rows.p, w.dv)
    for k in range(v.size):
        w.ahead[k] += w.dv[k]
    # gaps: by pseudo impulses, but for those that are closed at the new positions
    some = False
    for r in range(n):
        s.b[r] = rows.shift[r]
        if w.position_iterations > 0 and (rows.code[r] == CUT or rows.code[r] == REPEATER):
            s.b[r] = 0.0
        some = some or s.b[r] != 0.0
    if some:
        more, far = solve_rows(w, s.b, rows.shift_low, rows.shift_high, rows.pseudo)
        apply_impulses(w, q, rows.pseudo, w.plus)
        sweeps = max(sweeps, more)
        worst = max(worst, far)
    state.effort[0] = sweeps
    state.effort[1] = worst


@kernel
def apply_impulses(w, q, p, dv):
    """dv: change of the joint velocities by the impulses p of all rows (figure 3)."""
    for k in range(dv.size):
        dv[k] = 0.0
    for r in range(w.rows.count[0]):
        if p[r] != 0.0:
            add_impulse(w.table, w.rows, r, p[r], dv)
    tree = w.tables.tree
    outward_response(tree, w.tree, q, tree.grounds, tree.link_parent.size, dv)


@kernel
def close_loops(w, state, t, q, v):
    """Positions q at time t onto the loops, by the effective masses at hand; returns sweeps."""
    rows = w.rows
    s = w.solver
    tree = w.tables.tree
    sweeps = 0
    for _round in range(w.position_iterations):
        look(w, state, t, q, v)
        row_values(w.tables.cuts, w.tree, state.cut_q, w.gap, w.wrench)
        worst = largest(w.gap)
        for r in range(rows.count[0]):
            s.b[r] = 0.0
            rows.pseudo[r] = 0.0
            if rows.code[r] == CUT:
                s.b[r] = -w.gap[rows.name[r]]
            elif rows.code[r] == REPEATER:
                s.b[r] = -repeater_gap(w, rows.name[r] - w.table.first[REPEATER], q, state.cut_q)
                worst = max(worst, abs(s.b[r]))
        if not worst > CLOSED:
            break
        more, _ = solve_rows(w, s.b, rows.shift_low, rows.shift_high, rows.pseudo)
        apply_impulses(w, q, rows.pseudo, w.plus)
        displace(tree, q, w.plus, 1.0, q)
        sweeps += more
    return sweeps


# ---- what the impulses were ------------------------------------------------------------------------------------------


@kernel
def tell(w, state, h, q, v):
    """Accelerations, loads of the cuts and of what no table knows, for this step."""
    rows = w.rows
    work = w.tree
    for k in range(v.size):
        state.vd[k] = (w.ahead[k] - v[k]) / h
    for e in range(rows.cut_load.size):
        rows.cut_load[e] = 0.0
    for i in range(state.push.shape[0]):
        for e in range(6):
            state.push[i, e] = 0.0
    for r in range(rows.count[0]):
        code = rows.code[r]
        name = rows.name[r]
        p = rows.p[r] / h
        if code == CUT:
            rows.cut_load[name] = p
        elif code == DRAG or code == CONTACT or code == RUBBING:
            n, f = load_pair(rows.wrench, r)
            add_pair(state.push, rows.ends[r, 1], scale(p, n), scale(p, f))
            add_pair(state.push, rows.ends[r, 0], scale(-p, n), scale(-p, f))
        elif code == MOTOR:
            push_coordinate(w, state, w.tables.drives.motor_coordinate[name - w.table.first[MOTOR]], p)
        elif code == LIMIT:
            e = name - w.table.first[LIMIT]
            sign = 1.0 if e % 2 == 0 else -1.0
            push_coordinate(w, state, w.tables.drives.limit_coordinate[e // 2], sign * p)
        elif code == FRICTION:
            push_coordinate(w, state, w.tables.drives.friction_coordinate[name - w.table.first[FRICTION]], p)
        elif code == REPEATER:
            e = name - w.table.first[REPEATER]
            push_coordinate(w, state, w.tables.drives.repeater_coordinate[e, 1], p)
            push_coordinate(w, state, w.tables.drives.repeater_coordinate[e, 0], -p * w.tables.drives.repeater_ratio[e])
    if rows.cut_load.size > 0:
        cut_reactions(w.tables.cuts, work, w.loads, state.cut_force)
    if w.tables.tree.grounds > 1:
        # springs are rows here, but their loads on moving grounds count
        for r in range(rows.count[0]):
            if rows.code[r] == LINE:
                n, f = load_pair(rows.wrench, r)
                p = rows.p[r] / h
                push_link(work, rows.ends[r, 1], scale(p, n), scale(p, f))
                push_link(work, rows.ends[r, 0], scale(-p, n), scale(-p, f))
            elif rows.code[r] == COIL:
                push_coordinate_on_links(w, r, h, v)
        for i in range(state.push.shape[0]):
            n, f = load_pair(state.push, i)
            push_link(work, i, n, f)
        w.power[1] += ground_power(w.tables, work, q, state.vd, w.loads)


@kernel
def push_coordinate(w, state, c, Q):
    """The joint force Q on a coordinate of a cut, as loads on the links; those on dofs are the joint's own affair."""
    nv = state.vd.size
    if c < nv:
        return
    n, f, a, b = coordinate_wrench(w, c - nv)
    add_pair(state.push, b, scale(Q, n), scale(Q, f))
    add_pair(state.push, a, scale(-Q, n), scale(-Q, f))


@kernel
def push_coordinate_on_links(w, r, h, v):
    """Loads on the links of a spring that is a row on a cut's coordinate."""
    c = w.tables.forces.coil_coordinate[w.table.coil_row[w.rows.name[r] - w.table.first[COIL]]]
    if c >= v.size:
        n, f, a, b = coordinate_wrench(w, c - v.size)
        Q = w.rows.p[r] / h
        push_link(w.tree, b, scale(Q, n), scale(Q, f))
        push_link(w.tree, a, scale(-Q, n), scale(-Q, f))


@kernel
def coordinate_wrench(w, s):
    """Wrench of the rate s of a cut, and its links a and b."""
    cuts = w.tables.cuts
    cut = w.table.rate_cut[s]
    R_a, _, R_b, p_b = cut_frames(cuts, w.tree, cut)
    n, f = measure_wrench(cuts, w.table.rate_measure[s], w.table.rate_part[s], R_a, R_b, p_b)
    return n, f, cuts.cut_a[cut], cuts.cut_b[cut]


@kernel
def book(w, h, v):
    """Energy wasted and fed in during the step; impulses work along the mean of a row's rates before and after."""
    rows = w.rows
    forces = w.tables.forces
    x = w.solver.x
    wasted = 0.0
    fed = h * w.power[1]
    for k in range(x.size):
        x[k] = 0.0
    for r in range(rows.count[0]):
        add_impulse(w.table, rows, r, rows.p[r], x)
    for r in range(rows.count[0]):
        code = rows.code[r]
        if code == CUT or code == REPEATER:
            continue
        rate = rows.rate[r] + rate_change(w.table, rows, r, x)
        if code == LINE:
            wasted += h * (rows.pending[r, 0] + rows.waste[r] * rate) * rate
            fed -= h * rows.pending[r, 1] * rate
        elif code == COIL:
            wasted += h * rows.waste[r] * rate * rate
        elif code == MOTOR or code == DRAG:
            fed += 0.5 * rows.p[r] * (rows.old[r] + rate)
        else:
            wasted -= 0.5 * rows.p[r] * (rows.old[r] + rate)
    for e in range(w.table.coil_dof.size):
        s = w.table.coil_dof[e]
        rate = w.ahead[forces.coil_coordinate[s]]
        wasted += h * forces.coil_c[s] * rate * rate
    return wasted, fed


@kernel
def step(w, state, t, h):
    """One step from t to t + h; what `look` sees must be of the present state, and is of the new one afterwards."""
    tree = w.tables.tree
    nv = state.vd.size
    nq = state.y.size - nv - 2
    q = state.y[:nq]
    v = state.y[nq : nq + nv]
    status = free_motion(w, state, t, h, q, v)
    if status != 0:
        return status
    impulses(w, state, t, h, q, v)
    tell(w, state, h, q, v)
    wasted, fed = book(w, h, v)
    keep_impulses(w.rows, w.contacts)
    w.carried[0] = h
    for k in range(nv):
        v[k] = w.ahead[k]
        w.plus[k] += v[k]
    displace(tree, q, w.plus, h, q)  # (9)
    if w.rows.count[0] > 0 and w.position_iterations > 0:
        sweeps = close_loops(w, state, t + h, q, v)
        if not w.solver.direct:
            state.effort[0] += sweeps
    state.y[nq + nv] += wasted
    state.y[nq + nv + 1] += fed
    state.t[0] = t + h
    state.count[0] += 1
    state.count[1] = w.solver.rank[0]
    state.effort[3] += state.effort[0]
    state.effort[4] = max(state.effort[4], state.effort[1])
    if state.effort[1] > w.solver.epsilon:
        state.effort[5] += 1.0
    return 0 if finite(state.y) and finite(state.vd) else NOT_FINITE


@kernel
def settle(w, state, t, h):
    """The start: what a step would do to the velocities, without doing it."""
    nv = state.vd.size
    nq = state.y.size - nv - 2
    q = state.y[:nq]
    v = state.y[nq : nq + nv]
    look(w, state, t, q, v)
    status = free_motion(w, state, t, h, q, v)
    if status != 0:
        return status
    impulses(w, state, t, h, q, v)
    tell(w, state, h, q, v)
    state.count[1] = w.solver.rank[0]
    state.t[0] = t
    return 0 if math.isfinite(largest(state.vd)) else NOT_FINITE


@entry
def run(w, state, begin, first, h, steps, every, rows):
    """`steps` steps of h from the step numbered `first` of a run that began at `begin`; see `stepping.advance`."""
    nv = state.vd.size
    nq = state.y.size - nv - 2
    kept = 0
    if first >= 0:
        look(w, state, begin + first * h, state.y[:nq], state.y[nq : nq + nv])
    for n in range(first + 1, first + steps + 1):
        copy(state.y, state.last)
        if n == 0:
            status = settle(w, state, begin, h)
        else:
            status = step(w, state, begin + (n - 1) * h, h)
            state.t[0] = begin + n * h
        if status != 0:
            return n - 1 - first, kept, status
        if n > 0:
            look(w, state, begin + n * h, state.y[:nq], state.y[nq : nq + nv])
        if n % every == 0:
            keep_row(state, rows, kept)
            kept += 1
    return steps, kept, 0
