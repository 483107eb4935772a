"""How far joints give way: to a force in one of them alone, while all others are free.

    S    velocities that the dofs of a link give it        A    its articulated inertia
    D    S^T A S, the joint's own                          W    velocity that a wrench on a link gives it

Wrenches and velocities are those at the world's origin, in world axes. Springs and dampers in joints need to know which
of them are too fast for a step: an estimate will do, so it is made once, in a few positions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.formulations.impulse.rows.row_table import normalize_quaternions
from linkwork.mechanics.counts import count_q
from linkwork.mechanics.forces.laws import law_scratch
from linkwork.mechanics.tree.entry_points import place
from linkwork.mechanics.tree.motions import world_axis
from linkwork.mechanics.tree.workspace import tree_work

POSITIONS = 3


def joint_responses(tables: Any, dofs: Any) -> Any:
    """Largest rate, in some positions, that a unit impulse in each of the `dofs` gives it, 1/kg or 1/(kg m2)."""
    tree, found = tables.tree, np.zeros(len(dofs))
    if len(dofs) == 0:
        return found
    work, rng = tree_work(tables), np.random.default_rng(len(dofs))
    for _ in range(POSITIONS):
        q = rng.uniform(-1.0, 1.0, count_q(tree))
        normalize_quaternions(tree, q)
        place(tables, work, (0.0, law_scratch(tables.laws), np.zeros(4)), q, np.zeros(tree.dof_link.size))
        found = np.maximum(found, responses(tree, work)[dofs])
    return found


def responses(tree: Any, work: Any) -> Any:
    """(dof,) that of every joint in the position in `work`; infinite where nothing resists."""
    n, dofs = tree.link_parent.size, np.bincount(tree.dof_link, minlength=tree.link_parent.size)
    A = np.array([inertia_at_origin(tree, work, i) for i in range(n)])
    S, inverse, W = [np.zeros((6, 0))] * n, [np.zeros((0, 0))] * n, np.zeros((n, 6, 6))
    for i in range(n - 1, tree.grounds - 1, -1):
        some = range(dofs[i])
        S[i] = np.array([np.ravel(world_axis(tree, work.pose_R, work.pose_p, i, j)) for j in some]).reshape(-1, 6).T
        k = tree.link_v[i]
        U = A[i] @ S[i]
        D = S[i].T @ U + np.diag(tree.dof_armature[k : k + dofs[i]])
        inverse[i] = np.linalg.pinv(D, hermitian=True)
        A[tree.link_parent[i]] += A[i] - U @ inverse[i] @ U.T
    found = np.full(tree.dof_link.size, np.inf)
    for i in range(tree.grounds, n):
        gain = A[i] @ S[i] @ inverse[i]
        inner = W[tree.link_parent[i]]
        k = tree.link_v[i]
        a = np.diag(inverse[i] + gain.T @ inner @ gain)
        found[k : k + dofs[i]] = np.where(a > 0.0, a, np.inf)
        passed = np.eye(6) - S[i] @ gain.T
        W[i] = S[i] @ inverse[i] @ S[i].T + passed @ inner @ passed.T
    return found


def inertia_at_origin(tree: Any, work: Any, i: int) -> Any:
    """(6, 6) of a link: velocity at the world's origin to momentum about it, both angular first."""
    R, x, m = work.pose_R[i].reshape(3, 3), work.pose_p[i], tree.link_mass[i]
    xx, yy, zz, xy, xz, yz = tree.link_I[i]
    X, H = crossed(x), crossed(R @ tree.link_h[i])
    about = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T - H @ X - X @ H - m * X @ X
    return np.block([[about, H + m * X], [-H - m * X, m * np.eye(3)]])


def crossed(x: Any) -> Any:
    """(3, 3) the matrix of a cross product."""
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])
