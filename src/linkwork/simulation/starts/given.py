"""An assembled system with other start values given for some of its joints."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from linkwork.assembly.system import JointPlace, System

Values = dict[str, tuple[float, ...]]  # of joints, by name


def with_given(system: System, positions: Values, rates: Values, held: bool) -> System:
    """The system with these start values given; others that the model gives are `held` too, or only where to begin."""
    places: dict[str, Any] = {"joints": list(system.joints), "cuts": list(system.cuts)}
    numbers: dict[str, Any] = {
        name: getattr(system, name).copy() for name in ("q_start", "v_start", "cut_start", "cut_v_start")
    }
    flags: dict[str, Any] = {
        name: getattr(system, name).copy() for name in ("q_given", "v_given", "cut_q_given", "cut_v_given")
    }
    if not held:
        for values, names in ((positions, ("q_given", "cut_q_given")), (rates, ("v_given", "cut_v_given"))):
            for name in names if values else ():
                flags[name][:] = False
    for where, word in (("joints", ""), ("cuts", "cut_")):
        for k, place in enumerate(places[where]):
            position, rate = positions.get(place.name), rates.get(place.name)
            if position is not None:
                numbers["cut_start" if word else "q_start"][place.q] = position
                flags[f"{word}q_given"][place.v] = True
            if rate is not None:
                numbers[f"{word}v_start"][place.v] = rate
                flags[f"{word}v_given"][place.v] = True
            places[where][k] = _told(place, position, rate, positions, rates, held)
    return replace(system, **places, **numbers, **flags)


def _told(place: JointPlace, position: Any, rate: Any, positions: Values, rates: Values, held: bool) -> JointPlace:
    """The place with a joint that says what is given, for those who explain what does not fit."""
    if place.joint is None:
        return place
    if position is None and (held or not positions):
        position = place.joint.position
    if rate is None and (held or not rates):
        rate = place.joint.velocity
    return replace(place, joint=replace(place.joint, position=position, velocity=rate))
