"""Runs `extract` in another process, with bounds on time and memory, and tells in one sentence how it failed."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from linkwork.errors import ModelError, OptionError
from linkwork.formats.step import cad_data
from linkwork.formats.step.cad_data import CadFile

MODULE = ["-m", "linkwork.formats.step.extract"]
REFUSED = 3  # exit code of `extract`: the reason stands where the result would
LEAST_MEMORY = 4 * 1024**3  # bytes, for OCCT itself and small files
MEMORY_PER_BYTE = 100  # of the file


def read_cad(path: Path, *, tolerance: float | None, timeout: float) -> CadFile:
    """What a STEP file says; `tolerance` of its triangles in m, `timeout` in s."""
    if importlib.util.find_spec("OCP") is None:
        raise OptionError('STEP files need OCP: pip install "linkwork[step]"')
    memory = LEAST_MEMORY + MEMORY_PER_BYTE * path.stat().st_size
    with tempfile.TemporaryDirectory(prefix="linkwork-step-") as folder:
        out = Path(folder) / "cad.npz"
        command = [sys.executable, "-P", *MODULE, str(path.resolve()), str(out)]
        command += ["" if tolerance is None else repr(tolerance), str(memory)]
        search = os.pathsep.join(each for each in sys.path if each)
        try:
            ended = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                cwd=folder,
                env=os.environ | {"PYTHONPATH": search},
                timeout=timeout,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise ModelError(
                f"{path.name}: it was not read within {timeout:g} s; give timeout= more seconds, or a smaller assembly"
            ) from None
        return collected(path, out, ended.returncode, ended.stderr)


def collected(path: Path, out: Path, code: int, errors: bytes) -> CadFile:
    """The result of a process that has ended."""
    if code == REFUSED:
        raise ModelError(f"{path.name}: {out.read_text(encoding='utf-8')}")
    if code == 0:
        return cad_data.load(out)
    said = errors.decode("utf-8", "replace").strip().splitlines()
    last = said[-1].strip()[:160] if said else ""
    if "MemoryError" in last or "bad_alloc" in last:
        raise ModelError(f"{path.name}: reading it needs more memory than a file of its size should; correct the file")
    reason = f"was stopped by signal {-code}" if code < 0 else f"failed with {last or f'code {code}'}"
    raise ModelError(f"{path.name}: OCCT {reason} while it read the file; it is damaged, export it again")
