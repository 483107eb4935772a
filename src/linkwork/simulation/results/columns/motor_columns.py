"""Columns of motors, and efforts of gears and cams."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from linkwork.assembly.system import System
from linkwork.model import Motor
from linkwork.simulation.results.columns.column import Column, Read, Seen, nothing
from linkwork.simulation.results.columns.force_columns import effort_unit


def motor_columns(system: System) -> Iterator[Column]:
    """What motors give, as `torque` and `effort` (N m or N), and its power (W); then efforts of what is coupled."""
    efforts = _efforts(system)
    for motor in system.motors:
        unit, read = effort_unit(motor.joint, motor.coordinate), efforts.get(motor.path, nothing)
        yield Column(f"{motor.path}.torque", (), unit, read)
        yield Column(f"{motor.path}.effort", (), unit, read)
        yield Column(f"{motor.path}.power", (), "W", partial(_power, effort=read, rate=_rate_of(system, motor)))
    motors = {motor.path for motor in system.motors}
    for each in system.coupled:
        if each.part.path not in motors:
            unit = effort_unit(each.terms[0].joint, each.terms[0].coordinate)
            yield Column(f"{each.part.path}.effort", (), unit, efforts[each.part.path])


def _efforts(system: System) -> dict[str, Read]:
    """Where the effort of each is: a motor's own, that of a row that couples joints, or of a force element."""
    coupled = {each.part.path: j for j, each in enumerate(system.coupled)}
    found: dict[str, Read] = {}
    driven = 0
    for motor in system.motors:
        if motor.path in system.force_rows and motor.path not in coupled:
            found[motor.path] = partial(_of_element, row=system.force_rows[motor.path][1])
        elif motor.path not in coupled:
            found[motor.path] = partial(_of_drive, k=driven)
            driven += 1
    nc = system.tables.cuts.cut_a.size
    return found | {name: partial(_of_row, row=nc + j) for name, j in coupled.items()}


def _of_element(seen: Seen, row: int) -> Any:
    return seen.observation.drive[:, row, 0]


def _of_drive(seen: Seen, k: int) -> Any:
    return seen.samples.drive[: seen.rows, k] if seen.samples.drive.shape[1] else None


def _of_row(seen: Seen, row: int) -> Any:
    return seen.samples.cut_force[: seen.rows, row, 0]


def _power(seen: Seen, effort: Read, rate: Read) -> Any:
    given = effort(seen)
    return None if given is None else given * rate(seen)


def _rate_of(system: System, motor: Motor) -> Read:
    """Rate of the coordinate that a motor moves, or of the length of a rod."""
    cut = next((place for place in system.cuts if place.name == motor.joint.path), None)
    if motor.drives_rod and cut is not None:
        cuts = system.tables.cuts
        k = cuts.measure_rate[cuts.cut_measure[cut.last]]
    elif cut is not None:
        k = cut.v.start + motor.coordinate
    else:
        joint = next((place for place in system.joints if place.name == motor.joint.path), None)
        return nothing if joint is None else partial(_joint_rate, k=joint.v.start + motor.coordinate)
    return partial(_cut_rate, k=k)


def _cut_rate(seen: Seen, k: int) -> Any:
    return seen.samples.cut_rate[: seen.rows, k]


def _joint_rate(seen: Seen, k: int) -> Any:
    return seen.v[:, k]
