"""Scene "slopes": all slopes of the accelerations of chains, against analytic ones and differences.

    A    (links, 2 links): changes of the accelerations with all angles and all their rates, at the start

Ours are exact by numbers that carry eight slopes, Pinocchio's `computeABADerivatives` are analytic, MuJoCo's
`mjd_transitionFD` (one-sided differences of a step) and central differences of our own accelerations are not exact.
Compared with a step of rk4, the default, of the same chain.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import linkwork as lw
from linkwork.bench import Comparison, Figure, SceneReport, best_of
from linkwork.bench.peers.in_mujoco import in_mujoco
from linkwork.bench.peers.in_pinocchio import in_pinocchio
from linkwork.bench.tree import chain
from linkwork.simulation.analysis.dynamics import Accelerations
from linkwork.simulation.analysis.linear.slopes import Slopes

DT = 1e-3  # s
STEP = 1e-6  # rad, rad/s: of differences
STEPS_TARGETS = {5: 5.0, 30: 15.0, 100: 40.0}  # links -> steps that all slopes may cost
HOW = (
    "Seconds for the slopes of all accelerations with all angles and rates, called from Python with all memory ready: "
    "linkwork's by numbers with eight slopes, Pinocchio's computeABADerivatives, MuJoCo's mjd_transitionFD, and "
    "central differences of linkwork's own accelerations. Best of interleaved repeats. 'agree to' is the largest "
    "relative difference of the slopes with the angles. A step is one of rk4, the default, in a compiled loop."
)


def measure(*, quick: bool = False) -> SceneReport:
    """Time all cases; with `quick` only the smallest, shortly."""
    comparisons: list[Comparison] = []
    figures: list[Figure] = []
    for links in [5] if quick else STEPS_TARGETS:
        rows, step = _compare(links, repeats=2 if quick else 10, seconds=0.002 if quick else 0.04)
        comparisons += rows
        figures.append(Figure(f"slopes of a chain of {links}, in steps", rows[0].linkwork / step, STEPS_TARGETS[links]))
    return SceneReport("slopes", comparisons, figures, HOW)


def _compare(links: int, *, repeats: int, seconds: float) -> tuple[list[Comparison], float]:
    """One chain by all ways, all taking turns; and a step of it, s."""
    model = chain(links)
    system = lw.assemble(model)
    simulation = lw.Simulation(system, method=lw.Recursive(integrator="rk4", dt=DT))
    q, v, one = system.q_start, system.v_start, np.eye(links)
    slopes = Slopes(system, system.cut_start)
    ways = slopes.directions(q, np.hstack([one, 0.0 * one]), np.hstack([0.0 * one, one]))
    exact = slopes.along(q, v, ways).accelerations[:, :links]
    contestants: list[Callable[[int], Any]] = [simulation.step, _times(lambda: slopes.along(q, v, ways))]
    rows = []
    for engine, make in (("Pinocchio", _of_pinocchio), ("MuJoCo", _of_mujoco), ("differences", _of_differences)):
        row = Comparison(f"chain of {links}", engine, 0.0)
        rows.append(row)
        try:
            call, find = make(model, system, q, v)
        except ImportError:
            continue
        call()
        row.difference = float(np.max(np.abs(find() - exact)) / np.max(np.abs(exact)))
        row.peer = 0.0
        contestants.append(_times(call))
    times = best_of(repeats, seconds, contestants)
    left = iter(times[2:])
    for row in rows:
        row.linkwork = times[1]
        row.peer = None if row.peer is None else next(left)
    return rows, times[0]


def _times(call: Callable[[], Any]) -> Callable[[int], None]:
    def many(n: int) -> None:
        for _ in range(n):
            call()

    return many


Way = tuple[Callable[[], Any], Callable[[], Any]]  # a call, and the slopes with the angles that it has left


def _of_pinocchio(model: lw.Model, system: Any, q: Any, v: Any) -> Way:
    peer = in_pinocchio(model, system.joint_names)
    q_peer, T, _ = peer.convert(q, v)
    arguments = peer.model, peer.data, q_peer, T @ v, np.zeros(system.nv)
    derive, data = peer.pin.computeABADerivatives, peer.data
    return lambda: derive(*arguments), lambda: np.linalg.solve(T, np.array(data.ddq_dq) @ T)


def _of_mujoco(model: lw.Model, system: Any, q: Any, v: Any) -> Way:
    peer = in_mujoco(model, system.joint_names, dt=DT)
    q_peer, T, _ = peer.convert(q, v)
    peer.data.qpos[:], peer.data.qvel[:] = q_peer, T @ v
    n = system.nv
    A = np.zeros((2 * n, 2 * n))
    derive, made, data = peer.mujoco.mjd_transitionFD, peer.model, peer.data
    return (
        lambda: derive(made, data, STEP, False, A, None, None, None),
        lambda: np.linalg.solve(T, A[n:, :n] / DT @ T),
    )


def _of_differences(model: lw.Model, system: Any, q: Any, v: Any) -> Way:
    accelerations, n = Accelerations(system), system.nv
    A = np.zeros((n, 2 * n))
    unit = STEP * np.eye(n)

    def call() -> None:
        for k in range(n):
            ends = [accelerations.at(q + side * unit[k], v) for side in (1.0, -1.0)]
            A[:, k] = (ends[0] - ends[1]) / (2.0 * STEP)  # type: ignore[operator]
            ends = [accelerations.at(q, v + side * unit[k]) for side in (1.0, -1.0)]
            A[:, n + k] = (ends[0] - ends[1]) / (2.0 * STEP)  # type: ignore[operator]

    return call, lambda: A[:, :n]
