"""Of the two quaternions of a rotation that one is shown which follows from the state, whoever reads it, and when."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwork as lw

METHODS = ("recursive", "component", "absolute", "hybrid", "semi-recursive", "global", "impulse", "maximal")
each = pytest.mark.parametrize("method", METHODS)
BODIES = ("wheel", "top", "far", "kite", "cart")


def machine() -> lw.Model:
    """What turns often: a wheel, a ball joint on it, a hinge walked from b to a, a free body, a ground that turns."""
    model = lw.Model("machine", gravity=(0, 0, 0))
    size = lw.Box((0.2, 0.1, 0.15))
    model.body("wheel", mass=5.0, shape=size, position=(0.5, 0, 0), rotation=(0.1, 0.2, 0.9, -0.3))
    model.body("top", mass=1.0, shape=size, position=(1.5, 0, 0), rotation=(0.5, 0.5, -0.5, 0.5))
    model.body("far", mass=1.0, shape=size, position=(2.0, 0, 0), rotation=(0, 0, 1, 0))
    model.revolute("axle", "ground", "wheel", at=(0, 0, 0), axis=(0, 1, 0), velocity=9.0)
    model.ball("ball", "wheel", "top", at=(1, 0, 0), velocity=(2, 11, 3))
    model.revolute("hinge", "far", "top", at=(1.8, 0, 0), axis=(1, 1, 0), velocity=-7.0)
    model.body("kite", mass=1.0, shape=size, position=(0, 5, 0), rotation=(0.1, 0, 0, 1))
    model.free("flight", "ground", "kite", velocity=(0, 0, 0, 8, 1, 2))
    table = model.moving_ground("table", lw.Motion(axis=(0, 0, 1), angle=lambda t: 8.0 * t))
    model.body("cart", mass=1.0, shape=size, position=(0, -5, 0))
    model.prismatic("rail", table, "cart", axis=(1, 0, 0), at=(0, -5, 0))
    return model


def jumps(e: Any) -> int:
    return int(np.count_nonzero(np.sum(e[1:] * e[:-1], axis=1) < 0.0))


@each
def test_signs_do_not_depend_on_when_they_are_read(method: str, tmp_path: Path) -> None:
    options: dict[str, Any] = {"method": method, "dt": 2e-3}
    run = lw.simulate(machine(), until=2.0, **options)
    sparse = lw.simulate(machine(), until=2.0, every=250, **options)
    sim = lw.Simulation(machine(), **options)
    while sim.time < 1.0 - 1e-9:
        sim.step()
    sim.save(tmp_path / "half.npz")
    again = lw.Simulation(machine(), resume=tmp_path / "half.npz", **options)
    while again.time < 2.0 - 1e-9:
        again.step()
    for body in BODIES:
        name = f"{body}.rotation"
        assert jumps(run[name]) == 0
        assert np.array_equal(sparse[name], run[name][::250])
        assert np.array_equal(sim[name], run[name][500])
        assert np.array_equal(again[name], run[name][1000])


@each
def test_all_methods_show_the_same_sign(method: str) -> None:
    known = lw.simulate(machine(), until=1.0, method="recursive", dt=1e-3)
    run = lw.simulate(machine(), until=1.0, method=method, dt=1e-3)
    for body in BODIES:
        assert np.sum(known[f"{body}.rotation"] * run[f"{body}.rotation"], axis=1).min() > 0.9


def test_a_whole_turn_leads_to_the_other_quaternion() -> None:
    model = lw.Model("wheel", gravity=(0, 0, 0))
    model.body("wheel", mass=1.0, inertia=(1, 1, 1))
    model.revolute("axle", "ground", "wheel", at=(0, 0, 0), axis=(0, 0, 1), velocity=2.0 * np.pi)
    run = lw.simulate(model, until=2.0, dt=0.01, method="recursive")
    assert run["wheel.rotation"][[0, 100, 200], 0] == pytest.approx([1.0, -1.0, 1.0])
