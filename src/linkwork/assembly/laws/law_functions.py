"""Functions of the user become C functions with an address; what goes wrong inside them is noted, never swallowed.

Those that are compiled: `compiled_laws`.
"""

from __future__ import annotations

import ctypes
import math
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from linkwork.assembly.laws.law_errors import NotFinite, describe_exception, remedy_of
from linkwork.errors import ModelError
from linkwork.model import PythonLaw
from linkwork.model.checked import shown

CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_double, ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_double))
DIFFERENCE = 1e-3  # s, for the rates of a motion given as a function of time alone
# five points from the one before last to the one after next, and five from here on: a law is not asked before t = 0
CENTRED = (-2.0, (1.0, -8.0, 0.0, 8.0, -1.0), (-1.0, 16.0, -30.0, 16.0, -1.0))
FORWARD = (0.0, (-25.0, 48.0, -36.0, 16.0, -3.0), (35.0, -104.0, 114.0, -56.0, 11.0))


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


def tried(law: PythonLaw, part: str, seen: int = 0) -> int:
    """Number of components a law returns, found by calling it once at t = 0: at rest, or where that fails elsewhere."""
    at_rest, elsewhere = np.zeros(max(13, seen)), np.linspace(0.3, 0.9, max(13, seen))
    if law.start:
        at_rest[0 : 2 * len(law.start) : 2] = elsewhere[0 : 2 * len(law.start) : 2] = law.start
    at_rest[3] = 1.0 if law.arity == 5 else 0.0
    states = (at_rest,) if law.arity == 1 else (at_rest, elsewhere)
    problem: Exception | None = None
    for law_input in states:
        try:
            with np.errstate(all="ignore"):
                result = law.function(0.0, *arguments(law, law_input, seen))
            values = np.array(numbers(result))
            if law.arity == 1 and not np.isfinite(values).all():
                raise NotFinite(f"it returned {shown(result)}")
        except Exception as error:
            problem = error
            continue
        if values.shape not in ((1,), (3,)):
            raise ModelError(f"{part}: its law returns {values.size} values; let it return one number, or three")
        return int(values.size)
    raise ModelError(
        f"{part}: its law fails at t = 0 ({describe_exception(problem, law.function)}); {remedy_of(problem)}"
    ) from problem


def numbers(result: Any) -> list[float]:
    """What a law returned. Text, truth values and complex numbers are none, though Python would make them so."""
    values = np.atleast_1d(result)
    if result is None or values.dtype.kind in "bcSU":
        raise NotFinite(f"it returned {shown(result)}")
    return [float(value) for value in values]


def arguments(law: PythonLaw, law_input: Any, seen: int = 0) -> tuple[Any, ...]:
    """What a law is given besides the time; `seen` is the length of the block of a law that sees."""
    arity, states = law.arity, 2 * len(law.start)
    if arity == 1:
        return ()
    if arity == 3:
        return law_input[0], law_input[1]
    if arity in (2, 4):
        block = law_input if isinstance(law_input, np.ndarray) else np.ctypeslib.as_array(law_input, (seen,))
        told = block[states:seen].copy()
        # strides as in the compiled loop, so that a law is compiled once
        return (told,) if arity == 2 else (block[0:states].copy()[0::2], told, block[1:states:2])
    x = np.array(law_input[:13])
    return x[0:3], x[3:7], x[7:10], x[10:13]


# --- functions that Python runs ---


def python_function(law: PythonLaw, size: int, part: str, motion: bool, faults: Faults, seen: int = 0) -> Any:
    """A C function that calls the law; what the law raises cannot pass through C and is noted in `faults`."""
    function = law.function
    count = 3 if motion else size

    def ask(t: float, law_input: Any) -> Any:
        result = function(t, *arguments(law, law_input, seen))
        values = numbers(result)
        if len(values) != size or not all(map(math.isfinite, values)):
            raise NotFinite(f"it returned {shown(result)}")
        return values

    def call(t: float, law_input: Any, out: Any) -> None:
        values: Any = (math.nan,) * count
        try:
            values = _rates(lambda moment: ask(moment, law_input)[0], t) if motion and size == 1 else ask(t, law_input)
        except BaseException as error:
            faults.noted.append(
                Fault(part, t, describe_exception(error, function), isinstance(error, KeyboardInterrupt))
            )
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
