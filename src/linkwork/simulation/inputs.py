"""Inputs of a simulation: forces, torques and motors that can be set while it steps."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import Any

import numpy as np

from linkwork.assembly.tables import Floats
from linkwork.errors import OptionError
from linkwork.model import Constant, Cosine, Model, Table
from linkwork.model.checked import LARGEST, shown
from linkwork.model.container import AnyDrive
from linkwork.model.forces.force import ForceElement


class Inputs(MutableMapping[str, float]):
    """Forces, torques and motors whose law is a number, by name; setting one takes effect from the next step on."""

    def __init__(self, rows: dict[str, int], values: Floats, model: Model) -> None:
        self._rows, self._values, self._model = rows, values, model
        self._ended: set[str] = set()  # with joints that were released
        self.changed = False  # since the last step

    def begin(self, rows: dict[str, int], values: Floats) -> None:
        """As in a new simulation: with the numbers of its tables."""
        self._rows, self._values, self._ended, self.changed = rows, values, set(), False

    def kept(self) -> Inputs:
        """These inputs as they are, to go back to."""
        other = Inputs(self._rows, self._values, self._model)
        other._ended, other.changed = self._ended, self.changed
        return other

    def go_back(self, to: Inputs) -> None:
        """Be what `kept` gave."""
        self._rows, self._values, self._ended, self.changed = to._rows, to._values, to._ended, to.changed

    def copied(self, values: Floats) -> Inputs:
        """The same inputs in other tables."""
        other = self.kept()
        other._values = values
        return other

    def rebuilt(self, rows: dict[str, int], values: Floats) -> None:
        """Go on in other tables, with the numbers that were set."""
        for name, row in rows.items():
            if name in self._rows:
                values[row, 0] = self[name]
        self._ended = (self._ended | self._rows.keys()) - rows.keys()
        self._rows, self._values = rows, values

    def __getitem__(self, name: str) -> float:
        return float(self._values[self._row(name), 0])

    def __setitem__(self, name: str, value: float) -> None:
        number = self.checked(name, value)
        values, place = self._values, (self._rows[name], 0)
        if values[place] != number:
            values[place] = number
            self.changed = True

    def checked(self, name: str, value: float) -> float:
        """The number that input `name` would be set to, or a refusal."""
        if name not in self._rows:
            self._row(name)
        if isinstance(value, float) and abs(value) < LARGEST:  # numpy's float64 is one, too
            return value
        if not isinstance(value, (int, float, np.number)) or isinstance(value, bool) or not np.isfinite(value):
            raise OptionError(f"input '{name}' must be a finite number, not {shown(value)}; set another one")
        if not abs(value) < LARGEST:
            raise OptionError(f"input '{name}' is {value:g}, too large to compute with; set less than {LARGEST:g}")
        return float(value)

    def place(self, name: str) -> int:
        """The row of the laws' table in which an input stands."""
        return self._row(name)

    def __delitem__(self, name: str) -> None:
        raise OptionError(f"input '{name}' cannot be removed; set it to 0")

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def _row(self, name: str) -> int:
        if not isinstance(name, str):
            raise OptionError(self._unknown(name))
        if name in self._ended:
            raise OptionError(
                f"input {name!r} ended when its joint was released; set it only while {name!r} in sim.inputs"
            )
        if name not in self._rows:
            raise OptionError(self._unknown(name))
        return self._rows[name]

    def _unknown(self, name: Any) -> str:
        """Why there is no input of this name, and how to have one."""
        part: Any = None
        if name in self._model:
            part = self._model[name]
        for option in ("law", "velocity", "position") if isinstance(part, ForceElement | AnyDrive) else ():
            law: Any = getattr(part, option, None)
            if law is not None:
                told = {Cosine: "a cosine", Table: "a table", Constant: "three numbers"}.get(type(law), "a function")
                return (
                    f"{part.word} {name!r} is no input, because its {option} is {told} and only a number can be set; "
                    f"give it a number in the model, {option}=0.0, and set sim.inputs[{name!r}] between steps"
                )
        known = f"give one of {', '.join(map(repr, self._rows))}" if self._rows else "give a torque or force such a law"
        told = f", it is a {part.word}" if part is not None else ""
        return f"there is no input {shown(name)}{told} (one is a torque, force or motor whose law is a number); {known}"
