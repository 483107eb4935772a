"""Where every body stands in the reference configuration, and the two local frames of every joint."""

from __future__ import annotations

from collections.abc import Sequence

from linkwork.model import Body, Bushing, Foreign, Frame, Ground, Joint, Model
from linkwork.model.joints.joint_kinds import KINDS


class Reference:
    """World poses of bodies and local frames of joints, by the identity of the object."""

    def __init__(self, model: Model) -> None:
        self.pose: dict[int, Frame] = {}
        self.given: set[int] = set()
        for ground in model.all_grounds():
            self.pose[id(ground)] = ground_pose(ground)
            self.given.add(id(ground))
        bodies = list(model.all_bodies())
        for body in bodies:
            if body.reference is not None:
                self.pose[id(body)] = body.owner.world @ body.reference
                self.given.add(id(body))
        # what is attached or released later moves no reference
        joints = [joint for joint in model.built.all_joints() if not KINDS[joint.kind].always_cut]
        self._follow(joints)
        bushings = [force for force in model.all_forces() if isinstance(force, Bushing)]
        if bushings:
            self._follow([*joints, *bushings])
        for body in bodies:
            self.pose.setdefault(id(body), body.owner.world)

    def _follow(self, joints: Sequence[Joint | Bushing]) -> None:
        """Bodies without a pose of their own follow from local frames, joints at zero."""
        by_body: dict[int, list[Joint | Bushing]] = {}
        for joint in joints:
            if joint.frame_a is not None or joint.frame_b is not None:
                by_body.setdefault(id(joint.a), []).append(joint)
                by_body.setdefault(id(joint.b), []).append(joint)
        waiting = list(self.pose)
        while waiting:
            known = waiting.pop(0)
            for joint in by_body.get(known, ()):
                a, b = joint.frame_a or Frame(), joint.frame_b or Frame()
                if id(joint.a) == known:
                    other, pose = joint.b, self.pose[known] @ a @ b.inverse()
                else:
                    other, pose = joint.a, self.pose[known] @ b @ a.inverse()
                if id(other) not in self.pose:
                    self.pose[id(other)] = pose
                    waiting.append(id(other))

    def of(self, body: Body) -> Frame:
        return self.pose[id(body)]

    def frames(self, joint: Joint) -> tuple[Frame, Frame]:
        """The joint's frames in a and in b."""
        if joint.frame_a is not None or joint.frame_b is not None:
            return joint.frame_a or Frame(), joint.frame_b or Frame()
        if joint.kind == "free" and joint.at is None:
            return Frame(), Frame()
        a, b = self.of(joint.a), self.of(joint.b)
        place = joint_frame(joint, a, b)
        return a.inverse() @ place, b.inverse() @ place

    def mount(self, bushing: Bushing) -> tuple[Frame, Frame]:
        """The bushing's frames in a and in b."""
        if bushing.at is None:
            return bushing.frame_a or Frame(), bushing.frame_b or Frame()
        here = Frame(bushing.at) if bushing.axis is None else Frame.along(bushing.axis, bushing.at)
        place = bushing.owner.world @ here
        return self.of(bushing.a).inverse() @ place, self.of(bushing.b).inverse() @ place


def ground_pose(ground: Ground) -> Frame:
    """World pose of a ground before it moves."""
    if ground.reference is None:
        return ground.owner.world
    return ground.owner.world @ ground.reference


def joint_frame(joint: Joint, pose_a: Frame, pose_b: Frame) -> Frame:
    """The joint's frame in the world, from `at` and `axis`, with its bodies in these poses."""
    on = pose_b if point_body(joint) is joint.b else pose_a
    if joint.axis is None:
        return on if joint.at is None else joint.owner.world @ Frame(joint.at)
    at = (0.0, 0.0, 0.0) if joint.at is None else joint.at
    if joint.axis.ndim == 2:  # a universal joint turns about two
        return joint.owner.world @ Frame.axes(joint.axis[0], joint.axis[1], at)
    place = joint.owner.world @ Frame.along(joint.axis, at)
    return Frame(on.position, place.rotation) if joint.at is None else place


def point_body(joint: Joint) -> Body:
    """The body at whose origin a joint without a place of its own (a weld, a slide) is: b, but a where b is a ground.

    It holds there as anywhere, but its reaction is told at this point.
    """
    return joint.a if isinstance(joint.b, Ground) and not isinstance(joint.b, Foreign) else joint.b


def placed_by_body(joint: Joint) -> bool:
    """True where neither `at` nor frames say where the joint is."""
    return joint.kind in ("fixed", "prismatic") and joint.at is None and joint.frame_a is None and joint.frame_b is None
