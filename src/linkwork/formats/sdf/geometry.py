"""Geometry of SDF as shapes: exact ones, meshes from files, and hulls for what has no counterpart."""

from __future__ import annotations

import math

import numpy as np

from linkwork.errors import ModelError
from linkwork.formats.meshes.hull import reduced_hull
from linkwork.formats.sdf.building import Build
from linkwork.formats.sdf.scopes import Item
from linkwork.formats.sdf.values import finite_of, saying, text_of, vector_of
from linkwork.formats.xml_tree import XmlElement
from linkwork.model import Box, Capsule, Cylinder, Ellipsoid, Hull, Mesh, Plane, Shape, Sphere
from linkwork.model.checked import Vector
from linkwork.model.frame import Frame

THIN = 1e-3  # m: a plane is drawn as a plate of this thickness


class Geometry:
    """Makes the shapes of one link."""

    def __init__(self, build: Build, link: Item) -> None:
        self.build, self.link = build, link

    def visual(self, visual: XmlElement, pose: Frame) -> Shape | None:
        """The shape of a <visual>, or None where there is none to draw."""
        kind = self._kind(visual)
        if kind is None or kind.tag == "empty":
            return None
        if kind.tag == "plane":
            normal = vector_of(kind, "normal", (0.0, 0.0, 1.0))
            x, y = vector_of(kind, "size", (1.0, 1.0))
            with saying(kind):
                flat = pose @ Frame.along(normal) @ Frame((0.0, 0.0, -THIN / 2))
                return Box((x, y, THIN), pose=flat)
        if kind.tag == "mesh":
            return self._mesh(kind, pose, "visual")
        shape = self._plain(kind, pose)
        if shape is None:
            self._unknown(kind, "visual", matters=False)
        return shape

    def colliders(self, collision: XmlElement, pose: Frame, label: str, *, on_ground: bool) -> list[Shape]:
        """The shapes of a <collision>; none where the receipt says why."""
        kind = self._kind(collision)
        if kind is None or kind.tag == "empty":
            return []
        if kind.tag == "plane":
            return self._plane(kind, pose, label, on_ground)
        what, place = f"collision '{label[:80]}'", self.link.file.place(kind)
        if kind.tag == "mesh":
            mesh = self._mesh(kind, pose, what)
            if mesh is None:
                return []
            if self.build.options.decompose:
                with saying(kind):
                    return list(mesh.parts)
            found = reduced_hull(mesh.triangles.reshape(-1, 3), pose)
            self.build.receipt.approximate(what, place, found.told)
            return [found.hull]
        shape = self._plain(kind, pose)
        if shape is None:
            self._unknown(kind, what, matters=True)
            return []
        if isinstance(shape, Hull):
            found = reduced_hull(np.asarray(shape.points), pose)
            self.build.receipt.approximate(what, place, f"<{kind.tag}>: {found.told}")
            return [found.hull]
        return [shape]

    def plain(self, collision: XmlElement, pose: Frame) -> Shape | None:
        """The shape of a <collision> where it is one of numbers."""
        kind = self._kind(collision)
        return None if kind is None else self._plain(kind, pose)

    def _kind(self, owner: XmlElement) -> XmlElement | None:
        """The element that says which geometry it is."""
        geometry = owner.one("geometry")
        if geometry is None:
            owner.wrong("it has no <geometry>; add one")
        if len(geometry.children) > 1:
            geometry.wrong(f"it holds {len(geometry.children)} shapes; leave one")
        return geometry.one(geometry.children[0].tag) if geometry.children else None

    def _plain(self, kind: XmlElement, pose: Frame) -> Shape | None:
        """A shape of numbers; hulls for cones."""
        with saying(kind):
            if kind.tag == "box":
                return Box(vector_of(kind, "size", (1.0, 1.0, 1.0)), pose=pose)
            if kind.tag == "sphere":
                return Sphere(finite_of(kind, "radius", 1.0), pose=pose)
            if kind.tag in ("cylinder", "capsule", "cone"):
                radius = finite_of(kind, "radius", 1.0 if kind.tag == "cylinder" else 0.5)
                length = finite_of(kind, "length", 1.0)
                if kind.tag == "cone":
                    return Hull(_cone(_above_zero(radius, kind), _above_zero(length, kind)), pose=pose)
                return (
                    Cylinder(radius, length, pose=pose)
                    if kind.tag == "cylinder"
                    else Capsule(radius, length, pose=pose)
                )
            if kind.tag == "ellipsoid":
                radii = vector_of(kind, "radii", (1.0, 1.0, 1.0))
                if radii[0] == radii[1] == radii[2]:
                    return Sphere(radii[0], pose=pose)
                return Ellipsoid(radii, pose=pose)
        return None

    def _plane(self, kind: XmlElement, pose: Frame, label: str, on_ground: bool) -> list[Shape]:
        what, place = f"collision '{label[:80]}'", self.link.file.place(kind)
        normal = vector_of(kind, "normal", (0.0, 0.0, 1.0))
        kind.one("size")
        if not on_ground:
            self.build.receipt.ignore(what, place, "a plane has no end and belongs to a static model")
            return []
        with saying(kind):
            return [Plane(pose=pose @ Frame.along(normal))]

    def _mesh(self, kind: XmlElement, pose: Frame, what: str) -> Mesh | None:
        """A mesh from its file; None where the receipt says why there is none."""
        receipt, place, matters = self.build.receipt, self.link.file.place(kind), what != "visual"
        uri = text_of(kind, "uri")
        scale = vector_of(kind, "scale", (1.0, 1.0, 1.0))
        told = f"{what}: mesh '{uri[:120]}'"
        if kind.one("submesh") is not None:
            kind.read_whole()
            receipt.ignore(told, place, "parts of a mesh file are not read alone; export the part", matters=matters)
            return None
        if not self.build.options.meshes:
            kind.read_whole()
            receipt.ignore(told, place, "meshes=False", matters=False)
            return None
        file = self.build.places.find(uri, self.link.file.path.parent, f"{kind.file}, line {kind.line}")
        if file is None:
            receipt.ignore(told, place, "there is no such file; give packages= or allow=", matters=matters)
            return None
        for child in kind.all("convex_decomposition"):
            child.read_whole()
        kind.get("optimization")
        try:
            return Mesh(file, scale=scale, pose=pose)
        except ModelError as error:
            if matters:
                kind.wrong(str(error))
            receipt.ignore(told, place, str(error), matters=False)
            return None

    def _unknown(self, kind: XmlElement, what: str, *, matters: bool) -> None:
        kind.read_whole()
        told = "this geometry has no counterpart here"
        self.build.receipt.ignore(f"{what}: <{kind.tag}>", self.link.file.place(kind), told, matters=matters)


def _above_zero(value: float, kind: XmlElement) -> float:
    if not 0.0 < value < 1e30:
        raise ModelError(f"its size is {value:g} but must be positive; correct it")
    return value


def _cone(radius: float, length: float) -> Vector:
    """The tip of a cone and the rim of its foot; the middle of its height is at the origin."""
    return np.vstack([_ring(radius, -length / 2, 24), [(0.0, 0.0, length / 2)]])


def _ring(radius: float, height: float, count: int) -> Vector:
    angles = np.arange(count) * (2 * math.pi / count)
    return np.column_stack((radius * np.cos(angles), radius * np.sin(angles), np.full(count, height)))
