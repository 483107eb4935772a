"""Many runs at once: in order, bit for bit those of `lw.simulate`, and a failure does not lose the others."""

from __future__ import annotations

import math
import signal
import subprocess
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from known_mechanisms import four_bar, pendulum
from linkwork.simulation import recording
from linkwork.simulation.many.run_threads import NotBegun
from linkwork.simulation.methods import ALL

HOW: dict[str, Any] = {"until": 0.2, "dt": 1e-3, "method": "recursive"}


def timeless(run: lw.Trajectory) -> lw.Trajectory:
    """The run without the one number that another run never has again: how long it took."""
    run.certificate = replace(run.certificate, wall_seconds=0.0)
    return run


def damped(damping: float = 0.5) -> lw.Model:
    return pendulum(damping=damping, position=0.5)


def driven(law: Any) -> lw.Model:
    """A pendulum with a torque."""
    model = pendulum(position=0.3)
    model.torque("drive", next(iter(model.joints)), law)
    return model


# --- the same numbers, in order


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_runs_are_those_of_simulate_in_order(threads: int) -> None:
    models = [damped(0.1 * k) for k in range(7)]
    runs = lw.simulate_many(models, threads=threads, **HOW)
    assert len(runs) == 7
    for model, run in zip(models, runs, strict=True):
        assert timeless(run) == timeless(lw.simulate(model, **HOW))


@pytest.mark.filterwarnings("ignore::linkwork.errors.RunWarning")
@pytest.mark.parametrize("method", ALL)
def test_copies_of_one_start_are_as_good_as_runs_of_their_own(method: str) -> None:
    """The model is set up once: what runs after it must not notice."""
    model = four_bar()
    how: dict[str, Any] = {"until": 0.1, "dt": 1e-3, "method": method}
    alone = timeless(lw.simulate(model, **how))
    for run in lw.simulate_many([model] * 4, threads=2, **how):
        assert timeless(run) == alone


def test_contacts_and_events_in_threads() -> None:
    model = lw.Model("fall")
    model.plane("floor", material=lw.Material(friction=0.5))
    model.body("ball", shape=lw.Sphere(0.1), mass=1.0, material=lw.Material(), position=(0, 0, 0.12))
    model.body("weight", mass=1.0, inertia=(1, 1, 1), position=(1, 0, 5))
    model.fixed("hook", model.ground, "weight")
    model.release("hook", time=0.05)
    how: dict[str, Any] = {"until": 0.2, "dt": 1e-3, "method": "impulse"}
    alone = timeless(lw.simulate(model, **how))
    assert alone.events
    for run in lw.simulate_many([model] * 4, threads=2, **how):
        assert timeless(run) == alone


def test_a_function_with_its_parameters() -> None:
    runs = lw.simulate_many(damped, parameters=[{"damping": 0.1}, {"damping": 0.2}], **HOW)
    for damping, run in zip((0.1, 0.2), runs, strict=True):
        assert timeless(run) == timeless(lw.simulate(damped(damping), **HOW))


def test_cases_start_where_they_say() -> None:
    """As `sim.reset` and `sim.inputs` do by hand; the first row has the input already, the certificate says both."""
    model = driven(0.0)
    pin = next(iter(model.joints))
    cases = [{"joints": {pin: 0.1 * k}, "velocities": {pin: 1.0}, "inputs": {"drive": float(k)}} for k in range(4)]
    runs = lw.simulate_many(model, cases=cases, threads=2, **HOW)
    for k, run in enumerate(runs):
        sim = lw.Simulation(model, "recursive", dt=1e-3)
        sim.reset(joints={pin: 0.1 * k}, velocities={pin: 1.0})
        sim.inputs["drive"] = float(k)
        sim.step(200)
        assert run[f"{pin}.position"][-1] == sim[f"{pin}.position"]
        assert run[f"{pin}.position"][0] == 0.1 * k
        assert run["drive.torque"][0] == float(k)
        assert run.certificate.energy_balance_relative < 1e-6
        assert f"'drive' was set to {float(k)}" in run.certificate.start
    assert lw.simulate(model, **HOW).certificate.start == []


