"""Checked kernels: a read or write beyond an array ends the call with the kernel and its line. Slow; for tests.

`LINKWORK_KERNELS=checked` compiles every entry so. numba checks what kernels index; what writes LLVM's language itself
asks for its pointers here, and says how many numbers it touches.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import sys
from types import FrameType
from typing import Any, NamedTuple

CHECKED = "checked"


def checked() -> bool:
    """Whether kernels are compiled with checks."""
    return os.environ.get("LINKWORK_KERNELS") == CHECKED


def pointer(context: Any, builder: Any, kind: Any, array: Any, at: Any, count: Any) -> Any:
    """Pointer to a number of an array, counted as it lies in memory; `count` numbers are touched from there on.

    Places and counts are LLVM's numbers.
    """
    made = context.make_array(kind)(context, builder, array)
    if checked():
        from numba.core import cgutils

        zero = count.type(0)
        below, above = builder.icmp_signed("<", at, zero), builder.icmp_signed(">", builder.add(at, count), made.nitems)
        beyond = builder.and_(builder.or_(below, above), builder.icmp_signed(">", count, zero))
        with cgutils.if_unlikely(builder, beyond):
            context.call_conv.return_user_exc(builder, IndexError, ("vector beyond the array",))
    return builder.gep(made.data, [at])


def compiled_line() -> tuple[str, int] | None:
    """The file and line of the kernel that numba is lowering just now."""
    from numba.core.lowering import BaseLower

    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        lower = frame.f_locals.get("self")
        if isinstance(lower, BaseLower):
            return str(lower.loc.filename), int(lower.loc.line)
        frame = frame.f_back
    return None


class _Raised(ctypes.Structure):
    _fields_ = (("data", ctypes.c_void_p), ("size", ctypes.c_int32))


class Beyond(NamedTuple):
    """What a checked kernel stopped at."""

    what: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.what} at {self.file}:{self.line}"


def raised_at(address: int) -> Beyond:
    """What numba kept of the error at this address."""
    found = _Raised.from_address(address)
    _, words, place = pickle.loads(ctypes.string_at(found.data, found.size))
    _, file, line = place or ("", "an unknown place", 0)
    return Beyond(", ".join(map(str, words or ())), file, line)
