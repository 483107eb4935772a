"""Work that a motor puts in and a load takes out is what a gearbox moves, though nothing changes."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

import linkwork as lw
from linkwork.simulation.methods import ALL

SUN, PLANET, RING = 24, 18, 60


def train() -> lw.Model:
    """A planetary train that turns steadily: 100 rad/s and 14.3 N m in, 28.6 rad/s and 50 N m out."""
    model = lw.Model("planetary")
    flat = lw.Frame((0, 0, 0), (1, 1, 0, 0))

    def disc(name, radius, at, on="ground"):
        model.body(name, density=7850.0, shape=lw.Cylinder(radius, 0.02, pose=flat), position=at)
        return model.revolute(f"{name} shaft", on, name, at=at, axis=(0, 1, 0))

    sun, carrier = disc("sun", 0.001 * SUN, (0, 0, 0)), disc("carrier", 0.001 * (SUN + PLANET), (0, 0.03, 0))
    ring, far = disc("ring", 0.001 * RING, (0, 0, 0)), 0.001 * (SUN + PLANET)
    for k in range(3):
        at = far * math.sin(2 * math.pi * k / 3), 0, far * math.cos(2 * math.pi * k / 3)
        pin = disc(f"planet {k}", 0.001 * PLANET, at, on="carrier")
        model.gear(f"sun mesh {k}", sun, pin, ratio=-SUN / PLANET, carrier=carrier)
    model.gear("ring mesh", "planet 0 shaft", ring, ratio=PLANET / RING, carrier=carrier)
    model.motor("drive", sun, velocity=100.0)
    model.motor("brake", ring, velocity=0.0)
    model.torque("load", carrier, -50.0)
    return model


@pytest.mark.parametrize("method", sorted(ALL))
def test_a_train_that_carries_work_through_is_in_no_doubt(method: str) -> None:
    run = lw.simulate(train(), until=0.1, dt=1e-3, method=method)
    assert run["drive.effort"][-1] == pytest.approx(50.0 / 3.5, rel=1e-4)
    assert run.certificate.doubts() == []


def test_what_is_missing_of_it_is_told() -> None:
    made = lw.simulate(train(), until=0.1, dt=1e-3).certificate
    carried = 0.1 * 100.0 * 50.0 / 3.5
    assert replace(made, energy_balance_worst=1e-4 * carried).doubts() != []
