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
from linkwork.model.joints.joint_kinds import KINDS, QUATERNIONS, Z

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


def refuse_mirrored(branch: Branch, engine: str) -> None:
    """Raise where an engine has no joint for a branch that is walked from b to a."""
    if branch.mirrored and branch.kind not in (*MIRRORED, "ball"):
        raise ValueError(f"joint {branch.name!r}: {engine} cannot walk a {branch.kind} joint from b to a")
