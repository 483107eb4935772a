"""Solids for pictures: shapes as triangles, and a small renderer with a depth buffer that draws them with outlines.

Everything is plain numpy. A camera is three unit vectors in rows: right, up, and towards who looks.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from linkwork.model import Box, Capsule, Cylinder, Frame, Hull, Mesh, Sphere
from linkwork.model.shapes import Shape

Floats: TypeAlias = NDArray[np.float64]

AROUND = 72  # sides of a round thing
INK = 0.45  # of a body's colour goes into its outline
LIGHT = np.array([-0.35, 0.55, 0.76])  # towards the light: from the left, above and before the picture


@dataclass
class Solid:
    """Solid and balls. `face` numbers smooth faces, between which an edge is drawn.

    `corners` (n, 3, 3) in metres, `face` (n,), `balls` (m, 4): centre and radius.
    """

    corners: Floats
    face: NDArray[np.int64]
    balls: Floats = field(default_factory=lambda: np.zeros((0, 4)))

    def moved(self, pose: Frame) -> Solid:
        """The same solid seen from where the pose is seen."""
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


@dataclass
class Canvas:
    """A picture of `width` by `height` points that solids are put on; `scale` points per metre around `middle`.

    `fine` points are computed along each side of one and averaged, for smooth edges.
    """

    camera: Floats
    middle: Floats
    scale: float
    width: int
    height: int
    fine: int = 3
    depth: Floats = field(init=False)
    owner: NDArray[np.int64] = field(init=False)
    face: NDArray[np.int64] = field(init=False)
    colour: Floats = field(init=False)

    def __post_init__(self) -> None:
        shape = (self.height * self.fine, self.width * self.fine)
        self.depth = np.full(shape, -np.inf)
        self.owner = np.full(shape, -1, dtype=np.int64)
        self.face = np.full(shape, -1, dtype=np.int64)
        self.colour = np.ones((*shape, 3))

    def put(self, solid: Solid, colour: Any, owner: int, *, lit: bool = True) -> None:
        """Draw a solid where nothing nearer stands; `owner` is the number of its body."""
        base = np.asarray(colour, dtype=float)
        corners = self._seen(solid.corners)
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        sizes = np.linalg.norm(normals, axis=1)
        good = sizes > 0.0
        normals = normals[good] / sizes[good, None] * (1.0, -1.0, 1.0)  # the picture counts its rows downwards
        normals *= np.where(normals[:, 2:] < 0.0, -1.0, 1.0)  # towards who looks
        tones = _shade(base, normals) if lit else np.broadcast_to(base, normals.shape)
        for three, tone, face in zip(corners[good], tones, solid.face[good], strict=True):
            self._fill(three, tone, owner, int(face))
        for *centre, radius in solid.balls:
            self._fill_ball(self._seen(np.array(centre)), radius * self.scale * self.fine, base, owner)

    def _seen(self, points: Floats) -> Floats:
        """Points of the world as column, row and depth, all in fine points."""
        flat = (points - self.middle) @ self.camera.T * (self.scale * self.fine)
        flat[..., 0] += self.width * self.fine / 2
        flat[..., 1] = self.height * self.fine / 2 - flat[..., 1]
        return np.asarray(flat)

    def _fill_ball(self, centre: Floats, radius: float, base: Floats, owner: int) -> None:
        low = np.maximum(np.floor(centre[:2] - radius).astype(int), 0)
        high = np.minimum(np.ceil(centre[:2] + radius).astype(int) + 1, self.depth.shape[::-1])
        if (high <= low).any():
            return
        x = np.arange(low[0], high[0]) + 0.5 - centre[0]
        y = (np.arange(low[1], high[1]) + 0.5)[:, None] - centre[1]
        up = np.sqrt(np.maximum(radius**2 - x**2 - y**2, 0.0))
        window = (slice(low[1], high[1]), slice(low[0], high[0]))
        seen = (x**2 + y**2 <= radius**2) & (centre[2] + up > self.depth[window])
        normals = np.dstack(np.broadcast_arrays(x, -y, up)) / radius
        self.depth[window][seen] = (centre[2] + up)[seen]
        self.owner[window][seen] = owner
        self.face[window][seen] = 0
        self.colour[window][seen] = _shade(base, normals[seen])

    def _fill(self, three: Floats, colour: Floats, owner: int, face: int) -> None:
        low = np.maximum(np.floor(three[:, :2].min(axis=0)).astype(int), 0)
        high = np.minimum(np.ceil(three[:, :2].max(axis=0)).astype(int) + 1, self.depth.shape[::-1])
        if (high <= low).any():
            return
        (x0, y0, z0), (x1, y1, z1), (x2, y2, z2) = three
        area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
        if abs(area) < 1e-9:
            return
        room = float((high - low).prod())
        if room > 40_000 and abs(area) < 0.25 * room:
            # slanted and thin: two halves have far smaller frames
            longest = int(np.argmax(np.linalg.norm(three[:, :2] - np.roll(three, -1, axis=0)[:, :2], axis=1)))
            a, b, c = np.roll(three, -longest, axis=0)
            for half in ((a, (a + b) / 2, c), ((a + b) / 2, b, c)):
                self._fill(np.array(half), colour, owner, face)
            return
        x = np.arange(low[0], high[0]) + 0.5
        y = (np.arange(low[1], high[1]) + 0.5)[:, None]
        b1 = ((x - x0) * (y2 - y0) - (x2 - x0) * (y - y0)) / area
        b2 = ((x1 - x0) * (y - y0) - (x - x0) * (y1 - y0)) / area
        z = z0 + b1 * (z1 - z0) + b2 * (z2 - z0)
        window = (slice(low[1], high[1]), slice(low[0], high[0]))
        seen = (b1 >= -1e-9) & (b2 >= -1e-9) & (b1 + b2 <= 1.0 + 1e-9) & (z > self.depth[window] + 1e-9)
        self.depth[window][seen] = z[seen]
        self.owner[window][seen] = owner
        self.face[window][seen] = face
        self.colour[window][seen] = colour

    def image(self, *, opacity: float = 1.0) -> Floats:
        """The picture as red, green, blue, opacity (height, width, 4); outlines in a darker tone of each body."""
        covered = self.owner >= 0
        colour = self.colour.copy()
        outline, crease = _changes(self.owner), _changes(self.face)
        rim = _wider(outline & (covered | _wider(covered, 1)), max(1, self.fine // 2))
        # the line belongs to the nearer body, which also covers background beside it
        ink = np.where(covered[..., None], colour, 1.0) * INK
        colour[crease & covered] = colour[crease & covered] * 0.72
        colour[rim & covered] = ink[rim & covered]
        alpha = covered * opacity
        alpha[rim & covered] = min(1.0, 1.6 * opacity)
        blocks = (self.height, self.fine, self.width, self.fine)
        share = alpha.reshape(blocks).mean(axis=(1, 3))
        mixed = (colour * alpha[..., None]).reshape(*blocks, 3).mean(axis=(1, 3))
        return np.dstack([mixed / np.maximum(share, 1e-9)[..., None], share])


def _shade(base: Floats, normals: Floats) -> Floats:
    """The colour of faces with these normals (right, up, towards who looks) in the light."""
    bright = 0.69 + 0.43 * np.clip(normals @ (LIGHT / np.linalg.norm(LIGHT)), 0.0, 1.0)
    return np.asarray(np.clip(bright[:, None] * base, 0.0, 1.0))


def _changes(labels: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Where a label differs from that of its right or lower neighbour."""
    found = np.zeros(labels.shape, dtype=bool)
    across, down = labels[:, 1:] != labels[:, :-1], labels[1:] != labels[:-1]
    found[:, 1:] |= across
    found[:, :-1] |= across
    found[1:] |= down
    found[:-1] |= down
    return found


def _wider(mask: NDArray[np.bool_], points: int) -> NDArray[np.bool_]:
    """The mask grown by so many points on every side."""
    for _ in range(points):
        grown = mask.copy()
        grown[1:] |= mask[:-1]
        grown[:-1] |= mask[1:]
        grown[:, 1:] |= mask[:, :-1]
        grown[:, :-1] |= mask[:, 1:]
        mask = grown
    return mask
