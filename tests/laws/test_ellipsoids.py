"""Ellipsoids: they rock, roll and spin by the formulas, and are spheres where their axes are equal."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import linkwork as lw

G = 9.81
both = pytest.mark.parametrize("method", ["impulse", "maximal"])
ROUGH = lw.Material(friction=0.9)


def on_floor(radii: Any, *, tilt: float = 0.0, velocity: Any = (0,) * 6, floor: Any = None) -> lw.Model:
    """An ellipsoid on a plane, tilted about y."""
    model = lw.Model("egg")
    if floor is None:
        model.plane("floor", material=ROUGH)
    else:
        model.collider("floor", "ground", floor, material=ROUGH)
    a, _, c = radii
    height = math.hypot(a * math.sin(tilt), c * math.cos(tilt))
    egg = model.body(
        "egg",
        shape=lw.Ellipsoid(radii),
        density=1000.0,
        position=(0, 0, height),
        rotation=(math.cos(tilt / 2), 0, math.sin(tilt / 2), 0),
        material=ROUGH,
    )
    model.free("loose", "ground", egg, velocity=velocity)
    return model


def period_of(run: Any) -> float:
    """Period of the tilt about y, from its passages through zero."""
    tilt = run["egg.rotation"][:, 2]
    at = np.flatnonzero(np.diff(np.sign(tilt)))
    times = run.time[at] + tilt[at] / (tilt[at] - tilt[at + 1]) * np.diff(run.time)[at]
    return 2 * float(np.diff(times).mean())


@both
@pytest.mark.parametrize("floor", [None, lw.Box((2, 2, 0.2), pose=lw.Frame((0, 0, -0.1)))], ids=["plane", "box"])
@pytest.mark.parametrize("radii", [(0.2, 0.1, 0.1), (0.15, 0.3, 0.08)])
def test_it_rocks_about_its_centre_of_curvature(method: str, floor: Any, radii: Any) -> None:
    """Curvature radius a^2 / c at its lowest point, c the height of its centre; it rolls without slipping."""
    a, _, c = radii
    omega = math.sqrt(G * (a * a / c - c) / ((a * a + c * c) / 5 + c * c))
    run = lw.simulate(on_floor(radii, tilt=0.05, floor=floor), until=3.0, dt=1e-3, method=method)
    assert period_of(run) == pytest.approx(2 * math.pi / omega, rel=0.02)
    assert np.abs(run["egg.rotation"][:, 2]).max() < 0.026  # it does not gain
    late = np.abs(run["egg.rotation"][len(run.time) // 2 :, 2]).max()
    assert late > 0.02  # and hardly loses


BELOW = {
    "box": lw.Box((1, 1, 0.1)),
    "edge": lw.Box((0.08, 1, 0.1)),
    "sphere": lw.Sphere(0.1),
    "capsule": lw.Capsule(0.05, 0.3, pose=lw.Frame.along((1, 0.2, 0.1))),
    "cylinder": lw.Cylinder(0.06, 0.4, pose=lw.Frame.along((1, 0.2, 0.1))),
    "cap": lw.Cylinder(0.3, 0.1),
    "field": lw.HeightField(np.random.default_rng(1).uniform(0, 0.05, (9, 9)), size=(1, 1)),
}


@both
@pytest.mark.parametrize("below", ["plane", *BELOW])
def test_with_equal_axes_it_is_the_sphere(method: str, below: str) -> None:
    """Axes that differ by no more than rounding: other kernels, the same motion."""
    found = []
    for shape in (lw.Sphere(0.1), lw.Ellipsoid((0.1, 0.1 * (1 + 1e-13), 0.1)), lw.Ellipsoid((0.1, 0.1, 0.1))):
        made_of = lw.Material(friction=0.5, restitution=0.3)
        model = lw.Model("ball")
        if below == "plane":
            model.plane("floor", material=made_of)
        else:
            model.collider("floor", "ground", BELOW[below], material=made_of)
        ball = model.body("ball", shape=shape, mass=1.0, position=(0.02, 0.01, 0.2), material=made_of)
        model.free("loose", "ground", ball, velocity=(0.3, 0, -1, 0, 2, 1))
        found.append(lw.simulate(model, until=0.15, dt=1e-3, method=method)["ball.position"])
    assert np.abs(found[1] - found[0]).max() < 1e-9
    assert np.array_equal(found[2], found[0])


@both
def test_it_rolls_on_its_waist(method: str) -> None:
    """A lemon rolls like a disc of its waist: no slip, and no energy lost."""
    speed, r = 0.6, 0.1
    model = on_floor((r, 0.2, r), velocity=(speed, 0, 0, 0, speed / r, 0))
    run = lw.simulate(model, until=1.0, dt=1e-3, method=method)
    assert run["egg.position"][-1] == pytest.approx((speed, 0, r), rel=1e-6, abs=1e-6)
    assert run.energy["kinetic"][-1] == pytest.approx(run.energy["kinetic"][0], rel=1e-6)


@both
def test_falling_over_it_keeps_its_energy(method: str) -> None:
    """From its tip to its side and on, rolling: friction does no work. The error of steps is of first order."""
    wrong = []
    for dt in (1e-3, 2.5e-4):
        run = lw.simulate(on_floor((0.1, 0.08, 0.2), tilt=0.1), until=2.0, dt=dt, method=method)
        assert np.ptp(run["egg.position"][:, 2]) > 0.09
        total = run.energy["total"]
        wrong.append(np.abs(total - total[0]).max() / np.ptp(run.energy["potential"]))
    assert wrong[0] < 5e-3
    assert wrong[1] < 0.35 * wrong[0]


SOLIDS = {
    "sphere": lw.Sphere(0.1),
    "capsule": lw.Capsule(0.06, 0.2),
    "box": lw.Box((0.2, 0.15, 0.1)),
    "cylinder": lw.Cylinder(0.1, 0.12),
    "hull": lw.Hull(
        [(x, y, z) for s in (1, -1) for x, y, z in ((0.15 * s, 0, 0), (0.02 * s, 0.1 * s, 0), (0, 0, 0.12 * s))]
    ),
    "ellipsoid": lw.Ellipsoid((0.14, 0.1, 0.06)),
}


@both
@pytest.mark.parametrize("kind", SOLIDS)
def test_it_collides_with_every_shape(method: str, kind: str) -> None:
    """Without gravity and friction: two bodies meet, momentum and energy stay, and none passes through the other."""
    model = lw.Model("meeting", gravity=(0, 0, 0))
    made_of = lw.Material(friction=0.0, restitution=1.0)
    egg = model.body("egg", shape=lw.Ellipsoid((0.12, 0.08, 0.16)), mass=1.0, position=(-0.4, 0, 0), material=made_of)
    other = model.body("other", shape=SOLIDS[kind], mass=1.5, position=(0.1, 0.02, 0.03), material=made_of)
    model.free("one", "ground", egg, velocity=(2, 0, 0, 1, 0.5, 0))
    model.free("two", "ground", other, velocity=(0, 0, 0, 0.3, 0, 2))
    run = lw.simulate(model, until=0.6, dt=5e-4, method=method)
    momentum = run["egg.velocity"] + 1.5 * run["other.velocity"]
    assert np.abs(momentum - momentum[0]).max() < 1e-9
    assert run["other.velocity"][-1, 0] > 0.3  # it was hit
    assert run.energy["kinetic"][-1] == pytest.approx(run.energy["kinetic"][0], rel=5e-3)


@both
@pytest.mark.parametrize("kind", [*SOLIDS, "plane", "field"])
def test_it_comes_to_rest_on_every_shape(method: str, kind: str) -> None:
    """On one that is fixed it ends inside of nothing: it lies still, or has rolled off and fallen on."""
    model = lw.Model("rest")
    if kind == "plane":
        model.plane("below", material=ROUGH)
    elif kind == "field":
        heights = 0.02 * np.random.default_rng(2).uniform(size=(21, 21))
        model.collider("below", "ground", lw.HeightField(heights, size=(1.5, 1.5)), material=ROUGH)
    else:
        model.collider("below", "ground", SOLIDS[kind], material=ROUGH)
        model.plane("floor", at=(0, 0, -0.3), material=ROUGH)
    model.body(
        "egg",
        shape=lw.Ellipsoid((0.12, 0.08, 0.05)),
        mass=1.0,
        position=(0.01, 0, 0.4),
        rotation=(1, 0.4, 0.2, 0),
        material=lw.Material(friction=0.8, rolling=0.01, torsional=0.01),
    )
    sim = lw.Simulation(model, method, dt=2e-3)
    sim.step(2000)
    assert np.linalg.norm(sim["egg.velocity"]) < 0.05
    assert sim.contacts().depths.max(initial=0.0) < 5e-4
    assert sim["egg.position"][2] > (-0.3 if kind not in ("plane", "field") else 0.0)


def test_mass_and_faults() -> None:
    egg = lw.Ellipsoid((1, 2, 3))
    assert egg.volume == pytest.approx(4 / 3 * math.pi * 6)
    assert np.diag(egg.inertia_per_mass()) == pytest.approx(np.array([13, 10, 5]) / 5)
    with pytest.raises(lw.ModelError, match="must be positive"):
        lw.Ellipsoid((1, 0, 1))
    points, faces = egg.facets(32)
    a, b, c = (points[faces[:, k]] for k in range(3))
    assert np.einsum("ni,ni->", a, np.cross(b, c)) / 6 == pytest.approx(egg.volume, rel=0.03)  # all faces outward
