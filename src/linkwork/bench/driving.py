"""Vehicles beside MuJoCo: the rover over its kerb and stairs, the tracked vehicle over its beam; part of "impulse".

MuJoCo's tracks are closed by `connect` constraints, as stiff as the step allows. It runs them twice: with contacts as
it makes them by itself, and with contacts as stiff as the step allows.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

import linkwork as lw
from linkwork.bench import Comparison, Figure
from linkwork.bench.errors import beside, overlap_and_gain
from linkwork.bench.peers.mujoco_run import MujocoRun, rigid_contacts
from linkwork.bench.whole_runs import in_turn
from linkwork.formulations.samples import STEPS_CUT
from linkwork.gallery import rover, tracked_vehicle

TARGET = 1.0
SEEN = 0.02  # s between samples
LEVEL = 0.5, 0.7  # s, when either drives steadily on level ground
CLOSING = ("left pin 1", "right pin 1")
WHEELS = [f"{axle} {side} wheel" for side in rover.SIDES for axle in rover.AXLES]
SHOES = [f"{side} shoe {k + 1}" for side in tracked_vehicle.SIDES for k in range(40)]


def measure_rover(repeats: int, part: float, dt: float = 5e-3) -> tuple[Comparison, list[Figure]]:
    """Over the kerb and up the stairs; `part` of it."""
    model, until = rover.build(), part * rover.UNTIL
    case = f"rover, dt {dt * 1e3:g} ms"
    row = Comparison(case, "MuJoCo", math.inf, target=TARGET)
    method = lw.Impulse(dt=dt, epsilon=1e-3)
    run = lw.simulate(model, until=until, method=method, every=round(SEEN / dt))
    places = np.stack([run[f"{name}.position"] for name in WHEELS], axis=1)
    spins = np.stack([run[f"{name}.angular_velocity"][:, 1] for name in WHEELS], axis=1)
    slip = _wheel_slip(places, spins)
    peers: dict[str, MujocoRun] = {}
    theirs = other = None
    try:
        peer, stiff = MujocoRun(model, dt, integrator="implicitfast"), rigid_contacts(model, 1e-3)
    except ImportError:
        pass
    else:
        theirs = _watched(peer, model, round(until / dt), dt, WHEELS)
        other = _wheel_slip(*(np.array(each) for each in zip(*((p, w[:, 1]) for p, w, _ in theirs.seen), strict=True)))
        stiff.set_speeds(model)
        stiff.step(round(until / 1e-3))
        peers = {"MuJoCo": peer, "MuJoCo, contacts as stiff as 1 ms allows": stiff}
    sim, _ = _timed(row, repeats, round(until / dt), model, method, [peers["MuJoCo"]] if peers else [])
    what = f"{case}: how far it came in {until:g} s, m"
    figures = [
        Figure(f"{what}, linkwork", float(sim["hull.position"][0])),
        *(Figure(f"{what}, {who}", float(each.position("hull")[0])) for who, each in peers.items()),
        Figure(
            f"{case}: part of the steps whose sweeps were cut short", sim.state.solver_stats[STEPS_CUT] / (until / dt)
        ),
        beside(case, "slip of the wheels on level ground, part of the speed", slip, other),
    ]
    return row, figures + overlap_and_gain(case, run, theirs)


def measure_tracks(repeats: int, part: float, dt: float = 2e-3) -> tuple[list[Comparison], list[Figure]]:
    """Two tracks of forty shoes over a beam; `part` of it. MuJoCo twice: as it is, and with stiff contacts."""
    model, until = tracked_vehicle.build(), part * tracked_vehicle.UNTIL
    case, steps = f"tracks of 2 x 40 shoes, dt {dt * 1e3:g} ms", round(until / dt)
    rows = [Comparison(case + how, "MuJoCo", math.inf, target=TARGET) for how in ("", ", stiff")]
    method = lw.Impulse(dt=dt)
    run = lw.simulate(model, until=until, method=method, every=round(SEEN / dt))
    places = np.stack([run[f"{name}.position"] for name in SHOES], axis=1)
    turned = np.stack([run[f"{name}.rotation"] for name in SHOES], axis=1)
    far, slip, opening = run["hull.position"][-1, 0], _shoe_slip(places), _opening(places, _ahead(turned))
    loops = {"loops": CLOSING, "solver": f' solref="{2 * dt} 1" solimp="0.9999 0.9999 0.001"'}
    peers: Sequence[MujocoRun] = ()
    with contextlib.suppress(ImportError):
        peers = [MujocoRun(model, dt, integrator="implicitfast", **loops), rigid_contacts(model, dt, **loops)]
    figures = [Figure(f"{case}: part of the steps whose sweeps were cut short", run.certificate.cut_short / steps)]
    for k, row in enumerate(rows):
        peer, theirs = peers[k] if peers else None, None
        found: tuple[float | None, ...] = (None, None, None)
        if peer is not None:
            theirs = _watched(peer, model, steps, dt, SHOES)
            at, ahead = np.array([p for p, _, _ in theirs.seen]), np.array([R[:, :, 0] for _, _, R in theirs.seen])
            found = float(peer.position("hull")[0]), _shoe_slip(at), _opening(at, ahead)
            figures.append(Figure(f"{row.case}: until when MuJoCo's run holds, of {until:g} s", theirs.time))
        figures += [
            Figure(f"{row.case}: how far it came in {until:g} s, m", float(far), peer=found[0]),
            beside(row.case, "slip of the shoes on level ground, part of the speed", slip, found[1]),
            beside(row.case, "widest opening of a pin, m", opening, found[2]),
            *overlap_and_gain(row.case, run, theirs),
        ]
    best = _timed(rows[0], repeats, steps, model, method, peers)[1]
    rows[1].linkwork, rows[1].peer = best[0], best[2] if peers else None
    return rows, figures


def _watched(peer: MujocoRun, model: lw.Model, steps: int, dt: float, names: Sequence[str]) -> Any:
    """A run of MuJoCo, with places, angular velocities and axes (world) of these bodies."""
    ids = [peer.data.body(name).id for name in names]

    def see() -> tuple[Any, Any, Any]:
        data = peer.data
        return data.xpos[ids].copy(), data.cvel[ids, :3].copy(), data.xmat[ids].reshape(-1, 3, 3).copy()

    peer.rewind()
    peer.set_speeds(model)
    return peer.watch(steps, see=see, often=round(SEEN / dt))


def _timed(
    row: Comparison, repeats: int, steps: int, model: lw.Model, method: Any, peers: Sequence[MujocoRun]
) -> tuple[lw.Simulation, list[float]]:
    """Ours at its end; seconds per step of ours and of these runs of MuJoCo."""
    sims: list[lw.Simulation] = []

    def ours() -> Callable[[int], None]:
        sims[:] = [lw.Simulation(model, method)]
        return sims[0].step

    def theirs(peer: MujocoRun) -> Callable[[int], None]:
        peer.rewind()
        peer.set_speeds(model)
        return peer.step

    best = in_turn(row, repeats, steps, [ours, *(partial(theirs, peer) for peer in peers)])
    return sims[0], best


# ---- what slips and opens --------------------------------------------------------------------------------------------


def _level(places: Any) -> slice:
    """Samples on level ground; in short runs the last ones."""
    begin, end = (min(round(t / SEEN), len(places) - shift) for t, shift in zip(LEVEL, (3, 1), strict=True))
    return slice(begin, end + 1)


def _wheel_slip(places: Any, spins: Any) -> float:
    """Speed of the lowest points of wheels over that of the wheels, on level ground."""
    part = _level(places)
    speed = np.gradient(places[:, :, 0], SEEN, axis=0)[part]
    return float(np.abs(speed - rover.RADIUS * spins[part]).mean() / np.abs(speed).mean())


def _shoe_slip(places: Any) -> float:
    """Mean speed of the shoes that lie on level ground, over that of the vehicle.

    >>> t = np.arange(40)[:, None] * SEEN
    >>> still, fast = np.stack([t, 0 * t, 0 * t + 0.012], 2), np.stack([0.1 * t, 0 * t, 0 * t + 0.012], 2)
    >>> round(_shoe_slip(np.concatenate([0 * still + (0, 0, 0.012), fast, still + (0, 0, 1)], axis=1)), 3)
    0.136
    """
    part = _level(places)
    speed = np.linalg.norm(np.gradient(places, SEEN, axis=0)[part], axis=2)
    down = places[part][..., 2] < tracked_vehicle.THICK / 2 + 1e-3
    lying = down & np.roll(down, 1, axis=0) & np.roll(down, -1, axis=0)
    vehicle = np.abs(np.gradient(places.mean(axis=1)[:, 0], SEEN))[part].mean()
    return float(speed[lying].mean() / vehicle)


def _ahead(turned: Any) -> Any:
    """The x axes of bodies with these quaternions."""
    w, x, y, z = np.moveaxis(turned, -1, 0)
    return np.stack([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)], axis=-1)


def _opening(places: Any, ahead: Any) -> float:
    """How far the ends of neighbouring shoes are apart at worst, m."""
    worst = 0.0
    for track in (slice(0, 40), slice(40, 80)):
        half = ahead[:, track] * tracked_vehicle.PITCH / 2
        ends, begins = places[:, track] + half, places[:, track] - half
        worst = max(worst, float(np.linalg.norm(ends - np.roll(begins, -1, axis=1), axis=2).max()))
    return worst
