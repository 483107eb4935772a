"""Laws that the user had compiled (`@lw.compiled`) become C functions with an address. This is what needs numba."""

from __future__ import annotations

import ctypes
import math
import threading
import weakref
from functools import lru_cache
from typing import Any

from numba import carray, cfunc, njit, types

from linkwork.assembly.laws.law_content import content_of
from linkwork.assembly.laws.law_errors import describe_exception
from linkwork.assembly.laws.law_functions import CENTRED, DIFFERENCE, FORWARD, Fault, Faults, tried
from linkwork.errors import ModelError
from linkwork.model import PythonLaw

SIGNATURE = types.void(types.float64, types.CPointer(types.float64), types.CPointer(types.float64))
KEPT = 256  # laws that are kept compiled
_one_thread = threading.Lock()  # says which systems use a compiled law
_known: dict[Any, tuple[int, Any, Any, list[Any]]] = {}  # by their content
NOTE = ctypes.CFUNCTYPE(None, ctypes.c_double, ctypes.c_double, ctypes.c_double)


def compiled_function(law: PythonLaw, part: str, motion: bool, faults: Faults, seen: int = 0) -> tuple[int, Any, Any]:
    """How many numbers a law gives, a C function made of the law alone, and what must stay alive beside it.

    Laws of the same content are one: a closure that is made again for each model of a study is compiled once.
    """
    content = content_of(law.function)
    key = (content, law.start, part, motion, seen)
    with _one_thread:
        found = None if content is None else _known.get(key)
    if found is None:
        size = tried(law, part, seen)
        found = (size, *_c_function(law, size, part, motion, seen))
    size, handle, noted, homes = found
    with _one_thread:
        if content is not None:
            _known[key] = found
            while len(_known) > KEPT:
                del _known[next(iter(_known))]
        homes[:] = [home for home in homes if home() is not None] + [weakref.ref(faults)]
    return size, handle, noted


@lru_cache(maxsize=KEPT)  # a model is assembled several times for one run, and compiling takes a fifth of a second
def _c_function(law: PythonLaw, size: int, part: str, motion: bool, seen: int) -> tuple[Any, Any, list[Any]]:
    """The C function, the one that notes its faults, and in which systems it notes them: those that use it now."""
    homes: list[Any] = []

    def note(t: float, value: float, raised: float) -> None:
        for home in homes:
            faults = home()
            if faults is not None:
                faults.noted.append(Fault(part, t, "it raised an error" if raised else f"it returned {value:g}"))

    noted = NOTE(note)
    return _compiled(law, size, part, motion, noted, seen), noted, homes


def dual_function(law: PythonLaw, size: int, motion: bool, seen: int) -> Any:
    """The law for numbers with slopes: void(dual *t, dual *input, dual *out). What it does wrong shows as NaN."""
    from linkwork._kernels.dual_types import dual

    call = njit(_call(law, size, motion, njit(lambda t, value, raised: None), seen), error_model="numpy")

    def by_place(t, law_input, out):  # type: ignore[no-untyped-def]
        call(t[0], law_input, out)

    place = types.CPointer(dual)
    return cfunc(types.void(place, place, place), error_model="numpy")(by_place)


def law_text(law: PythonLaw, size: int, part: str, motion: bool, seen: int = 0) -> tuple[str, str]:
    """The law alone in LLVM's language, and the name of its function there: i32(ptr, ptr, double, ptr, ptr).

    The last three are the time, what the law is told, and its result; what it does wrong is noted nowhere.
    """
    handle = _compiled(law, size, part, motion, njit(lambda t, value, raised: None), seen)
    return handle.inspect_llvm(), handle.native_name.removeprefix("cfunc.")


def _compiled(law: PythonLaw, size: int, part: str, motion: bool, noted: Any, seen: int) -> Any:
    """The C function of a law, which calls `noted` with its faults."""
    try:
        return cfunc(SIGNATURE, error_model="numpy")(_call(law, size, motion, noted, seen))
    except Exception as error:
        raise ModelError(
            f"{part}: its compiled law cannot be used in the loop ({describe_exception(error, law.function)}); "
            "let it return a number or a tuple of three numbers"
        ) from error


def _call(law: PythonLaw, size: int, motion: bool, noted: Any, seen: int) -> Any:
    """What the C function does: it asks the law and fills in the result."""
    ask = _asked(law, seen)
    return _motion(ask, noted) if motion and size == 1 else _three(ask, noted) if size == 3 else _one(ask, noted)


def _asked(law: PythonLaw, seen: int) -> Any:
    """The law as a function of time and of what it is told; `seen` is the length of the block of a law that sees."""
    f, states = law.function, 2 * len(law.start)
    if law.arity == 2:

        def of_seen(t, law_input):  # type: ignore[no-untyped-def]
            return f(t, carray(law_input, (seen,)))

        return njit(of_seen)
    if law.arity == 4 and states == 2:

        def of_state(t, law_input):  # type: ignore[no-untyped-def]
            block = carray(law_input, (seen,))
            return f(t, block[0:1], block[2:seen], block[1:2])

        return njit(of_state)
    if law.arity == 4:

        def of_states(t, law_input):  # type: ignore[no-untyped-def]
            block = carray(law_input, (seen,))
            return f(t, block[0:states:2], block[states:seen], block[1:states:2])

        return njit(of_states)
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
