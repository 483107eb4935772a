"""[MST17] Articulated bodies: forward dynamics of a tree in three passes (figure 1), in O(links).

    w u     angular and linear velocity of the link's origin
    c d     velocity-dependent acceleration of the joint: angular, linear
    A H M   articulated inertia I^A of (1)
    n f     articulated bias force Z^A of (1): torque, force
    s       allowed motion of the joint (2): turn and slide about z

Everything is written in the link's own axes about its own origin.
"""

from __future__ import annotations

from linkwork._jit import kernel
from linkwork.mechanics.motions import load_quaternion, pose_in_parent
from linkwork.spatial.codes import FREE, SWING, SWING_BACK, TURN, WELD
from linkwork.spatial.inertia import (
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
    add,
    add_pair,
    cross,
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
    unrotate,
)

TINY = 1e-14  # a joint's own inertia below this fraction of its link's has no hold on the motion


@kernel
def forward_dynamics(tree, work, q, v, vd):
    """vd from q, v and the applied `work.tau`, `work.wrench`. Returns 0, or 1 + the link whose inertia is singular."""
    outward_velocities(tree, work, q, v)
    failed = inward_inertias(tree, work, q)
    outward_accelerations(tree, work, q, v, vd)
    return failed


@kernel
def joint_velocity(tree, i, q, v):
    """Velocity of link i relative to its parent: angular, linear, in the link's axes; not for one-degree motions."""
    motion = tree.link_motion[i]
    k = tree.link_v[i]
    w = (v[k], v[k + 1], v[k + 2])
    if motion == SWING:
        return w, (0.0, 0.0, 0.0)
    if motion == SWING_BACK:
        return neg(rotate(rotation_of(load_quaternion(q, tree.link_q[i])), w)), (0.0, 0.0, 0.0)
    R = rotation_of(load_quaternion(q, tree.link_q[i] + 3))
    return unrotate(R, (v[k + 3], v[k + 4], v[k + 5])), unrotate(R, w)


@kernel
def outward_velocities(tree, work, q, v):
    """First pass: transforms, velocities, bias accelerations."""
    for i in range(tree.grounds, tree.link_parent.size):
        j = tree.link_parent[i]
        motion = tree.link_motion[i]
        R, p = pose_in_parent(tree, i, q)
        store9(work.R, i, R)
        store3(work.p, i, p)
        w_j, u_j = load_pair(work.velocity, j)
        w = unrotate(R, w_j)
        u = unrotate(R, add(u_j, cross(w_j, p)))
        if motion == TURN:
            rate = v[tree.link_v[i]]
            c = (w[1] * rate, -w[0] * rate, 0.0)
            d = (u[1] * rate, -u[0] * rate, 0.0)
            w = (w[0], w[1], w[2] + rate)
        elif motion == WELD:
            c = (0.0, 0.0, 0.0)
            d = (0.0, 0.0, 0.0)
        elif motion == SWING or motion == SWING_BACK or motion == FREE:
            w_r, u_r = joint_velocity(tree, i, q, v)
            c = cross(w, w_r)
            # the axes of a free joint stay with its parent, hence - w_r
            d = add(cross(u, w_r), cross(sub(w, w_r), u_r))
            w = add(w, w_r)
            u = add(u, u_r)
        else:
            rate = v[tree.link_v[i]]
            turn = tree.link_turn[i] * rate
            slide = tree.link_slide[i] * rate
            c = (w[1] * turn, -w[0] * turn, 0.0)
            d = (u[1] * turn + w[1] * slide, -u[0] * turn - w[0] * slide, 0.0)
            w = (w[0], w[1], w[2] + turn)
            u = (u[0], u[1], u[2] + slide)
        store_pair(work.velocity, i, w, u)
        store_pair(work.bias, i, c, d)


