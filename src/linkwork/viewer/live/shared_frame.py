"""The board: numbers that the stepping side writes into memory which the page reads as well (a file that both map).

In this order, all float64: the head; 7 for everything that moves (position, quaternion w first); the force (N) in every
joint; contacts (point m, force N); the numbers that are plotted. The first number is odd while somebody writes.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import tempfile
import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

HEAD = 12
SEQUENCE, TIME, ENERGY, BALANCE, DRIFT, FACTOR, RUNNING, LATE, STEPS, ITERATIONS, MEETING, WATCHED = range(HEAD)
CONTACTS = 256  # that are shown at most
PLOTTED = 24  # numbers in live plots at most
SPARE = 16  # joints that may be attached later
SHARED = "/dev/shm"  # never reaches a disk, where there is such a place
PATIENCE = 0.05  # s that a reader waits for a writer; the next frame is never far


class Picture(NamedTuple):
    """One state of the board."""

    head: Floats  # (HEAD,)
    poses: Floats  # (thing, 7)
    forces: Floats  # (joint, 3) N, world
    contacts: Floats  # (CONTACTS, 6) m, N, world; the first head[MEETING] hold
    plotted: Floats  # (PLOTTED,)


class Board:
    """Room for `things` that move, `joints` and some more; made by one side, opened by name by the other.

    >>> board = Board(2, 1)
    >>> board.write({TIME: 0.5}, np.ones((2, 7)))
    >>> other = Board(2, 1, board.name)
    >>> float(other.read().head[TIME]), other.read().poses.shape
    (0.5, (2, 7))
    >>> other.close(), board.close()
    (None, None)
    """

    def __init__(self, things: int, joints: int, name: str | None = None) -> None:
        self.things, self.joints = things, joints + SPARE
        size = HEAD + 7 * things + 3 * self.joints + 6 * CONTACTS + PLOTTED
        self.ours = name is None
        if name is None:
            file, name = tempfile.mkstemp(prefix="linkwork-", dir=SHARED if os.path.isdir(SHARED) else None)
            os.ftruncate(file, 8 * size)  # of zeros
        else:
            file = os.open(name, os.O_RDWR | getattr(os, "O_BINARY", 0))
        self.memory = mmap.mmap(file, 8 * size)
        os.close(file)
        self.numbers: Any = np.ndarray(size, dtype=np.float64, buffer=self.memory)
        self.name = name

    def _parts(self, numbers: Floats) -> Picture:
        ends = np.cumsum([HEAD, 7 * self.things, 3 * self.joints, 6 * CONTACTS])
        head, poses, forces, contacts, plotted = np.split(numbers, ends)
        return Picture(head, poses.reshape(-1, 7), forces.reshape(-1, 3), contacts.reshape(-1, 6), plotted)

    def write(
        self, head: dict[int, float], poses: Any, forces: Any = None, contacts: Any = None, plotted: Any = None
    ) -> None:
        """Show a new state; what is not given stays as it was."""
        parts = self._parts(self.numbers)
        self.numbers[SEQUENCE] += 1.0
        parts.poses[:] = poses
        if plotted is not None:
            parts.head[WATCHED] = len(plotted)
        for part, values in ((parts.forces, forces), (parts.contacts, contacts), (parts.plotted, plotted)):
            if values is not None:
                part[: len(values)] = values
        for place, value in head.items():
            parts.head[place] = value
        self.numbers[SEQUENCE] += 1.0

    @property
    def sequence(self) -> float:
        """Changes with every state."""
        return float(self.numbers[SEQUENCE])

    def read(self) -> Picture:
        """The last whole state."""
        last = time.monotonic() + PATIENCE
        while True:
            before = self.sequence
            copy = self.numbers.copy()
            if (before % 2.0 == 0.0 and self.sequence == before) or time.monotonic() > last:
                return self._parts(copy)

    def close(self) -> None:
        """Give the memory back; the side that made it removes it."""
        self.numbers = None
        with contextlib.suppress(BufferError):  # somebody still looks at it
            self.memory.close()
        if self.ours:
            self.remove()

    def remove(self) -> None:
        """Remove the file, if it is still there; who has it mapped keeps the memory."""
        with contextlib.suppress(OSError):
            os.unlink(self.name)
