"""Softness: the compliance of a limit, a motor or a contact that is not rigid. Data only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from linkwork.errors import ModelError
from linkwork.model import checked


@dataclass(frozen=True, kw_only=True)
class Soft:
    """A spring and damper instead of a rigid constraint, given in one of three ways.

    - `stiffness` (N/m or N m/rad) and `damping` (N s/m or N m s/rad), of a contact for the pair of bodies
      where they lie flat on each other (two of four corners have half of it);
    - `hertz` and `damping_ratio` of the oscillation with the mass that they act on (ratio 1: critical damping);
    - `bedding` (N/m3), for the surfaces of materials: the pressure per depth, as of rubber on a floor, of soil, of an
      elastic foundation (modulus of subgrade reaction). A face of area A under the weight W sinks by W / (bedding A).
      `damping_ratio` is that of the oscillation on the area that touches. A layer of thickness t and Young's modulus E
      that can give way sideways has E / t.

    >>> lw.Soft(stiffness=1e4, damping=20.0)
    Soft(stiffness=10000.0, damping=20.0)
    >>> lw.Soft(hertz=30.0)
    Soft(hertz=30.0, damping_ratio=1.0)

    A box of 0.2 m by 0.1 m on a mat sinks by 2 kg g / (1e6 N/m3 · 0.02 m2):

    >>> model = lw.Model("mat")
    >>> mat = model.plane("mat", material=lw.Material(softness=lw.Soft(bedding=1e6)))
    >>> box = lw.Box((0.2, 0.1, 0.1))
    >>> block = model.body("block", shape=box, mass=2.0, position=(0, 0, 0.05), material=lw.Material())
    >>> run = lw.simulate(model, until=1.0, method="impulse", dt=2e-3)
    >>> float((0.05 - run["block.position"][-1, 2]).round(6))
    0.000981
    """

    stiffness: float | None = None
    damping: float | None = None
    hertz: float | None = None
    damping_ratio: float | None = None
    bedding: float | None = None

    def __post_init__(self) -> None:
        plain = self.stiffness is not None or self.damping is not None
        if plain + (self.hertz is not None) + (self.bedding is not None) > 1 or (
            plain and self.damping_ratio is not None
        ):
            raise ModelError("Soft: it takes one of three forms; give stiffness= and damping=, or hertz=, or bedding=")
        if not plain and self.hertz is None and self.bedding is None:
            if self.damping_ratio is None:
                raise ModelError("Soft: nothing is given; give stiffness= and damping=, or hertz=, or bedding=")
            raise ModelError("Soft: a damping_ratio needs a frequency or a bedding; give hertz= or bedding= too")
        swinging = self.hertz is not None
        names = ("stiffness", "damping") if plain else ("hertz" if swinging else "bedding", "damping_ratio")
        for name in names:
            default = 1.0 if name == "damping_ratio" else 0.0
            given = getattr(self, name)
            object.__setattr__(self, name, default if given is None else checked.not_negative(given, "Soft", name))
        if plain and self.stiffness == 0.0 and self.damping == 0.0:
            raise ModelError("Soft: with neither stiffness nor damping it holds nothing; give stiffness= or damping=")
        if swinging and self.hertz == 0.0:
            raise ModelError("Soft: hertz is zero and would hold nothing; give a positive hertz=")
        if self.bedding == 0.0:
            raise ModelError("Soft: bedding is zero and would hold nothing; give a positive bedding=, in N/m3")

    def __repr__(self) -> str:
        said = ((name, getattr(self, name)) for name in ("stiffness", "damping", "hertz", "bedding", "damping_ratio"))
        return f"Soft({', '.join(f'{name}={value}' for name, value in said if value is not None)})"


def softness(value: Any, what: str, option: str, *, surface: bool = False) -> Soft | None:
    """A `Soft`, or None for rigid; only a `surface` has an area that could be bedded."""
    if value is not None and not isinstance(value, Soft):
        raise ModelError(
            f"{what}: {option} must be an lw.Soft, got {checked.shown(value)}; "
            f"give {option}=lw.Soft(hertz=30), for example"
        )
    if value is not None and value.bedding is not None and not surface:
        raise ModelError(
            f"{what}: {option} has no area to be bedded on; give {option}=lw.Soft(stiffness=...) or lw.Soft(hertz=...)"
        )
    return value
