"""[CD03] Bodies and rows in natural coordinates: points and unit vectors n, three numbers a node.

    z zd zdd   nodes (node, 3), their velocities and accelerations; the first `free` of them move, the others are given
    x = sum of (a + b S) n    places and axes of a link by its slots, S = u x with the normal u where there is one
    g J        rows Phi and their gradients Phi_q, an entry for each node that a row holds

Rows are quadratic in the nodes (but screws, rods and guides), so J is linear in them and the second rate is J zdd and
twice the product of the rates of the two factors. Given nodes are in the rows like the others: what moves grounds,
Phi_t, needs no terms of its own.
"""

from __future__ import annotations

from linkwork._jit import kernel, small
from linkwork.formulations.samples import GAP, GAP_ROW
from linkwork.mechanics.rows.constraint_rows import (
    TINY,
    along,
    cut_frames,
    measure_wrench,
    point_acceleration,
    point_velocity,
)
from linkwork.mechanics.rows.guides import guide_bias, guide_foot, guide_row
from linkwork.mechanics.rows.joint_frames import angle_near, turn_about_z
from linkwork.mechanics.rows.rolling import rolling_bias, rolling_wrench
from linkwork.mechanics.rows.rows import coupled_bias, coupling_value, term_wrench
from linkwork.spatial.codes import ACROSS, ALONG, COUPLE, COUPLED, CROSSED, DISTANCE, KEPT, PART, RIM, TIED
from linkwork.spatial.vectors import (
    ZERO,
    add,
    add_scaled,
    axis_x,
    axis_y,
    axis_z,
    column,
    cross,
    dot,
    load3,
    load9,
    load_pair,
    neg,
    rotate,
    scale,
    spin,
    store3,
    store9,
    store_pair,
    sub,
    unit_vector,
)


@kernel
def given_nodes(nat, tree, work, z, zd, zdd):
    """Nodes on grounds, from the poses of their links."""
    gravity = (tree.gravity[0], tree.gravity[1], tree.gravity[2])
    for i in range(1, tree.grounds):
        X = load9(work.pose_R, i)
        w, u = load_pair(work.velocity, i)
        store_pair(work.pose_v, i, rotate(X, w), rotate(X, u))
    for k in range(nat.free, z.shape[0]):
        i = nat.node_link[k]
        e = rotate(load9(work.pose_R, i), load3(nat.node_local, k))
        p = add(load3(work.pose_p, i), e)
        w, u = point_velocity(work, i, p)
        a, b = point_acceleration(work, i, p)
        if nat.node_is_point[k] == 1:
            store3(z, k, p)
            store3(zd, k, u)
            store3(zdd, k, add(b, gravity))
        else:
            ed = cross(w, e)
            store3(z, k, e)
            store3(zd, k, ed)
            store3(zdd, k, add(cross(a, e), cross(w, ed)))


@small
def normal_of(nat, z, i):
    """The normal u of link i, or nothing."""
    k = nat.link_normal[i]
    return load3(z, k) if k >= 0 else ZERO


@small
def combine(nat, i, q, u, x):
    """Place (q = 0) or axis (q = 1, 2, 3) of link i from values x of its slots."""
    s = ZERO
    r = ZERO
    for k in range(nat.link_slots[i]):
        n = load3(x, nat.slot_node[i, k])
        s = add_scaled(s, nat.slot_a[i, q, k], n)
        r = add_scaled(r, nat.slot_b[i, q, k], n)
    return add(s, cross(u, r))


@kernel
def place_links(nat, tree, work, z, zd):
    """Poses and world velocities of the links that move."""
    for i in range(tree.grounds, tree.link_parent.size):
        u = normal_of(nat, z, i)
        x = combine(nat, i, 1, u, z)
        y = combine(nat, i, 2, u, z)
        e = combine(nat, i, 3, u, z)
        store3(work.pose_p, i, combine(nat, i, 0, u, z))
        store9(work.pose_R, i, (x[0], y[0], e[0], x[1], y[1], e[1], x[2], y[2], e[2]))
        w = spin(x, y, e, combine(nat, i, 1, u, zd), combine(nat, i, 2, u, zd), combine(nat, i, 3, u, zd))
        store_pair(work.pose_v, i, w, combine(nat, i, 0, u, zd))


