"""Motors that hold rigidly give their joints a motion from the first moment on: start values are taken from their laws.

A mechanism at rest whose motor asks for a speed would be jolted: the first step reports the impulse over dt as a force.
So what the user does not give is taken from the law, and loops and gears follow. Where the user gives another
velocity the jolt happens at the start, as an event: velocities change by the least impulse p with

    M v+ = M v- + R^T p        R v+ = what loops, motors and gears ask for

and motors put in p (r- + r+) / 2, r being the rates of their joints; no column of forces has it.
A motor with max_torque or softness gives way, and is left alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from linkwork.assembly.assemble import assemble
from linkwork.assembly.system import JointPlace, System
from linkwork.assembly.tables import Floats
from linkwork.errors import ModelError
from linkwork.formulations.protocol import Method
from linkwork.mechanics.rows.constraint_rows import cut_frames, measure_wrench
from linkwork.model import Cosine, Coupling, Motor, Table
from linkwork.model.joints.joint_kinds import KINDS
from linkwork.model.laws.laws import law_value
from linkwork.simulation.analysis.dynamics import integrate, mass_matrix
from linkwork.simulation.results.columns.plain import shortened
from linkwork.simulation.results.columns.units import joint_units
from linkwork.simulation.starts.drive_conflicts import drive_conflicts
from linkwork.simulation.starts.drive_jumps import jumps
from linkwork.simulation.starts.given import with_given
from linkwork.simulation.starts.start import NEARLY, Closure, Start, consistent_start
from linkwork.simulation.structure.transfer import least_impulse

SMALL = 1 / 8  # of a step: differences of a law
BEND = 0.25  # a law that moves so much otherwise than its rates say jumps within the first step
SAME = 1e-9  # of the faster of two rates
NOTHING = 1e-3  # of what the rate changes in a step: errors of differences
NEGLIGIBLE_SPEED = 0.05  # of how fast a motor goes elsewhere: not worth a word
ROUNDING = 1e-12  # of the reach of a law, in a step
CONTRADICT = 1e-6  # of the fastest: so much of a velocity that cannot be had


class Wish(NamedTuple):
    """What a rigid motor asks of its joint at the start."""

    motor: Motor
    place: JointPlace
    position: float | None  # rad or m
    rate: float  # rad/s or m/s, of its law
    lag: float  # what the rates of steps are behind that: a position is followed by mean rates
    slack: float  # rates that differ by no more are the same


class Jolt(NamedTuple):
    """What a motor does to its joint in the moment of the start."""

    place: JointPlace
    impulse: Floats  # (6,) N s, N m s: on b from a, world axes
    energy: float  # J, put in


class DrivenStart(NamedTuple):
    start: Start
    notes: list[str]  # what was taken from motors
    warnings: list[str]  # what contradicts them
    jolts: list[Jolt]
    lags: dict[str, float]  # of the joints with rigid motors: see Wish


def start_with_motors(method: Method, system: System, time: float, ignored: Any = ()) -> DrivenStart:
    """A consistent start of the system with its start values, and those of motors where the method has them."""
    if not system.driven and "motors" not in method.supports:
        start = consistent_start(system, time)
        return DrivenStart(start, [], drive_conflicts(system, start, time), [], {})
    driven = driven_start(system, time, method.dt, ignored)
    return driven._replace(warnings=[*driven.warnings, *([] if "motors" in ignored else jumps(system, time))])


def driven_start(system: System, time: float, h: float, ignored: Any = ()) -> DrivenStart:
    """A consistent start of a model whose motors hold from its first step of h on."""
    wishes = [] if "motors" in ignored else _wishes(system, time, h)
    if not wishes:
        start = consistent_start(system, time)
        return DrivenStart(start, [], drive_conflicts(system, start, time), [], {})
    places, rates = _wanted(system, wishes)
    # rows know their rates better than differences do: there these are only where to begin
    own = {} if system.driven else rates
    begun = _begun(system, rates) if system.driven else system
    for positions, velocities in ((places, own), ({}, own), ({}, {})):
        try:
            start = consistent_start(with_given(begun, positions, velocities, held=True), time)
            break
        except ModelError as error:
            if system.driven:
                start, rates = _start_before_jolt(system, places, time, error), {}
                break
            if not velocities:
                raise
    told = rates if system.driven else velocities
    notes = [note for wish in wishes if (note := _note(system, wish, positions, told))]
    warnings = [_apart(wish, start) for wish in wishes if _gap(wish, start) > NEARLY]
    warnings += drive_conflicts(system, start, time)
    try:
        start, jolts = _jolted(system, start, wishes, time)
    except ModelError as error:
        start, jolts, warnings = start, [], [*warnings, str(error)]
    for jolt in jolts:
        warnings.append(_jolt_told(jolt, next(wish for wish in wishes if wish.place is jolt.place)))
    return DrivenStart(start, notes, warnings, jolts, {wish.place.name: wish.lag for wish in wishes})


def _begun(system: System, rates: dict[str, Any]) -> System:
    """The system whose driven joints begin with these rates: then what hangs on them keeps its own velocities."""
    v = system.v_start.copy()
    for place in system.joints:
        if place.name in rates:
            v[place.v] = rates[place.name]
    return replace(system, v_start=v)


def _start_before_jolt(system: System, places: dict[str, Any], time: float, error: ModelError) -> Start:
    """A start where motors want it, with the velocities that the user gives, which motors do not want."""
    given = with_given(system, places, {}, held=True)
    none = np.zeros_like
    try:
        start = consistent_start(replace(given, v_given=none(given.v_given), cut_v_given=none(given.cut_v_given)), time)
        free = assemble(system.model, floating=True, before=system)
        before = consistent_start(replace(free, q_start=start.q, q_given=np.ones_like(free.q_given)), time)
    except ModelError:
        raise _contradiction(system, time, error) from None
    return start._replace(v=before.v)


def _contradiction(system: System, time: float, error: ModelError) -> ModelError:
    """Which motors and gears want the same motion, where that is why there is no start; else the error itself."""
    try:
        free = consistent_start(assemble(system.model, floating=True, before=system), time)
    except ModelError:
        return error
    alike = drive_conflicts(system, Start(free.q, free.v, system.cut_start, []), time)
    return ModelError(f"{alike[0]} (there is no start that suits them all)") if alike else error


def _wishes(system: System, time: float, h: float) -> list[Wish]:
    """Of the motors that nothing holds up."""
    places = {place.name: place for place in system.joints + system.cuts}
    found = []
    for motor in system.motors:
        if not motor.rigid or motor.drives_rod:  # a rod is a row from the beginning
            continue
        place = places[motor.joint.path]
        if motor.velocity is not None:
            speed = law_value(motor.velocity, time)
            found.append(Wish(motor, place, None, speed, 0.0, SAME * abs(speed)))
            continue
        assert motor.position is not None
        d = SMALL * h
        x, x1, x2, end = (law_value(motor.position, time + t) for t in (0.0, d, 2 * d, h))
        rate = (4.0 * (x1 - x) - (x2 - x)) / (2.0 * d)
        bend = ((x2 - x1) - (x1 - x)) / d**2
        if abs(rate) < max(NOTHING * h * abs(bend), ROUNDING * _reach(motor.position, x, end) / h):
            rate = 0.0
        if abs(x + h * rate + 0.5 * h * h * bend - end) > BEND * abs(end - x) + 1e-12 * max(abs(x), abs(end)):
            rate = bend = 0.0
        found.append(Wish(motor, place, x, rate, 0.5 * h * bend, SAME * abs(rate) + h * abs(bend)))
    return found


def _reach(law: Any, *values: float) -> float:
    """How far a law goes, as far as that is known."""
    if isinstance(law, Table):
        return float(np.abs(law.values).max())
    return max(map(abs, (*values, law.amplitude, law.offset) if isinstance(law, Cosine) else values))


def _pace(motor: Motor) -> float:
    """How fast a motor goes elsewhere, as far as that is known: what is hardly a motion beside it is none."""
    law = motor.position
    if isinstance(law, Table):
        return float(np.abs(np.diff(law.values) / np.diff(law.times)).max())
    return 2 * math.pi * abs(law.frequency * law.amplitude) if isinstance(law, Cosine) else 0.0


def _wanted(system: System, wishes: list[Wish]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Start positions and rates that are left to the motors, by joint."""
    geared = {
        joint.path
        for drive in system.model.all_drives()
        if isinstance(drive, Coupling) and not drive.counted
        for joint in drive.joints
    }
    positions: dict[str, Any] = {}
    rates: dict[str, Any] = {}
    for wish in wishes:
        joint = wish.place.joint
        assert joint is not None
        if joint.nv > 1:  # start values are those of all its coordinates
            continue
        if wish.position is None or wish.place.name in geared:  # gears count from where they start
            pass
        elif joint.position is None or abs(joint.position[0] - wish.position) <= NEARLY:
            positions[wish.place.name] = (wish.position,)
        if joint.velocity is None or abs(joint.velocity[0] - wish.rate) <= wish.slack:
            rates[wish.place.name] = (wish.rate,)
    return positions, rates


