"""The mass matrix by composite rigid bodies, and the kinetic and potential energy of the links."""

from __future__ import annotations

from linkwork._jit import kernel
from linkwork.mechanics.tree.motions import dof_count, world_axis
from linkwork.spatial.inertia import rotate_symmetric, times
from linkwork.spatial.vectors import (
    ZERO,
    add,
    cross,
    dot,
    load3,
    load6,
    load9,
    load_pair,
    rotate,
    scale,
    store_pair,
    sub,
    unrotate,
)


@kernel
def link_momentum(m, h, I, w, u):
    """Momentum of a rigid body: angular about the point of u, linear."""
    return add(times(I, w), cross(h, u)), add(scale(m, u), cross(w, h))


@kernel
def axis_about(tree, work, i, j):
    """Velocity that a unit of dof j of link i gives: angular, and linear at the origin of the tree's first link."""
    w, u = world_axis(tree, work.pose_R, work.pose_p, i, j)
    return w, add(u, cross(w, load3(work.pose_p, tree.link_first[i])))


@kernel
def composites(tree, work, composite):
    """composite (link, 10): mass, first and second moments of a link and all it carries; needs `outward_poses`.

    All moments are taken about the origin of a tree's first link in world axes, so that composites are plain sums.
    """
    n = tree.link_parent.size
    for i in range(tree.grounds, n):
        X = load9(work.pose_R, i)
        x = sub(load3(work.pose_p, i), load3(work.pose_p, tree.link_first[i]))
        m = tree.link_mass[i]
        h = rotate(X, load3(tree.link_h, i))
        I = rotate_symmetric(X, load6(tree.link_I, i))
        # about that origin: I + (2 h.x + m x.x) 1 - (h x^T + x h^T + m x x^T)
        s = 2.0 * dot(h, x) + m * dot(x, x)
        g = (h[0] + m * x[0], h[1] + m * x[1], h[2] + m * x[2])
        composite[i, 0] = m
        composite[i, 1] = g[0]
        composite[i, 2] = g[1]
        composite[i, 3] = g[2]
        composite[i, 4] = I[0] + s - (h[0] * x[0] + x[0] * g[0])
        composite[i, 5] = I[1] + s - (h[1] * x[1] + x[1] * g[1])
        composite[i, 6] = I[2] + s - (h[2] * x[2] + x[2] * g[2])
        composite[i, 7] = I[3] - (h[0] * x[1] + x[0] * g[1])
        composite[i, 8] = I[4] - (h[0] * x[2] + x[0] * g[2])
        composite[i, 9] = I[5] - (h[1] * x[2] + x[1] * g[2])
    for i in range(n - 1, tree.grounds - 1, -1):
        j = tree.link_parent[i]
        if j >= tree.grounds:
            for e in range(10):
                composite[j, e] += composite[i, e]


@kernel
def composite_momentum(composite, i, w, u):
    """Momentum of link i and all it carries, moving as one with w, u; about the origin of the tree's first link."""
    c = (composite[i, 1], composite[i, 2], composite[i, 3])
    I = (composite[i, 4], composite[i, 5], composite[i, 6], composite[i, 7], composite[i, 8], composite[i, 9])
    return link_momentum(composite[i, 0], c, I, w, u)


@kernel
def mass_matrix(tree, work, composite, M):
    """M (dof, dof); needs `outward_poses`. `composite` (link, 10) is scratch."""
    for a in range(M.shape[0]):
        for b in range(M.shape[0]):
            M[a, b] = 0.0
    composites(tree, work, composite)
    for i in range(tree.link_parent.size - 1, tree.grounds - 1, -1):
        for a in range(dof_count(tree.link_motion[i])):
            w, u = axis_about(tree, work, i, a)
            k, l = composite_momentum(composite, i, w, u)
            row = tree.link_v[i] + a
            j = i
            while j >= tree.grounds:
                for b in range(dof_count(tree.link_motion[j])):
                    w, u = axis_about(tree, work, j, b)
                    value = dot(w, k) + dot(u, l)
                    M[row, tree.link_v[j] + b] = value
                    M[tree.link_v[j] + b, row] = value
                j = tree.link_parent[j]
    for k in range(tree.dof_link.size):
        M[k, k] += tree.dof_armature[k]


@kernel
def add_kinetic_energy(tree, work, v, parts):
    """Add the energy of each part, J, rotors included; needs `outward_velocities`."""
    for i in range(tree.grounds, tree.link_parent.size):
        if tree.link_counted[i] == 0:
            continue
        w, u = load_pair(work.velocity, i)
        if tree.link_counted[i] == 2:
            parts[tree.link_part[i]] += 0.5 * tree.link_I[i, 2] * w[2] * w[2]
            continue
        k, l = link_momentum(tree.link_mass[i], load3(tree.link_h, i), load6(tree.link_I, i), w, u)
        parts[tree.link_part[i]] += 0.5 * (dot(w, k) + dot(u, l))
    for j in range(tree.lent_link.size):
        i = tree.lent_link[j]
        if tree.link_counted[i] == 2:
            parts[tree.link_part[i]] -= 0.5 * tree.lent_inertia[j, 1] * work.velocity[i, 2] * work.velocity[i, 2]
    for k in range(tree.dof_link.size):
        parts[tree.link_part[tree.dof_link[k]]] += 0.5 * tree.dof_armature[k] * v[k] * v[k]


@kernel
def late_energy(tree, work, lone, behind, coasting, parts):
    """Set what the energy of each part changes by while velocities are behind and joints keep their rates, J.

    `behind`: LATE and COASTED of `State.solver_stats`. `lone` (link,): 1 for free bodies that carry no other, whose
    centres of mass go straight on. `coasting` (link, 6) is scratch. Needs `outward_velocities`, `outward_poses`.
    """
    late = behind[0]
    coasted = behind[1]
    for part in range(parts.size):
        parts[part] = 0.0
    for i in range(tree.grounds):
        store_pair(coasting, i, ZERO, ZERO)
    g = (tree.gravity[0], tree.gravity[1], tree.gravity[2])
    for i in range(tree.grounds, tree.link_parent.size):
        R = load9(work.R, i)
        a, b = load_pair(coasting, tree.link_parent[i])
        c, d = load_pair(work.bias, i)
        b = add(unrotate(R, add(b, cross(a, load3(work.p, i)))), d)
        a = add(unrotate(R, a), c)
        store_pair(coasting, i, a, b)
        if tree.link_counted[i] != 1:
            continue
        w, u = load_pair(work.velocity, i)
        k, l = link_momentum(tree.link_mass[i], load3(tree.link_h, i), load6(tree.link_I, i), w, u)
        power = 0.0
        if lone[i] == 1 or coasted < 2.0:
            power = -dot(g, rotate(load9(work.pose_R, i), l))
        if lone[i] == 0 and coasted == 0.0:
            power += dot(a, k) + dot(b, l)
        parts[tree.link_part[i]] += late * power


@kernel
def add_gravity_energy(tree, work, parts):
    """Add the energy of each part, J; zero with all centres of mass at the world's origin; needs `outward_poses`."""
    g = (tree.gravity[0], tree.gravity[1], tree.gravity[2])
    for i in range(tree.grounds, tree.link_parent.size):
        if tree.link_counted[i] != 1:
            continue
        c = add(scale(tree.link_mass[i], load3(work.pose_p, i)), rotate(load9(work.pose_R, i), load3(tree.link_h, i)))
        parts[tree.link_part[i]] -= dot(g, c)
