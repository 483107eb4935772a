"""Free bodies that carry no other are moved by their centres of mass, and spin by the midpoint rule.

    R     from the link's axes to those of its coordinates        c    centre of mass from the link's origin
    I     inertia about it, link axes                             w    angular velocity

The gyroscopic torque is -w x I w. Evaluated at the start of the step it raises the energy of a tumbling body step by
step; at the midpoint, I (w1 - w0) = -dt wm x I wm with wm = (w0 + w1) / 2, it does no work. The origin of a body moves
on circles about the centre of mass, which itself moves straight on: so the centre is moved, and the origin follows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel, small
from linkwork.mechanics.tree.motions import load_quaternion
from linkwork.spatial.codes import FREE
from linkwork.spatial.inertia import inverse_symmetric, times
from linkwork.spatial.quaternions import rotation_of
from linkwork.spatial.vectors import (
    ZERO,
    add,
    add_scaled,
    cross,
    load3,
    load6,
    load9,
    load_pair,
    rotate,
    scale,
    store3,
    store_pair,
    sub,
    unrotate,
)

NEWTON_STEPS = 3  # for the midpoint rule
SPHERICAL = 1e-12  # of the trace: with less difference between its principal inertias a body does not tumble


FAST_SPIN = 0.1**2  # rad, squared: bodies that turn by less in a step take the torque of rows as it was in the last one
SPIN_EXACT = 1e-6**2  # of an angular velocity, squared: what that torque may be wrong by
BOUNCE_EXACT = 1e-6**2  # rad, squared: the same in a bounce, which must not gain energy, as the turn that it makes in h


class FreeBodies(NamedTuple):
    """The free bodies of a tree that carry no other. Written by `free_bodies`, but for `arm`."""

    link: Any  # (body,)
    centre: Any  # (body, 3) m, link axes
    inertia: Any  # (body, 6) kg m2 about the centre of mass, link axes
    tumbles: Any  # (body,) 1 where its principal inertias differ
    dof: Any  # (dof,) 1 where it is one of theirs
    arm: Any  # (body, 3) m, R c before the step; written by store_centres


def free_bodies(tree: Any) -> FreeBodies:
    """The free bodies of a tree that carry no other."""
    parents = set(tree.link_parent[tree.grounds :].tolist())
    links = [
        i
        for i in range(tree.grounds, tree.link_parent.size)
        if tree.link_motion[i] == FREE and tree.link_parent[i] == 0 and i not in parents and tree.link_mass[i] > 0
    ]
    centre, inertia, tumbles = np.zeros((len(links), 3)), np.zeros((len(links), 6)), np.zeros(len(links), np.int64)
    for k, i in enumerate(links):
        m, c = tree.link_mass[i], tree.link_h[i] / tree.link_mass[i]
        xx, yy, zz, xy, xz, yz = tree.link_I[i]
        I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - m * (c @ c * np.eye(3) - np.outer(c, c))
        centre[k], inertia[k] = c, [I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]
        tumbles[k] = np.abs(I - np.trace(I) / 3 * np.eye(3)).max() > SPHERICAL * np.trace(I)
    dof = np.isin(tree.dof_link, links).astype(np.int64)
    return FreeBodies(np.array(links, dtype=np.int64), centre, inertia, tumbles, dof, np.zeros((len(links), 3)))


@kernel
def keep_free_velocities(free, tree, v, v_next):
    """Set the velocities of free bodies in v_next to those in v."""
    for e in range(free.link.size):
        k = tree.link_v[free.link[e]]
        for j in range(6):
            v_next[k + j] = v[k + j]


@small
def solve3(A, b):
    """x with A x = b, A a 9-tuple by rows."""
    r0 = (A[0], A[3], A[6])
    r1 = (A[1], A[4], A[7])
    r2 = (A[2], A[5], A[8])
    c = cross(r1, r2)
    d = 1.0 / (r0[0] * c[0] + r0[1] * c[1] + r0[2] * c[2])
    e = cross(b, r2)
    f = cross(r1, b)
    return (
        d * (b[0] * c[0] + b[1] * c[1] + b[2] * c[2]),
        d * (r0[0] * e[0] + r0[1] * e[1] + r0[2] * e[2]),
        d * (r0[0] * f[0] + r0[1] * f[1] + r0[2] * f[2]),
    )


@small
def spin(I, w0, dw, h):
    """Angular velocity after h under a torque that alone makes it change by dw, link axes: midpoint, by Newton."""
    w1 = add(w0, dw)
    for _round in range(NEWTON_STEPS):
        wm = scale(0.5, add(w0, w1))
        L = times(I, wm)
        g = add_scaled(times(I, sub(sub(w1, w0), dw)), h, cross(wm, L))
        # Jacobian: I + h/2 ([wm] I - [L])
        a = 0.5 * h
        A = (
            I[0] + a * (wm[1] * I[4] - wm[2] * I[3]),
            I[3] + a * (wm[1] * I[5] - wm[2] * I[1] + L[2]),
            I[4] + a * (wm[1] * I[2] - wm[2] * I[5] - L[1]),
            I[3] + a * (wm[2] * I[0] - wm[0] * I[4] - L[2]),
            I[1] + a * (wm[2] * I[3] - wm[0] * I[5]),
            I[5] + a * (wm[2] * I[4] - wm[0] * I[2] + L[0]),
            I[4] + a * (wm[0] * I[3] - wm[1] * I[0] + L[1]),
            I[5] + a * (wm[0] * I[1] - wm[1] * I[3] - L[0]),
            I[2] + a * (wm[0] * I[5] - wm[1] * I[4]),
        )
        w1 = sub(w1, solve3(A, g))
    return w1


@kernel
def spin_at_midpoint(free, tree, q, v, h, row_vd, vd):
    """Accelerations vd with the gyroscopic torque at the midpoint, and of the origin as if it moved straight on."""
    for e in range(free.link.size):
        i = free.link[e]
        k = tree.link_v[i]
        R = rotation_of(load_quaternion(q, tree.link_q[i] + 3))
        I = load6(free.inertia, e)
        w = (v[k + 3], v[k + 4], v[k + 5])
        alpha = (vd[k + 3], vd[k + 4], vd[k + 5])
        turned = alpha
        if free.tumbles[e] == 1:
            w0 = unrotate(R, w)
            felt = times(inverse_symmetric(I), cross(w0, times(I, w0)))
            rows = unrotate(R, (row_vd[k + 3], row_vd[k + 4], row_vd[k + 5]))
            dw = scale(h, add(add(unrotate(R, alpha), felt), rows))
            turned = rotate(R, sub(scale(1.0 / h, sub(spin(I, w0, dw, h), w0)), rows))
        c = rotate(R, load3(free.centre, e))
        a = add((vd[k], vd[k + 1], vd[k + 2]), cross(w, cross(w, c)))
        a = add(a, cross(sub(alpha, turned), c))
        for j in range(3):
            vd[k + j] = a[j]
            vd[k + 3 + j] = turned[j]


@kernel
def unforced_free_bodies(free, work, world):
    """Accelerations `world` of free bodies with no load: their centres of mass move straight on."""
    for e in range(free.link.size):
        i = free.link[e]
        w, _ = load_pair(work.pose_v, i)
        c = rotate(load9(work.pose_R, i), load3(free.centre, e))
        store_pair(world, i, ZERO, cross(w, cross(c, w)))


@kernel
def store_centres(free, tree, q):
    """Keep the arms from the origins to the centres of mass before the step."""
    for e in range(free.link.size):
        R = rotation_of(load_quaternion(q, tree.link_q[free.link[e]] + 3))
        store3(free.arm, e, rotate(R, load3(free.centre, e)))


@kernel
def move_centres(free, tree, q, v, plus, h):
    """After q has moved along `plus` for h: the centres of mass move straight on, the origins follow; so too in v."""
    for e in range(free.link.size):
        i = free.link[e]
        k = tree.link_v[i]
        m = tree.link_q[i]
        old = load3(free.arm, e)
        new = rotate(rotation_of(load_quaternion(q, m + 3)), load3(free.centre, e))
        turn = (h * plus[k + 3], h * plus[k + 4], h * plus[k + 5])
        x = add(sub(old, new), cross(turn, old))
        u = cross((v[k + 3], v[k + 4], v[k + 5]), sub(old, new))
        for j in range(3):
            q[m + j] += x[j]
            v[k + j] += u[j]


@kernel
def spins_known(free, tree, v_next, dv, some, bounces, h, row_vd):
    """Add the changes dv by rows, if `some`, to v_next; False where a body spins and row_vd was not what they give."""
    known = True
    for e in range(free.link.size):
        if free.tumbles[e] == 1:
            k = tree.link_v[free.link[e]] + 3
            turn = 0.0
            change = 0.0
            for j in range(3):
                turn += v_next[k + j] * v_next[k + j]
                d = (dv[k + j] if some else 0.0) - h * row_vd[k + j]
                change += d * d
            if h * h * turn > FAST_SPIN and change > SPIN_EXACT * turn:
                known = False
            if some and bounces and h * h * change > BOUNCE_EXACT:
                known = False
    for k in range(v_next.size):
        change = dv[k] if some else 0.0
        v_next[k] += change
        row_vd[k] = change / h
    return known
