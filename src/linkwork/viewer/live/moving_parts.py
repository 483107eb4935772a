"""What moves in the scene of the live page besides bodies: arrows, trails, things that are there for a time."""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.viewer.live.meshes import cone
from linkwork.viewer.live.quaternion_batch import BodyPoints, along
from linkwork.viewer.solids import Floats
from linkwork.viewer.staging import holds

if TYPE_CHECKING:
    from linkwork.viewer.live.scenery import Scenery

TRAIL = 900  # points of a trail
NONE = 1e-6  # scale of what is not there


def place(handle: Any, places: Any, turns: Any, scales: Any = None) -> None:
    handle.batched_positions = np.asarray(places, dtype=np.float32)
    handle.batched_wxyzs = np.asarray(turns, dtype=np.float32)
    if scales is not None:
        handle.batched_scales = np.asarray(scales, dtype=np.float32)


class Arrows:
    """Arrows by two batches: shafts and heads."""

    def __init__(self, scenery: Scenery, name: str, count: int, colour: Any) -> None:
        self.count, self.thick = count, 0.011 * scenery.radius
        self.longest = 1.5 * scenery.radius
        self.shafts = scenery.rods(f"{name} shafts", count, colour)
        head = cone()
        self.heads = scenery.batch(f"{name} heads", head, np.arange(len(head)).reshape(-1, 3), count, colour)
        self.on = True

    def switch(self, on: bool) -> None:
        """Show the arrows or not; those that are not seen cost nothing."""
        if self.shafts is not None and on != self.on:
            self.on = self.shafts.visible = self.heads.visible = on

    def show(self, at: Floats, forces: Floats, per_newton: float) -> None:
        """Arrows from points along forces; the rest is hidden."""
        if self.shafts is None:
            return
        newton = np.linalg.norm(forces, axis=1)
        length = np.minimum(newton * per_newton, self.longest)
        shown = np.flatnonzero(length > 0.2 * self.thick)
        self.switch(len(shown) > 0)
        if len(shown) == 0:
            return
        places, turns = np.zeros((self.count, 3)), np.tile([1.0, 0, 0, 0], (self.count, 1))
        tips = places.copy()
        shafts, heads = np.full((self.count, 3), NONE), np.full((self.count, 3), NONE)
        way, length = forces[shown] / newton[shown, None], length[shown]
        wide = np.minimum(self.thick, 0.15 * length)
        head = np.minimum(5 * wide, 0.6 * length)
        turns[shown] = along(way)
        places[shown] = at[shown] + way * ((length - head) / 2)[:, None]
        tips[shown] = at[shown] + way * (length - head)[:, None]
        shafts[shown] = np.stack([wide, wide, length - head], axis=1)
        heads[shown] = np.stack([2.4 * wide, 2.4 * wide, head], axis=1)
        place(self.shafts, places, turns, shafts)
        place(self.heads, tips, turns, heads)


class TimedScales:
    """Sizes of things of which some are there for a time only."""

    def __init__(self, scales: Any, things: list[dict[str, Any]]) -> None:
        self.scales = np.asarray(scales, dtype=np.float32)
        self.spans = [thing["span"] for thing in things]
        self.always = not any(self.spans)

    def at(self, t: float) -> Any:
        """The sizes at a time, s; None where they never change."""
        if self.always:
            return None
        there = np.array([holds(span, t) for span in self.spans])
        return np.where(there[:, None], self.scales, NONE)


class Trail:
    """The way of a point."""

    def __init__(self, scenery: Scenery, body: int, point: Floats, colour: Any) -> None:
        self.held = BodyPoints([body], [point])
        self.way: deque[Floats] = deque(maxlen=TRAIL)
        self.time = -math.inf
        self.handle = scenery.server.scene.add_line_segments(
            f"/stage/trail {len(scenery.trails)}", np.zeros((1, 2, 3)), colour, visible=scenery.on["trails"]
        )

    def go(self, poses: Floats, t: float) -> None:
        """Go on to where the point is now; a time before the last one begins a new trail."""
        if t < self.time:
            self.way.clear()
        if t != self.time:
            self.way.append(self.held.points(poses)[0])
            self.time = t
        if len(self.way) > 1:
            way = np.array(self.way, dtype=np.float32)
            self.handle.points = np.stack([way[:-1], way[1:]], axis=1)
