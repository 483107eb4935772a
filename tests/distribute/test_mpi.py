"""Components on MPI ranks: `mpiexec -n 3 linkwork run car --method component --ranks …`, end to end."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import linkwork as lw
from linkwork.distribute.mpi import parse
from linkwork.gallery import car

HERE = Path(__file__).parent


def mpiexec() -> str | None:
    beside = Path(sys.executable).parent / "mpiexec"
    return str(beside) if beside.exists() else shutil.which("mpiexec")


needs_mpi = pytest.mark.skipif(
    importlib.util.find_spec("mpi4py") is None or mpiexec() is None,
    reason='MPI is not installed: pip install "linkwork[mpi]"',
)


def started(ranks: int, *words: str) -> subprocess.CompletedProcess[str]:
    """`linkwork run …` on so many ranks; all of them must come to an end."""
    return subprocess.run(
        [str(mpiexec()), "-n", str(ranks), sys.executable, "-m", "linkwork.cli", "run", *words],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), *sys.path])},
        capture_output=True,
        text=True,
        timeout=240,  # kernels may have to be compiled first
    )


@needs_mpi
def test_the_car_on_three_ranks() -> None:
    options = ("--method", "component", "--dt", "1e-3", "--until", "0.05", "--json")
    done = started(3, "car", *options, "--ranks", "left wheel=1,right wheel=2")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)  # rank 0 alone speaks
    here = lw.simulate(car.build(), until=0.05, dt=1e-3, method="component")
    for name in ("car body.position", "car body.velocity", "left arm.position", "left axle.position"):
        assert document["final"][name] == pytest.approx(here[name][-1].tolist(), abs=1e-12), name
    assert "left wheel.ring.position" not in document["final"]
    assert document["rows"] == 51
    assert document["certificate"]["worst_drift_position"] < 1e-14


@needs_mpi
def test_wrong_words_end_all_ranks_at_once() -> None:
    done = started(3, "car", "--method", "component", "--ranks", "left wheel=1,rite wheel=2")
    assert done.returncode == 1
    assert done.stderr.count("there is no 'rite wheel' in model 'car'; did you mean 'right wheel'") == 1
    assert done.stdout == ""


FAILING = """
import linkwork as lw
from far_parts import Failing

def build():
    model = lw.Model("trolley")
    trolley = model.body("trolley", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 1))
    model.prismatic("rail", model.ground, trolley, at=(0, 0, 1), axis=(1, 0, 0))
    model.ball("hook", trolley, model.add("thing", Failing()).block, at=(0, 0, 0.5))
    return model
"""


@needs_mpi
def test_a_component_that_fails_on_its_rank(tmp_path: Path) -> None:
    """It is named, what was recorded is kept and written, and no rank is left waiting."""
    (tmp_path / "trolley.py").write_text(FAILING)
    out = tmp_path / "kept.npz"
    words = (str(tmp_path / "trolley.py"), "--method", "component", "--until", "1", "--out", str(out))
    done = started(2, *words, "--ranks", "thing=1")
    assert done.returncode != 0
    assert "component 'thing' failed" in done.stderr
    assert "21 samples up to t = 0.02 s are kept" in done.stderr
    assert len(lw.load_run(out)) == 21


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("left wheel", "takes COMPONENT=RANK"),
        ("left wheel=one", "takes COMPONENT=RANK"),
        ("left wheel=0", "ranks here go from 1 to 2"),
        ("left wheel=3", "ranks here go from 1 to 2"),
        ("left wheel=1,right wheel=1", "gives rank 1 to two components"),
    ],
)
def test_words_that_cannot_be(text: str, words: str) -> None:
    with pytest.raises(lw.OptionError, match=words):
        parse(text, 3)
