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


def ring(links: int, radius: float = 0.5) -> lw.Model:
    """Bars on hinges in a ring, hinged to the ground at its top: it collapses and whips."""
    model = lw.Model("ring")
    turns = 2 * math.pi * np.arange(links + 1) / links
    corners = radius * np.stack([np.sin(turns), 0 * turns, np.cos(turns)], axis=1)
    for k in range(links):
        along = corners[k + 1] - corners[k]
        half = math.atan2(-along[2], along[0]) / 2
        shape = lw.Box((float(np.linalg.norm(along)), 0.02, 0.01))
        place = tuple((corners[k] + corners[k + 1]) / 2)
        turned = (math.cos(half), 0, math.sin(half), 0)
        model.body(f"link {k}", mass=0.05, shape=shape, position=place, rotation=turned)
        before = f"link {k - 1}" if k > 0 else model.ground
        model.revolute(f"hinge {k}", before, f"link {k}", at=tuple(corners[k]), axis=(0, 1, 0))
    model.revolute("close", f"link {links - 1}", "link 0", at=tuple(corners[0]), axis=(0, 1, 0))
    return model


def energy_errors(run: lw.Trajectory) -> np.ndarray:
    """Energy gained since the start, as part of what moved."""
    total = run.energy["total"]
    return np.asarray((total - total[0]) / np.ptp(run.energy["potential"]))


@pytest.mark.filterwarnings("ignore::linkwork.RunWarning")  # `maximal` loses energy where the end whips
@pytest.mark.parametrize("method", ["impulse", "maximal"])
@pytest.mark.parametrize("dt", [1e-3, 5e-3])
def test_a_rope_of_thirty_gains_no_energy(method: str, dt: float) -> None:
    """Its end whips at 370 rad/s. Weight acts at the start of a step: the sum may be off by dt / 2 of its power."""
    errors = energy_errors(lw.simulate(rope(30), until=4.0, method=method, dt=dt))
    assert errors.max() < (0.01 if dt > 1e-3 else 2e-3)
    if method == "impulse":
        assert errors.min() > -0.015


@pytest.mark.parametrize("dt", [1e-3, 5e-3])
def test_a_ring_of_forty_keeps_its_energy(dt: float) -> None:
    errors = energy_errors(lw.simulate(ring(40), until=1.0, method="impulse", dt=dt))
    assert errors.max() < 5e-3
    assert errors.min() > -0.02


@pytest.mark.parametrize("method", ["impulse", "maximal"])
def test_a_falling_rope_keeps_its_energy_at_a_millisecond(method: str) -> None:
    run = lw.simulate(rope(30), until=0.8, method=method, dt=1e-3)
    total, moved = run.energy["total"], np.ptp(run.energy["potential"])
    assert np.abs(total - total[0]).max() < 0.01 * moved
    # the same motion as with a hundredth of the step's error
    right = lw.simulate(rope(10), until=0.4, method="recursive", integrator="rk4", dt=1e-4, every=10)
    found = lw.simulate(rope(10), until=0.4, method=method, dt=1e-3)
    assert np.abs(found["link 9.position"] - right["link 9.position"]).max() < 0.01
