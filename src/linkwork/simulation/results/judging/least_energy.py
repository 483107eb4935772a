"""Energies that count as nothing."""

from __future__ import annotations

import numpy as np

from linkwork.assembly.system import System
from linkwork.simulation.results.judging.limits import POOR_BALANCE

CREEP = 1e-6  # m/s: a mechanism that moves no faster stands still


def least_energy(system: System) -> float:
    """Energies below this are nothing, J: of all bodies at the speed of a creep, or lifted by what contacts overlap."""
    mass = float(sum(body.mass for body in system.model.all_bodies() if not body.hidden))
    colliders = system.tables.colliders
    slop = colliders.slop[(colliders.link >= system.tables.tree.grounds) & np.isfinite(colliders.slop)]
    lift = float(slop.max(initial=0.0)) / POOR_BALANCE
    return mass * (0.5 * CREEP**2 + float(np.linalg.norm(system.model.gravity)) * lift)
