"""Imports run one way: words, geometry and numbers at the bottom, the command line on top."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src" / "linkwork"
FRONT_DOOR = "front door"  # `import linkwork as lw`, which leads everywhere

KERNELS = {"spatial", "mechanics", "contact", "numerics", "formulations"}
BELOW_SIMULATION = {"model", "assembly", *KERNELS}
ALLOWED = {
    "errors": set(),
    "_jit": {"_kernels"},
    "_kernels": {"_file_lock"},
    "_file_lock": set(),
    "_disk": set(),
    "_import_lock": set(),
    "model": set(),
    "spatial": set(),
    "numerics": set(),
    "assembly": {"model", "spatial"},
    "mechanics": {"spatial"},
    "contact": {"spatial"},
    "formulations": {"spatial", "mechanics", "contact", "numerics"},
    "simulation": BELOW_SIMULATION,
    "distribute": BELOW_SIMULATION | {"simulation"},
    "formats": BELOW_SIMULATION | {"simulation", "distribute"},
    "viewer": BELOW_SIMULATION | {"simulation"},
    "parts": {"model", "assembly"},
    "looks": {"model"},
    "gallery": BELOW_SIMULATION | {"parts", "simulation", FRONT_DOOR},
}
TOP = {"cli", "targets", "bench", "__init__", "__main__", "_version"}
FOR_ALL = {"errors", "_jit", "_kernels", "_disk", "_file_lock", "_import_lock", "_version"}

# Doors that open upwards, each on purpose and only when somebody calls: run.plot() and run.view() are verbs of the
# trajectory, sim.view() one of the simulation; lw.Mesh("part.stl") reads a file, model.write("arm.urdf") writes one.
# Suggested joints draw themselves, an FMU has a picture of its model. The library of kernels is built from what small
# models call, with functions for FMUs.
UPWARDS = {
    ("_kernels/build.py", "formats"),
    ("_kernels/collect.py", FRONT_DOOR),
    ("_kernels/collect.py", "simulation"),
    ("_kernels/header.py", "formulations"),
    ("formats/fmi/archive.py", "viewer"),
    ("formats/step/suggestions.py", "viewer"),
    ("model/shapes/mesh.py", "formats"),
    ("model/subsystem.py", "formats"),
    ("simulation/analysis/comparing/agreement.py", "viewer"),
    ("simulation/analysis/linear/frequency.py", "viewer"),
    ("simulation/analysis/linear/modes.py", "viewer"),
    ("simulation/analysis/linear/root_locus.py", "viewer"),
    ("simulation/analysis/linear/sensitivity.py", "viewer"),
    ("simulation/results/scene/contact_log.py", "viewer"),
    ("simulation/results/trajectory.py", "viewer"),
    ("simulation/run.py", "viewer"),
}

FORBIDDEN_NAMES = {"utils", "util", "common", "misc", "helpers", "helper", "base"}


def rooms_imported(source: str, path: Path, with_types: bool) -> set[str]:
    """Rooms of linkwork that a file imports, wherever the import stands."""
    package = ["linkwork", *path.relative_to(PACKAGE).parent.parts]
    found = set()
    for node in _nodes(ast.parse(source), with_types):
        if isinstance(node, ast.Import):
            targets = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            stem = (node.module or "").split(".") if node.module else []
            if node.level:
                stem = package[: len(package) - node.level + 1] + stem
            targets = [[*stem, alias.name] for alias in node.names]
        else:
            continue
        for target in targets:
            if target[0] == "linkwork":
                room = target[1] if len(target) > 1 else FRONT_DOOR
                known = (PACKAGE / room).is_dir() or (PACKAGE / f"{room}.py").exists()
                found.add(room if known else FRONT_DOOR)
    return found


def _nodes(tree, with_types):
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and not with_types and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        yield node
        yield from _nodes(node, with_types)


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


FILES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("room", sorted({room_of(path) for path in FILES} - TOP))
def test_imports_run_one_way(room):
    assert room in ALLOWED, f"{room} is not a room of the plan; give it a place in this test and in ARCHITECTURE.md"
    for_all = FOR_ALL if room not in FOR_ALL else {"errors"}
    wrong = []
    for path in (path for path in FILES if room_of(path) == room):
        name = path.relative_to(PACKAGE).as_posix()
        upwards = {above for file, above in UPWARDS if file == name}
        imported = rooms_imported(path.read_text(encoding="utf-8"), path, with_types=room in KERNELS)
        wrong += [f"{name} imports {each}" for each in sorted(imported - ALLOWED[room] - for_all - upwards - {room})]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("room", sorted(KERNELS))
def test_kernels_know_no_words_and_no_tables(room):
    paths = [path for path in FILES if room_of(path) == room]
    assert paths
    for path in paths:
        imported = rooms_imported(path.read_text(encoding="utf-8"), path, with_types=True)
        assert not imported & {"model", "assembly", "simulation", FRONT_DOOR}, path


def test_no_drawer_for_odds_and_ends():
    root = PACKAGE.parent.parent
    odd = [p for folder in (PACKAGE, root / "tests") for p in folder.rglob("*.py") if p.stem in FORBIDDEN_NAMES]
    assert odd == []


# Names that more than one class may have, and why.
SHARED_NAMES = {"Workspace": "every method has its own, and none is used beside another"}


def test_one_word_one_class():
    """A class has a name of its own; pieces of the gallery, each a mechanism by itself, may use theirs again."""
    files: dict[str, list[str]] = {}
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and room_of(path) != "gallery":
                files.setdefault(node.name, []).append(path.relative_to(PACKAGE).as_posix())
    twice = {name: where for name, where in files.items() if len(where) > 1}
    assert {name: where for name, where in twice.items() if name not in SHARED_NAMES} == {}
    assert SHARED_NAMES.keys() <= twice.keys(), "an exception that is no longer needed"


def test_upward_doors_are_opened_only_when_called():
    for name, above in UPWARDS:
        tree = ast.parse((PACKAGE / name).read_text(encoding="utf-8"))
        for node in tree.body:
            if isinstance(node, ast.ImportFrom):
                assert not (node.module or "").startswith(f"linkwork.{above}")


@pytest.mark.parametrize(
    ("source", "rooms"),
    [
        ("import linkwork as lw", {FRONT_DOOR}),
        ("import linkwork.model.body", {"model"}),
        ("from linkwork import simulate", {FRONT_DOOR}),
        ("from linkwork import errors", {"errors"}),
        ("from linkwork.errors import ModelError", {"errors"}),
        ("def f():\n    from ..model import body", {"model"}),
        ("from . import certificate", {"simulation"}),
        ("from .. import model", {"model"}),
        ("import numpy", set()),
        ("if TYPE_CHECKING:\n    from linkwork.viewer import plots", set()),
    ],
)
def test_the_test_itself_sees_imports(source, rooms):
    assert rooms_imported(source, PACKAGE / "simulation" / "trajectory.py", with_types=False) == rooms
