"""[V06] The border of a component that has its whole, or some of its parts, in another process.

    up    what a component reports: the largest gap of its joints, then for each port R p v r (rotation by rows, origin,
          velocity, motion without forces at the ports; linear then angular, world axes, at the origin of the body's
          frame), then D
    down  tau: force and torque at each port, world axes, at that origin

Both sides run the same compiled loop in step. Where they meet, a C function given by its address carries the messages.
`exchange` reports up and waits for tau; `fetch` waits for the reports of all parts; `give` sends them their tau.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel, small
from linkwork.mechanics.forces.laws import call_address
from linkwork.mechanics.tree.kinematics import body_pose
from linkwork.spatial.inertia import times
from linkwork.spatial.vectors import (
    add,
    cross,
    dot,
    load3,
    load6,
    load9,
    load_pair,
    rotate,
    store3,
    store9,
    store_pair,
    sub,
    unrotate,
)

ACCELERATIONS, POSITIONS, VELOCITIES = 0, 1, 2
PORT = 24  # numbers of a port before D
ROUNDING = 1e-12  # of the response of the free body: less is no response


class RemoteBorder(NamedTuple):
    """Addresses of the C functions that carry messages (0 where there is none), and the messages."""

    exchange: int
    fetch: int
    give: int
    up: Any  # report to the whole, as above; written by `report_border`
    down: Any  # (6 port,) N, N m: tau of the whole; `exchange`
    arm: Any  # (port, 3) m from the centre of mass to the origin of its body, where D was reported; `report_border`
    inbox: Any  # reports of the parts, one after the other; `fetch`
    outbox: Any  # like the tau of all components; `send_forces`
    motion: Any  # like r: accelerations of the parts' border bodies; `receive_reports`, with all forces `move_foreign`


def remote_border(partition: Any) -> RemoteBorder:
    """Memory for the messages of `partition`; the addresses are set where the run connects."""
    ports = len(partition.port_body)
    total = int(partition.sizes[1])
    return RemoteBorder(
        0,
        0,
        0,
        np.zeros(1 + PORT * ports + 36 * ports * ports),
        np.zeros(6 * ports),
        np.zeros((ports, 3)),
        np.zeros(partition.inbox),
        np.zeros(total),
        np.zeros(total),
    )


@small
def load_arm(tree, work, b):
    """From the centre of mass of body b to the origin of its frame, world axes."""
    _, x = body_pose(tree, work, b)
    return sub(x, load3(work.pose_p, tree.body_link[b]))


@kernel
def report_border(tables, parts, factors, joint_blocks, work, remote_border, phase, vd, t):
    """Fill `up` for the border of the model, exchange it for tau, and set that tau at the top component."""
    tree = tables.tree
    top = parts.D.size - 1
    ports = parts.port_body.size
    E = 6 * ports
    up = remote_border.up
    up[0] = factors.gap[top]
    for a in range(ports):
        b = parts.port_body[a]
        i = tree.body_link[b]
        R, x = body_pose(tree, work, b)
        d = load_arm(tree, work, b)
        if phase == ACCELERATIONS:
            store3(remote_border.arm, a, d)
        w, u = load_pair(work.pose_v, i)
        o = 1 + PORT * a
        for e in range(9):
            up[o + e] = R[e]
        s = parts.r[top] + 6 * a
        m = (factors.r[s], factors.r[s + 1], factors.r[s + 2])
        n = (factors.r[s + 3], factors.r[s + 4], factors.r[s + 5])
        if phase == ACCELERATIONS:
            k = tree.link_v[i]
            m = add(m, (vd[k], vd[k + 1], vd[k + 2]))
            n = add(n, (vd[k + 3], vd[k + 4], vd[k + 5]))
            m = add(m, cross(w, cross(w, d)))
        # corrections belong to the place where the factors were made
        m = add(m, cross(n, load3(remote_border.arm, a)))
        u = add(u, cross(w, d))
        for e in range(3):
            up[o + 9 + e] = x[e]
            up[o + 12 + e] = u[e]
            up[o + 15 + e] = w[e]
            up[o + 18 + e] = m[e]
            up[o + 21 + e] = n[e]
    if phase == ACCELERATIONS:
        report_response(tables, parts, factors, joint_blocks, work, remote_border, E)
    call_address(remote_border.exchange, t, up.ctypes.data, remote_border.down.ctypes.data)
    for a in range(ports):
        d = load3(remote_border.arm, a)
        f = (remote_border.down[6 * a], remote_border.down[6 * a + 1], remote_border.down[6 * a + 2])
        n = add(
            (remote_border.down[6 * a + 3], remote_border.down[6 * a + 4], remote_border.down[6 * a + 5]), cross(d, f)
        )
        for e in range(3):
            factors.tau[parts.r[top] + 6 * a + e] = f[e]
            factors.tau[parts.r[top] + 6 * a + 3 + e] = n[e]


@kernel
def report_response(tables, parts, factors, joint_blocks, work, remote_border, E):
    """D at the frames' origins: P D P^T, where P takes a motion from the centre of mass to the origin.

    What rounding leaves where the component's own joints hold a body is set to zero: the whole does not know the masses
    and would take it for a response.
    """
    tree = tables.tree
    top = parts.D.size - 1
    D = parts.D[top]
    o = 1 + PORT * parts.port_body.size
    for a in range(parts.port_body.size):
        d_a = load_arm(tree, work, parts.port_body[a])
        move_a, turn_a = free_response(tree, joint_blocks, parts.port_body[a], d_a)
        for b in range(parts.port_body.size):
            d_b = load_arm(tree, work, parts.port_body[b])
            move_b, turn_b = free_response(tree, joint_blocks, parts.port_body[b], d_b)
            for f in range(6):
                size = ROUNDING * (move_b if f < 3 else turn_b)
                # unit force or torque at the origin of b, moved to its centre of mass
                force = (1.0 if f == 0 else 0.0, 1.0 if f == 1 else 0.0, 1.0 if f == 2 else 0.0)
                torque = (1.0 if f == 3 else 0.0, 1.0 if f == 4 else 0.0, 1.0 if f == 5 else 0.0)
                torque = add(torque, cross(d_b, force))
                x = block_times(factors.D, D, E, 6 * a, 6 * b, force, torque)
                y = block_times(factors.D, D, E, 6 * a + 3, 6 * b, force, torque)
                x = add(x, cross(y, d_a))
                for e in range(3):
                    remote_border.up[o + (6 * a + e) * E + 6 * b + f] = x[e] if abs(x[e]) > size * move_a else 0.0
                    remote_border.up[o + (6 * a + 3 + e) * E + 6 * b + f] = y[e] if abs(y[e]) > size * turn_a else 0.0


@small
def free_response(tree, joint_blocks, b, d):
    """Square roots of the response of body b, if it were free, to a force and to a torque at the end of d."""
    i = tree.body_link[b]
    turn = joint_blocks.inverse_inertia[i, 0] + joint_blocks.inverse_inertia[i, 1] + joint_blocks.inverse_inertia[i, 2]
    return (joint_blocks.inverse_mass[i] + turn * dot(d, d)) ** 0.5, turn**0.5


@small
def block_times(D, o, E, row, column, f, n):
    """Three rows of D from `row` on times (f, n) at `column`."""
    p = o + row * E + column
    return (
        D[p] * f[0] + D[p + 1] * f[1] + D[p + 2] * f[2] + D[p + 3] * n[0] + D[p + 4] * n[1] + D[p + 5] * n[2],
        D[p + E] * f[0]
        + D[p + E + 1] * f[1]
        + D[p + E + 2] * f[2]
        + D[p + E + 3] * n[0]
        + D[p + E + 4] * n[1]
        + D[p + E + 5] * n[2],
        D[p + 2 * E] * f[0]
        + D[p + 2 * E + 1] * f[1]
        + D[p + 2 * E + 2] * f[2]
        + D[p + 2 * E + 3] * n[0]
        + D[p + 2 * E + 4] * n[1]
        + D[p + 2 * E + 5] * n[2],
    )


@kernel
def push_border(tables, parts, factors, joint_blocks, remote_border, out):
    """out += M^-1 tau: what the forces at the model's own border do to the bodies there."""
    if remote_border.exchange == 0:
        return
    tree = tables.tree
    top = parts.D.size - 1
    for a in range(parts.port_body.size):
        i = tree.body_link[parts.port_body[a]]
        k = tree.link_v[i]
        s = parts.r[top] + 6 * a
        n = times(load6(joint_blocks.inverse_inertia, i), (factors.tau[s + 3], factors.tau[s + 4], factors.tau[s + 5]))
        for e in range(3):
            out[k + e] += joint_blocks.inverse_mass[i] * factors.tau[s + e]
            out[k + 3 + e] += n[e]


