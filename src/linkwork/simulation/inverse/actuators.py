"""Actuators of `required_forces`: joints, motors, torques and springs by name, as rows on the joint coordinates.

What acts there in the model is what is asked for, so it is left out: of a joint its torques and its motor, of a force
element the element itself. All else of the model acts as it is. An effort times the rate of its coordinate is the power
that it puts in: of a spring the coordinate is its length, so that an effort pushes its ends apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from linkwork.assembly.system import JointPlace, System
from linkwork.assembly.tables import Floats
from linkwork.errors import OptionError
from linkwork.mechanics.rows.constraint_rows import cut_frames, measure_wrench
from linkwork.mechanics.size import size_of
from linkwork.mechanics.tree.entry_points import point_rows
from linkwork.mechanics.tree.workspace import TreeWork
from linkwork.model import Joint, Motor, Spring, Torque, TorsionSpring
from linkwork.model import names as full_names
from linkwork.model.body import Part
from linkwork.model.checked import did_you_mean, shown
from linkwork.simulation.results.columns.units import joint_units, split_unit
from linkwork.simulation.starts.start import Closure
from linkwork.spatial import codes

HOW = "give names of joints, motors, torques in joints, torsion springs or springs, as at=['crank', 'jack']"


@dataclass(frozen=True)
class Actuator:
    """One entry of `at`: coordinates of a joint, or the length of a spring."""

    name: str
    place: JointPlace | None  # None for a spring
    coordinates: tuple[int, ...]  # of the joint
    spring: int  # row of the table of springs, -1 for a joint
    replaced: tuple[str, ...]  # force elements and motors that are left out, by name
    units: tuple[str, ...] = field(default=("N",))  # of the efforts

    def rows(self, closure: Closure) -> Floats:
        """Rates of its coordinates per unit of v, (coordinate, dof), where `closure` is."""
        if self.place is None:
            return _length_row(closure.system, closure.work, self.spring)[None]
        places = [self.place.v.start + k for k in self.coordinates]
        found: Floats = closure.directions[places] if self.place.is_cut else np.eye(closure.system.nv)[places]
        return found

    def spring_rate(self, closure: Closure) -> float:
        """Rate of the length of its spring, m/s, also where grounds move."""
        a, b, p_a, p_b, e = _line(closure.system, closure.work, self.spring)
        v = closure.work.pose_v
        u_a, u_b = (v[i, 3:] + np.cross(v[i, :3], p - closure.work.pose_p[i]) for i, p in ((a, p_a), (b, p_b)))
        return float(e @ (u_b - u_a))

    def push(self, closure: Closure, efforts: Floats, loads: Floats) -> None:
        """Add what its efforts do to links beside the joint forces of the tree: torque about the origin, force."""
        tables = closure.tables
        if self.place is None:
            a, b, p_a, p_b, e = _line(closure.system, closure.work, self.spring)
            loads[b] += np.concatenate([np.cross(p_b, e), e]) * efforts[0]
            loads[a] -= np.concatenate([np.cross(p_a, e), e]) * efforts[0]
        elif self.place.is_cut:
            c = self.place.last
            for k, effort in zip(self.coordinates, efforts, strict=True):
                wrench = effort * cut_wrench(closure, c, self.place.v.start + k)
                loads[tables.cuts.cut_b[c]] += wrench
                loads[tables.cuts.cut_a[c]] -= wrench


def find_actuators(system: System, at: Any) -> list[Actuator]:
    """The actuators that `at` names, in its order; refuses what is unknown, cannot act, or is there twice."""
    given = [at] if isinstance(at, (str, Part)) else at
    if not isinstance(given, Sequence) or not given:
        raise OptionError(f"at={shown(at)} names nothing that acts on '{system.model.name}'; {HOW}")
    known = _known(system)
    found: list[Actuator] = []
    taken: dict[Any, str] = {}
    for each in given:
        actuator = _actuator(system, _part(system, known, each))
        for key in _keys(actuator):
            if key in taken:
                raise OptionError(f"at= names {taken[key]!r} and {actuator.name!r}, which act alike; leave one out")
            taken[key] = actuator.name
        found.append(actuator)
    return found


def _known(system: System) -> dict[str, Part]:
    """Everything that may be named, by its full name; joints first."""
    model = system.model
    held = {place.name for place in (*system.joints, *system.cuts)}
    parts: Iterable[Part] = (
        *(joint for joint in model.all_joints() if joint.path in held),
        *system.motors,
        *(force for force in model.all_forces() if force.path in system.force_rows),
    )
    found: dict[str, Part] = {}
    for part in parts:
        found.setdefault(part.path, part)
    return found


def _part(system: System, known: dict[str, Part], each: Any) -> Part:
    name = each.path if isinstance(each, Part) else each
    if isinstance(each, Part) and known.get(name) is not each:
        raise OptionError(f"at=: {each.word} '{name}' does not act in model '{system.model.name}'; {HOW}")
    if isinstance(name, str):
        for other in (name, *full_names.others(name)):
            if other in known:
                return known[other]
    hint = did_you_mean(str(name), known) or f"; {HOW}"
    raise OptionError(f"at=: '{system.model.name}' has nothing called {shown(name)}{hint}")


def _actuator(system: System, part: Part) -> Actuator:
    """The part as an actuator."""
    places = {place.name: place for place in (*system.joints, *system.cuts)}
    if isinstance(part, Joint):
        if part.nv == 0:
            raise OptionError(f"at=: the {part.kind} joint '{part.path}' does not move, so that no effort acts; {HOW}")
        torques = [f.path for f in system.model.all_forces() if isinstance(f, Torque) and f.target is part]
        motors = [motor.path for motor in system.motors if motor.joint is part]
        return _in_joint(part.path, places[part.path], part, tuple(range(part.nv)), (*torques, *motors))
    if isinstance(part, Motor):
        return _in_joint(part.path, places[part.joint.path], part.joint, (0,), (part.path,))
    if isinstance(part, Torque) and isinstance(part.target, Joint):
        joint = part.target
        return _in_joint(part.path, places[joint.path], joint, (part.coordinate,), (part.path,))
    if isinstance(part, TorsionSpring):
        return _in_joint(part.path, places[part.joint.path], part.joint, (0,), (part.path,))
    if isinstance(part, Spring):
        return Actuator(part.path, None, (0,), system.force_rows[part.path][1], (part.path,))
    raise OptionError(f"at=: {part.word} '{part.path}' {part.about} is no actuator; {HOW}")


def _in_joint(name: str, place: JointPlace, joint: Joint, which: tuple[int, ...], replaced: Any) -> Actuator:
    rates = split_unit(joint_units(joint.kind)["velocity"], joint.nv)
    units = tuple("N" if rates[k] == "m/s" else "N m" for k in which)
    return Actuator(name, place, which, -1, tuple(replaced), units)


def _keys(actuator: Actuator) -> list[Any]:
    if actuator.place is None:
        return [actuator.spring]
    return [(actuator.place.name, k) for k in actuator.coordinates]


def without_replaced(system: System, actuators: list[Actuator]) -> System:
    """The system without the force elements whose efforts are asked for."""
    forces, laws = system.tables.forces, system.tables.laws
    changed = {
        name: getattr(forces, name).copy()
        for name in ("drive_law", "coil_k", "coil_c", "spring_k", "spring_c", "spring_elastic", "spring_viscous")
    }
    changed["spring_law"] = forces.spring_law.copy()
    silent = {name: getattr(laws, name).copy() for name in ("law_kind", "law_input", "law_param")}
    for name in (name for actuator in actuators for name in actuator.replaced):
        if name not in system.force_rows:
            continue  # a motor: not among the forces
        table, row = system.force_rows[name]
        if table == "drive":
            law = forces.drive_law[row]  # every element has a row of its own
            silent["law_kind"][law], silent["law_input"][law] = codes.CONSTANT, codes.INPUT_NONE
            silent["law_param"][law] = 0.0
        elif table == "coil":
            changed["coil_k"][row] = changed["coil_c"][row] = 0.0
        else:
            changed["spring_k"][row] = changed["spring_c"][row] = 0.0
            for column in ("spring_elastic", "spring_viscous", "spring_law"):
                changed[column][row] = -1
    tables = system.tables._replace(forces=forces._replace(**changed), laws=laws._replace(**silent))
    return replace(system, tables=tables)


def rate_units(system: System, actuators: list[Actuator]) -> Floats:
    """What the rate of each effort is compared with: the size of the model, m, or 1 rad."""
    size = size_of(system.tables)
    return np.array([size if unit == "N" else 1.0 for actuator in actuators for unit in actuator.units])


def cut_wrench(closure: Closure, c: int, rate: int) -> Floats:
    """Torque about the world's origin and force that do work on one rate of cut c."""
    cuts, work = closure.tables.cuts, closure.work
    m = int(np.searchsorted(cuts.measure_rate, rate, side="right")) - 1
    n, f = measure_wrench(cuts, m, rate - int(cuts.measure_rate[m]), *cut_frames(cuts, work, c))
    return np.array([*n, *f])


