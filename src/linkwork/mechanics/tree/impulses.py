"""[MST17] Test impulses by halves (figure 2): what an impulse leaves for every joint on its way to the ground.

    Y = (n, f)  articulated bias impulse on its way inward: torque, force
    u           what is left for the motion of a joint: tau - s . Y
    z           D^-1 u, with D = s . I^A s the joint's own articulated inertia

The articulated inertias factor the mass matrix: M^-1 = P^T D^-1 P, and the way inward computes u = P tau. So the
velocity that a unit impulse on row s gives row r is u_r . z_s: the way inward is all that an effective mass needs, and
only the joints between the row's links and the ground take part. The way outward (figure 3, `outward_response`) is
gone once a step, for all impulses together.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel, small
from linkwork.mechanics.tree.articulated import free_force, free_solve, swing_force
from linkwork.spatial.codes import FREE, SWING, SWING_BACK, TURN, WELD
from linkwork.spatial.eight import EIGHT
from linkwork.spatial.inertia import times
from linkwork.spatial.vectors import (
    ZERO,
    add,
    add_scaled,
    cross,
    dot,
    load3,
    load6,
    load9,
    load_pair,
    rotate,
    store_pair,
    sub,
    unrotate,
)

ROUNDING = 1e-12  # of the most that an impulse could leave for a joint: less is nothing


class ImpulsePath(NamedTuple):
    """Where a unit impulse acts, and how far it has come on its ways to the ground.

    Begun by `hold_link` and `hold_dof`, one end after the other, and consumed by `carry_inward`.
    """

    link: Any  # (end,) the link reached; -1 once it has arrived
    push: Any  # (end, 6) Y there: N m s, N s
    reach: Any  # (end,) the most that its torques could be, N m s: smaller parts of it are rounding
    joint: Any  # (end,) 1 where it begins with a joint impulse
    tau: Any  # (dof,) the joint impulses, N m s or N s; zero after `carry_inward`
    u: Any  # (8, dof) of the dofs on the ways to the ground, for up to eight impulses; `carry_inward`, `carry_together`
    z: Any  # (8, dof) as u
    lanes: Any  # (7 times 8,) eight impulses side by side, and how far they reach; impulse_lanes.py


def make_impulse_path(dofs: int, terms: int) -> ImpulsePath:
    """Memory for a tree of so many dofs and for rows of so many coordinates: that of a cut acts on two links."""
    ends = 2 * terms
    return ImpulsePath(
        link=np.full(ends, -1, dtype=np.int64),
        push=np.zeros((ends, 6)),
        reach=np.zeros(ends),
        joint=np.zeros(ends, dtype=np.int64),
        tau=np.zeros(dofs),
        u=np.zeros((EIGHT, dofs)),
        z=np.zeros((EIGHT, dofs)),
        lanes=np.zeros(7 * EIGHT),
    )


@small
def size(a):
    """A bound of the length of a."""
    return abs(a[0]) + abs(a[1]) + abs(a[2])


@small
def in_link(work, i, n, f, amount):
    """The wrench (n about the world's origin, f; world axes) times `amount` as a bias on link i; and its reach."""
    X = load9(work.pose_R, i)
    x = load3(work.pose_p, i)
    n_i = unrotate(X, sub(n, cross(x, f)))
    f_i = unrotate(X, f)
    n_i = (-amount * n_i[0], -amount * n_i[1], -amount * n_i[2])
    f_i = (-amount * f_i[0], -amount * f_i[1], -amount * f_i[2])
    return n_i, f_i, abs(amount) * (size(n) + size(x) * size(f))


@kernel
def apply_test_wrench(tree, work, path, h, i, n, f, amount):
    """End h: the wrench (n about the world's origin, f; world axes) times `amount` on link i."""
    path.joint[h] = 0
    path.link[h] = -1
    if i < tree.grounds:
        return
    path.link[h] = i
    n_i, f_i, path.reach[h] = in_link(work, i, n, f, amount)
    store_pair(path.push, h, n_i, f_i)


@kernel
def apply_test_force(tree, path, h, k, amount):
    """End h: a joint impulse on dof k."""
    path.link[h] = tree.dof_link[k]
    path.joint[h] = 1
    path.tau[k] += amount
    path.reach[h] = abs(amount)
    store_pair(path.push, h, ZERO, ZERO)


@small
def rate_along(work, velocities, i, n, f):
    """Rate that link i gives to a row of wrench (n about the world's origin, f); `velocities` in world axes."""
    w, v = load_pair(velocities, i)
    return dot(f, v) + dot(sub(n, cross(load3(work.pose_p, i), f)), w)


@small
def rate_between(work, velocities, a, b, n, f):
    """Rate of a row of wrench (n about the world's origin, f) on link b, and against it on link a."""
    return rate_along(work, velocities, b, n, f) - rate_along(work, velocities, a, n, f)


@kernel
def carry_inward(tree, work, q, path, count):
    """path.u and .z of the joints between the first `count` ends and the ground; needs articulated inertias at q.

    What rounding leaves for a joint that the impulse cannot move is set to zero: later it could not be told from a
    motion.
    """
    while True:
        # the outermost link first, so that ways which meet go on as one
        h = 0
        for j in range(1, count):
            if path.link[j] > path.link[h]:
                h = j
        i = path.link[h]
        if i < tree.grounds:
            break
        n, f = load_pair(path.push, h)
        reach = path.reach[h]
        held = path.joint[h]
        other = -1  # the next end further in
        for j in range(count):
            if j == h:
                continue
            if path.link[j] == i:
                n_j, f_j = load_pair(path.push, j)
                n = add(n, n_j)
                f = add(f, f_j)
                reach = max(reach, path.reach[j])
                held = max(held, path.joint[j])
                path.link[j] = -1
            other = max(other, path.link[j])
        while True:
            n, f = absorb_at_joint(tree, work, q, path.tau, i, held, n, f, reach, path.u, path.z, 0)
            j = tree.link_parent[i]
            if j < tree.grounds:
                path.link[h] = -1
                break
            n, f, reach = pass_on(work, i, n, f, reach)
            held = 0
            i = j
            if j <= other:
                store_pair(path.push, h, n, f)
                path.reach[h] = reach
                path.link[h] = j
                path.joint[h] = 0
                break


@small
def pass_on(work, i, n, f, reach):
    """An impulse of link i as one of its parent."""
    p = load3(work.p, i)
    R = load9(work.R, i)
    f = rotate(R, f)
    n = add(rotate(R, n), cross(p, f))
    return n, f, reach + size(p) * size(f) + size(n)


@small
def absorb_at_joint(tree, work, q, tau, i, held, n, f, reach, u, z, e):
    """Link i under the impulse (n, f) from beyond and, if `held`, the tau of its dofs; returns what it passes on.

    What it takes goes into row e of u and z.
    """
    motion = tree.link_motion[i]
    k = tree.link_v[i]
    if motion == TURN:
        left = tau[k] - n[2]
        if abs(left) <= ROUNDING * reach:
            left = 0.0
        tau[k] = 0.0
        g = work.inverse[i, 0] * left
        U, V = load_pair(work.U, i)
        u[e, k] = left
        z[e, k] = g
        return add_scaled(n, g, U), add_scaled(f, g, V)
    if motion == WELD:
        return n, f
    if motion == FREE:
        n_t = ZERO
        f_t = ZERO
        if held == 1:
            n_t, f_t = free_force(tree, i, q, tau)
            for j in range(6):
                tau[k + j] = 0.0
        n = sub(n_t, n)
        f = sub(f_t, f)
        a, b = free_solve(work, i, n, f)
        for j in range(3):
            u[e, k + j] = n[j]
            u[e, k + 3 + j] = f[j]
            z[e, k + j] = a[j]
            z[e, k + 3 + j] = b[j]
        return n_t, f_t
    if motion == SWING or motion == SWING_BACK:
        t = ZERO
        if held == 1:
            t = swing_force(tree, i, q, tau)
            for j in range(3):
                tau[k + j] = 0.0
        n = sub(t, n)
        a = times(load6(work.inverse, i), n)
        for j in range(3):
            u[e, k + j] = n[j]
            z[e, k + j] = a[j]
        return t, add(f, unrotate(load9(work.H, i), a))
    # slide and helical
    turn = tree.link_turn[i]
    slide = tree.link_slide[i]
    left = tau[k] - turn * n[2] - slide * f[2]
    if abs(left) <= ROUNDING * (turn * reach + abs(slide) * size(f)):
        left = 0.0
    tau[k] = 0.0
    g = work.inverse[i, 0] * left
    U, V = load_pair(work.U, i)
    u[e, k] = left
    z[e, k] = g
    return add_scaled(n, g, U), add_scaled(f, g, V)
