"""Rolling and torsional friction: what rolls or spins comes to rest as the formulas say."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import linkwork as lw

G, R, M = 9.81, 0.1, 2.0
both = pytest.mark.parametrize("method", ["impulse", "maximal"])


def on_floor(slope: float = 0.0, velocity: Any = (0,) * 6, shape: Any = None, **resists: float) -> lw.Model:
    """A ball on a slope down along x."""
    model = lw.Model("ball", gravity=(G * math.sin(slope), 0, -G * math.cos(slope)))
    model.plane("floor", material=lw.Material(friction=0.8))
    made_of = lw.Material(friction=0.8, **resists)
    ball = model.body("ball", shape=shape or lw.Sphere(R), mass=M, position=(0, 0, R), material=made_of)
    model.free("loose", "ground", ball, velocity=velocity)
    return model


@both
def test_a_ball_stays_on_a_slope_below_rolling_by_radius(method: str) -> None:
    rolling = 0.002
    run = lw.simulate(on_floor(0.9 * rolling / R, rolling=rolling), until=1.0, dt=1e-3, method=method)
    assert abs(run["ball.position"][-1, 0]) < 1e-6
    slope = 3 * rolling / R
    run = lw.simulate(on_floor(slope, rolling=rolling), until=1.0, dt=1e-3, method=method)
    acceleration = 5 / 7 * G * (math.sin(slope) - rolling / R * math.cos(slope))
    assert run["ball.velocity"][-1, 0] == pytest.approx(acceleration, rel=1e-6)


@both
@pytest.mark.parametrize("way", [0.0, 0.7])
def test_a_rolling_ball_stops_after_its_distance(method: str, way: float) -> None:
    rolling, speed = 0.002, 0.3
    x, y = math.cos(way), math.sin(way)
    velocity = (speed * x, speed * y, 0, -speed / R * y, speed / R * x, 0)
    run = lw.simulate(on_floor(velocity=velocity, rolling=rolling), until=2.5, dt=2e-3, method=method)
    distance = speed**2 / (2 * 5 / 7 * G * rolling / R)
    assert run["ball.position"][-1, :2] == pytest.approx((distance * x, distance * y), rel=0.01, abs=1e-9)
    assert np.abs(run["ball.angular_velocity"][-1]).max() < 1e-9


@both
def test_a_spinning_ball_stops_after_its_time(method: str) -> None:
    torsional, spin = 0.004, 6.0
    run = lw.simulate(on_floor(velocity=(0, 0, 0, 0, 0, spin), torsional=torsional), until=1.0, dt=1e-3, method=method)
    after = 0.4 * M * R**2 * spin / (torsional * M * G)
    turning = run["ball.angular_velocity"][:, 2]
    assert run.time[int(np.argmax(turning < 1e-9))] == pytest.approx(after, rel=0.005)
    k = len(turning) // 4
    assert turning[k] == pytest.approx(spin * (1 - run.time[k] / after), rel=1e-6)
    free = lw.simulate(on_floor(velocity=(0, 0, 0, 0, 0, spin)), until=1.0, dt=1e-3, method=method)
    assert free["ball.angular_velocity"][-1, 2] == pytest.approx(spin, rel=1e-9)


@both
def test_a_drum_rolls_out(method: str) -> None:
    """Several points of a line carry it: together they resist as one."""
    rolling, speed = 0.003, 0.3
    lying = lw.Cylinder(R, 0.4, pose=lw.Frame.along((0, 1, 0)))
    model = on_floor(velocity=(speed, 0, 0, 0, speed / R, 0), shape=lying, rolling=rolling)
    run = lw.simulate(model, until=2.0, dt=2e-3, method=method)
    distance = speed**2 / (2 * 2 / 3 * G * rolling / R)
    assert run["ball.position"][-1, 0] == pytest.approx(distance, rel=0.01)


def test_a_wheel_on_an_axle_is_braked() -> None:
    """A joint holds it: rows of joints and torques of contacts in one problem."""
    model = lw.Model("cart")
    made_of = lw.Material(friction=0.9, rolling=0.005)
    model.plane("road", material=lw.Material(friction=0.9))
    cart = model.body("cart", shape=lw.Box((0.6, 0.2, 0.1)), mass=8.0, position=(0, 0, 0.2))
    model.prismatic("track", "ground", cart, axis=(1, 0, 0), velocity=1.0)
    wheel = model.body("wheel", shape=lw.Sphere(R), mass=1.0, position=(0, 0, R), material=made_of)
    strut = model.body("strut", mass=0.5, inertia=(0.01,) * 3, position=(0, 0, 0.15))
    model.prismatic("leg", cart, strut, axis=(0, 0, 1))
    model.revolute("axle", strut, wheel, at=(0, 0, R), axis=(0, 1, 0), velocity=1.0 / R)
    run = lw.simulate(model, until=1.0, dt=1e-3, method="impulse")
    load, inertia = 1.5 * G, 0.4 * 1.0 * R**2
    braking = load * 0.005 / R / (9.5 + inertia / R**2)
    assert run["cart.velocity"][-1, 0] == pytest.approx(1.0 - braking, rel=1e-3)


def test_larger_of_two_pairs_and_the_torque_told() -> None:
    model = on_floor(velocity=(0, 0, 0, 0, 0, 5.0), torsional=0.001)
    sim = lw.Simulation(model, "impulse", dt=1e-3)
    sim.step(5)
    assert sim.contacts().of("ball").torques[:, 2].sum() == pytest.approx(-0.001 * M * G, rel=1e-6)
    assert sim.contacts().of("nobody").bodies == []
    model.contact_pair("ball", "ground", torsional=0.003)
    sim = lw.Simulation(model, "impulse", dt=1e-3)
    sim.step(5)
    assert sim.contacts().torques[:, 2].sum() == pytest.approx(-0.003 * M * G, rel=1e-6)


def test_who_does_not_ask_pays_nothing() -> None:
    """No more rows, and no torques."""
    rows = {}
    for name, resists in (("plain", {}), ("asked", {"rolling": 0.001, "torsional": 0.001})):
        run = lw.simulate(on_floor(**resists), until=0.01, dt=1e-3, method="impulse")
        rows[name] = run["solver.rows"][-1]
    assert rows == {"plain": 3, "asked": 6}


@pytest.mark.parametrize("wrong", [{"rolling": -1.0}, {"torsional": float("nan")}])
def test_what_is_wrong_is_told(wrong: dict[str, float]) -> None:
    with pytest.raises(lw.ModelError, match=next(iter(wrong))):
        lw.Material(**wrong)
