"""A pile of loose bodies: boxes, balls, capsules, cylinders and stones fall into a pit and come to rest on each other.

MST17 names such piles as the strength of the method in maximal coordinates (SIMMC). It prints no numbers; sizes, masses
and positions are our own. The pit is a floor and four walls, planes that are not drawn.

What it must show: no collision adds energy, nothing falls through, and in the end everything is at rest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

import linkwork as lw
from linkwork.errors import ModelError
from linkwork.model.checked import whole

TITLE = "pile of boxes, balls, capsules, cylinders and stones in a pit"
PAPER = "MST17 section 1"
UNTIL = 3.0
METHOD = {"method": "maximal", "dt": 5e-3, "every": 4}
PLOTS = ["box 1.position", "energy"]

KINDS = ("box", "ball", "capsule", "cylinder", "stone")
DENSITY = 800.0  # kg/m3, of wood
STONE = ((1, 0.1, 0), (-0.7, 0.8, -0.2), (-0.6, -0.8, 0), (0, 0.3, 0.8), (0.2, 0, -0.8), (0.3, -0.8, 0.6))


def build(
    *,
    n: int = 40,
    size: float = 0.2,
    friction: float = 0.5,
    restitution: float = 0.1,
    seed: int = 1,
    kinds: Sequence[str] = KINDS,
) -> lw.Model:
    """`n` bodies of about `size` (m), the `kinds` in turn ("box 1", "ball 2", …), in layers above the pit.

    All have the same `friction` and `restitution`; `seed` sets their random rotations and offsets.

    >>> list(lw.gallery.pile.build(n=6).bodies)
    ['box 1', 'ball 2', 'capsule 3', 'cylinder 4', 'stone 5', 'box 6']
    """
    n = whole(n, "pile", "n", "bodies")
    wrong = [kind for kind in kinds if kind not in KINDS]
    if wrong or not kinds:
        raise ModelError(f"pile: kinds is {kinds!r} but must name some of {', '.join(KINDS)}; correct kinds=")
    model = lw.Model("pile")
    material = lw.Material(friction=friction, restitution=restitution)
    side = max(2, math.ceil((n / 5.0) ** 0.5))  # bodies along a wall
    spacing = 1.7 * size
    half = side * spacing / 2
    model.plane("floor", material=material)
    for name, x, y in (("left", -1, 0), ("right", 1, 0), ("front", 0, -1), ("back", 0, 1)):
        model.plane(f"{name} wall", at=(half * x, half * y, 0), normal=(-x, -y, 0), material=material)
    shapes: dict[str, lw.Box | lw.Sphere | lw.Capsule | lw.Cylinder | lw.Hull] = {
        "box": lw.Box((size, 0.8 * size, 0.6 * size)),
        "ball": lw.Sphere(0.45 * size),
        "capsule": lw.Capsule(0.25 * size, 0.7 * size),
        "cylinder": lw.Cylinder(0.35 * size, 0.8 * size),
        "stone": lw.Hull(np.array(STONE) * 0.6 * size),
    }
    rng = np.random.default_rng(seed)
    for k in range(n):
        kind = kinds[k % len(kinds)]
        layer, place = divmod(k, side * side)
        at = np.array([place % side, place // side, layer]) - (side - 1) / 2 * np.array([1, 1, 0])
        position = at * spacing + rng.uniform(-0.1, 0.1, size=3) * size + (0, 0, size)
        rotation = rng.normal(size=4)
        body = model.body(
            f"{kind} {k + 1}",
            shape=shapes[kind],
            density=DENSITY,
            position=position,
            rotation=rotation,
            material=material,
        )
        model.free(f"fall {k + 1}", "ground", body)
    return model
