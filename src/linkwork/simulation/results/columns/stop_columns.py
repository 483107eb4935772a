"""Columns of what stops joints and of what touch sensors feel: forces that only impulses give."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from linkwork.assembly.system import System
from linkwork.model import Cone
from linkwork.simulation.results.columns.column import Column, Seen, row_shape
from linkwork.simulation.results.columns.force_columns import effort_unit

STOP = "stop_force"  # of joints with limits: N m or N for each coordinate; of cones on swing, twist and turn
TOUCH = "force"  # of touch sensors: N


def stop_columns(system: System) -> Iterator[Column]:
    """Forces of stops and at touch sensors; nothing where the method has no impulses."""
    stop, cone = 0, system.tables.drives.limit_q.size
    for joint in system.model.all_joints():
        if joint.limits is None:
            continue
        if isinstance(joint.limits, Cone):
            size, first, units, cone = 3, cone, ["N m"], cone + 3
            held = [True] * 3
        else:
            size, first, units = joint.nv, stop, [effort_unit(joint, k) for k in range(joint.nv)]
            held = [low > -math.inf or high < math.inf for low, high in joint.coordinate_limits]
            stop += sum(held)

        def read(seen: Seen, first: int = first, held: list[bool] = held) -> Any:
            if not seen.samples.stop.shape[1]:
                return None
            values = seen.samples.stop[: seen.rows, first : first + sum(held)]
            if all(held):
                return values
            whole = np.zeros((seen.rows, len(held)))  # coordinates without a stop
            whole[:, held] = values
            return whole

        unit = units[0] if len(set(units)) == 1 else ",".join(units)
        yield Column(f"{joint.path}.{STOP}", row_shape(size), unit, read)
    for s, sensor in enumerate(system.model.all_touch_sensors()):

        def felt(seen: Seen, s: int = s) -> Any:
            return seen.samples.sensor_force[: seen.rows, s] if seen.samples.sensor_force.shape[1] else None

        yield Column(f"{sensor.path}.{TOUCH}", (), "N", felt)
