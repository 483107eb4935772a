"""`method="auto"`: which method suits a model and a step, and why, in one line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from linkwork.assembly.system import System
from linkwork.errors import ModelError
from linkwork.formulations.explicit.recursive import Recursive
from linkwork.formulations.implicit.hybrid import Hybrid
from linkwork.simulation.analysis.choice.elements import answers
from linkwork.simulation.analysis.choice.stiffness import OperatingPoint, find
from linkwork.simulation.starts.start import consistent_start

TOO_FAST = 2.0  # radians of its own swing in a step, or decay times; rk4 becomes unstable at 2.8
USUAL = Recursive  # what is chosen where nothing speaks against it
LARGE_STEP = 2e-2  # s: from here on loops are better closed implicitly


def choose(
    system: System, features: frozenset[str], options: Mapping[str, Any], methods: Mapping[str, Any]
) -> tuple[str, str]:
    """Name of the method and the reason; `features` are wanted of it, `options` were given by the user."""
    beyond = sorted(features - Recursive.supports)
    for name, kind in methods.items():
        if beyond and features <= kind.supports and options.keys() <= {f.name for f in fields(kind)}:
            return name, f"{name}: the model has {' and '.join(beyond)}"
    if not options.keys() <= {"dt"}:
        return Recursive.name, f"recursive: it has the option {sorted(options.keys() - {'dt'})[0]}"
    dt = options.get("dt", Recursive.dt)
    if isinstance(dt, (int, float)) and dt > 0 and features <= Hybrid.supports:
        what = too_stiff(system, dt)
        if what:
            return Hybrid.name, f"hybrid: {what} is too stiff for explicit steps of {dt:g} s"
        if system.cuts and dt >= LARGE_STEP:
            return Hybrid.name, f"hybrid: loops with steps of {dt:g} s"
    return Recursive.name, "recursive: nothing here is stiff for its steps"


def too_stiff(system: System, dt: float) -> str:
    """What swings or decays too fast for explicit steps, with all that moves with it at the start; empty where none."""
    if not answers(system.tables):
        return ""
    try:
        start = consistent_start(system)
    except ModelError:  # what is wrong with the model is told by the run itself
        return ""
    found = find(
        OperatingPoint(system, system.tables, start.q, start.v, start.cut_q, 0.0), Recursive.integrator, dt, TOO_FAST
    )
    return "" if found is None else found.what
