"""The present values of columns, computed only as far as they are asked for.

What joints do stands in the state and costs a look there. Poses, springs and reactions are found by one compiled
observation of the present state, whose row is the state itself and whose room is made once. `Reader` gathers many
columns in one array.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import OptionError
from linkwork.formulations.samples import Samples
from linkwork.mechanics.observation import Observation, observe
from linkwork.model.checked import shown
from linkwork.simulation.results.columns.all_columns import columns_of
from linkwork.simulation.results.columns.column_names import find_column
from linkwork.simulation.results.columns.components import component_place
from linkwork.simulation.results.columns.observe import Observer, blank, no_column

if TYPE_CHECKING:
    from linkwork.simulation.stepping.stepper import Stepper


def bound(entry: Any, *arguments: Any) -> Callable[[], Any]:
    """A compiled entry with arguments that stay: they are packed now and never again."""
    call = entry.bind(*arguments)
    call.again()
    return call.again  # type: ignore[no-any-return]


class Reading:
    """The columns of a simulation, each where it stands now, as long as state and tables are the same arrays."""

    def __init__(self, stepper: Stepper, before: Reading | None) -> None:
        self.state, self.tables, system = stepper.state, stepper.tables, stepper.moving
        self.observer = Observer(system, tables=stepper.tables)
        if before is not None:
            self.observer.follow(before.observer)
        rows = {name: getattr(self.state, name)[None] for name in Samples._fields}
        self.samples = Samples(**{**rows, "inputs": rows["inputs"][:0]})  # those of the tables
        self.observation = self.observer.room(self.samples, 1)
        self._see: Callable[[], Any] | None = None
        # joints that were there when the simulation began and have been released
        gone = {} if stepper.began is system else columns_of(stepper.began)
        self.specs = {**gone, **self.observer.specs}
        self.shapes = {name: column.shape for name, column in self.specs.items()}
        self.row = self.observer.seen(self.samples, self.observation, 1)
        read = {name: column.read(self.row) for name, column in self.observer.specs.items()}
        found = {name: values for name, values in read.items() if values is not None}
        self.places = {"time": self.samples.t[0, 0:1].reshape(())}
        for name, shape in self.shapes.items():
            self.places[name] = found[name].reshape(shape) if name in found else blank(name, 1, shape).reshape(shape)
        kept = [each for each in self.samples if each.size]
        looked = [each for each in self.observation if each.size]
        self.seen = {name for name, place in self.places.items() if _inside(place, looked)}
        # neither in the state nor in what is seen: worked out anew from both
        self.made = {
            name for name, place in self.places.items() if name in found and not _inside(place, [*kept, *looked])
        }
        self.numbers = {
            name: place
            for name, place in self.places.items()
            if place.ndim == 0 and name not in self.seen and name not in self.made
        }
        """Columns of one number each that needs no work: what is read in every step is mostly among them."""

    def see(self) -> Any:
        """Look at the present state: fills `observation`, which is returned."""
        if self._see is None:
            observer = self.observer
            self._see = bound(
                observe,
                self.tables,
                observer.scratch,
                observer.view,
                self.samples,
                1,
                self.observation,
            )
        else:
            self._see()
        return self.observation

    def call(self) -> Any:
        """The compiled call by which it looks."""
        self.see()
        return self._see.__self__  # type: ignore[union-attr]

    def __getitem__(self, name: str) -> Any:
        try:
            place = self.places[name]
        except (KeyError, TypeError):
            return self[self.meant(name)]
        if name in self.seen:
            self.see()
        elif name in self.made:
            self.make()
        return place.copy() if place.ndim else place[()]

    def meant(self, name: Any) -> str:
        """The column of this name, or the component of one; refused where there is none."""
        found = self.find(name) if isinstance(name, str) else None
        if found is None:
            raise OptionError(no_column(self.shapes, name))
        return found

    def find(self, name: str) -> str | None:
        """The name among `places` of a column, or of a component, which gets its place there; None for neither."""
        bodies = self.observer.system.body_names
        found = find_column(name, self.places, lambda: bodies)
        if found is not None:
            return found
        head, _, label = name.rpartition(".")
        column = find_column(head, self.shapes, lambda: bodies)
        place = None if column is None else component_place(column, self.shapes[column], self.units[column], label)
        if column is None or place is None:
            return None
        name, (k, unit) = f"{column}.{label}", place
        self.places[name], self.units[name] = self.places[column].reshape(-1)[k : k + 1].reshape(()), unit
        if column in self.seen:
            self.seen.add(name)
        else:  # what is made has no components
            self.numbers[name] = self.places[name]
        return name

    @cached_property
    def units(self) -> dict[str, str]:
        """Units of all columns, and of the components that were asked for."""
        return {"time": "s", **{name: column.unit for name, column in self.specs.items()}}

    def make(self) -> None:
        """Work out what is neither in the state nor in what is seen."""
        self.see()
        for name in self.made:
            self.places[name][...] = self.observer.value(name, self.row)[0]


class Readings:
    """The columns of a simulation whatever becomes of it: found anew when state or tables are other arrays."""

    def __init__(self, stepper: Stepper) -> None:
        self.stepper = stepper
        self._last: Reading | None = None

    def __getitem__(self, name: str) -> Any:
        """The present value of a column."""
        reading, stepper = self._last, self.stepper
        if reading is None or reading.state is not stepper.state or reading.tables is not stepper.tables:
            reading = self.now()
        try:
            return reading.numbers[name][()]
        except (KeyError, TypeError):
            return reading[name]

    def now(self) -> Reading:
        """Where the columns are now."""
        found, stepper = self._last, self.stepper
        if found is None or found.state is not stepper.state or found.tables is not stepper.tables:
            found = self._last = Reading(stepper, found)
        return found

    def see(self) -> Observation:
        """What the present state shows, by number; the next look overwrites it."""
        observation: Observation = self.now().see()
        return observation


class Reader:
    """Chosen columns of a simulation in one array of floats; made by `sim.reader`, called after every step.

    A call returns `values`, always the same array, with the present numbers in it: copy what you want to keep.
    `names` are the columns in its order, `slices` says where each stands, `units` in what. A column of several numbers
    (a position, a reaction) takes as many places. It goes on to be right after `sim.attach`, `sim.release` and
    `sim.reset`; columns of a joint that was released are zero.

    >>> sim = lw.Simulation(lw.gallery.pendulum.build(), dt=1e-3)
    >>> reader = sim.reader(["pin.position", "pin.velocity", "bob.position"])
    >>> sim.step(100)
    >>> values = reader()
    >>> values.shape, reader.slices["bob.position"]
    ((5,), slice(2, 5, None))
    >>> bool((values[reader.slices["bob.position"]] == sim["bob.position"]).all())
    True
    """

    def __init__(self, readings: Readings, columns: Sequence[str]) -> None:
        self._readings, self._stepper = readings, readings.stepper
        reading = readings.now()
        names = [columns] if isinstance(columns, str) else columns
        if not isinstance(names, (list, tuple)) or not names:
            raise OptionError(
                f"a reader needs the names of columns, not {shown(columns)}; give sim.reader(['pin.position'])"
            )
        names = self.names = [reading.meant(name) for name in names]
        self.slices: dict[str, slice] = {}
        size = 0
        for name in names:
            if name in self.slices:
                raise OptionError(f"a reader needs every column once, not {name!r} twice; remove one of them")
            self.slices[name] = slice(size, size := size + reading.places[name].size)
        self.values = np.zeros(size)
        self.units = {name: reading.units[name] for name in names}
        self._find(reading)

    def _find(self, reading: Reading) -> None:
        """Where the numbers are: in each of the arrays, from which places of it to which of ours."""
        self._reading = reading
        self._seen = any(name in reading.seen for name in self.names)
        self._made = any(name in reading.made for name in self.names)
        sources = [each for each in (*reading.samples, *reading.observation) if each.size]
        gathered: dict[int, tuple[list[Any], list[Any]]] = {}
        self._rest: list[tuple[Any, Any]] = []  # numbers that stand elsewhere
        for name, part in self.slices.items():
            found = reading.find(name)
            place = None if found is None else reading.places[found]
            if place is None:  # of a joint that was attached and released again
                self.values[part] = 0.0
                continue
            source = next((k for k, each in enumerate(sources) if _inside(place, [each])), None)
            if source is None:
                self._rest.append((self.values[part], place.reshape(-1)))
                continue
            flat, ours = gathered.setdefault(source, ([], []))
            flat.append(_numbers(place, sources[source]))
            ours.append(np.arange(part.start, part.stop))
        self._gathered = []
        for source, (flat, ours) in gathered.items():
            numbers, to = np.concatenate(flat), np.concatenate(ours)
            # one stretch of our array is filled in place
            straight = to.size == to[-1] - to[0] + 1 and bool((np.diff(to) == 1).all())
            room = self.values[to[0] : to[-1] + 1] if straight else np.zeros(to.size)
            self._gathered.append((sources[source].reshape(-1), numbers, room, None if straight else to))

    @property
    def worked_out(self) -> bool:
        """Whether a column of it is found in Python, and is neither in the state nor in what is seen."""
        return self._made

    def places(self) -> list[Any]:
        """Where its columns stand in memory, as long as state and tables are the same arrays."""
        reading = self._readings.now()
        return [reading.places[name] for name in self.names]

    def observation(self) -> Any:
        """The call that fills what is seen; None where it needs none."""
        return self._readings.now().call() if self._seen else None

    def __call__(self) -> Any:
        reading = self._reading
        stepper = self._stepper
        if reading.state is not stepper.state or reading.tables is not stepper.tables:
            self._find(reading := self._readings.now())
        if self._made:
            reading.make()
        elif self._seen:
            reading.see()
        values = self.values
        for flat, numbers, room, to in self._gathered:
            flat.take(numbers, None, room, "clip")
            if to is not None:
                values[to] = room
        for room, place in self._rest:
            room[...] = place
        return values


def _inside(place: Any, arrays: Sequence[Any]) -> bool:
    return any(np.may_share_memory(place, each) for each in arrays)


def _numbers(place: Any, array: Any) -> Any:
    """Where the numbers of a view are in the flat array that it looks into."""
    first = (place.__array_interface__["data"][0] - array.__array_interface__["data"][0]) // array.itemsize
    at = np.full(place.shape, first, dtype=np.intp)
    for axis, (size, stride) in enumerate(zip(place.shape, place.strides, strict=True)):
        at += (np.arange(size) * (stride // array.itemsize)).reshape(-1, *(1,) * (place.ndim - axis - 1))
    return at.reshape(-1)
