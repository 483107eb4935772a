"""Power cuts while a long run is written: of what was not synced, any pages may be on the disk and any may be missing.

A run is streamed once, and its file is copied whenever it was synced and whenever it was written to. A cut takes the
synced copy and puts random pages of a later one over it.
"""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from pathlib import Path

import linkwork as lw
from linkwork.simulation.storage import stream

PAGE = 4096  # bytes that a disk writes or does not write
END, DT = 4.0, 1e-3
MOMENTS = 40  # copies of the file that are kept, drawn from all


class _Recorded(stream.Stream):
    """A stream whose moments are kept: what is on the disk for sure, and what was written."""

    moments: list[tuple[bytes, bytes, bool]]

    def open(self, *facts: object) -> None:
        super().open(*facts)
        self.noted, self.chance = 0, random.Random(0)
        self.moments, self.synced, self.kept = [], self.path.read_bytes(), False

    def _sync(self) -> None:
        self._file.flush()
        self._note()
        super()._sync()
        if hasattr(self, "synced"):
            self.synced = self.path.read_bytes()

    def _note(self) -> None:
        if not hasattr(self, "synced"):
            return
        self.noted += 1
        place = len(self.moments) if len(self.moments) < MOMENTS else self.chance.randrange(self.noted)
        if place < MOMENTS:
            self.moments[place : place + 1] = [(self.synced, self.path.read_bytes(), self.kept)]

    def _checkpoint(self, *facts: object) -> None:
        super()._checkpoint(*facts)
        self.kept = True

    def add(self, *facts: object) -> None:
        super().add(*facts)
        self._note()


def _recorded(file: Path) -> list[tuple[bytes, bytes, bool]]:
    """Stream a run; all its moments."""
    made: list[_Recorded] = []

    def noted(file: Path) -> _Recorded:
        made.append(_Recorded(file))
        return made[-1]

    plain, seconds = stream.Stream, stream.STATE_SECONDS
    stream.Stream, stream.STATE_SECONDS = noted, 0.02
    try:
        lw.stream(lw.gallery.pendulum.build(), file, until=END, method="recursive", dt=DT)
    finally:
        stream.Stream, stream.STATE_SECONDS = plain, seconds
    return made[0].moments


def _cut(chance: random.Random, synced: bytes, written: bytes) -> bytes:
    """A file of which some of the pages that were not synced are missing."""
    found = bytearray(synced.ljust(len(written), b"\0"))
    share = chance.choice((0.1, 0.5, 0.9))
    for place in range(0, len(written), PAGE):
        if chance.random() < share:
            found[place : place + PAGE] = written[place : place + PAGE]
    return bytes(found)


def _outcome(file: Path, whole: lw.Trajectory, kept: bool) -> str:
    model = lw.gallery.pendulum.build()
    try:
        sim = lw.Simulation(model, resume=file)
        if abs(sim.q[0] - whole["pin.position"][sim.steps]) > 0.0:
            return "wrong numbers"
    except lw.OptionError:
        if kept:
            return "lost"
    try:
        run = lw.load_run(file)
    except lw.OptionError:
        return "state kept, rows refused" if kept else "refused, cut before the first checkpoint"
    same = all(run[name].tobytes() == whole[name][: len(run)].tobytes() for name in run.names)
    return "rows and state kept" if same else "wrong numbers"


def main(count: int) -> tuple[Counter[str], list[str]]:
    """`count` power cuts of one run."""
    outcomes, bad = Counter[str](), []
    with tempfile.TemporaryDirectory() as folder:
        moments = _recorded(Path(folder) / "run.h5")
        whole, file = lw.load_run(Path(folder) / "run.h5"), Path(folder) / "cut.h5"
        for k in range(count):
            chance = random.Random(k)
            synced, written, kept = chance.choice(moments)
            file.write_bytes(_cut(chance, synced, written))
            outcome = _outcome(file, whole, kept)
            outcomes[outcome] += 1
            if outcome in ("lost", "wrong numbers"):
                bad.append(f"cut {k}: {outcome}")
    return outcomes, bad
