"""[CD03] The balance of forces in natural coordinates."""

from __future__ import annotations

from linkwork._jit import kernel
from linkwork.formulations.natural.coordinates import add_to, normal_of, slot_force
from linkwork.spatial.vectors import (
    ZERO,
    add,
    add_scaled,
    cross,
    dot,
    load3,
    load9,
    load_pair,
    neg,
    rotate,
    scale,
    store3,
    sub,
)


@kernel
def balance(nat, tree, work, loaded, z, zdd, J, lam, slot_to, entry_to, out):
    """out = M zdd - Q + Phi_q^T lam, gathered by node or, for the forces in joints, by member."""
    gravity = (tree.gravity[0], tree.gravity[1], tree.gravity[2])
    for k in range(out.shape[0]):
        store3(out, k, ZERO)
    for i in range(tree.grounds, tree.link_parent.size):
        u = normal_of(nat, z, i)
        m = nat.link_slots[i]
        for k in range(m):
            x = ZERO
            y = ZERO
            s = 0.0
            for l in range(m):
                node = nat.slot_node[i, l]
                a = load3(zdd, node)
                if nat.node_is_point[node] == 1:
                    a = sub(a, gravity)
                x = add_scaled(x, nat.mass_1[i, k, l], a)
                y = add_scaled(y, nat.mass_S[i, k, l], a)
                s += nat.mass_u[i, k, l] * dot(u, a)
            add_to(out, slot_to[i, k], add(x, add_scaled(cross(u, y), s, u)))
        if loaded:
            R = load9(work.pose_R, i)
            n, f = load_pair(work.wrench, i)
            n = neg(rotate(R, n))
            f = neg(rotate(R, f))
            for k in range(m):
                add_to(out, slot_to[i, k], slot_force(nat, i, k, u, R, n, f))
    for r in range(nat.equations):
        for e in range(nat.row_entry[r], nat.row_entry[r + 1]):
            add_to(out, entry_to[e], scale(lam[r], load3(J, e)))