@small
def link_rates(nat, work, i, z, x):
    """Angular and linear part of the rates x of the nodes of link i: velocities, or accelerations."""
    u = normal_of(nat, z, i)
    R = load9(work.pose_R, i)
    turn = spin(
        axis_x(R), axis_y(R), axis_z(R), combine(nat, i, 1, u, x), combine(nat, i, 2, u, x), combine(nat, i, 3, u, x)
    )
    return turn, combine(nat, i, 0, u, x)


# --- gradients: forces on places and axes become forces on nodes


@small
def pull(a, b, u, f):
    """(a + b S)^T f."""
    return add_scaled(scale(a, f), b, cross(f, u))


@small
def add_to(J, e, x):
    """J[e] += x."""
    J[e, 0] += x[0]
    J[e, 1] += x[1]
    J[e, 2] += x[2]


@kernel
def pull_axis(nat, i, u, c, f, J, first):
    """J += gradient of f . e, where e is the direction c (components in link i)."""
    for k in range(nat.link_slots[i]):
        a = c[0] * nat.slot_a[i, 1, k] + c[1] * nat.slot_a[i, 2, k] + c[2] * nat.slot_a[i, 3, k]
        b = c[0] * nat.slot_b[i, 1, k] + c[1] * nat.slot_b[i, 2, k] + c[2] * nat.slot_b[i, 3, k]
        add_to(J, first + k, pull(a, b, u, f))


@kernel
def pull_point(nat, i, u, s, f, J, first):
    """J += gradient of f . x, where x is the point s of link i."""
    for k in range(nat.link_slots[i]):
        a = nat.slot_a[i, 0, k]
        b = nat.slot_b[i, 0, k]
        for j in range(3):
            a += s[j] * nat.slot_a[i, 1 + j, k]
            b += s[j] * nat.slot_b[i, 1 + j, k]
        add_to(J, first + k, pull(a, b, u, f))


@small
def slot_force(nat, i, k, u, R, n, f):
    """Force on slot k of link i that does the work of the wrench (torque n about the link's origin, force f)."""
    x = pull(nat.slot_a[i, 0, k], nat.slot_b[i, 0, k], u, f)
    for j in range(3):
        x = add(x, pull(nat.slot_a[i, 1 + j, k], nat.slot_b[i, 1 + j, k], u, scale(0.5, cross(n, column(R, j)))))
    return x


@kernel
def pull_wrench(nat, work, z, i, n, f, J, first):
    """J += forces on the slots of link i for a wrench about the world's origin."""
    u = normal_of(nat, z, i)
    R = load9(work.pose_R, i)
    n = sub(n, cross(load3(work.pose_p, i), f))
    for k in range(nat.link_slots[i]):
        add_to(J, first + k, slot_force(nat, i, k, u, R, n, f))


# --- rows


@small
def difference(x, nat, r, side):
    """One of the two directions of a KEPT row, from values x of the nodes."""
    to = nat.row_at[r, 2 * side]
    d = load3(x, nat.entry_node[to])
    start = nat.row_at[r, 2 * side + 1]
    if start >= 0:
        d = sub(d, load3(x, nat.entry_node[start]))
    return d


@kernel
def fill_rows(nat, cuts, work, cut_q, z, g, J):
    """g and J of all equations; needs the poses of the links."""
    for r in range(nat.equations):
        kind = nat.row_kind[r]
        first = nat.row_entry[r]
        last = nat.row_entry[r + 1]
        if kind == TIED:
            x = 0.0
            for e in range(first, last):
                x += dot(load3(J, e), load3(z, nat.entry_node[e]))
            g[r] = x
            continue
        for e in range(first, last):
            store3(J, e, ZERO)
        if kind == KEPT:
            d = difference(z, nat, r, 0)
            f = difference(z, nat, r, 1)
            s = nat.row_scale[r]
            g[r] = s * (dot(d, f) - nat.row_value[r])
            for side in range(2):
                x = scale(s, f if side == 0 else d)
                add_to(J, nat.row_at[r, 2 * side], x)
                if nat.row_at[r, 2 * side + 1] >= 0:
                    add_to(J, nat.row_at[r, 2 * side + 1], neg(x))
        elif kind == COUPLED:
            g[r] = fill_coupled(nat, cuts, work, cut_q, z, J, r)
        else:
            g[r] = fill_part(nat, cuts, work, cut_q, z, J, r)


@kernel
def record_part_gap(nat, cuts, g, state):
    """`record_gap` of the rows of joints among all rows g."""
    state.drift[GAP] = 0.0
    for r in range(nat.equations):
        if nat.row_kind[r] != PART and nat.row_kind[r] != COUPLED:
            continue
        p = nat.row_of[r]
        gap = abs(g[r]) if cuts.row_kind[p] == CROSSED else abs(g[r]) / state.size[0]
        if gap > state.drift[GAP]:
            state.drift[GAP] = gap
            state.drift[GAP_ROW] = p


