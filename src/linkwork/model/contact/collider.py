"""Colliders: shapes that collide, and their materials. Data only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.model import checked
from linkwork.model.body import Body, Ground, Part
from linkwork.model.contact.material import Material
from linkwork.model.shapes.mesh import Mesh
from linkwork.model.shapes.shapes import Box, Capsule, Cylinder, Ellipsoid, Hull, Shape, Sphere

SOLID = (Sphere, Capsule, Box, Cylinder, Ellipsoid, Hull, Mesh)  # and on grounds a HeightField


@dataclass(frozen=True)
class Plane(Shape):
    """A half space, solid below z = 0 of its pose. It has no mass and belongs to a ground: see `model.plane`."""


@dataclass(frozen=True, eq=False)
class HeightField(Shape):
    """A terrain for grounds: `heights` (n x m, metres) on a regular grid over `size` (along x and y, metres).

    Its middle is at the origin of its pose. The first index goes along x, the second along y, heights along z. It is
    solid below the surface and ends at the sides of the grid. A cell between four points is two triangles, of any
    slope.

    >>> hills = lw.HeightField([[0.0, 0.1, 0.0], [0.2, 0.3, 0.1]], size=(1.0, 2.0))
    >>> hills.heights.shape
    (2, 3)
    """

    heights: Any
    size: Any

    def __post_init__(self) -> None:
        super().__post_init__()
        given = checked.array(self.heights, "HeightField", "heights", "a table of heights in metres")
        if given.ndim != 2 or min(given.shape) < 2:
            raise ModelError(f"HeightField: heights have shape {given.shape}; give two rows of two numbers, or more")
        sides = checked.vector(self.size, "HeightField", "size", 2, "metres").tolist()
        if not min(sides) > 0.0:
            raise ModelError(f"HeightField: size is {tuple(sides)} but both lengths must be positive; correct size=")
        object.__setattr__(self, "heights", given)
        object.__setattr__(self, "size", tuple(sides))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, HeightField)
            and (self.pose, self.size) == (other.pose, other.size)
            and np.array_equal(self.heights, other.heights)
        )

    def __hash__(self) -> int:
        return hash((self.pose, self.size, self.heights.tobytes()))


@dataclass(frozen=True, eq=False, repr=False)
class Collider(Part):
    """A shape on a body or ground that collides with others. Made by `material=` of a body, or `model.collider`.

    Colliders of one body, of two bodies connected by a joint, and of the same `group` do not collide, and
    neither do two grounds at rest. A body on a joint to a ground does collide with grounds.
    """

    body: Body
    shape: Shape
    material: Material
    group: str | None = None

    @property
    def about(self) -> str:
        """Its shape, and what it is on."""
        return f"{type(self.shape).__name__} on {self.body.path}"

    def parts(self) -> Iterator[Collider]:
        """Itself, or one collider for each convex part of a mesh."""
        if isinstance(self.shape, Mesh):
            yield from (replace(self, shape=part) for part in self.shape.parts)
        else:
            yield self


def check_shape(shape: Any, what: str, body: Body | None = None) -> Shape:
    """A shape that can collide, on this body."""
    if isinstance(shape, HeightField) and body is not None:
        if not isinstance(body, Ground):
            raise ModelError(f"{what}: '{body.path}' is no ground, and a height field is; put it on a ground")
        return shape
    if not isinstance(shape, SOLID):
        known = ", ".join(kind.__name__ for kind in SOLID)
        given = f"shape {type(shape).__name__}" if isinstance(shape, Shape) else checked.shown(shape)
        raise ModelError(
            f"{what}: {given} cannot collide with other bodies; give one of {known} (several colliders make more)"
        )
    if isinstance(shape, Cylinder) and shape.inner_radius > 0.0:
        raise ModelError(
            f"{what}: a hollow cylinder cannot collide with other bodies; give a collider without inner_radius="
        )
    return shape


def check_group(group: Any, what: str) -> str | None:
    """A name, or None."""
    if group is not None and (not isinstance(group, str) or not group.strip()):
        raise ModelError(f"{what}: group must be a name, got {checked.shown(group)}; give group='hand', for example")
    return group
