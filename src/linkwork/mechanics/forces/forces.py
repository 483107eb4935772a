"""Force elements: springs, bushings, coils on joint coordinates, laws, tyres, rotors; what they store."""

from __future__ import annotations

from linkwork._jit import kernel, small
from linkwork.mechanics.accounts import (
    DISSIPATED,
    SUPPLIED,
    book,
    clear_power,
    last_up_to,
    part_between,
    part_of_coordinate,
)
from linkwork.mechanics.forces.bushings import bushing_energy, bushing_wrench
from linkwork.mechanics.forces.laws import evaluate
from linkwork.mechanics.forces.signals import look
from linkwork.mechanics.forces.springs import spring_energy, spring_force
from linkwork.mechanics.forces.tyres import contact, tyre_energy, tyre_place
from linkwork.mechanics.rows.constraint_rows import cut_frames, measure_wrench, point_velocity
from linkwork.mechanics.tree.kinematics import body_pose, body_velocity
from linkwork.spatial.codes import FUNCTION, INPUT_BODY, INPUT_COORDINATE, RATE, SEEING
from linkwork.spatial.quaternions import quaternion_of
from linkwork.spatial.vectors import (
    ZERO,
    add,
    add_pair,
    cross,
    dot,
    load3,
    load9,
    load_pair,
    neg,
    norm,
    rotate,
    scale,
    store_pair,
    sub,
    unrotate,
)

TINY = 1e-13  # m: a spring shorter than this has no direction (V06 6.2.2, delta)


@small
def add_wrench(work, i, n, f):
    """Add the wrench (torque about the world's origin, force; world axes) to what acts on link i."""
    X = load9(work.pose_R, i)
    n = sub(n, cross(load3(work.pose_p, i), f))
    add_pair(work.wrench, i, unrotate(X, n), unrotate(X, f))


@kernel
def push_cut(cuts, work, rate, Q):
    """Put the joint force Q on the rate `rate` of a cut joint: +wrench on b, -wrench on a."""
    m = last_up_to(cuts.measure_rate, rate)
    c = last_up_to(cuts.cut_measure, m)
    R_a, p_a, R_b, p_b = cut_frames(cuts, work, c)
    n, f = measure_wrench(cuts, m, rate - cuts.measure_rate[m], R_a, p_a, R_b, p_b)
    n = scale(Q, n)
    f = scale(Q, f)
    add_wrench(work, cuts.cut_b[c], n, f)
    add_wrench(work, cuts.cut_a[c], neg(n), neg(f))


@small
def coordinate_value(k, q, cut_q):
    """q[k], or from q.size on a coordinate of a cut."""
    return q[k] if k < q.size else cut_q[k - q.size]


@small
def coordinate_rate(k, v, cut_rate):
    """v[k], or from v.size on a rate of a cut."""
    return v[k] if k < v.size else cut_rate[k - v.size]


@kernel
def apply_forces(tables, work, t, q, v, cut_q, cut_rate, law_input, out, power):
    """Fill `work.tau` and `work.wrench`; in `power` what dampers waste and laws feed in (W).

    Needs poses and world velocities. `law_input` and `out` are scratch of the laws.
    """
    clear_loads(work, power)
    apply_springs(tables, work, t, q, v, cut_q, cut_rate, law_input, out, power, None, 0)
    apply_laws(tables, work, t, q, v, cut_q, cut_rate, law_input, out, power, None, 0)


@kernel
def clear_link_loads(work):
    """Set the loads on joints and links to zero."""
    for k in range(work.tau.size):
        work.tau[k] = 0.0
    for i in range(work.wrench.shape[0]):
        store_pair(work.wrench, i, ZERO, ZERO)


@kernel
def clear_loads(work, power):
    """Set the loads on joints and links, and their power, to zero."""
    clear_link_loads(work)
    clear_power(power)


