"""[CD03] Between bodies and nodes: natural coordinates from the state of the bodies, and back."""

from __future__ import annotations

from linkwork._jit import kernel
from linkwork.formulations.natural.coordinates import link_rates
from linkwork.mechanics.tree.motions import load_quaternion, store_quaternion
from linkwork.spatial.quaternions import normalized, quaternion_of, rotation_of
from linkwork.spatial.vectors import ZERO, add, cross, load3, load9, load_pair, rotate, store3


@kernel
def place_nodes(nat, tree, state, z, zd, zdd):
    """Nodes that move, from the coordinates and velocities of the bodies."""
    nq = state.y.size - state.vd.size - tree.accounts
    for k in range(nat.free):
        i = nat.node_link[k]
        q = tree.link_q[i]
        v = nq + tree.link_v[i]
        e = rotate(rotation_of(load_quaternion(state.y, q + 3)), load3(nat.node_local, k))
        ed = cross((state.y[v + 3], state.y[v + 4], state.y[v + 5]), e)
        if nat.node_is_point[k] == 1:
            e = add(e, (state.y[q], state.y[q + 1], state.y[q + 2]))
            ed = add(ed, (state.y[v], state.y[v + 1], state.y[v + 2]))
        store3(z, k, e)
        store3(zd, k, ed)
        store3(zdd, k, ZERO)


@kernel
def store_bodies(nat, tree, work, z, acceleration, state):
    """Coordinates, velocities and accelerations of the bodies, from the nodes to the state."""
    nq = state.y.size - state.vd.size - tree.accounts
    for i in range(tree.grounds, tree.link_parent.size):
        q = tree.link_q[i]
        v = tree.link_v[i]
        turn, a = link_rates(nat, work, i, z, acceleration)
        omega, u = load_pair(work.pose_v, i)
        e = normalized(quaternion_of(load9(work.pose_R, i)))
        last = load_quaternion(state.y, q + 3)
        if e[0] * last[0] + e[1] * last[1] + e[2] * last[2] + e[3] * last[3] < 0.0:
            e = (-e[0], -e[1], -e[2], -e[3])
        store_quaternion(state.y, q + 3, e)
        for j in range(3):
            state.y[q + j] = work.pose_p[i, j]
            state.y[nq + v + j] = u[j]
            state.y[nq + v + 3 + j] = omega[j]
            state.vd[v + j] = a[j]
            state.vd[v + 3 + j] = turn[j]


@kernel
def last_increment(nat, tree, work, z, delta, f):
    """f = motion of the bodies in the last increment, from which a failure names its joint."""
    for i in range(tree.grounds, tree.link_parent.size):
        turn, u = link_rates(nat, work, i, z, delta)
        for j in range(3):
            f[tree.link_v[i] + j] = u[j]
            f[tree.link_v[i] + 3 + j] = turn[j]
