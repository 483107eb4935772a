"""The machine code of an FMU: the functions of FMI, compiled from the C sources here, and the kernels beside them."""

from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
from pathlib import Path

from linkwork._kernels import cpu, store
from linkwork._kernels.library import FOLDER, Library, file_name, fits, library
from linkwork._kernels.targets import NoLinker, linker, target
from linkwork.errors import OptionError

SOURCES = Path(__file__).parent / "c"
FLAGS = ("-std=c11", "-O2", "-fPIC", "-fvisibility=hidden")
LEVELS = ("x86-64-v4", "x86-64-v3", "x86-64-v2", "generic")
# what FMI 2 and 3 call a system
PLATFORMS = {
    "linux-x86_64": ("linux64", "x86_64-linux"),
    "linux-aarch64": ("aarch64-linux", "aarch64-linux"),
    "win32-x86_64": ("win64", "x86_64-windows"),
    "darwin-x86_64": ("darwin64", "x86_64-darwin"),
    "darwin-aarch64": ("aarch64-darwin", "aarch64-darwin"),
}


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


def kernel_libraries(system: str, levels: list[str] | None) -> list[Path]:
    """The libraries of kernels for a system: of these levels, of the level that runs here where none is given."""
    folder = kernel_folder()
    if levels is None and system == cpu.system_name():
        here = library()
        levels = [here.level] if isinstance(here, Library) else []
    files = [folder / file_name(system, level, target(system).suffix) for level in levels or LEVELS]
    found = [file for file in files if fits(file)]
    if levels and len(found) < len(levels):
        missing = [file.name for file in files if file not in found]
        raise OptionError(
            f"there is no {', '.join(missing)} of these sources in {folder}; call make kernels LEVELS=all"
        )
    if not found:
        raise OptionError(
            f"an FMU carries the library of kernels, and there is none for {system}; call make kernels"
            + ("" if system == cpu.system_name() else f" SYSTEM={system}")
        )
    return found
