"""Methods of models and subsystems for joints: nine kinds, the distance, and points on curves and surfaces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, Never, TypeAlias, Unpack

from linkwork.errors import ModelError
from linkwork.model import checked
from linkwork.model.body import Body
from linkwork.model.checked import VectorLike
from linkwork.model.container import Container
from linkwork.model.forces.soft import Soft
from linkwork.model.frame import Frame
from linkwork.model.joints.guide_curve import GuideCurve
from linkwork.model.joints.guide_surface import GuideSurface
from linkwork.model.joints.joint import Distance, Joint, JointOptions, Slot, SurfaceJoint
from linkwork.model.joints.joint_checks import make_joint, refuse_pair
from linkwork.model.joints.joint_kinds import JointKind

BodyLike: TypeAlias = Body | str


class JointVerbs(Container):
    """Each method joins body `a` to body `b` (objects or names). `Joint`, which it returns, explains all keywords."""

    def _join(
        self, kind: JointKind, name: str, a: BodyLike, b: BodyLike, options: JointOptions, pitch: float = 0.0
    ) -> Joint:
        what = self._new(f"{kind} joint", name, "joint")
        joint = make_joint(what, kind, name, self, self._body(a, what), self._body(b, what), options, pitch)
        return self._keep(self.joints, joint)

    def fixed(self, name: str, a: BodyLike, b: BodyLike, **options: Unpack[JointOptions]) -> Joint:
        """Weld b to a, in their reference poses or, with `frame_a`, `frame_b`, so that these frames coincide.

        Its reaction is given at `at` (or at the frames), by default at the origin of b (of a, if b is a ground).

        >>> model = lw.Model("lamp")
        >>> base, pole = (model.body(name, mass=1.0, inertia=0) for name in ("base", "pole"))
        >>> model.fixed("weld", base, pole)
        <fixed 'weld': base to pole>
        """
        return self._join("fixed", name, a, b, options)

    def revolute(self, name: str, a: BodyLike, b: BodyLike, **options: Unpack[JointOptions]) -> Joint:
        """A hinge: b turns about an axis of a; its position is an angle (rad), right-handed about the axis.

        >>> model = lw.Model("door")
        >>> door = model.body("door", mass=20.0, shape=lw.Box((0.9, 0.04, 2.0)))
        >>> hinge = model.revolute(
        ...     "hinge", model.ground, door, at=(-0.45, 0, 0), axis=(0, 0, 1), limits=(0, 2.0), damping=0.5
        ... )
        """
        return self._join("revolute", name, a, b, options)

    def prismatic(self, name: str, a: BodyLike, b: BodyLike, **options: Unpack[JointOptions]) -> Joint:
        """A slide: b moves along an axis of a without turning; its position is a distance (m).

        It needs no `at`; without it the reaction is given at the origin of b (of a, if b is a ground).

        >>> model = lw.Model("drawer")
        >>> drawer = model.body("drawer", mass=2.0, inertia=(0.1, 0.1, 0.1))
        >>> rail = model.prismatic("rail", "ground", drawer, at=(0, 0, 0), axis=(1, 0, 0), velocity=0.5, friction=3.0)
        """
        return self._join("prismatic", name, a, b, options)

    def cylindrical(self, name: str, a: BodyLike, b: BodyLike, **options: Unpack[JointOptions]) -> Joint:
        """A bolt in a bore: b turns about and slides along one axis; its position is (angle, distance) (rad, m).

        >>> model = lw.Model("bolt")
        >>> bolt = model.body("bolt", shape=lw.Cylinder(0.01, 0.1), density=7800)
        >>> bore = model.cylindrical("bore", "ground", bolt, at=(0, 0, 0), axis=(0, 0, 1), velocity=(2.0, 0.1))
        """
        return self._join("cylindrical", name, a, b, options)

    def screw(
        self, name: str, a: BodyLike, b: BodyLike, *, pitch: float | None = None, **options: Unpack[JointOptions]
    ) -> Joint:
        """A thread: b advances `pitch` metres along the axis per whole turn (negative: left-handed); position in rad.

        >>> model = lw.Model("press")
        >>> spindle = model.body("spindle", shape=lw.Cylinder(0.02, 0.3), density=7800)
        >>> thread = model.screw("thread", "ground", spindle, pitch=0.005, at=(0, 0, 0), axis=(0, 0, 1))
        """
        what = f"screw joint '{self.inner_path(str(name))}'"
        if pitch is None or checked.number(pitch, what, "pitch") == 0.0:
            raise ModelError(f"{what}: it has no pitch; give pitch= in metres per turn, or use revolute()")
        return self._join("screw", name, a, b, options, float(pitch))

    def universal(self, name: str, a: BodyLike, b: BodyLike, **options: Unpack[JointOptions]) -> Joint:
        """A cardan: b turns about a first axis fixed in a, then about a second, perpendicular one fixed in b.

        The axes are `axis=(first, second)`, or x of `frame_a` and y of `frame_b`; the position is two angles (rad).

        >>> model = lw.Model("shafts")
        >>> shaft = model.body("shaft", shape=lw.Cylinder(0.02, 1.0), density=7800)
        >>> cross = model.universal("cross", "ground", shaft, at=(0, 0, 0.5), axis=((1, 0, 0), (0, 1, 0)))
        """
        return self._join("universal", name, a, b, options)

    def ball(self, name: str, a: BodyLike, b: BodyLike, **options: Unpack[JointOptions]) -> Joint:
        """A ball in a socket: b turns freely about one point; its position is a quaternion w, x, y, z.

        >>> model = lw.Model("hip")
        >>> leg = model.body("leg", mass=8.0, inertia=(0.3, 0.3, 0.02), com=(0, 0, -0.4))
        >>> hip = model.ball("hip", "ground", leg, at=(0, 0, 0), velocity=(0, 1, 0), damping=0.2)
        """
        return self._join("ball", name, a, b, options)

    def planar(self, name: str, a: BodyLike, b: BodyLike, **options: Unpack[JointOptions]) -> Joint:
        """A puck on a table: b slides in the plane normal to `axis` and turns in it; position (x, y, angle).

        x and y (metres) are along those of `frame_a`, or of `lw.Frame.along(axis)`; the angle is in radians.

        >>> model = lw.Model("puck")
        >>> puck = model.body("puck", shape=lw.Cylinder(0.04, 0.02), mass=0.2)
        >>> table = model.planar("table", "ground", puck, at=(0, 0, 0), axis=(0, 0, 1), velocity=(1, 0, 20))
        """
        return self._join("planar", name, a, b, options)

    def free(self, name: str, a: BodyLike, b: BodyLike, **options: Unpack[JointOptions]) -> Joint:
        """No constraint: b moves freely relative to a. Use it to give the start values of a free body.

        Position: x, y, z and quaternion; velocity: linear, then angular. A body without joints is free anyway.

        >>> model = lw.Model("stone")
        >>> stone = model.body("stone", shape=lw.Sphere(0.05), density=2700)
        >>> throw = model.free("throw", "ground", stone, velocity=(5, 0, 5, 0, 0, 1))
        """
        return self._join("free", name, a, b, options)

    def distance(
        self,
        name: str,
        a: BodyLike,
        b: BodyLike,
        *,
        at_a: VectorLike = (0.0, 0.0, 0.0),
        at_b: VectorLike = (0.0, 0.0, 0.0),
        length: float | None = None,
        **unknown: Never,
    ) -> Distance:
        """A massless rod with a ball joint at each end: a point of a and a point of b keep their distance.

        The points are in metres in the frames of their bodies; `length` (m) is by default the distance in the reference
        configuration. It has no coordinates and always closes a loop; its reaction is a force along the rod. Use it for
        tie rods, couplers and ropes that stay tight.

        >>> model = lw.Model("suspended")
        >>> ball = model.body("ball", mass=1.0, shape=lw.Sphere(0.1), position=(0, 0, -1))
        >>> model.distance("string", model.ground, ball, length=1.0)
        <distance 'string': ground to ball>
        """
        what = self._new("distance joint", name, "joint")
        self._only_known("distance", what, unknown)
        first, second = self._body(a, what), self._body(b, what)
        refuse_pair(what, first, second)
        ends = [Frame(checked.vector(at, what, option, 3, "metres")) for at, option in ((at_a, "at_a"), (at_b, "at_b"))]
        size = None if length is None else checked.positive(length, what, "length", "metres")
        rod = Distance(name, self, "distance", first, second, None, None, ends[0], ends[1], cut=True, length=size)
        return self._keep(self.joints, rod)

    def slot(
        self,
        name: str,
        a: BodyLike,
        b: BodyLike,
        curve: GuideCurve,
        *,
        at_b: VectorLike = (0.0, 0.0, 0.0),
        frame_a: Frame | None = None,
        position: float | None = None,
        velocity: float | None = None,
        limits: Sequence[Any] | None = None,
        limit_softness: Soft | None = None,
        friction: float = 0.0,
        damping: float = 0.0,
        stiffness: float = 0.0,
        rest: float = 0.0,
        **unknown: Never,
    ) -> Slot:
        """A pin in a slot: the point `at_b` of b (m, in its frame) stays on a curve that is fixed to a.

        `curve` is an `lw.GuideCurve` in the frame of a, or in `frame_a` inside it. b may turn as it likes. The position
        is the arc length along the curve (m), so `limits`, `friction`, `damping`, `stiffness`, torques and motors act
        along it; the reaction is a force across it. By default b starts at the point of the curve nearest to it. It
        always closes a loop. A run in which the point leaves an end of an open curve stops with an error: make the
        curve longer, or give limits.

        >>> model = lw.Model("bead on a ring")
        >>> bead = model.body("bead", mass=0.1, shape=lw.Sphere(0.02), position=(0.5, 0, 0))
        >>> ring = lw.GuideCurve.circle(0.5, normal=(0, 1, 0), start=(0, 0, -1))
        >>> model.slot("wire", "ground", bead, ring)
        <slot 'wire': ground to bead>
        """
        what = self._new("slot", name, "joint")
        self._only_known("slot", what, unknown)
        if not isinstance(curve, GuideCurve):
            raise ModelError(f"{what}: curve must be an lw.GuideCurve, got {checked.shown(curve)}; correct curve=")
        options: dict[str, Any] = {
            "position": position,
            "velocity": velocity,
            "limits": limits,
            "limit_softness": limit_softness,
        }
        options |= {"friction": friction, "damping": damping, "stiffness": stiffness, "rest": rest, "frame_a": frame_a}
        options["frame_b"] = Frame(checked.vector(at_b, what, "at_b", 3, "metres"))
        joint = make_joint(what, "slot", name, self, self._body(a, what), self._body(b, what), options, 0.0)
        start = None if joint.position is None else joint.position[0]
        if start is not None and not curve.closed and not 0.0 <= start <= curve.length:
            raise ModelError(
                f"{what}: it starts at {start:g} m, but its curve is 0 to {curve.length:g} m long; correct position="
            )
        return self._keep(self.joints, Slot(**guided(joint), curve=curve))

    def surface(
        self,
        name: str,
        a: BodyLike,
        b: BodyLike,
        surface: GuideSurface,
        *,
        at_b: VectorLike = (0.0, 0.0, 0.0),
        frame_a: Frame | None = None,
        position: VectorLike | None = None,
        velocity: VectorLike | None = None,
        damping: float = 0.0,
        **unknown: Never,
    ) -> SurfaceJoint:
        """A point on a surface: the point `at_b` of b (m, in its frame) stays on a surface that is fixed to a.

        `surface` is an `lw.GuideSurface` in the frame of a, or in `frame_a` inside it. b may turn as it likes, and the
        point stays on the surface from either side. Its position is x, y, z of the point in that frame (m); `damping`
        (N s/m) acts against its velocity there. The reaction is a force normal to the surface. It always closes a loop.

        >>> model = lw.Model("marble in a bowl")
        >>> marble = model.body("marble", mass=0.1, shape=lw.Sphere(0.02), position=(0.3, 0, 0))
        >>> model.surface("bowl", "ground", marble, lw.GuideSurface.sphere(0.5, center=(0, 0, 0.5)))
        <surface 'bowl': ground to marble>
        """
        what = self._new("surface joint", name, "joint")
        self._only_known("surface", what, unknown)
        if not isinstance(surface, GuideSurface):
            raise ModelError(
                f"{what}: surface must be an lw.GuideSurface, got {checked.shown(surface)}; correct surface="
            )
        options: dict[str, Any] = {"position": position, "velocity": velocity, "damping": damping, "frame_a": frame_a}
        options["frame_b"] = Frame(checked.vector(at_b, what, "at_b", 3, "metres"))
        joint = make_joint(what, "surface", name, self, self._body(a, what), self._body(b, what), options, 0.0)
        return self._keep(self.joints, SurfaceJoint(**guided(joint), surface=surface))


def guided(joint: Joint) -> dict[str, Any]:
    """The fields of a joint that always closes a loop."""
    return {each.name: getattr(joint, each.name) for each in fields(Joint)} | {"cut": True}