@kernel
def inward_inertias(tree, work, q):
    """Second pass: articulated inertias and bias forces, from the tips to the grounds."""
    failed = 0
    for i in range(tree.grounds, tree.link_parent.size):
        w, u = load_pair(work.velocity, i)
        m = tree.link_mass[i]
        h = load3(tree.link_h, i)
        I = load6(tree.link_I, i)
        # momentum: angular k, linear l
        k = add(times(I, w), cross(h, u))
        l = add(scale(m, u), cross(w, h))
        n_e, f_e = load_pair(work.wrench, i)
        store_pair(work.force, i, sub(add(cross(w, k), cross(u, l)), n_e), sub(cross(w, l), f_e))
        store6(work.A, i, I)
        store9(work.H, i, (0.0, -h[2], h[1], h[2], 0.0, -h[0], -h[1], h[0], 0.0))
        store6(work.M, i, (m, m, m, 0.0, 0.0, 0.0))
    for i in range(tree.link_parent.size - 1, tree.grounds - 1, -1):
        j = tree.link_parent[i]
        motion = tree.link_motion[i]
        A = load6(work.A, i)
        H = load9(work.H, i)
        M = load6(work.M, i)
        n, f = load_pair(work.force, i)
        c, d = load_pair(work.bias, i)
        if motion == SWING or motion == SWING_BACK or motion == FREE:
            k = tree.link_v[i]
            if motion == FREE:
                n_t, f_t = free_force(tree, i, q, work.tau)
                good = free_inverse(work, i, A, H, M)
                # nothing but the applied force passes on
                A = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
                H = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
                M = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
                r_n = sub(n_t, n)
                r_f = sub(f_t, f)
                n = n_t
                f = f_t
                work.u[k + 3] = r_f[0]
                work.u[k + 4] = r_f[1]
                work.u[k + 5] = r_f[2]
            else:
                t = swing_force(tree, i, q, work.tau)
                size = A[0] + A[1] + A[2]
                good = determinant_symmetric(A) > TINY * size * size * size
                inverse = inverse_symmetric(A)
                for e in range(6):
                    work.inverse[i, e] = inverse[e]
                r_n = sub(t, n)
                M = minus6(M, gram(H, inverse))
                f = add(add(f, times(M, d)), unrotate(H, times(inverse, r_n)))
                n = t
                A = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
                H = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
            work.u[k] = r_n[0]
            work.u[k + 1] = r_n[1]
            work.u[k + 2] = r_n[2]
            if not good and failed == 0:
                failed = i + 1
        elif motion != WELD:
            k = tree.link_v[i]
            # U = I^A s, D = s . U, what is left of tau
            if motion == TURN:
                U = (A[4], A[5], A[2])
                V = (H[6], H[7], H[8])
                D = A[2] + tree.dof_armature[k]
                left = work.tau[k] - n[2]
                size = A[0] + A[1] + A[2]
            else:
                turn = tree.link_turn[i]
                slide = tree.link_slide[i]
                U = (turn * A[4] + slide * H[2], turn * A[5] + slide * H[5], turn * A[2] + slide * H[8])
                V = (turn * H[6] + slide * M[4], turn * H[7] + slide * M[5], turn * H[8] + slide * M[2])
                D = turn * U[2] + slide * V[2] + tree.dof_armature[k]
                left = work.tau[k] - turn * n[2] - slide * f[2]
                size = turn * (A[0] + A[1] + A[2]) + slide * slide * (M[0] + M[1] + M[2])
            if not D > TINY * size and failed == 0:
                failed = i + 1
            D = 1.0 / D
            work.inverse[i, 0] = D
            work.u[k] = left
            A, H, M = without(A, H, M, U, V, D)
            g = D * left
            n = (n[0] + U[0] * g, n[1] + U[1] * g, n[2] + U[2] * g)
            f = (f[0] + V[0] * g, f[1] + V[1] * g, f[2] + V[2] * g)
            # both biases lie across z
            n = (
                n[0] + A[0] * c[0] + A[3] * c[1] + H[0] * d[0] + H[1] * d[1],
                n[1] + A[3] * c[0] + A[1] * c[1] + H[3] * d[0] + H[4] * d[1],
                n[2] + A[4] * c[0] + A[5] * c[1] + H[6] * d[0] + H[7] * d[1],
            )
            f = (
                f[0] + H[0] * c[0] + H[3] * c[1] + M[0] * d[0] + M[3] * d[1],
                f[1] + H[1] * c[0] + H[4] * c[1] + M[3] * d[0] + M[1] * d[1],
                f[2] + H[2] * c[0] + H[5] * c[1] + M[4] * d[0] + M[5] * d[1],
            )
        if j >= tree.grounds:
            # handed to the parent
            R = load9(work.R, i)
            p = load3(work.p, i)
            M_p = rotate_symmetric(R, M)
            A_p, H_p = shift(rotate_symmetric(R, A), rotate_matrix(R, H), M_p, p)
            f_p = rotate(R, f)
            n_p = add(rotate(R, n), cross(p, f_p))
            for e in range(6):
                work.A[j, e] += A_p[e]
                work.M[j, e] += M_p[e]
            for e in range(9):
                work.H[j, e] += H_p[e]
            add_pair(work.force, j, n_p, f_p)
    return failed


