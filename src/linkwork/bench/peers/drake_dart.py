"""The same tree in Drake and in DART, built from the words of a model: joints that turn, slide or are fixed.

Both order their coordinates as joints are added, which here is depth first. `in_drake(model)` and `in_dart(model)`
return objects with `forward_dynamics` in our order and `stepper`, which takes whole semi-implicit Euler steps: Drake's
plant is continuous, with its semi-explicit Euler integrator, which costs less than its discrete solver, many steps in
one call; DART's world is stepped from a Python loop, as its users do, without collision detection.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.bench.peers.open_tree import Array, Branch, Peer
from linkwork.model.frame import Frame

if TYPE_CHECKING:
    from linkwork.model.subsystem import Model

PACKAGES = {"Drake": "drake", "DART": "dartpy"}
TURNING = ("revolute", "prismatic", "fixed")


class _Plain(Peer):
    """A peer whose joints have one coordinate with our meaning."""

    def __init__(self, model: Model, joint_names: Iterable[str] | None) -> None:
        super().__init__(model, joint_names)
        for branch in self.branches:
            if branch.kind not in TURNING:
                raise ValueError(f"joint {branch.name!r} is {branch.kind}; these engines get hinges and slides only")

    def one(self, branch: Branch, q: Array, v: Array) -> tuple[Array, Array, Array]:
        return self.plain(branch, q)

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        """Accelerations in our coordinates."""
        q_peer, T, b = self.convert(q, v)
        return np.asarray(np.linalg.solve(T, self.accelerations(q_peer, T @ v) - b), dtype=np.float64)

    def accelerations(self, q: Array, v: Array) -> Array:
        """Theirs, without joint forces."""
        raise NotImplementedError

    def stepper(self, q: Array, v: Array, dt: float) -> Callable[[int], Any]:
        """A function that takes n steps, again and again from the same start."""
        raise NotImplementedError


def in_drake(model: Model, joint_names: Iterable[str] | None = None) -> _Drake:
    """The tree as a Drake plant; ImportError where Drake is not installed."""
    return _Drake(model, joint_names)


class _Drake(_Plain):
    def __init__(self, model: Model, joint_names: Iterable[str] | None) -> None:
        super().__init__(model, joint_names)
        from pydrake.math import RigidTransform, RotationMatrix
        from pydrake.multibody import tree
        from pydrake.multibody.plant import MultibodyPlant

        def placed(frame: Frame) -> Any:
            return RigidTransform(RotationMatrix(frame.matrix), frame.position)

        plant = self.plant = MultibodyPlant(time_step=0.0)
        plant.mutable_gravity_field().set_gravity_vector(np.array(model.gravity, dtype=float))
        bodies = {"": plant.world_body()}
        for branch in self.branches:
            body, I = branch.body, np.asarray(branch.body.inertia)
            central = tree.RotationalInertia(I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
            inertia = tree.SpatialInertia.MakeFromCentralInertia(body.mass, np.array(body.com), central)
            bodies[branch.outer] = plant.AddRigidBody(branch.outer, inertia)
            ends = bodies[branch.inner], placed(branch.inner_frame), bodies[branch.outer], placed(branch.outer_frame)
            if branch.kind == "fixed":
                plant.AddJoint(tree.WeldJoint(branch.name, *_drake_frames(plant, tree, branch, ends), RigidTransform()))
                continue
            kind = tree.RevoluteJoint if branch.kind == "revolute" else tree.PrismaticJoint
            frames = _drake_frames(plant, tree, branch, ends)
            plant.AddJoint(kind(branch.name, *frames, np.array([0.0, 0.0, 1.0])))
        plant.Finalize()
        for branch in self.branches:
            if branch.kind != "fixed":
                joint = plant.GetJointByName(branch.name)
                self.theirs[branch.name] = (joint.position_start(), joint.velocity_start())

    def accelerations(self, q: Array, v: Array) -> Array:
        context = self.plant.CreateDefaultContext()
        self.plant.SetPositionsAndVelocities(context, np.concatenate([q, v]))
        rates: Array = self.plant.EvalTimeDerivatives(context).CopyToVector()
        return rates[self.nq :]

    def stepper(self, q: Array, v: Array, dt: float) -> Callable[[int], Any]:
        from pydrake.systems.analysis import ResetIntegratorFromFlags, Simulator

        q_peer, T, _ = self.convert(q, v)
        start = np.concatenate([q_peer, T @ v])
        simulator = Simulator(self.plant)
        ResetIntegratorFromFlags(simulator, "semi_explicit_euler", dt)
        simulator.get_mutable_integrator().set_fixed_step_mode(True)
        context = simulator.get_mutable_context()

        def steps(n: int) -> None:
            context.SetTime(0.0)
            self.plant.SetPositionsAndVelocities(context, start)
            simulator.Initialize()
            simulator.AdvanceTo(n * dt)

        return steps


def _drake_frames(plant: Any, tree: Any, branch: Branch, ends: Any) -> tuple[Any, Any]:
    """The two frames of a joint, on the inner and on the outer body."""
    inner, inner_pose, outer, outer_pose = ends
    return (
        plant.AddFrame(tree.FixedOffsetFrame(f"{branch.name} inner", inner.body_frame(), inner_pose)),
        plant.AddFrame(tree.FixedOffsetFrame(f"{branch.name} outer", outer.body_frame(), outer_pose)),
    )


def in_dart(model: Model, joint_names: Iterable[str] | None = None) -> _Dart:
    """The tree as a DART skeleton; ImportError where DART is not installed."""
    return _Dart(model, joint_names)


class _Dart(_Plain):
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
