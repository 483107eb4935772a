"""Hulls of many corners as polyhedra: closed, outward, flat parts in one face; no less than one face at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.assembly import polyhedra


def stone(corners: int, seed: int = 0) -> Any:
    """Random points on an ellipsoid."""
    x = np.random.default_rng(seed).normal(size=(corners, 3))
    return x / np.linalg.norm(x, axis=1)[:, None] * (0.5, 0.4, 0.35)


def face_sets(solid: Any) -> set[frozenset[int]]:
    return {frozenset(loop) for loop in solid.loops}


@pytest.mark.parametrize("points", ["stone", "fine cube"])
def test_both_ways_find_the_same_faces(points: str, monkeypatch: pytest.MonkeyPatch) -> None:
    grid = np.linspace(-1, 1, 6)
    cube = np.array([(x, y, z) for x in grid for y in grid for z in grid if max(abs(x), abs(y), abs(z)) == 1.0])
    given = stone(150) if points == "stone" else cube
    many = polyhedra.convex(given)
    monkeypatch.setattr(polyhedra, "FEW_CORNERS", 10**6)
    few = polyhedra._convex.__wrapped__(given.tobytes())
    assert np.array_equal(many.vertices, few.vertices)
    # one face after the other leaves out a triangle that is nearly parallel to another, and with it a hole
    assert face_sets(few) <= face_sets(many)
    if points == "fine cube":
        assert face_sets(few) == face_sets(many)
    near = np.abs(np.array(few.edges) @ np.array(many.edges).T).max(axis=1)
    assert near == pytest.approx(1.0, abs=1e-6)


def test_faces_are_closed_and_outward() -> None:
    solid = polyhedra.convex(stone(300, 1))
    corners = np.array(solid.vertices)
    sides = [(a, b) for loop in solid.loops for a, b in zip(loop, loop[1:] + loop[:1], strict=True)]
    assert len(set(sides)) == len(sides)
    assert set(sides) == {(b, a) for a, b in sides}
    assert len(corners) - len(sides) // 2 + len(solid.loops) == 2  # Euler
    for n, loop in zip(solid.normals, solid.loops, strict=True):
        a, b, c = corners[loop[:3]]
        assert np.cross(b - a, c - a) @ n > 0.0
        assert ((corners - a) @ n).max() < 4 * polyhedra.SAME_FACE * 0.5  # nothing outside, all of it flat


def test_twenty_thousand_triangles_are_assembled() -> None:
    fine = lw.Hull(stone(10002, 2))
    assert len(fine.triangles) == 20000
    model = lw.Model("boulder")
    model.body("boulder", shape=lw.Mesh(triangles=fine.triangles), mass=1.0, material=lw.Material())
    table = lw.assemble(model).tables.colliders
    assert len(table.vertex) == 10002
    assert len(table.face_normal) > 10000
