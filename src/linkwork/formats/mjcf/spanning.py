"""The tree of bodies that MJCF nests, and the joints that are left to close loops."""

from __future__ import annotations

from dataclasses import dataclass, field

from linkwork.assembly.reference import Reference
from linkwork.model import Body, Frame, Ground, Joint, Model
from linkwork.model.joints.joint_kinds import KINDS

CUTTABLE = ("revolute", "ball", "fixed")  # kinds that MJCF has as constraints


@dataclass
class WrittenBranch:
    """A joint of the tree and the body that it carries; `mirrored` where that is body a."""

    joint: Joint
    child: Body
    mirrored: bool


@dataclass
class SpanningTree:
    """Which joints nest bodies, which close loops, and which bodies fly freely."""

    reference: Reference
    carried: dict[int, list[WrittenBranch]] = field(default_factory=dict)  # by the identity of the body, 0: the world
    cuts: list[Joint] = field(default_factory=list)
    roots: list[tuple[Body, Joint | None]] = field(default_factory=list)  # free bodies, and their free joints
    idle: list[Joint] = field(default_factory=list)  # free joints that say nothing

    def frames(self, joint: Joint) -> tuple[Frame, Frame]:
        """The joint's frames in its bodies; in the world for grounds."""
        a, b = self.reference.frames(joint)
        return self.inside(joint.a, a), self.inside(joint.b, b)

    def inside(self, body: Body, frame: Frame) -> Frame:
        """A frame of a body; seen from the world for a ground."""
        return self.reference.of(body) @ frame if isinstance(body, Ground) else frame

    def zero_pose(self, branch: WrittenBranch) -> Frame:
        """The pose of the child in its parent where the joint is at zero."""
        a, b = self.frames(branch.joint)
        return b @ a.inverse() if branch.mirrored else a @ b.inverse()


def body_key(body: Body) -> int:
    """0 for grounds, which are one."""
    return 0 if isinstance(body, Ground) else id(body)


def spanning_tree(model: Model) -> SpanningTree:
    """Nest by joints that MJCF cannot have as constraints first, then in the order of the model."""
    tree = SpanningTree(Reference(model))
    joints = list(model.all_joints())
    order = sorted(joints, key=_rank)
    leader: dict[int, int] = {}

    def root(key: int) -> int:
        while leader.get(key, key) != key:
            key = leader[key]
        return key

    kept: dict[int, list[Joint]] = {}
    free: dict[int, Joint] = {}
    for joint in order:
        if joint.kind == "free":
            on_ground = isinstance(joint.a, Ground) or isinstance(joint.b, Ground)
            body = joint.b if isinstance(joint.a, Ground) else joint.a
            if on_ground and id(body) not in free:
                free[id(body)] = joint
            continue
        a, b = root(body_key(joint.a)), root(body_key(joint.b))
        if a == b or KINDS[joint.kind].always_cut:
            tree.cuts.append(joint)
            continue
        leader[max(a, b)] = min(a, b)  # the world stays 0
        for body in (joint.a, joint.b):
            kept.setdefault(body_key(body), []).append(joint)
    tree.cuts.sort(key=joints.index)
    for joints_of in kept.values():
        joints_of.sort(key=joints.index)
    _nest(tree, model, kept, free)
    used = {id(joint) for _, joint in tree.roots if joint is not None}
    tree.idle = [joint for joint in joints if joint.kind == "free" and id(joint) not in used]
    return tree


def _rank(joint: Joint) -> tuple[bool, int]:
    """Small numbers are nested first."""
    if joint.kind not in CUTTABLE:
        return joint.cut, 0
    plain = not (joint.limits or joint.friction or joint.damping or joint.stiffness or joint.armature)
    return joint.cut, {"fixed": 1, "revolute": 2, "ball": 3}[joint.kind] + (1 if plain else 0)


def _nest(tree: SpanningTree, model: Model, kept: dict[int, list[Joint]], free: dict[int, Joint]) -> None:
    seen = {0}
    waiting = [0]

    def spread() -> None:
        while waiting:
            here = waiting.pop(0)
            for joint in kept.get(here, ()):
                outer = body_key(joint.a) if body_key(joint.b) == here else body_key(joint.b)
                if outer in seen:
                    continue
                seen.add(outer)
                mirrored = outer == body_key(joint.a)
                child = joint.a if mirrored else joint.b
                tree.carried.setdefault(here, []).append(WrittenBranch(joint, child, mirrored))
                waiting.append(outer)

    spread()
    bodies = list(model.all_bodies())
    for body in (*(body for body in bodies if id(body) in free), *bodies):
        if id(body) not in seen:
            seen.add(id(body))
            tree.roots.append((body, free.get(id(body))))
            waiting.append(id(body))
            spread()
