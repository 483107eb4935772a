"""Laws become rows of a table; functions of the user become C functions with an address."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import carray, cfunc, types
from scipy.interpolate import CubicSpline

from linkwork.assembly.tables import Laws
from linkwork.errors import ModelError
from linkwork.model import Constant, Cosine, Law, PythonLaw, Table
from linkwork.spatial import codes

SIGNATURE = types.void(types.float64, types.CPointer(types.float64), types.CPointer(types.float64))
CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_double, ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_double))
DIFFERENCE = 1e-3  # s, for the rates of a motion given as a function of time alone
TOLD = {1: codes.TOLD_TIME, 3: codes.TOLD_COORDINATE, 5: codes.TOLD_BODY}


class LawTable:
    """Collects laws; `tables()` gives the arrays. Keeps the compiled functions alive."""

    def __init__(self) -> None:
        self.kind: list[int] = []
        self.told: list[int] = []
        self.param: list[list[float]] = []
        self.knots: list[tuple[Any, Any]] = []
        self.address: list[int] = []
        self.alive: list[Any] = []
        self.inputs: dict[str, int] = {}  # rows of constant laws, by force
        self.faults: list[tuple[str, float, BaseException]] = []  # (part, time, what a Python law raised)

    def add(self, law: Law, part: str, *, motion: bool = False) -> tuple[int, bool]:
        """Row of `law`, and whether it gives three components. `part` names the force in error messages."""
        if isinstance(law, PythonLaw):
            return self._function(law, part, motion)
        row = len(self.kind)
        if isinstance(law, Cosine):
            self._row(codes.COSINE, [law.amplitude, law.frequency, law.phase, law.offset])
            return row, False
        if isinstance(law, Constant):
            values = np.atleast_1d(law.value)
            if values.size == 1 and not motion:
                self.inputs[part] = row
            for value in values:
                self._row(codes.CONSTANT, [float(value), 0.0, 0.0, 0.0])
            return row, values.size == 3
        assert isinstance(law, Table)
        columns = law.values.reshape(len(law.times), -1)
        for column in columns.T:
            self._row(
                codes.SPLINE if law.kind == "cubic" else codes.TABLE, [0.0] * 4, (law.times, _cubics(law, column))
            )
        return row, columns.shape[1] == 3

    def _row(self, kind: int, param: list[float], knots: Any = None, told: int = 0, address: int = 0) -> None:
        self.kind.append(kind)
        self.param.append(param)
        self.knots.append(knots if knots is not None else (np.zeros(0), np.zeros((0, 4))))
        self.told.append(told)
        self.address.append(address)

    def _function(self, law: PythonLaw, part: str, motion: bool) -> tuple[int, bool]:
        size = _try(law, part)
        if motion:
            handle = _compiled_motion(law, size) if law.compiled else self._python_motion(law, size, part)
        elif law.compiled:
            handle = _compiled(law, size, part)
        else:
            handle = self._python(law, size, part)
        self.alive.append((law, handle))
        address = handle.address if hasattr(handle, "address") else ctypes.cast(handle, ctypes.c_void_p).value
        self._row(codes.FUNCTION, [0.0] * 4, told=TOLD[law.arity], address=int(address or 0))
        return len(self.kind) - 1, size == 3

    def _python(self, law: PythonLaw, size: int, part: str) -> Any:
        function, arity = law.function, law.arity

        def call(t: float, told: Any, out: Any) -> None:
            try:
                result = function(t, *_arguments(arity, told))
                for k, value in enumerate(np.atleast_1d(result)[:size]):
                    out[k] = float(value)
            except BaseException as error:  # the compiled loop cannot carry it: NaN stops the run, which then tells
                self.faults.append((part, t, error))
                for k in range(size):
                    out[k] = math.nan

        return CALLBACK(call)

    def _python_motion(self, law: PythonLaw, size: int, part: str) -> Any:
        function = law.function

        def call(t: float, _told: Any, out: Any) -> None:
            try:
                values = np.atleast_1d(function(t)) if size == 3 else _differences(function, t)
            except BaseException as error:
                self.faults.append((part, t, error))
                values = np.full(3, math.nan)
            for k in range(3):
                out[k] = float(values[k])

        return CALLBACK(call)

    def tables(self) -> Laws:
        counts = [len(times) for times, _ in self.knots]
        return Laws(
            law_kind=np.array(self.kind, dtype=np.int64),
            law_told=np.array(self.told, dtype=np.int64),
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
        rows[:-1] = CubicSpline(law.times, column).c[::-1].T
    else:
        rows[:-1, 1] = np.diff(column) / np.diff(law.times)
    rows[:, 0] = column
    return rows


def _arguments(arity: int, told: Any) -> tuple[Any, ...]:
    if arity == 1:
        return ()
    if arity == 3:
        return told[0], told[1]
    x = np.array(told[:13])
    return x[0:3], x[3:7], x[7:10], x[10:13]


def _try(law: PythonLaw, part: str) -> int:
    """Number of components a law returns, found by calling it once at t = 0 and rest."""
    told = np.zeros(13)
    told[3] = 1.0 if law.arity == 5 else 0.0
    try:
        result = np.atleast_1d(np.asarray(law.function(0.0, *_arguments(law.arity, told)), dtype=float))
    except Exception as error:
        raise ModelError(
            f"'{part}': its law raised {type(error).__name__} when tried at t = 0 and rest ({_first_line(error)}); "
            "make it return a number, or three, for every time"
        ) from error
    if result.shape not in ((1,), (3,)):
        raise ModelError(f"'{part}': its law returns {result.shape} values; return a number, or three")
    return int(result.size)


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else "no message"


def _differences(function: Callable[[float], Any], t: float) -> Any:
    h = DIFFERENCE
    y = [float(function(t + k * h)) for k in (-2, -1, 0, 1, 2)]
    rate = (y[0] - 8.0 * y[1] + 8.0 * y[3] - y[4]) / (12.0 * h)
    acceleration = (-y[0] + 16.0 * y[1] - 30.0 * y[2] + 16.0 * y[3] - y[4]) / (12.0 * h * h)
    return y[2], rate, acceleration


def _compiled(law: PythonLaw, size: int, part: str) -> Any:
    f = law.function
    if law.arity == 1:
        if size == 1:

            def call(t, told, out):  # type: ignore[no-untyped-def]
                out[0] = f(t)
        else:

            def call(t, told, out):  # type: ignore[no-untyped-def]
                r = f(t)
                out[0], out[1], out[2] = r[0], r[1], r[2]
    elif law.arity == 3:

        def call(t, told, out):  # type: ignore[no-untyped-def]
            out[0] = f(t, told[0], told[1])
    elif size == 1:

        def call(t, told, out):  # type: ignore[no-untyped-def]
            x = carray(told, (13,))
            out[0] = f(t, x[0:3], x[3:7], x[7:10], x[10:13])
    else:

        def call(t, told, out):  # type: ignore[no-untyped-def]
            x = carray(told, (13,))
            r = f(t, x[0:3], x[3:7], x[7:10], x[10:13])
            out[0], out[1], out[2] = r[0], r[1], r[2]

    try:
        return cfunc(SIGNATURE, error_model="numpy")(call)
    except Exception as error:
        raise ModelError(
            f"'{part}': its compiled law cannot be used in the loop ({_first_line(error)}); "
            "let it return a number or a tuple of three numbers"
        ) from error


def _compiled_motion(law: PythonLaw, size: int) -> Any:
    f = law.function
    h = DIFFERENCE
    if size == 3:

        def call(t, told, out):  # type: ignore[no-untyped-def]
            r = f(t)
            out[0], out[1], out[2] = r[0], r[1], r[2]
    else:

        def call(t, told, out):  # type: ignore[no-untyped-def]
            a, b, c, d, e = f(t - 2 * h), f(t - h), f(t), f(t + h), f(t + 2 * h)
            out[0] = c
            out[1] = (a - 8.0 * b + 8.0 * d - e) / (12.0 * h)
            out[2] = (-a + 16.0 * b - 30.0 * c + 16.0 * d - e) / (12.0 * h * h)

    return cfunc(SIGNATURE, error_model="numpy")(call)
