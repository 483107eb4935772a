"""The rank of the loops during a run: when it changed, and which rows were redundant then."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.assembly.system import System
from linkwork.formulations.record import Rows
from linkwork.simulation.check import implied, row_words
from linkwork.simulation.start import Closure

MOST = 24  # changes that are told one by one; the others are counted


class RankHistory:
    """What a method said of the rank of its loops, row by row; `entries` are the start and the changes.

    `named` are the methods whose rank is that of the rows of the tables, so that redundant ones can be named.
    """

    def __init__(self, named: bool) -> None:
        self.named = named
        self.entries: list[dict[str, Any]] = []
        self.changes = 0
        self._last: int | None = None

    def add(self, system: System, rows: Rows, ranks: Any) -> None:
        """Take in further rows; `ranks` has one rank a row."""
        before = ranks[0] if self._last is None else self._last
        changed = np.flatnonzero(np.diff(ranks, prepend=before))
        if self._last is None:
            self._tell(system, rows, 0, int(ranks[0]))
        self._last = int(ranks[-1])
        self.changes += len(changed)
        for k in changed[: max(0, MOST + 1 - len(self.entries))]:
            self._tell(system, rows, int(k), int(ranks[k]))

    def _tell(self, system: System, rows: Rows, k: int, rank: int) -> None:
        entry: dict[str, Any] = {"time": float(rows.t[k, 0]), "rank": rank}
        if self.named and not system.foreign and 0 < rank <= system.rows:
            closure = Closure(system, entry["time"])
            closure.cut_q[:] = rows.cut_q[k]
            closure.at(rows.y[k, : system.nq].copy(), rows.y[k, system.nq : system.nq + system.nv].copy())
            entry["redundant"] = row_names(system, implied(closure.G, system.rows - rank))
        self.entries.append(entry)


def row_names(system: System, rows: list[int]) -> list[str]:
    """Rows of the loops in words, with their joints."""
    return [f"{system.row_name(r)}: {row_words(system, r)}" for r in rows]
