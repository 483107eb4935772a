"""One <geometry> of a DAE file: its numbers in <source>s, and the faces that <p> lists."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linkwork.formats.xml_tree import XmlElement
from linkwork.model.checked import Vector

FACES = ("triangles", "polylist", "polygons", "tristrips", "trifans")


def geometry_triangles(geometry: XmlElement) -> Vector:
    """The corners of the triangles of a geometry, (n, 3, 3), in the file's unit."""
    mesh = geometry.one("mesh")
    if mesh is None:
        return np.zeros((0, 3, 3))
    sources = {each.attributes.get("id", ""): each for each in mesh.all("source")}
    places = {}
    for vertices in mesh.all("vertices"):
        for each in vertices.all("input"):
            if each.get("semantic") == "POSITION":
                places[vertices.attributes.get("id", "")] = _points(sources, each)
    found = [np.zeros((0, 3, 3))]
    for face in (child for child in mesh.children if child.tag in FACES):
        found.append(_faces(face, places))
    return np.concatenate(found)


def _points(sources: dict[str, XmlElement], asked: XmlElement) -> Vector:
    """The points of a source."""
    source = sources.get((asked.get("source") or "").removeprefix("#"))
    array = source.one("float_array") if source is not None else None
    if source is None or array is None:
        asked.wrong("there is no such source with a <float_array>; export the file again")
    values = _numbers(array)
    technique = source.one("technique_common")
    accessor = technique.one("accessor") if technique is not None else None
    stride = int(accessor.number("stride", 3.0)) if accessor is not None else 3
    offset = int(accessor.number("offset", 0.0)) if accessor is not None else 0
    if not 3 <= stride <= 64 or not 0 <= offset <= len(values):
        source.wrong("its stride or offset does not fit points of three numbers; export the file again")
    values = values[offset:]
    rows: Vector = values[: len(values) // stride * stride].reshape(-1, stride)[:, :3]
    return rows


def _numbers(node: XmlElement) -> Vector:
    try:
        return np.array(node.text.split(), dtype=np.float64)
    except ValueError:
        node.wrong("its text holds something that is no number; export the file again")


def _indices(node: XmlElement) -> NDArray[np.int64]:
    try:
        return np.array(node.text.split(), dtype=np.int64)
    except (ValueError, OverflowError):
        node.wrong("its text holds something that is no whole number; export the file again")


def _faces(face: XmlElement, places: dict[str, Vector]) -> Vector:
    """The triangles of one list of faces."""
    inputs = face.all("input")
    offsets = [int(each.number("offset", 0.0)) for each in inputs]
    stride = max(offsets, default=0) + 1
    vertex = next((k for k, each in enumerate(inputs) if each.get("semantic") == "VERTEX"), None)
    points = places.get((inputs[vertex].get("source") or "").removeprefix("#")) if vertex is not None else None
    if vertex is None or points is None or not 0 <= min(offsets) <= stride <= 64:
        face.wrong("its inputs name no points; export the file again")
    lists = [_indices(p) for p in face.all("p")]
    rows = [each[: len(each) // stride * stride].reshape(-1, stride)[:, offsets[vertex]] for each in lists]
    whole = np.concatenate([np.zeros(0, dtype=np.int64), *rows])
    if face.tag == "triangles":
        indices = whole[: len(whole) // 3 * 3].reshape(-1, 3)
    elif face.tag == "tristrips":
        indices = np.concatenate([np.zeros((0, 3), dtype=np.int64), *(_strip(each) for each in rows)])
    elif face.tag == "polylist":
        indices = _fans(whole, _sizes(face, len(whole)))
    else:
        indices = _fans(whole, np.array([len(each) for each in rows], dtype=np.int64))
    if indices.size and not (indices.min() >= 0 and indices.max() < len(points)):
        face.wrong("a face names a point that is not there; export the file again")
    corners: Vector = points[indices]
    return corners


def _sizes(face: XmlElement, count: int) -> NDArray[np.int64]:
    """How many corners each face of a <polylist> has."""
    counts = face.one("vcount")
    sizes = _indices(counts) if counts is not None else np.zeros(0, dtype=np.int64)
    if sizes.size and (sizes.min() < 0 or sizes.max() > count or sizes.sum() != count):
        face.wrong("its <vcount> does not fit its <p>; export the file again")
    return sizes


def _fans(whole: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Faces of these numbers of corners, one after the other, as triangles around their first corners."""
    triangles = np.maximum(sizes - 2, 0)
    first = np.repeat(np.cumsum(sizes) - sizes, triangles)
    turn = np.arange(triangles.sum()) - np.repeat(np.cumsum(triangles) - triangles, triangles)
    corners: NDArray[np.int64] = whole[np.column_stack((first, first + turn + 1, first + turn + 2))]
    return corners


def _strip(row: NDArray[np.int64]) -> NDArray[np.int64]:
    """Triangles that share sides, each second one turned round."""
    if len(row) < 3:
        return np.zeros((0, 3), dtype=np.int64)
    corners = np.column_stack((row[:-2], row[1:-1], row[2:]))
    corners[1::2] = corners[1::2, ::-1]
    return corners
