"""Gears whose teeth are hulls: the ratio of the numbers of teeth and all of the torque, through contact alone."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import linkwork as lw

MODULE = 0.01  # m
DAMPING = 0.24  # N m s/rad, of the driven shaft
both = pytest.mark.parametrize("kind", [lw.Impulse, lw.Maximal], ids=["impulse", "maximal"])


def tooth(radius: float, angle: float) -> lw.Hull:
    """A trapezoid around the pitch circle, with some play between flanks and at the root."""
    half = 0.85 * MODULE * math.pi / 4
    corners = [(radius - 1.1 * MODULE, 1.45 * half), (radius + 0.9 * MODULE, 0.5 * half)]
    points = np.array([(r, s * w, z) for r, w in corners for s in (-1, 1) for z in (-0.005, 0.005)])
    c, s = math.cos(angle), math.sin(angle)
    return lw.Hull(points @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]))


def gears(first: int, second: int, torque: float = 1.0, speed: float | None = None) -> lw.Model:
    """A torque on the first, or a motor with a `speed`, a damper on the second; they turn freely at all angles."""
    model, material = lw.Model("teeth", gravity=(0, 0, 0)), lw.Material(friction=0.0)
    far = 1.005 * 0.5 * MODULE * (first + second)
    for k, (n, x, start) in enumerate(((first, 0.0, 0.0), (second, far, math.pi + math.pi / second))):
        gear = model.body(f"gear {k}", mass=1.0, inertia=(1e-3,) * 3, position=(x, 0, 0))
        for i in range(n):
            model.collider(
                f"tooth {k} {i}", gear, tooth(0.5 * MODULE * n, start + 2 * math.pi * i / n), material=material
            )
        damper = {"damping": DAMPING} if k == 1 else {}
        model.revolute(f"shaft {k}", "ground", gear, at=(x, 0, 0), axis=(0, 0, 1), **damper)
    if speed is None:
        model.torque("drive", "shaft 0", torque)
    else:
        model.motor("drive", "shaft 0", velocity=speed)
    return model


@both
@pytest.mark.parametrize(("first", "second"), [(12, 12), (12, 18), (20, 20)])
@pytest.mark.parametrize("dt", [2e-3, 1e-3])
def test_teeth_transmit_speed_and_torque(kind: Any, first: int, second: int, dt: float) -> None:
    run = lw.simulate(gears(first, second), until=2.0, method=kind(dt=dt))
    late = run.time >= 1.0
    way = [float(np.ptp(run[f"shaft {k}.position"][late])) for k in range(2)]
    assert way[1] / way[0] == pytest.approx(first / second, rel=0.02)
    assert DAMPING * way[1] / 1.0 == pytest.approx(second / first, rel=0.1)  # teeth that hit each other lose a little
    assert run.certificate.doubts() == []


@both
@pytest.mark.parametrize(("first", "second"), [(12, 12), (12, 18), (20, 20)])
@pytest.mark.parametrize("speed", [1.0, 5.0])
@pytest.mark.parametrize("dt", [2e-3, 1e-3])
def test_a_rigid_motor_has_the_effort_of_the_gear(kind: Any, first: int, second: int, speed: float, dt: float) -> None:
    run = lw.simulate(gears(first, second, speed=speed), until=2.0, method=kind(dt=dt))
    effort = run["drive.effort"]
    # teeth that hit each other lose a little, and take a few times as much while they do
    assert np.mean(effort[run.time >= 1.0]) == pytest.approx(DAMPING * speed * (first / second) ** 2, rel=0.1)
    assert np.abs(effort).max() < 10.0 * DAMPING * speed
    assert run.certificate.doubts() == []
