"""The library of kernels: every entry as a C function, built before by `make kernels`. Loaded without any compiler."""

from __future__ import annotations

import ctypes
import functools
import json
import os
import sys
from pathlib import Path
from typing import Any, NamedTuple

from linkwork._kernels import cpu, store
from linkwork._kernels.checked import CHECKED
from linkwork._kernels.duals import WITH_SLOPES
from linkwork._kernels.kernel import FUNCTION, Code

FOLDER = Path(__file__).parent / "lib"
KERNELS, OF_SLOPES = "linkwork_kernels", "linkwork_slopes"  # files: for plain numbers, and for those with slopes
MANIFEST = "linkwork_kernels_manifest"  # a text inside the library: its level, its sources, its entries
SUFFIX = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")


class Library(NamedTuple):
    """A loaded library."""

    file: Path
    level: str
    handle: Any
    entries: dict[str, dict[str, Any]]

    def code(self, name: str, signature: str) -> Code | None:
        """The code of an entry; None where the library has none for such arguments."""
        for each in (name, name + WITH_SLOPES):
            entry = self.entries.get(each)
            if entry is not None and entry["signature"] == signature:
                return Code(FUNCTION((entry["symbol"], self.handle)), entry["results"])
        return None


class Refused(NamedTuple):
    """Why there is no library, in one sentence; "" where none was ever built. `wanted`: as the user asked."""

    reason: str
    wanted: bool = False


def compile_level() -> str:
    """What kernels are compiled for: `LINKWORK_KERNELS=compile:x86-64-v3` says it, else this very CPU.

    With `LINKWORK_KERNELS=checked` that is this CPU, and no read or write beyond an array goes unseen.
    """
    first, _, level = os.environ.get("LINKWORK_KERNELS", "").partition(":")
    return level if first == "compile" and level else "native"


def file_name(system: str, level: str, suffix: str = SUFFIX, library: str = KERNELS) -> str:
    return f"{library}-{system}-{level}{suffix}"


@functools.cache
def library() -> Library | Refused:
    """The best library for this CPU, or why there is none.

    `LINKWORK_KERNELS=compile` or `checked` leaves it aside (see `compile_level`); any other value is a folder to look
    in.
    """
    wanted = os.environ.get("LINKWORK_KERNELS", "")
    if wanted.partition(":")[0] in ("compile", CHECKED):
        return Refused(f"LINKWORK_KERNELS={wanted} leaves the library aside", wanted=True)
    folder = Path(wanted) if wanted else FOLDER
    system = cpu.system_name()
    built = sorted(folder.glob(file_name(system, "*")))
    reason = f"there is no library of kernels in {folder}" if wanted else ""
    if built:
        reason = f"the library of kernels is for other CPUs ({', '.join(file.stem for file in built)})"
    for level in cpu.levels():
        file = folder / file_name(system, level)
        if file in built:
            found = _load(file)
            if isinstance(found, Library):
                return found
            reason = found.reason
    return Refused(reason)


@functools.cache
def library_of_slopes() -> Library | None:
    """The library for numbers with slopes, beside that for plain ones; loaded when first asked for."""
    kernels = library()
    if not isinstance(kernels, Library):
        return None
    file = kernels.file.with_name(file_name(cpu.system_name(), kernels.level, library=OF_SLOPES))
    found = _load(file) if file.is_file() else None
    return found if isinstance(found, Library) else None


def fits(file: Path) -> bool:
    """Whether a file is a library built from these sources. It is read, not loaded: it may be for another CPU."""
    try:
        return f'"sources": "{store.source_hash()}"'.encode() in file.read_bytes()
    except OSError:
        return False


def _load(file: Path) -> Library | Refused:
    try:
        handle = ctypes.CDLL(str(file))
        manifest = json.loads(ctypes.string_at(ctypes.addressof(ctypes.c_char.in_dll(handle, MANIFEST))))
    except (OSError, ValueError, AttributeError) as error:
        return Refused(f"{file.name} cannot be loaded ({str(error).splitlines()[0][:200]})")
    if manifest.get("sources") != store.source_hash():
        return Refused(f"{file.name} was built from other sources; build it again with make kernels")
    return Library(file, manifest["level"], handle, manifest["entries"])
