"""What links look like and collide with: visuals with colours, and colliders."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from linkwork.errors import ModelError
from linkwork.formats.naming import fitting
from linkwork.formats.receipt import Receipt
from linkwork.formats.urdf.links import UrdfLink, origin
from linkwork.formats.urdf.mesh_files import MeshFiles
from linkwork.formats.xml_tree import XmlElement
from linkwork.model import Body, Box, Capsule, Cylinder, Frame, Material, Mesh, Model, Shape, Sphere

if TYPE_CHECKING:
    from linkwork.formats.meshes.hull import ReducedHull

Colours = dict[str, tuple[float, ...]]
SHAPES = ("box", "cylinder", "sphere", "capsule", "mesh")


class ShapeOptions(NamedTuple):
    """What the caller wants of shapes."""

    meshes: bool
    contact: bool
    decompose: bool
    group: str | None


class LinkShapes:
    """Puts the shapes of links on the bodies of a model."""

    def __init__(self, model: Model, files: MeshFiles, wanted: ShapeOptions, receipt: Receipt) -> None:
        self.model, self.files, self.wanted, self.receipt = model, files, wanted, receipt
        self.colours: Colours = {}

    def read_materials(self, root: XmlElement) -> None:
        """The colours that have names for the whole file."""
        for node in root.all("material"):
            self._colour(node)
        for link in root.all("link"):  # some files name a colour in one link and use it in others
            for node in (node for visual in link.all("visual") for node in visual.all("material")):
                if node.attributes.get("name") not in self.colours:
                    self._colour(node)

    def put(self, link: UrdfLink, body: Body, friction: Material | None) -> None:
        """The visuals and colliders of a link on its body."""
        for number, node in enumerate(link.node.all("visual")):
            node.get("name")
            colour = None
            for each in node.all("material"):
                colour = self._colour(each) or self.colours.get(each.attributes.get("name", ""))
            shape = self._shape(node, link, False)
            if shape is not None:
                name = fitting(self.model, _name(link, "visual", number), "visual", self.receipt, node.place)
                self.model.visual(name, body, shape, colour=colour)
        for number, node in enumerate(link.node.all("collision")):
            node.get("name")
            if not self.wanted.contact:
                node.read_whole()
                self.receipt.ignore(f"<collision> of '{link.name}'", node.place, "contact=False", matters=False)
                continue
            shape = self._shape(node, link, True)
            if shape is not None:
                name = fitting(self.model, _name(link, "collision", number), "collider", self.receipt, node.place)
                self.model.collider(name, body, shape, material=friction, group=self.wanted.group)

    def _colour(self, node: XmlElement) -> tuple[float, ...] | None:
        """The colour that <material> tells, kept by its name."""
        name = node.get("name", "") or ""
        for texture in node.all("texture"):
            told = "pictures on surfaces are not drawn"
            self.receipt.ignore(f"<texture> of '{name}'", texture.read_whole().place, told, matters=False)
        found = node.one("color")
        if found is None:
            return self.colours.get(name)
        rgba = found.numbers("rgba", 4)
        clipped = tuple(min(max(value, 0.0), 1.0) for value in rgba)
        if clipped != rgba:
            self.receipt.approximate(f"<color> of '{name}'", found.place, "numbers beyond 0 to 1 are brought there")
        if name:
            self.colours.setdefault(name, clipped)
        return clipped

    def _shape(self, node: XmlElement, link: UrdfLink, collides: bool) -> Shape | None:
        """The shape of a visual or collision; None where there is none, which is told."""
        geometry = node.one("geometry")
        pose = origin(node)
        if geometry is None:
            node.wrong("it has no <geometry>; add one")
        geometry.get("name")
        given = [(tag, each) for tag in SHAPES for each in geometry.all(tag)]
        if len(given) != 1:
            told = f"its geometry is none of {', '.join(SHAPES)}" if not given else "its geometry has several shapes"
            self.receipt.ignore(f"<{node.tag}> of '{link.name}'", geometry.read_whole().place, told, matters=collides)
            return None
        tag, found = given[0]
        try:
            return self._mesh(found, node, link, pose, collides) if tag == "mesh" else _plain(tag, found, pose)
        except ModelError as error:
            if not str(error).startswith(f"{node.file}, "):
                found.wrong(str(error))
            raise

    def _mesh(self, found: XmlElement, node: XmlElement, link: UrdfLink, pose: Frame, collides: bool) -> Shape | None:
        what = f"<{node.tag}> of '{link.name}'"
        name = found.need("filename")
        scale = found.numbers("scale", 3, (1.0, 1.0, 1.0))
        if not self.wanted.meshes:
            self.receipt.ignore(what, found.place, "meshes=False", matters=False)
            return None
        try:
            mesh = self.files.mesh(name, scale, found.place)
            if not collides:
                return mesh if pose == Frame() else replace(mesh, pose=pose)
            if self.wanted.decompose:
                return self._pieces(mesh, pose, what, found.place)
            hull = _hull(mesh, pose)
        except ModelError as error:
            told = str(error).removeprefix(f"{found.place}: ")
            self.receipt.ignore(what, found.place, told, matters=collides)
            return None
        self.receipt.approximate(what, found.place, hull.told)
        return hull.hull

    def _pieces(self, mesh: Mesh, pose: Frame, what: str, place: str) -> Shape:
        """The mesh itself, which is split into convex pieces; its hull if it is no closed solid."""
        placed = replace(mesh, pose=pose)
        try:
            _ = placed.volume
        except ModelError:
            hull = _hull(mesh, pose)
            self.receipt.approximate(what, place, f"its surface is not closed; {hull.told}")
            return hull.hull
        self.receipt.approximate(what, place, f"collides as convex pieces (concavity {mesh.concavity:g})")
        return placed


def _hull(mesh: Mesh, pose: Frame) -> ReducedHull:
    from linkwork.formats.meshes.hull import reduced_hull  # here, because scipy takes a third of a second

    return reduced_hull(mesh.triangles.reshape(-1, 3), pose)


def _plain(tag: str, found: XmlElement, pose: Frame) -> Shape:
    if tag == "box":
        return Box(found.numbers("size", 3), pose=pose)
    radius = found.number("radius")
    if tag == "sphere":
        return Sphere(radius, pose=pose)
    kind = Cylinder if tag == "cylinder" else Capsule
    return kind(radius, found.number("length"), pose=pose)


def _name(link: UrdfLink, word: str, number: int) -> str:
    return f"{link.name} {word} {number + 1}" if number else f"{link.name} {word}"
