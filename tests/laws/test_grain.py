"""Friction with a grain: skates and runners slide along it and hold across it; the force is on an ellipse."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import linkwork as lw

G = 9.81
ALONG, ACROSS = 0.64, 0.04
both = pytest.mark.parametrize("method", ["impulse", "maximal"])


def block(way: float, slope: float, *, turned: float = 0.0, below: bool = False, velocity: Any = (0,) * 6) -> lw.Model:
    """A block on a slope that goes down along `way`; the grain is along x of the block, which is `turned`, or below."""
    down = (math.cos(way), math.sin(way))
    model = lw.Model(
        "block", gravity=(G * math.sin(slope) * down[0], G * math.sin(slope) * down[1], -G * math.cos(slope))
    )
    grained, plain = lw.Material(friction=(ALONG, ACROSS), grain=(1, 0, 0)), lw.Material(friction=1.0)
    model.plane("floor", material=grained if below else plain)
    body = model.body(
        "block",
        shape=lw.Box((0.3, 0.2, 0.04)),
        mass=2.0,
        position=(0, 0, 0.02),
        rotation=(math.cos(turned / 2), 0, 0, math.sin(turned / 2)),
        material=plain if below else grained,
    )
    model.free("loose", "ground", body, velocity=velocity)
    return model


@both
@pytest.mark.parametrize("below", [False, True])
@pytest.mark.parametrize("along", [True, False])
def test_a_block_slides_by_the_coefficient_of_its_direction(method: str, below: bool, along: bool) -> None:
    mu, way = math.sqrt(ALONG if along else ACROSS), 0.0 if along else math.pi / 2
    slope = math.atan(mu) + 0.1
    run = lw.simulate(block(way, slope, below=below), until=0.5, dt=1e-3, method=method)
    speed = run["block.velocity"][-1] @ (math.cos(way), math.sin(way), 0)
    assert speed == pytest.approx(0.5 * G * (math.sin(slope) - mu * math.cos(slope)), rel=1e-6)
    held = lw.simulate(block(way, math.atan(mu) - 0.02, below=below), until=0.5, dt=1e-3, method=method)
    assert np.abs(held["block.velocity"][-1]).max() < 1e-6


@both
def test_the_grain_turns_with_its_body(method: str) -> None:
    """Turned by a right angle the block slides down the slope on which it held, and is on rails no more."""
    slope = math.atan(math.sqrt(ACROSS)) + 0.1
    for turned, moves in ((0.0, False), (math.pi / 2, True)):
        run = lw.simulate(block(0.0, slope, turned=turned), until=0.3, dt=1e-3, method=method)
        assert (run["block.velocity"][-1, 0] > 0.1) == moves


@both
@pytest.mark.parametrize("way", [0.3, 1.0, 2.2])
def test_oblique_friction_is_on_the_ellipse_and_takes_most(method: str, way: float) -> None:
    speed = 2.0
    velocity = (speed * math.cos(way), speed * math.sin(way), 0, 0, 0, 0)
    sim = lw.Simulation(block(0.0, 0.0, velocity=velocity), method, dt=1e-4)
    sim.step(3)
    force, mu = sim["block.contact_force"], np.sqrt([ALONG, ACROSS])
    part = force[:2] / (mu * force[2])
    assert part @ part == pytest.approx(1.0, rel=1e-6)
    # of all forces on the ellipse the one that takes most power: its gradient is against the slip
    slip = sim["block.velocity"][:2]
    best = -(mu**2) * slip / np.linalg.norm(mu * slip) * force[2]
    assert force[:2] == pytest.approx(best, rel=1e-3)


@both
def test_a_skate_runs_straight(method: str) -> None:
    """Pushed at 30 degrees it goes along its runners alone."""
    model = lw.Model("skate")
    model.plane("ice", material=lw.Material(friction=1.0))
    steel = lw.Material(friction=(0.0, 1.0), grain=(1, 0, 0))
    body = model.body("skate", shape=lw.Box((0.3, 0.1, 0.05)), mass=3.0, position=(0, 0, 0.025), material=steel)
    model.force("push", body, (6 * math.cos(0.5), 6 * math.sin(0.5), 0))
    run = lw.simulate(model, until=1.0, dt=1e-3, method=method)
    assert run["skate.position"][-1, 0] == pytest.approx(0.5 * 6 * math.cos(0.5) / 3.0, rel=2e-3)
    assert abs(run["skate.position"][-1, 1]) < 1e-6


def test_two_coefficients_need_a_grain_and_a_grain_two_coefficients() -> None:
    with pytest.raises(lw.ModelError, match="give grain="):
        lw.Material(friction=(0.5, 0.1))
    with pytest.raises(lw.ModelError, match="friction="):
        lw.Material(friction=0.5, grain=(1, 0, 0))
    with pytest.raises(lw.ModelError, match="grain"):
        lw.Material(friction=(0.5, 0.1), grain=(0, 0, 0))
    with pytest.raises(lw.ModelError, match="friction"):
        lw.Material(friction=(0.5, -0.1), grain=(1, 0, 0))


def test_equal_coefficients_are_plain_friction() -> None:
    run = {}
    for name, made_of in (
        ("one", lw.Material(friction=0.3)),
        ("two", lw.Material(friction=(0.3, 0.3), grain=(1, 1, 0))),
    ):
        model = lw.Model("block")
        model.plane("floor", material=lw.Material(friction=0.3))
        body = model.body("block", shape=lw.Box((0.2, 0.2, 0.1)), mass=1.0, position=(0, 0, 0.05), material=made_of)
        model.free("loose", "ground", body, velocity=(1, 2, 0, 0, 0, 3))
        run[name] = lw.simulate(model, until=0.3, dt=1e-3, method="impulse")["block.position"]
    assert np.array_equal(run["one"], run["two"])
