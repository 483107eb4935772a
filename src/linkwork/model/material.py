"""Materials: friction and restitution of surfaces. Data only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from linkwork.errors import ModelError
from linkwork.model import checked
from linkwork.model.soft import Soft, softness


@dataclass(frozen=True, kw_only=True)
class Material:
    """A surface: coefficient of dry `friction`, `restitution` from 0 to 1, `softness` (None: rigid).

    For two surfaces, friction is the square root of the product of the coefficients, and restitution is the larger one.
    If both are soft, the softness of the simpler shape applies. Restitution is the speed of separation as a fraction of
    the speed of approach; below 0.05 m/s nothing bounces. A soft surface rebounds by its spring and damper instead.

    >>> lw.Material(friction=0.5, restitution=0.2)
    Material(friction=0.5, restitution=0.2, softness=None)
    """

    friction: float = 0.5
    restitution: float = 0.0
    softness: Soft | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "friction", checked.not_negative(self.friction, "Material", "friction"))
        e = checked.not_negative(self.restitution, "Material", "restitution")
        if e > 1.0:
            raise ModelError(f"Material: restitution is {e:g} but must be between 0 and 1; correct restitution=")
        object.__setattr__(self, "restitution", e)
        if softness(self.softness, "Material", "softness") is not None and e > 0.0:
            raise ModelError(
                "Material: what is soft rebounds as its spring and damper say; remove restitution= or softness="
            )


def check_material(value: Any, what: str) -> Material:
    """A material; raises for anything else."""
    if not isinstance(value, Material):
        raise ModelError(
            f"{what}: material must be an lw.Material, got {checked.shown(value)}; "
            "give material=lw.Material(friction=0.5), for example"
        )
    return value
