"""URDF files as models: what becomes of each element, and what the receipt tells."""

import math
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from formats.urdf.robot_texts import ARM, MASS, joint, link, put, robot


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    return put(tmp_path / "arm.urdf", ARM)


def told(receipt, heading: str) -> str:
    return "\n".join(map(str, getattr(receipt, heading)))


def turned(roll: float, pitch: float, yaw: float) -> np.ndarray:
    """Roll, pitch and yaw about fixed axes, as matrices one after the other."""
    (a, x), (b, y), (c, z) = ((math.cos(angle), math.sin(angle)) for angle in (roll, pitch, yaw))
    about_z = np.array([(c, -z, 0), (z, c, 0), (0, 0, 1)])
    about_y = np.array([(b, 0, y), (0, 1, 0), (-y, 0, b)])
    return about_z @ about_y @ np.array([(1, 0, 0), (0, a, -x), (0, x, a)])


def test_an_arm_with_one_of_everything(arm: Path) -> None:
    model, receipt = lw.read(arm)
    assert model.name == "whole arm"
    assert list(model.bodies) == ["upper", "lower", "hand", "finger", "thumb", "camera"]
    upper = model["upper"]
    assert upper.mass == 2.5
    assert upper.com.tolist() == [0.1, 0.2, 0.3]
    R = turned(0.3, -0.4, 0.5)
    given = np.array([(0.03, 0.001, -0.002), (0.001, 0.04, 0.003), (-0.002, 0.003, 0.05)])
    assert np.allclose(upper.inertia, R @ given @ R.T, rtol=0, atol=1e-16)
    kinds = {name: each.kind for name, each in model.joints.items()}
    assert kinds == {
        "shoulder": "revolute",
        "elbow": "revolute",
        "wrist": "prismatic",
        "grip": "prismatic",
        "counter grip": "prismatic",
        "mount": "fixed",
    }
    shoulder = model["shoulder"]
    assert shoulder.a is model.ground
    assert shoulder.limits == (0.2, 1.5)
    assert (shoulder.damping, shoulder.friction) == (0.5, 0.1)
    assert model["elbow"].limits is None
    assert model["camera"].mass == 0.0
    assert "joint 'shoulder' (line 29): revolute, 0.2 to 1.5, starts at 0.2" in told(receipt, "understood")
    assert receipt.lost == []


def test_poses_at_zero(arm: Path) -> None:
    system = lw.assemble(lw.read(arm)[0])
    poses = lw.forward_kinematics(system, np.zeros(system.nq))
    R = turned(0.1, 0.2, 0.3)
    assert np.allclose(poses["upper"][0], (0, 0, 1), rtol=0, atol=1e-15)
    assert np.allclose(lw.Frame(*poses["upper"]).matrix, R, rtol=0, atol=1e-15)
    assert np.allclose(poses["camera"][0], (0, 0, 1) + R @ (0.1, 0, 0.5), rtol=0, atol=1e-15)
    q = np.zeros(system.nq)
    q[next(place.q.start for place in system.joints if place.name == "wrist")] = 0.25  # along x, the default axis
    assert np.allclose(lw.forward_kinematics(system, q)["hand"][0], (0, 0, 1) + R @ (0.25, 0, 0.5), rtol=0, atol=1e-15)


def test_mimic_holds_from_the_start_and_in_motion(arm: Path) -> None:
    model, _ = lw.read(arm)
    starts = {name: each.position for name, each in model.joints.items() if each.position is not None}
    assert starts == {"shoulder": (0.2,), "grip": (0.45,), "counter grip": (-0.45,)}
    assert type(model.drives["grip mimic"]).__name__ == "Rack"
    assert type(model.drives["counter grip mimic"]).__name__ == "Gear"
    run = lw.simulate(model, until=0.1, dt=1e-3, method="impulse")
    shoulder = run["shoulder.position"]
    assert np.ptp(shoulder) > 1e-3
    assert run["grip.position"] == pytest.approx(2.0 * shoulder + 0.05, abs=1e-9)
    assert run["counter grip.position"] == pytest.approx(-run["grip.position"], abs=1e-9)


