"""The gripper: what it holds stays in its fingers, as long as they press hard enough."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.gallery import gripper

OPTIONS = {**gripper.METHOD, "every": 10}
HELD = gripper.TURNED + 10.0  # s, when it is put down


@pytest.fixture(scope="module")
def run():
    return lw.simulate(gripper.build(hold=10.0), until=HELD + 2.6, **OPTIONS)


def row(run, time):
    return int(np.argmin(np.abs(run.time - time)))


def test_block_is_lifted_and_carried(run):
    places = run["block.position"]
    assert np.ptp(places[: row(run, gripper.CLOSED), 2]) < 2e-5  # it stands
    assert places[row(run, gripper.UP), 2] == pytest.approx(0.04 + 0.3, abs=5e-4)
    around = 0.55 * np.array([np.cos(1.5), np.sin(1.5)])
    assert places[row(run, gripper.TURNED), :2] == pytest.approx(around, abs=2e-3)


def test_it_slips_less_than_a_millimetre(run):
    assert gripper.slip(run, gripper.TURNED, HELD) < 1e-6  # ten seconds
    assert gripper.slip(run, gripper.CLOSED, HELD + 0.95) < 1e-4  # with all the way


def test_it_stands_where_it_was_put(run):
    last = run["block.position"][-1]
    assert last[2] == pytest.approx(0.04, abs=1e-4)
    assert np.abs(run["block.velocity"][-1]).max() < 1e-6
    assert run["block.contact_force"][-1] == pytest.approx((0, 0, 9.81), abs=1e-6)  # nothing but the floor


def test_force_of_the_fingers_is_that_of_the_motor():
    sim = lw.Simulation(gripper.build(hold=1.0), lw.Impulse(dt=1e-3, iterations=500))
    sim.step(4700)
    seen = sim.contacts()
    pressed = dict.fromkeys(("left finger", "right finger"), 0.0)
    for bodies, force in zip(seen.bodies, seen.forces, strict=True):
        finger = next(name for name in bodies if name != "block")
        across = np.array([-np.sin(1.5), np.cos(1.5), 0.0])
        pressed[finger] += abs(force @ across)
    assert pressed["left finger"] == pytest.approx(30.0, rel=1e-3)
    assert pressed["right finger"] == pytest.approx(30.0, rel=1e-3)


def test_fingers_mirror_each_other(run):
    assert run["left slide.position"] == pytest.approx(run["right slide.position"], abs=1e-8)
    assert run["left slide.position"][-1] == pytest.approx(0.0, abs=1e-3)  # open again
    assert run["left slide.position"].min() > -1.001e-3  # the stop


def test_books_balance(run):
    assert run.certificate.complete
    assert run.certificate.energy_balance_relative < 2e-3
    for name in run:
        assert np.isfinite(run[name]).all(), name


# friction 0.6, 1 kg: 16.4 N carry its weight, and 19.3 N lift it as fast as the hand goes up
@pytest.mark.parametrize(("grip", "height"), [(15.0, 0.04), (21.0, 0.34)])
def test_a_weak_grip_leaves_the_block_behind(grip, height):
    run = lw.simulate(gripper.build(grip=grip), until=gripper.UP + 0.2, record="block.position", **OPTIONS)
    assert run["block.position"][-1, 2] == pytest.approx(height, abs=1e-3)


@pytest.mark.parametrize("wrong", [{"size": 0.5}, {"radius": 1.0}, {"lift": 0.9}])
def test_refuses_what_the_arm_cannot_do(wrong):
    with pytest.raises(lw.ModelError, match="gripper"):
        gripper.build(**wrong)
