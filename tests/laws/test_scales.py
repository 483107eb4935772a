"""No criterion has a size: mechanisms a millimetre or a kilometre long, of a milligram or a thousand tons, move alike.

Under gravity times go with the root of lengths. Lengths are scaled by powers of 4 and masses by powers of 2, so that
scaled runs differ by nothing but what has units where it should have none.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import linkwork as lw

SMALL, LARGE = 4.0**-5, 4.0**5  # lengths
LIGHT, HEAVY = 2.0**-20, 2.0**20
SCALES = [(SMALL, LIGHT), (SMALL, HEAVY), (LARGE, LIGHT), (LARGE, HEAVY), (1.0, LIGHT), (1.0, HEAVY), (SMALL, 1.0)]
RULES: dict[str, dict[str, Any]] = {
    "hybrid": {},
    "semi-recursive": {},
    "global": {},
    "recursive": {"integrator": "trapezoidal"},
    "absolute": {"integrator": "trapezoidal"},
    "component": {"integrator": "trapezoidal"},
}
NEWTON = ("hybrid", "semi-recursive", "global")


def bar(model: lw.Model, name: str, p: tuple[float, float], q: tuple[float, float], mass: float, length: float) -> None:
    """A thin bar between two points of the x-z plane, given in lengths."""
    along = np.subtract(q, p)
    span, turn = length * math.hypot(*along), math.atan2(along[1], along[0])
    middle = length * np.add(p, q) / 2
    model.body(
        name,
        mass=mass,
        inertia=(1e-3 * mass * span**2, mass * span**2 / 12, mass * span**2 / 12),
        position=(middle[0], 0, middle[1]),
        rotation=(math.cos(turn / 2), 0, -math.sin(turn / 2), 0),
    )


def pins(model: lw.Model, length: float, **joints: tuple[str, str, tuple[float, float], dict[str, Any]]) -> None:
    for name, (a, b, (x, z), more) in joints.items():
        model.revolute(name, a, b, at=(x * length, 0, z * length), axis=(0, 1, 0), **more)


def slider_crank(length: float, mass: float) -> lw.Model:
    """A crank that turns all the way round: a slide in metres among angles, a damper, one loop."""
    rate = 1.0 / math.sqrt(length)
    model = lw.Model("slider crank")
    bar(model, "crank", (0, 0), (0.12, 0.16), 2.0 * mass, length)
    bar(model, "rod", (0.12, 0.16), (0.72, 0), 0.5 * mass, length)
    model.body("piston", mass=mass, inertia=(1e-3 * mass * length**2,) * 3, position=(0.72 * length, 0, 0))
    start = {"velocity": 12.0 * rate}
    pins(model, length, main=("ground", "crank", (0, 0), start), big=("crank", "rod", (0.12, 0.16), {}))
    pins(model, length, small=("rod", "piston", (0.72, 0), {}))
    model.prismatic("bore", "ground", "piston", at=(0.72 * length, 0, 0), axis=(1, 0, 0), damping=2.0 * mass * rate)
    return model


def light_coupler(length: float, mass: float) -> lw.Model:
    """A four-bar whose coupler weighs a millionth of its cranks."""
    model = lw.Model("light coupler")
    bar(model, "crank", (0, 0), (0.3, 0.2), mass, length)
    bar(model, "coupler", (0.3, 0.2), (1.2, 0.9), 1e-6 * mass, length)
    bar(model, "rocker", (1.2, 0.9), (1.0, 0), mass, length)
    start = {"velocity": 6.0 / math.sqrt(length)}
    pins(model, length, a=("ground", "crank", (0, 0), start), b=("crank", "coupler", (0.3, 0.2), {}))
    pins(model, length, c=("coupler", "rocker", (1.2, 0.9), {}), d=("ground", "rocker", (1.0, 0), {}))
    return model


def springs(length: float, mass: float) -> lw.Model:
    """A spatial pendulum of a ball and a slide, with a spring along the slide and one to the ground."""
    stiff, rate = mass / length, 1.0 / math.sqrt(length)
    model = lw.Model("springs")
    inertia = tuple(k * mass * length**2 for k in (0.02, 0.03, 0.04))
    model.body("arm", mass=mass, inertia=inertia, com=(0.4 * length, 0, 0.1 * length))
    model.body("sleeve", mass=0.3 * mass, inertia=tuple(0.1 * k for k in inertia), position=(0.6 * length, 0, 0))
    model.ball("shoulder", "ground", "arm", at=(0, 0, 0), velocity=(0.5 * rate, 0, 1.5 * rate))
    model.prismatic("slot", "arm", "sleeve", at=(0.6 * length, 0, 0), axis=(1, 0, 0))
    model.spring("inner", "arm", "sleeve", at_a=(0.1 * length, 0, 0), stiffness=2e3 * stiff, length=0.5 * length)
    model.spring("outer", "ground", "sleeve", at_a=(0, length, length), stiffness=30 * stiff, damping=0.5 * mass * rate)
    return model


def bob_on_a_rod(length: float, mass: float) -> lw.Model:
    """One loop row, that of a distance; the bob swings round all three directions."""
    model = lw.Model("bob on a rod")
    model.body("bob", mass=mass, shape=lw.Sphere(0.1 * length), position=(0.6 * length, 0.64 * length, 0.48 * length))
    speed = math.sqrt(length)
    model.free("fly", "ground", "bob", velocity=(-0.64 * speed, 0.6 * speed, 0, 0, 0, 0))
    model.distance("rod", "ground", "bob", length=length)
    return model


BUILDS = [slider_crank, light_coupler, springs, bob_on_a_rod]


@cache
def states(build: Callable[[float, float], lw.Model], length: float, mass: float, dt: float, method: str) -> Any:
    """Positions of the bodies in lengths and reactions of the joints in weights, at the end of every 20 ms."""
    root = math.sqrt(length)
    model = build(length, mass)
    every = round(0.02 / dt)
    options = RULES.get(method, {})
    if method == "exact":
        method = "recursive"
    run = lw.simulate(model, until=0.8 * root, dt=dt * root, method=method, every=every, **options)
    assert run.certificate.complete
    forces = [run[f"{joint}.reaction"][:, :3] / (mass * 9.81) for joint in model.joints if joint != "fly"]
    return np.hstack([run[f"{body}.position"] / length for body in model.bodies]), np.hstack(forces)


def off(a: Any, b: Any) -> float:
    return float(np.abs(a - b).max() / np.abs(b).max())


@pytest.mark.parametrize("method", NEWTON)
@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize(("length", "mass"), SCALES)
def test_scaled_runs_are_one(length: float, mass: float, build: Any, method: str) -> None:
    moved, pulled = states(build, length, mass, 4e-3, method)
    same, force = states(build, 1.0, 1.0, 4e-3, method)
    assert off(moved, same) < 1e-8
    assert off(pulled, force) < 1e-6


@pytest.mark.parametrize(
    ("method", "build"),
    # a planar loop has redundant rows, of which absolute and component may leave out others at another size
    [("recursive", slider_crank), *((method, bob_on_a_rod) for method in ("recursive", "absolute", "component"))],
)
@pytest.mark.parametrize(("length", "mass"), SCALES)
def test_so_are_those_by_fixed_points(length: float, mass: float, build: Any, method: str) -> None:
    moved, pulled = states(build, length, mass, 4e-3, method)
    same, force = states(build, 1.0, 1.0, 4e-3, method)
    assert off(moved, same) < 1e-8
    assert off(pulled, force) < 1e-6


@pytest.mark.parametrize("method", RULES)
@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize(("length", "mass"), [(SMALL, HEAVY), (LARGE, LIGHT)])
def test_second_order_at_every_scale(length: float, mass: float, build: Any, method: str) -> None:
    """Positions and reactions, by the default options, against a finer run of another rule."""
    if build is springs and method not in NEWTON:
        pytest.skip("stiff for fixed points")
    exact = states(build, length, mass, 2e-4, "exact")
    errors = [
        [off(a, b) for a, b in zip(states(build, length, mass, dt, method), exact, strict=True)]
        for dt in (4e-3, 2e-3, 1e-3)
    ]
    for one, half, quarter in zip(*errors, strict=True):
        assert quarter < 1e-2
        assert math.log2(half / quarter) == pytest.approx(2.0, abs=0.3)
        assert math.log2(one / half) == pytest.approx(2.0, abs=0.6)


# ---- contact ----------------------------------------------------------------------------------------------------

GRIPPY = lw.Material(friction=0.3)


def thrown(model: lw.Model, shape: Any, mass: float, length: float, start: Any, velocity: Any, turn: Any) -> None:
    """A body with start and velocity in lengths, and in times of a length of 1 m."""
    rate = 1.0 / math.sqrt(length)
    at = {"position": np.multiply(start, length), "rotation": turn}
    body = model.body("body", shape=shape, mass=mass, material=GRIPPY, **at)
    going = [*np.multiply(velocity[:3], length * rate), *np.multiply(velocity[3:], rate)]
    model.free("throw", "ground", body, velocity=going)


def over_tiles(length: float, mass: float) -> lw.Model:
    """A box that slides over level tiles."""
    model = lw.Model("tiles")
    for i in range(-1, 6):
        tile = lw.Box(np.array((0.5, 2.0, 0.1)) * length, pose=lw.Frame((0.5 * i * length, 0, -0.05 * length)))
        model.collider(f"tile {i}", "ground", tile, material=GRIPPY)
    size = np.array((0.4, 0.3, 0.2)) * length
    thrown(model, lw.Box(size), mass, length, (0, 0.03, 0.1), (5, 0.5, 0, 0, 0, 0), (1, 0, 0, 0))
    return model


def dropped(shape: Callable[[float], Any]) -> Callable[[float, float], lw.Model]:
    """It falls, turning, on a floor."""

    def build(length: float, mass: float) -> lw.Model:
        model = lw.Model("dropped")
        floor = lw.Box(np.array((4.0, 4.0, 0.2)) * length, pose=lw.Frame((0, 0, -0.1 * length)))
        model.collider("floor", "ground", floor, material=GRIPPY)
        thrown(model, shape(length), mass, length, (0, 0, 0.5), (0.3, 0, 0, 1, 2, 0.5), (0.9, 0.3, 0.2, 0.1))
        return model

    return build


def tower(length: float, mass: float) -> lw.Model:
    """Five boxes, let go a little above each other."""
    model = lw.Model("tower")
    model.plane("floor", material=GRIPPY)
    for k in range(5):
        at, name = np.array((0.003 * k, 0.0, 0.2 * (k + 0.55))) * length, "body" if k == 4 else f"box {k}"
        body = model.body(name, shape=lw.Box((0.2 * length,) * 3), mass=mass, position=at, material=GRIPPY)
        model.free(f"loose {k}", "ground", body)
    return model


def bullet(length: float, mass: float) -> lw.Model:
    """A fast box at a thin plate."""
    model = lw.Model("bullet")
    plate = lw.Box(np.array((1e-3, 2.0, 2.0)) * length)
    model.collider("plate", "ground", plate, material=GRIPPY)
    size = (0.02 * length,) * 3
    thrown(model, lw.Box(size), mass, length, (-0.5, 0.01, 0.02), (1000, 0, 0, 3, 4, 5), (0.9, 0.2, 0.3, 0.1))
    return model


MET: dict[str, Callable[[float, float], lw.Model]] = {
    "tiles": over_tiles,
    "box": dropped(lambda length: lw.Box(np.array((0.4, 0.3, 0.2)) * length)),
    "ball": dropped(lambda length: lw.Sphere(0.1 * length)),
    "disc": dropped(lambda length: lw.Cylinder(0.15 * length, 0.1 * length)),
    "capsule": dropped(lambda length: lw.Capsule(0.1 * length, 0.3 * length)),
    "stone": dropped(
        lambda length: lw.Hull(np.array([(2, 0, 0), (-2, 0, 0), (0, 2, 1), (0, -2, 1), (0, 0, -2)]) * 0.1 * length)
    ),
    "tower": tower,
    "bullet": bullet,
}


@cache
def met(scene: str, length: float, mass: float, method: str) -> Any:
    root = math.sqrt(length)
    run = lw.simulate(MET[scene](length, mass), until=0.6 * root, dt=5e-3 * root, method=method)
    return run["body.position"] / length


@pytest.mark.filterwarnings("ignore:model")
@pytest.mark.parametrize("method", ["impulse", "maximal"])
@pytest.mark.parametrize("scene", MET)
@pytest.mark.parametrize(("length", "mass"), [(SMALL, 1.0), (LARGE, 1.0), (1.0, LIGHT), (1.0, HEAVY)])
def test_contact_has_no_size(length: float, mass: float, scene: str, method: str) -> None:
    assert np.abs(met(scene, length, mass, method) - met(scene, 1.0, 1.0, method)).max() < 1e-6
