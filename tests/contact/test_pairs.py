"""Pairs of bodies and of materials that meet in their own way, against the laws of friction and impact."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import linkwork as lw

G = 9.81


def slide(own: float, **pair: float) -> lw.Model:
    """A brick at 2 m/s on a plane of another material."""
    model = lw.Model("brick")
    brick, floor = lw.Material(friction=own), lw.Material(friction=0.9)
    model.plane("floor", material=floor)
    body = model.body("brick", shape=lw.Box((0.4, 0.2, 0.05)), mass=1.0, position=(0, 0, 0.025), material=brick)
    model.free("loose", "ground", body, velocity=(2, 0, 0, 0, 0, 0))
    if pair:
        model.material_pair(floor, brick, **pair)
    return model


@pytest.mark.parametrize("method", ["impulse", "maximal"])
def test_friction_of_two_materials_is_that_of_the_pair(method: str) -> None:
    for model, mu in ((slide(0.4), (0.4 * 0.9) ** 0.5), (slide(0.4, friction=0.15), 0.15), (slide(0.4, friction=0), 0)):
        run = lw.simulate(model, until=0.2, method=method, dt=1e-3)
        assert run["brick.velocity"][-1, 0] == pytest.approx(2 - mu * G * 0.2, abs=0.01)


def test_a_pair_of_bodies_comes_before_their_materials() -> None:
    model = slide(0.4, friction=0.15)
    model.contact_pair("ground", "brick", friction=0.05)
    run = lw.simulate(model, until=0.2, method="impulse", dt=1e-3)
    assert run["brick.velocity"][-1, 0] == pytest.approx(2 - 0.05 * G * 0.2, abs=0.01)


def test_restitution_of_a_pair() -> None:
    model = lw.Model("ball")
    model.plane("floor")
    model.body("ball", shape=lw.Sphere(0.1), mass=1.0, position=(0, 0, 1.1), material=lw.Material())
    model.contact_pair("ball", "ground", restitution=0.5)
    run = lw.simulate(model, until=1.0, method="impulse", dt=1e-3)
    landed = int(np.argmax(run["ball.velocity"][:, 2] > 0.5))
    assert run["ball.position"][landed:, 2].max() == pytest.approx(0.1 + 0.25, abs=0.01)


def penknife(touching: bool) -> lw.Model:
    """A blade that falls on the handle that it is hinged to."""
    model = lw.Model("penknife")
    handle = model.body("handle", shape=lw.Box((0.2, 0.02, 0.02)), mass=1.0, material=lw.Material())
    blade = model.body(
        "blade", shape=lw.Box((0.2, 0.02, 0.02)), mass=0.1, position=(0.21, 0, 0.022), material=lw.Material()
    )
    model.fixed("table", "ground", handle)
    model.revolute("pin", handle, blade, at=(0.105, 0, 0.011), axis=(0, -1, 0), position=2.0)
    if touching:
        model.contact_pair(handle, blade)
    return model


@pytest.mark.parametrize("method", ["impulse", "maximal"])
def test_bodies_at_one_joint_collide_on_request(method: str) -> None:
    through = lw.simulate(penknife(False), until=1.0, method=method, dt=1e-3)
    assert through["pin.position"].max() > 4.0
    run = lw.simulate(penknife(True), until=1.0, method=method, dt=1e-3)
    # flat on the handle, 1 mm above it where they are parallel: half a turn less what its tip needs
    assert run["pin.position"].max() < np.pi + 0.02
    assert abs(run["pin.velocity"][-1]) < 1e-3


def test_model_files_keep_pairs(tmp_path: Path) -> None:
    model = slide(0.4, friction=0.15, restitution=0.2)
    model.contact_pair("ground", "brick", friction=0.05)
    model.write(tmp_path / "brick.toml")
    again, _ = lw.read(tmp_path / "brick.toml")
    assert again.content() == model.content()
    assert lw.assemble(again).tables.colliders.pair_friction.tolist() == [0.15, 0.05]


def test_model_files_keep_surfaces(tmp_path: Path) -> None:
    """To the last bit, in both formats."""
    model = lw.Model("surfaces")
    snow = lw.Material(friction=(0.1, 0.3), grain=(1, 2, 0), rolling=0.01, torsional=0.02)
    ball = lw.Material(restitution=0.5, bounce_speed=0.1)
    model.plane("field", material=snow)
    model.body("egg", shape=lw.Ellipsoid((0.1, 0.2, 0.3)), mass=1.0, position=(0, 0, 1), material=ball)
    model.material_pair(snow, ball, bounce_speed=0.2, rolling=0.0, torsional=0.1)
    for ending in ("toml", "json"):
        model.write(tmp_path / f"surfaces.{ending}")
        again, _ = lw.read(tmp_path / f"surfaces.{ending}")
        assert again.content() == model.content()
        assert again.colliders["field"].material == snow
    colliders = lw.assemble(again).tables.colliders
    assert colliders.pair_rolling.tolist() == [0.0]
    assert colliders.pair_bounce_speed.tolist() == [0.2]
    assert colliders.pair_friction.tolist() == [-1.0]


def test_other_methods_refuse_what_meets() -> None:
    with pytest.raises(lw.OptionError, match="contact"):
        lw.simulate(penknife(True), until=0.1, method="recursive")


def test_wrong_pairs_are_told() -> None:
    model = slide(0.4)
    with pytest.raises(lw.ModelError, match="brick.*twice"):
        model.contact_pair("brick", "brick")
    with pytest.raises(lw.ModelError, match="restitution is 2 but must be between 0 and 1"):
        model.contact_pair("brick", "ground", restitution=2.0)
    with pytest.raises(lw.ModelError, match="must be an lw.Material"):
        model.material_pair("steel", lw.Material())  # type: ignore[arg-type]
