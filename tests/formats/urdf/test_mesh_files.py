"""Where the meshes of a robot are found, and what is not opened."""

from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from formats.urdf.robot_texts import MASS, link, put, robot

TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"


def showing(file: str, scale: str = "") -> str:
    picture = f"<geometry><mesh filename='{file}'{scale}/></geometry>"
    return robot(link("a", f"{MASS}<visual>{picture}</visual><collision>{picture}</collision>"))


def workspace(tmp_path: Path) -> Path:
    """A package with a robot and one with a mesh, side by side."""
    (tmp_path / "arm_description" / "urdf").mkdir(parents=True)
    (tmp_path / "parts" / "meshes").mkdir(parents=True)
    (tmp_path / "parts" / "meshes" / "solid.obj").write_text(TETRAHEDRON)
    return tmp_path / "arm_description" / "urdf" / "arm.urdf"


def test_packages_beside_the_file(tmp_path: Path) -> None:
    file = put(workspace(tmp_path), showing("package://parts/meshes/solid.obj", " scale='0.1 0.1 -0.2'"))
    model, receipt = lw.read(file)
    picture, collider = model.visuals["a visual"].shape, model.colliders["a collision"].shape
    assert picture.file == str(tmp_path / "parts" / "meshes" / "solid.obj")
    assert np.allclose(picture.com, (0.025, 0.025, -0.05))
    assert isinstance(collider, lw.Hull)
    assert collider.volume == pytest.approx(0.002 / 6)
    assert "<collision> of 'a' (line 2): collides as the convex hull of 4 of its corners" in str(receipt)
    whole, _ = lw.read(file, decompose=True)
    assert isinstance(whole.colliders["a collision"].shape, lw.Mesh)
    put(file, showing("package:///arm_description/../parts/meshes/solid.obj"))
    with pytest.raises(lw.ModelError, match=r"outside the folder of the model; give allow="):
        lw.read(file)


def test_packages_from_the_environment_and_by_argument(tmp_path: Path, monkeypatch) -> None:
    place = workspace(tmp_path / "far")
    file = put(tmp_path / "arm.urdf", showing("package://parts/meshes/solid.obj"))
    with pytest.raises(lw.ModelError, match="package 'parts' is neither in ROS_PACKAGE_PATH nor beside the file"):
        lw.read(file)
    far = place.parents[2]
    for given in ({"parts": far / "parts"}, [far], str(far), far / "parts"):
        assert lw.read(file, packages=given)[0].visuals
    monkeypatch.setenv("ROS_PACKAGE_PATH", f"/nowhere:{far}")
    assert lw.read(file)[0].visuals
    with pytest.raises(lw.OptionError, match="packages=3 must be folders"):
        lw.read(file, packages=3)


def test_paths_out_of_the_folder(tmp_path: Path) -> None:
    file = workspace(tmp_path)
    for name in ("../../parts/meshes/solid.obj", f"file://{tmp_path}/parts/meshes/solid.obj"):
        put(file, showing(name))
        with pytest.raises(lw.ModelError, match="'solid.obj' lies outside the folder of the model; give allow="):
            lw.read(file)
        model, receipt = lw.read(file, strict=False)
        assert not model.visuals
        assert not model.colliders
        assert [line.matters for line in receipt.ignored] == [False, True]
        assert lw.read(file, allow=[tmp_path / "parts"])[0].visuals
    (file.parent.parent / "package.xml").write_text("<package/>")
    (file.parent.parent / "solid.obj").write_text(TETRAHEDRON)
    put(file, showing("../solid.obj"))
    assert lw.read(file)[0].visuals  # the folder of a robot is that of its package


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("http://somewhere/solid.obj", "is not on this disk"),
        ("package://../solid.obj", "package '..' is neither"),
        ("package://", "cannot be read"),
        ("missing.stl", "cannot be read"),
        ("wrong.obj", "export it again as OBJ"),
    ],
)
def test_what_is_no_mesh(tmp_path: Path, name: str, words: str) -> None:
    (tmp_path / "wrong.obj").write_text("f 1 2 3\n")
    file = put(tmp_path / "arm.urdf", showing(name))
    with pytest.raises(lw.ModelError, match=words):
        lw.read(file)
    model, receipt = lw.read(file, contact=False)  # a missing picture stops nothing
    assert words in str(receipt)
    assert not model.visuals


def test_one_mesh_is_opened_once(tmp_path: Path) -> None:
    picture = "<visual><geometry><mesh filename='solid.obj'/></geometry></visual>"
    (tmp_path / "solid.obj").write_text(TETRAHEDRON)
    model, _ = lw.read(put(tmp_path / "arm.urdf", robot(link("a", MASS + picture + picture))))
    one, two = (each.shape.triangles for each in model.visuals.values())
    assert one is two
