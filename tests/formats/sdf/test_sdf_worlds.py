"""Worlds, links, shapes and includes of SDF, and what the receipt says of them."""

import numpy as np
import pytest

import linkwork as lw

BALL = "<geometry><sphere><radius>0.1</radius></sphere></geometry>"


def read(tmp_path, text, version="1.9", **options):
    file = tmp_path / "world.sdf"
    file.write_text(f"<sdf version='{version}'>\n{text}\n</sdf>")
    return lw.read(file, **options)


def told(receipt, heading):
    return [str(line) for line in getattr(receipt, heading)]


WORLD = f"""<world name='yard'><gravity>0 0 -1.62</gravity><physics type='ode'/><light name='sun'/><scene/>
<plugin name='p' filename='f'/>
<model name='floor'><static>1</static><pose>0 0 -0.5 0 0 0</pose><link name='slab'><pose>1 0 0 0 0 0</pose>
  <collision name='top'><geometry><plane><normal>0 0 1</normal></plane></geometry>
    <surface><friction><ode><mu>0.7</mu><mu2>0.7</mu2></ode></friction></surface></collision>
  <collision name='step'><pose>0 2 0 0 0 0</pose><geometry><box><size>1 2 3</size></box></geometry></collision>
  <visual name='top'><geometry><plane><size>9 9</size></plane></geometry>
    <material><diffuse>0.2 0.4 0.6 1</diffuse></material></visual></link></model>
<model name='ball'><pose>0 0 2 0 0 0</pose><link name='ball'><inertial><mass>2</mass><inertia><ixx>0.1</ixx>
  <iyy>0.1</iyy><izz>0.1</izz></inertia></inertial><collision name='c'>{BALL}<surface><bounce>
  <restitution_coefficient>0.5</restitution_coefficient><threshold>0.05</threshold></bounce></surface></collision>
  <sensor name='imu' type='imu'/></link></model>
<joint name='rope' type='ball'><parent>floor::slab</parent><child>ball::ball</child></joint>
</world>"""


def test_a_world(tmp_path):
    model, receipt = read(tmp_path, WORLD)
    assert model.name == "yard"
    assert model.gravity.tolist() == [0, 0, -1.62]
    assert list(model.subsystems) == ["floor", "ball"]
    assert model["ball.ball"].mass == 2.0
    top, step, ball = (model[name] for name in ("floor.slab top", "floor.slab step", "ball.ball c"))
    assert (top.material.friction, ball.material.restitution, ball.material.friction) == (0.7, 0.5, 1.0)
    assert step.body is model.floor.ground
    assert (model.floor.world @ step.shape.pose).position.tolist() == [1.0, 2.0, -0.5]
    assert model["floor.slab top"].shape.pose.position.tolist() == [1.0, 0.0, 0.0]
    assert model["floor.slab top visual"].colour == (0.2, 0.4, 0.6, 1.0)
    rope = model["rope"]
    assert (rope.a, rope.b, rope.at.tolist()) == (model.ground, model["ball.ball"], [0, 0, 2])
    assert not receipt.lost
    others = ["<light name='sun'>", "<physics>", "<plugin name='p'>", "<scene>", "<sensor name='imu'>"]
    assert sorted(line.what for line in receipt.ignored) == others


def test_a_ball_falls_on_the_floor(tmp_path):
    text = WORLD.replace("<joint name='rope'", "<joint name='rope' off='1'").split("<joint")[0] + "</world>"
    model, _ = read(tmp_path, text)
    run = lw.simulate(model, until=6.0, dt=2e-3, method="impulse")
    assert run["ball.ball.position"][-1, 2] == pytest.approx(-0.4, abs=2e-3)  # the radius above the plane at -0.5


def test_one_model_in_a_world_is_the_model(tmp_path):
    text = "<world name='w'><model name='cart'><pose>1 2 3 0 0 0</pose><link name='body'/></model></world>"
    model, _ = read(tmp_path, text)
    assert (model.name, list(model.bodies), model.subsystems) == ("cart", ["body"], {})
    assert model["body"].reference.position.tolist() == [1, 2, 3]
    assert model.gravity.tolist() == [0, 0, -9.8]  # the default of SDF


