"""Checked kernels: what reads or writes beyond an array stops, and tells the line."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import overrun

SCRIPT = Path(overrun.__file__)


@pytest.mark.parametrize("name", overrun.BEYOND)
def test_overrun_is_found(name: str, tmp_path: Path) -> None:
    settings = {**os.environ, "LINKWORK_KERNELS": "checked", "LINKWORK_CACHE": str(tmp_path)}
    done = subprocess.run([sys.executable, SCRIPT, name], env=settings, capture_output=True, text=True, timeout=300)
    assert done.stdout == "inside\n"
    assert done.returncode == 1
    told = done.stderr.splitlines()[-1]
    assert told.startswith(f"RuntimeError: __main__.{name} raised an error inside compiled code: ")
    if name == "index":
        lines = SCRIPT.read_text(encoding="utf-8").splitlines()
        line = next(k for k, text in enumerate(lines, 1) if "# the line that is told" in text)
        assert told.endswith(f"index is out of bounds at {SCRIPT}:{line}")
    else:
        assert "vector beyond the array" in told
