"""`python -m linkwork._kernels.build`: compile every entry and link the library of kernels, with its C header.

Entries are shared out among processes; each types and lowers its own, and translates them for every system and level.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from linkwork._kernels import cpu, store
from linkwork._kernels.code_lookup import rarely_collected, signature_of, symbol_of
from linkwork._kernels.duals import WITH_SLOPES
from linkwork._kernels.library import FOLDER, KERNELS, MANIFEST, OF_SLOPES, file_name, fits
from linkwork._kernels.targets import TARGETS, NoLinker, link, linker, target

HEADER = "linkwork_kernels.h"
# families of entries that share kernels, which a process types once, and about what part of all work each is
FAMILIES = {
    ("formulations.absolute", "formulations.component", "formulations.explicit"): 0.34,
    ("formulations.impulse",): 0.29,
    (WITH_SLOPES,): 0.11,
    ("formulations.implicit",): 0.10,
    ("formulations.natural", "formulations.kinematics"): 0.09,
    ("",): 0.07,  # all the others
}


class Variant(NamedTuple):
    """A library to build."""

    system: str
    level: str

    @property
    def name(self) -> str:
        """The file for plain numbers."""
        return file_name(self.system, self.level, target(self.system).suffix)

    @property
    def names(self) -> tuple[str, str]:
        """That file, and the one for numbers with slopes."""
        return self.name, file_name(self.system, self.level, target(self.system).suffix, OF_SLOPES)


def build(goals: list[Variant], folder: Path = FOLDER, processes: int = 0, say: Any = print) -> list[Path]:
    """Build these libraries; returns the files."""
    from linkwork._kernels.collect import entries
    from linkwork._kernels.header import c_header

    linkers = {goal.system: linker(goal.system) for goal in goals}
    begin = time.monotonic()
    found = entries()
    processes = processes or os.cpu_count() or 1
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    with tempfile.TemporaryDirectory() as scratch:
        manifest: dict[str, Any] = {}
        with ProcessPoolExecutor(processes) as pool:
            jobs = [pool.submit(_translate, share, goals, scratch) for share in _shares(list(found), processes)]
            for job in jobs:
                manifest |= _facts(found, job.result())
        plain = {name: facts for name, facts in manifest.items() if not name.endswith(WITH_SLOPES)}
        slopes = {name: facts for name, facts in manifest.items() if name.endswith(WITH_SLOPES)}
        both = ((KERNELS, plain), (OF_SLOPES, slopes))
        for goal, (library, part) in ((goal, each) for goal in goals for each in both):
            made.append(_linked(goal, linkers[goal.system], part, scratch, folder, library))
            say(f"{made[-1]}  {made[-1].stat().st_size / 1e6:.1f} MB")
    (folder / HEADER).write_text(c_header({name: found[name] for name in plain}, manifest, store.source_hash()))
    for system in linkers:
        say(build_functions_of_fmi(system, folder))
    say(f"{len(found)} entries for {', '.join(f'{system} {level}' for system, level in goals)} in "
        f"{time.monotonic() - begin:.0f} s")  # fmt: skip
    return made


def build_some(goal: Variant, names: list[str], folder: Path) -> Path:
    """A library with these entries alone, compiled by this process: for an FMU. The file."""
    from linkwork._kernels.collect import entries

    command = linker(goal.system)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        return _linked(goal, command, _facts(entries(), _translate(names, [goal], scratch)), scratch, folder)


def _facts(found: Any, translated: list[tuple[str, Any]]) -> dict[str, Any]:
    """What the manifest tells of entries."""
    return {
        name: {"symbol": _symbol(name, found[name][0]), "signature": signature_of(found[name][1]), "results": results}
        for name, results in translated
    }


def _linked(
    goal: Variant, command: list[str], manifest: dict[str, Any], scratch: str, folder: Path, library: str = KERNELS
) -> Path:
    """Link the object files of the entries in the manifest, and put the library into the folder."""
    text = {"level": goal.level, "sources": store.source_hash(), "entries": manifest}
    objects = [_object_file(scratch, name, goal) for name in manifest]
    objects.append(_manifest_object(text, goal, scratch))
    file = Path(scratch) / file_name(goal.system, goal.level, target(goal.system).suffix, library)
    link(command, goal.system, objects, file)
    return _put(file, folder)


def build_functions_of_fmi(system: str, folder: Path, if_needed: bool = False) -> str:
    """Compile what an FMU has beside the kernels; says what was written. Another version of it is removed."""
    from linkwork.formats.fmi.binaries import build_fmi, fmi_file

    if if_needed and (folder / fmi_file(system)).is_file():
        return ""
    file = build_fmi(system, folder)
    for other in folder.glob(f"linkwork_fmi-{system}-*"):
        if other != file:
            other.unlink()
    return f"{file}  {file.stat().st_size / 1e6:.2f} MB"


def _shares(names: list[str], processes: int) -> list[list[str]]:
    """Entries for each process: whole families, the longest first, each to the process that has least to do."""
    shares: list[list[str]] = [[] for _ in range(processes)]
    left, load = sorted(names), [0.0] * processes
    for family, part in FAMILIES.items():
        share = load.index(min(load))
        for place in family:
            shares[share] += [name for name in left if _is_of(name, place)]
            left = [name for name in left if name not in shares[share]]
        load[share] += part
    return [share for share in shares if share]


def _is_of(name: str, place: str) -> bool:
    """Whether an entry belongs to a family: those with slopes are one."""
    if name.endswith(WITH_SLOPES):
        return place == WITH_SLOPES
    return name.startswith(f"linkwork.{place}")


def _translate(names: list[str], goals: list[Variant], folder: str) -> list[tuple[str, Any]]:
    """Object files of these entries for each goal; returns what each of them returns."""
    from linkwork._kernels import compiler, machine
    from linkwork._kernels.collect import entries

    found, results = entries(), []
    for name in names:
        entry, kinds = found[name]
        with rarely_collected():
            lowered = compiler.lower(entry.py_func, entry.targetoptions, kinds, _symbol(name, entry))
        for goal in goals:
            code = machine.object_code(lowered.module, goal.level, target(goal.system).triple)
            _object_file(folder, name, goal).write_bytes(code)
        results.append((name, lowered.results))
    return results


def _symbol(name: str, entry: Any) -> str:
    """The name of an entry in the library."""
    return symbol_of(entry) + ("_with_slopes" if name.endswith(WITH_SLOPES) else "")


def _object_file(folder: str, name: str, goal: Variant) -> Path:
    return Path(folder) / f"{name.replace(' ', '_')}-{goal.system}-{goal.level}.o"


def _manifest_object(text: dict[str, Any], goal: Variant, folder: str) -> Path:
    """The text that tells what a library is, as an object file."""
    from llvmlite import binding, ir

    from linkwork._kernels import machine

    triple = target(goal.system).triple
    machine.target_machine(goal.level, triple)
    content = bytearray(json.dumps(text).encode() + b"\0")
    module = ir.Module("manifest")
    kind = ir.ArrayType(ir.IntType(8), len(content))
    variable = ir.GlobalVariable(module, kind, MANIFEST)
    variable.initializer = ir.Constant(kind, content)
    variable.global_constant = True
    file = _object_file(folder, "manifest", goal)
    file.write_bytes(machine.object_code(binding.parse_assembly(str(module)), goal.level, triple))
    return file


def _put(file: Path, folder: Path) -> Path:
    """Copy a finished library into the folder, at once under its name: a process may have the old one open."""
    unfinished = folder / f"{file.name}.{os.getpid()}.tmp"
    shutil.copy(file, unfinished)
    os.replace(unfinished, folder / file.name)
    return folder / file.name


def _levels(system: str, asked: list[str] | None) -> tuple[str, ...]:
    if asked and asked != ["all"]:
        return tuple(asked)
    return cpu.levels()[:1] if system == cpu.system_name() and not asked else target(system).levels


def main() -> int:
    parser = argparse.ArgumentParser(description="Build the library of kernels.")
    parser.add_argument(
        "--system", default=cpu.system_name(), help=f"{', '.join(TARGETS)}; this one where none is given"
    )
    parser.add_argument(
        "--level", action="append", help="x86-64-v2, -v3, -v4, generic, or all; this CPU's best where none is given"
    )
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--processes", type=int, default=0)
    parser.add_argument("--if-needed", action="store_true", help="only what is missing or was built from other sources")
    given = parser.parse_args()
    if given.system not in (*TARGETS, cpu.system_name()):
        parser.error(f"there is no system '{given.system}'; there are {', '.join(TARGETS)}")
    goals = [Variant(given.system, level) for level in _levels(given.system, given.level)]
    if given.if_needed:
        goals = [goal for goal in goals if not all(fits(given.folder / name) for name in goal.names)]
    try:
        if goals:
            wanted = ", ".join(f"{goal.system} {goal.level}" for goal in goals)
            print(f"compiling all kernels for {wanted}: two to three minutes each on two cores", flush=True)
            build(goals, given.folder, given.processes)
        elif said := build_functions_of_fmi(given.system, given.folder, if_needed=True):
            print(said)
    except NoLinker as error:
        print(f"note: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
