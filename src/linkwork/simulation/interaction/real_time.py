"""Keeping pace with the wall clock: `RealTime` steps a simulation when its steps are due, and says when it was late."""

from __future__ import annotations

import time
import warnings
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from linkwork.errors import OptionError
from linkwork.formulations.samples import STEPS_CUT, SWEEPS
from linkwork.model.checked import shown
from linkwork.simulation.methods import ALL, positive
from linkwork.simulation.run import Simulation

FEWEST = 4  # sweeps that a step is left with, whatever the budget


@dataclass
class Pace:
    """How a simulation kept pace with the clock; all times in seconds of the wall clock.

    >>> print(Pace(steps=100, late=2, worst=0.0013, cut=3, busy=0.25, passed=1.0))
    100 steps in 1 s: 2 late, by 1.3 ms at worst, 3 with sweeps cut short; 25 % busy
    """

    steps: int = 0
    late: int = 0  # steps that ended after their time
    worst: float = 0.0  # by how much at most
    dropped: float = 0.0  # time that was given up, so as not to run after it
    cut: int = 0  # steps of methods with impulses whose sweeps ended by their number or the budget, not by epsilon
    busy: float = 0.0  # spent in steps
    passed: float = 0.0

    def __str__(self) -> str:
        late = f"{self.late} late, by {1e3 * self.worst:.3g} ms at worst" if self.late else "none late"
        dropped = f", {self.dropped:.3g} s dropped" if self.dropped else ""
        cut = f", {self.cut} with sweeps cut short" if self.cut else ""
        share = f"; {100 * self.busy / self.passed:.0f} % busy" if self.passed else ""
        return f"{self.steps} steps in {self.passed:.4g} s: {late}{dropped}{cut}{share}"


class RealTime:
    """Steps a simulation at the pace of the wall clock, or `rate` times as fast.

    A step starts when the clock reaches its start time. It is late if it ends after its end time on the clock. Small
    delays are caught up. If the simulation is behind by more than `patience` (s), it skips that time, warns once and
    continues. `budget` (s) limits the time of a step in the methods with impulses: if steps take longer, they get fewer
    sweeps, and more again when there is time. Steps cut short are then counted, without a warning. `live.pace` has the
    statistics; `live.rate` may be changed during a run.

    >>> live = lw.RealTime(lw.Simulation(lw.gallery.pendulum.build(), dt=0.01), rate=2.0)
    >>> live.run(0.1).steps  # in 0.05 s
    10
    """

    def __init__(
        self,
        sim: Simulation,
        *,
        rate: float = 1.0,
        patience: float = 0.1,
        budget: float | None = None,
        clock: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if not isinstance(sim, Simulation):
            raise OptionError(f"RealTime needs an lw.Simulation, not {shown(sim)}; make one of your model")
        self.sim = sim
        self.rate = rate
        self.patience = positive("patience", patience, "seconds")
        self.budget = None if budget is None else positive("budget", budget, "seconds")
        if self.budget is not None and sim.method.effort != "sweeps":
            able = " or ".join(repr(name) for name, kind in ALL.items() if kind().effort == "sweeps")
            raise OptionError(f"method {sim.method.name!r} has no sweeps that budget= could cut; use method {able}")
        self.pace = Pace()
        self._clock, self._sleep = clock, sleep
        self._words: deque[tuple[str, float]] = deque()
        self._stopped = False
        self._sweeps = int(sim.method.iterations)

    @property
    def rate(self) -> float:
        """Simulated seconds a second; may be set between steps."""
        return self._rate

    @rate.setter
    def rate(self, rate: float) -> None:
        self._rate = positive("rate", rate, "simulated seconds a second")
        self._origin: float | None = None  # of the wall clock, where the simulation is at time 0: to be found anew

    def put(self, name: str, value: float) -> None:
        """Set an input before the next step, from any thread. Raises here if there is no such input.

        >>> model = lw.gallery.pendulum.build()
        >>> push = model.torque("push", "pin", 0.0)
        >>> live = lw.RealTime(lw.Simulation(model, dt=0.01))
        >>> live.put("push", 2.0)
        >>> live.step()
        >>> live.sim.inputs["push"]
        2.0
        """
        self._words.append((name, self.sim.inputs.checked(name, value)))

    def stop(self) -> None:
        """End `run` after the present step; may be called from any thread."""
        self._stopped = True

    def run(self, seconds: float, each: Callable[[Simulation], Any] | None = None) -> Pace:
        """Run for `seconds` of simulated time; `each(sim)` is called before every step; False ends the run."""
        steps = round(positive("seconds", seconds, "seconds") / self.sim.method.dt)
        if each is not None and not callable(each):
            raise OptionError(f"each must be a function of the simulation, not {shown(each)}; correct each=")
        self._stopped, self._origin = False, None
        for _ in range(steps):
            if self._stopped or (each is not None and each(self.sim) is False):
                break
            self.step()
        return self.pace

    def step(self) -> None:
        """Wait until the next step is due, and take it."""
        sim, dt = self.sim, self.sim.method.dt
        now = self._clock()
        origin, rate = self._origin, self.rate  # another thread may set a new rate at any time
        if origin is None:
            origin = self._origin = now - sim.time / rate
        due = origin + sim.time / rate
        begun = now
        while now < due:
            self._sleep(due - now)
            now = self._clock()
        while self._words:
            name, value = self._words.popleft()
            sim.inputs[name] = value
        pace, cut = self.pace, sim.state.solver_stats[STEPS_CUT]
        started = self._clock()
        if self.budget is None:
            sim.step()
        else:
            self._step_within()
        ended = self._clock()
        if self.budget is not None:
            self._cut(ended - started)
        pace.steps += 1
        pace.cut += int(sim.state.solver_stats[STEPS_CUT] - cut)
        pace.busy += ended - started
        pace.passed += ended - begun
        behind = ended - due - dt / rate
        if behind > 0.0:
            pace.late += 1
            pace.worst = max(pace.worst, behind)
        if behind > self.patience:
            if pace.dropped == 0.0:
                warnings.warn(
                    f"the simulation of '{sim.system.model.name}' is {behind:.3g} s behind the clock at t = "
                    f"{sim.time:.4g} s; that time is dropped. Give a larger dt=, a smaller rate= or a budget=",
                    RuntimeWarning,
                    stacklevel=2,
                )
            pace.dropped += behind
            if self._origin is not None:
                self._origin = origin + behind

    def _step_within(self) -> None:
        """A step with the sweeps that are left to it, which `pace.cut` tells of; those by hand, later on, have all."""
        sim = self.sim
        watched, sim.step_warnings.of_sweeps = sim.step_warnings.of_sweeps, False
        sim.method.limit_sweeps(sim.workspace, self._sweeps)
        try:
            sim.step()
        finally:
            sim.method.limit_sweeps(sim.workspace, int(sim.method.iterations))
            sim.step_warnings.of_sweeps = watched

    def _cut(self, took: float) -> None:
        """Fewer sweeps after a step beyond the budget, more again after one well within it."""
        assert self.budget is not None
        if took > self.budget:
            used = min(self._sweeps, max(1, int(self.sim.state.solver_stats[SWEEPS])))
            self._sweeps = max(FEWEST, int(used * self.budget / took))
        elif took < 0.8 * self.budget:
            self._sweeps = min(int(self.sim.method.iterations), self._sweeps + 1 + self._sweeps // 8)
