"""The package that pip installs: what is in it, and that it runs in a fresh environment outside the checkout."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import linkwork as lw
from floors import declared_floors

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PACKAGE = ROOT / "src" / "linkwork"
# files that are no modules but are read at run time: a wheel that lacks one of them installs and then fails
LIBRARIES = PACKAGE / "_kernels" / "lib"  # in wheels for one kind of machine only: tests/kernels/test_wheel.py
DATA = sorted(
    path
    for path in PACKAGE.rglob("*.*")
    if not (path.suffix in (".py", ".pyc") or path.parent == LIBRARIES or path.name.startswith("."))
)


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_citation_has_the_version_of_the_package():
    assert f"\nversion: {lw.__version__}\n" in text("CITATION.cff")


def test_links_of_the_project_exist():
    for name, path in PROJECT["urls"].items():
        assert (ROOT / path).exists(), name


def test_the_workflow_tries_the_floors_of_the_dependencies():
    tried = dict(re.findall(r"(\w+)==([\d.]+)\.\*", text(".github/workflows/ci.yml")))
    assert tried == declared_floors()
    assert f'python: "{PROJECT["requires-python"].removeprefix(">=")}"' in text(".github/workflows/ci.yml")


def test_hooks_need_no_network():
    assert re.findall(r"repo: (\S+)", text(".pre-commit-config.yaml")) == ["local"]


def call(*words: object, folder: Path, **settings: str) -> str:
    """Run a program in a folder, without this checkout on its path; what it prints."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [str(word) for word in words], cwd=folder, env=environment | settings, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def environment_with(folder: Path, *packages: str) -> Path:
    """The scripts of a fresh environment with these packages, or a skip where they cannot be had."""
    call(sys.executable, "-m", "venv", folder, folder=folder.parent)
    scripts = folder / ("Scripts" if os.name == "nt" else "bin")
    done = subprocess.run([scripts / "python", "-m", "pip", "install", "-q", *packages], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"{', '.join(packages)} cannot be installed here: {done.stderr[-200:]}")
    return scripts


@pytest.mark.long
def test_the_wheel_runs_in_a_fresh_environment(tmp_path):
    builder = environment_with(tmp_path / "builder", "hatchling>=1.21")
    for target in ("wheel", "sdist"):
        call(builder / "python", "-m", "hatchling", "build", "-d", tmp_path, "-t", target, folder=ROOT)
    (wheel,), (source,) = tmp_path.glob("*.whl"), tmp_path.glob("*.tar.gz")
    packed = zipfile.ZipFile(wheel).namelist()
    assert PACKAGE / "__init__.pyi" in DATA
    assert [path for path in DATA if path.relative_to(PACKAGE.parent).as_posix() not in packed] == []
    with tarfile.open(source) as archive:
        sources = {name.partition("/")[2] for name in archive.getnames()}
    assert {"README.md", "CONTRIBUTING.md", "LICENSE", "Makefile", ".ci/run", "tests/test_package.py"} <= sources

    place = tmp_path / "elsewhere"
    place.mkdir()
    scripts = environment_with(place / "venv", f"{wheel}[plot,film]")
    cache = os.environ.get("LINKWORK_CACHE", str(tmp_path / "cache"))

    def run(*words: object) -> str:
        return call(*words, folder=place, LINKWORK_CACHE=cache)

    home = run(scripts / "python", "-c", "import linkwork; print(linkwork.__file__)")
    assert Path(home.strip()).is_relative_to(place)
    shown = run(scripts / "linkwork", "run", "car", "--until", "0.5", "--out", "car.npz", "--plot", "car.png")
    assert "energy   balance within" in shown
    run(scripts / "linkwork", "replay", "car.npz", "car.html")
    run(scripts / "linkwork", "film", "car.npz", "car.gif", "--fps", "5")
    assert (place / "car.png").read_bytes().startswith(b"\x89PNG")
    assert (place / "car.gif").read_bytes().startswith(b"GIF8")
    page = (place / "car.html").read_text(encoding="utf-8")
    assert page.lower().startswith("<!doctype html>")
    assert not re.search(r'(?:src|href)="https?:', page)
