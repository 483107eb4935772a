"""Gear teeth as hulls in contact on a rigid motor: the effort is that of the gear, or a doubt says why it is not."""

from __future__ import annotations

import math

import numpy as np
import pytest

import linkwork as lw

MODULE, WIDTH, BRAKE = 0.01, 0.02, 0.1  # m, m, N m s/rad
TEETH = {"pinion": 12, "wheel": 18}


def tooth(teeth: int, k: int) -> lw.Hull:
    """Tooth k of a wheel: a trapezoid with flanks at 20 degrees and a little play."""
    r, half = 0.5 * teeth * MODULE, 0.25 * math.pi * MODULE * 0.96
    turn = 2.0 * math.pi * k / teeth
    points = []
    for z in (-0.5 * WIDTH, 0.5 * WIDTH):
        for out in (MODULE, -1.2 * MODULE):
            y = half - out * math.tan(math.radians(20.0))
            points += [(r + out, side * y, z) for side in (1.0, -1.0)]
    c, s = math.cos(turn), math.sin(turn)
    return lw.Hull([(c * x - s * y, s * x + c * y, z) for x, y, z in points])


def gears(speed: float, friction: float) -> lw.Model:
    """Two wheels of steel whose teeth touch; a rigid motor turns the pinion, a damper brakes the wheel."""
    model, material = lw.Model("gears", gravity=(0, 0, 0)), lw.Material(friction=friction)
    middle = 0.5 * MODULE * sum(TEETH.values())
    turn = 0.5 * (math.pi + math.pi / TEETH["wheel"])  # a gap faces a tooth
    for name, x, q in (("pinion", 0.0, (1, 0, 0, 0)), ("wheel", middle, (math.cos(turn), 0, 0, math.sin(turn)))):
        r = 0.5 * TEETH[name] * MODULE
        mass = 7800 * math.pi * r**2 * WIDTH
        model.body(name, mass=mass, inertia=(mass * r**2 / 4,) * 2 + (mass * r**2 / 2,), position=(x, 0, 0), rotation=q)
        for k in range(TEETH[name]):
            model.collider(f"{name} tooth {k}", name, tooth(TEETH[name], k), material=material)
        damping = {"damping": BRAKE} if name == "wheel" else {}
        model.revolute(f"{name} shaft", "ground", name, at=(x, 0, 0), axis=(0, 0, 1), **damping)
    model.motor("drive", "pinion shaft", velocity=speed)
    return model


@pytest.mark.filterwarnings("ignore::linkwork.RunWarning")
@pytest.mark.parametrize("dt", [1e-3, 2e-3])
@pytest.mark.parametrize(("speed", "friction"), [(1.0, 0.0), (5.0, 0.0), (5.0, 0.1)])
def test_the_effort_is_right_or_in_doubt(dt: float, speed: float, friction: float) -> None:
    run = lw.simulate(gears(speed, friction), until=0.5, method=lw.Impulse(dt=dt))
    ratio = TEETH["pinion"] / TEETH["wheel"]
    effort = run["drive.effort"][len(run.time) // 2 :]
    right = abs(float(np.mean(effort)) - BRAKE * speed * ratio**2) < 0.2 * BRAKE * speed * ratio**2
    assert right or run.certificate.doubts() != []
