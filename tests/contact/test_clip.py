"""Clipping of faces, against the intersection of half planes, and the choice of four corners."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial import ConvexHull, HalfspaceIntersection

import linkwork as lw
from found_contacts import CLIP, FOUR, Found
from linkwork.model.frame import Frame


def square(turn: float, at: tuple[float, float], half: float) -> np.ndarray:
    """Half planes of a square: n . x + d <= 0."""
    angles = turn + np.arange(4) * math.pi / 2
    normals = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return np.column_stack([normals, -half - normals @ at])


def test_the_overlap_of_two_faces_is_that_of_their_half_planes() -> None:
    found = Found([lw.Box((1, 1, 1)), lw.Box((0.8, 0.8, 0.8))])
    top = next(f for f in range(6) if found.colliders.face_normal[f][2] > 0.9)
    rng = np.random.default_rng(0)
    for _ in range(30):
        turn, x, y = rng.uniform(-1, 1), *rng.uniform(-0.4, 0.4, size=2)
        found.at(Frame(), Frame((x, y, 0.9), (math.cos(turn / 2), 0, 0, math.sin(turn / 2))))
        count, here, face = (int(k) for k in found.ask(CLIP, (0, 0, 1), i=top, j=1)[:3])
        assert found.colliders.face_normal[face][2] < -0.9
        got = found.contact_scratch.corner[here, :count]
        assert got[:, 2] == pytest.approx(np.full(count, 0.5))
        planes = np.concatenate([square(0.0, (0, 0), 0.5), square(turn, (x, y), 0.4)])
        inner = HalfspaceIntersection(planes, np.array([x, y]) * 0.5).intersections
        assert ConvexHull(got[:, :2]).volume == pytest.approx(ConvexHull(inner).volume)
        # in order around it
        edge = np.roll(got, -1, axis=0) - got
        turns = np.cross(edge, np.roll(edge, -1, axis=0))[:, 2]
        assert (turns > -1e-12).all() or (turns < 1e-12).all()
        # each corner has features of its own
        assert len(set(found.contact_scratch.feature[here, :count].tolist())) == count


def test_nothing_is_left_of_faces_beside_each_other() -> None:
    found = Found([lw.Box((1, 1, 1)), lw.Box((1, 1, 1))])
    top = next(f for f in range(6) if found.colliders.face_normal[f][2] > 0.9)
    found.at(Frame(), Frame((1.5, 0, 1.0)))
    assert found.ask(CLIP, (0, 0, 1), i=top, j=1)[0] == 0


def test_four_corners_stand_for_all() -> None:
    """The deepest, the farthest from it, and the two that are farthest to either side of their line."""
    found = Found([lw.Box((1, 1, 1)), lw.Box((1, 1, 1))])
    rng = np.random.default_rng(1)
    for n in (5, 8, 14):
        points = np.column_stack([rng.normal(size=(n, 2)), np.zeros(n)])
        found.contact_scratch.corner[0, :n] = points
        found.contact_scratch.gap[:n] = gap = rng.normal(size=n)
        a, b, left, right = (int(k) for k in found.ask(FOUR, (0, 0, 1), i=n)[:4])
        assert a == gap.argmin()
        assert b == np.linalg.norm(points - points[a], axis=1).argmax()
        side = np.cross(points[b] - points[a], points - points[a])[:, 2]
        assert left == (side.argmax() if side.max() > 1e-9 else a)
        assert right == (side.argmin() if side.min() < -1e-9 else a)
