"""Damaged SDF files give a model or one line."""

from pathlib import Path

import pytest

import linkwork as lw
from formats.fuzzing import fuzz
from formats.sdf.biped_file import biped
from formats.sdf.everything import EVERYTHING, FOOT


def read(file: Path) -> None:
    lw.read(file, strict=False, repair=True)


def seeds(folder: Path) -> dict[str, bytes]:
    (folder / "foot").mkdir()
    (folder / "foot" / "model.sdf").write_text(FOOT)
    (folder / "meshes").mkdir()
    corners, faces = ["0 0 0", "1 0 0", "0 1 0", "0 0 1"], [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]
    (folder / "meshes" / "t.stl").write_text("\n".join(f"vertex {corners[k]}" for face in faces for k in face))
    world = EVERYTHING.encode()
    return {"world.sdf": world, "biped.sdf": biped().encode(), "again.sdf": world}


def test_the_whole_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "world.sdf"
    file.write_bytes(seeds(tmp_path)["world.sdf"])
    model, receipt = lw.read(file, strict=False)
    assert (len(list(model.all_bodies())), len(list(model.all_joints()))) == (12, 13)
    assert [line.what for line in receipt.lost] == ["<collide_bitmask>"]


def test_damaged_files(tmp_path: Path) -> None:
    found = fuzz(read, seeds(tmp_path), tmp_path, 300)
    assert found["read"] > 30
    assert found["refused"] > 30


@pytest.mark.long
def test_many_damaged_files(tmp_path: Path) -> None:
    found = fuzz(read, seeds(tmp_path), tmp_path, 10_000, first=1000)
    assert found["read"] > 1000
    assert found["refused"] > 1000
