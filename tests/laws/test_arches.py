"""An arch of loose stones stands from a thickness on that statics tells (Heyman), and falls below it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

import linkwork as lw

STONES, FRICTION = 27, 0.8


def stone(k: int, thick: float) -> Any:
    """(4, 2) corners of stone k of a half circle of radius 1, m: inside and outside at its first joint, then back."""
    first, last = np.pi * k / STONES, np.pi * (k + 1) / STONES
    ends = [(first, -1), (first, 1), (last, 1), (last, -1)]
    return np.array([[(1 + s * thick / 2) * np.cos(a), (1 + s * thick / 2) * np.sin(a)] for a, s in ends])


def area_and_centre(corners: Any) -> tuple[float, Any]:
    after = np.roll(corners, -1, axis=0)
    c = corners[:, 0] * after[:, 1] - after[:, 0] * corners[:, 1]
    return c.sum() / 2, ((corners + after) * c[:, None]).sum(axis=0) / (3 * c.sum())


def can_stand(thick: float) -> bool:
    """Whether forces exist that hold every stone: pressure at both edges of each joint, and friction."""
    balance, weights = [], []
    for k in range(STONES):
        area, centre = area_and_centre(stone(k, thick))
        rows = np.zeros((3, 3 * (STONES + 1)))
        for j, sign in ((k, 1.0), (k + 1, -1.0)):
            a = np.pi * j / STONES
            across, along = np.array([-np.sin(a), np.cos(a)]), np.array([np.cos(a), np.sin(a)])
            for e, (radius, force) in enumerate(((1 - thick / 2, across), (1 + thick / 2, across), (1, along))):
                arm, push = radius * along - centre, sign * force
                rows[:, 3 * j + e] = *push, arm[0] * push[1] - arm[1] * push[0]
        balance.append(rows)
        weights += [0, area, 0]
    slip = np.kron(np.eye(STONES + 1), [[-FRICTION, -FRICTION, 1], [-FRICTION, -FRICTION, -1]])
    bounds = [(0, None), (0, None), (None, None)] * (STONES + 1)
    found = linprog(
        np.zeros(3 * (STONES + 1)),
        A_ub=slip,
        b_ub=np.zeros(len(slip)),
        A_eq=np.vstack(balance),
        b_eq=weights,
        bounds=bounds,
    )
    return bool(found.status == 0)


def least_thickness() -> float:
    """In m; 0.1075 with infinitely many stones (Milankovitch)."""
    low, high = 0.05, 0.2
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (low, middle) if can_stand(middle) else (middle, high)
    return high


def arch(thick: float) -> lw.Model:
    model, material = lw.Model("arch"), lw.Material(friction=FRICTION)
    model.plane("floor", material=material)
    for k in range(STONES):
        corners = stone(k, thick)
        _, (x, z) = area_and_centre(corners)
        points = [(a - x, y, b - z) for a, b in corners for y in (-0.15, 0.15)]
        model.body(f"stone {k}", shape=lw.Hull(points), density=2000.0, position=(x, 0, z), material=material)
    return model


@pytest.mark.parametrize("method", ["impulse", "maximal"])
def test_an_arch_stands_from_its_least_thickness_on(method: str) -> None:
    least = least_thickness()
    assert least == pytest.approx(0.1067, abs=1e-4)
    for part, moves in ((1.01, (0.0, 1e-4)), (0.97, (0.1, 2.0))):
        run = lw.simulate(arch(part * least), until=1.0, dt=1e-3, method=method)
        way = max(np.abs(run[f"stone {k}.position"][-1] - run[f"stone {k}.position"][0]).max() for k in range(STONES))
        assert moves[0] <= way < moves[1]
        if part > 1.0:
            assert run.certificate.doubts() == []
