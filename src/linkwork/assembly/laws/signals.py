"""What laws see: the names of columns become places in the tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from linkwork.assembly.laws.late_columns import SHORT, late_labels
from linkwork.errors import ModelError
from linkwork.model import (
    Body,
    Constant,
    Force,
    ForceElement,
    Ground,
    Joint,
    Motor,
    Part,
    PythonLaw,
    Torque,
    checked,
    names,
)
from linkwork.model.container import Container, find_parts
from linkwork.model.control.controller import Controller, Sensor
from linkwork.model.joints.joint_kinds import KINDS
from linkwork.model.laws.input_number import InputNumber
from linkwork.model.laws.signal_names import follow_signals
from linkwork.model.laws.states import StateBody, state_names
from linkwork.spatial import codes

# of a body: the first of its numbers, and the names of their components
BODY = {
    "position": (0, "xyz"),
    "rotation": (3, "wxyz"),
    "velocity": (7, "xyz"),
    "angular_velocity": (10, "xyz"),
}
OF_JOINTS = ("position", "velocity")


class SeenNumber(NamedTuple):
    """One number that a law sees; an input is found by name once all laws are known."""

    kind: int
    place: int = 0
    part: int = 0
    scale: float = 1.0
    of_input: str = ""


class Sight:
    """Finds the columns of a model. `coordinate` gives rate and value of a joint's k-th coordinate, `number` bodies."""

    def __init__(self, coordinate: Callable[[Joint, int], tuple[int, int]], number: Callable[[Body], int]) -> None:
        self.coordinate, self.number = coordinate, number
        self.late: dict[str, tuple[int, str]] = {}  # columns of the last step that laws see: their width, who sees them
        self.forces: dict[str, dict[str, str]] = {}  # by the path of a law's part: forces whose columns it sees

    def block(self, law: PythonLaw, part: Part) -> list[SeenNumber]:
        """What a law is given: its states, each with room for its rate, then what it sees."""
        found: list[SeenNumber] = []
        for name, scale in zip(state_names(part.name, len(law.start)), law.scale or (), strict=True):
            rate, _ = self.coordinate(part.owner.joints[name], 0)
            found += [SeenNumber(codes.SEEN_RATE, rate, scale=scale), SeenNumber(codes.SEEN_NOTHING)]
        for name in law.sees:
            found += self.seen(name, part)
        return found

    def seen(self, name: str, part: Part) -> list[SeenNumber]:
        """The numbers of a column, looked for where the law stands, then in the whole model."""
        what = f"{part.word} '{part.path}': its law sees '{name}'"
        top: Container = part.owner
        while top.owner is not None:
            top = top.owner
        for home in (part.owner, top):
            slots = self._slots(*follow_signals(home, name), part, what)
            if slots is not None:
                return slots
        raise ModelError(
            f"{what}, which is no column of the model; give one such as 'elbow.position', 'hand.velocity.z', "
            "'elbow.reaction.fz', the name of an input or sensor, or 'drive.state'"
        )

    def _slots(self, home: Container, name: str, seer: Part, what: str) -> list[SeenNumber] | None:
        steps = names.split(name)
        for last in (0, 1, 2):  # words behind the name of the part: none, a quantity, a quantity and a component
            if last >= len(steps):
                break
            path = names.joined(steps[: len(steps) - last])
            words = [step.name for step in steps[len(steps) - last :]]
            for part in find_parts(home, path):
                slots = self._of_part(part, words, what)
                if slots is None and words and isinstance(part, Part):
                    slots = self._of_last_step(part, words, seer, what)
                if slots is not None:
                    return slots
        return None

    def _of_last_step(self, part: Part, words: list[str], seer: Part, what: str) -> list[SeenNumber] | None:
        """The numbers of a column that only a whole step gives: reactions, contact forces, what springs do."""
        quantity, component = (words + [""])[:2]
        labels = late_labels(part, quantity)
        if labels is None:
            return None
        column = f"{part.path}.{quantity}"
        if isinstance(part, ForceElement | Motor):
            self.forces.setdefault(seer.path, {})[part.path] = column
        self.late.setdefault(column, (len(labels), f"{seer.word} '{seer.path}'"))
        found = [SeenNumber(codes.SEEN_INPUT, 0, k, of_input=column) for k in range(len(labels))]
        return _chosen(found, SHORT.get(component, component), list(labels), what)

    def _of_part(self, part: Part | Container, words: list[str], what: str) -> list[SeenNumber] | None:
        quantity, component = (words + ["", ""])[:2]
        if isinstance(part, InputNumber):
            if quantity not in ("", "value") or component:
                return None
            return [SeenNumber(codes.SEEN_INPUT, of_input=part.path)]
        if isinstance(part, Torque | Force | Motor):
            law = None if isinstance(part, Motor) else part.law
            is_input = isinstance(law, Constant) and law.size == 1 and quantity in ("torque", "force")
            if not words or (is_input and not component):
                return [SeenNumber(codes.SEEN_INPUT, of_input=part.path)]
            if quantity != "state" or not isinstance(law, PythonLaw) or not law.start:
                return None
            slides = [part.owner.joints[name] for name in state_names(part.name, len(law.start))]
            found = [
                SeenNumber(codes.SEEN_RATE, self.coordinate(slide, 0)[0], scale=scale)
                for slide, scale in zip(slides, law.scale or (), strict=True)
            ]
            return _chosen(found, component, [str(k) for k in range(len(found))], what)
        if isinstance(part, Controller) and quantity in ("", "output"):
            sets = [each for name in part.sets for each in find_parts(part.owner, name)[:1]]
            found = [SeenNumber(codes.SEEN_INPUT, of_input=each.path) for each in sets]
            return _chosen(found, component, [str(k) for k in range(len(found))], what)
        if isinstance(part, Sensor):
            label = component if quantity == "reading" else quantity
            found = [SeenNumber(codes.SEEN_INPUT, 0, k, of_input=part.path) for k in range(part.size)]
            return _chosen(found, label, list("xyz") if part.size == 3 else [str(k) for k in range(part.size)], what)
        if isinstance(part, Joint) and quantity in OF_JOINTS:
            return self._of_joint(part, quantity, component, what)
        if isinstance(part, Body) and not isinstance(part, StateBody) and quantity in BODY:
            if isinstance(part, Ground):
                raise ModelError(f"{what}, but '{part.path}' is a ground, whose motion is given; use its law instead")
            first, labels = BODY[quantity]
            number = self.number(part)
            found = [SeenNumber(codes.SEEN_BODY, number, first + k) for k in range(len(labels))]
            return _chosen(found, component, list(labels), what)
        return None

    def _of_joint(self, joint: Joint, quantity: str, component: str, what: str) -> list[SeenNumber]:
        count = joint.nv
        if quantity == "position" and KINDS[joint.kind].has_quaternion:
            raise ModelError(
                f"{what}, but the position of a {joint.kind} joint is a quaternion; see the rotation of its body "
                f"'{joint.b.path}' instead"
            )
        if count == 0:
            raise ModelError(f"{what}, but a {joint.kind} joint has no coordinate; see its bodies instead")
        found = []
        for k in range(count):
            rate, value = self.coordinate(joint, k)
            place = quantity == "position"
            found.append(SeenNumber(codes.SEEN_PLACE if place else codes.SEEN_RATE, value if place else rate))
        return _chosen(found, component, [str(k) for k in range(count)], what)


def _chosen(found: list[SeenNumber], component: str, labels: list[str], what: str) -> list[SeenNumber]:
    """All numbers, or the one of a component."""
    if not component:
        return found
    if component not in labels:
        hint = checked.or_meant(labels) or "; leave the component out"
        raise ModelError(f"{what}: there is no component '{component}'{hint}")
    return [found[labels.index(component)]]


def refuse_circles(seen: dict[str, dict[str, str]]) -> None:
    """Raise where laws see the forces of each other, or their own; `seen` is `Sight.forces`."""
    done: set[str] = set()

    def walk(path: str, way: list[str]) -> None:
        if path in way:
            circle = way[way.index(path) :]
            told = [f"the law of '{a}' sees '{seen[a][b]}'" for a, b in zip(circle, [*circle[1:], path], strict=True)]
            raise ModelError(
                f"algebraic circle: {' and '.join(told)}, so that none can be found first; give one of them a state "
                "(lw.compiled_state), or let a sampled controller (model.controller) hand the number on"
            )
        if path not in done:
            for other in seen.get(path, {}):
                walk(other, [*way, path])
            done.add(path)

    for path in seen:
        walk(path, [])
