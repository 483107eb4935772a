"""Compiled laws of the same content are compiled once; whatever differs in a constant is another law."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.assembly.laws.law_content import content_of

SHIFT = 1.0
SETTINGS = SimpleNamespace(gain=1.0)


def made(gain: Any = 2.0, table: Any = (1.0, 2.0)) -> Any:
    @lw.compiled
    def law(t):
        return gain * t + table[0] + SHIFT

    return law


def pendulum(law: Any) -> lw.Model:
    model = lw.gallery.pendulum.build()
    model.torque("push", "pin", law)
    return model


def address(law: Any) -> int:
    system = lw.assemble(pendulum(law))
    return int(system.tables.laws.law_address[-1])


def test_a_closure_made_again_is_the_same_law() -> None:
    assert address(made()) == address(made()) == address(made())


@pytest.mark.parametrize("other", [{"gain": 3.0}, {"gain": 2}, {"table": (1.5, 2.0)}, {"table": np.array([1.0, 2.0])}])
def test_another_constant_is_another_law(other: dict[str, Any]) -> None:
    one, two = made(), made(**other)
    assert content_of(one) != content_of(two)
    first = lw.simulate(pendulum(made()), until=0.1, dt=1e-3)["pin.position"]
    second = lw.simulate(pendulum(two), until=0.1, dt=1e-3)["pin.position"]
    same = other == {"gain": 2} or isinstance(other.get("table"), np.ndarray)
    assert bool(np.abs(first - second).max() == 0.0) is same


def test_a_variable_of_the_module_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    before = address(made())
    monkeypatch.setitem(globals(), "SHIFT", 2.0)
    assert address(made()) != before
    assert lw.Simulation(pendulum(made()), dt=1e-3)["push.torque"] == 3.0


def test_what_may_change_unseen_is_compiled_anew() -> None:
    used = made()
    used(0.0)  # it keeps the constants that it was compiled with
    assert content_of(used) is None
    assert content_of(lw.compiled(lambda t: SETTINGS.gain * t)) is None


def test_what_it_calls_counts() -> None:
    def calling(gain: float) -> Any:
        @lw.compiled
        def inner(t):
            return gain * t

        return lw.compiled(lambda t: inner(t) + 1.0)

    assert content_of(calling(1.0)) == content_of(calling(1.0))
    assert content_of(calling(1.0)) != content_of(calling(2.0))


def test_faults_of_a_shared_law_are_those_of_each_system() -> None:
    def failing(limit: float) -> Any:
        return lw.compiled(lambda t: 1.0 / (limit - t) if t < limit else 1.0 / (t - t))

    for _ in range(2):
        with pytest.raises(lw.RunError, match=r"torque 'push'|'push'"):
            lw.simulate(pendulum(failing(0.05)), until=0.1, dt=1e-2, method="recursive")


def test_few_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    from linkwork.assembly.laws import compiled_laws

    monkeypatch.setattr(compiled_laws, "KEPT", 2)
    monkeypatch.setattr(compiled_laws, "_known", {})
    for gain in (1.0, 2.0, 3.0):
        address(made(gain))
    assert len(compiled_laws._known) == 2
