"""The replay page as a text: what goes into it, and the sentences when it cannot be made."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest
from typer.testing import CliRunner

import linkwork as lw
from linkwork.assembly.assemble import assemble
from linkwork.cli import app
from linkwork.model.contact.collider import Plane
from linkwork.simulation.analysis.dynamics import forward_kinematics
from linkwork.simulation.results.judging.certificate import Certificate
from linkwork.simulation.results.scene.scene import scene_of
from linkwork.simulation.results.trajectory import Trajectory
from linkwork.simulation.starts.start import consistent_start
from linkwork.viewer.replay.replay import inline, page
from linkwork.viewer.scene_shapes import scene_solid
from linkwork.viewer.staging import Stage
from page_data import data_of

pytestmark = pytest.mark.usefixtures("bundled")


def test_the_page_asks_nobody_for_anything(swing):
    text = page(swing())
    assert "default-src 'none'" in text
    assert "connect-src 'none'" in text
    assert not re.search(r"https?://|src=|@import|fetch\(|XMLHttpRequest|import\(", text)
    assert re.findall(r'<link rel="icon" href="(.{4})', text) == re.findall(r'<link.*href="(.{4})', text) == ["data"]


def test_a_name_cannot_end_the_script(swing):
    text = page(swing())
    assert text.count("</script>") == 3
    assert data_of(text)["title"] == "swing </script> & <b>"


def test_poses_are_those_of_the_run(swing):
    run = swing()
    facts = data_of(page(run))["runs"][0]
    assert [body["name"] for body in facts["bodies"]] == ["block", "arm", "ball"]
    np.testing.assert_array_equal(facts["time"], run.time)
    poses = facts["poses"].reshape(len(run), 3, 7)
    np.testing.assert_allclose(poses[:, 1, :3], run["arm.position"], atol=1e-6)
    np.testing.assert_allclose(poses[:, 1, 3:], run["arm.rotation"], atol=1e-6)


def test_long_runs_are_thinned_evenly_and_keep_their_ends(swing):
    time = data_of(page(swing(rows=40_001)))["runs"][0]["time"]
    assert len(time) == 900
    assert (time[0], time[-1]) == (0.0, 4.0)
    assert np.ptp(np.diff(time)) < 2.1e-4  # the rows stand 1e-4 s apart


def test_two_rows_at_one_time_are_one_frame(swing):
    time = np.array([0.0, 1.0, 1.0, 2.0])
    rows = swing(rows=4)
    run = swing(rows=4, time=time, columns=dict(rows.columns))
    np.testing.assert_array_equal(data_of(page(run))["runs"][0]["time"], [0.0, 1.0, 2.0])


def test_a_file_is_replayed_without_its_model(swing, tmp_path):
    run = swing()
    run.save(tmp_path / "run.npz")
    again = lw.load_run(tmp_path / "run.npz")
    assert again == run
    assert again.scene == run.scene
    assert page(again) == page(run)


def test_the_command_writes_a_page(swing, tmp_path):
    swing().save(tmp_path / "a.npz")
    swing(0.5).save(tmp_path / "b.npz")
    files = [str(tmp_path / name) for name in ("a.npz", "b.npz", "both.html")]
    done = CliRunner().invoke(app, ["replay", *files, "--label", "one", "--label", "other", "--title", "Two"])
    assert done.exit_code == 0, done.output
    data = data_of((tmp_path / "both.html").read_text(encoding="utf-8"))
    assert data["title"] == "Two"
    assert [run["label"] for run in data["runs"]] == ["one", "other"]
    assert data["runs"][0]["tint"] != data["runs"][1]["tint"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["a.npz"], "give the page to write as well"),
        (["a.npz", "b.npz"], "give the page to write as well"),
        (["missing.npz", "page.html"], "there is no file missing.npz"),
        (["a.npz", "page.txt"], "unknown suffix '.txt'"),
    ],
)
def test_the_command_refuses(arguments, sentence, swing, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    swing(rows=3).save("a.npz")
    done = CliRunner().invoke(app, ["replay", *arguments])
    assert done.exit_code == 2
    assert sentence in done.stderr


def test_what_cannot_be_shown_is_named(swing):
    run = swing()
    poses = {name: values for name, values in run.columns.items() if name != "arm.rotation"}
    with pytest.raises(lw.OptionError, match="did not record where body 'arm' is"):
        page(swing(columns=poses))
    with pytest.raises(lw.OptionError, match="does not hold the shapes"):
        page(swing(scene=None))
    with pytest.raises(lw.OptionError, match="2 labels were given for 1 run"):
        page(run, labels=["a", "b"])
    with pytest.raises(lw.OptionError, match="cannot be told apart"):
        page([run] * 5)
    with pytest.raises(lw.OptionError, match="replay shows a run"):
        page(42)


def test_struts_reach_what_lies_outside_a_shape(swing):
    stage = Stage(swing())
    kinds = [[shape["kind"] for shape in body["shapes"]] for body in stage.bodies()]
    assert kinds == [["box"], ["capsule"], ["sphere"]]  # all is held within the shapes
    bare = lw.Model("bare")
    rod = bare.body("rod", mass=1, inertia=(1, 1, 1), com=(0.5, 0, 0))
    bare.revolute("pin", bare.ground, rod, at=(0, 0, 0), axis=(0, 1, 0))
    columns = {"rod.position": [[0.0, 0, 0]], "rod.rotation": [[1.0, 0, 0, 0]]}
    facts = Certificate(method="")
    run = Trajectory([0.0], columns, {}, certificate=facts, model_name="bare", scene=scene_of(bare))
    ball, strut = Stage(run).bodies()[0]["shapes"]
    assert (ball["kind"], ball["position"]) == ("sphere", [0.5, 0, 0])
    assert (strut["from"], strut["to"]) == ([0.5, 0, 0], [0, 0, 0])


def test_moving_grounds_carry_their_springs():
    model = lw.Model("shaker")
    table = model.moving_ground("table", lw.Motion(position=(0, 0, lw.Cosine(0.1, 1.0))))
    bob = model.body("bob", mass=1, shape=lw.Sphere(0.1), position=(0, 0, -1))
    model.spring("spring", table, bob, stiffness=10, length=0.5)
    t = np.linspace(0, 1, 101)
    columns = {"bob.position": np.outer(t, (0, 0, -1.0)), "bob.rotation": np.tile([1.0, 0, 0, 0], (101, 1))}
    facts = Certificate(method="")
    run = Trajectory(t, columns, {}, certificate=facts, model_name="shaker", scene=scene_of(model, 1.0))
    stage = Stage(run)
    assert stage.names == ["bob", "table"]
    assert (stage.springs()[0]["a"], stage.springs()[0]["b"]) == (1, 0)
    np.testing.assert_allclose(stage.poses([0, 25, 50])[:, 1, 2], [0.1, 0.0, -0.1], atol=2e-3)


@pytest.mark.parametrize("name", lw.gallery.names())
def test_every_piece_can_be_shown(name):
    model = lw.gallery.piece(name).build()
    system = assemble(model)
    poses = forward_kinematics(system, consistent_start(system).q)
    columns = {}
    for body in model.all_bodies():
        columns[f"{body.path}.position"], columns[f"{body.path}.rotation"] = ([part] for part in poses[body.path])
    facts = Certificate(method="")
    run = Trajectory([0.0], columns, {}, certificate=facts, model_name=name, scene=scene_of(model))
    view = data_of(page(run))["view"]
    assert 0.01 < view["radius"] < 100
    stage = Stage(run)
    assert all(body["shapes"] for body in stage.bodies()[: len(list(model.all_bodies()))])
    assert len(stage.springs()) == len(stage.scene["springs"])
    if any(isinstance(collider.shape, Plane) for collider in model.all_colliders()):
        assert view["floor"] == 0.0  # where the plane is
    if name == "rover":  # the camera is for the robot of 1 m and not for the course before it
        assert stage.fixed_bodies == {"kerb", "step 1", "step 2", "step 3", "step 4"}
        assert view["radius"] < 1.0


def test_a_file_of_ten_seconds_and_fifty_bodies_is_small(tmp_path):
    """Fifty balls that fall, spin and bounce, with velocities: nothing in it repeats."""
    model = lw.Model("fifty")
    for k in range(50):
        model.body(f"ball {k}", mass=1.0, shape=lw.Sphere(0.1), position=(k % 7, k // 7, 1))
    rng = np.random.default_rng(3)
    t = np.linspace(0, 10, 10_001)
    columns = {}
    for k in range(50):
        period = rng.uniform(0.5, 1.1)
        fall = (t + rng.uniform(0, 1)) % period
        height = 0.1 + 4.905 * fall * (period - fall)
        drift = rng.normal(size=2)
        place = np.stack([k % 7 + drift[0] * np.sin(t), k // 7 + drift[1] * np.cos(0.7 * t), height], axis=1)
        axis = rng.normal(size=3)
        half = rng.uniform(1, 4) * t[:, None] / 2
        turn = np.hstack([np.cos(half), np.sin(half) * axis / np.linalg.norm(axis)])
        speed = np.gradient(place, t, axis=0)
        columns |= {f"ball {k}.position": place, f"ball {k}.rotation": turn, f"ball {k}.velocity": speed}
    facts = Certificate(method="impulse")
    run = Trajectory(t, columns, {}, certificate=facts, model_name="fifty", scene=scene_of(model))
    run.replay(tmp_path / "fifty.html")
    assert (tmp_path / "fifty.html").stat().st_size < 1_200_000
    data = data_of((tmp_path / "fifty.html").read_text(encoding="utf-8"))["runs"][0]
    assert len(data["time"]) == 900
    rows = np.searchsorted(t, data["time"])
    for k in (0, 49):
        np.testing.assert_allclose(data["poses"][:, 7 * k : 7 * k + 3], columns[f"ball {k}.position"][rows], atol=1e-5)
    assert "ball 0.velocity" in data["columns"]


def test_columns_are_those_of_the_run_and_old_files_have_no_masses(swing):
    run = swing()
    facts = data_of(page(run))["runs"][0]
    np.testing.assert_allclose(facts["columns"]["energy.balance"]["data"][:, 0], run.energy["balance"], atol=1e-13)
    assert facts["columns"]["ball.position"] == {"labels": ["x", "y", "z"], "unit": "m"}  # the poses have it
    assert facts["trust"]["light"] == "good"
    assert facts["bodies"][0]["mass"] == 1.0
    for body in run.scene["bodies"]:
        body.pop("mass")
    assert "mass" not in data_of(page(run))["runs"][0]["bodies"][0]


def test_a_poor_run_says_why(swing):
    doubtful = Certificate(method="recursive", drift_relative=0.05)
    trust = data_of(page(swing(certificate=doubtful)))["runs"][0]["trust"]
    assert trust["light"] == "poor"
    assert "the loops drift by 0.05" in trust["reasons"][0]
    near = Certificate(method="recursive", drift_relative=5e-4)
    assert data_of(page(swing(certificate=near)))["runs"][0]["trust"]["light"] == "watch"


def test_a_frame_for_notebooks_holds_the_page_as_one_attribute(swing):
    found = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attributes: found.append((tag, dict(attributes)))
    text = page(swing(rows=3))
    parser.feed(inline(text))
    assert [tag for tag, _ in found] == ["iframe"]
    assert found[0][1]["srcdoc"] == text


def test_roads_are_strips_under_the_tyres():
    """A wheel goes along x over a ramp from 1 to 2 m: the strip is as high as the road there, seen from above."""
    model = lw.Model("cart")
    wheel = model.body("wheel", mass=1.0, shape=lw.Cylinder(0.3, 0.1), position=(0, 0, 0.3))
    model.tyre("tyre", wheel, radius=0.3, stiffness=1e4, road=lw.Ramp(at=1.0, height=0.5, length=1.0))
    x = np.linspace(0, 4, 9)
    columns = {"wheel.position": np.stack([x, 0 * x, 0 * x + 0.3], axis=1), "wheel.rotation": np.eye(4)[[0] * 9]}
    scene = scene_of(model, 1.0, columns)
    run = Trajectory(x, columns, {}, certificate=Certificate(method=""), model_name="cart", scene=scene)
    (road,) = data_of(page(run))["runs"][0]["roads"]
    corners = road["triangles"].reshape(-1, 3, 3)
    assert corners[..., 0].min() == pytest.approx(-0.9)
    assert corners[..., 0].max() == pytest.approx(4.9)
    points = corners.reshape(-1, 3)
    np.testing.assert_allclose(points[:, 2], [ramp(p[0]) for p in points], atol=2e-4)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert np.all(normals[:, 2] > 0)
    ahead = scene_of(model, 1.0, columns, ahead=1.0)["roads"][0]
    assert ahead["x"][-1] == pytest.approx(8.9)


def ramp(x):
    return 0.5 * min(max(x - 1.0, 0.0), 1.0)


def test_what_stands_on_the_ground_is_drawn():
    model = lw.Model("yard")
    model.body("ball", mass=1.0, shape=lw.Sphere(0.1), position=(0, 0, 1))
    model.plane("floor")
    model.collider("kerb", "ground", lw.Box((1, 2, 0.2), pose=lw.Frame((3, 0, 0.1))))
    model.collider("hills", "ground", lw.HeightField([[0.0, 0.1, 0.0], [0.2, 0.3, 0.1]], size=(1.0, 2.0)))
    floor, kerb, hills = scene_of(model)["fixtures"]
    assert floor["kind"] == "plane"
    assert (kerb["kind"], kerb["size"], kerb["position"]) == ("box", [1.0, 2.0, 0.2], [3.0, 0.0, 0.1])
    corners = np.array(hills["triangles"])
    assert corners.shape == (4, 3, 3)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert np.all(normals[:, 2] > 0)
    highest = corners.reshape(-1, 3)[np.argmax(corners[..., 2])]
    np.testing.assert_allclose(highest, (0.5, 0.0, 0.3))  # rows go along x


def test_planes_are_sheets_under_what_is_seen_but_for_the_floor():
    model = lw.Model("slope")
    model.body("ball", mass=1.0, shape=lw.Sphere(0.1), position=(4, 0, 1))
    model.plane("floor")
    model.plane("ramp", normal=(-0.6, 0, 0.8), at=(4, 0, 0.5))
    [ramp] = Stage(lw.simulate(model, until=0.01, method="impulse", dt=0.01)).roads()
    corners = scene_solid([ramp]).corners.reshape(-1, 3)
    np.testing.assert_allclose(corners @ (-0.6, 0, 0.8), -0.6 * 4 + 0.8 * 0.5, atol=1e-12)
    assert np.all(corners.min(axis=0)[:2] < (4, 0))
    assert np.all(corners.max(axis=0)[:2] > (4, 0))


def test_colliders_of_bodies_and_of_grounds_in_motion_are_drawn():
    model = lw.Model("belt")
    belt = model.moving_ground("belt", lw.Motion(position=(lw.Cosine(0.3, frequency=0.3), 0, 0)))
    model.collider("band", belt, lw.Box((0.8, 0.3, 0.05)))
    stool = model.body("stool", mass=5.0, inertia=(1, 1, 1), position=(0, 0, 1))
    model.collider("seat", stool, lw.Box((0.4, 0.4, 0.05)))
    model.collider("leg", stool, lw.Cylinder(0.03, 0.4, pose=lw.Frame((0, 0, -0.2))))
    model.body("ball", mass=1.0, shape=lw.Sphere(0.1), position=(0, 2, 1), material=lw.Material())
    model.collider("again", "ball", lw.Sphere(0.1))
    model.body("statue", mass=1.0, shape=lw.Capsule(0.1, 0.4), position=(0, 4, 1))
    model.collider("hull", "statue", lw.Box((0.2, 0.2, 0.6)))  # stands in for what is looked at
    run = lw.simulate(model, until=0.01, method="impulse", dt=0.01)
    shown = {body["name"]: [shape["kind"] for shape in body["shapes"]] for body in Stage(run).bodies()}
    assert shown == {"stool": ["box", "cylinder"], "ball": ["sphere"], "statue": ["capsule"], "belt": ["box"]}
    assert data_of(page(run))["runs"][0]["bodies"][3]["shapes"][0]["size"] == [0.8, 0.3, 0.05]