def _note(system: System, wish: Wish, positions: dict[str, Any], rates: dict[str, Any]) -> str:
    """What the motor has changed of the start, in words; empty where that is nothing."""
    place, joint = wish.place, wish.place.joint
    assert joint is not None
    unit = joint_units(place.kind)["position"]
    built = float((system.cut_start if place.is_cut else system.q_start)[place.q][wish.motor.coordinate])
    parts = []
    if place.name in positions and wish.position is not None and abs(wish.position - built) > NEARLY:
        parts.append(f"at {wish.position:.6g} {unit}")
    if (
        place.name in rates
        and joint.velocity is None
        and abs(wish.rate) > max(wish.slack, NEGLIGIBLE_SPEED * _pace(wish.motor))
    ):
        parts.append(f"with {wish.rate:.6g} {unit}/s")
    return f"joint '{place.name}' starts {' and '.join(parts)}, as motor '{wish.motor.path}' has it" if parts else ""


def _value(wish: Wish, start: Start) -> float:
    return float((start.cut_q if wish.place.is_cut else start.q)[wish.place.q][wish.motor.coordinate])


def _gap(wish: Wish, start: Start) -> float:
    return 0.0 if wish.position is None else abs(_value(wish, start) - wish.position)


def _apart(wish: Wish, start: Start) -> str:
    unit = joint_units(wish.place.kind)["position"]
    return (
        f"motor '{wish.motor.path}' holds joint '{wish.place.name}' at {wish.position:.6g} {unit} from the start, but "
        f"it starts at {_value(wish, start):.6g}: the first step throws it there, and the forces of the first "
        f"rows are of that; give the joint position={wish.position:.6g}, or the motor a max_torque= or softness="
    )


