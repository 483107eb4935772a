"""Distances from points and segments: against other formulas, and points tried one by one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import linkwork as lw
from found_contacts import BETWEEN_SEGMENTS, DISTANCE, ON_SEGMENT, Found, distance
from known_shapes import SHAPES
from linkwork.model.frame import Frame

SOLIDS = ("box", "cylinder", "hull")
POSE = Frame((0.1, -0.2, 0.3), (0.5, -0.3, 0.2, 0.8))


def depth(shape: Any, x: Any) -> float:
    """How deep a point (shape's frame) is inside: to the nearest face, cap or side."""
    if isinstance(shape, lw.Box):
        return float((np.array(shape.size) / 2 - np.abs(x)).min())
    if isinstance(shape, lw.Cylinder):
        return min(shape.radius - math.hypot(x[0], x[1]), shape.length / 2 - abs(x[2]))
    faces = ConvexHull(np.array(shape.points)).equations
    return float(-(faces[:, :3] @ x + faces[:, 3]).max())


@pytest.mark.parametrize("name", SOLIDS)
def test_signed_distance_of_points_inside_and_outside(name: str) -> None:
    shape = SHAPES[name]
    found = Found([shape, lw.Sphere(0.1)])
    found.at(POSE, Frame((5, 5, 5)))
    rng = np.random.default_rng(0)
    inside = 0
    for _ in range(200):
        z = rng.uniform(-0.4, 0.4, size=3)
        x = np.array(POSE.point(z))
        *n, far = found.ask(DISTANCE, x)[:4]
        inner = depth(shape, z)
        inside += inner > 0
        assert far == pytest.approx(-inner if inner > 0 else distance(shape, z), abs=1e-9)
        assert np.linalg.norm(n) == pytest.approx(1.0)
        # the gradient of the distance
        assert found.ask(DISTANCE, x + 1e-6 * np.array(n))[3] - far == pytest.approx(1e-6, rel=1e-3)
    assert 10 < inside < 190


@pytest.mark.parametrize("name", SOLIDS)
def test_the_nearest_place_of_a_segment(name: str) -> None:
    found = Found([SHAPES[name], lw.Sphere(0.1)])
    found.at(POSE, Frame((5, 5, 5)))
    rng = np.random.default_rng(1)
    for _ in range(20):
        a, b = rng.normal(size=(2, 3)) * 0.6
        t = found.ask(ON_SEGMENT, a, b)[0]
        assert 0 <= t <= 1
        best = min(found.ask(DISTANCE, a + s * (b - a))[3] for s in np.linspace(0, 1, 101))
        gap = found.ask(DISTANCE, a + t * (b - a))[3]
        assert gap <= max(best, 0.0) + 1e-12  # inside, any place will do


def test_the_nearest_places_of_two_segments() -> None:
    found = Found([lw.Sphere(0.1)])
    rng = np.random.default_rng(2)
    places = np.linspace(0, 1, 101)
    for _ in range(30):
        a, u, b, v = rng.normal(size=(4, 3))
        s, t = found.ask(BETWEEN_SEGMENTS, a, u, b, v)[:2]
        tried = np.linalg.norm((a + places[:, None] * u)[:, None] - (b + places[:, None] * v)[None], axis=2).min()
        assert np.linalg.norm(a + s * u - b - t * v) <= tried + 1e-12
        assert 0 <= s <= 1
        assert 0 <= t <= 1
    # a point and a segment, and two parallel ones: the middle of what they have side by side
    assert found.ask(BETWEEN_SEGMENTS, (0.3, 1, 0), (0, 0, 0), (0, 0, 0), (1, 0, 0))[1] == pytest.approx(0.3)
    s, t = found.ask(BETWEEN_SEGMENTS, (0, 0, 0), (1, 0, 0), (0.2, 1, 0), (2, 0, 0))[:2]
    assert s == pytest.approx(0.2 + 2 * t)
