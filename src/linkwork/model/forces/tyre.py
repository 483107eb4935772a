"""Tyres on roads, and gyroscopes (rotors at constant speed inside a body): the data, then the methods of models."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Never, TypeAlias

from linkwork.errors import ModelError
from linkwork.model import checked
from linkwork.model.body import Body, Ground
from linkwork.model.checked import Vector, VectorLike
from linkwork.model.container import Container
from linkwork.model.forces.force import ForceElement
from linkwork.model.forces.roads import FlatRoad, Road

BodyLike: TypeAlias = Body | str


@dataclass(frozen=True)
class Calspan:
    """The side force and the aligning torque of a tyre by the Calspan formulas; the numbers are those of the Iltis.

    `a0 … a4`, `a_omega` shape the stiffness against slip and camber over the load (`a0 a2 a4` in N), `b1 b3 b4` the
    friction (1/N, 1, 1/N2), `skid` is its ratio to the measured road, `af1 af2` (m/N) make the aligning torque.

    >>> lw.Calspan(skid=0.5).a2
    12930.0
    """

    a0: float = 2625.0
    a1: float = 14.47
    a2: float = 12930.0
    a3: float = 2.29
    a4: float = 18175.0
    a_omega: float = 1.0
    b1: float = -0.464e-4
    b3: float = 1.216
    b4: float = 2.18e-11
    skid: float = 1.0274
    af1: float = -0.171e-4
    af2: float = 0.171e-4

    def __post_init__(self) -> None:
        for field in fields(self):
            check = checked.positive if field.name in ("a2", "a4", "a_omega") else checked.number
            object.__setattr__(self, field.name, check(getattr(self, field.name), "Calspan", field.name))


@dataclass(frozen=True, eq=False, repr=False)
class Tyre(ForceElement):
    """A tyre on `body`, its centre at the point `at` and its axis along `axis` (body frame). Made by `model.tyre`.

    `radius` m unloaded, `stiffness` N/m, `damping` N s/m; `side` is its law for side forces, or None.
    """

    body: Body
    at: Vector
    axis: Vector
    radius: float
    stiffness: float
    damping: float
    road: Road
    side: Calspan | None

    @property
    def about(self) -> str:
        """What it connects or acts on."""
        return f"on {self.body.path}"


@dataclass(frozen=True, eq=False, repr=False)
class Gyroscope(ForceElement):
    """A rotor inside `body` at constant speed: angular momentum `momentum` (N m s) about `axis` (body frame).

    Made by `model.gyroscope`.
    """

    body: Body
    axis: Vector
    momentum: float

    @property
    def about(self) -> str:
        """What it connects or acts on."""
        return f"on {self.body.path}"


class TyreVerbs(Container):
    """The verbs for tyres and gyroscopes. Give bodies as objects or by name; every method returns the new part."""

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
        """A tyre between the road and a wheel, or the body that carries the wheel. It pushes and never pulls.

        `at` is the wheel's centre (m) and `axis` its axis, both in the body frame; x forward makes y the axis to the
        left. The deflection is the radius minus the height of the centre above the road. The road is by default level
        at zero; see `lw.FlatRoad`, `lw.CosineBump`, `lw.Kerb`, `lw.Ramp`, `lw.Stairs`, `lw.Profile`, `lw.Surface`. The
        force is stiffness (N/m) * deflection + damping (N s/m) * its rate, times the cosine of the slope, along the
        road's normal. With `side`, an `lw.Calspan`, slip and camber cause a side force and an aligning torque. There is
        no longitudinal force: the wheel rolls freely. Columns: `name.load` (N), `name.force` and `name.torque` (N, N m,
        at the contact, world axes, on the wheel) and `name.power` (W, into the mechanism).

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
        """A flywheel or rolling wheel inside a body, at constant speed, with its gyroscopic torque.

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
