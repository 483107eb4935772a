"""Exact slopes at a state: accelerations, rates of rows and every column, along motions, velocities and inputs.

Kernels run with numbers that carry eight partial derivatives, so that closed loops, reactions and all forces are in
them. Laws compiled by `@lw.compiled` are differentiated so too; those that Python runs by differences.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from linkwork._kernels.duals import SLOPES, lift
from linkwork.assembly.laws.dual_laws import DualLaws
from linkwork.assembly.system import System
from linkwork.assembly.tables import Floats, Tables
from linkwork.errors import ModelWarning, RunError
from linkwork.formulations.explicit.recursive import Recursive, run
from linkwork.formulations.samples import Samples, make_samples, make_state
from linkwork.mechanics.observation import observe
from linkwork.mechanics.tree.motions import coordinate_rates
from linkwork.simulation.results.columns.observe import Observer
from linkwork.simulation.results.judging.warning import warn

STEP = 1e-40  # along the imaginary axis: so small that its square counts for nothing


class Directions(NamedTuple):
    """Ways to go from a state, a column each: of coordinates, velocities and inputs."""

    q: Floats  # (nq, n)
    v: Floats  # (nv, n)
    inputs: Floats  # (input, n)


class Derivatives(NamedTuple):
    """Slopes along directions, a column each."""

    accelerations: Floats  # (nv, n)
    columns: dict[str, Floats]  # (components, n) by name


class Slopes:
    """Slopes of a system at states near the coordinates `cut_q` of the joints that close loops.

    `inputs` are rows of laws (`system.inputs`) that directions may vary, `columns` what is asked for beside the
    accelerations.

    >>> system = lw.assemble(lw.gallery.pendulum.build())
    >>> at = Slopes(system, system.cut_start)
    >>> one, none = np.eye(1), np.zeros((1, 1))
    >>> found = at.along(np.zeros(1), np.zeros(1), at.directions(np.zeros(1), one, none))
    >>> round(float(found.accelerations[0, 0]), 6)
    -9.81
    """

    def __init__(
        self,
        system: System,
        cut_q: Floats,
        *,
        time: float = 0.0,
        tables: Tables | None = None,
        inputs: tuple[int, ...] = (),
        columns: tuple[str, ...] = (),
    ) -> None:
        self.system, self.time, self.cut_q, self.inputs = system, time, cut_q, list(inputs)
        self.plain = system.tables if tables is None else tables
        self.laws = DualLaws(system, self.plain)
        self.tables = self.laws.put_in(lift(self.plain))
        self.work = lift(Recursive(stabilize=False).prepare(self.plain))
        state = make_state(self.plain, np.zeros(system.nq + system.nv + self.plain.tree.accounts), cut_q)
        self.state, self.rows = lift(state), lift(make_samples(state, 1))
        self._values, self._slopes, self._found = self.state.y["v"], self.state.y["d"], self.state.vd["d"]
        self._numbers = (time, -1, 1.0, 1, 2)
        self._call: Any = None
        self.observer = Observer(system, columns, self.plain) if columns else None
        if self.observer is not None:
            self.scratch, self.view = lift(self.observer.scratch), lift(self.observer.view)
            self.observation = lift(self.observer.room(make_samples(state, 1), 1))

    def directions(self, q: Floats, moves: Floats, rates: Floats, inputs: Floats | None = None) -> Directions:
        """Directions of displacements (nv, n), rotations by the exponential map, velocities (nv, n) and inputs."""
        dq = np.zeros((q.size, moves.shape[1]))
        for k in range(moves.shape[1]):
            out = np.zeros(q.size + moves.shape[0])
            coordinate_rates(self.plain.tree, q, np.ascontiguousarray(moves[:, k]), out)
            dq[:, k] = out[: q.size]
        return Directions(dq, rates, np.zeros((len(self.inputs), rates.shape[1])) if inputs is None else inputs)

    def along(self, q: Floats, v: Floats, directions: Directions) -> Derivatives:
        """Slopes at q and v."""
        count, nv = directions.v.shape[1], v.size
        accelerations, columns = np.zeros((nv, count)), {}
        if self.observer is not None:
            columns = {name: np.zeros((int(np.prod(shape)), count)) for name, shape in self.observer.columns.items()}
        m, slopes = q.size + nv, self._slopes
        self._values[: q.size], self._values[q.size : m] = q, v
        ways = np.concatenate([directions.q, directions.v])
        for first in range(0, count, SLOPES):
            n = min(SLOPES, count - first)
            slopes[:m, :n] = ways[:, first : first + n]
            slopes[m:] = 0.0
            if n < SLOPES:
                slopes[:m, n:] = 0.0
            self._place(directions.inputs[:, first : first + n])
            self._evaluate()
            accelerations[:, first : first + n] = self._found[:, :n]
            if self.observer is not None:
                for name, some in self._columns(self.observer, n).items():
                    columns[name][:, first : first + n] = some
        self.laws.check()
        if not math.isfinite(accelerations.sum()):
            self._refuse()
        return Derivatives(accelerations, columns)

    def _place(self, inputs: Floats) -> None:
        """Cut coordinates as they were, and slopes of the inputs."""
        if self.cut_q.size:
            self.state.cut_q["v"], self.state.cut_q["d"] = self.cut_q, 0.0
        if self.inputs:
            slopes = self.tables.laws.law_param["d"]
            slopes[self.inputs, 0] = 0.0
            slopes[self.inputs, 0, : inputs.shape[1]] = inputs

    def _evaluate(self) -> None:
        if self._call is None:
            self._call = run.bind(self.tables, self.work, self.state, *self._numbers, self.rows)
        self.state.t["v"][0] = self.time  # motors count their ways from here
        if self._call(*self._numbers)[2] != 0:
            self.laws.check()
            self._refuse()

    def _refuse(self) -> None:
        raise RunError(
            f"'{self.system.model.name}' cannot be linearised in this state: its forces have no slopes there; give "
            "another state"
        )

    def _columns(self, observer: Observer, n: int) -> dict[str, Floats]:
        for name in Samples._fields:
            getattr(self.rows, name)[0] = getattr(self.state, name)
        samples = self.rows._replace(inputs=self.rows.inputs[:0])
        observe(self.tables, self.scratch, self.view, samples, 1, self.observation)
        found = [column_slopes(observer, self.rows, self.observation, 1, k)[1] for k in range(n)]
        return {name: np.array([each[name].reshape(-1) for each in found]).T for name in observer.columns}


def warn_of_rough(laws: DualLaws) -> None:
    """Warn of laws in Python whose differences are no slopes."""
    for part in sorted(laws.rough):
        warn(
            f"the law of {part} has no certain slope in this state: differences with other steps disagree; put "
            "@lw.compiled above it, or make it smooth",
            ModelWarning,
        )


def without_slopes(system: System, sampled: bool = False) -> str:
    """What is `sampled` or acts from elsewhere, so that slopes do not go through it; "" where nothing does."""
    for part in () if sampled else (*system.model.all_controllers(), *system.model.all_sensors()):
        return f"the {part.word} '{part.path}'"
    if system.late:
        return f"the law of {next(iter(system.late.values()))}, which sees the last step,"
    return "a component elsewhere" if system.foreign else ""


def column_slopes(observer: Observer, rows: Any, observation: Any, count: int, k: int) -> tuple[Any, dict[str, Floats]]:
    """Columns of lifted samples and what they show, and their slopes k, by a complex step.

    What Python makes of numbers from kernels are sums and products, so a step along the imaginary axis is exact.
    """
    found = observer.named(_complex(rows, k), _complex(observation, k), count)
    columns = {name: np.real(each).copy() for name, each in found.items()}
    return columns, {name: np.imag(each) / STEP for name, each in found.items()}


def _complex(table: Any, k: int) -> Any:
    """A lifted table with slope k as the imaginary part, times a step."""
    return type(table)(
        *(each if each.dtype.names is None else each["v"] + 1j * STEP * each["d"][..., k] for each in table)
    )
