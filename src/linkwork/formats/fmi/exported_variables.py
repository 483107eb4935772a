"""The variables of an FMU: inputs, columns as outputs, the certificate, and the states of model exchange."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from linkwork.errors import OptionError
from linkwork.formats.fmi.start_image import StartImage
from linkwork.formulations.samples import EVALUATIONS, RANK, RESIDUAL, ROW_COUNT, STEPS_CUT, SWEEPS
from linkwork.model import Term
from linkwork.simulation.results.columns.column_names import OF_SOLVER, fitting
from linkwork.simulation.results.columns.components import component_labels
from linkwork.simulation.results.columns.sampled_columns import input_unit
from linkwork.spatial import codes

# kinds of variables, and what must be done before they are read: as in c/model.h
INPUT, PARAMETER, VALUE, ORDER = range(4)
FROM_STATE, FROM_OBSERVATION = range(2)
# slots of the record of an instance: as in c/model.h
STEPS, BEGAN, WORST_BALANCE, WORST_POSITION, WORST_VELOCITY = 0, 7, 8, 9, 10
ORDERED = 13  # four slots: what steps come next in exact coupling
VALUES = 17
SLOT = 8
# coordinates that count how often they have gone round
GOES_ROUND = {
    codes.ANGLE_Z: "Angle",
    codes.ANGLE_SCREW: "Angle",
    codes.ANGLE_FIRST: "First angle",
    codes.ANGLE_SECOND: "Second angle",
    codes.ARC_LENGTH: "Way along the curve",
}
EFFORT = {"iterations": SWEEPS, "sweeps": SWEEPS, "residual": RESIDUAL, "rows": ROW_COUNT, "cut": STEPS_CUT}


@dataclass(frozen=True)
class ValueTerm:
    """factor × the number at `place` × that at `other`, where there is one."""

    place: int
    factor: float = 1.0
    other: int = -1
    whole: bool = False


@dataclass(frozen=True)
class ExportedVariable:
    """A variable of the FMU; its value reference is its number in the list."""

    name: str
    causality: str
    unit: str = "1"
    description: str = ""
    kind: int = VALUE
    needs: int = FROM_STATE
    place: int = -1
    number: int = -1
    terms: tuple[ValueTerm, ...] = ()
    start: float = 0.0
    least: float = float("-inf")
    rate_of: str | None = None  # the state whose derivative it is
    group: str = ""
    shape: tuple[int, ...] = ()  # of an array, whose numbers lie side by side from the place of its one term on
    starts: tuple[float, ...] = ()  # of an array
    tau: int = -1  # of a force at a port: where it goes in exact coupling
    staged: bool = False  # got and set at every stage in exact coupling
    effects: tuple[tuple[int, float], ...] = field(default=(), repr=False)  # of a parameter: places and slopes


def time_variable(image: StartImage) -> ExportedVariable:
    """The time, s."""
    place = image.memory.place(image.stepper.state.t)
    return ExportedVariable("time", "independent", "s", "Time", terms=(ValueTerm(place),))


def input_variables(image: StartImage, names: Sequence[str] | None) -> list[ExportedVariable]:
    """Forces, torques and motors whose law is a number: all, or those that fit one of these names."""
    rows, laws = image.system.inputs, image.stepper.tables.laws
    chosen = chosen_names(names, list(rows), "inputs")
    found = []
    for name, row in rows.items():
        if name in chosen:
            place = image.memory.place(laws.law_param[row])
            part: Any = image.system.model[name]
            start = float(laws.law_param[row, 0])
            told = f"{part.word} {part.about}".strip()
            found.append(ExportedVariable(name, "input", input_unit(part), told, INPUT, place=place, start=start))
    return found


def chosen_names(patterns: Sequence[str] | str | None, names: list[str], option: str) -> set[str]:
    """The names that fit one of the patterns, all where there are none; a pattern that fits nothing is refused."""
    if patterns is None or patterns == "all":
        return set(names)
    if isinstance(patterns, str):
        patterns = [patterns]
    chosen: set[str] = set()
    for pattern in patterns:
        fits = [pattern] if pattern in names else fitting(pattern, names) if isinstance(pattern, str) else []
        if not fits:
            near = difflib.get_close_matches(str(pattern), names, 3, 0.4) or names[:3]
            known = f"give one of {', '.join(map(repr, near))}" if near else "this model has none"
            raise OptionError(f"{option}={pattern!r} fits nothing of this model; {known}")
        chosen |= set(fits)
    return chosen


def column_variables(image: StartImage, patterns: Sequence[str] | str | None) -> list[ExportedVariable]:
    """Columns, component by component: those that fit, all where nothing is chosen."""
    every = _all_columns(image)
    names = list(dict.fromkeys([*(column for column, _ in every), *(each.name for _, each in every)]))
    chosen = chosen_names(patterns, names, "outputs")
    return [each for column, each in every if column in chosen or each.name in chosen]


def _all_columns(image: StartImage) -> list[tuple[str, ExportedVariable]]:
    reading, found = image.reading, []
    for column, shape in reading.shapes.items():
        unit, needs = reading.units[column], FROM_OBSERVATION if column in reading.seen else FROM_STATE
        labels = component_labels(column, unit, shape)
        if column in reading.made:
            terms = _power(image, column)
            if terms:
                label, word = labels[0]
                made = ExportedVariable(
                    label, "output", word, _told(image, column), needs=FROM_OBSERVATION, terms=terms
                )
                found.append((column, made))
            continue
        numbers = reading.places[column].reshape(-1)
        if not image.memory.holds(numbers):
            continue  # of a part that does nothing in this method
        for k, (label, word) in enumerate(labels):
            terms = (ValueTerm(image.memory.place(numbers[k : k + 1])),)
            found.append(
                (column, ExportedVariable(label, "output", word, _told(image, column), needs=needs, terms=terms))
            )
    return found


def _told(image: StartImage, column: str) -> str:
    owner, _, quantity = column.rpartition(".")
    return f"{quantity.replace('_', ' ').capitalize()} of '{owner}'"


def _power(image: StartImage, column: str) -> tuple[ValueTerm, ...]:
    """Effort times rate of a motor; nothing for other columns that are worked out from several."""
    places, owner = image.reading.places, column.removesuffix(".power")
    motor = next((each for each in image.system.motors if each.path == owner and not each.drives_rod), None)
    effort, rate = places.get(f"{owner}.effort"), places.get(f"{motor.joint.path}.velocity") if motor else None
    if motor is None or effort is None or rate is None:
        return ()
    k = motor.coordinate
    first, second = effort.reshape(-1)[:1], rate.reshape(-1)[k : k + 1]
    if not (image.memory.holds(first) and image.memory.holds(second)):
        return ()
    return (ValueTerm(image.memory.place(first), other=image.memory.place(second)),)


def certificate_variables(image: StartImage, record: int, kind: str = "cs") -> list[ExportedVariable]:
    """Energies, drift and effort of the present state, and the worst of them so far. `record` is a place.

    What tells of the way to the present state is no output in model exchange, where outputs are functions of it.
    """
    state, observation = image.stepper.state, image.reading.observation
    place = image.memory.place
    energy = [place(observation.energy[0, k : k + 1]) for k in range(3)]
    first = image.system.nq + image.system.nv
    lost, work = (place(state.y[k : k + 1]) for k in (first, first + 1))
    stored = tuple(map(ValueTerm, energy))
    balance = (*stored, ValueTerm(lost), ValueTerm(work, -1.0), ValueTerm(record + SLOT * BEGAN, -1.0))
    j, seen = "J", FROM_OBSERVATION
    rows = [
        ("energy.kinetic", j, "Kinetic energy", seen, stored[:1]),
        ("energy.potential", j, "Potential energy of gravity", seen, stored[1:2]),
        ("energy.springs", j, "Energy stored in springs", seen, stored[2:3]),
        ("energy.total", j, "Kinetic and potential energy", seen, stored),
        ("energy.dissipated", j, "Energy turned into heat so far", FROM_STATE, (ValueTerm(lost),)),
        ("energy.work", j, "Work fed in by forces, motors and moving grounds so far", FROM_STATE, (ValueTerm(work),)),
        ("energy.balance", j, "Energy that came or went without a cause: error of the run", seen, balance),
    ]
    gaps = [place(observation.drift[0, k : k + 1]) for k in range(2)]
    rows += [
        ("drift.position", "1", "Norm of the gaps of closed loops, m or rad", seen, (ValueTerm(gaps[0]),)),
        ("drift.velocity", "1", "Norm of their rates, m/s or rad/s", seen, (ValueTerm(gaps[1]),)),
    ]
    rank, evaluations = (ValueTerm(place(state.count[k : k + 1]), whole=True) for k in (RANK, EVALUATIONS))
    rows.append(("certificate.rank", "1", "Rank of the loops", FROM_STATE, (rank,)))
    outputs = len(rows)
    for word in OF_SOLVER[image.stepper.method.effort]:
        terms = (ValueTerm(place(state.solver_stats[EFFORT[word] : EFFORT[word] + 1])),)
        rows.append((f"solver.{word}", "1", f"{word.capitalize()} of the last step", FROM_STATE, terms))
    rows.append(("certificate.evaluations", "1", "Evaluations so far", FROM_STATE, (evaluations,)))
    when = "of the points at which outputs were read"
    of_record = [
        ("steps", "1", "Steps so far", STEPS),
        ("worst_balance", j, f"Largest energy.balance {when}", WORST_BALANCE),
        ("worst_drift_position", "1", f"Largest drift.position {when}", WORST_POSITION),
        ("worst_drift_velocity", "1", f"Largest drift.velocity {when}", WORST_VELOCITY),
    ]
    for name, unit, told, slot in of_record:
        rows.append((f"certificate.{name}", unit, told, seen, (ValueTerm(record + SLOT * slot),)))
    rows = rows[:outputs] if kind == "me" else rows
    causality = ["output"] * outputs + ["output" if kind == "cs" else "local"] * (len(rows) - outputs)
    return [
        ExportedVariable(name, cause, unit, told, needs=needs, terms=terms, group="certificate")
        for (name, unit, told, needs, terms), cause in zip(rows, causality, strict=True)
    ]


@dataclass(frozen=True)
class Turn:
    """A number that a method carries from step to step and that model exchange integrates; places in the image."""

    place: int
    rate: int
    told: str


def turn_states(image: StartImage) -> list[Turn]:
    """What cannot be read off q: angles of cuts with their turns, ways along closed curves, ways of given rates."""
    system, state = image.system, image.stepper.state
    cuts, place = system.tables.cuts, image.memory.place
    names = {each.last: each.name for each in system.cuts}
    names |= {int(cuts.term_cut[e]): term.joint.path for e, term in enumerate(_terms(image))}
    found = []
    for c in range(cuts.cut_a.size):
        for m in range(int(cuts.cut_measure[c]), int(cuts.cut_measure[c + 1])):
            if cuts.measure_kind[m] in GOES_ROUND:
                k, s = int(cuts.measure_q[m]), int(cuts.measure_rate[m])
                told = f"{GOES_ROUND[int(cuts.measure_kind[m])]} of '{names[c]}', with its turns"
                found.append(Turn(place(state.cut_q[k : k + 1]), place(state.cut_rate[s : s + 1]), told))
    for j, each in enumerate(system.coupled):
        if each.follows_rate:
            k, given = int(cuts.coupling_q[j]), image.stepper.workspace.tree.given
            told = f"Where motor '{each.part.path}' is by now"
            found.append(Turn(place(state.cut_q[k : k + 1]), place(given[j, 1:2]), told))
    return found


def _terms(image: StartImage) -> list[Term]:
    return [term for each in image.system.coupled for term in each.terms]


def state_variables(image: StartImage) -> list[ExportedVariable]:
    """The continuous states of model exchange, each with its derivative: q, v, two accounts of energy, and turns."""
    system, steps = image.system, image.stepper.workspace.steps
    y, rate = image.memory.place(image.stepper.state.y), image.memory.place(steps.f)
    names = [(f"q[{k + 1}]", "Coordinate") for k in range(system.nq)]
    names += [(f"v[{k + 1}]", f"Velocity of '{system.dof_name(k)}'") for k in range(system.nv)]
    names += [("heat", "Energy turned into heat so far, J"), ("work", "Work fed in so far, J")]
    states = [(*names[k], y + SLOT * k, rate + SLOT * k) for k in range(len(names))]
    states += [(f"turns[{k + 1}]", each.told, each.place, each.rate) for k, each in enumerate(turn_states(image))]
    found = []
    for name, told, value, change in states:
        found.append(ExportedVariable(name, "local", "1", told, terms=(ValueTerm(value),)))
        der = f"der({name})"
        found.append(ExportedVariable(der, "local", "1", f"Rate of {name}", terms=(ValueTerm(change),), rate_of=name))
    return found
