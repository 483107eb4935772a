"""[MST17] Articulated bodies: forward dynamics of a tree in three passes (figure 1), in O(links).

    w u     angular and linear velocity of the link's origin
    c d     velocity-dependent acceleration of the joint: angular, linear
    A H M   articulated inertia I^A of (1)
    n f     articulated bias force Z^A of (1): torque, force
    s       allowed motion of the joint (2): turn and slide about z

Everything is written in the link's own axes about its own origin.
"""

from __future__ import annotations

from linkwork._jit import kernel, small
from linkwork.mechanics.tree.motions import load_quaternion, pose_in_parent
from linkwork.spatial.codes import FREE, HELICAL, SLIDE, SWING, SWING_BACK, TURN, WELD
from linkwork.spatial.inertia import (
    ZERO6,
    ZERO9,
    add6,
    add9,
    determinant_symmetric,
    gram,
    inverse_symmetric,
    minus6,
    multiply_transposed,
    rotate_matrix,
    rotate_symmetric,
    shift,
    times,
)
from linkwork.spatial.quaternions import rotation_of
from linkwork.spatial.vectors import (
    ZERO,
    add,
    add_pair,
    add_scaled,
    cross,
    dot,
    load3,
    load6,
    load9,
    load_pair,
    neg,
    rotate,
    scale,
    store3,
    store6,
    store9,
    store_pair,
    sub,
    turn_z,
    unrotate,
)

TINY = 1e-14  # a joint's own inertia below this fraction of its link's cannot be divided by


@small
def joint_velocity(tree, i, q, v):
    """Velocity of link i relative to its parent: angular, linear, in the link's axes; of a swing or a free joint."""
    motion = tree.link_motion[i]
    k = tree.link_v[i]
    w = (v[k], v[k + 1], v[k + 2])
    if motion == SWING:
        return w, ZERO
    if motion == SWING_BACK:
        return neg(rotate(rotation_of(load_quaternion(q, tree.link_q[i])), w)), ZERO
    R = rotation_of(load_quaternion(q, tree.link_q[i] + 3))
    return unrotate(R, (v[k + 3], v[k + 4], v[k + 5])), unrotate(R, w)


@small
def outward_velocities(tree, work, q, v):
    """First pass: transforms, velocities, bias accelerations."""
    for i in range(tree.grounds, tree.link_parent.size):
        if tree.link_motion[i] != TURN:
            outward_other(tree, work, i, q, v)
            continue
        R = turn_z(load9(tree.link_R, i), q[tree.link_q[i]])
        w, u = carried_along(tree, work, i, R, load3(tree.link_p, i))
        rate = v[tree.link_v[i]]
        store_pair(work.bias, i, (w[1] * rate, -w[0] * rate, 0.0), (u[1] * rate, -u[0] * rate, 0.0))
        store_pair(work.velocity, i, (w[0], w[1], w[2] + rate), u)


@small
def carried_along(tree, work, i, R, p):
    """Velocity that link i would have if its joint stood still, in its axes; keeps its transform."""
    store9(work.R, i, R)
    store3(work.p, i, p)
    w, u = load_pair(work.velocity, tree.link_parent[i])
    return unrotate(R, w), unrotate(R, add(u, cross(w, p)))


@small
def outward_other(tree, work, i, q, v):
    """First pass for a link that does not just turn."""
    motion = tree.link_motion[i]
    R, p = pose_in_parent(tree, i, q)
    w, u = carried_along(tree, work, i, R, p)
    if motion == WELD:
        store_pair(work.bias, i, ZERO, ZERO)
        store_pair(work.velocity, i, w, u)
    elif motion == SLIDE or motion == HELICAL:
        rate = v[tree.link_v[i]]
        turn = tree.link_turn[i] * rate
        slide = tree.link_slide[i] * rate
        c = (w[1] * turn, -w[0] * turn, 0.0)
        d = (u[1] * turn + w[1] * slide, -u[0] * turn - w[0] * slide, 0.0)
        store_pair(work.bias, i, c, d)
        store_pair(work.velocity, i, (w[0], w[1], w[2] + turn), (u[0], u[1], u[2] + slide))
    else:
        w_r, u_r = joint_velocity(tree, i, q, v)
        # the axes of a free joint stay with its parent, hence - w_r
        d = add(cross(u, w_r), cross(sub(w, w_r), u_r))
        store_pair(work.bias, i, cross(w, w_r), d)
        store_pair(work.velocity, i, add(w, w_r), add(u, u_r))


