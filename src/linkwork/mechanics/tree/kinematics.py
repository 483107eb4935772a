"""Poses and velocities of links and bodies in the world, and the Jacobian of a body's point."""

from __future__ import annotations

from linkwork._jit import kernel, small
from linkwork.mechanics.rows.given import move_given
from linkwork.mechanics.tree.articulated import joint_velocity, outward_velocities
from linkwork.mechanics.tree.motions import dof_count, world_axis
from linkwork.spatial.codes import FREE, SWING, SWING_BACK, WELD
from linkwork.spatial.vectors import (
    ZERO,
    add,
    add_scaled,
    cross,
    load3,
    load9,
    load_pair,
    multiply,
    rotate,
    store3,
    store9,
    store_pair,
    sub,
    unrotate,
)


@kernel
def outward_poses(tree, work):
    """World poses of the links from the transforms that `outward_velocities` left."""
    for i in range(tree.grounds, tree.link_parent.size):
        j = tree.link_parent[i]
        X = load9(work.pose_R, j)
        store9(work.pose_R, i, multiply(X, load9(work.R, i)))
        store3(work.pose_p, i, add(load3(work.pose_p, j), rotate(X, load3(work.p, i))))


@kernel
def world_velocities(tree, work):
    """Velocities of the links' origins in world axes."""
    for i in range(tree.link_parent.size):
        X = load9(work.pose_R, i)
        w, u = load_pair(work.velocity, i)
        store_pair(work.pose_v, i, rotate(X, w), rotate(X, u))


@kernel
def place_tree(tree, work, q, v):
    """Poses and velocities of the moving links at (q, v), in their own axes and in the world's."""
    outward_velocities(tree, work, q, v)
    outward_poses(tree, work)
    world_velocities(tree, work)


@small
def forward_kinematics(tables, work, t, q, v, law_input, out):
    """Poses and velocities of all links at (q, v) and time t; `law_input` and `out` are scratch of the laws."""
    move_given(tables, work, t, law_input, out)
    outward_velocities(tables.tree, work, q, v)
    outward_poses(tables.tree, work)
    world_velocities(tables.tree, work)


@kernel
def velocities_of(tree, work, q, v, own, world):
    """Velocities of the links for other joint velocities v at the same q: in their own axes, and in world axes."""
    for i in range(tree.grounds):
        w, u = load_pair(work.velocity, i)
        store_pair(own, i, w, u)
        store_pair(world, i, rotate(load9(work.pose_R, i), w), rotate(load9(work.pose_R, i), u))
    for i in range(tree.grounds, tree.link_parent.size):
        R = load9(work.R, i)
        motion = tree.link_motion[i]
        w, u = load_pair(own, tree.link_parent[i])
        u = unrotate(R, add(u, cross(w, load3(work.p, i))))
        w = unrotate(R, w)
        if motion == SWING or motion == SWING_BACK or motion == FREE:
            w_r, u_r = joint_velocity(tree, i, q, v)
            w = add(w, w_r)
            u = add(u, u_r)
        elif motion != WELD:
            rate = v[tree.link_v[i]]
            w = (w[0], w[1], w[2] + tree.link_turn[i] * rate)
            u = (u[0], u[1], u[2] + tree.link_slide[i] * rate)
        store_pair(own, i, w, u)
        X = load9(work.pose_R, i)
        store_pair(world, i, rotate(X, w), rotate(X, u))


@kernel
def coasting(tree, work, a):
    """Accelerations of the links while every joint keeps its rate: angular, and of the origins; world axes."""
    store_pair(a, 0, ZERO, ZERO)
    gravity = (tree.gravity[0], tree.gravity[1], tree.gravity[2])
    for i in range(1, tree.grounds):
        X = load9(work.pose_R, i)
        alpha, b = load_pair(work.acceleration, i)
        w, u = load_pair(work.velocity, i)
        store_pair(a, i, rotate(X, alpha), add(rotate(X, add(b, cross(w, u))), gravity))
    for i in range(tree.grounds, tree.link_parent.size):
        j = tree.link_parent[i]
        alpha, b = load_pair(a, j)
        w_j, u_j = load_pair(work.pose_v, j)
        w, u = load_pair(work.pose_v, i)
        r = sub(load3(work.pose_p, i), load3(work.pose_p, j))
        carried = cross(w_j, r)
        slide = sub(sub(u, u_j), carried)
        b = add(add(b, cross(alpha, r)), cross(w_j, add_scaled(carried, 2.0, slide)))
        store_pair(a, i, add(alpha, cross(w_j, w)), b)


@kernel
def body_pose(tree, work, b):
    i = tree.body_link[b]
    X = load9(work.pose_R, i)
    return multiply(X, load9(tree.body_R, b)), add(load3(work.pose_p, i), rotate(X, load3(tree.body_p, b)))


@kernel
def body_velocity(tree, work, b):
    """Angular velocity, and velocity of the body frame's origin, world axes; needs `world_velocities`."""
    i = tree.body_link[b]
    w, u = load_pair(work.pose_v, i)
    return w, add(u, cross(w, rotate(load9(work.pose_R, i), load3(tree.body_p, b))))


@kernel
def link_jacobian(tree, work, i, x, J):
    """J (6, dof): angular velocity of link i and velocity of its point now at x (world), per unit of each dof."""
    for e in range(6):
        for k in range(J.shape[1]):
            J[e, k] = 0.0
    while i >= tree.grounds:
        k = tree.link_v[i]
        for j in range(dof_count(tree.link_motion[i])):
            w, u = world_axis(tree, work.pose_R, work.pose_p, i, j)
            u = add(u, cross(w, x))
            for e in range(3):
                J[e, k + j] = w[e]
                J[3 + e, k + j] = u[e]
        i = tree.link_parent[i]