@kernel
def apply_springs(tables, work, t, q, v, cut_q, cut_rate, law_input, out, power, observation, row):
    """Springs, bushings and coils, added to the loads; what each does is noted in this row of `observation`, if any."""
    forces = tables.forces
    tree = tables.tree
    for s in range(forces.spring_a.size):
        p_a, p_b, e, length, rate = spring_line(forces, work, s)
        elastic, viscous, given = spring_force(forces, tables.laws, s, length, rate, t, law_input, out)
        pull = elastic + viscous + given
        f = scale(pull, e)
        add_wrench(work, forces.spring_a[s], cross(p_a, f), f)
        add_wrench(work, forces.spring_b[s], neg(cross(p_b, f)), neg(f))
        part = part_between(tree, forces.spring_a[s], forces.spring_b[s])
        book(power, part, DISSIPATED, viscous * rate)
        book(power, part, SUPPLIED, -given * rate)
        if observation is not None:
            observation.spring[row, s, 0] = length
            observation.spring[row, s, 1] = pull
            observation.spring[row, s, 2] = -pull * rate
    for s in range(forces.bushing_a.size):
        p, n, f, wasted, fed, d, phi = bushing_wrench(forces, work, s)
        about = add(n, cross(p, f))
        add_wrench(work, forces.bushing_b[s], about, f)
        add_wrench(work, forces.bushing_a[s], neg(about), neg(f))
        book(power, part_between(tree, forces.bushing_a[s], forces.bushing_b[s]), DISSIPATED, wasted)
        if observation is not None:
            for j in range(3):
                observation.bushing[row, s, j] = f[j]
                observation.bushing[row, s, 3 + j] = n[j]
                observation.bushing[row, s, 6 + j] = d[j]
                observation.bushing[row, s, 9 + j] = phi[j]
            observation.bushing[row, s, 12] = fed
    for s in range(forces.coil_coordinate.size):
        k = forces.coil_coordinate[s]
        rate = coordinate_rate(k, v, cut_rate)
        Q = -forces.coil_c[s] * rate
        book(power, part_of_coordinate(tables, k), DISSIPATED, forces.coil_c[s] * rate * rate)
        if forces.coil_q[s] >= 0:
            Q -= forces.coil_k[s] * (coordinate_value(forces.coil_q[s], q, cut_q) - forces.coil_rest[s])
        if k < v.size:
            work.tau[k] += Q
        else:
            push_cut(tables.cuts, work, k - v.size, Q)
        if observation is not None:
            observation.coil[row, s, 0] = Q
            observation.coil[row, s, 1] = Q * rate


@kernel
def apply_laws(tables, work, t, q, v, cut_q, cut_rate, law_input, out, power, observation, row):
    """Laws on joints and bodies, tyres and rotors, added to the loads and noted in this row of `observation`."""
    apply_given(tables, work, t, q, v, cut_q, cut_rate, law_input, out, power, observation, row)
    apply_tyres(tables, work, t, law_input, out, power, observation, row)


@kernel
def apply_given(tables, work, t, q, v, cut_q, cut_rate, law_input, out, power, observation, row):
    """Laws on joints and bodies; see `apply_laws`."""
    tree = tables.tree
    forces = tables.forces
    if tables.laws.seen_kind.size > 0:
        look(tables, work, q, v, cut_q, cut_rate, law_input)
    for s in range(forces.drive_coordinate.size):
        k = forces.drive_coordinate[s]
        rate = coordinate_rate(k, v, cut_rate)
        law = forces.drive_law[s]
        if tables.laws.law_input[law] == INPUT_COORDINATE:
            law_input[0] = coordinate_value(forces.drive_q[s], q, cut_q)
            law_input[1] = rate
        evaluate(tables.laws, law, t, law_input, out)
        if tables.laws.law_kind[law] != RATE:
            book(power, part_of_coordinate(tables, k), SUPPLIED, out[0] * rate)
        if k < v.size:
            work.tau[k] += out[0]
        else:
            push_cut(tables.cuts, work, k - v.size, out[0])
        if observation is not None:
            observation.drive[row, s, 0] = out[0]
            observation.drive[row, s, 1] = out[0] * rate
    for s in range(forces.load_law.size):
        n, f, u, w = load_wrench(tree, forces, tables.laws, work, s, t, law_input, out)
        i = forces.load_link[s]
        x = add(load3(work.pose_p, i), rotate(load9(work.pose_R, i), load3(forces.load_point, s)))
        fed = dot(f, u) + dot(n, w)
        book(power, tree.link_part[i], SUPPLIED, fed)
        add_wrench(work, i, add(n, cross(x, f)), f)
        if observation is not None:
            for j in range(3):
                observation.load[row, s, j] = f[j] + n[j]  # one of them is zero
            observation.load[row, s, 3] = fed


@kernel
def apply_tyres(tables, work, t, law_input, out, power, observation, row):
    """Tyres and rotors; see `apply_laws`."""
    forces = tables.forces
    for k in range(forces.tyre_link.size):
        p, a, w, u = tyre_place(forces, work, k)
        c, f, n, load, wasted, fed = contact(forces, tables.laws, k, p, a, w, u, t, law_input, out)
        add_wrench(work, forces.tyre_link[k], add(n, cross(c, f)), f)
        part = tables.tree.link_part[forces.tyre_link[k]]
        book(power, part, DISSIPATED, wasted)
        book(power, part, SUPPLIED, fed)
        if observation is not None:
            for j in range(3):
                observation.tyre[row, k, j] = f[j]
                observation.tyre[row, k, 3 + j] = n[j]
            observation.tyre[row, k, 6] = load
            observation.tyre[row, k, 7] = dot(f, add(u, cross(w, sub(c, p)))) + dot(n, w)
    for k in range(forces.rotor_link.size):
        i = forces.rotor_link[k]
        w, _ = load_pair(work.pose_v, i)
        n = cross(rotate(load9(work.pose_R, i), load3(forces.rotor_momentum, k)), w)
        add_wrench(work, i, n, ZERO)
        if observation is not None:
            for j in range(3):
                observation.rotor[row, k, j] = n[j]


