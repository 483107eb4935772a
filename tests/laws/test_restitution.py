"""Bounces: to the square of the restitution, never with more energy than before, and not below a speed of the scene."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import linkwork as lw

G = 9.81
both = pytest.mark.parametrize("method", ["impulse", "maximal"])


def landing_rod(rng: Any, friction: float, restitution: float, planar: bool) -> lw.Model:
    """A slender rod of 1 m that lands obliquely on its tip, sliding and turning, without gravity."""
    model = lw.Model("rod", gravity=(0, 0, 0))
    material = lw.Material(friction=friction, restitution=restitution)
    model.plane("floor", material=material)
    tilt, way = rng.uniform(-1.4, 1.4), rng.uniform(0, 2 * math.pi)
    axis = (math.sin(tilt) * math.cos(way), math.sin(tilt) * math.sin(way), math.cos(tilt))
    rod = model.body(
        "rod",
        shape=lw.Capsule(0.005, 1.0),
        mass=1.0,
        position=(0, 0, 0.5 * math.cos(tilt) + 0.005 + 1e-6),
        rotation=lw.Frame.along(axis).rotation,
        material=material,
    )
    slip, turn = rng.uniform(-3, 3, 2), rng.uniform(-3, 3, 3)
    if planar:
        slip = slip[0] * np.array([math.cos(way), math.sin(way)])
        turn = turn[0] * np.array([-math.sin(way), math.cos(way), 0])
    model.free("loose", "ground", rod, velocity=(*slip, -rng.uniform(0.5, 2), *turn))
    return model


@both
@pytest.mark.parametrize("rods", [90, pytest.param(300, marks=pytest.mark.long)])
@pytest.mark.parametrize(("planar", "dt", "most"), [(True, 1e-3, 1e-9), (False, 1e-6, 1e-6)])
def test_a_rod_on_its_tip_gains_nothing(method: str, planar: bool, dt: float, most: float, rods: int) -> None:
    """Kane's paradox: Newton's law with friction would gain up to a tenth of the energy.

    In space the torques of a spin that changes within the step do work, the less the shorter the step.
    """
    rng, bounced = np.random.default_rng(3), 0
    for case in range(rods):
        restitution = (1.0, 0.0)[case % 2] if case % 5 == 0 else rng.uniform(0, 1)
        model = landing_rod(rng, rng.uniform(0, 2), restitution, planar)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lw.RunWarning)  # a rod may jam (Painlevé): not what is asked here
            run = lw.simulate(model, until=3 * dt, dt=dt, method=method)
        before, after = run.energy["kinetic"][[0, -1]]
        assert after < before * (1 + most)
        bounced += bool(run["rod.velocity"][-1, 2] > run["rod.velocity"][0, 2] + 0.1)
    assert bounced > 2 * rods / 3


@both
def test_without_reversal_the_tip_leaves_with_its_part_of_the_speed(method: str) -> None:
    """Slip that keeps its direction: Newton's, Poisson's and the energetic law are the same."""
    model = lw.Model("rod", gravity=(0, 0, 0))
    material = lw.Material(friction=0.2, restitution=0.6)
    model.plane("floor", material=material)
    tilt = 0.5
    rod = model.body(
        "rod",
        shape=lw.Capsule(0.005, 1.0),
        mass=1.0,
        position=(0, 0, 0.5 * math.cos(tilt) + 0.005 + 1e-7),
        rotation=lw.Frame.along((math.sin(tilt), 0, math.cos(tilt))).rotation,
        material=material,
    )
    model.free("loose", "ground", rod, velocity=(5, 0, -1, 0, 0, 0))
    sim = lw.Simulation(model, method, dt=1e-3)
    sim.step(1)
    arm = np.array([-0.5 * math.sin(tilt), 0, -0.5 * math.cos(tilt) - 0.005])
    tip = sim["rod.velocity"] + np.cross(sim["rod.angular_velocity"], arm)
    assert tip[2] == pytest.approx(0.6, abs=2e-2)  # the tip is a ball of 5 mm
    assert tip[0] > 0.0


@both
@pytest.mark.parametrize("restitution", [0.3, 0.7, 1.0])
def test_a_ball_rises_to_the_square_of_its_restitution(method: str, restitution: float) -> None:
    model = lw.Model("ball")
    model.plane("floor", material=lw.Material(friction=0.5))
    made_of = lw.Material(friction=0.5, restitution=restitution)
    model.body("ball", shape=lw.Sphere(0.1), mass=1.0, position=(0, 0, 1.1), material=made_of)
    run = lw.simulate(model, until=0.95, dt=5e-4, method=method)
    landed = int(np.argmax(run["ball.velocity"][:, 2] > 0.1))
    assert run["ball.position"][landed:, 2].max() - 0.1 == pytest.approx(restitution**2, abs=3e-3)


def second_rise(size: float, height: float, dt: float, **options: Any) -> float:
    """How high a ball of restitution 0.5 rises after its first landing, as part of the height it fell."""
    model = lw.Model("ball")
    model.plane("floor", material=lw.Material())
    made_of = lw.Material(restitution=0.5, **options)
    model.body("ball", shape=lw.Sphere(size), density=1000.0, position=(0, 0, size + height), material=made_of)
    run = lw.simulate(model, until=1.9 * math.sqrt(2 * height / G), dt=dt, method="impulse")
    landed = int(np.argmin(run["ball.velocity"][:, 2]))
    return float(np.ptp(run["ball.position"][landed + 1 :, 2])) / height


@pytest.mark.parametrize("size", [1e-4, 1e-2, 1.0, 100.0])
def test_what_bounces_does_so_at_every_scale(size: float) -> None:
    """A fall of half a radius bounces, one of a ten-thousandth does not; steps as short as the scene is small."""
    step = math.sqrt(size / G)
    assert second_rise(size, 0.5 * size, 1e-3 * step) == pytest.approx(0.25, rel=0.03)
    assert second_rise(size, 1e-4 * size, 1e-4 * step) < 0.05


def test_the_threshold_can_be_set() -> None:
    speed = math.sqrt(2 * G * 0.05)
    for slow, rises in ((0.9 * speed, 0.25), (1.1 * speed, 0.0)):
        assert second_rise(0.1, 0.05, 2e-4, bounce_speed=slow) == pytest.approx(rises, abs=0.02)


def test_the_threshold_of_a_pair_and_what_is_wrong() -> None:
    model = lw.Model("ball")
    model.plane("floor", material=lw.Material(bounce_speed=10.0))
    model.body("ball", shape=lw.Sphere(0.1), mass=1.0, position=(0, 0, 0.6), material=lw.Material(restitution=0.5))
    fall = {"until": 0.5, "dt": 1e-3, "method": "impulse"}
    assert lw.simulate(model, **fall)["ball.velocity"][:, 2].max() < 1e-6
    model.contact_pair("ball", "ground", bounce_speed=0.1)
    assert lw.simulate(model, **fall)["ball.velocity"][:, 2].max() > 1.0
    with pytest.raises(lw.ModelError, match="bounce_speed"):
        lw.Material(bounce_speed=-1.0)


@pytest.mark.parametrize("dt", [1e-3, 5e-3])
def test_bodies_that_tumble_gain_nothing_in_a_bounce(dt: float) -> None:
    """Two elastic rods that turn about all axes meet in space: the gyroscopic torque does no work there either."""
    hard = lw.Material(friction=0.0, restitution=1.0)
    for seed in range(12):
        rng = np.random.default_rng(seed)
        model = lw.Model("rods", gravity=(0, 0, 0))
        for k, side in enumerate((-1, 1)):
            shape: Any = (lw.Capsule(0.03, 0.4), lw.Box((0.05, 0.08, 0.5)), lw.Cylinder(0.05, 0.4))[seed % 3]
            at = (0.45 * side, *rng.uniform(-0.1, 0.1, size=2))
            rod = model.body(
                f"rod {k}", shape=shape, mass=1.0 + k, position=at, rotation=rng.normal(size=4), material=hard
            )
            model.free(f"throw {k}", "ground", rod, velocity=(-2.0 * side, 0, 0, *6.0 * rng.normal(size=3)))
        run = lw.simulate(model, until=0.4, dt=dt, method="impulse")
        assert np.diff(run.energy["total"]).max() < 1e-6 * run.energy["total"][0], seed
