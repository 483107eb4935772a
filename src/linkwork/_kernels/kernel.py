"""`Kernel`, a function that compiled code calls, and `EntryPoint`, one that Python calls. Neither needs a compiler."""

from __future__ import annotations

import ctypes
import functools
import struct
import threading
from collections.abc import Iterator
from typing import Any, NamedTuple

from linkwork._kernels.checked import checked, raised_at
from linkwork._kernels.packing import ArrayKind, TupleKind, fill_argument, slot_count

# int64 entry(int64 *block); a call releases the lock of Python
FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)
NUMBERS = {"f8": "d", "i8": "q", "b1": "q"}  # how `struct` packs numbers


class _Mode(threading.local):
    note: Any = None


plain_python = _Mode()  # where `note` is set, entries of this thread run in plain Python and report to it


class Kernel:
    """A function for compiled code. Called from Python it is plain Python: slow, and the same numbers up to rounding.

    numba takes it for one of its own (`py_func`, `targetoptions`, `_numba_type_`) when something that calls it is
    compiled.
    """

    def __init__(self, function: Any, **options: Any) -> None:
        self.py_func, self.targetoptions = function, options
        self.__name__, self.__qualname__, self.__doc__ = function.__name__, function.__qualname__, function.__doc__
        self.__module__, self.__wrapped__ = function.__module__, function
        self._dispatcher: Any = None

    def __call__(self, *arguments: Any) -> Any:
        return self.py_func(*arguments)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.__module__}.{self.__qualname__}>"

    @property
    def _numba_type_(self) -> Any:
        if self._dispatcher is None:
            from linkwork._kernels.compiler import dispatcher

            self._dispatcher = dispatcher(self.py_func, self.targetoptions)
        return self._dispatcher._numba_type_


class Intrinsic:
    """A function that writes LLVM's language for doubles: `function` as numba wants it, and the same in Python.

    For numbers with slopes `python` is compiled instead if it is written in plain loops, `in_loops`; else `function`
    knows them too.
    """

    def __init__(self, function: Any, python: Any, in_loops: bool) -> None:
        self.function, self.python, self.in_loops, self._made = function, python, in_loops, None
        self._twin = Kernel(python, fastmath={"contract"}, forceinline=False)
        self.__name__, self.__doc__, self.__module__ = python.__name__, python.__doc__, python.__module__

    def __call__(self, *arguments: Any) -> Any:
        return self.python(*arguments)

    @property
    def _numba_type_(self) -> Any:
        from numba.core.registry import cpu_target
        from numba.extending import intrinsic

        if self._made is None:
            self._made = intrinsic(self._by_kinds() if self.in_loops else self.function)
            cpu_target.typing_context.refresh()
        return cpu_target.typing_context.resolve_value_type(self._made)

    def _by_kinds(self) -> Any:
        """The function for doubles, the Python one for numbers with slopes."""
        from linkwork._kernels.dual_types import is_dual

        @functools.wraps(self.function)
        def choose(typing_context: Any, *kinds: Any) -> Any:
            if not any(map(is_dual, kinds)):
                return self.function(typing_context, *kinds)
            twin = self._twin._numba_type_
            signature = twin.get_call_type(typing_context, kinds, {})

            def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
                call = context.get_function(twin, signature)
                context.add_linking_libs(getattr(call, "libs", ()))
                return call(builder, arguments)

            return signature, generate

        return choose


class Code(NamedTuple):
    """Compiled code of an entry: the C function, and what it returns ("f", "i", "b", "" or a list of these)."""

    function: Any
    results: Any


class EntryPoint(Kernel):
    """A kernel that Python calls: compiled for the kinds of its arguments, in the library or on this machine."""

    def __init__(self, function: Any, **options: Any) -> None:
        super().__init__(function, **options)
        self.codes: dict[tuple[Any, ...], Code] = {}

    @property
    def name(self) -> str:
        return f"{self.__module__}.{self.__qualname__}"

    def __call__(self, *arguments: Any) -> Any:
        return self.bind(*arguments).again()

    def bind(self, *arguments: Any) -> Call | PlainCall:
        """The call with these arguments, prepared: it can be made again, with other numbers."""
        slots: list[int] = []
        kept: list[Any] = []
        kinds = tuple([fill_argument(each, slots, kept) for each in arguments])
        if plain_python.note is not None:
            plain_python.note(self, kinds)
            return PlainCall(self.py_func, arguments, kinds)
        code = self.codes.get(kinds)
        if code is None:
            from linkwork._kernels.code_lookup import code_for

            code = code_for(self, kinds)
        return Call(self, code, kinds, slots, (arguments, kept))


