"""What is sampled: sensors and controllers, called at their instants between steps."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.assembly.laws.law_errors import describe_exception
from linkwork.assembly.system import System
from linkwork.errors import ModelError, OptionError
from linkwork.model.checked import shown
from linkwork.model.container import Container
from linkwork.model.control.controller import Controller, Sensor, noise_numbers
from linkwork.model.control.stepped import SteppedInstance, SteppedPart
from linkwork.model.laws.signal_names import follow_signals
from linkwork.simulation.reading import Reader, Readings
from linkwork.simulation.results.columns.components import component_labels
from linkwork.simulation.results.columns.sampled_columns import inputs_of
from linkwork.simulation.sampled.controller_order import in_order, refuse_second_writers
from linkwork.simulation.stepping.late_columns import LateColumns
from linkwork.simulation.storage.npz import Damaged
from linkwork.simulation.structure.events import SAME

if TYPE_CHECKING:
    from linkwork.simulation.stepping.stepper import Stepper


class SampledSensor:
    """A sensor of a simulation; its memory are the readings that are not out yet, newest first."""

    def __init__(self, part: Sensor, stepper: Stepper, readings: Readings) -> None:
        self.part, self.stepper, self.readings = part, stepper, readings
        self.every, self.count = part.every, 0
        self.memory = np.zeros((part.delay + 1, part.size))
        self.inside = part.kind in ("accelerometer", "gyroscope")  # measured in the axes of the body
        self.found: tuple[Any, int] = (None, -1)  # the number of its body in a system
        words = {"encoder": "position", "tachometer": "velocity", "load cell": "reaction", "touch": "force"}
        self.column = f"{part.target.path}.{words.get(part.kind, part.kind)}"

    def sample(self, now: float) -> None:
        """Measure, and show what is out by now."""
        part = self.part
        values = np.atleast_1d(self._measured() if self.inside else self.readings[self.column]).astype(float)
        if part.noise is not None:
            values = values + noise_numbers(part.noise, part.path, self.count, part.size)
        if part.resolution:
            values = np.round(values / part.resolution) * part.resolution
        self.memory[1:] = self.memory[:-1]
        self.memory[0] = values
        if self.count == 0:
            self.memory[1:] = values  # before the first reading
        laws = self.stepper.tables.laws
        rows = laws.input_law[self.stepper.moving.held[part.path]]
        if not np.array_equal(laws.law_param[rows, 0], self.memory[-1]):
            laws.law_param[rows, 0] = self.memory[-1]
            self.stepper.inputs.changed = True

    def saved(self) -> Any:
        """What it remembers; not a copy."""
        return self.memory

    def put_back(self, memory: Any) -> None:
        """Remember what `saved` gave."""
        _fill(self.memory, memory)

    def copied(self, stepper: Stepper, readings: Readings) -> SampledSensor:
        """The same for another simulation."""
        other = SampledSensor(self.part, stepper, readings)
        other.count, other.memory = self.count, self.memory.copy()
        return other

    def _measured(self) -> Any:
        """Of a body, in its axes: turning rate, or what an accelerometer shows at its point."""
        reading = self.readings.now()
        reading.see()
        work, tree, system = reading.observer.scratch.work, self.stepper.tables.tree, self.stepper.moving
        if self.found[0] is not system:  # joints that come and go change the order of bodies
            self.found = (system, system.body_names.index(self.part.target.path))
        body = self.found[1]
        link, R = tree.body_link[body], tree.body_R[body].reshape(3, 3)
        w, u = work.velocity[link, :3], work.velocity[link, 3:]
        if self.part.kind == "gyroscope":
            return R.T @ w
        turn, pull = work.acceleration[link, :3], work.acceleration[link, 3:]
        r = tree.body_p[body] + R @ self.part.at
        return R.T @ (pull + np.cross(w, u) + np.cross(turn, r) + np.cross(w, np.cross(w, r)))


class SampledController:
    """A controller of a simulation."""

    alone = True  # nothing but its function is called

    def __init__(self, part: Controller, stepper: Stepper, readings: Readings) -> None:
        self.part, self.stepper = part, stepper
        self.every, self.count = part.every, 0
        self.memory = np.array(part.memory)
        self.told = f"{part.word} '{part.path}'"
        self.sets = inputs_of(part, stepper.inputs)
        self.only = self.sets[0] if len(self.sets) == 1 else None
        try:
            for name in self.sets:
                stepper.inputs[name]
            self.columns = [self._column(name, readings) for name in part.sees]
            self.reader: Callable[[], Any] = Reader(readings, self.columns) if self.columns else _nothing
        except OptionError as error:
            raise ModelError(f"{self.told}: {error}") from None

    def _column(self, name: str, readings: Readings) -> str:
        """The column of a name, seen from where the controller stands."""
        top: Container = self.part.owner
        while top.owner is not None:
            top = top.owner
        for home in (self.part.owner, top):
            found, column = follow_signals(home, name)
            if (found, column) != (home, name):
                name = f"{found.path}.{column}" if found.path else column
                break
        prefix, reading = self.part.owner.path, readings.now()
        for path in (f"{prefix}.{name}" if prefix else name, name):
            for whole in (path, f"{path}.reading", f"{path}.output", f"{path}.value"):
                if reading.find(whole) is not None:
                    return whole
        return reading.meant(name)

    def sample(self, now: float) -> None:
        """Call the function, and set what it returns."""
        values = self._called(now, self.reader())
        if self.only is not None and isinstance(values, float):
            self._set(self.only, values, now)
            return
        values = np.atleast_1d(values) if values is not None else ()
        if len(values) != len(self.sets):
            raise ModelError(
                f"{self.told} returned {shown(values)} at t = {now:.6g} s but sets {len(self.sets)} inputs; return one "
                "number for each"
            )
        for name, value in zip(self.sets, values, strict=True):
            self._set(name, value, now)

    @property
    def seen(self) -> int:
        """How many numbers it sees."""
        return int(self.reader.values.size) if isinstance(self.reader, Reader) else 0

    def fail(self, now: float) -> None:
        """Raise for what its function did in compiled code at this time."""
        self.sample(now)
        raise ModelError(f"{self.told} failed at t = {now:.6g} s; correct its function")

    def _set(self, name: str, value: Any, now: float) -> None:
        try:
            self.stepper.inputs[name] = value
        except OptionError as error:
            raise ModelError(f"{self.told} at t = {now:.6g} s: {error}") from None

    def _called(self, now: float, seen: Any) -> Any:
        try:
            return self.part.function(now, seen, self.memory) if self.memory.size else self.part.function(now, seen)
        except Exception as error:
            why = describe_exception(error, self.part.function)
            raise ModelError(f"{self.told} failed at t = {now:.6g} s ({why}); correct its function") from error

    def saved(self) -> Any:
        """What it remembers; not a copy."""
        return self.memory

    def put_back(self, memory: Any) -> None:
        """Remember what `saved` gave."""
        _fill(self.memory, memory)

    def copied(self, stepper: Stepper, readings: Readings) -> SampledController:
        """The same for another simulation."""
        other = type(self)(self.part, stepper, readings)
        other.count, other.memory = self.count, self.memory.copy()
        return other


class SampledElement(SampledController):
    """An element of a simulation that is stepped with it, with an instance of its own."""

    part: SteppedPart
    alone = False

    def __init__(self, part: SteppedPart, stepper: Stepper, readings: Readings) -> None:
        super().__init__(part, stepper, readings)
        reading = readings.now()
        for variable, column in zip(part.inputs, self.columns, strict=True):
            place = reading.places[column]
            if place.size != 1:
                parts = [name for name, _ in component_labels(column, reading.units[column], place.shape)]
                raise ModelError(
                    f"{self.told}: '{variable}' takes one number but '{column}' has {place.size}; give one of "
                    f"{', '.join(map(repr, parts))}"
                )
        self.instance = part.element.started(part)

    def _called(self, now: float, seen: Any) -> Any:
        return self.instance.sample(now, seen)

    def saved(self) -> Any:
        """The state of its instance."""
        return self.instance.saved()

    def put_back(self, memory: Any) -> None:
        """Stand where `saved` was called."""
        try:
            self.instance.put_back(memory)
        except ValueError as error:
            if isinstance(error, ModelError):
                raise
            raise Damaged(str(error)) from error

    def copied(self, stepper: Stepper, readings: Readings) -> SampledElement:
        """The same for another simulation."""
        if self.instance.forgetful:
            raise OptionError(f"the simulation cannot be copied, as {self.told} {self.instance.forgetful}")
        other = SampledElement(self.part, stepper, readings)
        other.instance.put_back(self.instance.saved())
        other.count = self.count
        return other


class SampledElsewhere:
    """The sensors and controllers with one period of a component that lives elsewhere: it calls them by itself."""

    def __init__(self, part: Any, every: float, stepper: Stepper) -> None:
        self.part, self.every, self.stepper, self.count = part, every, stepper, 0

    def sample(self, _now: float) -> None:
        """Tell the component that they are due; a change there wants accelerations anew here, too."""
        links = self.stepper.remote_links
        if links is not None and links.sample(self.part):
            self.stepper.inputs.changed = True

    def saved(self) -> Any:
        """Nothing: the component keeps its own state."""
        return np.zeros(0)

    def put_back(self, _memory: Any) -> None:
        """Nothing to remember."""


def _nothing() -> Any:
    return np.zeros(0)


def _fill(memory: Any, found: Any) -> None:
    if found.shape != memory.shape or found.dtype != memory.dtype:
        raise Damaged("what a sensor or controller remembers does not fit")
    memory[...] = found


class Controls:
    """The sensors and controllers of a simulation, in this order; `next` is the instant of the first that is due."""

    def __init__(self, stepper: Stepper, readings: Readings) -> None:
        self.stepper, self.readings = stepper, readings
        self.items: list[Any] = []  # sensors, controllers, and what is sampled elsewhere
        self.next = math.inf
        self.calls = 0  # in runs of many steps so far
        self.late = LateColumns(stepper, readings)

    @property
    def active(self) -> bool:
        """Whether anything is due after some steps."""
        return bool(self.items) or self.late.any

    def begin(self, now: float) -> None:
        """As in a new simulation at this time; those that are due at once are called."""
        model, parts = self.stepper.system.model, (self.stepper, self.readings)
        self.items = [SampledSensor(sensor, *parts) for sensor in model.all_sensors()]
        controllers: list[SampledController] = []
        for part in model.all_controllers():
            kind: Any = SampledElement if isinstance(part, SteppedPart) else SampledController
            controllers.append(kind(part, *parts))
        refuse_second_writers(controllers)
        self.items += in_order(controllers)
        links = self.stepper.remote_links
        for remote in links.remotes if links is not None else ():
            self.items += [SampledElsewhere(remote, every, self.stepper) for every in remote.samples]
        for item in self.items:
            item.count = max(0, math.ceil(now / item.every - SAME))
        self._plan()
        self.happen()

    def put_back(self, arrays: Mapping[str, Any], now: float) -> None:
        """Go on from a file at this time, at which those that were due have been called."""
        for item in self.items:
            found = arrays.get(f"control.{item.part.path}")
            if found is not None:
                item.put_back(found)
            elif item.saved().size:
                raise Damaged(f"nothing of {item.part.word} '{item.part.path}' is in it")
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
            other.items.append(item.copied(stepper, readings))
        other._plan()
        return other

    def memories(self) -> dict[str, Any]:
        """What they remember, by name; not copies."""
        found = {f"control.{item.part.path}": item.saved() for item in self.items}
        return {name: memory for name, memory in found.items() if memory.size}

    @property
    def elements(self) -> dict[str, SteppedInstance]:
        """The instances of elements that are stepped with the run, by their words: "FMU 'valve'"."""
        return {item.told: item.instance for item in self.items if isinstance(item, SampledElement)}

    def periods(self) -> list[float]:
        """Seconds between the samples of each of them, none twice."""
        return sorted({item.every for item in self.items})

    def notes(self) -> list[str]:
        """What elements must tell of the run, for its certificate."""
        return [note for instance in self.elements.values() for note in instance.notes()]

    def couplings(self) -> dict[str, float]:
        """By the name of an element: the largest jump of a held value, as a part of its range."""
        return {item.part.path: item.instance.coupling for item in self.items if isinstance(item, SampledElement)}

    def close(self) -> None:
        """Free the instances of elements."""
        for instance in self.elements.values():
            instance.close()

    def planned(self) -> None:
        """Counts of samples have changed."""
        self._plan()

    def _plan(self) -> None:
        if len(self.items) == 1:  # as most have
            item = self.items[0]
            self.next = item.count * item.every
        else:
            self.next = min((item.count * item.every for item in self.items), default=math.inf)

    def quiet(self, now: float, dt: float, steps: int) -> int:
        """How many of the next steps end before the next instant, or at it."""
        steps = min(steps, 1) if self.late.any else steps
        if self.next == math.inf:
            return steps
        return max(0, min(steps, math.floor((self.next - now) / dt + SAME)))

    def next_time(self, end: float, dt: float) -> float:
        """The next instant; `end` where that is later, or as good as then."""
        return end if self.next > end - SAME * dt else self.next

    def happen(self) -> None:
        """Call those that are due now."""
        if self.late.any:
            self.late.sample()
        if self.next == math.inf:
            return
        now = self.stepper.time
        due = now + SAME * self.stepper.h
        if self.next > due:
            return
        for item in self.items:
            if item.count * item.every <= due:
                item.sample(now)
                item.count += 1
        self._plan()


def refuse_late(system: System) -> None:
    """A component that is served does not know the reactions of a whole step."""
    for column, told in system.late.items():
        raise OptionError(
            f"the law of {told} sees '{column}' of the last step, which a component that is served cannot; "
            "let a sensor measure it"
        )
