"""Surfaces that are not quite closed: welded, turned, filled, or refused in one line."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.formats.meshes.obj import obj_bytes
from linkwork.model.shapes.mended_mesh import mended, open_edges

CORNERS = np.array([(x, y, z) for x in (0.0, 1.0) for y in (0.0, 2.0) for z in (0.0, 3.0)])
QUADS = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


def box(corners: Any = CORNERS) -> Any:
    """Twelve triangles, outward."""
    faces = [face for a, b, c, d in QUADS for face in ((a, b, c), (a, c, d))]
    return np.asarray(corners)[np.array(faces)]


def ball(n: int = 24) -> Any:
    """A globe of n meridians."""
    polar, turn = np.meshgrid(np.linspace(0, np.pi, n), np.linspace(0, 2 * np.pi, 2 * n, endpoint=False), indexing="ij")
    points = np.stack([np.sin(polar) * np.cos(turn), np.sin(polar) * np.sin(turn), np.cos(polar)], axis=-1)
    points[0], points[-1] = (0, 0, 1), (0, 0, -1)
    right = np.roll(points, -1, axis=1)
    a, b, c, d = points[:-1], points[1:], right[1:], right[:-1]
    return np.concatenate([np.stack(f, axis=-2).reshape(-1, 3, 3) for f in ((a, b, c), (a, c, d))])


def solid(triangles: Any) -> tuple[float, Any, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.ModelWarning)
        mesh = lw.Mesh(triangles=triangles)
        return mesh.volume, mesh.com, mesh.inertia_per_mass()


def is_the_box(triangles: Any) -> None:
    volume, com, inertia = solid(triangles)
    assert volume == pytest.approx(6.0, rel=1e-12)
    np.testing.assert_allclose(com, [0.5, 1.0, 1.5], rtol=1e-12)
    moments = np.array([4 + 9, 1 + 9, 1 + 4]) / 12
    np.testing.assert_allclose(inertia, np.diag(moments), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("ending", ["stl", "obj"])
@pytest.mark.parametrize("missing", range(12))
def test_a_cube_that_misses_a_triangle_is_whole(tmp_path: Path, ending: str, missing: int) -> None:
    found = np.delete(box(), missing, axis=0)
    path = tmp_path / f"box.{ending}"
    if ending == "obj":
        path.write_bytes(obj_bytes(found))
    else:
        lines = [f"facet normal 0 0 0\nouter loop\n{corners}\nendloop\nendfacet" for corners in map(_vertices, found)]
        path.write_text("\n".join(["solid box", *lines, "endsolid box"]))
    mesh = lw.Mesh(path)
    with pytest.warns(lw.ModelWarning, match="1 hole filled"):
        assert mesh.volume == pytest.approx(6.0, rel=1e-12)
    assert mesh.mended == "1 hole filled"
    is_the_box(mesh.triangles)
    assert len(mesh.triangles) == 11  # what the file has


def _vertices(triangle: Any) -> str:
    return "\n".join(f"vertex {x} {y} {z}" for x, y, z in triangle.tolist())


def test_flipped_triangles_are_turned() -> None:
    triangles = box()
    for which in ([0], [3, 7], [0, 1, 2, 3, 4]):
        found = triangles.copy()
        found[which] = found[which][:, ::-1]
        assert mended(found, "box").turned == len(which)
        is_the_box(found)
    is_the_box(triangles[:, ::-1])  # all of it is inside out


def test_a_flipped_triangle_beside_a_hole() -> None:
    found = box()[1:]
    found[0] = found[0][::-1]
    assert mended(found, "box").told == "1 hole filled, 1 triangle turned"
    is_the_box(found)


def test_corners_that_lie_together_are_one() -> None:
    """Corners rounded apart, triangles that shrank to a line, and triangles that are there twice."""
    rng = np.random.default_rng(1)
    found = box() + rng.uniform(-1e-7, 1e-7, (12, 3, 3))
    volume, _, _ = solid(found)
    assert volume == pytest.approx(6.0, rel=1e-6)
    assert mended(found, "box").holes == 0
    needle = np.array([[(0, 0, 0), (0, 0, 3), (0, 0, 0)]], dtype=float)
    twice = np.concatenate([box(), needle, box()[4:5]])
    assert mended(twice, "box").dropped == 2
    is_the_box(twice)


def test_a_crack_is_closed() -> None:
    """A corner on one side of an edge only: the hole has no area."""
    triangles = box()
    a, b, c = triangles[0]
    middle = (a + b) / 2
    cracked = np.concatenate([triangles[1:], [[a, middle, c], [middle, b, c]]])
    assert len(open_edges(np.unique(cracked.reshape(-1, 3), axis=0, return_inverse=True)[1].reshape(-1, 3))) == 3
    is_the_box(cracked)


def test_shells_and_cavities() -> None:
    """Two solids add, a cavity is taken away; inside out they are the same, and one alone inside out is turned."""
    hole = 0.25 + 0.5 * box() / [1, 2, 3]
    hollow = np.concatenate([box(), hole[:, ::-1]])
    apart = np.concatenate([box(), box(CORNERS + 5.0)[:, ::-1]])
    for given, volume in ((hollow, 6.0 - 0.125), (apart, 12.0)):
        for found in (given, given[:, ::-1]):
            assert solid(found)[0] == pytest.approx(volume, rel=1e-12)


def test_small_holes_of_a_globe_are_filled() -> None:
    whole = ball()
    found = np.delete(whole, [30, 31, 400, 950], axis=0)
    done = mended(found, "globe")
    assert 2 <= done.holes <= 4
    assert solid(found)[0] == pytest.approx(solid(whole)[0], rel=1e-3)


def test_large_holes_are_refused_in_one_line(refused: Any) -> None:
    mesh = lw.Mesh(triangles=box()[2:])
    with refused("4 open edges", "1 hole", "%", "mass="):
        mesh.volume  # noqa: B018
    half = ball()
    with refused("open edges", "mass="):
        solid(half[half[:, :, 2].max(axis=1) < 0.5])
    body = lw.Model("drawn").body("lid", shape=mesh, mass=1.0, inertia=(1, 1, 1), com=(0, 0, 0))
    assert body.mass == 1.0  # what is only drawn may have holes


def test_two_opposite_holes_are_seen(refused: Any) -> None:
    """Their areas cancel, which sums of areas do not tell."""
    with refused("8 open edges", "2 holes"):
        solid(box()[4:])


def test_a_moebius_strip_is_refused(refused: Any) -> None:
    turn = np.linspace(0, 2 * np.pi, 41)[:-1]
    side = np.stack([np.cos(turn / 2) * np.cos(turn), np.cos(turn / 2) * np.sin(turn), np.sin(turn / 2)], axis=-1)
    centre = np.stack([np.cos(turn), np.sin(turn), np.zeros(40)], axis=-1)
    low, high = centre - 0.2 * side, centre + 0.2 * side
    next_low, next_high = np.roll(low, -1, axis=0), np.roll(high, -1, axis=0)
    next_low[-1], next_high[-1] = high[0], low[0]
    strip = [np.stack([low, next_low, high], axis=1), np.stack([high, next_low, next_high], axis=1)]
    with refused("open edges"):
        solid(np.concatenate(strip))