@kernel
def fill_part(nat, cuts, work, cut_q, z, J, r):
    """J of a row of a joint; returns its value."""
    c = nat.row_cut[r]
    p = nat.row_of[r]
    i = cuts.cut_a[c]
    j = cuts.cut_b[c]
    u_a = normal_of(nat, z, i)
    u_b = normal_of(nat, z, j)
    at_a = nat.row_entry[r]
    at_b = at_a + nat.link_slots[i]
    R_a, p_a, R_b, p_b = cut_frames(cuts, work, c)
    C_a = load9(cuts.cut_Ra, c)
    C_b = load9(cuts.cut_Rb, c)
    e = column(R_a, cuts.row_i[p])
    if cuts.row_kind[p] == CROSSED:
        k = column(R_b, cuts.row_j[p])
        pull_axis(nat, i, u_a, column(C_a, cuts.row_i[p]), k, J, at_a)
        pull_axis(nat, j, u_b, column(C_b, cuts.row_j[p]), e, J, at_b)
        return dot(e, k)
    d = sub(p_b, p_a)
    if cuts.row_kind[p] == DISTANCE:
        e, length = along(d)
        pull_point(nat, i, u_a, load3(cuts.cut_pa, c), neg(e), J, at_a)
        pull_point(nat, j, u_b, load3(cuts.cut_pb, c), e, J, at_b)
        return length - cuts.row_pitch[p]
    if cuts.row_kind[p] >= RIM:
        n, f, x = rolling_wrench(cuts, c, p, R_a, p_a, R_b, p_b)
        pull_wrench(nat, work, z, i, neg(n), neg(f), J, at_a)
        pull_wrench(nat, work, z, j, n, f, J, at_b)
        return dot(sub(x, p_a), f) if cuts.row_kind[p] == RIM else 0.0
    value = dot(d, e)
    x = unit_vector(cuts.row_i[p])
    if cuts.row_kind[p] >= ACROSS:
        k, u = guide_foot(cuts, p, p + 1, R_a, d)
        value, x = guide_row(cuts, p, R_a, d, k, u)
        e = rotate(R_a, x)
    pull_axis(nat, i, u_a, rotate(C_a, x), d, J, at_a)
    pull_point(nat, i, u_a, load3(cuts.cut_pa, c), neg(e), J, at_a)
    pull_point(nat, j, u_b, load3(cuts.cut_pb, c), e, J, at_b)
    if cuts.row_kind[p] != COUPLE:
        return value
    # screw: less pitch times the angle atan2(s, c)
    pitch = cuts.row_pitch[p]
    s, k, h = sine_parts(R_a, R_b)
    s *= -pitch / h
    k *= -pitch / h
    x_a = axis_x(R_a)
    y_a = axis_y(R_a)
    x_b = axis_x(R_b)
    y_b = axis_y(R_b)
    pull_axis(nat, i, u_a, axis_x(C_a), add_scaled(scale(-k, y_b), -s, x_b), J, at_a)
    pull_axis(nat, i, u_a, axis_y(C_a), add_scaled(scale(k, x_b), -s, y_b), J, at_a)
    pull_axis(nat, j, u_b, axis_x(C_b), add_scaled(scale(k, y_a), -s, x_a), J, at_b)
    pull_axis(nat, j, u_b, axis_y(C_b), add_scaled(scale(-k, x_a), -s, y_a), J, at_b)
    previous = cut_q[cuts.measure_q[cuts.cut_measure[c]]]
    return value - pitch * angle_near(turn_about_z(R_a, R_b), previous)


@small
def sine_parts(R_a, R_b):
    """Sine and cosine of the angle of a screw, not normalised, and the sum of their squares."""
    s = dot(axis_y(R_a), axis_x(R_b)) - dot(axis_x(R_a), axis_y(R_b))
    c = dot(axis_x(R_a), axis_x(R_b)) + dot(axis_y(R_a), axis_y(R_b))
    return s, c, s * s + c * c


@small
def row_rate(nat, J, x, r):
    """J x of row r."""
    s = 0.0
    for e in range(nat.row_entry[r], nat.row_entry[r + 1]):
        s += dot(load3(J, e), load3(x, nat.entry_node[e]))
    return s


