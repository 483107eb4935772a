"""What lies still, beside MuJoCo: 400 boxes in stacks of four, and five towers of twenty; part of the scene "impulse".

Time tells half of it: how deep boxes overlap in the end, how far they slipped, and what energy came from nowhere stand
beside it. MuJoCo's contacts are as it makes them by itself.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import linkwork as lw
from linkwork.bench import Comparison, Figure
from linkwork.bench.errors import beside
from linkwork.bench.whole_runs import beside_mujoco

SIDE, GAP = 0.2, 0.3  # m: of a box, and between stacks
REST = 2.0  # s
TARGET = 1.0
ERRORS = (
    f"deepest overlap after {REST:g} s, m",
    "farthest slip along the floor, m",
    "energy lost or gained, of all boxes lifted by their size",
)


def stacks(columns: int, height: int) -> lw.Model:
    """So many stacks of boxes ("box 0", "box 1", …), 1 kg each, `height` boxes high, side by side on a floor.

    >>> len(stacks(3, 2).bodies)
    6
    """
    model, material = lw.Model("stacks"), lw.Material(friction=0.6)
    model.plane("floor", material=material)
    across = math.ceil(math.sqrt(columns))
    for k in range(columns * height):
        column, level = divmod(k, height)
        at = ((SIDE + GAP) * (column % across), (SIDE + GAP) * (column // across), SIDE * (level + 0.5))
        body = model.body(f"box {k}", shape=lw.Box((SIDE,) * 3), mass=1.0, position=at, material=material)
        model.free(f"loose {k}", "ground", body)
    return model


def measure_rest(
    name: str, columns: int, height: int, repeats: int, dt: float = 5e-3
) -> tuple[Comparison, list[Figure]]:
    """Time of a step while all lie still, and what became of them after `REST` seconds."""
    model, steps = stacks(columns, height), round(REST / dt)
    n, case = columns * height, f"{name}, dt {dt * 1e3:g} ms"
    row = Comparison(case, "MuJoCo", math.inf, target=TARGET)
    start = np.array([(model.bodies[f"box {k}"].reference or lw.Frame()).position for k in range(n)])
    weight = 9.81 * n * SIDE  # J: all boxes lifted by their size
    sim, peers = beside_mujoco(row, model, dt, steps, repeats)
    found: list[Any] = [("linkwork", float(sim.contacts().depths.max()), [sim[f"box {k}.position"] for k in range(n)])]
    for peer in peers:
        found.append(("MuJoCo", peer.overlap(), [peer.position(f"box {k}").copy() for k in range(n)]))
    errors: list[tuple[float, ...]] = []
    for _, overlap, ends in found:
        moved = np.array(ends) - start
        lost = float(abs(9.81 * moved[:, 2].sum()) / weight)
        errors.append((overlap, float(np.hypot(*moved[:, :2].T).max()), lost))
    return row, [beside(case, what, errors[0][k], errors[1][k] if peers else None) for k, what in enumerate(ERRORS)]
