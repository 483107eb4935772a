"""[MST17] Response of a tree to joint forces or impulses (figures 2 and 3): M^-1 tau by the articulated inertias.

The same two passes as forward dynamics without velocities; they touch only the tree that is pushed.
"""

from __future__ import annotations

from linkwork._jit import kernel
from linkwork.mechanics.tree.articulated import free_force, free_solve, swing_force
from linkwork.mechanics.tree.motions import load_quaternion
from linkwork.spatial.codes import FREE, SWING, SWING_BACK, TURN, WELD
from linkwork.spatial.inertia import times
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
    store_pair,
    sub,
    unrotate,
)


@kernel
def apply_inverse_mass(tree, work, q, tau, first, last, dv):
    """dv = M^-1 tau on the links first … last - 1 of one tree; needs `inward_inertias` at q."""
    for i in range(first, last):
        store_pair(work.push, i, ZERO, ZERO)
    # inward: impulses Y handed to the parents
    for i in range(last - 1, first - 1, -1):
        j = tree.link_parent[i]
        motion = tree.link_motion[i]
        n, f = load_pair(work.push, i)
        k = tree.link_v[i]
        if motion == TURN:
            left = tau[k] - n[2]
            g = work.inverse[i, 0] * left
            U, V = load_pair(work.U, i)
            n = add_scaled(n, g, U)
            f = add_scaled(f, g, V)
            dv[k] = left
        elif motion == SWING or motion == SWING_BACK:
            t = swing_force(tree, i, q, tau)
            left3 = sub(t, n)
            f = add(f, unrotate(load9(work.H, i), times(load6(work.inverse, i), left3)))
            n = t
            dv[k] = left3[0]
            dv[k + 1] = left3[1]
            dv[k + 2] = left3[2]
        elif motion == FREE:
            n_t, f_t = free_force(tree, i, q, tau)
            dv[k] = n_t[0] - n[0]
            dv[k + 1] = n_t[1] - n[1]
            dv[k + 2] = n_t[2] - n[2]
            dv[k + 3] = f_t[0] - f[0]
            dv[k + 4] = f_t[1] - f[1]
            dv[k + 5] = f_t[2] - f[2]
            n = n_t
            f = f_t
        elif motion != WELD:
            turn = tree.link_turn[i]
            slide = tree.link_slide[i]
            left = tau[k] - turn * n[2] - slide * f[2]
            g = work.inverse[i, 0] * left
            U, V = load_pair(work.U, i)
            n = add_scaled(n, g, U)
            f = add_scaled(f, g, V)
            dv[k] = left
        if j >= first:
            R = load9(work.R, i)
            f_p = rotate(R, f)
            add_pair(work.push, j, add(rotate(R, n), cross(load3(work.p, i), f_p)), f_p)
    outward_response(tree, work, q, first, last, dv)


@kernel
def outward_response(tree, work, q, first, last, dv):
    """Second pass (figure 3): dv holds what the impulses left for each joint, and becomes the change of velocity."""
    # velocities are kept where the impulses were
    for i in range(first, last):
        j = tree.link_parent[i]
        motion = tree.link_motion[i]
        if j >= first:
            R = load9(work.R, i)
            a_j, b_j = load_pair(work.push, j)
            a = unrotate(R, a_j)
            b = unrotate(R, add(b_j, cross(a_j, load3(work.p, i))))
        else:
            a = ZERO
            b = ZERO
        k = tree.link_v[i]
        if motion == TURN:
            U, V = load_pair(work.U, i)
            rate = work.inverse[i, 0] * (dv[k] - dot(U, a) - dot(V, b))
            dv[k] = rate
            a = (a[0], a[1], a[2] + rate)
        elif motion == SWING or motion == SWING_BACK:
            left3 = sub((dv[k], dv[k + 1], dv[k + 2]), rotate(load9(work.H, i), b))
            a_t = times(load6(work.inverse, i), left3)
            rate3 = sub(a_t, a)
            a = a_t
            if motion == SWING_BACK:
                rate3 = neg(unrotate(rotation_of(load_quaternion(q, tree.link_q[i])), rate3))
            dv[k] = rate3[0]
            dv[k + 1] = rate3[1]
            dv[k + 2] = rate3[2]
        elif motion == FREE:
            a_t, b_t = free_solve(work, i, (dv[k], dv[k + 1], dv[k + 2]), (dv[k + 3], dv[k + 4], dv[k + 5]))
            S = rotation_of(load_quaternion(q, tree.link_q[i] + 3))
            rate3 = rotate(S, sub(b_t, b))
            dv[k] = rate3[0]
            dv[k + 1] = rate3[1]
            dv[k + 2] = rate3[2]
            rate3 = rotate(S, sub(a_t, a))
            dv[k + 3] = rate3[0]
            dv[k + 4] = rate3[1]
            dv[k + 5] = rate3[2]
            a = a_t
            b = b_t
        elif motion != WELD:
            turn = tree.link_turn[i]
            slide = tree.link_slide[i]
            U, V = load_pair(work.U, i)
            rate = work.inverse[i, 0] * (dv[k] - dot(U, a) - dot(V, b))
            dv[k] = rate
            a = (a[0], a[1], a[2] + turn * rate)
            b = (b[0], b[1], b[2] + slide * rate)
        store_pair(work.push, i, a, b)
