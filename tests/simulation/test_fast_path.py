"""Steps by the fast path are those of the ordinary way, to the last bit, whatever happens between them."""

from __future__ import annotations

import random
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import linkwork as lw
from linkwork.bench.tree import chain
from linkwork.simulation.stepping.fast_path import FastPath

METHODS: list[Any] = [
    lw.Recursive(dt=1e-3),
    lw.Recursive(dt=1e-3, integrator="semi-implicit"),
    lw.Recursive(dt=1e-3, integrator="abm4"),
    lw.Absolute(dt=1e-3),
    lw.Components(dt=1e-3),
    lw.Hybrid(dt=1e-3),
    lw.SemiRecursive(dt=1e-3),
    lw.Global(dt=1e-3),
    lw.Impulse(dt=1e-3),
    lw.Maximal(dt=1e-3),
]
all_methods = pytest.mark.parametrize("method", METHODS, ids=[f"{each.name}-{each.integrator}" for each in METHODS])


@pytest.fixture
def fast(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """How many steps each call of the fast path took."""
    taken: list[int] = []
    real = FastPath.step

    def counted(path: FastPath, steps: int) -> bool:
        done = real(path, steps)
        if done:
            taken.append(steps)
        return done

    monkeypatch.setattr(FastPath, "step", counted)
    return taken


def four_bar() -> lw.Model:
    model = lw.gallery.double_four_bar.build()
    model.torque("drive", "foot 0", 0.0)
    return model


def pair(model: lw.Model, method: Any) -> tuple[lw.Simulation, Callable[[int], None], lw.Simulation]:
    """Two simulations, and how the second steps: dt= makes it go the ordinary way."""
    quick, slow = lw.Simulation(model, method), lw.Simulation(model, method)
    return quick, lambda n: slow.step(n, dt=method.dt), slow


def assert_same(one: lw.Simulation, other: lw.Simulation) -> None:
    for name, mine, theirs in zip(one.state._fields, one.state, other.state, strict=True):
        assert mine.tobytes() == theirs.tobytes(), name
    assert (one.time, one.steps) == (other.time, other.steps)


@all_methods
def test_steps_are_those_of_a_run(method: Any, fast: list[int]) -> None:
    run = lw.simulate(four_bar(), until=0.06, method=method)
    sim = lw.Simulation(four_bar(), method)
    for steps in (1, 1, 1, 2, 5, 1, 17, 3, 20, 1, 1, 1, 1, 1, 1, 1, 1, 1):
        sim.step(steps)
        assert sim.time == run.time[sim.steps]
        assert sim["foot 0.position"].tobytes() == run["foot 0.position"][sim.steps].tobytes()
    assert sim.steps == 60
    assert sum(fast) > 30


@all_methods
def test_an_input_acts_in_the_very_step(method: Any, fast: list[int]) -> None:
    quick, step, slow = pair(four_bar(), method)
    still = lw.Simulation(four_bar(), method)
    for n in range(40):
        for sim in (quick, slow):
            sim.inputs["drive"] = 3.0 * (n % 5)
        quick.step()
        step(1)
        assert_same(quick, slow)
        if n < 2:
            still.step()
            assert (quick.v.tobytes() == still.v.tobytes()) is (n == 0)
    assert len(fast) > 30


@pytest.mark.parametrize("method", [lw.Recursive(dt=1e-3), lw.Impulse(dt=1e-3)], ids=["recursive", "impulse"])
def test_the_structure_changes_between_steps(method: Any, fast: list[int]) -> None:
    quick, step, slow = pair(four_bar(), method)

    def both(steps: int) -> None:
        before = len(fast)
        for _ in range(steps):
            quick.step()
            step(1)
        assert_same(quick, slow)
        assert quick["foot 1.position"] == slow["foot 1.position"]
        assert len(fast) > before

    both(10)
    for sim in (quick, slow):
        sim.release("foot 2")
    both(10)
    for sim in (quick, slow):
        sim.attach("ground", "crank 2", "ball", at=sim["crank 2.position"], name="hook")
        sim.inputs["drive"] = 2.0
    both(10)
    for sim in (quick, slow):
        sim.reset(joints={"foot 0": 1.3})
    both(10)
    quick.step(3, dt=2e-3)
    slow.step(3, dt=2e-3)
    both(10)
    with pytest.raises(lw.OptionError):
        quick.reset(joints={"nothing": 1.0})
    both(10)
    twin = quick.copy()
    both(10)
    twin.step(7)
    for _ in range(3):
        twin.step()
    assert_same(twin, quick)


@pytest.mark.parametrize("method", [lw.Recursive(dt=1e-3), lw.Impulse(dt=1e-3)], ids=["recursive", "impulse"])
def test_drags_pull_in_every_step(method: Any) -> None:
    quick, step, slow = pair(four_bar(), method)
    for n in range(40):
        for sim in (quick, slow):
            if n in (10, 20):
                sim.drag("coupler 1", to=(n / 10, 1.0, 0.0))
            if n == 30:
                sim.drag("coupler 1", to=None)
        quick.step()
        step(1)
        assert_same(quick, slow)


@pytest.mark.parametrize("when", [{"time": 0.0204}, {"when": lambda sim: sim.time > 0.0203, "within": 1e-5}])
def test_events_happen_at_their_instants(when: Any, fast: list[int]) -> None:
    model = four_bar()
    model.release("foot 2", **when)
    run = lw.simulate(model, until=0.04, method=lw.Recursive(dt=1e-3))
    sim = lw.Simulation(model, lw.Recursive(dt=1e-3))
    for _ in range(40):
        sim.step()
    assert [change.time for change in sim.changes] == [change["time"] for change in run.certificate.events]
    assert sim["foot 0.position"] == run["foot 0.position"][-1]
    assert fast


def test_what_is_read_follows_the_structure() -> None:
    """Names are looked up once for a structure; values stay when the simulation goes on."""
    sim = lw.Simulation(four_bar(), lw.Recursive(dt=1e-3))
    read = sim.reader(["foot 0.position", "foot 2.position"])
    for _ in range(5):
        sim.step()
    held = sim["foot 0.position"]
    assert read().tolist() == [held, sim["foot 2.position"]]
    sim.release("foot 2")
    sim.step()
    assert read().tolist() == [sim["foot 0.position"], 0.0] == [sim.q[0], sim["foot 2.position"]]
    assert sim["foot 0.position"] != held
    sim.reset(joints={"foot 0": 1.25})
    assert read()[0] == sim["foot 0.position"] == pytest.approx(1.25, abs=1e-12)
    sim.step()
    sim.step()
    assert read()[1] == sim["foot 2.position"] != 0.0
    assert sim["time"] == sim.time == 0.002
    assert isinstance(sim["foot 0.position"], float)


def test_another_thread_is_refused() -> None:
    """While the compiled loop runs nobody else steps; then it goes on as if alone."""
    sim, twin = (lw.Simulation(four_bar(), lw.Recursive(dt=1e-3)) for _ in range(2))
    sim.step()
    sim.step()
    path = sim._fast
    assert path is not None
    real, refusals = path.loop, []

    def intrude() -> None:
        with pytest.raises(lw.OptionError, match="stepped by another thread") as refused:
            sim.step()
        refusals.append(str(refused.value))

    def loop(*arguments: Any) -> Any:
        thread = threading.Thread(target=intrude)
        thread.start()
        thread.join()
        return real(*arguments)

    path.loop = loop
    sim.step()
    assert len(refusals) == 1
    path.loop = real
    sim.step()
    twin.step(4)
    assert_same(sim, twin)


def test_a_step_that_fails_is_taken_back(fast: list[int]) -> None:
    def build() -> lw.Model:
        model = lw.Model("stiff")
        model.body("block", mass=1e-3, inertia=(1e-3, 1e-3, 1e-3))
        model.prismatic("rail", "ground", "block", axis=(1, 0, 0), position=0.1, stiffness=1e6)
        return model

    said = []
    for dt in (None, 1e-3):
        sim = lw.Simulation(build(), lw.Recursive(dt=1e-3))
        error = None
        while error is None:
            try:
                sim.step(dt=dt)
            except lw.RunError as failed:
                error = failed
        said.append((str(error), error.time, error.step, error.culprit, sim.steps, sim.time, sim.q.tobytes()))
    assert said[0] == said[1]
    assert said[0][3] == "rail"
    assert len(fast) > 3


def test_python_laws_and_long_pauses_go_the_ordinary_way(fast: list[int]) -> None:
    """Ctrl-C would be lost inside a law, and the adaptive integrator pauses for it."""
    model = four_bar()
    model.torque("wave", "foot 1", lambda t: 20.0 * t)
    adaptive = lw.Recursive(dt=1e-3, integrator="adaptive")
    for sim in (lw.Simulation(model, lw.Recursive(dt=1e-3)), lw.Simulation(four_bar(), adaptive)):
        for _ in range(5):
            sim.step()
    assert not fast


class Alarm(Exception):
    pass


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers of the process")
@pytest.mark.parametrize("method", [lw.Recursive(dt=1e-3), lw.Impulse(dt=1e-3)], ids=["recursive", "impulse"])
def test_exceptions_of_signals_lose_no_step(method: Any) -> None:
    """A handler raises anywhere, as Ctrl-C does: the count of steps, the clock and the inputs stay true.

    Forces may be evaluated twice, which changes roundings at most.
    """
    model = chain(3)
    model.torque("drive", "pin 0", 0.0)

    def handler(*_: Any) -> None:
        raise Alarm

    def drive(steps: int) -> float:
        return 0.1 * (steps % 7)

    sim, rng, alarms = lw.Simulation(model, method), random.Random(3), 0
    for _ in range(3):
        sim.inputs["drive"] = drive(sim.steps)
        sim.step()
    assert sim._fast is not None
    before = signal.signal(signal.SIGALRM, handler)
    try:
        while alarms < 300:
            try:
                signal.setitimer(signal.ITIMER_REAL, rng.uniform(2e-5, 2e-4))
                while True:
                    sim.inputs["drive"] = drive(sim.steps)
                    sim.step()
            except Alarm:
                alarms += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    twin = lw.Simulation(model, method)
    for _ in range(sim.steps):
        twin.inputs["drive"] = drive(twin.steps)
        twin.step()
    assert sim.time == twin.time
    assert sim.q == pytest.approx(twin.q, abs=1e-10)
    assert sim.v == pytest.approx(twin.v, abs=1e-10)
