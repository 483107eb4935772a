"""`method="auto"`: which method suits a model and a step, and why, in one line."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from linkwork.assembly.system import System
from linkwork.formulations.hybrid import Hybrid
from linkwork.formulations.recursive import Recursive
from linkwork.model import Body, Spring, TorsionSpring
from linkwork.model.body import Ground

TOO_FAST = 2.0  # radians of its own swing in a step, or decay times; rk4 becomes unstable at 2.8
LARGE_STEP = 5e-3  # s: from here on loops are better closed implicitly


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
        what, count = stiffest(system, dt)
        if count > TOO_FAST:
            return Hybrid.name, f"hybrid: {what} is too stiff for explicit steps of {dt:g} s"
        if system.cuts and dt >= LARGE_STEP:
            return Hybrid.name, f"hybrid: loops with steps of {dt:g} s"
    return Recursive.name, "recursive: nothing here is stiff for its steps"


def stiffest(system: System, dt: float) -> tuple[str, float]:
    """The stiffest spring or damper, by name, and how much of its swing or decay happens in a step.

    An estimate from the masses of the two bodies that it joins; what hangs on them makes it slower.
    """
    worst: tuple[str, float] = ("", 0.0)
    for what, stiffness, damping, mass in _elements(system):
        if mass > 0.0:
            count = max(dt * math.sqrt(stiffness / mass), dt * damping / mass)
            worst = max(worst, (what, count), key=lambda each: each[1])
    return worst


def _elements(system: System) -> Iterator[tuple[str, float, float, float]]:
    """Name, stiffness, damping, and the mass or inertia that they move."""
    for force in system.model.all_forces():
        if isinstance(force, Spring):
            at = float(force.length)
            yield (
                f"spring '{force.path}'",
                _slope(force.stiffness, at),
                _slope(force.damping, 0.0),
                _between(force.a.mass, force.b.mass, force.a, force.b),
            )
        elif isinstance(force, TorsionSpring):
            a, b = force.joint.a, force.joint.b
            moved = _between(_turning(a), _turning(b), a, b)
            yield f"torsion spring '{force.path}'", force.stiffness, force.damping, moved
    for joint in system.model.all_joints():
        a, b = joint.a, joint.b
        slides = joint.kind == "prismatic"
        of = (a.mass, b.mass) if slides else (_turning(a), _turning(b))
        yield f"joint '{joint.path}'", joint.stiffness, joint.damping, _between(*of, a, b)


def _slope(amount: Any, at: float) -> float:
    """Of a number that number, of a curve its steepness near `at`."""
    if isinstance(amount, (int, float)):
        return float(amount)
    return abs(float(amount(at + 1e-3)) - float(amount(at))) / 1e-3


def _turning(body: Body) -> float:
    """Largest moment of inertia about the body's origin, kg m2."""
    return float(np.trace(body.inertia) / 2 + body.mass * np.dot(body.com, body.com))


def _between(of_a: float, of_b: float, a: Body, b: Body) -> float:
    """Both of them in series; a ground does not move."""
    inverse = sum(1.0 / m for m, body in ((of_a, a), (of_b, b)) if not isinstance(body, Ground) and m > 0.0)
    return 1.0 / inverse if inverse > 0.0 else 0.0
