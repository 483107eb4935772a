"""Calls of an FMU that carries a component: at every stage of a step it asks for the forces at its ports.

FMI 3 calls this an intermediate update: within the step the FMU calls a function of its host, which gets the report of
the border (the poses and velocities of the ports, r and D) and sets the forces.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from linkwork.assembly.partition import message_size
from linkwork.assembly.tables import Floats
from linkwork.formats.fmi.imported.fmu_calls import FMUCalls, FMUFailure, VariableGroup
from linkwork.formats.fmi.imported.fmu_description import ImportedDescription

ORDER = "border.order"
NUMBERS = ctypes.POINTER(ctypes.c_double)


class BorderCalls(FMUCalls):
    """One instance; `stage` is called with the report in `up`, and leaves forces in `down`."""

    def __init__(
        self,
        description: ImportedDescription,
        folder: Path,
        name: str,
        ports: Sequence[str],
        boxes: tuple[Floats, Floats],
        stage: Callable[[], None],
    ) -> None:
        self._up, self._down, self._stage = *boxes, stage
        self.failed: BaseException | None = None
        reports, forces = _names(ports)
        missing = [each for each in (*reports, *forces, ORDER) if each not in description.variables]
        if missing or self._up.size != message_size(len(ports)) or self._down.size != len(forces):
            raise FMUFailure(f"its border has no variable '{missing[0]}'" if missing else "its border has another size")
        self._reports, self._forces, self._order = (
            (ctypes.c_uint32 * len(names))(*(description.variables[each].reference for each in names))
            for names in (reports, forces, [ORDER])
        )
        self._report, self._answer = (box.ctypes.data_as(NUMBERS) for box in boxes)
        super().__init__(description, folder, name)

    def _instantiate_3(self, **more: Any) -> None:
        super()._instantiate_3(
            intermediateUpdate=self._update, requiredIntermediateVariables=[*self._reports, *self._forces], **more
        )

    def start(self, gravity: dict[str, float]) -> None:
        """Initialise it; nothing is evaluated yet."""
        variables = self.description.variables
        found = [(variables[name], value) for name, value in gravity.items()]
        self.begin(0.0, found, VariableGroup(self.description, []), ())

    def advance(self, begin: float, first: int, h: float, steps: int) -> None:
        """Take these steps, stage by stage; -1 as the first evaluates the present state."""
        order = (ctypes.c_double * 4)(begin, float(first), h, float(steps))
        self.call("fmi3SetFloat64", self.fmu.component, self._order, 1, order, 4)
        try:
            self.fmu.doStep(begin + max(first, 0) * h, max(steps, 1) * h)
        except Exception as error:
            raise self.failed or self._failure("its step failed", error) from None
        if self.failed is not None:
            raise self.failed

    def _update(self, *_: Any) -> None:
        """Called by the FMU at a stage; nothing can be raised here."""
        fmu, up, down = self.fmu, self._up, self._down
        try:
            fmu.fmi3GetFloat64(fmu.component, self._reports, len(self._reports), self._report, up.size)
            self._stage()
            fmu.fmi3SetFloat64(fmu.component, self._forces, len(self._forces), self._answer, down.size)
        except BaseException as error:
            self.failed = self.failed or error


def _names(ports: Sequence[str]) -> tuple[list[str], list[str]]:
    """Variables of the report and of the forces, in the order of the messages."""
    reports = [f"border.{port}.{name}" for port in ports for name in ("rotation", "position", "velocity", "r")]
    forces = [f"{port}.{name}.{axis}" for port in ports for name in ("force", "torque") for axis in "xyz"]
    return ["border.gap", *reports, "border.D"], forces
