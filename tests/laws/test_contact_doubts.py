"""What contact gets wrong is told: each known defect is either cured or a doubt of the certificate."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork._kernels.kernel import plain_python
from linkwork.contact.in_time import time_of_impact
from linkwork.simulation.results.judging.certificate import Certificate

both = pytest.mark.parametrize("kind", [lw.Impulse, lw.Maximal], ids=["impulse", "maximal"])


def simulated(model: lw.Model, until: float, method: Any) -> lw.Trajectory:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return lw.simulate(model, until=until, method=method)


@both
def test_a_ball_that_passes_a_box_is_not_braked_or_it_is_told(kind: Any) -> None:
    """It passes a centimetre above it, with 5 cm a step."""
    model, material = lw.Model("passing", gravity=(0, 0, 0)), lw.Material(friction=0.3)
    box = model.body("box", shape=lw.Box((0.2,) * 3), mass=1.0, material=material)
    model.fixed("held", "ground", box)
    ball = model.body("ball", shape=lw.Sphere(0.05), mass=1.0, position=(-0.5, 0, 0.16), material=material)
    model.free("flies", "ground", ball, velocity=(10, 0, 0, 0, 0, 0))
    run = simulated(model, 0.1, kind(dt=5e-3))
    right = abs(run["ball.velocity"][-1, 0] - 10.0) < 1e-9
    assert right or any("did not touch" in doubt for doubt in run.certificate.doubts())


@both
def test_a_fast_wheel_rolls_on_or_it_is_told(kind: Any) -> None:
    """It turns by 1.5 rad in a step."""
    model, material, radius, spin = lw.Model("wheel"), lw.Material(friction=0.5), 0.3, 75.0
    model.plane("floor", material=material)
    half = np.sqrt(0.5)
    wheel = model.body(
        "wheel",
        shape=lw.Cylinder(radius, 0.1),
        mass=5.0,
        position=(0, 0, radius),
        rotation=(half, half, 0, 0),
        material=material,
    )
    model.free("rolls", "ground", wheel, velocity=(spin * radius, 0, 0, 0, spin, 0))
    run = simulated(model, 1.0, kind(dt=2e-2))
    right = run["wheel.position"][:, 2].max() < radius + 1e-3
    assert right or any("did not touch" in doubt for doubt in run.certificate.doubts())


@both
def test_a_disc_rolls_on_its_rim_or_it_is_told(kind: Any) -> None:
    """Euler's disc: its energy stays, for it rolls without slipping and without resistance."""
    model, material = lw.Model("disc"), lw.Material(friction=0.8)
    radius, thick, tilt = 0.0375, 0.01, 0.3
    model.plane("floor", material=material)
    rate = np.sqrt(4.0 * 9.81 / (radius * np.sin(tilt)))
    spin = -rate * np.sin(tilt) * np.array([np.cos(tilt), 0.0, -np.sin(tilt)])
    disc = model.body(
        "disc",
        shape=lw.Cylinder(radius, thick),
        mass=0.4,
        position=(0, 0, radius * np.sin(tilt) + thick / 2 * np.cos(tilt)),
        rotation=(np.cos(tilt / 2), 0, np.sin(tilt / 2), 0),
        material=material,
    )
    model.free("rolls", "ground", disc, velocity=(0, 0, 0, *spin))
    run = simulated(model, 0.5, kind(dt=1e-3))
    lost = (run.energy["total"][0] - run.energy["total"][-1]) / run.energy["total"][0]
    assert abs(lost) < 0.05 or any("rolled or rested" in doubt for doubt in run.certificate.doubts())


@both
def test_overlaps_are_told_whether_they_press_or_not(kind: Any) -> None:
    """Boxes of 3 cm that turn by up to a radian in a step; depths are those of their corners."""
    corners = np.array([[x, y, z] for x in (-0.02, 0.02) for y in (-0.015, 0.015) for z in (-0.015, 0.015)])
    material = lw.Material(restitution=0.5)
    for seed in range(30):
        model, rng = lw.Model("hit"), np.random.default_rng(seed)
        model.plane("floor", material=material)
        turn, spin = rng.normal(size=4), 2.0 * rng.normal(size=3)
        shape = lw.Box((0.04, 0.03, 0.03))
        model.body("box", shape=shape, mass=1.0, position=(0, 0, 0.08), rotation=turn, material=material)
        model.free("throw", "ground", "box", velocity=(0, 0, -1.0, *spin))
        run = simulated(model, 1.0, kind(dt=0.017))
        poses = zip(run["box.position"][:-1], run["box.rotation"][:-1], strict=True)
        lowest = min(p[2] + (corners @ lw.Frame(rotation=tuple(q)).matrix.T)[:, 2].min() for p, q in poses)
        assert -lowest <= run.certificate.worst_overlap + 1e-12