@small
def inward_inertias(tree, work, q):
    """Second pass: articulated inertias and bias forces, from the tips to the grounds.

    In a chain of turning links each takes the result of its child from registers; all other children leave theirs in
    the rows of the parent. Returns 0 or 1 + a link without inertia.
    """
    failed = 0
    for i in range(tree.grounds, tree.link_parent.size):
        if tree.link_branches[i] == 1:
            store6(work.A, i, ZERO6)
            store9(work.H, i, ZERO9)
            store6(work.M, i, ZERO6)
            store_pair(work.force, i, ZERO, ZERO)
    i = tree.link_parent.size - 1
    while i >= tree.grounds:
        if tree.link_motion[i] != TURN:
            if not inward_other(tree, work, i, q) and failed == 0:
                failed = i + 1
            i -= 1
            continue
        A, H, M, n, f = own_inertia(tree, work, i)
        while True:
            # U = I^A s, D = s . U, what is left of tau
            k = tree.link_v[i]
            U = (A[4], A[5], A[2])
            V = (H[6], H[7], H[8])
            D = A[2] + tree.dof_armature[k]
            if D <= TINY * (A[0] + A[1] + A[2]) and failed == 0:  # what is no number is told by the state
                failed = i + 1
            D = 1.0 / D
            left = work.tau[k] - n[2]
            work.inverse[i, 0] = D
            work.u[k] = left
            store_pair(work.U, i, U, V)
            c, d = load_pair(work.bias, i)
            A, H, M = without(A, H, M, U, V, D)
            n, f = with_bias(A, H, M, add_scaled(n, D * left, U), add_scaled(f, D * left, V), c, d)
            j = tree.link_parent[i]
            if j < tree.grounds:
                break
            A, H, M, n, f = seen_from_parent(work, i, A, H, M, n, f)
            if j != i - 1 or tree.link_motion[j] != TURN:
                leave_with(work, j, A, H, M, n, f)
                break
            A_j, H_j, M_j, n_j, f_j = own_inertia(tree, work, j)
            A = add6(A, A_j)
            H = add9(H, H_j)
            M = add6(M, M_j)
            n = add(n, n_j)
            f = add(f, f_j)
            i = j
        i -= 1
    return failed


@small
def own_inertia(tree, work, i):
    """Inertia and bias force of link i itself, and of the children that left theirs with it."""
    w, u = load_pair(work.velocity, i)
    m = tree.link_mass[i]
    h = load3(tree.link_h, i)
    A = load6(tree.link_I, i)
    # momentum: angular k, linear l
    k = add(times(A, w), cross(h, u))
    l = add(scale(m, u), cross(w, h))
    n_e, f_e = load_pair(work.wrench, i)
    n = sub(add(cross(w, k), cross(u, l)), n_e)
    f = sub(cross(w, l), f_e)
    H = (0.0, -h[2], h[1], h[2], 0.0, -h[0], -h[1], h[0], 0.0)
    M = (m, m, m, 0.0, 0.0, 0.0)
    if tree.link_branches[i] == 1:
        n_b, f_b = load_pair(work.force, i)
        return (
            add6(A, load6(work.A, i)),
            add9(H, load9(work.H, i)),
            add6(M, load6(work.M, i)),
            add(n, n_b),
            add(f, f_b),
        )
    return A, H, M, n, f


