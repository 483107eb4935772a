"""Forces through closed loops: which joint forces the loops carry, which move the mechanism, and how they are shared.

    tau   joint forces that the open tree needs for a motion          G  rows of the loops, with multipliers lam
    N     columns that span the motions which the loops allow         B  rows of the actuators, with efforts u

A motion that keeps the loops closed needs tau = B^T u + G^T lam. Along the free motions the multipliers do no work,
which leaves N^T tau = (B N)^T u for the efforts; the multipliers follow. Everything is made free of units first, with
lengths as parts of the size of the model, so that tau, u and lam are all J and ranks do not depend on the units.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.assembly.system import System
from linkwork.assembly.tables import Floats
from linkwork.mechanics.size import dof_units, row_units
from linkwork.simulation.starts.mobility import DEPENDENT
from linkwork.simulation.starts.start import Closure

DEAD = 1e-7  # of what an actuator could move at most: with less the position is a dead point


class Shares(NamedTuple):
    """How joint forces are shared between actuators and loops."""

    efforts: Floats  # (actuator,)
    multipliers: Floats  # (row,)
    rank: int  # of the actuators along the free motions
    grip: float  # smallest part of the free motions that the actuators move; 0 in a dead point
    stuck: Floats  # (dof, …) free motions that no actuator moves, without units
    left: float  # what is out of balance, as a part of the largest force


class LoopForces:
    """Rows of the loops at one position, without units, and what they leave free."""

    def __init__(self, system: System) -> None:
        self.system, self.closure = system, Closure(system)
        self.dof, self.row = dof_units(system.tables), row_units(system.tables)

    def at(self, q: Floats, v: Floats, time: float) -> None:
        """Move to a position; `free` are the motions that the loops allow there."""
        self.closure.time = time
        self.closure.at(q, v)
        self.G = self.closure.G * self.dof / self.row[:, None]
        if self.G.size:
            self.U, sizes, V = np.linalg.svd(self.G)
            self.rank = int(np.sum(sizes > DEPENDENT * sizes[0])) if sizes[0] > 0.0 else 0
            self.sizes, self.V = sizes[: self.rank], V
            self.free = V[self.rank :].T
        else:
            self.rank, self.free = 0, np.eye(self.system.nv)

    def multipliers(self, tau: Floats) -> Floats:
        """Least multipliers (J) whose rows carry the joint forces tau (J), as far as loops can."""
        if not self.rank:
            return np.zeros(self.system.rows)
        found: Floats = self.U[:, : self.rank] @ ((self.V[: self.rank] @ tau) / self.sizes)
        return found

    def closed(self, a: Floats, allowed: Floats) -> tuple[Floats, float]:
        """Accelerations nearest to `a` that keep the loops closed, as `allowed` do, and the largest change, 1/s2."""
        if not self.rank:
            return a, 0.0
        held = self.V[: self.rank]
        change = held.T @ (held @ ((a - allowed) / self.dof))
        return a - self.dof * change, float(np.max(np.abs(change), initial=0.0))

    def pace(self, v: Floats, *accelerations: Floats) -> float:
        """What accelerations are compared with, 1/s2: the largest of them, or of those that the velocities bring."""
        speed = float(np.max(np.abs(v / self.dof), initial=0.0))
        return max(speed**2, *(float(np.max(np.abs(a / self.dof), initial=0.0)) for a in accelerations)) or 1.0

    def shares(self, tau: Floats, B: Floats, unit: Floats, weights: Floats) -> Shares:
        """Efforts of the actuators with rows B, of least weighted norm where there are too many, and the multipliers.

        `unit` is what a rate of an actuator is compared with: the size of the model, m, or 1 rad.
        """
        wanted = self.dof * tau
        rows = B * self.dof / unit[:, None]
        scale = 1.0 / np.sqrt(weights)
        reach = scale[:, None] * (rows @ self.free)  # (actuator, free motion)
        U, sizes, V = np.linalg.svd(reach)
        most = float(np.max(np.linalg.norm(scale[:, None] * rows, axis=1), initial=0.0)) or 1.0
        rank = int(np.sum(sizes > DEAD * most))
        along = self.free.T @ wanted
        u = scale * (U[:, :rank] @ ((V[:rank] @ along) / sizes[:rank]))
        lam = self.multipliers(wanted - rows.T @ u)
        left = wanted - rows.T @ u - self.G.T @ lam
        largest = float(np.max(np.abs(wanted), initial=0.0)) or 1.0
        grip = float(sizes[-1] / most) if len(sizes) == self.free.shape[1] and len(sizes) else 0.0
        stuck = self.free @ V[rank:].T
        return Shares(u / unit, lam / self.row, rank, grip, stuck, float(np.max(np.abs(left), initial=0.0)) / largest)

    def names(self, motions: Floats) -> list[str]:
        """The joints by which so many motions (dof, …) can be told apart, the one that moves most first."""
        left, found = motions.copy(), []
        for _ in range(motions.shape[1]):
            k = int(np.argmax(np.linalg.norm(left, axis=1)))
            found.append(self.system.dof_name(k))
            way = left[k] / (np.linalg.norm(left[k]) or 1.0)
            left -= np.outer(left @ way, way)
        return list(dict.fromkeys(found))