@both
def test_a_fast_top_keeps_its_energy_or_it_is_told(kind: Any) -> None:
    model = lw.Model("top")
    top = model.body("top", mass=1.0, inertia=(0.002, 0.002, 0.001), com=(0, 0, 0.1))
    lean = (np.cos(0.15), np.sin(0.15), 0, 0)
    model.ball("point", "ground", top, at=(0, 0, 0), position=lean, velocity=(0, 0, 300.0))
    run = simulated(model, 2.0, kind(dt=1e-3))
    total = run.energy["total"]
    assert np.ptp(total) < 0.01 * total[0] or run.certificate.doubts()


@pytest.fixture
def plainly() -> Any:
    """Kernels run as Python, so that parts of them can be replaced."""
    plain_python.note = lambda *_: None
    yield
    plain_python.note = None


def test_a_ghost_is_told(plainly: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the time of impact a ball that passes a box a centimetre clear is braked by its side, as it once was."""
    monkeypatch.setattr(time_of_impact, "time_they_meet", lambda colliders, work, *_: (0.0, work.pose_v))
    model, material = lw.Model("passing", gravity=(0, 0, 0)), lw.Material(friction=0.3)
    model.collider("box", "ground", lw.Box((0.2,) * 3), material=material)
    ball = model.body("ball", shape=lw.Sphere(0.05), mass=1.0, position=(-0.5, 0, 0.16), material=material)
    model.free("flies", "ground", ball, velocity=(10, 0, 0, 0, 0, 0))
    run = simulated(model, 0.1, lw.Maximal(dt=5e-3))
    assert run["ball.velocity"][-1, 0] < 9.5
    assert any("did not touch" in doubt for doubt in run.certificate.doubts())


def test_a_wheel_that_is_launched_is_told(plainly: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the motion of the points of its rim within the step a fast wheel leaves the ground, as it once did."""
    monkeypatch.setattr(time_of_impact, "set_velocity_bias", lambda *_: None)
    model, material, radius, spin = lw.Model("wheel"), lw.Material(friction=0.5), 0.3, 75.0
    model.plane("floor", material=material)
    lying, at = (np.sqrt(0.5), np.sqrt(0.5), 0, 0), (0, 0, radius)
    shape = lw.Cylinder(radius, 0.1)
    wheel = model.body("wheel", shape=shape, mass=5.0, position=at, rotation=lying, material=material)
    model.free("rolls", "ground", wheel, velocity=(spin * radius, 0, 0, 0, spin, 0))
    run = simulated(model, 0.6, lw.Maximal(dt=2e-2))
    assert run["wheel.position"][:, 2].max() > radius + 0.1
    assert any("did not touch" in doubt for doubt in run.certificate.doubts())


def sliding_box(step: float = 0.0, wall: float = 0.0) -> lw.Model:
    """A box slides at 2 m/s over two tiles, the second higher by `step`, or against a wall of this height."""
    model, material = lw.Model("tiles"), lw.Material(friction=0.2)
    for k, top in enumerate((0.0, step)):
        tile = lw.Box((1, 1, 0.2), pose=lw.Frame((1.0 * k, 0, top - 0.1)))
        model.collider(f"tile {k}", "ground", tile, material=material)
    if wall:
        model.collider("wall", "ground", lw.Box((0.2, 1, wall), pose=lw.Frame((0.7, 0, wall / 2))), material=material)
    box = model.body("box", shape=lw.Box((0.2,) * 3), mass=1.0, position=(0.35, 0.03, 0.1), material=material)
    model.free("slides", "ground", box, velocity=(2, 0, 0, 0, 0, 0))
    return model


def test_a_seam_that_blocks_is_told(plainly: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """If inner edges were not known, and overlaps met, a box would stop at the side of the next level tile."""
    monkeypatch.setattr(time_of_impact, "leave_out_inner", lambda *_: None)
    monkeypatch.setattr(time_of_impact, "INSIDE", 0.0)
    run = simulated(sliding_box(), 0.1, lw.Maximal(dt=5e-3))
    assert run["box.velocity"][:, 0].min() < 1.0
    assert any("seams" in doubt for doubt in run.certificate.doubts())


@both
@pytest.mark.parametrize("height", [5e-4, 2e-3, 2e-2, 0.3])
def test_real_steps_and_walls_are_no_seams(height: float, kind: Any) -> None:
    """A box is stopped, or tumbles over the step; tiles that are level it passes."""
    for model in (sliding_box(step=height), sliding_box(wall=height)):
        assert simulated(model, 0.3, kind(dt=5e-3)).certificate.seam_loss == 0.0
    run = simulated(sliding_box(), 0.3, kind(dt=5e-3))
    assert run.certificate.seam_loss == 0.0
    assert run["box.velocity"][-1, 0] == pytest.approx(2.0 - 0.2 * 9.81 * 0.3, rel=1e-2)


def test_bodies_that_hit_each_other_are_not_called_apart() -> None:
    """A ball falls beside the middle of another, 6 cm a step: it is stopped, and rolls off; they did meet."""
    model, material = lw.Model("hit"), lw.Material(friction=0.3)
    model.plane("floor", material=material)
    for name, at, speed in (("low", (0, 0, 0.1), 0.0), ("high", (0.12, 0.03, 0.33), -6.0)):
        ball = model.body(name, shape=lw.Sphere(0.1), mass=1.0, position=at, material=material)
        model.free(f"{name} falls", "ground", ball, velocity=(0, 0, speed, 0, 0, 0))
    run = lw.simulate(model, until=0.5, method=lw.Maximal(dt=1e-2))
    assert run.certificate.apart_loss == 0.0
    assert run.certificate.doubts() == []


@both
def test_what_rests_or_rolls_as_it_should_is_not_doubted(kind: Any) -> None:
    """A ball rolls, a box slides to a stop, another falls flat, a tower stands."""
    model, material = lw.Model("healthy"), lw.Material(friction=0.5)
    model.plane("floor", material=material)
    ball = model.body("ball", shape=lw.Sphere(0.1), mass=1.0, position=(0, 0, 0.1), material=material)
    model.free("rolls", "ground", ball, velocity=(1, 0, 0, 0, 10, 0))
    box = model.body("box", shape=lw.Box((0.2,) * 3), mass=1.0, position=(0, 2, 0.1), material=material)
    model.free("slides", "ground", box, velocity=(2, 0, 0, 0, 0, 0))
    model.body("flat", shape=lw.Box((0.2,) * 3), mass=1.0, position=(0, 4, 0.5), material=material)
    for k in range(4):
        at = (0, 6, 0.1 + 0.2 * k)
        model.body(f"tower {k}", shape=lw.Box((0.2,) * 3), mass=1.0, position=at, material=material)
    run = lw.simulate(model, until=2.0, method=kind(dt=5e-3))
    assert run.certificate.doubts() == []
    assert run.certificate.overlap < 2e-4


@both
def test_a_rigid_motor_that_drives_into_a_wall_is_told(kind: Any) -> None:
    """Neither can give way: no force is right, and none goes out without a word."""
    model, material = lw.Model("jam"), lw.Material(friction=0.0)
    wall = model.body("wall", shape=lw.Box((0.1, 1, 1)), mass=10.0, position=(0.2, 0, 0), material=material)
    model.fixed("weld", "ground", wall)
    box = model.body("box", shape=lw.Box((0.2,) * 3), mass=1.0, material=material)
    model.prismatic("rail", "ground", box, axis=(1, 0, 0))
    model.motor("drive", "rail", velocity=0.5)
    run = simulated(model, 0.3, kind(dt=1e-3))
    assert any("drives that contradict" in doubt for doubt in run.certificate.doubts())


@both
@pytest.mark.parametrize("stop", ["own stop", "vise"])
def test_a_rigid_motor_that_presses_what_cannot_give_is_told(kind: Any, stop: str) -> None:
    """Against the end of its own rail, and on a ball between two jaws: far more work than all that moves has."""
    model, material = lw.Model("press"), lw.Material(friction=0.0)
    jaw = model.body("jaw", shape=lw.Box((0.1, 1, 1)), mass=1.0, material=material)
    limits = (-1.0, 0.05) if stop == "own stop" else None
    model.prismatic("rail", "ground", jaw, axis=(1, 0, 0), limits=limits)
    if stop == "vise":
        wall = model.body("wall", shape=lw.Box((0.1, 1, 1)), mass=10.0, position=(0.3, 0, 0), material=material)
        model.fixed("weld", "ground", wall)
        model.body("ball", shape=lw.Sphere(0.05), mass=0.1, position=(0.15, 0, 0), material=material)
    model.motor("drive", "rail", velocity=0.5)
    run = simulated(model, 0.4, kind(dt=1e-3))
    assert run.certificate.doubts()


def test_forces_far_beyond_what_moves_are_a_doubt() -> None:
    """Where rigid motors drive, a contact that presses ten thousand times what would stop all that moves."""
    assert Certificate(method="impulse", pressed=1e3).doubts() == []
    assert "contacts press" in Certificate(method="impulse", pressed=1e5).doubts()[0]


def test_doubts_of_contact_are_bounds_too() -> None:
    made = Certificate(method="impulse", energy_scale=2.0, size=0.5, apart_loss=0.2, rolling_loss=1.2, overlap=0.1)
    assert [doubt.split(";")[0] for doubt in made.doubts()] == [
        "contacts took 0.1 of what moved from bodies that did not touch",
        "contacts took 0.6 of what moved from bodies that only rolled or rested",
        "bodies overlap by 0.2 of the size of the model in the end",
    ]
    assert made.broken({"overlap": 0.3}) == []
    assert made.broken({"apart": 0.01})[0].endswith("more than 0.01")
