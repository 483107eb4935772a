"""The same tree in DART, with `forward_dynamics` in our order and a `stepper` of semi-implicit Euler steps.

Its world is stepped from a Python loop, as its users do, without collision detection.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.bench.peers.hinge_peer import HingePeer
from linkwork.bench.peers.open_tree import Array
from linkwork.model.frame import Frame

if TYPE_CHECKING:
    from linkwork.model.subsystem import Model


def in_dart(model: Model, joint_names: Iterable[str] | None = None) -> InDart:
    """The tree as a DART skeleton; ImportError where DART is not installed."""
    return InDart(model, joint_names)


class InDart(HingePeer):
    def __init__(self, model: Model, joint_names: Iterable[str] | None) -> None:
        super().__init__(model, joint_names)
        import dartpy as dart

        self.dart, self.gravity = dart, np.array(model.gravity, dtype=float)
        skeleton = self.skeleton = dart.dynamics.Skeleton(model.name)
        nodes: dict[str, Any] = {}
        for branch in self.branches:
            hinge = branch.kind == "revolute"
            properties = (
                dart.dynamics.RevoluteJointProperties() if hinge else dart.dynamics.PrismaticJointProperties()
                if branch.kind == "prismatic" else dart.dynamics.WeldJointProperties()
            )  # fmt: skip
            properties.mName = branch.name
            properties.mT_ParentBodyToJoint = _isometry(dart, branch.inner_frame)
            properties.mT_ChildBodyToJoint = _isometry(dart, branch.outer_frame)
            if branch.kind != "fixed":
                properties.mAxis = [0.0, 0.0, 1.0]
            create = {
                "revolute": skeleton.createRevoluteJointAndBodyNodePair,
                "prismatic": skeleton.createPrismaticJointAndBodyNodePair,
                "fixed": skeleton.createWeldJointAndBodyNodePair,
            }[branch.kind]
            body, I = branch.body, np.asarray(branch.body.inertia)
            told = dart.dynamics.BodyNodeProperties(dart.dynamics.BodyNodeAspectProperties(branch.outer))
            joint, node = create(nodes.get(branch.inner), properties, told)
            node.setInertia(dart.dynamics.Inertia(body.mass, list(map(float, body.com)), I))
            nodes[branch.outer] = node
            if branch.kind != "fixed":
                self.theirs[branch.name] = (joint.getIndexInSkeleton(0), joint.getIndexInSkeleton(0))

    def accelerations(self, q: Array, v: Array) -> Array:
        world = self.dart.simulation.World()
        world.setGravity(self.gravity)
        world.addSkeleton(self.skeleton)
        self.skeleton.setPositions(q)
        self.skeleton.setVelocities(v)
        self.skeleton.computeForwardDynamics()
        return np.array(self.skeleton.getAccelerations())

    def stepper(self, q: Array, v: Array, dt: float) -> Callable[[int], Any]:
        q_peer, T, _ = self.convert(q, v)
        world = self.dart.simulation.World()
        world.setGravity(self.gravity)
        world.setTimeStep(dt)
        world.addSkeleton(self.skeleton)

        def steps(n: int) -> None:
            self.skeleton.setPositions(q_peer)
            self.skeleton.setVelocities(T @ v)
            for _ in range(n):
                world.step()

        return steps


def _isometry(dart: Any, frame: Frame) -> Any:
    found = dart.math.Isometry3()
    found.set_rotation(frame.matrix)
    found.set_translation(frame.position)
    return found
