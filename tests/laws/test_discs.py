"""Smooth rims: Euler's disc keeps its tilt, fast wheels stay on the ground, and what is dropped does not sink."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import linkwork as lw

G = 9.81
ROUGH = lw.Material(friction=10.0)
DROPPED = {"disc": lw.Cylinder(0.15, 0.02), "bar": lw.Cylinder(0.05, 0.3), "capsule": lw.Capsule(0.05, 0.3)}


def flat(model: lw.Model, land: str, material: lw.Material) -> None:
    if land == "plane":
        model.plane("land", material=material)
    else:
        model.collider("land", "ground", lw.Box((400, 400, 1), pose=lw.Frame((0, 0, -0.5))), material=material)


def euler_disc(tilt: float, land: str) -> tuple[lw.Model, float]:
    """A disc of 0.1 m that rolls around with its centre at rest, and how fast its point of contact goes round.

    Its angular velocity is along the arm r to the point of contact, k r; the moment of the weight turns k I r.
    """
    radius, half, mass = 0.1, 0.0025, 1.0
    sin, cos = math.sin(tilt), math.cos(tilt)
    u, e, up = np.array([0, -sin, cos]), np.array([0, cos, sin]), np.array([0, 0, 1.0])
    r = -half * u - radius * e
    axial, across = mass * radius**2 / 2, mass * (3 * radius**2 + 4 * half**2) / 12
    arm = axial * (r @ u) * u + across * (r @ e) * e
    # precession W about the vertical: k = -W sin / radius, W up x (k arm) = r x (m g up)
    rate = math.sqrt(np.cross(r, mass * G * up)[0] / (-sin / radius * np.cross(up, arm)[0]))
    model = lw.Model("Euler's disc")
    flat(model, land, ROUGH)
    turned = (math.cos(tilt / 2), math.sin(tilt / 2), 0, 0)
    disc = lw.Cylinder(radius, 2 * half)
    body = model.body("disc", shape=disc, mass=mass, position=(0, 0, -r[2]), rotation=turned, material=ROUGH)
    model.free("spin", "ground", body, velocity=(0, 0, 0, *(-rate * sin / radius * r)))
    return model, rate


@pytest.mark.parametrize(
    ("tilt", "land", "method"), [(0.3, "plane", "impulse"), (0.3, "box", "maximal"), (0.1, "plane", "impulse")]
)
def test_eulers_disc_keeps_going(tilt: float, land: str, method: str) -> None:
    """Tilt and precession within 2 % of theory for 1 s with steps of 1 ms, and so its energy."""
    model, rate = euler_disc(tilt, land)
    run = lw.simulate(model, until=1.0, method=method, dt=1e-3)
    axis = np.array([lw.Frame(rotation=q).matrix[:, 2] for q in run["disc.rotation"]])
    assert np.arccos(axis[:, 2]) == pytest.approx(np.full(len(axis), tilt), rel=0.02)
    turned = np.unwrap(np.arctan2(axis[:, 1], axis[:, 0]))
    assert turned[-1] - turned[0] == pytest.approx(rate, rel=0.02)
    assert run.energy["total"][-1] == pytest.approx(run.energy["total"][0], rel=0.02)


@pytest.mark.parametrize("method", ["impulse", "maximal"])
@pytest.mark.parametrize("land", ["plane", "box"])
def test_a_fast_wheel_stays_on_the_ground(land: str, method: str) -> None:
    """75 rad/s and 20 ms: it turns by more than a radian in a step, and rolls on."""
    radius, spin = 0.3, 75.0
    model = lw.Model("wheel")
    flat(model, land, ROUGH)
    lying = (math.cos(math.pi / 4), math.sin(math.pi / 4), 0, 0)
    wheel = lw.Cylinder(radius, 0.2)
    body = model.body("wheel", shape=wheel, mass=10.0, position=(0, 0, radius), rotation=lying, material=ROUGH)
    model.free("roll", "ground", body, velocity=(spin * radius, 0, 0, 0, spin, 0))
    run = lw.simulate(model, until=2.0, method=method, dt=2e-2)
    assert run["wheel.velocity"][-1, 0] == pytest.approx(spin * radius, rel=1e-3)
    assert np.abs(run["wheel.position"][:, 2] - radius).max() < 1e-3


@pytest.mark.parametrize("land", ["plane", "box"])
@pytest.mark.parametrize("shape", ["disc", "bar", "capsule"])
def test_what_is_dropped_does_not_sink(shape: str, land: str) -> None:
    """Thirty of them, thrown and turning, with steps of 20 ms: none ends below the ground."""
    made: Any = {"disc": lw.Cylinder(0.15, 0.02), "bar": lw.Cylinder(0.05, 0.3), "capsule": lw.Capsule(0.05, 0.3)}[
        shape
    ]
    low = 0.01 if shape == "disc" else 0.05
    rng = np.random.default_rng(5)
    material = lw.Material(friction=0.5)
    model = lw.Model("dropped")
    flat(model, land, material)
    for k in range(30):
        at = (2.0 * k, 0, rng.uniform(0.4, 1.0))
        body = model.body(
            f"body {k}", shape=made, mass=1.0, position=at, rotation=rng.normal(size=4), material=material
        )
        model.free(f"throw {k}", "ground", body, velocity=(*0.5 * rng.normal(size=3), *5.0 * rng.normal(size=3)))
    run = lw.simulate(model, until=2.0, method="impulse", dt=2e-2)
    height = np.array([run[f"body {k}.position"][-1, 2] for k in range(30)])
    assert height.min() > low - 1e-3