def test_what_the_model_cannot_hold_is_refused_with_its_line(tmp_path):
    link = "<link name='a'><gravity>0</gravity><kinematic>true</kinematic>\n<velocity_decay><linear>0.1</linear>"
    link += "</velocity_decay></link>\n<gripper name='g'/>\n<odd>1</odd>"
    text = f"<model name='m'>{link}</model>"
    with pytest.raises(lw.ModelError, match="world.sdf: not understood: <gravity> of link 'a' .line 2."):
        read(tmp_path, text)
    _, receipt = read(tmp_path, text, strict=False)
    assert [line.what for line in receipt.lost] == [
        "<gravity> of link 'a'",
        "<kinematic> of link 'a'",
        "<velocity_decay> of link 'a'",
        "<gripper name='g'>",
        "<odd>",
    ]
    assert receipt.lost[-1].place == "line 5"


def test_inertias(tmp_path):
    inertia = "<inertia><ixx>1</ixx><iyy>2</iyy><izz>2.5</izz><ixy>0.1</ixy></inertia>"
    pose = "<pose degrees='1'>1 2 3 0 0 90</pose>"
    link = f"<link name='a'><inertial>{pose}<mass>3</mass>{inertia}</inertial></link>"
    text = f"<model name='m'>{link}<link name='b'/></model>"
    model, receipt = read(tmp_path, text)
    assert (model["a"].mass, model["a"].com.tolist()) == (3.0, [1, 2, 3])
    assert np.abs(model["a"].inertia - [[2, -0.1, 0], [-0.1, 1, 0], [0, 0, 2.5]]).max() < 1e-15
    assert (model["b"].mass, model["b"].inertia.tolist()) == (1.0, np.eye(3).tolist())
    assert told(receipt, "approximated") == [
        "link 'b' (line 2): it has no <inertial>: 1 kg and 1 kg m2, the default of SDF"
    ]
    wrong = text.replace("2.5", "5")
    with pytest.raises(lw.ModelError, match="link 'a' .line 2.: no body has the principal inertias"):
        read(tmp_path, wrong)
    repaired, receipt = read(tmp_path, wrong, repair=True)
    assert "repaired to the nearest" in str(receipt)
    low, middle, high = np.linalg.eigvalsh(repaired["a"].inertia)
    assert low + middle >= high * (1 - 1e-12)


def test_masses_from_colliders(tmp_path):
    box = "<collision name='b'><pose>1 0 0 0 0 0</pose><geometry><box><size>1 2 3</size></box></geometry></collision>"
    ball = "<collision name='s'><density>30</density>"
    ball += "<geometry><sphere><radius>0.5</radius></sphere></geometry></collision>"
    auto = "<model name='m'><link name='a'><inertial auto='true'><density>20</density></inertial>{}</link></model>"
    model, receipt = read(tmp_path, auto.format(box + ball), "1.11")
    heavy, light = 20 * 6.0, 30 * 4 / 3 * np.pi / 8
    body, x = model["a"], heavy / (heavy + light)
    assert body.mass == pytest.approx(heavy + light, rel=1e-15)
    assert body.com == pytest.approx([x, 0, 0], rel=1e-15)
    round_about = 0.4 * light * 0.25
    expected = [heavy * 13 / 12 + round_about]
    expected += [heavy * part / 12 + round_about + heavy * (1 - x) ** 2 + light * x**2 for part in (10, 5)]
    assert body.inertia.diagonal() == pytest.approx(expected, rel=1e-14)
    assert not receipt.lost
    for colliders in ("", "<collision name='c'><geometry><heightmap/></geometry></collision>"):
        with pytest.raises(lw.ModelError, match="<inertial auto> of link 'a'"):
            read(tmp_path, auto.format(colliders), "1.11")


SHAPES = [
    ("<box><size>1 2 3</size></box>", lw.Box((1, 2, 3))),
    ("<sphere><radius>2</radius></sphere>", lw.Sphere(2.0)),
    ("<cylinder><radius>1</radius><length>3</length></cylinder>", lw.Cylinder(1.0, 3.0)),
    ("<capsule><radius>1</radius><length>3</length></capsule>", lw.Capsule(1.0, 3.0)),
    ("<ellipsoid><radii>1 1 1</radii></ellipsoid>", lw.Sphere(1.0)),
    ("<ellipsoid><radii>1 2 3</radii></ellipsoid>", lw.Ellipsoid((1, 2, 3))),
]


