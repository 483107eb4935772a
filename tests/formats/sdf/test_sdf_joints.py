"""Joints, gears and followers of SDF: what each becomes, and how it moves."""

import math

import numpy as np
import pytest

import linkwork as lw

LINKS = "<link name='a'/><link name='b'><pose>0 0 1 0 0 0</pose></link>"


def read(tmp_path, body, version="1.11", **options):
    file = tmp_path / "robot.sdf"
    file.write_text(f"<sdf version='{version}'><model name='m'>{body}</model></sdf>")
    return lw.read(file, **{"base": "fixed", **options})


def joint(kind, inside="", axis="", name="j", parent="a", child="b"):
    return (
        f"<joint name='{name}' type='{kind}'><parent>{parent}</parent><child>{child}</child>{inside}"
        f"<axis><xyz>0 0 1</xyz>{axis}</axis></joint>"
    )


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("revolute", "revolute"),
        ("continuous", "revolute"),
        ("prismatic", "prismatic"),
        ("ball", "ball"),
        ("fixed", "fixed"),
    ],
)
def test_kinds(tmp_path, kind, expected):
    model, receipt = read(tmp_path, LINKS + joint(kind))
    assert model["j"].kind == expected
    assert not receipt.ignored


def test_dynamics_and_limits(tmp_path):
    dynamics = "<dynamics><damping>0.5</damping><friction>0.2</friction><spring_reference>0.1</spring_reference>"
    dynamics += "<spring_stiffness>30</spring_stiffness></dynamics>"
    limits = "<limit><lower>-1e16</lower><upper>0.7</upper><effort>5</effort><stiffness>1e5</stiffness></limit>"
    model, receipt = read(tmp_path, LINKS + joint("revolute", axis=dynamics + limits))
    pin = model["j"]
    assert (pin.damping, pin.friction, pin.stiffness, pin.rest) == (0.5, 0.2, 30.0, 0.1)
    assert pin.limits == (-math.inf, 0.7)
    assert [line.what for line in receipt.ignored] == ["<effort> of joint 'j'"]
    assert "the stops are rigid here" in str(receipt)
    assert not receipt.lost


def test_limits_of_1e16_and_inf_are_none(tmp_path):
    for low, high in (("-1e16", "1e16"), ("-inf", "inf"), ("-1e+16", "1.79769e+308")):
        limits = f"<limit><lower>{low}</lower><upper>{high}</upper></limit>"
        assert read(tmp_path, LINKS + joint("revolute", axis=limits))[0]["j"].limits is None


def test_threads_old_and_new(tmp_path):
    # the older number is rad/m, positive for a left-handed thread; the newer one m for a turn, positive right-handed
    old = read(tmp_path, LINKS + joint("screw", "<thread_pitch>-1256.6370614359173</thread_pitch>"))[0]["j"]
    new = read(tmp_path, LINKS + joint("screw", "<screw_thread_pitch>0.005</screw_thread_pitch>"))[0]["j"]
    assert old.pitch == pytest.approx(0.005, rel=1e-15)
    assert new.pitch == 0.005
    both = "<thread_pitch>1</thread_pitch><screw_thread_pitch>-0.01</screw_thread_pitch>"
    assert read(tmp_path, LINKS + joint("screw", both))[0]["j"].pitch == -0.01


def two(kind, second, axis="", axis2=""):
    return (
        LINKS + f"<joint name='j' type='{kind}'><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz>{axis}</axis>"
        f"<axis2><xyz>{second}</xyz>{axis2}</axis2></joint>"
    )


@pytest.mark.parametrize("kind", ["universal", "revolute2"])
def test_two_perpendicular_axes_are_a_cardan(tmp_path, kind):
    limits = "<limit><lower>-1</lower><upper>2</upper></limit>"
    model, _ = read(tmp_path, two(kind, "0 1 0", axis2=limits))
    assert model["j"].kind == "universal"
    assert model["j"].limits == ((-math.inf, math.inf), (-1.0, 2.0))
    assert np.array_equal(model["j"].axis, [[1, 0, 0], [0, 1, 0]])


