"""Ropes that fall, swing and whip: links on ball joints without damping, by the methods of impulses."""

from __future__ import annotations

import math

import numpy as np
import pytest

import linkwork as lw


def rope(links: int, length: float = 0.1) -> lw.Model:
    """Capsules on ball joints, level at the start, the first one on the ground."""
    model = lw.Model("rope")
    level = lw.Frame(rotation=(math.sqrt(0.5), 0, math.sqrt(0.5), 0)).matrix
    last = model.ground
    for k in range(links):
        place = ((k + 0.5) * length, 0, 0)
        link = model.body(f"link {k}", mass=0.05, shape=lw.Capsule(0.01, length), rotation=level, position=place)
        model.ball(f"joint {k}", last, link, at=(k * length, 0, 0))
        last = link
    return model


@pytest.mark.filterwarnings("ignore::linkwork.RunWarning")  # energy is lost where the end whips
@pytest.mark.parametrize("method", ["impulse", "maximal"])
def test_a_rope_of_thirty_gains_no_energy_at_five_milliseconds(method: str) -> None:
    run = lw.simulate(rope(30), until=4.0, method=method, dt=5e-3)
    total, moved = run.energy["total"], np.ptp(run.energy["potential"])
    # velocities are those in the middle of the last step, so while the end whips the sum is off by a step of its motion
    assert (total - total[0]).max() < 0.1 * moved
    assert total[-200:].max() < total[0]


@pytest.mark.parametrize("method", ["impulse", "maximal"])
def test_a_falling_rope_keeps_its_energy_at_a_millisecond(method: str) -> None:
    run = lw.simulate(rope(30), until=0.8, method=method, dt=1e-3)
    total, moved = run.energy["total"], np.ptp(run.energy["potential"])
    assert np.abs(total - total[0]).max() < 0.01 * moved
    # the same motion as with a hundredth of the step's error
    right = lw.simulate(rope(10), until=0.4, method="recursive", integrator="rk4", dt=1e-4, every=10)
    found = lw.simulate(rope(10), until=0.4, method=method, dt=1e-3)
    assert np.abs(found["link 9.position"] - right["link 9.position"]).max() < 0.01
