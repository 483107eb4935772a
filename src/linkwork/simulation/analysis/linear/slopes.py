"""Exact slopes at a state: accelerations, rates of rows and every column, along motions, velocities and inputs.

Kernels run with numbers that carry eight partial derivatives, so that closed loops, reactions and all forces are in
them. Laws compiled by `@lw.compiled` are differentiated so too; those that Python runs by differences.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork._kernels.duals import SLOPES, lift
from linkwork.assembly.laws.dual_laws import DualLaws
from linkwork.assembly.system import System
from linkwork.assembly.tables import Floats, Tables
from linkwork.errors import RunError
from linkwork.formulations.explicit.recursive import Recursive, run
from linkwork.formulations.samples import Samples, make_samples, make_state
from linkwork.mechanics.observation import observe
from linkwork.mechanics.tree.motions import coordinate_rates
from linkwork.simulation.results.columns.observe import Observer

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
        count = directions.v.shape[1]
        accelerations, columns = np.zeros((v.size, count)), {}
        if self.observer is not None:
            columns = {name: np.zeros((int(np.prod(shape)), count)) for name, shape in self.observer.columns.items()}
        for first in range(0, count, SLOPES):
            part = slice(first, min(first + SLOPES, count))
            self._place(q, v, Directions(*(each[:, part] for each in directions)))
            n = part.stop - first
            accelerations[:, part] = self._accelerations()[:, :n]
            for name, slopes in self._columns(n).items():
                columns[name][:, part] = slopes
        return Derivatives(accelerations, columns)

    def _place(self, q: Floats, v: Floats, directions: Directions) -> None:
        y, nq, n = self.state.y, q.size, directions.v.shape[1]
        y["d"], self.state.cut_q["d"] = 0.0, 0.0
        y["v"][:nq], y["v"][nq : nq + v.size] = q, v
        y["d"][:nq, :n], y["d"][nq : nq + v.size, :n] = directions.q, directions.v
        self.state.cut_q["v"] = self.cut_q
        if self.inputs:
            slopes = self.tables.laws.law_param["d"]
            slopes[self.inputs, 0] = 0.0
            slopes[self.inputs, 0, :n] = directions.inputs

    def _accelerations(self) -> Floats:
        if self._call is None:
            self._call = run.bind(self.tables, self.work, self.state, self.time, -1, 1.0, 1, 2, self.rows).again
        _, _, status = self._call()
        found: Floats = self.state.vd["d"]
        self.laws.check()
        if status != 0 or not np.isfinite(found).all():
            raise RunError(
                f"'{self.system.model.name}' cannot be linearised in this state: its forces have no slopes there; give "
                "another state"
            )
        return found

    def _columns(self, n: int) -> dict[str, Floats]:
        if self.observer is None:
            return {}
        for name in Samples._fields:
            getattr(self.rows, name)[0] = getattr(self.state, name)
        samples = self.rows._replace(inputs=self.rows.inputs[:0])
        observe(self.tables, self.scratch, self.view, samples, 1, self.observation)
        found = [column_slopes(self.observer, self.rows, self.observation, 1, k)[1] for k in range(n)]
        return {name: np.array([each[name].reshape(-1) for each in found]).T for name in self.observer.columns}


def without_slopes(system: System) -> str:
    """What is sampled or acts from elsewhere, so that slopes do not go through it; "" where nothing does."""
    for part in (*system.model.all_controllers(), *system.model.all_sensors()):
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
