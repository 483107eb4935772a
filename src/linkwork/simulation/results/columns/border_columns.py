"""Columns of the ports of components elsewhere: how the bodies behind them move."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from linkwork.assembly.system import System
from linkwork.simulation.results.columns.column import Column, Seen
from linkwork.simulation.results.columns.units import BODY_UNITS


def border_columns(system: System) -> Iterator[Column]:
    """Position (m), velocity (m/s) and angular velocity (rad/s) of each, world axes."""
    for k, name in enumerate(sorted(system.foreign, key=lambda each: system.foreign[each])):

        def turned(seen: Seen, first: int, k: int = k) -> Any:
            kept = seen.samples.foreign[: seen.rows, k]
            return np.einsum("kij,kj->ki", kept[:, :9].reshape(-1, 3, 3), kept[:, first : first + 3])

        reads = {
            "position": lambda seen, k=k: seen.samples.foreign[: seen.rows, k, 9:12],
            "velocity": lambda seen, turned=turned: turned(seen, 15),
            "angular_velocity": lambda seen, turned=turned: turned(seen, 12),
        }
        for quantity, read in reads.items():
            yield Column(f"{name}.{quantity}", (3,), BODY_UNITS[quantity], read)
