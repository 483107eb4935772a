"""The machine code of an FMU: the functions of FMI, compiled from the C sources here, and the kernels beside them."""

from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
from pathlib import Path

from linkwork._kernels import cpu, store
from linkwork._kernels.build import Variant, build_some
from linkwork._kernels.code_lookup import need_numba
from linkwork._kernels.library import FOLDER, Library, file_name, fits, library
from linkwork._kernels.targets import NoLinker, linker, target
from linkwork.errors import OptionError

SOURCES = Path(__file__).parent / "c"
FLAGS = ("-std=c11", "-O2", "-fPIC", "-fvisibility=hidden")
LEVELS = ("x86-64-v4", "x86-64-v3", "x86-64-v2", "generic")


def source_files() -> dict[str, bytes]:
    """The C sources by name."""
    return {file.name: file.read_bytes() for file in sorted(SOURCES.iterdir()) if file.suffix in (".c", ".h")}


def source_digest() -> str:
    """Sixteen digits that change with every line of the C sources."""
    return hashlib.sha256(b"\0".join(source_files().values())).hexdigest()[:16]


def kernel_folder() -> Path:
    """Where the libraries of kernels are."""
    wanted = os.environ.get("LINKWORK_KERNELS", "")
    return Path(wanted) if wanted and wanted.partition(":")[0] != "compile" else FOLDER


def fmi_file(system: str) -> str:
    """Name of the library with the functions of FMI; it carries the digest of its sources."""
    return f"linkwork_fmi-{system}-{source_digest()}{target(system).suffix}"


def build_fmi(system: str, folder: Path) -> Path:
    """Compile the functions of FMI for a system; the file. Raises `NoLinker` where nothing here compiles C."""
    command = linker(system)
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / fmi_file(system)
    last = {
        "linux": ["-ldl", "-lm", "-s", "-Wl,--no-undefined"],
        "win32": ["-s"],
        "darwin": ["-install_name", f"@rpath/{file.name}"],  # else it carries the path of this machine
    }.get(system.partition("-")[0], [])
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        made = Path(scratch) / file.name
        sources = sorted(SOURCES.glob("*.c"))
        done = subprocess.run(
            [*command, *FLAGS, "-shared", "-o", made, *sources, *last], capture_output=True, text=True
        )
        if done.returncode != 0:
            raise NoLinker(f"{command[0]} cannot compile the functions of FMI: {done.stderr.strip()[:500]}")
        os.replace(made, file)
    return file


def fmi_library(system: str) -> Path:
    """The library with the functions of FMI: built with the kernels, kept by this machine, or compiled now."""
    folders = [kernel_folder()] + ([kept] if (kept := store.cache_folder()) is not None else [])
    for folder in folders:
        if (folder / fmi_file(system)).is_file():
            return folder / fmi_file(system)
    try:
        return build_fmi(system, folders[-1])
    except NoLinker as error:
        raise OptionError(
            f"an FMU for {system} needs C functions that are compiled with the kernels ({error}); call make kernels"
        ) from None


def kernel_libraries(system: str, levels: list[str] | None, entries: list[str]) -> list[Path]:
    """Libraries with the kernels of these entries: of these levels, of the level that runs here where none is given.

    Those that were not built before are compiled now, with these entries alone, and kept.
    """
    at_home, here, folder = system == cpu.system_name(), library(), kernel_folder()
    if levels is None and at_home:
        levels = [here.level if isinstance(here, Library) else cpu.levels()[0]]
    elif levels is None:
        built = [each for each in LEVELS if fits(folder / file_name(system, each, target(system).suffix))]
        levels = built or [usual_level(system)]
    for level in levels:
        if level not in target(system).levels:
            known = ", ".join(map(repr, target(system).levels))
            raise OptionError(f"there is no level {level!r} of {system}; give one of {known}")
    return [_kernel_library(Variant(system, level), folder, entries) for level in levels]


def usual_level(system: str) -> str:
    """The level that almost every machine of a system has."""
    return "x86-64-v3" if system.endswith("x86_64") else "generic"


def _kernel_library(goal: Variant, folder: Path, entries: list[str]) -> Path:
    kept, digest = store.cache_folder(), hashlib.sha256(",".join(entries).encode()).hexdigest()[:12]
    places = [folder] if kept is None else [folder, kept / f"fmu-{digest}"]
    for place in places:
        if fits(place / goal.name):
            return place / goal.name
    try:
        need_numba()
        return build_some(goal, entries, places[-1])
    except (NoLinker, OptionError) as error:
        where = "" if goal.system == cpu.system_name() else f"SYSTEM={goal.system} "
        raise OptionError(
            f"there is no {goal.name} of these sources in {folder}, and it cannot be made now ({error}); "
            f"call make kernels {where}LEVELS={goal.level}"
        ) from None