@kernel
def without(A, H, M, U, V, D):
    """Articulated inertia less what the joint lets go: I - U U^T D."""
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


@kernel
def swing_force(tree, i, q, tau):
    """The applied torque of a swing in the link's axes."""
    k = tree.link_v[i]
    t = (tau[k], tau[k + 1], tau[k + 2])
    if tree.link_motion[i] == SWING:
        return t
    return neg(rotate(rotation_of(load_quaternion(q, tree.link_q[i])), t))


@kernel
def free_force(tree, i, q, tau):
    """The applied torque and force of a free joint in the link's axes."""
    k = tree.link_v[i]
    R = rotation_of(load_quaternion(q, tree.link_q[i] + 3))
    return unrotate(R, (tau[k + 3], tau[k + 4], tau[k + 5])), unrotate(R, (tau[k], tau[k + 1], tau[k + 2]))


@kernel
def free_inverse(work, i, A, H, M):
    """Keep the inverses of M and of A - H M^-1 H^T: the six equations of a free body in two steps of three."""
    size = M[0] + M[1] + M[2]
    good = determinant_symmetric(M) > TINY * size * size * size
    M_inverse = inverse_symmetric(M)
    S = minus6(A, multiply_transposed(H, M_inverse))
    size = S[0] + S[1] + S[2]
    good = good and determinant_symmetric(S) > TINY * size * size * size
    S_inverse = inverse_symmetric(S)
    for e in range(6):
        work.inverse[i, e] = M_inverse[e]
        work.inverse[i, 6 + e] = S_inverse[e]
    return good


@kernel
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
        j = tree.link_parent[i]
        motion = tree.link_motion[i]
        R = load9(work.R, i)
        p = load3(work.p, i)
        a_j, b_j = load_pair(work.acceleration, j)
        c, d = load_pair(work.bias, i)
        a = add(unrotate(R, a_j), c)
        b = add(unrotate(R, add(b_j, cross(a_j, p))), d)
        k = tree.link_v[i]
        if motion == TURN:
            U = work.A[i, 4] * a[0] + work.A[i, 5] * a[1] + work.A[i, 2] * a[2]
            V = work.H[i, 6] * b[0] + work.H[i, 7] * b[1] + work.H[i, 8] * b[2]
            qdd = work.inverse[i, 0] * (work.u[k] - U - V)
            vd[k] = qdd
            a = (a[0], a[1], a[2] + qdd)
        elif motion == SWING or motion == SWING_BACK:
            r = sub((work.u[k], work.u[k + 1], work.u[k + 2]), rotate(load9(work.H, i), b))
            a_t = times(load6(work.inverse, i), r)
            rate = sub(a_t, a)
            a = a_t
            if motion == SWING_BACK:
                rate = neg(unrotate(rotation_of(load_quaternion(q, tree.link_q[i])), rate))
            vd[k] = rate[0]
            vd[k + 1] = rate[1]
            vd[k + 2] = rate[2]
        elif motion == FREE:
            a_t, b_t = free_solve(
                work, i, (work.u[k], work.u[k + 1], work.u[k + 2]), (work.u[k + 3], work.u[k + 4], work.u[k + 5])
            )
            S = rotation_of(load_quaternion(q, tree.link_q[i] + 3))
            rate = rotate(S, sub(b_t, b))
            vd[k] = rate[0]
            vd[k + 1] = rate[1]
            vd[k + 2] = rate[2]
            rate = rotate(S, sub(a_t, a))
            vd[k + 3] = rate[0]
            vd[k + 4] = rate[1]
            vd[k + 5] = rate[2]
            a = a_t
            b = b_t
        elif motion != WELD:
            turn = tree.link_turn[i]
            slide = tree.link_slide[i]
            U = (
                (turn * work.A[i, 4] + slide * work.H[i, 2]) * a[0]
                + (turn * work.A[i, 5] + slide * work.H[i, 5]) * a[1]
                + (turn * work.A[i, 2] + slide * work.H[i, 8]) * a[2]
            )
            V = (
                (turn * work.H[i, 6] + slide * work.M[i, 4]) * b[0]
                + (turn * work.H[i, 7] + slide * work.M[i, 5]) * b[1]
                + (turn * work.H[i, 8] + slide * work.M[i, 2]) * b[2]
            )
            qdd = work.inverse[i, 0] * (work.u[k] - U - V)
            vd[k] = qdd
            a = (a[0], a[1], a[2] + turn * qdd)
            b = (b[0], b[1], b[2] + slide * qdd)
        store_pair(work.acceleration, i, a, b)
