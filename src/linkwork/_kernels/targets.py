"""Systems that the library of kernels is built for: this one, and others by way of `ziglang`.

Code is the same in LLVM's language for all of them; LLVM translates it for another system as for this one, and zig,
which carries the C libraries of all of them, links it.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from linkwork._kernels import cpu
from linkwork._kernels.library import SUFFIX

ZIG = (sys.executable, "-m", "ziglang", "cc")
LINKERS = (("cc",), ("gcc",), ("clang",), ZIG)


class NoLinker(Exception):
    """Nothing on this machine links a shared library for the system."""


class Platform(NamedTuple):
    """A system: how LLVM and zig write it, the end of its libraries' names, and the levels worth a library."""

    triple: str
    zig: str
    suffix: str
    levels: tuple[str, ...]


V2, V3, V4 = "x86-64-v2", "x86-64-v3", "x86-64-v4"
TARGETS = {
    "linux-x86_64": Platform("x86_64-unknown-linux-gnu", "x86_64-linux-gnu.2.29", ".so", (V2, V3, V4)),
    "linux-aarch64": Platform("aarch64-unknown-linux-gnu", "aarch64-linux-gnu.2.29", ".so", ("generic",)),
    "win32-x86_64": Platform("x86_64-w64-windows-gnu", "x86_64-windows-gnu", ".dll", (V2, V3, V4)),
    "darwin-aarch64": Platform("arm64-apple-macosx11.0.0", "aarch64-macos.11.0", ".dylib", ("generic",)),
    "darwin-x86_64": Platform("x86_64-apple-macosx10.15.0", "x86_64-macos.10.15", ".dylib", (V2, V3)),
}


def target(system: str) -> Platform:
    """The target of a system's name; of this machine where it is not listed."""
    return TARGETS.get(system, Platform("", "", SUFFIX, cpu.levels()))


def linker(system: str) -> list[str]:
    """The command that links for a system: any C compiler for this one, zig for others and for Windows."""
    at_home = system == cpu.system_name() and sys.platform != "win32"
    for command in LINKERS if at_home else (ZIG,):
        if _works(command):
            return [*command, *_flags(system, command)]
    if at_home:
        raise NoLinker("nothing here links a library: install a C compiler, or pip install ziglang")
    raise NoLinker(f"a library for {system} is linked by zig: pip install ziglang")


def _works(command: tuple[str, ...]) -> bool:
    if command == ZIG:
        return subprocess.run([*ZIG, "--version"], capture_output=True).returncode == 0
    return shutil.which(command[0]) is not None


def _flags(system: str, command: tuple[str, ...]) -> list[str]:
    chosen = target(system)
    if command == ZIG and chosen.zig:
        return ["-target", chosen.zig]
    return ["-target", chosen.triple] if system.startswith("darwin") and chosen.triple else []


def link(command: list[str], system: str, objects: list[Path], file: Path) -> None:
    """Link a shared library."""
    last = {
        "linux": ["-lm", "-Wl,--gc-sections", "-s"],
        "win32": ["-s"],
        "darwin": ["-install_name", f"@rpath/{file.name}"],  # else it carries the path of this machine
    }.get(system.partition("-")[0], [])
    done = subprocess.run([*command, "-shared", "-o", file, *objects, *last], capture_output=True, text=True)
    if done.returncode != 0:
        raise NoLinker(f"{' '.join(command)} cannot link the library: {done.stderr.strip()[:500]}")
