"""Poses, frames and axes of SDF in all its versions, against plain walks over matrices."""

import math

import numpy as np
import pytest

import linkwork as lw


def rotation(roll, pitch, yaw):
    """Turns about fixed x, then y, then z, as a matrix."""
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(a), math.sin(a)) for a in (roll, pitch, yaw))
    x = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    z = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    return z @ y @ x


def T(x, y, z, roll=0.0, pitch=0.0, yaw=0.0):
    """A pose as a 4 x 4 matrix."""
    result = np.eye(4)
    result[:3, :3], result[:3, 3] = rotation(roll, pitch, yaw), (x, y, z)
    return result


def told(matrix_of):
    return " ".join(f"{number:.17g}" for number in matrix_of)


def read(tmp_path, text, **options):
    file = tmp_path / "robot.sdf"
    file.write_text(text)
    return lw.read(file, **options)


def pose_of(body, model):
    """The pose of a body in the world, reference configuration."""
    frame = body.owner.world @ body.reference
    result = np.eye(4)
    result[:3, :3], result[:3, 3] = frame.matrix, frame.position
    return result


def axis_of(joint):
    """Axis and place of a joint in the world, reference configuration."""
    return joint.owner.world.direction(joint.axis), joint.owner.world.point(joint.at)


MODEL = (1.0, 2.0, 3.0, 0.1, 0.2, 0.3)
LINK = (0.4, -0.3, 0.2, 0.5, -0.6, 0.7)
JOINT = (0.1, 0.2, 0.3, -0.4, 0.3, 0.2)


def arm(version, axis, more=""):
    return f"""<sdf version='{version}'><model name='arm'><pose>{told(MODEL)}</pose>
      <link name='base'/><link name='rod'><pose>{told(LINK)}</pose></link>
      <joint name='foot' type='fixed'><parent>world</parent><child>base</child></joint>
      <joint name='pin' type='revolute'><pose>{told(JOINT)}</pose><parent>base</parent><child>rod</child>
        <axis><xyz{more}>1 2 -1</xyz>{axis}</axis></joint></model></sdf>"""


# the frame that <xyz> is given in, by version: of the model up to 1.4, of the joint since 1.5, or a named one
AXES = [
    ("1.4", "", "", "model"),
    ("1.5", "", "", "joint"),
    ("1.5", "<use_parent_model_frame>1</use_parent_model_frame>", "", "model"),
    ("1.6", "<use_parent_model_frame>true</use_parent_model_frame>", "", "model"),
    ("1.6", "<use_parent_model_frame>0</use_parent_model_frame>", "", "joint"),
    ("1.7", "", " expressed_in='__model__'", "model"),
    ("1.9", "", "", "joint"),
    ("1.9", "", " expressed_in='rod'", "link"),
    ("1.11", "", " expressed_in='pin'", "joint"),
]


@pytest.mark.parametrize(("version", "axis", "more", "frame"), AXES)
def test_axes_and_joint_poses_of_all_versions(tmp_path, version, axis, more, frame):
    model, receipt = read(tmp_path, arm(version, axis, more))
    X_model, X_link = T(*MODEL), T(*MODEL) @ T(*LINK)
    X_joint = X_link @ T(*JOINT)  # the pose of a joint is given in its child, in every version
    frames = {"model": X_model, "link": X_link, "joint": X_joint}
    direction, place = axis_of(model["pin"])
    expected = frames[frame][:3, :3] @ np.array([1, 2, -1]) / math.sqrt(6)
    assert np.abs(direction - expected).max() < 1e-15
    assert np.abs(place - X_joint[:3, 3]).max() < 1e-14
    assert np.abs(pose_of(model["rod"], model) - X_link).max() < 1e-14
    assert not receipt.lost


def test_frames_named_by_poses(tmp_path):
    a, b, c, d = (tuple(np.random.default_rng(k).uniform(-1, 1, 6)) for k in range(4))
    model, receipt = read(
        tmp_path,
        f"""<sdf version='1.9'><model name='m' canonical_link='second'>
        <frame name='mark' attached_to='second'><pose>{told(a)}</pose></frame>
        <frame name='far' attached_to='mark'><pose relative_to='first'>{told(b)}</pose></frame>
        <link name='first'><pose relative_to='second'>{told(c)}</pose></link>
        <link name='second'><pose>{told(d)}</pose></link>
        <joint name='pin' type='revolute'><pose relative_to='far'/><parent>first</parent><child>far</child>
          <axis><xyz expressed_in='mark'>0 1 0</xyz></axis></joint></model></sdf>""",
        base="fixed",
    )
    second = T(*d)
    first = second @ T(*c)
    assert np.abs(pose_of(model["first"], model) - first).max() < 1e-14
    pin = model["pin"]
    assert (pin.a, pin.b) == (model["first"], model["second"])  # 'far' is attached to the link 'second'
    direction, place = axis_of(pin)
    assert np.abs(place - (first @ T(*b))[:3, 3]).max() < 1e-14
    assert np.abs(direction - (second @ T(*a))[:3, 1]).max() < 1e-14
    assert model["second base"].b is model["second"]  # the canonical link is welded
    assert not receipt.ignored