@kernel
def spring_line(forces, work, s):
    """Where spring s is fastened to a and b, the direction in which it pulls a, its length and signed rate.

    (V06 6.2.2 prints |dl/dt|.) A spring with an axis acts along that axis of a, at the point of b on both bodies.
    """
    a = forces.spring_a[s]
    b = forces.spring_b[s]
    p_a = add(load3(work.pose_p, a), rotate(load9(work.pose_R, a), load3(forces.spring_pa, s)))
    p_b = add(load3(work.pose_p, b), rotate(load9(work.pose_R, b), load3(forces.spring_pb, s)))
    l = sub(p_b, p_a)
    if forces.spring_guided[s] == 1:
        e = rotate(load9(work.pose_R, a), load3(forces.spring_axis, s))
        _, u_a = point_velocity(work, a, p_b)
        _, u_b = point_velocity(work, b, p_b)
        return p_b, p_b, e, dot(e, l), dot(e, sub(u_b, u_a))
    length = norm(l)
    if length <= TINY:
        return p_a, p_b, ZERO, length, 0.0
    e = scale(1.0 / length, l)
    _, u_a = point_velocity(work, a, p_a)
    _, u_b = point_velocity(work, b, p_b)
    return p_a, p_b, e, length, dot(e, sub(u_b, u_a))


@kernel
def body_law_input(tree, work, b, law_input):
    """law_input = origin, quaternion, velocity and angular velocity of body b."""
    R, x = body_pose(tree, work, b)
    w, u = body_velocity(tree, work, b)
    e = quaternion_of(R)
    for j in range(3):
        law_input[j] = x[j]
        law_input[7 + j] = u[j]
        law_input[10 + j] = w[j]
    for j in range(4):
        law_input[3 + j] = e[j]


@kernel
def load_vector(tree, forces, laws, work, s, t, law_input, out):
    """Force or torque of load s, world axes, at the law_input of its law."""
    law = forces.load_law[s]
    evaluate(laws, law, t, law_input, out)
    if forces.load_is_vector[s] == 0:
        F = scale(out[0], load3(forces.load_axis, s))
    elif laws.law_kind[law] == FUNCTION or laws.law_kind[law] == SEEING:
        F = (out[0], out[1], out[2])
    else:
        x = out[0]
        evaluate(laws, law + 1, t, law_input, out)
        y = out[0]
        evaluate(laws, law + 2, t, law_input, out)
        F = (x, y, out[0])
    if forces.load_in_body[s] == 1:
        X = load9(work.pose_R, forces.load_link[s])
        F = rotate(X, rotate(load9(tree.body_R, forces.load_body[s]), F))
    return F


@kernel
def load_wrench(tree, forces, laws, work, s, t, law_input, out):
    """Torque and force of load s at its point, the point's velocity, and the angular velocity; world axes."""
    i = forces.load_link[s]
    w, u = load_pair(work.pose_v, i)
    if laws.law_input[forces.load_law[s]] == INPUT_BODY:
        body_law_input(tree, work, forces.load_body[s], law_input)
    F = load_vector(tree, forces, laws, work, s, t, law_input, out)
    u = add(u, cross(w, rotate(load9(work.pose_R, i), load3(forces.load_point, s))))
    if forces.load_is_torque[s] == 1:
        return F, ZERO, u, w
    return ZERO, F, u, w


@kernel
def add_stored_energy(tables, work, t, q, cut_q, law_input, out, parts):
    """Add the energy of each part, J, in springs, bushings, coils and tyres."""
    forces = tables.forces
    tree = tables.tree
    for s in range(forces.spring_a.size):
        _, _, _, length, _ = spring_line(forces, work, s)
        parts[part_between(tree, forces.spring_a[s], forces.spring_b[s])] += spring_energy(forces, s, length)
    for s in range(forces.bushing_a.size):
        parts[part_between(tree, forces.bushing_a[s], forces.bushing_b[s])] += bushing_energy(forces, work, s)
    for k in range(forces.tyre_link.size):
        p, _, _, _ = tyre_place(forces, work, k)
        part = tree.link_part[forces.tyre_link[k]]
        parts[part] += tyre_energy(forces, tables.laws, k, p, t, law_input, out)
    for s in range(forces.coil_coordinate.size):
        if forces.coil_q[s] >= 0:
            stretch = coordinate_value(forces.coil_q[s], q, cut_q) - forces.coil_rest[s]
            part = part_of_coordinate(tables, forces.coil_coordinate[s])
            parts[part] += 0.5 * forces.coil_k[s] * stretch * stretch
