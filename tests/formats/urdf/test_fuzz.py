"""Damaged URDF files give a model or one line."""

from pathlib import Path

import pytest

import linkwork as lw
from formats.fuzzing import fuzz
from formats.urdf.robot_texts import ARM


def read(file: Path) -> None:
    lw.read(file, strict=False)
    lw.read(file, repair=True, base="floating", self_collision=True, strict=False)


def seeds(folder: Path) -> dict[str, bytes]:
    corners = ["0 0 0", "100 0 0", "0 100 0", "0 0 100"]
    faces = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]
    (folder / "lower.stl").write_text("\n".join(f"vertex {corners[k]}" for face in faces for k in face))
    return {"arm.urdf": ARM.encode()}


def test_damaged_files(tmp_path: Path) -> None:
    found = fuzz(read, seeds(tmp_path), tmp_path, 300)
    assert found["read"] > 30
    assert found["refused"] > 30


@pytest.mark.long
def test_many_damaged_files(tmp_path: Path) -> None:
    found = fuzz(read, seeds(tmp_path), tmp_path, 10_000, first=1000)
    assert found["read"] > 1000
    assert found["refused"] > 1000
