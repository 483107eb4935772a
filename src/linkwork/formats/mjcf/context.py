"""What the parts of the MJCF reader share: the compiled numbers, the model that is built, and the receipt."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from linkwork.formats.mjcf.compiling import CompiledMjcf
from linkwork.formats.mjcf.source import MjcfSource
from linkwork.formats.naming import fitting
from linkwork.formats.receipt import Receipt
from linkwork.formats.xml_tree import XmlElement
from linkwork.model import Body, Frame, Joint, Model
from linkwork.model.container import takes_name

KIND_WORDS = {"equality": "equality", "key": "keyframe"}  # what a kind is called, where that is another word


class StartValues(NamedTuple):
    """Where the model starts: coordinates, velocities and controls of MuJoCo, and the keyframe they are of."""

    qpos: Any
    qvel: Any
    ctrl: Any
    key: int = -1


@dataclass
class MjcfReading:
    """One file while it is read."""

    source: MjcfSource
    compiled: CompiledMjcf
    model: Model
    receipt: Receipt
    start: StartValues
    bodies: dict[int, Body] = field(default_factory=dict)  # by MuJoCo's numbers
    joints: dict[int, Joint] = field(default_factory=dict)
    told: set[int] = field(default_factory=set)  # identities of elements that have a line

    @property
    def m(self) -> Any:
        """MuJoCo's model."""
        return self.compiled.m

    def element(self, kind: str, number: int) -> XmlElement | None:
        """The element of an object."""
        return self.compiled.elements.get((kind, number))

    def place(self, kind: str, number: int) -> str:
        """Where an object stands in the file."""
        element = self.element(kind, number)
        return "" if element is None else self.source.place(element)

    def words(self, kind: str, number: int) -> str:
        """An object in a receipt: joint 'elbow'."""
        name = self.compiled.name(kind, number) if kind in ("body", "joint", "geom", "actuator", "tendon") else ""
        element = self.element(kind, number)
        if not name and element is not None:
            name = element.attributes.get("name", "")
        word = KIND_WORDS.get(kind, kind)
        if kind in ("equality", "actuator", "tendon") and element is not None:
            word = f"{element.tag} {kind}" if element.tag != kind else kind
        return f"{word} '{name[:80]}'" if name else f"{word} {number}"

    def new_name(self, kind: str, number: int, part: str, default: str) -> str:
        """A name for the part of an object; `part` is the kind of part that it becomes.

        In MJCF objects of different kinds may have one name. Where it is taken, the kind stands behind it.
        """
        wanted = self.compiled.name(kind, number) if kind != "equality" else ""
        element = self.element(kind, number)
        if not wanted and element is not None and kind == "equality":
            wanted = element.attributes.get("name", "")
        if not wanted:
            return self.free_name(default, part)
        if not takes_name(self.model, wanted, part) and takes_name(self.model, f"{wanted} {kind}", part):
            return f"{wanted} {kind}"
        return fitting(self.model, wanted, part, self.receipt, self.place(kind, number))

    def free_name(self, wanted: str, part: str) -> str:
        """A name for something that has none in the file."""
        return fitting(self.model, wanted, part, Receipt(""))

    def understand(self, kind: str, number: int, told: str) -> None:
        """An object has an exact counterpart."""
        self.receipt.understand(self.words(kind, number), self._seen(kind, number), told)

    def approximate(self, kind: str, number: int, told: str) -> None:
        """An object is there as nearly as it can be."""
        self.receipt.approximate(self.words(kind, number), self._seen(kind, number), told)

    def ignore(self, kind: str, number: int, told: str, *, matters: bool = True) -> None:
        """An object, or something of it, is not in the model."""
        self.receipt.ignore(self.words(kind, number), self._seen(kind, number), told, matters=matters)

    def _seen(self, kind: str, number: int) -> str:
        element = self.element(kind, number)
        if element is not None:
            self.told.add(id(element))
        return self.place(kind, number)

    def disabled(self, name: str) -> bool:
        """Whether a flag of the file switches something off."""
        bit = getattr(self.compiled.mujoco.mjtDisableBit, f"mjDSBL_{name.upper()}")
        return bool(self.m.opt.disableflags & int(bit))

    def still(self, body: int) -> bool:
        """Whether a body of MuJoCo cannot move."""
        return bool(self.m.body_weldid[body] == 0)

    def pose(self, body: int) -> Frame:
        """The pose of a body in its parent, where its joints are at their references."""
        return Frame(self.m.body_pos[body], self.m.body_quat[body])

    def world_pose(self, body: int) -> Frame:
        """The pose of a body in the world, where all joints are at their references."""
        frame = Frame()
        while body:
            frame, body = self.pose(body) @ frame, int(self.m.body_parentid[body])
        return frame