def test_a_turn_that_follows_a_slide(tmp_path: Path) -> None:
    text = robot(
        link("base", "")
        + link("a")
        + link("b")
        + joint("slide", "base", "a", "<axis xyz='1 0 0'/><limit lower='0.1' upper='0.2'/>", "prismatic")
        + joint("turn", "a", "b", "<mimic joint='slide' multiplier='4' offset='-1'/>")
    )
    model, _ = lw.read(put(tmp_path / "a.urdf", text))
    run = lw.simulate(model, until=0.05, dt=1e-3, method="impulse")
    assert run["turn.position"] == pytest.approx(4 * run["slide.position"] - 1, abs=1e-9)
    assert run["slide.position"][0] == pytest.approx(0.1)


def test_shapes_and_colours(arm: Path) -> None:
    model, receipt = lw.read(arm)
    skin, tube = model.visuals["upper visual"], model.visuals["upper visual 2"]
    assert skin.shape == lw.Box((0.1, 0.2, 0.3), pose=skin.shape.pose)
    assert np.allclose(skin.shape.pose.point((1, 0, 0)), (0, 1, 0.1))
    assert skin.colour == (0, 0, 0.8, 1)
    assert tube.shape == lw.Cylinder(0.02, 0.2)
    assert tube.colour == (1, 0, 0, 0.5)
    ball, capsule = model.colliders["upper collision"], model.colliders["lower collision"]
    assert ball.shape == lw.Sphere(0.1)
    assert capsule.shape == lw.Capsule(0.05, 0.3)
    assert (ball.material.friction, capsule.material.friction) == (0.7, 0.9)
    assert ball.group == capsule.group == "whole arm"
    ignored = told(receipt, "ignored")
    for words in (
        "<visual> of 'lower' (line 22): Mesh",
        "lower.stl: cannot be read",
        "<texture> of 'red'",
        "effort 100 and velocity 2 are what its motor can do",
        "<safety_controller> of joint 'shoulder'",
        "<calibration> of joint 'shoulder'",
        "<transmission name='drive'>",
        "<gazebo reference='lower'>",
        "contact_cfm: for another simulator",
    ):
        assert words in ignored, words


def test_options_for_shapes(arm: Path) -> None:
    plain, receipt = lw.read(arm, contact=False, meshes=False)
    assert not plain.colliders
    assert "<collision> of 'upper' (line 18): contact=False" in told(receipt, "ignored")
    assert "<visual> of 'lower' (line 22): meshes=False" in told(receipt, "ignored")
    free, _ = lw.read(arm, self_collision=True)
    assert {each.group for each in free.colliders.values()} == {None}
    assert [(a.name, b.name) for a, b in free.apart] == [("upper", "lower")]


def test_bases(tmp_path: Path, refused) -> None:
    heavy = put(tmp_path / "heavy.urdf", robot(link("body") + link("arm") + joint("pin", "body", "arm")))
    fixed, receipt = lw.read(heavy)
    assert fixed["fixed base"].kind == "fixed"
    assert "base='floating' changes that" in told(receipt, "understood")
    flying, _ = lw.read(heavy, base="floating")
    assert flying["floating base"].kind == "free"
    assert lw.assemble(flying).nv == 7
    world = put(tmp_path / "world.urdf", robot(link("world", "") + link("arm") + joint("pin", "world", "arm")))
    assert lw.read(world)[0]["pin"].a.name == "ground"
    with refused("world.urdf, line 2", "does not float"):
        lw.read(world, base="floating")
    with pytest.raises(lw.OptionError, match="give base='fixed' or base='floating'"):
        lw.read(heavy, base="flying")


def test_planar_and_floating_joints(tmp_path: Path) -> None:
    inside = link("base", "") + link("puck") + link("bird")
    inside += joint("table", "base", "puck", "<axis xyz='0 0 1'/>", "planar")
    inside += joint("air", "puck", "bird", "<origin xyz='0 0 1'/>", "floating")
    model, _ = lw.read(put(tmp_path / "a.urdf", robot(inside)))
    assert [each.kind for each in model.joints.values()] == ["planar", "free"]
    assert lw.assemble(model).nv == 9


