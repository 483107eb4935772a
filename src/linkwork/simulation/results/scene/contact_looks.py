"""Where bodies touched in a run, and how hard: looks at its contacts, often enough to be watched.

A scene keeps them as `contacts`: the times, s, how many there were at each, and for each seven numbers (float32, in
base64): the point, m; the force, N; and 1 where it bears on a ground. World axes.
"""

from __future__ import annotations

import base64
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from linkwork.simulation.interaction.contacts import Pressing

if TYPE_CHECKING:
    from linkwork.simulation.run import Simulation

RATE = 60.0  # looks in a second
LEAST = 300  # looks at a run that is short
MOST = 3600  # looks; then every other one goes
MOST_CONTACTS = 200_000  # in all looks
WIDTH = 7


class SeenContacts(NamedTuple):
    """The contacts of a run, look by look."""

    time: Any  # (look,) s
    count: Any  # (look,) contacts
    rows: Any  # (contact, 7) of all looks, one after the other


class ContactLooks:
    """Looks at the contacts of a run that takes `steps` steps, after each `every` of them; never of none."""

    def __init__(self, sim: Simulation, steps: int) -> None:
        self.there = steps > 0 and sim.method.impulses and len(sim.tables.colliders.link) > 1
        short = steps // LEAST
        self.every = max(1, min(short, round(1.0 / (RATE * sim.stepper.h))))
        self._pressing = Pressing(sim)
        self._looks: list[tuple[int, float, Any]] = []
        self._contacts = 0

    def left(self, sim: Simulation) -> int:
        """Steps until the next look."""
        return self.every - sim.steps % self.every if self.there else sys.maxsize

    def look(self, sim: Simulation) -> None:
        """Look, where it is time for it."""
        if not self.there or sim.steps % self.every or (self._looks and self._looks[-1][0] == sim.steps):
            return
        found = self._pressing.rows().astype("<f4")
        self._looks.append((sim.steps, sim.time, found))
        self._contacts += len(found)
        while len(self._looks) > MOST or (self._contacts > MOST_CONTACTS and len(self._looks) > 2):
            self.every *= 2
            self._looks = [each for each in self._looks if each[0] % self.every == 0]
            self._contacts = sum(len(each[2]) for each in self._looks)

    def facts(self) -> dict[str, Any]:
        """What the scene keeps of them; nothing where bodies cannot touch."""
        if not self.there or not self._looks:
            return {}
        _, times, found = zip(*self._looks, strict=True)
        text = base64.b64encode(np.concatenate(found).tobytes()).decode()
        return {"contacts": {"time": list(times), "count": [len(each) for each in found], "rows": text}}


def contacts_seen(scene: dict[str, Any]) -> SeenContacts | None:
    """The contacts that a scene keeps; None where it keeps none.

    >>> contacts_seen({}) is None
    True
    """
    kept = scene.get("contacts")
    if not kept:
        return None
    rows = np.frombuffer(base64.b64decode(kept["rows"]), "<f4").reshape(-1, WIDTH)
    return SeenContacts(np.asarray(kept["time"], dtype=float), np.asarray(kept["count"], dtype=int), rows)
