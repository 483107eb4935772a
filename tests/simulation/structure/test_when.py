"""What happens when a condition comes true, and runs that end then."""

import math

import numpy as np
import pytest

import linkwork as lw


def stone(height=2.0):
    model = lw.Model("stone")
    model.body("stone", mass=1.0, shape=lw.Sphere(0.1), position=(0, 0, height))
    return model


@pytest.mark.parametrize("method", ["recursive", "absolute", "hybrid"])
def test_a_run_ends_where_its_condition_comes_true(method):
    run = lw.simulate(stone(), until=lw.When("stone.position.z < 0", latest=5.0), method=method, dt=0.01)
    fall = math.sqrt(2 * 2.0 / 9.81)
    assert abs(run.time[-1] - fall) < 2e-10
    assert abs(run["stone.position"][-1, 2]) < 2e-9
    assert run.events[-1].what == "happened"
    assert np.allclose(np.diff(run.time[:-1]), 0.01)


def test_a_condition_that_never_comes_true_is_told():
    with pytest.warns(lw.RunWarning, match="'stone.position.z > 9' did not come true"):
        run = lw.simulate(stone(), until=lw.When("stone.position.z > 9", latest=0.1), method="recursive", dt=0.01)
    assert run.time[-1] == pytest.approx(0.1)


def test_an_end_that_may_never_come_is_refused():
    with pytest.raises(lw.OptionError, match="latest="):
        lw.simulate(stone(), until=lw.When("stone.position.z > 9"), dt=0.01)


def lift(**options):
    model = lw.Model("lift")
    cab = model.body("cab", mass=10.0, inertia=(1, 1, 1))
    model.torque("pull", model.prismatic("shaft", "ground", cab, axis=(0, 0, 1)), 200.0)

    def coast(sim):
        sim.inputs["pull"] = 98.1

    model.when("shaft.position > 1.0", coast, name="coasting", **options)
    return model


def test_an_action_changes_inputs_at_its_instant():
    run = lw.simulate(lift(), until=2.0, method="recursive", dt=0.01)
    a = 200.0 / 10.0 - 9.81
    assert run["shaft.velocity"][-1] == pytest.approx(math.sqrt(2 * a), abs=2e-9)
    assert run.events[0].time == pytest.approx(math.sqrt(2 / a), abs=1e-10)
    assert "coasting happened at 0.443" in str(run.certificate)


@pytest.mark.parametrize("way", [1e-4, 0.01, 2.0])
def test_conditions_are_located_with_the_inputs_that_an_action_set(way):
    """Also within the step in which they were set."""
    run = lw.simulate(lift(), until=lw.When(f"shaft.position > {1.0 + way!r}", latest=5.0), method="recursive", dt=0.01)
    speed = math.sqrt(2 * (200.0 / 10.0 - 9.81))
    assert run.time[-1] == pytest.approx(speed / (200.0 / 10.0 - 9.81) + way / speed, abs=1e-9)


def test_without_a_bound_it_happens_at_the_end_of_a_step():
    run = lw.simulate(lift(within=None), until=2.0, method="recursive", dt=0.01)
    assert run.events[0].time == pytest.approx(0.45)


def test_it_happens_again_when_asked():
    counts = []
    model = lw.Model("swing")
    rod = model.body("rod", mass=1.0, inertia=0.0, com=(0, 0, -1.0))
    model.revolute("pin", "ground", rod, at=(0, 0, 0), axis=(0, 1, 0), position=0.1)
    model.when("pin.position < 0", lambda sim: counts.append(sim.time), again=True)
    model.when("pin.position < 0", lambda sim: None, name="once")
    run = lw.simulate(model, until=6.5, method="recursive", dt=0.01)
    assert len(counts) == 3
    period = 2 * math.pi / math.sqrt(9.81) * (1 + 0.1**2 / 16 + 11 / 3072 * 0.1**4)
    assert np.diff(counts) == pytest.approx([period, period], abs=2e-7)
    assert [event.joint for event in run.events].count("once") == 1


def test_stop_ends_stepping_and_the_simulation_can_go_on():
    model = stone()
    model.when("stone.position.z < 0", "stop", name="landing")
    sim = lw.Simulation(model, "recursive", dt=0.01)
    sim.step(1000)
    fall = math.sqrt(2 * 2.0 / 9.81)
    assert sim.time == pytest.approx(fall, abs=1e-9)


