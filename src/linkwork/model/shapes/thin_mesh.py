"""Meshes with fewer triangles, for pictures: points that lie close together become one.

The points in each cell of a grid become the one that is nearest to the planes of all their triangles, so that edges and
corners stay where they are (P. Lindstrom, Out-of-core simplification of large polygonal models, 2000).
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from linkwork.model.checked import Vector

Faces: TypeAlias = NDArray[np.int64]

FINEST, START = 2**20, 256  # cells along the longest side: points in one are the same; the first to try
SMOOTH = 1e-2  # weight of the mean of the points against the planes
DIGITS = 5  # of the size of a mesh


def thinned(triangles: Vector, most: int) -> tuple[Vector, Faces]:
    """Points (n, 3) and faces (m, 3: numbers of points) of a surface, with at most so many triangles.

    >>> points, faces = thinned(lw.Hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]).triangles, 100)
    >>> len(points), len(faces)
    (4, 4)
    """
    corners = np.asarray(triangles, dtype=float).reshape(-1, 3)
    low = corners.min(axis=0)
    size = float(np.ptp(corners, axis=0).max()) or 1.0
    owner = _cells(corners, low, size / FINEST)
    first = np.zeros(owner.max() + 1, dtype=np.int64)
    first[owner] = np.arange(len(corners))
    points, faces = corners[first], _true_faces(owner.reshape(-1, 3))
    cells = START
    while len(faces) > most and cells > 1:
        cell = _cells(points, low, size / cells)
        few = _true_faces(cell[faces])
        if len(few) <= most:
            points, faces = _one_each(points, faces, cell, size / cells), few
        else:
            cells = int(min(0.97, (0.98 * most / len(few)) ** 0.5) * cells)  # as many as there are on a surface
    used, faces = np.unique(faces, return_inverse=True)
    return points[used].round(DIGITS - math.floor(math.log10(size))), faces.reshape(-1, 3)


def _cells(points: Vector, low: Vector, width: float) -> Faces:
    """The number of the cell in which each point lies, counting those that hold any."""
    place = ((points - low) / width).astype(np.int64)
    key = (place[:, 0] << 42) | (place[:, 1] << 21) | place[:, 2]
    return np.asarray(np.unique(key, return_inverse=True)[1]).reshape(-1)


def _true_faces(faces: Faces) -> Faces:
    """Faces of three different points, each once."""
    a, b, c = np.sort(faces, axis=1).T
    true = np.flatnonzero((a != b) & (b != c))
    key = (a[true] << 42) | (b[true] << 21) | c[true]
    return np.asarray(faces[true[np.sort(np.unique(key, return_index=True)[1])]])


def _one_each(points: Vector, faces: Faces, cell: Faces, width: float) -> Vector:
    """One point for each cell: the nearest to the planes of its triangles."""
    count = int(cell.max()) + 1
    how_many = np.bincount(cell, minlength=count)
    mean = np.stack([np.bincount(cell, points[:, k], count) for k in range(3)], axis=1) / how_many[:, None]
    a, b, c = (points[faces[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)  # as long as the triangle is large
    owner = cell[faces].reshape(-1)
    planes = np.repeat(normal, 3, axis=0)
    # planes n x = d, relative to the mean: least sum of (n y - e)2 + small |y|2
    off = np.einsum("ij,ij->i", planes, points[faces.reshape(-1)] - mean[owner])
    A, r = np.zeros((count, 3, 3)), np.zeros((count, 3))
    for i in range(3):
        r[:, i] = np.bincount(owner, planes[:, i] * off, count)
        for j in range(3):
            A[:, i, j] = np.bincount(owner, planes[:, i] * planes[:, j], count)
    weight = SMOOTH * np.trace(A, axis1=1, axis2=2)
    A += np.where(weight > 0.0, weight, 1.0)[:, None, None] * np.eye(3)
    away = np.linalg.solve(A, r[..., None])[..., 0]
    return np.asarray(mean + np.clip(away, -width, width))
