"""The joints of a model as URDF writes them, and where the frame of each link is in its body."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from linkwork.assembly.graph import Forest, TreeStep
from linkwork.assembly.reference import Reference, ground_pose
from linkwork.errors import ModelError
from linkwork.formats.receipt import Receipt
from linkwork.formats.urdf.joints import NO_LIMIT
from linkwork.formats.urdf.written_xml import attribute, numbers, pose
from linkwork.model import Body, Cone, Frame, Ground, Joint, names
from linkwork.model.checked import Vector, VectorLike

if TYPE_CHECKING:
    from linkwork.formats.urdf.writer import LinkNames

WORDS = {"planar": "planar", "free": "floating"}
# the one-way joints in a row that make a joint: kind, axis of the joint's frame
SERIES = {
    "revolute": (("revolute", 2),),
    "prismatic": (("prismatic", 2),),
    "universal": (("revolute", 0), ("revolute", 1)),
    "cylindrical": (("revolute", 2), ("prismatic", 2)),
}


@dataclass
class JointText:
    """A joint of the file."""

    name: str
    kind: str
    parent: str
    child: str
    origin: Frame
    axis: Vector | None = None
    limit: str = ""
    dynamics: dict[str, float] = field(default_factory=dict)

    def lines(self, mimic: str) -> list[str]:
        """Its text; `mimic` says what it follows."""
        inner = [
            pose(self.origin),
            f"<parent link={attribute(self.parent)}/>",
            f"<child link={attribute(self.child)}/>",
        ]
        if self.axis is not None:
            inner.append(f'<axis xyz="{numbers(self.axis)}"/>')
        inner += [self.limit] * bool(self.limit)
        if self.dynamics:
            values = " ".join(f'{name}="{numbers([value])}"' for name, value in self.dynamics.items())
            inner.append(f"<dynamics {values}/>")
        inner += [mimic] * bool(mimic)
        head = f'  <joint name={attribute(self.name)} type="{self.kind}">'
        return [head, *(f"    {line}" for line in inner), "  </joint>"]


class JointTexts:
    """All joints of the tree: `texts`; `frames` of links in their bodies; links `between` two joints of a series."""

    def __init__(
        self, forest: Forest, reference: Reference, links: LinkNames, receipt: Receipt, motors: Mapping[int, float]
    ) -> None:
        self.forest, self.reference, self.links, self.receipt, self.motors = forest, reference, links, receipt, motors
        self.texts: list[JointText] = []
        self.frames: dict[int, Frame] = {}
        self.order: list[Body] = []
        self.between: list[str] = []
        self.named: dict[int, str] = {}  # names in the file, of joints with one coordinate
        self._taken: set[str] = set()

    def write(self) -> None:
        """Go through the tree from the grounds outward."""
        for step in self.forest.steps:
            for body in (step.parent, step.child):
                if isinstance(body, Ground):
                    self.frames[id(body)] = ground_pose(body).inverse()
            self.order.append(step.child)
            if step.joint is None:
                self._flying(step)
            else:
                self._joint(step, step.joint)

    def _flying(self, step: TreeStep) -> None:
        """A body without joints."""
        self.frames[id(step.child)] = Frame()
        name = self._fresh(f"{self.links.of(step.child)} free")
        origin = self.frames[id(step.parent)].inverse()
        self.texts.append(JointText(name, "floating", self.links.of(step.parent), self.links.of(step.child), origin))
        reference = self.reference.of(step.child)
        if reference != Frame():
            told = f"starts at {numbers(reference.position)} m; URDF has no start values"
            self.receipt.ignore(f"place of body '{step.child.path}'", "", told, matters=False)

    def _joint(self, step: TreeStep, joint: Joint) -> None:
        near, far = self.reference.frames(joint)
        if step.backward:
            near, far = far, near
        start = self.frames[id(step.parent)].inverse() @ near
        name = self._fresh(names.without_kinds(joint.path))
        ends = (self.links.of(step.parent), self.links.of(step.child))
        if joint.kind == "fixed":
            self.frames[id(step.child)] = Frame()
            self.texts.append(JointText(name, "fixed", *ends, start @ far.inverse()))
        elif joint.kind in WORDS and not step.backward:
            self.frames[id(step.child)] = far
            axis = np.array((0.0, 0.0, 1.0)) if joint.kind == "planar" else None
            self.texts.append(JointText(name, WORDS[joint.kind], *ends, start, axis, dynamics=_dynamics(joint)))
        elif joint.kind in SERIES:
            self._series(step, joint, name, start, far)
        else:
            self._refuse(joint, step)
        self._tell(joint)
        self.receipt.understand(f"{joint.kind} joint '{joint.path}'")

    def _series(self, step: TreeStep, joint: Joint, name: str, start: Frame, far: Frame) -> None:
        """One joint, or two with a link without mass between them; walked backward the axes turn round."""
        parts = list(enumerate(SERIES[joint.kind]))
        sign = -1.0 if step.backward else 1.0
        if len(parts) == 1:  # the link keeps the axes of its body
            frame = Frame(far.position)
            kept = far.inverse() @ frame
            origins, turned = [start @ kept], far.matrix
            self.named[id(joint)] = name
        else:
            frame, origins, turned = far, [start, Frame()], np.eye(3)
        self.frames[id(step.child)] = frame
        chain = [self.links.of(step.parent), self.links.of(step.child)]
        labels = [name] if len(parts) == 1 else [self._fresh(f"{name} {k + 1}") for k, _ in parts]
        if len(parts) == 2:
            middle = self.links.fresh(f"{name} between")
            self.between.append(middle)
            chain.insert(1, middle)
            told = f"two joints, '{labels[0]}' and '{labels[1]}', and a link without mass between them"
            self.receipt.approximate(f"{joint.kind} joint '{joint.path}'", "", f"{told}: the same motion")
        if step.backward:
            parts.reverse()
        for place, (k, (kind, column)) in enumerate(parts):
            low, high = joint.coordinate_limits[k]
            bounded = math.isfinite(low) or math.isfinite(high)
            effort = self.motors.get(id(joint), NO_LIMIT)
            word = "continuous" if kind == "revolute" and not bounded else kind
            made = JointText(
                labels[k], word, chain[place], chain[place + 1], origins[place], _clean(sign * turned[:, column])
            )
            made.limit = _limit(low, high, effort) if word != "continuous" or effort < NO_LIMIT else ""
            made.dynamics = _dynamics(joint)
            self.texts.append(made)
            self._tell_limit(joint, labels[k], word, low, high, effort)

    def _tell_limit(self, joint: Joint, name: str, word: str, low: float, high: float, effort: float) -> None:
        if word == "continuous":
            return
        told = []
        if effort >= NO_LIMIT:
            told.append(f"effort and velocity are not known: written as {NO_LIMIT:g}")
        if not (math.isfinite(low) and math.isfinite(high)):
            told.append(f"a side without a limit is written as {NO_LIMIT:g}")
        if told:
            self.receipt.approximate(f"limits of joint '{name}'", "", "; ".join(told))

    def _tell(self, joint: Joint) -> None:
        """What of a joint URDF cannot say."""
        what = f"of joint '{joint.path}'"
        if joint.stiffness:
            self.receipt.ignore(f"spring {what}", "", f"{joint.stiffness:g} N m/rad or N/m; URDF has no springs")
        if joint.armature:
            self.receipt.ignore(f"armature {what}", "", f"{joint.armature:g} kg m2 or kg; URDF has no rotors")
        if joint.limit_softness is not None:
            self.receipt.ignore(f"softness of the limits {what}", "", "URDF cannot say it")
        if isinstance(joint.limits, Cone):
            self.receipt.ignore(f"cone {what}", "", "URDF has limits of single angles alone")
        if joint.kind == "planar" and joint.limits is not None:
            self.receipt.ignore(f"limits {what}", "", "URDF has none of planar joints")
        if any(joint.position or ()) or any(joint.velocity or ()):
            self.receipt.ignore(f"start {what}", "", "URDF has no start values", matters=False)

    def _refuse(self, joint: Joint, step: TreeStep) -> None:
        if joint.kind in WORDS:
            raise ModelError(
                f"{joint.kind} joint '{joint.path}': it goes from '{joint.a.path}' to '{joint.b.path}', away from the "
                "ground it must come from in URDF; exchange its bodies"
            )
        instead = {"ball": "; use universal and revolute joints", "screw": "; use a revolute joint"}
        raise ModelError(
            f"{joint.kind} joint '{joint.path}' has no counterpart in URDF{instead.get(joint.kind, '')}, or write "
            "another format"
        )

    def _fresh(self, wanted: str) -> str:
        found, number = wanted, 2
        while found in self._taken:
            found, number = f"{wanted} {number}", number + 1
        self._taken.add(found)
        return found


def _clean(axis: Vector) -> Vector:
    """An axis with the whole numbers that it has but for rounding."""
    whole = np.round(axis)
    return np.where(np.abs(axis - whole) < 1e-15, whole, axis)


def _dynamics(joint: Joint) -> dict[str, float]:
    return {name: value for name, value in (("damping", joint.damping), ("friction", joint.friction)) if value}


def _limit(low: float, high: float, effort: float) -> str:
    sides: VectorLike = (max(low, -NO_LIMIT), min(high, NO_LIMIT))
    lower, upper = (numbers([side]) for side in sides)
    most, speed = numbers([effort]), numbers([NO_LIMIT])
    return f'<limit lower="{lower}" upper="{upper}" effort="{most}" velocity="{speed}"/>'
