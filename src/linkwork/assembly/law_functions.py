"""Functions of the user become C functions with an address; what goes wrong inside them is noted, never swallowed."""

from __future__ import annotations

import ctypes
import math
import threading
import weakref
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numba import carray, cfunc, njit, types

from linkwork.assembly.law_errors import NotFinite, remedy_of, told_of
from linkwork.errors import ModelError
from linkwork.model import PythonLaw
from linkwork.model.checked import shown

SIGNATURE = types.void(types.float64, types.CPointer(types.float64), types.CPointer(types.float64))
CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_double, ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_double))
NOTE = ctypes.CFUNCTYPE(None, ctypes.c_double, ctypes.c_double, ctypes.c_double)
DIFFERENCE = 1e-3  # s, for the rates of a motion given as a function of time alone
# five points from the one before last to the one after next, and five from here on: a law is not asked before t = 0
CENTRED = (-2.0, (1.0, -8.0, 0.0, 8.0, -1.0), (-1.0, 16.0, -30.0, 16.0, -1.0))
FORWARD = (0.0, (-25.0, 48.0, -36.0, 16.0, -3.0), (35.0, -104.0, 114.0, -56.0, 11.0))
_one_thread = threading.Lock()  # says which systems use a compiled law


def address_of(callback: Any) -> int:
    """Where a CALLBACK lies in memory."""
    return int(ctypes.cast(callback, ctypes.c_void_p).value or 0)


class Fault(NamedTuple):
    """What a law of the user did wrong: whose law, when, and what, as in "raised ZeroDivisionError (…)"."""

    part: str
    time: float
    what: str
    interrupted: bool = False


class Faults(threading.local):
    """What went wrong in the laws of one system; goes with it. Every thread has a list of its own: runs in several
    threads may share a system.
    """

    def __init__(self) -> None:
        self.noted: list[Fault] = []


def tried(law: PythonLaw, part: str) -> int:
    """Number of components a law returns, found by calling it once at t = 0: at rest, or where that fails elsewhere."""
    at_rest, elsewhere = np.zeros(13), np.linspace(0.3, 0.9, 13)
    at_rest[3] = 1.0 if law.arity == 5 else 0.0
    states = (at_rest,) if law.arity == 1 else (at_rest, elsewhere)
    problem: Exception | None = None
    for law_input in states:
        try:
            with np.errstate(all="ignore"):
                result = law.function(0.0, *arguments(law.arity, law_input))
            values = np.atleast_1d(np.asarray(result, dtype=float))
            if result is None or (law.arity == 1 and not np.isfinite(values).all()):
                raise NotFinite(f"it returned {shown(result)}")
        except Exception as error:
            problem = error
            continue
        if values.shape not in ((1,), (3,)):
            raise ModelError(f"{part}: its law returns {values.size} values; let it return one number, or three")
        return int(values.size)
    raise ModelError(
        f"{part}: its law fails at t = 0 ({told_of(problem, law.function)}); {remedy_of(problem)}"
    ) from problem


def arguments(arity: int, law_input: Any) -> tuple[Any, ...]:
    """What a law is given besides the time."""
    if arity == 1:
        return ()
    if arity == 3:
        return law_input[0], law_input[1]
    x = np.array(law_input[:13])
    return x[0:3], x[3:7], x[7:10], x[10:13]


# --- functions that Python runs ---


def python_function(law: PythonLaw, size: int, part: str, motion: bool, faults: Faults) -> Any:
    """A C function that calls the law; what the law raises cannot pass through C and is noted in `faults`."""
    function, arity = law.function, law.arity
    count = 3 if motion else size

    def ask(t: float, law_input: Any) -> Any:
        result = function(t, *arguments(arity, law_input))
        values = [float(value) for value in np.atleast_1d(result)]
        if len(values) != size or not all(map(math.isfinite, values)):
            raise NotFinite(f"it returned {shown(result)}")
        return values

    def call(t: float, law_input: Any, out: Any) -> None:
        values: Any = (math.nan,) * count
        try:
            values = _rates(lambda moment: ask(moment, law_input)[0], t) if motion and size == 1 else ask(t, law_input)
        except BaseException as error:
            faults.noted.append(Fault(part, t, told_of(error, function), isinstance(error, KeyboardInterrupt)))
        for k in range(count):
            out[k] = values[k]

    return CALLBACK(call)


