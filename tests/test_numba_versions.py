"""The oldest numba and numpy that hatch_build.py names run the same mechanisms to the same numbers.

Kernels let the compiler order sums as it likes, and another LLVM orders them otherwise: across versions of numba the
last digits may differ, and a mechanism that passes near a singular position makes them larger. Within one version
bits are the same, compiled or loaded.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from floors import declared_floors

ROOT = Path(__file__).parents[1]
OLDEST = {"numba": "0.61", "numpy": "1.26", "scipy": "1.11", "typer": "0.16", "rich": "13", "pydantic": "2.6"}
COMPILE = {"LINKWORK_KERNELS": "compile"}  # not from the library
RUN = """
import sys
import numba, numpy as np
import linkwork as lw
kept = {"versions": np.array([numba.__version__, np.__version__])}
for method in ("recursive", "hybrid"):
    run = lw.simulate(lw.gallery.double_four_bar.build(), until=1.0, method=method, dt=1e-3)
    assert run.certificate.complete
    kept |= {f"{method} {name}": run[name] for name in run.names}
    kept[f"{method} energy"] = run.energy["balance"]
np.savez(sys.argv[1], **kept)
"""


def test_the_floors_are_those_that_are_tried():
    assert declared_floors() == OLDEST


def ran(python: Path | str, cache: Path, file: Path) -> dict[str, np.ndarray]:
    settings = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "LINKWORK_CACHE": str(cache), **COMPILE}
    done = subprocess.run([python, "-c", RUN, file], env=settings, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with np.load(file) as found:
        return {name: found[name] for name in found.files}


@pytest.mark.long
@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="numba 0.61 with numpy 1.26 is tried on Python 3.11")
def test_the_oldest_numba_gives_the_same_numbers(tmp_path):
    python = tmp_path / "oldest" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "oldest"], check=True)
    wanted = [f"{name}=={version}.*" for name, version in OLDEST.items()]
    done = subprocess.run([python, "-m", "pip", "install", "--quiet", *wanted], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"the oldest versions cannot be installed here: {done.stderr[-200:]}")
    kept = tmp_path / "cache"
    checked = [python, "-m", "linkwork", "check", "pendulum"]
    settings = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "LINKWORK_CACHE": str(kept), **COMPILE}
    assert subprocess.run(checked, env=settings, capture_output=True).returncode == 0
    compiled = ran(python, kept, tmp_path / "compiled.npz")
    loaded = ran(python, kept, tmp_path / "loaded.npz")
    here = ran(sys.executable, Path(os.environ.get("LINKWORK_CACHE", tmp_path / "here")), tmp_path / "here.npz")
    assert compiled["versions"][0].startswith(OLDEST["numba"])
    assert list(kept.rglob("*.run-*.o")), "nothing was kept"
    assert all(compiled[name].tobytes() == loaded[name].tobytes() for name in compiled)
    for name in here:
        if name.endswith(".position"):
            assert np.abs(compiled[name] - here[name]).max() < 1e-9, name  # rad or m, of 1 m and 3.3 rad
    for method in ("recursive", "hybrid"):
        assert np.abs(compiled[f"{method} energy"]).max() == pytest.approx(
            np.abs(here[f"{method} energy"]).max(), rel=1e-3
        )