def test_names_that_a_model_cannot_have(tmp_path: Path) -> None:
    inside = link("ground", "") + link("link.1") + link("time") + link("pin")
    inside += joint("pin", "ground", "link.1") + joint("b", "link.1", "time") + joint("c", "time", "pin")
    model, receipt = lw.read(put(tmp_path / "a.urdf", robot(inside)), base="floating")
    assert list(model.bodies)[:2] == ["ground 2", "link.1"]
    assert "body 'ground' (line 2): called 'ground 2' here" in told(receipt, "approximated")
    assert model["joint:pin"].kind == "revolute"
    assert lw.assemble(model).nv == 9


def test_limits_without_room(tmp_path: Path) -> None:
    text = robot(
        link("base", "") + link("a") + joint("pin", "base", "a", "<limit effort='1' velocity='1'/>", "revolute")
    )
    model, receipt = lw.read(put(tmp_path / "a.urdf", text))
    assert model["pin"].limits is None
    assert "its limits 0 to 0 would lock it; it has none here" in told(receipt, "approximated")


def test_an_inertia_that_is_rounding(tmp_path: Path) -> None:
    inertial = "<inertial><mass value='1'/><inertia ixx='0' iyy='0' izz='0' ixy='2e-35' ixz='0' iyz='0'/></inertial>"
    inside = link("base", "") + link("bob", inertial)
    inside += joint("pin", "base", "bob", "<origin xyz='0 0 1'/>", "fixed")
    model, receipt = lw.read(put(tmp_path / "a.urdf", robot(inside)))
    assert not model["bob"].inertia.any()
    assert "point mass" in told(receipt, "approximated")


BAD = MASS.replace("ixx='1'", "ixx='3'")


def test_inertias_that_no_body_can_have(tmp_path: Path, refused) -> None:
    negative = MASS.replace("iyy='1'", "iyy='-1'")
    weightless = MASS.replace("<mass value='1'/>", "<mass value='0'/>")
    inside = link("base", "") + link("a", BAD) + link("b", negative) + link("c", weightless) + link("d")
    inside += joint("1", "base", "a") + joint("2", "a", "b") + joint("3", "b", "c") + joint("4", "c", "d")
    file = put(tmp_path / "a.urdf", robot(inside))
    with refused(
        "link 'a' (line 3): no body has the principal inertias 1, 1, 3",
        "link 'b' (line 4): its inertia has the negative principal value -1",
        "link 'c' (line 5): its mass is 0 but its inertia is not",
        "repair=True",
    ):
        lw.read(file)
    model, receipt = lw.read(file, repair=True)
    assert sorted(np.linalg.eigvalsh(model["a"].inertia).round(9).tolist()) == pytest.approx([4 / 3, 4 / 3, 8 / 3])
    assert model["c"].mass == 0.0
    assert "link 'a' (line 3): no body has" in told(receipt, "approximated")
    assert "the nearest possible principal inertias are taken: 1.33333, 1.33333, 2.66667" in told(
        receipt, "approximated"
    )


