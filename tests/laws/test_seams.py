"""Ground that is put together is one plane: tiles, triangles, a fine mesh, a height field, whatever slides over it."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import linkwork as lw

ROUGH = lw.Material(friction=0.3)
LYING = (math.cos(math.pi / 4), math.sin(math.pi / 4), 0, 0)  # axis along y
POINTING = (math.cos(math.pi / 4), 0, math.sin(math.pi / 4), 0)  # along x, the way it goes
# shape, height of its centre, rotation
SHAPES: dict[str, tuple[Any, float, Any]] = {
    "box": (lw.Box((0.4, 0.3, 0.2)), 0.1, (1, 0, 0, 0)),
    "sphere": (lw.Sphere(0.1), 0.1, (1, 0, 0, 0)),
    "capsule": (lw.Capsule(0.1, 0.3), 0.1, LYING),
    "pointing capsule": (lw.Capsule(0.1, 0.3), 0.1, POINTING),
    "cylinder": (lw.Cylinder(0.1, 0.3), 0.1, LYING),
    "disc": (lw.Cylinder(0.15, 0.1), 0.05, (1, 0, 0, 0)),
}
SIDE = 0.5


def fine_slab(length: float, along: int, across: int) -> lw.Mesh:
    """A slab whose upper side is 2 x along x across triangles."""
    x, y = np.linspace(-1.0, length, along + 1), np.linspace(-1.0, 1.0, across + 1)
    triangles = []
    for a in range(along):
        for b in range(across):
            p = [(x[a], y[b], 0), (x[a + 1], y[b], 0), (x[a + 1], y[b + 1], 0), (x[a], y[b + 1], 0)]
            triangles += [(p[0], p[1], p[2]), (p[0], p[2], p[3])]
    low = [(x[0], y[0], -0.1), (x[-1], y[0], -0.1), (x[-1], y[-1], -0.1), (x[0], y[-1], -0.1)]
    high = [(a, b, 0.0) for a, b, _ in low]
    triangles += [(low[0], low[2], low[1]), (low[0], low[3], low[2])]
    for k in range(4):
        n = (k + 1) % 4
        triangles += [(low[k], low[n], high[n]), (low[k], high[n], high[k])]
    return lw.Mesh(triangles=np.array(triangles, dtype=float))


def ground(model: lw.Model, land: str, length: float) -> None:
    """Level ground from x = -1 on."""
    if land == "plane":
        model.plane("plane", material=ROUGH)
    elif land == "mesh":
        model.collider("mesh", "ground", fine_slab(length, 63, 8), material=ROUGH)
    elif land == "field":
        heights = np.zeros((int(4 * length), 9))
        model.collider("field", "ground", lw.HeightField(heights, size=(2 * length, 4)), material=ROUGH)
    else:
        if land == "slabs":
            model.collider("bed", "ground", lw.Box((50, 4, 0.2), pose=lw.Frame((20, 0, -0.2))), material=ROUGH)
        for i in range(-1, math.ceil(length / SIDE)):
            for j in (-1, 0, 1):
                x, y = i * SIDE, j * SIDE
                if land in ("bodies", "slabs"):
                    tile = lw.Box((SIDE, SIDE, 0.1))
                    body = model.body(f"tile {i} {j}", shape=tile, mass=200.0, position=(x, y, -0.05), material=ROUGH)
                    (model.fixed if land == "bodies" else model.free)(f"joint {i} {j}", "ground", body)
                    continue
                if land == "tiles":
                    tile = lw.Box((SIDE, SIDE, 0.1), pose=lw.Frame((x, y, -0.05)))
                    model.collider(f"tile {i} {j}", "ground", tile, material=ROUGH)
                    continue
                p = [(x + a, y + b) for a, b in ((-0.25, -0.25), (0.25, -0.25), (0.25, 0.25), (-0.25, 0.25))]
                for k, three in enumerate(((p[0], p[1], p[2]), (p[0], p[2], p[3]))):
                    prism = lw.Hull([(a, b, z) for a, b in three for z in (-0.1, 0.0)])
                    model.collider(f"triangle {i} {j} {k}", "ground", prism, material=ROUGH)


@lru_cache(maxsize=64)
def slid(land: str, shape: str, speed: float, dt: float, method: str) -> Any:
    """Where a body is that starts with `speed` along x and a tenth of it along y, not along the seams."""
    until = 0.5
    model = lw.Model("seams")
    ground(model, land, speed * until + 1.0)
    it, height, rotation = SHAPES[shape]
    body = model.body("body", shape=it, mass=1.0, position=(0, 0.03, height), rotation=rotation, material=ROUGH)
    model.free("throw", "ground", body, velocity=(speed, 0.1 * speed, 0, 0, 0, 0))
    return lw.simulate(model, until=until, method=method, dt=dt)["body.position"]


@pytest.mark.parametrize("method", ["impulse", "maximal"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("land", ["tiles", "triangles", "mesh", "field"])
def test_seams_are_not_felt(land: str, shape: str, method: str) -> None:
    """Within 1 % of the way on a plane, and no rise; slow and fast, with short and long steps."""
    for speed, dt in ((0.5, 5e-3), (5.0, 1e-3), (10.0, 5e-3)) if method == "impulse" else ((5.0, 5e-3),):
        plane, x = slid("plane", shape, speed, dt, method), slid(land, shape, speed, dt, method)
        way = np.linalg.norm(plane[-1, :2] - plane[0, :2])
        assert np.linalg.norm(x[-1, :2] - plane[-1, :2]) < 0.01 * way, (speed, dt)
        assert np.abs(x[:, 2] - x[0, 2]).max() < 1e-3, (speed, dt)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("land", ["bodies", "slabs"])
def test_seams_between_bodies_are_not_felt(land: str, shape: str) -> None:
    """Tiles that are bodies of their own, fixed to the ground, or heavy ones that only lie there."""
    for speed, dt in ((0.5, 5e-3), (5.0, 5e-3)) if shape in ("box", "capsule") else ((5.0, 5e-3),):
        plane, x = slid("plane", shape, speed, dt, "impulse"), slid(land, shape, speed, dt, "impulse")
        way = np.linalg.norm(plane[-1, :2] - plane[0, :2])
        assert np.linalg.norm(x[-1, :2] - plane[-1, :2]) < 0.01 * way, (speed, dt)
        assert np.abs(x[:, 2] - x[0, 2]).max() < 1e-3, (speed, dt)


def assert_level(land: str, shape: str, speed: float, dt: float, method: str) -> None:
    """Within 1 % of the way on a plane, and no rise."""
    plane, x = slid("plane", shape, speed, dt, method), slid(land, shape, speed, dt, method)
    way = np.linalg.norm(plane[-1, :2] - plane[0, :2])
    assert np.linalg.norm(x[-1, :2] - plane[-1, :2]) < 0.01 * way, (speed, dt)
    assert np.abs(x[:, 2] - x[0, 2]).max() < 1e-3, (speed, dt)


@pytest.mark.parametrize("dt", [1e-3, 5e-3])
def test_an_edge_that_is_touched_as_a_step_begins_is_no_ramp(dt: float) -> None:
    """At 10 m/s this capsule begins a step a millimetre before a loose slab: its edge must not lift it."""
    assert_level("slabs", "capsule", 10.0, dt, "impulse")


@pytest.mark.long
@pytest.mark.parametrize("method", ["impulse", "maximal"])
@pytest.mark.parametrize("shape", SHAPES)
def test_loose_slabs_are_one_plane_at_all_speeds(shape: str, method: str) -> None:
    for speed in (0.5, 2.0, 5.0, 10.0):
        for dt in (1e-3, 5e-3):
            assert_level("slabs", shape, speed, dt, method)


@pytest.mark.parametrize("method", ["impulse", "maximal"])
@pytest.mark.parametrize("along", [True, False])
def test_a_box_that_lands_with_its_edge_on_a_seam_stands_there(along: bool, method: str) -> None:
    """At 20 ms and from several heights: it does not dip into the seam."""
    half = math.sin(math.pi / 8)
    turn = (math.cos(math.pi / 8), 0, half, 0) if along else (math.cos(math.pi / 8), half, 0, 0)
    low = 0.1 * math.sqrt(2)
    for height in (0.1, 0.23, 0.9):
        model = lw.Model("landing")
        for k in (-1, 1):
            tile = lw.Box((1, 2, 0.2), pose=lw.Frame((0.5 * k, 0, -0.1)))
            model.collider(f"tile {k}", "ground", tile, material=ROUGH)
        at = {"position": (0, 0, low + height), "rotation": turn}
        body = model.body("box", shape=lw.Box((0.2, 0.2, 0.2)), mass=1.0, material=ROUGH, **at)
        model.free("fall", "ground", body)
        run = lw.simulate(model, until=0.6, method=method, dt=2e-2)
        # on its edge it is low above the ground; when it falls over, half a side
        assert run["box.position"][:, 2].min() > 0.1 - 2e-4
        still = run.time < math.sqrt(2 * height / 9.81) + 0.1
        assert run["box.position"][still, 2].min() > low - 1e-3, height


@pytest.mark.parametrize("scale", [1e-2, 10.0])
def test_seams_are_not_felt_at_any_size(scale: float) -> None:
    """Boxes and tiles of another size, times by its square root: the same motion."""
    ends = []
    for land in ("plane", "tiles"):
        model = lw.Model("scaled")
        if land == "plane":
            model.plane("plane", material=ROUGH)
        else:
            for i in range(-1, 6):
                tile = lw.Box(np.array((0.5, 2.0, 0.1)) * scale, pose=lw.Frame((0.5 * i * scale, 0, -0.05 * scale)))
                model.collider(f"tile {i}", "ground", tile, material=ROUGH)
        size = np.array((0.4, 0.3, 0.2)) * scale
        body = model.body("box", shape=lw.Box(size), mass=1.0, position=(0, 0, 0.1 * scale), material=ROUGH)
        model.free("throw", "ground", body, velocity=(5 * math.sqrt(scale), 0, 0, 0, 0, 0))
        until, dt = 0.4 * math.sqrt(scale), 5e-3 * math.sqrt(scale)
        ends.append(lw.simulate(model, until=until, method="impulse", dt=dt)["box.position"] / scale)
    assert ends[1][-1, 0] == pytest.approx(ends[0][-1, 0], rel=1e-3)
    assert np.abs(ends[1][:, 2] - 0.1).max() < 1e-3


def test_a_real_step_is_met() -> None:
    """A kerb of 2 cm among the tiles stops a box that is pressed into the ground."""
    model = lw.Model("kerb")
    for i in range(5):
        top = 0.02 if i == 3 else 0.0
        tile = lw.Box((0.5, 2, 0.1), pose=lw.Frame((0.5 * i, 0, top - 0.05)))
        model.collider(f"tile {i}", "ground", tile, material=ROUGH)
    body = model.body("box", shape=lw.Box((0.4, 0.3, 0.2)), mass=1.0, position=(0.3, 0, 0.1), material=ROUGH)
    model.free("throw", "ground", body, velocity=(2.0, 0, 0, 0, 0, 0))
    run = lw.simulate(model, until=1.0, method="impulse", dt=5e-3)
    assert run["box.position"][:, 0].max() + 0.2 < 1.25 + 0.02


def test_a_box_in_a_corner_keeps_its_floor() -> None:
    """Floor and walls are neighbours, and none covers the others: a box pushed into their corner stands."""
    model = lw.Model("corner")
    model.collider("floor", "ground", lw.Box((2, 2, 0.2), pose=lw.Frame((0, 0, -0.1))), material=ROUGH)
    model.collider("wall", "ground", lw.Box((0.2, 2, 1.2), pose=lw.Frame((0.6, 0, 0.4))), material=ROUGH)
    model.collider("side", "ground", lw.Box((2, 0.2, 1.2), pose=lw.Frame((0, 0.6, 0.4))), material=ROUGH)
    body = model.body("box", shape=lw.Box((0.4, 0.4, 0.2)), mass=1.0, position=(0.3, 0.3, 0.1), material=ROUGH)
    model.force("push", body, (20.0, 20.0, 0.0))
    run = lw.simulate(model, until=1.0, method="impulse", dt=5e-3)
    assert run["box.position"][-1] == pytest.approx((0.3, 0.3, 0.1), abs=2e-4)
