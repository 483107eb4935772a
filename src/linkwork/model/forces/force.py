"""Forces: springs between points, springs in joints, torques and forces that follow a law. Data only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from linkwork.errors import ModelError
from linkwork.model import checked
from linkwork.model.body import Body, Foreign, Ground, Part
from linkwork.model.checked import Vector, VectorLike
from linkwork.model.forces.curves import Curve
from linkwork.model.joints.joint import Joint
from linkwork.model.laws.laws import Law, LawLike, as_law

Axes = Literal["body", "world"]


@dataclass(frozen=True, eq=False, repr=False)
class ForceElement(Part):
    """What pushes, pulls or turns: springs, torques, forces, bushings, tyres, gyroscopes."""

    @property
    def in_joint(self) -> Joint | None:
        """The joint in whose coordinates it acts, if any: it does nothing while that joint is released."""
        return None


@dataclass(frozen=True, eq=False, repr=False)
class Spring(ForceElement):
    """A spring and damper between the point `at_a` of body a and `at_b` of body b (metres, body frames).

    `stiffness` N/m or a curve of the pull (N) over the length, `damping` N s/m or a curve of the pull over the speed of
    lengthening, along the line between the points or along `axis` of a; `length` unloaded in metres; `law` adds a
    pull. Made by `model.spring`.
    """

    a: Body
    b: Body
    at_a: Vector
    at_b: Vector
    stiffness: float | Curve
    damping: float | Curve
    length: float
    axis: Vector | None = None
    law: Law | None = None

    @property
    def about(self) -> str:
        """What it connects or acts on."""
        return f"{self.a.path} to {self.b.path}"


@dataclass(frozen=True, eq=False, repr=False)
class TorsionSpring(ForceElement):
    """A spring and damper in the angle of a joint: `stiffness` N m/rad, `damping` N m s/rad, unloaded at `angle` rad.

    Made by `model.torsion_spring`.
    """

    joint: Joint
    stiffness: float
    damping: float
    angle: float

    @property
    def word(self) -> str:
        """What kind of part it is."""
        return "torsion spring"

    @property
    def about(self) -> str:
        """What it connects or acts on."""
        return f"in {self.joint.path}"

    @property
    def in_joint(self) -> Joint:
        """Its joint."""
        return self.joint


@dataclass(frozen=True, eq=False, repr=False)
class Torque(ForceElement):
    """A torque (N m) by a law, on a body or in one coordinate of a joint. Made by `model.torque`.

    On a body: with `axis` (unit, in the axes named by `frame`) the law is a number, without it a vector.
    In a joint: the law drives `coordinate` (an index; N along a sliding one), b against a.
    """

    target: Body | Joint
    law: Law
    axis: Vector | None
    frame: Axes
    coordinate: int

    @property
    def about(self) -> str:
        """What it connects or acts on."""
        return f"on {self.target.path}"

    @property
    def in_joint(self) -> Joint | None:
        """Its joint, where it does not act on a body."""
        return self.target if isinstance(self.target, Joint) else None


@dataclass(frozen=True, eq=False, repr=False)
class Force(ForceElement):
    """A force (N) by a law, on a body at the point `at` (metres, body frame). Made by `model.force`.

    With `axis` (unit, in the axes named by `frame`) the law is a number, without it a vector.
    """

    body: Body
    law: Law
    at: Vector
    axis: Vector | None
    frame: Axes

    @property
    def about(self) -> str:
        """What it connects or acts on."""
        return f"on {self.body.path}"


def spring_amounts(what: str, stiffness: float | None, damping: float | None) -> tuple[float, float]:
    """Stiffness and damping, of which one at least was given."""
    if stiffness is None and damping is None:
        raise ModelError(f"{what}: it has neither stiffness nor damping; give stiffness= or damping=")
    return (
        0.0 if stiffness is None else checked.not_negative(stiffness, what, "stiffness"),
        0.0 if damping is None else checked.not_negative(damping, what, "damping"),
    )


def spring_curves(
    what: str, stiffness: float | Curve | None, damping: float | Curve | None, law: Law | None
) -> tuple[float | Curve, float | Curve]:
    """Stiffness and damping of a spring between points, numbers or curves; it has at least one of them, or a law."""
    if stiffness is None and damping is None and law is None:
        raise ModelError(f"{what}: it has neither stiffness nor damping nor law; give stiffness= or damping=")
    amounts: list[float | Curve] = []
    for option, value in (("stiffness", stiffness), ("damping", damping)):
        given = 0.0 if value is None else value
        amounts.append(given if isinstance(given, Curve) else checked.not_negative(given, what, option))
    return amounts[0], amounts[1]


def body_law(
    what: str, body: Body, law: LawLike, axis: VectorLike | None, frame: str | None
) -> tuple[Law, Vector | None, Axes]:
    """The law of a force or torque on a body, with the direction and the axes it is given in."""
    if isinstance(body, Foreign):
        raise ModelError(
            f"{what}: it acts on '{body.path}', which belongs to a component elsewhere; put it into that component, or "
            "let it act on a body here"
        )
    if isinstance(body, Ground):
        raise ModelError(f"{what}: it acts on the ground '{body.path}' and moves nothing; give a body")
    content = as_law(law, what, arities=(1, 2, 4, 5))
    if axis is None and content.size == 1:
        raise ModelError(f"{what}: its law is one number without a direction; give axis=, or a law of three numbers")
    if axis is not None and content.size == 3:
        raise ModelError(f"{what}: its law has three components and an axis besides; remove axis=")
    line = None if axis is None else checked.direction(axis, what, "axis")
    axes: Any = frame if frame is not None else ("world" if axis is None else "body")
    if not any(axes is each or (isinstance(axes, str) and axes == each) for each in get_args(Axes)):
        raise ModelError(f"{what}: unknown frame {checked.shown(frame)}; give frame='body' or frame='world'")
    return content, line, axes


def joint_law(what: str, joint: Joint, law: LawLike, axis: Any, frame: Any, coordinate: Any) -> tuple[Law, int]:
    """The law of a torque in a joint, with the index of the coordinate it drives."""
    if axis is not None or frame is not None:
        raise ModelError(f"{what}: a torque in a joint acts along its coordinate; remove axis= and frame=")
    content = as_law(law, what, arities=(1, 2, 3, 4))
    if content.size == 3:
        raise ModelError(f"{what}: a torque in a joint is one number; give one law per coordinate=")
    if joint.nv == 0:
        raise ModelError(
            f"{what}: the {joint.kind} joint '{joint.path}' cannot move by a coordinate; give a joint that can"
        )
    index = 0 if coordinate is None else checked.real(coordinate)
    if index is None or index not in range(joint.nv):
        remedy = "leave coordinate= out" if joint.nv == 1 else f"give coordinate= from 0 to {joint.nv - 1}"
        told = "one coordinate" if joint.nv == 1 else f"{joint.nv} coordinates"
        raise ModelError(f"{what}: the {joint.kind} joint '{joint.path}' has {told}; {remedy}")
    return content, int(index)