def test_cases_have_options_of_their_own() -> None:
    model = damped()
    runs = lw.simulate_many(model, cases=[{}, {"dt": 2e-3, "until": 0.1}, {"method": "hybrid", "every": 10}], **HOW)
    assert timeless(runs[0]) == timeless(lw.simulate(model, **HOW))
    assert timeless(runs[1]) == timeless(lw.simulate(model, until=0.1, dt=2e-3, method="recursive"))
    assert timeless(runs[2]) == timeless(lw.simulate(model, until=0.2, dt=1e-3, method="hybrid", every=10))


def test_models_and_cases_go_side_by_side() -> None:
    models = [damped(0.1), damped(0.2)]
    runs = lw.simulate_many(models, cases=[{"until": 0.1}, {"until": 0.3}], **HOW)
    assert [float(run.time[-1]) for run in runs] == [0.1, 0.3]
    assert [run.certificate.model_hash for run in runs] == [
        lw.simulate(model, **HOW).certificate.model_hash for model in models
    ]


@pytest.mark.filterwarnings("ignore::linkwork.errors.RunWarning")
def test_a_method_that_proves_wrong_on_the_way_is_replaced() -> None:
    """A stop that is met later: `lw.simulate` begins again by another method, and so do these."""
    model = lw.Model("stop")
    model.body("block", mass=1.0, shape=lw.Sphere(0.1))
    model.prismatic("rail", "ground", "block", axis=(0, 0, 1))
    model.force("stop", "block", lambda t, x, e, u, w: (0, 0, 1e8 * max(0.0, -0.05 - x[2])))
    alone = timeless(lw.simulate(model, until=0.2))
    assert alone.certificate.reason.startswith("hybrid: after 200 steps by recursive")
    for run in lw.simulate_many([model] * 3, until=0.2, threads=2):
        assert timeless(run) == alone


# --- laws


def test_python_laws_in_threads() -> None:
    model = driven(lambda t, angle, rate: -0.3 * math.sin(angle) - 0.1 * rate)
    alone = timeless(lw.simulate(model, **HOW))
    for run in lw.simulate_many([model] * 6, threads=3, **HOW):
        assert timeless(run) == alone


def test_compiled_laws_in_threads() -> None:
    model = driven(lw.compiled(lambda t, angle, rate: -0.3 * math.sin(angle) - 0.1 * rate))
    alone = timeless(lw.simulate(model, **HOW))
    for run in lw.simulate_many([model] * 6, threads=3, **HOW):
        assert timeless(run) == alone


def failing(t: float, angle: float, rate: float) -> float:
    return math.nan if angle > 0.45 else 0.1


@pytest.mark.parametrize("law", [failing, lw.compiled(failing)], ids=["python", "compiled"])
def test_a_law_that_fails_in_one_thread_is_told_there_alone(law: Any) -> None:
    """Runs of one model share its laws, but not what these did wrong."""
    model = driven(law)
    pin = next(iter(model.joints))
    cases = [{"joints": {pin: 0.0 if k % 2 else 0.4}, "velocities": {pin: 0.0 if k % 2 else 5.0}} for k in range(8)]
    with pytest.warns(lw.RunWarning, match="4 of 8 runs failed: runs 0, 2, 4, 6: .*the law of torque 'drive' failed"):
        runs = lw.simulate_many(model, cases=cases, threads=4, **HOW)
    assert list(runs.failures) == [0, 2, 4, 6]
    assert len({str(error) for error in runs.failures.values()}) == 1
    assert all(run.certificate.complete for run in runs.good.values())


# --- failures are kept apart


