"""Files beside a written model file: long tables of numbers as csv, meshes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.formats.meshes.obj import obj_bytes
from linkwork.formats.model_file.csv_numbers import MOST, written_numbers
from linkwork.formats.sources import read_bytes
from linkwork.model.checked import Vector
from linkwork.model.shapes.mesh import Mesh

INLINE = 240  # numbers that a list in the file may have


class CannotSay(Exception):
    """A file cannot say this; the message says why and what to do."""


class Beside:
    """The files that are written with a model file, in a folder beside it, by their paths."""

    def __init__(self, path: Path, meshes: Iterable[Mesh] = ()) -> None:
        self.path = path
        self.folder = f"{path.stem if path.suffix.lower() == '.toml' else path.name}_files"
        self._kept = {Path(mesh.file).resolve() for mesh in meshes if mesh.file is not None}
        self.files: dict[Path, bytes] = {}
        self._meshes: dict[str, str] = {}

    def numbers(self, values: Any, told: str) -> Any:
        """Numbers as a list, or in a csv file where they are many."""
        array = np.asarray(values, dtype=float)
        if array.size <= INLINE or array.ndim > 2:
            return array.tolist()
        return {"file": self._csv(array.reshape(len(array), -1), told)}

    def columns(self, columns: list[Any], told: str) -> str | None:
        """The path of a csv file with these columns; None where their numbers are few."""
        table = np.column_stack([np.asarray(each, dtype=float) for each in columns])
        return None if table.size <= INLINE else self._csv(table, told)

    def mesh(self, mesh: Mesh, told: str) -> dict[str, Any]:
        """The keys `file` and `scale` of a mesh: its own file where that is beside the model file, else a copy."""
        if mesh.file is not None:
            scale: Any = mesh.scale
            keys = {} if scale == 1.0 else {"scale": list(scale) if isinstance(scale, tuple) else scale}
            source = Path(mesh.file)
            if _reads_back(mesh):
                return {"file": self._own(source) or self._copied(source, told), **keys}
        if mesh.digest not in self._meshes:
            self._meshes[mesh.digest] = self._add(told, ".obj", obj_bytes(mesh.triangles))
        return {"file": self._meshes[mesh.digest]}

    def _csv(self, table: Vector, told: str) -> str:
        if table.size > MOST:
            raise CannotSay(f"it has {table.size} numbers in one table, and a file may have {MOST}; give fewer")
        return self._add(told, ".csv", written_numbers(table))

    def _own(self, source: Path) -> str | None:
        """The path of a file inside the folder of the model file."""
        folder, whole = self.path.parent.resolve(), source.resolve()
        return whole.relative_to(folder).as_posix() if whole.is_relative_to(folder) else None

    def _copied(self, source: Path, told: str) -> str:
        key = str(source.resolve())
        if key not in self._meshes:
            self._meshes[key] = self._add(source.stem, source.suffix.lower(), read_bytes(source, "a mesh file"))
        return self._meshes[key]

    def _add(self, told: str, ending: str, content: bytes) -> str:
        stem = re.sub(r"[^\w\- ]+", " ", told).strip()[:60].strip() or "data"
        name, number = f"{self.folder}/{stem}{ending}", 2
        while self.path.parent / name in self.files or self._others(self.path.parent / name, content):
            name, number = f"{self.folder}/{stem} {number}{ending}", number + 1
        self.files[self.path.parent / name] = content
        return name

    def _others(self, path: Path, content: bytes) -> bool:
        """Whether this is the file of a mesh of the model, with something else in it."""
        return path.resolve() in self._kept and path.is_file() and path.read_bytes() != content


def _reads_back(mesh: Mesh) -> bool:
    """Whether the file of a mesh still gives its triangles."""
    try:
        again = Mesh(str(mesh.file), mesh.scale)
    except ModelError:
        return False
    same: Vector = again.triangles
    return np.array_equal(same, mesh.triangles)
