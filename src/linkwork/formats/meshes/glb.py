"""GLB files (binary glTF 2) as triangles: places of all meshes of the scene; materials and textures are left out.

Axes are those of the file (glTF has y upwards): turn the mesh where it is placed. What is compressed or lies in other
files is refused.
"""

from __future__ import annotations

import itertools
import json
import struct
from typing import Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.model.checked import Vector

MAGIC, JSON, BINARY = 0x46546C67, 0x4E4F534A, 0x004E4942
MOST = 5_000_000  # triangles
DEEP = 100  # nodes within nodes
KINDS = {5121: np.uint8, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
TRIANGLES, STRIP, FAN = 4, 5, 6
NOT_READ = ("KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_mesh_quantization")


def glb_triangles(content: bytes, what: str) -> Vector:
    """The corners of all triangles, (n, 3, 3), in metres; `what` names the file in errors."""
    try:
        facts, data = _chunks(content)
        needed = [name for name in facts.get("extensionsRequired", []) if name in NOT_READ]
        if needed:
            raise ModelError(f"{what}: it is compressed ({needed[0]}); export it without compression")
        found = _Scene(facts, data, what).triangles()
    except ModelError:
        raise
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError, RecursionError, struct.error):
        raise ModelError(f"{what}: it is not as glTF 2 writes it; export it again as GLB") from None
    return np.concatenate(found) if found else np.zeros((0, 3, 3))


def _chunks(content: bytes) -> tuple[dict[str, Any], bytes]:
    """The description, and the numbers."""
    magic, version, _ = struct.unpack_from("<III", content)
    if magic != MAGIC or version != 2:
        raise ValueError
    parts: dict[int, bytes] = {}
    at = 12
    while at + 8 <= len(content):
        size, kind = struct.unpack_from("<II", content, at)
        if at + 8 + size > len(content):
            raise ValueError
        parts.setdefault(kind, content[at + 8 : at + 8 + size])
        at += 8 + size
    facts = json.loads(parts[JSON])
    if not isinstance(facts, dict):
        raise ValueError
    return facts, parts.get(BINARY, b"")


class _Scene:
    def __init__(self, facts: dict[str, Any], data: bytes, what: str) -> None:
        self.facts, self.data, self.what = facts, data, what
        self.count = 0

    def triangles(self) -> list[Vector]:
        """Of all nodes of the scene, or of all meshes where there is none."""
        scenes = self.facts.get("scenes")
        if not scenes:
            return [part for mesh in self.facts.get("meshes", []) for part in self._mesh(mesh)]
        found: list[Vector] = []
        for node in scenes[_whole(self.facts.get("scene", 0))].get("nodes", []):
            found += self._node(_whole(node), np.eye(4), 0)
        return found

    def _node(self, number: int, above: Vector, depth: int) -> list[Vector]:
        if depth > DEEP:
            raise ValueError
        node = self.facts["nodes"][number]
        here = above @ _placed(node)
        found = []
        if "mesh" in node:
            for corners in self._mesh(self.facts["meshes"][_whole(node["mesh"])]):
                found.append(corners @ here[:3, :3].T + here[:3, 3])
        for child in node.get("children", []):
            found += self._node(_whole(child), here, depth + 1)
        return found

    def _mesh(self, mesh: dict[str, Any]) -> list[Vector]:
        found = []
        for part in mesh["primitives"]:
            mode = part.get("mode", TRIANGLES)
            if mode not in (TRIANGLES, STRIP, FAN):
                continue  # points and lines
            places = self._numbers(_whole(part["attributes"]["POSITION"]), 3).astype(float)
            order = self._numbers(_whole(part["indices"]), 1)[:, 0] if "indices" in part else np.arange(len(places))
            corners = places[_threes(order.astype(np.int64), mode)]
            self.count += len(corners)
            if self.count > MOST:
                raise ModelError(f"{self.what}: has more than {MOST} triangles; export it with fewer")
            found.append(corners)
        return found

    def _numbers(self, number: int, width: int) -> Any:
        """An accessor as a table of so many columns."""
        accessor = self.facts["accessors"][number]
        kind, count = np.dtype(KINDS[accessor["componentType"]]).newbyteorder("<"), _whole(accessor["count"])
        if accessor["type"] != ("VEC3" if width == 3 else "SCALAR") or "sparse" in accessor:
            raise ValueError
        view = self.facts["bufferViews"][_whole(accessor["bufferView"])]
        buffer = self.facts["buffers"][_whole(view["buffer"])]
        if "uri" in buffer:
            raise ModelError(f"{self.what}: its numbers lie in another file; export it as one GLB")
        begin = _whole(view.get("byteOffset", 0)) + _whole(accessor.get("byteOffset", 0))
        row = width * kind.itemsize
        step = _whole(view.get("byteStride", row))
        if step < row or begin + (count - 1) * step + row > len(self.data):
            raise ValueError
        if count == 0:
            return np.zeros((0, width))
        return np.ndarray((count, width), kind, self.data, begin, (step, kind.itemsize))


def _threes(order: Any, mode: int) -> Any:
    """Numbers of the corners of all triangles, (n, 3)."""
    if (order < 0).any():
        raise ValueError
    if mode == TRIANGLES:
        return order[: len(order) // 3 * 3].reshape(-1, 3)
    if mode == FAN:
        return np.array([(order[0], b, c) for b, c in itertools.pairwise(order[1:])], dtype=np.int64).reshape(-1, 3)
    turns = [(k, k + 1, k + 2) if k % 2 == 0 else (k + 1, k, k + 2) for k in range(len(order) - 2)]
    return order[np.array(turns, dtype=np.int64).reshape(-1, 3)]


def _placed(node: dict[str, Any]) -> Vector:
    """Where a node is in the one above it, (4, 4)."""
    if "matrix" in node:
        return np.array(node["matrix"], dtype=float).reshape(4, 4).T
    x, y, z, w = (float(number) for number in node.get("rotation", (0, 0, 0, 1)))
    turn = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    made = np.eye(4)
    made[:3, :3] = turn * np.array(node.get("scale", (1, 1, 1)), dtype=float)
    made[:3, 3] = np.array(node.get("translation", (0, 0, 0)), dtype=float)
    return made


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError
    return value
