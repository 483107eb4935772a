"""Distances, gyroscopes, springs along an axis: against the same mechanics said in other words."""

from __future__ import annotations

import math

import numpy as np
import pytest

import linkwork as lw
from known_methods import EXPLICIT


def suspended(rod: bool) -> lw.Model:
    """A body hanging on a string, by a distance, or by a light rod on two balls."""
    model = lw.Model("suspended")
    bob = model.body("bob", mass=2.0, inertia=(0.02, 0.03, 0.04), position=(0.6, 0.1, -0.8))
    start = {"position": (0.6, 0.1, -0.8, 1, 0, 0, 0), "velocity": (0.9, 1.1, 0.8, 1.0, -2.0, 3.0)}
    eye = (-0.1, 0.0, 0.1)
    top = np.array((0.6, 0.1, -0.8)) + eye
    if not rod:
        model.free("flight", "ground", bob, **start)
        model.distance("string", "ground", bob, at_b=eye)
        return model
    model.body("rod", mass=1e-6, inertia=(1e-8, 1e-8, 1e-8), position=top / 2)
    model.free("flight", "ground", bob, **start)
    model.ball("hook", "ground", "rod", at=(0, 0, 0))
    model.ball("eye", "rod", bob, at=top)
    return model


@pytest.mark.parametrize("method", EXPLICIT)
def test_a_string_is_a_rod_without_mass(method: str) -> None:
    exact = lw.simulate(suspended(False), until=1.0, dt=1e-3, method=method)
    light = lw.simulate(suspended(True), until=1.0, dt=1e-3)
    # the rod's mass, a two-millionth
    assert np.max(np.abs(exact["bob.position"] - light["bob.position"])) < 5e-6
    length = np.linalg.norm([0.5, 0.1, -0.7])
    e = exact["bob.rotation"]
    spin = 2 * np.cross(e[:, 1:], (-0.1, 0, 0.1))
    eye = exact["bob.position"] + (-0.1, 0.0, 0.1) + e[:, :1] * spin + np.cross(e[:, 1:], spin)
    assert np.linalg.norm(eye, axis=1) == pytest.approx(np.full(1001, length), abs=1e-12)
    assert exact.certificate.energy_balance_worst < 1e-9
    # its reaction is a force along it
    pull = exact["string.reaction"]
    assert np.max(np.abs(np.cross(pull[:, :3], eye))) < 1e-9 * np.max(np.abs(pull))
    assert np.max(np.abs(pull[:, 3:])) < 1e-9
    assert pull[:, :3] == pytest.approx(light["eye.reaction"][:, :3], abs=1e-4 * np.max(np.abs(pull)))


def test_a_length_is_closed_or_refused() -> None:
    model = lw.Model("pendulum")
    bob = model.body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, -0.9))
    model.distance("string", "ground", bob, length=1.0)
    start = lw.simulate(model, until=0.01, dt=0.01)
    assert start["bob.position"][0] == pytest.approx([0, 0, -1.0])
    same = lw.Model("same")
    same.body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1))
    same.distance("string", "ground", "bob")
    with pytest.raises(lw.ModelError, match=r"'string'.*one place; give length="):
        lw.assemble(same)


def test_report_counts_a_distance() -> None:
    report = lw.check(suspended(False))
    assert (report.degrees_of_freedom, report.rows, report.redundant_rows) == (5, 1, 0)
    assert report.features == ["distances", "loops"]


@pytest.mark.parametrize("method", EXPLICIT)
def test_a_gyroscope_is_a_rotor_kept_at_its_speed(method: str) -> None:
    """A free body with a steady momentum h inside: Euler's equations I w' = -w x (I w + h) in its axes."""
    J, rate = 0.02, 60.0
    model = lw.Model("gyro", gravity=(0, 0, 0))
    frame = model.body("frame", mass=1.0, inertia=(0.05, 0.06, 0.07))
    model.free("flight", "ground", frame, position=(0, 0, 0, 1, 0, 0, 0), velocity=(0, 0, 0, 1.0, 2.0, 0.0))
    model.gyroscope("spin", frame, axis=(0, 0, 1), momentum=J * rate)
    run = lw.simulate(model, until=0.5, dt=1e-3, method=method)
    w, e = run["frame.angular_velocity"], run["frame.rotation"]
    I, h = np.array([0.05, 0.06, 0.07]), np.array([0, 0, J * rate])

    def slope(x: np.ndarray) -> np.ndarray:
        return -np.cross(x, I * x + h) / I

    x, body = np.array([1.0, 2.0, 0.0]), [np.array([1.0, 2.0, 0.0])]
    for _ in range(5000):
        k1 = slope(x)
        k2 = slope(x + 5e-5 * k1)
        k3 = slope(x + 5e-5 * k2)
        x = x + 1e-4 / 6 * (k1 + 2 * k2 + 2 * k3 + slope(x + 1e-4 * k3))
        body.append(x)
    own = np.array([lw.Frame(rotation=turn).matrix.T @ each for turn, each in zip(e, w, strict=True)])
    assert own == pytest.approx(np.array(body[::10]), abs=1e-6)
    assert np.ptp(run.energy["total"]) < 1e-9
    # the whole momentum stays in space
    whole = np.array([lw.Frame(rotation=turn).matrix @ (I * each + h) for turn, each in zip(e, own, strict=True)])
    assert np.max(np.abs(whole - whole[0])) < 1e-7


def guided(axis: bool) -> lw.Model:
    """A slider in a turning frame, pulled along the frame: by an axis, or by a spring of the slide itself."""
    model = lw.Model("guided")
    frame = model.body("frame", mass=3.0, inertia=(0.2, 0.2, 0.2), com=(0.1, 0, 0))
    model.ball("pivot", "ground", frame, at=(0, 0, 0), velocity=(1.0, 2.0, -1.0))
    slider = model.body("slider", mass=1.0, inertia=(0.01, 0.02, 0.02), position=(0.3, 0.2, 0.4))
    model.planar("table", frame, slider, at=(0.3, 0.2, 0.4), axis=(1, 0, 0))
    if axis:
        model.spring("spring", frame, slider, at_a=(5, 7, 0), axis=(0, 0, 1), stiffness=80.0, damping=3.0, length=0.1)
    else:
        frame_of = lw.Frame.along((1, 0, 0)).matrix
        along = int(np.argmax(np.abs(frame_of[2, :2])))  # the coordinate of the table that goes along z
        sign = math.copysign(1.0, frame_of[2, along])
        law = lw.PythonLaw(lambda t, x, v: -80.0 * (x + sign * 0.3) - 3.0 * v)
        model.torque("spring", "table", law, coordinate=along)
    return model


@pytest.mark.parametrize("method", EXPLICIT)
def test_a_spring_along_an_axis(method: str) -> None:
    one = lw.simulate(guided(True), until=0.5, dt=1e-3, method=method)
    other = lw.simulate(guided(False), until=0.5, dt=1e-3)
    assert np.ptp(one["spring.length"]) > 0.1
    for name in ("frame.rotation", "slider.position", "pivot.reaction"):
        assert one[name] == pytest.approx(other[name], abs=1e-9 * np.max(np.abs(other[name]))), name
    assert one.certificate.energy_balance_worst < 1e-8
