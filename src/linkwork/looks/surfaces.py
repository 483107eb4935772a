"""Surfaces of triangles by turning, pushing and pulling an outline: closed, and counter-clockwise seen from outside."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.model.checked import VectorLike
from linkwork.model.frame import Frame
from linkwork.model.shapes.mesh import Mesh

ROUND = 48  # sides of what is round
Points = Any  # (n, 2) or (n, 3) m


def joined(*meshes: Mesh, pose: Frame | None = None) -> Mesh:
    """Several surfaces as one.

    >>> both = joined(lw.looks.tube([(0, 0, 0), (1, 0, 0)], 0.1), lw.looks.tube([(0, 0, 1), (1, 0, 1)], 0.1))
    >>> len(both.triangles) % 2
    0
    """
    return _mesh(np.concatenate([_placed(each) for each in meshes]), pose)


def turned(profile: Points, *, sides: int = ROUND, pose: Frame | None = None) -> Mesh:
    """A closed profile of (radius, height) turned about z, as on a lathe; counter-clockwise seen from y.

    >>> ring = turned([(0.9, -0.1), (1.0, -0.1), (1.0, 0.1), (0.9, 0.1)])
    >>> round(ring.volume, 3), round(3.14159 * (1.0 - 0.81) * 0.2, 3)
    (0.119, 0.119)
    """
    outline = _outline(profile, "turned")
    if np.any(outline[:, 0] < 0.0):
        raise ModelError("looks.turned: a radius is negative; give (radius, height) with radii from 0 up")
    angles = np.linspace(0.0, 2.0 * np.pi, sides, endpoint=False)
    around = np.stack([np.cos(angles), np.sin(angles), np.ones(sides)], axis=1)
    rings = np.stack([outline[:, [0, 0, 1]] * each for each in around])
    return _mesh(_closed_loft(rings), pose)


def pushed(outline: Points, thickness: float, *, bore: float = 0.0, pose: Frame | None = None) -> Mesh:
    """A plate: an outline in x, y around the origin, pushed along z by its thickness, with a hole of radius `bore`.

    Every point of the outline must be seen from the origin.

    >>> plate = pushed([(1, 1), (-1, 1), (-1, -1), (1, -1)], 0.1, bore=0.2)
    >>> round(plate.volume, 2)
    0.39
    """
    outer = _outline(outline, "pushed")
    if bore > 0.0:
        angles = np.unwrap(np.arctan2(outer[:, 1], outer[:, 0]))
        inner = bore * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    else:
        inner = np.zeros_like(outer)
    low, high = (np.full((len(outer), 1), side * thickness / 2.0) for side in (-1.0, 1.0))
    section = [np.hstack([outer, low]), np.hstack([outer, high]), np.hstack([inner, high]), np.hstack([inner, low])]
    rings = np.stack(section, axis=1)  # (point of the outline, corner of the section)
    return _mesh(_closed_loft(rings), pose)


def lofted(rings: Any, pose: Frame | None = None) -> Mesh:
    """A closed ring of closed sections, (section, point, 3) m, each joined to the next and the last to the first.

    >>> a = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    >>> square = np.array([(0.9, -0.1), (1.1, -0.1), (1.1, 0.1), (0.9, 0.1)])
    >>> rings = np.array([[(r * np.cos(t), r * np.sin(t), z) for r, z in square] for t in a])
    >>> round(lofted(rings).volume, 2)
    0.25
    """
    return _mesh(_closed_loft(np.asarray(rings, dtype=float)), pose)


def tube(points: Sequence[VectorLike], radius: float, *, closed: bool = False, sides: int = 16) -> Mesh:
    """A round tube along points, with flat ends; or a ring, `closed`.

    >>> round(tube([(0, 0, 0), (0, 0, 1)], 0.1, sides=64).volume, 4)
    0.0314
    """
    path = np.asarray(points, dtype=float)
    if path.ndim != 2 or path.shape[1] != 3 or len(path) < 2 or not np.isfinite(path).all():
        raise ModelError("looks.tube: give two or more points of three numbers, in metres")
    angles = np.linspace(0.0, 2.0 * np.pi, sides, endpoint=False)
    circle = radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return _mesh(_swept(path, circle, closed), None)


def band(points: Sequence[VectorLike], width: float, thickness: float, axis: VectorLike = (0, 1, 0)) -> Mesh:
    """A closed flat band along points, such as a belt or a track; its width is along `axis`.

    >>> belt = band([(1, 0, 0), (0, 0, 1), (-1, 0, 0), (0, 0, -1)], 0.2, 0.01)
    >>> belt.volume > 0
    True
    """
    path, across = np.asarray(points, dtype=float), np.asarray(axis, dtype=float)
    across = across / np.linalg.norm(across)
    along = np.roll(path, -1, axis=0) - np.roll(path, 1, axis=0)
    out = np.cross(along, across)
    out /= np.linalg.norm(out, axis=1, keepdims=True)
    corners = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    rings = np.stack(
        [path + 0.5 * (a * thickness * out + b * width * across) for a, b in corners],
        axis=1,
    )
    return _mesh(_outwards(_closed_loft(rings)), None)


def rounded_box(size: VectorLike, radius: float, *, pose: Frame | None = None) -> Mesh:
    """A box whose edges are rounded.

    >>> round(rounded_box((1, 1, 1), 0.1).volume, 2)
    0.97
    """
    half = np.asarray(size, dtype=float) / 2.0
    if not 0.0 < radius <= half.min():
        raise ModelError(f"looks.rounded_box: radius is {radius!r}; give one from 0 to half of the shortest side")
    up = np.linspace(-np.pi / 2.0, np.pi / 2.0, 14)
    around = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False) + 0.5 * np.pi / 12.0
    normals = np.stack(
        [np.stack([np.cos(e) * np.cos(around), np.cos(e) * np.sin(around), np.full(24, np.sin(e))], axis=1) for e in up]
    )
    points = np.sign(normals) * (half - radius) + radius * normals
    points[0, :, 2], points[-1, :, 2] = -half[2], half[2]
    triangles = [_strip(points[k], points[k + 1]) for k in range(len(up) - 1)]
    triangles += [_fan(points[0])[:, ::-1], _fan(points[-1])]
    return _mesh(np.concatenate(triangles), pose)


def _outline(points: Points, what: str) -> Any:
    given = np.asarray(points, dtype=float)
    if given.ndim != 2 or given.shape[1] != 2 or len(given) < 3 or not np.isfinite(given).all():
        raise ModelError(f"looks.{what}: give three or more points of two numbers each, in metres")
    area = np.sum(given[:, 0] * np.roll(given[:, 1], -1) - np.roll(given[:, 0], -1) * given[:, 1])
    return given if area > 0.0 else given[::-1]


def _closed_loft(rings: Any) -> Any:
    """Triangles between closed sections (n, m, 3), the last joined to the first."""
    return _outwards(np.concatenate([_strip(rings[k], rings[(k + 1) % len(rings)]) for k in range(len(rings))]))


def _swept(path: Any, section: Any, closed: bool) -> Any:
    """A section of (n, 2) points pulled along a path without twist."""
    along = np.roll(path, -1, axis=0) - np.roll(path, 1, axis=0)
    if not closed:
        along[0], along[-1] = path[1] - path[0], path[-1] - path[-2]
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    side = np.cross(along[0], np.eye(3)[np.argmin(np.abs(along[0]))])
    rings = []
    for place, way in zip(path, along, strict=True):
        side = side - way * (side @ way)
        side /= np.linalg.norm(side)
        rings.append(place + section @ np.stack([side, np.cross(way, side)]))
    if closed:
        return _closed_loft(np.stack(rings))
    triangles = [_strip(first, second) for first, second in pairwise(rings)]
    return _outwards(np.concatenate([*triangles, _fan(rings[0])[:, ::-1], _fan(rings[-1])]))


def _strip(first: Any, second: Any) -> Any:
    """Two triangles between each two neighbours of two closed lines, without those that have no area."""
    a, b, c, d = first, np.roll(first, -1, axis=0), second, np.roll(second, -1, axis=0)
    both = np.concatenate([np.stack([a, b, d], axis=1), np.stack([a, d, c], axis=1)])
    sizes = np.linalg.norm(np.cross(both[:, 1] - both[:, 0], both[:, 2] - both[:, 0]), axis=1)
    return both[sizes > 1e-12 * sizes.max(initial=0.0)]


def _fan(line: Any) -> Any:
    middle = np.broadcast_to(line.mean(axis=0), line.shape)
    return np.stack([middle, line, np.roll(line, -1, axis=0)], axis=1)


def _outwards(triangles: Any) -> Any:
    """The same with its faces turned outwards."""
    volume = np.einsum("ni,ni->", triangles[:, 0], np.cross(triangles[:, 1], triangles[:, 2]))
    return triangles if volume > 0.0 else triangles[:, ::-1]


def _placed(mesh: Mesh) -> Any:
    return np.asarray(mesh.triangles) @ mesh.pose.matrix.T + mesh.pose.position


def _mesh(triangles: Any, pose: Frame | None) -> Mesh:
    return Mesh(triangles=np.ascontiguousarray(triangles), pose=pose or Frame())
