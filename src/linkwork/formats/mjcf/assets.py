"""Bytes of meshes and height fields for MuJoCo: bounded, and checked where a wrong count could lead astray."""

from __future__ import annotations

import struct
from pathlib import Path

from linkwork.formats.sources import read_bytes
from linkwork.formats.xml_tree import XmlElement

ASSET_FOLDERS = ("assetdir", "meshdir")  # of <compiler>, the later wins
ENDINGS = {"mesh": (".stl", ".obj", ".msh"), "hfield": (".png", ".bin", ".hf", ".dat", "")}
MOST_POINTS = 4_000_000  # of a height field
MOST_PARTS = 1_000  # a parameter of meshes that MuJoCo makes itself
CORNERS = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
FACES = ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))


def check_made_asset(asset: XmlElement) -> None:
    """Raise for sizes that would fill the memory."""
    if asset.tag == "hfield":
        points = 1.0
        for name in ("nrow", "ncol"):
            if name in asset.attributes:
                points *= max(asset.number(name), 1.0)
        if points > MOST_POINTS:
            asset.wrong(f"it has {points:g} points; give at most {MOST_POINTS}")
    for word in asset.attributes.get("params", "").split():
        try:
            size = float(word)
        except ValueError:
            asset.wrong("params must be numbers; correct it")
        if not abs(size) <= MOST_PARTS:
            asset.wrong(f"a parameter is {size:g}; give numbers up to {MOST_PARTS}")


def asset_bytes(asset: XmlElement, path: Path, meshes: bool) -> bytes:
    """The content of a file; without `meshes` a small mesh in place of each."""
    if asset.tag == "mesh" and not meshes:
        return stand_in()
    ending = path.suffix.lower()
    kind = (asset.get("content_type") or "").split("/")[-1]
    if ending not in ENDINGS[asset.tag] or kind not in ("", "stl", "obj", "msh", "png", "x-mujoco-hfield"):
        known = ", ".join(each for each in ENDINGS[asset.tag] if each)
        asset.wrong(f"the file '{path.name[:80]}' has an ending that MuJoCo does not read; give one of {known}")
    if not path.exists():
        asset.wrong(f"the file '{path.name[:80]}' does not exist; add it, or correct file=")
    content = read_bytes(path, f"a file for <{asset.tag}>")
    wrong = ""
    if ending == ".stl":
        wrong = _stl_wrong(content)
    elif ending == ".msh":
        wrong = _msh_wrong(content)
    elif asset.tag == "hfield":
        wrong = _field_wrong(content)
    if wrong:
        asset.wrong(f"the file '{path.name[:80]}' {wrong}; write it again")
    return content


def _stl_wrong(content: bytes) -> str:
    count = struct.unpack_from("<I", content, 80)[0] if len(content) >= 84 else 0
    return "" if count and len(content) == 84 + 50 * count else "is no whole binary STL"


def _msh_wrong(content: bytes) -> str:
    """Four counts, then points, normals, texture coordinates and faces."""
    if len(content) < 16:
        return "is no whole MSH file"
    points, normals, textures, faces = struct.unpack_from("<4i", content)
    size = 16 + 12 * (points + normals + faces) + 8 * textures
    if min(points, normals, textures, faces) < 0 or points < 4 or size != len(content):
        return "is no whole MSH file"
    corners = struct.unpack_from(f"<{3 * faces}i", content, size - 12 * faces)
    return "" if not corners or (min(corners) >= 0 and max(corners) < points) else "has faces without corners"


def _field_wrong(content: bytes) -> str:
    if content[:8] == b"\x89PNG\r\n\x1a\n":
        width, height = struct.unpack_from(">2I", content, 16) if len(content) >= 24 else (0, 0)
        return "" if 0 < width * height <= MOST_POINTS else "has no picture, or too large a one"
    if len(content) < 8:
        return "is no height field"
    rows, columns = struct.unpack_from("<2i", content)
    fits = rows > 0 and columns > 0 and rows * columns <= MOST_POINTS and len(content) == 8 + 4 * rows * columns
    return "" if fits else "is no whole height field"


def stand_in() -> bytes:
    """A small solid as binary STL."""
    data = bytearray(84)
    struct.pack_into("<I", data, 80, len(FACES))
    for face in FACES:
        data += struct.pack("<3f", 0.0, 0.0, 0.0)
        for corner in face:
            data += struct.pack("<3f", *CORNERS[corner])
        data += b"\0\0"
    return bytes(data)
