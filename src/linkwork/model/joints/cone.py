"""Cones: limits of ball and universal joints. Data only."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from linkwork.errors import ModelError
from linkwork.model import checked

WHOLE_TURN = (-math.inf, math.inf)


@dataclass(frozen=True)
class Cone:
    """Limits of a ball joint: how far b may lean away from the axis of the joint, and turn about its own.

    `swing` (rad) is the most angle between the z axes of the joint in a and in b, `twist` (rad) bounds what is left of
    the turn after that swing: (low, high), or one number for both sides. `turn` (rad) is the most angle of the whole
    turn, whatever its axis, as MuJoCo's balls have it. None is no limit. The axis is `axis` of the joint, or z of its
    frames. Of a universal joint only the swing can be limited.

    >>> lw.Cone(0.5)
    Cone(swing=0.5)
    >>> lw.Cone(0.5, twist=0.2).twist
    (-0.2, 0.2)
    """

    swing: float = math.inf
    twist: tuple[float, float] = WHOLE_TURN
    turn: float = math.inf

    def __init__(
        self,
        swing: float | None = None,
        twist: float | Sequence[float | None] | None = None,
        turn: float | None = None,
    ) -> None:
        if swing is None and twist is None and turn is None:
            raise ModelError("Cone: it limits nothing; give swing=, twist= or turn= (rad)")
        object.__setattr__(self, "swing", _angle(swing, "swing"))
        object.__setattr__(self, "twist", _twist(twist))
        object.__setattr__(self, "turn", _angle(turn, "turn"))

    def __repr__(self) -> str:
        said = [] if self.swing == math.inf else [f"swing={self.swing:g}"]
        said += [] if self.twist == WHOLE_TURN else [f"twist=({self.twist[0]:g}, {self.twist[1]:g})"]
        said += [] if self.turn == math.inf else [f"turn={self.turn:g}"]
        return f"Cone({', '.join(said)})"

    def excess(self, position: Sequence[float], allowed: float = 0.0) -> str:
        """What is beyond it by more than `allowed` (rad), in words; empty where nothing is.

        `position` is a quaternion w, x, y, z, or the two angles of a universal joint.

        >>> lw.Cone(0.5).excess((1, 0, 0, 0)), lw.Cone(0.5).excess((0.9, 0.436, 0, 0))
        ('', 'a swing of 0.902 rad, beyond 0.5')
        """
        w, x, y, z = position if len(position) == 4 else _turn(*position)
        swing = 2.0 * math.atan2(math.hypot(x, y), math.hypot(w, z))
        twist = math.remainder(2.0 * math.atan2(z, w), 2.0 * math.pi)
        if swing > self.swing + allowed:
            return f"a swing of {swing:.3g} rad, beyond {self.swing:g}"
        turn = 2.0 * math.atan2(math.hypot(x, y, z), abs(w))
        if turn > self.turn + allowed:
            return f"a turn of {turn:.3g} rad, beyond {self.turn:g}"
        low, high = self.twist
        return (
            ""
            if low - allowed <= twist <= high + allowed
            else f"a twist of {twist:.3g} rad, outside {low:g} to {high:g}"
        )


def _angle(value: float | None, option: str) -> float:
    """An angle below half a turn, infinite where there is no limit."""
    if value is None:
        return math.inf
    most = checked.positive(value, "Cone", option, "radians")
    if not most < math.pi:
        raise ModelError(f"Cone: {option} is {most:g} rad, which is no limit; give less than pi")
    return most


def _turn(first: float, second: float) -> tuple[float, float, float, float]:
    """The quaternion of a turn about x, then about the new y."""
    c, s, k, z = math.cos(first / 2), math.sin(first / 2), math.cos(second / 2), math.sin(second / 2)
    return c * k, s * k, c * z, s * z


def _twist(value: float | Sequence[float | None] | None) -> tuple[float, float]:
    """(low, high), infinite where there is no limit."""
    if value is None:
        return WHOLE_TURN
    one = checked.real(value)
    pair = (-one, one) if one is not None else value
    try:
        low, high = (
            checked.real(end if side is None else side)
            for side, end in zip(pair, WHOLE_TURN, strict=True)  # type: ignore[arg-type]
        )
    except (TypeError, ValueError):
        low = high = None
    if low is None or high is None or math.isnan(low) or math.isnan(high) or not low < high:
        raise ModelError(f"Cone: twist is {checked.shown(value)}; give (low, high) in radians, low below high")
    for side in (low, high):
        if math.isfinite(side) and not abs(side) < math.pi:
            raise ModelError(f"Cone: twist reaches to {side:g} rad; give less than half a turn, pi, or None")
    return low, high
