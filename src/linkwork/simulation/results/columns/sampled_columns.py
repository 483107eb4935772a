"""Inputs, readings of sensors and outputs of controllers in a run: what is held while steps are taken."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from linkwork.assembly.system import System
from linkwork.assembly.tables import Tables
from linkwork.formulations.samples import Samples
from linkwork.model import Force, Joint, Model, Motor
from linkwork.model.control.controller import Controller
from linkwork.model.laws.input_number import InputNumber
from linkwork.simulation.results.columns.force_columns import effort_unit
from linkwork.simulation.results.columns.state_columns import UNIT
from linkwork.simulation.results.columns.units import joint_units, split_unit


def sampled_shapes(model: Model) -> dict[str, tuple[int, ...]]:
    """The columns of inputs, sensors and controllers, with the shape of a row."""
    shapes: dict[str, tuple[int, ...]] = {f"{each.path}.value": () for each in model.all_inputs()}
    for sensor in model.all_sensors():
        shapes[f"{sensor.path}.reading"] = () if sensor.size == 1 else (sensor.size,)
    for controller in model.all_controllers():
        shapes[f"{controller.path}.output"] = () if len(controller.sets) == 1 else (len(controller.sets),)
    return shapes


def sampled_units(model: Model) -> dict[str, str]:
    """Units of these columns."""
    units = {f"{each.path}.value": each.unit for each in model.all_inputs()}
    units |= {f"{sensor.path}.reading": sensor.unit for sensor in model.all_sensors()}
    return units | {f"{controller.path}.output": UNIT for controller in model.all_controllers()}


def sampled_values(system: System, tables: Tables, samples: Samples, count: int) -> dict[str, Any]:
    """These columns of the first `count` samples; what the tables have now where samples hold no inputs."""
    laws = tables.laws
    rows = samples.inputs[:count] if len(samples.inputs) else laws.law_param[laws.input_law, 0][None]
    found = {f"{path}.reading": rows[:, place] for path, place in system.held.items() if path not in system.late}
    names = list(system.inputs)
    for each in system.model.all_inputs():
        found[f"{each.path}.value"] = rows[:, names.index(each.path)]
    for controller in system.model.all_controllers():
        inputs = inputs_of(controller, names)
        if set(inputs) <= set(names):  # none has ended with its joint
            found[f"{controller.path}.output"] = rows[:, [names.index(each) for each in inputs]]
    return found


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
