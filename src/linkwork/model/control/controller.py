"""Sampled controllers and sensors: data, and the methods of models that add them."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Never

from linkwork.errors import ModelError
from linkwork.model import checked
from linkwork.model.body import Body, Ground, Part
from linkwork.model.checked import Vector, VectorLike
from linkwork.model.contact.touch import TouchSensor
from linkwork.model.container import Container
from linkwork.model.joints.joint import Joint

# what sensors measure: of a body or of a joint, how many numbers, their unit
OF_BODY = {
    "accelerometer": (3, "m/s2"),
    "gyroscope": (3, "rad/s"),
    "position": (3, "m"),
    "rotation": (4, "1"),
    "velocity": (3, "m/s"),
}
OF_JOINT = {"encoder": (1, "rad or m"), "tachometer": (1, "rad/s or m/s"), "load cell": (6, "N, N m")}
OF_TOUCH = {"touch": (1, "N")}
OF_ALL = OF_BODY | OF_JOINT | OF_TOUCH
WHOLE = 1e-9  # of a period: what may be missing to a whole number of them


@dataclass(frozen=True)
class Normal:
    """Noise of a sensor: normal, with a `mean` (a bias) and a standard `deviation`, in the unit of the sensor.

    The numbers depend on the name of the sensor, the `seed` and the count of samples alone: a run repeats to the bit.

    >>> lw.Normal(0, 0.02)
    Normal(mean=0.0, deviation=0.02, seed=0)
    """

    mean: float = 0.0
    deviation: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", checked.number(self.mean, "Normal", "mean"))
        object.__setattr__(self, "deviation", checked.not_negative(self.deviation, "Normal", "deviation"))
        object.__setattr__(self, "seed", checked.whole(self.seed, "Normal", "seed", "a sequence", 0))


@dataclass(frozen=True, eq=False, repr=False)
class Controller(Part):
    """A function that is called `every` so many seconds and sets inputs. Made by `model.controller`."""

    function: Callable[..., Any]
    every: float
    sees: tuple[str, ...]
    sets: tuple[str, ...]
    memory: tuple[float, ...]

    @property
    def about(self) -> str:
        """What it sets."""
        return f"sets {', '.join(self.sets)}"


@dataclass(frozen=True, eq=False, repr=False)
class Sensor(Part):
    """Measures a body or a joint `every` so many seconds. Made by `model.sensor`."""

    target: Body | Joint | TouchSensor
    kind: str
    every: float
    at: Vector
    noise: Normal | None
    delay: int  # periods
    resolution: float

    @property
    def size(self) -> int:
        """How many numbers it gives."""
        return OF_ALL[self.kind][0]

    @property
    def unit(self) -> str:
        """Their unit."""
        return OF_ALL[self.kind][1]

    @property
    def about(self) -> str:
        """What it measures."""
        return f"{self.kind} of {self.target.path}"


class ControlVerbs(Container):
    """Adds what is sampled: controllers and sensors."""

    def controller(
        self,
        name: str,
        function: Callable[..., Any],
        *,
        every: float,
        sees: Sequence[str] = (),
        sets: Sequence[str] | str = (),
        memory: Sequence[float] = (),
        **unknown: Never,
    ) -> Controller:
        """Call a function every so many seconds, at t = 0 first; what it returns is held until the next call.

        `function` takes `(t, seen)`: the time (s) and the numbers of the columns `sees` ("elbow.position", "imu",
        "pin.reaction.fz", any column of a run). It returns the number of each input that it `sets`: torques, forces and
        motors whose law is a number. With `memory`, numbers at the start, it takes `(t, seen, memory)` and may change
        the array `memory`, which is saved with the state of a simulation. Steps end exactly at its instants. An
        `@lw.compiled` function is faster. Column: `name.output`.

        >>> model = lw.Model("arm")
        >>> arm = model.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -0.5))
        >>> shoulder = model.revolute("shoulder", "ground", arm, at=(0, 0, 0), axis=(0, 1, 0), position=0.5)
        >>> drive = model.torque("drive", shoulder, 0.0)
        >>> def hold(t, seen):
        ...     return -40.0 * seen[0] - 6.0 * seen[1]
        >>> seen = ["shoulder.position", "shoulder.velocity"]
        >>> model.controller("pd", hold, every=1e-3, sees=seen, sets=["drive"])
        <controller 'pd'>
        >>> run = lw.simulate(model, until=2.0, dt=1e-3)
        >>> bool(abs(run["shoulder.position"][-1]) < 1e-3)
        True
        """
        what = self._new("controller", name)
        self._only_known("controller", what, unknown)
        if not callable(function):
            raise ModelError(f"{what}: {checked.shown(function)} cannot be called; give a function of (t, seen)")
        if not len(sets):
            raise ModelError(f"{what}: it sets nothing; give sets=['drive'], torques, forces or motors with a number")
        start = tuple(checked.array(list(memory), what, "memory", "a list of numbers").tolist())
        wanted = 3 if start else 2
        if _parameters(function) not in (wanted, -1):
            told = "(t, seen, memory)" if start else "(t, seen), or give memory= too"
            raise ModelError(f"{what}: its function has {_parameters(function)} parameters; write it as one of {told}")
        columns, inputs = _names(what, "sees", sees), _names(what, "sets", sets)
        period = checked.positive(every, what, "every", "seconds")
        return self._keep(self.controllers, Controller(name, self, function, period, columns, inputs, start))

    def sensor(
        self,
        name: str,
        target: Body | Joint | TouchSensor | str,
        *,
        kind: str,
        rate: float,
        at: VectorLike = (0.0, 0.0, 0.0),
        noise: Normal | None = None,
        delay: float = 0.0,
        resolution: float = 0.0,
        **unknown: Never,
    ) -> Sensor:
        """Measure a body or joint `rate` times a second; the reading is held until the next one.

        Of a body: "accelerometer" (m/s2, what a real one shows, 9.81 upwards at rest; body axes, at the point `at` in m
        of its frame), "gyroscope" (rad/s, body axes), "position", "velocity" (world axes), "rotation". Of a joint:
        "encoder" (its position), "tachometer" (its velocity), "load cell" (its reaction). Of a touch sensor: "touch".
        `noise` is an `lw.Normal`,
        `delay` (s) whole periods until a reading is out, `resolution` the step that it is rounded to. Controllers and
        laws see it by its name. Column: `name.reading`.

        >>> model = lw.Model("box")
        >>> box = model.body("box", mass=1.0, shape=lw.Box((1, 1, 1)))
        >>> weld = model.fixed("weld", "ground", box)
        >>> imu = model.sensor("imu", box, kind="accelerometer", rate=1000)
        >>> lw.simulate(model, until=0.01, dt=1e-3)["imu.reading"][-1].round(9).tolist()
        [0.0, 0.0, 9.81]
        """
        what = self._new("sensor", name)
        self._only_known("sensor", what, unknown)
        place: Any = self._find(target, what) if isinstance(target, str) else target
        kinds = OF_JOINT if isinstance(place, Joint) else OF_TOUCH if isinstance(place, TouchSensor) else OF_BODY
        if not isinstance(place, Joint | Body | TouchSensor) or isinstance(place, Ground):
            raise ModelError(f"{what}: {checked.shown(place)} is no body or joint that moves; give one")
        if kind not in kinds:
            hint = checked.did_you_mean(str(kind), kinds) or f"; give one of {', '.join(map(repr, kinds))}"
            raise ModelError(f"{what}: {checked.shown(kind)} is no sensor of a {place.word}{hint}")
        if isinstance(place, Joint) and kind != "load cell" and place.nv != 1:
            raise ModelError(f"{what}: the {place.kind} joint '{place.path}' has not one coordinate; measure its body")
        if noise is not None and not isinstance(noise, Normal):
            raise ModelError(f"{what}: noise is {checked.shown(noise)}; give noise=lw.Normal(0, 0.02)")
        every = 1.0 / checked.positive(rate, what, "rate", "samples a second")
        periods = checked.not_negative(delay, what, "delay", "seconds") / every
        if abs(periods - round(periods)) > WHOLE * max(1.0, periods):
            raise ModelError(f"{what}: delay is {periods:.6g} periods of {every:g} s; give delay= a whole number")
        self._inside(place, what)
        point = checked.vector(at, what, "at", 3, "metres")
        step = checked.not_negative(resolution, what, "resolution")
        sensor = Sensor(name, self, place, kind, every, point, noise, round(periods), step)
        return self._keep(self.sensors, sensor)


class SignalVerbs(Container):
    """Adds names for columns."""

    def signal(self, name: str, column: str) -> str:
        """Give a column a name that laws and controllers outside can see, whatever is inside. Returns the name.

        It is to columns what a port is to bodies: a part can change inside while its signals stay.

        >>> class Motor(lw.Subsystem):
        ...     def build(self):
        ...         rotor = self.body("rotor", mass=1.0, inertia=(0.1, 0.1, 0.1))
        ...         self.revolute("shaft", self.ground, rotor, at=(0, 0, 0), axis=(0, 0, 1), velocity=3.0)
        ...         self.signal("speed", "shaft.velocity")
        >>> model = lw.Model("drive")
        >>> left = model.add("left", Motor())
        >>> seen = model.torque("brake", left.shaft, lw.PythonLaw(lambda t, seen: -seen[0], sees=["left.speed"]))
        >>> float(lw.Simulation(model, "recursive")["brake.torque"])
        -3.0
        """
        what = self._new("signal", name)
        if not isinstance(column, str) or not column.strip():
            raise ModelError(f"{what}: its column is {checked.shown(column)}; give a name such as 'shaft.velocity'")
        if name in self.signals:
            raise ModelError(f"{what}: the name is taken by another signal; choose another name")
        self.signals[name] = column
        return name


def _names(what: str, option: str, given: Sequence[str] | str) -> tuple[str, ...]:
    found = (given,) if isinstance(given, str) else tuple(given)
    for each in found:
        if not isinstance(each, str) or not each.strip():
            raise ModelError(f"{what}: {option} holds {checked.shown(each)}, which is no name; give names")
    return found


def _parameters(function: Any) -> int:
    """How many parameters without a default a function has; -1 where Python does not know."""
    try:
        items = inspect.signature(getattr(function, "py_func", function)).parameters.values()
    except (ValueError, TypeError):
        return -1
    if any(item.kind is item.VAR_POSITIONAL for item in items):
        return -1
    row = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(item.kind in row and item.default is item.empty for item in items)


def noise_numbers(noise: Normal, name: str, count: int, size: int) -> list[float]:
    """The noise of sample `count` of a sensor: `size` normal numbers, by Box and Muller from a hash of the count."""
    found: list[float] = []
    key = noise.seed
    for letter in name.encode():
        key = (key ^ letter) * 0x100000001B3 & MASK
    for k in range(0, size, 2):
        u, w = (_uniform(key, count * 8 + k + j) for j in (0, 1))
        radius = math.sqrt(-2.0 * math.log(u))
        found += [radius * math.cos(2.0 * math.pi * w), radius * math.sin(2.0 * math.pi * w)]
    return [noise.mean + noise.deviation * each for each in found[:size]]


MASK = 2**64 - 1


def _uniform(key: int, count: int) -> float:
    """A number above 0, up to 1: the bits of key and count mixed (splitmix64)."""
    z = (key + (count + 1) * 0x9E3779B97F4A7C15) & MASK
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return ((z ^ (z >> 31)) + 1) / 2.0**64
