"""Conditions that are true within a step alone: looked for where what they compare may turn back between two instants.

A condition on columns has a margin: how far the larger side is beyond the other, above 0 where it is true. A parabola
through the margins at the ends of the last two steps tells whether it may turn near 0; the step is then taken again in
parts. What bends several times within a step is not seen, nor a function that says True for less than a step. Of what
happens again and again the same is done for conditions that are false within a step alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from linkwork.model import Event
from linkwork.model.control.when import When

GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)
TRIES = 30  # parts of a step that are looked at


class Excursions:
    """The margins of conditions at the ends of the last two steps."""

    def __init__(self) -> None:
        self.past: dict[Event, list[tuple[float, float]]] = {}

    def begin(self, events: Iterable[Event], sim: Any, now: float) -> None:
        """Conditions of which nothing is known yet; what fails is told when it is asked whether they hold."""
        for event in events:
            if isinstance(event.when, When) and event not in self.past:
                try:
                    self.past[event] = [(now, event.when.margin(sim))]
                except Exception:
                    self.past[event] = []

    def turning(self, events: Iterable[Event], sim: Any, now: float, side: float = 1.0) -> list[Event]:
        """Those that may have been true since the last instant, and are false now; with `side` -1 the reverse."""
        found = []
        for event in events:
            if isinstance(event.when, When):
                points = self.past[event]
                points.append((now, event.when.margin(sim)))
                if len(points) < 3 or _turns(*((t, side * margin) for t, margin in points)):
                    found.append(event)
                del points[:-2]
        return found

    def forget(self, events: Iterable[Event]) -> None:
        """Something has happened: margins do not go on smoothly."""
        for event in events:
            self.past.pop(event, None)


def _turns(first: tuple[float, float], middle: tuple[float, float], last: tuple[float, float]) -> bool:
    """Whether a parabola through three points is highest between the last two, or near them, and not far below 0."""
    (t0, d0), (t1, d1), (t2, d2) = first, middle, last
    before, after = (d1 - d0) / (t1 - t0), (d2 - d1) / (t2 - t1)
    bend, h = (after - before) / (t2 - t0), t2 - t1
    if not -math.inf < bend < 0.0:
        return False
    slope = before + bend * (t1 - t0)
    top = -0.5 * slope / bend
    return -h < top < 2.0 * h and d1 - 0.25 * slope * slope / bend > bend * h * h


def risen(margin: Callable[[float], float], low: float, high: float, within: float) -> float | None:
    """A place between two at which a margin is above 0, by golden section; None where it stays below."""
    x, y = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_x = margin(x)
    if at_x > 0.0:
        return x
    at_y = margin(y)
    for _ in range(TRIES):
        if at_y > 0.0:
            return y
        if not high - low > within or not math.isfinite(at_x + at_y):
            return None
        if at_x < at_y:
            low, x, at_x = x, y, at_y
            y = low + GOLDEN * (high - low)
            at_y = margin(y)
        else:
            high, y, at_y = y, x, at_x
            x = high - GOLDEN * (high - low)
            at_x = margin(x)
            if at_x > 0.0:
                return x
    return None
