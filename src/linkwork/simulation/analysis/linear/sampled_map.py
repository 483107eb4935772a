"""What becomes of small motions between samples of controllers and sensors: one period as a map, by differences.

    z        displacements and velocities of the independent coordinates, numbers that are held, and what controllers
             and sensors remember, just after a sample
    Phi      z after a period = Phi z, by runs of copies of a simulation

Functions of controllers are the user's, so there is no other way than to call them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.assembly.tables import Floats
from linkwork.errors import OptionError
from linkwork.mechanics.size import dof_units
from linkwork.simulation.analysis.dynamics import integrate
from linkwork.simulation.analysis.linear.linearise import LinearPoint, carried_along, dof_label, ways_of
from linkwork.simulation.analysis.linear.slopes import Slopes
from linkwork.simulation.run import Simulation

STEP = 1e-4  # rad, or of the size, and such velocities; of held numbers that part, or so much
WHOLE = 1e-6  # of a period: what may be missing to a whole number of samples


class SampledMap:
    """One period of a simulation with controllers and sensors, from its present state."""

    def __init__(self, sim: Simulation, point: LinearPoint, period: float, steps: int, apart: Any) -> None:
        self.sim, self.point, self.steps, self._apart = sim, point, steps, apart
        for item in sim.controls.items:
            count = period / item.every
            if abs(count - round(count)) > WHOLE * count or round(count) < 1:
                raise OptionError(
                    f"{item.part.word} '{item.part.path}' acts every {item.every:g} s, of which {period:g} s are no "
                    "whole number; give a period= that is"
                )
        self.ways = ways_of(point)
        slopes = Slopes(point.system, point.cut_q, time=point.time, tables=point.tables)
        self.carried = carried_along(point, slopes, self.ways)
        self.held = self._held()
        unit = dof_units(point.system.tables)
        known = self._kept(sim)
        numbers = np.maximum(1.0, np.abs(known))
        self.unit = np.concatenate([unit[self.ways.places], unit[self.ways.free] / period, numbers])
        self.names = [f"{dof_label(point.system, k)}.position" for k in self.ways.places]
        self.names += [f"{dof_label(point.system, k)}.velocity" for k in self.ways.free]
        self.names += self._words()
        self.away = self.after(np.zeros(self.unit.size))

    def matrix(self) -> Floats:
        """Phi, by central differences that are extrapolated once."""
        columns = []
        for k in range(self.unit.size):
            way = np.zeros(self.unit.size)
            way[k] = STEP * self.unit[k]
            coarse, fine = ((self.after(s * way) - self.after(-s * way)) / (2 * s * way[k]) for s in (1.0, 0.5))
            columns.append((4.0 * fine - coarse) / 3.0)
        return np.array(columns).T

    def after(self, z: Floats) -> Floats:
        """z a period later, less what it is at the start."""
        p, f = len(self.ways.places), len(self.ways.free)
        x, w, kept = np.split(z, [p, p + f])
        sim, nq = self.sim.copy(), self.point.q.size
        y = sim.stepper.state.y
        y[:nq] = integrate(self.point.system, self.point.q, self.ways.P @ x, 1.0)
        y[nq : nq + self.point.v.size] = self.point.v + self.carried @ x + self.ways.N @ w
        self._keep(sim, self._kept(sim) + kept)
        sim.step(self.steps)
        moved = self._apart(self.point.q, sim.q)[self.ways.places]
        return np.concatenate([moved, (sim.v - self.point.v)[self.ways.free], self._kept(sim) - self._kept(self.sim)])

    def _held(self) -> list[int]:
        """Rows of the laws that controllers and sensors set."""
        moving, laws, rows = self.sim.stepper.moving, self.sim.stepper.tables.laws, []
        for item in self.sim.controls.items:
            if hasattr(item, "sets"):
                rows += [moving.inputs[name] for name in item.sets]
            else:
                rows += np.atleast_1d(laws.input_law[moving.held[item.part.path]]).tolist()
        return rows

    def _words(self) -> list[str]:
        words = [f"held {k + 1}" for k in range(len(self.held))]
        for item in self.sim.controls.items:
            words += [f"{item.part.path}.memory {k + 1}" for k in range(np.size(item.memory))]
        return words

    def _kept(self, sim: Simulation) -> Floats:
        """What is held and remembered."""
        memories = [np.ravel(item.memory) for item in sim.controls.items]
        return np.concatenate([sim.stepper.tables.laws.law_param[self.held, 0], *memories])

    def _keep(self, sim: Simulation, numbers: Floats) -> None:
        sim.stepper.tables.laws.law_param[self.held, 0] = numbers[: len(self.held)]
        sim.stepper.inputs.changed = True
        first = len(self.held)
        for item in sim.controls.items:
            item.memory[...] = numbers[first : first + item.memory.size].reshape(item.memory.shape)
            first += item.memory.size
