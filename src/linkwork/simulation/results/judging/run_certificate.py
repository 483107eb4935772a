"""The certificate of a run: what its recording counted, and what computed it."""

from __future__ import annotations

import hashlib
import math
import platform
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork._version import __version__
from linkwork.assembly.massless import NEXT_TO_NOTHING, ON_GIVEN, on_given
from linkwork.assembly.system import System
from linkwork.formulations.samples import (
    ALL_SWEEPS,
    APART_LOSS,
    EVALUATIONS,
    MOST_SWEEPS,
    OVERLAP,
    REFUSED,
    ROLLING_LOSS,
    SEAM_LOSS,
    STEPS_CUT,
    SUNK,
    WORST_OVERLAP,
    WORST_RESIDUAL,
)
from linkwork.mechanics.size import size_of
from linkwork.model import Rotor
from linkwork.simulation.analysis.hints.check import dependent_rows, freedoms
from linkwork.simulation.results.columns.column_names import ENERGY as LEDGER
from linkwork.simulation.results.judging.certificate import Certificate
from linkwork.simulation.results.judging.part_tally import LOSSES, ROUNDED
from linkwork.simulation.results.judging.rank_history import row_names
from linkwork.simulation.results.judging.unsettled import unsettled

if TYPE_CHECKING:
    from linkwork.simulation.recording import Recording

MANY = 4  # bodies that are told by name
CARRIED = 1e-3  # of the work that motors put in and take out: a train that carries it through moves at least as much
STORED = ("kinetic", "potential", "springs")


class Tally:
    """Worst, least, first and last of the accounts, block by block: nothing of the rows need be kept for it."""

    def __init__(self) -> None:
        self.first: dict[str, float] = {}
        self.last: dict[str, float] = {}
        self.least: dict[str, float] = {}
        self.most: dict[str, float] = {}
        self.passed = 0.0  # J, work of motors, whether they drive or brake
        self.swung = False  # whether springs have taken energy since the start, at which both their energies are one
        self.springs = np.zeros(2)  # J, what they held at most from then on, where they are recorded and in between
        self.given_back = 0.0  # J, the deepest fall of what was dissipated, which should only rise
        self.rows = 0

    def add(self, block: dict[str, Any]) -> None:
        """Take in further rows: {name: one number a row}."""
        time = np.append(self.last.get("time", block["time"][0]), block["time"])
        powers = np.append(self.last.get("throughput", 0.0), block["throughput"])
        self.passed += float(0.5 * (powers[1:] + powers[:-1]) @ np.diff(time))
        self._add_springs(np.stack([block["placed"], block["energy/springs"]]))
        wasted = block["energy/dissipated"]
        peaks = np.maximum.accumulate(np.append(max(self.most.get("energy/dissipated", 0.0), 0.0), wasted))[1:]
        self.given_back = max(self.given_back, float((peaks - wasted).max()))
        for name, values in block.items():
            least, most = float(np.min(values)), float(np.max(values))
            if name not in self.first:
                self.first[name], self.least[name], self.most[name] = float(values[0]), least, most
            self.least[name] = float(np.minimum(self.least[name], least))
            self.most[name] = float(np.maximum(self.most[name], most))
            self.last[name] = float(values[-1])
        self.rows += len(block["time"])

    def _add_springs(self, held: Any) -> None:
        """Largest energies (2, row) of springs, but for those that they start with and give away."""
        if not self.swung:
            rises = np.flatnonzero(np.diff(held[0], prepend=self.last.get("placed", held[0, 0])) > 0.0)
            held, self.swung = held[:, rises[0] :] if rises.size else held[:, :0], bool(rises.size)
        self.springs = np.maximum(self.springs, held.max(axis=1, initial=0.0))

    def moved(self, name: str) -> float:
        """How far the account went."""
        return self.most[name] - self.least[name]

    def worst(self, name: str) -> float:
        """Its largest size."""
        return max(abs(self.least[name]), abs(self.most[name]))


