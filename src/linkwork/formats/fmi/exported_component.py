"""A subsystem as an FMU: forces at its ports in, their motion out; and its border, for exact coupling in linkwork.

The file is sealed: of the component it tells nothing but its ports. Every tool can set forces and torques at them, held
during a communication step. linkwork couples it exactly: it is then asked for D and r at every stage of every step.
"""

from __future__ import annotations

import copy
import json
import struct
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from linkwork.distribute.port_description import described_ports
from linkwork.distribute.server import NAME, OPTIONS
from linkwork.errors import OptionError
from linkwork.formats.fmi.exported_variables import (
    ORDER,
    ORDERED,
    SLOT,
    ExportedVariable,
    ValueTerm,
    certificate_variables,
    column_variables,
    input_variables,
    time_variable,
)
from linkwork.formats.fmi.model_file import record_place
from linkwork.formats.fmi.parameters import parameter_variables
from linkwork.formats.fmi.standard import BORDER, BORDER_FORMAT
from linkwork.formats.fmi.start_image import StartImage
from linkwork.formulations.component.component import Components
from linkwork.formulations.component.remote_border import PORT
from linkwork.model import Body, Force, Frame, Model, Subsystem, Torque, Tyre
from linkwork.model.checked import shown
from linkwork.model.frame import pose
from linkwork.model.laws.laws import PythonLaw

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
MOTION = ("position", "rotation", "velocity", "angular_velocity")
OPEN = ("energy.balance", "drift.", "solver.", "certificate.")  # of the certificate: energies would tell of masses
# what of a port the border reports: name, unit, first number and shape in the message, meaning
REPORTED = (
    ("rotation", "1", 0, (3, 3), "Rotation from body to world axes"),
    ("position", "m", 9, (3,), "Position of its origin"),
    ("velocity", "1", 12, (6,), "Velocity of its origin, m/s, and angular velocity, rad/s"),
    ("r", "1", 18, (6,), "Acceleration without forces at the ports, or after the stages of a step its correction"),
)


@dataclass(frozen=True)
class ExportedComponent:
    """A model that holds the component alone, with a force of each direction at its ports."""

    model: Model
    name: str
    bodies: list[str]  # behind the ports, in the order of the border
    ports: list[dict[str, Any]]
    bound: str  # why it cannot be moved elsewhere

    @property
    def names(self) -> list[str]:
        """Names of the ports."""
        return [str(port["name"]) for port in self.ports]


def exported_component(component: Subsystem, position: Any, rotation: Any) -> ExportedComponent:
    """The component by itself: placed as given, or as in the model that it is part of."""
    whole: Any = component
    while whole.owner is not None:
        whole = whole.owner
    name = component.name or type(component).__name__
    place = pose(position, rotation, f"component '{name}'") if position is not None or rotation is not None else None
    if isinstance(whole, Model):
        model = Model(name, gravity=whole.gravity)
        place = place or component.world
    else:
        model = Model(name)
    place = place or Frame()
    alone = copy.deepcopy(component, {id(component.owner): None} if component.owner is not None else {})
    alone.owner = None
    model.add(NAME, alone, position=place.position, rotation=place.rotation)
    bound = _bound(model)
    bodies, ports, _ = described_ports(model, alone)
    if len(set(bodies)) < len(bodies):
        raise OptionError(f"component '{name}' has two ports at one body; leave one of them out")
    for port, body in alone.ports.items():
        for axis, line in AXES.items():
            model.force(_element(port, "force", axis), body, 0.0, axis=line, frame="world")
            model.torque(_element(port, "torque", axis), body, 0.0, axis=line, frame="world")
    return ExportedComponent(model, name, bodies, ports, bound)


def _element(port: str, quantity: str, axis: str) -> str:
    return f"{port}, {quantity} along {axis}"


def _bound(model: Model) -> str:
    """What holds a component to its place in the world, beside gravity and its own grounds; empty if nothing does."""
    for force in model.all_forces():
        if isinstance(force, Tyre):
            return f"{force.word} '{force.path}' stands on the road"
        if isinstance(force, Force | Torque):
            on_body = isinstance(force, Force) or isinstance(force.target, Body)
            law = force.law if isinstance(force.law, PythonLaw) else None
            sees = law is not None and bool(law.sees)  # of columns some are in world axes
            looks = law is not None and law.arity != 1
            if sees or (on_body and (force.frame == "world" or looks)):
                return f"{force.word} '{force.path}' depends on the axes of the world"
    return ""


def component_variables(
    image: StartImage, given: ExportedComponent, inputs: Sequence[str] | str | None, outputs: Sequence[str] | str | None
) -> tuple[list[ExportedVariable], dict[str, int]]:
    """All variables in the order of their value references, and places behind the image."""
    steps = image.stepper.method.dt
    border, memory = image.stepper.workspace.remote_border, image.memory
    gravity = parameter_variables(image, [f"gravity.{axis}" for axis in AXES], held=False)
    forces = [*_forces(image, given, memory.place(border.down)), *_inner(input_variables, image, inputs)]
    set_by_host = [replace(each, number=k) for k, each in enumerate([*forces, *gravity])]
    places = record_place(image, len(set_by_host))
    places["border"] = memory.number_place(image.stepper.workspace, "remote_border", "exchange")
    order = (0.0, -1.0, steps, 1.0)
    ordered = places["record"] + SLOT * ORDERED
    struct.pack_into("<4d", memory.content, ordered, *order)
    told = "Steps to take in exact coupling: begin, first, length, number; not used otherwise"
    variables = [
        time_variable(image),
        *set_by_host,
        ExportedVariable(
            *("border.order", "parameter", "1", told, ORDER),
            terms=(ValueTerm(ordered),),
            shape=(4,),
            starts=order,
            group=BORDER,
        ),
        *_motions(image, given),
        *_inner(column_variables, image, outputs),
        *(each for each in certificate_variables(image, places["record"]) if each.name.startswith(OPEN)),
        *_reports(given, memory.place(border.up)),
    ]
    return variables, places


