"""Pictures of a run drawn without a browser, as in `still`: plain colours, flat shadows."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from linkwork.model import Frame
from linkwork.viewer.camera import camera_from
from linkwork.viewer.canvas import Canvas
from linkwork.viewer.scene_shapes import coloured_solids, scene_solid, seen_from
from linkwork.viewer.solids import Floats, Solid, rod
from linkwork.viewer.staging import Stage, holds

DARK = (0.18, 0.18, 0.19)
ROAD = (0.88, 0.88, 0.85)
SHADOW = (0.9, 0.9, 0.89)


class DrawnFilm:
    """Pictures of a stage, `size` points wide and high, seen from an azimuth and an elevation, degrees."""

    def __init__(self, stage: Stage, size: tuple[int, int], look: tuple[float, float] | None = None) -> None:
        self.stage = stage
        self.width, self.height = size
        self.camera = camera_from(*(stage.look() if look is None else look))
        bodies = stage.bodies()
        self.solids = [coloured_solids(self._seen(body), body["colour"]) for body in bodies]
        roads = [road for road in stage.roads() if seen_from(road, self.camera[2])]
        self.roads = [part for road in roads for part in coloured_solids([road], ROAD)]
        self.pins = [(pin["body"], scene_solid([pin["shape"]]), pin["span"]) for pin in stage.pins()]
        self._fit()

    def _seen(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        """The shapes of a body, but for planes of grounds in motion that are seen from behind at first."""
        pose = self.stage.frame(body["name"], self.stage.start)
        return [facts for facts in body["shapes"] if seen_from(facts, self.camera[2], pose)]

    def _fit(self) -> None:
        """The scale by which all poses that are looked at stand in the picture."""
        stage = self.stage
        low, high = np.array(stage.low), np.array(stage.high)
        if stage.travels:
            low, high = stage.centre - stage.radius, stage.centre + stage.radius
        corners = np.array([[(low, high)[k >> i & 1][i] for i in range(3)] for k in range(8)])
        flat = corners @ self.camera.T
        size = np.maximum(np.ptp(flat[:, :2], axis=0), 1e-6)
        self.scale = float(min(0.88 * self.width / size[0], 0.88 * self.height / size[1]))
        self.middle = self.camera.T @ ((flat.min(axis=0) + flat.max(axis=0)) / 2)
        self.first = stage.start[stage.followed, :3].mean(axis=0)
        self.floor = 0.0 if stage.on_floor else float(stage.low[2] - 0.03 * stage.radius)

    def frame(self, t: float) -> Any:
        """The picture at a time, (height, width, 3) of bytes."""
        poses = self.stage.poses([self.stage.row(t)])[0]
        middle = self.middle + (poses[self.stage.followed, :3].mean(axis=0) - self.first if self.stage.travels else 0.0)
        placed = [[(c, self._moved(made, poses, k)) for c, made in parts] for k, parts in enumerate(self.solids)]
        shadow = Canvas(self.camera, middle, self.scale, self.width, self.height, 1)
        if self.camera[2, 2] > 0.05:
            for parts in placed[: len(placed) - len(self.stage.moving_grounds)]:
                for _, thing in parts:
                    shadow.put(thing.pressed(self.floor), SHADOW, 0, lit=False)
        canvas = Canvas(self.camera, middle, self.scale, self.width, self.height, 2)
        for colour, road in self.roads:
            canvas.put(road, colour, len(placed) + 2)
        things = [(colour, thing, k) for k, parts in enumerate(placed) for colour, thing in parts]
        for body, made, span in self.pins:
            if holds(span, t):
                canvas.put(self._moved(made, poses, body), DARK, len(placed))
        for spring in self.stage.springs():
            canvas.put(self._spring(spring, poses), DARK, len(placed) + 1)
        for colour, thing, k in sorted(things, key=lambda part: -part[0][3]):  # what is transparent comes last
            canvas.put(thing, colour, k)
        under = np.ones((self.height, self.width, 3))
        flat = shadow.image()
        under = under * (1 - flat[..., 3:]) + np.array(SHADOW) * flat[..., 3:]
        image = canvas.image()
        mixed = under * (1 - image[..., 3:]) + image[..., :3] * image[..., 3:]
        return (255 * np.clip(mixed, 0, 1)).astype(np.uint8)

    @staticmethod
    def _moved(made: Solid, poses: Floats, body: int) -> Solid:
        return made if body < 0 else made.moved(Frame(poses[body, :3], poses[body, 3:]))

    def _spring(self, spring: dict[str, Any], poses: Floats) -> Solid:
        """A zigzag across the picture, of thin rods."""
        ends = []
        for end, at in (("a", "at_a"), ("b", "at_b")):
            local = np.asarray(spring[at], dtype=float)
            pose = None if spring[end] < 0 else Frame(poses[spring[end], :3], poses[spring[end], 3:])
            ends.append(local if pose is None else pose.point(local))
        a, b = ends
        length = float(np.linalg.norm(b - a))
        if length < 1e-9:
            return Solid(np.zeros((0, 3, 3)), np.zeros(0, dtype=np.int64))
        along = (b - a) / length
        across = np.cross(self.camera[2], along)
        size = float(np.linalg.norm(across))
        across = across / size if size > 1e-9 else self.camera[0]
        wide = min(spring["radius"], 0.2 * length)
        way = [0.0, 0.1, *(0.1 + 0.8 * (k + 0.5) / 14 for k in range(14)), 0.9, 1.0]
        side = [0.0, 0.0, *((-1.0) ** k for k in range(14)), 0.0, 0.0]
        points = [a + along * length * w + across * wide * s for w, s in zip(way, side, strict=True)]
        thin = max(0.1 * wide, 0.8 / self.scale)
        made = rod(points[0], points[1], thin)
        for start, end in pairwise(points[1:]):
            made = made + rod(start, end, thin)
        return made
