"""Force elements by name, and the tables without one of them: who makes a mode fast is found by leaving it out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from linkwork.assembly.elements.force_tables import TABLES
from linkwork.assembly.system import System
from linkwork.assembly.tables import Forces, Ints, Tables
from linkwork.spatial import codes


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
        strength, choices = TABLES[table]
        names = (*strength, *choices) or [name for name in Forces._fields if name.startswith(f"{table}_")]
        changed = {name: getattr(forces, name).copy() for name in names}
        for name, values in changed.items():
            if strength:
                values[rows] = 0.0 if name in strength else -1
            else:  # a law cannot be turned off
                changed[name] = np.delete(values, rows, axis=0)
        forces = forces._replace(**changed)
    return tables._replace(forces=forces)


def elements(system: System) -> Iterator[Element]:
    """Joints with damping or stiffness, then force elements: the order in which assembly fills the tables."""
    first = 0
    for joint in system.model.all_joints():
        if joint.damping or joint.stiffness:
            yield Element("joint", joint.path, "coil", np.arange(first, first + joint.nv))
            first += joint.nv
    for force in system.model.all_forces():
        if force.path in system.force_rows:
            table, row = system.force_rows[force.path]
            yield Element(force.word, force.path, table, np.arange(row, row + 1))


def answers(tables: Tables) -> bool:
    """Whether any force changes with positions or velocities, beside weight: without, nothing can be stiff."""
    forces, laws = tables.forces, tables.laws
    is_law = [name for name in Forces._fields if name.endswith("_law")]
    strengths = [getattr(forces, name) for table in TABLES.values() for name in table.strength]
    curves = [getattr(forces, name) for table in TABLES.values() for name in table.choices if name not in is_law]
    used = np.concatenate([getattr(forces, name) for name in is_law])
    return bool(
        any(np.any(each) for each in strengths)
        or any(np.any(each >= 0) for each in curves)
        or np.any(laws.law_input[used[used >= 0]] != codes.INPUT_NONE)
    )
