"""Triangles for the live page: solids of a stage, balls, cones, coils."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np

from linkwork.viewer.scene_shapes import scene_solid
from linkwork.viewer.solids import Floats

ROWS = 16  # of triangles from the top of a ball to its bottom


def triangles(shapes: list[dict[str, Any]], rows: int = ROWS) -> Floats:
    """Solids of the stage as triangles in the frame of their body, (n, 3, 3).

    >>> triangles([{"kind": "rod", "from": [0, 0, 0], "to": [0, 0, 1], "radius": 0.1}]).shape[1:]
    (3, 3)
    """
    made = scene_solid(shapes)
    return np.concatenate([made.corners, *(ball_triangles(ball, rows) for ball in made.balls)])


def ball_triangles(ball: Floats, rows: int = ROWS) -> Floats:
    """A ball (centre, radius) as triangles, `rows` of them from top to bottom."""
    down = np.linspace(0, math.pi, rows + 1)[:, None]
    round_ = np.linspace(0, 2 * math.pi, 2 * rows + 1)[None, :]
    grid = np.stack([np.sin(down) * np.cos(round_), np.sin(down) * np.sin(round_), np.cos(down) + 0 * round_], axis=-1)
    grid = ball[:3] + ball[3] * grid
    a, b, c, d = grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]
    return np.concatenate([np.stack(three, axis=-2).reshape(-1, 3, 3) for three in ((a, b, c), (a, c, d))])


def cone(sides: int = 24) -> Floats:
    """A cone along z from 0 to 1 of radius 1: corners (n, 3), three to a face."""
    turn = np.linspace(0, 2 * math.pi, sides + 1)
    rim = np.stack([np.cos(turn), np.sin(turn), 0 * turn], axis=1)
    made = []
    for tip in (np.array([0.0, 0, 1]), np.zeros(3)):
        made += [(a, b, tip) for a, b in pairwise(rim)]
    return np.array(made).reshape(-1, 3)


def coil(turns: int, wire: float) -> tuple[Any, Any]:
    """A coil along z from 0 to 1 of radius 1: corners and faces."""
    steps, sides = 12 * turns, 6
    s = np.linspace(0, 1, steps + 1)[:, None]
    a, b = 2 * math.pi * turns * s, np.linspace(0, 2 * math.pi, sides, endpoint=False)[None, :]
    out = 1 + wire * np.cos(b)
    corners = np.stack([out * np.cos(a), out * np.sin(a), s + 0.05 * wire * np.sin(b)], axis=-1).reshape(-1, 3)
    faces = []
    for k in range(steps):
        for i in range(sides):
            p, q = k * sides + i, k * sides + (i + 1) % sides
            faces += [(p, q, q + sides), (p, q + sides, p + sides)]
    return corners, np.array(faces)
