"""Methods of models and subsystems for forces and drives."""

from __future__ import annotations

import math
from typing import Literal, Never, TypeAlias, TypeVar

from linkwork.errors import ModelError
from linkwork.model import checked
from linkwork.model.body import Body
from linkwork.model.checked import VectorLike
from linkwork.model.forces.curves import Curve
from linkwork.model.forces.drive import Motor, driven_coordinate, refuse_out_of_reach, refuse_rod, servo_softness
from linkwork.model.forces.force import (
    Force,
    Spring,
    Torque,
    TorsionSpring,
    body_law,
    joint_law,
    spring_amounts,
    spring_curves,
)
from linkwork.model.forces.soft import Soft
from linkwork.model.forces.soft import softness as checked_softness
from linkwork.model.joints.joint import Joint
from linkwork.model.joints.joint_kinds import ABOUT_AXIS
from linkwork.model.laws.laws import LawLike, as_law, time_law
from linkwork.model.laws.states import StateVerbs

BodyLike: TypeAlias = Body | str
JointLike: TypeAlias = Joint | str


AnyLoad = TypeVar("AnyLoad", Torque, Force)


class ForceVerbs(StateVerbs):
    """Give bodies and joints as objects or by name; every method returns the new part."""

    def spring(
        self,
        name: str,
        a: BodyLike,
        b: BodyLike,
        *,
        at_a: VectorLike = (0.0, 0.0, 0.0),
        at_b: VectorLike = (0.0, 0.0, 0.0),
        stiffness: float | Curve | None = None,
        damping: float | Curve | None = None,
        length: float = 0.0,
        axis: VectorLike | None = None,
        law: LawLike | None = None,
        **unknown: Never,
    ) -> Spring:
        """A spring and damper between a point of a and a point of b (metres, each in its body's frame).

        It pulls with stiffness (N/m) * (distance - length) + damping (N s/m) * speed of lengthening. An `lw.Curve` as
        `stiffness` is the pull in N over the distance in m (its energy is counted from `length`), as `damping` the pull
        over the speed of lengthening in m/s. With `axis`, a direction of a's frame, it acts along that direction
        through the point of b, instead of along the line between the points; its length is then measured along the axis
        and may be negative. `law` adds a pull: a number, a law of time, or a function of `(t, length, rate)`. Columns:
        `name.length` (m), `name.force` (N, positive in tension) and `name.power` (W, into the mechanism).

        >>> model = lw.Model("bouncer")
        >>> box = model.body("box", mass=1.0, shape=lw.Box((0.1, 0.1, 0.1)))
        >>> model.spring("cord", model.ground, box, at_b=(0, 0, 0.05), stiffness=200.0, damping=1.0, length=0.5)
        <spring 'cord'>
        >>> only_push = lw.Curve([0.3], [[-600.0, 2000.0], [0.0]])  # N over m, nothing beyond 0.3 m
        >>> model.spring("buffer", model.ground, box, stiffness=only_push)
        <spring 'buffer'>
        """
        what = self._new("spring", name)
        self._only_known("spring", what, unknown)
        first, second = self._body(a, what), self._body(b, what)
        if first is second:
            raise ModelError(f"{what}: both its ends are on body '{first.path}'; give two different bodies")
        pull = None if law is None else as_law(law, what, (1, 3))
        if pull is not None and pull.size == 3:
            raise ModelError(f"{what}: its law has three components, a pull is one number; give law= one number")
        spring = Spring(
            name,
            self,
            first,
            second,
            checked.vector(at_a, what, "at_a", 3, "metres"),
            checked.vector(at_b, what, "at_b", 3, "metres"),
            *spring_curves(what, stiffness, damping, pull),
            checked.number(length, what, "length", "metres")
            if axis is not None
            else checked.not_negative(length, what, "length", "metres"),
            None if axis is None else checked.direction(axis, what, "axis"),
            pull,
        )
        return self._keep(self.forces, spring)

    def torsion_spring(
        self,
        name: str,
        joint: JointLike,
        *,
        stiffness: float | None = None,
        damping: float | None = None,
        angle: float = 0.0,
        **unknown: Never,
    ) -> TorsionSpring:
        """A spring and damper in the angle of a revolute, cylindrical or screw joint, unloaded at `angle` (rad).

        Its torque is -stiffness (N m/rad) * (position - angle) - damping (N m s/rad) * velocity: the column
        `name.torque` (N m, on b), beside `name.power` (W, into the mechanism).

        >>> model = lw.Model("door")
        >>> door = model.body("door", mass=20.0, shape=lw.Box((0.9, 0.04, 2.0)))
        >>> hinge = model.revolute("hinge", "ground", door, at=(-0.45, 0, 0), axis=(0, 0, 1))
        >>> model.torsion_spring("closer", "hinge", stiffness=5.0, damping=8.0)
        <torsion spring 'closer'>
        """
        what = self._new("torsion spring", name)
        self._only_known("torsion_spring", what, unknown)
        target = self._joint(joint, what)
        if target.kind not in ABOUT_AXIS:
            raise ModelError(
                f"{what}: the {target.kind} joint '{target.path}' has no single angle; "
                f"give a {', '.join(ABOUT_AXIS[:-1])} or {ABOUT_AXIS[-1]} joint, or use stiffness= of the joint"
            )
        amounts = spring_amounts(what, stiffness, damping)
        spring = TorsionSpring(name, self, target, *amounts, checked.number(angle, what, "angle", "radians"))
        return self._keep(self.forces, spring)

    def torque(
        self,
        name: str,
        target: Body | Joint | str,
        law: LawLike,
        *,
        axis: VectorLike | None = None,
        frame: Literal["body", "world"] | None = None,
        coordinate: int | None = None,
        **unknown: Never,
    ) -> Torque:
        """A torque (N m) on a body, or in a joint, where it acts on b and, reversed, on a (in N for a sliding joint).

        On a body a law of one number needs `axis`, in body axes; a law of three numbers is in world axes; `frame`
        changes the axes. In a joint `coordinate` chooses one of several. For laws see `lw.as_law`, `lw.PythonLaw`.
        Columns: `name.torque` (in a joint one number, on a body three, world axes) and `name.power` (W, into the
        mechanism).

        >>> model = lw.Model("wheel")
        >>> wheel = model.body("wheel", shape=lw.Cylinder(0.3, 0.05), mass=10.0)
        >>> axle = model.revolute("axle", "ground", wheel, at=(0, 0, 0), axis=(0, 0, 1))
        >>> drive = model.torque("drive", axle, lw.Cosine(5.0, frequency=2.0))
        >>> brake = model.torque("brake", axle, lambda t, position, velocity: -0.1 * velocity)
        >>> wind = model.torque("wind", wheel, (0, 0, 0.2))
        """
        what = self._new("torque", name)
        self._only_known("torque", what, unknown)
        place = self._find(target, what) if isinstance(target, str) else target
        if isinstance(place, Joint):
            joint = self._joint(place, what)
            content, index = joint_law(what, joint, law, axis, frame, coordinate)
            return self._driven(Torque(name, self, joint, content, None, "body", index))
        if coordinate is not None:
            raise ModelError(f"{what}: coordinate= belongs to joints; give axis= for a torque on a body")
        body = self._body(place, what)
        return self._driven(Torque(name, self, body, *body_law(what, body, law, axis, frame), 0))

    def force(
        self,
        name: str,
        body: BodyLike,
        law: LawLike,
        *,
        at: VectorLike = (0.0, 0.0, 0.0),
        axis: VectorLike | None = None,
        frame: Literal["body", "world"] | None = None,
        **unknown: Never,
    ) -> Force:
        """A force (N) on a body at the point `at` (metres, body frame; by default its origin).

        A law of three numbers is in world axes; a law of one number needs `axis`, in body axes; `frame` changes that.
        Columns: `name.force` (N, three numbers, world axes) and `name.power` (W, into the mechanism).

        >>> model = lw.Model("rocket")
        >>> rocket = model.body("rocket", shape=lw.Cylinder(0.1, 2.0), mass=30.0)
        >>> thrust = model.force("thrust", rocket, ([0, 2, 2.1], [900, 900, 0]), at=(0, 0, -1), axis=(0, 0, 1))
        >>> wind = model.force("wind", rocket, (10, 0, 0))
        """
        what = self._new("force", name)
        self._only_known("force", what, unknown)
        target = self._body(body, what)
        content, line, axes = body_law(what, target, law, axis, frame)
        point = checked.vector(at, what, "at", 3, "metres")
        return self._driven(Force(name, self, target, content, point, line, axes))

    def _driven(self, force: AnyLoad) -> AnyLoad:
        """Keep what a law drives, and the states of the law."""
        self._keep(self.forces, force)
        self._add_states(force, force.law)
        return force

    def motor(
        self,
        name: str,
        joint: JointLike,
        *,
        velocity: LawLike | None = None,
        position: LawLike | None = None,
        max_torque: float | None = None,
        softness: Soft | None = None,
        coordinate: int | None = None,
        **unknown: Never,
    ) -> Motor:
        """Prescribe the velocity (rad/s, m/s) or the position (rad, m) of a joint, within `max_torque` (N m, N).

        It is rigid, or with `softness` a servo: `lw.Soft(stiffness=200, damping=5)` for a position,
        `lw.Soft(damping=5)` for a velocity. If the law is a number, you can set it while stepping:
        `sim.inputs["drive"]`. If the motor is rigid and has no `max_torque`, its joint starts with the position and
        velocity of the law, unless you gave the joint others. Another velocity causes a jolt at the start: an event of
        the run, in no column of forces. A distance joint is driven by its length (m). Of a joint with several
        coordinates `coordinate` says which. A function of time may return its rate and its acceleration too; else they
        are formed by differences. Columns: `name.torque`, or `name.effort` (N m, N), and `name.power` (W, into the
        mechanism).

        >>> model = lw.Model("fan")
        >>> fan = model.body("fan", shape=lw.Cylinder(0.2, 0.02), mass=0.5)
        >>> shaft = model.revolute("shaft", "ground", fan, at=(0, 0, 0), axis=(0, 0, 1))
        >>> model.motor("drive", shaft, velocity=30.0, max_torque=2.0)
        <motor 'drive'>
        """
        what = self._new("motor", name)
        self._only_known("motor", what, unknown)
        target = self._joint(joint, what)
        number = driven_coordinate(what, target, coordinate)
        if (velocity is None) == (position is None):
            raise ModelError(f"{what}: it must follow one thing; give either velocity= or position=")
        motor = Motor(
            name,
            self,
            target,
            None if velocity is None else time_law(velocity, what, "velocity"),
            None if position is None else time_law(position, what, "position"),
            math.inf if max_torque is None else checked.positive(max_torque, what, "max_torque", "N m or N"),
            servo_softness(what, checked_softness(softness, what, "softness"), velocity is not None),
            number,
        )
        refuse_rod(what, motor)
        refuse_out_of_reach(what, motor)
        return self._keep(self.drives, motor)
