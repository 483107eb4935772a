"""Components of columns by name: "rod.position.z", "pin.reaction.fx"."""

from __future__ import annotations

import math
from collections.abc import Iterable

from linkwork.simulation.results.columns.column import Column
from linkwork.simulation.results.columns.column_names import fitting
from linkwork.simulation.results.columns.units import component_names, split_unit

# short names of the components of a reaction
SHORT = {f"{word[0]}{axis}": f"{word} {axis}" for word in ("force", "torque") for axis in "xyz"}


def component_labels(column: str, unit: str, shape: tuple[int, ...]) -> list[tuple[str, str]]:
    """Full name and unit of every component of a column; of a column of plain numbers its own.

    >>> component_labels("rod.position", "m", (3,))
    [('rod.position.x', 'm'), ('rod.position.y', 'm'), ('rod.position.z', 'm')]
    """
    width = math.prod(shape)
    labels = component_names(column.rpartition(".")[2], unit, width)
    return [
        (f"{column}.{label}" if label else column, word)
        for label, word in zip(labels, split_unit(unit, width), strict=True)
    ]


def full_name(name: str) -> str:
    """The name of a component with short ones written out.

    >>> full_name("pin.reaction.fx")
    'pin.reaction.force x'
    """
    column, _, label = name.rpartition(".")
    return f"{column}.{SHORT[label]}" if column.endswith(".reaction") and label in SHORT else name


def component_place(column: str, shape: tuple[int, ...], unit: str, label: str) -> tuple[int, str] | None:
    """Which component of a column is called so, and its unit; None where none is.

    >>> component_place("pin.reaction", (6,), "N,N,N,N m,N m,N m", "ty")
    (4, 'N m')
    """
    if not shape:
        return None
    wanted = full_name(f"{column}.{label}")
    labels = component_labels(column, unit, shape)
    return next(((k, word) for k, (each, word) in enumerate(labels) if each == wanted), None)


def all_components(columns: Iterable[Column]) -> dict[str, tuple[str, int, str]]:
    """Every component of columns of several numbers: its column, its place there, its unit."""
    return {
        label: (column.name, k, unit)
        for column in columns
        if column.shape
        for k, (label, unit) in enumerate(component_labels(column.name, column.unit, column.shape))
    }


def matching_components(components: Iterable[str], pattern: str) -> list[str]:
    """Full names of components that fit a pattern by that or by their short name.

    >>> matching_components(["pin.reaction.force x", "rod.position.x"], "*.reaction.f*")
    ['pin.reaction.force x']
    """
    return [label for label in components if fitting(pattern, [label, _short_name(label)])]


def _short_name(label: str) -> str:
    column, _, word = label.rpartition(".")
    what, _, axis = word.partition(" ")
    return f"{column}.{what[0]}{axis}" if column.endswith(".reaction") and axis else label