def _jolt_told(jolt: Jolt, wish: Wish) -> str:
    unit = joint_units(wish.place.kind)["velocity"]
    impulse = float(np.linalg.norm(jolt.impulse))
    return (
        f"motor '{wish.motor.path}' has joint '{wish.place.name}' at {wish.rate:.6g} {unit} from the start on, but the "
        f"start values give it another velocity: it is jolted at the start by {impulse:.4g} "
        f"{'N s' if wish.place.kind == 'prismatic' else 'N m s'}, which no column of forces has (see events); give the "
        "joint no velocity=, or the one of the motor"
    )


def _jolted(system: System, start: Start, wishes: list[Wish], time: float) -> tuple[Start, list[Jolt]]:
    """The start after the impulses of those motors that do not have their rate yet."""
    closure = Closure(system, time)
    closure.cut_q[:] = start.cut_q
    closure.at(start.q, start.v)
    rates, R = _held(system, closure, start.v, [(wish.place, wish.motor.coordinate) for wish in wishes])
    motors = slice(len(rates) - len(wishes), None)
    before = rates[motors].copy()
    # a rate that is as good as the law's stays
    asked = [old if abs(old - wish.rate) <= wish.slack else wish.rate for wish, old in zip(wishes, before, strict=True)]
    rates[motors] -= asked
    fastest = max(float(np.abs(start.v).max(initial=0.0)), float(np.abs(asked).max(initial=0.0)))
    if np.abs(rates[motors]).max(initial=0.0) <= SAME * fastest:
        return start, []
    try:
        dv, p = least_impulse(mass_matrix(system, start.q), R, rates)
    except np.linalg.LinAlgError:
        return start, []
    left = R @ dv + rates
    if np.abs(left).max() > CONTRADICT * max(fastest, float(np.abs(rates).max())):
        names = shortened([f"'{wish.motor.path}'" for wish in wishes])
        raise ModelError(
            f"no motion of '{system.model.name}' has the velocities that motors ask for at the start ({names}, and "
            "what gears and loops tie together); let some of them give way by max_torque= or softness="
        )
    jolts = []
    for wish, old, new, size in zip(wishes, before, asked, p[motors], strict=True):
        if old != new:
            impulse = _along(wish.place, closure, float(size))
            jolts.append(Jolt(wish.place, impulse, 0.5 * float(size) * (float(old) + new)))
    return start._replace(v=start.v + dv), jolts


