"""Rows of the loops, and what is left of a closed mechanism: its independent velocities and their mass matrix."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from linkwork.assembly.system import System
from linkwork.assembly.tables import Floats
from linkwork.simulation.analysis.dynamics import checked_coordinates, checked_time, mass_matrix
from linkwork.simulation.inverse.loop_forces import LoopForces


class Reduced(NamedTuple):
    """A closed mechanism in a position by its independent velocities: v = null_space @ v[independent]."""

    mass: Floats
    """Mass matrix of the independent velocities, (freedom, freedom)."""
    null_space: Floats
    """Motions that the loops allow, (nv, freedom); its rows `independent` are an identity."""
    independent: list[int]
    """Places in v of the independent velocities."""
    names: list[str]
    """The joints that they belong to."""


def constraint_jacobian(system: System, q: ArrayLike, *, time: float = 0.0) -> Floats:
    """Rows G of the loops and couplings, (rows, nv): G v is zero where grounds rest and motors are not counted.

    q must close the loops, as `run.q` or `lw.reach` do; `system.row_name(r)` says whose row it is. Redundant rows are
    there too. A row of a length is in m per unit of v, one of an angle in rad.

    >>> system = lw.assemble(lw.gallery.double_four_bar.build())
    >>> lw.constraint_jacobian(system, system.q_start).shape
    (10, 5)
    """
    loops = LoopForces(system)
    loops.at(checked_coordinates(system, q), np.zeros(system.nv), checked_time(time))
    return loops.closure.G.copy()


def reduced(system: System, q: ArrayLike, *, time: float = 0.0) -> Reduced:
    """Independent velocities of a mechanism in position q, which must close its loops, and their mass matrix.

    They are chosen so that the others follow from them as slowly as can be. In a singular position there are more of
    them than elsewhere.

    >>> system = lw.assemble(lw.gallery.double_four_bar.build())
    >>> found = lw.reduced(system, system.q_start)
    >>> found.mass.shape, found.null_space.shape, len(found.names)
    ((1, 1), (5, 1), 1)
    """
    from scipy.linalg import qr  # here, because it takes a third of a second

    q = checked_coordinates(system, q)
    loops = LoopForces(system)
    loops.at(q, np.zeros(system.nv), checked_time(time))
    free = loops.free
    chosen = sorted(qr(free.T, pivoting=True)[2][: free.shape[1]].tolist()) if free.size else []
    N = loops.dof[:, None] * free @ np.linalg.inv(free[chosen]) / loops.dof[chosen]
    mass = N.T @ mass_matrix(system, q) @ N
    return Reduced(0.5 * (mass + mass.T), N, chosen, [system.dof_name(k) for k in chosen])
