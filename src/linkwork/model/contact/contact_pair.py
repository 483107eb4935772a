"""What holds between two bodies or two materials in contact, instead of what each has by itself. Data only."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from linkwork.model import checked
from linkwork.model.body import Body
from linkwork.model.contact.material import Material, restitution_number


@dataclass(frozen=True, kw_only=True)
class PairNumbers:
    """What two surfaces have together; None: as their materials say."""

    friction: float | None = None
    restitution: float | None = None
    bounce_speed: float | None = None
    rolling: float | None = None
    torsional: float | None = None

    def given(self) -> dict[str, float]:
        """Those that are not None."""
        numbers = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in numbers.items() if value is not None}


@dataclass(frozen=True)
class ContactPair:
    """Friction, restitution and so on between a and b. Two bodies of a pair always collide."""

    a: Body | Material
    b: Body | Material
    numbers: PairNumbers

    def content(self) -> tuple[Any, ...]:
        """Its data in a form that can be compared."""
        ends = (end.path if isinstance(end, Body) else end for end in (self.a, self.b))
        return (*ends, self.numbers)


def pair_numbers(what: str, **given: Any) -> PairNumbers:
    """Numbers of a pair, checked."""
    units = {"bounce_speed": "m/s", "rolling": "metres", "torsional": "metres"}
    numbers: dict[str, float | None] = {}
    for name, value in given.items():
        if value is None:
            continue
        if name == "restitution":
            numbers[name] = restitution_number(value, what)
        else:
            numbers[name] = checked.not_negative(value, what, name, units.get(name, ""))
    return PairNumbers(**numbers)
