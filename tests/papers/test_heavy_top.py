"""The heavy top of Bruels, Arnold, Terze and others: Euler parameters of a fast top on a ball joint."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw

# printed to five digits (Runge-Kutta 4): t, Euler parameters
PRINTED = {
    0.01: (0.73149, 0.015154, 0.68146, -0.017402),
    0.02: (0.070614, 0.045708, 0.99644, -0.0063419),
    0.2: (-0.70828, 0.43878, 0.54573, 0.0894),
}


def top():
    model = lw.Model("heavy top")
    body = model.body("top", mass=15.0, inertia=(0.234375, 0.46875, 0.234375), com=(0, 1, 0))
    model.ball("tip", model.ground, body, at=(0, 0, 0), velocity=(0, 150, -4.61538))
    return model


def test_printed_digits():
    run = lw.simulate(top(), until=0.2, method="recursive", integrator="rk4", dt=1e-4)
    for t, wanted in PRINTED.items():
        row = round(t / 1e-4)
        found = run["tip.position"][row]
        assert found == pytest.approx(wanted, abs=5.1e-6)
        assert run["top.rotation"][row] == pytest.approx(found, abs=1e-12)
    assert np.abs(run["tip.position"][-1]).sum() == pytest.approx(1.7822, abs=5e-5)
    assert np.linalg.norm(run["tip.position"], axis=1) == pytest.approx(1.0, abs=1e-13)


def test_energy_and_vertical_momentum_stay():
    run = lw.simulate(top(), until=0.2, method="recursive", integrator="rk4", dt=5e-5, every=10)
    assert np.ptp(run.energy["total"]) < 1e-8 * run.energy["kinetic"][0]
    about = np.diag([0.234375 + 15.0, 0.46875, 0.234375 + 15.0])  # about the fixed point
    momentum = []
    for e, w in zip(run["top.rotation"], run["top.angular_velocity"], strict=True):
        R = lw.Frame(rotation=e).matrix
        momentum.append((R @ about @ R.T @ w)[2])
    assert np.ptp(momentum) < 1e-7
