"""What visitors who come later get to see: some frames of the last sixty seconds, as they were sent."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator

import numpy as np

from linkwork.viewer.live.shared_frame import COUNTS, TIME

EVERY = 0.1  # s of the clock between two frames that are kept
MOST = 600  # frames: sixty seconds
BYTES = 16_000_000  # of all frames; then every other one goes


class PastFrames:
    """Packed frames, oldest first; the newest is always the last.

    >>> def frame(t):
    ...     head = np.zeros(16)
    ...     head[TIME] = t
    ...     return bytes(COUNTS) + head.tobytes()
    >>> past = PastFrames()
    >>> for k in range(9):
    ...     past.add(frame(0.03 * k), now=0.03 * k)
    >>> [round(time_of(each), 2) for each in past]
    [0.0, 0.12, 0.24]
    >>> past.add(frame(0.1), now=0.3)  # the run went on from there: what came after it is no more
    >>> [round(time_of(each), 2) for each in past]
    [0.0, 0.1]
    """

    def __init__(self) -> None:
        self.frames: deque[tuple[float, bytes]] = deque()
        self.newest: tuple[float, bytes] | None = None
        self.every, self._kept = EVERY, -math.inf
        self.size = 0

    def __iter__(self) -> Iterator[bytes]:
        yield from (frame for _, frame in self.frames)
        if self.newest is not None and (not self.frames or self.newest[0] > self.frames[-1][0]):
            yield self.newest[1]

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def add(self, frame: bytes, now: float) -> None:
        """A frame that is shown now, s by the clock."""
        time = time_of(frame)
        while self.frames and self.frames[-1][0] >= time:
            self.size -= len(self.frames.pop()[1])
        self.newest = (time, frame)
        if not self.frames or now - self._kept >= self.every:
            self.frames.append(self.newest)
            self._kept = now
            self.size += len(frame)
        while len(self.frames) > MOST:
            self.size -= len(self.frames.popleft()[1])
        if self.size > BYTES and len(self.frames) > 2:
            self.every *= 2.0
            self.frames = deque(list(self.frames)[::2])
            self.size = sum(len(each) for _, each in self.frames)


def time_of(frame: bytes) -> float:
    """The simulated time of a packed frame, s."""
    return float(np.frombuffer(frame, "<f8", 1, COUNTS + 8 * TIME)[0])
