"""Shapes as plain data: what a scene says of boxes, balls and meshes. Lengths in metres, quaternions w first."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from linkwork.model import Box, Capsule, Cylinder, Ellipsoid, Frame, Hull, Mesh, Sphere
from linkwork.model.contact.collider import HeightField, Plane
from linkwork.model.shapes.shapes import Shape

Facts: TypeAlias = dict[str, Any]

ROUND = 48  # sides of an ellipsoid
TRIANGLES = 6000  # of one mesh, at most
_SIZES: dict[type[Shape], tuple[str, ...]] = {
    Box: ("size",),
    Sphere: ("radius",),
    Cylinder: ("radius", "length", "inner_radius"),
    Capsule: ("radius", "length"),
}
_KINDS = {kind.__name__.lower(): kind for kind in _SIZES}


def shape_facts(shape: Shape, triangles: int = TRIANGLES) -> Facts | None:
    """A shape as a dictionary, a mesh with at most so many triangles; None for one that has no picture.

    >>> shape_facts(lw.Sphere(0.5))["kind"]
    'sphere'
    """
    pose = {"position": numbers(shape.pose.position), "rotation": numbers(shape.pose.rotation)}
    if isinstance(shape, Mesh | Hull):
        points, faces = shape.drawn(triangles)
        return {"kind": "mesh", "points": points, "faces": faces, **pose}
    if isinstance(shape, Ellipsoid):
        corners, sides = shape.facets(ROUND)
        return {"kind": "mesh", "points": corners.tolist(), "faces": sides.tolist(), **pose}
    if isinstance(shape, HeightField):
        return {"kind": "mesh", "triangles": _landscape(shape), **pose}
    if isinstance(shape, Plane):
        return {"kind": "plane", **pose}
    for kind, words in _SIZES.items():
        if isinstance(shape, kind):
            sizes = {word: np.asarray(getattr(shape, word), dtype=float).tolist() for word in words}
            return {"kind": kind.__name__.lower(), **sizes, **pose}
    return None


def shape_from(facts: Facts) -> Shape | None:
    """The shape that `shape_facts` wrote down; None for a mesh, of which only the triangles are known.

    >>> shape_from(shape_facts(lw.Box((1, 2, 3)))).size
    (1.0, 2.0, 3.0)
    """
    kind = _KINDS.get(facts["kind"])
    if kind is None:
        return None
    sizes = {word: facts[word] for word in _SIZES[kind]}
    return kind(**sizes, pose=Frame(facts["position"], facts["rotation"]))


def moved_facts(facts: Facts, pose: Frame) -> Facts:
    """The shape of a body that stands there, in the world."""
    there = pose @ Frame(facts["position"], facts["rotation"])
    return {**facts, "position": numbers(there.position), "rotation": numbers(there.rotation)}


def numbers(values: Any) -> list[float]:
    """Values as plain floats."""
    return [float(value) for value in values]


def _landscape(field: HeightField) -> list[Any]:
    """Triangles of a field of heights."""
    rows, columns = field.heights.shape
    x, y = (np.linspace(-side / 2, side / 2, n) for side, n in zip(field.size, (rows, columns), strict=True))
    corner = [[(a, b, field.heights[i, j]) for j, b in enumerate(y)] for i, a in enumerate(x)]
    mesh = []
    for i in range(rows - 1):
        for j in range(columns - 1):
            a, b, c, d = corner[i][j], corner[i + 1][j], corner[i + 1][j + 1], corner[i][j + 1]
            mesh += [(a, b, c), (a, c, d)]
    return np.asarray(mesh, dtype=float).tolist()  # type: ignore[no-any-return]
