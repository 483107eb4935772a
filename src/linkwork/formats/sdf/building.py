"""What the parts of the SDF reader share: options, the receipt, and which container and body each name became."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from linkwork.formats.receipt import Receipt
from linkwork.formats.sdf.places import Places
from linkwork.formats.sdf.poses import Poses, held_by
from linkwork.formats.sdf.scopes import Item, Scope
from linkwork.formats.xml_tree import XmlElement
from linkwork.model import Body, Joint
from linkwork.model.checked import Vector, VectorLike
from linkwork.model.frame import Frame
from linkwork.model.subsystem import Parts


@dataclass(frozen=True)
class SdfOptions:
    """The options of `read_sdf`."""

    base: str | None
    meshes: bool
    contact: bool
    self_collision: bool | None
    repair: bool
    decompose: bool


class Holder(NamedTuple):
    """The container of a scope, and the pose of the scope's coordinates in it."""

    container: Parts
    frame: Frame
    top: str  # name of the outermost model


class Hinge(NamedTuple):
    """A joint that was made, with its axis in the world; `start` is its position at the start."""

    joint: Joint
    axis: Vector
    start: float = 0.0


@dataclass
class Build:
    """A model while it is built."""

    options: SdfOptions
    receipt: Receipt
    poses: Poses
    places: Places
    holders: dict[Scope, Holder] = field(default_factory=dict)
    bodies: dict[tuple[Scope, str], Body] = field(default_factory=dict)
    hinges: dict[tuple[Scope, str], Hinge] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)  # masses that no body can have

    def pose(self, scope: Scope, item: Item) -> Frame:
        """The pose of an item in the coordinates of its container."""
        return self.holders[scope].frame @ self.poses.of_item(scope, item)

    def direction(self, scope: Scope, name: str, vector: VectorLike, asker: XmlElement) -> Vector:
        """A direction given in a frame, in the coordinates of the container."""
        return self.holders[scope].frame.direction(self.poses.inside(scope, name, asker).direction(vector))

    def to_world(self, scope: Scope, direction: Vector) -> Vector:
        """A direction of a container's coordinates in the world."""
        return np.asarray(self.holders[scope].container.world.direction(direction))

    def body(self, scope: Scope, name: str, asker: XmlElement) -> Body:
        """The body that a frame is attached to: of a link, or the ground of the scope's container."""
        held = held_by(scope, name, asker)
        return self.holders[scope].container.ground if held is None else self.bodies[held[0], held[1].name]
