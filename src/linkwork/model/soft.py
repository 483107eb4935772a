"""Softness: the compliance of a limit, a motor or a contact that is not rigid. Data only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from linkwork.errors import ModelError
from linkwork.model import checked


@dataclass(frozen=True, kw_only=True)
class Soft:
    """A spring and damper instead of a rigid constraint, given in one of two ways.

    `stiffness` (N/m or N m/rad) and `damping` (N s/m or N m s/rad); or `hertz` and `damping_ratio` of the oscillation
    with the mass that they act on (ratio 1: critical damping).

    >>> lw.Soft(stiffness=1e4, damping=20.0)
    Soft(stiffness=10000.0, damping=20.0)
    >>> lw.Soft(hertz=30.0)
    Soft(hertz=30.0, damping_ratio=1.0)
    """

    stiffness: float | None = None
    damping: float | None = None
    hertz: float | None = None
    damping_ratio: float | None = None

    def __post_init__(self) -> None:
        plain = self.stiffness is not None or self.damping is not None
        swinging = self.hertz is not None or self.damping_ratio is not None
        if plain == swinging:
            raise ModelError("Soft: it takes one of two forms; give either stiffness= and damping=, or hertz=")
        if swinging and self.hertz is None:
            raise ModelError("Soft: a damping_ratio needs a frequency; give hertz= too")
        names = ("stiffness", "damping") if plain else ("hertz", "damping_ratio")
        for name in names:
            default = 1.0 if name == "damping_ratio" else 0.0
            given = getattr(self, name)
            object.__setattr__(self, name, default if given is None else checked.not_negative(given, "Soft", name))
        if plain and self.stiffness == 0.0 and self.damping == 0.0:
            raise ModelError("Soft: with neither stiffness nor damping it holds nothing; give stiffness= or damping=")
        if swinging and self.hertz == 0.0:
            raise ModelError("Soft: hertz is zero and would hold nothing; give a positive hertz=")

    def __repr__(self) -> str:
        said = ((name, getattr(self, name)) for name in ("stiffness", "damping", "hertz", "damping_ratio"))
        return f"Soft({', '.join(f'{name}={value}' for name, value in said if value is not None)})"


def softness(value: Any, what: str, option: str) -> Soft | None:
    """A `Soft`, or None for rigid."""
    if value is not None and not isinstance(value, Soft):
        raise ModelError(
            f"{what}: {option} must be an lw.Soft, got {checked.shown(value)}; "
            f"give {option}=lw.Soft(hertz=30), for example"
        )
    return value
