"""Model-exchange FMUs: their states integrated by fixed Runge-Kutta steps between two instants, with events.

A state event is located by halving the step within which an event indicator changes its sign. Where such events follow
each other without end, as where a law of friction slides along the place at which its sign changes, they are no longer
located: one is taken at the end of a part of a substep. So there is a bound to them.
"""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.formats.fmi.imported.fmu_calls import FMUCalls, FMUFailure, VariableGroup

EVENTS = 1000  # within a substep: more are a standstill
UPDATES = 1000  # of discrete states at one event
HALVINGS = 40  # until an event is located
MOST = 1_000_000  # states, and event indicators
SAME = 1e-12  # of a substep: what is as good as its end
SOON = 1e-9  # of a substep: an event so near an instant is one at that instant
LATER = 1e-12  # of a substep: by how much later an FMU is asked again that still plans what is due; then twice as much
NOTHING = 1e-10  # of the largest value of an event indicator so far: below it has no sign of its own
DENSE, IN_ROW = 1e-3, 20  # of a substep: events that follow sooner, and how many of them are too many
PARTS = 20  # of a substep, at whose ends such events are taken, until there is none in a whole substep


class ExchangeSteps:
    """Integrates an FMU that gives rates of its states; `next_event` is the time of its next time event (s)."""

    def __init__(self, calls: FMUCalls, substeps: int) -> None:
        self.calls, self.substeps = calls, substeps
        given = calls.description
        self.states, self.indicators = given.states, given.indicators
        if given.version == 3:
            self.states = calls.call("getNumberOfContinuousStates")
            self.indicators = calls.call("getNumberOfEventIndicators")
        if max(self.states, self.indicators) > MOST:
            raise FMUFailure("it has too many states or event indicators")
        self.rates_name = "getDerivatives" if given.version == 2 else "getContinuousStateDerivatives"
        self.update_name = "newDiscreteStates" if given.version == 2 else "updateDiscreteStates"
        self.next_event = math.inf
        self.x, self.rates, self.z = (FixedNumbers(size) for size in (self.states, self.states, self.indicators))
        self.memory = EventMemory(np.zeros(self.indicators), np.zeros(self.indicators))

    def begin(self) -> None:
        """After the initialisation: settle the discrete states."""
        self._update()
        self._look(anew=True)

    def take(self, inputs: VariableGroup, values: Any) -> None:
        """Take inputs, which may jump, at an instant."""
        self.calls.call("enterEventMode")
        inputs.set(self.calls, values)
        self._update()
        self._look(anew=True)

    def step(self, time: float, seconds: float) -> None:
        """Integrate from `time` on."""
        end, h, now = time + seconds, seconds / self.substeps, time
        memory, begun, events, later = self.memory, now, 0, 0.0
        while True:
            planned = self.next_event + later
            near = abs(planned - end) <= SOON * h
            if planned > now >= end - SAME * h and not near:
                return
            stop = planned if near else end
            part = h if memory.in_row < IN_ROW else h / PARTS
            to = min(now + part, stop, max(planned, now))
            to = stop if to > stop - SAME * h else to
            asked = event = False
            if to > now:
                now, event = self._substep(now, to, part == h)
                asked = self.calls.description.completes and self._completed()
            if now >= begun + h:
                begun, events = now, 0
            if now - memory.last > h:
                memory.in_row = 0
            if not (event or asked or planned <= now):
                continue
            events += 1
            if events > EVENTS:
                raise FMUFailure(f"it has more than {EVENTS} events between t = {begun:.6g} s and {begun + h:.6g} s")
            if event:
                memory.follow(now, h)
            self.calls.call("enterEventMode")
            self._update()
            self._look(anew=True)
            # by rounding, what was planned for this instant may be still to come for the FMU: ask it a little later
            later = max(LATER * h, 2.0 * later) if planned <= now and self.next_event <= now else 0.0

    def notes(self, told: str) -> list[str]:
        """What a run must tell of its events."""
        memory = self.memory
        if not memory.dense:
            return []
        return [
            f"{told}: from t = {memory.since:.6g} s on its state events follow each other without end; {memory.dense} "
            f"were taken at the ends of steps, {PARTS} in one of its substeps, and not located; give more substeps="
        ]

    def _update(self) -> None:
        for _ in range(UPDATES):
            again, ends, _, _, planned, when = self.calls.call(self.update_name)
            if ends:
                raise FMUFailure("it asked to end the run")
            if not again:
                break
        else:
            raise FMUFailure("its discrete states do not settle at an event")
        self.next_event = float(when) if planned else math.inf
        self.calls.call("enterContinuousTimeMode")

    def _completed(self) -> bool:
        asked, ends = self.calls.call("completedIntegratorStep")
        if ends:
            raise FMUFailure("it asked to end the run")
        return bool(asked)

    def _substep(self, now: float, to: float, locate: bool) -> tuple[float, bool]:
        """A step that ends at `to`, or just behind the first state event: the time reached, and whether it is one."""
        begin = self._read("getContinuousStates", self.x).copy()
        self._runge_kutta(now, to, begin)
        if not self.indicators or not self._look():
            return to, False
        least, most = now, to
        for _ in range(HALVINGS if locate else 0):
            middle = 0.5 * (least + most)
            if not least < middle < most:
                break
            self._runge_kutta(now, middle, begin)
            if self._look():
                most = middle
            else:
                least = middle
        if locate:
            self._runge_kutta(now, most, begin)
        return most, True

    def _look(self, anew: bool = False) -> bool:
        """Whether an event indicator has another sign than after the last event; `anew` after one."""
        z, memory = self._read("getEventIndicators", self.z), self.memory
        np.maximum(memory.largest, np.abs(z), out=memory.largest)
        if anew:
            memory.signs[:] = z > 0.0
            return False
        return bool(np.any((np.abs(z) > NOTHING * memory.largest) & ((z > 0.0) != memory.signs)))

    def _runge_kutta(self, now: float, to: float, x: Any) -> None:
        """The classical one of order 4; leaves the FMU at its end."""
        h = to - now
        k1 = self._rates(now, x).copy()
        k2 = self._rates(now + 0.5 * h, x + 0.5 * h * k1).copy()
        k3 = self._rates(now + 0.5 * h, x + 0.5 * h * k2).copy()
        k4 = self._rates(to, x + h * k3)
        self._put(to, x + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4))
        if not np.isfinite(self.x.numbers).all():
            raise FMUFailure("its states grow beyond all numbers; give more substeps=")

    def _rates(self, time: float, x: Any) -> Any:
        self._put(time, x)
        return self._read(self.rates_name, self.rates)

    def _put(self, time: float, x: Any) -> None:
        self.calls.call("setTime", time)
        if self.states:
            self.x.numbers[:] = x
            self.calls.call("setContinuousStates", self.x.address, self.states)

    def _read(self, function: str, room: FixedNumbers) -> Any:
        """Numbers that a function of the FMU writes; not a copy."""
        if room.size:
            self.calls.call(function, room.address, room.size)
        return room.numbers


