"""Columns that are known only when a step is over: laws see them as the last step left them."""

from __future__ import annotations

from linkwork.model import (
    Body,
    Bushing,
    Cone,
    Coupling,
    Distance,
    Force,
    ForceElement,
    Ground,
    Joint,
    Motor,
    Part,
    Spring,
    Torque,
    TorsionSpring,
    Tyre,
)
from linkwork.model.contact.touch import TouchSensor
from linkwork.model.control.controller import Controller
from linkwork.model.forces.tyre import Gyroscope
from linkwork.model.laws.states import StateBody, StateRate

XYZ = tuple("xyz")
REACTION = tuple(f"{word} {axis}" for word in ("force", "torque") for axis in XYZ)
CONE = ("swing", "twist", "turn")
SHORT = {f"{name[0]}{name[-1]}": name for name in REACTION}  # fx … tz


def late_labels(part: Part, quantity: str) -> tuple[str, ...] | None:
    """Names of the numbers of a column, one empty name for a plain number; None where a part has no such column.

    >>> model = lw.gallery.pendulum.build()
    >>> late_labels(model["pin"], "reaction")[0], late_labels(model["pin"], "colour")
    ('force x', None)
    """
    if isinstance(part, Joint) and not isinstance(part, Distance) and quantity == "acceleration":
        return _numbered(part.nv)
    if isinstance(part, Joint) and quantity == "stop_force":
        return None if part.limits is None else CONE if isinstance(part.limits, Cone) else _numbered(part.nv)
    if isinstance(part, TouchSensor):
        return ("",) if quantity == "force" else None
    if isinstance(part, Joint):
        return REACTION if quantity == "reaction" else None
    if isinstance(part, Body):
        own = not isinstance(part, Ground | StateBody)
        return XYZ if own and quantity == "contact_force" else None
    if isinstance(part, Controller):
        return _numbered(len(part.sets)) if quantity == "output" else None
    if isinstance(part, Motor):
        return ("",) if quantity in ("torque", "effort", "power") else None
    if isinstance(part, Coupling):
        return ("",) if quantity == "effort" else None
    if isinstance(part, ForceElement) and not isinstance(part, StateRate):
        return _of_force(part).get(quantity)
    return None


def _of_force(force: ForceElement) -> dict[str, tuple[str, ...]]:
    """The columns of a force element."""
    one = ("",)
    if isinstance(force, Spring):
        return {"length": one, "force": one, "power": one}
    if isinstance(force, TorsionSpring) or (isinstance(force, Torque) and isinstance(force.target, Joint)):
        return {"torque": one, "power": one}
    if isinstance(force, Torque):
        return {"torque": XYZ, "power": one}
    if isinstance(force, Force):
        return {"force": XYZ, "power": one}
    if isinstance(force, Tyre):
        return {"load": one, "force": XYZ, "torque": XYZ, "power": one}
    if isinstance(force, Bushing):
        return {"force": XYZ, "torque": XYZ, "deflection": XYZ, "turn": XYZ, "power": one}
    return {"torque": XYZ} if isinstance(force, Gyroscope) else {}


def _numbered(count: int) -> tuple[str, ...] | None:
    """Names of so many numbers without names."""
    return None if count == 0 else ("",) if count == 1 else tuple(str(k) for k in range(count))
