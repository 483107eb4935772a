"""Bricard's linkage: six hinges in a ring, which a count of degrees of freedom says cannot move, and which moves.

Rods of 1 m and 1 kg along the edges of a cube; at every corner the hinge stands across both rods. One row of the loop
is redundant everywhere: 6 hinges leave 6 - 5 = 1 degree of freedom, not 0.
"""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw

CORNERS = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], dtype=float)
AXES = [(0, 1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0)]


def bricard() -> lw.Model:
    model = lw.Model("Bricard", gravity=(0, -9.81, 0))
    rods = [model.ground]
    for k in range(5):
        along = CORNERS[k + 1] - CORNERS[k]
        inertia = np.eye(3) / 12 - np.outer(along, along) * (1 / 12 - 1e-3)
        rods.append(model.body(f"rod {k}", mass=1.0, inertia=inertia, com=along / 2, position=CORNERS[k]))
    rods.append(model.ground)
    for k in range(6):
        model.revolute(f"hinge {k}", rods[k], rods[k + 1], at=CORNERS[k], axis=AXES[k])
    return model


def test_it_can_move() -> None:
    report = lw.check(bricard())
    assert report.degrees_of_freedom == 1
    assert len(report.redundant) == 1


@pytest.mark.parametrize("method", [lw.Hybrid, lw.SemiRecursive])
def test_implicit_methods_agree_with_recursive(method: type) -> None:
    exact = lw.simulate(bricard(), until=1.0, dt=1e-3, method="recursive", integrator="rk4")
    assert np.ptp(exact["hinge 2.position"]) > 0.5
    assert np.ptp(exact["energy.total"]) < 1e-6
    errors = []
    for dt in (0.01, 0.005):
        run = lw.simulate(bricard(), until=1.0, method=method(dt=dt))
        assert run.drift["position"].max() < 1e-8
        stride = round(dt / 1e-3)
        errors.append(
            max(np.abs(run[f"rod {k}.position"] - exact[f"rod {k}.position"][::stride]).max() for k in range(5))
        )
    assert errors[1] < 1e-3
    assert errors[0] / errors[1] > 3.0
