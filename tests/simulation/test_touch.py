"""Touch sensors and pressure maps: how hard others press on a body, and where, in its own frame."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import linkwork as lw

G = 9.81
both = pytest.mark.parametrize("kind", [lw.Impulse, lw.Maximal], ids=lambda kind: kind.name)


def block(angle: float = 0.0, com: Any = None) -> lw.Model:
    """A block of 3 kg, 2 m x 1 m x 1 m, on a rough plane that falls towards +x."""
    model = lw.Model("block")
    normal = np.array([math.sin(angle), 0.0, math.cos(angle)])
    model.plane("floor", normal=normal, material=lw.Material(friction=1.0))
    turn = (math.cos(angle / 2), 0, math.sin(angle / 2), 0)
    options: dict[str, Any] = {} if com is None else {"com": com, "inertia": (1, 1, 1)}
    stuff = lw.Material(friction=1.0)
    model.body(
        "block", shape=lw.Box((2, 1, 1)), mass=3.0, position=0.5 * normal, rotation=turn, material=stuff, **options
    )
    return model


@both
@pytest.mark.parametrize("angle", [0.0, 0.3])
def test_a_touch_sensor_shows_the_weight(kind: Any, angle: float) -> None:
    """m g cos of the slope: friction is not counted."""
    model = block(angle)
    model.touch_sensor("sole", "block")
    model.touch_sensor("lid", "block", region=lw.Box((3, 2, 0.2), pose=lw.Frame((0, 0, 0.5))))
    run = lw.simulate(model, until=0.2, method=kind(dt=5e-3))
    assert run.unit("sole.force") == "N"
    assert run["sole.force"][-1] == pytest.approx(3.0 * G * math.cos(angle), rel=1e-5)
    assert not run["lid.force"].any()  # nothing lies on it


@both
def test_regions_share_the_load_by_the_lever(kind: Any) -> None:
    """The centre of mass 0.4 m off the middle: of the two ends, 1 m from it, one carries 0.7 of the weight."""
    model = block(com=(0.4, 0, 0))
    half = {side: lw.Box((1, 2, 2), pose=lw.Frame((x, 0, 0))) for side, x in (("left", -1.0), ("right", 1.0))}
    for side, region in half.items():
        model.touch_sensor(side, "block", region=region)
    model.touch_sensor("corner", "block", region=lw.Sphere(0.05, pose=lw.Frame((1, 0.5, -0.5))))
    run = lw.simulate(model, until=0.2, method=kind(dt=5e-3))
    weight = 3.0 * G
    assert run["left.force"][-1] == pytest.approx(0.3 * weight, rel=1e-4)
    assert run["right.force"][-1] == pytest.approx(0.7 * weight, rel=1e-4)
    assert run["corner.force"][-1] == pytest.approx(0.35 * weight, rel=1e-3)


@both
def test_what_lies_on_a_body_is_felt_too(kind: Any) -> None:
    """A block on a block: the lower one feels its own weight below and the other's above."""
    model = block()
    model.body("top", shape=lw.Box((0.5, 0.5, 0.5)), mass=1.0, position=(0, 0, 1.25), material=lw.Material())
    model.touch_sensor("all", "block")
    model.touch_sensor("above", "block", region=lw.Box((3, 2, 0.2), pose=lw.Frame((0, 0, 0.5))))
    run = lw.simulate(model, until=0.2, method=kind(dt=5e-3))
    assert run["above.force"][-1] == pytest.approx(1.0 * G, rel=1e-4)
    assert run["all.force"][-1] == pytest.approx((1.0 + 4.0) * G, rel=1e-4)


@both
def test_controllers_laws_and_sensors_see_touch(kind: Any) -> None:
    """A foot that pushes off as soon as it touches the floor."""
    model = lw.Model("hopper")
    model.plane("floor")
    foot = model.body("foot", shape=lw.Sphere(0.1), mass=1.0, position=(0, 0, 0.3), material=lw.Material())
    model.prismatic("mast", "ground", foot, axis=(0, 0, 1))
    touch = model.touch_sensor("touch", foot)
    model.sensor("felt", touch, kind="touch", rate=100, resolution=0.5)
    jet = model.force("jet", foot, 0.0, axis=(0, 0, 1))
    assert jet is not None
    seen: list[float] = []

    def jump(t: float, readings: Any) -> float:
        seen.append(float(readings[0]))
        return 50.0 if readings[0] > 1.0 else 0.0

    model.controller("jump", jump, every=0.01, sees=["touch.force"], sets=["jet"])
    model.force("drag", foot, lw.PythonLaw(lambda t, all: -0.01 * all[0], sees=["touch.force"]), axis=(0, 0, 1))
    run = lw.simulate(model, until=0.5, method=kind(dt=1e-3))
    assert max(seen) > 1.0
    landed = int(np.argmax(run["touch.force"] > 0.0))
    assert run.time[landed] == pytest.approx(math.sqrt(2 * 0.2 / G), abs=2e-3)
    assert run["jet.force"][:landed].max() == 0.0
    assert run["jet.force"][:, 2].max() == pytest.approx(50.0)
    assert run["foot.velocity"][landed + 11 :, 2].max() > 0.3  # 50 N for 10 ms push 1 kg off with 0.4 m/s
    readings = run["felt.reading"]
    assert readings.max() > 1.0
    assert np.allclose(readings / 0.5, np.round(readings / 0.5))


