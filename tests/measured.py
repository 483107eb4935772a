"""What the tests of laws read off a run: the state of all bodies, momenta, fitted orders."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

import linkwork as lw
from twins import matrix_of

Array = NDArray[np.float64]
EPS = float(np.finfo(float).eps)


def body_states(run: lw.Trajectory, model: lw.Model) -> Array:
    """(row, ...) poses and velocities of all bodies."""
    quantities = ("position", "rotation", "velocity", "angular_velocity")
    return np.hstack([run[f"{body.path}.{quantity}"] for body in model.all_bodies() for quantity in quantities])


def distance(a: lw.Trajectory, b: lw.Trajectory, model: lw.Model, row: int = -1) -> float:
    """Largest difference of the bodies' poses and velocities in one row."""
    return float(np.max(np.abs(body_states(a, model)[row] - body_states(b, model)[row])))


def momenta(run: lw.Trajectory, model: lw.Model) -> Array:
    """(row, 6): linear momentum, and angular momentum about the world's origin, from the bodies' columns."""
    total = np.zeros((len(run), 6))
    for body in model.all_bodies():
        for k in range(len(run)):
            R, x = matrix_of(run[f"{body.path}.rotation"][k]), run[f"{body.path}.position"][k]
            omega = run[f"{body.path}.angular_velocity"][k]
            c = R @ body.com
            p = body.mass * (run[f"{body.path}.velocity"][k] + np.cross(omega, c))
            total[k, :3] += p
            total[k, 3:] += np.cross(x + c, p) + R @ body.inertia @ R.T @ omega
    return total


def fitted_order(steps: Sequence[float], errors: Sequence[float]) -> float:
    """Slope of the line through (log step, log error)."""
    return float(np.polyfit(np.log(steps), np.log(errors), 1)[0])


def shrinks(coarse: float, fine: float, order: int, floor: float) -> bool:
    """Whether an error at half the step is 2^order times smaller, within a quarter; or lost in rounding."""
    return fine < 1.25 * coarse / 2**order + floor
