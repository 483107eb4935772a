"""Force elements by name, and the tables without one of them: who makes a mode fast is found by leaving it out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from linkwork.assembly.system import System
from linkwork.assembly.tables import Forces, Ints, Tables
from linkwork.model import Force, Gyroscope, Joint, Spring, Torque, TorsionSpring, Tyre
from linkwork.spatial import codes

OFF = {  # what makes a row of a table do nothing
    "spring": {"spring_k": 0.0, "spring_c": 0.0, "spring_elastic": -1, "spring_viscous": -1, "spring_law": -1},
    "coil": {"coil_k": 0.0, "coil_c": 0.0},
    "tyre": {"tyre_k": 0.0, "tyre_c": 0.0, "tyre_side": -1},
    "rotor": {"rotor_momentum": 0.0},
}


class Element(NamedTuple):
    """A force element, or the stiffness and damping of a joint: its part of the model, and its rows in a table."""

    word: str
    path: str
    table: str
    rows: Ints

    @property
    def what(self) -> str:
        """Such as "spring 'cord'"."""
        return f"{self.word} '{self.path}'"


def left_out(tables: Tables, group: Sequence[Element]) -> Tables:
    """The tables without these elements."""
    forces = tables.forces
    for table in {each.table for each in group}:
        rows = np.concatenate([each.rows for each in group if each.table == table])
        if table in OFF:
            changed = {name: getattr(forces, name).copy() for name in OFF[table]}
            for name, value in OFF[table].items():
                changed[name][rows] = value
        else:
            names = [name for name in Forces._fields if name.startswith(f"{table}_")]
            changed = {name: np.delete(getattr(forces, name), rows, axis=0) for name in names}
        forces = forces._replace(**changed)
    return tables._replace(forces=forces)


def elements(system: System) -> Iterator[Element]:
    """All of them, in the order in which assembly fills the tables."""
    places = {place.name: place for place in (*system.joints, *system.cuts)}
    count = dict.fromkeys(("spring", "coil", "drive", "tyre", "rotor", "load"), 0)

    def element(word: str, path: str, table: str, rows: int = 1) -> Element:
        first = count[table]
        count[table] += rows
        return Element(word, path, table, np.arange(first, count[table]))

    for joint in system.model.all_joints():
        if joint.damping or joint.stiffness:
            at = places[joint.path].v
            yield element("joint", joint.path, "coil", at.stop - at.start)
    for force in system.model.all_forces():
        acts_in = force.target if isinstance(force, Torque) else getattr(force, "joint", None)
        if isinstance(acts_in, Joint) and acts_in.path not in places:
            continue  # released, or not attached yet
        if isinstance(force, Spring):
            table = "spring"
        elif isinstance(force, TorsionSpring):
            table = "coil"
        elif isinstance(force, Torque) and isinstance(force.target, Joint):
            table = "drive"
        elif isinstance(force, Tyre):
            table = "tyre"
        elif isinstance(force, Gyroscope):
            table = "rotor"
        else:
            assert isinstance(force, (Force, Torque))
            table = "load"
        yield element(force.word, force.path, table)


def answers(tables: Tables) -> bool:
    """Whether any force changes with positions or velocities, beside weight: without, nothing can be stiff."""
    forces, laws = tables.forces, tables.laws
    numbers = (forces.spring_k, forces.spring_c, forces.coil_k, forces.coil_c, forces.rotor_momentum)
    curves = (forces.spring_elastic, forces.spring_viscous)
    used = np.concatenate([forces.drive_law, forces.load_law, forces.spring_law[forces.spring_law >= 0]])
    return bool(
        any(np.any(each) for each in numbers)
        or any(np.any(each >= 0) for each in curves)
        or forces.tyre_link.size
        or np.any(laws.law_input[used] != codes.TOLD_TIME)
    )
