"""The balance of energy is judged part by part: a large flow in one must not hide what is wrong in a small one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwork as lw

METHODS = [
    *("recursive", "component", "absolute", "hybrid", "semi-recursive", "global"),
    *("impulse", "maximal"),
]
each = pytest.mark.parametrize("method", METHODS)


def works() -> lw.Model:
    """A flywheel with 45 kJ beside a double pendulum of 0.2 kg."""
    model = lw.Model("works")
    model.body("flywheel", mass=2e4, inertia=(1.5e3, 1.5e3, 2.5e3))
    model.revolute("shaft", "ground", "flywheel", at=(0, 0, 0), axis=(0, 0, 1), velocity=6.0)
    for k, (name, other) in enumerate((("rod", "ground"), ("bob", "rod"))):
        model.body(name, mass=0.1, inertia=np.full(3, 1e-4), position=(3.05 + 0.1 * k, 0, 0))
        model.revolute(f"pin {k}", other, name, at=(3.0 + 0.1 * k, 0, 0), axis=(0, 1, 0))
    return model


@pytest.mark.filterwarnings("ignore::linkwork.RunWarning")
@each
def test_a_small_mechanism_at_too_large_a_step_beside_a_large_flow(method: str) -> None:
    run = lw.simulate(works(), method=method, dt=0.02, until=6.0)
    certificate = run.certificate
    assert certificate.energy_balance_relative < 1e-2
    assert certificate.energy_part > 1e-2
    assert certificate.energy_part_bodies == ["rod", "bob"]
    told = [doubt for doubt in certificate.doubts() if "the part with 'rod', 'bob'" in doubt]
    assert len(told) == 1
    assert "'rod', 'bob'" in certificate.lines()[1]


@each
def test_parts_that_are_well_are_in_no_doubt(method: str) -> None:
    run = lw.simulate(works(), method=method, dt=5e-4, until=1.0)
    assert run.certificate.energy_part < 5e-3
    assert run.certificate.doubts() == []


def shop(method: str) -> lw.Model:
    """Parts with all that wastes energy or feeds it in: each must get its own, and nothing of the others'."""
    model = lw.Model("shop")
    places = iter(range(20))

    def pendulum(name: str, ground: Any = "ground", axis: tuple[int, int, int] = (0, 1, 0), **options: Any) -> Any:
        x = 2.0 * next(places)
        model.body(name, mass=1.0, inertia=(0.02, 0.02, 0.02), position=(x + 0.3, 0, 0))
        return model.revolute(f"pin of {name}", ground, name, at=(x, 0, 0), axis=axis, **options)

    pendulum("plain")
    pendulum("damped", damping=0.3)
    model.torque("push", pendulum("pushed"), lw.Cosine(2.0, frequency=0.5))
    pendulum("sprung")
    model.spring("spring", "ground", "sprung", at_a=(6, 0, 1), stiffness=40.0, damping=2.0, length=0.5)
    model.motor("drive", pendulum("driven"), position=lw.Cosine(0.4, frequency=0.5, offset=-0.4))
    pendulum("first wheel")
    pendulum("second wheel")
    model.gear("gear", "pin of first wheel", "pin of second wheel", ratio=-2.0)
    shaker = model.moving_ground("shaker", lw.Motion(position=(0, 0, lw.Cosine(0.1, frequency=1.0))))
    pendulum("shaken", shaker)
    pendulum("on the same", shaker)
    model.body("kite", mass=0.5, inertia=(0.02, 0.02, 0.02), position=(0, 5, 0))
    model.free("flight", "ground", "kite", velocity=(0, 0, 3, 1, 2, 3))
    model.force("wind", "kite", lw.Cosine(2.0, frequency=1.0), axis=(0, 1, 0))
    return model


@each
def test_each_part_has_its_own_account(method: str) -> None:
    run = lw.simulate(shop(method), method=method, dt=1e-3, until=1.0)
    assert run.certificate.energy_part < (1e-2 if method in ("impulse", "maximal") else 1e-4)
    assert run.certificate.energy_part_bodies != []
