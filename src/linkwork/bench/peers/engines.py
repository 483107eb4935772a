"""The same tree in other engines, built from the words of a model, and how their coordinates relate to ours.

| what                        | linkwork                  | Pinocchio              | MuJoCo                  |
|-----------------------------|---------------------------|------------------------|-------------------------|
| quaternion                  | w, x, y, z                | x, y, z, w             | w, x, y, z              |
| ball velocity               | axes of the outer frame   | the same               | the same                |
| free position               | origin of frame_b in frame_a, then quaternion | the same | in the world     |
| free velocity               | linear, angular           | linear, angular        | linear, angular         |
| ... linear in the axes of   | frame_a (world)           | the moving frame       | the world               |
| ... angular in the axes of  | frame_a (world)           | the moving frame       | the moving frame        |
| free acceleration           | rates of those numbers    | rates of those numbers | rates of those numbers  |
| zero of a joint             | frame_b on frame_a        | joint on its placement | pose of the body        |
| cylindrical, universal, planar | one joint              | composite joint        | two or three joints     |
| screw                       | pitch in metres per turn  | pitch in metres per radian | none                |

All conversions have one shape. With v_peer = T(q) v, where T is square and constant except for the turn of the
moving frames, the rest follows:

    a_peer = T a + b(q, v)       M = T^T M_peer T       tau = T^T tau_peer

`in_pinocchio(model)` and `in_mujoco(model)` return objects with `q`, `v`, `a`, `force` and `matrix` that do this, and
the functions of the dynamics under their plain names. Open trees only: bodies, joints, rotor inertias, gravity.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linkwork.model.frame import Frame
from linkwork.model.joint_kinds import KINDS, QUATERNIONS, Z

if TYPE_CHECKING:
    from linkwork.model.subsystem import Model

Array = NDArray[np.float64]

# motions that are elementary ones: "r" turn about, "p" slide along an axis of the joint frame
ELEMENTS = {
    kind: tuple(("r" if motion.word == "turn" else "p") + "xyz"[motion.axis] for motion in facts.motions)
    for kind, facts in KINDS.items()
    if facts.motions and {motion.word for motion in facts.motions} <= {"turn", "slide"}
}
# b to a is the same motion with the other sign
MIRRORED = tuple(
    kind
    for kind, facts in KINDS.items()
    if all(motion.axis == Z and motion.word not in QUATERNIONS for motion in facts.motions)
)


# ---- conversions -----------------------------------------------------------------------------------------------------


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


def free_to_mujoco(q: Array, v: Array, base: Frame) -> tuple[Array, Array, Array]:
    """A free joint's q, T and b for MuJoCo: linear velocity in the world, angular in the moving frame.

    `base` is frame_a in the world. An angular velocity has the same rate in the moving frame (w x w = 0): b is zero.
    """
    pose = base @ Frame(position=q[:3], rotation=q[3:])
    T = np.zeros((6, 6))
    T[:3, :3] = base.matrix
    T[3:, 3:] = Frame(rotation=q[3:]).matrix.T
    return np.concatenate([pose.position, pose.rotation]), T, np.zeros(6)


# ---- the tree, read from the words -----------------------------------------------------------------------------------


@dataclass
class Branch:
    """One joint with the body it carries; frames are those in the inner and the outer body."""

    name: str
    kind: str
    inner: str  # body path, "" for the ground
    outer: str
    inner_frame: Frame  # joint frame in the inner body; in the world for the ground
    outer_frame: Frame
    mirrored: bool  # the outer body is a
    pitch: float
    armature: float
    body: Any


def branches(model: Model) -> list[Branch]:
    """The joints of an open tree from the ground outward, depth first (Pinocchio insists on that).

    A body without a joint is free in the world.
    """
    grounds = {id(ground) for ground in model.all_grounds()}
    bodies = {body.path: body for body in model.all_bodies() if id(body) not in grounds}

    def world(body: Any) -> Frame:
        here: Frame = body.owner.world
        return here if body.reference is None else here @ body.reference

    waiting = []
    for joint in model.all_joints():
        ends = []
        by_frames = joint.frame_a is not None or joint.frame_b is not None or joint.kind == "free"
        for body, local in ((joint.a, joint.frame_a), (joint.b, joint.frame_b)):
            if joint.at is None and joint.axis is None and by_frames:
                frame = local or Frame()
            else:
                frame = world(body).inverse() @ joint.owner.world @ _common_frame(joint)
            ends.append(("", world(body) @ frame) if id(body) in grounds else (body.path, frame))
        waiting.append((joint, ends))
    tied = {path for _, ends in waiting for path, _ in ends}

    found: list[Branch] = [
        Branch(path, "free", "", path, Frame(), Frame(), False, 0.0, 0.0, body)
        for path, body in bodies.items()
        if path not in tied
    ]
    reached = {""} | {branch.outer for branch in found}
    while waiting:
        ready = [item for item in waiting if item[1][0][0] in reached or item[1][1][0] in reached]
        if not ready:
            raise ValueError("the model has parts that no joint ties to the ground")
        joint, ends = ready[0]
        waiting.remove(ready[0])
        mirrored = ends[0][0] not in reached
        (inner, inner_frame), (outer, outer_frame) = ends[::-1] if mirrored else ends
        if outer in reached:
            raise ValueError(f"joint {joint.path!r} closes a loop; the other engines get open trees only")
        reached.add(outer)
        found.append(
            Branch(
                joint.path,
                joint.kind,
                inner,
                outer,
                inner_frame,
                outer_frame,
                mirrored,
                joint.pitch or 0.0,
                joint.armature or 0.0,
                bodies[outer],
            )
        )

    carried: dict[str, list[Branch]] = {}
    for branch in found:
        carried.setdefault(branch.inner, []).append(branch)
    ordered, stack = [], carried.get("", [])[::-1]
    while stack:
        branch = stack.pop()
        ordered.append(branch)
        stack += carried.get(branch.outer, [])[::-1]
    return ordered


def _common_frame(joint: Any) -> Frame:
    """The joint frame of both bodies in the reference configuration, owner's coordinates."""
    at = (0.0, 0.0, 0.0) if joint.at is None else joint.at
    if joint.axis is None:
        return Frame(position=at)
    if joint.kind == "universal":
        return Frame.axes(joint.axis[0], joint.axis[1], at)
    return Frame.along(joint.axis, at)


