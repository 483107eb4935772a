"""Grounds that move as given functions of time (V06 5.2): pose, velocity and acceleration of their links."""

from __future__ import annotations

from linkwork._jit import kernel
from linkwork.mechanics.forces.laws import evaluate
from linkwork.mechanics.tree.motions import load_quaternion, store_quaternion
from linkwork.spatial.quaternions import exponential, product, quaternion_of, rotation_of, signed_like
from linkwork.spatial.vectors import (
    add,
    cross,
    load3,
    load9,
    multiply,
    rotate,
    scale,
    store3,
    store9,
    store_pair,
    sub,
    unrotate,
)


@kernel
def move_grounds(tree, laws, work, t, law_input, out):
    """Set the links of the moving grounds at time t; `law_input` and `out` are scratch."""
    gravity = (tree.gravity[0], tree.gravity[1], tree.gravity[2])
    for i in range(1, tree.grounds):
        if tree.ground_law[i, 0] < 0:
            continue  # a foreign body: its owner moves it
        evaluate(laws, tree.ground_law[i, 0], t, law_input, out)
        x, xd, xdd = out[0], out[1], out[2]
        evaluate(laws, tree.ground_law[i, 1], t, law_input, out)
        y, yd, ydd = out[0], out[1], out[2]
        evaluate(laws, tree.ground_law[i, 2], t, law_input, out)
        z, zd, zdd = out[0], out[1], out[2]
        evaluate(laws, tree.ground_law[i, 3], t, law_input, out)
        axis = load3(tree.ground_axis, i)
        e = exponential(scale(out[0], axis))
        turn = rotation_of(e)
        R = load9(tree.ground_R, i)
        store_quaternion(work.attitude[i], 0, product(quaternion_of(R), e))
        X = multiply(R, turn)
        w = scale(out[1], axis)
        u = unrotate(turn, (xd, yd, zd))
        store9(work.pose_R, i, X)
        store3(work.pose_p, i, add(load3(tree.ground_p, i), rotate(R, (x, y, z))))
        store_pair(work.velocity, i, w, u)
        b = sub(sub(unrotate(turn, (xdd, ydd, zdd)), cross(w, u)), unrotate(X, gravity))
        store_pair(work.acceleration, i, scale(out[2], axis), b)


@kernel
def keep_foreign(tree, work, out):
    """out (foreign body, 24): pose, velocity and acceleration of the links that others move."""
    f = 0
    for i in range(1, tree.grounds):
        if tree.ground_law[i, 0] < 0:
            for e in range(9):
                out[f, e] = work.pose_R[i, e]
            for e in range(3):
                out[f, 9 + e] = work.pose_p[i, e]
            for e in range(6):
                out[f, 12 + e] = work.velocity[i, e]
                out[f, 18 + e] = work.acceleration[i, e]
            f += 1


@kernel
def place_foreign(tree, work, kept):
    """The links that others move, as they were kept. Their quaternions do not jump from one call to the next."""
    f = 0
    for i in range(1, tree.grounds):
        if tree.ground_law[i, 0] < 0:
            for e in range(9):
                work.pose_R[i, e] = kept[f, e]
            for e in range(3):
                work.pose_p[i, e] = kept[f, 9 + e]
            for e in range(6):
                work.velocity[i, e] = kept[f, 12 + e]
                work.acceleration[i, e] = kept[f, 18 + e]
            e_now = quaternion_of(load9(work.pose_R, i))
            store_quaternion(work.attitude[i], 0, signed_like(e_now, load_quaternion(work.attitude[i], 0)))
            f += 1
