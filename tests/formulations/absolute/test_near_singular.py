"""Bodies in absolute coordinates through singular positions: IFToMM A02, landing on one, order; others unwatched."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq

import linkwork as lw
from linkwork.gallery import double_four_bar, engine, kuka, n_four_bar

# IFToMM A02 with N = 2: t: x, y (up), vx, vy of B0, after two to ten passages
TWO = {
    2.0: (0.057815796, 0.998327268, 1.017260137, -0.058912249),
    5.0: (-0.811310461, -0.584615545, -3.569117397, 4.953105171),
    10.0: (0.328458112, 0.944518538, 1.423051470, -0.494868845),
}
WAYS: dict[str, dict[str, Any]] = {
    "absolute": {"method": "absolute"},
    "absolute, standard": {"method": "absolute", "stabilization": "standard"},
    "component": {"method": "component"},
    "component, joint": {"method": "component", "coordinates": "joint"},
}


def error(dt: float, **options: Any) -> float:
    run = lw.simulate(double_four_bar.build(), until=10.0, dt=dt, **options)
    tip = n_four_bar.tip(run)
    return max(float(np.abs(tip[round(t / dt)] - wanted).max()) for t, wanted in TWO.items())


@pytest.mark.parametrize("way", WAYS)
def test_ten_passages(way: str) -> None:
    """Five milliseconds, some 0.03 rad a step: no method leaves the branch."""
    assert error(5e-3, **WAYS[way]) < 2e-5


@pytest.mark.parametrize("method", ["absolute", "component"])
def test_passages_cost_no_order(method: str) -> None:
    errors = [error(dt, method=method) for dt in (1e-2, 5e-3, 2e-3)]
    slopes = np.diff(np.log(errors)) / np.diff(np.log([1e-2, 5e-3, 2e-3]))
    assert slopes.min() > 3.5
    assert errors[-1] < 1e-7


@pytest.fixture(scope="module")
def level() -> float:
    """The time at which the cranks lie level first."""
    run = lw.simulate(double_four_bar.build(), until=0.75, dt=2e-4, method="recursive")
    over = CubicSpline(run.time, run["foot 0.position"] - np.pi / 2)
    return float(brentq(over, 0.6, 0.75, xtol=1e-15))


@pytest.mark.parametrize("steps", [70, 200])
@pytest.mark.parametrize("method", ["absolute", "component"])
def test_a_step_that_ends_on_one(method: str, steps: int, level: float) -> None:
    """All rods in line within 1e-7: rows are lost there, and the way on is that of the branch."""
    run = lw.simulate(double_four_bar.build(), until=2 * level, dt=level / steps, method=method)
    angle = run["foot 0.position"]
    assert abs(angle[steps] - np.pi / 2) < 1e-6
    assert run.certificate.rank_min < run.certificate.rank_max == 29
    for other in (1, 2):
        assert np.abs(run[f"foot {other}.position"] - angle).max() < 1e-6
    fine = lw.simulate(double_four_bar.build(), until=2 * level, dt=level / 1500, method="recursive")
    assert angle[-1] == pytest.approx(fine["foot 0.position"][-1], abs=1e-6)
    assert run.certificate.energy_balance_relative < 1e-6


def test_elsewhere_nothing_is_watched_in_vain() -> None:
    """Mechanisms that are never near a singular position pay nothing: no stage of theirs is put on the joints."""
    for model, dt in ((engine.build(), 2e-3), (kuka.build(), 2e-3)):
        sim = lw.Simulation(model, lw.Absolute(integrator="rk2", dt=dt))
        for _ in range(40):
            sim.step(3)
            assert sim.workspace.near_singular.near[0] == 0
