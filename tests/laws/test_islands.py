"""Bodies that do not touch do not count: an island runs as it runs alone, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwork as lw

both = pytest.mark.parametrize("kind", [lw.Impulse, lw.Maximal], ids=["impulse", "maximal"])
MATERIAL = lw.Material(friction=0.5)


def heap(model: lw.Model, name: str, x: float) -> None:
    """Six boxes that fall on each other around x."""
    rng = np.random.default_rng(3)
    for k in range(6):
        at = (x + rng.uniform(-0.1, 0.1), rng.uniform(-0.1, 0.1), 0.2 + 0.25 * k)
        shape = lw.Box((0.2, 0.16, 0.12))
        model.body(f"{name} {k}", shape=shape, mass=1.0, position=at, rotation=rng.normal(size=4), material=MATERIAL)


def floor() -> lw.Model:
    model = lw.Model("two heaps")
    model.plane("floor", material=MATERIAL)
    return model


@both
def test_a_heap_falls_as_it_falls_alone(kind: Any) -> None:
    alone, beside = floor(), floor()
    heap(alone, "box", 0.0)
    heap(beside, "box", 0.0)
    heap(beside, "other", 8.0)
    beside.body("ball", shape=lw.Sphere(0.1), mass=5.0, position=(4, 0, 3), material=MATERIAL)
    one, two = (lw.simulate(model, until=1.5, method=kind(dt=5e-3), every=10) for model in (alone, beside))
    for k in range(6):
        assert (one[f"box {k}.position"] == two[f"box {k}.position"]).all()


def test_islands_are_what_touches_or_is_joined() -> None:
    """Two stacks are two islands, and a bridge makes them one; joints that are rows come first, with all they touch."""
    model = floor()
    for name, x in (("left", 0.0), ("right", 0.5)):
        for k in range(2):
            at = (x, 0, 0.1 + 0.2 * k)
            model.body(f"{name} {k}", shape=lw.Box((0.2,) * 3), mass=1.0, position=at, material=MATERIAL)
    sim = lw.Simulation(model, lw.Maximal(dt=5e-3))
    sim.step(2)
    islands = sim.workspace.solver.islands
    assert islands.count[0] == 3  # the first is for rows other than contacts, and empty here
    assert islands.row_start[:4].tolist() == [0, 0, 24, 48]
    model.body("bridge", shape=lw.Box((0.7, 0.2, 0.1)), mass=1.0, position=(0.25, 0, 0.45), material=MATERIAL)
    pendulum = model.body("pendulum", shape=lw.Sphere(0.1), mass=1.0, position=(0, 3, 0.1), material=MATERIAL)
    model.revolute("pin", "ground", pendulum, at=(0, 3, 1), axis=(1, 0, 0))
    sim = lw.Simulation(model, lw.Maximal(dt=5e-3))
    sim.step(2)
    islands = sim.workspace.solver.islands
    assert islands.count[0] == 2
    assert islands.row_start[1] == 5 + 3  # the pin, and the pendulum's one contact with the floor
    assert sorted(islands.number.tolist()) == [0, 1, 1, 1, 1, 1]


@both
def test_a_body_that_is_dragged_wakes_what_it_touches(kind: Any) -> None:
    """A row that comes and goes moves the island into the first one and back."""
    model = floor()
    for k in range(3):
        model.body(f"box {k}", shape=lw.Box((0.2,) * 3), mass=1.0, position=(0, 0, 0.1 + 0.2 * k), material=MATERIAL)
    sim = lw.Simulation(model, kind(dt=5e-3))
    sim.step(100)
    sim.drag("box 2", to=(0.0, 0.0, 1.0))
    sim.step(200)
    assert sim["box 2.position"][2] > 0.6
    sim.drag("box 2", to=None)
    sim.step(400)
    assert np.abs(sim.v).max() < 1e-3
    assert sim["box 2.position"][2] == pytest.approx(0.5, abs=2e-3)
