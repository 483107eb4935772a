"""The thread that steps in real time comes before others, where the system lets it and where there is time to spare.

A browser that draws without a graphics card takes all processors for itself: steps then wait for their turn, and come
late. On Linux root, and who is granted it (RLIMIT_RTPRIO), may ask for real-time priority. A run that takes most of a
processor goes without it, so that nothing else can starve; so do changes that are asked for on the page. What carries
messages from the page to the run comes second, so that a key that is let go is let go at once.
"""

from __future__ import annotations

import gc
import os
import time

FEW, MANY = 0.4, 0.6  # of a processor: below the one it may come first, above the other no more
WINDOW = 0.25  # s over which that is measured
STEPS, MESSAGES = 2, 1  # priorities of 1 to 99: the least that there are


def set_priority(priority: int) -> bool:
    """Let the present thread come before all ordinary ones, or (0) be one of them; False where that is not allowed."""
    if not hasattr(os, "sched_setscheduler"):
        return False
    policy = os.SCHED_RR | os.SCHED_RESET_ON_FORK if priority else os.SCHED_OTHER
    try:
        os.sched_setscheduler(0, policy, os.sched_param(priority))
    except OSError:
        return False
    return True


class OnTime:
    """Keeps the priority of the present thread; in a `with`, after which it is an ordinary one again."""

    def __init__(self, priority: int = STEPS) -> None:
        self.priority = priority
        self.can = hasattr(os, "sched_setscheduler")
        self.first = False  # whether it comes before others now
        self.busy = 0.0  # of a processor, lately
        self._begin()

    def _begin(self) -> None:
        self._wall, self._used = time.perf_counter(), time.thread_time()

    def look(self, now: float) -> None:
        """Called often: takes the priority, or gives it back, by how busy the thread is."""
        if not self.can or now - self._wall < WINDOW:
            return
        self.busy = (time.thread_time() - self._used) / (now - self._wall)
        self._begin()
        if self.first != (self.busy < (MANY if self.first else FEW)):
            self._ask(not self.first)

    def calm(self) -> None:
        """Something is to be done that may take long."""
        if self.first:
            self._ask(False)
        self._begin()

    def _ask(self, first: bool) -> None:
        self.can = set_priority(self.priority if first else 0)
        self.first = first and self.can

    def __enter__(self) -> OnTime:
        gc.collect()
        gc.freeze()  # what is there stays: later collections need not look at it, and are short
        if self.can:
            self._ask(True)
        return self

    def __exit__(self, *_: object) -> None:
        gc.unfreeze()
        self.calm()
