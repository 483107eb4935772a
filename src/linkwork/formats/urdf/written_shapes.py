"""Pictures and colliders as URDF writes them, and the mesh files beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from linkwork.formats.meshes.obj import obj_bytes
from linkwork.formats.receipt import Receipt
from linkwork.formats.urdf.written_xml import attribute, numbers, pose
from linkwork.model import (
    Body,
    Box,
    Capsule,
    Collider,
    Cylinder,
    Ellipsoid,
    Frame,
    Ground,
    Material,
    Model,
    Shape,
    Sphere,
)
from linkwork.model.checked import Vector
from linkwork.model.shapes.shapes import Faceted

FACETS = 32  # around an ellipsoid


class ShapeTexts:
    """The texts of shapes by body, the colours, and the `files` with meshes."""

    def __init__(self, model: Model, path: Path, frames: Mapping[int, Frame], receipt: Receipt, ending: str) -> None:
        self.path, self.frames, self.receipt, self.ending = path, frames, receipt, ending
        self.colours: list[str] = []
        self.files: dict[Path, bytes] = {}
        self.on_ground: list[str] = []
        self._texts: dict[int, list[str]] = {}
        self._colour_names: dict[tuple[float, ...], str] = {}
        self._meshes: dict[bytes, str] = {}
        seen = {id(visual.body) for container in model.walk() for visual in container.visuals.values()}
        for body in model.all_bodies():
            if body.shape is not None and id(body) not in seen:
                self._put(body, "visual", body.shape, f"shape of body '{body.path}'", None)
        for container in model.walk():
            for visual in container.visuals.values():
                self._put(visual.body, "visual", visual.shape, f"visual '{visual.path}'", visual.colour)
        for collider in _colliders(model):
            self._collider(collider)

    def of(self, body: Body) -> list[str]:
        """The lines of a body's shapes."""
        return self._texts.get(id(body), [])

    def _collider(self, collider: Collider) -> None:
        what = f"collider '{collider.path}'"
        if collider.material != Material():
            told = "URDF has no friction, restitution or softness of surfaces"
            self.receipt.ignore(f"material of {what}", "", told)
        self._put(collider.body, "collision", collider.shape, what, None)

    def _put(self, body: Body, tag: str, shape: Shape, what: str, colour: tuple[float, ...] | None) -> None:
        seen = self._seen(body)
        lines = self.on_ground if isinstance(body, Ground) else self._texts.setdefault(id(body), [])
        pieces = list(self._pieces(shape, what))
        if not pieces:
            self.receipt.ignore(what, "", f"URDF has no {type(shape).__name__}", matters=tag == "collision")
        for frame, text in pieces:
            lines += [f"    <{tag}>", f"      {pose(seen @ shape.pose @ frame)}", f"      <geometry>{text}</geometry>"]
            if colour is not None:
                lines.append(f"      <material name={attribute(self._colour(colour))}/>")
            lines.append(f"    </{tag}>")
        if pieces:
            self.receipt.understand(what, "", type(shape).__name__)

    def _seen(self, body: Body) -> Frame:
        """The frame of a body in that of its link; a ground without joints has none of its own."""
        if isinstance(body, Ground) and id(body) not in self.frames:
            place = body.owner.world
            return place if body.reference is None else place @ body.reference
        return self.frames[id(body)].inverse()

    def _pieces(self, shape: Shape, what: str) -> Iterator[tuple[Frame, str]]:
        """The geometries that make a shape, each with its frame in that of the shape."""
        if isinstance(shape, Box):
            yield Frame(), f'<box size="{numbers(shape.size)}"/>'
        elif isinstance(shape, Sphere):
            yield Frame(), _sphere(shape.radius)
        elif isinstance(shape, Cylinder):
            if shape.inner_radius:
                self.receipt.approximate(what, "", "drawn without its bore")
            yield Frame(), _cylinder(shape.radius, shape.length)
        elif isinstance(shape, Capsule):  # exactly a cylinder and two balls
            if shape.length:
                yield Frame(), _cylinder(shape.radius, shape.length)
                yield Frame((0.0, 0.0, -shape.length / 2)), _sphere(shape.radius)
            yield Frame((0.0, 0.0, shape.length / 2)), _sphere(shape.radius)
        elif isinstance(shape, Ellipsoid):
            points, faces = shape.facets(FACETS)
            self.receipt.approximate(what, "", f"URDF has no ellipsoid: a mesh of {len(faces)} triangles")
            yield Frame(), f"<mesh filename={attribute(self._mesh(points[faces]))}/>"
        elif isinstance(shape, Faceted):
            yield Frame(), f"<mesh filename={attribute(self._mesh(shape.triangles))}/>"

    def _mesh(self, triangles: Vector) -> str:
        """The path of a mesh file, from the URDF; equal meshes share one."""
        content = obj_bytes(triangles) if self.ending == "obj" else _stl(triangles)
        if content not in self._meshes:
            stem = "".join(letter if letter.isalnum() else "_" for letter in self.path.stem) or "mesh"
            name = f"meshes/{stem}_{len(self._meshes) + 1}.{self.ending}"
            self._meshes[content] = name
            self.files[self.path.parent / name] = content
            if self.ending == "stl":
                self.receipt.approximate(f"mesh '{name}'", "", "an STL file has seven digits")
        return self._meshes[content]

    def _colour(self, colour: tuple[float, ...]) -> str:
        if colour not in self._colour_names:
            name = f"colour {len(self._colour_names) + 1}"
            self._colour_names[colour] = name
            self.colours.append(f'  <material name="{name}"><color rgba="{numbers(colour)}"/></material>')
        return self._colour_names[colour]


def _colliders(model: Model) -> Iterator[Collider]:
    """Every collider as it was said, meshes whole."""
    for body in model.all_bodies():
        if body.material is not None and body.shape is not None:
            yield Collider(body.name, body.owner, body, body.shape, body.material, body.group)
    for container in model.walk():
        yield from container.colliders.values()


def _sphere(radius: float) -> str:
    return f'<sphere radius="{numbers([radius])}"/>'


def _cylinder(radius: float, length: float) -> str:
    return f'<cylinder radius="{numbers([radius])}" length="{numbers([length])}"/>'


def _stl(triangles: Vector) -> bytes:
    """Triangles as a binary STL file."""
    record = np.dtype([("normal", "<f4", (3,)), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    rows = np.zeros(len(triangles), dtype=record)
    rows["corners"] = triangles
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    rows["normal"] = normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    return bytes(80) + len(triangles).to_bytes(4, "little") + rows.tobytes()
