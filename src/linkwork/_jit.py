"""The `@kernel` decorator and its variants: what compiled code is made of. How it is made: `_kernels`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from linkwork._kernels.checked import pointer
from linkwork._kernels.kernel import EntryPoint, Intrinsic, Kernel

__all__ = ["entry", "exact", "intrinsic", "kernel", "pointer", "small", "written_out"]

Function = TypeVar("Function", bound=Callable[..., Any])

# no "nnan", no "ninf": a NaN must stay visible
FAST = {"contract", "afn", "reassoc", "nsz", "arcp"}


def kernel(function: Function) -> Function:
    """Compile `function` for use inside other kernels: numbers, tuples and the arrays it is handed, nothing else.

    Whether it is written into its callers is left to the compiler, also where a caller itself is: numba would hand
    that down, and a method would become one function of a hundred thousand instructions.
    """
    return Kernel(function, fastmath=FAST, forceinline=False)  # type: ignore[return-value]


def small(function: Function) -> Function:
    """A kernel always written into its callers: a few lines, whose tuples then stay in registers, or in a hot loop."""
    return Kernel(function, fastmath=FAST, forceinline=True)  # type: ignore[return-value]


def written_out(function: Function) -> Function:
    """A long kernel with one caller: written out there, so that it is compiled once."""
    return Kernel(function, fastmath=FAST, inline="always")  # type: ignore[return-value]


def exact(function: Function) -> Function:
    """A small kernel whose sums keep their order, where the rounding of each step counts."""
    return Kernel(function, fastmath={"contract"}, forceinline=True)  # type: ignore[return-value]


def entry(function: Callable[..., Any]) -> EntryPoint:
    """A kernel that Python calls. It is compiled with all its kernels into one C function, once, and kept.

    So every process runs the same machine code, and the same run gives the same bits in each.
    """
    return EntryPoint(function, fastmath=FAST, forceinline=False)


def intrinsic(python: Function, in_loops: bool = True) -> Callable[[Callable[..., Any]], Function]:
    """A function that writes LLVM's language itself; `python` is the same for Python.

    Written in plain loops it is also what numbers with slopes go through; else the function itself knows them.
    """
    return lambda function: Intrinsic(function, python, in_loops)  # type: ignore[return-value]