def _forces(image: StartImage, given: ExportedComponent, down: int) -> list[ExportedVariable]:
    """Force and torque at each port, in the order in which the border waits for them."""
    found = {each.name: each for each in input_variables(image, None)}
    forces: list[ExportedVariable] = []
    for port in given.names:
        for quantity, unit in (("force", "N"), ("torque", "N m")):
            for axis in AXES:
                told = f"{quantity.capitalize()} at port '{port}' along {axis} of the world, at the origin of its body"
                forces.append(
                    replace(
                        found[_element(port, quantity, axis)],
                        name=f"{port}.{quantity}.{axis}",
                        unit=unit,
                        description=told,
                        group=f"{BORDER}:{port}",
                        tau=down + SLOT * len(forces),
                        staged=True,
                    )
                )
    return forces


def _motions(image: StartImage, given: ExportedComponent) -> list[ExportedVariable]:
    """Pose and velocity of each port as outputs."""
    found = []
    for port, body in zip(given.names, given.bodies, strict=True):
        for each in column_variables(image, [f"{body}.{quantity}" for quantity in MOTION]):
            name = f"{port}{each.name.removeprefix(body)}"
            told = f"{each.description.partition(' of ')[0]} of port '{port}'"
            found.append(replace(each, name=name, description=told, group=f"{BORDER}:{port}"))
    return found


def _inner(chosen: Any, image: StartImage, patterns: Sequence[str] | str | None) -> Iterable[ExportedVariable]:
    """What the owner wants to show of the inside; nothing unless it is named."""
    if patterns is None:
        return []
    words = [patterns] if isinstance(patterns, str) else list(patterns)
    inside = [f"{NAME}.{word}" if isinstance(word, str) else word for word in words]
    return [
        replace(each, name=each.name.removeprefix(f"{NAME}."), description=each.description.replace(f"{NAME}.", ""))
        for each in chosen(image, inside)
    ]


def _reports(given: ExportedComponent, up: int) -> list[ExportedVariable]:
    """What the border reports at every stage, in the order of the message."""

    def variable(name: str, unit: str, told: str, at: int, shape: tuple[int, ...], port: str = "") -> ExportedVariable:
        group = f"{BORDER}:{port}" if port else BORDER
        terms = (ValueTerm(up + SLOT * at),)
        return ExportedVariable(name, "local", unit, told, terms=terms, shape=shape, group=group, staged=True)

    size = 6 * len(given.ports)
    found = [variable("border.gap", "1", "Largest gap of a joint inside, of the size of the model", 0, ())]
    for k, port in enumerate(given.names):
        for name, unit, first, shape, told in REPORTED:
            found.append(variable(f"border.{port}.{name}", unit, told, 1 + PORT * k + first, shape, port))
    told = "Response of the ports to forces and torques at them: accelerations for 1 N or 1 N m"
    return [*found, variable("border.D", "1", told, 1 + PORT * len(given.ports), (size, size))]


def border_text(given: ExportedComponent, method: Any) -> str:
    """What linkwork must know before it couples the component: its ports, and how it steps."""
    facts = {
        "format": BORDER_FORMAT,
        "component": given.name,
        "ports": given.ports,
        "gravity": [float(g) for g in given.model.gravity],
        "bound": given.bound.replace(f"{NAME}.", ""),
        **{name: value for name, value in asdict(method).items() if name in OPTIONS},
    }
    return json.dumps(facts)


def refuse_words(kind: str, version: int | None, start: Any, method: Any, parameters: Any) -> None:
    """Raise for options that a component cannot have."""
    if kind != "cs":
        raise OptionError(f"a component is exported for co-simulation, not kind={shown(kind)}; leave kind= out")
    if version not in (None, 3):
        raise OptionError(
            f"a component needs FMI 3, whose terminals hold its border; leave version={shown(version)} out"
        )
    if start is not None:
        raise OptionError("start= is for whole models; give the joints of the component their start values")
    if parameters is not None:
        raise OptionError(
            "parameters= is for whole models: those of a component would tell of its inside; leave it out"
        )
    if method != "component" and not isinstance(method, Components):
        raise OptionError(f"a component is solved by method 'component', not {shown(method)}; leave method= out")


def refuse_method(method: Any) -> None:
    """Raise for ways of method "component" that have no border."""
    if method.needs != "partition":
        raise OptionError("a component is exported in absolute coordinates; leave coordinates= out")
    if method.integrator == "adaptive":
        raise OptionError("a component steps in time with others; use a fixed step such as integrator='rk4'")
