"""Sliders of a model: every input with its unit and the range that it may be given."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from linkwork.model import Force, Joint, Model, Motor, Torque
from linkwork.model.joints.joint_kinds import KINDS
from linkwork.model.laws.input_number import InputNumber
from linkwork.simulation.interaction.posing import Posing
from linkwork.viewer.round_numbers import step_of

STEPS = 200  # of a slider from end to end


Keys = Mapping[str, Mapping[str, float]]


def sliders(model: Model, inputs: dict[str, float], size: float, keys: Keys | None = None) -> list[dict[str, Any]]:
    """Name, unit, value, ends and step for each input; `size` (m) is that of the mechanism.

    Ends are the limits of the joint where a motor has a position to follow; else twice the value that the model gives,
    and where that is zero, what moves a mechanism of this size and weight. They are wide enough for what `keys` set.

    >>> model = lw.Model("wheel")
    >>> wheel = model.body("wheel", mass=2.0, shape=lw.Cylinder(0.3, 0.1))
    >>> pin = model.revolute("pin", model.ground, wheel, at=(0, 0, 0), axis=(0, 0, 1), limits=(-1, 2))
    >>> drive = model.motor("drive", pin, position=0.5)
    >>> [(made["unit"], made["low"], made["high"]) for made in sliders(model, {"drive": 0.5}, 0.3)]
    [('rad', -1.0, 2.0)]
    """
    weight = sum(body.mass for body in model.all_bodies()) * (math.hypot(*model.gravity) or 9.81)
    set_to = {name: [named[name] for named in (keys or {}).values() if name in named] for name in inputs}
    return [_slider(name, model[name], value, weight, size, set_to[name]) for name, value in inputs.items()]


def pose_sliders(posing: Posing, size: float) -> list[dict[str, Any]]:
    """Name, unit, value, ends and step for each coordinate that can be set; `size` (m) is that of the mechanism.

    >>> made = pose_sliders(Posing(lw.assemble(lw.gallery.pendulum.build())), 1.0)
    >>> [(each["name"], each["unit"], round(each["low"], 3), round(each["high"], 3)) for each in made]
    [('pin', 'rad', -3.142, 3.142)]
    """
    made = []
    for each, value in zip(posing.coordinates, posing.values(), strict=True):
        reach = step_of(max(size, 1e-9)) if each.unit == "m" else math.pi
        low = min(each.low if math.isfinite(each.low) else -reach, value)
        high = max(each.high if math.isfinite(each.high) else reach, value)
        high = max(high, low + 1e-6)  # a slider has to have some way
        ends = {"value": value, "low": low, "high": high, "step": (high - low) / (5 * STEPS)}
        made.append({"name": each.label, "unit": each.unit, **ends})
    return made


def rounded_up(value: float) -> float:
    """The next number of two digits.

    >>> rounded_up(8.5714), rounded_up(0.5), rounded_up(1200.0)
    (8.6, 0.5, 1200.0)
    """
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float(f"{math.ceil(value / unit - 1e-9) * unit:.2g}")


def _slider(name: str, part: Any, value: float, weight: float, size: float, set_to: list[float]) -> dict[str, Any]:
    unit, reach, ends = "", 10.0, (-math.inf, math.inf)
    if isinstance(part, Motor):
        slides = KINDS[part.joint.kind].slides_only
        unit = "m" if slides else "rad"
        if part.velocity is not None:
            unit, reach = f"{unit}/s", size if slides else 2 * math.pi
        else:
            reach, ends = size if slides else math.pi, part.joint.coordinate_limits[0]
    elif isinstance(part, Torque):
        slides = isinstance(part.target, Joint) and KINDS[part.target.kind].slides_only
        unit, reach = ("N", weight) if slides else ("N m", 0.25 * weight * size)
    elif isinstance(part, InputNumber):
        unit, reach = part.unit, 1.0
    elif isinstance(part, Force):
        unit, reach = "N", weight
    reach = rounded_up(2 * abs(value)) if value else step_of(max(reach, 1e-9))
    low, high = (end if math.isfinite(end) else side * reach for side, end in zip((-1.0, 1.0), ends, strict=True))
    low, high = min(low, value, *set_to), max(high, value, *set_to)
    return {"name": name, "unit": unit, "value": value, "low": low, "high": high, "step": (high - low) / STEPS}
