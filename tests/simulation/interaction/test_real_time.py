"""Pace with the wall clock, by a clock that only moves when somebody sleeps or computes."""

from __future__ import annotations

import threading
import warnings
from typing import Any

import pytest

import linkwork as lw


class Clock:
    """Time stands still but for sleep and for steps, which cost what `cost(n)` says of step n."""

    def __init__(self, sim: lw.Simulation, cost: Any) -> None:
        self.now, self.slept, self.steps = 100.0, 0.0, 0
        take = sim.step

        def step() -> None:
            self.now += cost(self.steps)
            self.steps += 1
            take()

        sim.step = step  # type: ignore[method-assign, assignment]

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.slept += seconds


def arm() -> lw.Model:
    model = lw.Model("arm")
    body = model.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -0.5))
    model.revolute("pin", "ground", body, at=(0, 0, 0), axis=(0, -1, 0), friction=0.1)
    model.torque("push", "pin", 0.0)
    return model


def live(cost: Any, **options: Any) -> tuple[lw.RealTime, Clock]:
    sim = lw.Simulation(arm(), lw.Impulse(dt=0.01))
    clock = Clock(sim, cost)
    return lw.RealTime(sim, clock=clock, sleep=clock.sleep, **options), clock


@pytest.mark.parametrize("rate", [0.5, 1.0, 4.0])
def test_it_keeps_pace(rate: float) -> None:
    run, clock = live(lambda _: 0.002, rate=rate)
    pace = run.run(2.0)
    assert run.sim.time == pytest.approx(2.0)
    # the last step was begun one step before the end, and took 2 ms
    assert clock.now - 100.0 == pytest.approx((2.0 - 0.01) / rate + 0.002)
    assert (pace.steps, pace.late, pace.worst, pace.dropped) == (200, 0, 0.0, 0.0)
    assert pace.busy == pytest.approx(0.4)
    assert "none late" in str(pace)


def test_a_late_step_is_told_and_made_up_for() -> None:
    run, clock = live(lambda n: 0.045 if n == 50 else 0.002)
    pace = run.run(1.0)
    # the step from 0.50 to 0.51 ends at 0.545; 2 ms for each of the next: 4 more are late
    assert pace.worst == pytest.approx(0.035)
    assert pace.late == 5
    assert pace.dropped == 0.0
    assert clock.now - 100.0 == pytest.approx(0.99 + 0.002)
    assert "5 late, by 35 ms at worst" in str(pace)


def test_it_never_runs_after_the_clock() -> None:
    """Steps of 10 ms that take 30: every step is late, and it is never behind by more than its patience and a step."""
    run, clock = live(lambda _: 0.03, patience=0.1)
    with pytest.warns(RuntimeWarning, match="'arm' is 0.1.* behind the clock.*dropped") as told:
        pace = run.run(1.0)
    assert len(told) == 1
    assert run.sim.time == pytest.approx(1.0)
    assert pace.late == 100
    assert pace.worst <= 0.1 + 0.03
    # all the time that passed is either simulated, dropped, or what it is behind now
    behind = clock.now - 100.0 - 1.0 - pace.dropped
    assert -1e-9 <= behind <= 0.1 + 1e-9
    assert "s dropped" in str(pace)
    assert clock.slept == 0.0


def test_after_a_pause_it_goes_on_from_there() -> None:
    run, clock = live(lambda _: 0.001)
    run.run(0.5)
    clock.now += 60.0  # somebody had lunch
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pace = run.run(0.5)
    assert (pace.late, pace.dropped) == (0, 0.0)
    assert run.sim.time == pytest.approx(1.0)


