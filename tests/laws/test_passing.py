"""What does not touch is not felt, however near and fast it passes; what would be met is met, however thin."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import linkwork as lw

SHAPES: dict[str, Any] = {
    "sphere": lw.Sphere(0.05),
    "box": lw.Box((0.1, 0.1, 0.1)),
    "capsule": lw.Capsule(0.05, 0.1),
    "cylinder": lw.Cylinder(0.05, 0.1),
    "stone": lw.Hull([(0.05, 0, 0), (-0.05, 0.03, 0), (-0.05, -0.03, 0.01), (0, 0, 0.05), (0, 0.02, -0.05)]),
}
STONE = ((1, 0, 0), (0.3, 0.7, 0.2), (0.2, -0.3, 0.6))
BULLETS: dict[str, Any] = {
    "sphere": lw.Sphere(0.01),
    "box": lw.Box((0.02, 0.02, 0.02)),
    "capsule": lw.Capsule(0.01, 0.02),
    "cylinder": lw.Cylinder(0.01, 0.02),
    "disc": lw.Cylinder(0.01, 0.004),
    "rod": lw.Cylinder(0.003, 0.03),
    "bar": lw.Box((0.03, 0.004, 0.006)),
    "stone": lw.Hull([(a * x, a * y, a * z) for x, y, z in STONE for a in (0.01, -0.01)]),  # its centre is the origin
    "ellipsoid": lw.Ellipsoid((0.01, 0.006, 0.004)),
}
ROUGH = lw.Material(friction=0.5, restitution=0.5)


@pytest.mark.parametrize("method", ["impulse", "maximal"])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_body_that_passes_feels_nothing(shape: str, method: str) -> None:
    """1 cm above a box, at 10 and 100 m/s with steps of 5 and 20 ms: it flies straight on."""
    low = 0.1 if shape == "capsule" else 0.05
    for speed, dt in ((10.0, 5e-3), (100.0, 5e-3), (10.0, 2e-2)):
        model = lw.Model("passing", gravity=(0, 0, 0))
        model.collider("box", "ground", lw.Box((0.2, 0.2, 0.2)), material=ROUGH)
        at = (-0.5, 0.013, 0.11 + low)
        body = model.body("body", shape=SHAPES[shape], mass=1.0, position=at, material=ROUGH)
        model.free("throw", "ground", body, velocity=(speed, 0, 0, 0, 0, 0))
        run = lw.simulate(model, until=math.ceil(1.0 / speed / dt) * dt, method=method, dt=dt)
        assert np.abs(run["body.velocity"] - (speed, 0, 0)).max() < 1e-12
        assert np.abs(run["body.angular_velocity"]).max() < 1e-12


def least_way(shape: str, restitution: float, method: str, rotation: Any, speed: float, dt: float) -> float:
    """How near to the middle of a plate of 1 mm the centre of a bullet came, m; negative where it passed."""
    hard = lw.Material(friction=0.5, restitution=restitution)
    model = lw.Model("bullet", gravity=(0, 0, 0))
    model.collider("plate", "ground", lw.Box((1e-3, 1e3, 1e3)), material=hard)
    turned = {"position": (-0.5, 0.0131, 0.017), "rotation": rotation}
    body = model.body("bullet", shape=BULLETS[shape], mass=0.01, material=hard, **turned)
    model.free("throw", "ground", body, velocity=(speed, 0, 0, 3, 4, 5))
    run = lw.simulate(model, until=max(10, math.ceil(1.0 / speed / dt)) * dt, method=method, dt=dt)
    return -float(run["bullet.position"][:, 0].max())


@pytest.mark.parametrize("method", ["impulse", "maximal"])
@pytest.mark.parametrize("restitution", [0.0, 0.5])
@pytest.mark.parametrize("shape", BULLETS)
def test_bullets_stop_at_a_thin_plate(shape: str, restitution: float, method: str) -> None:
    """10 to 10,000 m/s, turning, at a plate of 1 mm, with steps of 1 to 20 ms."""
    for speed in (10.0, 100.0, 1000.0, 10000.0):
        for dt in (1e-3, 5e-3, 2e-2):
            assert least_way(shape, restitution, method, (0.9, 0.2, 0.3, 0.1), speed, dt) > 0.0, (speed, dt)


@pytest.mark.long
@pytest.mark.parametrize("method", ["impulse", "maximal"])
@pytest.mark.parametrize("shape", BULLETS)
def test_bullets_stop_however_they_are_turned(shape: str, method: str) -> None:
    rng = np.random.default_rng(0)
    for rotation in [(1, 0, 0, 0), (1, 0, 1, 0), *rng.normal(size=(10, 4))]:
        for restitution in (0.0, 0.5):
            for speed in (10.0, 100.0, 1000.0, 10000.0):
                for dt in (1e-3, 5e-3, 2e-2):
                    case = (rotation, restitution, speed, dt)
                    assert least_way(shape, restitution, method, rotation, speed, dt) > 0.0, case
