"""Table 1 of MST17: sweeps and time of a step for its three scenes, both methods, the paper's loop and ours.

    python benchmarks/mst17_table.py [SECONDS [SCENE ...]]

Epsilon 1e-6, dt 10 ms, as in the paper, whose times are of a 3 GHz Pentium D. It prints no sizes, masses or friction
of its scenes: those of `chain`, `peaucellier` and `gripper` in the gallery and of `linkwork.bench.grasp` are ours, and
with them the numbers of sweeps. The chain's grow with its friction, so it is shown with little and with much; the third
scene is a hand on two slides that are moved rigidly (grasp), and one on an arm whose motors have limits (gripper).
"sequential" is the paper's loop over all rows; "direct" solves for what holds always at once.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any

import linkwork as lw
from linkwork.bench import grasp
from linkwork.gallery import chain, gripper, peaucellier

DT = 0.01
# scene -> model, seconds, and what the paper prints for SIMMC and SIMGC: sweeps, ms
SCENES: dict[str, tuple[Callable[[], lw.Model], float, tuple[int, float], tuple[int, float]]] = {
    "chain, 0.2 N m": (lambda: chain.build(damping=0.0, friction=0.2), 10.0, (100, 0.5), (6, 0.1)),
    "chain, 1 N m": (lambda: chain.build(damping=0.0, friction=1.0), 10.0, (100, 0.5), (6, 0.1)),
    "peaucellier": (lambda: peaucellier.build(drive="motor"), 5.0, (2300, 16.0), (40, 1.2)),
    "grasp": (grasp.build, 5.0, (200, 3.0), (10, 0.6)),
    "gripper": (gripper.build, 5.0, (200, 3.0), (10, 0.6)),
}


def entry(model: lw.Model, method: Any, seconds: float) -> str:
    """Sweeps a step on average, steps that were cut short, and milliseconds a step, the best of two."""
    best = float("inf")
    for _ in range(2):
        sim = lw.Simulation(model, method)
        start = perf_counter()
        sim.step(round(seconds / DT))
        best = min(best, perf_counter() - start)
    sweeps, cut = sim.state.solver_stats[3] / sim.steps, int(sim.state.solver_stats[5])
    return f"{sweeps:7.1f} {1e3 * best / sim.steps:8.4f} ms" + (f" ({cut} cut)" if cut else "")


def main() -> None:
    print(f"{'scene':<16}{'':<10}{'printed':>18}{'sequential':>24}{'direct':>24}")
    shortest = float(sys.argv[1]) if len(sys.argv) > 1 else math.inf
    for name in sys.argv[2:] or SCENES:
        build, seconds, *printed = SCENES[name]
        for kind, (sweeps, ms) in zip((lw.Maximal, lw.Impulse), printed, strict=True):
            cells = [
                entry(build(), kind(dt=DT, solver=solver, epsilon=1e-5, iterations=10_000), min(seconds, shortest))
                for solver in ("sequential", "direct")
            ]
            print(
                f"{name:<16}{kind.name:<10}{sweeps:>7} {ms:>7g} ms" + "".join(f"{cell:>24}" for cell in cells),
                flush=True,
            )


if __name__ == "__main__":
    main()
