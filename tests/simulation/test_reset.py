"""Simulations that begin anew, and copies of them: to the last bit what a new one would do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwork as lw

METHODS: list[Any] = [
    lw.Recursive(dt=2e-3),
    lw.Recursive(dt=2e-3, integrator="abm4"),
    lw.Recursive(dt=2e-3, integrator="adaptive"),
    lw.Absolute(dt=2e-3),
    lw.Components(dt=2e-3),
    lw.Components(dt=2e-3, coordinates="joint"),
    lw.Hybrid(dt=2e-3),
    lw.SemiRecursive(dt=2e-3),
    lw.Global(dt=2e-3),
    lw.Impulse(dt=2e-3),
    lw.Maximal(dt=2e-3),
]
NAMES = [f"{method.name}-{method.integrator}-{method.coordinates}" for method in METHODS]


def reach(angle: float) -> float:
    """Of the slider-crank, m, when its pin is at this angle."""
    phi = np.arctan2(0.16, 0.12) - angle
    return float(0.2 * np.cos(phi) + np.sqrt(0.36 - (0.2 * np.sin(phi)) ** 2))


def crank(**starts: Any) -> lw.Model:
    """A slider-crank with a torque that can be set and a spring; start values of its joints by name."""

    def start(name: str) -> dict[str, Any]:
        return starts.get(name, {})

    model = lw.Model("crank")
    along = (0.12, 0, 0.16)  # of the crank; the rod is 0.6 m
    end = (reach(0.0), 0, 0)
    one = model.body("one", mass=1.0, inertia=(0.01, 0.02, 0.02), com=(0.06, 0, 0.08))
    two = model.body("two", mass=0.5, inertia=(0.01, 0.02, 0.02), position=along, com=(0.3, 0, -0.08))
    block = model.body("block", mass=2.0, inertia=(0.01, 0.01, 0.01), position=end)
    model.revolute("pin", "ground", one, at=(0, 0, 0), axis=(0, 1, 0), **start("pin"))
    model.revolute("elbow", one, two, at=along, axis=(0, 1, 0), **start("elbow"))
    model.revolute("wrist", two, block, at=end, axis=(0, 1, 0), **start("wrist"))
    model.prismatic("slide", "ground", block, at=end, axis=(1, 0, 0), **start("slide"))
    model.torque("drive", "pin", 0.5)
    model.spring("spring", "ground", block, at_a=(1.5, 0, 0), stiffness=100.0, length=0.6)
    return model


def assert_same(one: lw.Simulation, other: lw.Simulation, steps: int = 5) -> None:
    """The same numbers now, and after some steps."""
    for left in (steps, 0):
        assert one.time == other.time
        for name in ("y", "cut_q", "cut_force", "vd", "push", "contact_force", "drive"):
            mine, its = getattr(one.state, name), getattr(other.state, name)
            assert mine.tobytes() == its.tobytes(), name
        if left:
            one.step(left)
            other.step(left)


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
def test_back_to_the_start(method: Any) -> None:
    sim = lw.Simulation(crank(pin={"position": 0.5, "velocity": 3.0}), method)
    read = sim.reader(["pin.position", "block.position"])
    sim.inputs["drive"] = 4.0
    sim.step(20)
    inputs = sim.inputs
    sim.reset()
    assert sim.inputs is inputs
    assert (sim.time, sim.steps, inputs["drive"]) == (0.0, 0, 0.5)
    new = lw.Simulation(crank(pin={"position": 0.5, "velocity": 3.0}), method)
    assert np.array_equal(read(), new.reader(read.names)())
    inputs["drive"] = new.inputs["drive"] = 3.0
    assert_same(sim, new)


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
def test_other_start_values_are_those_of_a_new_simulation(method: Any) -> None:
    sim = lw.Simulation(crank(), method)
    sim.step(3)
    sim.reset(joints={"pin": 0.7}, velocities={"slide": 0.3})
    assert sim["pin.position"] == pytest.approx(0.7, abs=1e-14)
    assert sim["slide.velocity"] == pytest.approx(0.3, abs=1e-12)
    assert sim["slide.position"] == pytest.approx(reach(0.7) - reach(0.0), abs=1e-10)
    new = lw.Simulation(crank(pin={"position": 0.7}, slide={"velocity": 0.3}), method)
    assert_same(sim, new)


@pytest.mark.parametrize("method", [lw.Recursive(dt=1e-3), lw.Maximal(dt=1e-3)], ids=["joint", "absolute"])
def test_values_of_the_model_give_way(method: Any) -> None:
    """The model gives the pin; a reset that gives the slide alone is followed by it."""
    sim = lw.Simulation(crank(pin={"position": 0.5, "velocity": 3.0}), method)
    goal = float(sim["slide.position"])
    sim.reset(joints={"slide": 0.05}, velocities={"slide": -1.0})
    assert sim["slide.position"] == pytest.approx(0.05, abs=1e-10)
    assert sim["slide.velocity"] == pytest.approx(-1.0, abs=1e-10)
    assert 0.1 < sim["pin.position"] < 0.5
    # a value next to that of the model is held to the last digits, not mixed with it
    sim.reset(joints={"slide": goal - 1e-4})
    assert sim["slide.position"] == pytest.approx(goal - 1e-4, abs=1e-11)
    # velocities that are not asked for are the model's
    assert sim["pin.velocity"] == pytest.approx(3.0, abs=1e-12)


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
def test_where_it_was_by_all_coordinates(method: Any) -> None:
    sim = lw.Simulation(crank(pin={"position": 0.5, "velocity": 3.0}), method)
    sim.step(50)
    q, v, angle, speed = sim.q.copy(), sim.v.copy(), sim["pin.position"], sim["wrist.velocity"]
    sim.reset()
    sim.reset(q, v)
    assert np.abs(sim.q - q).max() < 1e-6  # as well as the loops were closed
    # velocities as well as the method closes those: impulses do it where the step begins
    loose = 0.02 * np.abs(v).max() if method.integrator == "semi-implicit" else 1e-4
    assert np.abs(sim.v - v).max() < loose
    assert sim["pin.position"] == pytest.approx(angle, abs=1e-6)
    assert sim["wrist.velocity"] == pytest.approx(speed, abs=loose)
    assert sim.time == 0.0
    v[0] += 0.5 * np.abs(v).max()
    with pytest.raises(lw.ModelError, match="'pin' move as v says|body 'one' be as v says|'elbow' move as v says"):
        sim.reset(q, v)


def test_coordinates_that_tear_joints_are_refused() -> None:
    for method in ("recursive", "absolute"):
        sim = lw.Simulation(crank(), method, dt=1e-3)
        q = sim.q.copy()
        q[0] += 0.2
        with pytest.raises(lw.ModelError, match="joint 'pin'" if method == "recursive" else "body 'one'"):
            sim.reset(q=q)


def test_a_reset_that_fails_leaves_all_as_it_was() -> None:
    sim = lw.Simulation(crank(), lw.Impulse(dt=1e-3))
    sim.inputs["drive"] = 2.0
    sim.step(10)
    twin = sim.copy()
    for asked, said in (
        ({"joints": {"slide": 3.0}}, "'slide'"),
        ({"joints": {"pin": 0.5, "slide": 0.3}}, "'pin'.*'slide'"),
        ({"velocities": {"pin": 1.0, "slide": 5.0}}, "velocit"),
        ({"joints": {"pine": 0.5}}, "no joint 'pine' to start from; give 'pin' in joints="),
        (
            {"joints": {"pin": (1.0, 2.0)}},
            r"joint 'pin': position of a revolute joint is .* \(1 number\), got 2",
        ),
        ({"joints": [0.5]}, "joints must be values by the names of joints"),
        ({"q": [0.0], "joints": {"pin": 0.5}}, "give q= or joints=, not both"),
        ({"q": [0.0]}, "q must be"),
        ({"time": "now"}, "time must be a finite number of seconds"),
    ):
        with pytest.raises((lw.ModelError, lw.OptionError), match=said):
            sim.reset(**asked)  # type: ignore[arg-type]
    limited = lw.Model("limited")
    limited.revolute(
        "pin", "ground", limited.body("rod", mass=1.0, inertia=(1, 1, 1)), axis=(0, 1, 0), at=(0, 0, 1), limits=(-1, 1)
    )
    stopped = lw.Simulation(limited, lw.Impulse(dt=1e-3))
    stopped.step(3)
    with pytest.raises(lw.ModelError, match="outside its limits"):
        stopped.reset(joints={"pin": 2.0})
    assert stopped.steps == 3
    assert sim.inputs["drive"] == 2.0
    assert_same(sim, twin)


def test_the_clock_begins_where_it_is_told() -> None:
    """Laws, moving grounds and events are those of that time."""

    def model() -> lw.Model:
        made = lw.Model("shaken")
        table = made.moving_ground("table", lw.Motion(position=(lambda t: 0.1 * np.sin(5 * t), 0.0, 0.0)))
        made.revolute(
            "pin", table, made.body("bob", mass=1.0, inertia=(1, 1, 1), com=(0, 0, -1)), at=(0, 0, 0), axis=(0, 1, 0)
        )
        made.body("stone", mass=1.0, inertia=(1, 1, 1), position=(0, 0, -5))
        made.attach("stone", "bob", "fixed", name="clamp", time=2.0)
        return made

    sim = lw.Simulation(model(), "recursive", dt=1e-3)
    sim.reset(time=1.5)
    assert sim.time == 1.5
    assert sim["bob.position"][0] == pytest.approx(0.1 * np.sin(7.5), abs=1e-12)
    assert sim["bob.velocity"][0] == pytest.approx(0.5 * np.cos(7.5), abs=1e-6)
    sim.step(499)
    assert sim.attached == []
    sim.step()
    assert sim.attached == ["clamp"]
    sim.reset()
    assert (sim.attached, sim.changes, sim.impacts) == ([], [], 0.0)
    sim.reset(time=3.0)
    assert sim.attached == ["clamp"]


def test_contacts_begin_anew() -> None:
    sim = lw.Simulation(lw.gallery.gripper.build(), lw.Impulse(dt=2e-3))
    sim.step(40)
    sim.reset()
    assert_same(sim, lw.Simulation(lw.gallery.gripper.build(), lw.Impulse(dt=2e-3)), 40)


def test_coordinates_cannot_be_written() -> None:
    sim = lw.Simulation(crank(), "recursive", dt=1e-3)
    q = sim.q
    for view in (q, sim.v):
        with pytest.raises(ValueError, match="read-only"):
            view[0] = 1.0
    with pytest.raises(lw.OptionError, match=r"use sim.reset\(q=...\)"):
        sim.q = np.zeros(4)
    with pytest.raises(lw.OptionError, match=r"use sim.reset\(v=...\)"):
        sim.v = np.zeros(4)
    before = q.copy()
    sim.step(10)
    assert not np.array_equal(q, before)  # it follows the steps
    assert lw.jacobian(sim.system, sim.q, "block", (0, 0, 0)).shape == (6, 3)


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
def test_copies_go_on_to_the_last_bit(method: Any) -> None:
    sim = lw.Simulation(crank(pin={"position": 0.5, "velocity": 3.0}), method)
    sim.inputs["drive"] = 1.0
    sim.step(7)
    other = sim.copy()
    kept = other.state.y.copy()
    sim.step(10)
    assert other.state.y.tobytes() == kept.tobytes()
    other.step(10)
    assert_same(sim, other)
    other.inputs["drive"] = 9.0
    assert sim.inputs["drive"] == 1.0
    other.step(5)
    sim.step(5)
    assert sim["pin.position"] != other["pin.position"]


def test_copies_keep_structure_events_contacts_and_drags() -> None:
    def thrown() -> lw.Model:
        model = lw.Model("thrown")
        model.plane("floor")
        for k in range(3):
            model.body(
                f"ball {k}",
                shape=lw.Sphere(0.1),
                mass=1.0,
                position=(0.05 * k, 0, 0.15 + 0.25 * k),
                material=lw.Material(),
            )
        model.attach("ball 0", "ball 1", "fixed", name="glue", time=0.3)
        model.release("glue", time=0.4)
        return model

    for method in (lw.Impulse(dt=2e-3), lw.Maximal(dt=2e-3)):
        sim = lw.Simulation(thrown(), method)
        sim.step(100)
        sim.attach("ball 1", "ball 2", "ball", name="joint", at=(0, 0, 0))
        sim.drag("ball 2", to=(0, 1, 1))
        sim.step(20)
        other = sim.copy()
        sim.step(100)
        other.step(100)
        assert [change.joint for change in other.changes] == ["joint", "glue", "glue"]
        assert_same(sim, other)
        other.release("joint")
        assert sim.attached == ["joint"]
    sim = lw.Simulation(crank(), "recursive", dt=1e-3)
    sim.drag("block", to=(2, 0, 0))
    sim.step(20)
    other = sim.copy()
    assert_same(sim, other, 30)
    other.drag("block", None)
    sim.step(5)
    other.step(5)
    assert sim["slide.position"] != other["slide.position"]


@pytest.mark.parametrize("method", [lw.Impulse(dt=1e-3), lw.Maximal(dt=1e-3)], ids=["impulse", "maximal"])
def test_repeaters_count_from_where_they_started(method: Any, tmp_path: Path) -> None:
    """Also in a copy, and in a state that is started again after a reset to other start values."""
    model = lw.Model("gears")
    for name in ("leader", "follower"):
        wheel = model.body(name, mass=1.0, inertia=(0.1, 0.1, 0.2), com=(0.1, 0, 0))
        model.revolute(f"{name} axle", "ground", wheel, at=(0, 0, 0), axis=(0, 1, 0), friction=0.1)
    model.repeater("mesh", "leader axle", "follower axle", ratio=-3.0)
    sim = lw.Simulation(model, method)
    sim.reset(joints={"leader axle": 0.4})
    sim.step(50)
    sim.save(tmp_path / "here.npz")
    others = [sim.copy(), lw.Simulation(model, resume=tmp_path / "here.npz")]
    sim.step(100)
    for other in others:
        other.step(100)
        assert other.state.y.tobytes() == sim.state.y.tobytes()
    led = sim["follower axle.position"] + 3.0 * (sim["leader axle.position"] - 0.4)
    assert led == pytest.approx(0.0, abs=1e-9)
