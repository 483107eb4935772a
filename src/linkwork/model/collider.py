"""Colliders: shapes that meet each other, and what they are made of. Data only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from linkwork.errors import ModelError
from linkwork.model import checked
from linkwork.model.body import Body, Part
from linkwork.model.material import Material
from linkwork.model.shapes import Box, Capsule, Cylinder, Hull, Shape, Sphere

SOLID = (Sphere, Capsule, Box, Cylinder, Hull)


@dataclass(frozen=True)
class Plane(Shape):
    """A half space: all below z = 0 of its pose is solid. It has no mass and belongs to grounds: see `model.plane`."""


@dataclass(frozen=True, eq=False, repr=False)
class Collider(Part):
    """A shape on a body or ground that meets other colliders. Made by `material=` of a body, or `model.collider`.

    Colliders of one body, of bodies next to each other along a joint, and of the same `group` do not meet. What stands
    still by nature (grounds at rest) does not meet its like; a body on a joint to a ground does meet grounds.
    """

    body: Body
    shape: Shape
    material: Material
    group: str | None = None


def check_shape(shape: Any, what: str) -> Shape:
    """A shape that can meet others."""
    if not isinstance(shape, SOLID):
        known = ", ".join(kind.__name__ for kind in SOLID)
        given = f"shape {type(shape).__name__}" if isinstance(shape, Shape) else checked.shown(shape)
        raise ModelError(f"{what}: {given} cannot meet other bodies; give one of {known} (several colliders make more)")
    if isinstance(shape, Cylinder) and shape.inner_radius > 0.0:
        raise ModelError(f"{what}: a hollow cylinder cannot meet other bodies; give a collider without inner_radius=")
    return shape


def check_group(group: Any, what: str) -> str | None:
    """A name, or None."""
    if group is not None and (not isinstance(group, str) or not group.strip()):
        raise ModelError(f"{what}: group must be a name, got {checked.shown(group)}; give group='hand', for example")
    return group
