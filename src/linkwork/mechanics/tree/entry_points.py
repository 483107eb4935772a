"""Entry points of the tree algorithms for `simulation.analysis.dynamics`: Python calls them one state at a time."""

from __future__ import annotations

from linkwork._jit import entry
from linkwork.mechanics.forces.forces import apply_forces
from linkwork.mechanics.rows.constraint_rows import measure_cuts
from linkwork.mechanics.tree.composite import mass_matrix
from linkwork.mechanics.tree.kinematics import body_pose, forward_kinematics, link_jacobian
from linkwork.mechanics.tree.motions import displace
from linkwork.mechanics.tree.newton_euler import inverse_dynamics
from linkwork.spatial.quaternions import quaternion_of
from linkwork.spatial.vectors import add, rotate


@entry
def place(tables, work, given, q, v):
    """Poses and velocities of the links; given = time and two scratch arrays of the laws."""
    forward_kinematics(tables, work, given[0], q, v, given[1], given[2])


@entry
def joint_forces(tables, work, given, state, a, tau):
    """tau = joint forces that, added to the model's own, give the accelerations a."""
    time, law_input, out, power = given
    q, v, cut_q, cut_rate = state
    measure_cuts(tables.cuts, work, cut_q, cut_rate)
    apply_forces(tables, work, time, q, v, cut_q, cut_rate, law_input, out, power)
    inverse_dynamics(tables.tree, work, q, a, tau)
    for k in range(tau.size):
        tau[k] -= work.tau[k]


@entry
def placed_joint_forces(tables, work, given, state, a, tau):
    """`place`, then `joint_forces`."""
    time, law_input, out, _ = given
    forward_kinematics(tables, work, time, state[0], state[1], law_input, out)
    joint_forces(tables, work, given, state, a, tau)


@entry
def masses(tables, work, given, q, v, composite, M):
    """`place`, then M = the mass matrix."""
    forward_kinematics(tables, work, given[0], q, v, given[1], given[2])
    mass_matrix(tables.tree, work, composite, M)


@entry
def placed_poses(tables, work, given, q, v, out):
    """`place`, then `poses`."""
    forward_kinematics(tables, work, given[0], q, v, given[1], given[2])
    poses(tables.tree, work, out)


@entry
def placed_point_rows(tables, work, given, q, v, b, point, J):
    """`place`, then `point_rows`."""
    forward_kinematics(tables, work, given[0], q, v, given[1], given[2])
    point_rows(tables.tree, work, b, point, J)


@entry
def poses(tree, work, out):
    """out (body, 7) = origin and quaternion of every body; needs `place`."""
    for b in range(out.shape[0]):
        R, x = body_pose(tree, work, b)
        e = quaternion_of(R)
        for k in range(3):
            out[b, k] = x[k]
        for k in range(4):
            out[b, 3 + k] = e[k]


@entry
def point_rows(tree, work, b, point, J):
    """J = the Jacobian of a point of body b; needs `place`."""
    R, x = body_pose(tree, work, b)
    x = add(x, rotate(R, (point[0], point[1], point[2])))
    link_jacobian(tree, work, tree.body_link[b], x, J)


@entry
def moved(tree, q, v, h, out):
    """out = q moved along v for the time h."""
    displace(tree, q, v, h, out)