def test_a_run_that_fails_does_not_lose_the_others() -> None:
    """One breaks down on the way, one model is wrong, one option is."""
    stiff = lw.Model("stiff")
    stiff.body("block", mass=1e-3, inertia=(1e-3, 1e-3, 1e-3))
    stiff.prismatic("rail", "ground", "block", axis=(1, 0, 0), position=0.1, stiffness=1e9)
    models = [damped(), stiff, lw.Model("empty"), damped(0.1), damped(0.2)]
    cases = [{}, {}, {}, {"colour": "red"}, {}]
    with pytest.warns(
        lw.RunWarning, match=r"3 of 5 runs failed: run 1: .*'stiff'.*run 2: .*'empty' has no body.*run 3"
    ):
        runs = lw.simulate_many(models, cases=cases, threads=2, **HOW)
    assert repr(runs) == "<Runs: 5, 3 failed>"
    assert list(runs.good) == [0, 4]
    assert [type(error) for error in runs.failures.values()] == [lw.RunError, lw.ModelError, lw.OptionError]
    assert timeless(runs[4]) == timeless(lw.simulate(models[4], **HOW))
    with pytest.raises(lw.RunError, match="run 1 of 5 failed: the run of 'stiff'") as stop:
        runs[1]
    assert len(stop.value.run) > 1
    assert stop.value.culprit == "rail"
    with pytest.raises(lw.RunError, match="run 3 of 5 failed"):
        runs[-2]
    with pytest.raises(lw.RunError, match="run 1 of 5"):
        list(runs)
    with pytest.raises(IndexError):
        runs[5]


def test_a_function_that_cannot_build_is_a_failure_of_its_run() -> None:
    def build(damping: float) -> lw.Model:
        return damped(1.0 / damping)

    with pytest.warns(lw.RunWarning, match="1 of 2 runs failed: run 1: float division by zero"):
        runs = lw.simulate_many(build, parameters=[{"damping": 1.0}, {"damping": 0.0}], **HOW)
    assert list(runs.good) == [0]


def test_doubts_are_told_once_for_all() -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        runs = lw.simulate_many([four_bar()] * 6, until=0.1, dt=0.02, method="recursive", integrator="semi-implicit")
    assert len(runs.good) == 6
    assert [str(each.message).split(":")[0] for each in told if each.category is lw.RunWarning] == [
        "6 of 6 runs reached the end, but their numbers are in doubt"
    ]
    assert told[-1].filename == __file__


def test_strict_bounds_are_held_by_each_run() -> None:
    with pytest.warns(lw.RunWarning, match="1 of 2 runs failed: run 1: .*energy balance"):
        runs = lw.simulate_many(
            [damped()] * 2, cases=[{}, {"integrator": "semi-implicit"}], strict={"energy": 1e-6}, **HOW
        )
    assert len(runs.failures[1].run) == 201  # type: ignore[attr-defined]


# --- wrong calls


@pytest.mark.parametrize(
    ("models", "options", "told"),
    [
        ([], {}, "models is empty"),
        (damped(), {}, "give a list of models, or one model with cases"),
        (damped(), {"cases": []}, "cases is empty"),
        (damped(), {"cases": {"until": 1.0}}, "cases must be a list"),
        (damped(), {"cases": [{}, 3.0]}, r"cases\[1\] must be a dictionary"),
        (damped(), {"cases": [{"joints": 3.0}]}, r"joints of cases\[0\] must be numbers by name"),
        (damped(), {"parameters": [{"damping": 1.0}]}, "parameters= cannot change it"),
        ([damped()], {"cases": [{}, {}]}, "1 models, 2 cases; give as many of each"),
        ([damped(), 7], {}, r"models\[1\] is 7, which is not a model"),
        ([damped(), lw.Model], {}, r"models\[1\] is .*not a model"),
        ("pendulum", {"cases": [{}]}, "models is 'pendulum', which is not a model"),
        ([damped()], {"threads": 0}, "threads must be a whole number from 1 up, not 0"),
        ([damped()], {"threads": 1.5}, "threads must be a whole number"),
        ([damped()], {"until": -1.0}, "until must be a positive number of seconds"),
        ([damped()], {"method": "magic"}, "unknown method 'magic'"),
        ([damped()], {"progress": 3}, "progress must be a function"),
        ([damped()], {"strict": {"colour": 1.0}}, "there is no bound 'colour'"),
        (damped(), {"cases": [{"inputs": {"wind": 1.0}}]}, "there is no input 'wind'"),
        (lambda: 7, {"cases": [{}]}, "returned 7, not a model"),
    ],
)
def test_a_wrong_call_is_told_at_once(models: Any, options: dict[str, Any], told: str) -> None:
    with pytest.raises((lw.OptionError, lw.ModelError), match=told):
        lw.simulate_many(models, **(HOW | options))


