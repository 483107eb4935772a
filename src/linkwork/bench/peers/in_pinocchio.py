"""A tree in Pinocchio; see `open_tree` for how coordinates relate."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.bench.peers.open_tree import ELEMENTS, Array, Branch, Peer, refuse_mirrored
from linkwork.model.frame import Frame

if TYPE_CHECKING:
    from linkwork.model.subsystem import Model


def xyzw(quaternion: Array) -> Array:
    """Quaternion w, x, y, z as x, y, z, w.

    >>> xyzw(np.array([1.0, 0.0, 0.0, 0.5])).tolist()
    [0.0, 0.0, 0.5, 1.0]
    """
    return np.roll(quaternion, -1)


def wxyz(quaternion: Array) -> Array:
    """Quaternion x, y, z, w as w, x, y, z.

    >>> wxyz(np.array([0.0, 0.0, 0.5, 1.0])).tolist()
    [1.0, 0.0, 0.0, 0.5]
    """
    return np.roll(quaternion, 1)


def free_to_pinocchio(q: Array, v: Array) -> tuple[Array, Array, Array]:
    """A free joint's q, T and b for Pinocchio's free flyer: both velocities turn into the moving frame.

    The linear part rotates with the frame it is written in, hence the term b = -w x u.
    """
    R = Frame(rotation=q[3:]).matrix
    T = np.zeros((6, 6))
    T[:3, :3] = T[3:, 3:] = R.T
    u, w = R.T @ v[:3], R.T @ v[3:]
    return np.concatenate([q[:3], xyzw(q[3:])]), T, np.concatenate([-np.cross(w, u), np.zeros(3)])


class InPinocchio(Peer):
    """A tree as a `pinocchio.Model`; joint frames become joint frames, bodies hang on them by frame_b."""

    def __init__(self, model: Model, joint_names: Iterable[str] | None = None) -> None:
        import pinocchio as pin

        super().__init__(model, joint_names)
        self.pin = pin
        self.model = pin.Model()
        self.model.gravity.linear = np.asarray(model.gravity, dtype=float)
        places = {"": (0, Frame())}  # body -> joint it hangs on, and the joint frame in the body
        rotor: list[tuple[str, float]] = []
        for branch in self.branches:
            refuse_mirrored(branch, "Pinocchio")
            parent, parent_frame = places[branch.inner]
            placement = parent_frame.inverse() @ branch.inner_frame
            if branch.kind == "fixed":  # welded: the body hangs on the same joint as its neighbour
                joint, frame = parent, branch.outer_frame @ placement.inverse()
            else:
                kind = self._joint(branch)
                joint, frame = self.model.addJoint(parent, kind, self._se3(placement), branch.name), branch.outer_frame
                self.theirs[branch.name] = (self.model.idx_qs[joint], self.model.idx_vs[joint])
                rotor.append((branch.name, branch.armature))
            places[branch.outer] = (joint, frame)
            body = branch.body
            inertia = pin.Inertia(body.mass, np.asarray(body.com, dtype=float), np.asarray(body.inertia, dtype=float))
            self.model.appendBodyToJoint(joint, inertia, self._se3(frame.inverse()))
        for name, armature in rotor:
            k = self.theirs[name][1]
            self.model.armature[k : k + self.ours[name][1].stop - self.ours[name][1].start] = armature
        self.data = self.model.createData()

    def _se3(self, frame: Frame) -> Any:
        return self.pin.SE3(np.asarray(frame.matrix), np.asarray(frame.position))

    def _joint(self, branch: Branch) -> Any:
        pin = self.pin
        if branch.kind == "ball":
            return pin.JointModelSpherical()
        if branch.kind == "free":
            return pin.JointModelFreeFlyer()
        if branch.kind == "screw":
            return pin.JointModelHZ(branch.pitch / (2 * np.pi))
        single = {
            "rx": pin.JointModelRX,
            "ry": pin.JointModelRY,
            "rz": pin.JointModelRZ,
            "px": pin.JointModelPX,
            "py": pin.JointModelPY,
            "pz": pin.JointModelPZ,
        }
        elements = [single[word]() for word in ELEMENTS[branch.kind]]
        if len(elements) == 1:
            return elements[0]
        composite = pin.JointModelComposite(elements[0])
        for element in elements[1:]:
            composite.addJoint(element, pin.SE3.Identity())
        return composite

    def one(self, branch: Branch, q: Array, v: Array) -> tuple[Array, Array, Array]:
        """q of one joint for Pinocchio, T and b."""
        if branch.kind == "free":
            return free_to_pinocchio(q, v)
        if branch.kind == "ball":
            q, T = self.ball(branch, q)
            return xyzw(q), T, np.zeros(3)
        return self.plain(branch, q)

    def raw_mass_matrix(self, q: Array) -> Array:
        """Composite rigid bodies; only the upper half is filled."""
        upper = np.triu(np.array(self.pin.crba(self.model, self.data, q)))
        full: Array = upper + np.triu(upper, 1).T
        return full

    def raw_inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        """Recursive Newton-Euler."""
        return np.array(self.pin.rnea(self.model, self.data, q, v, a))

    def raw_forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        """Articulated bodies."""
        return np.array(self.pin.aba(self.model, self.data, q, v, tau))

    def stepper(self, q: Array, v: Array, dt: float) -> Callable[[int], Any]:
        """A function that computes the accelerations of this state n times; Pinocchio takes no steps."""
        q_peer, T, _ = self.convert(q, v)
        v_peer, tau = T @ v, np.zeros(self.nv)
        aba, model, data = self.pin.aba, self.model, self.data

        def accelerations(n: int) -> None:
            for _ in range(n):
                aba(model, data, q_peer, v_peer, tau)

        return accelerations


def in_pinocchio(model: Model, joint_names: Iterable[str] | None = None) -> InPinocchio:
    """The tree of `model` in Pinocchio; raises ImportError where that is not installed."""
    return InPinocchio(model, joint_names)
