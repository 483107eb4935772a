"""Shapes that tests of contact share."""

from __future__ import annotations

import linkwork as lw

STONE = [(0.3, 0, 0), (-0.2, 0.25, -0.1), (-0.2, -0.2, 0), (0, 0.1, 0.3), (0.05, 0, -0.3), (0.1, -0.25, 0.2)]
SHAPES = {
    "sphere": lw.Sphere(0.2),
    "capsule": lw.Capsule(0.1, 0.6),
    "box": lw.Box((0.4, 0.3, 0.5)),
    "cylinder": lw.Cylinder(0.2, 0.5),
    "hull": lw.Hull(STONE),
}
