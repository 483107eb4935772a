"""Materials: friction and restitution of surfaces. Data only."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.model import checked
from linkwork.model.forces.soft import Soft, softness


@dataclass(frozen=True, kw_only=True)
class Material:
    """A surface: coefficient of dry `friction`, `restitution` from 0 to 1, `softness` (None: rigid).

    For two surfaces, friction is the square root of the product of the coefficients, and restitution is the larger one.
    If both are soft, the softness of the simpler shape applies; of two with a `bedding` the compliances are added. What
    is soft rebounds by its spring and damper.

    Restitution is the speed of separation as a fraction of the speed of approach. Where friction reverses the slip
    during the collision that could gain energy; the rebound is then so slow that the collision gives back no more than
    the square of `restitution` of the energy that it takes without rebound. What approaches more slowly than
    `bounce_speed` (m/s) does not bounce. By default that is the speed of a fall by a thousandth of the smaller shape's
    radius, or what the forces of a step add, where that is more. Of two given ones the larger counts.

    `rolling` and `torsional` (m) resist rolling and turning on the spot: the torque is at most this length times the
    normal force at each point. For two surfaces the larger one counts.

    Two numbers in `friction` are the coefficients along the `grain`, a direction in the body's frame, and across it, as
    of skates and sledge runners; between the two, friction is on an ellipse and takes as much energy as it can. Of two
    surfaces with a grain the more unequal one gives the directions, and the other counts with its geometric mean.

    >>> lw.Material(friction=0.5, restitution=0.2)
    Material(friction=0.5, restitution=0.2)
    >>> skate = lw.Material(friction=(0.01, 0.8), grain=(1, 0, 0))
    >>> tyre = lw.Material(friction=0.9, rolling=0.004, torsional=0.01)
    """

    friction: float | tuple[float, float] = 0.5
    restitution: float = 0.0
    softness: Soft | None = None
    bounce_speed: float | None = None
    rolling: float = 0.0
    torsional: float = 0.0
    grain: Any = None

    def __post_init__(self) -> None:
        self._check_friction()
        for name in ("rolling", "torsional"):
            object.__setattr__(self, name, checked.not_negative(getattr(self, name), "Material", name, "metres"))
        e = restitution_number(self.restitution, "Material")
        object.__setattr__(self, "restitution", e)
        if self.bounce_speed is not None:
            slow = checked.not_negative(self.bounce_speed, "Material", "bounce_speed", "m/s")
            object.__setattr__(self, "bounce_speed", slow)
        if softness(self.softness, "Material", "softness", surface=True) is not None and e > 0.0:
            raise ModelError(
                "Material: what is soft rebounds as its spring and damper say; remove restitution= or softness="
            )

    def _check_friction(self) -> None:
        if not isinstance(self.friction, list | tuple | np.ndarray) or getattr(self.friction, "ndim", 1) == 0:
            object.__setattr__(self, "friction", checked.not_negative(self.friction, "Material", "friction"))
            if self.grain is not None:
                raise ModelError("Material: a grain needs two coefficients; give friction=(along, across)")
            return
        two = checked.vector(self.friction, "Material", "friction", 2).tolist()
        along, across = (checked.not_negative(each, "Material", "friction") for each in two)
        if self.grain is None:
            raise ModelError(
                "Material: two coefficients of friction need a direction; give grain=(1, 0, 0), for example"
            )
        object.__setattr__(self, "friction", (along, across))
        checked.direction(self.grain, "Material", "grain")
        object.__setattr__(self, "grain", tuple(checked.vector(self.grain, "Material", "grain").tolist()))

    def __repr__(self) -> str:
        told = [f"friction={self.friction}", f"restitution={self.restitution}"]
        for name, usual in (("softness", None), ("bounce_speed", None), ("rolling", 0.0), ("torsional", 0.0)):
            if getattr(self, name) != usual:
                told.append(f"{name}={getattr(self, name)}")
        return f"Material({', '.join(told)}{'' if self.grain is None else f', grain={self.grain}'})"

    @property
    def frictions(self) -> tuple[float, float]:
        """The coefficients along and across the grain, equal where there is none.

        >>> lw.Material(friction=0.3).frictions
        (0.3, 0.3)
        """
        return self.friction if isinstance(self.friction, tuple) else (self.friction, self.friction)

    @property
    def mean_friction(self) -> float:
        """The coefficient, or the geometric mean of the two.

        >>> round(lw.Material(friction=(0.9, 0.1), grain=(0, 1, 0)).mean_friction, 12)
        0.3
        """
        return math.sqrt(self.friction[0] * self.friction[1]) if isinstance(self.friction, tuple) else self.friction


def restitution_number(value: Any, what: str) -> float:
    """Restitution, checked."""
    e = checked.not_negative(value, what, "restitution")
    if e > 1.0:
        raise ModelError(f"{what}: restitution is {e:g} but must be between 0 and 1; correct restitution=")
    return e


def check_material(value: Any, what: str) -> Material:
    """A material; raises for anything else."""
    if not isinstance(value, Material):
        raise ModelError(
            f"{what}: material must be an lw.Material, got {checked.shown(value)}; "
            "give material=lw.Material(friction=0.5), for example"
        )
    return value
