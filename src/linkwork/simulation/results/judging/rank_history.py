"""The rank of the loops during a run: when it changed, and which rows were redundant then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwork.assembly.system import System
from linkwork.formulations.samples import Samples
from linkwork.simulation.analysis.hints.check import row_words
from linkwork.simulation.starts.mobility import implied
from linkwork.simulation.starts.start import Closure

LARGE = 5e5  # numbers in the rows: more of them take longer than a moment
MOST = 24  # changes that are told one by one; the others are counted


class RankHistory:
    """What a method said of the rank of its loops, row by row; `entries` are the start and the changes.

    `named` are the methods whose rank is that of the rows of the tables, so that redundant ones can be named. Where a
    method asks for no rank (penalties need none) that of the geometry is told, at the start and at the end. Where parts
    live elsewhere their owners know the geometry: `moving_rows` gives the rows on what they let move, at the start.
    """

    def __init__(self, named: bool, moving_rows: Callable[[], Any]) -> None:
        self.named, self.moving_rows = named, moving_rows
        self.entries: list[dict[str, Any]] = []
        self.changes = 0
        self._last: int | None = None
        self._seen: set[int] = set()

    def add(self, system: System, samples: Samples, ranks: Any) -> None:
        """Take in further rows; `ranks` has one rank a row."""
        first = 0
        if self._last is None:
            if not self.named and len(ranks) == 1 and ranks[0] == 0:
                return  # impulses: before the first step nothing is held
            self._tell(system, samples, 0, int(ranks[0]))
            if system.foreign and (G := self.moving_rows()) is not None:
                self.entries[0]["redundant"] = row_names(system, implied(G, system.rows - int(ranks[0])))
            self._last, first = int(ranks[0]), 1
        changed = first + np.flatnonzero(np.diff(ranks[first:], prepend=self._last))
        self._last = int(ranks[-1])
        self._seen |= set(ranks.tolist())
        self.changes += len(changed)
        for k in changed[: max(0, MOST + 1 - len(self.entries))]:
            self._tell(system, samples, int(k), int(ranks[k]))

    def end(self, system: System, samples: Samples) -> None:
        """Take in the last state; methods that tell ranks have told it."""
        silent = self._last == 0 and self._nameable(system)
        if silent and np.isfinite(samples.y[0]).all() and samples.t[0, 0] > self.entries[-1]["time"]:
            before = self.entries[-1]["rank"]
            self._tell(system, samples, 0, 0)
            self.changes += self.entries[-1]["rank"] != before

    def bounds(self) -> tuple[int, int]:
        """Least and largest rank."""
        ranks = self._seen if any(self._seen) else {entry["rank"] for entry in self.entries}
        return min(ranks, default=0), max(ranks, default=0)

    def redundant(self) -> list[str]:
        """Names of the redundant rows at the start, as far as they are known."""
        return list(self.entries[0].get("redundant", [])) if self.entries else []

    def _nameable(self, system: System) -> bool:
        """Whether redundant rows can be found in a moment."""
        return self.named and not system.foreign and 0 < system.rows * system.nv < LARGE

    def _tell(self, system: System, samples: Samples, k: int, rank: int) -> None:
        entry: dict[str, Any] = {"time": float(samples.t[k, 0]), "rank": rank}
        if self.named and 0 < rank == system.rows:
            entry["redundant"] = []
        elif self._nameable(system) and rank <= system.rows:
            closure = Closure(system, entry["time"])
            closure.cut_q[:] = samples.cut_q[k]
            closure.at(samples.y[k, : system.nq].copy(), samples.y[k, system.nq : system.nq + system.nv].copy())
            found = implied(closure.G, system.rows - rank if rank else None)
            entry |= {"rank": system.rows - len(found), "redundant": row_names(system, found)}
        self.entries.append(entry)


def row_names(system: System, rows: list[int]) -> list[str]:
    """Rows of the loops in words, with their joints."""
    return [f"{system.row_name(r)}: {row_words(system, r)}" for r in rows]