def _line(system: System, work: TreeWork, s: int) -> tuple[int, int, Floats, Floats, Floats]:
    """Links of a spring, the points where it acts on them, and its direction from a to b; world."""
    forces = system.tables.forces
    a, b = int(forces.spring_a[s]), int(forces.spring_b[s])
    p_a = work.pose_p[a] + work.pose_R[a].reshape(3, 3) @ forces.spring_pa[s]
    p_b = work.pose_p[b] + work.pose_R[b].reshape(3, 3) @ forces.spring_pb[s]
    if forces.spring_guided[s]:
        return a, b, p_b, p_b, work.pose_R[a].reshape(3, 3) @ forces.spring_axis[s]
    length = float(np.linalg.norm(p_b - p_a))
    return a, b, p_a, p_b, (p_b - p_a) / length if length > 0.0 else np.zeros(3)


def _length_row(system: System, work: TreeWork, s: int) -> Floats:
    """Rate of the length of a spring per unit of v, (dof,)."""
    a, b, p_a, p_b, e = _line(system, work, s)
    return e @ (_point_velocity(system, work, b, p_b) - _point_velocity(system, work, a, p_a))


def _point_velocity(system: System, work: TreeWork, link: int, point: Floats) -> Floats:
    """(3, nv): velocity per unit of v of the point (m, world) of a link that carries a body, or of a ground."""
    tree = system.tables.tree
    J = np.zeros((6, system.nv))
    if link >= tree.grounds:
        b = int(np.flatnonzero(tree.body_link == link)[0])
        in_link = work.pose_R[link].reshape(3, 3).T @ (point - work.pose_p[link])
        point_rows(tree, work, b, tree.body_R[b].reshape(3, 3).T @ (in_link - tree.body_p[b]), J)
    found: Floats = J[3:]
    return found
