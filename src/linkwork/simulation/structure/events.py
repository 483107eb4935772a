"""What happens between steps: which planned events are due, and the record of those that have happened."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from linkwork.assembly.laws.law_errors import describe_exception
from linkwork.errors import ModelError
from linkwork.model import Event
from linkwork.model.checked import shown
from linkwork.model.control.when import Occasion

SAME = 1e-9  # of a step: instants nearer than this are one


@dataclass(frozen=True)
class Change:
    """A joint that was attached or released during a run: `what` is "attached" or "released", `time` in s.

    `impulse` acts on b from a at the joint's point, in world axes: N s, then N m s; `energy` is what it cost, J. Of an
    attached joint, `position` (m) and `axis` are where it is in the frame of a, `frame_b` (m, quaternion w, x, y, z) is
    its frame in that of b.

    >>> sim = lw.Simulation(lw.gallery.pendulum.build())
    >>> sim.step(100)
    >>> caught = sim.attach("ground", "bob", "fixed", name="clamp")
    >>> caught.what, bool(caught.energy > 0.1), bool((sim.v == 0).all())
    ('attached', True, True)
    """

    time: float
    what: str
    joint: str
    kind: str
    a: str
    b: str
    impulse: tuple[float, ...]
    energy: float
    position: tuple[float, ...] = ()
    axis: tuple[float, ...] = ()
    frame_b: tuple[float, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The record as plain data."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, facts: dict[str, Any]) -> Change:
        """The way back from `as_dict`."""
        plain: dict[str, Any] = {k: tuple(value) if isinstance(value, list) else value for k, value in facts.items()}
        return cls(**plain)


class Schedule:
    """The planned events of a simulation that have not happened yet."""

    def __init__(self, events: Iterable[Event]) -> None:
        planned = list(events)
        self.timed = sorted((event for event in planned if event.time is not None), key=_time)
        self.watched = [event for event in planned if event.time is None]
        self.resting: list[Event] = []  # that happen again, once their conditions were false

    def copied(self) -> Schedule:
        """The same plan, for another simulation."""
        other = Schedule([*self.timed, *self.watched])
        other.resting = list(self.resting)
        return other

    def quiet(self, now: float, dt: float, steps: int, awake: Callable[[Event], bool]) -> int:
        """How many of the next steps are sure to end before anything happens."""
        if self.resting or any(awake(event) for event in self.watched):
            return 0
        if not self.timed:
            return steps
        return max(0, min(steps, math.ceil((_time(self.timed[0]) - now) / dt - SAME) - 1))

    def next_time(self, end: float, dt: float) -> float:
        """When the next event at a time happens; `end` where that is later, or as good as then."""
        if not self.timed or _time(self.timed[0]) > end - SAME * dt:
            return end
        return _time(self.timed[0])

    def take_timed(self, now: float, dt: float) -> list[Event]:
        """The events whose time has come; they are planned no longer."""
        due = [event for event in self.timed if _time(event) <= now + SAME * dt]
        self.timed = self.timed[len(due) :]
        return due

    def take(self, event: Event) -> None:
        """A condition that has come true is not looked at any more."""
        self.watched.remove(event)
        if isinstance(event, Occasion) and event.again:
            self.resting.append(event)

    def wake(self, over: Callable[[Event], bool]) -> None:
        """Conditions that are false again are looked at as before."""
        for event in list(self.resting):
            if over(event):
                self.resting.remove(event)
                self.watched.append(event)


def _time(event: Event) -> float:
    assert event.time is not None
    return event.time


def holds(event: Event, sim: Any) -> bool:
    """Whether the condition of an event is true now."""
    assert event.when is not None
    try:
        answer = event.when(sim)
    except Exception as error:
        why = describe_exception(error)
        raise ModelError(
            f"the condition of the {event.told} failed at t = {sim.time:.6g} s ({why}); correct its when="
        ) from error
    if not isinstance(answer, (bool, np.bool_)):
        raise ModelError(
            f"the condition of the {event.told} says {shown(answer)} at t = {sim.time:.6g} s; "
            "let its when= return True or False"
        )
    return bool(answer)


class Snapshot:
    """All numbers in nested tuples of arrays, to go back to."""

    def __init__(self, *held: Any) -> None:
        self.kept: list[tuple[Any, Any]] = []
        self._keep(held)

    def _keep(self, held: Any) -> None:
        if isinstance(held, np.ndarray):
            self.kept.append((held, held.copy()))
        elif isinstance(held, tuple):
            for item in held:
                self._keep(item)

    def restore(self) -> None:
        """Put the numbers back."""
        for array, values in self.kept:
            array[...] = values
