"""Joints of whole machines: the right ones and none too many, and machines that run at once."""

import numpy as np
import pytest

import linkwork as lw

pytest.importorskip("OCP", reason='STEP files need OCP: pip install "linkwork[step]"')

from formats.step.machines import pin_and_slide, slider_crank, stacked_machine

JOINTS = {
    ("fixed", "ground", "frame.housing"),
    ("fixed", "frame.housing", "frame.bolt:1"),
    ("fixed", "frame.housing", "frame.bolt:2"),
    ("fixed", "frame.housing", "frame.cover"),
    ("fixed", "frame.housing", "bearing 1.outer ring"),
    ("fixed", "frame.housing", "bearing 2.outer ring"),
    ("fixed", "crank train.crank", "bearing 1.inner ring"),
    ("fixed", "crank train.crank", "bearing 2.inner ring"),
    ("fixed", "crank train.piston.slider", "crank train.piston.pin"),
    ("revolute", "frame.housing", "crank train.crank"),
    ("revolute", "crank train.crank", "crank train.rod"),
    ("revolute", "crank train.piston.slider", "crank train.rod"),
    ("prismatic", "frame.housing", "crank train.piston.slider"),
}

pytestmark = pytest.mark.usefixtures("here")


@pytest.mark.parametrize(("unit", "schema"), [("MM", "AP214IS"), ("INCH", "AP242DIS")])
def test_the_joints_of_a_slider_crank(tmp_path, unit, schema):
    model, _ = lw.read(slider_crank(tmp_path / "crank.step", unit=unit, schema=schema), density=7850)
    found = lw.suggest_joints(model)
    assert {(each.kind, each.a, each.b) for each in found} == JOINTS
    assert len(found) == len(JOINTS)
    assert all(each.accept and each.confidence >= 0.7 for each in found)
    assert not found.loose
    x, z, _ = pin_and_slide()
    rod = found["crank to rod"]
    assert np.allclose(rod.at, (1e-3 * x, 0.01, 1e-3 * z), rtol=0, atol=1e-12)
    assert np.allclose(rod.axis, (0, 1, 0), rtol=0, atol=1e-12)
    assert np.allclose(found["housing to slider"].axis, (1, 0, 0), rtol=0, atol=1e-12)
    assert rod.faces == tuple(dict.fromkeys(rod.faces))
    assert any("shaft" in face and "bore" in face for face in rod.faces)


def test_it_runs_at_once(tmp_path):
    path = slider_crank(tmp_path / "crank.step")
    model, receipt = lw.read(path, density=7850, suggest=True)
    assert sum("suggested by geometry" in line.told for line in receipt.approximated) == len(JOINTS)
    assert model["crank train.crank to rod"].owner is model["crank train"]
    assert model["housing to crank"].owner is model
    assert lw.check(model).degrees_of_freedom == 1
    for method in ("recursive", "absolute"):
        run = lw.simulate(model, until=0.3, dt=1e-3, method=method)
        energy = run.energy["total"]
        assert np.ptp(run["crank train.crank.rotation"][:, 0]) > 0.05
        assert np.ptp(energy) < 1e-8 * np.ptp(run.energy["potential"]) + 1e-8
        assert run.drift["position"].max() < 1e-12
    rod, slider = (run[f"crank train.{name}.position"] for name in ("rod", "piston.slider"))
    assert np.allclose(slider[:, 2], 0.0, atol=1e-12)
    assert np.allclose(np.hypot(*(rod - slider)[:, [0, 2]].T), 0.12, rtol=0, atol=1e-10)


def test_the_table_and_the_ground(tmp_path):
    model, _ = lw.read(slider_crank(tmp_path / "crank.step"), density=7850)
    told = str(lw.suggest_joints(model))
    assert told.startswith("13 joints suggested, 13 accepted\n")
    assert "on the ground: frame.housing (by its name; ground= chooses another)" in told
    assert "revolute" in told
    other = lw.suggest_joints(model, ground="cover")
    assert other.ground == ["frame.cover"]
    with pytest.raises(lw.OptionError, match="ground='plinth' fits no part"):
        lw.suggest_joints(model, ground="plinth")
    other["crank to rod"].accept = False
    assert other.loose == ["crank train.rod"] or not other.loose
    with pytest.raises(lw.OptionError, match="there is no suggestion"):
        other["crank to nothing"]


def test_bodies_with_joints_keep_them(tmp_path):
    model, _ = lw.read(slider_crank(tmp_path / "crank.step"), density=7850)
    lw.suggest_joints(model).apply()
    assert len(lw.suggest_joints(model)) == 0


def test_geometry_of_a_model_from_elsewhere(tmp_path):
    path = slider_crank(tmp_path / "crank.step")
    model, _ = lw.read(path, density=7850)
    other = lw.Model("other")
    with pytest.raises(lw.OptionError, match="give file= the STEP file"):
        lw.suggest_joints(other)
    with pytest.raises(lw.OptionError, match="is no body of model 'other'"):
        lw.suggest_joints(other, path)
    assert len(lw.suggest_joints(model, path)) == len(JOINTS)


def test_many_parts_and_redundant_mates_just_run(tmp_path):
    """43 parts and more than 95 mates, nearly all of them redundant."""
    path = stacked_machine(tmp_path / "machine.step")
    model, _ = lw.read(path, density=7850)
    assert sum(1 for _ in model.all_bodies()) == 43
    few, many = lw.suggest_joints(model), lw.suggest_joints(model, redundant=True)
    assert len(few) == 44
    assert len(many) > 95
    assert sum(each.kind != "fixed" for each in few) == 4
    many.apply()
    assert lw.check(model).degrees_of_freedom == 1
    run = lw.simulate(model, until=0.05, dt=1e-3, method="recursive")
    assert run.drift["position"].max() < 1e-12
    assert np.ptp(run.energy["total"]) < 1e-8
    minimal, _ = lw.read(path, density=7850)
    lw.suggest_joints(minimal).apply()
    other = lw.simulate(minimal, until=0.05, dt=1e-3, method="recursive")
    column = "crank train.crank.angular_velocity"
    assert np.allclose(run[column], other[column], rtol=0, atol=1e-8)


def test_a_picture_of_them(tmp_path):
    pytest.importorskip("matplotlib", reason="pictures need matplotlib")
    model, _ = lw.read(slider_crank(tmp_path / "crank.step"), density=7850)
    found = lw.suggest_joints(model)
    figure = found.picture(tmp_path / "joints.png", size=(4.0, 3.0))
    texts = {text.get_text() for text in figure.axes[0].texts}
    assert {str(k + 1) for k in range(13)} <= texts
    assert {"revolute: 3", "fixed: 9", "prismatic: 1"} <= texts
    assert (tmp_path / "joints.png").stat().st_size > 10_000
