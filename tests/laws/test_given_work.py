"""Methods with impulses count the work of laws as forces do it: no false alarm, and no law that chatters unseen."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwork as lw

both = pytest.mark.parametrize("kind", [lw.Impulse, lw.Maximal], ids=["impulse", "maximal"])


@both
@pytest.mark.parametrize(("name", "until", "most"), [("gearbox", 1.0, 5e-3), ("engine", 0.5, 5e-3)])
def test_loads_against_motors_and_gases_in_cylinders(kind: Any, name: str, until: float, most: float) -> None:
    """The load of the gearbox takes a kilowatt from a motor, its wheels have 1 J: half a step of the flow is 0.7 J."""
    run = lw.simulate(getattr(lw.gallery, name).build(), until=until, method=kind(dt=1e-3))
    assert run.certificate.energy_balance_relative < most


@lw.compiled
def hold(t: float, angle: float, rate: float) -> float:
    return -300.0 * angle - 0.5 * rate


def standing() -> lw.Model:
    """A torso of 10 kg on four bent legs, whose joints laws hold; it begins a millimetre above the floor."""
    model, rough, leg, foot = lw.Model("stand"), lw.Material(friction=0.8), 0.2, 0.005
    model.plane("floor", material=rough)
    c, s = math.cos(0.3), math.sin(0.3)
    knee = foot + 1e-3 + leg * c
    hip = knee + leg * c
    model.body("torso", mass=10.0, shape=lw.Box((0.5, 0.3, 0.1)), position=(0, 0, hip))
    model.free("base", "ground", "torso")
    for i, (x, y) in enumerate(((0.2, 0.15), (0.2, -0.15), (-0.2, 0.15), (-0.2, -0.15))):
        middle = x + 0.5 * leg * s
        inertia = np.array((0.003, 0.003, 0.001))
        model.body(f"upper {i}", mass=0.8, inertia=inertia, position=(middle, y, hip - 0.5 * leg * c))
        lower = model.body(f"lower {i}", mass=0.4, inertia=0.5 * inertia, position=(middle, y, knee - 0.5 * leg * c))
        end = lw.Frame((-0.5 * leg * s, 0, -0.5 * leg * c))
        model.collider(f"foot {i}", lower, lw.Sphere(foot, pose=end), material=rough)
        model.revolute(f"hip {i}", "torso", f"upper {i}", at=(x, y, hip), axis=(0, 1, 0))
        model.revolute(f"knee {i}", f"upper {i}", lower, at=(x + leg * s, y, knee), axis=(0, 1, 0))
        model.torque(f"hold hip {i}", f"hip {i}", hold)
        model.torque(f"hold knee {i}", f"knee {i}", hold)
    return model


@both
def test_who_merely_stands_is_not_in_doubt(kind: Any) -> None:
    run = lw.simulate(standing(), until=2.0, method=kind(dt=1e-3))
    assert np.ptp(run["torso.position"][:, 2]) < 3e-3
    assert run.certificate.doubts() == []


@both
def test_a_damper_that_is_too_strong_for_the_step_is_told(kind: Any) -> None:
    """Explicit: in each step the speed becomes -1.1 times what it was."""
    model = lw.Model("chatter", gravity=(0, 0, 0))
    body = model.body("slider", mass=1.0, inertia=(0.1, 0.1, 0.1))
    model.prismatic("rail", "ground", body, at=(0, 0, 0), axis=(1, 0, 0), velocity=1.0)
    model.torque("damper", "rail", lambda t, x, v: -2100.0 * v)
    with pytest.warns(lw.RunWarning, match="energy balance is off"):
        run = lw.simulate(model, until=0.03, method=kind(dt=1e-3))
    assert abs(run["rail.velocity"][-1]) > 1.0


def test_it_goes_on_after_a_saved_state(tmp_path: Path) -> None:
    """The same bits with and without a stop in between."""
    whole, first = (lw.Simulation(standing(), lw.Impulse(dt=1e-3)) for _ in range(2))
    whole.step(50)
    first.step(20)
    first.save(tmp_path / "state.npz")
    rest = lw.Simulation(standing(), lw.Impulse(dt=1e-3), resume=tmp_path / "state.npz")
    rest.step(30)
    assert np.array_equal(whole.state.y, rest.state.y)
