"""What holds a joint at rest with a limit: motors of limited torque hold or give way, stops bear or stand free."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.assembly.elements.force_tables import coordinate_of
from linkwork.assembly.system import System
from linkwork.assembly.tables import Floats
from linkwork.model import Cone, Motor
from linkwork.model.joints.joint_kinds import KINDS
from linkwork.model.laws.laws import law_value
from linkwork.simulation.starts.start import Closure

FREE, HELD, GIVING_WAY = range(3)
BEYOND = 1e-9  # rad, or of the size of the model: so far beyond a stop, or from where a motor wants its joint
OVER = 1e-9  # of the largest force: so much more than a motor can


@dataclass
class Hold:
    """A coordinate at `value` by an effort between `least` and `most`; `push` where the motor gives way.

    Of a soft stop the coordinate is off by the effort over its stiffness.
    """

    name: str
    coordinate: int  # of velocities; of a joint that closes a loop from nv on
    place: int  # of positions; of a joint that closes a loop from nq on
    value: float
    least: float
    most: float
    motor: bool
    state: int
    slides: bool
    stiffness: float = math.inf
    push: float = 0.0

    def row(self, closure: Closure, q: Floats) -> tuple[float, Floats]:
        """Where the coordinate is, and its change with the velocities."""
        system = closure.system
        if self.coordinate >= system.nv:
            return float(closure.cut_q[self.place - system.nq]), closure.directions[self.coordinate - system.nv]
        unit = np.zeros(system.nv)
        unit[self.coordinate] = 1.0
        return float(q[self.place]), unit

    def change(self, at: float, effort: float, size: float, force: float) -> float:
        """By how much what it does is not what it can do, as parts of size and force; 0 where all is well."""
        off = (at - self.value) / size
        if self.state == HELD:
            over = max(effort - self.most, self.least - effort) / (force or 1.0)
            return over if over > OVER else 0.0
        if self.motor:  # it gives way: the joint must be on the side that it pushes away from
            back = off * math.copysign(1.0, self.push)
            return back if back > BEYOND else 0.0
        past = off if self.most <= 0.0 else -off
        return past if past > BEYOND else 0.0

    def turn(self, effort: float) -> None:
        """Take the other state."""
        if self.state != HELD:
            self.state, self.push = HELD, 0.0
        elif self.motor:
            self.state, self.push = GIVING_WAY, self.most if effort > 0.0 else self.least
        else:
            self.state = FREE


def find_holds(system: System, start: Floats, ignored: Any = ()) -> list[Hold]:
    """Every limited motor, holding, and every stop of a coordinate, free. `start`: all positions, then cuts'."""
    found: list[Hold] = []
    places = {id(p.joint): p for p in (*system.joints, *system.cuts) if p.joint is not None}
    for drive in system.model.all_drives() if "motors" not in ignored else ():
        if not isinstance(drive, Motor) or drive.rigid or drive.servo or id(drive.joint) not in places:
            continue
        coordinate, place = coordinate_of(places[id(drive.joint)], drive.coordinate, system.nq, system.nv)
        value = float(start[place]) if drive.position is None else float(law_value(drive.position, 0.0))
        most = drive.max_torque
        slides = KINDS[drive.joint.kind].units.rate[drive.coordinate] == "m"
        found.append(Hold(f"motor '{drive.path}'", coordinate, place, value, -most, most, True, HELD, slides))
    for p in places.values() if "limits" not in ignored else ():
        if p.joint is None or p.joint.limits is None or isinstance(p.joint.limits, Cone):
            continue
        soft = p.joint.limit_softness
        stiffness = math.inf if soft is None or soft.stiffness is None else soft.stiffness
        for k, (low, high) in enumerate(p.joint.coordinate_limits):
            coordinate, place = coordinate_of(p, k, system.nq, system.nv)
            slides = KINDS[p.joint.kind].units.rate[k] == "m"
            name = f"the stop of joint '{p.name}'"
            if math.isfinite(low):
                found.append(Hold(name, coordinate, place, low, 0.0, math.inf, False, FREE, slides, stiffness))
            if math.isfinite(high):
                found.append(Hold(name, coordinate, place, high, -math.inf, 0.0, False, FREE, slides, stiffness))
    return found
