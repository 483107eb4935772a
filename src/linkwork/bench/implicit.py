"""Scene implicit: four-bars in a row through singular positions (CD03 4.1), the time to reach a given energy error.

Every engine runs 10 s at ever smaller steps. Its error is the largest deviation of the energy, taken from the positions
and velocities after every step; the largest step whose error is small enough counts. Linkwork runs method `hybrid`.
MuJoCo runs in joint coordinates with `connect` constraints as stiff as its step allows, by RK4. Exudyn runs planar
bodies in absolute coordinates with revolute joints by generalized alpha with spectral radius 0.9 and full Newton: its
trapezoidal rule, or modified Newton, does not pass the singular positions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

import linkwork as lw
from linkwork.bench import Chart, Comparison, Figure, SceneReport
from linkwork.bench.peers.exudyn_four_bars import ExudynFourBars
from linkwork.bench.peers.four_bars import UNTIL
from linkwork.bench.peers.mujoco_four_bars import MujocoFourBars
from linkwork.formulations.samples import EVALUATIONS
from linkwork.gallery import double_four_bar, n_four_bar

CASES = {2: 0.014, 40: 0.23}  # windows: largest energy error allowed, J
STEPS = tuple(0.01 * 2 ** (-k / 2) for k in range(13))
TARGET = 0.1  # of the engine's time
SIZES = (10, 20, 40, 80, 160)
AFTER, AFTER_PEER = 5, 2  # steps of ours, and of others, beyond the one that is small enough, for the chart


@dataclass
class Point:
    """One run: step (s), largest energy error (J), time it took (s)."""

    dt: float
    error: float
    seconds: float


def measure(*, quick: bool = False) -> SceneReport:
    """All engines on both cases, and the growth of the step's cost with the number of windows."""
    rows: list[Comparison] = []
    figures, charts = [], []
    for windows, allowed in CASES.items():
        if quick and windows > 2:
            continue
        found = {"hybrid": sweep(_Linkwork, windows, allowed, after=0 if quick else AFTER)}
        best = cheapest(found["hybrid"], allowed)
        for engine, make in PEERS.items():
            row = Comparison(
                f"{windows} windows to {allowed} J", engine, best.seconds if best else math.nan, target=TARGET
            )
            rows.append(row)
            try:
                found[engine] = sweep(make, windows, allowed, after=0 if quick else AFTER_PEER)
            except ImportError:
                continue
            peer = cheapest(found[engine], allowed)
            row.peer = peer.seconds if peer else None
            row.note = "" if peer else "not reached"
        for engine, points in found.items():
            chosen = cheapest(points, allowed)
            if chosen:
                name = f"{engine}, {windows} windows: error at dt {chosen.dt:.2g} s (J)"
                figures.append(Figure(name, chosen.error, allowed))
        charts.append(
            Chart(
                f"{windows} windows, 10 s: work and precision",
                "time of the run (s)",
                "largest energy error (J)",
                {name: [(p.seconds, p.error) for p in points] for name, points in found.items()},
            )
        )
    costs, growth = step_costs(quick)
    figures += costs
    charts.append(growth)
    return SceneReport(
        "implicit",
        rows,
        figures,
        how=(
            f"Times are those of the whole {UNTIL:g} s at the largest step that reaches the error, best of three; "
            f"steps tried: 0.01 s and ever 0.71 of the last. Linkwork: hybrid with its default options."
        ),
        charts=charts,
    )


def sweep(make: Callable[[int, float], Any], windows: int, allowed: float, after: int = 0) -> list[Point]:
    """Errors and times at ever smaller steps, down to one that reaches the error, and so many more."""
    points = []
    for dt in STEPS:
        run = make(windows, dt)
        error = run.error()
        good = error <= allowed
        points.append(Point(dt, error, min(_timed(run) for _ in range(3 if good else 1))))
        if good and after == 0:
            break
        after -= good
    return points


def cheapest(points: list[Point], allowed: float) -> Point | None:
    """The cheapest run that reached the error."""
    good = [point for point in points if point.error <= allowed]
    return min(good, key=lambda point: point.seconds) if good else None


def _timed(run: Any) -> float:
    run.reset()
    start = perf_counter()
    run.all()
    return perf_counter() - start


def step_costs(quick: bool) -> tuple[list[Figure], Chart]:
    """Cost of a step of hybrid for 2 windows, and how it grows from 10 to 160."""
    sizes = SIZES[:2] if quick else SIZES
    two = _step_cost(double_four_bar.build(), 3000)
    costs = [_step_cost(n_four_bar.build(n=n), 100) for n in sizes]
    slope = float(np.polyfit(np.log(sizes), np.log(costs), 1)[0])
    line = {"hybrid": [(float(n), cost) for n, cost in zip(sizes, costs, strict=True)]}
    return [
        Figure("hybrid, 2 windows, a step (us)", two * 1e6, 10.0),
        *(Figure(f"hybrid, {n} windows, an iteration (us)", c * 1e6) for n, c in zip(sizes, costs, strict=True)),
        Figure(f"growth of an iteration's cost from {sizes[0]} to {sizes[-1]} windows: exponent", slope, 1.1),
    ], Chart("cost against size", "windows", "time of an iteration (s)", line)


def _step_cost(model: lw.Model, steps: int) -> float:
    """Seconds: of a step where there are many, else of an iteration, whose number varies with the position."""
    sim = lw.Simulation(model, lw.Hybrid(dt=0.01))
    sim.step(20)
    best = math.inf
    for _ in range(5):
        before, start = int(sim.state.count[EVALUATIONS]), perf_counter()
        sim.step(steps // 5 if steps < 1000 else steps)
        taken = perf_counter() - start
        best = min(best, taken / (steps if steps >= 1000 else int(sim.state.count[EVALUATIONS]) - before))
    return best


class _Linkwork:
    def __init__(self, windows: int, dt: float) -> None:
        self.model, self.dt = n_four_bar.build(n=windows), dt
        self.reset()

    def error(self) -> float:
        run = lw.simulate(self.model, until=UNTIL, method=lw.Hybrid(dt=self.dt), record=["coupler 1.position"])
        return float(np.abs(run["energy.total"] - run["energy.total"][0]).max())

    def reset(self) -> None:
        self.sim = lw.Simulation(self.model, lw.Hybrid(dt=self.dt))

    def all(self) -> None:
        self.sim.step(round(UNTIL / self.dt))


PEERS: dict[str, Callable[[int, float], Any]] = {"MuJoCo": MujocoFourBars, "Exudyn": ExudynFourBars}