@kernel
def receive_reports(tables, parts, factors, work, remote_border, phase, t):
    """Wait for the reports of the parts elsewhere; set the poses and velocities of their border bodies, D and r."""
    call_address(remote_border.fetch, t, remote_border.outbox.ctypes.data, remote_border.inbox.ctypes.data)
    inbox = remote_border.inbox
    for n in range(parts.node_link.size):
        part = parts.node_part[n]
        if part < 0 or parts.remote[part] < 0:
            continue
        i = parts.node_link[n]
        a = parts.node_place[n]
        o = parts.remote[part] + 1 + PORT * a
        R = (
            inbox[o],
            inbox[o + 1],
            inbox[o + 2],
            inbox[o + 3],
            inbox[o + 4],
            inbox[o + 5],
            inbox[o + 6],
            inbox[o + 7],
            inbox[o + 8],
        )
        u = (inbox[o + 12], inbox[o + 13], inbox[o + 14])
        w = (inbox[o + 15], inbox[o + 16], inbox[o + 17])
        store9(work.pose_R, i, R)
        store3(work.pose_p, i, (inbox[o + 9], inbox[o + 10], inbox[o + 11]))
        store_pair(work.velocity, i, unrotate(R, w), unrotate(R, u))
        store_pair(work.pose_v, i, w, u)
        for e in range(6):
            # an acceleration is in the rows already, a correction is not
            factors.r[parts.r[part] + 6 * a + e] = 0.0 if phase == ACCELERATIONS else inbox[o + 18 + e]
            if phase == ACCELERATIONS:
                remote_border.motion[parts.r[part] + 6 * a + e] = inbox[o + 18 + e]
    if phase == ACCELERATIONS:
        for k in range(parts.D.size):
            if parts.remote[k] >= 0:
                factors.gap[k] = inbox[parts.remote[k]]
                ports = parts.border_start[k + 1] - parts.border_start[k]
                o = parts.remote[k] + 1 + PORT * ports
                for e in range(36 * ports * ports):
                    factors.D[parts.D[k] + e] = inbox[o + e]


