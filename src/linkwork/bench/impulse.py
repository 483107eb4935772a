"""Scene "impulse": real time with impulses, a step of ours beside MuJoCo's, and how exact either was.

    chain          five links with dry friction in their hinges, let go from the horizontal again and again
    peaucellier    the linkage of 7 links, 10 hinges and 3 loops, its crank swung by a motor
    gripper        an arm grasps a block by friction, lifts it and carries it aside (grasping.py)
    humanoid       a robot of 32 joints crouches, grasps a stone and stands up with it
    rover          six sprung and driven wheels over a kerb and up stairs (driving.py)
    tracks         two closed tracks of forty shoes over a beam
    pile           a hundred boxes, two hundred stones fall into a pit and come to rest on each other
    rest, towers   400 boxes that lie still in stacks of four, and five towers of twenty (resting.py)

The same bodies, joints, friction and steps (peer_text.py); MuJoCo closes the loops by `connect` constraints, once as
soft as it is by itself and once as stiff as the step allows, and drives crank, arm and robot by position servos. Its
contacts are as it makes them by itself (stiffer for the tracks); with damped springs it runs its integrator
"implicitfast". Overlap, slip and energy that came from nowhere stand beside the times (errors.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import linkwork as lw
from linkwork.bench import Comparison, Figure, SceneReport, best_of
from linkwork.bench.driving import measure_rover, measure_tracks
from linkwork.bench.errors import GAIN, beside, gain, overlap_and_gain, rise
from linkwork.bench.grasping import gripper_task, humanoid_task, measure_task
from linkwork.bench.peers.mujoco_run import MujocoRun
from linkwork.bench.resting import measure_rest
from linkwork.bench.whole_runs import beside_mujoco
from linkwork.gallery import chain, gripper, humanoid, peaucellier, pile

HOW = (
    "Seconds per step: linkwork's impulse, solver direct, and MuJoCo's Euler steps, many in one compiled call, best "
    "of interleaved repeats; from the gripper on CPU time of whole runs. The chain restarts every 5 s, so that it "
    "moves. MuJoCo's loops have their default stiffness, or are as stiff as the step allows; its crank, arm and "
    "robot follow by servos with new targets every 10 ms (the robot: 1 ms). The rover's impulses are exact to a "
    "thousandth of m g dt. The pile falls for 2 s with method maximal. Energy from nowhere is the largest rise of the "
    "energy less the work of motors, over what moved in our run."
)
CHAIN_TARGET, PEAUCELLIER_TARGET, PILE_TARGET, PEN_TARGET = 0.5, 1.5, 1.0, 1e-6
REST_SCENES = (("400 boxes at rest", 100, 4), ("five towers of 20", 5, 20))  # name, stacks, boxes in each
FALL = 2.0  # s that the pile falls and settles
FRICTION = 0.2  # N m
SIZE = 0.7  # m, arm and rod of the linkage
SWING, OFTEN = -0.9, 0.4  # rad, Hz: swing of the crank
SERVO = 20.0, 2.0  # N m/rad, N m s/rad: as strong as MuJoCo's servo can be at 1 ms
LOOPS = ("left corner", "right corner", "pen corner")


def measure(*, quick: bool = False) -> SceneReport:
    """Time both scenes; with `quick` shortly."""
    repeats, seconds = (2, 0.005) if quick else (15, 0.05)
    comparisons: list[Comparison] = []
    figures: list[Figure] = []
    for dt in (1e-2, 1e-3):
        row, errors = _chain(dt, repeats, seconds)
        comparisons.append(row)
        figures += errors
    for stiff in (False, True):
        row, errors = _peaucellier(1e-3, stiff, repeats, seconds, until=0.5 if quick else 5.0)
        comparisons.append(row)
        figures += errors
    few = 1 if quick else 3
    for task, until in ((gripper_task(1e-3), gripper.TURNED), (humanoid_task(1e-3), humanoid.UNTIL)):
        row, errors = measure_task(task, 0.1 * until if quick else until, few, 1e-3)
        comparisons.append(row)
        figures += errors
    row, errors = measure_rover(few, 0.05 if quick else 1.0)
    rows, more = measure_tracks(few, 0.05 if quick else 1.0)
    comparisons += [row, *rows]
    figures += [*errors, *more]
    for n, kind in ((10, "box"), (10, "stone")) if quick else ((30, "box"), (100, "box"), (200, "stone")):
        row, errors = _pile(n, kind, few)
        comparisons.append(row)
        figures += errors
    for name, columns, height in REST_SCENES[1:] if quick else REST_SCENES:
        row, errors = measure_rest(name, 1 if quick else columns, height, few)
        comparisons.append(row)
        figures += errors
    return SceneReport("impulse", comparisons, figures, HOW)


def _timed(row: Comparison, repeats: int, seconds: float, contestants: list[Callable[[int], Any]]) -> Comparison:
    times = best_of(repeats, seconds, contestants)
    row.linkwork = times[0]
    row.peer = times[1] if len(times) > 1 else None
    return row


# ---- the chain -------------------------------------------------------------------------------------------------------


def _chain(dt: float, repeats: int, seconds: float) -> tuple[Comparison, list[Figure]]:
    model = chain.build(damping=0.0, friction=FRICTION)
    sim = lw.Simulation(model, lw.Impulse(dt=dt))
    start, anew = sim.state.y.copy(), round(5.0 / dt)

    def ours(n: int) -> None:
        while n > 0:
            sim.state.y[:] = start
            sim.workspace.rows.kept[:] = 0.0
            sim.step(min(n, anew))
            n -= anew

    # errors while nothing is chaotic yet
    until = 0.25
    exact, found = (
        np.array([run[f"hinge {k}.position"][-1] for k in range(1, 6)])
        for run in (lw.simulate(model, until=until, method=lw.Impulse(dt=h)) for h in (2e-5, dt))
    )
    case = f"chain, dt {dt * 1e3:g} ms"
    what = f"{case}: largest error of an angle after {until:g} s, rad"
    figures = [Figure(f"{what}, linkwork", float(np.abs(found - exact).max()))]
    row = Comparison(case, "MuJoCo", 0.0, target=CHAIN_TARGET)
    try:
        peer = MujocoRun(model, dt)
    except ImportError:
        return _timed(row, repeats, seconds, [ours]), figures

    def theirs(n: int) -> None:
        while n > 0:
            peer.rewind()
            peer.data.qpos[0] = np.pi / 2
            peer.step(min(n, anew))
            n -= anew

    theirs(round(until / dt))
    figures.append(Figure(f"{what}, MuJoCo", float(np.abs(peer.data.qpos - exact).max())))
    run = lw.simulate(model, until=2.0, method=lw.Impulse(dt=dt))
    peer.start(model)
    gained = rise(peer.watch(round(2.0 / dt)).unexplained) / run.certificate.energy_scale
    figures.append(beside(case, GAIN, gain(run) / run.certificate.energy_scale, gained))
    return _timed(row, repeats, seconds, [ours, theirs]), figures


# ---- the linkage -----------------------------------------------------------------------------------------------------


def _peaucellier(dt: float, stiff: bool, repeats: int, seconds: float, until: float) -> tuple[Comparison, list[Figure]]:
    model = peaucellier.build(drive="motor", angle=SWING, frequency=OFTEN)
    sim = lw.Simulation(model, lw.Impulse(dt=dt))
    case = f"peaucellier, dt {dt * 1e3:g} ms{', stiff' if stiff else ''}"
    row = Comparison(case, "MuJoCo", 0.0, target=PEAUCELLIER_TARGET)
    run = lw.simulate(model, until=until, method=lw.Impulse(dt=dt))
    off = float(np.abs(peaucellier.pen(run)[:, 0] - peaucellier.line()).max()) / SIZE
    figures = [] if stiff else [Figure(f"{case}: pen off its line by part of the size, linkwork", off, PEN_TARGET)]
    soft = f' solref="{2 * dt} 1" solimp="0.9999 0.9999 0.001"' if stiff else ""
    servos = {drive.path: SERVO for drive in model.all_drives()}
    try:
        peer = MujocoRun(model, dt, loops=LOOPS, solver=soft, servos=servos)
    except ImportError:
        return _timed(row, repeats, seconds, [sim.step]), figures
    data, pen = peer.data, peer.position("left far")  # a view, which moves with the run

    def theirs(n: int) -> float:
        """So many steps; the largest distance of the pen from its line on the way, m."""
        off, between = 0.0, max(1, round(0.01 / dt))
        while n > 0:
            # angles are counted from the start
            data.ctrl[0] = SWING * (np.cos(2 * np.pi * OFTEN * (data.time + between * dt)) - 1.0)
            peer.step(min(n, between))
            off = max(off, abs(float(pen[0]) - peaucellier.line()))
            n -= between
        return off

    off = theirs(round(until / dt)) / SIZE
    figures.append(Figure(f"{case}: pen off its line by part of the size, MuJoCo", off))
    peer.rewind()
    gained = rise(peer.watch(round(until / dt), lambda t: SWING * (np.cos(2 * np.pi * OFTEN * t) - 1.0)).unexplained)
    figures.append(beside(case, GAIN, gain(run) / run.certificate.energy_scale, gained / run.certificate.energy_scale))
    peer.rewind()
    return _timed(row, repeats, seconds, [sim.step, theirs]), figures


# ---- the pile --------------------------------------------------------------------------------------------------------


def _pile(n: int, kind: str, repeats: int, dt: float = 5e-3) -> tuple[Comparison, list[Figure]]:
    model = pile.build(n=n, kinds=(kind,), restitution=0.0)
    plural = {"box": "boxes", "stone": "stones"}[kind]
    case, steps = f"pile of {n} {plural}, dt {dt * 1e3:g} ms", round(FALL / dt)
    row = Comparison(case, "MuJoCo", math.inf, target=PILE_TARGET if n >= 100 else None)
    sim, peers = beside_mujoco(row, model, dt, steps, repeats)
    run = lw.simulate(model, until=FALL, method=lw.Maximal(dt=dt), record="energy")
    watched, ends = None, [(np.abs(sim.v).max(), np.abs(sim.v).mean())]
    for peer in peers:
        ends.append((np.abs(peer.data.qvel).max(), np.abs(peer.data.qvel).mean()))
        peer.rewind()
        watched = peer.watch(steps)
    theirs = [None if not peers else float(ends[1][k]) for k in range(2)]
    figures = [
        beside(case, f"largest speed after {FALL:g} s, m/s or rad/s", float(ends[0][0]), theirs[0]),
        beside(case, f"mean speed after {FALL:g} s, m/s or rad/s", float(ends[0][1]), theirs[1]),
        beside(
            case,
            f"overlap after {FALL:g} s, m",
            float(sim.contacts().depths.max()),
            peers[0].overlap() if peers else None,
        ),
    ]
    return row, figures + overlap_and_gain(case, run, watched)
