"""Round numbers for scales, grids and sliders."""

from __future__ import annotations

import math


def step_of(value: float) -> float:
    """The nearest of 1, 2, 5 times a power of ten below a value.

    >>> step_of(0.37), step_of(61.0)
    (0.2, 50.0)
    """
    power = 10.0 ** math.floor(math.log10(value))
    return round(max(step * power for step in (1.0, 2.0, 5.0) if step * power <= value * (1 + 1e-9)), 12)
