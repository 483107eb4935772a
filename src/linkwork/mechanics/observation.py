"""Poses, velocities, reactions, energies and drift of kept states, in one compiled sweep."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from linkwork._jit import entry, kernel
from linkwork.mechanics.attitudes import body_quaternion, turn_links
from linkwork.mechanics.forces.forces import add_stored_energy, add_wrench, apply_laws, apply_springs, clear_loads
from linkwork.mechanics.rows.constraint_rows import cut_frames, measure_accelerations
from linkwork.mechanics.rows.given import move_given
from linkwork.mechanics.rows.row_loads import is_driven_rod, push_coupling
from linkwork.mechanics.rows.rows import has_play, row_rates, row_values
from linkwork.mechanics.tree.composite import add_gravity_energy, add_kinetic_energy, late_energy
from linkwork.mechanics.tree.grounds import place_foreign
from linkwork.mechanics.tree.kinematics import body_pose, body_velocity, place_tree
from linkwork.mechanics.tree.newton_euler import inverse_dynamics
from linkwork.mechanics.tree.workspace import TreeWork
from linkwork.spatial.codes import FREE, HELICAL, SLIDE, SWING, SWING_BACK, TURN
from linkwork.spatial.vectors import add, add_scaled, axis_z, cross, dot, load3, load9, load_pair, neg, rotate, sub


class View(NamedTuple):
    """Where the loads of the joints of the tree are found; made once by the observer."""

    joint_last: Any  # (joint,) link that carries its load
    joint_sign: Any  # (joint,) -1 for a joint walked from b to a
    joint_link_b: Any  # (joint,)
    joint_point: Any  # (joint, 3) m, the joint's point in link b
    joint_start: Any  # (joint + 1,) into joint_link
    joint_link: Any  # links of the joints' motions
    body_sign: Any  # (body,) see `body_signs`
    lone: Any  # (link,) 1 for free bodies that carry no other


class Observation(NamedTuple):
    """What is computed, a sample for each kept state; SI units, world axes. Written by `observe`."""

    body: Any  # (sample, body, 13) position, quaternion, velocity, angular velocity
    reaction: Any  # (sample, joint, 6) force, torque on b at the joint's point
    cut_acceleration: Any  # (sample, rate of a cut)
    energy: Any  # (sample, 3) kinetic, gravity, springs
    part_energy: Any  # (sample, 3, part) the same of each part
    # of methods whose velocities are behind positions, else without rows
    late: Any  # (sample, part) J, by what the energy of each part changed meanwhile
    behind: Any  # (sample, 2) LATE and COASTED of the sample; given
    drift: Any  # (sample, 3) norms of the gaps and of their rates, and of gaps as parts of the size or of a radian
    # what forces do, with the power that each feeds into the mechanism, W; by `apply_springs` and `apply_laws`
    spring: Any  # (sample, spring, 3) length, pull, power
    coil: Any  # (sample, coil, 2) force on the joint coordinate, power
    drive: Any  # (sample, drive, 2) the same
    load: Any  # (sample, load, 4) force or torque, power
    tyre: Any  # (sample, tyre, 8) force, torque, load, power
    rotor: Any  # (sample, rotor, 3) torque
    bushing: Any  # (sample, bushing, 13) force, torque on b; shift, turn of b against a; power


class Scratch(NamedTuple):
    """Memory of `observe`, which writes all of it but `unit`."""

    work: TreeWork
    g: Any  # (row,) gaps of the rows, m or rad
    gd: Any  # (row,) their rates
    W: Any  # (row, 6) their wrenches
    tau: Any  # (dof,) joint forces, N m or N
    law_input: Any  # (16,) what a law is evaluated at
    out: Any  # (4,) what a law returns
    inputs: Any  # (input,) numbers of the tables, put back at the end
    power: Any  # (account,) W wasted and fed in
    coasting: Any  # (link, 6) accelerations of the links while every joint keeps its rate, own axes
    unit: Any  # (row,) what a gap is compared with: the size of the system, m, or 1 rad


@entry
def observe(tables, scratch, view, samples, count, observation):
    """Fill `observation` from the first `count` samples."""
    tree = tables.tree
    cuts = tables.cuts
    work = scratch.work
    nv = tree.dof_link.size
    nq = samples.y.shape[1] - nv - tree.accounts
    laws = tables.laws
    for i in range(laws.input_law.size):
        scratch.inputs[i] = laws.law_param[laws.input_law[i], 0]
    for k in range(count):
        if samples.inputs.shape[0] > 0:
            for i in range(laws.input_law.size):
                laws.law_param[laws.input_law[i], 0] = samples.inputs[k, i]
        q = samples.y[k, :nq]
        v = samples.y[k, nq : nq + nv]
        cut_q = samples.cut_q[k]
        cut_rate = samples.cut_rate[k]
        t = samples.t[k, 0]
        work.since[0] = t
        move_given(tables, work, t, scratch.law_input, scratch.out)
        if tree.grounds > 1:
            place_foreign(tree, work, samples.foreign[k])
        place_tree(tree, work, q, v)
        turn_links(tree, work, q)
        # functions of the user are called here, once a sample
        law_input = scratch.law_input
        clear_loads(work, scratch.power)
        apply_springs(tables, work, t, q, v, cut_q, cut_rate, law_input, scratch.out, scratch.power, observation, k)
        apply_laws(tables, work, t, q, v, cut_q, cut_rate, law_input, scratch.out, scratch.power, observation, k)
        for c in range(cuts.cut_a.size):
            if is_driven_rod(cuts, c):
                continue  # its coupling is below
            _, _, _, p_b = cut_frames(cuts, work, c)
            f = (samples.cut_force[k, c, 0], samples.cut_force[k, c, 1], samples.cut_force[k, c, 2])
            n = (samples.cut_force[k, c, 3], samples.cut_force[k, c, 4], samples.cut_force[k, c, 5])
            n = add(n, cross(p_b, f))
            add_wrench(work, cuts.cut_b[c], n, f)
            add_wrench(work, cuts.cut_a[c], neg(n), neg(f))
        row_values(cuts, work, cut_q, scratch.g, scratch.W)
        for j in range(cuts.coupling_law.size):
            push_coupling(cuts, work, j, samples.cut_force[k, cuts.cut_a.size + j, 0])
        for i in range(samples.push.shape[1]):
            n = (samples.push[k, i, 0], samples.push[k, i, 1], samples.push[k, i, 2])
            f = (samples.push[k, i, 3], samples.push[k, i, 4], samples.push[k, i, 5])
            add_wrench(work, i, n, f)
        inverse_dynamics(tree, work, q, samples.vd[k], scratch.tau)
        measure_accelerations(cuts, work, observation.cut_acceleration[k])
        for j in range(view.joint_last.size):
            joint_reaction(tree, work, view, j, observation.reaction[k, j])
        for b in range(tree.body_link.size):
            observe_body(tree, work, b, view.body_sign, observation.body[k, b])
        parts = observation.part_energy[k]
        for e in range(3):
            observation.energy[k, e] = 0.0
            for part in range(parts.shape[1]):
                parts[e, part] = 0.0
        add_kinetic_energy(tree, work, v, parts[0])
        add_gravity_energy(tree, work, parts[1])
        add_stored_energy(tables, work, t, q, cut_q, scratch.law_input, scratch.out, parts[2])
        for e in range(3):
            for part in range(parts.shape[1]):
                observation.energy[k, e] += parts[e, part]
        if observation.late.shape[0] > 0:
            late_energy(tree, work, view.lone, observation.behind[k], scratch.coasting, observation.late[k])
        row_rates(cuts, work, scratch.gd)
        g = 0.0
        gd = 0.0
        part = 0.0
        for r in range(scratch.g.size):
            g += scratch.g[r] * scratch.g[r]
            part += (scratch.g[r] / scratch.unit[r]) ** 2
            if not has_play(cuts, r) or scratch.g[r] * scratch.gd[r] > 0.0:  # within its play it is free to move
                gd += scratch.gd[r] * scratch.gd[r]
        observation.drift[k, 0] = math.sqrt(g)
        observation.drift[k, 1] = math.sqrt(gd)
        observation.drift[k, 2] = math.sqrt(part)
    for i in range(laws.input_law.size):
        laws.law_param[laws.input_law[i], 0] = scratch.inputs[i]


@kernel
def observe_body(tree, work, b, sign, out):
    """out = pose and velocity of body b; `sign` as for `body_quaternion`."""
    R, x = body_pose(tree, work, b)
    w, u = body_velocity(tree, work, b)
    e = body_quaternion(tree, work, sign, b, R)
    for j in range(3):
        out[j] = x[j]
        out[7 + j] = u[j]
        out[10 + j] = w[j]
    for j in range(4):
        out[3 + j] = e[j]


@kernel
def joint_reaction(tree, work, view, j, out):
    """Force and torque on b from a at the joint's point, world axes, without what the joint's motions let through."""
    i = view.joint_last[j]
    X = load9(work.pose_R, i)
    n, f = load_pair(work.force, i)
    f = rotate(X, f)
    n = add(rotate(X, n), cross(load3(work.pose_p, i), f))
    b = view.joint_link_b[j]
    p_b = add(load3(work.pose_p, b), rotate(load9(work.pose_R, b), load3(view.joint_point, j)))
    n = sub(n, cross(p_b, f))
    for s in range(view.joint_start[j], view.joint_start[j + 1]):
        link = view.joint_link[s]
        motion = tree.link_motion[link]
        if motion == SWING or motion == SWING_BACK or motion == FREE:
            n = (0.0, 0.0, 0.0)
            if motion == FREE:
                f = (0.0, 0.0, 0.0)
        elif motion == TURN or motion == HELICAL:
            z = axis_z(load9(work.pose_R, link))
            n = add_scaled(n, -(dot(n, z) + tree.link_slide[link] * dot(f, z)), z)
        elif motion == SLIDE:
            z = axis_z(load9(work.pose_R, link))
            f = add_scaled(f, -dot(f, z), z)
    for e in range(3):
        out[e] = view.joint_sign[j] * f[e]
        out[3 + e] = view.joint_sign[j] * n[e]
