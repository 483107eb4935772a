"""Meshes meet other bodies by their convex parts."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.model.shapes import convex_parts

FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


def stl(path: Path, corners: Any, faces: Any) -> Path:
    """Quadrilaterals, outward, as STL in words."""
    lines = ["solid it"]
    for face in faces:
        for tri in ((face[0], face[1], face[2]), (face[0], face[2], face[3])):
            lines += ["facet normal 0 0 0", "outer loop"]
            lines += [f"vertex {' '.join(str(x) for x in corners[k])}" for k in tri]
            lines += ["endloop", "endfacet"]
    path.write_text("\n".join([*lines, "endsolid it"]))
    return path


def trough(path: Path) -> Path:
    """A U of 1 m x 1 m x 0.5 m, its trench 0.4 m wide and 0.3 m deep along y."""
    outline = [(-0.5, 0), (0.5, 0), (0.5, 0.5), (0.2, 0.5), (0.2, 0.2), (-0.2, 0.2), (-0.2, 0.5), (-0.5, 0.5)]
    n = len(outline)
    corners = [(x, y, z) for y in (-0.5, 0.5) for x, z in outline]
    faces = [(k, k + n, (k + 1) % n + n, (k + 1) % n) for k in range(n)]
    for cap in ((0, 5, 6, 7), (0, 1, 4, 5), (1, 2, 3, 4)):
        faces += [cap, tuple(k + n for k in reversed(cap))]
    return stl(path, corners, faces)


def test_a_convex_mesh_is_its_own_part(tmp_path: Path) -> None:
    cube = [(x, y, z) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)]
    mesh = lw.Mesh(stl(tmp_path / "cube.stl", cube, FACES), pose=lw.Frame((0.3, 0, 0)))
    (part,) = mesh.parts
    assert part.volume == pytest.approx(0.008)
    assert part.pose == mesh.pose
    model = lw.Model("dice")
    model.plane("floor")
    model.body("die", shape=lw.Mesh(mesh.file), density=500.0, position=(0, 0, 0.2), material=lw.Material())
    run = lw.simulate(model, until=1.0, method="impulse", dt=5e-3)
    assert run["die.position"][-1] == pytest.approx([0, 0, 0.1], abs=2e-4)


def test_a_ball_lies_in_the_trench_of_a_mesh(tmp_path: Path) -> None:
    pytest.importorskip("coacd", reason="meshes are taken apart by coacd")
    mesh = lw.Mesh(trough(tmp_path / "trough.stl"))
    assert mesh.volume == pytest.approx(1.0 * 0.5 - 0.4 * 0.3, rel=1e-9)
    assert 2 <= len(mesh.parts) <= 6
    assert sum(part.volume for part in mesh.parts) == pytest.approx(mesh.volume, rel=0.03)
    model = lw.Model("trench")
    model.collider("trough", "ground", mesh)
    model.body("ball", shape=lw.Sphere(0.1), mass=1.0, position=(0.05, 0, 0.6), material=lw.Material())
    model.body("crate", shape=lw.Box((0.15, 0.15, 0.15)), mass=1.0, position=(0.35, 0, 0.6), material=lw.Material())
    run = lw.simulate(model, until=2.0, method="impulse", dt=5e-3)
    # the ball inside, the crate on a wall
    assert run["ball.position"][-1][2] == pytest.approx(0.3, abs=0.02)
    assert run["crate.position"][-1][2] == pytest.approx(0.575, abs=0.02)
    assert {pair[0] for pair in lw.Simulation(model, "impulse").contacts().bodies} <= {"trough", "ball", "crate"}


def test_parts_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(convex_parts, "cache_folder", lambda: tmp_path / "kernels")
    calls = []
    monkeypatch.setattr(convex_parts, "_taken_apart", lambda *a: calls.append(a) or [np.eye(3), np.ones((4, 3))])
    triangles = np.arange(18.0).reshape(2, 3, 3)
    first = convex_parts.convex_parts(triangles, 0.05, "Mesh")
    again = convex_parts.convex_parts(triangles, 0.05, "Mesh")
    assert len(calls) == 1
    assert [part.tolist() for part in again] == [part.tolist() for part in first]


def test_a_small_mesh_is_taken_apart_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Told the first time; read from the disk by whoever has the same triangles."""
    coacd = pytest.importorskip("coacd", reason="meshes are taken apart by coacd")
    monkeypatch.setattr(convex_parts, "cache_folder", lambda: tmp_path / "kernels")
    first = lw.Mesh(trough(tmp_path / "trough.stl")).parts
    told = capsys.readouterr().err
    assert "trough.stl" in told
    assert f"{len(first)} parts" in told
    monkeypatch.setattr(coacd, "run_coacd", lambda *_, **__: pytest.fail("it was taken apart again"))
    again = lw.Mesh(trough(tmp_path / "copy.stl")).parts
    assert capsys.readouterr().err == ""
    assert [part.points for part in again] == [part.points for part in first]
    with pytest.raises(pytest.fail.Exception):  # another concavity is another question
        lw.Mesh(tmp_path / "copy.stl", concavity=0.2).parts  # noqa: B018


def test_progress_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(convex_parts, "TELL_SECONDS", 0.05)
    assert convex_parts._with_progress(lambda: time.sleep(0.3) or 7, time.monotonic()) == 7
    assert capsys.readouterr().err.count(" s,") >= 2
    with pytest.raises(ValueError, match="no"):
        convex_parts._with_progress(lambda: int("no"), time.monotonic())


def test_without_the_extra_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setattr(convex_parts, "cache_folder", lambda: tmp_path / "kernels")
    monkeypatch.setitem(sys.modules, "coacd", None)
    model = lw.Model("trench")
    model.body("trough", shape=lw.Mesh(trough(tmp_path / "trough.stl")), mass=1.0, material=lw.Material())
    with pytest.raises(lw.ModelError, match=r"trough.stl' is not convex.*linkwork\[mesh\]"):
        lw.Simulation(model, "impulse")
