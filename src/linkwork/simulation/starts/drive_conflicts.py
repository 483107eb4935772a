"""Motors and gears that want the same motion: found where a mechanism starts, and named."""

from __future__ import annotations

import numpy as np

from linkwork.assembly.system import System
from linkwork.mechanics.size import dof_units, row_units
from linkwork.simulation.results.columns.plain import shortened
from linkwork.simulation.starts.start import Closure, Start

DEPENDENT = 1e-7  # of a row without units: what the others leave of one that they imply
PART_OF = 1e-6  # of the largest: rows with a smaller share do not matter


def drive_conflicts(system: System, start: Start, time: float = 0.0) -> list[str]:
    """A sentence for each coupling or rigid motor whose motion the loops and the others give already."""
    if not system.coupled:
        return []
    closure = Closure(system, time)
    closure.cut_q[:] = start.cut_q
    closure.at(start.q, start.v)
    closure.leave_play()
    G = closure.G * dof_units(system.tables) / row_units(system.tables)[:, None]
    found = []
    for j, each in enumerate(system.coupled):
        r = system.first_coupled + j
        if system.loose[r]:
            continue
        others = G[:r]
        size = float(np.linalg.norm(G[r]))
        if size == 0.0:
            found.append(
                f"{each.part.word} '{each.part.path}' moves nothing where the mechanism starts; couple joints that move"
            )
            continue
        share = np.linalg.lstsq(others.T, G[r], rcond=1e-10)[0]
        if np.linalg.norm(others.T @ share - G[r]) > DEPENDENT * size:
            continue
        alike = [
            f"'{system.coupled[k].part.path}'"
            for k in range(j)
            if abs(share[system.first_coupled + k]) > PART_OF * np.abs(share).max()
        ]
        if alike:
            found.append(
                f"{shortened(alike)} and '{each.part.path}' want the same motion; remove one of them, or let a motor "
                "give way by max_torque= or softness="
            )
        else:
            found.append(
                f"the loops leave {each.part.word} '{each.part.path}' nothing to move; remove it, or free a joint"
            )
    return found
