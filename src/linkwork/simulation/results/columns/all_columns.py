"""All columns that a system can show, in the order in which they are recorded."""

from __future__ import annotations

from itertools import chain

from linkwork.assembly.system import System
from linkwork.simulation.results.columns.border_columns import border_columns
from linkwork.simulation.results.columns.column import Column
from linkwork.simulation.results.columns.force_columns import element_columns
from linkwork.simulation.results.columns.joint_columns import body_columns, joint_columns, touch_columns
from linkwork.simulation.results.columns.motor_columns import motor_columns
from linkwork.simulation.results.columns.sampled_columns import sampled_columns
from linkwork.simulation.results.columns.state_columns import hidden_parts, state_columns
from linkwork.simulation.results.columns.stop_columns import stop_columns

OF_PARTS = (
    joint_columns,
    body_columns,
    border_columns,
    stop_columns,
    touch_columns,
    element_columns,
    motor_columns,
)


def columns_of(system: System) -> dict[str, Column]:
    """Every column of a system by its name. A new kind of column is one line of `OF_PARTS`.

    >>> columns = columns_of(lw.assemble(lw.gallery.pendulum.build()))
    >>> columns["pin.position"].unit, columns["bob.position"].shape
    ('rad', (3,))
    """
    found: dict[str, Column] = {}
    for column in chain.from_iterable(of(system) for of in OF_PARTS):
        found.setdefault(column.name, column)
    hidden = hidden_parts(system.model)
    shown = {name: each for name, each in found.items() if name.rpartition(".")[0] not in hidden} if hidden else found
    for column in chain(state_columns(system.model, found), sampled_columns(system)):
        shown[column.name] = column
    return shown
