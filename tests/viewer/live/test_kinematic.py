"""The kinematic mode of the live page: sliders move the joints, loops follow, and a run goes on from there."""

import time

import numpy as np
import pytest

import linkwork as lw
from flywheel import PageStub
from linkwork.viewer.live import shared_frame as slot
from linkwork.viewer.live.driver import Driver
from linkwork.viewer.live.live_state import LiveState, preview


def make(method=None, dt=None):
    return lw.Simulation(lw.gallery.double_four_bar.build(), method or "recursive", dt=dt or 1e-3)


@pytest.fixture(params=["recursive", "absolute"])
def driver(request):
    stage = preview(make)
    sim = make(request.param)
    page = PageStub(stage)
    made = Driver(page, make, sim, LiveState(sim, stage))
    made.receive("run", False)
    yield made
    page.frame.close()


def seen(driver):
    driver.show()
    return driver.page.frame.read()


def foot(driver, name="foot 1"):
    coordinates = driver.kinematic.posing.coordinates
    return next(k for k, each in enumerate(coordinates) if each.joint == name)


def sent(driver, name):
    return [message[1:] for message in driver.page.sent if message[0] == name]


def test_a_slider_moves_the_mechanism_and_the_others_follow(driver):
    driver.receive("kinematic", True)
    before = seen(driver).poses.copy()
    driver.receive("pose", foot(driver), 1.2)
    driver.receive("pose", foot(driver), 1.1)  # the last word counts
    after = seen(driver).poses
    assert np.abs(after - before).max() > 0.1
    values = sent(driver, "coordinates")[-1][0]
    assert values[foot(driver)] == pytest.approx(1.1)
    assert values[foot(driver, "foot 0")] == pytest.approx(1.1)  # all rockers stand alike
    assert driver.sim.time == 0.0
    driver.go(time.perf_counter())
    assert driver.sim.time == 0.0


def test_a_run_goes_on_from_there(driver):
    driver.receive("kinematic", True)
    driver.receive("pose", foot(driver), 1.1)
    posed = seen(driver).poses.copy()
    driver.receive("single", 0)  # leaves the mode
    assert driver.kinematic is None
    assert sent(driver, "kinematic") == [(True,), (False,)]
    assert seen(driver).poses == pytest.approx(posed, abs=1e-9)
    assert float(driver.sim["foot 1.position"]) == pytest.approx(1.1)
    driver.receive("single", 5)
    assert driver.sim.time == pytest.approx(5e-3)


def test_it_begins_where_the_run_is(driver):
    driver.receive("single", 400)
    there = seen(driver).poses.copy()
    driver.receive("kinematic", True)
    assert seen(driver).poses == pytest.approx(there, abs=1e-5)
    driver.receive("run", True)  # without a slider moved, the run goes on
    assert driver.sim.time == pytest.approx(0.4)


def test_what_cannot_be_is_told_and_reset_begins_anew(driver):
    driver.receive("kinematic", True)
    first = seen(driver).poses.copy()
    driver.receive("pose", foot(driver, "foot 0"), 40.0)
    seen(driver)
    driver.receive("reset")
    assert seen(driver).poses == pytest.approx(first)
    assert driver.kinematic is not None
    assert seen(driver).head[slot.RUNNING] == 0.0


def test_motors_that_hold_a_joint_are_told():
    def held(method=None, dt=None):
        model = lw.Model("held")
        arm = model.body("arm", mass=1.0, shape=lw.Box((0.1, 0.1, 1.0)), position=(0, 0, 0.5))
        pin = model.revolute("pin", "ground", arm, at=(0, 0, 0), axis=(0, 1, 0))
        model.motor("drive", pin, position=0.0)
        return lw.Simulation(model, method or "recursive", dt=dt or 1e-3)

    stage = preview(held)
    sim = held()
    page = PageStub(stage)
    driver = Driver(page, held, sim, LiveState(sim, stage))
    driver.receive("kinematic", True)
    driver.receive("pose", 0, 0.7)
    driver.show()
    assert driver.kinematic.posing.value("pin", 0) == pytest.approx(0.7)
    driver.receive("run", True)
    assert "drive" in sent(driver, "note")[-1][0]
    page.frame.close()


def test_a_body_is_dragged_and_the_loops_follow(driver):
    """The point that is held goes where the mouse is, or as near as the loops allow; they stay closed."""
    driver.receive("kinematic", True)
    before = seen(driver).poses.copy()
    feet = [driver.kinematic.posing.values()[foot(driver, f"foot {k}")] for k in range(3)]
    top, goal = np.array([1.0, 0.0, 0.8]), np.array([1.3, 0.0, 0.8])  # of the crank in the middle, which is upright
    driver.receive("grab", "crank 1", top.tolist(), goal.tolist())
    picture = seen(driver)
    values = driver.kinematic.posing.values()
    turn = np.arctan2(0.3, 0.8)  # where the point is nearest to its goal
    assert [values[foot(driver, f"foot {k}")] - first for k, first in enumerate(feet)] == pytest.approx(
        3 * [turn], abs=1e-3
    )
    assert np.abs(picture.poses - before).max(axis=1).min() > 0.1  # all of them went along
    assert picture.head[slot.DRAG_COUNT] == 1
    assert picture.head[slot.KINEMATIC] == 1.0
    driver.receive("drop", "crank 1")
    assert seen(driver).head[slot.DRAG_COUNT] == 0
    posed = values[foot(driver)]
    driver.receive("run", True)
    assert float(driver.sim["foot 1.position"]) == pytest.approx(posed, abs=1e-9)
