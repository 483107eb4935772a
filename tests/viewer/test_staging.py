"""The stage that stills, films and pages share: which row, which pose, which joints, from where to look."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.simulation.results.scene.scene import scene_of
from linkwork.viewer.staging import Stage


def test_the_nearest_row_is_shown(swing):
    stage = Stage(swing())  # a row every 0.01 s, up to 4 s
    rows = {-1.0: 0, 0.0: 0, 1.0: 100, 1.004: 100, 1.006: 101, 4.0: 400, 9.0: 400}
    assert {t: stage.row(t) for t in rows} == rows


def shaken():
    """A table that goes round about z in 4 s and along x, with a ball on it."""
    model = lw.Model("shaken")
    motion = lw.Motion(position=(lw.Cosine(0.2, frequency=1.0), 0, 0), angle=lambda t: 0.5 * np.pi * t)
    table = model.moving_ground("table", motion)
    model.collider("top", table, lw.Box((1.0, 1.0, 0.1)))
    model.body("ball", mass=1.0, shape=lw.Sphere(0.1), position=(0, 0, 1))
    return model


def test_a_ground_in_motion_is_found_between_the_kept_poses():
    """The scene keeps 600 poses in 4 s; at any time the ground is where its law says, to the square of their step."""
    times = np.array([0.0, 0.5012, 1.2345, 3.99])
    columns = {"ball.position": np.zeros((4, 3)), "ball.rotation": np.eye(4)[[0] * 4]}
    stage = Stage.from_poses("shaken", scene_of(shaken(), 4.0), times, columns)
    found = stage.poses(range(4))[:, stage.index["table"]]
    step = 4.0 / 599
    x = 0.2 * np.cos(2 * np.pi * times)
    np.testing.assert_allclose(found[:, 0], x, atol=0.2 * (2 * np.pi * step) ** 2 / 8)
    turn = 0.25 * np.pi * times
    half_turns = np.stack([np.cos(turn), 0 * turn, 0 * turn, np.sin(turn)], axis=1)
    np.testing.assert_allclose(found[:, 3:], half_turns, atol=1e-5)
    (top,) = stage.fixtures(stage.poses([2])[0])
    np.testing.assert_allclose(top["position"], [x[2], 0, 0], atol=1e-5)


def test_joints_hold_from_their_attaching_to_their_release():
    model = lw.Model("caught")
    ball = model.body("ball", mass=1.0, shape=lw.Sphere(0.1), position=(0, 0, 1))
    model.free("flight", model.ground, ball)
    model.attach("ground", "ball", "ball", name="catch", time=0.05, at=(0, 0, 1))
    model.release("catch", time=0.08)
    stage = Stage(lw.simulate(model, until=0.1, method="recursive", dt=0.01))
    held = {t: [joint["name"] for joint in stage.joints_at(t)] for t in (0.02, 0.06, 0.09)}
    assert held == {0.02: ["flight"], 0.06: ["flight", "catch"], 0.09: ["flight"]}


@pytest.mark.parametrize(
    ("axes", "along", "look"), [("y", 1, (-76.0, 10.0)), ("yy", 1, (-76.0, 10.0)), ("yz", None, (-60.0, 18.0))]
)
def test_the_camera_looks_along_the_common_axis(axes, along, look):
    model = lw.Model("arm")
    last = model.ground
    for k, axis in enumerate(axes):
        link = model.body(f"link {k}", mass=1.0, shape=lw.Box((0.1, 0.1, 1.0)), position=(0, 0, k))
        model.revolute(f"pin {k}", last, link, at=(0, 0, k - 0.5), axis=np.eye(3)["xyz".index(axis)])
        last = link
    names = [f"link {k}" for k in range(len(axes))]
    columns = {f"{name}.position": [(0, 0, k)] for k, name in enumerate(names)}
    columns |= {f"{name}.rotation": [(1, 0, 0, 0)] for name in names}
    stage = Stage.from_poses("arm", scene_of(model), [0.0], columns)
    assert stage.common_axis(stage.start) == along
    assert stage.look() == look
    ball = model.body("ball", mass=1.0, shape=lw.Sphere(0.1), position=(0, 0, 9))
    model.ball("shoulder", last, ball, at=(0, 0, 8))
    columns |= {"ball.position": [(0, 0, 9)], "ball.rotation": [(1, 0, 0, 0)]}
    assert Stage.from_poses("arm", scene_of(model), [0.0], columns).look() == (-60.0, 18.0)  # not in a plane
