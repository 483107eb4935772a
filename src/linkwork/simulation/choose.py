"""`method="auto"`: which method suits a model and a step, and why, in one line."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from linkwork.assembly.system import JointPlace, System
from linkwork.assembly.tables import Floats
from linkwork.errors import ModelError
from linkwork.formulations.hybrid import Hybrid
from linkwork.formulations.recursive import Recursive
from linkwork.model import Body, Spring, TorsionSpring
from linkwork.model.body import Ground
from linkwork.model.frame import Frame
from linkwork.simulation.numbers import forward_kinematics, jacobian, mass_matrix
from linkwork.simulation.start import Closure, consistent_start

TOO_FAST = 2.0  # radians of its own swing in a step, or decay times; rk4 becomes unstable at 2.8
LARGE_STEP = 2e-2  # s: from here on loops are better closed implicitly


class Element(NamedTuple):
    """A spring with a damper: what it is called, its constants, the least mass or inertia that it could move."""

    what: str
    stiffness: float
    damping: float
    mass: float
    direction: Callable[[Closeness], Floats]


def choose(
    system: System, features: frozenset[str], options: Mapping[str, Any], methods: Mapping[str, Any]
) -> tuple[str, str]:
    """Name of the method and the reason; `features` are wanted of it, `options` were given by the user."""
    beyond = sorted(features - Recursive.supports)
    for name, kind in methods.items():
        if beyond and features <= kind.supports and options.keys() <= {f.name for f in fields(kind)}:
            return name, f"{name}: the model has {' and '.join(beyond)}"
    if not options.keys() <= {"dt"}:
        return Recursive.name, f"recursive: it has the option {sorted(options.keys() - {'dt'})[0]}"
    dt = options.get("dt", Recursive.dt)
    if isinstance(dt, (int, float)) and dt > 0 and features <= Hybrid.supports:
        what = too_stiff(system, dt)
        if what:
            return Hybrid.name, f"hybrid: {what} is too stiff for explicit steps of {dt:g} s"
        if system.cuts and dt >= LARGE_STEP:
            return Hybrid.name, f"hybrid: loops with steps of {dt:g} s"
    return Recursive.name, "recursive: nothing here is stiff for its steps"


def too_stiff(system: System, dt: float) -> str:
    """Name of the spring, damper or joint that swings or decays too fast for explicit steps; empty where none does.

    First by the masses of the two bodies that it joins; what seems too fast is looked at again with all that moves with
    them, as the mechanism stands at its start.
    """
    suspects = [each for each in _elements(system) if _pace(each, dt, 1.0 / each.mass if each.mass else 0.0) > TOO_FAST]
    if not suspects:
        return ""
    try:
        around = Closeness(system)
    except (ModelError, np.linalg.LinAlgError):  # what is wrong with the model is told by the run itself
        return ""
    paces = [_pace(each, dt, around.mobility(each.direction(around))) for each in suspects]
    worst = int(np.argmax(paces))
    return suspects[worst].what if paces[worst] > TOO_FAST else ""


class Closeness:
    """How the mechanism answers to forces at its start: motions that the loops allow, weighed by inertia."""

    def __init__(self, system: System) -> None:
        self.system = system
        start = consistent_start(system)
        self.q = start.q
        self.poses = forward_kinematics(system, start.q)
        values, vectors = np.linalg.eigh(mass_matrix(system, start.q))
        self.root = vectors / np.sqrt(np.maximum(values, 1e-12 * max(values[-1], 1e-12)))
        self.closure = Closure(system)
        self.closure.cut_q[:] = start.cut_q
        self.closure.at(start.q, start.v)
        _, sizes, rows = np.linalg.svd(self.closure.G @ self.root, full_matrices=False)
        self.held = rows[sizes > 1e-9 * max(1.0, float(sizes.max(initial=0.0)))]

    def mobility(self, direction: Floats) -> float:
        """1 / effective mass along a direction of the velocities."""
        x = self.root.T @ direction
        return float(max(x @ x - np.sum((self.held @ x) ** 2), 0.0))

    def along(self, spring: Spring) -> Floats:
        """Change of the spring's length with the velocities."""
        ends = [self._end(spring.a, spring.at_a), self._end(spring.b, spring.at_b)]
        line = ends[1][0] - ends[0][0]
        length = float(np.linalg.norm(line))
        if spring.axis is not None or length == 0.0:
            return np.zeros(self.system.nv)
        return np.asarray((line / length) @ (ends[1][1] - ends[0][1]))

    def of_joint(self, name: str) -> Floats:
        """A unit of the first coordinate of a joint."""
        for place in self.system.joints:
            if place.name == name:
                unit = np.zeros(self.system.nv)
                unit[place.v.start] = 1.0
                return unit
        place = _cut(self.system, name)
        return np.asarray(self.closure.directions[place.v.start])

    def _end(self, body: Body, point: Any) -> tuple[Floats, Floats]:
        if isinstance(body, Ground) or body.path not in self.poses:
            pose = body.reference or Frame()
            return pose.point(point), np.zeros((3, self.system.nv))
        x, e = self.poses[body.path]
        return Frame(x, e).point(point), jacobian(self.system, self.q, body.path, point)[3:]


def _cut(system: System, name: str) -> JointPlace:
    return next(place for place in system.cuts if place.name == name)


def _pace(element: Element, dt: float, mobility: float) -> float:
    return dt * max(math.sqrt(element.stiffness * mobility), element.damping * mobility)


def _elements(system: System) -> Iterator[Element]:
    for force in system.model.all_forces():
        if isinstance(force, Spring):
            stiffness, damping = _slope(force.stiffness, float(force.length)), _slope(force.damping, 0.0)
            mass = _between(force.a, force.b, lambda body: body.mass)
            yield Element(f"spring '{force.path}'", stiffness, damping, mass, partial(Closeness.along, spring=force))
        elif isinstance(force, TorsionSpring):
            name = force.joint.path
            mass = _between(force.joint.a, force.joint.b, _turning)
            yield Element(
                f"torsion spring '{force.path}'",
                force.stiffness,
                force.damping,
                mass,
                partial(Closeness.of_joint, name=name),
            )
    for joint in system.model.all_joints():
        if joint.stiffness or joint.damping:
            mass = _between(joint.a, joint.b, (lambda body: body.mass) if joint.kind == "prismatic" else _turning)
            yield Element(
                f"joint '{joint.path}'",
                joint.stiffness,
                joint.damping,
                mass,
                partial(Closeness.of_joint, name=joint.path),
            )


def _slope(amount: Any, at: float) -> float:
    """Of a number that number, of a curve its steepness near `at`."""
    if isinstance(amount, (int, float)):
        return float(amount)
    return abs(float(amount(at + 1e-3)) - float(amount(at))) / 1e-3


def _turning(body: Body) -> float:
    """Largest moment of inertia about the body's origin, kg m2."""
    return float(np.trace(body.inertia) / 2 + body.mass * np.dot(body.com, body.com))


def _between(a: Body, b: Body, of: Callable[[Body], float]) -> float:
    """Both of them in series; a ground does not move."""
    inverse = sum(1.0 / of(body) for body in (a, b) if not isinstance(body, Ground) and of(body) > 0.0)
    return 1.0 / inverse if inverse > 0.0 else 0.0
