"""State machines: transitions at the right instants, outputs of states, restarts."""

import numpy as np
import pytest

import linkwork as lw


def after(seconds):
    return lambda t, seen, since: since >= seconds


def slide(every=0.01, states=None, transitions=(), sets=("push", "phase"), **options):
    model = lw.Model("slide", gravity=(0, 0, 0))
    body = model.body("body", mass=1.0, inertia=(1, 1, 1))
    model.prismatic("rail", model.ground, body, axis=(1, 0, 0))
    model.torque("push", "rail", 0.0)
    model.input("phase")
    machine = lw.parts.state_machine(every=every, states=states, transitions=transitions, show=True, **options)
    model.controller("machine", **machine, sees=["rail.position"], sets=sets)
    return model


def entered(run, state):
    """Instants at which a state begins; a value that was set at an instant shows in the row after it."""
    phase = run["phase.value"]
    return run.time[np.flatnonzero((phase[1:] == state) & (phase[:-1] != state))]


def test_transitions_after_times_are_at_their_instants():
    states = {"rest": 0.0, "push": 2.0, "pull": -2.0}
    ways = [("rest", after(0.07), "push"), ("push", after(0.3), "pull"), ("pull", after(0.3), "rest")]
    run = lw.simulate(slide(states=states, transitions=ways), until=2.0, method="recursive", dt=0.005)
    cycle = 0.67
    for state, first in ((1, 0.07), (2, 0.37), (0, 0.67)):
        assert entered(run, state) == pytest.approx(np.arange(first, 2.0 - 0.005, cycle), abs=1e-9)
    # three tenths of a second up and down again: at rest after each cycle, 0.18 m further
    k = np.searchsorted(run.time, 0.67 + 0.05)
    assert run["rail.velocity"][k] == pytest.approx(0.0, abs=1e-12)
    assert run["rail.position"][k] == pytest.approx(0.18, abs=1e-12)


def test_a_condition_is_seen_at_the_first_instant_after_it():
    """Pushed by 2 N a kilogram passes 0.5 m at the root of 0.5 s, 0.7071 s."""
    ways = [("go", lambda t, seen, since: seen[0] > 0.5, "stop")]
    model = slide(states={"go": 2.0, "stop": 0.0}, transitions=ways)
    run = lw.simulate(model, until=1.0, method="recursive", dt=0.0025)
    assert entered(run, 1) == pytest.approx([0.71], abs=1e-9)
    assert run["rail.velocity"][-1] == pytest.approx(1.42, abs=1e-12)


def test_one_transition_at_an_instant_and_the_first_that_holds():
    always = after(0.0)
    ways = [("a", always, "b"), ("a", always, "c"), ("b", always, "c")]
    run = lw.simulate(
        slide(states={"a": 0.0, "b": 1.0, "c": 2.0}, transitions=ways), until=0.05, method="recursive", dt=0.01
    )
    assert run["phase.value"].tolist() == [1.0, 1.0, 2.0, 2.0, 2.0, 2.0]
    assert run["push.torque"].tolist()[1:3] == [1.0, 2.0]


def test_outputs_may_be_functions_and_it_starts_where_it_is_told():
    states = {"a": 0.0, "ramp": lambda t, seen, since: 10.0 * since}
    model = slide(states=states, start="ramp")
    run = lw.simulate(model, until=0.1, method="recursive", dt=0.01)
    assert run["push.torque"][1:] == pytest.approx(0.1 * np.arange(10), abs=1e-12)


def test_a_run_that_is_resumed_goes_on_in_its_state(tmp_path):
    ways = [("a", after(0.1), "b"), ("b", after(0.1), "a")]
    model = slide(states={"a": 1.0, "b": -1.0}, transitions=ways)
    whole = lw.Simulation(model, "recursive", dt=0.01)
    whole.step(15)
    whole.save(tmp_path / "here.npz")
    whole.step(40)
    again = lw.Simulation(model, resume=tmp_path / "here.npz")
    again.step(40)
    assert again["rail.position"] == whole["rail.position"]
    assert again["phase.value"] == whole["phase.value"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"states": {}}, "there are no states"),
        ({"states": {"wait": 0.0}, "start": "wiat"}, "no state 'wiat'.*did you mean 'wait'"),
        ({"states": {"wait": 0.0}, "transitions": [("wait", "go")]}, "is no transition"),
        ({"states": {"wait": 0.0}, "transitions": [("wait", after(1), "go")]}, "no state 'go'"),
        ({"states": {"wait": "fast"}}, "the state 'wait'"),
    ],
)
def test_wrong_machines_are_named(options, words):
    with pytest.raises(lw.ModelError, match=words):
        slide(**options)


def test_a_machine_that_sets_too_little_is_named():
    with pytest.raises(lw.ModelError, match="controller 'machine' returned .* but sets 1 inputs"):
        lw.Simulation(slide(states={"wait": 0.0}, sets=["push"]))