def _held(
    system: System, closure: Closure, v: Floats, places: Sequence[tuple[JointPlace, int]]
) -> tuple[Floats, Floats]:
    """Rates of loops, of gears and of joints with motors, where `closure` stands, and their rows."""
    closure.leave_play()
    rest = _tied(system)
    rates = [float((closure.cut_rate if place.is_cut else v)[place.v.start + k]) for place, k in places]
    rows = [closure.directions[p.v.start + k] if p.is_cut else np.eye(system.nv)[p.v.start + k] for p, k in places]
    return np.concatenate([closure.gd[rest], rates]), np.vstack([closure.G[rest], *rows])


def _tied(system: System) -> Any:
    """The rows of loops and gears: all but those of motors."""
    own = [
        system.first_coupled + j
        for j, each in enumerate(system.coupled)
        if each.law >= 0 and KINDS[each.terms[0].joint.kind].motions
    ]
    return np.delete(np.arange(system.rows), own)


def _halfway(system: System) -> Any:
    """Which of these rows hold halfway through a step: those of joints and of cams."""
    bent = [any(term.curve is not None for term in each.terms) for each in system.coupled]
    return np.array([True] * system.first_coupled + bent, dtype=bool)[_tied(system)]


def behind(system: System, start: Start, lags: dict[str, float] | None, time: float, h: float) -> Floats:
    """How the velocities before a step of h differ from those of `start`, for methods with impulses.

    A step closes the rates of its rows at the place where it begins, those of joints of free bodies halfway. At its end
    they are off by what the rows turn meanwhile, and the next step takes that away (and as much more where they were
    closed halfway), with the force that holds a body on its path. So it has to be there also for the first one, for one
    after joints were attached, and in other measure for one of another length; without it the next row would miss
    centripetal forces of loops. `lags` are those of motors at the start; None later on.
    """
    q, v, cut_q, _ = start
    known = {place.name: place for place in system.cuts + system.joints}
    rigid = [motor for motor in system.motors if motor.rigid and not motor.drives_rod]
    rigid = [motor for motor in rigid if lags is None or motor.joint.path in lags]
    places = [(known[motor.joint.path], motor.coordinate) for motor in rigid]
    if not (v.any() or any((lags or {}).values())) or not (system.rows or places):
        return np.zeros_like(v)
    closure = Closure(system, time + h)
    closure.cut_q[:] = cut_q
    closure.at(integrate(system, q, v, h), v)
    later, _ = _held(system, closure, v, places)
    closure = Closure(system, time)
    closure.cut_q[:] = cut_q
    closure.at(q, v)
    now, R = _held(system, closure, v, places)
    motors = now.size - len(places)
    turned = later - now
    turned[:motors][_halfway(system)] *= 0.5
    turned[:motors] -= now[:motors]  # less what is there already
    turned[motors:] -= [(lags or {}).get(place.name, 0.0) for place, _ in places]
    if lags is None:
        turned[motors:] = 0.0
    try:
        return least_impulse(mass_matrix(system, q), R, -turned)[0]
    except np.linalg.LinAlgError:  # a joint that moves no inertia: the first step names it
        return np.zeros_like(v)


def _along(place: JointPlace, closure: Closure, size: float) -> Floats:
    """An impulse of a joint's coordinate in world axes: of force where it slides, of torque where it turns."""
    axis = closure.work.pose_R[place.link_b].reshape(3, 3) @ place.frame_b[0][:, 2]
    if place.kind == "slot":
        cuts, c = closure.tables.cuts, place.last
        axis = np.array(measure_wrench(cuts, cuts.cut_measure[c], 0, *cut_frames(cuts, closure.work, c))[1])
    found = np.zeros(6)
    found[slice(0, 3) if KINDS[place.kind].slides_only else slice(3, 6)] = size * axis
    return found
