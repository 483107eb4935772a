"""An FMU of one simulation: stepped from instant to instant, its inputs and outputs held in between."""

from __future__ import annotations

import gc
import hashlib
import json
import math
import threading
import weakref
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.formats.fmi.imported.coupling import HeldValues
from linkwork.formats.fmi.imported.fmu_calls import FMUCalls, FMUFailure, VariableGroup
from linkwork.formats.fmi.imported.fmu_description import ImportedDescription
from linkwork.formats.fmi.imported.fmu_exchange import ExchangeSteps
from linkwork.model.control.stepped import SteppedInstance

LARGE = 0.01  # of the range: jumps above this call for a smaller interval
_ALIVE: dict[str, int] = {}  # instances of FMUs of which a process can have one
_COUNTING = threading.Lock()


class FMUOrder:
    """What an instance is made from: the same for all simulations of a model."""

    def __init__(
        self,
        told: str,
        description: ImportedDescription,
        folder: Path,
        digest: str,
        every: float,
        hold: str,
        substeps: int,
        start: dict[str, Any],
        inputs: list[str],
        outputs: list[str],
    ) -> None:
        self.told, self.description, self.folder, self.digest = told, description, folder, digest
        self.every, self.hold, self.substeps = every, hold, substeps
        variables = description.variables
        self.start = [(variables[name], value) for name, value in start.items()]
        self.inputs, self.outputs = VariableGroup(description, inputs), VariableGroup(description, outputs)
        self.free = [name for name, each in variables.items() if each.causality == "input" and name not in inputs]


