"""A small renderer with a depth buffer, in plain numpy: solids as a picture with outlines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwork.viewer.solids import Floats, Solid

INK = 0.45  # of a body's colour goes into its outline
MANY = 500  # triangles: then the small ones are filled at once
SMALL = (8, 16, 32)  # points along the sides of squares around them
DARKEST, BRIGHTEST = 0.69, 1.12  # times its colour: faces away from the light, and towards it
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
        """Draw a solid where nothing nearer stands; `owner` is the number of its body.

        A colour has three numbers, or opacity as a fourth; put what is transparent after all that is behind it.
        """
        base = np.asarray(colour, dtype=float)[:3]
        if len(colour) > 3 and colour[3] < 1.0:
            self._put_over(solid, base, float(colour[3]), owner)
            return
        corners = self._seen(solid.corners)
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        sizes = np.linalg.norm(normals, axis=1)
        good = sizes > 0.0
        normals = normals[good] / sizes[good, None] * (1.0, -1.0, 1.0)  # the picture counts its rows downwards
        normals *= np.where(normals[:, 2:] < 0.0, -1.0, 1.0)  # towards the viewer
        tones = _shade(base, normals) if lit else np.broadcast_to(base, normals.shape)
        corners, faces = corners[good], solid.face[good]
        left = self._fill_small(corners, tones, owner, faces) if len(corners) > MANY else np.arange(len(corners))
        for k in left:
            self._fill(corners[k], tones[k], owner, int(faces[k]))
        for *centre, radius in solid.balls:
            self._fill_ball(self._seen(np.array(centre)), radius * self.scale * self.fine, base, owner)

    def _seen(self, points: Floats) -> Floats:
        """Points of the world as column, row and depth, all in fine points."""
        flat = (points - self.middle) @ self.camera.T * (self.scale * self.fine)
        flat[..., 0] += self.width * self.fine / 2
        flat[..., 1] = self.height * self.fine / 2 - flat[..., 1]
        return np.asarray(flat)

    def _put_over(self, solid: Solid, base: Floats, opacity: float, owner: int) -> None:
        """Draw the nearest faces of a transparent solid over what stands there."""
        depth, owners, face, colour = self.depth.copy(), self.owner.copy(), self.face.copy(), self.colour.copy()
        self.put(solid, base, owner)
        over, behind = self.depth > depth, owners >= 0
        self.colour[over] = opacity * self.colour[over] + (1 - opacity) * colour[over]
        self.owner[behind], self.face[behind], self.depth = owners[behind], face[behind], depth

    def _fill_small(self, corners: Floats, tones: Floats, owner: int, faces: NDArray[np.int64]) -> NDArray[np.int64]:
        """Fill all small triangles at once; returns the numbers of the others."""
        low = np.floor(corners[..., :2].min(axis=1)).astype(np.int64)
        wide = (np.ceil(corners[..., :2].max(axis=1)).astype(np.int64) + 1 - low).max(axis=1)
        for side in SMALL:
            fits = np.flatnonzero((wide <= side) & (wide > (side // 2 if side > SMALL[0] else 0)))
            for some in np.array_split(fits, len(fits) * side**2 // 500_000 + 1):
                self._fill_alike(corners[some], low[some], side, tones[some], owner, faces[some])
        return np.flatnonzero(wide > SMALL[-1])

    def _fill_alike(
        self, corners: Floats, low: NDArray[np.int64], side: int, tones: Floats, owner: int, faces: NDArray[np.int64]
    ) -> None:
        """Fill triangles in squares of `side` points from their `low` corners on."""
        (x0, y0, z0), (x1, y1, z1), (x2, y2, z2) = np.moveaxis(corners, 0, -1)[..., None, None]
        area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
        flat = np.abs(area) < 1e-9
        area = np.where(flat, 1.0, area)
        row, column = np.broadcast_arrays(
            low[:, 1, None, None] + np.arange(side)[:, None], low[:, 0, None, None] + np.arange(side)
        )
        x, y = column + 0.5, row + 0.5
        b1 = ((x - x0) * (y2 - y0) - (x2 - x0) * (y - y0)) / area
        b2 = ((x1 - x0) * (y - y0) - (x - x0) * (y1 - y0)) / area
        z = z0 + b1 * (z1 - z0) + b2 * (z2 - z0)
        seen = ~flat & (b1 >= -1e-9) & (b2 >= -1e-9) & (b1 + b2 <= 1.0 + 1e-9)
        seen &= (row >= 0) & (row < self.depth.shape[0]) & (column >= 0) & (column < self.depth.shape[1])
        which, z = np.nonzero(seen)[0], z[seen]
        order = np.argsort(z)  # the nearest comes last and stays
        which, z, at = which[order], z[order], (row[seen][order], column[seen][order])
        nearer = z > self.depth[at] + 1e-9
        which, z, at = which[nearer], z[nearer], (at[0][nearer], at[1][nearer])
        self.depth[at], self.owner[at], self.face[at], self.colour[at] = z, owner, faces[which], tones[which]

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
    bright = DARKEST + (BRIGHTEST - DARKEST) * np.clip(normals @ (LIGHT / np.linalg.norm(LIGHT)), 0.0, 1.0)
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
