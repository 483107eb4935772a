"""Hulls of many corners as polyhedra: closed, outward, flat parts in one face."""

from __future__ import annotations

from typing import Any

import numpy as np

import linkwork as lw
from linkwork.assembly.colliders import polyhedra


def stone(corners: int, seed: int = 0) -> Any:
    """Random points on an ellipsoid."""
    x = np.random.default_rng(seed).normal(size=(corners, 3))
    return x / np.linalg.norm(x, axis=1)[:, None] * (0.5, 0.4, 0.35)


def test_a_cube_of_many_corners_has_six_faces() -> None:
    grid = np.linspace(-1, 1, 6)
    cube = np.array([(x, y, z) for x in grid for y in grid for z in grid if max(abs(x), abs(y), abs(z)) == 1.0])
    assert len(polyhedra.convex(cube).loops) == 6


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
