"""Masses that SDF wants computed from the colliders of a link: <inertial auto="true">."""

from __future__ import annotations

import numpy as np

from linkwork.formats.sdf.building import Build
from linkwork.formats.sdf.geometry import Geometry
from linkwork.formats.sdf.scopes import Item, Scope
from linkwork.formats.sdf.values import finite_of, saying
from linkwork.formats.xml_tree import XmlElement
from linkwork.model import Box, Capsule, Cylinder, Ellipsoid, Shape, Sphere
from linkwork.model.checked import Vector

WATER = 1000.0  # kg/m3, of what says no density
EXACT = (Box, Sphere, Ellipsoid, Cylinder, Capsule)


def from_colliders(build: Build, scope: Scope, link: Item, inertial: XmlElement) -> tuple[float, Vector, Vector] | None:
    """Mass, inertia about the centre of mass, and that centre; None where a collider has no exact volume."""
    common = finite_of(inertial, "density", WATER)
    parts: list[tuple[float, Shape]] = []
    geometry = Geometry(build, link)
    for collision in link.element.all("collision"):
        shape = geometry.plain(collision, build.poses.of_child(scope, link, collision.one("pose")))
        if not isinstance(shape, EXACT):
            return None
        density = finite_of(collision, "density", common)
        if not 0.0 < density < 1e9:
            collision.wrong(f"its density is {density:g} kg/m3 but must be positive; correct it")
        with saying(collision):
            parts.append((density * shape.volume, shape))
    mass = sum(weight for weight, _ in parts)
    if not mass > 0.0:
        return None
    com: Vector = sum((weight * shape.com for weight, shape in parts), np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for weight, shape in parts:
        arm = shape.com - com
        inertia += weight * (shape.inertia_per_mass() + float(arm @ arm) * np.eye(3) - np.outer(arm, arm))
    return mass, inertia, com
