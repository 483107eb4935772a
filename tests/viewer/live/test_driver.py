"""The stepping side of the live page: what is clicked reaches the simulation, what it does reaches the shared frame."""

import time

import numpy as np
import pytest

import linkwork as lw
from flywheel import MOMENT, PageStub, make
from linkwork.assembly.assemble import assemble
from linkwork.targets import find
from linkwork.viewer.live import shared_frame as slot
from linkwork.viewer.live.driver import Driver
from linkwork.viewer.live.live_state import LiveState, preview
from linkwork.viewer.live.trust_light import GOOD, POOR


@pytest.fixture
def driver():
    stage = preview(lambda: make())
    sim = make()
    link = PageStub(stage)
    made = Driver(link, make, sim, LiveState(sim, stage))
    made.receive("run", False)
    yield made
    link.frame.close()


def seen(driver):
    driver.show()
    return driver.page.frame.read()


def sent(driver, name):
    return [message[1:] for message in driver.page.sent if message[0] == name]


def test_paused_it_stands_and_steps_singly(driver):
    driver.go(time.perf_counter() + 1.0)
    assert seen(driver).head[slot.TIME] == 0.0
    for k in (1, 2, 3):
        driver.receive("single", 1)
        assert seen(driver).head[slot.TIME] == pytest.approx(k * 1e-3)
    assert seen(driver).head[slot.RUNNING] == 0.0


def test_running_it_takes_the_steps_that_are_due(driver):
    driver.receive("run", True)
    start = driver.clock.origin
    for later in (0.0042, 0.0101, 0.0299):
        driver.block = 1000
        driver.go(start + later - driver.clock.lead)
        assert driver.sim.time == pytest.approx(round(later - 5e-4, 3), abs=1e-9)
    driver.receive("speed", 10.0)
    driver.block = 1000
    driver.go(driver.clock.origin + 0.00405 - driver.clock.lead)
    assert driver.sim.time == pytest.approx(0.029 + 0.040, abs=1e-9)


def test_an_input_moves_the_wheel_and_reset_brings_it_back(driver):
    driver.receive("input", "drive", 5.0)
    driver.receive("single", 30)
    picture = seen(driver)
    turn = picture.poses[0]
    assert 2 * np.arctan2(turn[6], turn[3]) == pytest.approx(0.5 * 5.0 / MOMENT * 0.03**2, rel=1e-6)
    assert picture.head[slot.ENERGY] == pytest.approx(0.5 * MOMENT * (5.0 / MOMENT * 0.03) ** 2, rel=1e-6)
    assert abs(picture.head[slot.BALANCE]) < 1e-9
    np.testing.assert_allclose(picture.forces[0, :3], [0, 0, 2.0 * 9.81], atol=1e-9)
    driver.receive("reset")
    picture = seen(driver)
    assert picture.head[slot.TIME] == 0.0
    assert driver.sim.inputs["drive"] == 5.0
    np.testing.assert_allclose(picture.poses[0], [0, 0, 0, 1, 0, 0, 0], atol=1e-12)


def test_another_dt_goes_on_and_another_method_begins_anew(driver):
    driver.receive("single", 10)
    driver.receive("dt", 0.005)
    driver.receive("single", 2)
    assert driver.sim.time == pytest.approx(0.02)
    driver.receive("method", "recursive")
    assert driver.sim.time == 0.0
    assert driver.sim.method.dt == 0.005
    assert ("label", "recursive, rk4") in driver.page.sent
    driver.receive("method", "no such")
    assert "unknown method" in sent(driver, "note")[-1][0]
    assert sent(driver, "note")[-1][1] == "error"
    assert driver.sim.method.name == "recursive"


def test_columns_that_are_watched(driver):
    driver.receive("watch", ["pin.velocity", "energy.kinetic", "wheel.position"], 7)
    driver.receive("input", "drive", 1.0)
    driver.receive("single", 100)
    picture = seen(driver)
    assert (picture.head[slot.PLOTTED_COUNT], picture.head[slot.WATCHED]) == (5, 7)
    speed = 0.1 / MOMENT
    np.testing.assert_allclose(picture.plotted[:5], [speed, 0.5 * MOMENT * speed**2, 0, 0, 0], atol=1e-9)
    assert driver.state.choices()["wheel.position"] == (["x", "y", "z"], ["m", "m", "m"])
    assert driver.state.choices()["pin.reaction"][1] == ["N", "N", "N", "N m", "N m", "N m"]
    assert driver.state.choices()["pin.velocity"] == ([""], ["rad/s"])


