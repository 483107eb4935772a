"""A small renderer with a depth buffer, in plain numpy: solids as a picture with outlines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwork.viewer.solids import Floats, Solid

INK = 0.45  # of a body's colour goes into its outline
LIGHT = np.array([-0.35, 0.55, 0.76])  # towards the light: from the left, above and before the picture


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
        normals *= np.where(normals[:, 2:] < 0.0, -1.0, 1.0)  # towards the viewer
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
    """The colour of faces with these normals (right, up, towards the viewer) in the light."""
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
