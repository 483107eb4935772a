"""[MST17] Steps 1-3 of section 4: velocities after a step under all forces, before impulses.

    q v      coordinates and velocities        h    length of the step
    v_next   q̇ of (7), after forces            dv   accelerations

Springs on single dofs are eliminated: their rule (spring_rows.py) without an impulse is the mass matrix plus
w dt c + w^2 dt^2 k.
"""

from __future__ import annotations

from linkwork._jit import kernel, small
from linkwork.formulations.impulse.kinds.sliding import apply_sliding
from linkwork.formulations.impulse.kinds.spring_rows import end_weight
from linkwork.formulations.impulse.motion.free_bodies import keep_free_velocities, spin_at_midpoint
from linkwork.formulations.impulse.motion.given_work import note_given, note_joint_forces, note_tyres
from linkwork.formulations.impulse.motion.midpoint import EXACT, ROUNDS, SLOW, unsettled_midpoint
from linkwork.formulations.impulse.motion.unforced import accelerate_weightless
from linkwork.formulations.impulse.rows.rows import ARMATURE_STEP, COASTING, SMOOTH, SPIN_ROUNDS, UNSETTLED
from linkwork.formulations.status import SINGULAR
from linkwork.mechanics.forces.forces import apply_given, apply_tyres, clear_loads
from linkwork.mechanics.tree.articulated import accelerate
from linkwork.mechanics.tree.kinematics import velocities_of
from linkwork.numerics.arrays import clear, copy


@small
def forward_dynamics(w, state, h, q, v):
    """Accelerations under the loads in w.tree, in w.dv, velocity-dependent forces at the midpoint; 0 or 1 + a link."""
    tree = w.tables.tree
    work = w.tree
    if w.persistent[COASTING] > 0.0:
        return coasting_dynamics(w, h, q, v)
    failed = 0
    clear(w.unforced.half)
    smooth = w.persistent[SMOOTH] > 0.0
    known = w.persistent[SPIN_ROUNDS] > 0.0  # the velocities after the step, by the round before
    for k in range(v.size):
        w.v_mid[k] = v[k] + 0.5 * h * state.vd[k] if smooth else v[k]
        if known:
            w.v_mid[k] = 0.5 * (v[k] + w.v_next[k])
    keep_free_velocities(w.free_bodies, tree, v, w.v_mid)
    exact = SLOW
    for _round in range(ROUNDS):
        failed = accelerate(tree, work, q, w.v_mid, w.dv)
        w.persistent[UNSETTLED] = unsettled_midpoint(tree, work, w.free_bodies, v, w.dv, w.row_vd, h, w.v_mid)
        if w.persistent[UNSETTLED] <= exact:
            break
        exact = EXACT
    spin_at_midpoint(w.free_bodies, tree, q, v, h, w.row_vd, w.dv)
    return failed


@kernel
def coasting_dynamics(w, h, q, v):
    """The same for a tree that coasts after the step's forces: accelerations of its mean rates; sets w.coast.half."""
    tree = w.tables.tree
    half = w.unforced.half
    clear(w.v_mid)
    accelerate_weightless(tree, w.tree, q, w.v_mid, w.has_rows, w.dv)
    for k in range(v.size):
        half[k] = w.dv[k]
        w.v_mid[k] = v[k] + h * (w.dv[k] + w.row_vd[k])
    keep_free_velocities(w.free_bodies, tree, v, w.v_mid)
    failed = accelerate(tree, w.tree, q, w.v_mid, w.dv)
    for k in range(v.size):
        a = w.dv[k] - half[k] if w.free_bodies.dof[k] == 0 else 0.0
        half[k] = 0.5 * h * a
        w.dv[k] -= 0.5 * a
    w.persistent[UNSETTLED] = 0.0
    spin_at_midpoint(w.free_bodies, tree, q, v, h, w.row_vd, w.dv)
    return failed


@small
def coil_stiffness(forces, s):
    """That of a spring on a joint; a damper alone has none."""
    return forces.coil_k[s] if forces.coil_q[s] >= 0 else 0.0


@small
def free_motion(w, state, t, h, q, v, world):
    """Steps 1-3: velocities after a step of h under all forces, in w.v_next; returns 0 or a status."""
    tree = w.tables.tree
    forces = w.tables.forces
    work = w.tree
    if w.persistent[ARMATURE_STEP] != h:
        w.persistent[ARMATURE_STEP] = h
        copy(w.joint_armature, tree.dof_armature)
        for e in range(w.table.coil_dof.size):
            s = w.table.coil_dof[e]
            k = coil_stiffness(forces, s)
            a = end_weight(k, forces.coil_c[s], w.coil_response[e], h)
            tree.dof_armature[forces.coil_coordinate[s]] += h * a * (forces.coil_c[s] + a * h * k)
    clear_loads(work, w.power)
    apply_sliding(w.tables.drives, w.rows, work.tau, h)
    for e in range(w.table.coil_dof.size):
        s = w.table.coil_dof[e]
        k = forces.coil_coordinate[s]
        Q = -forces.coil_c[s] * v[k]
        if forces.coil_q[s] >= 0:
            a = end_weight(coil_stiffness(forces, s), forces.coil_c[s], w.coil_response[e], h)
            Q -= forces.coil_k[s] * (q[forces.coil_q[s]] + (2.0 * a - 1.0) * h * v[k] - forces.coil_rest[s])
        work.tau[k] += Q
    note_joint_forces(w.given, work)
    apply_given(w.tables, work, t, q, v, state.cut_q, state.cut_rate, w.law_input, w.out, w.power, None, 0)
    note_given(w.given, w.tables, work, v, w.power)
    apply_tyres(w.tables, work, t, w.law_input, w.out, w.power, None, 0)
    note_tyres(w.given, w.power)
    failed = forward_dynamics(w, state, h, q, v)
    for k in range(v.size):
        w.v_next[k] = v[k] + h * w.dv[k]  # (7)
    if world:
        velocities_of(tree, work, q, w.v_next, w.v_next_own, w.v_next_world)
    return SINGULAR + failed - 1 if failed > 0 else 0
