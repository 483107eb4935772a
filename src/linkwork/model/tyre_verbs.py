"""The verbs of models and subsystems for tyres and gyroscopes."""

from __future__ import annotations

from typing import Any, Never, TypeAlias

from linkwork.errors import ModelError
from linkwork.model import checked
from linkwork.model.body import Body, Ground
from linkwork.model.checked import VectorLike
from linkwork.model.container import Container
from linkwork.model.roads import FlatRoad, Road
from linkwork.model.tyre import Calspan, Gyroscope, Tyre

BodyLike: TypeAlias = Body | str


class TyreVerbs(Container):
    """Bodies are given as objects or by name; every verb returns the new part."""

    def tyre(
        self,
        name: str,
        body: BodyLike,
        *,
        radius: float,
        stiffness: float,
        damping: float = 0.0,
        at: VectorLike = (0.0, 0.0, 0.0),
        axis: VectorLike = (0.0, 1.0, 0.0),
        road: Road | None = None,
        side: Calspan | None = None,
        **unknown: Never,
    ) -> Tyre:
        """A tyre between a wheel, or what carries it, and the road; it pushes and never pulls.

        `at` is the wheel's centre (m) and `axis` its axis, both in the body frame; x forward makes y the axis to the
        left. Under the centre the road (level at zero when not given; see `lw.FlatRoad`, `lw.CosineBump`, `lw.Kerb`,
        `lw.Ramp`, `lw.Stairs`, `lw.Profile`, `lw.Surface`) presses the tyre in by radius - height; its force is
        stiffness (N/m) * that + damping (N s/m) * its rate, times the cosine of the slope, along the road's normal.
        With `side`, an `lw.Calspan`, slip and camber make a side force and an aligning torque. Nothing acts forward
        or backward: the wheel rolls freely. Columns: `name.load` (N), `name.force` and `name.torque` (N, N m, at the
        contact, world axes, on the wheel) and `name.power` (W, into the mechanism).

        >>> model = lw.Model("wheelbarrow")
        >>> wheel = model.body("wheel", shape=lw.Cylinder(0.3, 0.1, pose=lw.Frame.along((0, 1, 0))), mass=8.0)
        >>> model.tyre("tyre", wheel, radius=0.3, stiffness=2e5, road=lw.Kerb(0.05, at=2.0), side=lw.Calspan())
        <tyre 'tyre'>
        """
        what = self._new("tyre", name)
        self._only_known("tyre", what, unknown)
        given: Any = FlatRoad() if road is None else road
        if not isinstance(given, Road):
            raise ModelError(f"{what}: its road is {checked.shown(road)}; give a road such as lw.FlatRoad()")
        law: Any = side
        if law is not None and not isinstance(law, Calspan):
            raise ModelError(f"{what}: its side law is {checked.shown(side)}; give side=lw.Calspan(), or leave it out")
        tyre = Tyre(
            name,
            self,
            self._moving(body, what),
            checked.vector(at, what, "at", 3, "metres"),
            checked.direction(axis, what, "axis"),
            checked.positive(radius, what, "radius", "metres"),
            checked.positive(stiffness, what, "stiffness", "N/m"),
            checked.not_negative(damping, what, "damping"),
            given,
            law,
        )
        return self._keep(self.forces, tyre)

    def gyroscope(self, name: str, body: BodyLike, *, axis: VectorLike, momentum: float, **unknown: Never) -> Gyroscope:
        """A flywheel or rolling wheel inside a body, kept at a steady speed: its spin resists being turned.

        `momentum` (N m s) is its moment of inertia about `axis` (body frame) times its speed relative to the body; its
        mass belongs to the body. It does no work. Column: `name.torque` (N m, world axes, on the body).

        >>> model = lw.Model("gyro")
        >>> frame = model.body("frame", mass=1.0, inertia=(0.01, 0.01, 0.01))
        >>> model.gyroscope("wheel", frame, axis=(0, 0, 1), momentum=0.002 * 300.0)
        <gyroscope 'wheel'>
        """
        what = self._new("gyroscope", name)
        self._only_known("gyroscope", what, unknown)
        target = self._moving(body, what)
        line, amount = checked.direction(axis, what, "axis"), checked.number(momentum, what, "momentum", "N m s")
        return self._keep(self.forces, Gyroscope(name, self, target, line, amount))

    def _moving(self, body: BodyLike, what: str) -> Body:
        target = self._body(body, what)
        if isinstance(target, Ground):
            raise ModelError(f"{what}: it acts on the ground '{target.path}' and moves nothing; give a body")
        return target