def _rates(function: Callable[[float], float], t: float) -> tuple[float, float, float]:
    """Value, rate and acceleration at t, by differences."""
    h = DIFFERENCE
    first, rate, acceleration = FORWARD if t < 2.0 * h else CENTRED
    y = [function(t + (first + k) * h) for k in range(5)]
    return (
        y[int(-first)],
        sum(c * value for c, value in zip(rate, y, strict=True)) / (12.0 * h),
        sum(c * value for c, value in zip(acceleration, y, strict=True)) / (12.0 * h * h),
    )


# --- functions that are compiled ---


def compiled_function(law: PythonLaw, size: int, part: str, motion: bool, faults: Faults) -> tuple[Any, Any]:
    """A C function made of the law alone, and what must stay alive beside it."""
    handle, noted, homes = _c_function(law, size, part, motion)
    with _one_thread:
        homes[:] = [home for home in homes if home() is not None] + [weakref.ref(faults)]
    return handle, noted


@lru_cache(maxsize=256)  # a model is assembled several times for one run, and compiling takes a fifth of a second
def _c_function(law: PythonLaw, size: int, part: str, motion: bool) -> tuple[Any, Any, list[Any]]:
    """The C function, the one that notes its faults, and in which systems it notes them: those that use it now."""
    homes: list[Any] = []

    def note(t: float, value: float, raised: float) -> None:
        for home in homes:
            faults = home()
            if faults is not None:
                faults.noted.append(Fault(part, t, "it raised an error" if raised else f"it returned {value:g}"))

    noted = NOTE(note)
    ask = _asked(law)
    call = _motion(ask, noted) if motion and size == 1 else _three(ask, noted) if size == 3 else _one(ask, noted)
    try:
        return cfunc(SIGNATURE, error_model="numpy")(call), noted, homes
    except Exception as error:
        raise ModelError(
            f"{part}: its compiled law cannot be used in the loop ({told_of(error, law.function)}); "
            "let it return a number or a tuple of three numbers"
        ) from error


def _asked(law: PythonLaw) -> Any:
    """The law as a function of time and of what it is told."""
    f = law.function
    if law.arity == 1:
        return njit(lambda t, law_input: f(t))
    if law.arity == 3:
        return njit(lambda t, law_input: f(t, law_input[0], law_input[1]))

    def of_body(t, law_input):  # type: ignore[no-untyped-def]
        x = carray(law_input, (13,))
        return f(t, x[0:3], x[3:7], x[7:10], x[10:13])

    return njit(of_body)


def _one(ask: Any, note: Any) -> Any:
    def call(t, law_input, out):  # type: ignore[no-untyped-def]
        raised = 0.0
        out[0] = math.nan
        try:
            out[0] = ask(t, law_input)
        except Exception:
            raised = 1.0
        if not math.isfinite(out[0]):
            note(t, out[0], raised)

    return call


def _three(ask: Any, note: Any) -> Any:
    def call(t, law_input, out):  # type: ignore[no-untyped-def]
        raised = 0.0
        out[0] = out[1] = out[2] = math.nan
        try:
            r = ask(t, law_input)
            out[0], out[1], out[2] = r[0], r[1], r[2]
        except Exception:
            raised = 1.0
        total = out[0] + out[1] + out[2]
        if not math.isfinite(total):
            note(t, total, raised)

    return call


def _motion(ask: Any, note: Any) -> Any:
    h = DIFFERENCE
    here, there = FORWARD, CENTRED

    def call(t, law_input, out):  # type: ignore[no-untyped-def]
        raised = 0.0
        first, rate, acceleration = here if t < 2.0 * h else there
        out[0] = out[1] = out[2] = 0.0
        try:
            for k in range(5):
                y = ask(t + (first + k) * h, law_input)
                if first + k == 0.0:
                    out[0] = y
                out[1] += rate[k] * y / (12.0 * h)
                out[2] += acceleration[k] * y / (12.0 * h * h)
        except Exception:
            raised = 1.0
            out[0] = out[1] = out[2] = math.nan
        if not math.isfinite(out[2]):
            note(t, out[0], raised)

    return call
