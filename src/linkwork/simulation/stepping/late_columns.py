"""What laws see of the last step: reactions, contact forces, accelerations, what springs do. Held during a step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import ModelError, OptionError
from linkwork.simulation.reading import Reader, Readings

if TYPE_CHECKING:
    from linkwork.simulation.stepping.stepper import Stepper


class LateColumns:
    """Reads these columns after every step and puts them where laws find them."""

    def __init__(self, stepper: Stepper, readings: Readings) -> None:
        self.stepper, self.readings = stepper, readings
        self._system: Any = None
        self._reader: Reader | None = None
        self._places: Any = None

    @property
    def any(self) -> bool:
        """Whether a law sees such a column."""
        return bool(self.stepper.moving.late)

    def sample(self) -> None:
        """The step is over: read them."""
        system = self.stepper.moving
        if system is not self._system:
            self._find(system)
        if self._reader is None:
            return
        laws, values = self.stepper.tables.laws, self._reader()
        rows = laws.input_law[self._places]
        if not np.array_equal(laws.law_param[rows, 0], values):
            laws.law_param[rows, 0] = values
            self.stepper.inputs.changed = True

    def _find(self, system: Any) -> None:
        """Joints that come and go change places."""
        self._system, self._reader = system, None
        reading = self.readings.now()
        columns = []
        for column, told in system.late.items():
            try:
                columns.append(reading.meant(column))
            except OptionError as error:
                raise ModelError(f"{told}: its law sees '{column}', but {error}") from None
        if columns:
            self._reader = Reader(self.readings, columns)
            self._places = np.concatenate(
                [np.arange(each.start, each.stop) for each in map(system.held.get, system.late)]
            )
