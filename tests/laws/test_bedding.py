"""lw.Soft(bedding=K): a surface presses back by K per area and depth, whatever the points of contact are."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwork as lw

G = 9.81
pytestmark = pytest.mark.filterwarnings("ignore:.*density")
both = pytest.mark.parametrize("kind", [lw.Impulse, lw.Maximal], ids=["impulse", "maximal"])
LYING = lw.Frame.along((1, 0, 0))


def bed(K: float, **more: Any) -> lw.Material:
    return lw.Material(friction=0.5, softness=lw.Soft(bedding=K, **more))


HARD = lw.Material(friction=0.5)


def on_bed(shape: Any, K: float, mass: float, height: float, **more: Any) -> lw.Model:
    """A body on a bedded plane."""
    model = lw.Model("bed")
    model.plane("floor", material=bed(K))
    model.body("body", shape=shape, mass=mass, position=(0, 0, height), material=HARD, **more)
    return model


def depth(model: lw.Model, height: float, kind: Any = lw.Impulse, dt: float = 4e-3, until: float = 1.0) -> float:
    """How deep the body sinks in the end."""
    run = lw.simulate(model, until=until, method=kind(dt=dt))
    assert run.certificate.doubts() == []
    return float(height - run["body.position"][-1, 2])


def prism(corners: int, radius: float = 0.1) -> lw.Hull:
    turns = 2.0 * np.pi * np.arange(corners) / corners
    return lw.Hull([(radius * np.cos(a), radius * np.sin(a), z) for a in turns for z in (-0.1, 0.1)])


# ---- weight over area ------------------------------------------------------------------------------------------------


@both
@pytest.mark.parametrize("corners", [3, 4, 12, 128])
def test_a_face_sinks_by_its_weight_over_its_area(kind: Any, corners: int) -> None:
    area = 0.5 * corners * 0.01 * math.sin(2.0 * np.pi / corners)
    model = on_bed(prism(corners), 1e6, 4.0, 0.1, inertia=(0.02, 0.02, 0.02))
    assert depth(model, 0.1, kind) == pytest.approx(4.0 * G / (1e6 * area), rel=1e-6)


@both
def test_half_the_area_sinks_twice_as_deep(kind: Any) -> None:
    wide = depth(on_bed(lw.Box((0.2, 0.1, 0.1)), 1e6, 2.0, 0.05), 0.05, kind)
    narrow = depth(on_bed(lw.Box((0.1, 0.1, 0.1)), 1e6, 2.0, 0.05), 0.05, kind)
    assert narrow / wide == pytest.approx(2.0, rel=1e-6)


@pytest.mark.parametrize("length", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("mass", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("part", [1e-6, 1e-2])
def test_at_all_scales(length: float, mass: float, part: float) -> None:
    """A box that sinks by a part of its size; lengths scaled by c, times by the root of c."""
    K = mass * G / (0.5 * part * length**3)
    model = on_bed(lw.Box((length, 0.5 * length, 0.5 * length)), K, mass, 0.25 * length)
    found = depth(model, 0.25 * length, dt=4e-3 * math.sqrt(length), until=2.0 * math.sqrt(length))
    assert found == pytest.approx(part * length, rel=1e-6)


@both
def test_two_boxes_touch_where_they_cover_each_other(kind: Any) -> None:
    """A plank across a beam: 0.1 m by 0.08 m of both."""
    model = lw.Model("crossed")
    model.collider("beam", "ground", lw.Box((0.1, 1.0, 0.2)), material=bed(1e7))
    model.body("body", shape=lw.Box((0.6, 0.08, 0.04)), mass=3.0, position=(0, 0, 0.12), material=HARD)
    assert depth(model, 0.12, kind) == pytest.approx(3.0 * G / (1e7 * 0.008), rel=1e-5)


@both
def test_two_beds_are_springs_one_after_the_other(kind: Any) -> None:
    model = lw.Model("two")
    model.plane("floor", material=bed(1e6))
    model.body("body", shape=lw.Box((0.2, 0.1, 0.1)), mass=2.0, position=(0, 0, 0.05), material=bed(3e6))
    assert depth(model, 0.05, kind) == pytest.approx(2.0 * G / 0.02 * (1 / 1e6 + 1 / 3e6), rel=1e-6)


# ---- moments ---------------------------------------------------------------------------------------------------------


@both
@pytest.mark.parametrize("off", [0.01, 0.03])
def test_a_load_beside_the_middle_tilts_as_on_winklers_bed(kind: Any, off: float) -> None:
    """Within the middle third: M / (K I), where the weight moves with its height above the bed, too."""
    K, a, b, mass = 1e6, 0.2, 0.1, 2.0
    model = on_bed(lw.Box((a, b, 0.1)), K, mass, 0.05, com=(off, 0, 0), inertia=(0.01, 0.01, 0.01))
    run = lw.simulate(model, until=2.0, method=kind(dt=4e-3))
    tilt = mass * G * off / (K * b * a**3 / 12.0 - mass * G * 0.05)
    assert 2.0 * run["body.rotation"][-1, 2] == pytest.approx(tilt, rel=1e-3)


@both
def test_a_load_beside_the_middle_third_lifts_the_far_edge(kind: Any) -> None:
    """A wedge of pressure over three times the distance of the load from the edge, twice the mean at the edge."""
    K, a, b, mass, off = 1e7, 0.2, 0.1, 2.0, 0.06
    model = on_bed(lw.Box((a, b, 0.02)), K, mass, 0.01, com=(off, 0, 0), inertia=(0.01, 0.01, 0.01))
    run = lw.simulate(model, until=2.0, method=kind(dt=4e-3), contacts=True)
    reach = 3.0 * (a / 2 - off)
    edge = 2.0 * mass * G / (reach * b) / K
    assert 2.0 * run["body.rotation"][-1, 2] == pytest.approx(edge / reach, rel=0.01)
    assert run.contacts.area[-4:].sum() == pytest.approx(reach * b, rel=0.01)


@both
def test_a_box_over_the_edge_of_its_support_rests_on_what_touches(kind: Any) -> None:
    """0.14 of its 0.2 m lie on a table, which carries all of it."""
    K, b, mass, a = 1e7, 0.1, 2.0, 0.14
    model = lw.Model("edge")
    model.collider("table", "ground", lw.Box((1.0, 1.0, 0.2), pose=lw.Frame((0.54, 0, -0.1))), material=bed(K))
    model.body("body", shape=lw.Box((0.2, b, 0.04)), mass=mass, position=(0.08, 0, 0.02), material=HARD)
    run = lw.simulate(model, until=2.0, method=kind(dt=4e-3), contacts=True)
    off = 0.11 - 0.08  # from the centre of mass to the middle of what is above the table: more than a sixth of it
    reach = 3.0 * (a / 2 - off) if off > a / 6 else a
    assert run.contacts.area[-4:].sum() == pytest.approx(reach * b, rel=0.01)
    edge = 2.0 * mass * G / (reach * b) / K
    assert abs(2.0 * run["body.rotation"][-1, 2]) == pytest.approx(edge / reach, rel=0.02)
    pressed = run.pressure("body")
    assert pressed.total[-1] == pytest.approx(mass * G, rel=1e-3)
    assert pressed.centre[-1, 0] == pytest.approx(0.0, abs=1e-4)


def test_a_box_beyond_the_edge_falls() -> None:
    model = lw.Model("edge")
    model.collider("table", "ground", lw.Box((1.0, 1.0, 0.2), pose=lw.Frame((0.51, 0, -0.1))), material=bed(1e7))
    model.body("body", shape=lw.Box((0.2, 0.1, 0.04)), mass=2.0, position=(0.0, 0, 0.02), material=HARD)
    run = lw.simulate(model, until=0.6, method=lw.Impulse(dt=4e-3))
    assert run["body.position"][-1, 2] < -0.1


# ---- round shapes: the volume of the overlap -------------------------------------------------------------------------


def segment(r: float, d: float) -> float:
    """Area of a segment of a circle."""
    return r * r * math.acos(1.0 - d / r) - (r - d) * math.sqrt(d * (2.0 * r - d))


def cap(r: float, d: float) -> float:
    """Volume of a cap of a ball."""
    return math.pi * d * d * (r - d / 3.0)


ROUND: dict[str, tuple[Any, float, Any]] = {
    "sphere": (lw.Sphere(0.1), 0.1, lambda d: cap(0.1, d)),
    "lying cylinder": (lw.Cylinder(0.1, 0.3, pose=LYING), 0.1, lambda d: 0.3 * segment(0.1, d)),
    "standing cylinder": (lw.Cylinder(0.1, 0.3), 0.15, lambda d: math.pi * 0.01 * d),
    "lying capsule": (lw.Capsule(0.1, 0.3, pose=LYING), 0.1, lambda d: 0.3 * segment(0.1, d) + cap(0.1, d)),
    "standing capsule": (lw.Capsule(0.1, 0.3), 0.25, lambda d: cap(0.1, d)),
    "ellipsoid": (lw.Ellipsoid((0.1, 0.2, 0.05)), 0.05, lambda d: 0.1 * 0.2 / 0.05**2 * cap(0.05, d)),
    "edge": (
        lw.Hull([(x, y, z) for x in (-0.2, 0.2) for y, z in ((0, -0.1), (0.1, 0), (-0.1, 0))]),
        0.1,
        lambda d: 0.4 * d * d,
    ),
}


@both
@pytest.mark.parametrize("name", ROUND)
@pytest.mark.parametrize("K", [1e5, 1e8])
def test_a_round_shape_displaces_its_weight(kind: Any, name: str, K: float) -> None:
    """K times the volume of the overlap is the weight; joints keep it upright."""
    shape, height, volume = ROUND[name]
    model = on_bed(shape, K, 2.0, height, inertia=(0.02, 0.02, 0.02))
    model.prismatic("upright", "ground", "body", axis=(0, 0, 1))
    d = depth(model, height, kind)
    assert K * volume(d) == pytest.approx(2.0 * G, rel=2e-3)


@pytest.mark.parametrize("length", [1e-3, 1e3])
@pytest.mark.parametrize("mass", [1e-6, 1e6])
def test_balls_at_all_scales(length: float, mass: float) -> None:
    K = mass * G / cap(length, 0.01 * length)
    model = on_bed(lw.Sphere(length), K, mass, length)
    found = depth(model, length, dt=4e-3 * math.sqrt(length), until=1.5 * math.sqrt(length))
    assert found == pytest.approx(0.01 * length, rel=1e-3)


@both
def test_a_ball_on_a_box_is_a_ball_on_a_plane(kind: Any) -> None:
    model = lw.Model("box")
    model.collider("table", "ground", lw.Box((1.0, 1.0, 0.2), pose=lw.Frame((0, 0, -0.1))), material=bed(1e6))
    model.body("body", shape=lw.Sphere(0.1), mass=2.0, position=(0, 0, 0.1), material=HARD)
    d = depth(model, 0.1, kind)
    assert 1e6 * cap(0.1, d) == pytest.approx(2.0 * G, rel=1e-3)


@both
def test_two_balls_share_a_lens(kind: Any) -> None:
    model = lw.Model("lens")
    model.collider("below", "ground", lw.Sphere(0.2), material=bed(1e6))
    model.body("body", shape=lw.Sphere(0.1), mass=2.0, position=(0, 0, 0.3), material=HARD)
    model.prismatic("upright", "ground", "body", axis=(0, 0, 1))
    d = depth(model, 0.3, kind)
    # the plane of the circle in which they cross
    far = 0.3 - d
    x = (far**2 + 0.2**2 - 0.1**2) / (2.0 * far)
    assert 1e6 * (cap(0.2, 0.2 - x) + cap(0.1, 0.1 - far + x)) == pytest.approx(2.0 * G, rel=1e-3)


@both
def test_a_barrel_rolls_on_its_bed(kind: Any) -> None:
    """Without damping it keeps its speed; with damping the bed in front of it takes more than the one behind gives."""
    speeds = []
    for ratio in (0.0, 0.1):
        model = lw.Model("bed")
        model.plane("floor", material=bed(1e6, damping_ratio=ratio))
        shape = lw.Cylinder(0.1, 0.3, pose=LYING)
        model.body("body", shape=shape, mass=2.0, position=(0, 0, 0.0977), material=HARD)
        model.free("throw", "ground", "body", velocity=(0, -1.0, 0, 10.0, 0, 0))
        run = lw.simulate(model, until=2.0, method=kind(dt=2e-3))
        assert abs(run["body.angular_velocity"][-1, 2]) < 1e-3
        speeds.append(-run["body.velocity"][-1, 1])
    assert speeds[0] == pytest.approx(1.0, abs=0.01)
    assert 0.5 < speeds[1] < 0.95


# ---- any stiffness, any step -----------------------------------------------------------------------------------------


@both
@pytest.mark.parametrize("K", [1e3, 1e6, 1e9, 1e12, 1e16])
@pytest.mark.parametrize("dt", [1e-3, 2e-2])
def test_nothing_gains_energy_at_any_stiffness(kind: Any, K: float, dt: float) -> None:
    """Without damping, thrown with a spin: what is stored comes back at most."""
    model = lw.Model("thrown")
    model.plane("floor", material=bed(K, damping_ratio=0.0))
    shapes = [lw.Box((0.2, 0.1, 0.1)), lw.Sphere(0.1), lw.Cylinder(0.1, 0.2), lw.Capsule(0.05, 0.2), prism(5)]
    for k, shape in enumerate(shapes):
        more = {"position": (k, 0, 0.4), "material": HARD}
        made = model.body(f"body {k}", shape=shape, mass=1.0, inertia=(0.004, 0.004, 0.004), **more)
        model.free(f"throw {k}", "ground", made, velocity=(0.3, 0, -2.0, 1.0, 3.0, 2.0))
    run = lw.simulate(model, until=1.0, method=kind(dt=dt))
    total = run.energy["total"]
    # while something falls or is thrown up velocities are half a step ahead of heights
    assert total.max() - total[0] < 1e-2 * abs(total[0]) + run.certificate.energy_offset
    if K > 1e4:  # of a softer one it sinks in by its own size
        assert min(run[f"body {k}.position"][-1, 2] for k in range(len(shapes))) > 0.0


@pytest.mark.parametrize("shape", [lw.Sphere(0.1), lw.Box((0.2, 0.1, 0.2))], ids=["ball", "box"])
def test_a_bed_without_damping_gives_back_what_it_took(shape: Any) -> None:
    for dt in (1e-3, 5e-4):
        model = lw.Model("trampoline")
        soft = lw.Material(friction=0.0, softness=lw.Soft(bedding=1e5, damping_ratio=0.0))
        model.plane("floor", material=soft)
        model.body("ball", shape=shape, mass=1.0, position=(0, 0, 0.6), material=HARD)
        height = lw.simulate(model, until=0.85, method="impulse", dt=dt)["ball.position"][:, 2] - 0.1
        assert height[height.argmin() :].max() == pytest.approx(0.5, rel=2e-3)


def test_what_is_critically_damped_does_not_rise_again() -> None:
    run = lw.simulate(on_bed(lw.Box((0.2, 0.1, 0.1)), 1e6, 2.0, 0.055), until=1.0, method=lw.Impulse(dt=1e-3))
    height = run["body.position"][:, 2] - 0.05
    assert height[height.argmin() :].max() < 1e-4


def test_nothing_passes_a_stiff_plate() -> None:
    """A bullet of 500 m/s, steps of 0.1 m and more."""
    model = lw.Model("plate", gravity=(0, 0, 0))
    model.collider("plate", "ground", lw.Box((1.0, 1.0, 0.01)), material=bed(1e12))
    model.body("bullet", shape=lw.Sphere(0.01), mass=0.01, position=(0, 0, 1.037), material=HARD)
    model.free("shot", "ground", "bullet", velocity=(0, 0, -500.0, 0, 0, 0))
    run = lw.simulate(model, until=0.05, method=lw.Impulse(dt=1e-3))
    assert run["bullet.position"][:, 2].min() > -0.015


# ---- what it is told, and what it tells ------------------------------------------------------------------------------


def test_pressure_maps_show_pressure_by_depth() -> None:
    K = 1e6
    model = on_bed(lw.Box((0.2, 0.1, 0.1)), K, 2.0, 0.05, com=(0.02, 0, 0), inertia=(0.01, 0.01, 0.01))
    run = lw.simulate(model, until=2.0, method=lw.Impulse(dt=4e-3), contacts=True)
    felt = run.pressure("body")
    x, pressure = felt.points[-4:, 0], felt.pressures[-4:]
    tilt = 2.0 * G * 0.02 / (K * 0.1 * 0.2**3 / 12.0 - 2.0 * G * 0.05)
    middle, slope = 2.0 * G / 0.02, K * tilt
    assert pressure == pytest.approx(middle + slope * x, rel=1e-3)
    assert pressure == pytest.approx(K * run.contacts.depth[-4:], rel=1e-3)


def test_other_contacts_have_no_area() -> None:
    model = lw.Model("rigid")
    model.plane("floor", material=HARD)
    model.body("body", shape=lw.Box((0.2, 0.1, 0.1)), mass=2.0, position=(0, 0, 0.05), material=HARD)
    run = lw.simulate(model, until=0.1, method=lw.Impulse(dt=4e-3), contacts=True)
    assert np.isnan(run.pressure("body").pressures).all()


@pytest.mark.parametrize(
    ("soft", "told"),
    [
        ({"bedding": 0.0}, "give a positive bedding="),
        ({"bedding": -1.0}, "bedding"),
        ({"bedding": 1e6, "stiffness": 1e3}, "one of three forms"),
        ({"bedding": 1e6, "hertz": 3.0}, "one of three forms"),
        ({"bedding": 1e6, "damping": 3.0}, "one of three forms"),
        ({"damping_ratio": 1.0}, "give hertz= or bedding= too"),
        ({}, "nothing is given"),
    ],
)
def test_refused(soft: Any, told: str) -> None:
    with pytest.raises(lw.ModelError, match=told):
        lw.Soft(**soft)


@pytest.mark.parametrize("ending", ["toml", "json"])
def test_files_keep_it(ending: str, tmp_path: Path) -> None:
    model = on_bed(lw.Box((0.2, 0.1, 0.1)), 2.5e6, 2.0, 0.05)
    model.write(tmp_path / f"bed.{ending}")
    found, _ = lw.read(tmp_path / f"bed.{ending}")
    assert [c.material.softness for c in found.all_colliders()] == [c.material.softness for c in model.all_colliders()]
    assert lw.Soft(bedding=2.5e6) in [c.material.softness for c in found.all_colliders()]


def test_only_surfaces_are_bedded() -> None:
    model = lw.Model("stop")
    arm = model.body("arm", mass=1.0, inertia=(1, 1, 1))
    soft = lw.Soft(bedding=1e6)
    with pytest.raises(lw.ModelError, match="limit_softness has no area"):
        model.revolute("pin", "ground", arm, at=(0, 0, 0), axis=(0, 0, 1), limits=(-1, 1), limit_softness=soft)
    model.revolute("pin", "ground", arm, at=(0, 0, 0), axis=(0, 0, 1))
    with pytest.raises(lw.ModelError, match="softness has no area"):
        model.motor("drive", "pin", position=0.0, softness=soft)


def test_whom_a_bed_cannot_meet() -> None:
    model = lw.Model("field")
    model.collider("hills", "ground", lw.HeightField(np.zeros((3, 3)), size=(2, 2)), material=HARD)
    model.body("body", shape=lw.Sphere(0.1), mass=1.0, position=(0, 0, 1), material=bed(1e6))
    with pytest.raises(lw.ModelError, match="height field"):
        lw.Simulation(model, lw.Impulse())
    model = lw.Model("mixed")
    model.plane("floor", material=lw.Material(softness=lw.Soft(hertz=10.0)))
    model.body("body", shape=lw.Sphere(0.1), mass=1.0, position=(0, 0, 1), material=bed(1e6))
    with pytest.raises(lw.ModelError, match="one soft as a whole"):
        lw.Simulation(model, lw.Impulse())
