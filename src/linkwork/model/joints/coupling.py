"""Couplings: gears, racks, differentials and cams, which tie joint coordinates together. Data only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from linkwork.errors import ModelError
from linkwork.model.body import Body, Part, Rotor
from linkwork.model.joints.cam_curve import CamCurve
from linkwork.model.joints.joint import Joint
from linkwork.model.joints.joint_kinds import KINDS

MOST_TERMS = 3  # joints of one coupling
AnyCoupling = TypeVar("AnyCoupling", bound="Coupling")


class Term(NamedTuple):
    """One joint of a coupling: `factor` times its coordinate, or times the value of `curve` there.

    `coordinate` tells which one, of a joint that has several.
    """

    joint: Joint
    factor: float
    curve: CamCurve | None = None
    coordinate: int = 0


@dataclass(frozen=True, eq=False, repr=False)
class Coupling(Part):
    """What couples joints: the sum of its terms keeps its value, or is `offset` where they are `counted` from zero.

    The column `name.effort` (N m, N) is the torque or force on the joint whose factor is one. Made by `model.gear`,
    `model.rack`, `model.differential`, `model.cam` and `model.repeater`.
    """

    terms: tuple[Term, ...]
    counted: bool = False
    backlash: float = 0.0
    offset: float = 0.0

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The joints that it couples."""
        return tuple(term.joint for term in self.terms)

    @property
    def whole(self) -> tuple[Term, ...]:
        """Its terms; what a rotor turns on another one counts from the body that carries all wheels."""
        below = [_below(term.joint) for term in self.terms]
        if self.curved or not any(isinstance(body, Rotor) for bodies in below for body in bodies):
            return self.terms
        common = next((each for each in below[0] if all(any(each is body for body in other) for other in below)), None)
        factors: dict[int, Term] = {}
        for term, bodies in zip(self.terms, below, strict=True):
            on = bodies[: next((k for k, body in enumerate(bodies) if body is common), len(bodies))]
            for joint in (term.joint, *(body.shaft for body in on if isinstance(body, Rotor))):
                before = factors[id(joint)].factor if id(joint) in factors else 0.0
                factors[id(joint)] = Term(joint, before + term.factor)
        return tuple(term for term in factors.values() if term.factor)

    @property
    def curved(self) -> bool:
        """Whether one of its terms is a curve."""
        return any(term.curve is not None for term in self.terms)

    @property
    def about(self) -> str:
        """What it connects or acts on."""
        return " and ".join(joint.path for joint in self.joints)


@dataclass(frozen=True, eq=False, repr=False)
class Gear(Coupling):
    """Turns one joint `ratio` times as far as another; see `model.gear`."""

    @property
    def whole(self) -> tuple[Term, ...]:
        """Its terms; those of a planetary train count from the carrier already."""
        return self.terms if len(self.terms) > 2 else super().whole


def _below(joint: Joint) -> list[Body]:
    """The carrier of a joint, and beyond rotors what carries them."""
    found = [joint.a]
    while isinstance(found[-1], Rotor):
        found.append(found[-1].shaft.a)
    return found


@dataclass(frozen=True, eq=False, repr=False)
class Rack(Coupling):
    """Slides by the radius of a pinion times its turn; see `model.rack`."""


@dataclass(frozen=True, eq=False, repr=False)
class Differential(Coupling):
    """Two joints whose mean motion is that of a third; see `model.differential`."""


@dataclass(frozen=True, eq=False, repr=False)
class Cam(Coupling):
    """A follower whose place is a curve over the angle of a cam; see `model.cam`."""


@dataclass(frozen=True, eq=False, repr=False)
class Repeater(Coupling):
    """Moves `follower` by `ratio` times the motion of `joint` from the start: gears, belts; see `model.repeater`."""

    @property
    def joint(self) -> Joint:
        """The one that leads."""
        return self.terms[1].joint

    @property
    def follower(self) -> Joint:
        """The one that follows."""
        return self.terms[0].joint

    @property
    def ratio(self) -> float:
        """Motion of the follower for a unit of the leader's."""
        return -self.terms[1].factor

    @property
    def about(self) -> str:
        """What it connects or acts on."""
        return f"{self.follower.path} = {self.ratio:g} x {self.joint.path}"


def slides(joint: Joint) -> bool:
    """Whether the coordinate of a joint is in metres."""
    return KINDS[joint.kind].slides_only


def different(what: str, joints: tuple[Joint, ...]) -> None:
    """Raise where a joint is coupled to itself."""
    number = "two" if len(joints) == 2 else "three"
    for k, joint in enumerate(joints):
        if any(joint is other for other in joints[:k]):
            raise ModelError(f"{what}: joint '{joint.path}' would follow itself; give {number} different joints")


def alike(what: str, joints: tuple[Joint, ...], remedy: str) -> None:
    """Raise where some of the joints turn and others slide."""
    kinds = {slides(joint) for joint in joints}
    if len(kinds) > 1:
        slide = next(joint for joint in joints if slides(joint))
        turn = next(joint for joint in joints if not slides(joint))
        raise ModelError(f"{what}: joint '{turn.path}' turns and '{slide.path}' slides; {remedy}")


def countable(what: str, coupling: AnyCoupling) -> AnyCoupling:
    """The coupling; raises where rotors on rotors make it one of too many joints."""
    if len(coupling.whole) > MOST_TERMS:
        names = ", ".join(f"'{term.joint.path}'" for term in coupling.whole)
        raise ModelError(
            f"{what}: it would couple {names}, since rotors on rotors count from the body that carries all, and "
            f"{MOST_TERMS} joints are the most; give the rotor of a wheel on= the body that carries it"
        )
    return coupling
