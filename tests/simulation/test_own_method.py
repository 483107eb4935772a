"""A method from outside: a class and one line of registration, and it runs wherever a name of a method is given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import linkwork as lw
from known_mechanisms import four_bar, pendulum
from linkwork.formulations.explicit.recursive import run as settle
from linkwork.formulations.protocol import Method, Ran
from linkwork.formulations.samples import copy_sample, make_samples
from linkwork.formulations.status import DONE, NOT_FINITE
from linkwork.mechanics.tree.entry_points import moved
from linkwork.simulation.methods import ALL, register, unregister


@dataclass(frozen=True, kw_only=True)
class Euler(Method):
    """Explicit Euler in plain Python, on the accelerations of method "recursive"."""

    name: ClassVar[str] = "euler"
    supports: ClassVar[frozenset[str]] = frozenset({"armature"})
    orders: ClassVar[dict[str, int]] = {"euler": 1}
    integrator: ClassVar[str] = "euler"
    coordinates: ClassVar[str] = "joint"

    dt: float = 1e-3

    def prepare(self, tables: Any, given: Any = None) -> Any:
        return lw.Recursive().prepare(tables)

    def run(
        self,
        tables: Any,
        workspace: Any,
        state: Any,
        begin: float,
        first: int,
        dt: float,
        steps: int,
        every: int,
        samples: Any,
    ) -> Ran:
        kept, nv, spare = 0, state.vd.size, make_samples(state, 1)
        nq = state.y.size - nv - 2
        for n in range(first + 1, first + steps + 1):
            state.last[:] = state.y
            if n > 0:
                q, v = state.last[:nq], state.last[nq : nq + nv]
                moved(tables.tree, q, v, dt, state.y[:nq])
                state.y[nq : nq + nv] = v + dt * state.vd
            settle(tables, workspace, state, begin + n * dt, -1, dt, 1, 1, spare)
            if not np.isfinite(state.y).all():
                return n - 1 - first, kept, NOT_FINITE
            if n % every == 0:
                copy_sample(state, samples, kept)
                kept += 1
        return steps, kept, DONE


@pytest.fixture
def euler() -> Iterator[str]:
    register(Euler)
    yield Euler.name
    unregister(Euler.name)


def by_hand(steps: int, dt: float) -> list[tuple[float, float]]:
    """Angle and rate of a pendulum of 1 m."""
    states = [(1.0, 0.0)]
    for _ in range(steps):
        q, v = states[-1]
        states.append((q + dt * v, v - dt * 9.81 * np.sin(q)))
    return states


def test_it_runs_records_and_certifies(euler: str) -> None:
    with pytest.warns(lw.RunWarning, match="energy balance is off"):
        run = lw.simulate(pendulum(position=1.0), until=0.5, method=euler, dt=0.01, every=5)
    wanted = np.array(by_hand(50, 0.01)[::5])
    assert run["pin.position"] == pytest.approx(wanted[:, 0], abs=1e-12)
    assert run["pin.velocity"] == pytest.approx(wanted[:, 1], abs=1e-12)
    said = run.certificate
    assert (said.method, said.integrator, said.dt, said.steps) == ("euler", "euler", 0.01, 50)
    assert said.settings == {"dt": 0.01, "every": 5}
    assert 1e-3 < said.energy_balance_relative < 0.1  # it gains energy, and the ledger says so
    assert "euler, euler, dt 0.01 s" in "\n".join(said.lines())


def test_it_steps_copies_saves_and_goes_on(euler: str, tmp_path: Path) -> None:
    sim = lw.Simulation(pendulum(position=1.0), Euler(dt=0.01))
    sim.step(20)
    other = sim.copy()
    sim.save(tmp_path / "here.npz")
    resumed = lw.Simulation(pendulum(position=1.0), resume=tmp_path / "here.npz")
    for each in (sim, other, resumed):
        each.step(10)
        assert each.method.name == "euler"
        assert float(each["pin.position"]) == pytest.approx(by_hand(30, 0.01)[-1][0], abs=1e-12)
    sim.step(5, dt=0.02)
    assert sim.time == pytest.approx(0.4)
    assert sim.solver == {}
    assert sim.contacts().bodies == []


def test_it_is_compared_with_the_others(euler: str) -> None:
    found = lw.compare(pendulum(position=1.0), until=0.5, dt=1e-3, methods=["recursive", euler])
    entry = found.entries[1]
    assert (entry.method, entry.standing, entry.expected_order) == (euler, "agrees", 1.0)
    assert entry.order == pytest.approx(1.0, abs=0.1)


def test_what_it_does_not_support_is_refused(euler: str) -> None:
    with pytest.raises(lw.OptionError, match=r"has loops .* which method 'euler' does not support"):
        lw.simulate(four_bar(), until=0.1, method=euler)
    with pytest.raises(lw.OptionError, match="method 'euler' has no option 'rtol'"):
        lw.simulate(pendulum(), until=0.1, method=euler, rtol=1e-6)


@pytest.mark.filterwarnings("ignore:.*too coarse")
def test_what_stops_it_is_reported(euler: str) -> None:
    model = pendulum(position=1.0)
    model.torque("push", "pin", lambda t, q, v: 1e3 * v)
    with pytest.raises(lw.RunError) as caught:
        lw.simulate(model, until=50.0, method=euler, dt=0.5)
    assert caught.value.culprit in ("pin", "push")
    assert len(caught.value.run) > 1


def test_it_is_forgotten_again(euler: str) -> None:
    with pytest.raises(lw.OptionError, match="there is a method 'euler' already"):
        register(Euler)
    unregister(euler)
    try:
        assert "euler" not in ALL
        with pytest.raises(lw.OptionError, match="unknown method 'euler'"):
            lw.simulate(pendulum(), until=0.1, method="euler")
    finally:
        register(Euler)


def test_half_a_method_is_refused() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Half(Method):
        name: ClassVar[str] = "half"
        supports: ClassVar[frozenset[str]] = frozenset()
        orders: ClassVar[dict[str, int]] = {"euler": 1}
        coordinates: ClassVar[str] = "joint"
        dt: float = 1e-3

        def prepare(self, tables: Any, given: Any = None) -> Any: ...

    with pytest.raises(lw.OptionError, match="method 'half' lacks integrator, run;"):
        register(Half)
    with pytest.raises(lw.OptionError, match="must be a dataclass with a name"):
        register(int)
    assert "half" not in ALL
