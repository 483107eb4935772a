"""Where a model starts, in the coordinates of MJCF."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork.assembly.assemble import assemble
from linkwork.assembly.system import System
from linkwork.assembly.tables import Floats
from linkwork.formats.mjcf.spanning import SpanningTree, WrittenBranch
from linkwork.model import Body, Frame, Model
from linkwork.simulation.analysis.dynamics import forward_kinematics, jacobian, mass_matrix
from linkwork.simulation.starts.start import Closure, consistent_start


class MachineStart(NamedTuple):
    """Positions and velocities of all joints by name, poses and velocities of all bodies, and the inertia of dofs."""

    position: dict[str, Any]
    velocity: dict[str, Any]
    poses: dict[str, Frame]
    twists: dict[str, Any]  # angular, then linear, world axes
    inertia: dict[str, float]  # of one coordinate, the others held

    def branch(self, tree: SpanningTree, branch: WrittenBranch) -> tuple[list[float], list[float]]:
        """qpos and qvel of the joint of a branch."""
        joint = branch.joint
        q, v = np.atleast_1d(self.position[joint.path]), np.atleast_1d(self.velocity[joint.path])
        if joint.kind == "ball":
            a, b = tree.frames(joint)
            turn, frame = Frame(rotation=q), a if branch.mirrored else b
            outer = Frame(rotation=frame.rotation)
            inner = turn.inverse() if branch.mirrored else turn
            rate = -turn.matrix @ v if branch.mirrored else v
            return (outer @ inner @ outer.inverse()).rotation.tolist(), (frame.matrix @ rate).tolist()
        if branch.mirrored:
            return q[::-1].tolist(), v[::-1].tolist()
        return q.tolist(), v.tolist()

    def root(self, body: Body) -> tuple[list[float], list[float]]:
        """qpos and qvel of a body that flies freely."""
        pose, twist = self.poses[body.path], self.twists[body.path]
        return (
            [*pose.position.tolist(), *pose.rotation.tolist()],
            [*twist[3:].tolist(), *(pose.matrix.T @ twist[:3]).tolist()],
        )


def machine_start(model: Model) -> MachineStart:
    """The start of a model, with its loops closed."""
    system = assemble(model, driven=True)
    start = consistent_start(system)
    return machine_state(system, start.q, start.v, start.cut_q)


def machine_state(system: System, q: Floats, v: Floats, cut_q: Floats) -> MachineStart:
    """All joints and bodies at coordinates and velocities of the tree that keep the loops closed."""
    closure = Closure(system)
    closure.cut_q[:] = cut_q
    closure.at(q, v)
    position = {place.name: q[place.q] for place in system.joints}
    velocity = {place.name: v[place.v] for place in system.joints}
    for place in system.cuts:
        position[place.name], velocity[place.name] = closure.cut_q[place.q], closure.cut_rate[place.v].copy()
    matrix = mass_matrix(system, q)
    inertia = {
        place.name: float(matrix[place.v.start, place.v.start])
        for place in system.joints
        if place.v.stop > place.v.start
    }
    poses = {name: Frame(at, turn) for name, (at, turn) in forward_kinematics(system, q).items()}
    twists = {name: jacobian(system, q, name) @ v for name in system.body_names}
    return MachineStart(position, velocity, poses, twists, inertia)
