"""URDF files as models: links become bodies with the frames of the file, and joints keep their names and kinds."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

from linkwork.errors import ModelError, OptionError
from linkwork.formats.naming import fitting
from linkwork.formats.receipt import Receipt
from linkwork.formats.urdf.extensions import list_others, list_unread, surfaces
from linkwork.formats.urdf.joints import UrdfJoint, read_joints
from linkwork.formats.urdf.links import UrdfLink, read_links
from linkwork.formats.urdf.mesh_files import Folders, MeshFiles, Packages
from linkwork.formats.urdf.mimic import check_leaders, couple, start_positions
from linkwork.formats.urdf.shapes import LinkShapes, ShapeOptions
from linkwork.formats.urdf.tree import LinkTree
from linkwork.formats.xml_tree import XmlElement, read_xml
from linkwork.model import Body, Frame, Joint, Model, names
from linkwork.model.checked import shown

MOST_PAIRS = 200_000  # of links that never meet


def read_urdf(
    path: Path,
    receipt: Receipt,
    *,
    base: str = "fixed",
    meshes: bool = True,
    contact: bool = True,
    self_collision: bool = False,
    packages: Packages = None,
    allow: Folders = (),
    repair: bool = False,
    decompose: bool = False,
) -> Model:
    """A robot from a URDF file; the page "Import" explains the options."""
    if base not in ("fixed", "floating"):
        raise OptionError(f"base={shown(base)} is not known; give base='fixed' or base='floating'")
    root = read_xml(path, "robot", "a URDF file")
    links = read_links(root, receipt, repair)
    joints = read_joints(root, links, receipt)
    tree = LinkTree(root, links, joints)
    tree.weld_what_moves_nothing(receipt, repair)
    check_leaders(joints, receipt)
    robot = _Robot(root, tree, receipt, base)
    shapes = LinkShapes(
        robot.model,
        MeshFiles(path, packages, allow),
        ShapeOptions(meshes, contact, decompose, None if self_collision else robot.model.name),
        receipt,
    )
    shapes.read_materials(root)
    materials = surfaces(root, links, receipt)
    for name in tree.order:
        shapes.put(links[name], robot.bodies[name], materials.get(name))
    if self_collision:
        _keep_neighbours_apart(robot, tree)
    list_others(root, links, receipt)
    list_unread(root, receipt)
    return robot.model


class _Robot:
    """The bodies and joints of a model from those of a file."""

    def __init__(self, root: XmlElement, tree: LinkTree, receipt: Receipt, base: str) -> None:
        self.tree, self.receipt = tree, receipt
        self.model = Model(_robot_name(root))
        self.bodies: dict[str, Body] = {}
        self.made: dict[str, Joint] = {}
        self._base(tree.links[tree.root], base)
        for name in tree.order[1:]:
            self._body(tree.links[name])
        starts = start_positions(tree.joints, receipt)
        for joint in tree.joints.values():
            self._joint(joint, starts)
        couple(self.model, self.made, tree.joints, receipt)

    def _base(self, link: UrdfLink, base: str) -> None:
        """The root: the ground, or a body that is welded to it or flies."""
        what = f"link '{link.name}'"
        if base == "floating" and link.name == "world":
            link.node.wrong("it is the world, which does not float; give base='fixed', or rename the link")
        if base == "fixed" and (link.name == "world" or not link.mass):
            if link.mass:
                self.receipt.ignore(what, link.place, "the world has no mass; that of this link is left out")
            self.bodies[link.name] = self.model.ground
            self.receipt.understand(what, link.place, "is the ground")
            return
        body = self._body(link)
        name = fitting(self.model, f"{base} base", "joint", self.receipt, link.place)
        weld = self.model.fixed if base == "fixed" else self.model.free
        weld(name, self.model.ground, body, frame_a=Frame(), frame_b=Frame())
        told = "welded to the ground" if base == "fixed" else "moves freely"
        other = "floating" if base == "fixed" else "fixed"
        self.receipt.understand(what, link.place, f"the base is {told}; base='{other}' changes that")

    def _body(self, link: UrdfLink) -> Body:
        name = fitting(self.model, link.name, "body", self.receipt, link.place)
        try:
            body = self.model.body(name, mass=link.mass, inertia=link.inertia, com=link.com)
        except ModelError as error:
            link.node.wrong(str(error))
        self.bodies[link.name] = body
        self.receipt.understand(f"link '{link.name}'", link.place, f"{link.mass:g} kg")
        return body

    def _joint(self, joint: UrdfJoint, starts: dict[str, float]) -> None:
        name = fitting(self.model, joint.name, "joint", self.receipt, joint.place)
        options: dict[str, Any] = {"frame_a": joint.frame @ joint.axis, "frame_b": joint.axis, **joint.options}
        told = joint.kind
        if joint.limits is not None:
            options["limits"] = joint.limits
            told += f", {joint.limits[0]:g} to {joint.limits[1]:g}"
        if joint.name in starts:
            options["position"] = starts[joint.name]
            told += f", starts at {starts[joint.name]:g}"
        verb = getattr(self.model, joint.kind)
        try:
            self.made[joint.name] = verb(name, self.bodies[joint.parent], self.bodies[joint.child], **options)
        except ModelError as error:
            joint.node.wrong(str(error))
        self.receipt.understand(f"joint '{joint.name}'", joint.place, told)


def _robot_name(root: XmlElement) -> str:
    clean = "".join(letter if letter.isprintable() else " " for letter in root.get("name") or "")
    return clean.strip()[: names.LONGEST].strip() or "robot"


def _keep_neighbours_apart(robot: _Robot, tree: LinkTree) -> None:
    """Links that are welded together never meet, nor do two such groups that a joint connects."""
    group = tree.rigid_groups()
    members: dict[str, list[str]] = {}
    colliding = {id(each.body) for each in robot.model.colliders.values()}
    for name, first in group.items():
        if id(robot.bodies[name]) in colliding:
            members.setdefault(first, []).append(name)
    welded = (itertools.combinations(each, 2) for each in members.values())
    beside = (
        itertools.product(members.get(group[joint.parent], []), members.get(group[joint.child], []))
        for joint in tree.joints.values()
        if joint.kind != "fixed"
    )
    for number, (a, b) in enumerate(itertools.chain.from_iterable((*welded, *beside))):
        if number == MOST_PAIRS:
            raise OptionError(
                f"'{robot.model.name}' has more than {MOST_PAIRS} pairs of links that are welded or joined and never "
                "meet; give self_collision=False"
            )
        robot.model.no_contact(robot.bodies[a], robot.bodies[b])
