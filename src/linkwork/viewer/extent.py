"""How large a run is and where: the mechanism, and all the room that it passes through."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from linkwork.viewer.scene_shapes import body_shapes, matrix, scene_solid
from linkwork.viewer.solids import Floats

if TYPE_CHECKING:
    from linkwork.viewer.staging import Stage

ROWS = 24  # rows that are measured
STRUT = 0.011  # radius of struts, by the size of the mechanism
WIDEST_STRUT = 0.05  # and at most so much of the size of its largest body
TRAVELS, TRAVELS_ALONE = 2.5, 12.0  # times its size: a mechanism that moves so far is followed; a single body
COURSE = 2.5  # times as wide as what moves: then what is at rest is no part of the mechanism


class Extent(NamedTuple):
    """Sizes and places, m."""

    low: Floats  # (3,) corner of all that is to be seen
    high: Floats  # (3,)
    size: float  # half the diagonal of the mechanism
    strut_radius: float
    travels: bool  # whether a camera should follow
    centre: Floats  # (3,) what to look at
    radius: float  # and how much around it


def measure(stage: Stage) -> Extent:
    """Measure the run of a stage at some of its rows."""
    rows = np.unique(np.linspace(0, len(stage.run) - 1, ROWS).astype(int))
    poses = stage.poses(rows)
    lows, highs, largest = _reach(stage, poses)
    size = float(np.linalg.norm(highs - lows, axis=1).max()) / 2
    near = [point for point in _held(stage, poses[0]) if np.linalg.norm(point - (lows[0] + highs[0]) / 2) < 6 * size]
    low, high = np.min([*lows, *near], axis=0), np.max([*highs, *near], axis=0)
    room = float(np.linalg.norm(high - low)) / 2
    alone = len(stage.followed) == 1  # a ball is small against any way of its own
    travels = room > (TRAVELS_ALONE if alone else TRAVELS) * size
    size = max(size, 1e-6)
    # of a long chain the struts and pins go by its links
    strut = min(STRUT * size, WIDEST_STRUT * largest or np.inf)
    if travels:
        return Extent(low, high, size, strut, travels, (lows[0] + highs[0]) / 2, 1.3 * size)
    return Extent(low, high, size, strut, travels, (low + high) / 2, max(room, 1e-6))


def body_points(body: dict[str, Any]) -> Floats:
    """Points (k, 3) that reach as far as a body does, in its frame."""
    found = [np.array([body["com"]]), *(np.array([hold]) for hold in body["holds"])]
    found.extend(scene_solid([facts]).points() for facts in body_shapes(body))
    return np.concatenate(found)


def _reach(stage: Stage, poses: Floats) -> tuple[Floats, Floats, float]:
    """Corners of the mechanism in each row, (rows, 3); half the diagonal of its largest body."""
    largest, reach = 0.0, {fixed: np.full((2, len(poses), 3), np.inf) for fixed in (False, True)}  # lows, -highs
    for k, body in enumerate(stage.scene["bodies"]):
        local, fixed = body_points(body), body["name"] in stage.fixed_bodies
        if not fixed:
            largest = max(largest, float(np.linalg.norm(np.ptp(local, axis=0))) / 2)
        for row, pose in enumerate(poses[:, k]):
            world = local @ matrix(pose[3:]).T + pose[:3]
            reach[fixed][0, row] = np.minimum(reach[fixed][0, row], world.min(axis=0))
            reach[fixed][1, row] = np.minimum(reach[fixed][1, row], -world.max(axis=0))
    for facts in stage.scene.get("fixtures", []):
        if facts["kind"] != "plane":
            points = scene_solid([facts]).points()
            reach[True][0] = np.minimum(reach[True][0], points.min(axis=0))
            reach[True][1] = np.minimum(reach[True][1], -points.max(axis=0))
    sign = np.reshape((1.0, -1.0), (2, 1, 1))
    lows, highs = np.minimum(reach[False], reach[True]) * sign
    if np.isfinite(reach[False]).all() and np.ptp((lows, highs), axis=0).max() > COURSE * _widest(reach[False]):
        lows, highs = reach[False] * sign  # the rest is a course to be driven along
    if not np.isfinite(lows).all():
        lows[:], highs[:] = -0.5, 0.5
    return lows, highs, largest


def _widest(reach: Floats) -> float:
    """The largest extent in any direction at any time, m."""
    return float((-reach[1] - reach[0]).max())


def _held(stage: Stage, poses: Floats) -> list[Floats]:
    """Points of hinges and of the ends of springs; other joints have no place of their own."""
    hinges = [joint for joint in stage.scene["joints"] if stage.is_hinge(joint)]
    ends = [(joint["a"], joint["position"]) for joint in hinges]
    ends += [(spring[end], spring[f"at_{end}"]) for end in ("a", "b") for spring in stage.scene["springs"]]
    return [stage.world(name, point, poses) for name, point in ends]
