"""A container of named parts: it registers them, finds them, and iterates over the whole tree."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import fields
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from linkwork.errors import ModelError
from linkwork.model import checked, names
from linkwork.model.body import Body, Ground, Part, Rotor, ground
from linkwork.model.contact.collider import Collider
from linkwork.model.control.event import Event
from linkwork.model.forces.drive import Motor
from linkwork.model.forces.force import ForceElement
from linkwork.model.frame import Frame
from linkwork.model.joints.coupling import Coupling
from linkwork.model.joints.joint import Joint

if TYPE_CHECKING:
    from linkwork.model.contact.contact_pair import ContactPair
    from linkwork.model.contact.touch import TouchSensor
    from linkwork.model.control.controller import Controller, Sensor
    from linkwork.model.laws.input_number import InputNumber
    from linkwork.model.shapes.visual import Visual
    from linkwork.model.subsystem import Subsystem

COMPARED = 2_000  # names that a wrong one is compared with
AnyDrive: TypeAlias = Motor | Coupling
SomePart = TypeVar("SomePart", bound=Part)


class Container:
    """Bodies, joints, forces, drives, ports and inner subsystems by name, and events, in the order of declaration."""

    name: str
    owner: Container | None
    placement: Frame  # in the whole's coordinates

    def __init__(self, name: str) -> None:
        self.name = name
        self.owner = None
        self.placement = Frame()
        self.ground: Ground = ground("ground", self)
        self.grounds: dict[str, Ground] = {"ground": self.ground}
        self.bodies: dict[str, Body] = {}
        self.joints: dict[str, Joint] = {}
        self.forces: dict[str, ForceElement] = {}
        self.drives: dict[str, AnyDrive] = {}
        self.colliders: dict[str, Collider] = {}
        self.visuals: dict[str, Visual] = {}
        self.controllers: dict[str, Controller] = {}
        self.sensors: dict[str, Sensor] = {}
        self.touch_sensors: dict[str, TouchSensor] = {}
        self.inputs: dict[str, InputNumber] = {}
        self.signals: dict[str, str] = {}  # names for columns, for others to see
        self.apart: list[tuple[Body, Body]] = []  # bodies that never meet
        self.pairs: list[ContactPair] = []  # bodies or materials that meet in their own way
        self.events: list[Event] = []
        self.subsystems: dict[str, Subsystem] = {}
        self.ports: dict[str, Body] = {}
        self._names: dict[str, Part | Container] = {"ground": self.ground}

    # names

    @property
    def path(self) -> str:
        """The full name with dots, seen from the model, which itself is ''."""
        return self.inner_path("")

    def inner_path(self, name: str, kind: str = "") -> str:
        """The full name of something in here, which says its `kind` where others have the same name (see `names`)."""
        shared = bool(kind) and sum(name in table for table in (self.bodies, self.joints, self.grounds)) > 1
        steps = [names.step(name, kind if shared else "")] if name else []
        here: Container | None = self
        while here is not None and here._label:
            steps.append(names.step(here._label))
            here = here.owner
        return ".".join(reversed(steps))

    @property
    def _label(self) -> str:
        """This container's step in a path."""
        return self.name

    @property
    def word(self) -> str:
        """What it is, in one word."""
        return "subsystem"

    @property
    def world(self) -> Frame:
        """The pose of this container's coordinates in the world, reference configuration."""
        frame, here = self.placement, self.owner
        while here is not None:
            frame, here = here.placement @ frame, here.owner
        return frame

    # registering

    def _new(self, word: str, name: Any, kind: str = "") -> str:
        """Check a new name; returns the words that name the part in refusals.

        A body and a joint (their `kind`) may have the same name, and in a subsystem that of its ground.
        """
        checked.part_name(name, f"{word} in {self._told}", top=self.owner is None and self.word == "model")
        for taken in self._called(name):
            other_name = isinstance(taken, Part) and taken.name != name  # a port
            planned = isinstance(taken, Joint) and name not in self.joints  # by an event
            if other_name or planned or not kind or part_kind(taken) in ("", kind):
                other = f"the {taken.word} '{taken.path}'"
                raise ModelError(f"{word} '{self.inner_path(name)}': the name is taken by {other}; choose another name")
        return f"{word} '{self.inner_path(name)}'"

    def _keep(self, table: dict[str, Any], part: SomePart) -> SomePart:
        table[part.name] = part
        if part_kind(part) != "joint" or not isinstance(self._names.get(part.name), Body):
            self._names[part.name] = part
        return part

    def _only_known(self, verb: str, what: str, unknown: dict[str, Any]) -> None:
        """Raise for unknown keywords, with a suggestion."""
        if unknown:
            parameters = inspect.signature(getattr(type(self), verb)).parameters.values()
            checked.unknown_options(unknown, [item.name for item in parameters if item.kind is item.KEYWORD_ONLY], what)

    @property
    def _told(self) -> str:
        return f"'{self.path}'" if self.path else f"model '{self.name}'"

    # finding

    def _called(self, name: str) -> list[Part | Container]:
        """What is called so in here: one, or a body and a joint, and in a subsystem its ground."""
        tables: tuple[dict[str, Any], ...] = (self.ports, self._names, self.joints, self.grounds)
        return list({id(table[name]): table[name] for table in tables if name in table}.values())

    def _look(self, name: str) -> list[Part | Container]:
        """The parts with a full name, or with this name, dots and all, in here."""
        *before, (kind, last) = names.split(name)
        here: Any = self
        for step in before:
            here = next((part for part in here._called(step.name) if isinstance(part, Container)), None)
            if here is None:
                break
        found = [part for part in here._called(last) if kind in ("", part_kind(part))] if here is not None else []
        plain = self._called(name) if before else []
        return [*found, *(part for part in plain if all(part is not each for each in found))]

    def _find(self, name: str, what: str = "", kind: str = "") -> Part | Container:
        """The part with a full name, of a `kind` if several have it. The error suggests similar names."""
        found = self._look(name)
        told = f"{what}{': ' if what else ''}"
        if not found:
            hint = checked.did_you_mean(name, islice(self._all_names(), COMPARED)) or self._listing()
            raise ModelError(f"{told}there is no '{checked.short(name)}' in {self._told}{hint}")
        if len(found) > 1:
            kinds = ("body", "ground") if kind == "body" else (kind,)
            found = [part for part in found if kind and part_kind(part) in kinds] or found
        if len(found) > 1:
            cut = len(self.path) + 1 if self.path else 0
            paths = " or ".join(f'"{part.path[cut:]}"' for part in found)
            raise ModelError(f"{told}several parts are called '{name}' in {self._told}; give {paths}")
        return found[0]

    def _all_names(self) -> Iterator[str]:
        """Every dotted name from here down."""
        cut = len(self.path) + 1 if self.path else 0
        for container in self.walk():
            for name in dict.fromkeys((*container.ports, *container._names)):
                yield container.inner_path(name)[cut:]

    def _listing(self) -> str:
        known = [f"'{name}'" for name in dict.fromkeys((*self.ports, *self._names))]
        return "; give one of " + ", ".join(known[:12]) + (" and more" if len(known) > 12 else "")

    def _body(self, value: Any, what: str) -> Body:
        """A body from its object or name."""
        part = self._find(value, what, "body") if isinstance(value, str) else value
        if isinstance(part, Container):
            raise ModelError(
                f"{what}: '{part.path or part.name}' is a {part.word}, not a body; give one of its bodies or ports"
            )
        if not isinstance(part, Body):
            raise ModelError(f"{what}: {_shown(part)} is not a body; give a body or its name")
        return self._inside(part, what)

    def _joint(self, value: Any, what: str) -> Joint:
        """A joint from its object or name; that of a rotor is its shaft."""
        part = self._find(value, what, "joint") if isinstance(value, str) else value
        if isinstance(part, Rotor):
            part = self._inside(part, what).shaft
        if not isinstance(part, Joint):
            raise ModelError(f"{what}: {_shown(part)} is not a joint; give a joint or its name")
        return self._inside(part, what)

    def _inside(self, part: SomePart, what: str) -> SomePart:
        """Raise for parts outside this container and its subsystems."""
        here: Container = part.owner
        while here is not self:
            if here.owner is None:
                break
            here = here.owner
        else:
            return part
        top: Container = self
        while top.owner is not None:
            top = top.owner
        if here is top:
            raise ModelError(
                f"{what}: '{part.path}' lies outside {self._told}; make the connection one level up, "
                "in the whole that holds both, through a port"
            )
        if here.word == "subsystem":
            raise ModelError(
                f"{what}: '{part.path}' belongs to a subsystem that is not part of {self._told}; "
                "put it there with add() first"
            )
        raise ModelError(
            f"{what}: '{part.path}' belongs to another model, '{here.name}'; build the part in {self._told}"
        )

    def __getitem__(self, name: str) -> Any:
        if not isinstance(name, str):
            raise ModelError(
                f"{self._told}: parts are found by name, got {checked.shown(name)}; write model['left damper.piston']"
            )
        return self._find(name)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and bool(self._look(name))

    def __getattr__(self, name: str) -> Any:
        known = self.__dict__
        if "_names" not in known and not name.startswith("__"):
            raise ModelError(f"{type(self).__name__}: it is used before it is set up; call super().__init__() first")
        found = self._called(name) if "_names" in known else []
        if len(found) > 1:
            self._find(name)  # which refuses it
        if not found:
            public = [each for each in dir(type(self)) if not each.startswith("_")]
            parts = (*known.get("ports", ()), *known.get("_names", ()))
            hint = "" if name.startswith("_") else checked.did_you_mean(name, (*parts, *public))
            raise AttributeError(f"{type(self).__name__} has no attribute or part '{name}'{hint}")
        return found[0]

    # walking

    def walk(self) -> Iterator[Container]:
        """This container and all inner subsystems, each before its own inner ones, in declaration order."""
        waiting: list[Container] = [self]
        while waiting:
            here = waiting.pop()
            yield here
            waiting.extend(reversed(here.subsystems.values()))

    def all_bodies(self) -> Iterator[Body]:
        """Every body of the tree, grounds left out."""
        return (body for container in self.walk() for body in container.bodies.values())

    def all_grounds(self) -> Iterator[Ground]:
        """Every ground of the tree, the fixed one of each container first."""
        return (item for container in self.walk() for item in container.grounds.values())

    def all_joints(self) -> Iterator[Joint]:
        """Every joint of the tree; those that events attach only while they are attached."""
        return (joint for container in self.walk() for joint in container.joints.values())

    def all_forces(self) -> Iterator[ForceElement]:
        """Every force of the tree."""
        return (force for container in self.walk() for force in container.forces.values())

    def all_drives(self) -> Iterator[AnyDrive]:
        """Every drive of the tree."""
        return (drive for container in self.walk() for drive in container.drives.values())

    def all_colliders(self) -> Iterator[Collider]:
        """Every collider of the tree: shapes of bodies with a material, then those of `model.collider`.

        A mesh gives one collider for each convex part.
        """
        for body in self.all_bodies():
            if body.material is not None and body.shape is not None:
                yield from Collider(body.name, body.owner, body, body.shape, body.material, body.group).parts()
        for container in self.walk():
            for collider in container.colliders.values():
                yield from collider.parts()

    def all_controllers(self) -> Iterator[Controller]:
        """Every controller of the tree."""
        return (part for container in self.walk() for part in container.controllers.values())

    def all_sensors(self) -> Iterator[Sensor]:
        """Every sensor of the tree."""
        return (part for container in self.walk() for part in container.sensors.values())

    def all_touch_sensors(self) -> Iterator[TouchSensor]:
        """Every touch sensor of the tree."""
        return (part for container in self.walk() for part in container.touch_sensors.values())

    def all_inputs(self) -> Iterator[InputNumber]:
        """Every input of the tree that acts on nothing by itself."""
        return (part for container in self.walk() for part in container.inputs.values())

    def all_visuals(self) -> Iterator[Visual]:
        """Every shape of the tree that is only drawn."""
        return (visual for container in self.walk() for visual in container.visuals.values())

    def all_events(self) -> Iterator[Event]:
        """Every planned event of the tree."""
        return (event for container in self.walk() for event in container.events)

    # comparing

    def content(self) -> tuple[Any, ...]:
        """All its data in a form that can be compared: equal contents mean the same mechanism."""
        tables = (self.grounds, self.bodies, self.joints, self.forces, self.drives, self.colliders, self.visuals)
        sampled = (self.controllers, self.sensors, self.touch_sensors, self.inputs)
        return (
            self.name,
            self.placement,
            *(tuple(_said(part) for part in table.values()) for table in (*tables, *sampled)),
            tuple((*_said(event), event.joint and _said(event.joint)) for event in self.events),
            tuple((a.path, b.path) for a, b in self.apart),
            tuple(pair.content() for pair in self.pairs),
            tuple((name, body.path) for name, body in self.ports.items()),
            tuple(self.signals.items()),
            tuple(subsystem.content() for subsystem in self.subsystems.values()),
        )