def test_conditions_start_again_from_a_file(tmp_path):
    sim = lw.Simulation(lift(), "recursive", dt=0.01)
    sim.step(30)
    sim.save(tmp_path / "here.npz")
    again = lw.Simulation(lift(), resume=tmp_path / "here.npz")
    sim.step(100)
    again.step(100)
    assert sim["shaft.velocity"] == again["shaft.velocity"]
    sim.save(tmp_path / "later.npz")
    assert lw.Simulation(lift(), resume=tmp_path / "later.npz").changes[0].joint == "coasting"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("shaft.position", "compares nothing"),
        ("1 < 2", "has no column"),
        (3, "compares nothing"),
    ],
)
def test_wrong_conditions_are_named(text, words):
    with pytest.raises(lw.ModelError, match=words):
        lw.When(text)


def test_an_action_that_fails_is_named():
    model = stone()
    model.when("stone.position.z < 1", lambda sim: 1 / 0, name="mistake")
    with pytest.raises(lw.RunError, match="action of the event 'mistake' failed at t = 0.4515"):
        lw.simulate(model, until=1.0, method="recursive", dt=0.01)


def test_when_serves_events_that_attach_and_release():
    model = stone()
    model.attach("ground", "stone", "fixed", name="catch", when=lw.When("stone.position.z < 1"), within=1e-10)
    run = lw.simulate(model, until=1.0, method="recursive", dt=0.01)
    assert run["stone.position"][-1, 2] == pytest.approx(1.0, abs=1e-8)


def tossed(height, dt, method, **options):
    """A stone that is thrown up by 1 m and a condition that is true near the top alone."""
    model = lw.Model("tossed")
    ball = model.body("stone", mass=1.0, inertia=(0.1, 0.1, 0.1))
    model.prismatic("rail", "ground", ball, axis=(0, 0, 1), velocity=math.sqrt(2 * 9.81))
    model.when(f"rail.position > {height!r}", lambda sim: None, name="high", **options)
    return lw.simulate(model, until=0.9, method=method, dt=dt)


@pytest.mark.parametrize("method", ["recursive", "absolute", "hybrid"])
@pytest.mark.parametrize("dt", [0.01, 0.03, 0.2])
@pytest.mark.parametrize("share", [0.3, 1e-3, 1e-6])
def test_what_is_true_within_one_step_is_seen(method, dt, share):
    """The stone is above the height for a part of a step: `share` of it."""
    above = 0.5 * share * dt
    height = 1.0 - 0.5 * 9.81 * above**2
    run = tossed(height, dt, method)
    (change,) = run.events
    assert change.time == pytest.approx(math.sqrt(2 / 9.81) - above, abs=1e-6 * dt + 1e-9)
    plain = lw.simulate(tossed_model(), until=0.9, method=method, dt=dt)
    assert run["rail.position"][-1] == pytest.approx(plain["rail.position"][-1], abs=1e-8)


def tossed_model():
    model = lw.Model("tossed")
    ball = model.body("stone", mass=1.0, inertia=(0.1, 0.1, 0.1))
    model.prismatic("rail", "ground", ball, axis=(0, 0, 1), velocity=math.sqrt(2 * 9.81))
    return model


@pytest.mark.parametrize("dt", [0.01, 0.03, 0.2])
def test_what_is_never_true_does_not_happen_and_leaves_the_run_as_it_is(dt):
    run = tossed(1.0 + 1e-9, dt, "recursive")
    assert not run.events
    plain = lw.simulate(tossed_model(), until=0.9, method="recursive", dt=dt)
    assert np.array_equal(run["rail.position"], plain["rail.position"])


def test_every_top_of_a_swing_is_seen():
    """A weight on a spring is above the level for a twentieth of a step, at another place of it each time."""
    model = lw.Model("swing", gravity=(0, 0, 0))
    weight = model.body("weight", mass=1.0, inertia=(0.1, 0.1, 0.1))
    model.prismatic("rail", "ground", weight, axis=(1, 0, 0), stiffness=25.0, position=0.5)
    dt, out = 0.05, 0.5 * math.cos(5.0 * 0.05 / 40)
    model.when(f"rail.position > {out!r}", lambda sim: None, name="top", again=True)
    model.when(f"rail.position > {-out!r}", lambda sim: None, name="bottom is over", again=True)
    run = lw.simulate(model, until=10.0, method="recursive", dt=dt, integrator="adaptive", rtol=1e-11)
    tops = [2 * math.pi / 5.0 * k for k in range(1, 8)]
    times = {name: [each.time for each in run.events if each.joint == name] for name in ("top", "bottom is over")}
    assert times["top"][1:] == pytest.approx([top - dt / 40 for top in tops], abs=1e-3)
    bottoms = [2 * math.pi / 5.0 * (k + 0.5) for k in range(8) if 2 * math.pi / 5.0 * (k + 0.5) < 10.0]
    assert times["bottom is over"][1:] == pytest.approx([bottom + dt / 40 for bottom in bottoms], abs=1e-3)
