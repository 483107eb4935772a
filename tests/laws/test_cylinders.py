"""Cylinders are round, on whatever they roll: bars, rims and ends by the book."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw
from known_shapes import rolling_coin

G = 9.81
ROUGH = lw.Material(friction=2.0)
LYING = lw.Frame(rotation=(math.cos(math.pi / 4), math.sin(math.pi / 4), 0, 0))  # axis along y


def turned(axis: Any, angle: float) -> lw.Frame:
    return lw.Frame(rotation=(math.cos(angle / 2), *(math.sin(angle / 2) * np.array(axis))))


@pytest.mark.parametrize("rails", ["bars", "ridges"])
def test_a_wheel_rolls_down_rails(rails: str) -> None:
    """(2/3) g sin 15 deg on two bars, or on two boxes with an edge up."""
    angle = math.radians(15)
    model = lw.Model("rails", gravity=(G * math.sin(angle), 0, -G * math.cos(angle)))
    for name, y in (("left", 0.15), ("right", -0.15)):
        shape: Any = lw.Cylinder(0.05, 3.0, pose=lw.Frame((0, y, -0.05), lw.Frame.along((1, 0, 0)).rotation))
        if rails == "ridges":
            place = lw.Frame((0, y, -0.05 * math.sqrt(2))) @ turned((1, 0, 0), math.pi / 4)
            shape = lw.Box((3.0, 0.1, 0.1), pose=place)
        model.collider(name, "ground", shape, material=ROUGH)
    model.body(
        "wheel", shape=lw.Cylinder(0.1, 0.5), mass=1.0, position=(0, 0, 0.1), rotation=LYING.rotation, material=ROUGH
    )
    run = lw.simulate(model, until=1.0, method="impulse", dt=5e-3)
    speed = run["wheel.velocity"][:, 0]
    assert np.diff(speed)[1:] == pytest.approx(np.full(len(speed) - 2, 2 / 3 * G * math.sin(angle) * 5e-3), rel=1e-6)
    assert np.abs(run["wheel.position"][:, 1:] - (0, 0.1)).max() < 1e-8


def test_a_cylinder_rolls_over_another() -> None:
    """Both lie along y: (R + r) theta'' = (2/3) g sin theta, until it leaves at cos theta = (4/7) cos theta_0."""
    R, r, start, until, dt = 0.3, 0.1, 0.2, 0.5, 1e-3
    model = lw.Model("hill")
    model.collider("hill", "ground", lw.Cylinder(R, 0.6, pose=LYING), material=ROUGH)
    at = (R + r) * np.array([math.sin(start), 0, math.cos(start)])
    model.body("roll", shape=lw.Cylinder(r, 0.4), mass=1.0, position=at, rotation=LYING.rotation, material=ROUGH)
    run = lw.simulate(model, until=until, method="impulse", dt=dt)
    law = solve_ivp(lambda t, y: [y[1], 2 / 3 * G / (R + r) * math.sin(y[0])], (0, until), [start, 0], rtol=1e-9)
    x, y, z = run["roll.position"].T
    # of first order: semi-implicit steps are ahead by half a step
    ahead = law.y[1, -1] * dt / 2
    assert math.atan2(x[-1], z[-1]) == pytest.approx(law.y[0, -1] + ahead, abs=2e-4)
    assert np.hypot(x, z) == pytest.approx(np.full(len(x), R + r), abs=5e-6)
    assert np.abs(y).max() < 1e-6
    assert np.diff(run.energy["total"]).max() < 1e-9


def test_a_bar_rocks_across_a_cylinder() -> None:
    """Tilted by a, it touches R a from its middle: a potential and a mass from which the motion follows."""
    R, r, length, start = 0.3, 0.1, 1.0, 0.1
    model = lw.Model("seesaw")
    model.collider("log", "ground", lw.Cylinder(R, 0.6, pose=LYING), material=ROUGH)
    sin, cos = math.sin(start), math.cos(start)
    at = ((R + r) * sin - R * start * cos, 0, (R + r) * cos + R * start * sin)
    pose = turned((0, 1, 0), start) @ lw.Frame.along((1, 0, 0))
    model.body("bar", shape=lw.Cylinder(r, length), mass=1.0, position=at, rotation=pose.rotation, material=ROUGH)
    run = lw.simulate(model, until=2.0, method="impulse", dt=1e-3)

    def tilt(_: float, y: Any) -> list[float]:
        a, w = y
        torque = -G * (R * a * math.cos(a) - r * math.sin(a)) - R * R * a * w * w
        return [w, torque / ((3 * r * r + length**2) / 12 + r * r + R * R * a * a)]

    law = solve_ivp(tilt, (0, 2.0), [start, 0], rtol=1e-9, atol=1e-12, t_eval=run.time)
    assert -run["bar.angular_velocity"][:, 1] == pytest.approx(-law.y[1], abs=3e-3 * np.abs(law.y[1]).max())
    assert np.abs(run["bar.position"][:, 1]).max() < 1e-5
    assert np.diff(run.energy["total"]).max() < 1e-8


def coin(land: Any, until: float, dt: float) -> lw.Trajectory:
    return lw.simulate(rolling_coin(land), until=until, method="impulse", dt=dt)


def test_a_coin_rolls_on_its_edge() -> None:
    """On a box and on the end of a drum as on a plane; nothing but the order of the steps takes from its energy."""
    plane = coin(None, 1.0, 2e-3)
    for land in (lw.Box((6, 6, 0.2), pose=lw.Frame((0, 0, -0.1))), lw.Cylinder(4.0, 0.2, pose=lw.Frame((0, 0, -0.1)))):
        run = coin(land, 1.0, 2e-3)
        assert run["coin.position"] == pytest.approx(plane["coin.position"], abs=1e-7)
    energy = plane.energy["total"]
    assert energy == pytest.approx(np.full(len(energy), energy[0]), rel=1e-3)


@pytest.mark.parametrize("friction", [0.0, 0.5])
@pytest.mark.parametrize("land", ["plane", "box", "drum"])
def test_a_spinning_top_stands_on_its_end(land: str, friction: float) -> None:
    """Four points of its rim carry it, so friction slows it by mu m g r; it neither walks nor nods."""
    model = lw.Model("top")
    material = lw.Material(friction=friction)
    shapes = {"box": lw.Box((1, 1, 0.2)), "drum": lw.Cylinder(0.5, 0.2)}
    if land == "plane":
        model.plane("land", at=(0, 0, 0.1), material=material)
    else:
        model.collider("land", "ground", shapes[land], material=material)
    made = model.body("top", shape=lw.Cylinder(0.1, 0.1), mass=1.0, position=(0, 0, 0.15), material=material)
    model.free("spin", "ground", made, velocity=(0, 0, 0, 0, 0, 20.0))
    run = lw.simulate(model, until=0.3, method="impulse", dt=1e-3)
    spin = run["top.angular_velocity"]
    slowing = friction * G * 0.1 / (0.5 * 0.1**2)
    assert spin[:, 2] == pytest.approx(np.maximum(20 - slowing * run.time, 0), abs=1e-3)
    assert np.abs(spin[:, :2]).max() < 1e-5
    assert np.abs(run["top.position"] - (0, 0, 0.15)).max() < 1e-6


def test_a_tower_of_drums_stands() -> None:
    model = lw.Model("tower")
    material = lw.Material(friction=0.5)
    model.collider("table", "ground", lw.Box((1, 1, 0.2), pose=lw.Frame((0, 0, -0.1))), material=material)
    drum = lw.Cylinder(0.1, 0.1)
    for k in range(5):
        at = (0.02 * (k % 2), 0, 0.05 + 0.1 * k)
        model.body(f"drum {k}", shape=drum, mass=1.0, position=at, rotation=(1, 0, 0, 0.2 * k), material=material)
    run = lw.simulate(model, until=3.0, method="impulse", dt=5e-3)
    for k in range(5):
        assert run[f"drum {k}.position"][-1] == pytest.approx(run[f"drum {k}.position"][0], abs=1e-6)
