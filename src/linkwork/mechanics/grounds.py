"""Grounds that move as given functions of time (V06 5.2): pose, velocity and acceleration of their links."""

from __future__ import annotations

from linkwork._jit import kernel
from linkwork.mechanics.laws import evaluate
from linkwork.spatial.quaternions import exponential, rotation_of
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
def move_grounds(tree, laws, work, t, told, out):
    """Set the links of the moving grounds at time t; `told` and `out` are scratch."""
    gravity = (tree.gravity[0], tree.gravity[1], tree.gravity[2])
    for i in range(1, tree.grounds):
        if tree.ground_law[i, 0] < 0:
            continue  # a foreign body: its owner moves it
        evaluate(laws, tree.ground_law[i, 0], t, told, out)
        x, xd, xdd = out[0], out[1], out[2]
        evaluate(laws, tree.ground_law[i, 1], t, told, out)
        y, yd, ydd = out[0], out[1], out[2]
        evaluate(laws, tree.ground_law[i, 2], t, told, out)
        z, zd, zdd = out[0], out[1], out[2]
        evaluate(laws, tree.ground_law[i, 3], t, told, out)
        axis = load3(tree.ground_axis, i)
        turn = rotation_of(exponential(scale(out[0], axis)))
        R = load9(tree.ground_R, i)
        X = multiply(R, turn)
        w = scale(out[1], axis)
        u = unrotate(turn, (xd, yd, zd))
        store9(work.pose_R, i, X)
        store3(work.pose_p, i, add(load3(tree.ground_p, i), rotate(R, (x, y, z))))
        store_pair(work.velocity, i, w, u)
        b = sub(sub(unrotate(turn, (xdd, ydd, zdd)), cross(w, u)), unrotate(X, gravity))
        store_pair(work.acceleration, i, scale(out[2], axis), b)
