"""Scratch of the tree algorithms: one row a link, in the link's own axes unless said otherwise."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkwork.mechanics.counts import count_cut_q, count_cut_rates
from linkwork.spatial.quaternions import quaternion_of

Floats = NDArray[np.float64]


class TreeWork(NamedTuple):
    """SI units. Rows of moving grounds are written by `move_grounds`, those of foreign bodies by the method."""

    R: Floats  # (link, 9) link axes to parent axes; written by `outward_velocities`
    p: Floats  # (link, 3) link's origin in the parent; `outward_velocities`
    velocity: Floats  # (link, 6) angular, linear of the link's origin; `outward_velocities`
    bias: Floats  # (link, 6) velocity-dependent acceleration of the joint; `outward_velocities`
    A: Floats  # (link, 6) articulated inertia of several children, three blocks; `inward_inertias`
    H: Floats  # (link, 9) also: the coupling block of a swing or a free joint; `inward_inertias`
    M: Floats  # (link, 6) `inward_inertias`
    force: Floats  # (link, 6) torque, force: bias by `inward_inertias`; load of the joint by `inverse_dynamics`
    U: Floats  # (link, 6) I^A s of a one-degree joint: torque, force; `inward_inertias`
    inverse: Floats  # (link, 12) inverse of the joint's own inertia; `inward_inertias`
    u: Floats  # (dof,) joint force left for acceleration; `inward_inertias`
    acceleration: Floats  # (link, 6) spatial, gravity included; `outward_accelerations` or `inverse_dynamics`
    push: Floats  # (link, 6) scratch of `apply_inverse_mass`
    wrench: Floats  # (link, 6) applied torque and force about the link's origin; `apply_forces`, `push_link`
    tau: Floats  # (dof,) applied joint forces; `apply_forces`
    pose_R: Floats  # (link, 9) link axes to world axes; `outward_poses`
    pose_p: Floats  # (link, 3) link's origin in the world; `outward_poses`
    pose_v: Floats  # (link, 6) angular and linear velocity of that origin, world axes; `world_velocities`
    attitude: Floats  # (link, 4) quaternions; of grounds by `move_grounds` and `place_foreign`, else by `turn_links`
    # of couplings
    given: Floats  # (coupling, 3) its law, rate and acceleration; where it gives rates, way since `since`; `move_given`
    since: Floats  # (1,) s, the last step; `renew_given`, and the loops of the methods
    slope: Floats  # (term,) change of the row with the coordinate; `row_values`
    cut_q: Floats  # coordinates of the cuts of terms, as those of the state; `row_values`
    cut_rate: Floats  # their rates; `row_values`, `row_rates`
    cut_acceleration: Floats  # their second rates; `row_accelerations`


def tree_work(tables: Any) -> TreeWork:
    """Scratch for the tables of a system; the grounds' rows are set to rest."""
    tree, cuts = tables.tree, tables.cuts
    n = tree.link_parent.size
    nv = tree.dof_link.size
    rows = {"R": 9, "p": 3, "A": 6, "H": 9, "M": 6, "inverse": 12, "pose_R": 9, "pose_p": 3, "attitude": 4}
    shapes: dict[str, tuple[int, ...]] = {name: (n, rows.get(name, 6)) for name in TreeWork._fields}
    shapes["u"] = shapes["tau"] = (nv,)
    shapes |= {"given": (cuts.coupling_law.size, 3), "since": (1,), "slope": (cuts.term_cut.size,)}
    shapes |= {"cut_q": (count_cut_q(cuts),), "cut_rate": (count_cut_rates(cuts),)}
    shapes["cut_acceleration"] = shapes["cut_rate"]
    work = TreeWork(**{name: np.zeros(shape) for name, shape in shapes.items()})
    for g in range(tree.grounds):
        work.pose_R[g] = tree.ground_R[g]
        work.pose_p[g] = tree.ground_p[g]
        work.attitude[g] = quaternion_of(tuple(tree.ground_R[g]))
        work.acceleration[g, 3:] = -(tree.ground_R[g].reshape(3, 3).T @ tree.gravity)
    return work
