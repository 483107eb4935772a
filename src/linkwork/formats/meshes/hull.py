"""The convex solid around a collision mesh, of at most 40 corners, which are corners of the mesh.

First come the outermost points in 26 directions, to the faces, edges and corners of a cube; then, one by one, the point
that lies farthest outside what there is.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from linkwork.errors import ModelError
from linkwork.model.checked import Vector
from linkwork.model.frame import Frame
from linkwork.model.shapes.shapes import Hull

MOST = 40  # corners
EXACT = 1e-6  # of the size: what reaches no farther out than this lies in the hull
THIN = 1e-3  # of the size: how thick a flat mesh is made
CUBE = np.array([d for d in itertools.product((-1.0, 0.0, 1.0), repeat=3) if any(d)])  # faces, edges, corners


def _directions() -> Vector:
    """Unit vectors that are well spread: to the faces, edges and corners of a cube, then along a spiral."""
    left = np.arange(MOST - len(CUBE)) + 0.5
    height = 1.0 - 2.0 * left / len(left)
    turn = np.pi * (1.0 + 5.0**0.5) * left
    across = np.sqrt(1.0 - height**2)
    found = np.vstack((CUBE, np.column_stack((across * np.cos(turn), across * np.sin(turn), height))))
    return np.asarray(found / np.linalg.norm(found, axis=1)[:, None], dtype=np.float64)


DIRECTIONS = _directions()  # corners of a ball, for shapes that have none


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
    """The convex solid around points (n x 3, metres), of at most 40 corners, all of them among the points.

    >>> grid = np.stack(np.meshgrid(*3 * [np.linspace(0, 1, 11)]), axis=-1).reshape(-1, 3)
    >>> found = reduced_hull(grid)
    >>> len(found.hull.points), found.left_out, round(found.hull.volume, 12)
    (8, 0.0, 1.0)
    """
    given = np.asarray(points, dtype=np.float64).reshape(-1, 3)
    cloud = _corners(given)
    size = float(np.ptp(given, axis=0).max())
    place = pose or Frame()
    try:
        corners, beyond = _chosen(cloud, size)
        return ReducedHull(Hull(corners, pose=place), beyond, False)
    except (QhullError, ModelError):
        thick = _thick(np.unique(cloud[_outermost(cloud)], axis=0), size)
        return ReducedHull(Hull(thick[ConvexHull(thick).vertices], pose=place), 0.0, True)


def _corners(cloud: Vector) -> Vector:
    """The points that the convex solid around all has as corners; all where they enclose nothing."""
    try:
        found: Vector = cloud[np.sort(ConvexHull(cloud).vertices)]
    except QhullError:
        return cloud
    return found


def _chosen(cloud: Vector, size: float) -> tuple[Vector, float]:
    """At most 40 of the corners of a convex solid, and by how much the others lie outside them (m)."""
    chosen = list(range(len(cloud))) if len(cloud) <= MOST else _outermost(cloud)
    while True:
        planes = ConvexHull(cloud[chosen]).equations
        outside = (cloud @ planes[:, :3].T + planes[:, 3]).max(axis=1)
        farthest = int(np.argmax(outside))
        if outside[farthest] <= EXACT * size:
            return cloud[chosen], 0.0
        if len(chosen) >= MOST:
            return cloud[chosen], float(outside[farthest])
        chosen.append(farthest)


def _outermost(cloud: Vector) -> list[int]:
    """The points that reach farthest in each direction, each once; of equal ones that which is farthest out."""
    middle = (cloud.max(axis=0) + cloud.min(axis=0)) / 2
    half = np.maximum(np.ptp(cloud, axis=0) / 2, 1e-300)
    seen = (cloud - middle) / half  # in a cube, so that thin solids keep their corners
    far = 1e-9 * np.einsum("ni,ni->n", seen, seen)
    return sorted({int(np.argmax(seen @ direction + far)) for direction in CUBE})


def _thick(corners: Vector, size: float) -> Vector:
    """The corners of a flat mesh, moved to both sides; a line or a point becomes a small box."""
    step = THIN * size if size > 0.0 else THIN
    offsets = np.array(list(itertools.product((-step, step), repeat=3))) / 2
    widened: Vector = (corners[:, None] + offsets).reshape(-1, 3)
    return widened
