"""Towers stand: twenty boxes for a minute, with long steps, with others falling beside them, with the heavy on top."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwork as lw

SIDE = 0.2  # m
both = pytest.mark.parametrize("kind", [lw.Impulse, lw.Maximal], ids=["impulse", "maximal"])


def tower(n: int, *, mass: float = 1.0, growth: float = 1.0, side: float = SIDE) -> lw.Model:
    """Boxes "box 0" … on each other, each `growth` times as heavy as the one below."""
    model, material = lw.Model("tower"), lw.Material(friction=0.6)
    model.plane("floor", material=material)
    for k in range(n):
        at = (0, 0, side * (k + 0.5))
        model.body(f"box {k}", shape=lw.Box((side,) * 3), mass=mass * growth**k, position=at, material=material)
    return model


def let_fall(model: lw.Model, n: int) -> None:
    """So many boxes fall on a heap, two metres from the tower."""
    rng = np.random.default_rng(1)
    for k in range(n):
        at = (2.0 + rng.uniform(-0.2, 0.2), rng.uniform(-0.2, 0.2), 1.0 + 0.4 * k)
        material = lw.Material(friction=0.6)
        model.body(
            f"falls {k}",
            shape=lw.Box((SIDE,) * 3),
            mass=1.0,
            position=at,
            rotation=rng.normal(size=4),
            material=material,
        )


def moved(run: lw.Trajectory, n: int) -> float:
    """How far a box of the tower is from where it began, at most, m."""
    return max(
        float(np.linalg.norm(run[f"box {k}.position"] - run[f"box {k}.position"][0], axis=1).max()) for k in range(n)
    )


@both
@pytest.mark.parametrize("dt", [5e-3, 2e-2])
def test_twenty_boxes_stand(kind: Any, dt: float) -> None:
    run = lw.simulate(tower(20), until=5.0, method=kind(dt=dt), every=10)
    assert moved(run, 20) < 1e-4
    assert run.certificate.doubts() == []


@pytest.mark.long
@both
@pytest.mark.parametrize("dt", [5e-3, 2e-2])
@pytest.mark.parametrize("falling", [0, 8])
def test_twenty_boxes_stand_a_minute(kind: Any, dt: float, falling: int) -> None:
    model = tower(20)
    let_fall(model, falling)
    run = lw.simulate(model, until=60.0, method=kind(dt=dt), every=20)
    assert moved(run, 20) < 1e-3


@pytest.mark.long
def test_fifty_boxes_stand() -> None:
    run = lw.simulate(tower(50), until=20.0, method=lw.Maximal(dt=2e-2), every=20)
    assert moved(run, 50) < 1e-3


@both
def test_what_falls_elsewhere_moves_no_tower(kind: Any) -> None:
    """Once one box five metres away was enough to fell it."""
    model = tower(10)
    let_fall(model, 3)
    run = lw.simulate(model, until=3.0, method=kind(dt=2e-2), every=5)
    assert moved(run, 10) < 1e-4


@both
@pytest.mark.parametrize("dt", [5e-3, 2e-2])
def test_the_heavy_may_be_on_top(kind: Any, dt: float) -> None:
    """Ten boxes, the uppermost a thousand times as heavy as the lowest."""
    run = lw.simulate(tower(10, growth=1000.0 ** (1 / 9)), until=3.0, method=kind(dt=dt), every=10)
    assert moved(run, 10) < 1e-3
    assert run.certificate.doubts() == []


@both
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_what_is_light_stands_as_well_as_what_is_heavy(kind: Any, scale: float) -> None:
    """Eight boxes of a gram, a kilogram, a tonne: the tolerance is a part of m g h, so the run is the same."""
    run = lw.simulate(tower(8, mass=scale), until=5.0, method=kind(dt=5e-3), every=10)
    assert moved(run, 8) < 1e-4
