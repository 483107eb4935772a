"""Drives: motors that give a joint its motion, repeaters that make one joint follow another. Data only."""

from __future__ import annotations

from dataclasses import dataclass

from linkwork.errors import ModelError
from linkwork.model.body import Part
from linkwork.model.joint import Joint
from linkwork.model.laws import Law


@dataclass(frozen=True, eq=False, repr=False)
class Motor(Part):
    """A motor that gives its joint a `velocity` (rad/s or m/s) or a `position` (rad or m), one of them a law of time.

    `max_torque` (N m or N) bounds its effort; infinite when not given. Made by `model.motor`.
    """

    joint: Joint
    velocity: Law | None
    position: Law | None
    max_torque: float


@dataclass(frozen=True, eq=False, repr=False)
class Repeater(Part):
    """Keeps the position of `follower` at `ratio` times that of `joint`: gears, belts. Made by `model.repeater`."""

    joint: Joint
    follower: Joint
    ratio: float


def one_coordinate(what: str, joint: Joint) -> Joint:
    """Refuse joints that a drive cannot drive."""
    if joint.nv != 1:
        raise ModelError(
            f"{what}: the {joint.kind} joint '{joint.path}' has {joint.nv or 'no'} coordinates; "
            "give a revolute, prismatic or screw joint"
        )
    return joint