@pytest.mark.parametrize(("text", "shape"), SHAPES)
def test_shapes(tmp_path, text, shape):
    parts = f"<collision name='c'><geometry>{text}</geometry></collision>"
    parts += f"<visual name='v'><geometry>{text}</geometry></visual>"
    model, receipt = read(tmp_path, f"<model name='m'><link name='a'>{parts}</link></model>")
    assert model.colliders["a c"].shape == shape
    assert model.visuals["a v visual"].shape == shape
    assert not receipt.ignored
    bare, receipt = read(tmp_path, f"<model name='m'><link name='a'>{parts}</link></model>", contact=False)
    assert not bare.colliders
    assert [line.told for line in receipt.ignored] == ["contact=False"]


def test_surfaces(tmp_path):
    """The threshold of bounces, and torsion of a patch with a radius, are those of the file."""
    surface = """<surface><friction><ode><mu>0.7</mu></ode><torsional><coefficient>0.5</coefficient>
      <patch_radius>0.02</patch_radius></torsional></friction>
      <bounce><restitution_coefficient>0.5</restitution_coefficient><threshold>0.3</threshold></bounce></surface>"""
    body = f"<link name='a'><collision name='c'>{BALL}{surface}</collision></link>"
    model, receipt = read(tmp_path, f"<model name='m'>{body}</model>")
    material = model.colliders["a c"].material
    assert material.torsional == pytest.approx(3 * np.pi / 16 * 0.02 * 0.5)
    assert (material.friction, material.restitution, material.bounce_speed) == (0.7, 0.5, 0.3)
    assert not receipt.ignored


def test_shapes_without_a_counterpart(tmp_path):
    parts = "".join(
        f"<collision name='{kind}'><geometry>{text}</geometry></collision>"
        for kind, text in (
            ("cone", "<cone><radius>0.3</radius><length>1</length></cone>"),
            ("hills", "<heightmap><uri>a.png</uri></heightmap>"),
            ("line", "<polyline><height>1</height></polyline>"),
            ("plane", "<plane><normal>0 0 1</normal></plane>"),
        )
    )
    model, receipt = read(tmp_path, f"<model name='m'><link name='a'>{parts}</link></model>", strict=False)
    cone = model.colliders["a cone"].shape
    assert isinstance(cone, lw.Hull)
    assert np.abs(np.array(cone.points)).max(axis=0) == pytest.approx([0.3, 0.3, 0.5], rel=0.05)
    assert len(cone.points) <= 40
    lost = [line.what for line in receipt.lost]
    assert lost == ["collision 'hills': <heightmap>", "collision 'line': <polyline>", "collision 'plane'"]
    assert sum("convex hull" in line.told for line in receipt.approximated) == 1


def test_self_collision_as_the_file_says(tmp_path):
    def groups(said, **options):
        links = "".join(f"<link name='{name}'><collision name='c'>{BALL}</collision></link>" for name in "ab")
        model, _ = read(tmp_path, f"<model name='m'>{said}{links}</model>", **options)
        return [collider.group for collider in model.colliders.values()]

    assert groups("") == ["m", "m"]
    assert groups("<self_collide>1</self_collide>") == [None, None]
    assert groups("<self_collide>1</self_collide>", self_collision=False) == ["m", "m"]
    assert groups("", self_collision=True) == [None, None]


def put(folder, name, text):
    (folder / name).mkdir(parents=True)
    (folder / name / "model.sdf").write_text(f"<sdf version='1.4'><model name='{name}'>{text}</model></sdf>")


def test_includes(tmp_path, monkeypatch):
    put(tmp_path / "there", "hand", "<link name='palm'/><link name='thumb'/>")
    put(tmp_path, "foot", "<pose>9 9 9 0 0 0</pose><link name='sole'/>")
    include = "<include><uri>model://hand</uri><name>left</name><pose relative_to='arm'>0 0 1 0 0 0</pose></include>"
    include += (
        "<include><uri>foot</uri></include><include merge='true'><uri>foot/model.sdf</uri><name>f</name></include>"
    )
    text = f"<model name='m'><link name='arm'><pose>1 0 0 0 0 0</pose></link>{include}</model>"
    with pytest.raises(lw.ModelError, match="in none of the folders that are known; give packages="):
        read(tmp_path / "foot" / "..", text)
    for options in ({"packages": tmp_path / "there"}, {"packages": {"hand": tmp_path / "there" / "hand"}}, {}):
        monkeypatch.setenv("SDF_PATH", "" if options else str(tmp_path / "there"))
        model, receipt = read(tmp_path, text, **options)
        assert [body.path for body in model.all_bodies()] == ["arm", "sole", "left.palm", "left.thumb", "foot.sole"]
        assert model["left"].world.position.tolist() == [1, 0, 1]
        assert model["foot"].world.position.tolist() == [9, 9, 9]
        assert model["sole"].reference.position.tolist() == [9, 9, 9]  # merged: where its own model says
        assert not receipt.ignored