class Call:
    """A call of an entry: its block of arguments and results. For one thread at a time.

    The block holds the arguments (tables as addresses of their own blocks), then the place of the results twice, for
    numbers and for whole numbers, then the results.
    """

    def __init__(self, entry: EntryPoint, code: Code, kinds: tuple[Any, ...], slots: list[int], kept: Any) -> None:
        self.entry, self.function, self.kept = entry, code.function, kept
        results = _flat(code.results)
        at = len(slots) + 4
        self.block = bytearray(8 * (at + len(results)))
        address = ctypes.addressof(ctypes.c_char.from_buffer(self.block))
        place = address + 8 * at
        struct.pack_into(f"{at}q", self.block, 0, *slots, place, len(results), place, len(results))
        self.address, self._shape = address, code.results
        self._unpack = struct.Struct("".join("d" if each == "f" else "q" for each in results)).unpack_from
        self._results_at = 8 * at
        self._plain = isinstance(code.results, list) and "b" not in code.results and results == code.results
        self._pack, self._numbers_at = _numbers(kinds)

    def __call__(self, *numbers: Any) -> Any:
        """Call with other numbers, in the order of the arguments that are numbers."""
        self._pack(self.block, self._numbers_at, *numbers)
        if (code := self.function(self.address)) != 0:
            raise self._error(code)
        return self._unpack(self.block, self._results_at) if self._plain else self._results()

    def again(self) -> Any:
        """Call with the same numbers."""
        if (code := self.function(self.address)) != 0:
            raise self._error(code)
        return self._results()

    def _results(self) -> Any:
        found = iter(self._unpack(self.block, self._results_at))
        return _shaped(self._shape, found)

    def _error(self, code: int) -> RuntimeError:
        what = f": {raised_at(code)}" if checked() else ""
        return RuntimeError(f"{self.entry.name} raised an error inside compiled code{what}")


class PlainCall:
    """The same in plain Python."""

    def __init__(self, function: Any, arguments: tuple[Any, ...], kinds: tuple[Any, ...]) -> None:
        self.function, self.arguments, self.kinds = function, arguments, kinds

    def __call__(self, *numbers: Any) -> Any:
        return self.function(*_replaced(self.arguments, self.kinds, iter(numbers)))

    def again(self) -> Any:
        return self.function(*self.arguments)


def _replaced(arguments: Any, kinds: tuple[Any, ...], numbers: Iterator[Any]) -> tuple[Any, ...]:
    """The arguments with these numbers in place of their first ones, those inside tuples too."""
    return tuple(
        next(numbers, a)
        if isinstance(kind, str)
        else _replaced(a, kind.members, numbers)
        if isinstance(kind, TupleKind)
        else a
        for a, kind in zip(arguments, kinds, strict=True)
    )


def _flat(results: Any) -> list[str]:
    if isinstance(results, list):
        return [each for member in results for each in _flat(member)]
    return [results] if results else []


def _shaped(results: Any, found: Any) -> Any:
    if isinstance(results, list):
        return tuple([_shaped(member, found) for member in results])
    if results == "b":
        return bool(next(found))
    return next(found) if results else None


def _numbers(kinds: tuple[Any, ...]) -> tuple[Any, int]:
    """How the arguments that are numbers are packed: those of the first row of neighbours, in a tuple too."""
    at, layout = 0, ""
    for kind in _unpacked(kinds):
        if isinstance(kind, str):
            layout += NUMBERS[kind]
        elif layout:
            break
        else:
            at += argument_slots(kind)
    return struct.Struct(layout).pack_into, 8 * at


def _unpacked(kinds: tuple[Any, ...]) -> list[Any]:
    return [one for kind in kinds for one in (_unpacked(kind.members) if isinstance(kind, TupleKind) else [kind])]


def argument_slots(kind: Any) -> int:
    """Slots of an argument in the block of a call."""
    if isinstance(kind, TupleKind):
        return sum(map(argument_slots, kind.members))
    return slot_count(kind) if isinstance(kind, ArrayKind) else 1
