"""From kept states to named columns: poses, velocities, reactions, energies, drift, computed in one compiled sweep."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

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
    SPRINGS_LEAD,
    STEPS_CUT,
    SWEEPS,
    Samples,
)
from linkwork.mechanics.attitudes import body_signs
from linkwork.mechanics.forces.laws import law_scratch
from linkwork.mechanics.observation import Observation, Scratch, View, observe
from linkwork.mechanics.size import row_units, size_of
from linkwork.mechanics.tree.workspace import tree_work
from linkwork.model import Body
from linkwork.model.checked import shown
from linkwork.model.joints.joint_kinds import KINDS
from linkwork.simulation.results.columns.all_columns import columns_of
from linkwork.simulation.results.columns.column import Column, Seen
from linkwork.simulation.results.columns.column_names import ACCOUNTS, fitting
from linkwork.simulation.results.columns.components import all_components, matching_components
from linkwork.simulation.results.columns.force_columns import observed_forces
from linkwork.simulation.results.judging.given_motion import kinetic_energy


class Observer:
    """Turns kept states of one system into columns. `patterns` choose the columns ("pin.*", "*.position").

    `tables` are those that the run uses, where its inputs may have been set.
    """

    def __init__(self, system: System, patterns: str | Sequence[str] = "all", tables: Tables | None = None) -> None:
        self.system = system
        self.tables = system.tables if tables is None else tables
        self.specs = columns_of(system)
        self.shapes = {name: column.shape for name, column in self.specs.items()}
        self.columns, self.parts = choose(self.specs, patterns)
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
        return {name: self.parts[name][2] if name in self.parts else self.specs[name].unit for name in self.columns}

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
        accounts = self.accounts(samples, observation, count)
        seen = self.seen(samples, observation, count)
        powers = [self.value(f"{motor.path}.power", seen) for motor in self.system.motors]
        accounts["throughput"] = np.sum(np.abs(powers), axis=0) if powers else np.zeros(count)
        return self.named(samples, observation, count), accounts

    def named(self, samples: Samples, observation: Observation, count: int) -> dict[str, Any]:
        """The chosen columns by name; copies."""
        seen, read = self.seen(samples, observation, count), {}
        for name in self.columns:
            column, k, _ = self.parts.get(name, (name, None, ""))
            if column not in read:
                read[column] = self.value(column, seen)
            read[name] = read[column].copy() if k is None else read[column][:, k].copy()
        return {name: read[name] for name in self.columns}

    def value(self, name: str, seen: Seen) -> Any:
        """The rows of a column where they stand; blank where there are none of it now."""
        shape, column = self.shapes[name], self.specs.get(name)
        values = None if column is None else column.read(seen)
        return blank(name, seen.rows, shape) if values is None else values.reshape(seen.rows, *shape)

    def seen(self, samples: Samples, observation: Observation, count: int) -> Seen:
        """What columns are read from."""
        return Seen(self.system, self.tables, samples, observation, count)

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
        lead = samples.solver_stats[:count, SPRINGS_LEAD]
        return {
            "time": samples.t[:count, 0].copy(),
            "kinetic": observation.energy[:, 0],
            "own": observation.energy[:, 0] - kinetic_energy(self.given, self.system.body_names, observation.body),
            "held": self._held(samples, observation, count),
            "parts": self._parts(samples, observation, count),
            "late": observation.late.sum(axis=1) if self.late else np.zeros(count),
            "potential": observation.energy[:, 1],
            "springs": observation.energy[:, 2] + held + lead,
            "placed": observation.energy[:, 2] + held,
            "dissipated": samples.y[:count, end] - held - lead - beyond,
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


def blank(name: str, count: int, shape: tuple[int, ...]) -> Any:
    """A column of a joint that does not hold now: zeros, or no rotation where it has a quaternion."""
    values = np.zeros((count, *shape))
    if name.endswith(".position") and shape in ((4,), (7,)):
        values[:, -4] = 1.0
    return values


def choose(
    specs: Mapping[str, Column], patterns: str | Sequence[str]
) -> tuple[dict[str, tuple[int, ...]], dict[str, tuple[str, int, str]]]:
    """The columns that match, and those among them that are a component: of which column, which one, its unit.

    Where a pattern fits no column it may fit components, or an account (energy, drift, solver); else it is refused.
    """
    wanted = [patterns] if isinstance(patterns, str) else patterns
    if not isinstance(wanted, (list, tuple, set)) or not wanted or not all(isinstance(each, str) for each in wanted):
        raise OptionError(
            f"record must be 'all' or patterns such as '*.position', not {shown(patterns)}; correct record="
        )
    shapes = {name: column.shape for name, column in specs.items()}
    chosen: set[str] = set()
    parts: dict[str, tuple[str, int, str]] = {}
    for pattern in wanted:
        matches = list(shapes) if pattern == "all" else [pattern] if pattern in shapes else fitting(pattern, shapes)
        if not matches and not fitting(pattern, ACCOUNTS):  # the accounts are always kept
            components = all_components(specs.values())
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
