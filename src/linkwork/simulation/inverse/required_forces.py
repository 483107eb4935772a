"""`required_forces`: motion in, forces out. Efforts of actuators that make a mechanism move so, with all reactions."""

from __future__ import annotations

import time as clock
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linkwork.assembly.assemble import assemble
from linkwork.assembly.system import System
from linkwork.assembly.tables import Floats
from linkwork.errors import OptionError
from linkwork.formulations.samples import Samples, make_samples, make_state
from linkwork.mechanics.size import size_of
from linkwork.model import Cone, Model, Motor
from linkwork.model.checked import did_you_mean, real, shown
from linkwork.simulation.analysis.reactions import shared_words
from linkwork.simulation.inverse.actuators import Actuator, find_actuators, without_replaced
from linkwork.simulation.inverse.efforts import Efforts
from linkwork.simulation.inverse.recorded_motion import TreeMotion, integral, recorded_motion
from linkwork.simulation.inverse.sharing import not_unique
from linkwork.simulation.inverse.stateless import laws_with_states, stateless
from linkwork.simulation.results.columns.column_names import DRIFT
from linkwork.simulation.results.columns.column_names import ENERGY as LEDGER
from linkwork.simulation.results.columns.observe import Observer
from linkwork.simulation.results.columns.plain import shortened
from linkwork.simulation.results.judging.certificate import Certificate
from linkwork.simulation.results.judging.least_energy import least_energy
from linkwork.simulation.results.judging.part_tally import ROUNDED
from linkwork.simulation.results.judging.rank_history import row_names
from linkwork.simulation.results.judging.run_certificate import STORED, model_hash, versions
from linkwork.simulation.results.scene.scene import scene_of
from linkwork.simulation.results.trajectory import Trajectory
from linkwork.simulation.starts.mobility import implied

NEAR_DEAD = 1e-3  # of what an actuator moves at best: efforts nearby are large and inexact
CHANGED = 1e-6  # of the accelerations: a smaller change by the loops is not worth a note


def required_forces(
    model: Model, motion: Trajectory, at: Sequence[Any], *, weights: Mapping[str, float] | None = None
) -> Trajectory:
    """Efforts of the actuators `at` that make `model` move as in `motion`, through closed loops, and all reactions.

    `motion` is a run of this model by any method; its recorded accelerations count, and where there are none they are
    formed from the velocities, which the certificate notes. It may be that of a variant with other masses and forces,
    which is noted too; one whose joints and bodies do not fit this model is refused.

    `at` names joints (of the tree or closing loops), motors, torques in joints, torsion springs or springs. What acts
    there in the model is what is asked for and is left out: of a joint its torques and its motor, of a force element
    itself. All else acts as it is: gravity, springs, dampers, laws, stiffness, damping and dry friction of joints.

    With as many actuators as degrees of freedom the efforts are unique. With more they are of least norm: the sum of
    `weights` (by name, 1 where not given) times efforts squared, forces times the size of the model against torques.
    With fewer the error names the motions that nothing drives; it names a dead point with its time and joint, too.

    Returns a Trajectory with the columns of a run and, for each actuator, "crank.effort" (N m or N, along its
    coordinate; of a spring positive where it pushes its ends apart), "crank.power" (W, put into the mechanism) and
    "crank.work" (J).
    The ledger's `work` has the work of all of them. `certificate.notes` tell how exact it is and which efforts and
    reactions are not unique.

    >>> model = lw.gallery.andrews.build()
    >>> motion = lw.simulate(model, until=0.002, dt=1e-5, method="recursive", every=10)
    >>> loads = lw.required_forces(model, motion, at=["O"])
    >>> loads["O.effort"].round(9).tolist()[:2], loads.unit("O.effort")
    ([0.033, 0.033], 'N m')
    """
    begin = clock.perf_counter()
    if not isinstance(model, Model):
        raise OptionError(f"{shown(model)} is not a model; give the model that the motion belongs to")
    system = assemble(stateless(model))
    actuators = find_actuators(system, at)
    _refuse_states(model, actuators)
    found = recorded_motion(system, motion)
    _refuse_unknown_forces(system, actuators, motion, found)
    bare = without_replaced(system, actuators)
    efforts = Efforts(bare, actuators, _weights(actuators, weights), found)
    samples = _samples(bare, found, efforts)
    return _trajectory(system, bare, efforts, samples, _notes(efforts), clock.perf_counter() - begin)


