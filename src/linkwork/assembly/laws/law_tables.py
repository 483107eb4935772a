"""Laws become rows of a table."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from linkwork.assembly.laws.law_functions import Faults, python_function, tried
from linkwork.assembly.laws.signals import SeenNumber, Sight, refuse_circles
from linkwork.assembly.tables import Laws
from linkwork.errors import ModelError
from linkwork.model import Constant, Cosine, Law, Motor, Part, PythonLaw, Step, Table
from linkwork.model.laws.states import StateRate
from linkwork.spatial import codes
from linkwork.spatial.codes import LOOKED

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
        self.held: dict[str, tuple[int, int]] = {}  # of what is sampled: its first row and how many
        self.sight: Sight | None = None  # finds what laws see
        self.seen: list[tuple[SeenNumber, str]] = []  # what laws see, and whose law it is
        self.blocks: dict[str, tuple[int, int]] = {}  # of a law that sees, by its part: its block and its address
        self.faults = Faults() if faults is None else faults  # filled while running

    def add(self, law: Law, part: Part, *, motion: bool = False) -> tuple[int, bool]:
        """Row of `law`, and whether it gives three components. `part` is whose law it is."""
        if isinstance(law, PythonLaw) and law.arity in (2, 4):
            return self._seeing(law, part)
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
            self.alive[id(law)] = (law, [(law.times, table_cubics(law, column)) for column in columns])
        _, knots = self.alive[id(law)]
        for column in knots:
            self._row(codes.SPLINE if law.kind == "cubic" else codes.TABLE, [0.0] * 4, column)
        return row, len(knots) == 3

    def hold(self, name: str, size: int) -> None:
        """Rows of the numbers of a sensor or column, which are held between its samples."""
        self.held[name] = (len(self.kind), size)
        for _ in range(size):
            self._row(codes.CONSTANT, [0.0] * 4)

    def hold_late(self) -> dict[str, str]:
        """Rows for what laws see of the last step: the columns, and who sees them. Raises for algebraic circles."""
        late = {} if self.sight is None else self.sight.late
        for column, (size, _) in late.items():
            self.hold(column, size)
        if self.sight is not None:
            refuse_circles(self.sight.forces)
        return {column: told for column, (_, told) in late.items()}

    def held_places(self) -> dict[str, slice]:
        """Where the numbers of sensors stand among all that can be set."""
        places, first = {}, len(self.inputs)
        for name, (_, size) in self.held.items():
            places[name] = slice(first, first + size)
            first += size
        return places

    def servo(self, motor: Motor) -> int:
        """Row of the torque by which a soft motor follows its law."""
        law, softness = motor.velocity if motor.position is None else motor.position, motor.softness
        assert law is not None
        assert softness is not None
        inner, _ = self.add(law, motor, motion=isinstance(law, PythonLaw))
        amounts = [softness.stiffness or 0.0, softness.damping or 0.0, motor.max_torque, float(inner)]
        kind = codes.VELOCITY_SERVO if motor.position is None else codes.SERVO
        self._row(kind, amounts, law_input=codes.INPUT_COORDINATE)
        return len(self.kind) - 1

    def _row(self, kind: int, param: list[float], knots: Any = None, law_input: int = 0, address: int = 0) -> None:
        self.kind.append(kind)
        self.param.append(param)
        self.knots.append(knots if knots is not None else (np.zeros(0), np.zeros((0, 4))))
        self.law_input.append(law_input)
        self.address.append(address)

    def _seeing(self, law: PythonLaw, part: Part) -> tuple[int, bool]:
        """Row of a law that sees columns or has states; its block of law_input gets its place."""
        assert self.sight is not None
        told = f"{part.word} '{part.path}'"
        slots, block = self.sight.block(law, part), LOOKED + len(self.seen)
        self.seen += [(slot, told) for slot in slots]
        size, address = self._made(law, told, False, len(slots))
        self.blocks[part.path] = (block, address)
        self._row(codes.SEEING, [float(block), 0.0, 0.0, 0.0], address=address)
        return len(self.kind) - 1, size == 3

    def rate(self, state: StateRate, gravity: float) -> int:
        """Row of the rate of a state; `gravity` (m/s2) is what pulls its slide."""
        block, address = self.blocks[state.of.path]
        law = state.of.law  # type: ignore[attr-defined]
        param = [float(block), float(state.index), law.scale[state.index], gravity]
        self._row(codes.RATE, param, law_input=codes.INPUT_COORDINATE, address=address)
        return len(self.kind) - 1

    def _function(self, law: PythonLaw, law_input: str, motion: bool) -> tuple[int, bool]:
        size, address = self._made(law, law_input, motion, 0)
        self._row(codes.FUNCTION, [0.0] * 4, law_input=LAW_INPUTS[law.arity], address=address)
        return len(self.kind) - 1, size == 3

    def _made(self, law: PythonLaw, law_input: str, motion: bool, seen: int) -> tuple[int, int]:
        """How many numbers a function gives, and its address; `seen` is the length of its block."""
        key = (id(law), law_input, motion)
        if key not in self.alive:
            if law.compiled:
                from linkwork.assembly.laws.compiled_laws import compiled_function  # here: it needs numba

                size, handle, beside = compiled_function(law, law_input, motion, self.faults, seen)
                address = handle.address
            else:
                size = tried(law, law_input, seen)
                handle = beside = python_function(law, size, law_input, motion, self.faults, seen)
                address = ctypes.cast(handle, ctypes.c_void_p).value
            self.alive[key] = (law, handle, beside, seen, size, int(address or 0))
        *_, size, address = self.alive[key]
        return size, address

    def _index(self, slot: SeenNumber, told: str) -> int:
        if not slot.of_input:
            return slot.place
        if slot.of_input in self.held:
            return self.held[slot.of_input][0] + slot.part
        if slot.of_input not in self.inputs:
            raise ModelError(
                f"{told}: its law sees '{slot.of_input}', which is no input; only what has a number as its law is one"
            )
        return self.inputs[slot.of_input]

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
            input_law=np.array(
                [*self.inputs.values(), *(first + k for first, size in self.held.values() for k in range(size))],
                dtype=np.int64,
            ),
            seen_kind=np.array([slot.kind for slot, _ in self.seen], dtype=np.int64),
            seen_index=np.array([self._index(*each) for each in self.seen], dtype=np.int64),
            seen_part=np.array([slot.part for slot, _ in self.seen], dtype=np.int64),
            seen_scale=np.array([slot.scale for slot, _ in self.seen], dtype=float),
        )


def table_cubics(law: Table, column: Any) -> Any:
    """A column of a table as (knot, 4) coefficients from the constant up; the last row holds the end value."""
    rows = np.zeros((len(law.times), 4))
    if law.kind == "cubic":
        from scipy.interpolate import CubicSpline  # here, because it takes a third of a second

        rows[:-1] = CubicSpline(law.times, column).c[::-1].T
    else:
        rows[:-1, 1] = np.diff(column) / np.diff(law.times)
    rows[:, 0] = column
    return rows