@kernel
def foreign_load(work, i):
    """Force and torque of this level's force elements on link i at its origin, world axes."""
    X = load9(work.pose_R, i)
    n, f = load_pair(work.wrench, i)
    return rotate(X, f), rotate(X, n)


@kernel
def move_foreign(tables, parts, factors, work, remote_border, joined):
    """Accelerations of the parts' border bodies: r, and what the forces of this level do to them through D.

    They are those of the springs, and where the solution is `joined` those of the joints too.
    """
    for n in range(parts.node_link.size):
        part = parts.node_part[n]
        if part < 0 or parts.remote[part] < 0:
            continue
        first = n - parts.node_place[n]
        E = 6 * (parts.border_start[part + 1] - parts.border_start[part])
        a = 6 * parts.node_place[n]
        s = parts.r[part] + a
        m, al = load_motion(remote_border.motion, s)
        for b in range(E // 6):
            f, q = foreign_load(work, parts.node_link[first + b])
            if joined:
                f_b, q_b = load_motion(factors.tau, parts.r[part] + 6 * b)
                f = add(f, f_b)
                q = add(q, q_b)
            m = add(m, block_times(factors.D, parts.D[part], E, a, 6 * b, f, q))
            al = add(al, block_times(factors.D, parts.D[part], E, a + 3, 6 * b, f, q))
        set_acceleration(tables.tree, work, parts.node_link[n], m, al)
        if joined:
            for e in range(3):
                remote_border.motion[s + e] = m[e]
                remote_border.motion[s + 3 + e] = al[e]


@kernel
def correct_foreign(parts, factors, work):
    """Velocities of the parts' border bodies as they are after this correction: by r + D tau more."""
    for n in range(parts.node_link.size):
        part = parts.node_part[n]
        if part < 0 or parts.remote[part] < 0:
            continue
        E = 6 * (parts.border_start[part + 1] - parts.border_start[part])
        a = 6 * parts.node_place[n]
        du, dw = load_motion(factors.r, parts.r[part] + a)
        for b in range(E // 6):
            f, q = load_motion(factors.tau, parts.r[part] + 6 * b)
            du = add(du, block_times(factors.D, parts.D[part], E, a, 6 * b, f, q))
            dw = add(dw, block_times(factors.D, parts.D[part], E, a + 3, 6 * b, f, q))
        i = parts.node_link[n]
        X = load9(work.pose_R, i)
        w, u = load_pair(work.velocity, i)
        store_pair(work.velocity, i, add(w, unrotate(X, dw)), add(u, unrotate(X, du)))


@kernel
def set_acceleration(tree, work, i, m, al):
    """Acceleration of link i whose origin has m and which turns with al, world axes; gravity included as everywhere."""
    gravity = (tree.gravity[0], tree.gravity[1], tree.gravity[2])
    X = load9(work.pose_R, i)
    w, u = load_pair(work.velocity, i)
    store_pair(work.acceleration, i, unrotate(X, al), sub(unrotate(X, sub(m, gravity)), cross(w, u)))


@kernel
def update_foreign(tables, parts, work, remote_border):
    """Accelerations of the parts' border bodies again, at their poses and velocities after the projection."""
    for n in range(parts.node_link.size):
        part = parts.node_part[n]
        if part >= 0 and parts.remote[part] >= 0:
            m, al = load_motion(remote_border.motion, parts.r[part] + 6 * parts.node_place[n])
            set_acceleration(tables.tree, work, parts.node_link[n], m, al)


@small
def load_motion(x, s):
    """Two vectors from place s of x on: linear and angular, or force and torque."""
    return (x[s], x[s + 1], x[s + 2]), (x[s + 3], x[s + 4], x[s + 5])


@kernel
def send_forces(tables, parts, factors, work, remote_border, phase, t):
    """Send every part elsewhere the forces at its ports."""
    for e in range(remote_border.outbox.size):
        remote_border.outbox[e] = factors.tau[e]
    if phase == ACCELERATIONS:
        for n in range(parts.node_link.size):
            part = parts.node_part[n]
            if part >= 0 and parts.remote[part] >= 0:
                f, q = foreign_load(work, parts.node_link[n])
                o = parts.r[part] + 6 * parts.node_place[n]
                for e in range(3):
                    remote_border.outbox[o + e] += f[e]
                    remote_border.outbox[o + 3 + e] += q[e]
    call_address(remote_border.give, t, remote_border.outbox.ctypes.data, remote_border.inbox.ctypes.data)
