"""Every force element answers every question that the rooms ask: a new one that lacks an answer fails here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pytest

import linkwork as lw
from linkwork.assembly.elements import force_tables
from linkwork.assembly.elements.force_tables import ROWS, TABLES
from linkwork.assembly.tables import Forces
from linkwork.mechanics.observation import Observation
from linkwork.model import ForceElement
from linkwork.model.laws.states import StateRate
from linkwork.simulation.analysis.choice.elements import elements, left_out
from linkwork.simulation.results.columns.force_columns import OBSERVED, force_columns


def one_of_each() -> lw.Model:
    """An arm on a pin with one of every force element; a new one is added here."""
    model = lw.Model("forces")
    arm = model.body("arm", mass=2.0, inertia=(0.1, 0.2, 0.3), com=(0.3, 0.1, 0.0))
    bob = model.body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1))
    pin = model.revolute("pin", model.ground, arm, at=(0, 0, 0.2), axis=(0, 1, 0), position=0.3, velocity=2.0)
    model.ball("socket", arm, bob, frame_a=lw.Frame((0.5, 0, 0)), velocity=(0.5, 1.0, -0.4))
    model.spring("cord", model.ground, bob, at_a=(1, 0, 1), stiffness=50.0, damping=2.0, length=0.3)
    model.torsion_spring("coil", pin, stiffness=5.0, damping=0.1, angle=0.1)
    model.torque("drive", pin, 0.7)
    model.torque("twist", bob, (0.1, 0.2, 0.3))
    model.force("push", arm, 3.0, axis=(0, 0, 1), at=(0.2, 0, 0))
    model.tyre("tyre", bob, radius=0.5, stiffness=1e3, damping=5.0, side=lw.Calspan())
    model.gyroscope("wheel", bob, axis=(0, 0, 1), momentum=0.5)
    rubber = {"stiffness": (40.0, 30.0, 20.0, 0.4, 0.3, 0.2), "damping": (0.4, 0.3, 0.2, 4e-3, 3e-3, 2e-3)}
    model.bushing("mount", arm, bob, at=(0.6, 0.1, 0.1), **rubber)
    return model


MODEL = one_of_each()
SYSTEM = lw.assemble(MODEL)
EXAMPLES = {type(force): force for force in MODEL.all_forces()}


def kinds(base: type[ForceElement] = ForceElement) -> Iterator[type[ForceElement]]:
    """All classes of force elements of the package."""
    for kind in base.__subclasses__():
        if kind is StateRate:
            continue  # comes with the law that it belongs to: tests/laws/test_states.py
        if kind.__module__.startswith("linkwork."):
            yield kind
            yield from kinds(kind)


def table_of(kind: type[ForceElement]) -> str:
    return SYSTEM.force_rows[EXAMPLES[kind].path][0]


QUESTIONS: dict[str, Callable[[type[ForceElement]], bool]] = {
    "an example in `one_of_each` of this test": lambda kind: kind in EXAMPLES,
    "a verb with a docstring in model/": lambda kind: bool(
        getattr(getattr(lw.Model, EXAMPLES[kind].word.replace(" ", "_"), None), "__doc__", None)
    ),
    "what it acts on (`about`, in its class)": lambda kind: bool(EXAMPLES[kind].about),
    "a function that makes its row, in ROWS of assembly/elements/force_tables.py": lambda kind: kind in ROWS,
    "columns in `Forces` of assembly/tables.py": lambda kind: any(
        name.startswith(f"{table_of(kind)}_") for name in Forces._fields
    ),
    "its table in TABLES of assembly/elements/force_tables.py": lambda kind: table_of(kind) in TABLES,
    "columns in simulation/results/columns/force_columns.py": lambda kind: bool(force_columns(EXAMPLES[kind])),
    "numbers in OBSERVED there, as many as its columns have": lambda kind: (
        max((column.last for column in force_columns(EXAMPLES[kind]).values()), default=0)
        == OBSERVED.get(table_of(kind))
    ),
    "a field in `Observation` of mechanics/observation.py": lambda kind: table_of(kind) in Observation._fields,
}


def missing(kind: type[ForceElement]) -> list[str]:
    """What a force element still lacks; the first question comes before all others."""
    first, *others = QUESTIONS
    return [first] if not QUESTIONS[first](kind) else [each for each in others if not QUESTIONS[each](kind)]


@pytest.mark.parametrize("kind", list(kinds()), ids=lambda kind: kind.__name__)
def test_every_element_answers_every_question(kind: type[ForceElement]) -> None:
    assert not missing(kind), f"the force element {kind.__name__} lacks: {'; '.join(missing(kind))}"


def test_an_element_that_lacks_answers_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass(frozen=True, eq=False, repr=False)
    class Sail(ForceElement):
        area: float

    assert missing(Sail) == ["an example in `one_of_each` of this test"]
    monkeypatch.setitem(EXAMPLES, Sail, Sail("sail", MODEL, 2.0))
    monkeypatch.setitem(SYSTEM.force_rows, "sail", ("sail", 0))
    told = "; ".join(missing(Sail))
    for place in ("verb", "about", "ROWS", "Forces", "TABLES", "force_columns.py", "OBSERVED", "observation.py"):
        assert place in told


def test_tables_have_a_row_for_each() -> None:
    """Rows are counted from zero in every table, and all columns of a table have as many."""
    counts: dict[str, int] = {}
    for element in elements(SYSTEM):
        assert element.rows.tolist() == [counts.get(element.table, 0)]
        counts[element.table] = counts.get(element.table, 0) + 1
    for table, count in counts.items():
        sizes = {
            name: len(getattr(SYSTEM.tables.forces, name)) for name in Forces._fields if name.startswith(f"{table}_")
        }
        assert {size for name, size in sizes.items() if name != "tyre_road"} == {count}
    assert counts.keys() == TABLES.keys()


@pytest.mark.parametrize("element", list(elements(SYSTEM)), ids=lambda element: element.path)
def test_an_element_that_is_left_out_does_nothing(element) -> None:
    """Its strength is all zero, or its row is gone; the rows of others stay as they are."""
    forces = left_out(SYSTEM.tables, [element]).forces
    table = TABLES[element.table]
    for name in Forces._fields:
        before, after = getattr(SYSTEM.tables.forces, name), getattr(forces, name)
        if name in table.strength:
            assert np.any(before[element.rows]) or name.endswith("_c")
            assert not np.any(after[element.rows])
        elif name in table.choices:
            assert np.all(after[element.rows] == -1)
        elif name.startswith(f"{element.table}_") and not table.strength:
            assert len(after) == len(before) - 1
        else:
            assert np.array_equal(after, before)


def test_all_of_them_act_and_are_recorded() -> None:
    """Each does something at the start, its columns have numbers in them, and the energy balance closes."""
    run = lw.simulate(MODEL, until=0.02, dt=1e-4, method="recursive")
    for force in MODEL.all_forces():
        for quantity, column in force_columns(force).items():
            values = run[f"{force.path}.{quantity}"]
            assert values.shape[1:] == column.shape
            assert np.all(np.isfinite(values))
            assert np.any(values), f"{force.path}.{quantity}"
            assert run.unit(f"{force.path}.{quantity}") == column.unit
    assert np.max(np.abs(run.energy["balance"])) < 1e-8 * np.max(run.energy["kinetic"])


def test_what_the_columns_hold_is_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes longer than all the rest of the assembly."""
    monkeypatch.setattr(force_tables, "get_type_hints", None)
    forces = lw.assemble(MODEL).tables.forces
    assert all(np.array_equal(new, old) for new, old in zip(forces, SYSTEM.tables.forces, strict=True))
    assert forces.coil_q.dtype == np.int64
    assert forces.coil_k.dtype == float