def test_degrees_and_quaternions(tmp_path):
    model, _ = read(
        tmp_path,
        """<sdf version='1.9'><model name='m'><link name='a'><pose degrees='true'>1 2 3 90 45 30</pose></link>
        <link name='b'><pose rotation_format='quat_xyzw'>1 2 3  0.5 0.5 -0.5 0.5</pose></link></model></sdf>""",
    )
    expected = T(1, 2, 3, math.pi / 2, math.pi / 4, math.pi / 6)
    assert np.abs(pose_of(model["a"], model) - expected).max() < 1e-15
    assert model["b"].reference.rotation.tolist() == [0.5, 0.5, 0.5, -0.5]


def test_nested_models_and_a_placement_frame(tmp_path):
    outer, inner, hand, link, tip = (tuple(np.random.default_rng(k).uniform(-1, 1, 6)) for k in range(5, 10))
    model, receipt = read(
        tmp_path,
        f"""<sdf version='1.8'><model name='robot'><pose>{told(outer)}</pose>
        <link name='arm'><pose>{told(hand)}</pose></link>
        <model name='hand' placement_frame='palm'><pose relative_to='arm'>{told(inner)}</pose>
          <link name='palm'><pose>{told(link)}</pose></link>
          <frame name='tip' attached_to='palm'><pose>{told(tip)}</pose></frame>
          <model name='deep'><link name='nail'><pose>1 0 0 0 0 0</pose></link></model></model>
        <joint name='wrist' type='fixed'><parent>arm</parent><child>hand::palm</child></joint>
        <joint name='nailed' type='ball'><pose relative_to='hand::tip'/><parent>hand::deep</parent>
          <child>hand::tip</child></joint></model></sdf>""",
    )
    X_arm = T(*outer) @ T(*hand)
    X_palm = X_arm @ T(*inner)  # the pose of the model is that of its placement frame
    X_hand = X_palm @ np.linalg.inv(T(*link))
    assert np.abs(pose_of(model["hand.palm"], model) - X_palm).max() < 1e-13
    assert np.abs(pose_of(model["hand.deep.nail"], model) - X_hand @ T(1, 0, 0)).max() < 1e-13
    joint = model["nailed"]
    assert (joint.a.path, joint.b.path) == ("hand.deep.nail", "hand.palm")
    assert np.abs(joint.at - (X_palm @ T(*tip))[:3, 3]).max() < 1e-13
    assert model["wrist"].b.path == "hand.palm"
    assert model["arm base"].kind == "free"  # a model that nothing holds moves freely
    assert not receipt.ignored


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "<link name='a'><pose relative_to='b'/></link><link name='b'><pose relative_to='a'/></link>",
            "depends on its",
        ),
        ("<link name='a'><pose relative_to='q'/></link>", "there is no 'q' in model 'm'; give one of 'a'"),
        (
            "<link name='a'/><frame name='f' attached_to='g'/><frame name='g' attached_to='f'/>"
            "<joint name='j' type='ball'><pose relative_to='a'/><parent>a</parent><child>f</child></joint>",
            "'f' of model 'm' depends on itself",
        ),
        ("<link name='a'><pose>1 2 3</pose></link>", "must be 6 finite numbers"),
        ("<link name='a'><pose>1_0 2 3 0 0 0</pose></link>", "must be 6 finite numbers"),
        ("<link name='a'><pose rotation_format='quat_xyzw'>1 2 3 0 0 0 0</pose></link>", "the quaternion of rotation"),
        ("<link name='a'/><link name='a'/>", "another link of this name"),
        ("<link name='a::b'/>", "without ::"),
    ],
)
def test_poses_that_cannot_be(tmp_path, text, reason):
    with pytest.raises(lw.ModelError, match=reason) as error:
        read(tmp_path, f"<sdf version='1.9'>\n<model name='m'>\n{text}</model></sdf>")
    assert "robot.sdf, line 3" in str(error.value)


FRAMES = "<sdf version='1.9'><model name='m'><link name='a'><pose>0 0 1 0 0 0</pose></link>{}</model></sdf>"


def test_frames_that_nothing_is_given_in(tmp_path):
    used = "<frame name='f' attached_to='a'><pose>1 0 0 0 0 0</pose></frame><frame name='g' attached_to='f'/>"
    _, receipt = read(tmp_path, FRAMES.format(used))
    assert not receipt.ignored
    assert [str(line) for line in receipt.understood if line.what.startswith("frame")] == [
        "frame 'f' (line 1): attached to link 'a'",
        "frame 'g' (line 1): attached to link 'a'",
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<frame name='f' attached_to='g'/><frame name='g' attached_to='f'/>", "'f' of model 'm' depends on itself"),
        ("<frame name='f' attached_to='b'/>", "there is no 'b' in model 'm'; give one of 'a', 'f'"),
        ("<frame name='f'><pose relative_to='c'/></frame>", "there is no 'c' in model 'm'"),
    ],
)
def test_frames_that_cannot_be(tmp_path, text, reason):
    with pytest.raises(lw.ModelError, match=f"robot.sdf, line 1: <frame name='f'>: .*{reason}"):
        read(tmp_path, FRAMES.format(text))