@small
def seen_from_parent(work, i, A, H, M, n, f):
    """Articulated inertia and bias force of link i in the parent's axes about its origin."""
    R = load9(work.R, i)
    p = load3(work.p, i)
    M_p = rotate_symmetric(R, M)
    A_p, H_p = shift(rotate_symmetric(R, A), rotate_matrix(R, H), M_p, p)
    f_p = rotate(R, f)
    return A_p, H_p, M_p, add(rotate(R, n), cross(p, f_p)), f_p


@small
def leave_with(work, j, A, H, M, n, f):
    """Add to the rows of link j."""
    store6(work.A, j, add6(load6(work.A, j), A))
    store9(work.H, j, add9(load9(work.H, j), H))
    store6(work.M, j, add6(load6(work.M, j), M))
    add_pair(work.force, j, n, f)


@small
def with_bias(A, H, M, n, f, c, d):
    """Force that the bias accelerations of an axial joint add; both lie across z."""
    return (
        n[0] + A[0] * c[0] + A[3] * c[1] + H[0] * d[0] + H[1] * d[1],
        n[1] + A[3] * c[0] + A[1] * c[1] + H[3] * d[0] + H[4] * d[1],
        n[2] + A[4] * c[0] + A[5] * c[1] + H[6] * d[0] + H[7] * d[1],
    ), (
        f[0] + H[0] * c[0] + H[3] * c[1] + M[0] * d[0] + M[3] * d[1],
        f[1] + H[1] * c[0] + H[4] * c[1] + M[3] * d[0] + M[1] * d[1],
        f[2] + H[2] * c[0] + H[5] * c[1] + M[4] * d[0] + M[5] * d[1],
    )


@small
def inward_other(tree, work, i, q):
    """Second pass for a link that does not just turn; False where it has no inertia."""
    motion = tree.link_motion[i]
    j = tree.link_parent[i]
    k = tree.link_v[i]
    A, H, M, n, f = own_inertia(tree, work, i)
    if motion == WELD:
        if j >= tree.grounds:
            A, H, M, n, f = seen_from_parent(work, i, A, H, M, n, f)
            leave_with(work, j, A, H, M, n, f)
        return True
    c, d = load_pair(work.bias, i)
    if motion == SLIDE or motion == HELICAL:
        turn = tree.link_turn[i]
        slide = tree.link_slide[i]
        U = (turn * A[4] + slide * H[2], turn * A[5] + slide * H[5], turn * A[2] + slide * H[8])
        V = (turn * H[6] + slide * M[4], turn * H[7] + slide * M[5], turn * H[8] + slide * M[2])
        D = turn * U[2] + slide * V[2] + tree.dof_armature[k]
        good = not D <= TINY * (turn * (A[0] + A[1] + A[2]) + slide * slide * (M[0] + M[1] + M[2]))
        D = 1.0 / D
        left = work.tau[k] - turn * n[2] - slide * f[2]
        work.inverse[i, 0] = D
        work.u[k] = left
        store_pair(work.U, i, U, V)
        A, H, M = without(A, H, M, U, V, D)
        n, f = with_bias(A, H, M, add_scaled(n, D * left, U), add_scaled(f, D * left, V), c, d)
        if j >= tree.grounds:
            A, H, M, n, f = seen_from_parent(work, i, A, H, M, n, f)
            leave_with(work, j, A, H, M, n, f)
        return good
    store9(work.H, i, H)
    if motion == FREE:
        # nothing but the applied force passes on
        n_t, f_t = free_force(tree, i, q, work.tau)
        work.u[k] = n_t[0] - n[0]
        work.u[k + 1] = n_t[1] - n[1]
        work.u[k + 2] = n_t[2] - n[2]
        work.u[k + 3] = f_t[0] - f[0]
        work.u[k + 4] = f_t[1] - f[1]
        work.u[k + 5] = f_t[2] - f[2]
        if j >= tree.grounds:
            f_p = rotate(load9(work.R, i), f_t)
            n_p = add(rotate(load9(work.R, i), n_t), cross(load3(work.p, i), f_p))
            add_pair(work.force, j, n_p, f_p)
        return free_inverse(work, i, A, H, M)
    # a swing passes on force, and of the torques only the applied one
    t = swing_force(tree, i, q, work.tau)
    size = A[0] + A[1] + A[2]
    inverse = inverse_symmetric(A)
    store6(work.inverse, i, inverse)
    r = sub(t, n)
    work.u[k] = r[0]
    work.u[k + 1] = r[1]
    work.u[k + 2] = r[2]
    if j >= tree.grounds:
        M = minus6(M, gram(H, inverse))
        f = add(add(f, times(M, d)), unrotate(H, times(inverse, r)))
        R = load9(work.R, i)
        p = load3(work.p, i)
        M = rotate_symmetric(R, M)
        A_p, H_p = shift(ZERO6, ZERO9, M, p)
        f = rotate(R, f)
        leave_with(work, j, A_p, H_p, M, add(rotate(R, t), cross(p, f)), f)
    return not determinant_symmetric(A) <= TINY * size * size * size


