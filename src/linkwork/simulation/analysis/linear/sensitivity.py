"""`sensitivity`: how every column of a run changes with the parameters of the model, exactly along the run.

Parameters are numbers of a model by their names, or arguments of a function that builds one. What becomes of them in
the tables and the start is affine or smooth and is differenced there, with six builds a parameter; from then on the run
itself carries the slopes, through loops and singular positions, however stiff or chaotic it is.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork._kernels.duals import SLOPES, lift
from linkwork.assembly.laws.dual_laws import DualLaws
from linkwork.assembly.tables import Floats
from linkwork.errors import OptionError, RunError
from linkwork.formulations.explicit.recursive import Recursive, run
from linkwork.formulations.samples import make_samples
from linkwork.mechanics.observation import observe
from linkwork.model import Model
from linkwork.model.checked import did_you_mean, real, shown
from linkwork.simulation.analysis.linear.parameters import number, varied
from linkwork.simulation.analysis.linear.slopes import column_slopes, warn_of_rough, without_slopes
from linkwork.simulation.methods import positive
from linkwork.simulation.results.columns.observe import Observer
from linkwork.simulation.run import Simulation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Measure = Callable[[Mapping[str, Floats]], float]
STEP = 1e-3  # of a parameter, or of 1: for what the building function makes of it, extrapolated twice
MEASURE_STEP = 1e-4  # of a parameter, or of 1 where it is zero: for measures of the columns


class Tornado(list[tuple[str, float]]):
    """Parameters by their influence on a measure, largest first: its slope times the parameter."""

    def __init__(self, model_name: str, measure: str, effects: Mapping[str, float]) -> None:
        super().__init__(sorted(effects.items(), key=lambda each: -abs(each[1])))
        self.model_name, self.measure = model_name, measure

    def plot(self, file: str | PathLike[str] | None = None, show: bool = False) -> Figure:
        """A bar for each parameter: by how much 10 % more of it change the measure; to `file` (.png, .svg, .pdf)."""
        from linkwork.viewer.pictures.sensitivity_plot import plot_tornado

        return plot_tornado(self, file, show)

    def __str__(self) -> str:
        width = max((len(name) for name, _ in self), default=0)
        lines = [f"{name:{width}} {0.1 * effect:+12.4g}" for name, effect in self]
        return "\n".join([f"'{self.model_name}': {self.measure} for each 10 % more of", *lines])


@dataclass(frozen=True)
class Sensitivity:
    """Slopes of the columns of a run with the parameters of its model, at the times `time` (s).

    `run["pin.position"]` is a column, `run.slope("pin.position", "damper.damping")` how it changes.

    >>> found = lw.sensitivity(lw.gallery.pendulum.build, {"length": 1.0}, until=1.0, dt=0.01)
    >>> found.slope("pin.position", "length").shape
    (101,)
    """

    model_name: str
    parameters: dict[str, float]
    time: Floats
    columns: dict[str, Floats]
    slopes: dict[str, dict[str, Floats]] = field(repr=False)  # by parameter, then by column
    units: dict[str, str] = field(repr=False)  # of the columns
    measures: dict[str, Measure] = field(default_factory=dict, repr=False)

    def __getitem__(self, column: str) -> Floats:
        """A column, with a row for each time."""
        if column not in self.columns:
            raise OptionError(f"there is no column '{column}'{did_you_mean(column, self.columns)}")
        return self.columns[column]

    def slope(self, column: str, parameter: str) -> Floats:
        """d column / d parameter at all times; components as in the column."""
        if parameter not in self.slopes:
            raise OptionError(f"'{parameter}' was not varied{did_you_mean(parameter, self.slopes)}")
        self[column]
        return self.slopes[parameter][column]

    def measure(self, function: str | Measure) -> dict[str, float]:
        """d function(columns) / d parameter for every parameter; `function` gives one number, such as a largest force.

        It may be the name of one of the `measures`.

        >>> found = lw.sensitivity(lw.gallery.pendulum.build, {"length": 1.0}, until=1.0, dt=0.01)
        >>> round(found.measure(lambda run: run["pin.position"][-1])["length"], 3)
        0.9
        """
        function = self._named(function)
        answers = {}
        for name, slopes in self.slopes.items():
            h = MEASURE_STEP * (abs(self.parameters[name]) or 1.0)
            ends = [
                float(function({**self._moved(slopes, side * h), "time": self.time})) for side in (-1.0, 1.0, -0.5, 0.5)
            ]
            coarse, fine = (ends[1] - ends[0]) / (2.0 * h), (ends[3] - ends[2]) / h
            answers[name] = (4.0 * fine - coarse) / 3.0
        return answers

    def _moved(self, slopes: dict[str, Floats], h: float) -> dict[str, Floats]:
        return {column: values + h * slopes[column] for column, values in self.columns.items()}

    def tornado(self, function: str | Measure) -> Tornado:
        """Parameters by their influence on a measure, largest first: its slope times the parameter's own size.

        One that is zero has no size to compare with, and comes last; `measure` has its slope.
        """
        slopes = self.measure(function)
        name = function if isinstance(function, str) else getattr(function, "__name__", "the measure")
        effects = {each: slope * self.parameters[each] for each, slope in slopes.items()}
        return Tornado(self.model_name, "the measure" if name == "<lambda>" else name, effects)

    def plot(
        self, column: str, file: str | PathLike[str] | None = None, *, share: float = 0.1, show: bool = False
    ) -> Figure:
        """A column over time with a band for a change of each parameter by `share` of it; to `file` (.png, .svg)."""
        from linkwork.viewer.pictures.sensitivity_plot import plot_bands

        return plot_bands(self, column, positive("share", share, ""), file, show)

    def _named(self, function: str | Measure) -> Measure:
        if not isinstance(function, str):
            return function
        if function not in self.measures:
            raise OptionError(
                f"there is no measure '{function}'{did_you_mean(function, self.measures)}; give it to lw.sensitivity "
                "by measures=, or give a function of the columns"
            )
        return self.measures[function]


def sensitivity(
    model: Model | Callable[..., Model],
    parameters: str | Sequence[str] | Mapping[str, float],
    *,
    until: float,
    dt: float = 1e-3,
    every: int = 1,
    columns: str | Sequence[str] = "all",
    integrator: str = "rk4",
    measures: Mapping[str, Measure] | None = None,
) -> Sensitivity:
    """Slopes of a run of a model with its numbers, by method "recursive".

    `parameters` are names of numbers in the model ("damper.damping", "rod.mass", "rod.com.x", "push.law"), or, where a
    function that builds it is given in its place, its arguments with their values: {"length": 1.0}. They may change
    lengths, masses, stiffness, laws given by numbers, and start values, as long as bodies, joints and forces stay the
    same. Laws must not jump on the way: that they would jump at another moment is not in the slopes. `until` and `dt`
    in seconds; rows are kept every `every` steps. `measures` are functions of the columns by name.

    >>> model = lw.gallery.car.build()
    >>> names = ["car body.mass", "left suspension.damper.coil.stiffness"]
    >>> run = lw.sensitivity(model, names, until=0.1, columns="car body.*")
    >>> run.slope("car body.position", "car body.mass").shape
    (101, 3)
    """
    positive("until", until, "s")
    positive("dt", dt, "s")
    if isinstance(model, Model):
        wanted = (parameters,) if isinstance(parameters, str) else tuple(parameters)
        values = {name: number(model, name) for name in wanted}
        build: Callable[..., Model] = partial(_with, model)
    else:
        if not isinstance(parameters, Mapping):
            raise OptionError("give the arguments of the function with their values, as in {'stiffness': 1e4}")
        values = {name: _number(name, value) for name, value in parameters.items()}
        build = model
    if not values:
        raise OptionError("name the parameters to vary, with their values, as in {'stiffness': 1e4}")
    method = Recursive(dt=dt, integrator=integrator)
    here = _Start(build, values, method)
    observer = Observer(here.system, columns)
    names = list(values)
    found: dict[str, dict[str, Floats]] = {}
    time: Floats = np.zeros(0)
    shown_columns: dict[str, Floats] = {}
    for first in range(0, len(names), SLOPES):
        group = names[first : first + SLOPES]
        seeds = [here.slopes(build, values, name, method) for name in group]
        for name, seed in zip(group, seeds, strict=True):
            if isinstance(model, Model) and not any(np.any(slope) for slope in seed):
                raise OptionError(f"nothing in a run of '{model.name}' depends on '{name}'; leave it out")
        time, shown_columns, slopes = _run(here, seeds, observer, dt, round(until / dt), every)
        found |= {name: slopes[k] for k, name in enumerate(group)}
    return Sensitivity(
        here.system.model.name, values, time, shown_columns, found, observer.units(), dict(measures or {})
    )


def _with(model: Model, **values: float) -> Model:
    return varied(model, values)


def _number(name: str, value: Any) -> float:
    number = real(value)
    if number is None or not np.isfinite(number):
        raise OptionError(f"the parameter '{name}' must be a finite number, not {shown(value)}; correct it")
    return number


class _Start:
    """A simulation that has not stepped yet, and the arrays in which a run begins."""

    def __init__(self, build: Callable[..., Model], values: Mapping[str, float], method: Recursive) -> None:
        sim = Simulation(build(**values), method=method)
        stepper = sim.stepper
        self.system, self.method = stepper.moving, method
        events = [f"the {event.word} '{event.path}'" for event in self.system.model.all_events()]
        what = events[0] if events else without_slopes(self.system)
        if what:
            raise OptionError(f"'{self.system.model.name}' has {what}, which slopes do not go through; leave it out")
        self.parts = (stepper.tables, method.prepare(stepper.tables), stepper.state)

    def slopes(self, build: Any, values: Mapping[str, float], name: str, method: Recursive) -> list[Floats]:
        """Slopes of all float arrays with a parameter: central differences, extrapolated twice."""
        h = STEP * (abs(values[name]) or 1.0)
        ends = {}
        for part in (-1.0, 1.0, -0.5, 0.5, -0.25, 0.25):
            other = _Start(build, {**values, name: values[name] + part * h}, method)
            self._check_same(other, name)
            ends[part] = _floats(other.parts)
        found = []
        for k in range(len(ends[1.0])):
            coarse, fine, finest = ((ends[s][k] - ends[-s][k]) / (2.0 * s * h) for s in (1.0, 0.5, 0.25))
            first, second = (4.0 * fine - coarse) / 3.0, (4.0 * finest - fine) / 3.0
            found.append((16.0 * second - first) / 15.0)
        return found

    def _check_same(self, other: _Start, name: str) -> None:
        mine, its = (list(_arrays(each.parts)) for each in (self, other))
        # addresses of laws are whole numbers too, and differ
        whole = [(a, b) for a, b in zip(mine, its, strict=False) if a.dtype.kind not in "if"]
        same = [a.shape for a in mine] == [b.shape for b in its] and all(np.array_equal(a, b) for a, b in whole)
        if not same or self.system.joint_names != other.system.joint_names:
            raise OptionError(
                f"bodies, joints or forces of '{self.system.model.name}' change with '{name}'; vary what keeps them"
            )


def _arrays(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, tuple):
        for each in value:
            yield from _arrays(each)


def _floats(parts: Any) -> list[Floats]:
    return [each.copy() for each in _arrays(parts) if each.dtype == np.float64]


def _run(
    here: _Start, seeds: list[list[Floats]], observer: Observer, dt: float, steps: int, every: int
) -> tuple[Floats, dict[str, Floats], list[dict[str, Floats]]]:
    """Times, columns, and their slopes along each seed."""
    system = here.system
    laws = DualLaws(system, here.parts[0])
    tables, work, state = lifted = lift(copy.deepcopy(here.parts))  # whole numbers too: every batch begins anew
    places = [each for each in _arrays(lifted) if each.dtype.names is not None]
    for k, seed in enumerate(seeds):
        for place, slope in zip(places, seed, strict=True):
            place["d"][..., k] = np.where(np.isfinite(slope), slope, 0.0)
    tables = laws.put_in(tables)
    rows = lift(make_samples(here.parts[2], steps // every + 1))
    status = run(tables, work, state, 0.0, -1, dt, 1, 1, rows)[2]
    kept = 1
    if status == 0 and steps:
        state.row[0] = 1
        _, more, status = run(tables, work, state, 0.0, 0, dt, steps, every, rows)
        kept += more
    laws.check()
    if status != 0:
        raise RunError(
            f"the run of '{system.model.name}' stopped at t = {float(state.t['v'][0]):.6g} s; "
            "simulate it alone to see why"
        )
    warn_of_rough(laws)
    observation = lift(observer.room(make_samples(here.parts[2], kept), kept))
    scratch, view = (lift(each) for each in (observer.scratch, observer.view))
    observe(tables, scratch, view, rows._replace(inputs=rows.inputs[:0]), kept, observation)
    found = [column_slopes(observer, rows, observation, kept, k) for k in range(len(seeds))]
    return rows.t["v"][:kept, 0].copy(), found[0][0], [slopes for _, slopes in found]
