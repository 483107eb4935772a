"""Power that moving grounds put into a system: minus the load on the ground times its velocity."""

from __future__ import annotations

from linkwork._jit import kernel
from linkwork.mechanics.forces import push_link
from linkwork.mechanics.newton_euler import inverse_dynamics
from linkwork.spatial.vectors import (
    add,
    cross,
    dot,
    load3,
    load9,
    load_pair,
    neg,
    rotate,
    scale,
)


@kernel
def push_rows(cuts, work, W, lam):
    """Add the multipliers' wrenches to the loads on the links."""
    for c in range(cuts.cut_a.size):
        for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
            n, f = load_pair(W, r)
            n = scale(lam[r], n)
            f = scale(lam[r], f)
            push_link(work, cuts.cut_b[c], n, f)
            push_link(work, cuts.cut_a[c], neg(n), neg(f))


@kernel
def ground_power(tables, work, q, vd, loops):
    """W; needs velocities, applied loads and multipliers of this state."""
    tree = tables.tree
    push_rows(tables.cuts, work, loops.W, loops.lam)
    inverse_dynamics(tree, work, q, vd, loops.dq)
    P = 0.0
    for i in range(1, tree.grounds):
        w, u = load_pair(work.velocity, i)
        n, f = load_pair(work.wrench, i)
        P -= dot(w, n) + dot(u, f)
    for i in range(tree.grounds, tree.link_parent.size):
        j = tree.link_parent[i]
        if 0 < j < tree.grounds:
            R = load9(work.R, i)
            n, f = load_pair(work.force, i)
            f = rotate(R, f)
            n = add(rotate(R, n), cross(load3(work.p, i), f))
            w, u = load_pair(work.velocity, j)
            P += dot(w, n) + dot(u, f)
    return P
