"""Power that moving grounds put into a system: minus the load on the ground times its velocity."""

from __future__ import annotations

from linkwork._jit import kernel
from linkwork.mechanics.accounts import SUPPLIED, book
from linkwork.mechanics.rows.row_loads import push_rows
from linkwork.mechanics.tree.newton_euler import inverse_dynamics
from linkwork.spatial.vectors import add, cross, dot, load3, load9, load_pair, rotate


@kernel
def add_ground_power(tables, work, q, vd, rows, power):
    """Book it; needs velocities, applied loads and the multipliers `rows`.lam of this state; `rows`.dq is scratch."""
    tree = tables.tree
    push_rows(tables.cuts, work, rows.W, rows.lam)
    inverse_dynamics(tree, work, q, vd, rows.dq)
    for i in range(1, tree.grounds):
        w, u = load_pair(work.velocity, i)
        n, f = load_pair(work.wrench, i)
        book(power, tree.link_part[i], SUPPLIED, -(dot(w, n) + dot(u, f)))
    for i in range(tree.grounds, tree.link_parent.size):
        j = tree.link_parent[i]
        if 0 < j < tree.grounds:
            R = load9(work.R, i)
            n, f = load_pair(work.force, i)
            f = rotate(R, f)
            n = add(rotate(R, n), cross(load3(work.p, i), f))
            w, u = load_pair(work.velocity, j)
            book(power, tree.link_part[j], SUPPLIED, dot(w, n) + dot(u, f))
