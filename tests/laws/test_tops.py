"""Fast tops: nutation, precession and energy at ordinary steps, by the methods of impulses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import linkwork as lw

TILT = 0.5


def top(spin: float) -> lw.Model:
    """A disc on a pin: 0.5 kg, its centre 6 cm above the tip, released at a tilt with its axis at rest."""
    model = lw.Model("top")
    body = model.body("top", mass=0.5, inertia=(3.3e-4, 3.3e-4, 6.25e-4), com=(0, 0, 0.06))
    tilted = (math.cos(TILT / 2), math.sin(TILT / 2), 0, 0)
    model.ball("tip", "ground", body, at=(0, 0, 0), position=tilted, velocity=(0, 0, spin))
    return model


def tilts(run: Any) -> Any:
    """Angle of the axis from the vertical, rad."""
    e = run["top.rotation"]
    return np.arccos(1 - 2 * (e[:, 1] ** 2 + e[:, 2] ** 2))


def turned(run: Any) -> float:
    """How far the axis has gone around the vertical, rad."""
    e = run["top.rotation"]
    x, y = 2 * (e[:, 1] * e[:, 3] + e[:, 0] * e[:, 2]), 2 * (e[:, 2] * e[:, 3] - e[:, 0] * e[:, 1])
    angle = np.unwrap(np.arctan2(y, x))
    return float(angle[-1] - angle[0])


@pytest.mark.parametrize("method", ["impulse", "maximal"])
def test_nutation_and_energy_at_a_millisecond(method: str) -> None:
    right = lw.simulate(top(300.0), until=1.0, method="recursive", integrator="rk4", dt=2e-5, every=10)
    run = lw.simulate(top(300.0), until=10.0, method=method, dt=1e-3)
    wanted = np.ptp(tilts(right))
    found = tilts(run)
    assert np.ptp(found) == pytest.approx(wanted, rel=0.05)
    assert np.ptp(found[:1000]) == pytest.approx(wanted, rel=0.05)
    energy = run.energy["total"]
    assert np.abs(energy - energy[0]).max() < 1e-3 * energy[0]
    first = lw.simulate(top(300.0), until=1.0, method=method, dt=1e-3)
    assert turned(first) == pytest.approx(turned(right), rel=0.02)


@pytest.mark.parametrize("method", ["impulse", "maximal"])
@pytest.mark.parametrize("dt", [5e-3, 2e-2])
def test_steps_of_more_than_a_radian_stay_calm(method: str, dt: float) -> None:
    run = lw.simulate(top(300.0), until=10.0, method=method, dt=dt)
    energy = run.energy["total"]
    assert np.abs(energy - energy[0]).max() < 0.01 * energy[0]
    assert np.ptp(tilts(run)) < 0.1


def test_a_free_body_that_tumbles_keeps_its_energy_and_momentum() -> None:
    model = lw.Model("book")
    body = model.body("book", mass=1.0, inertia=(0.01, 0.02, 0.03))
    model.free("loose", "ground", body, velocity=(0, 0, 0, 0.1, 60.0, 0.1))
    model.gravity = (0, 0, 0)
    run = lw.simulate(model, until=5.0, method="impulse", dt=2e-3)
    assert np.ptp(run.energy["kinetic"]) < 1e-9 * run.energy["kinetic"][0]
    momenta = []
    for e, w in zip(run["book.rotation"], run["book.angular_velocity"], strict=True):
        R = lw.Frame(rotation=e).matrix
        momenta.append(R @ np.diag([0.01, 0.02, 0.03]) @ R.T @ w)
    assert np.linalg.norm(momenta, axis=1) == pytest.approx(np.linalg.norm(momenta[0]), rel=1e-9)
