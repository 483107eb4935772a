"""A scissor lift that a jack raises: its force by virtual work, and the motion that this force makes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import linkwork as lw

LENGTH, ARM, LOAD, SMALL, G = 2.0, 20.0, 500.0, 2.0, 9.81  # m; kg: arms, platform, foot and roller; m/s2
LOW, HIGH = math.radians(15), math.radians(60)
STROKE = LENGTH * (math.cos(HIGH) - math.cos(LOW))
RAISED = lw.Cosine(-STROKE / 2, 0.2, offset=STROKE / 2)  # up and down again in 5 s
DAMPING = 2e4  # N s/m, of the jack


def scissor_lift() -> lw.Model:
    """Arms from the pivot and from the foot on its track, which the jack moves."""
    model = lw.Model("scissor lift", gravity=(0, 0, -G))
    x, z = LENGTH * math.cos(LOW), LENGTH * math.sin(LOW)
    for name, lean in (("arm", -LOW), ("other arm", LOW)):
        turn = (math.cos(lean / 2), 0, math.sin(lean / 2), 0)
        shape = lw.Box((LENGTH, 0.05, 0.1))
        model.body(name, mass=ARM, shape=shape, position=(x / 2, 0, z / 2), rotation=turn)
    for name, mass, place in (("foot", SMALL, (x, 0, 0)), ("roller", SMALL, (x, 0, z)), ("platform", LOAD, (1, 0, z))):
        model.body(name, mass=mass, shape=lw.Box((0.1, 1.0, 1.0)), position=place)
    across = (0, -1, 0)
    model.revolute("pivot", model.ground, "arm", at=(0, 0, 0), axis=across)
    model.prismatic("track", model.ground, "foot", at=(x, 0, 0), axis=(1, 0, 0), damping=DAMPING)
    model.revolute("heel", "foot", "other arm", at=(x, 0, 0), axis=across)
    model.revolute("cross", "arm", "other arm", at=(x / 2, 0, z / 2), axis=across)
    model.revolute("top", "other arm", "platform", at=(0, 0, z), axis=across)
    model.prismatic("slot", "platform", "roller", at=(x, 0, z), axis=(1, 0, 0))
    model.revolute("head", "arm", "roller", at=(x, 0, z), axis=across)
    return model


def inertia(x: Any) -> Any:
    """Twice the kinetic energy where the foot, at x, moves with 1 m/s."""
    z = np.sqrt(LENGTH**2 - x**2)
    rises, turns = -x / z, -1 / z
    arm = ARM * LENGTH**2 / 4 + ARM * (LENGTH**2 + 0.1**2) / 12
    return (LOAD + SMALL) * rises**2 + 2 * SMALL + 2 * arm * turns**2


def jack_force(x: Any, speed: Any, acceleration: Any) -> Any:
    """Virtual work: what raises the weights and moves the masses."""
    bend = inertia(x + 1e-30j).imag / 1e-30
    rises = -x / np.sqrt(LENGTH**2 - x**2)
    weight = G * (LOAD + SMALL + ARM)
    return inertia(x) * acceleration + 0.5 * bend * speed**2 + weight * rises + DAMPING * speed


def test_the_jack_by_virtual_work_and_the_motion_again() -> None:
    model = scissor_lift()
    model.motor("jack", "track", position=RAISED)
    motion = lw.kinematics(model, until=5.0, dt=5e-3)
    loads = lw.required_forces(model, motion, at=["jack"])
    x = LENGTH * math.cos(LOW) + motion["track.position"]
    exact = jack_force(x, motion["track.velocity"], motion["track.acceleration"])
    assert loads["jack.effort"] == pytest.approx(exact, abs=1e-9 * np.abs(exact).max())
    assert motion["platform.position"][:, 2] == pytest.approx(np.sqrt(LENGTH**2 - x**2), abs=1e-12)

    # without the damping of the jack any error would grow by the factor e in 0.3 s
    pushed = scissor_lift()
    pushed.torque("push", "track", lw.Table(loads.time, loads["jack.effort"], kind="cubic"))
    run = lw.simulate(pushed, until=5.0, dt=1.25e-3, every=4, method="recursive")
    assert np.ptp(run["platform.position"][:, 2]) > 1.2
    assert run["platform.position"] == pytest.approx(motion["platform.position"], abs=1e-8)
