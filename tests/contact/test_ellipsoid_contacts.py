"""Ellipsoids in the narrow phase: nearest points against points tried one by one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from linkwork.contact.round.ellipsoid_points import ellipsoid_distance, nearest_to_origin, radial_distance, support_of
from random_mechanisms import random_rotation

SPHERE = np.random.default_rng(1).normal(size=(200_000, 3))
SPHERE /= np.linalg.norm(SPHERE, axis=1)[:, None]


def rotation(rng: Any) -> Any:
    w, x, y, z = random_rotation(rng)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


@pytest.mark.parametrize("seed", range(8))
def test_distance_of_a_point(seed: int) -> None:
    rng = np.random.default_rng(seed)
    s = rng.uniform(0.1, 1.0, 3)
    z = rng.normal(size=3) * 1.5
    if (z**2 / s**2).sum() < 1:
        z *= 2.0 / math.sqrt((z**2 / s**2).sum())
    n, distance = ellipsoid_distance(tuple(z), tuple(s))
    tried = np.linalg.norm(SPHERE * s - z, axis=1).min()
    assert distance == pytest.approx(tried, rel=2e-3)
    assert distance <= tried + 1e-12
    y = z - distance * np.array(n)  # on the surface, with that normal
    assert (y**2 / s**2).sum() == pytest.approx(1.0, abs=1e-12)
    assert np.cross(y / s**2, n) == pytest.approx(np.zeros(3), abs=1e-9)


@pytest.mark.parametrize("part", [0.0, 0.3, 0.99])
def test_inside_it_is_negative(part: float) -> None:
    s = np.array([0.3, 0.1, 0.2])
    n, distance = ellipsoid_distance(tuple(part * s * np.array([0.6, 0.0, 0.8])), tuple(s))
    assert distance < 0.0
    assert np.linalg.norm(n) == pytest.approx(1.0)
    assert ellipsoid_distance((0.05, 0.0, 0.0), (0.2, 0.2, 0.2))[1] == pytest.approx(-0.15)
    assert radial_distance((0.5, 0.0, 0.0), (0.2, 0.2, 0.2))[1] == pytest.approx(0.3)


@pytest.mark.parametrize("seed", range(6))
def test_nearest_point_of_a_body_that_is_any_ellipsoid(seed: int) -> None:
    rng = np.random.default_rng(seed)
    M = rotation(rng) @ np.diag(rng.uniform(0.2, 1, 3)) @ rotation(rng)
    d = rng.normal(size=3)
    d *= 3.0 / np.linalg.norm(d)
    u, outside = nearest_to_origin(tuple(d), tuple(M[:, 0]), tuple(M[:, 1]), tuple(M[:, 2]))
    assert outside
    assert np.linalg.norm(u) == pytest.approx(1.0, abs=1e-12)
    found = np.linalg.norm(d + M @ np.array(u))
    tried = np.linalg.norm(d + SPHERE @ M.T, axis=1).min()
    assert found == pytest.approx(tried, rel=1e-3)
    assert found <= tried + 1e-12
    assert not nearest_to_origin((0.01, 0.0, 0.0), tuple(M[:, 0]), tuple(M[:, 1]), tuple(M[:, 2]))[1]


def test_support() -> None:
    rng = np.random.default_rng(5)
    R, s, n = rotation(rng), rng.uniform(0.1, 1, 3), rng.normal(size=3)
    x, far = support_of(tuple(R.ravel()), tuple(s), tuple(n))
    points = (SPHERE * s) @ R.T
    assert np.dot(x, n) == pytest.approx((points @ n).max(), rel=1e-3)
    assert far == pytest.approx(np.dot(x, n))
