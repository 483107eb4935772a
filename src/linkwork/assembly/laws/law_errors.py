"""What a function of the user did wrong, in a few words: where, and why."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

UNTYPED = re.compile(r"Untyped global name '(\w+)': Cannot determine Numba type of <class '(?:\w+\.)*(\w+)'>")
UNKNOWN_CALL = re.compile(r"No implementation of function .* found for signature:\s*>>>\s*([^\n]+)", re.DOTALL)
PLACE = re.compile(r'File "([^"]+)", line (\d+)')
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
CANNOT = "Failed in nopython mode", "Overload", "During:"  # how lines of numba begin that say nothing


class NotFinite(Exception):
    """A law returned what cannot be used; the message says what."""


def describe_exception(error: BaseException | None, function: Callable[..., Any] | None = None) -> str:
    """An exception in a few words: its name, the first line that says something, and where in the `function`."""
    if isinstance(error, NotFinite):
        return str(error)
    place = _place(error, function)
    if from_numba(error):
        return f"{place}{_reason(COLOUR.sub('', str(error)))}"
    return f"{place}{type(error).__name__}: {_lines(str(error))[0][:150]}"


def from_numba(error: BaseException | None) -> bool:
    """Whether the compiler refused the function."""
    return type(error).__module__.startswith("numba.")


def remedy_of(error: BaseException | None) -> str:
    """What to do about a law that could not be tried."""
    found = UNTYPED.search(COLOUR.sub("", str(error))) if from_numba(error) else None
    if found and found[2] == "function":
        return f"put @lw.compiled above '{found[1]}' too"
    if found:
        return f"make '{found[1]}' a number, a tuple or an array, or leave @lw.compiled away"
    if from_numba(error):
        return "use numbers, tuples, arrays and math in it, or leave @lw.compiled away"
    return "let it return a finite number, or three, for every time"


def _reason(text: str) -> str:
    """Why numba refused, without what it says around it."""
    if found := UNTYPED.search(text):
        what = "a plain Python function" if found[2] == "function" else f"a {found[2]}"
        return f"'{found[1]}' is {what}, which compiled code cannot use"
    if found := UNKNOWN_CALL.search(text):
        return f"there is no {found[1].strip()} in compiled code"
    return _lines(text)[0].partition(" Raised from")[0][:150].rstrip(".")


def _lines(text: str) -> list[str]:
    plain = [line.strip() for line in text.splitlines()]
    return [line for line in plain if line and not line.startswith(CANNOT)] or ["no message"]


def _place(error: BaseException | None, function: Callable[..., Any] | None) -> str:
    """ "law.py, line 12: ", where it went wrong, or where the function begins; nothing where nobody knows."""
    code = getattr(getattr(function, "py_func", function), "__code__", None)
    if code is None or error is None:
        return ""
    file, line = code.co_filename, code.co_firstlineno
    if from_numba(error):  # the innermost place comes first
        found = PLACE.search(COLOUR.sub("", str(error)))
        line = int(found[2]) if found else getattr(getattr(error, "loc", None), "line", line)
        file = found[1] if found else file
    else:
        for frame in traceback.extract_tb(error.__traceback__):
            if frame.filename == file and frame.lineno is not None:
                line = frame.lineno
    return f"{Path(file).name}, line {line}: "
