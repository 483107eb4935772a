"""The links of a URDF file: names, masses, and the frames of what is in them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from linkwork.errors import ModelError
from linkwork.formats.inertia import inertia_fault, nearest_inertia
from linkwork.formats.receipt import Receipt, printable
from linkwork.formats.xml_tree import XmlElement
from linkwork.model import Frame
from linkwork.model.checked import Vector

NOTHING = 1e-15  # m2: an inertia of less than this times its mass is rounding
TOLD = 40  # links with a wrong inertia that an error names


@dataclass
class UrdfLink:
    """A link: mass (kg), centre of mass (m) and inertia about it (kg m2), both in the link's frame."""

    name: str
    node: XmlElement
    mass: float
    com: Vector
    inertia: Vector

    @property
    def place(self) -> str:
        """Where it stands, for receipts."""
        return self.node.place


def origin(node: XmlElement) -> Frame:
    """The frame that <origin> tells: position, and roll, pitch, yaw about fixed axes."""
    found = node.one("origin")
    if found is None:
        return Frame()
    xyz = found.numbers("xyz", 3, (0.0, 0.0, 0.0))
    roll, pitch, yaw = (math.fmod(angle / 2, 2 * math.pi) for angle in found.numbers("rpy", 3, (0.0, 0.0, 0.0)))
    a, b, c = math.cos(roll), math.cos(pitch), math.cos(yaw)
    x, y, z = math.sin(roll), math.sin(pitch), math.sin(yaw)
    turn = (a * b * c + x * y * z, x * b * c - a * y * z, a * y * c + x * b * z, a * b * z - x * y * c)
    try:
        return Frame(xyz, turn)
    except ModelError as error:
        found.wrong(str(error))


def read_links(root: XmlElement, receipt: Receipt, repair: bool) -> dict[str, UrdfLink]:
    """All links by name; inertias that no body can have are refused together, or repaired."""
    links: dict[str, UrdfLink] = {}
    faults: list[tuple[UrdfLink, str]] = []
    for node in root.all("link"):
        name = node.need("name")
        if name in links:
            node.wrong(f"another link in {links[name].place} has this name; rename one of them")
        links[name] = link = _link(node, name)
        if link.inertia.any() and np.abs(link.inertia).max() < NOTHING * link.mass:
            link.inertia = np.zeros((3, 3))
            told = "its inertia is rounding beside its mass; it is a point mass here"
            receipt.approximate(f"link '{name}'", node.place, told)
        fault = inertia_fault(link.mass, link.inertia)
        if fault:
            faults.append((link, fault))
    if not links:
        root.wrong("it has no <link>; give a robot with at least one")
    if faults and not repair:
        told = "; ".join(f"link '{link.name[:80]}' ({link.place}): {fault}" for link, fault in faults[:TOLD])
        more = f"; and {len(faults) - TOLD} more links" if len(faults) > TOLD else ""
        raise ModelError(
            f"{root.file}: {printable(told)}{more}; correct them, or give repair=True for the nearest possible ones"
        )
    for link, fault in faults:
        _repair(link, fault, receipt)
    return links


def _link(node: XmlElement, name: str) -> UrdfLink:
    inertial = node.one("inertial")
    if inertial is None:
        return UrdfLink(name, node, 0.0, np.zeros(3), np.zeros((3, 3)))
    frame = origin(inertial)
    parts = [inertial.one("mass"), inertial.one("inertia")]
    if parts[0] is None or parts[1] is None:
        inertial.wrong(f"it has no <{'mass' if parts[0] is None else 'inertia'}>; add it")
    xx, yy, zz, xy, xz, yz = (
        parts[1].number(entry, default)
        for entry, default in (("ixx", None), ("iyy", None), ("izz", None), ("ixy", 0.0), ("ixz", 0.0), ("iyz", 0.0))
    )
    R = frame.matrix
    with np.errstate(all="ignore"):  # what is not finite is a fault
        inertia = R @ np.array([(xx, xy, xz), (xy, yy, yz), (xz, yz, zz)]) @ R.T
        symmetric = (inertia + inertia.T) / 2
    return UrdfLink(name, node, parts[0].number("value"), frame.position, symmetric)


def _repair(link: UrdfLink, fault: str, receipt: Receipt) -> None:
    """The nearest mass and inertia that a body can have."""
    if not (math.isfinite(link.mass) and np.isfinite(link.inertia).all()):
        link.node.wrong(f"{fault}; correct it")
    if link.mass <= 0.0:
        link.mass, link.inertia = 0.0, np.zeros((3, 3))
        told = "it has no mass here"
    else:
        link.inertia = nearest_inertia(link.inertia)
        low, middle, high = np.linalg.eigvalsh(link.inertia).tolist()
        told = f"the nearest possible principal inertias are taken: {low:.6g}, {middle:.6g}, {high:.6g}"
    receipt.approximate(f"link '{link.name}'", link.place, f"{fault}; {told}")
