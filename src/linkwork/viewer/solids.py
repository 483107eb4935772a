"""Solids for pictures: shapes as triangles and balls."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from linkwork.model import Box, Capsule, Cylinder, Ellipsoid, Frame, Hull, Mesh, Sphere
from linkwork.model.shapes.shapes import Shape

Floats: TypeAlias = NDArray[np.float64]

AROUND = 72  # sides of a round thing


@dataclass
class Solid:
    """Triangles and balls. `face` numbers smooth faces, between which an edge is drawn.

    `corners` (n, 3, 3) in metres, `face` (n,), `balls` (m, 4): centre and radius.
    """

    corners: Floats
    face: NDArray[np.int64]
    balls: Floats = field(default_factory=lambda: np.zeros((0, 4)))

    def moved(self, pose: Frame) -> Solid:
        """The solid in the frame in which the pose is given."""
        balls = self.balls.copy()
        balls[:, :3] = balls[:, :3] @ pose.matrix.T + pose.position
        return Solid(self.corners @ pose.matrix.T + pose.position, self.face, balls)

    def pressed(self, height: float) -> Solid:
        """The shadow it throws straight down on the plane z = height."""
        flat = self.corners.copy()
        flat[..., 2] = height
        for x, y, _, radius in self.balls:
            disc = _ring(0.0, radius, 0.0).moved(Frame((x, y, height)))
            flat = np.concatenate([flat, disc.corners])
        return Solid(flat, np.zeros(len(flat), dtype=np.int64))

    def points(self) -> Floats:
        """Points (k, 3) that reach as far as the solid does."""
        reach = self.balls[:, 3:]
        ends = [self.balls[:, :3] + sign * reach * axis for axis in np.eye(3) for sign in (-1.0, 1.0)]
        return np.concatenate([self.corners.reshape(-1, 3), *ends])

    def __add__(self, other: Solid) -> Solid:
        first = self.face.max(initial=-1) + 1
        return Solid(
            np.concatenate([self.corners, other.corners]),
            np.concatenate([self.face, other.face + first]),
            np.concatenate([self.balls, other.balls]),
        )


def solid(shape: Shape) -> Solid:
    """A shape in the frame of its body.

    >>> len(solid(Box((1, 2, 3))).corners)
    12
    """
    match shape:
        case Box():
            made = _box(np.asarray(shape.size, dtype=float) / 2)
        case Cylinder():
            made = _cylinder(shape.radius, shape.length, shape.inner_radius)
        case Capsule():
            made = _wall(shape.radius, shape.length) if shape.length > 0.0 else _nothing()
            ends = [(0.0, 0.0, side * shape.length / 2, shape.radius) for side in (-1.0, 1.0)]
            made = Solid(made.corners, made.face, np.array(ends))
        case Sphere():
            made = _ball(np.zeros(3), shape.radius)
        case Ellipsoid():
            points, faces = shape.facets(AROUND)
            made = Solid(points[faces], np.zeros(len(faces), dtype=np.int64))
        case Mesh() | Hull():
            made = Solid(shape.triangles, np.zeros(len(shape.triangles), dtype=np.int64))
        case _:
            return _nothing()
    return made.moved(shape.pose)


def rod(start: Floats, end: Floats, radius: float, *, closed: bool = False) -> Solid:
    """A thin round rod between two points (m); thicker ones want closed ends."""
    length = float(np.linalg.norm(end - start))
    if length < 1e-12:
        return _ball(start, radius)
    made = _cylinder(radius, length, 0.0) if closed else _wall(radius, length, sides=12)
    return made.moved(Frame.along((end - start) / length, (start + end) / 2))


def quads(points: Floats, face: int) -> Solid:
    """A grid of points (rows, columns, 3) as triangles."""
    a, b, c, d = points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]
    corners = np.concatenate([np.stack(three, axis=-2).reshape(-1, 3, 3) for three in ((a, b, c), (a, c, d))])
    return Solid(corners, np.full(len(corners), face, dtype=np.int64))


def _box(half: Floats) -> Solid:
    corners, face = [], []
    for axis in range(3):
        for side in (-1.0, 1.0):
            u, v, n = np.zeros(3), np.zeros(3), np.zeros(3)
            u[(axis + 1) % 3], v[(axis + 2) % 3] = half[(axis + 1) % 3], half[(axis + 2) % 3]
            n[axis] = side * half[axis]
            corners += [(n - u - v, n + u - v, n + u + v), (n - u - v, n + u + v, n - u + v)]
            face += [2 * axis + (side > 0)] * 2
    return Solid(np.array(corners), np.array(face, dtype=np.int64))


def _circle(radius: float, z: float, sides: int = AROUND) -> Floats:
    turn = np.linspace(0.0, 2 * math.pi, sides + 1)
    return np.column_stack([radius * np.cos(turn), radius * np.sin(turn), np.full_like(turn, z)])


def _wall(radius: float, length: float, sides: int = AROUND) -> Solid:
    return quads(np.stack([_circle(radius, z, sides) for z in (-length / 2, length / 2)]), 0)


def _ring(inner: float, outer: float, z: float) -> Solid:
    return quads(np.stack([_circle(inner, z), _circle(outer, z)]), 0)


def _cylinder(radius: float, length: float, inner: float) -> Solid:
    made = _wall(radius, length)
    for z in (-length / 2, length / 2):
        made += _ring(inner, radius, z)
    return made + _wall(inner, length) if inner > 0.0 else made


def _ball(centre: Floats, radius: float) -> Solid:
    return Solid(np.zeros((0, 3, 3)), np.zeros(0, dtype=np.int64), np.array([(*centre, radius)]))


def _nothing() -> Solid:
    return Solid(np.zeros((0, 3, 3)), np.zeros(0, dtype=np.int64))
