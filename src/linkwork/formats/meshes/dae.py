"""DAE (COLLADA) files as triangles: the scene's nodes place the geometries, the file's unit gives metres.

The file's up axis is left aside, as programs that show robots do: robot files count on the numbers as they stand.
Colours, cameras, lights and bones are left out.
"""

from __future__ import annotations

import numpy as np

from linkwork.errors import ModelError
from linkwork.formats.meshes.dae_geometry import geometry_triangles
from linkwork.formats.xml_tree import XmlElement, parse_xml
from linkwork.model.checked import Vector

MOST_NODES = 20_000  # of a scene, counted as often as they are shown
MOST = 5_000_000  # triangles
DEEPEST = 100  # nodes shown in one another


def dae_triangles(content: bytes, what: str) -> Vector:
    """The corners of all triangles, (n, 3, 3), in metres; `what` names the file in errors."""
    root = parse_xml(content, what)
    if root.tag.split(":")[-1] != "COLLADA":
        raise ModelError(f"{what}: its root is <{root.tag[:40]}> and not <COLLADA>; export it again as DAE")
    pieces = _Scene(root).pieces()
    unit = next((each for asset in root.all("asset") for each in asset.all("unit")), None)
    metres = unit.number("meter", 1.0) if unit is not None else 1.0
    found = np.concatenate(pieces) if pieces else np.zeros((0, 3, 3))
    return found * metres


class _Scene:
    """The nodes of a file, and the triangles of what they show."""

    def __init__(self, root: XmlElement) -> None:
        self.root = root
        self.known: dict[str, XmlElement] = {}
        self.nodes: dict[str, XmlElement] = {}
        for library, tag in (
            ("library_geometries", "geometry"),
            ("library_controllers", "controller"),
            ("library_visual_scenes", "visual_scene"),
        ):
            for each in (each for place in root.all(library) for each in place.all(tag)):
                self.known[each.attributes.get("id", "")] = each
        waiting = [each for library in root.children for each in library.children]
        while waiting:
            here = waiting.pop()
            if here.tag in ("node", "visual_scene"):
                self.nodes[here.attributes.get("id", "")] = here
                waiting += here.children
        self.shapes: dict[str, Vector] = {}
        self.visited = self.count = 0

    def pieces(self) -> list[Vector]:
        """The triangles of every shown geometry; all geometries as they stand where the file has no scene."""
        shown = [self.known.get(_target(each)) for scene in self.root.all("scene") for each in scene.children]
        scenes = [each for each in shown if each is not None and each.tag == "visual_scene"]
        scenes = scenes or [each for each in self.known.values() if each.tag == "visual_scene"][:1]
        found: list[Vector] = []
        for scene in scenes:
            for node in scene.all("node"):
                self._show(node, np.eye(4), found, 0)
        if not scenes:
            found = [self._shape(name) for name, each in self.known.items() if each.tag == "geometry"]
        return found

    def _show(self, node: XmlElement, outer: Vector, found: list[Vector], depth: int) -> None:
        self.visited += 1
        if depth > DEEPEST or self.visited > MOST_NODES:
            node.wrong("its scene shows nodes too often or in circles; export it with fewer instances")
        here = outer @ _placement(node)
        for child in node.children:
            if child.tag == "node":
                self._show(child, here, found, depth + 1)
            elif child.tag == "instance_node" and _target(child) in self.nodes:
                self._show(self.nodes[_target(child)], here, found, depth + 1)
            elif child.tag in ("instance_geometry", "instance_controller"):
                triangles = self._shape(_target(child))
                self.count += len(triangles)
                if self.count > MOST:
                    child.wrong(f"the scene has more than {MOST} triangles; export it with fewer")
                found.append(_moved(triangles, here))

    def _shape(self, name: str) -> Vector:
        """The triangles of a geometry, or of the one that a controller bends."""
        if name not in self.shapes:
            source = self.known.get(name)
            if source is not None and source.tag == "controller":
                skins = [self.known.get(_target(child, "source")) for child in source.children]
                source = next((each for each in skins if each is not None and each.tag == "geometry"), None)
            missing = source is None or source.tag != "geometry"
            self.shapes[name] = np.zeros((0, 3, 3)) if missing or source is None else geometry_triangles(source)
        return self.shapes[name]


def _target(node: XmlElement, attribute: str = "url") -> str:
    return node.attributes.get(attribute, "").removeprefix("#")


def _placement(node: XmlElement) -> Vector:
    """The node's own frame in that of its outer node: its transforms, the first one outermost."""
    here = np.eye(4)
    for child in node.children:
        step = np.eye(4)
        if child.tag == "matrix":
            step = np.array(child.own_numbers(16)).reshape(4, 4)
        elif child.tag == "translate":
            step[:3, 3] = child.own_numbers(3)
        elif child.tag == "scale":
            step[:3, :3] = np.diag(child.own_numbers(3))
        elif child.tag == "rotate":
            step[:3, :3] = _turn(*child.own_numbers(4))
        elif child.tag in ("lookat", "skew"):
            child.wrong(f"<{child.tag}> is not understood here; export it with <matrix>")
        else:
            continue
        here = here @ step
    return here


def _turn(x: float, y: float, z: float, degrees: float) -> Vector:
    """The rotation about an axis."""
    length = float(np.linalg.norm((x, y, z)))
    if length == 0.0:
        return np.eye(3)
    x, y, z = x / length, y / length, z / length
    cross = np.array([(0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)])
    angle = np.radians(degrees)
    result: Vector = np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross
    return result


def _moved(triangles: Vector, frame: Vector) -> Vector:
    """Triangles in the outer frame; where it mirrors them, their order is turned back."""
    moved: Vector = triangles @ frame[:3, :3].T + frame[:3, 3]
    return moved[:, ::-1] if np.linalg.det(frame[:3, :3]) < 0.0 else moved
