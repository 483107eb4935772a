"""Scene "impulse": real time with impulses, a step of ours beside MuJoCo's, and how exact either was.

    chain          five links with dry friction in their hinges, let go from the horizontal again and again
    peaucellier    the linkage of 7 links, 10 hinges and 3 loops, its crank swung by a motor
    gripper        an arm grasps a block by friction, lifts it and carries it aside
    rover          six sprung and driven wheels over a kerb and up stairs
    pile           a hundred boxes, two hundred stones fall into a pit and come to rest on each other
    rest, towers   400 boxes that lie still in stacks of four, and five towers of twenty (resting.py)

The same bodies, joints, friction and steps (peer_text.py); MuJoCo closes the loops by `connect` constraints, once as
soft as it is by itself and once as stiff as the step allows, and drives crank and arm by position servos. Its contacts
are as it makes them by itself; with damped springs it runs its integrator "implicitfast".
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline

import linkwork as lw
from linkwork.bench import Comparison, Figure, SceneReport, best_of
from linkwork.bench.peers.mujoco_run import MujocoRun, rigid_contacts
from linkwork.bench.resting import measure_rest
from linkwork.bench.whole_runs import beside_mujoco, in_turn
from linkwork.formulations.samples import STEPS_CUT, WORST_RESIDUAL
from linkwork.gallery import chain, gripper, peaucellier, pile, rover

HOW = (
    "Seconds per step: linkwork's impulse, solver direct, and MuJoCo's Euler steps, many in one compiled call, best "
    "of interleaved repeats. The chain restarts every 5 s, so that it moves. MuJoCo's loops have their default "
    "stiffness, or are as stiff as the step allows; its crank and arm follow by servos with new targets every 10 ms. "
    "The rover's impulses are exact to a thousandth of m g dt. The pile falls for 2 s with method maximal."
)
CHAIN_TARGET, PEAUCELLIER_TARGET, PILE_TARGET, PEN_TARGET = 0.5, 1.5, 3.0, 1e-6
GRIPPER_TARGET, ROVER_TARGET = 1.5, 1.5
REST_SCENES = (("400 boxes at rest", 100, 4), ("five towers of 20", 5, 20))  # name, stacks, boxes in each
FALL = 2.0  # s that the pile falls and settles
FRICTION = 0.2  # N m
SIZE = 0.7  # m, arm and rod of the linkage
SWING, OFTEN = -0.9, 0.4  # rad, Hz: swing of the crank
SERVO = 20.0, 2.0  # N m/rad, N m s/rad: as strong as MuJoCo's servo can be at 1 ms
LOOPS = ("left corner", "right corner", "pen corner")
# N m/rad and N m s/rad (the grip: N s/m) of MuJoCo's servos in the arm
ARM = {
    "turn motor": (2e4, 400.0),
    "shoulder motor": (2e4, 400.0),
    "elbow motor": (1e4, 200.0),
    "wrist motor": (2e3, 40.0),
    "grip": (0.0, 2000.0),
}


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
    for scene in (_gripper, _rover):
        row, errors = scene(1 if quick else 3, 0.1 if quick else 1.0)
        comparisons.append(row)
        figures += errors
    for n, kind in ((10, "box"), (10, "stone")) if quick else ((30, "box"), (100, "box"), (200, "stone")):
        row, errors = _pile(n, kind, 1 if quick else 3)
        comparisons.append(row)
        figures += errors
    for name, columns, height in REST_SCENES[1:] if quick else REST_SCENES:
        row, errors = measure_rest(name, 1 if quick else columns, height, 1 if quick else 3)
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
    return _timed(row, repeats, seconds, [sim.step, theirs]), figures


# ---- arm and rover ---------------------------------------------------------------------------------------------------


def _gripper(repeats: int, part: float, dt: float = 1e-3) -> tuple[Comparison, list[Figure]]:
    """Down, grasp, up and around; `part` of it."""
    model, steps = gripper.build(), round(part * gripper.TURNED / dt)
    case = f"gripper, dt {dt * 1e3:g} ms"
    row = Comparison(case, "MuJoCo", math.inf, target=GRIPPER_TARGET)
    what = f"{case}: slip of the block in the hand on its way, m"
    run = lw.simulate(model, until=steps * dt, method=lw.Impulse(dt=dt), every=20)
    figures = [Figure(f"{what}, linkwork", gripper.slip(run, min(gripper.UP, run.time[-1]), run.time[-1]), 1e-3)]
    ours = lambda: lw.Simulation(model, lw.Impulse(dt=dt)).step  # noqa: E731
    try:
        peer = MujocoRun(model, dt, servos=ARM, integrator="implicitfast")
    except ImportError:
        in_turn(row, repeats, steps, [ours])
        return row, figures
    motors: list[Any] = [drive for drive in model.all_drives() if not hasattr(drive, "follower")]
    between = round(0.01 / dt)
    goals = np.array([_values(drive.position or drive.velocity, 0.01 * np.arange(1, 900)) for drive in motors]).T
    seen: list[Any] = []

    def theirs() -> Callable[[int], None]:
        peer.rewind()
        for joint in model.all_joints():
            if joint.position is not None and joint.kind != "free":
                peer.data.joint(joint.path).qpos[0] = joint.position[0]

        def step(n: int) -> None:
            seen.clear()
            for k in range(-(-n // between)):
                peer.data.ctrl[:] = goals[k]
                peer.step(between)
                if k % 2 == 0:
                    hand, block = peer.data.body("hand"), peer.position("block")
                    seen.append(hand.xmat.reshape(3, 3).T @ (block - hand.xpos))

        return step

    in_turn(row, repeats, steps, [ours, theirs])
    held = np.array(seen[min(round(gripper.UP / 0.02), len(seen) - 1) :])
    figures.append(Figure(f"{what}, MuJoCo", float(np.linalg.norm(held - held[0], axis=1).max())))
    return row, figures


def _values(law: Any, times: Any) -> Any:
    """A table or a number at these times."""
    if not isinstance(law, lw.Table):
        return np.full(len(times), law.value)
    within = np.clip(times, law.times[0], law.times[-1])
    return (
        CubicSpline(law.times, law.values)(within) if law.kind == "cubic" else np.interp(within, law.times, law.values)
    )


def _rover(repeats: int, part: float, dt: float = 5e-3) -> tuple[Comparison, list[Figure]]:
    """Over the kerb and up the stairs; `part` of it."""
    model, steps = rover.build(), round(part * rover.UNTIL / dt)
    case = f"rover, dt {dt * 1e3:g} ms"
    row = Comparison(case, "MuJoCo", math.inf, target=ROVER_TARGET)
    sims: list[lw.Simulation] = []

    def ours() -> Callable[[int], None]:
        sims[:] = [lw.Simulation(model, lw.Impulse(dt=dt, epsilon=1e-3))]
        return sims[0].step

    peers: dict[str, MujocoRun] = {}
    contestants: list[Any] = [ours]
    try:
        peer, stiff = MujocoRun(model, dt, integrator="implicitfast"), rigid_contacts(model, 1e-3)

        def theirs() -> Callable[[int], None]:
            peer.rewind()
            peer.set_speeds(model)
            return peer.step

        contestants.append(theirs)
        stiff.set_speeds(model)
        stiff.step(round(steps * dt / 1e-3))
        peers = {"MuJoCo": peer, "MuJoCo, contacts as stiff as 1 ms allows": stiff}
    except ImportError:
        pass
    in_turn(row, repeats, steps, contestants)
    effort, what = sims[0].state.effort, f"{case}: how far it came in {steps * dt:g} s, m"
    figures = [
        Figure(f"{what}, linkwork", float(sims[0]["hull.position"][0])),
        Figure(f"{case}: part of the steps whose sweeps were cut short, linkwork", float(effort[STEPS_CUT] / steps)),
        Figure(f"{case}: largest change of an impulse in a last sweep, N s, linkwork", float(effort[WORST_RESIDUAL])),
    ]
    figures += [Figure(f"{what}, {who}", float(each.position("hull")[0])) for who, each in peers.items()]
    return row, figures


# ---- the pile --------------------------------------------------------------------------------------------------------


def _pile(n: int, kind: str, repeats: int, dt: float = 5e-3) -> tuple[Comparison, list[Figure]]:
    model = pile.build(n=n, kinds=(kind,), restitution=0.0)
    plural = {"box": "boxes", "stone": "stones"}[kind]
    case, steps = f"pile of {n} {plural}, dt {dt * 1e3:g} ms", round(FALL / dt)
    row = Comparison(case, "MuJoCo", math.inf, target=PILE_TARGET if n >= 100 else None)
    told = f"{case}: overlap (m), speed (m/s) after {FALL:g} s, at most"
    sim, peers = beside_mujoco(row, model, dt, steps, repeats)
    figures = [
        Figure(f"{told}, linkwork, overlap", float(sim.contacts().depths.max())),
        Figure(f"{told}, linkwork, speed", float(np.abs(sim.v).max())),
    ]
    for data in (peer.data for peer in peers):
        figures += [
            Figure(f"{told}, MuJoCo, overlap", -min(contact.dist for contact in data.contact[: data.ncon])),
            Figure(f"{told}, MuJoCo, speed", float(np.abs(data.qvel).max())),
        ]
    return row, figures
