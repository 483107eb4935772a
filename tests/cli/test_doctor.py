"""`linkwork doctor` says what runs here, and what to install for the rest."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import linkwork as lw
from linkwork import cli
from linkwork.cli import code_facts, doctor
from linkwork.cli.code_facts import CodeFacts

ROOT = Path(__file__).parents[2]


def asked(*words: str) -> Any:
    return CliRunner().invoke(cli.app, ["doctor", *words])


def without(monkeypatch: pytest.MonkeyPatch, *missing: str) -> None:
    """All packages there, but for these, and no program."""

    def version(package: str) -> str:
        if package in missing:
            raise PackageNotFoundError(package)
        return "1.2.3"

    monkeypatch.setattr(metadata, "version", version)
    monkeypatch.setattr(doctor.shutil, "which", lambda name: None)


def test_it_reports_what_runs() -> None:
    answer = asked()
    assert answer.exit_code == 0
    assert answer.stdout.startswith(f"linkwork {lw.__version__}, python 3.")
    for word in ("kernels", "cache", "plots", "live page", "films", "HDF5 files", "concave meshes", "MPI"):
        assert re.search(rf"^{word} ", answer.stdout, re.MULTILINE), word
    assert answer.stdout.endswith("simulations can run\n")


def test_json() -> None:
    answer = asked("--json")
    assert answer.exit_code == 0
    found = json.loads(answer.stdout)
    assert found["ready"] is True
    assert found["problem"] == ""
    assert found["versions"]["linkwork"] == lw.__version__
    assert found["extras"].keys() == doctor.EXTRAS.keys()
    assert Path(found["cache"]["folder"]).is_dir()
    assert found["cache"]["bytes"] >= 0


def test_what_is_missing_is_told_with_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "websockets", "imageio-ffmpeg")
    answer = asked()
    assert answer.exit_code == 0  # simulations run without them
    assert re.search(r'^live page +no: pip install "linkwork\[view\]"$', answer.stdout, re.MULTILINE)
    assert re.search(r'^films +no: pip install "linkwork\[film\]"$', answer.stdout, re.MULTILINE)
    assert re.search(r"^plots +yes, matplotlib 1\.2\.3$", answer.stdout, re.MULTILINE)


def test_a_program_of_the_system_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "imageio-ffmpeg")
    monkeypatch.setattr(doctor.shutil, "which", lambda name: f"/bin/{name}")
    assert json.loads(asked("--json").stdout)["extras"]["films"] == {
        "usable": True,
        "packages": {"pillow": "1.2.3", "imageio-ffmpeg": "/bin/ffmpeg"},
        "install": 'pip install "linkwork[film]"',
    }


def test_without_kernels_nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    reason = "numba, which compiles the kernels, is not installed"
    monkeypatch.setattr(code_facts, "code_facts", lambda: CodeFacts("none", reason, None, 0))
    answer = asked()
    assert answer.exit_code == 1
    assert answer.stderr == f"linkwork: {reason}\n"
    assert "simulations can run" not in answer.stdout
    answer = asked("--json")
    assert answer.exit_code == 1
    assert json.loads(answer.stdout)["problem"] == reason


def test_without_numpy_nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "numpy", "scipy")
    answer = asked()
    assert answer.exit_code == 1
    assert answer.stderr == "linkwork: numpy and scipy cannot be found; pip install numpy scipy\n"


def test_the_extras_are_those_of_the_package() -> None:
    """Each package that is looked for comes with the extra that is named, or with linkwork itself."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for extra, packages in doctor.EXTRAS.values():
        brought = project["optional-dependencies"][extra]
        assert set(packages) <= {re.split("[<>=]", each)[0] for each in brought}, extra


def test_it_imports_none_of_them() -> None:
    """It answers at once, and also where one of them is broken."""
    code = (
        "import sys; sys.argv = ['linkwork', 'doctor']\n"
        "from linkwork.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = 'matplotlib websockets h5py coacd PIL imageio_ffmpeg mpi4py numba scipy'\n"
        "print([name for name in heavy.split() if name in sys.modules], file=sys.stderr)"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert answer.stderr.strip() == "[]"
