"""From kept states to named columns: poses, velocities, reactions, energies, drift, computed in one compiled sweep."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwork.assembly.massless import taken_off
from linkwork.assembly.system import System
from linkwork.assembly.tables import Tables
from linkwork.errors import OptionError
from linkwork.formulations.impulse.motion.free_bodies import free_bodies
from linkwork.formulations.samples import (
    COASTED,
    LATE,
    RESIDUAL,
    ROW_COUNT,
    SOFT_HELD,
    SOFT_TAKEN,
    STEPS_CUT,
    SWEEPS,
    Samples,
)
from linkwork.mechanics.attitudes import body_signs
from linkwork.mechanics.forces.laws import law_scratch
from linkwork.mechanics.observation import Observation, Scratch, View, observe
from linkwork.mechanics.size import row_units, size_of
from linkwork.mechanics.tree.workspace import tree_work
from linkwork.model import Body, Motor
from linkwork.model.checked import shown
from linkwork.model.joints.joint_kinds import KINDS
from linkwork.simulation.results.columns.border_columns import border_shapes, border_units, border_values
from linkwork.simulation.results.columns.column_names import ACCOUNTS, fitting
from linkwork.simulation.results.columns.components import all_components, matching_components
from linkwork.simulation.results.columns.force_columns import effort_unit, force_columns, motor_units, observed_forces
from linkwork.simulation.results.columns.sampled_columns import sampled_shapes, sampled_units, sampled_values
from linkwork.simulation.results.columns.state_columns import UNIT, state_shapes, state_values, without_slides
from linkwork.simulation.results.columns.stop_columns import stop_shapes, stop_units, stop_values
from linkwork.simulation.results.columns.units import BODY_UNITS, REACTION_UNIT, joint_units
from linkwork.simulation.results.judging.given_motion import kinetic_energy


class Observer:
    """Turns kept states of one system into columns. `patterns` choose the columns ("pin.*", "*.position").

    `tables` are those that the run uses, where its inputs may have been set.
    """

    def __init__(self, system: System, patterns: str | Sequence[str] = "all", tables: Tables | None = None) -> None:
        self.system = system
        self.tables = system.tables if tables is None else tables
        self.shapes = column_shapes(system)
        self.columns, self.parts = choose(system, self.shapes, patterns)
        self.width = sum(int(np.prod(shape)) for shape in self.columns.values()) + 11
        cuts = system.tables.cuts
        self.view = _view(system)
        turning = [place.q.stop - 4 for place in system.joints if KINDS[place.kind].has_quaternion]
        self.quaternions = np.array(turning, dtype=np.int64)[:, None] + np.arange(4)  # where they are in q
        rows = cuts.row_kind.size
        self.scratch = Scratch(
            tree_work(system.tables),
            np.zeros(rows),
            np.zeros(rows),
            np.zeros((rows, 6)),
            np.zeros(system.nv),
            law_scratch(system.tables.laws),
            np.zeros(4),
            np.zeros(system.tables.laws.input_law.size),
            np.zeros(system.tables.tree.accounts),
            np.zeros((system.tables.tree.link_parent.size, 6)),
            row_units(system.tables),
        )
        self.size = size_of(system.tables)
        self.given: list[Body] = []  # whose kinetic energy is no measure of what the run computes
        self.late = False  # whether velocities may be behind positions

    def again(self, system: System, tables: Tables) -> Observer:
        """An observer of the same columns after joints were attached or released."""
        other = Observer(system, tables=tables)
        other.columns, other.parts, other.shapes, other.given = self.columns, self.parts, self.shapes, []
        other.late = self.late
        other.follow(self)
        return other

    def units(self) -> dict[str, str]:
        """Units of the chosen columns."""
        units = column_units(self.system, self.shapes)
        return {name: self.parts[name][2] if name in self.parts else units[name] for name in self.columns}

    def follow(self, before: Observer) -> None:
        """Of the two quaternions of a ground that others move, go on with the one that `before` has shown."""
        grounds = self.system.tables.tree.grounds
        self.scratch.work.attitude[:grounds] = before.scratch.work.attitude[:grounds]

    def room(self, samples: Samples, count: int) -> Observation:
        """Room for what `count` rows show."""
        system, forces = self.system, self.tables.forces
        return Observation(
            body=np.zeros((count, len(system.body_names), 13)),
            reaction=np.zeros((count, len(system.joints), 6)),
            cut_acceleration=np.zeros((count, samples.cut_rate.shape[1])),
            energy=np.zeros((count, 3)),
            part_energy=np.zeros((count, 3, system.tables.tree.accounts // 2)),
            late=np.zeros((count if self.late else 0, system.tables.tree.accounts // 2)),
            behind=samples.solver_stats[: count if self.late else 0, LATE : COASTED + 1].copy(),
            drift=np.zeros((count, 3)),
            **{table: np.zeros((count, rows, width)) for table, rows, width in observed_forces(forces)},
        )

    def see(self, samples: Samples, count: int) -> Observation:
        """What the first `count` kept rows show, by number instead of by name."""
        observation = self.room(samples, count)
        observe(self.tables, self.scratch, self.view, samples, count, observation)
        return observation

    def look(self, samples: Samples, count: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """Columns of the first `count` kept rows, and the accounts (time, energies, drift)."""
        observation = self.see(samples, count)
        return self.named(samples, observation, count), self.accounts(samples, observation, count)

    def named(self, samples: Samples, observation: Observation, count: int) -> dict[str, Any]:
        """The chosen columns by name; copies."""
        found = self.shown(samples, observation, count)
        return {name: self._one(found, name, count) for name in self.columns}

    def _one(self, found: dict[str, Any], name: str, count: int) -> Any:
        """A column, or the component of one, of its own memory."""
        column, k, _ = self.parts.get(name, (name, None, ""))
        shape = self.shapes[column]
        values = found[column].reshape(count, *shape) if column in found else blank(column, count, shape)
        return values.copy() if k is None else values[:, k].copy()

    def shown(self, samples: Samples, observation: Observation, count: int) -> dict[str, Any]:
        """What there is to see by name, each where it stands in `samples` or `observation`."""
        system, nc = self.system, self.system.tables.cuts.cut_a.size
        nq, nv = system.nq, system.nv
        q, v = samples.y[:count, :nq], samples.y[:count, nq : nq + nv]
        vd = samples.vd[:count]
        found: dict[str, Any] = {}
        welds = {each.cut for each in system.carried}
        for k, place in enumerate(system.joints):
            found[f"{place.name}.position"] = q[:, place.q]
            found[f"{place.name}.velocity"] = v[:, place.v]
            found[f"{place.name}.acceleration"] = vd[:, place.v]
            found[f"{place.name}.reaction"] = observation.reaction[:, k]
        for k, place in enumerate(system.cuts):
            found[f"{place.name}.position"] = samples.cut_q[:count, place.q]
            found[f"{place.name}.velocity"] = samples.cut_rate[:count, place.v]
            found[f"{place.name}.acceleration"] = observation.cut_acceleration[:, place.v]
            reaction = samples.cut_force[:count, k] if nc else np.zeros((count, 6))
            if k in welds:
                reaction = taken_off(system.carried, system.tables.tree.gravity, q, v, vd, k, reaction)
            found[f"{place.name}.reaction"] = reaction
        for k, name in enumerate(system.body_names):
            body = observation.body[:, k]
            found[f"{name}.position"] = body[:, 0:3]
            found[f"{name}.rotation"] = body[:, 3:7]
            found[f"{name}.velocity"] = body[:, 7:10]
            found[f"{name}.angular_velocity"] = body[:, 10:13]
            if samples.contact_force.shape[1]:
                found[f"{name}.contact_force"] = samples.contact_force[:count, system.tables.tree.body_link[k]]
        for force in system.model.all_forces():
            if force.path in system.force_rows:
                table, row = system.force_rows[force.path]
                for quantity, column in force_columns(force).items():
                    found[f"{force.path}.{quantity}"] = getattr(observation, table)[:, row, column.first : column.last]
        coupled = {each.part.path for each in system.coupled}
        own = {motor.path for motor in system.motors if motor.path in coupled or motor.path in system.force_rows}
        motors = [motor for motor in system.motors if motor.path not in own]
        efforts = {motor.path: samples.drive[:count, k] for k, motor in enumerate(motors) if samples.drive.shape[1]}
        efforts |= {each.part.path: samples.cut_force[:count, nc + j, 0] for j, each in enumerate(system.coupled)}
        efforts |= {
            name: observation.drive[:, system.force_rows[name][1], 0] for name in own if name in system.force_rows
        }
        found |= {f"{name}.effort": effort for name, effort in efforts.items()}
        for motor in system.motors:
            if motor.path in efforts:
                found[f"{motor.path}.torque"] = efforts[motor.path]
                found[f"{motor.path}.power"] = efforts[motor.path] * self._rate_of(motor, samples, found, count)
        found |= border_values(system, samples, count) | stop_values(system, samples, count)
        found |= sampled_values(system, self.tables, samples, count)
        return found | state_values(system, found)

    def _rate_of(self, motor: Motor, samples: Samples, found: dict[str, Any], count: int) -> Any:
        """Rate of the coordinate that a motor moves, or of the length of a rod."""
        if not motor.drives_rod:
            return found[f"{motor.joint.path}.velocity"][:, motor.coordinate]
        cuts = self.system.tables.cuts
        place = next(place for place in self.system.cuts if place.name == motor.joint.path)
        return samples.cut_rate[:count, cuts.measure_rate[cuts.cut_measure[place.last]]]

    def lengths(self, samples: Samples, count: int) -> Any:
        """How far the quaternions of joints are from unit length at worst, row by row."""
        lengths = np.linalg.norm(samples.y[:count][:, self.quaternions], axis=2)
        return np.abs(lengths - 1.0).max(axis=1, initial=0.0)

    def _parts(self, samples: Samples, observation: Observation, count: int) -> Any:
        """Energies of each part: kinetic, potential, springs, wasted, fed in, and its own kinetic energy, J."""
        end, tree = self.system.nq + self.system.nv, self.system.tables.tree
        part_of = dict(zip(self.system.body_names, tree.link_part[tree.body_link], strict=True))
        found = np.zeros((count, tree.accounts // 2, 6))
        found[:, :, :3] = observation.part_energy.transpose(0, 2, 1)
        if self.late:  # the potential energy of the moment of the velocities
            found[:, :, 1] -= observation.late
        found[:, :, 3:5] = samples.y[:count, end:].reshape(count, -1, 2)
        found[:, 0, 3:5] -= found[:, 1:, 3:5].sum(axis=1)
        found[:, :, 5] = found[:, :, 0]
        for body in self.given:
            found[:, part_of[body.path], 5] -= kinetic_energy([body], self.system.body_names, observation.body)
        return found

    def _held(self, samples: Samples, observation: Observation, count: int) -> Any:
        """Work of the largest reaction over the size of the model, or one radian, row by row, J."""
        loads = np.concatenate([observation.reaction, samples.cut_force[:count]], axis=1)
        forces, torques = (np.linalg.norm(loads[:, :, k : k + 3], axis=2) for k in (0, 3))
        return np.maximum(forces * self.size, torques).max(axis=1, initial=0.0)

    def accounts(self, samples: Samples, observation: Observation, count: int) -> dict[str, Any]:
        """Time, energies, drift and what the solver did."""
        end = self.system.nq + self.system.nv
        held, beyond = samples.solver_stats[:count, SOFT_HELD], samples.solver_stats[:count, SOFT_TAKEN]
        return {
            "time": samples.t[:count, 0].copy(),
            "kinetic": observation.energy[:, 0],
            "own": observation.energy[:, 0] - kinetic_energy(self.given, self.system.body_names, observation.body),
            "held": self._held(samples, observation, count),
            "parts": self._parts(samples, observation, count),
            "late": observation.late.sum(axis=1) if self.late else np.zeros(count),
            "potential": observation.energy[:, 1],
            "springs": observation.energy[:, 2] + held,
            "dissipated": samples.y[:count, end] - held - beyond,
            "numerical": beyond.copy(),
            "pressed": np.linalg.norm(samples.contact_force[:count], axis=2).max(axis=1, initial=0.0),
            # what is held by patches that change is known roughly only, until they let go
            "beyond law": np.maximum(np.abs(beyond) - held, 0.0),
            "work": samples.y[:count, end + 1].copy(),
            "drift position": observation.drift[:, 0],
            "drift velocity": observation.drift[:, 1],
            "drift relative": observation.drift[:, 2],
            "sweeps": samples.solver_stats[:count, SWEEPS].copy(),
            "iterations": samples.solver_stats[:count, SWEEPS].copy(),
            "residual": samples.solver_stats[:count, RESIDUAL].copy(),
            "rows": samples.solver_stats[:count, ROW_COUNT].copy(),
            "cut": samples.solver_stats[:count, STEPS_CUT].copy(),
        }


def column_shapes(system: System) -> dict[str, tuple[int, ...]]:
    """Every column that the system can show, with the shape of a row."""
    shapes: dict[str, tuple[int, ...]] = {}
    for place in system.cuts if system.absolute else system.joints + system.cuts:
        for quantity, part in (("position", place.q), ("velocity", place.v), ("acceleration", place.v)):
            size = part.stop - part.start
            if size:
                shapes[f"{place.name}.{quantity}"] = () if size == 1 else (size,)
        if KINDS[place.kind].carries:
            shapes[f"{place.name}.reaction"] = (6,)
    for event in system.model.all_events():
        if event.joint is not None:
            sizes = {"position": event.joint.nq, "velocity": event.joint.nv, "acceleration": event.joint.nv}
            for quantity, size in sizes.items():
                if size:
                    shapes[f"{event.path}.{quantity}"] = () if size == 1 else (size,)
            shapes[f"{event.path}.reaction"] = (6,)
    for name in system.body_names:
        shapes |= {f"{name}.position": (3,), f"{name}.rotation": (4,)}
        shapes |= {f"{name}.velocity": (3,), f"{name}.angular_velocity": (3,)}
    shapes |= border_shapes(system) | stop_shapes(system)
    for name in dict.fromkeys(collider.body.path for collider in system.model.all_colliders()):
        if name in system.body_names:
            shapes[f"{name}.contact_force"] = (3,)
    for force in system.model.all_forces():
        shapes |= {f"{force.path}.{quantity}": column.shape for quantity, column in force_columns(force).items()}
    for motor in system.motors:
        shapes |= {f"{motor.path}.{quantity}": () for quantity in motor_units(motor)}
    shapes |= {f"{each.part.path}.effort": () for each in system.coupled}
    return without_slides(system, shapes) | state_shapes(system.model) | sampled_shapes(system.model)


def blank(name: str, count: int, shape: tuple[int, ...]) -> Any:
    """A column of a joint that does not hold now: zeros, or no rotation where it has a quaternion."""
    values = np.zeros((count, *shape))
    if name.endswith(".position") and shape in ((4,), (7,)):
        values[:, -4] = 1.0
    return values


def column_units(system: System, columns: Any) -> dict[str, str]:
    """Units of the chosen columns."""
    units = {}
    kinds = {place.name: place.kind for place in system.joints + system.cuts}
    kinds |= {event.path: event.joint.kind for event in system.model.all_events() if event.joint is not None}
    for joint, kind in kinds.items():
        for quantity, unit in {**joint_units(kind), "reaction": REACTION_UNIT}.items():
            units[f"{joint}.{quantity}"] = unit
    for name in system.body_names:
        for quantity, unit in BODY_UNITS.items():
            units[f"{name}.{quantity}"] = unit
    for force in system.model.all_forces():
        units |= {f"{force.path}.{quantity}": column.unit for quantity, column in force_columns(force).items()}
    for motor in system.motors:
        units |= {f"{motor.path}.{quantity}": unit for quantity, unit in motor_units(motor).items()}
    units |= dict.fromkeys(state_shapes(system.model), UNIT) | sampled_units(system.model)
    units |= border_units(system) | stop_units(system)
    units |= {
        f"{each.part.path}.effort": effort_unit(each.terms[0].joint, each.terms[0].coordinate)
        for each in system.coupled
    }
    return {name: units[name] for name in columns}


def choose(
    system: System, shapes: dict[str, tuple[int, ...]], patterns: str | Sequence[str]
) -> tuple[dict[str, tuple[int, ...]], dict[str, tuple[str, int, str]]]:
    """The columns that match, and those among them that are a component: of which column, which one, its unit.

    Where a pattern fits no column it may fit components, or an account (energy, drift, solver); else it is refused.
    """
    wanted = [patterns] if isinstance(patterns, str) else patterns
    if not isinstance(wanted, (list, tuple, set)) or not wanted or not all(isinstance(each, str) for each in wanted):
        raise OptionError(
            f"record must be 'all' or patterns such as '*.position', not {shown(patterns)}; correct record="
        )
    chosen: set[str] = set()
    parts: dict[str, tuple[str, int, str]] = {}
    for pattern in wanted:
        matches = list(shapes) if pattern == "all" else [pattern] if pattern in shapes else fitting(pattern, shapes)
        if not matches and not fitting(pattern, ACCOUNTS):  # the accounts are always kept
            components = all_components(shapes, column_units(system, shapes))
            labels = matching_components(components, pattern)
            if not labels:
                raise OptionError(f"record={pattern!r} fits no column of this model; {_nearest(shapes, pattern)}")
            parts |= {label: components[label] for label in labels}
        chosen |= set(matches)
    return {name: shape for name, shape in shapes.items() if name in chosen} | dict.fromkeys(parts, ()), parts


def _nearest(shapes: dict[str, tuple[int, ...]], name: str) -> str:
    close = [repr(each) for each in difflib.get_close_matches(name, [*shapes, *ACCOUNTS], 3)]
    return f"did you mean {' or '.join(close)}?" if close else f"give {next(iter(shapes))!r}, for example"


def no_column(shapes: dict[str, tuple[int, ...]], name: Any) -> str:
    """What is wrong with a name that should be one of a column."""
    if not isinstance(name, str):
        return f"columns of a simulation are found by name, not by {shown(name)}; write sim[{next(iter(shapes))!r}]"
    if fitting(name, shapes):
        return f"sim[{name!r}] would be many values; give the name of one column"
    return f"there is no column {name!r} in this simulation; {_nearest(shapes, name)}"


def _view(system: System) -> View:
    links = [place.links for place in system.joints]
    starts = np.concatenate([[0], np.cumsum([len(l) for l in links])]).astype(np.int64)
    lone = np.zeros(system.tables.tree.link_parent.size, dtype=np.int64)
    lone[free_bodies(system.tables.tree).link] = 1
    return View(
        joint_last=np.array([place.last for place in system.joints], dtype=np.int64),
        joint_sign=np.array([-1.0 if place.backward else 1.0 for place in system.joints]),
        joint_link_b=np.array([place.link_b for place in system.joints], dtype=np.int64),
        joint_point=np.array([place.frame_b[1] for place in system.joints]).reshape(-1, 3),
        joint_start=starts,
        joint_link=np.array([link for l in links for link in l], dtype=np.int64),
        body_sign=body_signs(system.tables),
        lone=lone,
    )
