"""What is sampled: sensors and controllers, called at their instants between steps."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.assembly.law_errors import told_of
from linkwork.errors import ModelError, OptionError
from linkwork.model.checked import shown
from linkwork.model.container import Container, find_signal
from linkwork.model.controller import Controller, Sensor, noise_numbers
from linkwork.simulation.reading import Reader, Readings
from linkwork.simulation.storage.npz import Damaged
from linkwork.simulation.structure.events import SAME

if TYPE_CHECKING:
    from linkwork.simulation.run import Simulation
    from linkwork.simulation.stepper import Stepper


class SampledSensor:
    """A sensor of a simulation; its memory are the readings that are not out yet, newest first."""

    def __init__(self, part: Sensor, stepper: Stepper, readings: Readings) -> None:
        self.part, self.stepper, self.readings = part, stepper, readings
        self.every, self.count = part.every, 0
        self.memory = np.zeros((part.delay + 1, part.size))
        self.place = stepper.system.held[part.path]
        self.body = -1
        if part.kind in ("accelerometer", "gyroscope"):
            self.body = stepper.moving.body_names.index(part.target.path)
        words = {"encoder": "position", "tachometer": "velocity", "load cell": "reaction"}
        self.column = f"{part.target.path}.{words.get(part.kind, part.kind)}"

    def sample(self, now: float) -> None:
        """Measure, and show what is out by now."""
        part = self.part
        values = np.atleast_1d(self._measured() if self.body >= 0 else self.readings[self.column]).astype(float)
        if part.noise is not None:
            values = values + noise_numbers(part.noise, part.path, self.count, part.size)
        if part.resolution:
            values = np.round(values / part.resolution) * part.resolution
        self.memory[1:] = self.memory[:-1]
        self.memory[0] = values
        if self.count == 0:
            self.memory[1:] = values  # before the first reading
        laws = self.stepper.tables.laws
        rows = laws.input_law[self.place]
        if not np.array_equal(laws.law_param[rows, 0], self.memory[-1]):
            laws.law_param[rows, 0] = self.memory[-1]
            self.stepper.inputs.changed = True

    def _measured(self) -> Any:
        """Of a body, in its axes: turning rate, or what an accelerometer shows at its point."""
        reading = self.readings.now()
        reading.see()
        work, tree = reading.observer.scratch.work, self.stepper.tables.tree
        link, R = tree.body_link[self.body], tree.body_R[self.body].reshape(3, 3)
        w, u = work.velocity[link, :3], work.velocity[link, 3:]
        if self.part.kind == "gyroscope":
            return R.T @ w
        turn, pull = work.acceleration[link, :3], work.acceleration[link, 3:]
        r = tree.body_p[self.body] + R @ self.part.at
        return R.T @ (pull + np.cross(w, u) + np.cross(turn, r) + np.cross(w, np.cross(w, r)))


class SampledController:
    """A controller of a simulation."""

    def __init__(self, part: Controller, stepper: Stepper, readings: Readings) -> None:
        self.part, self.stepper = part, stepper
        self.every, self.count = part.every, 0
        self.memory = np.array(part.memory)
        self.told = f"controller '{part.path}'"
        self.sets = [self._input(name) for name in part.sets]
        try:
            names = [self._column(name, readings) for name in part.sees]
            self.reader: Callable[[], Any] = Reader(readings, names) if names else _nothing
        except OptionError as error:
            raise ModelError(f"{self.told}: {error}") from None

    def _input(self, name: str) -> str:
        inputs, prefix = self.stepper.inputs, self.part.owner.path
        for path in (f"{prefix}.{name}" if prefix else name, name):
            if path in inputs:
                return path
        try:
            inputs[name]
        except OptionError as error:
            raise ModelError(f"{self.told}: {error}") from None
        raise AssertionError(name)

    def _column(self, name: str, readings: Readings) -> str:
        """The column of a name, seen from where the controller stands."""
        top: Container = self.part.owner
        while top.owner is not None:
            top = top.owner
        for home in (self.part.owner, top):
            alias = find_signal(home, name)
            if alias is not None:
                name = f"{alias[0].path}.{alias[1]}" if alias[0].path else alias[1]
                break
        prefix, reading = self.part.owner.path, readings.now()
        for path in (f"{prefix}.{name}" if prefix else name, name):
            for whole in (path, f"{path}.reading", f"{path}.output", f"{path}.value"):
                if reading.find(whole) is not None:
                    return whole
        return reading.meant(name)

    def sample(self, now: float) -> None:
        """Call the function, and set what it returns."""
        seen = self.reader()
        try:
            values = self.part.function(now, seen, self.memory) if self.memory.size else self.part.function(now, seen)
        except Exception as error:
            raise ModelError(
                f"{self.told} failed at t = {now:.6g} s ({told_of(error, self.part.function)}); correct its function"
            ) from error
        if len(self.sets) == 1 and isinstance(values, float):
            values = (values,)
        else:
            values = np.atleast_1d(values) if values is not None else ()
        if len(values) != len(self.sets):
            raise ModelError(
                f"{self.told} returned {shown(values)} at t = {now:.6g} s but sets {len(self.sets)} inputs; return one "
                "number for each"
            )
        inputs = self.stepper.inputs
        for name, value in zip(self.sets, values, strict=True):
            try:
                inputs[name] = value
            except OptionError as error:
                raise ModelError(f"{self.told} at t = {now:.6g} s: {error}") from None


def _nothing() -> Any:
    return np.zeros(0)


class Controls:
    """The sensors and controllers of a simulation, in this order; `next` is the instant of the first that is due."""

    def __init__(self, stepper: Stepper, readings: Readings) -> None:
        self.stepper, self.readings = stepper, readings
        self.items: list[SampledSensor | SampledController] = []
        self.next = math.inf

    def begin(self, now: float) -> None:
        """As in a new simulation at this time; those that are due at once are called."""
        model, parts = self.stepper.system.model, (self.stepper, self.readings)
        self.items = [SampledSensor(sensor, *parts) for sensor in model.all_sensors()]
        self.items += [SampledController(controller, *parts) for controller in model.all_controllers()]
        for item in self.items:
            item.count = max(0, math.ceil(now / item.every - SAME))
        self._plan()
        self.happen()

    def put_back(self, arrays: Mapping[str, Any], now: float) -> None:
        """Go on from a file at this time, at which those that were due have been called."""
        for name, memory in self.memories().items():
            found = arrays.get(name)
            if found is None or found.shape != memory.shape or found.dtype != memory.dtype:
                raise Damaged(f"its {name} does not fit")
            memory[...] = found
        for item in self.items:
            item.count = math.floor(now / item.every + SAME) + 1
        self._plan()

    def hold(self, arrays: Mapping[str, Any]) -> None:
        """Hold the numbers of a file, taken by another method."""
        laws, found = self.stepper.tables.laws, arrays.get("laws")
        if self.items and found is not None and found.shape == laws.law_param.shape:
            laws.law_param[laws.input_law, 0] = found[laws.input_law, 0]

    def copied(self, stepper: Stepper, readings: Readings) -> Controls:
        """The same for another simulation."""
        other = Controls(stepper, readings)
        for item in self.items:
            twin = type(item)(item.part, stepper, readings)  # type: ignore[arg-type]
            twin.count, twin.memory = item.count, item.memory.copy()
            other.items.append(twin)
        other._plan()
        return other

    def memories(self) -> dict[str, Any]:
        """What they remember, by name; not copies."""
        return {f"control.{item.part.path}": item.memory for item in self.items if item.memory.size}

    def _plan(self) -> None:
        self.next = min((item.count * item.every for item in self.items), default=math.inf)

    def quiet(self, now: float, dt: float, steps: int) -> int:
        """How many of the next steps end before the next instant, or at it."""
        if self.next == math.inf:
            return steps
        return max(0, min(steps, math.floor((self.next - now) / dt + SAME)))

    def next_time(self, end: float, dt: float) -> float:
        """The next instant; `end` where that is later, or as good as then."""
        return end if self.next > end - SAME * dt else self.next

    def happen(self) -> None:
        """Call those that are due now."""
        if self.next == math.inf:
            return
        now, slack = self.stepper.time, SAME * self.stepper.h
        if self.next > now + slack:
            return
        for item in self.items:
            if item.count * item.every <= now + slack:
                item.sample(now)
                item.count += 1
        self._plan()


def refuse_controls_elsewhere(sim: Simulation, elsewhere: bool) -> None:
    """Components in several processes cannot be sampled together."""
    if sim.controls.items and elsewhere:
        part = sim.controls.items[0].part
        raise OptionError(
            f"model '{sim.system.model.name}' has the {part.word} '{part.path}', which cannot be sampled while "
            "components live elsewhere; keep all parts in one process, or remove it"
        )
