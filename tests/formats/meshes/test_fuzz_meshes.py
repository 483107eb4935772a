"""Damaged mesh files give a mesh or one line."""

from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from formats.fuzzing import fuzz
from formats.meshes.test_mesh_files import FACES, dae, obj


def read(file: Path) -> None:
    mesh = lw.Mesh(file)
    assert np.isfinite(mesh.triangles).all()
    with suppress(lw.ModelError):  # a surface that is not closed can be drawn
        assert mesh.volume > 0.0


def seeds(folder: Path) -> dict[str, bytes]:
    box = obj(folder / "box.obj")
    triangles = lw.Mesh(box).triangles
    record = np.zeros(12, dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    record["corners"] = triangles
    text = "\n".join(f"  vertex {x} {y} {z}" for triangle in triangles for x, y, z in triangle)
    node = "<translate>1 0 0</translate><rotate>0 0 1 90</rotate><scale>1 1 2</scale>"
    kinds = {f"{kind}.dae": dae(folder / f"{kind}.dae", FACES[kind], node=node).read_bytes() for kind in FACES}
    return {
        "binary.stl": bytes(80) + np.uint32(12).tobytes() + record.tobytes(),
        "text.stl": text.encode(),
        "box.obj": box.read_bytes(),
        **kinds,
    }


def test_damaged_files(tmp_path: Path) -> None:
    found = fuzz(read, seeds(tmp_path), tmp_path, 400)
    assert found["read"] > 40
    assert found["refused"] > 40


@pytest.mark.long
def test_many_damaged_files(tmp_path: Path) -> None:
    found = fuzz(read, seeds(tmp_path), tmp_path, 10_000, first=1000)
    assert found["read"] > 1000
    assert found["refused"] > 1000
