"""[CD03] Stiffness K and damping C of force elements in joint coordinates: what they add to the tangent matrix (26).

    s_z  change of a spring's length with the dofs between its ends (29)

Springs and dampers give their constants (30)-(34); a law that depends on the motion is differenced. Of its matrix the
symmetric part is taken, so that the factor stays symmetric: that may cost an iteration, it never changes the result.
"""

from __future__ import annotations

from linkwork._jit import kernel
from linkwork.mechanics.forces.bushings import SPRINGS, bushing_place, bushing_spring
from linkwork.mechanics.forces.forces import body_law_input, coordinate_rate, coordinate_value, load_vector, spring_line
from linkwork.mechanics.forces.laws import evaluate
from linkwork.mechanics.forces.springs import spring_slopes
from linkwork.mechanics.forces.tyres import contact_slopes, tyre_place
from linkwork.mechanics.rows.constraint_rows import cut_frames, measure_wrench
from linkwork.numerics.sparse_cholesky import add_outer
from linkwork.spatial.codes import ATTITUDE, INPUT_BODY, INPUT_COORDINATE
from linkwork.spatial.quaternions import exponential, product
from linkwork.spatial.vectors import ZERO, add, cross, dot, load3, load9, load_pair, rotate, store_pair, sub

SMALL = 1e-6  # rad, m, rad/s, m/s: by which the input of a law is displaced to see how it changes


@kernel
def add_forces(tables, w, t, h, q, v, cut_q, cut_rate):
    """w.A += h/2 C + h^2/4 K of springs, bushings, coils, tyres, and laws that depend on the motion (28)-(34)."""
    forces = tables.forces
    laws = tables.laws
    for s in range(forces.spring_a.size):
        add_spring(forces, laws, w, s, t, h)
    for s in range(forces.bushing_a.size):
        add_bushing(forces, w, s, h)
    for s in range(forces.coil_coordinate.size):
        weight = 0.5 * h * forces.coil_c[s] + 0.25 * h * h * forces.coil_k[s]
        add_coordinate(tables.cuts, w, forces.coil_coordinate[s], v.size, weight)
    for s in range(forces.drive_coordinate.size):
        law = forces.drive_law[s]
        if laws.law_input[law] == INPUT_COORDINATE:
            k = forces.drive_coordinate[s]
            x = coordinate_value(forces.drive_q[s], q, cut_q)
            xd = coordinate_rate(k, v, cut_rate)
            weight = drive_slope(laws, law, t, h, x, xd, w.law_input, w.out)
            add_coordinate(tables.cuts, w, k, v.size, weight)
    for s in range(forces.load_law.size):
        if laws.law_input[forces.load_law[s]] == INPUT_BODY:
            load_slopes(tables, w, s, t, h)
            add_load(tables.tree, w, s, forces.load_body[s])
    for s in range(forces.tyre_link.size):
        add_tyre(forces, laws, w, s, t, h)


@kernel
def add_spring(forces, laws, w, s, t, h):
    """w.A += s_z^T (h/2 C + h^2/4 K) s_z of spring s."""
    group = w.stencil.spring
    p_a, p_b, e, length, rate = spring_line(forces, w.tree, s)
    K, C = spring_slopes(forces, laws, s, length, rate, t, w.law_input, w.out)
    first = group.start[s]
    for a in range(group.start[s + 1] - first):
        sign = w.stencil.spring_sign[first + a]
        n, u = load_pair(w.axis, group.unknown[first + a])
        w.part[a] = sign * dot(e, add(u, cross(n, p_b if sign > 0.0 else p_a)))
    add_outer(group, s, w.part, 0.5 * h * C + 0.25 * h * h * K, w.A)


@kernel
def add_bushing(forces, w, s, h):
    """w.A += h/2 C + h^2/4 K of the springs of bushing s."""
    group = w.stencil.bushing
    R, p, d, phi = bushing_place(forces, w.tree, s)
    first = group.start[s]
    for i in range(SPRINGS):
        _, n, f = bushing_spring(forces, s, i, R, d, phi)
        n = add(n, cross(p, f))
        for a in range(group.start[s + 1] - first):
            turn, u = load_pair(w.axis, group.unknown[first + a])
            w.part[a] = w.stencil.bushing_sign[first + a] * (dot(n, turn) + dot(f, u))
        add_outer(group, s, w.part, 0.5 * h * forces.bushing_c[s, i] + 0.25 * h * h * forces.bushing_k[s, i], w.A)


@kernel
def add_coordinate(cuts, w, k, nv, weight):
    """weight on dof k; from nv on, on the direction of a rate of a cut."""
    if k < nv:
        w.A[w.stencil.diagonal[k]] += weight
        return
    for c in range(cuts.cut_a.size):
        for m in range(cuts.cut_measure[c], cuts.cut_measure[c + 1]):
            j = k - nv - cuts.measure_rate[m]
            if j < 0 or j > (2 if cuts.measure_kind[m] >= ATTITUDE else 0):
                continue
            R_a, p_a, R_b, p_b = cut_frames(cuts, w.tree, c)
            N, F = measure_wrench(cuts, m, j, R_a, p_a, R_b, p_b)
            first = cuts.path_start[c]
            for p in range(first, cuts.path_start[c + 1]):
                n, u = load_pair(w.axis, cuts.path_dof[p])
                w.part[p - first] = cuts.path_sign[p] * (dot(N, n) + dot(F, u))
            add_outer(w.stencil.cut, c, w.part, weight, w.A)
            return


