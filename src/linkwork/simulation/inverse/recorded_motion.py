"""The motion of a run as coordinates, velocities and accelerations of a system's tree, row by row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from linkwork.assembly.assemble import assemble
from linkwork.assembly.system import JointPlace, System
from linkwork.assembly.tables import Floats
from linkwork.errors import OptionError
from linkwork.mechanics.size import row_units, size_of
from linkwork.model.checked import shown
from linkwork.model.joints.joint_kinds import KINDS
from linkwork.simulation.analysis.dynamics import forward_kinematics
from linkwork.simulation.inverse.stateless import stateless, whole
from linkwork.simulation.results.columns.plain import shortened
from linkwork.simulation.results.judging.limits import BOUNDS
from linkwork.simulation.results.judging.run_certificate import model_hash
from linkwork.simulation.results.trajectory import Trajectory
from linkwork.simulation.starts.start import Closure

OPEN = BOUNDS["drift"]  # of the size of the model: what loops may be open by, and bodies be elsewhere


class TreeMotion(NamedTuple):
    """Rows of a run in the coordinates of one system; `notes` say what was not recorded and had to be formed."""

    time: Floats  # (row,) s
    q: Floats  # (row, nq)
    v: Floats  # (row, nv)
    a: Floats  # (row, nv)
    cut_q: Floats  # (row, cut coordinate)
    notes: list[str]


def recorded_motion(system: System, motion: Any) -> TreeMotion:
    """The motion of a run, checked to be one of this system."""
    if not isinstance(motion, Trajectory):
        raise OptionError(f"{shown(motion)} is not a motion; give the run that lw.simulate or lw.load_run returns")
    name = system.model.name
    if any(event.what != "jolted" for event in motion.events):
        raise OptionError(f"joints were attached or released in this motion of '{name}'; give one without")
    if not len(motion) or np.any(np.diff(motion.time) <= 0.0):
        raise OptionError(f"the times of the motion of '{name}' do not increase; give a run with one row for each time")
    count = len(motion)
    q, v, a = np.zeros((count, system.nq)), np.zeros((count, system.nv)), np.zeros((count, system.nv))
    formed: list[str] = []
    for place in system.joints:
        if place.v.stop == place.v.start:
            continue
        q[:, place.q], v[:, place.v] = _of(motion, system, place, "position"), _of(motion, system, place, "velocity")
        if f"{place.name}.acceleration" in motion:
            a[:, place.v] = _column(motion, system, f"{place.name}.acceleration")
        else:
            a[:, place.v] = derivative(motion.time, v[:, place.v])
            formed.append(place.name)
    cut_q = np.tile(system.cut_start, (count, 1))
    for place in system.cuts:
        if place.q.stop > place.q.start and f"{place.name}.position" in motion:
            cut_q[:, place.q] = _column(motion, system, f"{place.name}.position")
    notes = [f"accelerations of {shortened(formed)} formed from velocities by a cubic spline"] if formed else []
    found = TreeMotion(np.array(motion.time), q, v, a, cut_q, notes)
    _refuse_other(system, motion, found)
    if motion.certificate.parts_hash and motion.certificate.parts_hash not in _hashes(system):
        notes.append("the motion is that of a model with other masses or forces")
    return found


def _hashes(system: System) -> Iterator[str]:
    """Of the model as methods take it: with motors as rows or without, with states of laws or without.

    Where it starts does not matter: a run may begin at its equilibrium, in a pose, or where another one ended.
    """
    yield model_hash(system, start=False)
    yield model_hash(assemble(system.model, floating=True, driven=True, before=system), start=False)
    model = whole(system.model)
    for each in (model, stateless(model)) if stateless(model) is not model else ():
        yield model_hash(assemble(each), start=False)
        yield model_hash(assemble(each, driven=True), start=False)


def derivative(time: Floats, values: Floats) -> Floats:
    """Rates of columns by a cubic spline; zero where there is one row."""
    if len(time) < 2:
        return np.zeros_like(values)
    from scipy.interpolate import CubicSpline  # here, because it takes a third of a second

    found: Floats = CubicSpline(time, values)(time, 1)
    return found


def integral(time: Floats, values: Floats) -> Floats:
    """Integral of a column from the first row on, by a cubic spline."""
    if len(time) < 2:
        return np.zeros_like(values)
    from scipy.interpolate import CubicSpline

    found: Floats = CubicSpline(time, values).antiderivative()(time)
    return found


def _of(motion: Trajectory, system: System, place: JointPlace, quantity: str) -> Floats:
    """Positions or velocities of a tree joint; of a body that nothing holds, where only the body was recorded, its."""
    name = f"{place.name}.{quantity}"
    if place.joint is None and name not in motion:
        turning = "rotation" if quantity == "position" else "angular_velocity"
        return np.hstack([_column(motion, system, f"{place.body}.{word}") for word in (quantity, turning)])
    return _column(motion, system, name)


def _column(motion: Trajectory, system: System, name: str) -> Floats:
    if name not in motion:
        raise OptionError(
            f"the motion of '{motion.model_name}' has no column {name!r}, which '{system.model.name}' needs; give a "
            "motion of this model, recorded with record='all'"
        )
    values = motion[name]
    found: Floats = np.asarray(values, dtype=float).reshape(len(values), -1)
    if not np.isfinite(found).all():
        raise OptionError(f"column {name!r} of the motion of '{motion.model_name}' is not finite; give a whole motion")
    return found


def _refuse_other(system: System, motion: Trajectory, found: TreeMotion) -> None:
    """Raise where joints and bodies of the motion do not fit this model."""
    told = f"the motion of '{motion.model_name}' is not one of '{system.model.name}'"
    for place in (*system.joints, *system.cuts):
        part = found.q if not place.is_cut else found.cut_q
        if KINDS[place.kind].has_quaternion and not np.all(np.any(part[:, place.q][:, -4:], axis=1)):
            raise OptionError(f"{told}: the quaternion of joint '{place.name}' is zero; give a motion of this model")
    closure = Closure(system)
    unit, size = row_units(system.tables), size_of(system.tables)
    for k in {0, len(found.time) // 2, len(found.time) - 1}:
        closure.time, closure.cut_q[:] = float(found.time[k]), found.cut_q[k]
        closure.at(found.q[k], found.v[k])
        gaps = np.abs(closure.g) / unit
        if gaps.size and gaps.max() > OPEN:
            loop = system.row_name(int(np.argmax(gaps)))
            raise OptionError(
                f"{told}: at t = {found.time[k]:.6g} s its joint '{loop}' would be open by {gaps.max():.2g} of the "
                "size of the model; give a motion of this model"
            )
        for body, (position, _) in forward_kinematics(system, found.q[k], time=float(found.time[k])).items():
            if f"{body}.position" in motion and motion[f"{body}.position"].shape[1:] == (3,):
                off = float(np.linalg.norm(motion[f"{body}.position"][k] - position))
                if off > 10.0 * OPEN * size:
                    raise OptionError(
                        f"{told}: at t = {found.time[k]:.6g} s its body '{body}' is {off:.3g} m from where the joints "
                        "of this model put it; give a motion of this model"
                    )