@kernel
def row_rates(nat, J, x, out):
    """out = J x."""
    for r in range(nat.equations):
        out[r] = row_rate(nat, J, x, r)


@kernel
def fill_coupled(nat, cuts, work, cut_q, z, J, r):
    """J of the row of a coupling; returns its value."""
    j = nat.row_cut[r]
    value = coupling_value(cuts, work, cut_q, j)
    at = nat.row_entry[r]
    for e in range(cuts.coupling_term[j], cuts.coupling_term[j + 1]):
        n, f = term_wrench(cuts, work, e)
        a = cuts.cut_a[cuts.term_cut[e]]
        b = cuts.cut_b[cuts.term_cut[e]]
        pull_wrench(nat, work, z, a, neg(n), neg(f), J, at)
        pull_wrench(nat, work, z, b, n, f, J, at + nat.link_slots[a])
        at += nat.link_slots[a] + nat.link_slots[b]
    return value


@kernel
def add_bias(nat, cuts, work, zd, out):
    """out += what of the second rates comes from velocities."""
    for r in range(nat.equations):
        if nat.row_kind[r] == KEPT:
            out[r] += 2.0 * nat.row_scale[r] * dot(difference(zd, nat, r, 0), difference(zd, nat, r, 1))
        elif nat.row_kind[r] == COUPLED:
            out[r] += coupled_bias(cuts, work, nat.row_cut[r])
        elif nat.row_kind[r] != TIED:
            out[r] += part_bias(nat, cuts, work, r)


@kernel
def part_bias(nat, cuts, work, r):
    """What of the second rate of a row of a joint comes from velocities."""
    c = nat.row_cut[r]
    p = nat.row_of[r]
    R_a, p_a, R_b, p_b = cut_frames(cuts, work, c)
    w_a, v_a = point_velocity(work, cuts.cut_a[c], p_a)
    w_b, v_b = point_velocity(work, cuts.cut_b[c], p_b)
    e = column(R_a, cuts.row_i[p])
    ed = cross(w_a, e)
    if cuts.row_kind[p] == DISTANCE:
        line, length = along(sub(p_b, p_a))
        v = sub(v_b, v_a)
        return (dot(v, v) - dot(v, line) * dot(v, line)) / max(length, TINY)
    if cuts.row_kind[p] >= RIM:
        return rolling_bias(cuts, work, c, p)
    if cuts.row_kind[p] >= ACROSS:
        return guide_bias(cuts, p, R_a, w_a, sub(p_b, p_a), sub(v_b, v_a))
    # both factors are linear in the nodes: twice the product of their rates is all
    if cuts.row_kind[p] == CROSSED:
        return 2.0 * dot(ed, cross(w_b, column(R_b, cuts.row_j[p])))
    bias = 2.0 * dot(ed, sub(v_b, v_a))
    if cuts.row_kind[p] == ALONG:
        return bias
    s, k, h = sine_parts(R_a, R_b)
    x_a = cross(w_a, axis_x(R_a))
    y_a = cross(w_a, axis_y(R_a))
    x_b = cross(w_b, axis_x(R_b))
    y_b = cross(w_b, axis_y(R_b))
    sdd = 2.0 * (dot(y_a, x_b) - dot(x_a, y_b))
    kdd = 2.0 * (dot(x_a, x_b) + dot(y_a, y_b))
    sd = dot(y_a, axis_x(R_b)) + dot(axis_y(R_a), x_b) - dot(x_a, axis_y(R_b)) - dot(axis_x(R_a), y_b)
    kd = dot(x_a, axis_x(R_b)) + dot(axis_x(R_a), x_b) + dot(y_a, axis_y(R_b)) + dot(axis_y(R_a), y_b)
    rate = (k * sd - s * kd) / h
    return bias - cuts.row_pitch[p] * ((k * sdd - s * kdd) / h - 2.0 * rate * (s * sd + k * kd) / h)


@kernel
def measure_gradient(nat, cuts, work, z, r, J):
    """J of a soft row on a coordinate of a joint."""
    c = nat.row_cut[r]
    R_a, p_a, R_b, p_b = cut_frames(cuts, work, c)
    n, f = measure_wrench(cuts, nat.row_measure[r], nat.row_turn[r], R_a, p_a, R_b, p_b)
    first = nat.row_entry[r]
    pull_wrench(nat, work, z, cuts.cut_a[c], neg(n), neg(f), J, first)
    pull_wrench(nat, work, z, cuts.cut_b[c], n, f, J, first + nat.link_slots[cuts.cut_a[c]])
