"""The badge of a run: good, watch or poor, with the reasons, from its certificate."""

from __future__ import annotations

from typing import Any

from linkwork.simulation.results.judging.limits import BOUNDS
from linkwork.simulation.results.trajectory import Trajectory

WATCH = 0.1  # of a bound: from there on it is worth a look


def trust(run: Trajectory) -> dict[str, Any]:
    """`light`, `reasons` and the `lines` of the certificate.

    >>> trust(lw.simulate(lw.gallery.pendulum.build(), until=0.1, method="recursive", dt=0.01))["light"]
    'good'
    """
    facts = run.certificate
    doubts = facts.doubts()
    near = facts.broken({name: WATCH * bound for name, bound in BOUNDS.items() if name != "cut"})
    watched = [*near, *(f"ignored: {each}" for each in facts.ignored)]
    light = "poor" if doubts else "watch" if watched else "good"
    good = ["the run is complete, its energy adds up and its joints stay closed"]
    return {"light": light, "reasons": doubts or watched or good, "lines": facts.lines()}
