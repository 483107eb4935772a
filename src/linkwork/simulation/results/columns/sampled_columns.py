"""Inputs, readings of sensors and outputs of controllers in a run: what is held while steps are taken."""

from __future__ import annotations

from collections.abc import Container, Iterator
from functools import partial
from typing import Any

from linkwork.assembly.system import System
from linkwork.model import Force, Joint, Motor
from linkwork.model.control.controller import Controller
from linkwork.model.laws.input_number import InputNumber
from linkwork.simulation.results.columns.column import Column, Read, Seen, nothing, row_shape
from linkwork.simulation.results.columns.force_columns import effort_unit
from linkwork.simulation.results.columns.state_columns import UNIT
from linkwork.simulation.results.columns.units import joint_units, split_unit


def sampled_columns(system: System) -> Iterator[Column]:
    """Inputs, sensors and outputs of controllers; what the tables have now where samples hold no inputs."""
    names = list(system.inputs)
    for each in system.model.all_inputs():
        read: Read = partial(_rows, place=names.index(each.path)) if each.path in names else nothing
        yield Column(f"{each.path}.value", (), each.unit, read)
    for sensor in system.model.all_sensors():
        place = None if sensor.path in system.late else system.held.get(sensor.path)
        read = nothing if place is None else partial(_rows, place=place)
        yield Column(f"{sensor.path}.reading", row_shape(sensor.size), sensor.unit, read)
    for controller in system.model.all_controllers():
        inputs = inputs_of(controller, names)
        there = set(inputs) <= set(names)  # none has ended with its joint
        read = partial(_rows, place=[names.index(each) for each in inputs]) if there else nothing
        yield Column(f"{controller.path}.output", row_shape(len(controller.sets)), UNIT, read)


def _rows(seen: Seen, place: Any) -> Any:
    laws, inputs = seen.tables.laws, seen.samples.inputs[: seen.rows]
    rows = inputs if len(seen.samples.inputs) else laws.law_param[laws.input_law, 0][None]
    return rows[:, place]


def input_unit(part: Any) -> str:
    """The unit of an input: of a force, a motor, or a number by itself."""
    if isinstance(part, InputNumber):
        return part.unit
    if isinstance(part, Motor):
        quantity = "velocity" if part.position is None else "position"
        if part.drives_rod:
            return "m/s" if quantity == "velocity" else "m"
        return split_unit(joint_units(part.joint.kind)[quantity], part.joint.nv)[part.coordinate]
    if isinstance(getattr(part, "target", None), Joint):
        return effort_unit(part.target, part.coordinate)
    return "N" if isinstance(part, Force) or part.word == "spring" else "N m"


def inputs_of(controller: Controller, names: Container[str]) -> list[str]:
    """The inputs that a controller sets, by their full names: its own subsystem comes first."""
    prefix = controller.owner.path
    return [f"{prefix}.{name}" if prefix and f"{prefix}.{name}" in names else name for name in controller.sets]
