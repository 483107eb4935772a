"""Motors whose law jumps: found where a run starts, and named with the time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.assembly.system import System
from linkwork.errors import ModelError
from linkwork.model import Motor, Step, Table
from linkwork.model.joints.joint_kinds import KINDS

SAME_SPEED = 1e-6  # of the fastest: a smaller change of a table's slope is rounding


class Jump(NamedTuple):
    """At a time (s), by so much (rad, m; rad/s, m/s)."""

    time: float
    size: float


def jumps(system: System, time: float) -> list[str]:
    """Warnings of rigid motors whose law jumps after `time`.

    Where motors are rows of a method without impulses, a position that jumps raises: no joint can follow it. A velocity
    that does takes a force of no duration, which has no place in the columns. With impulses both are one step's work.
    """
    found = []
    for motor in system.motors:
        if not motor.rigid:
            continue
        of, unit = f"joint '{motor.joint.path}'", _unit(motor)
        if jump := _step(motor.position, time):
            told = f"its position= jumps by {jump.size:.4g} {unit} at t = {jump.time:.6g} s"
            remedy = "give its lw.Step a rise=, or let the motor give way by softness="
            if system.driven:
                raise ModelError(f"motor '{motor.path}': {told}, which no joint can follow; {remedy}")
            found.append(f"motor '{motor.path}': {told}: a single step throws {of} there; {remedy}")
        jump = _velocity_jump(motor, time)
        if jump and system.driven:
            found.append(
                f"motor '{motor.path}' changes the velocity of {of} by {jump.size:.4g} {unit}/s at once, at t = "
                f"{jump.time:.6g} s: the impulse of that is in no column and not in the energy balance; give its "
                "lw.Step a rise=, its lw.Table kind='cubic', or use method 'impulse'"
            )
    return found


def _unit(motor: Motor) -> str:
    return "m" if motor.drives_rod else KINDS[motor.joint.kind].units.rate[motor.coordinate]


def _velocity_jump(motor: Motor, time: float) -> Jump | None:
    """The largest one."""
    law = motor.position
    if not isinstance(law, Table) or law.kind != "linear" or law.times.size < 3:
        return _step(motor.velocity, time)
    slopes = np.diff(np.ravel(law.values)) / np.diff(law.times)
    changes = np.where(law.times[1:-1] > time, np.diff(slopes), 0.0)
    k = int(np.argmax(np.abs(changes)))
    if abs(changes[k]) <= SAME_SPEED * np.abs(slopes).max():
        return None
    return Jump(float(law.times[k + 1]), float(changes[k]))


def _step(law: object, time: float) -> Jump | None:
    """Of a step without rise."""
    if not isinstance(law, Step) or law.size > 1 or law.at + law.rise / 4 > law.at or law.at <= time:
        return None
    size = float(np.ravel(law.value)[0]) - float(np.ravel(law.before)[0])
    return Jump(law.at, size) if size else None
