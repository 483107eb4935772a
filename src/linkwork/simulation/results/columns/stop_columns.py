"""Columns of what stops joints and of what touch sensors feel: forces that only impulses give."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from linkwork.assembly.system import System
from linkwork.formulations.samples import Samples
from linkwork.model import Cone, Joint
from linkwork.simulation.results.columns.force_columns import effort_unit

STOP = "stop_force"  # of joints with limits: N m or N for each coordinate; of cones on swing, twist and turn
TOUCH = "force"  # of touch sensors: N


def stopped(system: System) -> list[Joint]:
    """Joints with limits, in the order of the tables."""
    return [joint for joint in system.model.all_joints() if joint.limits is not None]


def stop_shapes(system: System) -> dict[str, tuple[int, ...]]:
    """These columns, with the shape of a row."""
    shapes: dict[str, tuple[int, ...]] = {}
    for joint in stopped(system):
        size = 3 if isinstance(joint.limits, Cone) else joint.nv
        shapes[f"{joint.path}.{STOP}"] = () if size == 1 else (size,)
    return shapes | {f"{sensor.path}.{TOUCH}": () for sensor in system.model.all_touch_sensors()}


def stop_units(system: System) -> dict[str, str]:
    """Units of these columns."""
    units = {}
    for joint in stopped(system):
        each = ["N m"] if isinstance(joint.limits, Cone) else [effort_unit(joint, k) for k in range(joint.nv)]
        units[f"{joint.path}.{STOP}"] = each[0] if len(set(each)) == 1 else ",".join(each)
    return units | {f"{sensor.path}.{TOUCH}": "N" for sensor in system.model.all_touch_sensors()}


def stop_values(system: System, samples: Samples, count: int) -> dict[str, Any]:
    """These columns of the first `count` samples; none of a method without impulses."""
    found: dict[str, Any] = {}
    if samples.stop.shape[1]:
        k, cone = 0, system.tables.drives.limit_q.size
        for joint in stopped(system):
            if isinstance(joint.limits, Cone):
                found[f"{joint.path}.{STOP}"] = samples.stop[:count, cone : cone + 3]
                cone += 3
                continue
            held = [low > -math.inf or high < math.inf for low, high in joint.coordinate_limits]
            values = samples.stop[:count, k : k + sum(held)]
            if not all(held):  # coordinates without a stop
                whole = np.zeros((count, len(held)))
                whole[:, held] = values
                values = whole
            found[f"{joint.path}.{STOP}"] = values
            k += sum(held)
    if samples.sensor_force.shape[1]:
        for s, sensor in enumerate(system.model.all_touch_sensors()):
            found[f"{sensor.path}.{TOUCH}"] = samples.sensor_force[:count, s : s + 1]
    return found
