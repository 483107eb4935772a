"""Rotors: inertia that turns about one axis of a body that carries it; drivetrains without bodies."""

from __future__ import annotations

from typing import Any, TypedDict, Unpack

import numpy as np

from linkwork.errors import ModelError
from linkwork.model import checked
from linkwork.model.body import Body, Rotor, shaft_name
from linkwork.model.checked import Vector, VectorLike
from linkwork.model.contact.collider import check_shape
from linkwork.model.container import Container
from linkwork.model.forces.drive import one_coordinate
from linkwork.model.frame import Frame
from linkwork.model.joints.coupling import slides
from linkwork.model.joints.coupling_verbs import CouplingVerbs, checked_ratio
from linkwork.model.joints.joint import Joint
from linkwork.model.joints.joint_checks import make_joint
from linkwork.model.shapes.shapes import Shape


class RotorOptions(TypedDict, total=False):
    """What the shaft of a rotor may have; see `Joint` for the meaning."""

    position: float | None
    velocity: float | None
    friction: float
    damping: float
    stiffness: float
    rest: float


class RotorVerbs(CouplingVerbs):
    """The verb for rotors."""

    def rotor(
        self,
        name: str,
        *,
        inertia: float,
        on: Body | Joint | str,
        axis: VectorLike | None = None,
        at: VectorLike | None = None,
        ratio: float | None = None,
        shape: Shape | None = None,
        **options: Unpack[RotorOptions],
    ) -> Rotor:
        """Inertia (kg m2) that turns about an axis of a body or ground, without mass: shafts, motors, flywheels.

        `on` is the body that carries it. It turns about `axis` through `at` (m), in the frame of the carrier; `at` is
        by default its origin and changes the picture alone. The carrier feels what turns it, and its gyroscopic torque.
        On another rotor it turns about the same axis, counted from that: give it a `stiffness` and it is the next disc
        of an elastic shaft, a `friction` and it is the other half of a clutch.

        On a joint with one coordinate it is a motor behind a gear of `ratio` (rad/rad or rad/m, 1 by default): it turns
        `ratio` times as far as the joint, in the joint's body a, about the joint's axis, or `axis` (frame of a). So the
        joint feels ratio^2 times its inertia, and body a its gyroscopic torque. The gear is a part `name gear`.

        The rotor is a body; its joint is called `name shaft`, so `name shaft.velocity` (rad/s) is its speed. Gears,
        motors, springs and laws take the rotor for its shaft. `position`, `velocity`, `damping`, `friction`,
        `stiffness` and `rest` are those of a `revolute` joint. A `shape`, z along the axis, is only drawn.

        >>> model = lw.Model("drivetrain", gravity=(0, 0, 0))
        >>> motor = model.rotor("motor", inertia=0.01, on="ground", axis=(1, 0, 0))
        >>> wheel = model.rotor("wheel", inertia=0.3, on="ground", axis=(1, 0, 0))
        >>> gear = model.gear("gear", motor, wheel, ratio=-0.2)
        >>> torque = model.torque("drive", motor.shaft, 2.0)
        >>> run = lw.simulate(model, until=1.0)
        >>> print(f"{run['motor shaft.velocity'][-1]:.3f} rad/s")
        90.909 rad/s
        """
        what = self._new("rotor", name, "body")
        known = [*RotorOptions.__annotations__, "inertia", "on", "axis", "at", "ratio", "shape"]
        checked.unknown_options(options.keys() - RotorOptions.__annotations__.keys(), known, what)
        joint = self._driving(what, on)
        if joint is None and ratio is not None:
            raise ModelError(f"{what}: ratio= is that of a gear to a joint; give on= a joint, or remove ratio=")
        carrier = self._body(on, what) if joint is None else joint.a
        reference, place = _place(what, carrier, joint, axis, at, self)
        rotor = _rotor(what, name, self, inertia, reference, shape)
        called, gear, turns = shaft_name(name), f"{name} gear", 1.0 if ratio is None else ratio
        self._new("shaft of a rotor, joint", called, "joint")
        shaft = make_joint(what, "revolute", called, self, carrier, rotor, {**place, **options}, 0.0)
        if joint is not None:
            self._new("gear of a rotor,", gear)
            checked_ratio(what, turns)
        self._keep(self.bodies, rotor)
        self._keep(self.joints, shaft)
        if joint is not None:
            if slides(joint):
                self.repeater(gear, joint, shaft, ratio=turns)
            else:
                self.gear(gear, joint, shaft, ratio=turns)
        return rotor

    def _driving(self, what: str, on: Any) -> Joint | None:
        """The joint that a rotor is on, if it is on one."""
        part = self._find(on, what, "body") if isinstance(on, str) else on
        return one_coordinate(what, self._inside(part, what)) if isinstance(part, Joint) else None


def _place(
    what: str, carrier: Body, joint: Joint | None, axis: VectorLike | None, at: VectorLike | None, owner: Container
) -> tuple[Frame | None, dict[str, Any]]:
    """Where a rotor stands, if not where its joint puts it, and where its joint is."""
    if joint is None and isinstance(carrier, Rotor):
        if axis is not None or at is not None:
            raise ModelError(
                f"{what}: on rotor '{carrier.path}' it turns about the same axis; remove axis= and at=, or give on= "
                "the body that carries both"
            )
        return None, {"frame_a": Frame()}
    if axis is None and joint is None:
        raise ModelError(f"{what}: its axis is not known; give axis=, in the frame of '{carrier.path}'")
    if axis is None and at is not None:
        raise ModelError(f"{what}: it turns about the axis of its joint; give axis= beside at=, or remove at=")
    if axis is not None:
        point = (0.0, 0.0, 0.0) if at is None else checked.vector(at, what, "at", 3, "metres")
        return None, {"frame_a": Frame.along(checked.direction(axis, what, "axis"), point)}
    assert joint is not None
    if joint.axis is None:
        return None, {"frame_a": joint.frame_a or Frame()}
    way, here = Frame(), joint.owner  # from the coordinates of the joint to those of the rotor
    while here is not owner:
        assert here.owner is not None
        way, here = here.placement @ way, here.owner
    place = {"at": way.point((0.0, 0.0, 0.0) if joint.at is None else joint.at), "axis": way.direction(joint.axis)}
    return Frame.along(place["axis"], place["at"]), place


def as_rotor(body: Body, inertia: float) -> Rotor:
    """A body without mass as a rotor about its z; its shaft is another part of a file."""
    return _rotor(f"rotor '{body.path}'", body.name, body.owner, inertia, body.reference, body.shape)


def _rotor(
    what: str, name: str, owner: Container, inertia: float, reference: Frame | None, shape: Shape | None
) -> Rotor:
    moments = np.diag([0.0, 0.0, checked.positive(inertia, what, "inertia", "kg m2")])
    if shape is not None:
        check_shape(shape, what)
    return Rotor(name, owner, 0.0, _fixed(moments), _fixed(np.zeros(3)), reference, shape)


def _fixed(values: Vector) -> Vector:
    values.flags.writeable = False
    return values
