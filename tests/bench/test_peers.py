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


@pytest.mark.peer
@pytest.mark.parametrize("integrator", ["Euler", "implicitfast"])
def test_the_work_of_a_motor_of_mujoco_is_the_energy_that_it_gives(integrator):
    """A trolley without friction, pushed by a servo: what energy it has is the servo's work, step by step."""
    pytest.importorskip("mujoco", reason="MuJoCo is not installed: pip install mujoco")
    model = lw.Model("trolley")
    trolley = model.body("trolley", mass=2.0, shape=lw.Box((0.2, 0.2, 0.1)))
    model.prismatic("rail", "ground", trolley, axis=(1, 0, 0))
    model.motor("push", "rail", velocity=3.0, max_torque=50.0, softness=lw.Soft(damping=40.0))
    run = MujocoRun(model, 1e-3, integrator=integrator)
    run.set_speeds(model)
    watched = run.watch(500, see=lambda: float(run.data.qvel[0]), often=499)
    assert watched.seen[-1] == pytest.approx(3.0, abs=0.01)
    assert watched.time == pytest.approx(0.5)
    assert np.ptp(watched.unexplained) < 1e-9 * 0.5 * 2.0 * 3.0**2
    assert watched.overlap == 0.0


@pytest.mark.peer
def test_dampers_of_joints_are_those_of_ours():
    pytest.importorskip("mujoco", reason="MuJoCo is not installed: pip install mujoco")
    model = lw.Model("door")
    leaf = model.body("leaf", mass=2.0, shape=lw.Box((1.0, 0.04, 2.0)), position=(0.5, 0, 0))
    model.revolute("hinge", "ground", leaf, at=(0, 0, 0), axis=(0, 0, 1), damping=0.7)
    assert MujocoRun(model, 1e-3).model.dof_damping == pytest.approx([0.7])