def test_two_other_axes_are_two_hinges(tmp_path):
    damping = "<dynamics><damping>0.3</damping></dynamics>"
    model, receipt = read(tmp_path, two("revolute2", "0 1 1", axis2=damping))
    assert [each.kind for each in model.joints.values()] == ["revolute", "revolute", "fixed"]
    assert (model["j"].a.name, model["j"].b.name, model["j 2"].b.name) == ("a", "j cross", "b")
    assert (model["j"].damping, model["j 2"].damping) == (0.0, 0.3)
    assert "two hinges" in str(receipt)
    assert lw.check(model).degrees_of_freedom == 2


WHEELS = """<link name='frame'/><link name='sun'/><link name='planet'><pose>0.3 0 0 0 0 0</pose></link>
  <link name='arm'/><link name='ring'/>"""


def gearbox(ratio, reference, parent="sun", child="ring", second=""):
    inside = f"<gearbox_ratio>{ratio}</gearbox_ratio><gearbox_reference_body>{reference}</gearbox_reference_body>"
    return joint("gearbox", inside + second, name="box", parent=parent, child=child)


def hinge(name, parent, child, xyz="0 0 1"):
    return (
        f"<joint name='{name}' type='revolute'><parent>{parent}</parent><child>{child}</child>"
        f"<axis><xyz>{xyz}</xyz></axis></joint>"
    )


def gear_speeds(model, driven, speed, others):
    """Speeds of joints when one turns at a given speed."""
    model.motor("drive", driven, velocity=speed)
    run = lw.simulate(model, until=0.1, dt=1e-3, method="recursive")
    return [float(run[f"{other}.velocity"][-1]) for other in others]


SIGNS = [("0 0 1", -0.08), ("0 0 -1", 0.08)]


@pytest.mark.parametrize(("way", "expected"), SIGNS)
def test_a_gearbox_turns_its_child_against_its_parent(tmp_path, way, expected):
    text = WHEELS + hinge("s", "frame", "sun") + hinge("r", "frame", "ring", way) + gearbox(0.04, "frame")
    text += joint("fixed", name="w", parent="frame", child="arm") + joint(
        "fixed", name="x", parent="arm", child="planet"
    )
    model, receipt = read(tmp_path, text)
    assert not receipt.ignored
    # theta_2 = -ratio * theta_1 about the same direction; a hinge with the opposite axis counts the other way
    assert gear_speeds(model, "s", 2.0, ["r"]) == pytest.approx([expected], rel=1e-9)


def test_a_hinge_from_the_wheel_to_the_frame(tmp_path):
    text = "<link name='frame'/><link name='sun'/><link name='ring'/>"
    text += hinge("s", "frame", "sun") + hinge("r", "ring", "frame") + gearbox(0.5, "frame")
    model, _ = read(tmp_path, text)
    assert gear_speeds(model, "s", 2.0, ["r"]) == pytest.approx([1.0], rel=1e-9)


def test_a_wheel_that_hangs_on_the_other(tmp_path):
    text = "<link name='frame'/><link name='sun'/><link name='ring'/>"
    text += hinge("s", "frame", "sun") + hinge("r", "sun", "ring") + gearbox(0.5, "frame")
    model, _ = read(tmp_path, text)
    # seen from the frame the ring turns at -1 rad/s, seen from the sun, which turns at 2, at -3
    assert gear_speeds(model, "s", 2.0, ["r"]) == pytest.approx([-3.0], rel=1e-9)


