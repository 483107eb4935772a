"""Drives: motors that move a joint. Data only. What couples joints is in coupling.py."""

from __future__ import annotations

import math
from dataclasses import dataclass

from linkwork.errors import ModelError
from linkwork.model import checked
from linkwork.model.body import Part
from linkwork.model.forces.soft import Soft
from linkwork.model.joints.joint import Distance, Joint
from linkwork.model.joints.joint_kinds import KINDS
from linkwork.model.laws.laws import Constant, Law


@dataclass(frozen=True, eq=False, repr=False)
class Motor(Part):
    """A motor that prescribes the `velocity` (rad/s or m/s) or the `position` (rad or m) of its joint by a law of time.

    `max_torque` (N m or N) limits its torque or force; infinite by default. With `softness` it is a servo of that
    stiffness and damping, otherwise it is rigid. The column `name.torque` (N m or N) is its torque. Made by
    `model.motor`.
    """

    joint: Joint
    velocity: Law | None
    position: Law | None
    max_torque: float
    softness: Soft | None = None
    coordinate: int = 0

    @property
    def rigid(self) -> bool:
        """Whether it holds its joint whatever that takes."""
        return self.softness is None and self.max_torque == math.inf

    @property
    def drives_rod(self) -> bool:
        """Whether it gives the length of a rod without mass."""
        return isinstance(self.joint, Distance)

    @property
    def servo(self) -> bool:
        """Whether it gives way by a spring and damper."""
        return self.softness is not None and self.softness.hertz is None

    @property
    def about(self) -> str:
        """What it connects or acts on."""
        return f"in {self.joint.path}"


def one_coordinate(what: str, joint: Joint) -> Joint:
    """Raise for joints that a drive cannot move."""
    if joint.nv != 1:
        raise ModelError(
            f"{what}: the {joint.kind} joint '{joint.path}' has {joint.nv or 'no'} coordinates; "
            "give a revolute, prismatic or screw joint"
        )
    return joint


def driven_coordinate(what: str, joint: Joint, coordinate: int | None) -> int:
    """The coordinate of a joint that a motor moves; raises where that is not clear, or not one number."""
    if isinstance(joint, Distance):
        return 0
    if coordinate is None or joint.nv == 1 or KINDS[joint.kind].has_quaternion or joint.nv == 0:
        if joint.nv > 1 and not KINDS[joint.kind].has_quaternion:
            raise ModelError(
                f"{what}: the {joint.kind} joint '{joint.path}' has {joint.nv} coordinates; say which one with "
                f"coordinate=0 to {joint.nv - 1}"
            )
        one_coordinate(what, joint)
    if coordinate is None:
        return 0
    number = checked.real(coordinate)
    if number is None or number != int(number) or not 0 <= number < joint.nv:
        raise ModelError(
            f"{what}: coordinate={checked.shown(coordinate)} is none of joint '{joint.path}'; give 0 to {joint.nv - 1}"
        )
    return int(number)


def servo_softness(what: str, softness: Soft | None, follows_velocity: bool) -> Soft | None:
    """Raise for a stiffness in a motor that prescribes no position."""
    if softness is not None and follows_velocity and not softness.damping:
        raise ModelError(f"{what}: a velocity= motor gives way by damping alone; give softness=lw.Soft(damping=...)")
    if softness is not None and follows_velocity and softness.stiffness:
        raise ModelError(f"{what}: a velocity= motor has no place to spring back to; remove stiffness= of its softness")
    return softness


def refuse_rod(what: str, motor: Motor) -> None:
    """Raise for a motor that drives a rod and gives way, or gives its rate."""
    if motor.drives_rod and motor.position is None:
        raise ModelError(f"{what}: rod '{motor.joint.path}' is driven by its length; give position= (m)")
    if motor.drives_rod and not motor.rigid:
        raise ModelError(
            f"{what}: it gives the length of rod '{motor.joint.path}', which holds rigidly; leave out max_torque= and "
            "softness=, or use a spring with law="
        )


def refuse_out_of_reach(what: str, motor: Motor) -> None:
    """Raise for a rigid motor without `max_torque` whose position is beyond the limits of its joint."""
    if not motor.rigid or motor.drives_rod or not isinstance(motor.position, Constant):
        return
    low, high = motor.joint.coordinate_limits[motor.coordinate]
    if motor.joint.limit_softness is None and not low <= motor.position.value <= high:
        raise ModelError(
            f"{what}: it would hold joint '{motor.joint.path}' at {motor.position.value:g}, beyond its limits {low:g} "
            f"to {high:g}; correct position=, or let it give way by max_torque= or softness="
        )