@small
def without(A, H, M, U, V, D):
    """Articulated inertia without the motion that the joint allows: I - U U^T D."""
    x = (D * U[0], D * U[1], D * U[2])
    y = (D * V[0], D * V[1], D * V[2])
    return (
        (
            A[0] - x[0] * U[0],
            A[1] - x[1] * U[1],
            A[2] - x[2] * U[2],
            A[3] - x[0] * U[1],
            A[4] - x[0] * U[2],
            A[5] - x[1] * U[2],
        ),
        (
            H[0] - x[0] * V[0],
            H[1] - x[0] * V[1],
            H[2] - x[0] * V[2],
            H[3] - x[1] * V[0],
            H[4] - x[1] * V[1],
            H[5] - x[1] * V[2],
            H[6] - x[2] * V[0],
            H[7] - x[2] * V[1],
            H[8] - x[2] * V[2],
        ),
        (
            M[0] - y[0] * V[0],
            M[1] - y[1] * V[1],
            M[2] - y[2] * V[2],
            M[3] - y[0] * V[1],
            M[4] - y[0] * V[2],
            M[5] - y[1] * V[2],
        ),
    )


@small
def swing_force(tree, i, q, tau):
    """The applied torque of a swing in the link's axes."""
    k = tree.link_v[i]
    t = (tau[k], tau[k + 1], tau[k + 2])
    if tree.link_motion[i] == SWING:
        return t
    return neg(rotate(rotation_of(load_quaternion(q, tree.link_q[i])), t))


@small
def free_force(tree, i, q, tau):
    """The applied torque and force of a free joint in the link's axes."""
    k = tree.link_v[i]
    R = rotation_of(load_quaternion(q, tree.link_q[i] + 3))
    return unrotate(R, (tau[k + 3], tau[k + 4], tau[k + 5])), unrotate(R, (tau[k], tau[k + 1], tau[k + 2]))


@small
def free_inverse(work, i, A, H, M):
    """Keep the inverses of M and of A - H M^-1 H^T: the six equations of a free body in two steps of three."""
    size = M[0] + M[1] + M[2]
    good = not determinant_symmetric(M) <= TINY * size * size * size
    M_inverse = inverse_symmetric(M)
    S = minus6(A, multiply_transposed(H, M_inverse))
    size = S[0] + S[1] + S[2]
    good = good and not determinant_symmetric(S) <= TINY * size * size * size
    S_inverse = inverse_symmetric(S)
    for e in range(6):
        work.inverse[i, e] = M_inverse[e]
        work.inverse[i, 6 + e] = S_inverse[e]
    return good


