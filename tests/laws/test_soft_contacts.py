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


SHAPES = {
    "box": lw.Box((0.1, 0.1, 0.06)),
    "hull": lw.Hull([(x, y, z) for x in (-0.05, 0.05) for y in (-0.04, 0.04) for z in (-0.03, 0.03)]),
    "cylinder": lw.Cylinder(0.05, 0.06),
    "capsule": lw.Capsule(0.03, 0.1),
}


@both
@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize(
    "softness", [lw.Soft(stiffness=1e4), lw.Soft(hertz=16.0, damping_ratio=0.0)], ids=["k", "hertz"]
)
def test_what_tumbles_on_a_soft_floor_keeps_its_energy(kind: Any, name: str, softness: lw.Soft) -> None:
    """Corners that come and go change nothing of what others have stored: it depends on the place alone."""
    for tilt in (0.02, 0.1, 0.3, 1.2):
        model = lw.Model("tumbles", gravity=(0, 0, 0))
        model.plane("floor", material=lw.Material(friction=0.0, softness=softness))
        rotation = (math.cos(tilt / 2), 0.6 * math.sin(tilt / 2), 0.8 * math.sin(tilt / 2), 0)
        body = model.body(
            "body",
            mass=1.0,
            inertia=(1e-3, 1.2e-3, 1.4e-3),
            shape=SHAPES[name],
            position=(0, 0, 0.1),
            rotation=rotation,
            material=HARD,
        )
        model.free("way", "ground", body, velocity=(0, 0, -0.5, 0.5, 0, 0.2))
        run = lw.simulate(model, until=0.25, method=kind(dt=5e-4))
        assert run.certificate.doubts() == []
        kinetic = run.energy["kinetic"]
        assert np.abs(run["body.contact_force"][-1]).max() == 0.0  # it has left
        assert kinetic[-1] == pytest.approx(kinetic[0], rel=0.01)


@both
@pytest.mark.parametrize(("turns", "part"), [(0, 1.0), (1, 0.5), (2, 0.25)], ids=["face", "edge", "corner"])
def test_an_edge_has_half_the_stiffness_of_a_face(kind: Any, turns: int, part: float) -> None:
    """Two of its four points, and a corner is one of them."""
    corner = np.array([[1, 0, 0], [1, 1, 0], [1, 1, 1]])[turns] / math.sqrt(turns + 1)  # it points down
    axis = np.cross(corner, (0, 0, -1.0))
    half = 0.5 * math.asin(min(1.0, float(np.linalg.norm(axis))))
    axis /= np.linalg.norm(axis)
    height = 0.05 * math.sqrt(turns + 1)
    model = lw.Model("press")
    model.plane("mat", material=lw.Material(softness=lw.Soft(stiffness=1e4, damping=100.0)))
    box = model.body(
        "box",
        mass=2.0,
        shape=BOX,
        position=(0, 0, height),
        rotation=(math.cos(half), *(math.sin(half) * axis)),
        material=HARD,
    )
    model.prismatic("guide", "ground", box, at=(0, 0, 0), axis=(0, 0, 1))
    run = lw.simulate(model, until=3.0, method=kind(dt=2e-3), every=50)
    assert height - run["box.position"][-1, 2] == pytest.approx(2.0 * 9.81 / (1e4 * part), rel=1e-3)
