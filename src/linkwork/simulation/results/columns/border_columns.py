"""Columns of the ports of components elsewhere: how the bodies behind them move."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.assembly.system import System
from linkwork.formulations.samples import Samples
from linkwork.simulation.results.columns.units import BODY_UNITS

QUANTITIES = ("position", "velocity", "angular_velocity")


def border_shapes(system: System) -> dict[str, tuple[int, ...]]:
    """Position (m), velocity (m/s) and angular velocity (rad/s) of each, world axes."""
    return {f"{name}.{quantity}": (3,) for name in system.foreign for quantity in QUANTITIES}


def border_units(system: System) -> dict[str, str]:
    """Their units."""
    return {f"{name}.{quantity}": BODY_UNITS[quantity] for name in system.foreign for quantity in QUANTITIES}


def border_values(system: System, samples: Samples, count: int) -> dict[str, Any]:
    """Their values, from poses and velocities that were kept."""
    found: dict[str, Any] = {}
    for k, name in enumerate(sorted(system.foreign, key=lambda each: system.foreign[each])):
        kept = samples.foreign[:count, k]
        R = kept[:, :9].reshape(-1, 3, 3)
        found[f"{name}.position"] = kept[:, 9:12]
        found[f"{name}.velocity"] = np.einsum("kij,kj->ki", R, kept[:, 15:18])
        found[f"{name}.angular_velocity"] = np.einsum("kij,kj->ki", R, kept[:, 12:15])
    return found
