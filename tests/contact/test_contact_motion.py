"""Points of contact within a step: corners turn with their link, those of balls and rims stay the lowest ones."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from linkwork.contact.contact_motion import rim_turning, turning


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


def test_a_wheel_that_only_spins_touches_at_the_same_point() -> None:
    u, n = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    assert rim_turning(u, n, (0.0, 75.0, 0.0), 0.02, (0.0, 0.1, -0.3)) == pytest.approx((0, 0, 0), abs=1e-15)