def _weights(actuators: list[Actuator], weights: Mapping[str, float] | None) -> Floats:
    """(effort,) of each actuator."""
    given = {} if weights is None else weights
    names = [actuator.name for actuator in actuators]
    if not isinstance(given, Mapping):
        raise OptionError(f"weights must map names of at= to numbers, not {shown(weights)}; correct weights=")
    for name, value in given.items():
        if name not in names:
            hint = did_you_mean(str(name), names) or f"; at= has {shortened(names)}"
            raise OptionError(f"weights= names {shown(name)}, which is not in at={hint}")
        number = real(value)
        if number is None or not 0.0 < number < np.inf:
            raise OptionError(f"the weight of '{name}' must be a positive number, not {shown(value)}; correct weights=")
    return np.array([float(given.get(each.name, 1.0)) for each in actuators for _ in each.coordinates])


def _refuse_states(model: Model, actuators: list[Actuator]) -> None:
    """Raise where a law with states acts: its force does not follow from the motion."""
    replaced = {name for actuator in actuators for name in actuator.replaced}
    for force in laws_with_states(model):
        if force.path not in replaced:
            raise OptionError(
                f"{force.word} '{force.path}' of '{model.name}' has a law with states, whose force does not follow "
                "from the motion; name it or its joint in at=, or remove it from the model"
            )


def _refuse_unknown_forces(system: System, actuators: list[Actuator], motion: Trajectory, found: TreeMotion) -> None:
    """Raise where something acts whose force does not follow from the motion."""
    name = system.model.name
    if system.foreign:
        raise OptionError(f"components of '{name}' live elsewhere; give a model with all its parts")
    driven = {actuator.place.name for actuator in actuators if actuator.place is not None}
    for drive in system.model.all_drives():
        if isinstance(drive, Motor) and drive in system.motors and drive.joint.path not in driven:
            raise OptionError(f"motor '{drive.path}' acts on '{name}' too; name it in at=, or remove it from the model")
    for collider in system.model.all_colliders():
        column = f"{collider.body.path}.contact_force"
        if collider.body.path in system.body_names and (column not in motion or np.any(motion[column])):
            raise OptionError(
                f"body '{collider.body.path}' of '{name}' touches others with forces that do not follow from the "
                "motion; give a motion and a model without contact"
            )
    drives = system.tables.drives
    values = np.hstack([found.q, found.cut_q])
    for place, low, high in zip(drives.limit_q, drives.limit_low, drives.limit_high, strict=True):
        if place >= 0 and (np.any(values[:, place] <= low) or np.any(values[:, place] >= high)):
            joint = next(
                p.name
                for p in (*system.joints, *system.cuts)
                if p.q.start <= place - (system.nq if p.is_cut else 0) < p.q.stop
            )
            raise OptionError(
                f"joint '{joint}' of '{name}' reaches its stop at {low:g} or {high:g}, whose force does not "
                "follow from the motion; keep the motion within limits="
            )
    for p in (*system.joints, *system.cuts):
        if p.joint is not None and isinstance(p.joint.limits, Cone):
            for row in (found.cut_q if p.is_cut else found.q)[:, p.q]:
                excess = p.joint.limits.excess(row)
                if excess:
                    raise OptionError(
                        f"joint '{p.name}' of '{name}' moves to {excess}, where the force of its stop does not follow "
                        "from the motion; keep the motion within limits="
                    )


def _samples(system: System, motion: TreeMotion, efforts: Efforts) -> Samples:
    """The rows as those of a run: accounts of energy by the powers, cuts with their forces."""
    count, nq = len(motion.time), system.nq
    y = np.zeros(nq + system.nv + system.tables.tree.accounts)
    state = make_state(system.tables, y, system.cut_start, pushes=True)
    samples = make_samples(state, count)
    samples.t[:, 0], samples.vd[:], samples.cut_q[:] = motion.time, efforts.a, motion.cut_q
    samples.y[:, :nq], samples.y[:, nq : nq + system.nv] = motion.q, motion.v
    samples.y[:, nq + system.nv] = integral(motion.time, efforts.wasted)
    samples.y[:, nq + system.nv + 1] = integral(motion.time, efforts.fed_in)
    samples.cut_force[:], samples.push[:] = efforts.cut_force, efforts.push
    samples.cut_rate[:, : efforts.cut_rate.shape[1]] = efforts.cut_rate
    return samples


def _trajectory(
    system: System, bare: System, efforts: Efforts, samples: Samples, notes: list[str], seconds: float
) -> Trajectory:
    """Columns of a run and those of the actuators."""
    count, model = len(samples.t), system.model
    observer = Observer(bare)
    columns, accounts = observer.look(samples, count)
    accounts["impacts"] = np.zeros(count)
    accounts["total"] = accounts["kinetic"] + accounts["potential"] + accounts["springs"]
    accounts["balance"] = accounts["total"] - accounts["total"][0] + accounts["dissipated"] - accounts["work"]
    units = observer.units()
    _add_efforts(columns, units, efforts)
    certificate = _certificate(system, efforts, accounts, notes, seconds)
    return Trajectory(
        accounts["time"],
        columns,
        units,
        {name: accounts[name] for name in LEDGER},
        {name: accounts[f"drift {name}"] for name in DRIFT},
        certificate=certificate,
        model_name=model.name,
        scene=scene_of(model, float(accounts["time"][-1]), columns),
    )


