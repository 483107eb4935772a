"""Reactions of joints whose bodies share natural coordinates.

Each link by itself needs forces F on its nodes to move as it does: M zdd + Phi_q^T mu - Q with its own masses, rows and
loads (a member is a node as one link sees it). Its neighbours supply them through the joints that share the node. So
on every node the forces passed by joints add up to those needed, as currents do in a network; where joints form rings
there, the least ones are taken. A force on a point is a force of the joint, one on a direction e the torque e x F.

A link with a normal moves in its plane only, and its mass matrix has no other motion: what the normal has to carry
follows from the equations of Newton and Euler.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel, small
from linkwork.formulations.natural.balance import balance
from linkwork.formulations.natural.coordinates import link_rates
from linkwork.mechanics.accounts import SUPPLIED, book, part_of_coupling
from linkwork.mechanics.rows.constraint_rows import cut_frames, point_velocity, row_wrench
from linkwork.mechanics.rows.rolling import rolling_wrench
from linkwork.mechanics.rows.row_loads import is_driven_rod, rod_reactions
from linkwork.mechanics.rows.rows import term_wrench
from linkwork.numerics.block_cholesky import factor, solve
from linkwork.numerics.block_sparse import BlockPattern, pattern
from linkwork.spatial.codes import COUPLED, PART, RIM
from linkwork.spatial.inertia import rotate_symmetric, times
from linkwork.spatial.vectors import (
    ZERO,
    add,
    add_pair,
    cross,
    dot,
    load3,
    load6,
    load9,
    load_pair,
    rotate,
    scale,
    store3,
    store_pair,
    sub,
)


class Network(NamedTuple):
    """Members as knots, shares as wires."""

    shape: BlockPattern
    wires: Any  # the matrix of the network; never changed
    blocks: Any  # its factor; written by `factor_network`
    first: Any  # (member, 3) scratch
    F: Any  # (member + 1, 3) N: forces needed, then potentials; the last row is of the grounds; `joint_forces`
    parts: Any  # (link, 6) N m, N: torque about the world's origin and force of rows of joints; `part_loads`


def network(tables: Any, nat: Any) -> Network:
    """The network of a system; it is factored where a run begins."""
    members = len(nat.member_node)
    wires = list(zip(nat.share_a.tolist(), nat.share_b.tolist(), strict=True))
    shape = pattern([3] * members, [(a, b) for a, b in wires if a >= 0 and b >= 0])
    position = np.zeros(members, dtype=np.int64)
    position[shape.order] = np.arange(members)
    blocks = np.zeros(shape.total)
    where = {
        (int(shape.below[s]), int(k)): int(shape.offset[s])
        for p, k in enumerate(shape.order)
        for s in range(int(shape.column[p]), int(shape.column[p + 1]))
    }
    for k in range(members):
        if nat.member_free[k] == 0:  # its equation follows from the others
            blocks[shape.diagonal[k] + np.array([0, 4, 8])] += 1.0
    for a, b in wires:
        for k in (a, b):
            if k >= 0:
                blocks[shape.diagonal[k] + np.array([0, 4, 8])] += 1.0
        if a >= 0 and b >= 0 and a != b:
            i, j = (a, b) if position[a] > position[b] else (b, a)
            blocks[where[i, j] + np.array([0, 4, 8])] -= 1.0
    return Network(
        shape,
        blocks,
        np.zeros(shape.total),
        np.zeros((members, 3)),
        np.zeros((members + 1, 3)),
        np.zeros((len(tables.tree.link_parent), 6)),
    )


@kernel
def factor_network(net):
    """Factor the matrix of the network, once a run."""
    for e in range(net.wires.size):
        net.blocks[e] = net.wires[e]
    factor(net.shape, net.blocks, net.first)


@small
def part_wrench(cuts, c, p, R_a, p_a, R_b, p_b):
    """W of row p of joint c: torque about the world's origin, force."""
    if cuts.row_kind[p] >= RIM:
        n, f, _ = rolling_wrench(cuts, c, p, R_a, p_a, R_b, p_b)
        return n, f
    return row_wrench(cuts, p, R_a, R_b, p_b, sub(p_b, p_a))


@kernel
def part_loads(nat, cuts, net, work, mu):
    """net.parts = what the rows that joints have kept do to the links."""
    for i in range(net.parts.shape[0]):
        store_pair(net.parts, i, ZERO, ZERO)
    for r in range(nat.equations):
        if nat.row_kind[r] == PART:
            c = nat.row_cut[r]
            R_a, p_a, R_b, p_b = cut_frames(cuts, work, c)
            n, f = part_wrench(cuts, c, nat.row_of[r], R_a, p_a, R_b, p_b)
            add_pair(net.parts, cuts.cut_b[c], scale(-mu[r], n), scale(-mu[r], f))
            add_pair(net.parts, cuts.cut_a[c], scale(mu[r], n), scale(mu[r], f))
        elif nat.row_kind[r] == COUPLED:
            j = nat.row_cut[r]
            for e in range(cuts.coupling_term[j], cuts.coupling_term[j + 1]):
                n, f = term_wrench(cuts, work, e)
                add_pair(net.parts, cuts.cut_b[cuts.term_cut[e]], scale(-mu[r], n), scale(-mu[r], f))
                add_pair(net.parts, cuts.cut_a[cuts.term_cut[e]], scale(mu[r], n), scale(mu[r], f))


