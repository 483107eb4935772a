"""What the parts of the MJCF writer share."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from linkwork.assembly.massless import rounded
from linkwork.assembly.rotors import Inertia
from linkwork.formats.mjcf.markup import Markup, NameBook
from linkwork.formats.mjcf.spanning import SpanningTree, body_key
from linkwork.formats.mjcf.start_values import MachineStart
from linkwork.formats.receipt import Receipt
from linkwork.model import Body, Frame, Joint, Model
from linkwork.model.body import Part


@dataclass
class MjcfWriting:
    """One model while it is written: the sections of the file, the elements of bodies, and the receipt."""

    model: Model
    tree: SpanningTree
    start: MachineStart
    receipt: Receipt
    folder: Path
    names: NameBook = field(default_factory=NameBook)
    bodies: dict[int, Markup] = field(default_factory=dict)  # by the identity of the body, 0: the world
    sections: dict[str, Markup] = field(default_factory=dict)
    joint_names: dict[tuple[int, int], str] = field(default_factory=dict)  # by joint and coordinate
    joint_elements: dict[tuple[int, int], Markup] = field(default_factory=dict)
    qpos: list[float] = field(default_factory=list)
    qvel: list[float] = field(default_factory=list)
    controls: list[float] = field(default_factory=list)
    files: dict[Path, bytes] = field(default_factory=dict)
    rounded: dict[int, Inertia] = field(init=False)  # of rotors and their carriers, by the identity of the body

    def __post_init__(self) -> None:
        self.rounded = rounded(self.model, self.tree.reference)

    def section(self, name: str) -> Markup:
        """A section of the file, made when it is first needed."""
        return self.sections.setdefault(name, Markup(name))

    def put(self, body: Body, element: Markup) -> None:
        """Put an element on a body; a ground's on the world."""
        self.bodies[body_key(body)].add(element)

    def inside(self, body: Body, frame: Frame) -> Frame:
        """A frame of a body; seen from the world for a ground."""
        return self.tree.inside(body, frame)

    def site(self, part: Part, end: str, body: Body, frame: Frame) -> str:
        """A mark on a body for a part; its name."""
        name = self.names.of("site", part, end)
        here = self.inside(body, frame)
        self.put(body, Markup("site", name=name, pos=here.position, quat=turned(here)))
        return name

    def lost(self, part: Part, told: str) -> None:
        """The file cannot say it."""
        self.receipt.ignore(f"{part.word} '{part.path}'", "", told)

    def near(self, part: Part, told: str) -> None:
        """The file says it nearly."""
        self.receipt.approximate(f"{part.word} '{part.path}'", "", told)

    def said(self, part: Part, told: str = "") -> None:
        """The file says it exactly."""
        self.receipt.understand(f"{part.word} '{part.path}'", "", told)

    def coordinate(self, joint: Joint, number: int) -> str | None:
        """The name of the joint of MJCF for a coordinate of ours; None where there is none."""
        return self.joint_names.get((id(joint), number))


def turned(frame: Frame) -> object:
    """The rotation of a frame as an attribute, left out where there is none."""
    return None if frame.rotation.tolist() == [1.0, 0.0, 0.0, 0.0] else frame.rotation
