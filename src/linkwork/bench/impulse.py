"""Scene "impulse": real time with impulses, a step of ours beside MuJoCo's, and how exact either was.

    chain          five links with dry friction in their hinges, let go from the horizontal again and again
    peaucellier    the linkage of 7 links, 10 hinges and 3 loops, its crank swung by a motor
    pile           a hundred boxes fall into a pit and come to rest on each other

The same bodies, joints, friction and steps; MuJoCo closes the loops by `connect` constraints, once as soft as it is by
itself and once as stiff as the step allows, and drives the crank by a position servo. Its contacts are off but in the
pile, where they are as it makes them by itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from time import perf_counter
from typing import Any

import numpy as np

import linkwork as lw
from linkwork.bench import Comparison, Figure, SceneReport, best_of
from linkwork.gallery import chain, peaucellier, pile

HOW = (
    "Seconds per step: linkwork's impulse, solver direct, and MuJoCo's Euler steps, many in one compiled call, best "
    "of interleaved repeats. The chain starts anew every 5 s, so that it moves. MuJoCo's loops are as soft as it makes "
    "them by itself, or as stiff as the step allows; its crank follows by a servo, told anew every 10 ms. The pile "
    "falls for 2 s by our maximal."
)
CHAIN_TARGET, PEAUCELLIER_TARGET, PILE_TARGET, PEN_TARGET = 0.5, 1.5, 3.0, 1e-6
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
    for n in (10,) if quick else (30, 100):
        row, errors = _pile(n, 1 if quick else 3)
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
        import mujoco
    except ImportError:
        return _timed(row, repeats, seconds, [ours]), figures
    peer = mujoco.MjModel.from_xml_string(mjcf(model, dt))
    data = mujoco.MjData(peer)

    def theirs(n: int) -> None:
        while n > 0:
            mujoco.mj_resetData(peer, data)
            data.qpos[0] = np.pi / 2
            mujoco.mj_step(peer, data, nstep=min(n, anew))
            n -= anew

    theirs(round(until / dt))
    figures.append(Figure(f"{what}, MuJoCo", float(np.abs(data.qpos - exact).max())))
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
    try:
        import mujoco
    except ImportError:
        return _timed(row, repeats, seconds, [sim.step]), figures
    peer = mujoco.MjModel.from_xml_string(mjcf(model, dt, LOOPS, stiff))
    data = mujoco.MjData(peer)
    pen = mujoco.mj_name2id(peer, mujoco.mjtObj.mjOBJ_BODY, "left far")

    def theirs(n: int) -> float:
        """So many steps; the largest distance of the pen from its line on the way, m."""
        off, between = 0.0, max(1, round(0.01 / dt))
        while n > 0:
            # angles are counted from the start
            data.ctrl[0] = SWING * (np.cos(2 * np.pi * OFTEN * (data.time + between * dt)) - 1.0)
            mujoco.mj_step(peer, data, nstep=min(n, between))
            off = max(off, abs(float(data.xpos[pen, 0]) - peaucellier.line()))
            n -= between
        return off

    off = theirs(round(until / dt)) / SIZE
    figures.append(Figure(f"{case}: pen off its line by part of the size, MuJoCo", off))
    return _timed(row, repeats, seconds, [sim.step, theirs]), figures


# ---- the pile --------------------------------------------------------------------------------------------------------


def _pile(n: int, repeats: int, dt: float = 5e-3) -> tuple[Comparison, list[Figure]]:
    model = pile.build(n=n, kinds=("box",), restitution=0.0)
    case, steps = f"pile of {n} boxes, dt {dt * 1e3:g} ms", round(FALL / dt)
    row = Comparison(case, "MuJoCo", math.inf, target=PILE_TARGET if n == 100 else None)
    told = f"{case}: overlap (m), speed (m/s) after {FALL:g} s, at most"
    sim = None
    for _ in range(repeats):
        sim = lw.Simulation(model, lw.Maximal(dt=dt))
        start = perf_counter()
        sim.step(steps)
        row.linkwork = min(row.linkwork, (perf_counter() - start) / steps)
    assert sim is not None
    figures = [
        Figure(f"{told}, linkwork, overlap", float(sim.contacts().depths.max())),
        Figure(f"{told}, linkwork, speed", float(np.abs(sim.v).max())),
    ]
    try:
        import mujoco
    except ImportError:
        return row, figures
    peer = mujoco.MjModel.from_xml_string(pile_mjcf(model, dt))
    row.peer = math.inf
    for _ in range(repeats):
        data = mujoco.MjData(peer)
        start = perf_counter()
        mujoco.mj_step(peer, data, nstep=steps)
        row.peer = min(row.peer, (perf_counter() - start) / steps)
    figures += [
        Figure(f"{told}, MuJoCo, overlap", -min(contact.dist for contact in data.contact[: data.ncon])),
        Figure(f"{told}, MuJoCo, speed", float(np.abs(data.qvel).max())),
    ]
    return row, figures


def pile_mjcf(model: lw.Model, dt: float) -> str:
    """Loose boxes and planes as MuJoCo reads them, with the friction of the model's materials.

    >>> pile_mjcf(lw.gallery.pile.build(n=4, kinds=("box",)), 5e-3).count("<geom ")
    9
    """

    def told(numbers: Any) -> str:
        return " ".join(f"{number:.17g}" for number in numbers)

    shapes = []
    for collider in model.all_colliders():
        rough, pose = f'friction="{collider.material.friction} 0 0" condim="3"', collider.shape.pose
        where = f'pos="{told(pose.position)}" quat="{told(pose.rotation)}"'
        body = collider.body
        if body.mass == 0.0:
            shapes.append(f'<geom type="plane" size="5 5 1" {where} {rough}/>')
            continue
        at = body.reference or lw.Frame()
        half = told(np.array(collider.shape.size) / 2)  # type: ignore[attr-defined]
        shapes.append(
            f'<body pos="{told(at.position)}" quat="{told(at.rotation)}"><freejoint/>'
            f'<geom type="box" size="{half}" {where} mass="{body.mass:.17g}" {rough}/></body>'
        )
    return (
        f'<mujoco><option timestep="{dt}" gravity="{told(model.gravity)}" integrator="Euler"/>'
        f"<worldbody>{''.join(shapes)}</worldbody></mujoco>"
    )


# ---- the words in MuJoCo's -------------------------------------------------------------------------------------------


def mjcf(model: lw.Model, dt: float, loops: Collection[str] = (), stiff: bool = False) -> str:
    """A mechanism on hinges as MuJoCo reads it: `loops` are joints that become constraints, motors become servos.

    Bodies start where the model places them, with all angles zero.

    >>> text = mjcf(lw.gallery.peaucellier.build(drive="motor"), 1e-3, LOOPS)
    >>> text.count("<joint "), text.count("<connect ")
    (7, 3)
    """
    pose = {body.path: body.reference or lw.Frame() for body in model.all_bodies()} | {"ground": lw.Frame()}
    carried: dict[str, list[lw.Joint]] = {}
    for joint in model.all_joints():
        if joint.path not in loops:
            carried.setdefault(joint.a.path, []).append(joint)

    def place(joint: lw.Joint) -> Any:
        return joint.at if joint.at is not None else pose[joint.b.path].position

    def told(numbers: Any) -> str:
        return " ".join(f"{number:.17g}" for number in numbers)

    def body(joint: lw.Joint) -> str:
        here, link = pose[joint.b.path], joint.b
        axis = (0, 0, 1) if joint.axis is None else joint.axis
        seen = pose[joint.a.path].inverse() @ here
        inertia = [link.inertia[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
        return (
            f'<body name="{link.path}" pos="{told(seen.position)}" quat="{told(seen.rotation)}">'
            f'<joint name="{joint.path}" type="hinge" pos="{told(here.inverse().point(place(joint)))}" '
            f'axis="{told(here.matrix.T @ np.asarray(axis, dtype=float))}" frictionloss="{joint.friction}"/>'
            f'<inertial pos="{told(link.com)}" mass="{link.mass:.17g}" fullinertia="{told(inertia)}"/>'
            + "".join(body(inner) for inner in carried.get(link.path, ()))
            + "</body>"
        )

    soft = f' solref="{2 * dt} 1" solimp="0.9999 0.9999 0.001"' if stiff else ""
    closing = (
        f'<connect body1="{joint.a.path}" body2="{joint.b.path}" '
        f'anchor="{told(pose[joint.a.path].inverse().point(place(joint)))}"{soft}/>'
        for joint in model.all_joints()
        if joint.path in loops
    )
    drives = (
        f'<position joint="{drive.joint.path}" kp="{SERVO[0]}" kv="{SERVO[1]}"/>'
        for drive in model.all_drives()
        if not hasattr(drive, "follower")
    )
    return (
        f'<mujoco><compiler angle="radian" boundmass="0" boundinertia="0"/>'
        f'<option timestep="{dt}" gravity="{told(model.gravity)}" integrator="Euler"><flag contact="disable"/></option>'
        f"<worldbody>{''.join(body(joint) for joint in carried['ground'])}</worldbody>"
        f"<equality>{''.join(closing)}</equality><actuator>{''.join(drives)}</actuator></mujoco>"
    )
