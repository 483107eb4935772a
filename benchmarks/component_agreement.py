"""How far the methods agree on the examples of V06: car (1.5 s) and manipulator (5 s), all bodies, all kept times.

    python benchmarks/component_agreement.py [CASE ...]

A figure is the largest difference of a body's position from method recursive, in metres, and the drift at worst.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import linkwork as lw
from linkwork.gallery import car, manipulator

METHODS: dict[str, dict[str, Any]] = {
    "recursive": {"method": "recursive"},
    "absolute": {"method": "absolute"},
    "component, absolute": {"method": "component", "coordinates": "absolute"},
    "component, joint": {"method": "component", "coordinates": "joint"},
}
CASES: dict[str, tuple[Any, dict[str, Any]]] = {
    "car, rk4, 1 ms": (car, {"until": 1.5, "dt": 1e-3, "integrator": "rk4"}),
    "manipulator, abm4, 0.1 ms": (manipulator, {"until": 5.0, "dt": 1e-4, "integrator": "abm4", "every": 50}),
    "manipulator, rk4, 0.1 ms": (manipulator, {"until": 5.0, "dt": 1e-4, "integrator": "rk4", "every": 50}),
}


def main() -> None:
    for case in sys.argv[1:] or CASES:
        piece, options = CASES[case]
        model = piece.build()
        columns = [f"{body.path}.position" for body in model.all_bodies()]
        wanted = None
        for name, how in METHODS.items():
            run = lw.simulate(model, record=columns, **how, **options)
            found = np.stack([run[column] for column in columns])
            wanted = found if wanted is None else wanted
            off = float(np.max(np.abs(found - wanted)))
            print(f"{case:28s}{name:22s}{off:9.1e} m   drift {run.certificate.worst_drift_position:.1e}", flush=True)


if __name__ == "__main__":
    main()
