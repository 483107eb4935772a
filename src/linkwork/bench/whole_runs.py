"""Whole runs from the start, ours and MuJoCo's in turn: CPU time of a step, and both runs as they ended."""

from __future__ import annotations

import math
from collections.abc import Callable
from time import process_time
from typing import Any

import linkwork as lw
from linkwork.bench import Comparison
from linkwork.bench.peers.mujoco_run import MujocoRun


def in_turn(
    row: Comparison, repeats: int, steps: int, contestants: list[Callable[[], Callable[[int], Any]]]
) -> list[float]:
    """Seconds of CPU per step of whole runs from the start, the best of each; `row` gets the first two.

    Not by the clock: whole runs are so long that other work on the machine meets every one of them.
    """
    best = [math.inf] * len(contestants)
    for _ in range(repeats):
        for k, make in enumerate(contestants):
            step = make()
            start = process_time()
            step(steps)
            best[k] = min(best[k], (process_time() - start) / steps)
    row.linkwork = best[0]
    row.peer = best[1] if len(best) > 1 else None
    return best


def beside_mujoco(
    row: Comparison, model: lw.Model, dt: float, steps: int, repeats: int
) -> tuple[lw.Simulation, list[MujocoRun]]:
    """Time `model` by method maximal and by MuJoCo; both as they ended, MuJoCo's only where it is installed."""
    sims: list[lw.Simulation] = []
    peers: list[MujocoRun] = []

    def ours() -> Callable[[int], None]:
        sims[:] = [lw.Simulation(model, lw.Maximal(dt=dt))]
        return sims[0].step

    contestants: list[Any] = [ours]
    try:
        peers = [MujocoRun(model, dt)]

        def theirs() -> Callable[[int], None]:
            peers[0].rewind()
            return peers[0].step

        contestants.append(theirs)
    except ImportError:
        pass
    in_turn(row, repeats, steps, contestants)
    return sims[0], peers
