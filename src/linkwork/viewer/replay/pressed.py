"""Contacts of a run for a page: where bodies touched and how hard, thinned until there is room for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.simulation.results.scene.contact_looks import SeenContacts, contacts_seen
from linkwork.simulation.results.trajectory import Trajectory
from linkwork.viewer.replay.packing import Packer

ROOM = 300_000  # bytes of all contacts, before they are deflated
FINE = 2**15 - 1  # steps from the middle to either end of what there is


def pressed(run: Trajectory, packer: Packer, room: int = ROOM) -> dict[str, Any]:
    """`contacts` with times, counts and numbers, and `touching`: whether bodies of the run can touch at all."""
    can_touch = any(name.endswith(".contact_force") for name in run.columns)
    seen = contacts_seen(run.scene or {})
    if seen is None:
        return {"touching": can_touch, "contacts": None}
    seen = _thinned(seen, room)
    middle = _middle(seen.rows[:, :3])
    points, step = _whole(seen.rows[:, :3] - middle)
    forces, force_step = _whole(seen.rows[:, 3:6])
    grounded = seen.rows[:, 6:].astype(np.int64)
    facts = {
        "time": packer.plain(seen.time, "f8"),
        "count": packer.plain(seen.count, "i4"),
        # by columns, those of points before those of forces: like stands beside like
        "rows": packer.plain(np.hstack([points, forces, grounded]).T, "i2"),
        "middle": [float(x) for x in middle],
        "steps": [step, force_step],
        "usual": _usual(np.linalg.norm(seen.rows[:, 3:6], axis=1)),
    }
    return {"touching": True, "contacts": facts}


def _thinned(seen: SeenContacts, room: int) -> SeenContacts:
    """Every other look, until there is room."""
    while 14 * len(seen.rows) > room and len(seen.time) > 2:
        kept = np.arange(len(seen.time)) % 2 == 0
        seen = SeenContacts(seen.time[kept], seen.count[kept], seen.rows[np.repeat(kept, seen.count)])
    return seen


def _usual(forces: Any) -> float:
    """A large force, N, that is no blow: nine of ten are smaller."""
    return float(np.quantile(forces, 0.9)) if len(forces) else 0.0


def _middle(values: Any) -> Any:
    return (values.min(axis=0) + values.max(axis=0)) / 2 if len(values) else np.zeros(values.shape[1])


def _whole(values: Any) -> tuple[Any, float]:
    """Values in whole steps, and the step."""
    step = max(float(np.abs(values).max(initial=0.0)), 1e-30) / FINE
    return np.rint(values / step).astype(np.int64), step
