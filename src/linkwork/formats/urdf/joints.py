"""The joints of a URDF file: kinds, frames, limits, and what follows what."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from linkwork.formats.receipt import Receipt
from linkwork.formats.urdf.links import UrdfLink, origin
from linkwork.formats.xml_tree import XmlElement
from linkwork.model import Frame

KINDS = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "floating": "free",
    "planar": "planar",
}
ONE_WAY = ("revolute", "prismatic")
NO_LIMIT = 1e9  # rad, m: what is as large as this stands for none, where the format needs a number


@dataclass
class UrdfMimic:
    """What a joint follows: its position is `multiplier` times that of the joint `leader`, plus `offset`."""

    node: XmlElement
    leader: str
    multiplier: float
    offset: float


@dataclass
class UrdfJoint:
    """A joint: the kind it has in a model, parent and child by name, its frame in the parent, and its axis in it."""

    name: str
    node: XmlElement
    kind: str
    parent: str
    child: str
    frame: Frame
    axis: Frame
    limits: tuple[float, float] | None = None
    options: dict[str, Any] = field(default_factory=dict)
    mimic: UrdfMimic | None = None

    @property
    def place(self) -> str:
        """Where it stands, for receipts."""
        return self.node.place


def read_joints(root: XmlElement, links: dict[str, UrdfLink], receipt: Receipt) -> dict[str, UrdfJoint]:
    """All joints by name."""
    joints: dict[str, UrdfJoint] = {}
    for node in root.all("joint"):
        name = node.need("name")
        if name in joints:
            node.wrong(f"another joint in {joints[name].place} has this name; rename one of them")
        joints[name] = _joint(node, name, links, receipt)
    return joints


def _joint(node: XmlElement, name: str, links: dict[str, UrdfLink], receipt: Receipt) -> UrdfJoint:
    word = node.need("type")
    if word not in KINDS:
        node.wrong(f"its type '{word[:40]}' is not known; give one of {', '.join(KINDS)}")
    ends = []
    for tag in ("parent", "child"):
        end = node.one(tag)
        if end is None:
            node.wrong(f"it has no <{tag}>; add <{tag} link='...'/>")
        ends.append(end.need("link"))
        if ends[-1] not in links:
            end.wrong(f"there is no link '{ends[-1][:80]}'; name one that the file has")
    if ends[0] == ends[1]:
        node.wrong(f"it joins link '{ends[0][:80]}' to itself; name two different links")
    kind = KINDS[word]
    made = UrdfJoint(name, node, kind, ends[0], ends[1], origin(node), _axis(node, kind))
    _limits(made, word, receipt)
    _dynamics(made, receipt)
    for tag, told in (("safety_controller", "limits of a controller"), ("calibration", "marks of a sensor")):
        for each in node.all(tag):
            receipt.ignore(f"<{tag}> of joint '{name}'", each.read_whole().place, told, matters=False)
    _mimic(made, receipt)
    return made


def _mimic(joint: UrdfJoint, receipt: Receipt) -> None:
    found = joint.node.one("mimic")
    if found is None:
        return
    made = UrdfMimic(found, found.need("joint"), found.number("multiplier", 1.0), found.number("offset", 0.0))
    if joint.kind == "fixed":
        receipt.ignore(f"<mimic> of joint '{joint.name}'", found.place, "the joint is fixed", matters=False)
    elif joint.kind not in ONE_WAY:
        found.wrong(f"a {joint.kind} joint has no single position that could follow another; remove it")
    elif not 1e-100 < abs(made.multiplier) < 1e100:
        found.wrong("its multiplier would hold the joint still, or is huge; make the joint fixed, or correct it")
    else:
        joint.mimic = made


def _axis(node: XmlElement, kind: str) -> Frame:
    """The frame whose z is the axis; fixed and floating joints need none."""
    found = node.one("axis")
    axis = (1.0, 0.0, 0.0) if found is None else found.numbers("xyz", 3, (1.0, 0.0, 0.0))
    if kind in ("fixed", "free"):
        return Frame()
    if found is not None and not 1e-12 < math.hypot(*axis) < 1e100:
        found.wrong("it points nowhere; give a direction such as xyz='0 0 1'")
    return Frame.along(axis)


def _limits(joint: UrdfJoint, word: str, receipt: Receipt) -> None:
    found = joint.node.one("limit")
    if found is None:
        return
    low, high = found.number("lower", 0.0), found.number("upper", 0.0)
    motor = [f"{name} {found.number(name):g}" for name in ("effort", "velocity") if name in found.attributes]
    if motor:
        told = f"{' and '.join(motor)} are what its motor can do; the model has no motor in it"
        receipt.ignore(f"<limit> of joint '{joint.name}'", found.place, told, matters=False)
    if word not in ONE_WAY:
        return
    low, high = (math.copysign(math.inf, side) if abs(side) >= NO_LIMIT else side for side in (low, high))
    if low == -math.inf and high == math.inf:
        return
    if low > high:
        found.wrong(f"its lower limit {low:g} is above its upper limit {high:g}; exchange them")
    if low == high:
        told = f"its limits {low:g} to {high:g} would lock it; it has none here"
        receipt.approximate(f"joint '{joint.name}'", found.place, told)
        return
    joint.limits = (low, high)


def _dynamics(joint: UrdfJoint, receipt: Receipt) -> None:
    found = joint.node.one("dynamics")
    if found is None:
        return
    for name in ("damping", "friction"):
        amount = found.number(name, 0.0)
        if amount < 0.0:
            found.wrong(f"its {name} {amount:g} would drive it; give zero or a positive number")
        if amount and joint.kind not in ("fixed", "free"):
            joint.options[name] = amount
    other = [name for name in found.attributes if name not in ("damping", "friction")]
    for name in other:
        found.get(name)
    if other:
        told = f"{', '.join(other)}: attributes of another program, which URDF does not have"
        receipt.ignore(f"<dynamics> of joint '{joint.name}'", found.place, told, matters=False)
