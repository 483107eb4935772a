"""What joints hold still moves by rounding alone, however light it is and however hard it is pushed."""

from __future__ import annotations

import pytest

import linkwork as lw


def held(mass: float, push: float, motor: bool) -> lw.Model:
    """Two bodies held by the ground, with a force and a torque on the second one."""
    model = lw.Model("held")
    first, second = (
        model.body(name, mass=mass, shape=lw.Box((0.2, 0.1, 0.1)), position=(x, 0.03, 0.07))
        for name, x in (("first", 0.1), ("second", 0.3))
    )
    model.fixed("weld", "ground", first)
    if motor:
        model.revolute("pin", first, second, at=(0.2, 0, 0), axis=(0, 1, 0))
        model.motor("brake", "pin", position=0.0)
    else:
        model.fixed("pin", first, second)
    model.force("push", second, (push, 0.3 * push, 0.7 * push), at=(0.1, 0, 0))
    model.torque("twist", second, (push, 0.0, 0.2 * push))
    return model


@pytest.mark.parametrize("method", ["recursive", "absolute", "component", "hybrid", "global", "impulse", "maximal"])
@pytest.mark.parametrize(("mass", "push"), [(1e-3, 10.0), (1.0, 1e4)])
@pytest.mark.parametrize("motor", [False, True])
def test_no_doubt_where_nothing_moves(method: str, mass: float, push: float, motor: bool) -> None:
    certificate = lw.simulate(held(mass, push, motor), until=0.3, dt=1e-3, method=method).certificate
    assert certificate.doubts() == []
    assert certificate.energy_balance_worst < 1e-11 * push


@pytest.mark.parametrize("method", ["recursive", "absolute", "impulse"])
def test_what_a_weak_push_moves_is_judged(method: str) -> None:
    """A bob of a gram that a strong frame carries beside a heavy load: its energies are far from nothing."""
    model = held(1.0, 1e4, False)
    bob = model.body("bob", mass=1e-3, shape=lw.Sphere(0.01), position=(0.3, 0.03, -0.1))
    model.revolute("hook", "second", bob, at=(0.3, 0.03, 0.07), axis=(0, 1, 0), velocity=1.0)
    certificate = lw.simulate(model, until=0.3, dt=1e-3, method=method).certificate
    assert certificate.energy_scale > 1.2 * certificate.energy_least
