"""The humanoid: it stays on its feet, and the stone in its hand."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.gallery import humanoid

OPTIONS = {**humanoid.METHOD, "every": 20}
CLOSED = 3.1  # s, when it begins to rise


@pytest.fixture(scope="module")
def run():
    return lw.simulate(humanoid.build(), until=humanoid.UNTIL, **OPTIONS)


def in_hand(run):
    """Where the stone is in the frame of the hand, (time, 3) in m."""
    hand = zip(run["right hand.position"], run["right hand.rotation"], strict=True)
    return np.array([lw.Frame(*pose).inverse().point(x) for pose, x in zip(hand, run["stone.position"], strict=True)])


def test_degrees_of_freedom():
    report = lw.check(humanoid.build())
    assert (
        report.degrees_of_freedom == 42
    )  # 32 joints, two of them thumbs that follow; where the robot is, and the stone
    assert report.notes == []


def test_stone_is_grasped_and_lifted(run):
    height = run["stone.position"][:, 2]
    lying = run.time < 2.5
    assert np.ptp(height[lying]) < 1e-4
    # with the hand: the legs rise by 0.32 m, the arm by 0.14 m
    assert height[-1] - height[0] == pytest.approx(0.46, abs=0.01)
    held = in_hand(run)[run.time > CLOSED]
    assert np.linalg.norm(held - held[0], axis=1).max() < 1e-3
    assert run["stone.contact_force"][-1] == pytest.approx((0, 0, 9.81), abs=1e-3)  # its weight


def test_it_stands_on_its_feet(run):
    for side in ("left", "right"):
        foot = run[f"{side} foot.position"]
        assert np.abs(foot - foot[0]).max() < 1e-3
        assert run[f"{side} foot.contact_force"][:, 2].min() > 100.0  # neither is ever lifted
    # at rest the feet carry all but the rock
    model = humanoid.build()
    mass = sum(body.mass for body in model.all_bodies()) - model["rock"].mass
    weight = sum(run[f"{side} foot.contact_force"][-1, 2] for side in ("left", "right"))
    assert weight == pytest.approx(9.81 * mass, rel=1e-4)
    assert 50.0 < mass < 70.0


def test_centre_of_mass_stays_over_the_feet(run):
    model = humanoid.build()
    bodies = [body for body in model.all_bodies() if body.path not in ("rock", "stone")]
    mass = sum(body.mass for body in bodies)
    centre = sum(body.mass * run[f"{body.path}.position"] for body in bodies) / mass
    assert centre[:, 0] == pytest.approx(np.full(len(run), humanoid.MIDDLE), abs=2e-3)
    assert np.ptp(centre[:, 2]) > 0.15  # and yet it moves


def test_joints_follow_their_motors(run):
    for joint, values in humanoid.POSES.items():
        for name in (f"left {joint}", f"right {joint}") if joint in ("hip pitch", "knee") else (joint,):
            found = np.interp(humanoid.TIMES, run.time, run[f"{name}.position"])
            assert found == pytest.approx(values, abs=1e-4), name
    assert run["right knuckles.position"] == pytest.approx(run["right thumb hinge.position"], abs=1e-8)


def test_books_balance(run):
    assert run.certificate.complete
    assert run.certificate.energy_balance_relative < 2e-3
    for name in run:
        assert np.isfinite(run[name]).all(), name


def test_a_weak_hand_loses_the_stone():
    run = lw.simulate(humanoid.build(grip=0.3), until=4.6, record="stone.position", **OPTIONS)
    assert run["stone.position"][-1, 2] - run["stone.position"][0, 2] < 0.05


@pytest.mark.parametrize("wrong", [{"crouch": 2.0}, {"size": 0.2}])
def test_refuses_what_it_cannot_do(wrong):
    with pytest.raises(lw.ModelError, match="humanoid"):
        humanoid.build(**wrong)
