"""Points of contact within a step: corners turn with their link, those of balls and rims stay the lowest ones."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import linkwork as lw
from linkwork.contact.in_time.contact_motion import arm_change, rim_turning, turning
from linkwork.contact.scratch import make_contact_scratch


@pytest.mark.parametrize("angle", [1e-6, 1e-2, 0.05, 2.0])
def test_corners_turn_with_their_link(angle: float) -> None:
    rng = np.random.default_rng(2)
    for _ in range(10):
        w, r = rng.normal(size=3), rng.normal(size=3)
        h = angle / np.linalg.norm(w)
        assert turning(tuple(w), h, tuple(r)) == pytest.approx(Rotation.from_rotvec(h * w).apply(r) - r, abs=1e-13)


def lowest(u: np.ndarray, n: np.ndarray, radius: float, half: float) -> np.ndarray:
    """From the centre of a cylinder to the lowest point of its rim along -n."""
    t = n - (n @ u) * u
    return -math.copysign(half, u @ n) * u - radius * t / np.linalg.norm(t)


def test_the_lowest_point_of_a_rim_stays_the_lowest() -> None:
    rng = np.random.default_rng(3)
    n = np.array([0, 0, 1.0])
    for _ in range(40):
        u = rng.normal(size=3)
        u /= np.linalg.norm(u)
        if not 0.2 < abs(u[2]) < 0.95:  # the other rim becomes the lower one, or no point is the lowest
            continue
        w = 3.0 * rng.normal(size=3)
        h = 0.02
        r = lowest(u, n, 0.2, 0.03)
        after = Rotation.from_rotvec(h * w).apply(u)
        given = rim_turning(tuple(u), tuple(n), tuple(w), h, tuple(r))
        assert given == pytest.approx(lowest(after, n, 0.2, 0.03) - r, abs=1e-12)


def test_the_end_of_a_capsule_goes_with_its_axis() -> None:
    """However it leans: what touches is below the end of the axis, and the radius does not turn."""
    model = lw.Model("capsule")
    model.body("capsule", mass=1.0, shape=lw.Capsule(0.1, 0.06), material=lw.Material())
    colliders = lw.assemble(model).tables.colliders
    scratch = make_contact_scratch(colliders)
    rng = np.random.default_rng(4)
    n = np.array([0, 0, 1.0])
    for _ in range(20):
        R = Rotation.from_quat(rng.normal(size=4))
        scratch.R[0] = R.as_matrix().ravel()
        u = R.apply((0, 0, -1.0 if R.as_matrix()[2, 2] > 0 else 1.0))  # to its lower end
        w, h = 10.0 * rng.normal(size=3), 5e-3
        given = arm_change(colliders, scratch, 0, tuple(n), tuple(w), h, tuple(0.03 * u - 0.1 * n))
        assert given == pytest.approx(0.03 * (Rotation.from_rotvec(h * w).apply(u) - u), abs=1e-14)


def test_a_wheel_that_only_spins_touches_at_the_same_point() -> None:
    u, n = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    assert rim_turning(u, n, (0.0, 75.0, 0.0), 0.02, (0.0, 0.1, -0.3)) == pytest.approx((0, 0, 0), abs=1e-15)