class FMUInstance(SteppedInstance):
    """An instance of an FMU. It exists from the start, and is initialised at its first instant."""

    def __init__(self, order: FMUOrder) -> None:
        self.order, given = order, order.description
        self.begin, self.steps = 0.0, -1  # time of the first instant, and how many followed
        for_linear = [order.hold == "linear" and given.variables[name].smooth for name in order.inputs.names]
        self.seen = HeldValues(order.inputs.names, for_linear)
        for_linear = [order.hold == "linear" and given.variables[name].smooth for name in order.outputs.names]
        self.shown = HeldValues(order.outputs.names, for_linear)
        if given.once:
            _count_one(order)
        self._closed = False
        try:
            self.calls = FMUCalls(given, order.folder, order.told.partition("'")[2].rstrip("'") or "fmu")
        except FMUFailure as error:
            _forget_one(order.digest)
            raise ModelError(f"{order.told}: {error}; give another FMU") from None
        self._end = weakref.finalize(self, _free, self.calls, order.digest)
        self.exchange: ExchangeSteps | None = None

    def sample(self, now: float, seen: Any) -> Any:
        """Step to the time `now` with the inputs that were held, take those seen now, and give the outputs."""
        if self._closed:
            raise ModelError(f"{self.order.told}: its simulation was closed; make a new one")
        try:
            if self.steps < 0:
                self._start(now, seen)
            else:
                self._step(seen)
            self.seen.take(seen)
            self.shown.take(self.order.outputs.get(self.calls))
            if self.seen.linear.any() and self.seen.count > 1:
                self.order.inputs.set(self.calls, self.seen.held())
        except FMUFailure as error:
            raise ModelError(
                f"{self.order.told} failed at t = {now:.6g} s: {error}; correct it or its inputs"
            ) from None
        self.steps += 1
        return self.shown.held()

    def _start(self, now: float, seen: Any) -> None:
        self.begin = now
        self.calls.begin(now, self.order.start, self.order.inputs, seen)
        if self.order.description.kind == "me":
            self.exchange = ExchangeSteps(self.calls, self.order.substeps)
            self.exchange.begin()

    def _step(self, seen: Any) -> None:
        time = self.begin + self.steps * self.order.every
        if self.exchange is not None:
            self.exchange.step(time, self.order.every)
            self.exchange.take(self.order.inputs, seen)
        else:
            self.calls.step(time, self.order.every)
            self.order.inputs.set(self.calls, seen)

    @property
    def forgetful(self) -> str:
        """Why its state cannot be saved; empty where it can."""
        if self.order.description.saves:
            return ""
        return "cannot write its state (canSerializeFMUstate is not true); run from the start"

    def saved(self) -> Any:
        """Its state as bytes: a line of facts, and what the FMU writes."""
        if self._closed:
            raise ModelError(f"{self.order.told}: its simulation was closed; make a new one")
        try:
            state = self.calls.state() if self.steps >= 0 else b""
        except FMUFailure as error:
            raise ModelError(f"{self.order.told}: {error}; run from the start") from None
        facts = {
            "token": self.order.description.token,
            "digest": hashlib.sha256(state).hexdigest(),
            "begin": self.begin,
            "steps": self.steps,
            "next": None if self.exchange is None or self.exchange.next_event == math.inf else self.exchange.next_event,
            "events": None if self.exchange is None else self.exchange.memory.as_dict(),
            "seen": self.seen.as_dict(),
            "shown": self.shown.as_dict(),
        }
        return np.frombuffer(json.dumps(facts).encode() + b"\n" + state, dtype=np.uint8)

    def put_back(self, state: Any) -> None:
        """Stand where `saved` was called."""
        head, _, content = np.asarray(state, dtype=np.uint8).tobytes().partition(b"\n")
        told = self.order.told
        try:
            facts = json.loads(head)
            if facts["token"] != self.order.description.token:
                raise ValueError(f"it holds a state of another FMU than {told}")
            if facts["digest"] != hashlib.sha256(content).hexdigest():
                raise ValueError(f"the state of {told} in it is damaged")
            self.seen.put_back(facts["seen"])
            self.shown.put_back(facts["shown"])
            self.begin, steps = float(facts["begin"]), int(facts["steps"])
            planned = math.inf if facts["next"] is None else float(facts["next"])
        except (KeyError, TypeError, json.JSONDecodeError, UnicodeDecodeError) as error:
            raise ValueError(f"the state of {told} in it is damaged") from error
        try:
            if steps >= 0:
                if self.steps < 0:
                    self._start(self.begin, self.seen.now)
                self.calls.put_back(content)
            if self.exchange is not None:
                self.exchange.next_event = planned
                self.exchange.memory.put_back(facts["events"])
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"the state of {told} in it is damaged") from error
        except FMUFailure as error:
            raise ModelError(f"{told}: {error}; run from the start") from None
        self.steps = steps

    @property
    def coupling(self) -> float:
        """The largest jump of a held value, as a part of its range."""
        return max((worst for worst, _ in self._jumps().values()), default=0.0)

    def _jumps(self) -> dict[str, tuple[float, float]]:
        return {**self.seen.jumps(), **self.shown.jumps()}

    def notes(self) -> list[str]:
        """How it was stepped, and how much held values jump."""
        order, jumps = self.order, self._jumps()
        hold = "extrapolated linearly" if order.hold == "linear" else "held"
        inside = "co-simulation"
        if order.description.kind == "me":
            inside = f"model exchange, {order.substeps} Runge-Kutta steps of order 4 in between"
        text = f"{order.told}: stepped every {order.every:g} s ({inside}), values {hold}"
        if jumps:
            name = max(jumps, key=lambda each: jumps[each])
            worst, mean = jumps[name]
            text += f"; '{name}' jumps by up to {worst:.2%} of its range there ({mean:.2%} on average)"
            text += "; take a smaller every=" if worst > LARGE else ""
        idle = f"{order.told}: its inputs {', '.join(map(repr, order.free[:6]))} are not connected and stay as they are"
        dense = [] if self.exchange is None else self.exchange.notes(order.told)
        return [text, *dense, *([idle] if order.free else [])]

    def close(self) -> None:
        """Free the instance."""
        self._closed = True
        self._end()


def _count_one(order: FMUOrder) -> None:
    """Refuse a second instance where the FMU allows one."""
    with _COUNTING:
        if _ALIVE.get(order.digest):
            gc.collect()  # one of a simulation that nobody uses
        if _ALIVE.get(order.digest):
            raise ModelError(
                f"{order.told}: a process can have one instance of this FMU, and a simulation has it; close that with "
                "sim.close() first"
            )
        _ALIVE[order.digest] = 1


def _forget_one(digest: str) -> None:
    _ALIVE.pop(digest, None)


def _free(calls: FMUCalls, digest: str) -> None:
    calls.free()
    _forget_one(digest)