@kernel
def load_normals(tree, nat, net, work, z, zdd):
    """Forces on the normals: torques of the Newton-Euler equations that the other nodes do not give."""
    for i in range(tree.grounds, tree.link_parent.size):
        normal = nat.link_normal[i]
        if normal < 0:
            continue
        R = load9(work.pose_R, i)
        p = load3(work.pose_p, i)
        w, _ = load_pair(work.pose_v, i)
        a, _ = link_rates(nat, work, i, z, zdd)
        I = rotate_symmetric(R, load6(tree.link_I, i))
        n, _ = load_pair(work.wrench, i)
        n = sub(add(times(I, a), cross(w, times(I, w))), rotate(R, n))
        n_part, f_part = load_pair(net.parts, i)
        n = sub(n, sub(n_part, cross(p, f_part)))
        own = -1
        for m in range(nat.link_member[i], nat.link_member[i + 1]):
            k = nat.member_node[m]
            if k == normal:
                own = m
                continue
            x = load3(z, k)
            if nat.node_is_point[k] == 1:
                x = sub(x, p)
            n = sub(n, cross(x, load3(net.F, m)))
        store3(net.F, own, cross(n, load3(z, normal)))


@kernel
def joint_forces(tables, nat, net, work, loaded, z, zdd, J, mu, out):
    """out (group, 6): force and torque on b from a at the joint's point, world axes; or the effort of a coupling."""
    cuts = tables.cuts
    balance(nat, tables.tree, work, loaded, z, zdd, J, mu, nat.slot_member, nat.entry_member, net.F)
    part_loads(nat, cuts, net, work, mu)
    load_normals(tables.tree, nat, net, work, z, zdd)
    solve(net.shape, net.blocks, net.F)
    for c in range(out.shape[0]):
        for e in range(6):
            out[c, e] = 0.0
    for s in range(nat.share_cut.size):
        f = ZERO
        if nat.share_b[s] >= 0:
            f = load3(net.F, nat.share_b[s])
        if nat.share_a[s] >= 0:
            f = sub(f, load3(net.F, nat.share_a[s]))
        c = nat.share_cut[s]
        x = load3(z, nat.share_node[s])
        if nat.node_is_point[nat.share_node[s]] == 1:
            _, _, _, p_b = cut_frames(cuts, work, c)
            add_pair(out, c, f, cross(sub(x, p_b), f))
        else:
            add_pair(out, c, ZERO, cross(x, f))
    for r in range(nat.equations):
        if nat.row_kind[r] == PART:
            c = nat.row_cut[r]
            R_a, p_a, R_b, p_b = cut_frames(cuts, work, c)
            n, f = part_wrench(cuts, c, nat.row_of[r], R_a, p_a, R_b, p_b)
            add_pair(out, c, scale(-mu[r], f), scale(-mu[r], sub(n, cross(p_b, f))))
        elif nat.row_kind[r] == COUPLED:
            out[cuts.cut_a.size + nat.row_cut[r], 0] = -mu[r]
    rod_reactions(cuts, work, out)


@kernel
def add_ground_power(tables, work, loads, power):
    """Book what moving grounds put in: minus the loads on them, of springs and of joints, times their velocities."""
    cuts = tables.cuts
    part = tables.tree.link_part
    for i in range(1, tables.tree.grounds):
        w, u = load_pair(work.velocity, i)
        n, f = load_pair(work.wrench, i)
        book(power, part[i], SUPPLIED, -(dot(w, n) + dot(u, f)))
    for c in range(cuts.cut_a.size):
        for side in range(2):
            i = cuts.cut_a[c] if side == 0 else cuts.cut_b[c]
            if 0 < i < tables.tree.grounds and not is_driven_rod(cuts, c):
                _, _, _, p_b = cut_frames(cuts, work, c)
                f, n = load_pair(loads, c)
                w, u = point_velocity(work, i, p_b)
                x = dot(w, n) + dot(u, f)
                book(power, part[i], SUPPLIED, x if side == 0 else -x)
    add_coupled_power(tables, work, loads, power)


@kernel
def add_coupled_power(tables, work, loads, power):
    """Book what couplings put in: by their laws, and where they hold moving grounds."""
    cuts = tables.cuts
    for j in range(cuts.coupling_law.size):
        effort = loads[cuts.cut_a.size + j, 0]
        book(power, part_of_coupling(tables, j), SUPPLIED, effort * work.given[j, 1])
        for e in range(cuts.coupling_term[j], cuts.coupling_term[j + 1]):
            n, f = term_wrench(cuts, work, e)
            for side in range(2):
                i = cuts.cut_a[cuts.term_cut[e]] if side == 0 else cuts.cut_b[cuts.term_cut[e]]
                if 0 < i < tables.tree.grounds:
                    w, u = point_velocity(work, i, ZERO)
                    x = effort * (dot(w, n) + dot(u, f))
                    book(power, tables.tree.link_part[i], SUPPLIED, x if side == 0 else -x)
