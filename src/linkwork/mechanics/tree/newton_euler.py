"""Inverse dynamics: recursive Newton-Euler, the forces that the joints carry for given accelerations, in O(links)."""

from __future__ import annotations

from linkwork._jit import kernel, small
from linkwork.mechanics.tree.motions import load_quaternion
from linkwork.spatial.codes import FREE, SWING, SWING_BACK, WELD
from linkwork.spatial.inertia import times
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
    store_pair,
    sub,
    unrotate,
)


@kernel
def joint_acceleration(tree, i, q, vd):
    """Relative acceleration of link i that its joint's vd gives: angular, linear, link axes."""
    motion = tree.link_motion[i]
    k = tree.link_v[i]
    if motion == WELD:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if motion == SWING:
        return (vd[k], vd[k + 1], vd[k + 2]), (0.0, 0.0, 0.0)
    if motion == SWING_BACK:
        R = rotation_of(load_quaternion(q, tree.link_q[i]))
        return neg(rotate(R, (vd[k], vd[k + 1], vd[k + 2]))), (0.0, 0.0, 0.0)
    if motion == FREE:
        R = rotation_of(load_quaternion(q, tree.link_q[i] + 3))
        return unrotate(R, (vd[k + 3], vd[k + 4], vd[k + 5])), unrotate(R, (vd[k], vd[k + 1], vd[k + 2]))
    return (0.0, 0.0, tree.link_turn[i] * vd[k]), (0.0, 0.0, tree.link_slide[i] * vd[k])


@kernel
def joint_force(tree, i, q, n, f, tau):
    """tau of the joint of link i from the torque n and force f that it carries (link axes)."""
    motion = tree.link_motion[i]
    k = tree.link_v[i]
    if motion == WELD:
        return
    if motion == SWING or motion == SWING_BACK:
        t = n
        if motion == SWING_BACK:
            t = neg(unrotate(rotation_of(load_quaternion(q, tree.link_q[i])), n))
        tau[k] = t[0]
        tau[k + 1] = t[1]
        tau[k + 2] = t[2]
    elif motion == FREE:
        R = rotation_of(load_quaternion(q, tree.link_q[i] + 3))
        t = rotate(R, f)
        tau[k] = t[0]
        tau[k + 1] = t[1]
        tau[k + 2] = t[2]
        t = rotate(R, n)
        tau[k + 3] = t[0]
        tau[k + 4] = t[1]
        tau[k + 5] = t[2]
    else:
        tau[k] = tree.link_turn[i] * n[2] + tree.link_slide[i] * f[2]


@small
def link_acceleration(tree, work, i, q, vd):
    """Spatial acceleration of link i, gravity included; that of its parent must be known."""
    R = load9(work.R, i)
    a_j, b_j = load_pair(work.acceleration, tree.link_parent[i])
    c, d = load_pair(work.bias, i)
    a_r, b_r = joint_acceleration(tree, i, q, vd)
    a = add(add(unrotate(R, a_j), c), a_r)
    return a, add(add(unrotate(R, add(b_j, cross(a_j, load3(work.p, i)))), d), b_r)


@kernel
def accelerate_links(tree, work, q, vd):
    """work.acceleration for the accelerations vd; needs `outward_velocities`."""
    for i in range(tree.grounds, tree.link_parent.size):
        a, b = link_acceleration(tree, work, i, q, vd)
        store_pair(work.acceleration, i, a, b)


@kernel
def inverse_dynamics(tree, work, q, vd, tau):
    """tau for the accelerations vd; needs `outward_velocities`. Leaves in `work.force` what each joint carries.

    `work.wrench` is the applied load on each link.
    """
    for i in range(tree.grounds, tree.link_parent.size):
        a, b = link_acceleration(tree, work, i, q, vd)
        store_pair(work.acceleration, i, a, b)
        w, u = load_pair(work.velocity, i)
        m = tree.link_mass[i]
        h = load3(tree.link_h, i)
        I = load6(tree.link_I, i)
        k = add(times(I, w), cross(h, u))
        l = add(scale(m, u), cross(w, h))
        n_e, f_e = load_pair(work.wrench, i)
        n = add(add(times(I, a), cross(h, b)), add(cross(w, k), cross(u, l)))
        f = add(add(scale(m, b), cross(a, h)), cross(w, l))
        store_pair(work.force, i, sub(n, n_e), sub(f, f_e))
    for i in range(tree.link_parent.size - 1, tree.grounds - 1, -1):
        n, f = load_pair(work.force, i)
        joint_force(tree, i, q, n, f, tau)
        j = tree.link_parent[i]
        if j >= tree.grounds:
            R = load9(work.R, i)
            f_p = rotate(R, f)
            add_pair(work.force, j, add(rotate(R, n), cross(load3(work.p, i), f_p)), f_p)
    for k in range(tree.dof_link.size):
        tau[k] += tree.dof_armature[k] * vd[k]
