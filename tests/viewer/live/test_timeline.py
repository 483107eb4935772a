"""The past of a live run: it stands there again to the last bit, whatever was done, and goes on from there."""

import numpy as np
import pytest

import linkwork as lw
from flywheel import PageStub
from linkwork.viewer.live import timeline as module
from linkwork.viewer.live.driver import Driver
from linkwork.viewer.live.live_state import LiveState, preview


def crane():
    """A double pendulum that a torque drives, and a ball above a floor."""
    model = lw.Model("crane")
    arm = model.body("arm", mass=2.0, shape=lw.Box((0.1, 0.1, 1.0)), position=(0, 0, 1.5))
    tip = model.body("tip", mass=1.0, shape=lw.Box((0.1, 0.1, 0.6)), position=(0, 0, 0.7))
    pin = model.revolute("pin", model.ground, arm, at=(0, 0, 2), axis=(0, 1, 0))
    model.revolute("elbow", arm, tip, at=(0, 0, 1), axis=(0, 1, 0), position=0.5)
    model.torque("drive", pin, 0.0)
    return model


class Watched:
    """A driver whose states are kept every so many steps; what every step showed is remembered."""

    def __init__(self, method):
        def make(other=None, dt=None):
            return lw.Simulation(crane(), other or method, dt=dt or 2e-3)

        stage, sim = preview(make), make()
        self.page = PageStub(stage)
        self.driver = Driver(self.page, make, sim, LiveState(sim, stage), keys={"I": {"drive": 4.0}})
        self.driver.receive("run", False)
        self.seen = {}

    def go(self, count):
        """Steps, a frame after each; a state is kept every half a second of them."""
        for _ in range(count):
            self.driver.receive("single", 1)
            self.driver.watched += 0.02
            self.driver.show()
            self.seen[round(self.driver.sim.time, 9)] = self.page.frame.read()

    def now(self):
        self.driver.show()
        return self.page.frame.read()


@pytest.fixture(params=["recursive", "impulse"])
def watched(request):
    made = Watched(request.param)
    made.driver.timeline.every = 0.5
    yield made
    made.page.frame.close()


def lively(watched):
    """Everything that can be done to a run, between its steps."""
    do = watched.driver.receive
    watched.go(30)
    do("key", "I", True)
    watched.go(30)
    do("key", "I", False)
    do("input", "drive", -2.0)
    watched.go(30)
    do("grab", "tip", [0.0, 0.0, 0.7], [0.5, 0.0, 0.7])
    for k in range(20):
        do("pull", "tip", [0.5 + 0.01 * k, 0.0, 0.7])
        watched.go(2)
    do("drop", "tip")
    watched.go(30)
    do("attach", "ground", "tip", "ball")
    watched.go(20)
    do("dt", 1e-3)
    watched.go(20)
    do("release", "elbow")
    watched.go(30)


def test_it_stands_where_it_was_at_any_time(watched):
    lively(watched)
    times = sorted(watched.seen)
    for t in [times[k] for k in (-1, -35, -55, 160, 131, 115, 61, 40, 17, 2)]:
        then = watched.seen[t]
        watched.driver.receive("rewind", t)
        now = watched.now()
        assert now.head[1] == pytest.approx(t, abs=1e-9)
        np.testing.assert_allclose(now.poses, then.poses, rtol=0, atol=1e-12)
        assert now.head[3] == pytest.approx(then.head[3], abs=1e-9)  # the energy balance goes on
    assert watched.driver.held == {}
    assert not watched.driver.running


def test_a_branch_goes_on_from_there_with_the_keys_that_are_down_now(watched):
    lively(watched)
    driver = watched.driver
    driver.receive("branch", 0.08)  # the key was held
    assert driver.running
    assert driver.sim.inputs["drive"] == 0.0
    driver.receive("run", False)
    here = watched.now().poses.copy()
    np.testing.assert_allclose(here, watched.seen[0.08].poses, atol=1e-12)
    driver.receive("key", "I", True)
    watched.go(20)
    first = watched.now().poses.copy()
    driver.receive("rewind", 0.08)  # the branch has a past of its own
    np.testing.assert_allclose(watched.now().poses, here, atol=1e-12)
    assert driver.sim.inputs["drive"] == 4.0 or driver.keys.held == ["I"]
    driver.receive("key", "I", False)
    driver.receive("key", "I", True)
    watched.go(20)
    np.testing.assert_allclose(watched.now().poses, first, atol=1e-12)


def test_what_is_too_long_ago_is_told_and_memory_is_bounded(watched, monkeypatch):
    monkeypatch.setattr(module, "SECONDS", 2.0)
    watched.go(400)
    driver = watched.driver
    assert len(driver.timeline.moments) <= 6
    driver.receive("rewind", 0.01)
    word, text, kind = watched.page.sent[-1]
    assert (word, kind) == ("note", "error")
    assert "cannot be rewound farther" in text
    monkeypatch.setattr(module, "BYTES", 3 * driver.timeline.moments[0].size)
    watched.go(200)
    assert sum(moment.size for moment in driver.timeline.moments) <= module.BYTES
    t = round(driver.sim.time - 0.2, 9)
    driver.receive("rewind", t)
    np.testing.assert_allclose(watched.now().poses, watched.seen[t].poses, atol=1e-12)
