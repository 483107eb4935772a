"""Model-exchange FMUs: their states integrated by fixed Runge-Kutta steps between two instants, with events.

A state event is located by halving the step within which an event indicator changes its sign.
"""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np

from linkwork.formats.fmi.imported.fmu_calls import FMUCalls, FMUFailure, VariableGroup

EVENTS = 1000  # between two instants: more are a standstill
UPDATES = 1000  # of discrete states at one event
HALVINGS = 40  # until an event is located
MOST = 1_000_000  # states, and event indicators
SAME = 1e-12  # of a substep: what is as good as its end


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
        self.x, self.rates, self.signs = (FixedNumbers(size) for size in (self.states, self.states, self.indicators))

    def begin(self) -> None:
        """After the initialisation: settle the discrete states."""
        self._update()

    def take(self, inputs: VariableGroup, values: Any) -> None:
        """Take inputs, which may jump, at an instant."""
        self.calls.call("enterEventMode")
        inputs.set(self.calls, values)
        self._update()

    def step(self, time: float, seconds: float) -> None:
        """Integrate from `time` on."""
        end, h, now, events = time + seconds, seconds / self.substeps, time, 0
        while now < end - SAME * h:
            to = min(now + h, end, max(self.next_event, now))
            if to > end - SAME * h:
                to = end
            asked = event = False
            if to > now:
                now, event = self._substep(now, to)
                asked = self.calls.description.completes and self._completed()
            if event or asked or self.next_event <= now:
                events += 1
                if events > EVENTS:
                    raise FMUFailure(f"it has more than {EVENTS} events between t = {time:.6g} s and {end:.6g} s")
                self.calls.call("enterEventMode")
                self._update()

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

    def _substep(self, now: float, to: float) -> tuple[float, bool]:
        """A step that ends at `to`, or just behind the first state event: the time reached, and whether it is one."""
        begin, signs = self._read("getContinuousStates", self.x).copy(), self._signs()
        self._runge_kutta(now, to, begin)
        if not self.indicators or np.array_equal(self._signs(), signs):
            return to, False
        least, most = now, to
        for _ in range(HALVINGS):
            middle = 0.5 * (least + most)
            if not least < middle < most:
                break
            self._runge_kutta(now, middle, begin)
            if np.array_equal(self._signs(), signs):
                least = middle
            else:
                most = middle
        self._runge_kutta(now, most, begin)
        return most, True

    def _signs(self) -> Any:
        return self._read("getEventIndicators", self.signs) > 0.0

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


class FixedNumbers:
    """Numbers at an address that stays."""

    def __init__(self, size: int) -> None:
        self.size, self.numbers = size, np.zeros(size)
        self.address = self.numbers.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
