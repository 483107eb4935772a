"""Numbers that are none, or infinite: where they are first, and whose motion is behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from linkwork.simulation.run import Simulation


def first_wild(block: dict[str, Any]) -> tuple[int, str] | None:
    """The first row that holds what is no number, or infinite, and the name of where it stands; None in a good block.

    >>> import numpy as np
    >>> first_wild({"time": np.zeros(3), "energy/total": np.array([1.0, np.nan, np.inf])})
    (1, 'energy/total')
    """
    found: tuple[int, str] | None = None
    for name, values in block.items():
        good = np.isfinite(values)
        if good.all():
            continue
        row = int(np.argmin(good.reshape(len(values), -1).all(axis=1)))
        if found is None or row < found[0]:
            found = row, name
    return found


def fastest(sim: Simulation) -> str:
    """Whose velocity is the largest now, or no number."""
    v = sim.state.y[sim.moving.nq : sim.moving.nq + sim.moving.nv]
    return str(sim.moving.dof_name(int(np.argmax(np.where(np.isfinite(v), np.abs(v), np.inf))))) if v.size else ""
