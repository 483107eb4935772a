"""Shapes and bodies that tests of contact share."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import linkwork as lw

STONE = [(0.3, 0, 0), (-0.2, 0.25, -0.1), (-0.2, -0.2, 0), (0, 0.1, 0.3), (0.05, 0, -0.3), (0.1, -0.25, 0.2)]
SHAPES = {
    "sphere": lw.Sphere(0.2),
    "capsule": lw.Capsule(0.1, 0.6),
    "box": lw.Box((0.4, 0.3, 0.5)),
    "cylinder": lw.Cylinder(0.2, 0.5),
    "hull": lw.Hull(STONE),
}


def rolling_coin(land: Any) -> lw.Model:
    """A coin that leans by 0.3 rad and rolls, 12 rad/s about its axis, on a shape or on a plane (None)."""
    rough = lw.Material(friction=2.0)
    model = lw.Model("coin")
    if land is None:
        model.plane("land", material=rough)
    else:
        model.collider("land", "ground", land, material=rough)
    radius, half, lean = 0.2, 0.01, 0.3
    turn = lean + math.pi / 2
    pose = lw.Frame(rotation=(math.cos(turn / 2), math.sin(turn / 2), 0, 0))
    axis = pose.matrix @ (0, 0, 1)
    low = radius * np.array([0, math.sin(lean), -math.cos(lean)]) - half * math.copysign(1, axis[2]) * axis
    made = model.body(
        "coin",
        shape=lw.Cylinder(radius, 2 * half),
        mass=1.0,
        position=(0, 0, -low[2]),
        rotation=pose.rotation,
        material=rough,
    )
    model.free("roll", "ground", made, velocity=(*-np.cross(12 * axis, low), *(12 * axis)))
    return model
