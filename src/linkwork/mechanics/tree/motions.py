"""Motions: the pose of a link in its parent, and how coordinates move with velocities.

One-degree motions are about or along z of the link. A swing keeps a quaternion, so it has no gimbal lock.
"""

from __future__ import annotations

from linkwork._jit import kernel, small
from linkwork.spatial.codes import FREE, SLIDE, SWING, SWING_BACK, TURN, WELD
from linkwork.spatial.quaternions import exponential, normalized, product, rate_local, rate_outer, rotation_of
from linkwork.spatial.vectors import (
    ZERO,
    add,
    add_scaled,
    axis_z,
    column,
    cross,
    load3,
    load9,
    multiply,
    neg,
    rotate,
    scale,
    transpose,
    turn_z,
)


@small
def load_quaternion(q, k):
    return (q[k], q[k + 1], q[k + 2], q[k + 3])


@small
def store_quaternion(q, k, e):
    q[k] = e[0]
    q[k + 1] = e[1]
    q[k + 2] = e[2]
    q[k + 3] = e[3]


@small
def pose_in_parent(tree, i, q):
    """Rotation and origin of link i in its parent's frame."""
    motion = tree.link_motion[i]
    R = load9(tree.link_R, i)
    p = load3(tree.link_p, i)
    k = tree.link_q[i]
    if motion == TURN:
        return turn_z(R, q[k]), p
    if motion == WELD:
        return R, p
    if motion == SWING:
        return multiply(R, rotation_of(load_quaternion(q, k))), p
    if motion == SWING_BACK:
        return multiply(R, transpose(rotation_of(load_quaternion(q, k)))), p
    if motion == FREE:
        x = (q[k], q[k + 1], q[k + 2])
        return multiply(R, rotation_of(load_quaternion(q, k + 3))), add(p, rotate(R, x))
    # slide and helical
    x_p = add_scaled(p, tree.link_slide[i] * q[k], axis_z(R))
    if motion == SLIDE:
        return R, x_p
    return turn_z(R, q[k]), x_p


@small
def dof_count(motion):
    if motion == WELD:
        return 0
    if motion == SWING or motion == SWING_BACK:
        return 3
    if motion == FREE:
        return 6
    return 1


@small
def world_axis(tree, pose_R, pose_p, i, j):
    """Velocity that a unit of dof j of link i gives: angular, and linear of the point now at the world's origin."""
    motion = tree.link_motion[i]
    x = load3(pose_p, i)
    if motion == TURN:
        z = axis_z(load9(pose_R, i))
        return z, cross(x, z)
    if motion == SWING:
        e = column(load9(pose_R, i), j)
        return e, cross(x, e)
    if motion == SWING_BACK or motion == FREE:
        R = multiply(load9(pose_R, tree.link_parent[i]), load9(tree.link_R, i))
        e = column(R, j % 3)
        if motion == SWING_BACK:
            return neg(e), cross(e, x)
        if j < 3:
            return ZERO, e
        return e, cross(x, e)
    z = axis_z(load9(pose_R, i))
    turn = tree.link_turn[i]
    return scale(turn, z), add_scaled(scale(tree.link_slide[i], z), turn, cross(x, z))


@kernel
def coordinate_rates(tree, q, v, qd):
    """qd = dq/dt."""
    for i in range(tree.grounds, tree.link_parent.size):
        motion = tree.link_motion[i]
        k = tree.link_q[i]
        m = tree.link_v[i]
        if motion == SWING or motion == SWING_BACK:
            store_quaternion(qd, k, rate_local(load_quaternion(q, k), (v[m], v[m + 1], v[m + 2])))
        elif motion == FREE:
            for j in range(3):
                qd[k + j] = v[m + j]
            store_quaternion(qd, k + 3, rate_outer(load_quaternion(q, k + 3), (v[m + 3], v[m + 4], v[m + 5])))
        elif motion != WELD:
            qd[k] = v[m]


@kernel
def displace(tree, q, v, h, out):
    """out = q moved along v for the time h, rotations by the exponential map. q and out may be one array."""
    for i in range(tree.grounds, tree.link_parent.size):
        motion = tree.link_motion[i]
        k = tree.link_q[i]
        m = tree.link_v[i]
        if motion == SWING or motion == SWING_BACK:
            turn = exponential((h * v[m], h * v[m + 1], h * v[m + 2]))
            store_quaternion(out, k, normalized(product(load_quaternion(q, k), turn)))
        elif motion == FREE:
            for j in range(3):
                out[k + j] = q[k + j] + h * v[m + j]
            turn = exponential((h * v[m + 3], h * v[m + 4], h * v[m + 5]))
            store_quaternion(out, k + 3, normalized(product(turn, load_quaternion(q, k + 3))))
        elif motion != WELD:
            out[k] = q[k] + h * v[m]


@kernel
def normalize(tree, q):
    """Bring every quaternion in q back to unit length."""
    for i in range(tree.grounds, tree.link_parent.size):
        motion = tree.link_motion[i]
        k = tree.link_q[i]
        if motion == SWING or motion == SWING_BACK:
            store_quaternion(q, k, normalized(load_quaternion(q, k)))
        elif motion == FREE:
            store_quaternion(q, k + 3, normalized(load_quaternion(q, k + 3)))
