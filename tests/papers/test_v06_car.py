"""V06 chapter 7: the car against an equation of motion derived by hand.

The paper compares with another program and finds 1.4e-8 m; it prints curves, no numbers. Here the rival is the plane,
symmetric car with two coordinates, height z of the body and angle a of the right arm, by Lagrange's equations.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw
from linkwork.gallery import car

G = 9.8
BODY, BEAM, PISTON, CYLINDER, RING = 585.0, 7.02, 13.23, 3.4, 15.0
I_BEAM = 0.5855265
I_PISTON = PISTON * (0.01**2 / 4 + 0.6**2 / 12)
I_CYLINDER = CYLINDER * ((0.03**2 + 0.026**2) / 4 + 0.6**2 / 12)
I_RING = RING * ((0.3**2 + 0.29**2) / 4 + 0.3**2 / 12)


def places(q):
    """All that moves on the right, as functions of (z, a): centres x and z, angles, lengths of the two springs."""
    z, a = q
    along = np.array([np.cos(a), -np.sin(a)])
    pivot = np.array([0.0 * z, z - 0.6])
    knee, top = pivot + 0.7 * along, np.array([0.1 + 0.0 * z, z])
    damper = top - knee
    length = np.sqrt(damper @ damper)
    up = damper / length
    wheel = pivot + along
    tyre = wheel - np.array([1.0, 0.0])
    return np.concatenate(
        [
            [z],
            pivot + 0.5 * along,
            knee + 0.3 * up,
            top - 0.3 * up,
            wheel,
            [a, np.arctan(damper[0] / damper[1])],
            [length - 0.6, np.sqrt(tyre @ tyre)],
        ]
    )


WEIGHTS = np.array(
    [BODY / 2, BEAM, BEAM, PISTON, PISTON, CYLINDER, CYLINDER, RING, RING, I_BEAM + I_RING, I_PISTON + I_CYLINDER]
)
DOWN = np.array([1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0])


def slopes(q):
    """places by (z, a), exact to round-off by complex steps."""
    step = 1e-30
    return np.array([places(q + 1j * step * unit).imag / step for unit in np.eye(2)]).T


def rate(_, y):
    q, v = y[:2], y[2:]
    x, J = places(q).real, slopes(q)
    # the bodies' accelerations that come from v alone, by a small central difference along v
    h = 1e-5
    bend = (slopes(q + h * v) - slopes(q - h * v)) @ v / (2 * h)
    M = J[:11].T @ (WEIGHTS[:, None] * J[:11])
    force = -J[:11].T @ (WEIGHTS * (bend[:11] + G * DOWN))
    stretch = x[11:] - 0.35
    pull = np.array([5e4, 4e5]) * stretch + np.array([1e4, 100.0]) * (J[11:] @ v)
    return np.concatenate([v, np.linalg.solve(M, force - J[11:].T @ pull)])


def test_against_the_plane_car():
    run = lw.simulate(car.build(), until=1.5, dt=5e-4, every=50)
    rival = solve_ivp(rate, (0.0, 1.5), (0.95, 0.0, 0.0, 0.0), "Radau", run.time, rtol=1e-10, atol=1e-12)
    assert rival.success
    z, a = rival.y[:2]
    assert run["car body.position"][:, 2] == pytest.approx(z, abs=1.4e-8)
    assert run["right arm.position"] == pytest.approx(a, abs=1.4e-8)
    wheel = np.array([places(q)[7:9] for q in rival.y[:2].T])
    assert run["right wheel.ring.position"][:, [0, 2]] == pytest.approx(wheel, abs=1.4e-8)


def test_paper_step_and_drift():
    """Runge-Kutta 4 with 1 ms, as in 7.8: drift constant, at the level of round-off, as in figure 7.12."""
    run = lw.simulate(car.build(), until=1.5, method="recursive", integrator="rk4", dt=1e-3)
    assert run.drift["position"].max() < 2e-15
    free = lw.simulate(car.build(), until=1.5, method="recursive", integrator="rk4", dt=1e-3, stabilize=False)
    assert free.drift["position"].max() > 1e3 * run.drift["position"].max()
