"""Inputs act in every method, and functions of the user live as long as the simulation."""

from __future__ import annotations

import gc
from typing import Any

import pytest

import linkwork as lw

METHODS: list[Any] = [
    lw.Absolute(dt=1e-3),
    lw.Components(dt=1e-3),
    lw.Components(dt=1e-3, coordinates="joint"),
    lw.Hybrid(dt=1e-3),
    lw.SemiRecursive(dt=1e-3),
    lw.Global(dt=1e-3),
    lw.Impulse(dt=1e-3),
    lw.Maximal(dt=1e-3),
]
all_methods = pytest.mark.parametrize("method", METHODS, ids=[f"{each.name}-{each.coordinates}" for each in METHODS])


def swing(method: Any) -> float:
    """A double pendulum that two inputs and a function push, after a tenth of a second."""
    model = lw.Model("arm")
    upper = model.body("upper", mass=2.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -0.5))
    lower = model.body("lower", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, -1), com=(0, 0, -0.5))
    model.revolute("shoulder", "ground", upper, at=(0, 0, 0), axis=(0, 1, 0))
    model.revolute("elbow", upper, lower, at=(0, 0, -1), axis=(0, 1, 0))
    model.torque("drive", "shoulder", 0.0)
    model.torque("hand", "elbow", 3.0)
    model.torque("wave", "elbow", lambda t: 20.0 * t)
    sim = lw.Simulation(model, method)
    gc.collect()
    sim.inputs["drive"] = 40.0
    sim.step(50)
    sim.inputs["drive"], sim.inputs["hand"] = -10.0, -3.0
    sim.step(50)
    return float(sim["elbow.position"])


@all_methods
def test_inputs_act_in_every_method(method: Any) -> None:
    exact = swing(lw.Recursive(dt=1e-3))
    assert abs(exact) > 0.05
    assert swing(method) == pytest.approx(exact, rel=0.03 if method.integrator == "semi-implicit" else 1e-4)


@all_methods
def test_a_function_that_fails_is_named_in_every_method(method: Any) -> None:
    def late(t: float) -> float:
        return 1.0 if t < 0.01 else float("nan")

    model = lw.gallery.double_four_bar.build()
    model.torque("push", "foot 0", late)
    sim = lw.Simulation(model, method)
    gc.collect()
    with pytest.raises(lw.RunError, match="the law of torque 'push' failed"):
        sim.step(30)
