"""Stops of joints: what they push with, as a column, by statics and by momentum."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import linkwork as lw

G = 9.81
both = pytest.mark.parametrize("kind", [lw.Impulse, lw.Maximal], ids=lambda kind: kind.name)


def arm(**options: Any) -> lw.Model:
    """A lever of 2 kg whose centre is 0.5 m from its hinge; its angle grows upwards."""
    model = lw.Model("arm")
    body = model.body("arm", mass=2.0, inertia=(0.1, 0.1, 0.1), com=(0.5, 0, 0))
    model.revolute("hinge", "ground", body, at=(0, 0, 0), axis=(0, -1, 0), **options)
    return model


@both
def test_an_arm_on_its_stop_shows_its_weight(kind: Any) -> None:
    """m g l on the lower stop, positive; on an upper one from above, negative."""
    run = lw.simulate(arm(limits=(0.0, 2.0)), until=0.1, method=kind(dt=1e-3))
    assert run.unit("hinge.stop_force") == "N m"
    np.testing.assert_allclose(run["hinge.stop_force"][1:], 2.0 * G * 0.5, rtol=1e-12)
    over = arm(limits=(0.0, 3.0), position=3.0)
    run = lw.simulate(over, until=0.1, method=kind(dt=1e-3))
    np.testing.assert_allclose(run["hinge.stop_force"][1:], 2.0 * G * 0.5 * math.cos(3.0), rtol=1e-12)


@both
def test_the_impulse_of_a_hard_stop_is_the_momentum(kind: Any) -> None:
    """Without gravity all that changes the momentum I w of the arm is the stop."""
    model = arm(limits=(-0.2, None), velocity=-3.0)
    model.gravity = (0.0, 0.0, 0.0)
    dt = 1e-3
    run = lw.simulate(model, until=0.2, method=kind(dt=dt))
    inertia = 0.1 + 2.0 * 0.5**2
    assert run["hinge.velocity"][-1] == pytest.approx(0.0, abs=1e-9)
    assert run["hinge.stop_force"].sum() * dt == pytest.approx(
        3.0 * inertia,
        rel=1e-5,  # epsilon
    )
    assert np.count_nonzero(np.abs(run["hinge.stop_force"]) > 1e-3) <= (2 if kind is lw.Impulse else 4)  # a blow


@both
def test_a_stop_that_closes_a_loop(kind: Any) -> None:
    """A four-bar held up by the stop of the joint that closes it: the work of the weights is that of the stop."""
    model = lw.Model("frame")
    for name, x, z, size in (("left", 0.0, 0.5, 1.0), ("top", 0.5, 1.0, 1.0), ("right", 1.0, 0.5, 1.0)):
        box = (size, 0.05, 0.05) if name == "top" else (0.05, 0.05, size)
        model.body(name, mass=2.0, shape=lw.Box(box), position=(x, 0, z))
    hinge: dict[str, Any] = {"axis": (0, 1, 0)}
    model.revolute("a", "ground", "left", at=(0, 0, 0), velocity=0.5, **hinge)
    model.revolute("b", "left", "top", at=(0, 0, 1), **hinge)
    model.revolute("c", "top", "right", at=(1, 0, 1), **hinge)
    model.revolute("d", "ground", "right", at=(1, 0, 0), cut=True, limits=(None, 0.3), **hinge)
    run = lw.simulate(model, until=4.0, method=kind(dt=1e-3))
    assert run["a.position"][-1] == pytest.approx(0.3, abs=1e-9)
    # heights are cos(angle) times 0.5, 1 and 0.5 m
    assert run["d.stop_force"][-1] == pytest.approx(-2.0 * G * 2.0 * math.sin(0.3), rel=1e-6)


@both
def test_coordinates_without_a_stop_show_none(kind: Any) -> None:
    model = lw.Model("bolt")
    bolt = model.body("bolt", mass=2.0, inertia=(0.1, 0.1, 0.1))
    limits = (None, (-0.0, 1.0))
    model.cylindrical("bore", "ground", bolt, at=(0, 0, 0), axis=(0, 0, 1), limits=limits, velocity=(2.0, 0.0))
    run = lw.simulate(model, until=0.05, method=kind(dt=1e-3))
    assert run.unit("bore.stop_force") == "N m,N"
    assert [label for label, _, _ in run.components("bore.stop_force")] == [
        "bore.stop_force.turn",
        "bore.stop_force.slide",
    ]
    np.testing.assert_allclose(run["bore.stop_force"][1:], np.tile([0.0, 2.0 * G], (50, 1)), rtol=1e-12, atol=1e-12)


@both
def test_controllers_and_laws_see_stops(kind: Any) -> None:
    """A motor's torque that takes what the stop took: the arm is lifted by its own stop's reading, a step later."""
    model = arm(limits=(0.0, 2.0))
    law = lw.PythonLaw(lambda t, seen: 0.5 * seen[0], sees=["hinge.stop_force"])
    model.torque("help", "hinge", law)
    sim = lw.Simulation(model, kind(dt=1e-3))
    sim.step(50)
    assert sim["hinge.stop_force"] == pytest.approx(2.0 * G * 0.5 / 1.5, rel=1e-6)  # x = w - x / 2
    assert sim["help.torque"] == pytest.approx(0.5 * sim["hinge.stop_force"], rel=1e-6)


def test_a_simulation_with_stops_goes_on_from_a_file(tmp_path: Any) -> None:
    model = arm(limits=(0.0, 2.0), position=0.5)
    whole = lw.Simulation(model, lw.Impulse(dt=1e-3))
    whole.step(400)
    whole.save(tmp_path / "state.npz")
    other = lw.Simulation(model, lw.Impulse(dt=1e-3), resume=tmp_path / "state.npz")
    assert other["hinge.stop_force"] == whole["hinge.stop_force"]
    whole.step(100)
    other.step(100)
    assert other["hinge.position"] == whole["hinge.position"]
    assert other["hinge.stop_force"] == pytest.approx(2.0 * G * 0.5)
