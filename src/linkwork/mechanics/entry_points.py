"""Doors to the tree algorithms for `simulation.numbers`: the few that Python calls one state at a time."""

from __future__ import annotations

from linkwork._jit import entry
from linkwork.mechanics.articulated import outward_velocities
from linkwork.mechanics.composite import mass_matrix
from linkwork.mechanics.constraint_rows import measure_cuts
from linkwork.mechanics.forces import apply_forces
from linkwork.mechanics.grounds import move_grounds
from linkwork.mechanics.kinematics import body_pose, link_jacobian, outward_poses, world_velocities
from linkwork.mechanics.motions import displace
from linkwork.mechanics.newton_euler import inverse_dynamics
from linkwork.spatial.quaternions import quaternion_of
from linkwork.spatial.vectors import add, rotate


@entry
def place(tables, work, given, q, v):
    """Poses and velocities of the links; given = time and two scratch arrays."""
    if tables.tree.grounds > 1:
        move_grounds(tables.tree, tables.laws, work, given[0], given[1], given[2])
    outward_velocities(tables.tree, work, q, v)
    outward_poses(tables.tree, work)
    world_velocities(tables.tree, work)


@entry
def joint_forces(tables, work, given, state, a, tau):
    """tau that the model's own forces leave to be put in."""
    time, law_input, out, power = given
    q, v, cut_q, cut_rate = state
    measure_cuts(tables.cuts, work, cut_q, cut_rate)
    apply_forces(tables, work, time, q, v, cut_q, cut_rate, law_input, out, power)
    inverse_dynamics(tables.tree, work, q, a, tau)
    for k in range(tau.size):
        tau[k] -= work.tau[k]


@entry
def masses(tree, work, composite, M):
    mass_matrix(tree, work, composite, M)


@entry
def poses(tree, work, out):
    for b in range(out.shape[0]):
        R, x = body_pose(tree, work, b)
        e = quaternion_of(R)
        for k in range(3):
            out[b, k] = x[k]
        for k in range(4):
            out[b, 3 + k] = e[k]


@entry
def point_rows(tree, work, b, point, J):
    R, x = body_pose(tree, work, b)
    x = add(x, rotate(R, (point[0], point[1], point[2])))
    link_jacobian(tree, work, tree.body_link[b], x, J)


@entry
def moved(tree, q, v, h, out):
    displace(tree, q, v, h, out)
