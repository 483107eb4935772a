"""A mechanism moved by its coordinates alone: loops stay closed, gears stay as they are mounted; no forces, no time."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from linkwork.assembly.system import JointPlace, System
from linkwork.assembly.tables import Floats
from linkwork.model.joints.joint_kinds import KINDS
from linkwork.simulation.analysis.dynamics import forward_kinematics
from linkwork.simulation.starts.given import with_given
from linkwork.simulation.starts.start import NEARLY, Start, closed_again, consistent_start

STRIDE = 0.1  # rad or m between two poses on the way


class Coordinate(NamedTuple):
    """One number of the position of a joint that can be set: rad or m, with its limits."""

    joint: str
    number: int  # of those of the joint, from 0
    unit: str
    low: float
    high: float

    @property
    def label(self) -> str:
        """The joint, and which of its coordinates where it has several."""
        return self.joint if self.number == 0 else f"{self.joint} ({self.number + 1})"


class Posing:
    """Where the joints of a system are; `move` sets one of them, and the others follow by the least change.

    >>> posing = Posing(lw.assemble(lw.gallery.double_four_bar.build()))
    >>> posing.move("foot 1", 0, 1.0)
    ''
    >>> round(posing.value("foot 1", 0), 9), round(posing.value("foot 2", 0), 9)
    (1.0, 1.0)
    """

    def __init__(self, system: System, start: Start | None = None) -> None:
        self.system = system
        self.start = consistent_start(system) if start is None else start
        self._places = {place.name: place for place in (*system.joints, *system.cuts)}
        joints = [self._places[joint.path] for joint in system.model.all_joints() if joint.path in self._places]
        self.coordinates = [each for place in joints for each in _coordinates(place)]  # as they were declared

    def value(self, joint: str, number: int) -> float:
        """A coordinate, rad or m."""
        return float(self._numbers(self._places[joint], self.start)[number])

    def values(self) -> list[float]:
        """All coordinates that can be set."""
        return [self.value(each.joint, each.number) for each in self.coordinates]

    def frames(self) -> dict[str, tuple[Floats, Floats]]:
        """Position (m) and quaternion of every body in the world."""
        return forward_kinematics(self.system, self.start.q)

    def positions(self) -> dict[str, tuple[float, ...]]:
        """Positions of all joints of the tree by name, for `sim.reset(joints=...)`."""
        found = {place.name: tuple(self.start.q[place.q].tolist()) for place in self.system.joints}
        return {name: numbers for name, numbers in found.items() if numbers}

    def move(self, joint: str, number: int, value: float) -> str:
        """Bring a coordinate (rad, m) to a value, or as near as loops and limits allow; returns what was in the way."""
        place = self._places[joint]
        here = self.value(joint, number)
        way = np.linspace(here, value, max(1, math.ceil(abs(value - here) / STRIDE)) + 1)[1:]
        for goal in way:
            wanted = self._numbers(place, self.start).copy()
            wanted[number] = goal
            base = replace(self.system, q_start=self.start.q, cut_start=self.start.cut_q)
            found = closed_again(with_given(base, {joint: tuple(wanted.tolist())}, {}, held=False))
            if found is None:
                return f"'{joint}' gets no farther than {self.value(joint, number):.4g}: the loops would open"
            stop = self._stopped(found, place)
            if stop is not None:
                return f"'{joint}' gets no farther than {self.value(joint, number):.4g}: '{stop}' is at its limit"
            self.start = found
        return ""

    def _numbers(self, place: JointPlace, start: Start) -> Floats:
        """The position of a joint."""
        return np.asarray((start.cut_q if place.is_cut else start.q)[place.q])

    def _stopped(self, found: Start, moved: JointPlace) -> str | None:
        """The name of a joint that would leave its limits; one that is outside already may move."""
        for each in self.coordinates:
            place = self._places[each.joint]
            if place is moved:
                continue
            at, before = (self._numbers(place, start)[each.number] for start in (found, self.start))
            inside = each.low - NEARLY <= before <= each.high + NEARLY
            if inside and not each.low - NEARLY <= at <= each.high + NEARLY:
                return each.joint
        return None


def _coordinates(place: JointPlace) -> list[Coordinate]:
    """The coordinates of a joint that one number sets; those of balls and free bodies are four for three."""
    kind = KINDS[place.kind]
    if place.joint is None or kind.has_quaternion:
        return []
    limits = place.joint.coordinate_limits
    return [
        Coordinate(place.name, k, unit, *ends)
        for k, (unit, ends) in enumerate(zip(kind.units.position, limits, strict=True))
    ]