def part_kind(part: Part | Container) -> str:
    """What tells a part from others of its name: body, joint or ground; nothing where no other can have it."""
    return part.kind_of_name if isinstance(part, Part) else ""


def _shown(given: Any) -> str:
    """What was given in the place of a part; methods hide parts of their name."""
    if inspect.ismethod(given) and isinstance(given.__self__, Container):
        return f'the method {given.__name__}() (a part of that name is found as ["{given.__name__}"])'
    return checked.shown(given)


def _said(part: Part) -> tuple[Any, ...]:
    """The fields of a part; other parts by their full names."""
    values = (getattr(part, field.name) for field in fields(part) if field.name != "owner")
    return (type(part).__name__, *(_comparable(value) for value in values))


def _comparable(value: Any) -> Any:
    if isinstance(value, Part):
        return value.path
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, tuple):
        return tuple(_comparable(each) for each in value)
    return value


# what other rooms ask of a container; a model has no such verbs for its user


def find_body(container: Container, value: Any, what: str) -> Body:
    """A body of a container from its object or name; `what` is for."""
    return container._body(value, what)


def find_joint(container: Container, value: Any, what: str) -> Joint:
    """A joint of a container from its object or name; `what` is for."""
    return container._joint(value, what)


def find_parts(container: Container, name: str) -> list[Part | Container]:
    """The parts of a container with this name."""
    return container._look(name)


def takes_name(container: Container, name: str, kind: str) -> bool:
    """Whether a new part of this kind (body, joint or another word) can have this name in a container."""
    try:
        container._new(kind, name, kind if kind in ("body", "joint") else "")
    except ModelError:
        return False
    return True


def put_part(container: Container, table: dict[str, Any], part: Any) -> None:
    """Put a part into a table of a container, in the place of the one with its name."""
    container._keep(table, part)


def described(container: Container) -> str:
    """A container in a sentence."""
    return container._told
