"""Parameters of an FMU: numbers of the model that the host may change before the initialisation.

What a number of the model changes in memory is found by comparison: the model is assembled with three values of it, and
the images are laid side by side. Where every number in memory follows it in a straight line, the FMU can follow it too,
and is the same as if the model had been built with the new number. Where not, it is no parameter.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from linkwork.assembly.assemble import assemble
from linkwork.errors import ModelError, OptionError
from linkwork.formats.fmi.exported_variables import PARAMETER, ExportedVariable, chosen_names
from linkwork.formats.fmi.start_image import StartImage, start_image, start_stepper
from linkwork.model import Model
from linkwork.model.joints.joint_kinds import KINDS
from linkwork.simulation.results.columns.units import joint_units, split_unit

STRAIGHT = 1e-12  # of a number: how far from a straight line it may be
ROUNDED = 1e-15  # of the largest number beside it: what is left where numbers cancel each other
MOST = 100  # numbers that are tried where nobody says which: each takes two assemblies of the model
SMALLEST = 1e-30  # kg: a mass must be larger than zero
OF_FORCES = {  # numbers of force elements: their names as parameters, their units along a line and about an axis
    "stiffness": ("stiffness", "N/m", "N m/rad"),
    "damping": ("damping", "N s/m", "N m s/rad"),
    "length": ("free_length", "m", "m"),
    "angle": ("free_angle", "rad", "rad"),
}
OF_JOINTS = ("stiffness", "damping")


@dataclass(frozen=True)
class ModelNumber:
    """A number of the model: its name, its value, and how to give a copy of the model another one."""

    name: str
    value: float
    unit: str
    description: str
    change: Callable[[Model, float], None]
    least: float = float("-inf")


def parameter_variables(image: StartImage, patterns: Sequence[str] | str | None, held: bool) -> list[ExportedVariable]:
    """The parameters that fit. One that was named but cannot be is refused.

    Where nothing is chosen these are all that can be, but of a large model gravity alone.

    `held`: the start is an equilibrium or a pose, and stays there whatever the parameters are.
    """
    candidates = list(_candidates(image))
    if patterns is None and len(candidates) > MOST:
        patterns = "gravity.*"
    chosen = chosen_names(patterns, [each.name for each in candidates], "parameters")
    named = [patterns] if isinstance(patterns, str) else list(patterns or ())
    found = []
    for each in candidates:
        if each.name not in chosen:
            continue
        effects = _effects(image, each, held)
        if isinstance(effects, str):
            if each.name in named:
                raise OptionError(f"{each.name!r} cannot be a parameter: {effects}; leave it out of parameters=")
            continue
        variable = ExportedVariable(each.name, "parameter", each.unit, each.description, PARAMETER, start=each.value)
        found.append(replace(variable, least=each.least, effects=tuple(effects)))
    return found


def _candidates(image: StartImage) -> Iterator[ModelNumber]:
    model = image.system.model
    for k, axis in enumerate("xyz"):
        yield ModelNumber(f"gravity.{axis}", float(model.gravity[k]), "m/s^2", "Gravity", partial(_set_gravity, k))
    for k, body in enumerate(model.all_bodies()):
        if body.mass > 0.0:
            told = f"Mass of '{body.path}'; its inertia grows with it"
            yield ModelNumber(f"{body.path}.mass", body.mass, "kg", told, partial(_set_mass, k), SMALLEST)
    for k, force in enumerate(model.all_forces()):
        for name, (called, along, about) in OF_FORCES.items():
            number = getattr(force, name, None)
            if isinstance(number, float):
                unit = about if force.in_joint is not None else along
                told = f"{called.replace('_', ' ').capitalize()} of '{force.path}'"
                yield ModelNumber(f"{force.path}.{called}", number, unit, told, partial(_set_of_force, k, name))
    for k, joint in enumerate(model.all_joints()):
        for name in OF_JOINTS:
            number = getattr(joint, name)
            if number:
                unit = OF_FORCES[name][1 if joint.kind == "prismatic" else 2]
                told = f"{name.capitalize()} in '{joint.path}'"
                yield ModelNumber(f"{joint.path}.{name}", number, unit, told, partial(_set_of_joint, k, name))
        yield from _start_values(image, k, joint)


def _start_values(image: StartImage, k: int, joint: Any) -> Iterator[ModelNumber]:
    """Start position and velocity of a joint, where they are one number for each motion."""
    stepper, kind = image.stepper, KINDS[joint.kind]
    place = next((each for each in stepper.system.joints if each.joint is joint), None)
    if place is None or kind.has_quaternion or joint.nq != joint.nv:
        return
    units = joint_units(joint.kind)
    for quantity, numbers in (("position", stepper.start.q[place.q]), ("velocity", stepper.start.v[place.v])):
        words = split_unit(units[quantity], max(joint.nv, 1))
        for i, number in enumerate(numbers):
            label = f".{i + 1}" if len(numbers) > 1 else ""
            name = f"{joint.path}.start_{quantity}{label}"
            values = tuple(float(each) for each in numbers)
            told = f"{quantity.capitalize()} of '{joint.path}' at the start"
            yield ModelNumber(name, float(number), words[i], told, partial(_set_start, k, quantity, values, i))


# --- other numbers in a copy of the model. Parts never change; those of a copy that nobody else has may


def _set(part: Any, name: str, value: Any) -> None:
    object.__setattr__(part, name, value)


def _set_gravity(k: int, model: Model, value: float) -> None:
    gravity = np.array(model.gravity)
    gravity[k] = value
    model.gravity = gravity


def _set_mass(k: int, model: Model, value: float) -> None:
    body = list(model.all_bodies())[k]
    _set(body, "inertia", np.array(body.inertia) * (value / body.mass))
    _set(body, "mass", value)


def _set_of_force(k: int, name: str, model: Model, value: float) -> None:
    _set(list(model.all_forces())[k], name, value)


def _set_of_joint(k: int, name: str, model: Model, value: float) -> None:
    _set(list(model.all_joints())[k], name, value)


def _set_start(k: int, quantity: str, values: tuple[float, ...], i: int, model: Model, value: float) -> None:
    _set(list(model.all_joints())[k], quantity, (*values[:i], value, *values[i + 1 :]))


def _effects(image: StartImage, candidate: ModelNumber, held: bool) -> list[tuple[int, float]] | str:
    """Places and slopes of all numbers that follow the candidate; why it cannot be followed where it cannot."""
    value = candidate.value
    others = (value * 1.25, value * 0.5) if value else (0.1, -0.2)
    if not value and candidate.least >= 0.0:
        others = (0.1, 0.2)
    try:
        first, second = (_varied(image, candidate, each, held) for each in others)
    except ModelError as error:
        return str(error)
    found: list[tuple[int, float]] = []
    apart = _apart(image)
    sizes = [(each.place, each.size, each.dtype) for each in image.memory.stretches]
    for other in (first, second):
        if [(each.place, each.size, each.dtype) for each in other.memory.stretches] != sizes:
            return "the structure of the model depends on it"
    for place, size, kind in sizes:
        a, b, c = (bytes(each.memory.content[place : place + size]) for each in (image, first, second))
        if a == b == c or place in apart:
            continue
        if kind != "f8":
            return "the structure of the model depends on it"
        x0, x1, x2 = (np.frombuffer(each) for each in (a, b, c))
        slope = (x1 - x0) / (others[0] - value)
        off = np.abs(x0 + slope * (others[1] - value) - x2)
        size_of = np.maximum(np.abs(x0), np.maximum(np.abs(x1), np.abs(x2)))
        if not np.all(off <= STRAIGHT * size_of + ROUNDED * size_of.max()):
            return "other numbers of the start or of the method do not follow it in a straight line"
        found += [(place + 8 * int(k), float(slope[k])) for k in np.flatnonzero(slope)]
    return found or "nothing that the method computes with depends on it"


def _apart(image: StartImage) -> set[int]:
    """Where nothing is that the method computes with: addresses, and surfaces that nothing can touch."""
    tables = image.stepper.tables
    unread: list[Any] = [tables.laws.law_address]
    if "contact" not in image.stepper.method.supports:
        unread += [each for each in tables.colliders if isinstance(each, np.ndarray)]
    return {image.memory.place(each) for each in unread if each.size and image.memory.holds(each)}


def _varied(image: StartImage, candidate: ModelNumber, value: float, held: bool) -> StartImage:
    """The image of the same model with another number in it."""
    base = image.stepper
    model = copy.deepcopy(base.system.model)
    candidate.change(model, value)
    system = assemble(model, floating=bool(base.ports), driven=base.system.driven)
    if held:
        at = base.system
        system = replace(system, q_start=at.q_start, cut_start=at.cut_start, cut_q_given=at.cut_q_given)
    return start_image(start_stepper(base.method, system, base.ignored, base.ports))