def certificate_of(recording: Recording, seconds: float, stopped: str | None, least: float) -> Certificate:
    """The certificate of a run that took so many seconds and `stopped` for a reason, or reached its end.

    Energies below `least` (J) are nothing.
    """
    sim, system, tally = recording.sim, recording.sim.system, recording.tally
    dependent = [] if system.foreign else dependent_rows(system, sim.start)
    redundant = recording.ranks.redundant() if system.foreign else row_names(system, dependent)
    recording.ranks.end(sim.moving, recording.stepper.present())
    rank_min, rank_max = recording.ranks.bounds()
    moved = [tally.moved(f"energy/{name}") for name in LEDGER if name not in ("total", "balance", "numerical")]
    # where every body lives elsewhere, all energy is in the accounts of others
    ours = not system.foreign or bool(system.body_names)
    held = (tally.most["held"], *(tally.worst(f"energy/{name}") for name in STORED))
    nothing = max(least, ROUNDED * max(held))
    whole = max(nothing, CARRIED * tally.passed) if ours else nothing
    parts = recording.parts.judge(nothing)
    told = [] if ours else ["energy: every body is in a component elsewhere, which keeps its own account"]
    return Certificate(
        method=sim.method.name,
        integrator=sim.method.integrator,
        dt=sim.method.dt,
        until=recording.until,
        reached=tally.last["time"],
        steps=sim.steps,
        evaluations=int(sim.state.count[EVALUATIONS]),
        refused_steps=int(sim.state.count[REFUSED]),
        worst_iterations=int(sim.state.solver_stats[MOST_SWEEPS]),
        wall_seconds=seconds,
        sweeps=int(sim.state.solver_stats[ALL_SWEEPS]),
        worst_residual=float(sim.state.solver_stats[WORST_RESIDUAL]),
        cut_short=int(sim.state.solver_stats[STEPS_CUT]),
        first_cut=recording.first_cut,
        unsettled=unsettled(sim.state.solver_stats, sim.steps) if sim.method.impulses else None,
        apart_loss=float(sim.state.solver_stats[APART_LOSS]),
        rolling_loss=float(sim.state.solver_stats[ROLLING_LOSS]),
        seam_loss=float(sim.state.solver_stats[SEAM_LOSS]),
        overlap=float(sim.state.solver_stats[OVERLAP]),
        worst_overlap=float(sim.state.solver_stats[WORST_OVERLAP]),
        pressed=_pressed(system, tally, sim.method.dt),
        sunk=float(sim.state.solver_stats[SUNK]),
        worst_drift_position=tally.most["drift/position"],
        worst_drift_velocity=tally.most["drift/velocity"],
        final_drift_position=tally.last["drift/position"],
        final_drift_velocity=tally.last["drift/velocity"],
        size=size_of(system.tables),
        drift_relative=tally.most["drift relative"],
        energy_balance_worst=tally.worst("energy/balance") if ours else 0.0,
        energy_offset=tally.worst("late"),
        energy_left=_left(system, tally) if sim.method.impulses and ours else None,
        energy_scale=max([*moved, tally.most["own"]]) if ours else 0.0,
        energy_least=whole,
        energy_part=parts["balance"].relative,
        energy_part_bodies=list(parts["balance"].bodies),
        part_losses={name: parts[name].relative for name in LOSSES},
        energy_gained=tally.given_back,
        springs_apart=abs(float(tally.springs[0] - tally.springs[1])) if sim.method.impulses else 0.0,
        energy_numerical=tally.most["beyond law"],
        rank_min=rank_min,
        rank_max=rank_max,
        rank_history=recording.ranks.entries,
        rank_changes=recording.ranks.changes,
        redundant_rows=redundant,
        worst_quaternion=tally.most["quaternion"] if recording.observer.quaternions.size else None,
        events=[change.as_dict() for change in sim.changes],
        start=list(sim.notes),
        notes=[*sim.controls.notes(), *_filled(sim.moving), *told],
        coupling=sim.controls.couplings(),
        ignored=sim.ignored,
        stopped=stopped,
        reason=sim.reason,
        # what a component elsewhere can do is its own affair
        degrees_of_freedom=None if system.foreign else freedoms(system, dependent),
        loops=None if system.foreign else len(system.cuts),
        settings={**asdict(sim.method), **sim.method.chosen(sim.workspace), "every": recording.every},
        versions=versions(),
        model_hash=model_hash(system),
        parts_hash=model_hash(system, start=False),
    )


def _pressed(system: System, tally: Tally, h: float) -> float:
    """The impulse of contacts on a body in a step, as a part of what would stop all; 0 without rigid motors."""
    if not any(motor.rigid for motor in system.motors):
        return 0.0
    mass = sum(body.mass for body in system.model.all_bodies() if not body.hidden)
    kinetic = tally.most["energy/kinetic"]
    stops = math.sqrt(2.0 * mass * kinetic) + mass * h * float(np.linalg.norm(system.model.gravity))
    return tally.most["pressed"] * h / stops if stops > 0.0 else 0.0


def _left(system: System, tally: Tally) -> float:
    """Worst balance of one moment, J; where laws act less `energy_offset`, for what they feed in is settled later."""
    forces = system.tables.forces
    some = forces.drive_law.size + forces.load_law.size > 0
    return max(tally.worst("left") - (tally.worst("late") if some else 0.0), 0.0)


def _filled(system: System) -> list[str]:
    """What is said of bodies that lack inertia and have been given some."""
    if not system.filled:
        return []
    given = {body.path for body in system.model.all_bodies() if isinstance(body, Rotor) and on_given(body)}
    said = {
        f"{NEXT_TO_NOTHING:g} of what the lightest body beside it has, rotors of their own": [
            path for path in system.filled if path not in given
        ],
        f"{ON_GIVEN:g} of its own across its axis": [path for path in system.filled if path in given],
    }
    told = []
    for share, paths in said.items():
        names = ", ".join(f"'{path}'" for path in paths[:MANY])
        more = f" and {len(paths) - MANY} more" if len(paths) > MANY else ""
        if paths:
            told.append(
                f"inertia: each body has coordinates of its own, and {names}{more} lacks inertia for that; "
                f"it has {share}"
            )
    return told


def versions() -> dict[str, str]:
    """Versions of what computed the run."""
    import scipy

    from linkwork._kernels.code_lookup import kernel_origin

    return {
        "linkwork": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "kernels": kernel_origin(),
    }


def model_hash(system: System, start: bool = True) -> str:
    """A short hash of every table, and of every start value: the same model gives the same hash."""
    digest = hashlib.sha256()
    tables, guides = system.tables, system.tables.cuts.guides
    for table in (*tables, guides) if guides.curve_closed.size + guides.surface_kind.size else tables:
        for name, value in table._asdict().items():
            if name not in ("law_address", "guides", "lent_link", "lent_inertia", "link_part", "accounts"):
                digest.update(name.encode())
                digest.update(np.ascontiguousarray(value).tobytes())
    if start:
        digest.update(system.q_start.tobytes())
        digest.update(system.v_start.tobytes())
    return digest.hexdigest()[:16]