def test_joints_are_released_and_attached(driver):
    driver.receive("release", "pin")
    driver.receive("single", 100)
    picture = seen(driver)
    assert picture.poses[0, 2] == pytest.approx(-0.5 * 9.81 * 0.1**2, rel=1e-6)
    np.testing.assert_allclose(picture.forces[0], 0.0)
    assert sent(driver, "joints")[-1] == (["pin"], [], [])
    driver.receive("attach", "ground", "wheel", "ball")
    height = seen(driver).poses[0, 2]
    driver.receive("single", 100)
    picture = seen(driver)
    assert picture.poses[0, 2] == pytest.approx(height, abs=1e-9)
    np.testing.assert_allclose(picture.forces[1, :3], [0, 0, 2.0 * 9.81], atol=1e-6)  # in the room for attached ones
    gone, marks, joints = sent(driver, "joints")[-1]
    assert (gone, [mark["joint"] for mark in marks]) == (["pin"], [joints[0]["name"]])
    assert marks[0]["shape"]["kind"] == "sphere"
    assert marks[0]["body"] == joints[0]["body"] == -1  # the ground carries it
    np.testing.assert_allclose(joints[0]["at"], [0, 0, height], atol=1e-9)
    driver.receive("release", "no such joint")
    assert driver.page.sent[-1][0] == "note"
    driver.receive("no such message")
    driver.receive("take", None)  # what the driver does for itself is no message
    assert driver.page.sent[-1][0] == "note"


def test_it_waits_for_the_first_visitor_and_pauses_at_the_end_of_the_piece():
    stage, sim = preview(lambda: make()), make()
    link = PageStub(stage)
    driver = Driver(link, make, sim, LiveState(sim, stage), until=0.05, waits=True)
    driver.block = 1000
    driver.go(time.perf_counter() + 10.0)
    assert sim.time == 0.0
    driver.receive("ready")
    for later in (0.0305, 0.0805):
        driver.block = 1000
        driver.go(driver.clock.origin + later - driver.clock.lead)
    assert sim.time == pytest.approx(0.05)
    assert not driver.running
    assert "the end of this piece" in sent(driver, "note")[-1][0]
    driver.receive("run", True)  # goes on, without another end
    driver.block = 1000
    driver.go(driver.clock.origin + 0.0805 - driver.clock.lead)
    assert sim.time == pytest.approx(0.13)
    assert driver.running
    driver.receive("reset")
    assert not driver.ended
    link.frame.close()


def test_steps_that_come_late_are_never_more_than_were_taken(driver):
    driver.receive("run", True)
    for behind in 20 * (0.05, 0.5):
        driver.block = 1000
        driver.clock.origin -= behind  # far behind, steps are left out
        driver.go(time.perf_counter())
    head = seen(driver).head
    assert 0 < head[slot.LATE] <= head[slot.STEPS] == driver.clock.steps
    assert driver.clock.skipped > 0


def test_keys_hold_inputs_and_two_of_them_both_act(driver):
    driver.keys.keys = {"I": {"drive": 3.0}, "K": {"drive": -1.0}}
    driver.receive("key", "I", True)
    driver.receive("single", 10)
    assert driver.sim.inputs["drive"] == 3.0
    driver.receive("key", "K", True)
    assert driver.sim.inputs["drive"] == -1.0
    driver.receive("key", "K", False)
    assert driver.sim.inputs["drive"] == 3.0
    driver.receive("key", "I", False)
    seen(driver)
    assert sent(driver, "inputs")[-1] == ({"drive": 0.0},)


def test_the_light_of_a_run_that_gains_energy_is_poor():
    """A pendulum by far too large steps of a method of first order."""

    def coarse(method=None, dt=None):
        return lw.Simulation(lw.gallery.pendulum.build(), "impulse", dt=0.1)

    stage, sim = preview(coarse), coarse()
    link = PageStub(stage)
    driver = Driver(link, coarse, sim, LiveState(sim, stage))
    assert (seen(driver).head[slot.LIGHT], sent(driver, "trust")) == (0.0, [(0, [])])
    for _ in range(30):
        driver.receive("single", 1)
        head = seen(driver).head
    assert head[slot.LIGHT] == 2.0
    light, reasons = sent(driver, "trust")[-1]
    assert light == 2
    assert "energy" in reasons[0]
    link.frame.close()


