"""Height fields: against planes where they are level, against points of their triangles tried one by one elsewhere."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from found_contacts import find
from known_shapes import SHAPES
from linkwork.contact.scratch import make_contact_scratch
from linkwork.contact.table import make_contacts
from linkwork.mechanics.tree.workspace import tree_work


def contacts(shape: Any, pose: lw.Frame, field: lw.HeightField | None, speed: float = 0.0) -> Any:
    """Points, normals and depths of one body on a field, or on the plane z = 0."""
    model = lw.Model("land")
    model.body("body", mass=1.0, shape=shape, material=lw.Material(), inertia=(1, 1, 1), com=(0, 0, 0))
    if field is None:
        model.plane("land")
    else:
        model.collider("land", "ground", field)
    system = lw.assemble(model)
    work, table = tree_work(system.tables), make_contacts(system.tables.colliders.capacity)
    link = int(system.tables.tree.body_link[0])
    work.pose_R[0] = np.eye(3).ravel()
    work.pose_R[link], work.pose_p[link] = pose.matrix.ravel(), pose.position
    work.pose_v[link, 3] = speed
    coast = np.zeros_like(work.pose_v)
    find(system.tables.colliders, work, work.pose_v, coast, make_contact_scratch(system.tables.colliders), table, 1.0)
    n = int(table.count[0])
    sign = 1.0 if n and table.link_a[0] == 0 else -1.0  # normals from the land to the body
    return table.point[:n], sign * table.normal[:n], table.depth[:n]


@pytest.mark.parametrize("name", SHAPES)
def test_level_land_is_a_plane(name: str) -> None:
    field = lw.HeightField(np.zeros((9, 7)), size=(4.0, 3.0))
    rng = np.random.default_rng(1)
    for _ in range(20):
        pose = lw.Frame((0.31, 0.17, 0.08), rng.normal(size=4))
        _, _, plane = contacts(SHAPES[name], pose, None)
        points, normals, depths = contacts(SHAPES[name], pose, field)
        assert depths.max() == pytest.approx(plane.max(), abs=1e-12)
        assert normals == pytest.approx(np.tile([0, 0, 1], (len(depths), 1)))
        assert points[:, 2] == pytest.approx(-depths / 2)


def test_a_ball_is_as_far_as_the_nearest_of_many_points() -> None:
    rng = np.random.default_rng(2)
    heights = 0.3 * rng.normal(size=(6, 5))
    field = lw.HeightField(heights, size=(2.5, 2.0))
    corners = np.array([[[0.5 * a - 1.25, 0.5 * b - 1.0, heights[a, b]] for b in range(5)] for a in range(6)])
    weights = np.array([(i, j, 60 - i - j) for i in range(61) for j in range(61 - i)]) / 60.0
    cloud = []
    for a in range(5):
        for b in range(4):
            one, two = corners[a, b], corners[a + 1, b + 1]
            for three in (corners[a + 1, b], corners[a, b + 1]):
                cloud.append(weights @ np.array([one, two, three]))
    cloud = np.concatenate(cloud)
    checked = 0
    for _ in range(60):
        x = np.array([*rng.uniform(-0.9, 0.9, size=2), rng.uniform(0.0, 0.8)])
        far = np.linalg.norm(cloud - x, axis=1).min()
        under = cloud[np.argmin(np.linalg.norm(cloud[:, :2] - x[:2], axis=1))][2]
        if x[2] < under + 0.05 or far > 0.3:
            continue
        checked += 1
        _, _, depths = contacts(lw.Sphere(0.2), lw.Frame(x), field, speed=0.2)
        assert 0.2 - depths.max() == pytest.approx(far, abs=5e-3)
    assert checked > 10


def slope(angle: float) -> lw.HeightField:
    """Falls towards +x."""
    x = np.linspace(-2, 2, 9)
    return lw.HeightField(np.repeat(-math.tan(angle) * x[:, None], 5, axis=1), size=(4.0, 2.0))


def test_a_ball_rolls_down_a_slope_of_triangles() -> None:
    """(5/7) g sin 15 deg, as on a plane."""
    angle = math.radians(15)
    model = lw.Model("slope")
    rough = lw.Material(friction=1.0)
    model.collider("slope", "ground", slope(angle), material=rough)
    normal = np.array([math.sin(angle), 0, math.cos(angle)])
    model.body(
        "ball",
        shape=lw.Sphere(0.05),
        mass=0.1,
        position=0.05 * normal + (-0.4, 0, 0.4 * math.tan(angle)),
        material=rough,
    )
    run = lw.simulate(model, until=0.7, method="impulse", dt=5e-3)
    assert np.linalg.norm(run["ball.velocity"][-1]) == pytest.approx(1.813586 * 0.7, rel=0.01)


def test_things_come_to_rest_in_a_valley() -> None:
    """A bowl of triangles: what falls in stays in, above the ground; the box comes to rest, what is round rolls on."""
    x = np.linspace(-1, 1, 21)
    bowl = lw.HeightField(0.5 * (x[:, None] ** 2 + x[None, :] ** 2), size=(2.0, 2.0))
    model = lw.Model("bowl")
    material = lw.Material(friction=0.6)
    model.collider("bowl", "ground", bowl, material=material)
    things = {"ball": lw.Sphere(0.1), "box": lw.Box((0.2, 0.15, 0.1)), "capsule": lw.Capsule(0.06, 0.15)}
    for k, (name, shape) in enumerate(things.items()):
        at = (0.5 * math.cos(2.1 * k), 0.5 * math.sin(2.1 * k), 0.5)
        model.body(name, shape=shape, density=700.0, position=at, rotation=(1, 0.2, 0.3, 0), material=material)
    run = lw.simulate(model, until=8.0, method="impulse", dt=5e-3, every=5)
    # overlaps that appear where a corner goes on to the next triangle are undone, which lifts it a little
    total = run.energy["total"]
    assert np.diff(total).max() < 1e-3 * (total[0] - total[-1])
    for name in things:
        end = run[f"{name}.position"][-1]
        # friction holds where the slope is less than it
        assert np.linalg.norm(end[:2]) < 0.6
        assert 0.03 < end[2] - (end[0] ** 2 + end[1] ** 2) / 2 < 0.15
        if name == "box":
            assert np.linalg.norm(run[f"{name}.velocity"][-1]) < 1e-3


def test_a_plate_rests_on_hills_that_are_narrower() -> None:
    heights = np.zeros((11, 11))
    for a, b in ((3, 3), (3, 7), (7, 3), (7, 7)):
        heights[a, b] = 0.2
    model = lw.Model("plate")
    model.collider("hills", "ground", lw.HeightField(heights, size=(2.0, 2.0)), material=lw.Material())
    model.body("plate", shape=lw.Box((1.5, 1.5, 0.1)), mass=3.0, position=(0, 0, 0.25), material=lw.Material())
    run = lw.simulate(model, until=2.0, method="impulse", dt=5e-3)
    assert run["plate.position"][-1] == pytest.approx([0, 0, 0.25], abs=1e-3)
    assert run["plate.contact_force"][-1] == pytest.approx([0, 0, 3 * 9.81], abs=1e-3)


def land(height: Any, points: int = 41) -> lw.HeightField:
    """4 m x 4 m by a function of the place."""
    x = np.linspace(-2, 2, points)
    return lw.HeightField([[height(a, b) for b in x] for a in x], size=(4.0, 4.0))


THINGS = {
    "box": lw.Box((0.4, 0.4, 0.3)),
    "hull": lw.Hull([(x, y, z) for x in (-0.2, 0.2) for y in (-0.2, 0.2) for z in (-0.15, 0.15)]),
    "cylinder": lw.Cylinder(0.2, 0.3),
}


@pytest.mark.parametrize("name", THINGS)
@pytest.mark.parametrize("before", ["step", "post", "thin wall"])
def test_steep_land_stops_what_slides_against_it(name: str, before: str) -> None:
    """A step of 0.5 m within a cell, a post that is narrower than what comes, a wall of one row: none is passed."""
    heights = {
        "step": lambda x, y: 0.5 * (x > 0.01),
        "post": lambda x, y: 0.5 * (abs(x) < 0.06 and abs(y) < 0.06),
        "thin wall": lambda x, y: 0.5 * (abs(x) < 0.01),
    }
    foot = {"step": 0.0, "post": -0.1, "thin wall": -0.1}[before]
    model = lw.Model("against")
    smooth = lw.Material(friction=0.05)
    model.collider("land", "ground", land(heights[before]), material=smooth)
    thing = model.body("thing", shape=THINGS[name], mass=2.0, position=(-0.8, 0.02, 0.15), material=smooth)
    model.free("slide", "ground", thing, velocity=(2.0, 0, 0, 0, 0, 0))
    run = lw.simulate(model, until=1.0, method="impulse", dt=5e-3)
    x = run["thing.position"]
    assert foot - 0.22 < x[:, 0].max() < foot - 0.2 + 0.06  # it climbs the slope of the first cell a little
    assert x[:, 2].min() > 0.15 - 2.5e-3  # a corner that comes down the slope meets the level a step late
    total = run.energy["total"]
    assert np.diff(total).max() < 5e-3 * (total[0] - total[-1])


def test_a_slope_as_steep_as_a_wall_is_a_plane_too() -> None:
    """A box before a slope of 63 degrees, level and with its side laid against it: depths by hand."""
    angle = math.atan(2.0)
    out = np.array([-math.sin(angle), 0, math.cos(angle)])
    field = land(lambda x, y: 2.0 * x, points=11)
    box = lw.Box((0.4, 0.3, 0.2))
    for tilt, corner in ((0.0, (0.2, 0, -0.1)), (-angle, None)):
        turn = lw.Frame(rotation=(math.cos(tilt / 2), 0, math.sin(tilt / 2), 0))
        far = 0.1 if corner is None else float(-out @ np.array(corner))
        pose = lw.Frame((far - 1e-3) * out + (0.11, 0.07, 0.22), turn.rotation)
        _, normals, depths = contacts(box, pose, field)
        assert depths.max() == pytest.approx(1e-3, abs=1e-9)
        assert normals == pytest.approx(np.tile(out, (len(depths), 1)), abs=1e-9)
        assert len(depths) == (2 if corner else 4)


@pytest.mark.parametrize("name", ["ball", *THINGS])
def test_land_has_sides(name: str) -> None:
    """What comes against the side of a table land stops there; what stands over the edge does not sink in."""
    smooth = lw.Material(friction=0.0)
    model = lw.Model("table land")
    model.collider("land", "ground", lw.HeightField(np.ones((5, 5)), size=(2.0, 2.0)), material=smooth)
    model.plane("floor", material=smooth)
    shape = lw.Sphere(0.2) if name == "ball" else THINGS[name]
    low = 0.2 if name == "ball" else 0.15
    thing = model.body("thing", shape=shape, mass=2.0, position=(-1.6, 0.13, low), material=smooth)
    model.free("slide", "ground", thing, velocity=(2.0, 0, 0, 0, 0, 0))
    model.body("other", shape=shape, mass=2.0, position=(-0.9, -0.6, 1.0 + low), material=lw.Material(friction=0.5))
    run = lw.simulate(model, until=0.6, method="impulse", dt=5e-3)
    x = run["thing.position"]
    assert x[:, 0].max() < -1.2 + 2.0 * 5e-3
    assert np.abs(x[:, 1:] - (0.13, low)).max() < 0.01
    if name != "ball":
        assert run["other.position"][-1] == pytest.approx([-0.9, -0.6, 1.0 + low], abs=1e-3)


def test_a_small_box_rests_on_a_ridge_between_points_of_the_grid() -> None:
    model = lw.Model("roof")
    rough = lw.Material(friction=0.8)
    model.collider("roof", "ground", land(lambda x, y: 0.3 - 0.6 * abs(x), points=5), material=rough)
    model.body("box", shape=lw.Box((0.3, 0.3, 0.1)), mass=1.0, position=(0, 0.45, 0.35), material=rough)
    run = lw.simulate(model, until=0.2, method="impulse", dt=5e-3)
    assert run["box.position"][-1] == pytest.approx([0, 0.45, 0.35], abs=1e-3)


def test_refusals() -> None:
    model = lw.Model("m")
    box = model.body("box", shape=lw.Box((1, 1, 1)), mass=1.0)
    flat = lw.HeightField(np.zeros((2, 2)), size=(1, 1))
    with pytest.raises(lw.ModelError, match="'box' is no ground"):
        model.collider("land", box, flat)
    with pytest.raises(lw.ModelError, match="no mass"):
        model.body("land", shape=flat, density=1.0)
    for heights, size in (([[0, 1]], (1, 1)), ([[0, 1], [1, math.nan]], (1, 1)), ([[0, 1], [1, 1]], (0, 1))):
        with pytest.raises(lw.ModelError, match="HeightField"):
            lw.HeightField(heights, size=size)
