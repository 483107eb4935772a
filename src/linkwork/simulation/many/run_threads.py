"""Threads that run simulations which are set up: the compiled loop holds no lock of Python, so they run at once."""

from __future__ import annotations

import threading
from queue import SimpleQueue
from typing import Any

from linkwork.errors import RunError
from linkwork.simulation.recording import Recording
from linkwork.simulation.results.judging.bounds import refuse_poor


class NotBegun(RunError):
    """A run that had no turn before all were stopped."""


class ThreadedRun:
    """A run that is set up, and how far it is."""

    recording: Recording

    def __init__(self, index: int, until: float, bounds: dict[str, float], stop: threading.Event) -> None:
        self.index, self.until, self.bounds, self.stop = index, until, bounds, stop
        self.part = 0.0
        """How much of it is done, from 0 to 1."""

    def note(self, time: float) -> None:
        """Note the time reached; ends the run, as Ctrl-C does, where all are to stop."""
        self.part = time / self.until
        if self.stop.is_set():
            raise KeyboardInterrupt

    def result(self) -> Any:
        """The trajectory, or what was raised instead."""
        if self.stop.is_set():
            return NotBegun("it was not begun")
        try:
            run = self.recording.run()
            assert run is not None
            refuse_poor(run.certificate, self.bounds, run.model_name, run)
            return run
        except BaseException as error:  # a thread that ends with it would be waited for
            return error if isinstance(error, Exception) else RunError(f"it was ended by {type(error).__name__}")


class RunThreads:
    """Threads that take runs from `todo` and put (index, result) into `done`; they end soon once `stop` is set."""

    def __init__(self, count: int) -> None:
        self.todo: SimpleQueue[ThreadedRun | None] = SimpleQueue()
        self.done: SimpleQueue[tuple[int, Any]] = SimpleQueue()
        self.stop = threading.Event()
        # who presses Ctrl-C twice does not wait for them
        self.threads = [threading.Thread(target=self._work, name=f"run {k}", daemon=True) for k in range(count)]

    def __enter__(self) -> RunThreads:
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        if error[0] is not None:
            self.stop.set()
        for _ in self.threads:
            self.todo.put(None)
        for thread in self.threads if error[0] is None else ():
            thread.join()

    def _work(self) -> None:
        while (run := self.todo.get()) is not None:
            self.done.put((run.index, run.result()))