def test_joints_that_move_no_mass(tmp_path: Path, refused) -> None:
    inside = link("base", "") + link("a") + link("middle", "") + link("b") + link("tip", "") + link("end", "")
    inside += joint("1", "base", "a") + joint("2", "a", "middle") + joint("3", "middle", "b", "<axis xyz='0 1 0'/>")
    inside += joint("4", "b", "tip") + joint("5", "tip", "end", "", "fixed")
    file = put(tmp_path / "a.urdf", robot(inside))
    with refused("joint '4' (line 11)", "link 'tip' and what hangs on it have no mass", "repair=True welds it"):
        lw.read(file)
    model, receipt = lw.read(file, repair=True)
    assert model["4"].kind == "fixed"
    assert "joint '4' (line 11)" in told(receipt, "approximated")
    system = lw.assemble(model)
    assert system.nv == 3
    assert np.isfinite(lw.forward_dynamics(system, np.zeros(3), np.zeros(3))).all()


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        ("", ("line 1: <robot", "no <link>")),
        (link("a") + link("a"), ("line 3: <link name='a'>", "line 2")),
        (link("a") + link("b"), ("2 links that no joint carries: 'a' (line 2), 'b' (line 3)", "join them")),
        (
            link("a") + link("b") + link("c") + joint("1", "a", "c") + joint("2", "b", "c"),
            ("line 6: <joint name='2'>", "joint '1' (line 5)", "URDF has no loops"),
        ),
        (
            link("a") + link("b") + joint("1", "a", "b") + joint("2", "b", "a"),
            ("'1' (line 4)", "'2' (line 5)", "in a circle"),
        ),
        (link("a") + joint("1", "a", "a"), ("line 3", "to itself")),
        (link("a") + joint("1", "a", "z"), ("line 3: <child>", "no link 'z'")),
        (link("a") + "<joint name='1' type='hinge'/>", ("line 3: <joint name='1'>", "type 'hinge'", "revolute")),
        (link("a") + "<joint name='1' type='fixed'/>", ("no <parent>",)),
        (
            link("a") + link("b") + joint("1", "a", "b", "<axis xyz='0 0 0'/>"),
            ("line 4: <axis>", "points nowhere", "give a direction"),
        ),
        (
            link("a") + link("b") + joint("1", "a", "b", "<limit lower='1' upper='0'/>", "revolute"),
            ("line 4: <limit>", "lower limit 1 is above"),
        ),
        (
            link("a") + link("b") + joint("1", "a", "b", "<dynamics damping='-1'/>"),
            ("line 4: <dynamics>", "damping -1"),
        ),
        (
            link("a") + link("b") + joint("1", "a", "b", "<mimic joint='1'/>"),
            ("line 4: <mimic>", "follows itself"),
        ),
        (
            link("a") + link("b") + joint("1", "a", "b", "<mimic joint='2'/>"),
            ("<mimic> of joint '1' (line 4)", "'2', which it follows, is not in the file"),
        ),
        (link("a", "<inertial><mass value='1'/></inertial>"), ("line 2: <inertial>", "no <inertia>")),
        (link("a", MASS.replace("value='1'", "value='heavy'")), ("line 2: <mass>", "value is 'heavy'")),
        (link("a", "<visual><geometry><box size='1 2'/></geometry></visual>"), ("line 2: <box>", "3 finite numbers")),
        (link("a", "<visual><geometry><box size='1 2 0'/></geometry></visual>"), ("line 2: <box>", "positive")),
        (link("a", "<visual/>"), ("line 2: <visual>", "no <geometry>")),
        (link("a", "<inertal/>"), ("<inertal> (line 2): URDF has no such element here", "strict=False")),
        (link("a") + "<xacro:arm/>", ("line 3: <xacro:arm>", "expand the file")),
        (link("a", "<collision><geometry><cone/></geometry></collision>"), ("none of box", "strict=False")),
        (
            link("a") + "<gazebo><joint name='loop'/></gazebo>",
            ("<gazebo> (line 3): its <joint> changes", "strict=False"),
        ),
        (
            link("a", "<collision><geometry><mesh filename='no.stl'/></geometry></collision>"),
            ("<collision> of 'a' (line 2)", "no.stl: cannot be read"),
        ),
    ],
)
def test_refusals(tmp_path: Path, refused, inside: str, words: tuple[str, ...]) -> None:
    with refused("a.urdf", *words):
        lw.read(put(tmp_path / "a.urdf", robot(inside)))


def test_macros_are_named_even_where_losses_are_allowed(tmp_path: Path, refused) -> None:
    with refused("a.urdf, line 3", "expand the file by the program xacro first"):
        lw.read(put(tmp_path / "a.urdf", robot(link("a") + "<xacro:arm/>")), strict=False)


def test_other_roots_are_refused(tmp_path: Path, refused) -> None:
    with refused("a.urdf, line 1", "the root of a URDF file is <robot>; give this one the ending .sdf"):
        lw.read(put(tmp_path / "a.urdf", "<sdf/>"))


def test_an_arm_whose_shapes_never_meet_asks_no_contact(arm: Path) -> None:
    model, _ = lw.read(arm)
    assert len(model.colliders) == 2
    assert "contact" not in lw.assemble(model).features
    model.plane("floor")
    assert "contact" in lw.assemble(model).features
    free, _ = lw.read(arm, self_collision=True)
    free.collider("block", "hand", lw.Box((0.1, 0.1, 0.1)))
    assert "contact" in lw.assemble(free).features
