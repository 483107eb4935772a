"""What a compiled law is made of: laws with the same code and the same constants are compiled once, in any closure."""

from __future__ import annotations

import math
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

LARGEST = 1_000_000  # bytes of an array among the constants: of larger ones no copy is kept
STEADY = (math, np)  # modules whose names keep their meaning


class _Unlike(Exception):
    """Something whose value may change unseen."""


def content_of(function: Any) -> tuple[Any, ...] | None:
    """What decides how a compiled function computes: its code, its constants, what it takes from its module.

    None where that is not sure: of a function that is in use already, which keeps the values of then, and of one that
    uses objects.

    >>> import numba
    >>> def law(gain):
    ...     return numba.njit(lambda t: gain * t)
    >>> content_of(law(2.0)) == content_of(law(2.0)), content_of(law(2.0)) == content_of(law(3.0))
    (True, False)
    """
    try:
        return _function(function)
    except _Unlike:
        return None


def _function(function: Any) -> tuple[Any, ...]:
    if function.signatures:
        raise _Unlike
    plain = function.py_func
    names = sorted({name for code in _codes(plain.__code__) for name in code.co_names})
    outside = [(name, _value(plain.__globals__[name])) for name in names if name in plain.__globals__]
    cells = [_value(cell.cell_contents) for cell in plain.__closure__ or ()]
    options = repr(sorted(function.targetoptions.items()))
    place = plain.__module__, plain.__code__.co_filename, options
    return plain.__code__, *place, tuple(cells), tuple(outside), _value(plain.__defaults__ or ())


def _codes(code: Any) -> Iterator[Any]:
    """The code of a function and of those inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _value(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return type(value), repr(value)
    if isinstance(value, np.generic):
        return value.dtype.str, value.tobytes()
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf" and value.nbytes <= LARGEST:
        return value.dtype.str, value.shape, value.strides, value.tobytes()
    if type(value) is tuple:
        return tuple(_value(each) for each in value)
    if hasattr(value, "py_func") and hasattr(value, "signatures"):
        return value if value.signatures else _function(value)
    if value in STEADY or isinstance(value, (types.BuiltinFunctionType, np.ufunc)):
        return value
    raise _Unlike
