"""What drives a part: a number, a law of time, or a column that it sees, such as an input."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from linkwork.assembly.laws.law_tables import table_cubics
from linkwork.errors import ModelError
from linkwork.model import Constant, Cosine, Joint, Law, PythonLaw, Step, compiled
from linkwork.model.laws.laws import LawLike, time_law

Signal: TypeAlias = Callable[..., float]


def signal(value: LawLike | str, place: int, what: str, option: str) -> tuple[list[str], Signal]:
    """The columns to see, one or none, and a compiled function of (t, seen) that gives the present number.

    A column stands in `seen` at `place`.
    """
    if isinstance(value, str):
        if not value.strip():
            raise ModelError(f"{what}: {option} is an empty name; give a column such as 'voltage', a number or a law")
        return [value], _seen(place)
    return [], _of_time(time_law(value, what, option))


def name_of(joint: Joint | str, what: str) -> str:
    """The name of a joint that stands beside the law."""
    if not isinstance(joint, Joint | str):
        raise ModelError(f"{what}: {joint!r} is no joint; give the joint, or its name")
    return joint if isinstance(joint, str) else joint.name


@lru_cache(maxsize=64)
def _seen(place: int) -> Signal:
    def present(t: float, seen: Any) -> float:
        return float(seen[place])

    return compiled(present)


@lru_cache(maxsize=256)
def _of_time(law: Law) -> Signal:
    if isinstance(law, PythonLaw):
        asked = compiled(law.function)
        return compiled(lambda t, seen: asked(t))
    if isinstance(law, Constant):
        number = float(law.value)
        return compiled(lambda t, seen: number)
    if isinstance(law, Cosine):
        height, rate, phase, offset = law.amplitude, 2.0 * np.pi * law.frequency, law.phase, law.offset
        return compiled(lambda t, seen: height * np.cos(rate * t + phase) + offset)
    times, rows = law.pieces() if isinstance(law, Step) else (law.times, [table_cubics(law, law.values)])
    knots, heights = np.array(times), np.array(rows[0])

    def piecewise(t: float, seen: Any) -> float:
        k = max(int(np.searchsorted(knots, t, side="right")) - 1, 0)
        x = min(max(t, knots[0]), knots[-1]) - knots[k]
        return float(heights[k, 0] + x * (heights[k, 1] + x * (heights[k, 2] + x * heights[k, 3])))

    return compiled(piecewise)