@pytest.mark.parametrize("method", ["recursive", "impulse"])
def test_a_body_is_pulled_by_a_spring(method):
    """A ball is grabbed at its top and pulled upwards."""
    model = lw.Model("ball", gravity=(0, 0, 0))
    model.body("ball", mass=2.0, shape=lw.Sphere(0.1), position=(1, 0, 0))

    def ball(other, dt):
        return lw.Simulation(model, method, dt=0.005)

    stage = preview(lambda: ball(None, None))
    sim = ball(None, None)
    link = PageStub(stage)
    pulled = Driver(link, ball, sim, LiveState(sim, stage))
    pulled.receive("grab", "ball", (1, 0, 0.1), (1, 0, 0.1))
    for height in np.linspace(0.1, 0.5, 20):
        pulled.receive("pull", "ball", (1, 0, height))
        pulled.receive("single", 5)
    pulled.receive("single", 400)
    np.testing.assert_allclose(sim["ball.position"], (1, 0, 0.4), atol=1e-3)
    pulled.receive("pull", "ball", (1, 0, 0.6))
    pulled.receive("single", 1)
    before = sim["ball.velocity"]
    pulled.receive("single", 1)
    thing, *numbers = seen(pulled).drags[0]
    point, goal, force = np.reshape(numbers, (3, 3))
    np.testing.assert_allclose(force, 2.0 * (sim["ball.velocity"] - before) / 0.005, rtol=1e-6, atol=1e-9)  # Newton
    assert (thing, goal.tolist()) == (0, [1.0, 0.0, 0.6])
    np.testing.assert_allclose(point, sim["ball.position"] + (0, 0, 0.1), atol=2e-5)
    pulled.receive("drop", "ball")
    assert seen(pulled).head[slot.DRAG_COUNT] == 0
    before = sim["ball.velocity"]
    pulled.receive("single", 10)
    np.testing.assert_allclose(sim["ball.velocity"], before, atol=1e-9)  # nothing holds it any more
    assert sent(pulled, "note") == []
    link.frame.close()


def test_a_run_that_fails_says_so_and_can_be_reset():
    model = lw.Model("bad")
    ball = model.body("ball", mass=1.0, shape=lw.Sphere(0.1))
    model.force("push", ball, lambda t: (0, 0, 1.0 if t < 0.01 else float("nan")))

    def bad(method, dt):
        return lw.Simulation(model, "recursive", dt=1e-3)

    stage = preview(lambda: bad(None, None))
    sim = bad(None, None)
    link = PageStub(stage)
    driver = Driver(link, bad, sim, LiveState(sim, stage))
    driver.receive("single", 50)
    assert "law of force 'push'" in link.sent[-1][1]
    driver.show()
    light, reasons = sent(driver, "trust")[-1]  # which who comes later is told too
    assert light == POOR
    assert "law of force 'push'" in reasons[0]
    driver.receive("reset")
    assert driver.sim.time == 0.0
    driver.show()
    assert sent(driver, "trust")[-1][0] == GOOD
    link.frame.close()


def test_the_gripper_is_driven_by_hand():
    target = find("gripper", viewing=True)
    assert {name for inputs in target.keys.values() for name in inputs} == set(assemble(target.model).inputs)
    assert find("gripper", {"manual": False}, viewing=True).keys == {}
    assert assemble(find("gripper").model).inputs == {}

    def gripper(method, dt):
        return lw.Simulation(target.model, "impulse", dt=2e-3)

    stage = preview(lambda: gripper(None, None))
    sim = gripper(None, None)
    link = PageStub(stage)
    hand = Driver(link, gripper, sim, LiveState(sim, stage))
    turn = sim["turn.position"]
    hand.receive("input", "turn motor", 0.5)
    hand.receive("single", 100)
    assert sim["turn.position"] - turn == pytest.approx(0.1, abs=0.0021)  # two steps: its torque has a bound
    assert sim["elbow.velocity"] == pytest.approx(0.0, abs=1e-3)  # the others hold
    link.frame.close()


def test_modes_are_found_about_the_equilibrium_and_sent():
    def build(method=None, dt=None):
        model = lw.Model("rod")
        rod = model.body("rod", mass=1.0, inertia=(0.1, 1 / 12, 0.1), com=(0.5, 0, 0))
        model.revolute("pin", "ground", rod, at=(0, 0, 0), axis=(0, 1, 0), position=1.0)
        return lw.Simulation(model, method=method or "recursive", dt=dt or 1e-3)

    stage = preview(build)
    sim = build()
    link = PageStub(stage)
    made = Driver(link, build, sim, LiveState(sim, stage))
    made.receive("modes")
    ((facts,),) = sent(made, "modes")
    assert not made.running
    assert facts["names"] == ["rod"]
    assert facts["list"][0]["text"] == "0.6105 Hz"
    assert facts["list"][0]["energy"] == [1.0]
    link.frame.close()


def test_what_has_no_modes_is_told(driver):
    model = lw.Model("box")
    model.plane("floor", material=lw.Material(friction=0.5))
    box = model.body("box", shape=lw.Box((1, 1, 1)), mass=1.0, position=(0, 0, 0.5), material=lw.Material())
    model.free("f", "ground", box)
    driver.sim = lw.Simulation(model, method="impulse", dt=1e-3)
    driver.receive("modes")
    assert "cannot be linearised" in sent(driver, "note")[-1][0]
