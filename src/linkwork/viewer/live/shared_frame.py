"""The frame that the page draws next: numbers that the stepping side writes and the page reads (a mapped file).

In this order, all float64: the head; 7 for everything that moves (position, quaternion w first); force (N) and torque
(N m) in every joint; contacts (point m, force N, 1 on a ground); what is dragged (number of the thing, point m, goal m,
force N); the numbers that are plotted. The first number is odd during a write. `packed` is the same for a browser, in
float32 but for the head.
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

HEAD = 16
SEQUENCE, TIME, ENERGY, BALANCE, DRIFT, FACTOR = range(6)
RUNNING, LATE, STEPS, ITERATIONS, CONTACT_COUNT, PLOTTED_COUNT = range(6, 12)
DRAG_COUNT, WATCHED, LIGHT, KINEMATIC = range(12, HEAD)  # WATCHED: the number of the list that the plotted go by
LOAD, CONTACT = 6, 7  # numbers of a joint and of a contact
MOST_CONTACTS = 256  # that are shown at most
MOST_DRAGS = 8
COUNTS = 32  # bytes before the head of a packed frame
MOST_PLOTTED = 96  # numbers in live plots at most
SPARE_JOINTS = 16  # joints that may be attached later
SHARED = "/dev/shm"  # never reaches a disk, where there is such a place
PATIENCE = 0.05  # s that a reader waits for a writer; the next frame is never far


class FrameData(NamedTuple):
    """One state of the shared frame."""

    head: Floats  # (HEAD,)
    poses: Floats  # (thing, 7)
    forces: Floats  # (joint, LOAD) N and N m, world
    contacts: Floats  # (MOST_CONTACTS, CONTACT) m, N, world; the first head[CONTACT_COUNT] hold
    drags: Floats  # (MOST_DRAGS, 10); the first head[DRAG_COUNT] hold
    plotted: Floats  # (MOST_PLOTTED,)


class SharedFrame:
    """Memory for `things` that move, `joints` and some more; one side creates it, the other opens it by `name`.

    >>> frame = SharedFrame(2, 1)
    >>> frame.write({TIME: 0.5}, np.ones((2, 7)))
    >>> other = SharedFrame(2, 1, frame.name)
    >>> float(other.read().head[TIME]), other.read().poses.shape
    (0.5, (2, 7))
    >>> other.close(), frame.close()
    (None, None)
    """

    def __init__(self, things: int, joints: int, name: str | None = None) -> None:
        self.things, self.joints = things, joints + SPARE_JOINTS
        size = HEAD + 7 * things + LOAD * self.joints + CONTACT * MOST_CONTACTS + 10 * MOST_DRAGS + MOST_PLOTTED
        self.ours = name is None
        if name is None:
            file, name = tempfile.mkstemp(prefix="linkwork-", dir=SHARED if os.path.isdir(SHARED) else None)
            os.ftruncate(file, 8 * size)  # of zeros
        else:
            file = os.open(name, os.O_RDWR | getattr(os, "O_BINARY", 0))
        self.memory = mmap.mmap(file, 8 * size)
        os.close(file)
        self.numbers: Any = np.ndarray(size, dtype=np.float64, buffer=self.memory)
        self.parts: Any = self._parts(self.numbers)
        self.name = name

    def _parts(self, numbers: Floats) -> FrameData:
        ends = np.cumsum([HEAD, 7 * self.things, LOAD * self.joints, CONTACT * MOST_CONTACTS, 10 * MOST_DRAGS])
        head, poses, forces, contacts, drags, plotted = np.split(numbers, ends)
        first, second = (poses.reshape(-1, 7), forces.reshape(-1, LOAD)), contacts.reshape(-1, CONTACT)
        return FrameData(head, *first, second, drags.reshape(-1, 10), plotted)

    def write(
        self,
        head: dict[int, float],
        poses: Any,
        forces: Any = None,
        contacts: Any = None,
        plotted: Any = None,
        drags: Any = None,
    ) -> None:
        """Show a new state; what is not given stays as it was."""
        parts = self.parts
        self.numbers[SEQUENCE] += 1.0
        parts.poses[:] = poses
        if plotted is not None:
            parts.head[PLOTTED_COUNT] = len(plotted)
        if drags is not None:
            parts.head[DRAG_COUNT] = len(drags)
        given = (parts.forces, forces), (parts.contacts, contacts), (parts.plotted, plotted), (parts.drags, drags)
        for part, values in given:
            if values is not None and len(values):
                part[: len(values)] = values
        for place, value in head.items():
            parts.head[place] = value
        self.numbers[SEQUENCE] += 1.0

    @property
    def sequence(self) -> float:
        """Changes with every state."""
        return float(self.numbers[SEQUENCE])

    def read(self) -> FrameData:
        """The last whole state."""
        last = time.monotonic() + PATIENCE
        while True:
            before = self.sequence
            copy = self.numbers.copy()
            if (before % 2.0 == 0.0 and self.sequence == before) or time.monotonic() > last:
                return self._parts(copy)

    def close(self) -> None:
        """Release the memory; the side that created it removes the file."""
        self.numbers = self.parts = None
        with contextlib.suppress(BufferError):  # an array still uses it
            self.memory.close()
        if self.ours:
            self.remove()

    def remove(self) -> None:
        """Remove the file, if it is still there; where it is mapped the memory stays."""
        with contextlib.suppress(OSError):
            os.unlink(self.name)


def packed(frame: FrameData) -> bytes:
    """A frame for a browser: five counts and three zeros (uint32), the head (float64), the rest as float32.

    >>> frame = SharedFrame(2, 1)
    >>> len(packed(frame.read())) == 8 * 4 + 8 * HEAD + 4 * (7 * 2 + LOAD * (1 + SPARE_JOINTS))
    True
    >>> frame.close()
    """
    contacts, plotted, drags = (int(frame.head[place]) for place in (CONTACT_COUNT, PLOTTED_COUNT, DRAG_COUNT))
    parts = (frame.poses, frame.forces, frame.contacts[:contacts], frame.drags[:drags], frame.plotted[:plotted])
    counts = np.array([*(len(part) for part in parts), 0, 0, 0], dtype="<u4")
    numbers = [np.ascontiguousarray(part, dtype="<f4").tobytes() for part in parts]
    return b"".join([counts.tobytes(), frame.head.astype("<f8").tobytes(), *numbers])
