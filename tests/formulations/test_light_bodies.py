"""Bodies that weigh next to nothing beside their neighbours: all methods hold them, at every scale."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwork as lw
from case_choice import rest_long

METHODS: dict[str, Any] = {
    "absolute": {"method": "absolute"},
    "component": {"method": "component"},
    "component in joints": {"method": "component", "coordinates": "joint"},
    "hybrid": {"method": "hybrid"},
    "semi-recursive": {"method": "semi-recursive"},
    "global": {"method": "global"},
}
ORDER_2 = ("hybrid", "semi-recursive", "global")  # trapezoidal, at the steps below


def bob_on_a_light_link(ratio: float, length: float, slender: float = 1.0) -> lw.Model:
    """A bob of 1 kg hangs by a ball from a link that is `ratio` times lighter and turns about a hinge."""
    model = lw.Model("bob on a light link")
    mass, turning = 1.0 / ratio, length**2 / 12.0 / ratio * slender
    link = model.body("link", mass=mass, inertia=(0.1 * turning, turning, turning), position=(0.5 * length, 0, 0))
    bob = model.body("bob", mass=1.0, inertia=(0.01 * length**2,) * 3, position=(1.1 * length, 0, 0))
    model.revolute("hinge", "ground", link, at=(0, 0, 0), axis=(0, 1, 0))
    model.ball("ball", link, bob, at=(length, 0, 0))
    return model


def four_bar_with_a_light_coupler(ratio: float, length: float) -> lw.Model:
    """Crank and rocker of 1 kg each, and a coupler that is `ratio` times lighter; three of its rows are redundant."""
    model = lw.Model("four bar with a light coupler")
    points = np.array([(0, 0, 0), (0, 0, 1.0), (2.0, 0, 1.5), (2.5, 0, 0)]) * length
    before: Any = "ground"
    for k, (name, mass) in enumerate((("crank", 1.0), ("coupler", 1.0 / ratio), ("rocker", 1.0))):
        turning = mass * float(np.sum((points[k + 1] - points[k]) ** 2)) / 12.0
        at = tuple(0.5 * (points[k] + points[k + 1]))
        body = model.body(name, mass=mass, inertia=(turning,) * 3, position=at)
        model.revolute(f"pin {k}", before, body, at=tuple(points[k]), axis=(0, 1, 0))
        before = body
    model.revolute("pin 3", before, "ground", at=tuple(points[3]), axis=(0, 1, 0))
    return model


def moved(model: lw.Model, body: str, length: float, **options: Any) -> tuple[Any, lw.Trajectory]:
    """Where a body is over 0.6 natural times, in lengths; and the run."""
    time = length**0.5
    run = lw.simulate(model, until=0.6 * time, dt=1e-3 * time, every=50, **options)
    return run[f"{body}.position"] / length, run


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("length", rest_long([1e-3, 1.0, 1e3], [1e3]))
def test_a_light_link_holds_its_bob(name: str, length: float) -> None:
    for ratio in (1e3, 1e6, 1e9):
        model = bob_on_a_light_link(ratio, length)
        wanted, _ = moved(model, "bob", length, method="recursive")
        found, run = moved(model, "bob", length, **METHODS[name])
        assert np.abs(found - wanted).max() < (2e-5 if name in ORDER_2 else 1e-7)
        assert run.certificate.doubts() == []
        assert run.certificate.drift_relative < 1e-9


@pytest.mark.parametrize("name", ["absolute", "component"])
def test_down_to_a_millionth_of_a_millionth(name: str) -> None:
    """And a slender one, whose inertia is a thousandth of what its mass would have."""
    for ratio, slender in ((1e12, 1.0), (1e9, 1e-3)):
        model = bob_on_a_light_link(ratio, 1.0, slender)
        wanted, _ = moved(model, "bob", 1.0, method="recursive")
        found, run = moved(model, "bob", 1.0, method=name)
        assert np.abs(found - wanted).max() < 1e-5
        assert run.certificate.doubts() == []
        assert run.certificate.drift_relative < 1e-12


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("length", rest_long([1e-3, 1.0, 1e3], [1e-3]))
def test_a_light_coupler_closes_its_loop(name: str, length: float) -> None:
    for ratio in (1e3, 1e6, 1e9):
        model = four_bar_with_a_light_coupler(ratio, length)
        wanted, _ = moved(model, "rocker", length, method="recursive")
        found, run = moved(model, "rocker", length, **METHODS[name])
        assert np.abs(found - wanted).max() < (2e-5 if name in ORDER_2 else 1e-7)
        assert run.certificate.doubts() == []


@pytest.mark.parametrize("length", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("ratio", [1e3, 1e6, 1e9])
def test_recursive_by_its_energy_and_by_the_limit_without_coupler_mass(ratio: float, length: float) -> None:
    """What the others are compared with: its energy balances, and a lighter coupler changes as much as its mass."""
    light, run = moved(four_bar_with_a_light_coupler(ratio, length), "rocker", length, method="recursive")
    lighter, _ = moved(four_bar_with_a_light_coupler(1e10, length), "rocker", length, method="recursive")
    assert run.certificate.energy_balance_relative < 1e-9
    assert np.abs(light - lighter).max() < 10.0 / ratio + 1e-10


def test_loops_of_very_different_size_in_one_model() -> None:
    """A watch beside a crane: no row of the one is measured by those of the other."""
    both = lw.Model("watch and crane")
    for k, (length, mass) in enumerate(((1e-3, 1e-9), (1e3, 1e6))):
        points = np.array([(0, 0, 0), (0, 0, 1.0), (2.0, 0, 1.5), (2.5, 0, 0)]) * length
        before: Any = "ground"
        for e in range(3):
            turning = mass * float(np.sum((points[e + 1] - points[e]) ** 2)) / 12.0
            at = tuple(0.5 * (points[e] + points[e + 1]))
            body = both.body(f"bar {k} {e}", mass=mass, inertia=(turning,) * 3, position=at)
            both.revolute(f"pin {k} {e}", before, body, at=tuple(points[e]), axis=(0, 1, 0))
            before = body
        both.revolute(f"pin {k} 3", before, "ground", at=tuple(points[3]), axis=(0, 1, 0))
    for name in ("recursive", "absolute", "component"):
        run = lw.simulate(both, until=0.01, dt=2e-5, every=50, method=name)
        assert run.certificate.drift_relative < 1e-9
        assert run.certificate.rank_min == run.certificate.rank_max
        assert run.certificate.energy_balance_relative < 1e-6