def test_wrong_touch_sensors_are_refused(refused: Any) -> None:
    model = lw.Model("bare")
    body = model.body("body", mass=1.0, inertia=(1, 1, 1))
    with refused("touch", "region", "lw.Box"):
        model.touch_sensor("touch", body, region=lw.Cylinder(1.0, 1.0))
    model.touch_sensor("touch", body)
    with refused("touch", "body", "collider"):
        lw.assemble(model)


@pytest.mark.parametrize("ending", ["toml", "json"])
def test_touch_sensors_go_to_files_and_back(tmp_path: Any, ending: str) -> None:
    model = block()
    model.touch_sensor("sole", "block")
    model.touch_sensor("zone", "block", region=lw.Box((1, 2, 3), pose=lw.Frame((0.1, 0.2, 0.3), (0.6, 0.8, 0, 0))))
    model.touch_sensor("tip", "block", region=lw.Sphere(0.1))
    model.write(tmp_path / f"model.{ending}")
    again, _ = lw.read(tmp_path / f"model.{ending}")
    assert again.content() == model.content()


@both
def test_a_pressure_map_has_the_corners_of_a_block(kind: Any, tmp_path: Any) -> None:
    """Four corners in the frame of the block, on any slope, their forces the weight; kept in files."""
    run = lw.simulate(block(0.3), until=0.2, method=kind(dt=5e-3), contacts=True)
    felt = run.pressure("block")
    last = felt.row == len(run.time) - 1
    assert sorted(map(tuple, felt.points[last].round(3).tolist())) == [
        (x, y, -0.5) for x in (-1.0, 1.0) for y in (-0.5, 0.5)
    ]
    np.testing.assert_allclose(felt.total[-1], 3.0 * G * math.cos(0.3), rtol=1e-5)
    # the centre of mass is 0.5 m above the slope
    np.testing.assert_allclose(felt.centre[-1], [0.5 * math.tan(0.3), 0, -0.5], atol=1e-3)
    assert np.isnan(felt.centre[0]).all()
    forces = run.contacts.force[run.contacts.row == len(run.time) - 1].sum(axis=0)
    np.testing.assert_allclose(forces, run["block.contact_force"][-1], rtol=1e-9, atol=1e-9)
    run.save(tmp_path / "run.npz")
    again = lw.load_run(tmp_path / "run.npz").pressure("block")
    assert np.array_equal(again.points, felt.points)
    assert np.array_equal(again.forces, felt.forces)


@both
def test_a_rolling_ball_is_pressed_around_its_equator(kind: Any) -> None:
    """Its point of contact is at rest in the world's direction, and runs around the ball in its own frame."""
    model = lw.Model("ball")
    model.plane("floor", material=lw.Material(friction=1.0))
    ball = model.body("ball", shape=lw.Sphere(0.5), mass=2.0, position=(0, 0, 0.5), material=lw.Material(friction=1.0))
    model.free("roll", "ground", ball, velocity=(1.0, 0, 0, 0, 2.0, 0))
    run = lw.simulate(model, until=1.0, method=kind(dt=5e-3), contacts=True, every=4)
    felt = run.pressure("ball")
    angle = np.unwrap(np.arctan2(-felt.points[:, 0], -felt.points[:, 2]))
    when = run.time[felt.row] - 5e-3  # where the step began
    np.testing.assert_allclose(angle, -2.0 * when, atol=1e-3)
    np.testing.assert_allclose(felt.forces, 2.0 * G, rtol=1e-4)
    assert np.array_equal(np.unique(felt.row), np.arange(1, len(run.time)))


def test_contacts_are_kept_only_on_request(tmp_path: Any) -> None:
    run = lw.simulate(block(), until=0.1, method="impulse", dt=5e-3)
    assert run.contacts is None
    with pytest.raises(lw.OptionError, match="contacts=True"):
        run.pressure("block")
    with pytest.raises(lw.OptionError, match="method='impulse'"):
        lw.simulate(block(), until=0.1, method="recursive", dt=5e-3, ignore=("contact",), contacts=True)
    with_log = lw.simulate(block(), until=0.1, method="impulse", dt=5e-3, contacts=True)
    for name in run.columns:
        assert np.array_equal(with_log[name], run[name])  # looking changes nothing
    with pytest.raises(lw.OptionError, match="'block'"):
        with_log.pressure("blok")
    pytest.importorskip("matplotlib")
    with_log.pressure("block").plot(file=tmp_path / "block.png")
    with_log.pressure("block").plot(axes="xz", file=tmp_path / "side.svg")
    assert (tmp_path / "block.png").stat().st_size > 10_000