def test_a_planetary_train_has_a_carrier(tmp_path):
    text = WHEELS + hinge("s", "frame", "sun") + hinge("c", "frame", "arm") + hinge("p", "arm", "planet")
    text += hinge("r", "frame", "ring") + gearbox(0.5, "arm", "sun", "planet")
    text += gearbox(0.25, "arm", "sun", "ring").replace("'box'", "'box 2'")
    model, receipt = read(tmp_path, text)
    assert not receipt.ignored
    model.motor("hold", "r", position=0.0)
    # ring held: 0 - arm = -(sun - arm)/4, so the arm turns at a fifth of the sun
    arm, planet = gear_speeds(model, "s", 5.0, ["c", "p"])
    assert (arm, planet) == pytest.approx((1.0, -2.0), rel=1e-9)


def test_a_gearbox_without_hinges_is_lost(tmp_path):
    text = "<link name='frame'/><link name='sun'/><link name='ring'/>" + hinge("s", "frame", "sun")
    text += hinge("r", "frame", "ring", "1 0 0") + gearbox(0.5, "frame")
    with pytest.raises(lw.ModelError, match="no hinges with its axes lead from 'frame' to both wheels"):
        read(tmp_path, text)
    assert len(read(tmp_path, text, strict=False)[1].lost) == 1


def mimic(leader, numbers):
    inside = "".join(f"<{name}>{value}</{name}>" for name, value in numbers.items())
    return f"<mimic joint='{leader}'>{inside}</mimic>"


def test_mimics_keep_multiplier_offset_and_reference(tmp_path):
    numbers = {"multiplier": -2, "offset": 0.3, "reference": 0.1}
    text = "<link name='a'/><link name='b'/><link name='c'/><link name='d'/>"
    text += joint("revolute", name="lead") + joint("revolute", axis=mimic("lead", numbers), name="next", child="c")
    text += joint("prismatic", axis=mimic("next", {"multiplier": 0.5}), name="last", child="d")
    model, receipt = read(tmp_path, text)
    assert not receipt.ignored
    lead, follow, slide = gear_speeds(model, "lead", 1.0, ["lead", "next", "last"])
    assert (lead, follow, slide) == pytest.approx((1.0, -2.0, -1.0), rel=1e-9)
    run = lw.simulate(model, until=0.1, dt=1e-3, method="recursive")
    at = -2 * (run["lead.position"] - 0.1) + 0.3
    assert np.abs(run["next.position"] - at).max() < 1e-12
    assert np.abs(run["last.position"] - at / 2).max() < 1e-12


def test_a_slide_that_leads_a_hinge(tmp_path):
    text = "<link name='a'/><link name='b'/><link name='c'/>" + joint("prismatic", name="lead")
    text += joint("revolute", axis=mimic("lead", {"multiplier": 4, "offset": 0.2}), name="next", child="c")
    model, _ = read(tmp_path, text)
    model.motor("drive", "lead", velocity=1.0)
    run = lw.simulate(model, until=0.1, dt=1e-3, method="recursive")
    assert np.abs(run["next.position"] - 4 * run["lead.position"] - 0.2).max() < 1e-12


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (joint("revolute", axis=mimic("nobody", {})), "there is no joint 'nobody'"),
        (joint("revolute", axis=mimic("j", {})), "the joint follows itself"),
        (joint("revolute", axis="<limit><lower>2</lower><upper>1</upper></limit>"), "is not below"),
        (joint("revolute").replace("0 0 1", "0 0 0"), "points nowhere"),
        (joint("revolute", child="world"), "it has no child"),
        (joint("revolute", child="a"), "both on 'a'"),
        (joint("revolute", child="c"), "there is no 'c' in model 'm'"),
        (joint("screw", "<thread_pitch>0</thread_pitch>"), "never turn"),
        (joint("gearbox"), "gearbox_reference_body"),
        (joint("revolute", axis="<dynamics><friction>-1</friction></dynamics>"), "must not be negative"),
        (joint("piston"), "joints of type 'piston' are not known"),
    ],
)
def test_joints_that_cannot_be(tmp_path, text, reason):
    with pytest.raises(lw.ModelError, match=reason) as error:
        read(tmp_path, LINKS + text)
    assert "line 1" in str(error.value)
    assert "\n" not in str(error.value)
