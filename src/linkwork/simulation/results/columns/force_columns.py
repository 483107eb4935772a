"""What is recorded of a force element: its columns, where the observation has them, their shapes and units."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

from linkwork.assembly.system import System
from linkwork.assembly.tables import Forces
from linkwork.model import Bushing, Distance, Force, ForceElement, Joint, Spring, Torque, TorsionSpring, Tyre
from linkwork.model.forces.tyre import Gyroscope
from linkwork.simulation.results.columns.column import Column, Read, Seen, nothing
from linkwork.simulation.results.columns.units import joint_units, split_unit

# numbers that `linkwork.mechanics.observation.Observation` has of every element of a table
OBSERVED = {"spring": 3, "coil": 2, "drive": 2, "load": 4, "tyre": 8, "rotor": 3, "bushing": 13}


class ForceColumn(NamedTuple):
    """Numbers `first` to `last` of the element's row in its table of `linkwork.mechanics.observation.Observation`."""

    first: int
    last: int
    unit: str

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the column in one row."""
        return () if self.last == self.first + 1 else (self.last - self.first,)


def force_columns(force: ForceElement) -> dict[str, ForceColumn]:
    """Columns of a force element by their last word. `power` is what it feeds into the mechanism, W.

    >>> model = lw.gallery.manipulator.build()
    >>> drive = next(force for force in model.all_forces() if isinstance(force, Torque))
    >>> {word: column.unit for word, column in force_columns(drive).items()}
    {'torque': 'N m', 'power': 'W'}
    """
    match force:
        case Spring():
            return {
                "length": ForceColumn(0, 1, "m"),
                "force": ForceColumn(1, 2, "N"),
                "power": ForceColumn(2, 3, "W"),
            }
        case TorsionSpring():
            return {"torque": ForceColumn(0, 1, "N m"), "power": ForceColumn(1, 2, "W")}
        case Torque(target=Joint() as joint):
            unit = effort_unit(joint, force.coordinate)
            return {"torque": ForceColumn(0, 1, unit), "power": ForceColumn(1, 2, "W")}
        case Torque():
            return {"torque": ForceColumn(0, 3, "N m"), "power": ForceColumn(3, 4, "W")}
        case Force():
            return {"force": ForceColumn(0, 3, "N"), "power": ForceColumn(3, 4, "W")}
        case Tyre():
            return {
                "load": ForceColumn(6, 7, "N"),
                "force": ForceColumn(0, 3, "N"),
                "torque": ForceColumn(3, 6, "N m"),
                "power": ForceColumn(7, 8, "W"),
            }
        case Bushing():
            return {
                "force": ForceColumn(0, 3, "N"),
                "torque": ForceColumn(3, 6, "N m"),
                "deflection": ForceColumn(6, 9, "m"),
                "turn": ForceColumn(9, 12, "rad"),
                "power": ForceColumn(12, 13, "W"),
            }
        case Gyroscope():
            return {"torque": ForceColumn(0, 3, "N m")}
    return {}


def element_columns(system: System) -> Iterator[Column]:
    """Columns of all force elements."""
    for force in system.model.all_forces():
        place = system.force_rows.get(force.path)
        for quantity, column in force_columns(force).items():
            read: Read = nothing if place is None else partial(_observed, place=place, column=column)
            yield Column(f"{force.path}.{quantity}", column.shape, column.unit, read)


def _observed(seen: Seen, place: tuple[str, int], column: ForceColumn) -> Any:
    table, row = place
    return getattr(seen.observation, table)[:, row, column.first : column.last]


def observed_forces(forces: Forces) -> Iterator[tuple[str, int, int]]:
    """Every table of force elements: its name, how many elements it has, how many numbers are observed of each."""
    for table, width in OBSERVED.items():
        first = next(name for name in Forces._fields if name.startswith(f"{table}_"))
        yield table, len(getattr(forces, first)), width


def effort_unit(joint: Joint, coordinate: int) -> str:
    """Unit of a force on a coordinate of a joint."""
    if isinstance(joint, Distance):
        return "N"
    rate = split_unit(joint_units(joint.kind)["velocity"], joint.nv)[coordinate]
    return "N" if rate == "m/s" else "N m"
