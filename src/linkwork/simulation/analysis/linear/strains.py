"""Where a small motion stores its energy: springs, stiff joints, bushings and tyres, by their stretches and forces."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkwork.assembly.system import System
from linkwork.assembly.tables import Floats
from linkwork.model import Bushing, Spring, TorsionSpring, Tyre

Complexes = NDArray[np.complex128]


class Strain(NamedTuple):
    """How an element is stretched by the positions, and the force that resists: twice its energy is stretch x force."""

    stretch: Floats  # (number, positions)
    force: Floats

    def energy(self, shapes: Complexes) -> Floats:
        """J, of each shape: positions, a column each."""
        stretch, force = self.stretch @ shapes, self.force @ shapes
        return np.asarray(0.5 * np.real(np.sum(stretch.conj() * force, axis=0)))


def strain_columns(system: System) -> list[str]:
    """Columns that `strains` needs the slopes of."""
    asked: list[str] = []

    def note(column: str) -> Floats:
        asked.append(column)
        return np.zeros((1, 1))

    strains(system, note)
    return asked


def strains(system: System, slopes: Callable[[str], Floats]) -> dict[str, Strain]:
    """Of every element that stores energy, by name; `slopes` gives those of a column with the positions."""
    found = {}
    for force in system.model.all_forces():
        name = force.path
        if isinstance(force, Spring):
            found[name] = Strain(slopes(f"{name}.length"), slopes(f"{name}.force"))
        elif isinstance(force, TorsionSpring):
            found[name] = Strain(slopes(f"{force.joint.path}.position"), -slopes(f"{name}.torque"))
        elif isinstance(force, Bushing):
            found[f"{name}, shifted"] = Strain(slopes(f"{name}.deflection"), -slopes(f"{name}.force"))
            found[f"{name}, turned"] = Strain(slopes(f"{name}.turn"), -slopes(f"{name}.torque"))
        elif isinstance(force, Tyre):
            load = slopes(f"{name}.load")
            found[name] = Strain(load / force.stiffness, load)
    for joint in system.model.all_joints():
        if joint.stiffness:
            turned = slopes(f"{joint.path}.position")
            found[joint.path] = Strain(turned, joint.stiffness * turned)
    return found
