"""Laws become rows of a table."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from linkwork.assembly.law_functions import Faults, python_function, tried
from linkwork.assembly.tables import Laws
from linkwork.model import Constant, Cosine, Law, Motor, Part, PythonLaw, Step, Table
from linkwork.spatial import codes

LAW_INPUTS = {1: codes.INPUT_NONE, 3: codes.INPUT_COORDINATE, 5: codes.INPUT_BODY}


class LawTable:
    """Collects laws; `tables()` gives the arrays. Keeps the compiled functions alive, those of `alive` serve again."""

    def __init__(self, alive: dict[Any, Any] | None = None, faults: Faults | None = None) -> None:
        self.kind: list[int] = []
        self.law_input: list[int] = []
        self.param: list[list[float]] = []
        self.knots: list[tuple[Any, Any]] = []
        self.address: list[int] = []
        self.alive: dict[Any, Any] = {} if alive is None else alive  # what laws became: functions, cubics
        self.inputs: dict[str, int] = {}  # rows of constant laws, by force
        self.faults = Faults() if faults is None else faults  # filled while running

    def add(self, law: Law, part: Part, *, motion: bool = False) -> tuple[int, bool]:
        """Row of `law`, and whether it gives three components. `part` is whose law it is."""
        if isinstance(law, PythonLaw):
            return self._function(law, f"{part.word} '{part.path}'", motion)
        row = len(self.kind)
        if isinstance(law, Cosine):
            self._row(codes.COSINE, [law.amplitude, law.frequency, law.phase, law.offset])
            return row, False
        if isinstance(law, Constant):
            values = np.atleast_1d(law.value)
            if values.size == 1 and not motion:
                self.inputs[part.path] = row
            for value in values:
                self._row(codes.CONSTANT, [float(value), 0.0, 0.0, 0.0])
            return row, values.size == 3
        if isinstance(law, Step):
            times, cubics = law.pieces()
            for rows in cubics:
                self._row(codes.TABLE, [0.0] * 4, (times, rows))
            return row, len(cubics) == 3
        assert isinstance(law, Table)
        if id(law) not in self.alive:
            columns = law.values.reshape(len(law.times), -1).T
            self.alive[id(law)] = (law, [(law.times, _cubics(law, column)) for column in columns])
        _, knots = self.alive[id(law)]
        for column in knots:
            self._row(codes.SPLINE if law.kind == "cubic" else codes.TABLE, [0.0] * 4, column)
        return row, len(knots) == 3

    def servo(self, motor: Motor) -> int:
        """Row of the torque by which a soft motor follows its law."""
        law, softness = motor.velocity if motor.position is None else motor.position, motor.softness
        assert law is not None
        assert softness is not None
        inner, _ = self.add(law, motor, motion=isinstance(law, PythonLaw))
        amounts = [softness.stiffness or 0.0, softness.damping or 0.0, motor.max_torque, float(inner)]
        kind = codes.PACER if motor.position is None else codes.SERVO
        self._row(kind, amounts, law_input=codes.INPUT_COORDINATE)
        return len(self.kind) - 1

    def _row(self, kind: int, param: list[float], knots: Any = None, law_input: int = 0, address: int = 0) -> None:
        self.kind.append(kind)
        self.param.append(param)
        self.knots.append(knots if knots is not None else (np.zeros(0), np.zeros((0, 4))))
        self.law_input.append(law_input)
        self.address.append(address)

    def _function(self, law: PythonLaw, law_input: str, motion: bool) -> tuple[int, bool]:
        key = (id(law), law_input, motion)
        if key not in self.alive:
            size = tried(law, law_input)
            if law.compiled:
                from linkwork.assembly.compiled_laws import compiled_function  # here: it needs numba

                handle, beside = compiled_function(law, size, law_input, motion, self.faults)
                address = handle.address
            else:
                handle = beside = python_function(law, size, law_input, motion, self.faults)
                address = ctypes.cast(handle, ctypes.c_void_p).value
            self.alive[key] = (law, handle, beside, size, int(address or 0))
        *_, size, address = self.alive[key]
        self._row(codes.FUNCTION, [0.0] * 4, law_input=LAW_INPUTS[law.arity], address=address)
        return len(self.kind) - 1, size == 3

    def tables(self) -> Laws:
        counts = [len(times) for times, _ in self.knots]
        return Laws(
            law_kind=np.array(self.kind, dtype=np.int64),
            law_input=np.array(self.law_input, dtype=np.int64),
            law_param=np.array(self.param, dtype=float).reshape(-1, 4),
            law_start=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            law_time=np.concatenate([times for times, _ in self.knots] + [np.zeros(0)]),
            law_value=np.concatenate([values for _, values in self.knots] + [np.zeros((0, 4))]),
            law_address=np.array(self.address, dtype=np.int64),
        )


def _cubics(law: Table, column: Any) -> Any:
    """(knot, 4) coefficients from the constant up; the last row holds the end value."""
    rows = np.zeros((len(law.times), 4))
    if law.kind == "cubic":
        from scipy.interpolate import CubicSpline  # here, because it takes a third of a second

        rows[:-1] = CubicSpline(law.times, column).c[::-1].T
    else:
        rows[:-1, 1] = np.diff(column) / np.diff(law.times)
    rows[:, 0] = column
    return rows