class Peer:
    """What both engines share: where each joint's numbers sit on either side."""

    def __init__(self, model: Model, joint_names: Iterable[str] | None) -> None:
        self.branches = branches(model)
        by_name = {branch.name: branch for branch in self.branches}
        ordered = list(by_name) if joint_names is None else [_spelled(by_name, name) for name in joint_names]
        self.ordered = [by_name[name] for name in ordered]
        self.ours: dict[str, tuple[slice, slice]] = {}
        nq = nv = 0
        for branch in self.ordered:
            dq, dv = KINDS[branch.kind].nq, KINDS[branch.kind].nv
            self.ours[branch.name] = (slice(nq, nq + dq), slice(nv, nv + dv))
            nq, nv = nq + dq, nv + dv
        self.nq, self.nv = nq, nv
        self.theirs: dict[str, tuple[int, int]] = {}  # first index in q and in v

    def one(self, branch: Branch, q: Array, v: Array) -> tuple[Array, Array, Array]:
        """q of one joint for the engine, T and b."""
        raise NotImplementedError

    def convert(self, q: Array, v: Array | None = None) -> tuple[Array, Array, Array]:
        """Engine's q, and T and b of v_peer = T v, a_peer = T a + b."""
        v = np.zeros(self.nv) if v is None else v
        q_peer, T, b = np.zeros(self.nq), np.zeros((self.nv, self.nv)), np.zeros(self.nv)
        for branch in self.ordered:
            if branch.kind == "fixed":
                continue
            at_q, at_v = self.ours[branch.name]
            q_one, T_one, b_one = self.one(branch, q[at_q], v[at_v])
            i, k = self.theirs[branch.name]
            q_peer[i : i + len(q_one)] = q_one
            T[k : k + len(b_one), at_v] = T_one
            b[k : k + len(b_one)] = b_one
        return q_peer, T, b

    def plain(self, branch: Branch, q: Array) -> tuple[Array, Array, Array]:
        """Joints whose numbers mean the same, but for the sign when the tree walks them from b to a."""
        sign = -1.0 if branch.mirrored else 1.0
        n = len(q)
        return sign * q, sign * np.eye(n), np.zeros(n)

    def ball(self, branch: Branch, q: Array) -> tuple[Array, Array]:
        """Quaternion w, x, y, z and T of a ball joint; from b to a the turn is inverted."""
        if not branch.mirrored:
            return q, np.eye(3)
        return q * np.array([1.0, -1.0, -1.0, -1.0]), -Frame(rotation=q).matrix

    def mass_matrix(self, q: Array) -> Array:
        """(nv, nv), in linkwork's coordinates."""
        q_peer, T, _ = self.convert(q)
        return T.T @ self.raw_mass_matrix(q_peer) @ T

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        """Joint forces in linkwork's coordinates."""
        q_peer, T, b = self.convert(q, v)
        return T.T @ self.raw_inverse_dynamics(q_peer, T @ v, T @ a + b)

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        """Joint accelerations in linkwork's coordinates."""
        q_peer, T, b = self.convert(q, v)
        T_inverse = np.asarray(np.linalg.inv(T), dtype=np.float64)
        return T_inverse @ (self.raw_forward_dynamics(q_peer, T @ v, T_inverse.T @ tau) - b)

    def raw_mass_matrix(self, q: Array) -> Array:
        """The engine's own, in its coordinates."""
        raise NotImplementedError

    def raw_inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        """The engine's own, in its coordinates."""
        raise NotImplementedError

    def raw_forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        """The engine's own, in its coordinates."""
        raise NotImplementedError


def _spelled(by_name: dict[str, Branch], name: str) -> str:
    """A free joint that nobody declared has its body's name with the word free behind it."""
    return name if name in by_name else next(known for known in by_name if name == f"{known} free")


def _refuse_mirrored(branch: Branch, engine: str) -> None:
    if branch.mirrored and branch.kind not in (*MIRRORED, "ball"):
        raise ValueError(f"joint {branch.name!r}: {engine} cannot walk a {branch.kind} joint from b to a")


# ---- Pinocchio -------------------------------------------------------------------------------------------------------


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
            _refuse_mirrored(branch, "Pinocchio")
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


# ---- MuJoCo ----------------------------------------------------------------------------------------------------------


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
            _refuse_mirrored(branch, "MuJoCo")
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


def in_pinocchio(model: Model, joint_names: Iterable[str] | None = None) -> InPinocchio:
    """The tree of `model` in Pinocchio; raises ImportError where that is not installed."""
    return InPinocchio(model, joint_names)


def in_mujoco(model: Model, joint_names: Iterable[str] | None = None, *, dt: float = 1e-3) -> InMujoco:
    """The tree of `model` in MuJoCo; raises ImportError where that is not installed. dt in seconds."""
    return InMujoco(model, joint_names, dt)