def _add_efforts(columns: dict[str, Any], units: dict[str, str], efforts: Efforts) -> None:
    """Columns effort, power and work of every actuator; those of what it replaces go, or say the same."""
    first, time = 0, efforts.motion.time
    for actuator in efforts.actuators:
        for name in actuator.replaced:
            for column in [each for each in columns if each.rpartition(".")[0] == name]:
                if not (name == actuator.name and column.endswith(".length")):
                    del columns[column], units[column]
        last = first + len(actuator.coordinates)
        effort = efforts.efforts[:, first:last]
        power = np.sum(effort * efforts.rates[:, first:last], axis=1)
        alike = len(set(actuator.units)) == 1
        columns[f"{actuator.name}.effort"] = effort[:, 0].copy() if last == first + 1 else effort.copy()
        units[f"{actuator.name}.effort"] = actuator.units[0] if alike else ",".join(actuator.units)
        columns[f"{actuator.name}.power"], units[f"{actuator.name}.power"] = power, "W"
        columns[f"{actuator.name}.work"], units[f"{actuator.name}.work"] = integral(time, power), "J"
        first = last


def _notes(efforts: Efforts) -> list[str]:
    """What the certificate says in words."""
    motion, notes = efforts.motion, list(efforts.motion.notes)
    notes.append(f"forces balance within {efforts.left:.0e} of the largest")
    if efforts.opening > CHANGED:
        notes.append(f"accelerations moved by {efforts.opening:.1e} of the largest, onto those that the loops allow")
    singular = np.flatnonzero(efforts.ranks < efforts.rank)
    if singular.size:
        times = shortened([f"{motion.time[k]:.6g}" for k in singular], 3)
        notes.append(f"singular position at t = {times} s: forces there are the mean of those just before and after")
    nearest = int(np.argmin(efforts.grips))
    if efforts.freedoms and efforts.grips[nearest] < NEAR_DEAD:
        notes.append(f"near a dead point at t = {motion.time[nearest]:.6g} s, where efforts are large and inexact")
    if efforts.sticking:
        notes.append(f"dry friction of {shortened(sorted(efforts.sticking))} is left out where the joint stands still")
    return notes


def _certificate(
    system: System, efforts: Efforts, accounts: dict[str, Any], notes: list[str], seconds: float
) -> Certificate:
    shared_efforts, stress = not_unique(efforts, int(np.argmax(efforts.grips)))
    shared = shared_words(stress)
    if shared_efforts:
        notes.append(
            f"{len(efforts.unit)} efforts for {efforts.freedoms} degrees of freedom: those of least norm; not unique: "
            f"{shortened(shared_efforts)}"
        )
    if shared:
        told = [f"{joint} ({', '.join(words)})" for joint, words in shared.items()]
        notes.append(f"reactions that are not unique: {shortened(told)}")
    k = int(np.argmax(efforts.ranks))
    efforts.loops.at(efforts.motion.q[k], efforts.motion.v[k], float(efforts.motion.time[k]))
    moved = [float(np.ptp(accounts[name])) for name in LEDGER if name not in ("total", "balance")]
    stored = max(float(np.abs(accounts[name]).max()) for name in STORED)
    return Certificate(
        method="required_forces",
        until=float(accounts["time"][-1]),
        reached=float(accounts["time"][-1]),
        evaluations=len(accounts["time"]),
        wall_seconds=seconds,
        worst_drift_position=float(accounts["drift position"].max()),
        worst_drift_velocity=float(accounts["drift velocity"].max()),
        final_drift_position=float(accounts["drift position"][-1]),
        final_drift_velocity=float(accounts["drift velocity"][-1]),
        size=size_of(system.tables),
        drift_relative=float(accounts["drift relative"].max()),
        energy_balance_worst=float(np.abs(accounts["balance"]).max()),
        energy_scale=max([*moved, float(accounts["kinetic"].max())]),
        energy_least=max(least_energy(system), ROUNDED * stored),
        rank_min=int(efforts.ranks.min()),
        rank_max=efforts.rank,
        redundant_rows=row_names(system, implied(efforts.loops.closure.G)),
        degrees_of_freedom=efforts.freedoms,
        loops=len(system.cuts),
        notes=notes,
        settings={
            "at": [actuator.name for actuator in efforts.actuators],
            "weights": efforts.weights.tolist(),
            "residual": efforts.left,
            "shared_efforts": shared_efforts,
            "shared_reactions": shared,
        },
        versions=versions(),
        model_hash=model_hash(system),
        parts_hash=model_hash(system, start=False),
    )
