"""Cells and triangles of a height field: against interpolation in numpy, and points tried one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwork as lw
from found_contacts import HEIGHT, TRIANGLE, Found
from linkwork.model.frame import Frame

RNG = np.random.default_rng(0)
HEIGHTS = 0.3 * RNG.normal(size=(6, 5))
DX = DY = 0.5  # m


def field() -> Found:
    found = Found([lw.Sphere(0.1)], field=lw.HeightField(HEIGHTS, size=(2.5, 2.0)))
    found.at(Frame((0, 0, 9)))
    return found


def triangle_below(x: float, y: float) -> Any:
    """Corners of the triangle below a point; the diagonal of a cell is from its first to its last corner."""
    a, b = int((x + 1.25) // DX), int((y + 1.0) // DY)
    corner = lambda i, j: np.array([DX * i - 1.25, DY * j - 1.0, HEIGHTS[i, j]])  # noqa: E731
    s, t = (x + 1.25) / DX - a, (y + 1.0) / DY - b
    third = corner(a, b + 1) if t > s else corner(a + 1, b)
    return corner(a, b), corner(a + 1, b + 1), third


def test_heights_are_distances_from_the_triangle_below() -> None:
    found = field()
    (number,) = (k for k in range(2) if found.colliders.grid_shape[k, 0])
    for _ in range(100):
        x, y = RNG.uniform(-1.2, 1.2), RNG.uniform(-0.95, 0.95)
        one, two, three = triangle_below(x, y)
        n = np.cross(two - one, three - one)
        n *= np.sign(n[2]) / np.linalg.norm(n)
        z = np.array([x, y, RNG.uniform(0.5, 2.0)])  # above all of it
        gap, *normal = found.ask(HEIGHT, z, j=number)[:4]
        assert gap == pytest.approx(n @ (z - one))
        assert np.array(normal) == pytest.approx(n)
    # just inside a side, below the surface: the way out is through the side
    gap, *normal = found.ask(HEIGHT, (1.24, 0.1, -2.0), j=number)[:4]
    assert gap == pytest.approx(-0.01)
    assert normal == [1, 0, 0]


def test_the_nearest_point_of_a_triangle() -> None:
    found = field()
    weights = np.array([(i, j, 80 - i - j) for i in range(81) for j in range(81 - i)]) / 80.0
    for _ in range(40):
        corners, z = RNG.normal(size=(3, 3)), RNG.normal(size=3)
        *x, within = found.ask(TRIANGLE, z, *corners)[:4]
        cloud = np.linalg.norm(weights @ corners - z, axis=1)
        far = np.linalg.norm(np.array(x) - z)
        assert far <= cloud.min() + 1e-12
        assert far == pytest.approx(cloud.min(), abs=0.05)
        if within:  # perpendicular above it
            n = np.cross(corners[1] - corners[0], corners[2] - corners[0])
            assert np.linalg.norm(np.cross(z - x, n)) < 1e-9 * np.linalg.norm(n) * max(1.0, far)
