"""Why a pose was not found: which body stays away from its target, how far, and what keeps it there."""

from __future__ import annotations

import numpy as np

from linkwork.errors import RunError
from linkwork.simulation.analysis.poses.pose_equations import Goal, PoseEquations
from linkwork.simulation.analysis.poses.pose_search import Found
from linkwork.simulation.results.columns.plain import shortened
from linkwork.spatial import codes

OPEN = 0.01  # of what the body stays away: a loop that is open by less is not what keeps it


def unreached(equations: PoseEquations, found: Found, held: list[str], when: str) -> RunError:
    """One sentence; `when` is empty or the time of the pose."""
    system, gaps = equations.system, found.gaps
    goal, away = _worst(equations, found)
    loops, small = np.abs(gaps.hard[: system.rows]), max(OPEN * gaps.missed, gaps.rounding)
    kept = f", or hold fewer joints than {shortened([repr(name) for name in held])}" if held else ""
    if np.abs(gaps.hard).max(initial=0.0) > small:
        if loops.max(initial=0.0) > small:
            row = int(np.argmax(loops))
            angular = system.tables.cuts.row_kind[row] == codes.CROSSED
            size = f"{loops[row] * (1.0 if angular else equations.size):.3g} {'rad' if angular else 'm'}"
            why = f"the loop that joint '{system.row_name(row)}' closes cannot close there ({size} stays open)"
        else:
            why = "held joints and gears cannot keep their places there"
        remedy = f"give a target within its reach{kept}"
    elif found.pushing:
        why = _at_limits(equations, found)
        remedy = f"give another target or near=, or wider limits={kept}"
    elif not equations.free.any():
        why, remedy = "all joints are held", "hold fewer of them"
    else:
        why = "it is out of reach from here" + (
            " in this orientation" if goal.rotation is not None and "rad" in away else ""
        )
        point = ", only a point (three numbers) where the orientation may be any" if goal.rotation is not None else ""
        remedy = f"give a target nearer to the mechanism{point}, or another near={kept}"
    return RunError(
        f"{when}body '{goal.body}' of '{system.model.name}' stays {away} away from its target: {why}; {remedy}",
        culprit=goal.body,
    )


def _worst(equations: PoseEquations, found: Found) -> tuple[Goal, str]:
    """The goal that is missed most, and by how much."""
    at, told = 0, []
    for goal in equations.goals:
        turn = found.gaps.aim[at : at + 3] if goal.rotation is not None else np.zeros(3)
        at += 0 if goal.rotation is None else 3
        way = found.gaps.aim[at : at + 3]
        at += 3
        sizes = [(np.linalg.norm(way), equations.size, "m"), (np.linalg.norm(turn), 1.0, "rad")]
        most = max(size for size, _, _ in sizes)
        words = [f"{size * unit:.3g} {word}" for size, unit, word in sizes if size > 1e-6 * most] or ["0 m"]
        told.append((most, goal, " and ".join(words)))
    _, goal, words_of = max(told, key=lambda each: each[0])
    return goal, words_of


def _at_limits(equations: PoseEquations, found: Found) -> str:
    stops = [equations.stops[k] for k in sorted(found.pushing)]
    if len(stops) > 1:
        return f"joints {shortened([repr(stop.place.name) for stop in stops])} are at their limits"
    place, part, low, high = stops[0]
    number = float((found.cut_q if place.is_cut else found.q)[place.q.start + part])
    limit = low if abs(number - low) < abs(number - high) else high
    return f"joint '{place.name}' is at its limit {limit:.6g} {equations.unit(stops[0])}"
