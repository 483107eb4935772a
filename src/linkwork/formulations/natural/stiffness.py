"""[CD03] Stiffness and damping of springs, bushings, laws and tyres in natural coordinates, (28)-(34).

Each is a row of its own: the gradient s_q of what it feels (29), with the slopes k and c of its force over that and
over its rate. The derivatives of laws and tyres are not known, so theirs are taken by differences, along three axes and
without what one axis does to another: enough for Newton's iteration, which needs only the large ones.
"""

from __future__ import annotations

from linkwork._jit import kernel
from linkwork.formulations.natural.coordinates import normal_of, pull_point, pull_wrench
from linkwork.mechanics.forces.bushings import bushing_place, bushing_spring
from linkwork.mechanics.forces.forces import load_wrench, spring_line
from linkwork.mechanics.forces.laws import evaluate
from linkwork.mechanics.forces.springs import spring_slopes
from linkwork.mechanics.forces.tyres import contact, tyre_place
from linkwork.spatial.quaternions import exponential, rotation_of
from linkwork.spatial.vectors import (
    ZERO,
    add,
    add_scaled,
    cross,
    dot,
    load3,
    load9,
    multiply,
    neg,
    norm,
    scale,
    store9,
    unit_vector,
)

NUDGE = 1e-6  # rad, m, rad/s, m/s


@kernel
def spring_gradient(tables, nat, work, z, s, t, law_input, out, J, first):
    """J += s_q of spring s; returns its slopes."""
    forces = tables.forces
    a = forces.spring_a[s]
    p_a, p_b, e, length, rate = spring_line(forces, work, s)
    pull_wrench(nat, work, z, a, neg(cross(p_a, e)), neg(e), J, first)
    pull_wrench(nat, work, z, forces.spring_b[s], cross(p_b, e), e, J, first + nat.link_slots[a])
    return spring_slopes(forces, tables.laws, s, length, rate, t, law_input, out)


@kernel
def bushing_gradient(forces, nat, work, z, s, i, J, first):
    """The same for spring i of bushing s."""
    R, p, d, phi = bushing_place(forces, work, s)
    _, n, f = bushing_spring(forces, s, i, R, d, phi)
    n = add(n, cross(p, f))
    a = forces.bushing_a[s]
    pull_wrench(nat, work, z, a, neg(n), neg(f), J, first)
    pull_wrench(nat, work, z, forces.bushing_b[s], n, f, J, first + nat.link_slots[a])
    return forces.bushing_k[s, i], forces.bushing_c[s, i]


@kernel
def drive_slopes(tables, state, s, t, law_input, out):
    """Slopes of the law of drive s over its coordinate."""
    nv = state.vd.size
    nq = state.y.size - nv - tables.tree.accounts
    law = tables.forces.drive_law[s]
    law_input[0] = state.cut_q[tables.forces.drive_q[s] - nq]
    law_input[1] = state.cut_rate[tables.forces.drive_coordinate[s] - nv]
    evaluate(tables.laws, law, t, law_input, out)
    Q = out[0]
    law_input[0] += NUDGE
    evaluate(tables.laws, law, t, law_input, out)
    k = (Q - out[0]) / NUDGE
    law_input[0] -= NUDGE
    law_input[1] += NUDGE
    evaluate(tables.laws, law, t, law_input, out)
    return k, (Q - out[0]) / NUDGE


@kernel
def load_along(tables, work, s, e, t, law_input, out):
    """What load s does along e: its torque, or its force."""
    n, f, _, _ = load_wrench(tables.tree, tables.forces, tables.laws, work, s, t, law_input, out)
    return dot(e, n) if tables.forces.load_is_torque[s] == 1 else dot(e, f)


@kernel
def load_gradient(tables, nat, work, z, s, axis, t, law_input, out, J, first):
    """The same for load s along an axis of the world, or about it."""
    i = tables.forces.load_link[s]
    e = unit_vector(axis)
    turns = tables.forces.load_is_torque[s] == 1
    Q = load_along(tables, work, s, e, t, law_input, out)
    X = load9(work.pose_R, i)
    x = work.pose_p[i, axis]
    if turns:
        pull_wrench(nat, work, z, i, e, ZERO, J, first)
        store9(work.pose_R, i, multiply(rotation_of(exponential(scale(NUDGE, e))), X))
    else:
        pull_point(nat, i, normal_of(nat, z, i), load3(tables.forces.load_point, s), e, J, first)
        work.pose_p[i, axis] = x + NUDGE
    k = (Q - load_along(tables, work, s, e, t, law_input, out)) / NUDGE
    if turns:
        store9(work.pose_R, i, X)
    else:
        work.pose_p[i, axis] = x
    at = axis if turns else 3 + axis
    v = work.pose_v[i, at]
    work.pose_v[i, at] = v + NUDGE
    c = (Q - load_along(tables, work, s, e, t, law_input, out)) / NUDGE
    work.pose_v[i, at] = v
    return k, c


@kernel
def tyre_gradient(tables, nat, work, z, s, axis, t, law_input, out, J, first):
    """The same for tyre s: forward, across and up."""
    forces = tables.forces
    i = forces.tyre_link[s]
    p, a, w, u = tyre_place(forces, work, s)
    e = (0.0, 0.0, 1.0)
    if axis < 2:
        e = cross(a, e)
        if axis == 1:
            e = cross((0.0, 0.0, 1.0), e)
        e = scale(1.0 / max(norm(e), 1e-9), e)
    pull_point(nat, i, normal_of(nat, z, i), load3(forces.tyre_point, s), e, J, first)
    _, f, _, _, _, _ = contact(forces, tables.laws, s, p, a, w, u, t, law_input, out)
    Q = dot(e, f)
    _, f, _, _, _, _ = contact(forces, tables.laws, s, add_scaled(p, NUDGE, e), a, w, u, t, law_input, out)
    k = (Q - dot(e, f)) / NUDGE
    _, f, _, _, _, _ = contact(forces, tables.laws, s, p, a, w, add_scaled(u, NUDGE, e), t, law_input, out)
    return k, (Q - dot(e, f)) / NUDGE