@kernel
def drive_slope(laws, law, t, h, x, xd, law_input, out):
    """-(h/2 dQ/dxd + h^2/4 dQ/dx) of a law on a coordinate."""
    law_input[0] = x
    law_input[1] = xd
    evaluate(laws, law, t, law_input, out)
    Q = out[0]
    law_input[0] = x + SMALL
    evaluate(laws, law, t, law_input, out)
    K = (out[0] - Q) / SMALL
    law_input[0] = x
    law_input[1] = xd + SMALL
    evaluate(laws, law, t, law_input, out)
    return -0.5 * h * (out[0] - Q) / SMALL - 0.25 * h * h * K


@kernel
def load_slopes(tables, w, s, t, h):
    """w.T = -(h/2 dF/dV + h^2/4 dF/dX) of load s: wrench about its body's origin by turns and shifts of the body."""
    forces = tables.forces
    tree = tables.tree
    law_input = w.law_input
    b = forces.load_body[s]
    i = forces.load_link[s]
    body_law_input(tree, w.tree, b, law_input)
    F = load_vector(tree, forces, tables.laws, w.tree, s, t, law_input, w.out)
    X = load9(w.tree.pose_R, i)
    arm = rotate(X, sub(load3(forces.load_point, s), load3(tree.body_p, b)))
    for j in range(6):
        # a turn or a shift
        e = (law_input[3], law_input[4], law_input[5], law_input[6])
        if j < 3:
            turn = (SMALL if j == 0 else 0.0, SMALL if j == 1 else 0.0, SMALL if j == 2 else 0.0)
            moved = product(exponential(turn), e)
            for k in range(4):
                law_input[3 + k] = moved[k]
        else:
            law_input[j - 3] += SMALL
        K = slope(load_vector(tree, forces, tables.laws, w.tree, s, t, law_input, w.out), F)
        if j < 3:
            for k in range(4):
                law_input[3 + k] = e[k]
        else:
            law_input[j - 3] -= SMALL
        # an angular or a linear velocity
        k = 10 + j if j < 3 else 4 + j
        rate = law_input[k]
        law_input[k] += SMALL
        C = slope(load_vector(tree, forces, tables.laws, w.tree, s, t, law_input, w.out), F)
        law_input[k] = rate
        f = (
            -0.5 * h * C[0] - 0.25 * h * h * K[0],
            -0.5 * h * C[1] - 0.25 * h * h * K[1],
            -0.5 * h * C[2] - 0.25 * h * h * K[2],
        )
        n = cross(arm, f)
        if forces.load_is_torque[s] == 1:
            n = f
            f = ZERO
        for e3 in range(3):
            w.T[e3, j] = n[e3]
            w.T[3 + e3, j] = f[e3]


@kernel
def slope(moved, F):
    """Difference quotient of a force."""
    return ((moved[0] - F[0]) / SMALL, (moved[1] - F[1]) / SMALL, (moved[2] - F[2]) / SMALL)


@kernel
def add_load(tree, w, s, b):
    """w.A += J^T T J with J of the origin of body b and the chain of load s."""
    i = tree.body_link[b]
    x = add(load3(w.tree.pose_p, i), rotate(load9(w.tree.pose_R, i), load3(tree.body_p, b)))
    add_chain(w, w.stencil.load, s, x)


@kernel
def add_tyre(forces, laws, w, s, t, h):
    """w.A += h/2 C + h^2/4 K of the road's force on tyre s, along the road's normal and sideways."""
    group = w.stencil.tyre
    p, a, _, u = tyre_place(forces, w.tree, s)
    c, normal, K, C, side, C_side = contact_slopes(forces, laws, s, p, a, u, t, w.law_input, w.out)
    if K == 0.0:
        return
    first = group.start[s]
    for j in range(2):
        e = normal if j == 0 else side
        weight = 0.5 * h * C + 0.25 * h * h * K if j == 0 else 0.5 * h * C_side
        for k in range(group.start[s + 1] - first):
            n, v = load_pair(w.axis, group.unknown[first + k])
            w.part[k] = dot(e, add(v, cross(n, c)))
        add_outer(group, s, w.part, weight, w.A)


@kernel
def add_chain(w, group, g, x):
    """w.A += J^T T J, made symmetric, with J of the body's point now at x and the dofs of group g that carry it."""
    first = group.start[g]
    count = group.start[g + 1] - first
    for a in range(count):
        n, u = load_pair(w.axis, group.unknown[first + a])
        store_pair(w.J, a, n, add(u, cross(n, x)))
        for e in range(6):
            value = 0.0
            for f in range(6):
                value += 0.5 * (w.T[e, f] + w.T[f, e]) * w.J[a, f]
            w.TJ[a, e] = value
    p = group.target_start[g]
    for a in range(count):
        for c in range(a + 1):
            value = 0.0
            for e in range(6):
                value += w.J[c, e] * w.TJ[a, e]
            w.A[group.target[p]] += value
            p += 1
