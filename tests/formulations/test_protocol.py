"""Every registered method answers every question of the contract, and nobody asks for a method's name instead."""

from __future__ import annotations

import importlib
import json
import re
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

import linkwork as lw
from known_mechanisms import four_bar
from linkwork._kernels.kernel import EntryPoint
from linkwork.formulations import status
from linkwork.formulations.protocol import Effort, Method, Needs
from linkwork.formulations.samples import make_samples
from linkwork.simulation.methods import ALL, contract
from linkwork.simulation.stepping.workspaces import make_workspace
from linkwork.simulation.structure.persistent import persistent_arrays

METHODS = {name: kind(dt=0.01) for name, kind in ALL.items()} | {
    "component in joints": lw.Components(coordinates="joint", dt=0.01)
}
FEATURES = {
    *("loops", "redundant", "distances", "rolling", "moving grounds", "armature", "friction", "limits", "motors"),
    *("couplings", "rigid motors", "servos", "backlash", "contact", "ports", "remote components"),
}
every_method = pytest.mark.parametrize("name", METHODS)


@pytest.fixture(scope="module")
def stepped() -> Any:
    """A simulation of a four-bar by each method after three steps, made once."""
    made: dict[str, lw.Simulation] = {}

    def find(name: str) -> lw.Simulation:
        if name not in made:
            made[name] = lw.Simulation(four_bar(), METHODS[name])
            made[name].step(3)
        return made[name]

    return find


@every_method
def test_what_it_is(name: str) -> None:
    method: Method = METHODS[name]
    assert ALL[method.name] is type(method)
    assert method.supports <= FEATURES
    assert method.integrator in method.orders
    assert all(order >= 1 for order in method.orders.values())
    assert method.coordinates in ("joint", "absolute")
    assert method.needs in get_args(Needs)
    assert method.effort in get_args(Effort)
    assert not (method.implicit and method.impulses)
    assert method.impulses == (method.effort == "sweeps") == (method.epsilon > 0.0)
    assert (method.iterations > 0) == (method.implicit or method.impulses)
    assert isinstance(method.draggable, bool)
    assert re.fullmatch(r"(,| or|) ?.*", method.torn_remedy)
    if "adaptive" in method.orders:
        assert {"rtol", "atol"} <= {field.name for field in fields(method)}


@every_method
def test_every_option_has_a_default(name: str) -> None:
    assert all(field.default is not MISSING for field in fields(METHODS[name]))


@every_method
def test_its_loop_is_where_it_says(name: str) -> None:
    loop = METHODS[name].loop
    assert loop is not None
    assert isinstance(importlib.import_module(loop).run, EntryPoint)


@every_method
def test_it_runs_by_named_arguments(name: str, stepped: Any) -> None:
    sim = stepped(name).copy()
    samples = make_samples(sim.state, 2)
    done = sim.method.run(
        tables=sim.tables,
        workspace=sim.workspace,
        state=sim.state,
        begin=0.0,
        first=3,
        dt=0.01,
        steps=4,
        every=2,
        samples=samples,
    )
    assert tuple(done) == (4, 2, status.DONE)
    assert samples.t.ravel() == pytest.approx([0.04, 0.06])
    assert sim.time == pytest.approx(0.07)
    again = stepped(name).copy()
    again.step(4)
    assert np.array_equal(sim.state.y, again.state.y)


@every_method
def test_what_it_answers_of_its_workspace(name: str, stepped: Any) -> None:
    sim = stepped(name).copy()
    method, workspace, nv = sim.method, sim.workspace, sim.moving.nv
    json.dumps(method.chosen(workspace))
    unsettled = method.unsettled(workspace)
    assert unsettled is None if method.impulses else unsettled.shape == (nv,)
    row = method.singular_row(workspace)
    assert row is None or 0 <= row < sim.moving.rows
    assert method.last_step(workspace) == (0.01 if method.impulses else 0.0)
    for table in (method.drag_table(workspace), method.contact_table(workspace)):
        assert (table is not None) == method.impulses
    method.inherit(make_workspace(sim.stepper, sim.start)[0], workspace)
    method.keep_contacts(make_workspace(sim.stepper, sim.start)[0], workspace)
    method.forget(workspace)
    method.limit_sweeps(workspace, 7)
    sim.step()


@every_method
def test_what_it_carries_is_there_and_is_checked(name: str, stepped: Any) -> None:
    sim = stepped(name)
    arrays = {key.removeprefix("workspace."): values for key, values in persistent_arrays(sim.stepper).items()}
    assert set(sim.method.persistent) <= arrays.keys()
    for key in sim.method.persistent:
        values = arrays[key]
        if values.dtype.kind == "f" or not values.size:
            continue
        assert sim.method.accepts(sim.workspace, key, values), key
        assert not sim.method.accepts(sim.workspace, key, values - 1000), key


def test_every_member_is_explained_once() -> None:
    explained = Method.__doc__ or ""
    numbers = [int(number) for number in re.findall(r"^ +(\d+)\. ", explained, re.MULTILINE)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert [member for member in contract() if not re.search(rf"`{member}\b", explained)] == []


def test_nobody_asks_for_the_name_of_a_method_or_looks_whether_it_has_something() -> None:
    asked = re.compile(
        r"""method\.name\s*(==|!=|(not\s+)?in)\s*["'A-Z(]|(has|get)attr\((\w+\.)*(method|workspace)\b""", re.VERBOSE
    )
    package = Path(lw.__file__).parent
    found = [
        f"{file.relative_to(package)}: {line.strip()}"
        for file in package.rglob("*.py")
        if file.parent.name != "model"
        for line in file.read_text(encoding="utf-8").splitlines()
        if asked.search(line)
    ]
    options = "simulation/methods.py: "  # options are looked up by their names
    assert [line for line in found if not line.startswith(options)] == []
    assert asked.search('if self.method.name == "global":')
    assert asked.search('hasattr(self.workspace, "steps")')
