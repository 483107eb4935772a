"""A tree in MuJoCo; see `open_tree` for how coordinates relate."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.bench.peers.open_tree import ELEMENTS, Array, Branch, Peer, refuse_mirrored
from linkwork.model.frame import Frame

if TYPE_CHECKING:
    from linkwork.model.subsystem import Model


def free_to_mujoco(q: Array, v: Array, base: Frame) -> tuple[Array, Array, Array]:
    """A free joint's q, T and b for MuJoCo: linear velocity in the world, angular in the moving frame.

    `base` is frame_a in the world. An angular velocity has the same rate in the moving frame (w x w = 0): b is zero.
    """
    pose = base @ Frame(position=q[:3], rotation=q[3:])
    T = np.zeros((6, 6))
    T[:3, :3] = base.matrix
    T[3:, 3:] = Frame(rotation=q[3:]).matrix.T
    return np.concatenate([pose.position, pose.rotation]), T, np.zeros(6)


class InMujoco(Peer):
    """A tree as a `mujoco.MjModel`: every body frame sits on our frame_b; contacts and constraints are off."""

    def __init__(self, model: Model, joint_names: Iterable[str] | None = None, dt: float = 1e-3) -> None:
        import mujoco

        super().__init__(model, joint_names)
        self.mujoco = mujoco
        spec = mujoco.MjSpec()
        spec.option.gravity = np.asarray(model.gravity, dtype=float)
        spec.option.timestep = dt
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_EULER
        off = mujoco.mjtDisableBit
        spec.option.disableflags = int(off.mjDSBL_CONTACT) | int(off.mjDSBL_CONSTRAINT) | int(off.mjDSBL_EULERDAMP)
        places: dict[str, tuple[Any, Frame]] = {"": (spec.worldbody, Frame())}
        for branch in self.branches:
            refuse_mirrored(branch, "MuJoCo")
            parent, parent_frame = places[branch.inner]
            pose = parent_frame.inverse() @ branch.inner_frame
            body, frame = branch.body, branch.outer_frame.inverse()
            if branch.kind == "free":
                if branch.inner:
                    raise ValueError(f"joint {branch.name!r}: MuJoCo has free joints on the ground only")
                pose = Frame()
            here = parent.add_body(name=branch.outer, pos=pose.position, quat=pose.rotation)
            places[branch.outer] = (here, branch.outer_frame)
            I = frame.matrix @ np.asarray(body.inertia, dtype=float) @ frame.matrix.T
            here.mass = body.mass
            here.ipos = frame.point(np.asarray(body.com, dtype=float))
            here.explicitinertial = True
            here.fullinertia = [I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]
            self._joints(here, branch)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        for branch in self.branches:
            if branch.kind == "fixed":
                continue
            joint = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_JOINT, branch.name)
            self.theirs[branch.name] = (int(self.model.jnt_qposadr[joint]), int(self.model.jnt_dofadr[joint]))

    def _joints(self, here: Any, branch: Branch) -> None:
        kinds = self.mujoco.mjtJoint
        if branch.kind == "fixed":
            return
        if branch.kind == "screw":
            raise ValueError(f"joint {branch.name!r}: MuJoCo has no screw joint")
        if branch.kind in ("ball", "free"):
            kind = kinds.mjJNT_BALL if branch.kind == "ball" else kinds.mjJNT_FREE
            here.add_joint(name=branch.name, type=kind, armature=branch.armature)
            return
        for k, word in enumerate(ELEMENTS[branch.kind]):
            here.add_joint(
                name=branch.name if k == 0 else f"{branch.name}/{k}",
                type=kinds.mjJNT_HINGE if word[0] == "r" else kinds.mjJNT_SLIDE,
                axis=np.eye(3)["xyz".index(word[1])],
                armature=branch.armature,
            )

    def one(self, branch: Branch, q: Array, v: Array) -> tuple[Array, Array, Array]:
        """q of one joint for MuJoCo, T and b."""
        if branch.kind == "free":
            return free_to_mujoco(q, v, branch.inner_frame)
        if branch.kind == "ball":
            q, T = self.ball(branch, q)
            return q, T, np.zeros(3)
        return self.plain(branch, q)

    def _set(self, q: Array, v: Array) -> None:
        self.mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:] = q
        self.data.qvel[:] = v

    def raw_mass_matrix(self, q: Array) -> Array:
        """Composite rigid bodies."""
        self._set(q, np.zeros(self.nv))
        self.mujoco.mj_forward(self.model, self.data)
        M = np.zeros((self.nv, self.nv))
        try:
            self.mujoco.mj_fullM(self.model, self.data, M)
        except TypeError:  # before version 4 the sparse matrix was handed over by itself
            self.mujoco.mj_fullM(self.model, M, self.data.qM)
        return M

    def raw_inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        """`mj_inverse`: rotor inertias included, unlike `mj_rne`."""
        self._set(q, v)
        self.data.qacc[:] = a
        self.mujoco.mj_inverse(self.model, self.data)
        return np.array(self.data.qfrc_inverse)

    def raw_forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        """`mj_forward` with applied joint forces."""
        self._set(q, v)
        self.data.qfrc_applied[:] = tau
        self.mujoco.mj_forward(self.model, self.data)
        return np.array(self.data.qacc)

    def stepper(self, q: Array, v: Array, dt: float) -> Callable[[int], Any]:
        """A function that takes n steps of `dt` seconds in one call, from this start."""
        q_peer, T, _ = self.convert(q, v)
        self.mujoco.mj_resetData(self.model, self.data)
        self.model.opt.timestep = dt
        self.data.qpos[:], self.data.qvel[:] = q_peer, T @ v
        step, model, data = self.mujoco.mj_step, self.model, self.data
        return lambda n: step(model, data, nstep=n)


def in_mujoco(model: Model, joint_names: Iterable[str] | None = None, *, dt: float = 1e-3) -> InMujoco:
    """The tree of `model` in MuJoCo; raises ImportError where that is not installed. dt in seconds."""
    return InMujoco(model, joint_names, dt)
