"""Hands that hold by friction, beside MuJoCo: gripper and humanoid; part of the scene "impulse".

MuJoCo's joints follow by position servos with new targets every 10 ms, those of the humanoid, which would fall, every
1 ms; ours by motors that hold exactly.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline

import linkwork as lw
from linkwork.bench import Comparison, Figure
from linkwork.bench.errors import beside, overlap_and_gain
from linkwork.bench.peers.mujoco_run import MujocoRun
from linkwork.bench.whole_runs import in_turn
from linkwork.gallery import gripper, humanoid

TARGET = 1.0
SEEN = 0.02  # s between samples
# N m/rad and N m s/rad (the grip: N s/m) of MuJoCo's servos in the arm
ARM = {
    "turn motor": (2e4, 400.0),
    "shoulder motor": (2e4, 400.0),
    "elbow motor": (1e4, 200.0),
    "wrist motor": (2e3, 40.0),
    "grip": (0.0, 2000.0),
}
STRONG, WEAK, GRIP = (2e4, 400.0), (2e3, 40.0), (0.0, 200.0)  # of legs and waist, of arms and neck, of fingers


class Task(NamedTuple):
    """What is held by which hand, from when on (s); bodies that must stand still; s between new targets of servos."""

    case: str
    model: lw.Model
    held: str
    hand: str
    since: float
    still: tuple[str, ...]
    servos: dict[str, tuple[float, float]]
    often: float


def gripper_task(dt: float) -> Task:
    """An arm grasps a block, lifts it and turns around."""
    return Task(f"gripper, dt {dt * 1e3:g} ms", gripper.build(), "block", "hand", gripper.UP, (), ARM, 0.01)


def humanoid_task(dt: float) -> Task:
    """A robot crouches, grasps a stone and stands up."""
    model = humanoid.build()
    servos = {}
    for drive in _motors(model):
        arm = any(word in drive.path for word in ("shoulder", "elbow", "forearm", "wrist", "neck"))
        servos[drive.path] = GRIP if drive.path.endswith("grip") else WEAK if arm else STRONG
    feet = ("left foot", "right foot")
    return Task(f"humanoid, dt {dt * 1e3:g} ms", model, "stone", "right hand", 3.1, feet, servos, 1e-3)


def measure_task(task: Task, until: float, repeats: int, dt: float) -> tuple[Comparison, list[Figure]]:
    """Time of a step on the way until `until` (s); slip in the hand and of the feet, overlap, energy from nowhere."""
    model, steps = task.model, round(until / dt)
    row = Comparison(task.case, "MuJoCo", math.inf, target=TARGET)
    run = lw.simulate(model, until=until, method=lw.Impulse(dt=dt), every=round(SEEN / dt))
    names = (task.hand, task.held, *task.still)
    ours = np.array([[run[f"{name}.position"][k] for name in names] for k in range(len(run))])
    turned = [lw.Frame(rotation=q).matrix for q in run[f"{task.hand}.rotation"]]
    slips, theirs = _slips(task, ours, turned), None
    contestants: list[Any] = [lambda: lw.Simulation(model, lw.Impulse(dt=dt)).step]
    try:
        peer = MujocoRun(model, dt, servos=task.servos, integrator="implicitfast")
    except ImportError:
        peer = None
    if peer is not None:
        goals, data = _goals(model, until, task.often), peer.data

        def see() -> tuple[Any, Any]:
            return [peer.position(name).copy() for name in names], data.body(task.hand).xmat.reshape(3, 3).copy()

        peer.start(model)
        theirs = peer.watch(
            steps, lambda t: goals[min(int(t / task.often + 1e-6), len(goals) - 1)], see, round(SEEN / dt)
        )
        contestants.append(lambda: _stepped(peer, model, goals, round(task.often / dt)))
    in_turn(row, repeats, steps, contestants)
    found = _slips(task, np.array([at for at, _ in theirs.seen]), [R for _, R in theirs.seen]) if theirs else {}
    figures = [beside(task.case, what, value, found.get(what)) for what, value in slips.items()]
    return row, figures + overlap_and_gain(task.case, run, theirs)


def _motors(model: lw.Model) -> list[Any]:
    return [drive for drive in model.all_drives() if not hasattr(drive, "follower")]


def _slips(task: Task, at: Any, turned: list[Any]) -> dict[str, float]:
    """How far what is held moves in the hand, and how far the feet go, m."""
    since = min(round(task.since / SEEN), len(at) - 1)
    inside = np.array([R.T @ (p[1] - p[0]) for R, p in zip(turned[since:], at[since:], strict=True)])
    found = {f"slip of the {task.held} in the hand, m": float(np.linalg.norm(inside - inside[0], axis=1).max())}
    if task.still:
        moved = np.linalg.norm((at[:, 2:] - at[0, 2:])[..., :2], axis=2)
        found["slip of the feet, m"] = float(moved.max())
    return found


def _goals(model: lw.Model, until: float, often: float) -> Any:
    """Targets of all motors, (time, motor)."""
    times = often * np.arange(1, math.ceil(until / often) + 2)
    return np.array([_values(drive.position or drive.velocity, times) for drive in _motors(model)]).T


def _values(law: Any, times: Any) -> Any:
    """A table or a number at these times."""
    if not isinstance(law, lw.Table):
        return np.full(len(times), law.value)
    within = np.clip(times, law.times[0], law.times[-1])
    return (
        CubicSpline(law.times, law.values)(within) if law.kind == "cubic" else np.interp(within, law.times, law.values)
    )


def _stepped(peer: MujocoRun, model: lw.Model, goals: Any, between: int) -> Callable[[int], None]:
    peer.start(model)

    def step(n: int) -> None:
        for k in range(-(-n // between)):
            peer.data.ctrl[:] = goals[k]
            peer.step(between)

    return step
