"""Where the code of an entry comes from: the library of kernels, what this machine has kept, or the compiler."""

from __future__ import annotations

import functools
import gc
import hashlib
import inspect
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from linkwork._kernels import cpu, store
from linkwork._kernels.checked import CHECKED, checked
from linkwork._kernels.duals import DUAL
from linkwork._kernels.kernel import FUNCTION, Code, EntryPoint
from linkwork._kernels.library import Library, Refused, compile_level, library, library_of_slopes
from linkwork._kernels.packing import has
from linkwork.errors import OptionError

_one_thread = threading.RLock()


def code_for(entry: EntryPoint, kinds: tuple[Any, ...]) -> Code:
    """Compiled code of an entry for arguments of these kinds; the entry remembers it."""
    with _one_thread:
        if kinds not in entry.codes:
            entry.codes[kinds] = _from_library(entry, kinds) or _compiled_here(entry, kinds)
        return entry.codes[kinds]


def _from_library(entry: EntryPoint, kinds: tuple[Any, ...]) -> Code | None:
    slopes = any(has(kind, DUAL.str[1:]) for kind in kinds)
    found = library_of_slopes() if slopes else library()
    if not isinstance(found, Library) or not entry.__module__.startswith("linkwork."):
        return None
    return found.code(entry.name, signature_of(kinds))


@functools.cache
def kernel_origin() -> str:
    """Which code runs: the level of the library, or the compiler of this machine."""
    found = library()
    if isinstance(found, Library):
        return found.level
    return f"compiled here by numba {_numba_version()}" + (", checked" if checked() else "")


def need_numba() -> None:
    """Raise where nothing here compiles kernels."""
    if find_spec("numba") is None:
        found = library()
        reason = found.reason if isinstance(found, Refused) else ""
        raise OptionError(
            f"no kernels can be run: {reason or 'there is no library of kernels'}, and numba, which compiles them, is "
            'not installed; pip install "linkwork[laws]"'
        )


def _need_level() -> None:
    """Raise where the level that was asked for would stop this CPU with an illegal instruction."""
    level = compile_level()
    if level not in ("native", *cpu.levels()):
        raise OptionError(
            f"this CPU cannot run code of level '{level}'; let LINKWORK_KERNELS be compile, or compile: and one of "
            f"{', '.join(cpu.levels())}"
        )


def _numba_version() -> str:
    try:
        return version("numba")
    except PackageNotFoundError:
        return "(not installed)"


def symbol_of(entry: EntryPoint) -> str:
    """The name of an entry in C."""
    return entry.name.replace(".", "_").replace("<", "").replace(">", "")


def signature_of(kinds: tuple[Any, ...]) -> str:
    """Sixteen digits that change with every field of an argument."""
    return hashlib.sha256(",".join(map(str, kinds)).encode()).hexdigest()[:16]


def _compiled_here(entry: EntryPoint, kinds: tuple[Any, ...]) -> Code:
    need_numba()
    _need_level()
    from linkwork._kernels import machine

    symbol = symbol_of(entry)
    target = machine.native_digest() if compile_level() == machine.NATIVE else compile_level()
    marks = f"{CHECKED}-" if checked() else ""
    name = f"{entry.name}-{signature_of(kinds)}-{_own_source(entry)}{marks}{target}.o"
    kept = store.read(name)
    if kept is None:
        with store.alone(entry.name):  # one process compiles, the others wait and load
            kept = store.read(name)
            if kept is None:
                kept = _compile(entry, kinds, symbol)
                store.write(name, *kept)
    results, code = kept
    return Code(FUNCTION(machine.load(code, symbol)), results)


def _compile(entry: EntryPoint, kinds: tuple[Any, ...], symbol: str) -> tuple[Any, bytes]:
    from linkwork._kernels import compiler, machine

    with rarely_collected():
        lowered = compiler.lower(entry.py_func, entry.targetoptions, kinds, symbol)
    return lowered.results, machine.object_code(lowered.module, compile_level())


@contextmanager
def rarely_collected() -> Iterator[None]:
    """While this lasts Python seldom looks for garbage: the compiler makes millions of objects that stay."""
    before = gc.get_threshold()
    gc.set_threshold(100_000, 50, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _own_source(entry: EntryPoint) -> str:
    """Digits for the file of an entry that is not of linkwork itself, whose folder does not know it."""
    if entry.__module__.startswith("linkwork."):
        return ""
    try:
        source = Path(inspect.getfile(entry.py_func)).read_bytes()
    except (OSError, TypeError):
        source = entry.py_func.__code__.co_code
    return hashlib.sha256(source).hexdigest()[:16] + "-"