def test_includes_from_outside_and_in_circles(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    put(tmp_path, "secret", "<link name='a'/>")
    text = "<model name='m'><include><uri>../secret</uri></include></model>"
    with pytest.raises(lw.ModelError, match="lies outside the folder of the model; give allow="):
        read(home, text)
    model, _ = read(home, text, allow=tmp_path / "secret")
    assert [body.path for body in model.all_bodies()] == ["secret.a"]
    with pytest.raises(lw.ModelError, match="more than 30 files include one another|more than 40 models lie inside"):
        read(home, "<model name='m'><include><uri>world.sdf</uri></include></model>")
    lost = read(
        home, "<model name='m'><link name='a'/><include><uri>https://x.org/a</uri></include></model>", strict=False
    )
    assert [line.told for line in lost[1].lost] == [
        "files from the network are not fetched; download it, and name it by model:// or its path"
    ]
    with pytest.raises(lw.ModelError, match="'model://arm'.*in none of the folders that are known; give packages="):
        read(home, "<model name='m'><link name='a'/><include><uri>model://arm</uri></include></model>")


def test_meshes(tmp_path):
    tetrahedron = lw.Hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]).triangles
    rows = "".join(
        "facet\nouter loop\n" + "".join(f"vertex {x} {y} {z}\n" for x, y, z in corners) + "endloop\nendfacet\n"
        for corners in tetrahedron
    )
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "t.stl").write_text(f"solid t\n{rows}endsolid t\n")
    mesh = "<geometry><mesh><uri>{}</uri><scale>1 2 3</scale></mesh></geometry>"
    home = tmp_path.name
    parts = f"<visual name='v'>{mesh.format('meshes/t.stl')}</visual>"
    parts += f"<collision name='c'>{mesh.format(f'model://{home}/meshes/t.stl')}</collision>"
    text = f"<model name='m'><link name='a'>{parts}</link></model>"
    model, receipt = read(tmp_path, text)
    assert model.visuals["a v visual"].shape.volume == pytest.approx(1.0, rel=1e-12)
    assert model.colliders["a c"].shape.volume == pytest.approx(1.0, rel=1e-12)
    assert "convex hull of 4 of its corners" in str(receipt)
    none, receipt = read(tmp_path, text, meshes=False)
    assert not none.visuals
    assert [line.told for line in receipt.ignored] == ["meshes=False", "meshes=False"]
    lost = read(tmp_path, text.replace("t.stl", "u.stl"), strict=False)[1]
    assert [line.what for line in lost.lost] == [f"collision 'c': mesh 'model://{home}/meshes/u.stl'"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<sdf version='1.2'/>", "older than 1.4"),
        ("<sdf version='x'/>", "its version is 'x'"),
        ("<robot/>", "the root of an SDF file is <sdf>; give this one the ending .urdf"),
        ("<sdf version='1.9'/>", "it holds no model"),
        ("<sdf version='1.9'><world name='a'/><world name='b'/></sdf>", "second <world>"),
        ("<sdf version='1.9'><model/></sdf>", "no attribute name"),
        ("<sdf version='1.9'>", "it is not XML"),
    ],
)
def test_files_that_cannot_be(tmp_path, text, reason):
    file = tmp_path / "bad.sdf"
    file.write_text(text)
    with pytest.raises(lw.ModelError, match=reason) as error:
        lw.read(file)
    assert str(error.value).startswith("bad.sdf")


def test_options(tmp_path):
    weld = "<joint name='w' type='fixed'><parent>world</parent><child>a</child></joint>"
    model = f"<model name='m'><link name='a'/>{weld}</model>"
    with pytest.raises(lw.ModelError, match="holds model 'm' to the world; leave out base="):
        read(tmp_path, model, base="floating")
    with pytest.raises(lw.OptionError, match="base is 'loose'"):
        read(tmp_path, model, base="loose")
    with pytest.raises(lw.OptionError, match="allow=7 must be folders"):
        read(tmp_path, model, allow=7)
