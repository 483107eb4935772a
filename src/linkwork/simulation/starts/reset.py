"""Start values asked for by `sim.reset`: they are held, loops close, the rest is as the model says where that fits."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.assembly.system import System
from linkwork.assembly.tables import Floats
from linkwork.errors import ModelError, OptionError
from linkwork.model.checked import shown
from linkwork.model.joints.joint_checks import start_values
from linkwork.model.joints.joint_kinds import KINDS
from linkwork.simulation.analysis.dynamics import checked_coordinates, checked_time, checked_vector
from linkwork.simulation.starts.driven import DrivenStart
from linkwork.simulation.starts.given import Values, with_given
from linkwork.simulation.starts.start import NEARLY, Start, absolute_start, consistent_start
from linkwork.simulation.stepping.remote_links import remote_parts
from linkwork.simulation.structure.transfer import seen, transferred

if TYPE_CHECKING:
    from linkwork.simulation.stepping.stepper import Stepper

STAGES = 16  # on the way to start values that cannot be reached at once
ROUGH = 0.1  # of the fastest: so far velocities are moved onto the loops when all of them are given


def start_anew(stepper: Stepper, q: Any, v: Any, joints: Any, velocities: Any, time: Any) -> DrivenStart:
    """A consistent start with these values at this time; refuses with the joint that cannot be so."""
    if stepper.remote_links is not None or stepper.border is not None or remote_parts(stepper.system.model):
        raise OptionError(
            f"'{stepper.system.model.name}' cannot be reset while components live elsewhere; make a new lw.Simulation"
        )
    for whole, named, words in ((q, joints, "q= or joints="), (v, velocities, "v= or velocities=")):
        if whole is not None and named is not None:
            raise OptionError(f"reset: give {words}, not both")
    system, time = stepper.system, checked_time(time)
    if all(each is None for each in (q, v, joints, velocities)):
        return stepper.first if time == 0.0 else stepper.consistent_start(system, time)
    positions, rates = named_values(system, joints, "position"), named_values(system, velocities, "velocity")
    if q is None and v is None:
        return _start(stepper, system, positions, rates, time)
    if stepper.began.absolute:
        if joints is not None:
            raise OptionError(
                f"reset: method {stepper.method.name!r} needs q= beside v=, or velocities= beside joints="
            )
        return _of_bodies(stepper, q, v, rates, time)
    if q is not None:
        positions = _in_order(system, checked_coordinates(system, q))
    if v is None:
        return _start(stepper, system, positions, rates, time)
    asked = checked_vector(v, system.nv, "v")
    driven = _start(stepper, _moving(system, asked), positions, rates, time)
    found = driven.start.v
    off = np.abs(found - asked)
    if off.max(initial=0.0) > ROUGH * np.abs(asked).max(initial=0.0) and not driven.jolts:
        k = int(np.argmax(off))
        raise ModelError(
            f"reset: the loops do not let joint '{system.dof_name(k)}' move as v says (v[{k}] of {asked[k]:.6g} is "
            f"{found[k]:.6g}); give values that fit together, or use velocities="
        )
    return driven


def _moving(system: System, v: Floats) -> System:
    """The system with all start velocities, none of them held: they have the errors of the method that found them."""
    rates = {place.name: tuple(v[place.v].tolist()) for place in system.joints if place.v.stop > place.v.start}
    none = np.zeros_like
    given = with_given(system, {}, rates, held=False)
    return replace(given, v_given=none(system.v_given), cut_v_given=none(system.cut_v_given))


def _start(stepper: Stepper, system: System, positions: Values, rates: Values, time: float) -> DrivenStart:
    """The start, looked for where the model begins; where that is too far away, on the way from its own start."""
    try:
        driven = stepper.consistent_start(with_given(system, positions, rates, held=True), time)
        if not driven.start.moved:
            return driven
    except ModelError:
        pass  # what the model gives other joints does not fit
    try:
        return stepper.consistent_start(with_given(system, positions, rates, held=False), time)
    except ModelError:
        here = stepper.first.start
        for part in np.linspace(0.0, 1.0, STAGES + 1)[1:-1]:
            between = _between(system, here, positions, float(part))
            try:
                here = consistent_start(with_given(_from(system, here), between, {}, held=False), time)
            except ModelError:
                break
        else:
            return stepper.consistent_start(with_given(_from(system, here), positions, rates, held=False), time)
        raise


def _from(system: System, start: Start) -> System:
    """The system with another place to begin the search at; nothing of it is given."""
    return replace(system, q_start=start.q, cut_start=start.cut_q)


def _between(system: System, first: Start, positions: Values, part: float) -> Values:
    """Positions on the way from a start to the given ones."""
    found: Values = {}
    for places, numbers in ((system.joints, first.q), (system.cuts, first.cut_q)):
        for place in places:
            if place.name in positions:
                # `first` has gone so far already: the same way is left in fewer stages
                left = 1.0 / (STAGES * (1.0 - part) + 1.0)
                here, there = numbers[place.q].copy(), np.array(positions[place.name])
                if KINDS[place.kind].has_quaternion:
                    there[-4:] *= -1.0 if here[-4:] @ there[-4:] < 0.0 else 1.0
                way = here + left * (there - here)
                if KINDS[place.kind].has_quaternion:
                    way[-4:] /= np.linalg.norm(way[-4:])
                found[place.name] = tuple(way.tolist())
    return found


def named_values(system: System, values: Any, option: str, who: str = "reset") -> Values:
    """Start values by the names of joints, checked; messages begin with `who`."""
    if values is None:
        return {}
    word = who if who != "reset" else "joints" if option == "position" else "velocities"
    if not isinstance(values, Mapping):
        raise OptionError(f"{who}: {word} must be values by the names of joints, not {shown(values)}; correct {word}=")
    places = {place.name: place for place in system.joints + system.cuts}
    found: Values = {}
    for key, value in values.items():
        name = getattr(key, "path", key)
        if name not in places:
            close = difflib.get_close_matches(str(name), places, 3) or list(places)[:3]
            names = " or ".join(map(repr, close))
            raise OptionError(f"{who}: there is no joint {shown(name)} to start from; give {names} in {word}=")
        kind: Any = places[name].kind
        if KINDS[kind].always_cut and not KINDS[kind].nv:
            raise OptionError(f"{who}: {kind} '{name}' has no {option}; remove it from {word}=")
        size = KINDS[kind].nq if option == "position" else KINDS[kind].nv
        meaning = KINDS[kind].position if option == "position" else KINDS[kind].velocity
        numbers = start_values(f"{who} of joint '{name}'", kind, option, size, meaning, value)
        if numbers is not None:
            found[name] = numbers
    return found


def _in_order(system: System, q: Floats) -> Values:
    """All coordinates by the names of the joints of the tree."""
    found: Values = {}
    for place in system.joints:
        if place.q.stop > place.q.start:
            kind: Any = place.kind
            size = place.q.stop - place.q.start
            numbers = start_values(f"reset: q of joint '{place.name}'", kind, "position", size, "", q[place.q])
            assert numbers is not None
            found[place.name] = numbers
    return found


def _of_bodies(stepper: Stepper, q: Any, v: Any, rates: Values, time: float) -> DrivenStart:
    """Coordinates of every body by itself, as joints have them."""
    system, bodies = stepper.system, stepper.began
    before, cut_q = absolute_start(system, stepper.first.start, bodies, time)
    nq, nv = bodies.nq, bodies.nv
    wanted = before[:nq] if q is None else checked_coordinates(bodies, q)
    rate = np.zeros(nv) if v is None else checked_vector(v, nv, "v")
    moment = transferred(seen(bodies, time, wanted, rate, cut_q), system)
    given = {} if q is None else _in_order(system, moment.q)
    driven = _start(stepper, system if v is None else _moving(system, moment.v), given, rates, time)
    found = absolute_start(system, driven.start, bodies, time)[0]
    for place in bodies.joints:  # of the two quaternions of a rotation, the one that was given
        turn = slice(place.q.stop - 4, place.q.stop)
        found[turn] *= -1.0 if found[turn] @ wanted[turn] < 0.0 else 1.0
    most = {"q": NEARLY * max(1.0, float(np.abs(wanted).max())), "v": ROUGH * float(np.abs(rate).max())}
    for word, asked, part in (("q", wanted, found[:nq]), ("v", rate, found[nq : nq + nv])):
        off = np.abs(part - asked)
        if (q if word == "q" else v) is not None and off.max() > most[word] and not driven.jolts:
            k = int(np.argmax(off))
            body = next(p.body for p in bodies.joints if k < (p.q if word == "q" else p.v).stop)
            raise ModelError(
                f"reset: joints do not let body '{body}' be as {word} says ({word}[{k}] of "
                f"{asked[k]:.6g} is {part[k]:.6g}); give values that fit together, or use joints= and velocities="
            )
    return driven
