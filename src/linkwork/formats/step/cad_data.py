"""What a STEP file says, as plain data: parts with their solids and faces, and the tree of assemblies.

Lengths in metres, in the coordinates of the part. The process that reads the file saves it, the one that builds the
model loads it; nothing here needs OCP.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.model.checked import Vector

PLANE, CYLINDER, CONE, SPHERE, TORUS, OTHER = range(6)
FACE_KINDS = ("plane", "cylinder", "cone", "sphere", "torus", "surface")


@dataclass
class CadFace:
    """A face: its kind, a point and a direction of it, its radii (m; a torus has two) and its triangles in the solid.

    The direction of a plane is its normal, out of the solid. A curved face is `hollow` where the solid lies outside of
    it, as that of a bore does.
    """

    number: int
    kind: int
    point: Vector
    axis: Vector
    radii: tuple[float, float]
    hollow: bool
    first: int
    last: int

    @property
    def told(self) -> str:
        """The face in words: 'bore 3', 'plane 7'."""
        words = ("plane", "bore" if self.hollow else "shaft", "cone", "socket" if self.hollow else "ball")
        return f"{(*words, 'torus', 'surface')[self.kind]} {self.number}"


@dataclass
class CadSolid:
    """A solid of a part: volume (m3), centre (m), inertia per density about it (m5), triangles (n, 3, 3) and faces."""

    name: str
    volume: float
    centre: Vector
    inertia: Vector
    colour: str
    triangles: Vector
    faces: list[CadFace]


@dataclass
class CadPart:
    """A part or an assembly: solids of its own, or components. Several components may refer to one part."""

    name: str
    colour: str = ""
    layers: list[str] = field(default_factory=list)
    solids: list[CadSolid] = field(default_factory=list)
    sheets: int = 0
    wires: int = 0
    hollow: int = 0  # solids without volume
    components: list[CadComponent] = field(default_factory=list)


@dataclass
class CadComponent:
    """A use of a part in an assembly: its name, the part's key, its place (4x4, m) and its own colour."""

    name: str
    part: str
    place: Vector
    colour: str = ""


@dataclass
class CadFile:
    """All parts by their keys, the components at the top, and the unit of the file."""

    parts: dict[str, CadPart]
    top: list[CadComponent]
    unit: str


def save(file: CadFile, path: Path) -> None:
    """Write it as an npz file without Python objects."""
    solids = [solid for part in file.parts.values() for solid in part.solids]
    faces = [face for solid in solids for face in solid.faces]
    said = {
        "parts": {key: _said_part(part) for key, part in file.parts.items()},
        "top": [_said_component(component) for component in file.top],
        "unit": file.unit,
    }
    np.savez(
        path,
        said=np.frombuffer(json.dumps(said).encode(), dtype=np.uint8),
        triangles=np.concatenate([solid.triangles for solid in solids] or [np.zeros((0, 3, 3))]),
        face_codes=np.array([(f.number, f.kind, f.hollow, f.first, f.last) for f in faces], dtype=int).reshape(-1, 5),
        face_numbers=np.array([(*f.point, *f.axis, *f.radii) for f in faces]).reshape(-1, 8),
    )


def load(path: Path) -> CadFile:
    """Read what `save` wrote."""
    with np.load(path, allow_pickle=False) as stored:
        said = json.loads(stored["said"].tobytes())
        triangles, codes, numbers = stored["triangles"], stored["face_codes"], stored["face_numbers"]
    triangles.flags.writeable = False
    tables = _Tables(triangles, codes, numbers)
    parts = {key: _read_part(each, tables) for key, each in said["parts"].items()}
    return CadFile(parts, [_read_component(each) for each in said["top"]], said["unit"])


class _Tables:
    """Triangles and faces of all solids, handed out in order."""

    def __init__(self, triangles: Vector, codes: Any, numbers: Vector) -> None:
        self.triangles, self.codes, self.numbers = triangles, codes, numbers
        self.triangle = self.face = 0

    def next_triangles(self, count: int) -> Vector:
        self.triangle += count
        return self.triangles[self.triangle - count : self.triangle]

    def next_faces(self, count: int) -> list[CadFace]:
        self.face += count
        found = []
        for code, row in zip(
            self.codes[self.face - count : self.face], self.numbers[self.face - count :], strict=False
        ):
            number, kind, hollow, first, last = (int(each) for each in code)
            radii = (float(row[6]), float(row[7]))
            found.append(CadFace(number, kind, row[0:3], row[3:6], radii, bool(hollow), first, last))
        return found


def _said_part(part: CadPart) -> dict[str, Any]:
    kept = {key: getattr(part, key) for key in ("name", "colour", "layers", "sheets", "wires", "hollow")}
    solids = [
        {
            "name": solid.name,
            "volume": solid.volume,
            "centre": solid.centre.tolist(),
            "inertia": solid.inertia.tolist(),
            "colour": solid.colour,
            "triangles": len(solid.triangles),
            "faces": len(solid.faces),
        }
        for solid in part.solids
    ]
    return kept | {"solids": solids, "components": [_said_component(each) for each in part.components]}


def _read_part(said: dict[str, Any], tables: _Tables) -> CadPart:
    solids = [
        CadSolid(
            each["name"],
            each["volume"],
            np.array(each["centre"]),
            np.array(each["inertia"]),
            each["colour"],
            tables.next_triangles(each["triangles"]),
            tables.next_faces(each["faces"]),
        )
        for each in said["solids"]
    ]
    kept = {key: said[key] for key in ("name", "colour", "layers", "sheets", "wires", "hollow")}
    return CadPart(**kept, solids=solids, components=[_read_component(each) for each in said["components"]])


def _said_component(component: CadComponent) -> list[Any]:
    return [component.name, component.part, component.place.tolist(), component.colour]


def _read_component(said: list[Any]) -> CadComponent:
    name, part, place, colour = said
    return CadComponent(name, part, np.array(place), colour)
