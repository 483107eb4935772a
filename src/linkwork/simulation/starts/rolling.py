"""What is refused of wheels that roll, where a mechanism starts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.assembly.tables import Floats
from linkwork.errors import ModelError
from linkwork.mechanics.size import dof_units, size_of
from linkwork.model import Joint, Rolling, RollingPair

if TYPE_CHECKING:
    from linkwork.simulation.starts.start import Closure

FLAT = 1e-9  # sine of the angle between a disc and its plane
UNLIKE = 1e-3  # of the distance of two centres, or rad: start values rounded by hand
HELD = 1e-6  # of the size, 1/s: a distance that changes no faster, in a motion of one size in a second, is held


def rolling_joints(closure: Closure, kind: type[Joint]) -> Iterator[tuple[Any, tuple[Floats, ...]]]:
    """Joints of a kind, with the rotations and origins of their frames (a, then b) in the world."""
    cuts, work = closure.tables.cuts, closure.work
    for place in closure.system.cuts:
        if isinstance(place.joint, kind):
            frames: list[Floats] = []
            c = place.last
            for link, R, p in (
                (cuts.cut_a[c], cuts.cut_Ra[c], cuts.cut_pa[c]),
                (cuts.cut_b[c], cuts.cut_Rb[c], cuts.cut_pb[c]),
            ):
                turn = work.pose_R[link].reshape(3, 3)
                frames += [turn @ R.reshape(3, 3), work.pose_p[link] + turn @ p]
            yield place.joint, tuple(frames)


def refuse_flat_discs(closure: Closure) -> None:
    """A disc that lies flat on its plane touches it all around: it has no lowest point to roll on."""
    for joint, (R_a, _, R_b, _) in rolling_joints(closure, Rolling):
        if np.linalg.norm(np.cross(R_a[:, 2], R_b[:, 2])) < FLAT:
            raise ModelError(
                f"rolling joint '{joint.path}': the disc on '{joint.b.path}' lies flat on the plane of "
                f"'{joint.a.path}', where it has no lowest point to roll on; turn it, or correct axis= or normal="
            )


def refuse_unlike_wheels(closure: Closure, q: Floats) -> None:
    """Two wheels that roll on each other touch, have parallel axes, and something holds them together."""
    for joint, (R_a, p_a, R_b, p_b) in rolling_joints(closure, RollingPair):
        axis, d = R_a[:, 2], p_b - p_a
        d = d - (d @ axis) * axis
        apart = float(np.linalg.norm(d))
        if np.linalg.norm(np.cross(axis, R_b[:, 2])) > UNLIKE:
            raise ModelError(
                f"rolling pair '{joint.path}': the axes of '{joint.a.path}' and '{joint.b.path}' are not parallel; "
                "correct axis_a= or axis_b=, or couple their joints with gear()"
            )
        if abs(apart - joint.apart) > UNLIKE * joint.apart:
            which = "differ by" if joint.inside else "add up to"
            raise ModelError(
                f"rolling pair '{joint.path}': the centres of its wheels are {apart:.6g} m apart, their radii {which} "
                f"{joint.apart:.6g} m; correct radius_a=, radius_b= or inside=, or move '{joint.a.path}' or "
                f"'{joint.b.path}'"
            )
        if _opens(closure, q, joint, d / apart):
            raise ModelError(
                f"rolling pair '{joint.path}': nothing holds the centres of its wheels at their distance; give "
                f"'{joint.a.path}' and '{joint.b.path}' shafts in one body, or add distance() between them"
            )


def _opens(closure: Closure, q: Floats, joint: Any, way: Floats) -> bool:
    """Whether a motion at random, as far as the rows allow one, changes the distance of the two centres along `way`."""
    if closure.system.foreign:
        return False  # what components elsewhere hold is not known
    unit, size = dof_units(closure.tables), size_of(closure.tables)
    G = closure.G * unit
    z = np.random.default_rng(0).standard_normal(unit.size)
    z -= np.linalg.lstsq(G, G @ z, rcond=FLAT)[0]
    rates = []
    for v in (np.zeros(unit.size), unit * z):
        closure.at(q, v)
        ends = next(found for pair, found in rolling_joints(closure, RollingPair) if pair is joint)
        c = next(place.last for place in closure.system.cuts if place.joint is joint)
        speeds = []
        for link, point in ((closure.tables.cuts.cut_a[c], ends[1]), (closure.tables.cuts.cut_b[c], ends[3])):
            w, u = closure.work.pose_v[link, :3], closure.work.pose_v[link, 3:]
            speeds.append(u + np.cross(w, point - closure.work.pose_p[link]))
        rates.append(way @ (speeds[1] - speeds[0]))
    return bool(abs(rates[1] - rates[0]) > HELD * size)
