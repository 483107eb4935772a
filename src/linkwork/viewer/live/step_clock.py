"""Steps in real time: which are due by the clock, and which came late."""

from __future__ import annotations

import math

TICK = 1e-3  # s: shorter steps are taken several at a time
FORGET = 0.1  # s: further behind than this, the clock starts again from now


class StepClock:
    """Steps of `dt` (s) at `speed` times real time, from the clock's `now` (s) on.

    A step is late when it ends more than one step, or one tick, after its time. Far behind, steps are `skipped`: the
    simulation is then slower than the clock, which its `factor` tells.

    >>> clock = StepClock(0.01, 1.0, now=5.0)
    >>> clock.due(5.025), clock.next
    (2, 5.01)
    >>> clock.done(2, 5.0251)  # the first was due at 5.01 and allowed until 5.02
    >>> clock.late, clock.due(5.0251)
    (1, 0)
    """

    def __init__(self, dt: float, speed: float, now: float) -> None:
        self.steps = self.late = 0  # taken since the beginning, and how many of them late
        self.skipped = 0  # that were due and are not made up for
        self.factor = speed  # simulated seconds in a second, smoothed
        self.begin(dt, speed, now)

    def begin(self, dt: float, speed: float, now: float) -> None:
        """Count from here: after a pause, or with another step or speed."""
        self.dt, self.speed, self.origin, self.count = dt, speed, now, 0
        self.period = dt / speed
        self._last, self._taken = now, 0

    @property
    def next(self) -> float:
        """When the next step is due, by the clock."""
        return self.origin + (self.count + 1) * self.period

    def due(self, now: float) -> int:
        """Steps whose time has come."""
        if now - self.next > FORGET:
            self.skipped += int((now - self.next) / self.period)
            self.origin, self.count = now - self.period, 0
        return max(0, int((now - self.origin) / self.period + 1e-9) - self.count)

    def done(self, steps: int, now: float) -> None:
        """So many steps were taken, the last ended now."""
        first, self.count = self.count + 1, self.count + steps
        self.steps += steps
        # step k was due at origin + k period
        in_time_from = math.ceil((now - max(self.period, TICK) - self.origin) / self.period)
        self.late += min(steps, max(0, in_time_from - first))
        self._taken += steps
        passed = now - self._last
        if passed > 0.25:
            self.factor = self._taken * self.dt / passed
            self._last, self._taken = now, 0

    def wake(self, now: float) -> float:
        """Until when to sleep before the next look."""
        return self.next if self.period >= TICK else max(self.next, now + TICK)
