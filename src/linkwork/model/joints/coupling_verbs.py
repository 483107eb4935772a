"""Methods of models and subsystems for couplings: gears, racks, differentials, cams."""

from __future__ import annotations

from typing import Never, TypeAlias

from linkwork.errors import ModelError
from linkwork.model import checked
from linkwork.model.container import Container
from linkwork.model.forces.drive import one_coordinate
from linkwork.model.joints.cam_curve import TURN, CurveLike, cam_curve
from linkwork.model.joints.carrier import from_carrier
from linkwork.model.joints.coupling import (
    Cam,
    Differential,
    Gear,
    Rack,
    Repeater,
    Term,
    alike,
    countable,
    different,
    slides,
)
from linkwork.model.joints.joint import Joint

JointLike: TypeAlias = Joint | str


class CouplingVerbs(Container):
    """Give joints as objects or by name; every method returns the new part. Joints have one coordinate each."""

    def gear(
        self,
        name: str,
        joint_a: JointLike,
        joint_b: JointLike,
        *,
        ratio: float,
        carrier: JointLike | None = None,
        backlash: float = 0.0,
        offset: float | None = None,
        **unknown: Never,
    ) -> Gear:
        """Turn joint_b `ratio` times as far as joint_a, counted from the start: spur, bevel and worm gears, belts.

        Wheels that mesh outside turn against each other: a negative ratio, minus the teeth of a by the teeth of b. In a
        planetary train the turns count from the arm that holds the planets: `carrier` is the joint from the frame to
        it. Then each wheel's joint goes from the carrier to it, or from the frame to it with the axis of `carrier`.
        With `backlash` (rad, at joint_b) the teeth have play, of which the start is the middle; the methods impulse and
        maximal have it, `lw.equilibrium`, `lw.forward_dynamics` and their like do without. With an `offset` (rad) the
        positions themselves are tied, wherever they start: that of joint_b is `ratio` times that of joint_a plus
        `offset`. A rotor on another rotor counts from the body that carries both wheels, here and in other couplings
        but cams. The column `name.effort` (N m) is the torque on joint_b.

        >>> model = lw.Model("gears")
        >>> for name, x in (("small", 0.0), ("big", 0.15)):
        ...     wheel = model.body(name, shape=lw.Cylinder(0.05 + x / 3, 0.02), mass=1.0, position=(x, 0, 0))
        ...     axle = model.revolute(name + " axle", "ground", wheel, at=(x, 0, 0), axis=(0, 0, 1))
        >>> model.gear("mesh", "small axle", "big axle", ratio=-0.5)
        <gear 'mesh'>
        """
        what = self._new("gear", name)
        self._only_known("gear", what, unknown)
        a, b = self._coupled(what, joint_a, joint_b)
        alike(what, (a, b), "use model.rack() for a turn that becomes a slide")
        terms: tuple[Term, ...] = (Term(b, 1.0), Term(a, -checked_ratio(what, ratio)))
        if carrier is not None:
            arm = self._coupled(what, a, b, carrier)[2]
            alike(what, (a, arm), "give the joint of the arm as carrier=")
            terms = from_carrier(what, terms, arm)
        play, tied = _play(what, backlash, "rad"), _offset(what, offset)
        return self._keep(self.drives, countable(what, Gear(name, self, terms, offset is not None, play, tied)))

    def rack(
        self,
        name: str,
        pinion: JointLike,
        rack: JointLike,
        *,
        radius: float,
        backlash: float = 0.0,
        offset: float | None = None,
        **unknown: Never,
    ) -> Rack:
        """Slide the joint `rack` by `radius` (m) times the turn of the joint `pinion`, counted from the start.

        The column `name.effort` (N) is the force on the rack. A negative radius reverses it. `backlash` (m, at the
        rack) and `offset` (m) as in `gear`.

        >>> model = lw.Model("steering")
        >>> wheel = model.body("wheel", shape=lw.Cylinder(0.02, 0.01), mass=0.1)
        >>> bar = model.body("bar", shape=lw.Box((0.4, 0.02, 0.02)), mass=1.0)
        >>> pin = model.revolute("pin", "ground", wheel, at=(0, 0, 0), axis=(0, 0, 1))
        >>> guide = model.prismatic("guide", "ground", bar, axis=(1, 0, 0))
        >>> model.rack("teeth", pin, guide, radius=0.02)
        <rack 'teeth'>
        """
        what = self._new("rack", name)
        self._only_known("rack", what, unknown)
        turning, sliding = self._coupled(what, pinion, rack)
        if slides(turning) or not slides(sliding):
            raise ModelError(
                f"{what}: pinion= must turn and rack= must slide, but '{turning.path}' is {turning.kind} and "
                f"'{sliding.path}' is {sliding.kind}; give a revolute joint, then a prismatic one"
            )
        terms = (Term(sliding, 1.0), Term(turning, -checked_ratio(what, radius, "radius")))
        play, tied = _play(what, backlash, "m"), _offset(what, offset)
        return self._keep(self.drives, countable(what, Rack(name, self, terms, offset is not None, play, tied)))

    def differential(
        self, name: str, left: JointLike, right: JointLike, cage: JointLike, **unknown: Never
    ) -> Differential:
        """Let the mean motion of `left` and `right` be that of `cage`, counted from the start: x1 + x2 = 2 x3.

        The column `name.effort` (N m, N) is the torque on `left`, and on `right` too; the cage feels twice as much
        against it.

        >>> model = lw.Model("axle")
        >>> for name in ("left", "right", "cage"):
        ...     wheel = model.body(name, shape=lw.Cylinder(0.1, 0.02), mass=1.0)
        ...     axle = model.revolute(name + " axle", "ground", wheel, at=(0, 0, 0), axis=(0, 0, 1))
        >>> model.differential("bevels", "left axle", "right axle", "cage axle")
        <differential 'bevels'>
        """
        what = self._new("differential", name)
        self._only_known("differential", what, unknown)
        joints = self._coupled(what, left, right, cage)
        alike(what, joints, "give joints of one kind")
        one, other, third = joints
        terms = (Term(one, 1.0), Term(other, 1.0), Term(third, -2.0))
        return self._keep(self.drives, countable(what, Differential(name, self, terms)))

    def cam(
        self,
        name: str,
        joint: JointLike,
        follower: JointLike,
        curve: CurveLike,
        *,
        periodic: bool | None = None,
        **unknown: Never,
    ) -> Cam:
        """Put `follower` where `curve` says: its coordinate (m, rad) over the coordinate of the cam's `joint` (rad, m).

        The curve is a pair (x, y) of points, joined by a cubic spline, an `lw.Curve`, or a function of the angle, of
        which 720 values of a turn are joined by a quintic spline. It needs a continuous second derivative. Over the
        angle of a joint that turns it repeats after a turn: points span one turn, and their ends agree. With
        `periodic=False`, and over a slide, it goes on straight beyond the points. Both ways are held: a follower that a
        spring presses on is a shape in contact (`model.collider`). The column `name.effort` (N, N m) is the force on
        the follower.

        >>> model = lw.Model("valve")
        >>> disc = model.body("disc", shape=lw.Cylinder(0.03, 0.01), mass=0.3)
        >>> valve = model.body("valve", shape=lw.Box((0.01, 0.01, 0.1)), mass=0.1)
        >>> shaft = model.revolute("shaft", "ground", disc, at=(0, 0, 0), axis=(0, 1, 0))
        >>> guide = model.prismatic("guide", "ground", valve, axis=(0, 0, 1))
        >>> turn = 6.283185307179586
        >>> model.cam("lobe", shaft, guide, ([0, 2, 3, 4, turn], [0, 0.003, 0.005, 0.003, 0]))
        <cam 'lobe'>
        """
        what = self._new("cam", name)
        self._only_known("cam", what, unknown)
        turning, led = self._coupled(what, joint, follower)
        repeats = not slides(turning) if periodic is None else bool(periodic)
        shape = cam_curve(curve, what, TURN if repeats else None)
        return self._keep(self.drives, Cam(name, self, (Term(led, 1.0), Term(turning, -1.0, shape)), counted=True))

    def repeater(
        self, name: str, joint: JointLike, follower: JointLike, *, ratio: float = 1.0, **unknown: Never
    ) -> Repeater:
        """Make `follower` move `ratio` times as far as `joint`: gears (negative ratio), belts, racks.

        Both motions count from the start. The follower starts with `ratio` times the velocity of `joint`.

        >>> model = lw.Model("gears")
        >>> for name, x in (("small", 0.0), ("big", 0.3)):
        ...     wheel = model.body(name, shape=lw.Cylinder(0.1 + x / 3, 0.02), mass=1.0, position=(x, 0, 0))
        ...     axle = model.revolute(name + " axle", "ground", wheel, at=(x, 0, 0), axis=(0, 0, 1))
        >>> model.repeater("mesh", "small axle", "big axle", ratio=-0.5)
        <repeater 'mesh'>
        """
        what = self._new("repeater", name)
        self._only_known("repeater", what, unknown)
        leader, led = self._coupled(what, joint, follower)
        terms = (Term(led, 1.0), Term(leader, -checked_ratio(what, ratio)))
        return self._keep(self.drives, countable(what, Repeater(name, self, terms)))

    def _coupled(self, what: str, *joints: JointLike) -> tuple[Joint, ...]:
        found = tuple(one_coordinate(what, self._joint(joint, what)) for joint in joints)
        different(what, found)
        return found


def _play(what: str, backlash: float, unit: str) -> float:
    play = checked.number(backlash, what, "backlash")
    if play < 0.0:
        raise ModelError(f"{what}: backlash is {play:g} but cannot be negative; give backlash= in {unit}")
    return play


def _offset(what: str, offset: float | None) -> float:
    return 0.0 if offset is None else checked.number(offset, what, "offset")


def checked_ratio(what: str, value: float, option: str = "ratio") -> float:
    """Raise for a ratio of zero."""
    ratio = checked.number(value, what, option)
    if ratio == 0.0:
        raise ModelError(f"{what}: {option} is zero and would hold the joint still; give a {option}= that is not zero")
    return float(ratio)
