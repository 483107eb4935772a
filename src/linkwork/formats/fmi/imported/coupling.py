"""Values that are held between instants: what is assumed of them, and how far that was off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


class HeldValues:
    """Values at instants. Between two they are constant, or at the middle of the line through the last two instants.

    That constant differs from the line by nothing on average, so that the error falls with the square of the interval.
    """

    def __init__(self, names: Sequence[str], linear: Sequence[bool]) -> None:
        size = len(names)
        self.names, self.linear = list(names), np.array(linear, dtype=bool)
        self.count = 0
        self.now, self.before = np.zeros(size), np.zeros(size)
        self.least, self.most = np.full(size, np.inf), np.full(size, -np.inf)
        self.worst, self.sum = np.zeros(size), np.zeros(size)

    def take(self, values: Any) -> None:
        """The values of the next instant; how far what was assumed of them is off, is noted."""
        found = np.array(values, dtype=float)  # a copy: readers fill one array again and again
        if self.count:
            assumed = self.now + np.where(self.linear & (self.count > 1), self.now - self.before, 0.0)
            jump = np.abs(found - assumed)
            self.worst, self.sum = np.maximum(self.worst, jump), self.sum + jump
        self.before, self.now = self.now, found
        self.least, self.most = np.minimum(self.least, found), np.maximum(self.most, found)
        self.count += 1

    def held(self) -> Any:
        """What stands for them until the next instant."""
        if self.count < 2:
            return self.now
        return np.where(self.linear, 1.5 * self.now - 0.5 * self.before, self.now)

    def jumps(self) -> dict[str, tuple[float, float]]:
        """By name: the largest and the mean jump as parts of the range."""
        found = {}
        for k, name in enumerate(self.names):
            extent = self.most[k] - self.least[k]
            if self.count > 1 and extent > 0.0:
                found[name] = (float(self.worst[k] / extent), float(self.sum[k] / (self.count - 1) / extent))
        return found

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain numbers."""
        names = ("now", "before", "least", "most", "worst", "sum")
        return {"count": self.count, **{name: getattr(self, name).tolist() for name in names}}

    def put_back(self, facts: dict[str, Any]) -> None:
        """What `as_dict` gave; ValueError for that of others."""
        for name in ("now", "before", "least", "most", "worst", "sum"):
            values = np.array(facts[name], dtype=float)
            if values.shape != self.now.shape:
                raise ValueError(f"{name} does not fit")
            setattr(self, name, values)
        self.count = int(facts["count"])
