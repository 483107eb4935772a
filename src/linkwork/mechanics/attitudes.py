"""Quaternions of links along the chain of their joints: continuous functions of the coordinates, sign and all.

    e_i = e_parent c_i m_i      c   of the motion's frame in the parent's, a constant      m   of the motion

An angle gives m = (cos q/2, 0, 0, sin q/2), so a whole turn leads from one of the two quaternions of a rotation to the
other; a ball joint or a free body has its own in the state. What a rotation matrix alone gives would jump in sign.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from linkwork._jit import kernel, small
from linkwork.mechanics.counts import count_q
from linkwork.mechanics.tree.motions import load_quaternion, store_quaternion
from linkwork.mechanics.tree.workspace import tree_work
from linkwork.spatial.codes import FREE, SWING, SWING_BACK
from linkwork.spatial.quaternions import product, quaternion_of, rotation_of, signed_like
from linkwork.spatial.vectors import load9

ONE = (1.0, 0.0, 0.0, 0.0)


@small
def motion_quaternion(tree, i, q):
    """Of the motion of link i."""
    motion = tree.link_motion[i]
    k = tree.link_q[i]
    if motion == SWING:
        return load_quaternion(q, k)
    if motion == SWING_BACK:
        return (q[k], -q[k + 1], -q[k + 2], -q[k + 3])
    if motion == FREE:
        return load_quaternion(q, k + 3)
    if tree.link_turn[i] == 0.0:
        return ONE
    return (math.cos(0.5 * q[k]), 0.0, 0.0, math.sin(0.5 * q[k]))


@kernel
def turn_links(tree, work, q):
    """work.attitude = quaternions of the links; those of the grounds are there."""
    out = work.attitude
    for i in range(tree.grounds, tree.link_parent.size):
        e = product(load_quaternion(out[tree.link_parent[i]], 0), quaternion_of(load9(tree.link_R, i)))
        store_quaternion(out[i], 0, product(e, motion_quaternion(tree, i, q)))


@kernel
def body_quaternion(tree, work, sign, b, R):
    """Of body b, whose rotation is R; needs `turn_links`. `sign` (body,) is that of `body_signs`."""
    e = product(load_quaternion(work.attitude[tree.body_link[b]], 0), quaternion_of(load9(tree.body_R, b)))
    return signed_like(quaternion_of(R), scale_quaternion(sign[b], e))


def body_signs(tables: Any) -> Any:
    """(body,) 1 or -1: quaternions of bodies begin with a positive number where all coordinates are zero."""
    tree, work = tables.tree, tree_work(tables)
    q = np.zeros(count_q(tree))
    for i in range(tree.grounds, tree.link_parent.size):
        if tree.link_motion[i] in (SWING, SWING_BACK, FREE):
            q[tree.link_q[i] + (3 if tree.link_motion[i] == FREE else 0)] = 1.0
    turn_links(tree, work, q)
    signs = np.ones(tree.body_link.size)
    for b in range(signs.size):
        e = product(tuple(work.attitude[tree.body_link[b]]), quaternion_of(tuple(tree.body_R[b])))
        signs[b] = 1.0 if signed_like(quaternion_of(rotation_of(e)), e) == quaternion_of(rotation_of(e)) else -1.0
    return signs


@small
def scale_quaternion(s, e):
    return (s * e[0], s * e[1], s * e[2], s * e[3])
