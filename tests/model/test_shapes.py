import math
import struct
from pathlib import Path

import numpy as np
import pytest

from linkwork.model import Box, Capsule, Cylinder, Frame, Mesh, Model, Shape, Sphere

SHAPES = [
    Box((0.3, 0.5, 0.7)),
    Sphere(0.4),
    Cylinder(0.3, 0.8),
    Cylinder(0.3, 0.8, inner_radius=0.2),
    Capsule(0.2, 0.5),
]


def inside(shape: Shape, x: np.ndarray) -> np.ndarray:
    """Which points lie in the shape, from its definition."""
    match shape:
        case Box():
            return (np.abs(x) <= np.array(shape.size) / 2).all(axis=1)
        case Sphere():
            return (x**2).sum(axis=1) <= shape.radius**2
        case Cylinder():
            across = x[:, 0] ** 2 + x[:, 1] ** 2
            ring = (across <= shape.radius**2) & (across >= shape.inner_radius**2)
            return ring & (np.abs(x[:, 2]) <= shape.length / 2)
        case Capsule():
            nearest = np.clip(x[:, 2], -shape.length / 2, shape.length / 2)
            return x[:, 0] ** 2 + x[:, 1] ** 2 + (x[:, 2] - nearest) ** 2 <= shape.radius**2
    raise AssertionError


@pytest.mark.parametrize("shape", SHAPES, ids=repr)
def test_against_a_grid_of_points(shape: Shape) -> None:
    side = np.linspace(-0.5, 0.5, 100, endpoint=False) + 0.005
    points = np.stack(np.meshgrid(side, side, side, indexing="ij"), axis=-1).reshape(-1, 3)
    points = points[inside(shape, points)]
    second = points.T @ points / len(points)
    inertia = np.trace(second) * np.eye(3) - second
    assert shape.volume == pytest.approx(len(points) * 1e-6, rel=0.02)
    assert np.allclose(shape.inertia_per_mass(), inertia, rtol=0.02, atol=1e-4)
    assert np.array_equal(shape.com, np.zeros(3))


def test_pose_moves_the_centre_and_turns_the_inertia() -> None:
    rod = Cylinder(0.01, 1.0, pose=Frame.along((1, 0, 0), at=(0.5, 0, 0)))
    assert np.allclose(rod.com, (0.5, 0, 0))
    assert np.allclose(rod.inertia_per_mass(), np.diag((5e-5, 1 / 12 + 2.5e-5, 1 / 12 + 2.5e-5)))


def cube(turned_inside_out: bool = False) -> np.ndarray:
    """Triangles of the box from (0, 0, 0) to (1, 2, 3)."""
    corner = np.array([(x, y, z) for x in (0, 1) for y in (0, 2) for z in (0, 3)], dtype=float)
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = np.array([corner[list(t)] for a, b, c, d in faces for t in ((a, b, c), (a, c, d))])
    return triangles[:, ::-1] if turned_inside_out else triangles


def write_text(file: Path, triangles: np.ndarray) -> Path:
    lines = ["solid cube"]
    for triangle in triangles:
        lines += ["facet normal 0 0 0", "outer loop"]
        lines += ["vertex " + " ".join(map(str, corner)) for corner in triangle]
        lines += ["endloop", "endfacet"]
    file.write_text("\n".join([*lines, "endsolid cube"]))
    return file


def write_binary(file: Path, triangles: np.ndarray) -> Path:
    rows = [struct.pack("<12fH", 0, 0, 0, *triangle.ravel(), 0) for triangle in triangles]
    file.write_bytes(b"solid".ljust(80) + struct.pack("<I", len(rows)) + b"".join(rows))
    return file


@pytest.mark.parametrize("write", [write_text, write_binary])
@pytest.mark.parametrize("inside_out", [False, True])
def test_mesh_is_the_solid_inside(tmp_path: Path, write, inside_out: bool) -> None:
    mesh = Mesh(write(tmp_path / "cube.stl", cube(inside_out)), scale=0.1)
    box = Box((0.1, 0.2, 0.3), pose=Frame((0.05, 0.1, 0.15)))
    assert mesh.triangles.shape == (12, 3, 3)
    assert mesh.volume == pytest.approx(0.006)
    assert np.allclose(mesh.com, box.com)
    assert np.allclose(mesh.inertia_per_mass(), box.inertia_per_mass())


