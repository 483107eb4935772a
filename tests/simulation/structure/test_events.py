"""When events happen, what a run keeps of them, and what is refused."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from known_mechanisms import four_bar, pendulum

G = 9.81


def falling() -> lw.Model:
    model = lw.Model("fall")
    model.body("stone", mass=2.0, inertia=(0.1, 0.1, 0.1))
    return model


def rod(**pin: Any) -> lw.Model:
    model = lw.Model("rod")
    model.body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -1))
    model.revolute("pin", "ground", "bob", at=(0, 0, 0), axis=(0, 1, 0), **pin)
    return model


def caught(dt: float = 0.01, every: int = 1, integrator: str = "rk4", **moment: Any) -> lw.Trajectory:
    model = falling()
    model.attach("ground", "stone", "fixed", name="grip", **moment)
    return lw.simulate(model, until=1.0, dt=dt, every=every, method="recursive", integrator=integrator)


# --- when ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("integrator", ["rk2", "rk4", "abm4", "adaptive"])
@pytest.mark.parametrize("time", [0.0, 0.4, 0.41370001, 0.4 + 1e-13, 0.9999, 1.0])
def test_the_time_is_met_exactly(time: float, integrator: str) -> None:
    """A step is split where it must; a parabola is exact by these integrators."""
    run = caught(time=time, integrator=integrator)
    assert run.events[0].time == pytest.approx(time, abs=1e-12)
    assert run["stone.position"][-1] == pytest.approx([0, 0, -G / 2 * time**2], abs=1e-10)
    assert run.events[0].energy == pytest.approx(G**2 * time**2, abs=1e-9)
    assert run.time == pytest.approx(np.linspace(0, 1, 101), abs=1e-15)
    # the row at the time of an event shows what is after it
    k = math.ceil(time / 0.01 - 1e-9)
    assert abs(run["stone.velocity"][k:, 2]).max() < 1e-12
    assert abs(run["stone.velocity"][:k, 2]).min(initial=1.0) >= 0.0


def test_memory_of_an_integrator_ends_with_an_event() -> None:
    """Order four in spite of a split step and another structure."""

    def end(dt: float) -> float:
        model = pendulum(position=2.0)
        model.body("weight", mass=3.0, inertia=(0.1, 0.1, 0.1), position=(0.3, 0, -1.0))
        model.free("rest", "ground", "weight", velocity=(0, 0, 5, 0, 1, 0))
        model.attach("bob", "weight", "ball", name="hook", time=0.33333, at=(0.3, 0, -0.5))
        return float(lw.simulate(model, until=1.0, dt=dt, method="recursive", integrator="abm4")["pin.position"][-1])

    exact = end(5e-4)
    assert abs(end(0.008) - exact) > 11 * abs(end(0.004) - exact)


def test_a_condition_is_looked_at_after_each_step() -> None:
    run = caught(when=lambda sim: sim["stone.position"][2] < -1.0)
    instant = math.sqrt(2.0 / G)
    assert run.events[0].time == pytest.approx(0.01 * math.ceil(instant / 0.01))


@pytest.mark.parametrize("method", ["recursive", "hybrid", "semi-recursive", "global", "absolute", "component"])
@pytest.mark.parametrize("within", [1e-3, 1e-9])
def test_a_condition_can_be_located(within: float, method: str) -> None:
    model = falling()
    model.attach(
        "ground", "stone", "fixed", name="grip", when=lambda sim: sim["stone.position"][2] < -1.0, within=within
    )
    run = lw.simulate(model, until=1.0, dt=0.01, method=method)
    instant = math.sqrt(2.0 / G)
    assert instant - 1e-12 <= run.events[0].time <= instant + within
    assert run["stone.position"][-1, 2] == pytest.approx(-1.0, abs=5.0 * within)


def test_a_condition_that_holds_at_the_start() -> None:
    run = caught(when=lambda sim: True)
    assert run.events[0].time == 0.0
    assert not run["stone.position"].any()


def test_one_that_never_holds() -> None:
    model = falling()
    model.attach("ground", "stone", "fixed", name="grip", when=lambda sim: False)
    model.release("grip", when=lambda sim: 1 / 0)  # not asked while nothing is attached
    run = lw.simulate(model, until=1.0, dt=0.01)
    assert run.events == []
    assert run["stone.position"][-1, 2] == pytest.approx(-G / 2)
    assert not run["grip.reaction"].any()


def test_events_after_the_end_do_not_happen() -> None:
    assert caught(time=3.0).events == []


def test_handed_over_at_one_instant() -> None:
    """What is planned for one time happens in the order of the plan; the stone never falls in between."""
    model = falling()
    model.attach("ground", "stone", "fixed", name="left", time=0.0)
    model.release("left", time=0.5)
    model.attach("ground", "stone", "ball", name="right", time=0.5, at=(0.2, 0, 0))
    run = lw.simulate(model, until=0.6, dt=0.01, method="recursive")
    assert [(event.what, event.joint) for event in run.events][1:] == [("released", "left"), ("attached", "right")]
    assert run.energy["impacts"][-1] == 0.0
    assert run["left.reaction"][49, 2] == pytest.approx(2.0 * G)
    assert not run["left.reaction"][50].any()
    # a weight on a ball joint beside it: 1 / (1 / m + d^2 / I) of the fall is left to the joint
    assert run["right.reaction"][50, 2] == pytest.approx(G / (1 / 2.0 + 0.2**2 / 0.1))


def test_two_at_one_instant_are_one_blow() -> None:
    """Joints attached one after the other at an instant cost what both cost together."""
    costs = []
    for kinds in (("revolute", "prismatic"), ("prismatic", "revolute"), ("fixed",)):
        sim = lw.Simulation(falling(), "recursive", dt=0.01)
        sim.state.y[-8:-2] = [1.0, 2.0, 3.0, 0.3, 0.2, 0.1]
        sim.step(1)
        for kind in kinds:
            where = {} if kind == "fixed" else {"at": (0, 0, 0), "axis": (0, 0, 1)}
            sim.attach("ground", "stone", kind, name=kind, **where)
        assert np.abs(sim.v).max() < 1e-14
        costs.append(sim.impacts)
    assert costs == pytest.approx([costs[2]] * 3, rel=1e-12)


def test_attached_again() -> None:
    model = falling()
    for time in (0.1, 0.5):
        model.attach("ground", "stone", "ball", name="grip", time=time, frame_b=lw.Frame((0.1, 0, 0)))
        model.release("grip", time=time + 0.2)
    run = lw.simulate(model, until=1.0, dt=0.01, method="hybrid")
    assert [event.what for event in run.events] == ["attached", "released"] * 2
    held = run["grip.reaction"].any(axis=1)
    assert held.tolist() == [0.1 <= t < 0.3 or 0.5 <= t < 0.7 for t in run.time.round(9)]


# --- the same bits ------------------------------------------------------------------------------------------------


def hooked(model: lw.Model | None = None) -> lw.Model:
    model = four_bar(start={"crank": {"velocity": 3.0}}) if model is None else model
    model.attach("ground", "coupler bar", "ball", name="hook", time=0.1, frame_b=lw.Frame((0.1, 0, 0.2)))
    model.release("hook", time=0.203)
    return model


@pytest.mark.parametrize("method", ["recursive", "hybrid", "semi-recursive", "absolute"])
def test_by_hand_as_planned(method: str, tmp_path: Path) -> None:
    """The same bits: planned twice, stepped by hand, thinned out, saved and loaded."""
    options: dict[str, Any] = {"method": method, "dt": 0.01}
    run = lw.simulate(hooked(), until=0.3, **options)
    again = lw.simulate(hooked(), until=0.3, **options)
    assert all(run[name].tobytes() == again[name].tobytes() for name in run.names)
    assert run.events == again.events
    thin = lw.simulate(hooked(), until=0.3, every=3, **options)
    assert all(run[name][::3].tobytes() == thin[name].tobytes() for name in run.names)
    # planned, but stepped by hand
    planned = lw.Simulation(hooked(), **options)
    planned.step(12)
    planned.step(18)
    # nothing planned at all
    free = lw.Simulation(four_bar(start={"crank": {"velocity": 3.0}}), **options)
    free.step(10)
    free.attach("ground", "coupler bar", "ball", name="hook", frame_b=lw.Frame((0.1, 0, 0.2)))
    assert free.attached == ["hook"]
    free.step(10)
    free.release("hook")
    free.step(10)
    assert planned["coupler bar.position"].tobytes() == run["coupler bar.position"][-1].tobytes()
    assert planned.changes == run.events
    assert free["coupler bar.position"] == pytest.approx(run["coupler bar.position"][-1], abs=1e-2)
    assert free.changes[0] == run.events[0]
    run.save(tmp_path / "run.npz")
    assert lw.load_run(tmp_path / "run.npz").events == run.events


def test_inputs_go_on() -> None:
    model = rod(position=0.2)
    model.torque("drive", "pin", 0.0)
    model.torque("load", "pin", 0.0)
    sim = lw.Simulation(model, dt=0.01)
    inputs = sim.inputs
    inputs["drive"] = 2.0
    sim.step(5)
    sim.attach("ground", "bob", "fixed", name="clamp")
    assert inputs["drive"] == 2.0
    inputs["load"] = 7.0
    sim.release("clamp")
    sim.step(1)
    twin = lw.Simulation(rod(position=float(sim["pin.position"]), velocity=float(sim["pin.velocity"])), dt=0.01)
    assert sim["pin.acceleration"] == pytest.approx(twin["pin.acceleration"] + 9.0 / 1.1)
    sim.release("pin")
    with pytest.raises(lw.OptionError, match="input 'drive' ended when its joint was released"):
        inputs["drive"] = 1.0


def test_compiled_laws_serve_on() -> None:
    """A law is compiled once, and a plain function tried once, however often the structure changes."""
    calls: list[float] = []

    def push(t: float) -> float:
        calls.append(t)
        return 1.0

    model = pendulum()
    model.torque("push", "pin", push)
    model.torque("pull", "pin", lw.compiled(lambda t: 0.0 * t))
    for k in range(5):
        model.attach("ground", "bob", "fixed", name="clamp", time=0.1 + 0.02 * k)
        model.release("clamp", time=0.11 + 0.02 * k)
    sim = lw.Simulation(model, dt=0.01)
    first = sim.moving.tables.laws.law_address
    sim.step(30)
    assert len(sim.changes) == 10
    assert sim.moving.tables.laws.law_address.tolist() == first.tolist()
    assert calls.count(0.0) < 5


# --- what is kept -------------------------------------------------------------------------------------------------


def test_certificate_and_ledger() -> None:
    run = lw.simulate(hooked(), until=0.3, dt=0.01)
    assert len(run.certificate.lines()) == 6
    assert "hook attached at 0.1 s, hook released at 0.203 s" in str(run.certificate)
    assert run.energy["impacts"][-1] == pytest.approx(sum(event.energy for event in run.events))
    assert run.unit("hook.velocity") == "rad/s"
    assert "impacts" in run.plot("energy").axes[0].get_legend_handles_labels()[1]
    assert lw.Change.from_dict(run.events[0].as_dict()) == run.events[0]


def test_chosen_columns() -> None:
    run = lw.simulate(hooked(), until=0.3, dt=0.01, record=["hook.reaction", "crank.position"])
    assert sorted(run.names) == ["crank.position", "hook.reaction"]


def test_a_model_with_events_can_be_compared_and_printed() -> None:
    assert hooked() == hooked()
    assert hooked() != four_bar(start={"crank": {"velocity": 3.0}})
    assert "event  attachment of joint 'hook' at 0.1 s" in hooked().outline()
    assert "2 events" in repr(hooked())
    assert hooked()["hook"].kind == "ball"


def test_events_of_a_subsystem() -> None:
    class Trap(lw.Subsystem):
        def build(self) -> None:
            self.body("mouse", mass=0.1, inertia=(1e-4, 1e-4, 1e-4), position=(0, 0, 0))
            self.attach(self.ground, "mouse", "ball", name="snap", time=0.1, at=(0, 0, 0.02))
            self.release("snap", time=0.2)

    model = lw.Model("house")
    model.add("trap", Trap(), position=(1, 2, 3))
    for method in ("recursive", "component"):
        run = lw.simulate(model, until=0.3, dt=0.01, method=method)
        assert [event.joint for event in run.events] == ["trap.snap", "trap.snap"]
        assert run["trap.snap.reaction"][15].any()
        assert run.certificate.energy_balance_relative < 1e-9


def test_places_that_almost_meet_stay_where_they_are() -> None:
    model = falling()
    sim = lw.Simulation(model, dt=0.01)
    sim.attach("ground", "stone", "revolute", frame_a=lw.Frame((0, 0, 1e-3)), frame_b=lw.Frame((0, 0, 0)))
    sim.step(10)
    assert abs(sim["stone.position"]).max() < 1e-15


# --- what is refused ----------------------------------------------------------------------------------------------


def attach_now(*words: Any, **options: Any) -> lw.Simulation:
    sim = lw.Simulation(pendulum(position=0.3), dt=0.01)
    sim.step(3)
    before = sim.state.y.tobytes()
    with pytest.raises(lw.ModelError) as refusal:
        sim.attach(*words, **options)
    assert sim.state.y.tobytes() == before
    sim.step(1)
    raise refusal.value


@pytest.mark.parametrize(
    ("words", "options", "told"),
    [
        (("ground", "bog", "ball"), {"at": (0, 0, 0)}, "there is no 'bog'.*did you mean 'bob'"),
        (("ground", 3, "ball"), {"at": (0, 0, 0)}, "3 is not a body"),
        (("bob", "bob", "ball"), {"at": (0, 0, 0)}, "to itself"),
        (("ground", "bob", "bal"), {"at": (0, 0, 0)}, "did you mean 'ball'"),
        (("ground", "bob", "free"), {}, "no kind of joint that holds anything; give one of 'fixed'"),
        (("ground", "bob", "ball"), {}, "its place is not known; give at="),
        (("ground", "bob", "revolute"), {"at": (0, 0, 0)}, "its axis is not known"),
        (("ground", "bob", "ball"), {"at": (0, 0, 0), "position": 1.0}, "unknown option position="),
        (
            ("ground", "bob", "ball"),
            {"at": (0, 0, 0), "name": "pin"},
            "taken by the revolute 'pin'; give another name=",
        ),
        (("ground", "bob", "ball"), {"at": (0, 0, 0), "name": "a.b's"}, "would stand in quotes"),
        (("ground", "bob", "screw"), {"at": (0, 0, 0), "axis": (0, 0, 1)}, "has no pitch; give pitch="),
        (("ground", "bob", "ball"), {"at": (0, 0, 0), "pitch": 1.0}, "only a screw has a pitch; remove"),
        (
            ("ground", "bob", "ball"),
            {"frame_a": lw.Frame((1, 0, 0)), "frame_b": lw.Frame((1, 3, 0))},
            r"'ground to bob': its places on 'ground' and 'bob' are 3\.0\d+ m apart at t = 0\.03 s; attach it when",
        ),
        (
            ("ground", "bob", "fixed"),
            {"frame_a": lw.Frame(), "frame_b": lw.Frame((0, 0, 0), (0.8, 0.6, 0, 0))},
            r"are 1\.\d+ rad apart",
        ),
    ],
)
def test_attachments_that_are_refused(words: Any, options: Any, told: str) -> None:
    with pytest.raises(lw.ModelError, match=told):
        attach_now(*words, **options)


def test_double_attachments_and_releases() -> None:
    sim = lw.Simulation(rod(), dt=0.01)
    sim.attach("ground", "bob", "fixed", name="clamp")
    with pytest.raises(lw.ModelError, match="'clamp': it is attached already; release it"):
        sim.attach("ground", "bob", "fixed", name="clamp")
    sim.release("clamp")
    with pytest.raises(lw.ModelError, match="there is no 'clamp'"):
        sim.release("clamp")
    sim.attach("ground", "bob", "fixed", name="clamp")
    sim.release("pin")
    with pytest.raises(lw.ModelError, match="joint 'pin' was released before"):
        sim.release("pin")
    with pytest.raises(lw.ModelError, match="is not a joint"):
        sim.release("bob")


@pytest.mark.parametrize(
    ("moment", "told"),
    [
        ({}, "neither of time= and when= given; give one"),
        ({"time": 1.0, "when": lambda sim: True}, "both of time= and when= given; give one"),
        ({"time": -1.0}, "time is -1 but must not be negative"),
        ({"time": "soon"}, "time must be one finite number"),
        ({"time": 1.0, "within": 1e-3}, "remove within="),
        ({"when": lambda sim: True, "within": 0.0}, "within is 0 but must be positive"),
        ({"when": True}, "when must be a function of the simulation"),
        ({"when": lambda: True}, "when must be a function of the simulation"),
    ],
)
def test_moments_that_are_refused(moment: Any, told: str) -> None:
    with pytest.raises(lw.ModelError, match=told):
        falling().attach("ground", "stone", "fixed", **moment)
    with pytest.raises(lw.ModelError, match=told):
        pendulum().release("pin", **moment)


def test_plans_that_are_refused() -> None:
    model = falling()
    model.attach("ground", "stone", "fixed", name="grip", time=1.0)
    with pytest.raises(lw.ModelError, match="planned as a fixed joint and as a ball joint; choose another"):
        model.attach("ground", "stone", "ball", name="grip", time=2.0, at=(0, 0, 0))
    with pytest.raises(lw.ModelError, match="the name is taken by the body 'stone'"):
        model.attach("ground", "stone", "ball", name="stone", time=2.0, at=(0, 0, 0))
    with pytest.raises(lw.ModelError, match="the name is taken by the fixed 'grip'"):
        model.body("grip", mass=1.0, inertia=0)
    with pytest.raises(lw.ModelError, match="did you mean 'grip'"):
        model.release("gripp", time=2.0)


@pytest.mark.parametrize(
    ("plan", "told"),
    [
        (lambda m: m.release("grip", time=0.2), "joint 'grip' is not attached now; attach it first"),
        (
            lambda m: m.attach("ground", "stone", "ball", time=0.3, frame_a=lw.Frame(), frame_b=lw.Frame()),
            r"0\.441\d* m apart at t = 0\.3 s",
        ),
        (
            lambda m: m.attach("ground", "stone", "fixed", name="x", when=lambda s: s["bog.position"][0] > 1),
            "there is no column",
        ),
        (lambda m: m.attach("ground", "stone", "fixed", name="x", when=lambda s: 3), "says 3 at t = .*return True or"),
    ],
)
def test_events_that_fail_keep_the_run(plan: Any, told: str) -> None:
    model = falling()
    model.attach("ground", "stone", "fixed", name="grip", when=lambda sim: sim.time > 0.5)
    plan(model)
    with pytest.raises((lw.RunError, lw.ModelError), match=told) as stopped:
        lw.simulate(model, until=1.0, dt=0.01)
    if isinstance(stopped.value, lw.RunError):
        run = stopped.value.run
        assert run.time[-1] == pytest.approx(stopped.value.time, abs=0.0101)
        assert "stopped at t = " in str(stopped.value)
        assert not run.certificate.complete


def test_features_that_a_method_lacks_are_refused_when_they_come() -> None:
    sim = lw.Simulation(pendulum(), "recursive", dt=0.01)
    with pytest.raises(lw.ModelError, match="unknown option friction="):
        sim.attach("ground", "bob", "revolute", at=(0, 0, 0), axis=(0, 1, 0), friction=1.0)


def test_events_and_components_elsewhere() -> None:
    model = falling()
    model.attach("ground", "stone", "fixed", name="grip", time=1.0)
    with pytest.raises(lw.OptionError, match="plans the attachment of joint 'grip'.*elsewhere; keep all parts"):
        lw.Simulation(model, "component", border=object(), ports=["stone"])


def test_a_body_without_inertia_cannot_come_loose() -> None:
    model = pendulum()  # a point mass
    model.release("pin", time=0.1)
    with pytest.raises(lw.RunError, match="'bob'.*has no inertia.*give"):
        lw.simulate(model, until=0.3, dt=0.01)
    model.events.clear()
    model.torque("drive", "pin", 1.0)
    sim, twin = (lw.Simulation(model, dt=0.01) for _ in range(2))
    sim.inputs["drive"] = 2.0
    twin.inputs["drive"] = 2.0
    sim.step(5)
    with pytest.raises(lw.RunError):
        sim.release("pin")
    # as if nobody had tried
    sim.step(5)
    twin.step(10)
    assert sim.state.y.tobytes() == twin.state.y.tobytes()
    assert sim.changes == []


def test_a_motion_that_cannot_be_followed() -> None:
    model = lw.Model("table")
    table = model.moving_ground("table", lw.Motion(position=(lw.Cosine(0.1, frequency=2.0), 0, 0)))
    model.body("box", mass=3.0, inertia=(0.1, 0.1, 0.1))
    model.prismatic("rail", "ground", "box", axis=(0, 1, 0))
    model.attach(table, "box", "fixed", name="grip", time=0.1)
    with pytest.raises(lw.RunError, match="'grip': no motion of 'table' can follow it.*use a joint with more freedom"):
        lw.simulate(model, until=0.3, dt=0.01, method="recursive")


def test_a_released_joint_leaves_zeros_and_its_input_says_that_it_ended():
    model = lw.Model("gate")
    bar = model.body("bar", mass=1.0, shape=lw.Box((0.5, 0.1, 0.1)), position=(0.25, 0, 1))
    model.revolute("pin", "ground", bar, at=(0, 0, 1), axis=(0, 1, 0))
    model.torque("drive", "pin", 0.5)
    model.release("pin", time=0.05)
    sim = lw.Simulation(model, "recursive", dt=1e-3)
    sim.step(20)
    assert sim["pin.position"] != 0.0
    sim.step(80)
    assert sim["pin.position"] == 0.0
    assert sim["pin.reaction"].tolist() == [0.0] * 6
    assert "drive" not in sim.inputs
    with pytest.raises(lw.OptionError, match="input 'drive' ended when its joint was released"):
        sim.inputs["drive"] = 1.0
    with pytest.raises(lw.OptionError, match="no column 'pin.nothing'"):
        sim["pin.nothing"]
