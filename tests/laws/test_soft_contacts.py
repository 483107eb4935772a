"""Soft contacts and stops: they give back what their springs took, and what the step takes beyond their law is told."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import linkwork as lw

pytestmark = pytest.mark.filterwarnings("ignore:.*density")
both = pytest.mark.parametrize("kind", [lw.Impulse, lw.Maximal], ids=["impulse", "maximal"])
HARD = lw.Material(friction=0.0)
BOX = lw.Box((0.1, 0.1, 0.1))


def thrown(soft: lw.Soft, shape: Any, dt: float, kind: Any = lw.Impulse, height: float = 0.0013) -> lw.Trajectory:
    """1 kg meets a soft plane at 1 m/s, without gravity."""
    model = lw.Model("thrown", gravity=(0, 0, 0))
    model.plane("floor", material=lw.Material(friction=0.0, softness=soft))
    model.body("body", mass=1.0, shape=shape, position=(0, 0, 0.05 + height), material=HARD)
    model.free("way", "ground", "body", velocity=(0, 0, -1.0, 0, 0, 0))
    return lw.simulate(model, until=0.06, method=kind(dt=dt))


@both
@pytest.mark.parametrize("height", [0.0005, 0.0011, 0.0017])
@pytest.mark.parametrize("shape", [lw.Sphere(0.05), BOX], ids=["ball", "box"])
def test_a_spring_without_damping_throws_back_all_that_it_took(kind: Any, height: float, shape: Any) -> None:
    run = thrown(lw.Soft(stiffness=1e5), shape, 1e-3, kind, height)
    assert run["body.velocity"][-1, 2] == pytest.approx(1.0, abs=1e-6)
    assert run.certificate.doubts() == []
    assert run.energy["springs"].max() > 0.4
    assert abs(run.energy["numerical"]).max() < 1e-6
    assert run.energy["dissipated"][-1] == pytest.approx(0.0, abs=1e-6)


@both
@pytest.mark.parametrize("shape", [lw.Sphere(0.05), BOX], ids=["ball", "box"])
def test_so_does_a_bed(kind: Any, shape: Any) -> None:
    run = thrown(lw.Soft(bedding=1e7, damping_ratio=0.0), shape, 1e-3, kind)
    assert run["body.velocity"][-1, 2] == pytest.approx(1.0, abs=5e-3)
    assert run.certificate.doubts() == []


@both
def test_so_does_a_stop(kind: Any) -> None:
    model = lw.Model("stop", gravity=(0, 0, 0))
    model.body("slider", mass=1.0, inertia=(0.1, 0.1, 0.1))
    stop = {"limits": (-0.0007, 1.0), "limit_softness": lw.Soft(stiffness=1e5)}
    model.prismatic("rail", "ground", "slider", at=(0, 0, 0), axis=(1, 0, 0), velocity=-1.0, **stop)
    run = lw.simulate(model, until=0.05, method=kind(dt=1e-3))
    assert run["rail.velocity"][-1] == pytest.approx(1.0, abs=1e-6)
    assert run.certificate.doubts() == []


@pytest.mark.parametrize("ratio", [0.1, 0.3, 1.0])
def test_a_damper_takes_what_its_law_takes(ratio: float) -> None:
    """Restitution of a spring and damper that cannot pull."""
    run = thrown(lw.Soft(hertz=30.0, damping_ratio=ratio), lw.Sphere(0.05), 1e-3)
    if ratio == 1.0:
        e = math.exp(-2.0)
    else:
        root = math.sqrt(1.0 - ratio * ratio)
        angle = math.atan2(2.0 * ratio * root, 1.0 - 2.0 * ratio * ratio)
        e = math.exp(-(math.pi - angle) * ratio / root) if ratio < math.sqrt(0.5) else math.exp(-angle * ratio / root)
    assert run["body.velocity"][-1, 2] == pytest.approx(e, rel=0.02)
    assert run.energy["dissipated"][-1] == pytest.approx(0.5 * (1.0 - e * e), rel=0.01)
    assert run.energy["dissipated"].min() > -1e-9
    assert run.certificate.doubts() == []


def test_what_is_too_fast_for_the_step_is_told() -> None:
    """Implicit Euler's rule takes the energy of a spring of 500 Hz at 1 ms: that is no law of the contact."""
    with pytest.warns(lw.RunWarning, match="beyond their law"):
        run = thrown(lw.Soft(stiffness=1e7), lw.Sphere(0.05), 1e-3)
    assert run["body.velocity"][-1, 2] < 0.5
    assert run.energy["numerical"][-1] > 0.3
    assert abs(run.energy["balance"]).max() < 1e-9
    assert [doubt for doubt in run.certificate.doubts() if "beyond their law" in doubt]
    # damped as strongly as that its law takes it
    assert thrown(lw.Soft(hertz=500.0), lw.Sphere(0.05), 1e-3).certificate.doubts() == []


@both
def test_a_ball_bounces_for_long_on_a_soft_floor(kind: Any) -> None:
    model = lw.Model("bounces")
    model.plane("floor", material=lw.Material(friction=0.0, softness=lw.Soft(stiffness=1e5)))
    model.body("ball", mass=1.0, shape=lw.Sphere(0.05), position=(0, 0, 0.55), material=HARD)
    run = lw.simulate(model, until=10.0, method=kind(dt=1e-3))
    late = run.time > 9.0
    assert run["ball.position"][late, 2].max() == pytest.approx(0.55, abs=2e-3)
    assert np.abs(run.energy["balance"]).max() < 0.02 * run.certificate.energy_scale
