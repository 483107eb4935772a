"""Scene "many": many chains of five rods at once, each from another start, beside MuJoCo's `rollout`.

    runs     lw.simulate_many: each run with rows, energies, drift and its certificate
    copies   sim.copy() for each world, stepped by threads of one's own; only the last state is left

MuJoCo keeps the state of every step, in memory that is ready before. Both take semi-implicit Euler steps of 1 ms.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from time import perf_counter
from typing import Any

import numpy as np

import linkwork as lw
from linkwork.bench import Comparison, Figure, SceneReport
from linkwork.bench.peers.mujoco_rollout import MujocoRollout
from linkwork.bench.tree import chain

DT = 1e-3  # s
LINKS = 5
LONG, SHORT = (8, 100_000), (100, 1000)  # worlds, and steps of each
QUICK = (2, 300)
AGREE_STEPS = 500
METHOD = lw.Recursive(integrator="semi-implicit", dt=DT)
TARGETS = {"a row in 10": 1 / 3, "copies": 1 / 3}  # of MuJoCo's time, in long runs
TWO_CORES = 1 / 1.8  # of the time of one thread
HOW = (
    f"Seconds for a step of one world: chains of {LINKS} rods, steps of 1 ms, with all the set-up of a run. "
    f"Long runs are {LONG[0]} worlds of {LONG[1]} steps, short ones {SHORT[0]} of {SHORT[1]}. 'a row in 10' and 'every "
    "row' are what lw.simulate_many records of joint angles and velocities; energies, drift and the certificate come "
    "with them. 'copies' are stepped by a thread pool and record nothing. MuJoCo's rollout keeps every state. Best of "
    f"interleaved repeats; 'agree to' is the largest difference of joint angles after {AGREE_STEPS} steps."
)


def measure(*, quick: bool = False) -> SceneReport:
    """Time all cases; with `quick` few short ones."""
    cores = min(2, os.cpu_count() or 1)
    groups = [(1, *QUICK), (cores, *QUICK)] if quick else [(1, *LONG), (cores, *LONG), (cores, *SHORT)]
    model, rows, contestants, worlds_of = chain(LINKS), [], [], []
    with ExitStack() as stack:
        for threads, worlds, steps in groups:
            starts = [0.05 + 0.1 * k / worlds for k in range(worlds)]
            ours = _contestants(model, starts, steps, threads, stack)
            theirs, gap = _rollout(model, starts, steps, threads, stack)
            targets = TARGETS if (worlds, steps) == LONG else {}
            name = f"{threads} thread{'s' if threads > 1 else ''}{', short' if (worlds, steps) == SHORT else ''}"
            rows.append([Comparison(f"{name}, {case}", "MuJoCo", 0.0, None, gap, targets.get(case)) for case in ours])
            contestants.append([*ours.values(), *([theirs] if theirs is not None else [])])
            worlds_of.append(worlds * steps)
        taken = iter(_interleaved(1 if quick else 7, [each for group in contestants for each in group]))
    for group, entrants, count in zip(rows, contestants, worlds_of, strict=True):
        times = [next(taken) / count for _ in entrants]
        for row, time in zip(group, times[: len(group)], strict=True):
            row.linkwork, row.peer = time, times[len(group)] if len(times) > len(group) else None
    gain = rows[1][0].linkwork / rows[0][0].linkwork if cores > 1 else None
    figure = Figure("time of 2 threads over that of 1, a row in 10", gain, TWO_CORES)
    return SceneReport("many", [row for group in rows for row in group], [figure], HOW)


def _contestants(
    model: lw.Model, starts: Sequence[float], steps: int, threads: int, stack: ExitStack
) -> dict[str, Callable[[], Any]]:
    """Ours: runs that record much or little, and copies that only step."""
    cases = [{"joints": {"pin 0": start}} for start in starts]
    common: dict[str, Any] = {"until": steps * DT, "method": METHOD, "threads": threads}
    record = ["pin *.position", "pin *.velocity"]
    sims = [lw.Simulation(model, METHOD) for _ in starts]
    for sim, start in zip(sims, starts, strict=True):
        sim.reset(joints={"pin 0": start})
    pool = stack.enter_context(ThreadPoolExecutor(threads))

    def copies() -> None:
        list(pool.map(lambda sim: sim.copy().step(steps), sims))

    return {
        "a row in 10": lambda: lw.simulate_many(model, cases=cases, record=record, every=10, **common),
        "every row": lambda: lw.simulate_many(model, cases=cases, record=record, **common),
        "copies": copies,
    }


def _rollout(
    model: lw.Model, starts: Sequence[float], steps: int, threads: int, stack: ExitStack
) -> tuple[Callable[[], Any] | None, float | None]:
    """MuJoCo's, and by how much its worlds are elsewhere than ours after some steps; None where it is not installed."""
    system = lw.assemble(model)
    first = np.array([[start, *system.q_start[1:]] for start in starts])
    try:
        short = MujocoRollout(model, first, min(steps, AGREE_STEPS), threads=threads, dt=DT)
    except ImportError:
        return None, None
    with short:
        there = short.run()
    gap = 0.0
    for start, found in zip(starts, there, strict=True):
        sim = lw.Simulation(model, METHOD)
        sim.reset(joints={"pin 0": start})
        sim.step(min(steps, AGREE_STEPS))
        gap = max(gap, float(np.abs(sim.q - found).max()))
    return stack.enter_context(MujocoRollout(model, first, steps, threads=threads, dt=DT)).run, gap


def _interleaved(repeats: int, contestants: Sequence[Callable[[], Any]]) -> list[float]:
    """Least seconds of each, all taking turns, after a turn that does not count."""
    best = [float("inf")] * len(contestants)
    for turn in range(repeats + 1):
        for k, contestant in enumerate(contestants):
            start = perf_counter()
            contestant()
            if turn:
                best[k] = min(best[k], perf_counter() - start)
    return best
