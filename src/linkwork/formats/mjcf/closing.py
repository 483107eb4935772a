"""Starts that fulfil rigid constraints. In MuJoCo these give way, and a file may start beside them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from linkwork.assembly.assemble import assemble
from linkwork.errors import ModelError
from linkwork.formats.mjcf.context import MjcfReading
from linkwork.model import Motor
from linkwork.simulation.starts.start import consistent_start


def closed_start(reading: MjcfReading) -> Any:
    """Coordinates of MuJoCo near the start where all loops and gears close; None where the start does so itself."""
    model, m = reading.model, reading.m
    rigid = any(not isinstance(drive, Motor) or drive.rigid for drive in model.all_drives())
    if not rigid and not any(joint.cut for joint in model.all_joints()):
        return None
    try:
        system = assemble(model, driven=True)
    except ModelError:
        return None  # told when it is run
    try:
        consistent_start(system)
        return None
    except ModelError:
        pass
    loose = replace(system, q_given=np.zeros_like(system.q_given), v_given=np.zeros_like(system.v_given))
    try:
        found = consistent_start(loose)
    except ModelError as error:
        reading.receipt.ignore("equality constraints", "", f"they do not hold together at the start ({error})")
        return None
    qpos = np.array(reading.start.qpos)
    places = {place.name: place for place in system.joints}
    for number, joint in reading.joints.items():
        at = int(m.jnt_qposadr[number])
        values = found.q[places[joint.path].q]
        qpos[at : at + values.size] = values
    return qpos
