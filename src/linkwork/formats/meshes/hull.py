"""The convex solid around a collision mesh, of at most 40 corners: its outermost points in fixed directions."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from linkwork.errors import ModelError
from linkwork.model.checked import Vector
from linkwork.model.frame import Frame
from linkwork.model.shapes import Hull

MOST = 40  # corners
EXACT = 1e-6  # of the size: what reaches no farther out than this lies in the hull
THIN = 1e-3  # of the size: how thick a flat mesh is made


def _directions() -> Vector:
    """Unit vectors that are well spread: to the faces, edges and corners of a cube, then along a spiral."""
    cube = np.array([d for d in itertools.product((-1.0, 0.0, 1.0), repeat=3) if any(d)])
    left = np.arange(MOST - len(cube)) + 0.5
    height = 1.0 - 2.0 * left / len(left)
    turn = np.pi * (1.0 + 5.0**0.5) * left
    across = np.sqrt(1.0 - height**2)
    found = np.vstack((cube, np.column_stack((across * np.cos(turn), across * np.sin(turn), height))))
    return np.asarray(found / np.linalg.norm(found, axis=1)[:, None], dtype=np.float64)


DIRECTIONS = _directions()


class ReducedHull(NamedTuple):
    """A hull, and how far points of the mesh reach out of it (m); `flat` if it was made thick, having no volume."""

    hull: Hull
    left_out: float
    flat: bool

    @property
    def told(self) -> str:
        """What it is, for receipts."""
        thick = "the mesh is flat and was made thick; " if self.flat else ""
        beyond = f", which the mesh exceeds by {self.left_out * 1e3:.3g} mm" if self.left_out else ""
        return f"{thick}collides as the convex hull of {len(self.hull.points)} of its corners{beyond}"


def reduced_hull(points: Vector, pose: Frame | None = None) -> ReducedHull:
    """The convex solid around points (n x 3, metres), of at most 40 corners, which are outermost points.

    >>> grid = np.stack(np.meshgrid(*3 * [np.linspace(0, 1, 11)]), axis=-1).reshape(-1, 3)
    >>> found = reduced_hull(grid)
    >>> len(found.hull.points), found.left_out, round(found.hull.volume, 12)
    (8, 0.0, 1.0)
    """
    cloud = np.asarray(points, dtype=np.float64).reshape(-1, 3)
    corners = _outermost(cloud)
    pose = pose or Frame()
    size = float(np.ptp(cloud, axis=0).max())
    try:
        hull, flat = Hull(corners, pose=pose), False
    except ModelError:
        hull, flat = Hull(_thick(corners, size), pose=pose), True
    a, b, c = (hull.triangles[:, k] for k in range(3))
    normals = np.cross(b - a, c - a)
    lengths = np.linalg.norm(normals, axis=1)
    faces = lengths > 1e-12 * size**2
    normals = normals[faces] / lengths[faces][:, None]
    heights = np.einsum("ni,ni->n", normals, a[faces])
    beyond = max(float((cloud @ normal).max() - height) for normal, height in zip(normals, heights, strict=True))
    return ReducedHull(hull, beyond if beyond > EXACT * size else 0.0, flat)


def _outermost(cloud: Vector) -> Vector:
    """The points that reach farthest in each direction, each once; of equal ones that which is farthest out."""
    middle = (cloud.max(axis=0) + cloud.min(axis=0)) / 2
    half = np.maximum(np.ptp(cloud, axis=0) / 2, 1e-300)
    seen = (cloud - middle) / half  # in a cube, so that thin solids keep their corners
    far = 1e-9 * np.einsum("ni,ni->n", seen, seen)
    chosen = {int(np.argmax(seen @ direction + far)) for direction in DIRECTIONS}
    return np.unique(cloud[sorted(chosen)], axis=0)


def _thick(corners: Vector, size: float) -> Vector:
    """The corners of a flat mesh, moved to both sides; a line or a point becomes a small box."""
    step = THIN * size if size > 0.0 else THIN
    offsets = np.array(list(itertools.product((-step, step), repeat=3))) / 2
    widened: Vector = (corners[:, None] + offsets).reshape(-1, 3)
    return widened
