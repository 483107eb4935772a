"""The wheel with the library of kernels, in an environment of its own: every method runs, and numba is not there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from linkwork._kernels.library import FOLDER, Library, library
from linkwork.simulation.methods import ALL

ROOT = Path(__file__).parents[2]
SCRIPT = """
import sys
import linkwork as lw
run = lw.simulate(lw.gallery.double_four_bar.build(), until=0.01, dt=1e-3, method=sys.argv[1])
print(run.certificate.versions["kernels"], sorted({"numba", "llvmlite"} & set(sys.modules)))
"""


@pytest.mark.long
@pytest.mark.skipif(not isinstance(library(), Library), reason="no library of kernels: make kernels")
def test_every_method_runs_from_the_wheel(tmp_path):
    source = tmp_path / "source"
    shutil.copytree(
        ROOT, source, ignore=shutil.ignore_patterns(".git", ".venv*", "build", "dist", "lib", "__pycache__")
    )
    shutil.copytree(library().file.parent, source / FOLDER.relative_to(ROOT))
    build = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--quiet", "-w", tmp_path, source]
    settings = {**os.environ, "LINKWORK_PLATFORM_WHEEL": "1"}
    done = subprocess.run(build, env=settings, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"no wheel can be built here: {done.stderr[-200:]}")
    (wheel,) = tmp_path.glob("*.whl")
    assert "none-any" not in wheel.name
    assert wheel.stat().st_size < 20e6
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "clean"], check=True)
    python = tmp_path / "clean" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", wheel], check=True)
    assert subprocess.run([python, "-c", "import numba"], capture_output=True).returncode != 0
    (tmp_path / "home").mkdir()
    settings = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home")}
    for method in ALL:
        done = subprocess.run(
            [python, "-c", SCRIPT, method], env=settings, capture_output=True, text=True, cwd=tmp_path
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.split()[-1] == "[]"
