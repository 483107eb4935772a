"""A few random scenes with contact; `make attack` takes many more."""

from __future__ import annotations

import pytest

import linkwork as lw
from random_contact_scenes import Scene, has_mujoco, judge, overlaps, wrong


@pytest.mark.parametrize("method", ["impulse", "maximal"])
def test_nothing_is_wrong_without_a_doubt(method: str) -> None:
    found = [judge(seed, method) for seed in range(25)]
    assert [each for each in found if each["error"]] == []
    assert [each for each in found if each["wrong"] and not each["doubts"]] == []


@pytest.mark.parametrize("method", ["impulse", "maximal"])
def test_healthy_scenes_are_clean(method: str) -> None:
    found = [judge(seed, method, mild=True) for seed in range(40)]
    assert sum(not each["doubts"] for each in found) >= 0.95 * len(found)


@pytest.mark.parametrize("method", ["impulse", "maximal"])
def test_a_corner_that_turns_in_is_told(method: str) -> None:
    """Scene 116: what is hit turns by 1.5 rad in a step; a corner was deep by two thirds of its thickness."""
    scene = Scene(116)
    run = lw.simulate(scene.model, until=scene.until, method=method, dt=scene.dt)
    assert wrong(scene, run, has_mujoco()) == []
    assert run.certificate.worst_overlap < 0.1 * scene.thin["mesh 1"]


@pytest.mark.skipif(not has_mujoco(), reason="MuJoCo is not installed: pip install mujoco")
def test_the_judge_sees_overlaps() -> None:
    """Two balls of radius 0.1 with their centres 0.15 apart overlap by 0.05."""
    scene = Scene(0)
    scene.shapes = {"a": lw.Sphere(0.1), "b": lw.Sphere(0.1)}
    scene.thin = {"a": 0.2, "b": 0.2}
    scene.joined = set()
    model = lw.Model("balls", gravity=(0, 0, 0))
    for name, x in (("a", 0.0), ("b", 0.15)):
        model.body(name, shape=lw.Sphere(0.1), mass=1.0, position=(x, 0, 0))
    run = lw.simulate(model, until=0.01, method="maximal", dt=0.01)
    assert overlaps(scene, run, [0])[("a", "b")] == pytest.approx(0.05, abs=1e-9)
