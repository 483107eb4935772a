"""What a step of the impulse methods works in: tables, rows, contacts, solver, and what is carried to the next step."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork.contact.scratch import ContactScratch, make_contact_scratch
from linkwork.contact.table import Contacts, make_contacts
from linkwork.formulations.impulse.audit.contact_audit import ContactAudit, make_audit
from linkwork.formulations.impulse.kinds.drag_rows import Drags, make_drags
from linkwork.formulations.impulse.motion.free_bodies import FreeBodies, free_bodies
from linkwork.formulations.impulse.motion.given_work import GivenLoads, make_given_loads
from linkwork.formulations.impulse.motion.joint_response import joint_responses
from linkwork.formulations.impulse.motion.unforced import Unforced, make_unforced
from linkwork.formulations.impulse.rest.islands import make_islands
from linkwork.formulations.impulse.rest.sleeping import Sleep, make_sleep
from linkwork.formulations.impulse.rows.row_table import RowTable, row_table
from linkwork.formulations.impulse.rows.rows import PERSISTENT_SLOTS, RowWork, row_work
from linkwork.formulations.impulse.solver.restitution import Bounces, make_bounces
from linkwork.formulations.impulse.solver.row_solver import RowSolver, row_solver
from linkwork.mechanics.forces.laws import law_scratch
from linkwork.mechanics.tree.impulses import ImpulsePath, make_impulse_path
from linkwork.mechanics.tree.workspace import TreeWork, tree_work


class CutLoads(NamedTuple):
    """Loads of the cuts as `cut_reactions` and `ground_power` read them; shares its arrays with `RowWork`."""

    W: Any  # (cut row, 6) wrenches: torque about the world's origin, force
    lam: Any  # (cut row,) N or N m, multipliers
    dq: Any  # (dof,) scratch of ground_power


class Workspace(NamedTuple):
    """Memory of the methods impulse and maximal. Functions of step.py write it unless said otherwise."""

    # made once
    tables: Any  # of the system; dof_armature is a copy, with springs and dampers added by free_motion
    position_iterations: int
    has_trees: bool  # whether joints have coordinates
    has_rows: bool  # whether there can be rows, besides drags
    needs_poses: bool  # whether something depends on where the links are in the world
    table: RowTable
    joint_armature: Any  # (dof,) kg or kg m2, of the joints themselves
    coil_response: Any  # (coil of RowTable.coil_dof,) 1/kg or 1/(kg m2), how far its joint gives way; an estimate
    # scratch
    tree: TreeWork  # written by mechanics
    rows: RowWork
    solver: RowSolver
    path: ImpulsePath  # written by mechanics.impulses
    contact_scratch: ContactScratch  # written by contact
    loads: CutLoads
    v_next: Any  # (dof,) joint velocities at the end of the step: (7) after forces, then with impulses
    v_next_own: Any  # (link, 6) velocities of the links that go with it, own axes; store_loads keeps loads in it
    v_next_world: Any  # (link, 6) m/s, rad/s, world axes
    v_plus: Any  # (dof,) v_next and the pseudo velocity, (9)
    coasting: Any  # (link, 6) accelerations of the links with all joint accelerations zero, world axes
    unforced: Unforced  # written by unforced.py
    dv: Any  # (dof,) change of v by impulses; accelerations in free_motion
    v_mid: Any  # (dof,) mean of the velocities before and after the step
    free_bodies: FreeBodies
    expected: Any  # (link, 6) m/s, rad/s, world axes: velocities after the step if rows act as in the last one
    velocity_bias: Any  # (cut row,) m/s or rad/s, rates of rows at the step's start to vanish at its end
    bend_found: Any  # (cut row,) the same for the velocities that came out
    gap: Any  # (cut row,) m or rad, at the new positions
    wrench: Any  # (cut row, 6) there
    law_input: Any  # (16 + seen,) arguments of user functions; written by mechanics.laws
    out: Any  # (4,) their values
    power: Any  # (account,) W wasted and fed in by forces
    energy: Any  # (account,) J wasted and fed in by the step
    lead: Any  # (account,) J, what springs hold where their rule keeps energies, beyond that at the step's end
    # kept from step to step
    led: Any  # (account,) J, the same of the last step
    met: Any  # (part,) of the union-find of parts that contacts have ever pressed together; written by store_energy
    given: GivenLoads  # written by given_work
    row_vd: Any  # (dof,) part of the last accelerations that rows made
    drags: Drags  # written by simulation
    contacts: Contacts  # written by contact; impulses by store_impulses
    audit: ContactAudit  # written by contact_audit
    bounces: Bounces  # scratch; written by restitution
    sleep: Sleep  # written by sleeping
    persistent: Any  # (12,) slots in rows.py: of the last step its length (s), flags; the rest of one step


def workspace(tables: Any, method: Any) -> Workspace:
    """Memory for the tables of one system and the options of a method."""
    contacts = tables.colliders.capacity
    tree, forces = tables.tree, tables.forces
    nv, links, cut_rows = tree.dof_link.size, tree.link_parent.size, tables.cuts.row_kind.size
    own = tables._replace(tree=tree._replace(dof_armature=tree.dof_armature.copy()))
    table = row_table(tables)
    rows = row_work(tables, table, contacts)
    islands = make_islands(tree, contacts)
    between_links = [tables.cuts.cut_a, forces.spring_a, forces.bushing_a, forces.load_law]
    between_links += [forces.tyre_link, forces.rotor_link, tables.drives.cone_a, tables.drives.ball_friction_a]
    return Workspace(
        tables=own,
        position_iterations=int(method.position_iterations) if cut_rows else 0,
        has_trees=method.coordinates == "joint",
        has_rows=bool(table.first_drag or contacts),
        needs_poses=bool(sum(a.size for a in between_links) or contacts or tree.grounds > 1),
        table=table,
        joint_armature=tree.dof_armature.copy(),
        coil_response=joint_responses(tables, forces.coil_coordinate[table.coil_dof]),
        tree=tree_work(tables),
        rows=rows,
        solver=row_solver(method, rows.code.size, rows.u.shape[1], tree, islands),
        path=make_impulse_path(nv, rows.coordinate.shape[1]),
        contact_scratch=make_contact_scratch(tables.colliders),
        loads=CutLoads(rows.cut_wrench, rows.cut_load, np.zeros(nv)),
        v_next=np.zeros(nv),
        v_next_own=np.zeros((links, 6)),
        v_next_world=np.zeros((links, 6)),
        v_plus=np.zeros(nv),
        coasting=np.zeros((links, 6)),
        unforced=make_unforced(tree),
        dv=np.zeros(nv),
        v_mid=np.zeros(nv),
        free_bodies=free_bodies(tree),
        expected=np.zeros((links, 6)),
        velocity_bias=np.zeros(cut_rows - tables.cuts.coupling_law.size),
        bend_found=np.zeros(cut_rows - tables.cuts.coupling_law.size),
        gap=np.zeros(cut_rows),
        wrench=np.zeros((cut_rows, 6)),
        law_input=law_scratch(tables.laws),
        out=np.zeros(4),
        power=np.zeros(tree.accounts),
        energy=np.zeros(tree.accounts),
        lead=np.zeros(tree.accounts),
        led=np.zeros(tree.accounts),
        met=np.arange(tree.accounts // 2),
        given=make_given_loads(tables),
        row_vd=np.zeros(nv),
        drags=make_drags(),
        contacts=make_contacts(contacts, tables.colliders.has_moments),
        audit=make_audit(contacts, tree.accounts // 2),
        bounces=make_bounces(contacts),
        sleep=make_sleep(tables, method, islands),
        persistent=np.zeros(PERSISTENT_SLOTS),
    )
