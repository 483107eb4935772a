"""Work done in another process, so that a crash or a hang of one piece is counted and the next goes on."""

from __future__ import annotations

import multiprocessing
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

PATIENCE = 10.0  # s without a sign of life from one piece, once the worker has warmed up
LONGEST = 600.0  # s for one piece in all; also for the first pieces, which may compile
MEMORY = 500 << 20  # bytes that one piece may take beyond what the worker had
ALIVE = "alive"

_pipe: Any = None


def alive(*_: Any) -> None:
    """A sign of life from a long piece of work, such as a run that reports how far it is."""
    if _pipe is not None:
        _pipe.send(ALIVE)


def memory(what: str, process: int | str = "self") -> int:
    """Bytes that a process has now ("VmRSS") or had at most ("VmHWM"); 0 where this system does not say."""
    with suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith(f"{what}:"):
                return int(line.split()[1]) << 10
    return 0


def _forget_peak() -> None:
    """VmHWM begins again at what the process has now."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _work(pipe: Any, piece_of_work: Callable[[Any], str]) -> None:
    global _pipe
    _pipe = pipe
    while True:
        piece = pipe.recv()
        _forget_peak()
        before = memory("VmRSS")
        try:
            outcome = piece_of_work(piece)
        except BaseException as error:
            outcome = f"raw exception: {type(error).__name__}: {str(error)[:100]}"
        if memory("VmHWM") - before > MEMORY:
            outcome = "memory"
        pipe.send(outcome)


class Worker:
    """One process that takes pieces of work; made anew after a crash or a hang."""

    def __init__(self, piece_of_work: Callable[[Any], str], patience: float = PATIENCE) -> None:
        self._work, self._process, self._pipe = piece_of_work, None, None
        self._patience = patience
        self._done = 0

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs, self._work), daemon=True)
        self._process.start()
        theirs.close()
        self._done = 0

    def do(self, piece: Any, warm: int = 20) -> str:
        """The outcome in a word or two: what the work returned, "crash", "hang" or "raw exception: …"."""
        if self._process is None:
            self._start()
        self._pipe.send(piece)
        patience, end = LONGEST if self._done < warm else self._patience, time.monotonic() + LONGEST
        outcome = ALIVE
        try:
            while outcome == ALIVE:
                left = min(patience, end - time.monotonic())
                outcome = self._pipe.recv() if left > 0.0 and self._pipe.poll(left) else "hang"
        except (EOFError, ConnectionResetError):
            outcome = "crash"
        self._done += 1
        if outcome in ("hang", "crash"):
            self.end()
        return str(outcome)

    def end(self) -> None:
        """No more work."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process = None


def counted(
    piece_of_work: Callable[[Any], str],
    pieces: Iterable[Any],
    warm: int = 20,
    at_once: int = 1,
    patience: float = PATIENCE,
) -> tuple[Counter[str], list[str]]:
    """How often each outcome came, and the pieces whose outcome was bad; by `at_once` workers."""

    def work(share: Sequence[Any]) -> list[str]:
        worker = Worker(piece_of_work, patience)
        try:
            return [worker.do(piece, warm) for piece in share]
        finally:
            worker.end()

    pieces = list(pieces)
    with ThreadPoolExecutor(at_once) as pool:
        shares = list(pool.map(work, [pieces[k::at_once] for k in range(at_once)]))
    found = [shares[k % at_once][k // at_once] for k in range(len(pieces))]
    outcomes = Counter(outcome.partition(":")[0] for outcome in found)
    bad = [f"{piece}: {outcome}" for piece, outcome in zip(pieces, found, strict=True)]
    return outcomes, [each for each, outcome in zip(bad, found, strict=True) if outcome.partition(":")[0] in BAD]


BAD = (
    "crash",
    "hang",
    "raw exception",
    "memory",
    "wrong numbers",
    "not finite",
    "wrong energy",
    "lost",
    "late",
    "left behind",
)
