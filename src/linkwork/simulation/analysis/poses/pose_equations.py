"""What a pose has to fulfil, and how it changes with the joints: loops, joints that keep their place, targets, limits.

Everything is without units: angles in rad, lengths over the size of the model, so that one tolerance fits all models.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwork.assembly.system import JointPlace, System
from linkwork.assembly.tables import Floats
from linkwork.errors import OptionError
from linkwork.mechanics.size import dof_units, row_units, size_of
from linkwork.mechanics.tree.entry_points import point_rows, poses
from linkwork.model import Cone
from linkwork.model.joints.joint_kinds import KINDS
from linkwork.simulation.starts.start import Closure, Start

ROUNDING = 32 * np.finfo(float).eps  # of the largest coordinate of a place: closer than that nothing can be


class Goal(NamedTuple):
    """Where a point of a body has to be, and how the body is turned there."""

    body: str
    point: Floats  # (3,) m, body frame
    place: Floats  # (3,) m, world
    rotation: Floats | None  # quaternion; None where it may be turned as it likes


class Stop(NamedTuple):
    """A coordinate of a joint with limits."""

    place: JointPlace
    part: int  # which of its coordinates
    low: float
    high: float


class Gaps(NamedTuple):
    """How far a pose is from what it has to be, and the changes of that with the free joints."""

    hard: Floats  # loops, gears, cuts that are held
    hard_rows: Floats
    aim: Floats  # targets
    aim_rows: Floats
    stop: Floats  # coordinates that have limits
    stop_rows: Floats
    beyond: Floats  # how far they are beyond them
    rounding: float

    @property
    def broken(self) -> float:
        """The largest of loops, held joints and limits."""
        return float(max(np.abs(self.hard).max(initial=0.0), self.beyond.max(initial=0.0)))

    @property
    def missed(self) -> float:
        """The largest of the targets."""
        return float(np.abs(self.aim).max(initial=0.0))


class PoseEquations:
    """The equations of a system for some goals; joints of the tree and cuts that are `held` stay as in `near`."""

    def __init__(self, system: System, near: Start, goals: Sequence[Goal], held: Sequence[str], time: float) -> None:
        self.system, self.near, self.goals = system, near, goals
        self.closure = Closure(system, time)
        self.size = size_of(system.tables)
        self.lengths, self.row_lengths = dof_units(system.tables), row_units(system.tables)
        self.held_cuts = [place for place in system.cuts if place.name in held]
        self.free = np.ones(system.nv, dtype=bool)
        for place in system.joints:
            self.free[place.v] = place.name not in held
        self.stops = [
            Stop(place, part, low, high)
            for place in (*system.joints, *system.cuts)
            if place.joint is not None and place.joint.limits is not None and place.name not in held
            for part, (low, high) in enumerate(place.joint.coordinate_limits)
            if np.isfinite(low) or np.isfinite(high)
        ]
        for place in (*system.joints, *system.cuts):
            if place.joint is not None and isinstance(place.joint.limits, Cone) and place.name not in held:
                raise OptionError(
                    f"{place.kind} joint '{place.name}' has a cone, which poses do not keep to; name it in hold=, or "
                    "leave out its limits="
                )
        self.stop_lengths = np.array([self.size if self.unit(stop) == "m" else 1.0 for stop in self.stops])
        self.bounds = np.array([(stop.low, stop.high) for stop in self.stops]).reshape(-1, 2)
        self.begin()
        self.closure.at(near.q, np.zeros(system.nv))

    @staticmethod
    def unit(stop: Stop) -> str:
        """m or rad."""
        return KINDS[_kind(stop.place)].units.rate[stop.part]

    def begin(self) -> None:
        """Angles of cuts count their turns from those of the pose nearby."""
        self.closure.cut_q[:] = self.near.cut_q

    def at(self, q: Floats) -> Gaps:
        """At these coordinates of the tree."""
        closure, nv = self.closure, self.system.nv
        closure.at(q, np.zeros(nv))
        kept, kept_rows = self._kept()
        hard = np.concatenate([closure.g / self.row_lengths, kept])
        held = closure.G * closure.of_positions[:, None]  # a wheel can be led anywhere
        hard_rows = np.vstack([held / self.row_lengths[:, None], kept_rows])
        aim, aim_rows = self._targets()
        numbers = np.array([self._coordinate(stop, q) for stop in self.stops])
        rows = np.zeros((len(self.stops), nv))
        for k, stop in enumerate(self.stops):
            e = stop.place.v.start + stop.part
            rows[k] = closure.directions[e] if stop.place.is_cut else np.eye(nv)[e]
        beyond = np.maximum(self.bounds[:, 0] - numbers, numbers - self.bounds[:, 1]) / self.stop_lengths
        far = float(np.abs(closure.work.pose_p).max())
        move = self.lengths * self.free
        return Gaps(
            hard,
            hard_rows * move,
            aim,
            aim_rows * move,
            numbers / self.stop_lengths,
            rows / self.stop_lengths[:, None] * move,
            np.maximum(beyond, 0.0),
            ROUNDING * max(1.0, far / self.size),
        )

    def _coordinate(self, stop: Stop, q: Floats) -> float:
        return float((self.closure.cut_q if stop.place.is_cut else q)[stop.place.q.start + stop.part])

    def _targets(self) -> tuple[Floats, Floats]:
        """Turns and ways that are left to the goals, and their rows."""
        system, work = self.system, self.closure.work
        found = np.zeros((len(system.body_names), 7))
        poses(system.tables.tree, work, found)
        gaps, rows = [], []
        for goal in self.goals:
            b = system.body_names.index(goal.body)
            J = np.zeros((6, system.nv))
            point_rows(system.tables.tree, work, b, goal.point, J)
            if goal.rotation is not None:
                gaps.append(turn_between(goal.rotation, found[b, 3:], outer=True))
                rows.append(J[:3])
            gaps.append((found[b, :3] + turned(found[b, 3:], goal.point) - goal.place) / self.size)
            rows.append(J[3:] / self.size)
        return np.concatenate(gaps), np.vstack(rows)

    def _kept(self) -> tuple[Floats, Floats]:
        """How far cuts that are held are from where they were, and their rows."""
        gaps, rows = [np.zeros(0)], [np.zeros((0, self.system.nv))]
        for place in self.held_cuts:
            wanted, found = self.near.cut_q[place.q], self.closure.cut_q[place.q]
            units = np.array([self.size if unit == "m" else 1.0 for unit in KINDS[_kind(place)].units.rate])
            gap = found - wanted
            if KINDS[_kind(place)].has_quaternion:
                gap = np.concatenate([gap[:-4], turn_between(wanted[-4:], found[-4:], outer=place.kind == "free")])
            gaps.append(gap / units)
            rows.append(self.closure.directions[place.v] / units[:, None])
        return np.concatenate(gaps), np.vstack(rows)


def turn_between(wanted: Any, found: Any, *, outer: bool) -> Floats:
    """Rotation vector from the wanted quaternion to the found one, in outer axes or in those of the body."""
    inverse = wanted * (1.0, -1.0, -1.0, -1.0)
    first, second = (found, inverse) if outer else (inverse, found)
    scalar = first[0] * second[0] - first[1:] @ second[1:]
    vector = first[0] * second[1:] + second[0] * first[1:] + np.cross(first[1:], second[1:])
    sine = float(np.linalg.norm(vector))
    if sine == 0.0:
        return np.zeros(3)
    angle = 2.0 * np.arctan2(sine, abs(scalar)) * (1.0 if scalar >= 0.0 else -1.0)
    result: Floats = vector * (angle / sine)
    return result


def turned(e: Any, x: Any) -> Floats:
    """x rotated by the quaternion e."""
    t = 2.0 * np.cross(e[1:], x)
    result: Floats = x + e[0] * t + np.cross(e[1:], t)
    return result


def _kind(place: JointPlace) -> Any:
    return place.kind