def test_recordings_that_do_not_fit_together_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    model = damped()
    lw.simulate_many([model] * 3, **HOW)
    monkeypatch.setattr(recording, "free_memory", lambda: 1e5)
    lw.simulate_many([model] * 1, **HOW)
    with pytest.raises(lw.OptionError, match="3 runs with 201 samples"):
        lw.simulate_many([model] * 3, **HOW)


# --- progress and Ctrl-C


def test_progress_counts_runs_in_the_calling_thread() -> None:
    told: list[float] = []
    threads = set()

    def progress(done: float) -> None:
        told.append(done)
        threads.add(threading.current_thread())

    lw.simulate_many([damped()] * 5, threads=2, progress=progress, **HOW)
    assert told == sorted(told)
    assert told[-1] == 5.0
    assert threads == {threading.current_thread()}


def test_progress_that_fails_stops_all_and_keeps_them() -> None:
    def progress(done: float) -> None:
        if done >= 1.0:
            raise ValueError("no more paper")

    with pytest.raises(lw.RunError, match="progress= failed .*no more paper") as stop:
        lw.simulate_many([damped()] * 50, threads=2, progress=progress, **HOW)
    runs = stop.value.runs
    assert len(runs) == 50
    assert runs.good
    assert any(isinstance(error, NotBegun) for error in runs.failures.values())


SCRIPT = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
import linkwork as lw
from linkwork.simulation.many.run_threads import ThreadedRun

model = lw.gallery.chain.build(n=20)
how = {"dt": 1e-4, "method": "recursive", "every": 1000}
lw.simulate(model, until=0.1, **how)
reached, note = {}, ThreadedRun.note

def noted(self, time):
    # says when two runs that last have twenty rows
    reached[self.index] = time
    if "said" not in reached and sum(t > 2.0 for t in reached.values()) == 2:
        reached["said"] = 0.0
        print("ready", flush=True)
    note(self, time)

ThreadedRun.note = noted
try:
    lw.simulate_many(model, cases=[{"until": 0.1}] + [{}] * 20, until=1e4, threads=2, **how)
except lw.RunError as error:
    print(error)
    runs = error.runs
    print(list(runs.good), [len(each.run) > 10 for each in runs.failures.values() if each.run is not None], len(runs))
"""


def test_ctrl_c_ends_all_and_keeps_what_was_recorded() -> None:
    with subprocess.Popen([sys.executable, "-c", SCRIPT], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    told, kept = out.splitlines()
    assert told.startswith("21 runs were stopped: they were interrupted; 1 reached their end, 2 stopped on the way")
    assert kept == "[0] [True, True] 21"
    assert process.returncode == 0


# --- simulations of one's own in threads


def test_copies_step_in_threads() -> None:
    """Each from another input: as if each were alone."""
    model = driven(0.0)
    sim = lw.Simulation(model, "recursive", dt=1e-3)
    sim.step(50)

    def far(copy: lw.Simulation, drive: float) -> bytes:
        copy.inputs["drive"] = drive
        for _ in range(20):
            copy.step(20)
        return copy.state.y.tobytes()

    drives = [0.1 * k for k in range(8)]
    alone = [far(sim.copy(), drive) for drive in drives]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(far, [sim.copy() for _ in drives], drives)) == alone
    assert len(set(alone)) == len(drives)
    assert sim.steps == 50


def test_one_model_serves_several_threads() -> None:
    """Nothing of a model changes when it is assembled and run, also with a law that is compiled at that moment."""
    model = driven(lw.compiled(lambda t: 0.1 * math.sin(7.0 * t)))
    before = model.content()
    with ThreadPoolExecutor(4) as pool:
        runs = list(pool.map(lambda _: lw.simulate(model, **HOW), range(8)))
    alone = timeless(lw.simulate(model, **HOW))
    assert all(timeless(run) == alone for run in runs)
    assert model.content() == before
    assert np.ptp(alone["drive.torque"]) > 0.05
