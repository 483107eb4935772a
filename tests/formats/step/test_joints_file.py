"""NAME.joints.toml: written, edited, read again, and kept through new exports of the CAD file."""

import math
import shutil

import numpy as np
import pytest

import linkwork as lw

pytest.importorskip("OCP", reason='STEP files need OCP: pip install "linkwork[step]"')

from formats.step.machines import pin_and_slide, slider_crank

pytestmark = pytest.mark.usefixtures("here")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A STEP file with its joints beside it, read by the other process."""
    path = slider_crank(tmp_path_factory.mktemp("step") / "engine.step")
    model, _ = lw.read(path, density=7850)
    assert lw.suggest_joints(model).write() == path.with_name("engine.joints.toml")
    return path


@pytest.fixture
def step(written, tmp_path):
    """A copy of it."""
    for file in written.parent.iterdir():
        shutil.copy(file, tmp_path)
    return tmp_path / written.name


def edit(step, old, new, count=1):
    path = step.with_name("engine.joints.toml")
    text = path.read_text()
    assert text.count(old) >= 1
    path.write_text(text.replace(old, new, count))
    return path


def changes(receipt):
    return {(line.what, line.told.split(";")[0]) for line in receipt.approximated}


def test_what_was_written_is_read_beside_the_file(step):
    model, receipt = lw.read(step, density=7850)
    wanted, _ = lw.read(step, density=7850, joints=False)
    lw.suggest_joints(wanted).apply()
    assert model == wanted
    assert not receipt.approximated
    assert sum(line.place.startswith("engine.joints.toml, line") for line in receipt.understood) == 13


def test_it_may_lie_elsewhere(step, tmp_path):
    (tmp_path / "inner").mkdir()
    moved = step.with_name("engine.joints.toml").rename(tmp_path / "inner" / "mine.toml")
    assert not list(lw.read(step, density=7850)[0].all_joints())
    assert len(list(lw.read(step, density=7850, joints=moved)[0].all_joints())) == 13


def test_edits_count(step):
    edit(
        step,
        'name = "housing to crank"\nkind = "revolute"',
        'name = "main"\nkind = "revolute"\nvelocity = 5.0\ndamping = 0.1',
    )
    edit(step, 'name = "housing to cover"\nkind = "fixed"', 'name = "housing to cover"\nkind = "free"')
    path = edit(step, 'kind = "prismatic"', 'kind = "prismatic"\nlimits = [-0.1, 0.1]')
    with path.open("a") as file:
        file.write('\n[[joint]]\nkind = "ball"\na = "ground"\nb = "frame.cover"\nat = [0.1, 0, 0]\naccept = false\n')
    model, receipt = lw.read(step, density=7850)
    assert model["main"].damping == 0.1
    assert model["main"].velocity == (5.0,)
    assert model["housing to slider"].limits == (-0.1, 0.1)
    assert model["frame.housing to cover"].kind == "free"
    assert "not accepted" in [line.told for line in receipt.understood]
    assert not any(joint.kind == "ball" for joint in model.all_joints())


def test_renamed_parts_are_found_by_their_shape(step):
    before = lw.simulate(lw.read(step, density=7850)[0], until=0.05, dt=1e-3, method="recursive")
    slider_crank(step, names={"crank": "Kurbelwelle", "bolt": "M6", "rod": "Pleuel"}, unit="INCH", schema="AP242DIS")
    model, receipt = lw.read(step, density=7850)
    assert changes(receipt) == {
        ("part 'crank train.crank'", "is now called 'crank train.Kurbelwelle'"),
        ("part 'crank train.rod'", "is now called 'crank train.Pleuel'"),
        ("part 'frame.bolt:1'", "is now called 'frame.M6:1'"),
        ("part 'frame.bolt:2'", "is now called 'frame.M6:2'"),
    }
    after = lw.simulate(model, until=0.05, dt=1e-3, method="recursive")
    old, new = before["crank train.crank.position"], after["crank train.Kurbelwelle.position"]
    assert np.allclose(old, new, rtol=0, atol=1e-9)


def test_a_changed_part_takes_its_joints_along(step):
    slider_crank(step, throw=46.0)
    model, receipt = lw.read(step, density=7850)
    assert ("part 'crank train.crank'", "has another shape: 25.0687 cm3 became 26.2207 cm3") in changes(receipt)
    assert any(line.what == "part 'crank train.rod'" and "has moved" in line.told for line in receipt.approximated)
    x, z, slide = pin_and_slide(46.0)
    pin = model["crank train.crank to rod"]
    assert np.allclose(pin.at, (1e-3 * x, 0.01, 1e-3 * z), rtol=0, atol=1e-9)
    assert np.allclose(model["crank train.slider to rod"].at, (1e-3 * slide, 0.01, 0), rtol=0, atol=1e-9)
    run = lw.simulate(model, until=0.05, dt=1e-3, method="recursive")
    assert run.drift["position"].max() < 1e-12


def test_a_turned_crank_takes_its_joints_along(step):
    slider_crank(step, angle=math.radians(100))
    model, receipt = lw.read(step, density=7850)
    moved = {line.what for line in receipt.approximated if "has moved" in line.told}
    assert moved == {f"part 'crank train.{name}'" for name in ("crank", "rod", "piston.slider", "piston.pin")}
    x, z, _ = pin_and_slide(angle=math.radians(100))
    assert np.allclose(model["crank train.crank to rod"].at, (1e-3 * x, 0.01, 1e-3 * z), rtol=0, atol=1e-9)


def test_missing_and_new_parts_are_told(step):
    slider_crank(step, left_out=("cover",))
    model, receipt = lw.read(step, density=7850)
    told = changes(receipt)
    assert ("part 'frame.cover'", "is missing in this export") in told
    assert ("joint 'housing to cover'", "left out, because part 'frame.cover' is missing") in told
    assert len(list(model.all_joints())) == 12
    # the other way round: what was missing is new, and its joints can be added to the file
    file = step.with_name("engine.joints.toml")
    file.unlink()
    lw.suggest_joints(lw.read(step, density=7850)[0]).write()
    edit(step, 'kind = "prismatic"', 'kind = "prismatic"\nfriction = 2.5')
    slider_crank(step)
    model, receipt = lw.read(step, density=7850)
    assert ("part 'frame.cover'", "is new") in changes(receipt)
    lw.suggest_joints(model).write()
    model, receipt = lw.read(step, density=7850)
    assert not receipt.approximated
    assert model["frame.housing to cover"].kind == "fixed"
    assert model["housing to slider"].friction == 2.5
    assert len(list(model.all_joints())) == 13


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('kind = "prismatic"', 'kind = "prismtic"', r"line \d+: there is no joint of kind 'prismtic'.*prismatic"),
        ('kind = "prismatic"', 'kind = "prismatic"\nfrction = 1', r"line \d+: unknown key 'frction'.*friction"),
        ('kind = "prismatic"', "kind = 3", r"line \d+: kind must be a text"),
        ('kind = "prismatic"', 'kind = "prismatic', r"engine.joints.toml: it is not TOML: .*line \d+"),
        ('a = "ground"', 'a = "plinth"', r"line 6: there is no part 'plinth'"),
        ("version = 1", "version = 2", r"line 4: version is 2"),
        ("accept = true", "accept = 1", r"line \d+: accept must be true or false"),
        ("axis = [1.0, 0.0, 0.0]", "axis = [0, 0, 0]", r"line \d+: axis is zero"),
        ("volume = ", "volume = -", r"line \d+: volume must be a positive number"),
        ('kind = "prismatic"', 'kind = "prismatic"\nlimits = [1, 0]', r"line \d+: .*limits"),
        ("version = 1", "version = 1\nunits = 3", r"line 5: unknown key 'units'"),
    ],
)
def test_errors_name_the_line(step, old, new, told):
    edit(step, old, new)
    with pytest.raises(lw.ModelError, match=told) as caught:
        lw.read(step, density=7850)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("engine.joints.toml")
