"""A law of time that changes from one value to another, at once or smoothly. Data only."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.model import checked
from linkwork.model.checked import Vector, VectorLike


@dataclass(frozen=True, eq=False)
class Step:
    """`before` until the time `at` (s), `value` after it; with `rise` (s) the change is smooth, until `at + rise`.

    Values are numbers, or three for a vector. During the transition the rate and the acceleration are continuous (four
    cubics), so it suits prescribed motions, such as a shaft brought to speed. Without `rise` it jumps. Every integrator
    then has an error proportional to dt (up to the jump times dt in an impulse). A `rise` over several steps keeps the
    order of the integrator.

    >>> law = lw.Step(5.0, at=1.0, rise=0.5)
    >>> [law(t) for t in (0.0, 1.25, 1.5)]
    [0.0, 2.5, 5.0]
    >>> model = lw.Model("fan")
    >>> fan = model.body("fan", shape=lw.Cylinder(0.2, 0.02), mass=0.5)
    >>> shaft = model.revolute("shaft", "ground", fan, at=(0, 0, 0), axis=(0, 0, 1))
    >>> drive = model.motor("drive", shaft, velocity=lw.Step(30.0, at=0.1, rise=0.2))
    """

    value: float | Vector
    at: float
    before: float | Vector
    rise: float

    def __init__(
        self, value: float | VectorLike, at: float, before: float | VectorLike = 0.0, rise: float = 0.0
    ) -> None:
        object.__setattr__(self, "value", _amount(value, "value"))
        object.__setattr__(self, "at", checked.number(at, "Step", "at", "seconds"))
        object.__setattr__(self, "before", _amount(before, "before"))
        object.__setattr__(self, "rise", checked.not_negative(rise, "Step", "rise", "seconds"))

    @property
    def size(self) -> int:
        """1 for numbers, 3 for vectors."""
        return int(np.broadcast(self.value, self.before).size)

    def pieces(self) -> tuple[Vector, list[Vector]]:
        """Times from which cubics hold, and for each component their coefficients, from the constant up."""
        start, end = (np.broadcast_to(each, (self.size,)) for each in (self.before, self.value))
        if self.at + self.rise / 4 == self.at:
            jump: Vector = np.array([math.nextafter(self.at, -math.inf), self.at])
            return jump, [np.array([[low, 0, 0, 0], [high, 0, 0, 0]]) for low, high in zip(start, end, strict=True)]
        # the acceleration goes 0, A, 0, -A, 0 in straight lines, a quarter of the rise each: A = 8 / rise^2
        quarter = self.rise / 4
        slope = 8.0 / self.rise**2 / quarter
        shape, x, v, a = [], 0.0, 0.0, 0.0
        for jerk in (slope, -slope, -slope, slope):
            shape.append([x, v, a / 2, jerk / 6])
            x += quarter * (v + quarter * (a / 2 + quarter * jerk / 6))
            v += quarter * (a + quarter * jerk / 2)
            a += quarter * jerk
        shape.append([1.0, 0.0, 0.0, 0.0])
        rows = []
        for low, high in zip(start, end, strict=True):
            cubics = (high - low) * np.array(shape)
            cubics[:, 0] += low
            cubics[-1, 0] = high
            rows.append(cubics)
        knots: Vector = self.at + quarter * np.arange(5.0)
        return knots, rows

    def __call__(self, time: float) -> float | Vector:
        """Its value at a time, s."""
        times, rows = self.pieces()
        k = int(np.clip(np.searchsorted(times, time, side="right") - 1, 0, len(times) - 1))
        x = min(max(time, times[0]) - times[k], times[-1] - times[k])
        found = np.array([row[k] @ [1.0, x, x * x, x**3] for row in rows])
        return float(found[0]) if self.size == 1 else found

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Step)
            and (self.at, self.rise) == (other.at, other.rise)
            and np.array_equal(self.value, other.value)
            and np.array_equal(self.before, other.before)
        )

    def __hash__(self) -> int:
        return hash((self.at, self.rise, np.asarray(self.value).tobytes(), np.asarray(self.before).tobytes()))


def _amount(value: Any, option: str) -> float | Vector:
    """A number, or three."""
    scalar = checked.real(value)
    return checked.vector(value, "Step", option) if scalar is None else checked.number(scalar, "Step", option)
