"""Random piles: bodies of all shapes fall into a pit, and none may leave it, sink into another or end in an error.

    python tests/random_piles.py 100 --dt 0.005 --method maximal [--first 0] [--json piles.json]

Each pile has 3 to 25 boxes, balls, capsules, cylinders and stones of random sizes (1 : 3), densities (1 : 10), friction
(0 to 1) and restitution (mostly 0). They fall for 3 s. At the end it prints how many had a certificate without doubts,
the doubts of the others, the deepest overlap at the end, and who was not within the pit. `tests/contact/test_piles.py`
runs a few of them.
"""

from __future__ import annotations

import argparse
import collections
import json
import math
import warnings
from typing import Any

import numpy as np

import linkwork as lw

KINDS = ("box", "ball", "capsule", "cylinder", "stone")


def build(seed: int) -> lw.Model:
    """A pile by its number."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 26))
    kinds = [KINDS[int(k)] for k in rng.integers(0, len(KINDS), size=int(rng.integers(1, 6)))]
    material = lw.Material(
        friction=float(rng.uniform(0.0, 1.0)), restitution=float(rng.choice([0.0, 0.0, 0.0, 0.3, 0.6]))
    )
    model = lw.Model(f"pile {seed}")
    model.plane("floor", material=material)
    half = pit(n)
    side = round(half / 0.2)
    for name, x, y in (("left", -1, 0), ("right", 1, 0), ("front", 0, -1), ("back", 0, 1)):
        model.plane(f"{name} wall", at=(half * x, half * y, 0), normal=(-x, -y, 0), material=material)
    density = 10.0 ** rng.uniform(2.5, 3.5)
    for k in range(n):
        kind, size = str(rng.choice(kinds)), rng.uniform(0.08, 0.24)
        a, b, c = size * rng.uniform(0.5, 1.0, size=3)
        shapes: dict[str, Any] = {
            "box": lambda: lw.Box((a, b, c)),  # noqa: B023
            "ball": lambda: lw.Sphere(a / 2),  # noqa: B023
            "capsule": lambda: lw.Capsule(a / 4, b / 2),  # noqa: B023
            "cylinder": lambda: lw.Cylinder(a / 2, b),  # noqa: B023
            "stone": lambda: lw.Hull(_stone(rng, size)),  # noqa: B023
        }
        layer, place = divmod(k, side * side)
        at = 0.4 * (np.array([place % side, place // side]) - (side - 1) / 2)
        model.body(
            f"{kind} {k}",
            shape=shapes[kind](),
            density=density * 10.0 ** rng.uniform(-0.5, 0.5),
            position=(*(at + rng.uniform(-0.05, 0.05, size=2)), 0.2 + 0.4 * layer),
            rotation=rng.normal(size=4),
            material=material,
        )
    return model


def pit(n: int) -> float:
    """Half the width of the pit for so many bodies, m."""
    return 0.2 * max(2, math.ceil((n / 3.0) ** 0.5))


def _stone(rng: Any, size: float) -> Any:
    points = rng.normal(size=(int(rng.integers(3, 9)), 3))
    points = 0.5 * size * points / np.linalg.norm(points, axis=1)[:, None]
    return np.concatenate([points, -points])  # its centre is the origin of the body


def judge(seed: int, method: Any, until: float = 3.0) -> dict[str, Any]:
    """What became of a pile."""
    model = build(seed)
    told: dict[str, Any] = {"seed": seed, "bodies": len(model.bodies), "error": None, "escaped": []}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            run = lw.simulate(model, until=until, method=method, every=max(1, round(0.05 / method.dt)))
        except lw.RunError as error:
            return told | {"error": str(error)}
    half = pit(len(model.bodies))
    for name in model.bodies:
        at = run[f"{name}.position"][-1]
        # a stone may be as flat as what is left of overlaps, 0.1 mm
        if not (np.isfinite(at).all() and np.abs(at[:2]).max() < half and -1e-4 < at[2] < 0.4 * 25):
            told["escaped"].append(name)
    made = run.certificate
    return told | {
        "doubts": made.doubts(),
        "overlap": made.overlap,
        "worst_overlap": made.worst_overlap,
        "cut": made.cut_short / made.steps,
        "apart": made.apart_loss / made.energy_scale,
        "rolling": made.rolling_loss / made.energy_scale,
        "unsettled": made.unsettled or 0.0,
        "speed": max(float(np.abs(run[f"{name}.velocity"][-1]).max()) for name in model.bodies),
        "us": made.wall_seconds / made.steps * 1e6,
    }


def main() -> None:
    """Run so many, and tell."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--dt", type=float, default=5e-3)
    parser.add_argument("--method", choices=("maximal", "impulse"), default="maximal")
    parser.add_argument("--json", default=None)
    given = parser.parse_args()
    kind = {"maximal": lw.Maximal, "impulse": lw.Impulse}[given.method]
    found = [judge(seed, kind(dt=given.dt)) for seed in range(given.first, given.first + given.count)]
    good = [each for each in found if each["error"] is None]
    clean = sum(not each["doubts"] for each in good)
    overlaps = np.array([each["overlap"] for each in good])
    words = collections.Counter(doubt.split(";")[0] for each in good for doubt in each["doubts"])
    print(f"{given.method}, dt {given.dt * 1e3:g} ms: {len(found)} piles, {len(found) - len(good)} errors")
    print(
        f"{clean} clean ({clean / max(len(good), 1):.1%}), {sum(bool(each['escaped']) for each in good)} with escapes"
    )
    print(f"overlap at the end: worst {overlaps.max() * 1e3:.3f} mm, {(overlaps > 1e-3).sum()} above 1 mm")
    for doubt, often in words.most_common(12):
        print(f"  {often} x {doubt}")
    for each in found:
        if each["error"] or each["escaped"]:
            print(f"  pile {each['seed']}: {each['error'] or each['escaped']}")
    if given.json:
        with open(given.json, "w") as file:
            json.dump(found, file)


if __name__ == "__main__":
    main()