@small
def free_solve(work, i, n, f):
    """Acceleration (angular, linear) of a free link under the torque n and the force f."""
    H = load9(work.H, i)
    M_inverse = load6(work.inverse, i)
    S_inverse = (
        work.inverse[i, 6],
        work.inverse[i, 7],
        work.inverse[i, 8],
        work.inverse[i, 9],
        work.inverse[i, 10],
        work.inverse[i, 11],
    )
    a = times(S_inverse, sub(n, rotate(H, times(M_inverse, f))))
    return a, times(M_inverse, sub(f, unrotate(H, a)))


@kernel
def outward_accelerations(tree, work, q, v, vd):
    """Third pass: joint and link accelerations."""
    for i in range(tree.grounds, tree.link_parent.size):
        if tree.link_motion[i] != TURN:
            accelerate_other(tree, work, i, q, vd)
            continue
        a, b = accelerated_along(tree, work, i)
        U, V = load_pair(work.U, i)
        k = tree.link_v[i]
        qdd = work.inverse[i, 0] * (work.u[k] - dot(U, a) - dot(V, b))
        vd[k] = qdd
        store_pair(work.acceleration, i, (a[0], a[1], a[2] + qdd), b)


@kernel
def accelerate(tree, work, q, v, vd):
    """All three passes: accelerations vd at (q, v) under the loads in `work`; 0, or 1 + a link without inertia."""
    outward_velocities(tree, work, q, v)
    failed = inward_inertias(tree, work, q)
    outward_accelerations(tree, work, q, v, vd)
    return failed


@small
def accelerated_along(tree, work, i):
    """Acceleration that link i would have if its joint did not accelerate, in its axes."""
    R = load9(work.R, i)
    a_j, b_j = load_pair(work.acceleration, tree.link_parent[i])
    c, d = load_pair(work.bias, i)
    return add(unrotate(R, a_j), c), add(unrotate(R, add(b_j, cross(a_j, load3(work.p, i)))), d)


@small
def accelerate_other(tree, work, i, q, vd):
    """Third pass for a link that does not just turn."""
    motion = tree.link_motion[i]
    k = tree.link_v[i]
    a, b = accelerated_along(tree, work, i)
    if motion == WELD:
        store_pair(work.acceleration, i, a, b)
    elif motion == SLIDE or motion == HELICAL:
        turn = tree.link_turn[i]
        slide = tree.link_slide[i]
        U, V = load_pair(work.U, i)
        qdd = work.inverse[i, 0] * (work.u[k] - dot(U, a) - dot(V, b))
        vd[k] = qdd
        store_pair(work.acceleration, i, (a[0], a[1], a[2] + turn * qdd), (b[0], b[1], b[2] + slide * qdd))
    elif motion == FREE:
        n = (work.u[k], work.u[k + 1], work.u[k + 2])
        f = (work.u[k + 3], work.u[k + 4], work.u[k + 5])
        a_t, b_t = free_solve(work, i, n, f)
        S = rotation_of(load_quaternion(q, tree.link_q[i] + 3))
        rate = rotate(S, sub(b_t, b))
        vd[k] = rate[0]
        vd[k + 1] = rate[1]
        vd[k + 2] = rate[2]
        rate = rotate(S, sub(a_t, a))
        vd[k + 3] = rate[0]
        vd[k + 4] = rate[1]
        vd[k + 5] = rate[2]
        store_pair(work.acceleration, i, a_t, b_t)
    else:
        r = sub((work.u[k], work.u[k + 1], work.u[k + 2]), rotate(load9(work.H, i), b))
        a_t = times(load6(work.inverse, i), r)
        rate = sub(a_t, a)
        if motion == SWING_BACK:
            rate = neg(unrotate(rotation_of(load_quaternion(q, tree.link_q[i])), rate))
        vd[k] = rate[0]
        vd[k + 1] = rate[1]
        vd[k + 2] = rate[2]
        store_pair(work.acceleration, i, a_t, b)
