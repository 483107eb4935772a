"""A first start of an FMU in a process of its own: a binary that crashes or hangs ends that one, and not the user's."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from linkwork.errors import ModelError
from linkwork.formats.fmi.imported.fmu_calls import FMUCalls, FMUFailure, VariableGroup
from linkwork.formats.fmi.imported.fmu_description import ImportedDescription, ImportedVariable

SECONDS = 60.0  # that a start may take
MARK = b"linkwork: the trial is over"
_PASSED: set[tuple[Any, ...]] = set()


def try_start(description: ImportedDescription, digest: str, folder: Path, start: dict[str, Any], what: str) -> None:
    """Instantiate and initialise an FMU once in a child process, and refuse it where that crashes or hangs.

    What it refuses in good order, it refuses once more where its inputs are known, and is told there.
    """
    key = (digest, description.kind, tuple(sorted(start.items())))
    if key in _PASSED:
        return
    few = {name: asdict(description.variables[name]) for name in start}
    order = {"description": {**asdict(description), "variables": few}, "folder": str(folder), "start": start}
    tool = f" (it needs the tool that made it, {description.tool})" if description.tool else ""
    path = os.pathsep.join(each for each in sys.path if each)
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", __name__],
            input=json.dumps(order).encode(),
            capture_output=True,
            timeout=SECONDS,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": path},
        )
    except subprocess.TimeoutExpired:
        raise ModelError(f"{what}: its binary did not start within {SECONDS:g} s{tool}; do not use this FMU") from None
    if done.returncode < 0:
        name = signal.Signals(-done.returncode).name if -done.returncode in list(signal.Signals) else "a signal"
        raise ModelError(f"{what}: its binary crashes when it is started ({name}){tool}; do not use this FMU")
    if done.returncode != 0 or MARK not in done.stdout:
        raise ModelError(
            f"{what}: its binary ends the process that starts it (code {done.returncode}){tool}; do not use this FMU"
        )
    _PASSED.add(key)


def main() -> None:
    """In the child: start the FMU of the order on the standard input, end it, and say that we are still here."""
    order = json.load(sys.stdin)
    facts = order["description"]
    variables = {name: ImportedVariable(**each) for name, each in facts["variables"].items()}
    description = ImportedDescription(**{**facts, "variables": variables})
    try:
        calls = FMUCalls(description, Path(order["folder"]), "trial")
        start = [(variables[name], value) for name, value in order["start"].items()]
        calls.begin(0.0, start, VariableGroup(description, []), ())
        calls.free()
    except (FMUFailure, ModelError):
        pass
    sys.stdout.buffer.write(MARK)
    sys.stdout.flush()


if __name__ == "__main__":
    main()
