"""Wheels that roll without slipping, on a plane and on each other: the data, then the methods of models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Never, TypeAlias

from linkwork.errors import ModelError
from linkwork.model import checked
from linkwork.model.body import Body
from linkwork.model.checked import VectorLike
from linkwork.model.container import Container
from linkwork.model.frame import Frame
from linkwork.model.joints.joint import Joint
from linkwork.model.joints.joint_checks import refuse_pair

BodyLike: TypeAlias = Body | str

ALIKE = 1e-9  # of the radii: wheels this much alike do not fit into each other
ORIGIN = (0.0, 0.0, 0.0)
UP = (0.0, 0.0, 1.0)


@dataclass(frozen=True, eq=False, repr=False)
class Rolling(Joint):
    """A thin disc on b, of `radius` (m) about z of `frame_b`, rolls on the plane of a with the normal z of `frame_a`.

    Made by `model.rolling`.
    """

    radius: float = 1.0


@dataclass(frozen=True, eq=False, repr=False)
class RollingPair(Joint):
    """A wheel on a of `radius_a` (m) and one on b of `radius_b` roll on each other, `inside`: one within the other.

    Made by `model.rolling_pair`.
    """

    radius_a: float = 1.0
    radius_b: float = 1.0
    inside: bool = False

    @property
    def share(self) -> float:
        """Where they touch: at this part of the way from the centre of a to that of b."""
        return self.radius_a / (self.radius_a - self.radius_b if self.inside else self.radius_a + self.radius_b)

    @property
    def apart(self) -> float:
        """How far apart the centres are when they touch, m."""
        return abs(self.radius_a - self.radius_b) if self.inside else self.radius_a + self.radius_b


class RollingVerbs(Container):
    """Methods of models and subsystems for wheels that roll without slipping."""

    def rolling(
        self,
        name: str,
        a: BodyLike,
        b: BodyLike,
        *,
        radius: float,
        axis: VectorLike = UP,
        at_b: VectorLike = ORIGIN,
        normal: VectorLike = UP,
        at_a: VectorLike = ORIGIN,
        **unknown: Never,
    ) -> Rolling:
        """A thin disc of body b rolls without slipping on a plane of body a, often the ground.

        The disc has its centre at `at_b`, its axis along `axis` (both in the frame of b; a `lw.Cylinder` has z) and
        `radius` (m); the plane passes through `at_a` and has the `normal` (in the frame of a), on the side of the disc.
        The lowest point of the rim stays on the plane, and what of the rim is there has the velocity of the plane. The
        disc is held on the plane: it cannot lift off. It may lean any way but lie flat. Its reaction is the force at
        that point, with its torque about `at_b`. Methods with implicit steps refuse it.

        Start velocities must fit each other: the centre of a wheel moves with w x r. What is not given is adapted.

        >>> model = lw.Model("coin")
        >>> coin = model.body("coin", mass=0.01, shape=lw.Cylinder(0.02, 0.001), rotation=(0.5**0.5, 0.5**0.5, 0, 0))
        >>> model.rolling("table", model.ground, coin, radius=0.02)
        <rolling 'table': ground to coin>
        """
        what = self._new("rolling joint", name, "joint")
        self._only_known("rolling", what, unknown)
        first, second = self._body(a, what), self._body(b, what)
        refuse_pair(what, first, second)
        plane = _frame(what, normal, "normal", at_a, "at_a")
        disc = _frame(what, axis, "axis", at_b, "at_b")
        size = checked.positive(radius, what, "radius", "metres")
        wheel = Rolling(name, self, "rolling", first, second, None, None, plane, disc, cut=True, radius=size)
        return self._keep(self.joints, wheel)

    def rolling_pair(
        self,
        name: str,
        a: BodyLike,
        b: BodyLike,
        *,
        radius_a: float,
        radius_b: float,
        inside: bool = False,
        axis_a: VectorLike = UP,
        axis_b: VectorLike = UP,
        at_a: VectorLike = ORIGIN,
        at_b: VectorLike = ORIGIN,
        **unknown: Never,
    ) -> RollingPair:
        """Two wheels with parallel axes roll on each other without slipping: friction wheels, pitch circles of gears.

        The wheels have their centres at `at_a`, `at_b` and their axes along `axis_a`, `axis_b`, in the frames of their
        bodies; `inside` says that the smaller one runs in the larger one. Other joints hold the axes parallel and the
        centres at their distance (shafts in a housing, an arm). Along the tangent at the point where the wheels touch
        they have one velocity. Its reaction is the force there, with its torque about `at_b`. Methods with implicit
        steps refuse it; they have `model.gear`.

        >>> model = lw.Model("friction drive", gravity=(0, 0, 0))
        >>> for wheel, x, r in (("large", 0.0, 0.2), ("small", 0.3, 0.1)):
        ...     body = model.body(wheel, mass=1.0, shape=lw.Cylinder(r, 0.02), position=(x, 0, 0))
        ...     shaft = model.revolute(f"{wheel} shaft", model.ground, body, at=(x, 0, 0), axis=(0, 0, 1))
        >>> model.rolling_pair("rims", "large", "small", radius_a=0.2, radius_b=0.1)
        <rolling_pair 'rims': large to small>
        """
        what = self._new("rolling pair", name, "joint")
        self._only_known("rolling_pair", what, unknown)
        first, second = self._body(a, what), self._body(b, what)
        refuse_pair(what, first, second)
        frames = _frame(what, axis_a, "axis_a", at_a, "at_a"), _frame(what, axis_b, "axis_b", at_b, "at_b")
        r_a = checked.positive(radius_a, what, "radius_a", "metres")
        r_b = checked.positive(radius_b, what, "radius_b", "metres")
        if not isinstance(inside, bool):
            raise ModelError(f"{what}: inside must be True or False, got {checked.shown(inside)}; correct inside=")
        if inside and abs(r_a - r_b) <= ALIKE * max(r_a, r_b):
            raise ModelError(
                f"{what}: a wheel does not run inside one of the same radius; correct radius_a=, radius_b= or inside="
            )
        pair = RollingPair(
            name,
            self,
            "rolling_pair",
            first,
            second,
            None,
            None,
            *frames,
            cut=True,
            radius_a=r_a,
            radius_b=r_b,
            inside=inside,
        )
        return self._keep(self.joints, pair)


def _frame(what: str, axis: VectorLike, axis_option: str, at: VectorLike, at_option: str) -> Frame:
    """A frame with z along the axis."""
    along = checked.direction(axis, what, axis_option)
    return Frame.along(along, checked.vector(at, what, at_option, 3, "metres"))
