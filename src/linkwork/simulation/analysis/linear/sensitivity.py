"""`sensitivity`: how every column of a run changes with the parameters of the model, exactly along the run.

Parameters are arguments of a function that builds the model. What it makes of them, tables and start, is affine or
smooth and is differenced there, with four builds a parameter; from then on the run itself carries the slopes, through
loops and singular positions, however stiff or chaotic it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

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
from linkwork.simulation.analysis.linear.slopes import column_slopes, without_slopes
from linkwork.simulation.methods import positive
from linkwork.simulation.results.columns.observe import Observer
from linkwork.simulation.run import Simulation

STEP = 1e-3  # of a parameter, or of 1: for what the building function makes of it, extrapolated twice
MEASURE_STEP = 1e-4  # of a parameter, or of 1 where it is zero: for measures of the columns


@dataclass(frozen=True)
class Sensitivity:
    """Slopes of the columns of a run with the parameters of its model, at the times `time` (s).

    >>> found = lw.sensitivity(lw.gallery.pendulum.build, {"length": 1.0}, until=1.0, dt=0.01)
    >>> found.slope("pin.position", "length").shape
    (101,)
    """

    model_name: str
    parameters: dict[str, float]
    time: Floats
    columns: dict[str, Floats]
    slopes: dict[str, dict[str, Floats]] = field(repr=False)  # by parameter, then by column

    def slope(self, column: str, parameter: str) -> Floats:
        """d column / d parameter at all times; components as in the column."""
        if parameter not in self.slopes:
            raise OptionError(f"'{parameter}' was not varied{did_you_mean(parameter, self.slopes)}")
        if column not in self.columns:
            raise OptionError(f"there is no column '{column}'{did_you_mean(column, self.columns)}")
        return self.slopes[parameter][column]

    def measure(self, function: Callable[[Mapping[str, Floats]], float]) -> dict[str, float]:
        """d function(columns) / d parameter for every parameter; `function` gives one number, such as a largest force.

        >>> found = lw.sensitivity(lw.gallery.pendulum.build, {"length": 1.0}, until=1.0, dt=0.01)
        >>> round(found.measure(lambda run: run["pin.position"][-1])["length"], 3)
        0.9
        """
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

    def tornado(self, function: Callable[[Mapping[str, Floats]], float]) -> list[tuple[str, float]]:
        """Parameters by their influence on a measure, largest first: its slope times the parameter's own size."""
        effects = {name: slope * self.parameters[name] for name, slope in self.measure(function).items()}
        return sorted(effects.items(), key=lambda each: -abs(each[1]))


def sensitivity(
    build: Callable[..., Model],
    parameters: Mapping[str, float],
    *,
    until: float,
    dt: float = 1e-3,
    every: int = 1,
    columns: str | Sequence[str] = "all",
    integrator: str = "rk4",
) -> Sensitivity:
    """Slopes of a run of `build(**parameters)` with these parameters, by method "recursive".

    `until` and `dt` in seconds; rows are kept every `every` steps. Parameters may change lengths, masses, stiffness,
    laws given by numbers, and start values, as long as bodies, joints and forces stay the same.
    """
    if not parameters:
        raise OptionError("name the parameters to vary, with their values, as in {'stiffness': 1e4}")
    positive("until", until, "s")
    positive("dt", dt, "s")
    values = {name: _number(name, value) for name, value in parameters.items()}
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
        time, shown_columns, slopes = _run(here, seeds, observer, dt, round(until / dt), every)
        found |= {name: slopes[k] for k, name in enumerate(group)}
    return Sensitivity(here.system.model.name, values, time, shown_columns, found)


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
    tables, work, state = lifted = lift(here.parts)
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
    observation = lift(observer.room(make_samples(here.parts[2], kept), kept))
    scratch, view = (lift(each) for each in (observer.scratch, observer.view))
    observe(tables, scratch, view, rows._replace(inputs=rows.inputs[:0]), kept, observation)
    found = [column_slopes(observer, rows, observation, kept, k) for k in range(len(seeds))]
    return rows.t["v"][:kept, 0].copy(), found[0][0], [slopes for _, slopes in found]
