"""Tyres on roads, and gyroscopes: rotors that turn steadily inside a body. Data only."""

from __future__ import annotations

from dataclasses import dataclass, fields

from linkwork.model import checked
from linkwork.model.body import Body, Part
from linkwork.model.checked import Vector
from linkwork.model.roads import Road


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
class Tyre(Part):
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


@dataclass(frozen=True, eq=False, repr=False)
class Gyroscope(Part):
    """A rotor inside `body` that turns steadily: angular momentum `momentum` (N m s) about `axis` (body frame).

    Made by `model.gyroscope`.
    """

    body: Body
    axis: Vector
    momentum: float
