"""`python -m linkwork._kernels.build`: compile every entry and link the library of kernels, with its C header.

Entries are shared out among processes; each types and lowers its own, and translates them for every level.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from linkwork._kernels import cpu, store
from linkwork._kernels.library import FOLDER, MANIFEST, SUFFIX, file_name, fits
from linkwork._kernels.roads import rarely_collected, signature_of, symbol_of

HEADER = "linkwork_kernels.h"
SLOWEST = "linkwork.formulations.impulse.step.run"
LINKERS = (("cc",), ("gcc",), ("clang",), (sys.executable, "-m", "ziglang", "cc"))


class NoLinker(Exception):
    """Nothing on this machine links a shared library."""


def build(levels: list[str], folder: Path = FOLDER, processes: int = 0, say: Any = print) -> list[Path]:
    """Build the library for each of the levels; returns the files."""
    from linkwork._kernels.collect import entries
    from linkwork._kernels.header import c_header

    link = _linker()
    begin = time.monotonic()
    found = entries()
    processes = processes or os.cpu_count() or 1
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    with tempfile.TemporaryDirectory() as scratch:
        manifest: dict[str, Any] = {}
        with ProcessPoolExecutor(processes) as pool:
            jobs = [pool.submit(_translate, share, levels, scratch) for share in _shares(list(found), processes)]
            for job in jobs:
                for name, results in job.result():
                    entry, kinds = found[name]
                    manifest[name] = {
                        "symbol": symbol_of(entry), "signature": signature_of(kinds), "results": results
                    }  # fmt: skip
        for level in levels:
            file = folder / file_name(cpu.system_name(), level)
            objects = [Path(scratch) / f"{name}-{level}.o" for name in manifest]
            text = {"level": level, "sources": store.source_hash(), "entries": manifest}
            objects.append(_manifest_object(text, level, Path(scratch)))
            _link(link, objects, file)
            made.append(file)
            say(f"{file}  {file.stat().st_size / 1e6:.1f} MB")
    (folder / HEADER).write_text(c_header(found, manifest, store.source_hash()))
    say(f"{len(found)} entries for {', '.join(levels)} in {time.monotonic() - begin:.0f} s")
    return made


def _shares(names: list[str], processes: int) -> list[list[str]]:
    """Entries for each process: the slowest alone with what is quick, methods that share kernels together."""
    others = sorted(name for name in names if name != SLOWEST)
    if processes == 1:
        return [names]
    quick = [name for name in others if "formulations" not in name]
    slow = [name for name in others if "formulations" in name]
    shares = [[SLOWEST, *quick], *([] for _ in range(processes - 1))]
    for k, name in enumerate(slow):
        shares[1 + k * (processes - 1) // len(slow)].append(name)
    return [share for share in shares if share]


def _translate(names: list[str], levels: list[str], folder: str) -> list[tuple[str, Any]]:
    """Object files of these entries for each level; returns what each of them returns."""
    from linkwork._kernels import compiler, machine
    from linkwork._kernels.collect import entries

    found, results = entries(), []
    for name in names:
        entry, kinds = found[name]
        with rarely_collected():
            lowered = compiler.lower(entry.py_func, entry.targetoptions, kinds, symbol_of(entry))
        for level in levels:
            (Path(folder) / f"{name}-{level}.o").write_bytes(machine.object_code(lowered.module, level))
        results.append((name, lowered.results))
    return results


def _manifest_object(text: dict[str, Any], level: str, folder: Path) -> Path:
    """The text that tells what a library is, as an object file."""
    from llvmlite import binding, ir

    from linkwork._kernels import machine

    machine.target_machine(level)
    content = bytearray(json.dumps(text).encode() + b"\0")
    module = ir.Module("manifest")
    kind = ir.ArrayType(ir.IntType(8), len(content))
    variable = ir.GlobalVariable(module, kind, MANIFEST)
    variable.initializer = ir.Constant(kind, content)
    variable.global_constant = True
    file = folder / f"manifest-{level}.o"
    file.write_bytes(machine.object_code(binding.parse_assembly(str(module)), level))
    return file


def _linker() -> tuple[str, ...]:
    for command in LINKERS:
        if command[0] == sys.executable:
            if subprocess.run([*command, "--version"], capture_output=True).returncode == 0:
                return command
        elif shutil.which(command[0]):
            return command
    raise NoLinker("nothing here links a library: install a C compiler, or pip install ziglang")


def _link(linker: tuple[str, ...], objects: list[Path], file: Path) -> None:
    """Link under another name and rename: a process may have the old one open."""
    unfinished = file.with_name(f"{file.name}.{os.getpid()}.tmp{SUFFIX}")
    maths = [] if sys.platform in ("win32", "darwin") else ["-lm", "-Wl,--gc-sections", "-s"]
    command = [*linker, "-shared", "-o", str(unfinished), *map(str, objects), *maths]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise NoLinker(f"{' '.join(linker)} cannot link the library: {done.stderr.strip()[:500]}")
    os.replace(unfinished, file)


def main() -> int:
    parser = argparse.ArgumentParser(description="Build the library of kernels.")
    parser.add_argument(
        "--level", action="append", help="x86-64-v2, -v3, -v4 or generic; this CPU's best where none is given"
    )
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--processes", type=int, default=0)
    parser.add_argument("--if-needed", action="store_true", help="only what is missing or was built from other sources")
    given = parser.parse_args()
    levels = given.level or [cpu.levels()[0]]
    if given.if_needed:
        levels = [level for level in levels if not fits(given.folder / file_name(cpu.system_name(), level))]
    try:
        if levels:
            build(levels, given.folder, given.processes)
    except NoLinker as error:
        print(f"note: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
