"""What holds between two bodies or two materials in contact, instead of what each has by itself. Data only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from linkwork.errors import ModelError
from linkwork.model import checked
from linkwork.model.body import Body
from linkwork.model.material import Material


@dataclass(frozen=True)
class ContactPair:
    """Friction and restitution between a and b; None: as their materials say. Two bodies of a pair always collide."""

    a: Body | Material
    b: Body | Material
    friction: float | None
    restitution: float | None

    def content(self) -> tuple[Any, ...]:
        """Its data in a form that can be compared."""
        ends = (end.path if isinstance(end, Body) else end for end in (self.a, self.b))
        return (*ends, self.friction, self.restitution)


def pair_numbers(friction: Any, restitution: Any, what: str) -> tuple[float | None, float | None]:
    """Friction and restitution, checked."""
    mu = None if friction is None else checked.not_negative(friction, what, "friction")
    e = None if restitution is None else checked.not_negative(restitution, what, "restitution")
    if e is not None and e > 1.0:
        raise ModelError(f"{what}: restitution is {e:g} but must be between 0 and 1; correct restitution=")
    return mu, e