def test_inputs_are_taken_between_steps() -> None:
    run, _ = live(lambda _: 0.001)
    seen = []

    def each(sim: lw.Simulation) -> bool:
        seen.append(sim.inputs["push"])
        if sim.time > 0.095:
            threading.Thread(target=run.put, args=("push", 2.0)).run()
        return sim.time < 0.195

    run.run(1.0, each)
    assert run.sim.time == pytest.approx(0.2)
    assert seen[:11] == [0.0] * 11
    assert seen[11:] == [2.0] * 10
    # who gives what is no input, or no number, is told at once; the one who steps is not stopped by it
    with pytest.raises(lw.OptionError, match="no input 'pull'"):
        run.put("pull", 1.0)
    with pytest.raises(lw.OptionError, match="finite number, not nan"):
        run.put("push", float("nan"))
    run.step()


def test_stop_from_elsewhere() -> None:
    run, _ = live(lambda n: run.stop() or 0.001 if n == 20 else 0.001)  # type: ignore[func-returns-value]
    assert run.run(1.0).steps == 21


def test_a_budget_cuts_sweeps_and_gives_them_back() -> None:
    dear = {"a sweep": 1e-3}
    sweeps: list[int] = []
    run, clock = live(lambda _: 1e-4 + dear["a sweep"] * limit(), budget=0.012)

    def limit() -> int:
        sweeps.append(int(run.sim.workspace.solver.iterations[0]))
        return sweeps[-1]

    run.run(0.2)
    # the solver needs one sweep here: what is cut is the room for more
    assert sweeps[0] == 50
    assert sweeps[-1] <= 12
    dear["a sweep"] = 1e-5
    run.run(0.5)
    assert sweeps[-1] == 50
    assert clock.steps == 70


def test_what_a_budget_cut_is_told_and_steps_by_hand_have_all_their_sweeps() -> None:
    model = lw.Model("stack")
    rough = lw.Material(friction=0.8)
    model.plane("floor", material=rough)
    for i in range(3):
        model.body(
            f"box {i}", shape=lw.Box((0.2, 0.2, 0.2)), mass=10.0**i, position=(0, 0, 0.1 + 0.2 * i), material=rough
        )
    sim = lw.Simulation(model, lw.Impulse(dt=0.01, solver="sequential", iterations=500))
    clock = Clock(sim, lambda _: 1.0)
    run = lw.RealTime(sim, clock=clock, sleep=clock.sleep, budget=1e-3, patience=1e3)
    pace = run.run(0.1)
    assert 0 < pace.cut == run.sim.state.solver_stats[5]
    assert f"{pace.cut} with sweeps cut short" in str(pace)
    assert sim.workspace.solver.iterations[0] == 500
    cut = pace.cut
    sim.step()
    assert sim.solver["sweeps"] > 10
    assert sim.state.solver_stats[5] == cut + sim.solver["cut"]


def test_the_rate_may_change_on_the_way() -> None:
    run, clock = live(lambda _: 0.001, rate=4.0)
    run.run(4.0)
    begun = clock.now
    run.rate = 1.0
    run.step()
    run.step()
    assert clock.now - begun == pytest.approx(0.011)
    assert run.pace.dropped == 0.0
    with pytest.raises(lw.OptionError, match="rate"):
        run.rate = 0.0


def test_refusals() -> None:
    sim = lw.Simulation(arm(), lw.Impulse(dt=0.01))
    for options in ({"rate": 0.0}, {"rate": float("nan")}, {"patience": -1.0}, {"budget": 0.0}):
        with pytest.raises(lw.OptionError, match=next(iter(options))):
            lw.RealTime(sim, **options)
    with pytest.raises(lw.OptionError, match="each must be a function"):
        lw.RealTime(sim).run(0.1, each=3)  # type: ignore[arg-type]
    with pytest.raises(lw.OptionError, match=r"needs an lw\.Simulation"):
        lw.RealTime(arm())  # type: ignore[arg-type]
    free = lw.Simulation(lw.gallery.pendulum.build(), "recursive", dt=0.01)
    with pytest.raises(lw.OptionError, match="'impulse' or 'maximal'"):
        lw.RealTime(free, budget=1e-3)
