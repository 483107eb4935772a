"""Steps in real time: which are due by the clock, and which came late."""

from __future__ import annotations

import math

TICK = 1e-3  # s: shorter steps are taken several at a time
LEAD = 1 / 60, 1 / 20  # s: a live run is ahead by one picture, which nobody can see; by three where steps come late
MORE, CALM = 1.5, 30.0  # times the lead after a late step; s in which it goes back
FORGET = 0.1  # s: further behind than this, the clock starts again from now


class StepClock:
    """Steps of `dt` (s) at `speed` times real time, from the clock's `now` (s) on.

    A step is late when it ends more than one step, or one tick, after its time. Steps are taken up to `lead` (s) before
    their time, so that few are late on a machine that has other things to do; an input then acts by so much later. The
    lead grows to `most` (s) while steps come late. Far behind, steps are `skipped`: the simulation is then slower than
    the clock, which its `factor` tells.

    >>> clock = StepClock(0.01, 1.0, now=5.0)
    >>> clock.due(5.025), clock.next
    (2, 5.01)
    >>> clock.done(2, 5.0251)  # the first was due at 5.01 and allowed until 5.02
    >>> clock.late, clock.due(5.0251)
    (1, 0)
    """

    def __init__(self, dt: float, speed: float, now: float, lead: float = 0.0, most: float = 0.0) -> None:
        self.least, self.lead, self.most = lead, lead, max(lead, most)
        self.steps = self.late = 0  # taken since the beginning, and how many of them late
        self.skipped = 0  # that were due and are not made up for
        self.factor = speed  # simulated seconds in a second, smoothed
        self.begin(dt, speed, now)

    def begin(self, dt: float, speed: float, now: float) -> None:
        """Count from here: after a pause, or with another step or speed."""
        self.dt, self.speed, self.origin, self.count = dt, speed, now, 0
        self.period = dt / speed
        self._last, self._taken, self._done = now, 0, now

    @property
    def next(self) -> float:
        """When the next step is due, by the clock."""
        return self.origin + (self.count + 1) * self.period

    def due(self, now: float) -> int:
        """Steps whose time has come, or comes within the lead."""
        if now - self.next > FORGET:
            self.skipped += int((now - self.next) / self.period)
            self.origin, self.count = now - self.period, 0
        return max(0, int((now + self.lead - self.origin) / self.period + 1e-9) - self.count)

    def done(self, steps: int, now: float) -> None:
        """So many steps were taken, the last ended now."""
        first, self.count = self.count + 1, self.count + steps
        self.steps += steps
        # step k was due at origin + k period
        in_time_from = math.ceil((now - max(self.period, TICK) - self.origin) / self.period)
        late = min(steps, max(0, in_time_from - first))
        self.late += late
        self._adapt(late > 0, now)
        self._taken += steps
        passed = now - self._last
        if passed > 0.25:
            self.factor = self._taken * self.dt / passed
            self._last, self._taken = now, 0

    def _adapt(self, late: bool, now: float) -> None:
        """More lead after a late step, less and less of it afterwards."""
        if late:
            self.lead = min(self.most, MORE * self.lead)
        else:
            self.lead += (self.least - self.lead) * min(1.0, max(0.0, now - self._done) / CALM)
        self._done = now

    def wake(self, now: float) -> float:
        """Until when to sleep before the next look."""
        # with half of the lead still in hand, so that there is time to be late
        ahead = self.lead if self.period >= self.lead else self.lead / 2
        return self.next - ahead if self.period >= TICK else max(self.next - ahead, now + TICK)
