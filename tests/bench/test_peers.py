"""Adapters of other engines: scenes ask them, and no scene imports an engine."""

import ast
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork import bench
from linkwork.bench.peers.mujoco_run import MujocoRun

ENGINES = {"mujoco", "pinocchio", "exudyn", "pydrake", "dartpy"}


@pytest.mark.parametrize("file", sorted(Path(bench.__file__).parent.glob("*.py")), ids=lambda file: file.name)
def test_scenes_import_no_engine(file):
    imports = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {alias.name for node in imports if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in imports if isinstance(node, ast.ImportFrom)}
    assert not {name.partition(".")[0] for name in names} & ENGINES


@pytest.mark.peer
def test_a_run_of_mujoco_starts_again():
    """A ball falls for 0.1 s, twice, by semi-implicit Euler steps."""
    pytest.importorskip("mujoco", reason="MuJoCo is not installed: pip install mujoco")
    model = lw.Model("ball")
    model.free("flight", model.ground, model.body("ball", mass=1.0, shape=lw.Sphere(0.1), position=(0, 0, 1)))
    run = MujocoRun(model, 1e-3)
    for _ in range(2):
        run.rewind()
        run.step(101)  # positions are those before the last step
        np.testing.assert_allclose(run.position("ball"), (0, 0, 1 - 9.81 * 1e-6 * 100 * 101 / 2), atol=1e-9)
