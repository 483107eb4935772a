"""In which order controllers are called that are due at the same instant: those that others see come first.

What they set they do not share: an input has one writer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from linkwork.errors import ModelError
from linkwork.model.control.stepped import SteppedPart

if TYPE_CHECKING:
    from linkwork.simulation.sampled.controls import SampledController

Item = TypeVar("Item", bound="SampledController")

OF_INPUTS = ("value", "torque", "force")  # columns that show an input


def in_order(items: Sequence[Item]) -> list[Item]:
    """The controllers, each after those whose outputs it sees; in the order of the model where that leaves it open.

    Raises for controllers that see each other. Elements that are stepped, such as FMUs, may: they then get what was
    set at the instant before.
    """
    ordered: list[Item] = []
    feeding = {item.part.path: _feeding(item, items) for item in items}

    def place(item: Item, way: list[Item]) -> None:
        if item in way:
            circle = way[way.index(item) :]
            if not any(isinstance(each.part, SteppedPart) for each in circle):
                _refuse(circle, feeding)
        elif item not in ordered:
            for other, _ in feeding[item.part.path]:
                place(other, [*way, item])
            if item not in ordered:
                ordered.append(item)

    for item in items:
        place(item, [])
    return ordered


def _feeding(item: Item, items: Sequence[Item]) -> list[tuple[Item, str]]:
    """Who gives what a controller sees, by which of its columns; not itself, whose last output it may see."""
    found = []
    for other in items:
        shown = [f"{other.part.path}.output", *(f"{name}.{word}" for name in other.sets for word in OF_INPUTS)]
        columns = [name for name in item.columns if any(name == each or name.startswith(f"{each}.") for each in shown)]
        if columns and other is not item:
            found.append((other, columns[0]))
    return found


def _refuse(circle: list[Item], feeding: dict[str, list[tuple[Item, str]]]) -> None:
    told = []
    for item, other in zip(circle, [*circle[1:], circle[0]], strict=True):
        column = next(name for each, name in feeding[item.part.path] if each is other)
        told.append(f"{item.told} sees '{column}'")
    raise ModelError(
        f"algebraic circle: {' and '.join(told)} at the same instant, so that none can be called first; "
        "make them one controller"
    )


def refuse_second_writers(controllers: Sequence[SampledController]) -> None:
    """Raise where an input is set twice: the one that is called last would win, by the order of two lines."""
    writers: dict[str, str] = {}
    for each in controllers:
        for name in each.sets:
            other = writers.get(name)
            if other is not None:
                told = f"{other} and {each.told} both set" if other != each.told else f"{each.told} sets twice"
                raise ModelError(
                    f"{told} input '{name}', which can hold one number; remove one of them, or give each a torque or "
                    "force of its own, which add up"
                )
            writers[name] = each.told
