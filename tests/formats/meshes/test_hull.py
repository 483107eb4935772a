"""Hulls of at most 40 corners around collision meshes."""

import numpy as np
import pytest

from linkwork.formats.meshes.hull import DIRECTIONS, MOST, reduced_hull
from linkwork.model import Frame


def test_directions_are_well_spread() -> None:
    assert len(DIRECTIONS) == MOST
    assert np.linalg.norm(DIRECTIONS, axis=1) == pytest.approx(1.0, abs=1e-15)
    some = np.random.default_rng(1).normal(size=(2000, 3))
    some /= np.linalg.norm(some, axis=1)[:, None]
    assert np.degrees(np.arccos((some @ DIRECTIONS.T).max(axis=1))).max() < 35.0


def test_boxes_are_kept_exactly() -> None:
    corners = np.array([(x, y, z) for x in (0, 1) for y in (0, 0.2) for z in (0, 3)])
    points = np.concatenate((corners, np.random.default_rng(1).uniform((0, 0, 0), (1, 0.2, 3), (500, 3))))
    found = reduced_hull(points, Frame((1, 2, 3)))
    assert found.hull.volume == pytest.approx(0.6)
    assert found.left_out == 0.0
    assert not found.flat
    assert found.hull.pose == Frame((1, 2, 3))


def test_balls_are_near() -> None:
    points = np.random.default_rng(1).normal(size=(20000, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    found = reduced_hull(points)
    assert len(found.hull.points) == MOST
    assert 0.8 * 4 / 3 * np.pi < found.hull.volume < 4 / 3 * np.pi
    assert 0.0 < found.left_out < 0.15
    assert f"{found.left_out * 1e3:.3g} mm" in found.told


@pytest.mark.parametrize("points", [[(0, 0, 0)], [(0, 0, 0), (1, 0, 0)], [(0, 0, 0), (1, 0, 1), (0, 1, 1), (1, 1, 2)]])
def test_flat_meshes_are_made_thick(points) -> None:
    found = reduced_hull(np.array(points, dtype=float))
    assert found.flat
    assert "flat" in found.told
    assert found.hull.volume > 0.0
    assert np.ptp(found.hull.points, axis=0).max() < 1.01 * max(np.ptp(points, axis=0).max(), 1e-3) + 2e-3


def test_a_few_corners_are_kept_exactly() -> None:
    chance = np.random.default_rng(3)
    corners = chance.normal(size=(38, 3))
    corners /= np.linalg.norm(corners, axis=1)[:, None]
    weights = chance.dirichlet(np.ones(38), size=5000)
    found = reduced_hull(np.concatenate((weights @ corners, corners)))
    assert len(found.hull.points) == 38
    assert found.left_out == 0.0
    assert found.told == "collides as the convex hull of 38 of its corners"
