"""The same tree in Drake, with `forward_dynamics` in our order and a `stepper` of semi-implicit Euler steps.

The plant is continuous, with Drake's semi-explicit Euler integrator, which costs less than its discrete solver, many
steps in one call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.bench.peers.hinge_peer import HingePeer
from linkwork.bench.peers.open_tree import Array, Branch
from linkwork.model.frame import Frame

if TYPE_CHECKING:
    from linkwork.model.subsystem import Model


def in_drake(model: Model, joint_names: Iterable[str] | None = None) -> InDrake:
    """The tree as a Drake plant; ImportError where Drake is not installed."""
    return InDrake(model, joint_names)


class InDrake(HingePeer):
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