def test_mesh_with_holes_may_be_a_picture(tmp_path: Path, refused) -> None:
    mesh = Mesh(write_text(tmp_path / "open.stl", cube()[:-3]))
    with refused("open.stl", "open edges", "mass=, inertia= and com="):
        _ = mesh.volume
    model = Model("picture")
    body = model.body("lid", shape=mesh, mass=1.0, inertia=(1, 1, 1), com=(0, 0, 0))
    assert body.shape is mesh


def test_refused_meshes(tmp_path: Path, refused) -> None:
    with refused("missing.stl", "cannot be read", "path"):
        Mesh(tmp_path / "missing.stl")
    (tmp_path / "text.stl").write_text("hello")
    with refused("text.stl", "no triangles", "export"):
        Mesh(tmp_path / "text.stl")
    (tmp_path / "torn.stl").write_text("vertex 1 2 3\nvertex 1 2")
    with refused("torn.stl", "export"):
        Mesh(tmp_path / "torn.stl")
    flat = np.array([cube()[0], cube()[0][::-1]])
    with refused("flat.stl", "area"):
        _ = Mesh(write_text(tmp_path / "flat.stl", flat)).volume
    with refused("cube.stl", "scale", "positive"):
        Mesh(write_text(tmp_path / "cube.stl", cube()), scale=0)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Box((1, 2)), ("Box", "size", "3 numbers in metres")),
        (lambda: Box((1, 2, 0)), ("Box", "size", "positive")),
        (lambda: Box(1.0), ("Box", "size", "3 numbers")),
        (lambda: Sphere(-1), ("Sphere", "radius", "positive")),
        (lambda: Sphere(math.nan), ("Sphere", "radius", "finite")),
        (lambda: Sphere("1"), ("Sphere", "radius", "number")),
        (lambda: Cylinder(0.1, 0), ("Cylinder", "length", "positive")),
        (lambda: Cylinder(0.1, 1, inner_radius=0.1), ("Cylinder", "inner_radius", "smaller")),
        (lambda: Cylinder(0.1, 1, -0.1), ("Cylinder", "inner_radius", "negative")),
        (lambda: Capsule(0.1, -1), ("Capsule", "length", "negative")),
        (lambda: Sphere(1, pose=(0, 0, 0)), ("Sphere", "pose=lw.Frame")),
    ],
)
def test_refusals(refused, make, words) -> None:
    with refused(*words):
        make()


def test_shapes_compare() -> None:
    assert Box((1, 2, 3)) == Box([1, 2, 3])
    assert Sphere(1) != Sphere(1, pose=Frame((1, 0, 0)))


@pytest.mark.parametrize("size", [0, 1, 79, 80, 83, 84, 85, 133, 135, 300])
def test_a_short_stl_file_is_refused(tmp_path: Path, refused, size: int) -> None:
    whole = write_binary(tmp_path / "whole.stl", cube()).read_bytes()
    (tmp_path / "short.stl").write_bytes(whole[:size])
    with refused("short.stl", "export it again as STL"):
        Mesh(tmp_path / "short.stl")


def test_corners_that_no_solid_can_have(tmp_path: Path, refused) -> None:
    for size, scale in ((1e200, 1.0), (1.0, 1e60), (1e300, 1e90)):
        with refused("far.stl", "farther away than 1e+40 m"):
            Mesh(write_text(tmp_path / "far.stl", size * cube()), scale=scale)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("a\0b.stl", "cannot be the name of a file"),
        ("a\ud800b.stl", "cannot be the name of a file"),
        ("x" * 300 + ".stl", "File name too long"),
        ("/dev/zero", "is a device"),
    ],
)
def test_what_cannot_be_the_name_of_a_mesh(refused, name: str, words: str) -> None:
    with refused(words, "give the path of an STL file"):
        Mesh(name)