@dataclass
class EventMemory:
    """What is remembered of event indicators: their signs after the last event, the largest values, what is dense."""

    signs: Any
    largest: Any
    last: float = -math.inf  # time of the last state event, s
    in_row: int = 0  # state events that followed each other soon
    dense: int = 0  # of all, those that were not located
    since: float = math.inf  # when they began, s

    def follow(self, now: float, h: float) -> None:
        """There is a state event now, in a substep of h."""
        if self.in_row >= IN_ROW:
            self.dense, self.since = self.dense + 1, min(self.since, now)
            soon = now - self.last < h
        else:
            soon = now - self.last < DENSE * h
        self.in_row, self.last = self.in_row + 1 if soon else 0, now

    def as_dict(self) -> dict[str, Any]:
        """As plain data."""
        known = {"last": self.last, "since": self.since}
        times = {name: value if math.isfinite(value) else None for name, value in known.items()}
        arrays = {"signs": self.signs.tolist(), "largest": self.largest.tolist()}
        return {**arrays, **times, "in_row": self.in_row, "dense": self.dense}

    def put_back(self, facts: dict[str, Any]) -> None:
        """Be what `as_dict` gave; raises KeyError, TypeError or ValueError for what it did not give."""
        for name in ("signs", "largest"):
            getattr(self, name)[:] = np.array(facts[name], dtype=float).reshape(len(self.signs))
        self.last = -math.inf if facts["last"] is None else float(facts["last"])
        self.since = math.inf if facts["since"] is None else float(facts["since"])
        self.in_row, self.dense = int(facts["in_row"]), int(facts["dense"])


class FixedNumbers:
    """Numbers at an address that stays."""

    def __init__(self, size: int) -> None:
        self.size, self.numbers = size, np.zeros(size)
        self.address = self.numbers.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
