"""Stones: hulls of many corners, their distance and depth against the Minkowski difference; how they come to rest."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import linkwork as lw
from found_contacts import POLYHEDRA, STONES, Found, poses
from linkwork.contact.polyhedra.box_axis import EDGES, FACE_OF_I, FACE_PREFERENCE, SEPARATED
from linkwork.model.frame import Frame


def stone(corners: int, seed: int = 0, size: float = 0.5) -> lw.Hull:
    """Random points on an ellipsoid."""
    x = np.random.default_rng(seed).normal(size=(corners, 3))
    return lw.Hull(x / np.linalg.norm(x, axis=1)[:, None] * (size, 0.8 * size, 0.7 * size))


PAIRS = {
    "two stones": (stone(60), stone(40, 1)),
    "many corners": (stone(100, 2), stone(90, 3)),
    "box": (lw.Box((1.0, 0.6, 0.4)), stone(80, 4)),
}


@pytest.mark.parametrize("pair", PAIRS)
def test_axis_and_gap_are_those_of_the_minkowski_difference(pair: str) -> None:
    found = Found(list(PAIRS[pair]))
    apart = inside = 0
    for seed in range(30):
        found.at(*poses(seed, 0.2 if seed % 3 else 0.7))
        A, B = found.vertices(0), found.vertices(1)
        region, _, *n, gap, x, y, z = found.ask(STONES, i=0, j=1)
        along = (B @ n).min() - (A @ n).max()
        deepest = float(ConvexHull((B[:, None] - A[None, :]).reshape(-1, 3)).equations[:, 3].max())
        assert np.linalg.norm(n) == pytest.approx(1.0)
        if deepest < 0.0:
            inside += 1
            assert along == pytest.approx(deepest, abs=1e-8)
        else:
            # nothing is nearer than along the axis of the nearest points, and they are on both surfaces
            apart += 1
            assert along >= deepest - 1e-12
            assert (A @ n).max() + along / 2 == pytest.approx(np.dot(n, (x, y, z)), abs=1e-8)
        assert gap == pytest.approx(along, abs=FACE_PREFERENCE * 0.5)
        assert gap <= along + 1e-12
        if region == EDGES:
            assert gap == pytest.approx(along, abs=1e-8)
    assert apart > 3
    assert inside > 10


def test_far_stones_are_separated() -> None:
    found = Found([stone(60), stone(60)])
    found.at(lw.Frame((0, 0, 0)), lw.Frame((1.5, 0.2, 0)))
    assert found.ask(STONES, i=0, j=1, margin=0.3)[0] == SEPARATED
    assert not found.at(lw.Frame((0, 0, 0)), lw.Frame((1.5, 0.2, 0)))


def test_few_corners_have_the_axis_of_the_minkowski_difference() -> None:
    """Their faces are tried first, and edges only where no face can be it."""
    faces = edges = 0
    for a, b in ((6, 6), (10, 11), (6, 12)):
        found = Found([stone(a, 7), stone(b, 8)])
        for seed in range(40):
            found.at(*poses(seed, 0.2))
            A, B = found.vertices(0), found.vertices(1)
            region, _, *n, gap = found.ask(POLYHEDRA, i=0, j=1)[:6]
            deepest = float(ConvexHull((B[:, None] - A[None, :]).reshape(-1, 3)).equations[:, 3].max())
            if deepest > 0.0:
                continue
            assert gap == pytest.approx(deepest, abs=2 * FACE_PREFERENCE * 0.5)
            if region == EDGES:
                edges += 1
                assert (B @ n).min() - (A @ n).max() == pytest.approx(gap, abs=1e-8)
            else:
                faces += 1
    assert faces > 10
    assert edges > 10


def test_a_prism_of_many_corners_lies_on_its_face() -> None:
    ring = [(0.3 * np.cos(a), 0.3 * np.sin(a), z) for a in np.linspace(0, 2 * np.pi, 40)[:-1] for z in (-0.1, 0.1)]
    found = Found([lw.Box((2, 2, 0.2)), lw.Hull(ring)])
    contacts = found.at(lw.Frame(), lw.Frame((0.1, 0.2, 0.1995)))
    assert len(contacts) == 4
    for point, normal, depth, _ in contacts:
        assert abs(normal[2]) == pytest.approx(1.0)
        assert depth == pytest.approx(5e-4, abs=1e-9)
        assert np.hypot(point[0] - 0.1, point[1] - 0.2) == pytest.approx(0.3, abs=1e-3)
    found = Found([lw.Hull(ring)], plane=True)
    assert len(found.at(lw.Frame((0.1, 0.2, 0.0995)))) == 4


@pytest.mark.parametrize("method", ["impulse", "maximal"])
@pytest.mark.parametrize("floor", ["plane", "box"])
def test_a_stone_comes_to_rest_on_three_corners(method: str, floor: str) -> None:
    model = lw.Model("stone")
    if floor == "plane":
        model.plane("floor")
    else:
        model.collider("floor", "ground", lw.Box((4, 4, 1), pose=lw.Frame((0, 0, -0.5))))
    shape = stone(200, 5, 0.1)
    body = model.body("stone", shape=shape, density=2000.0, position=(0, 0, 0.15), material=lw.Material(friction=0.8))
    model.free("loose", "ground", body, velocity=(0.2, 0, 0, 0, 3, 0))
    run = lw.simulate(model, until=4.0, method=method, dt=2e-3, every=10)
    R = lw.Frame(rotation=run["stone.rotation"][-1]).matrix
    height = np.sort((np.array(shape.points) @ R.T + run["stone.position"][-1])[:, 2])
    assert abs(height[0]) < 1e-4
    assert abs(height[2]) < 2e-4  # on three
    assert np.linalg.norm(run["stone.velocity"][-1]) < 1e-3
    total: Any = run.energy["total"]
    assert (total - total[0]).max() < 1e-3 * np.ptp(run.energy["potential"])


def test_faces_of_a_fine_mesh_are_merged() -> None:
    # a cube, each side of 2 x 8 x 8 triangles
    grid = np.linspace(-1, 1, 9)
    corners = np.array([(x, y, z) for x in grid for y in grid for z in grid if max(abs(x), abs(y), abs(z)) == 1.0])
    model = lw.Model("cube")
    model.body("cube", shape=lw.Hull(corners), mass=1.0, material=lw.Material())
    table = lw.assemble(model).tables.colliders
    assert len(table.face_normal) == 6
    assert np.abs(np.abs(table.face_normal).max(axis=1) - 1.0).max() < 1e-12
    assert len(table.edge) == 3


def test_neighbours_are_mutual_and_faces_close() -> None:
    model = lw.Model("stone")
    model.body("stone", shape=stone(300, 6), mass=1.0, material=lw.Material())
    model.body("ball", shape=lw.Sphere(0.1), mass=1.0, material=lw.Material())
    model.body("other", shape=stone(50, 7), mass=1.0, material=lw.Material())
    table = lw.assemble(model).tables.colliders
    corners, faces = np.diff(table.vertex_start), np.diff(table.face_start)
    assert corners.tolist() == [300, 1, 50]
    sides = np.diff(table.face_loop).sum() // 2
    assert corners[0] + corners[2] - sides + faces.sum() == 4  # Euler, twice
    start = table.neighbour_start
    pairs = {(a, int(b)) for a in range(351) for b in table.neighbour[start[a] : start[a + 1]]}
    assert pairs == {(b, a) for a, b in pairs}
    assert start[300] == start[301]  # the ball has none
    for f in range(len(table.face_normal)):
        loop = table.loop[table.face_loop[f] : table.face_loop[f + 1]]
        a, b, c = table.vertex[loop[:3]]
        assert np.cross(b - a, c - a) @ table.face_normal[f] > 0.0  # counter-clockwise


def test_twenty_thousand_triangles_are_assembled() -> None:
    fine = stone(10002, 8)
    assert len(fine.triangles) == 20000
    model = lw.Model("boulder")
    model.plane("floor")
    model.body("boulder", shape=lw.Mesh(triangles=fine.triangles), mass=1.0, material=lw.Material())
    table = lw.assemble(model).tables.colliders
    assert len(table.vertex) == 10002
    assert table.capacity < 100  # four points on a plane, however many corners there are


def test_level_prisms_that_overlap_have_the_axis_of_their_outlines() -> None:
    """Their Minkowski difference is symmetric, so that the origin can lie on a flat simplex deep inside of it."""
    rng = np.random.default_rng(7)
    outlines = (np.array([(-2, -1), (2, -1), (0.7, 1), (-0.7, 1)]), np.array([(-1.5, -1), (1.5, -1), (0.4, 1.5)]))
    prisms = [lw.Hull([(*x, z) for x in points for z in (-5.0, 5.0)]) for points in outlines]
    found = Found(prisms)
    deep = 0
    for _ in range(200):
        angles, place = rng.uniform(0.0, 2.0 * np.pi, 2), rng.uniform(-2.0, 2.0, 2)
        turned = [
            Frame((*p, 0.0), (np.cos(a / 2), 0, 0, np.sin(a / 2))) for a, p in zip(angles, ((0, 0), place), strict=True)
        ]
        found.at(*turned)
        A, B = (found.vertices(k)[:, :2] for k in range(2))
        facets = ConvexHull((B[:, None] - A[None, :]).reshape(-1, 2)).equations
        best = float(facets[:, 2].max())  # of the origin to the sides, negative inside
        if best > -0.05 or best < -2.0:
            continue
        deep += 1
        region, face, *n, gap = found.ask(POLYHEDRA, i=0, j=1)[:6]
        assert gap == pytest.approx(best, abs=3e-3 * 5.0)
        if region != EDGES:
            k = 0 if region == FACE_OF_I else 1
            n = found.contact_scratch.R[k].reshape(3, 3) @ found.colliders.face_normal[int(face)]
            n = n if k == 0 else -n
        assert (B @ n[:2]).min() - (A @ n[:2]).max() == pytest.approx(gap, abs=1e-9)
    assert deep > 50
