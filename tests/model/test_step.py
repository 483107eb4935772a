"""A law that steps: exact where it jumps, twice continuous where it rises, the same in the compiled loop."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.model.laws.laws import law_value


def test_a_jump_is_exact_at_its_time() -> None:
    law = lw.Step(5.0, at=0.3, before=-1.0)
    early = np.nextafter(0.3, 0.0)
    assert [law(t) for t in (-1.0, 0.0, early, 0.3, 0.4, 1e9)] == [-1.0, -1.0, -1.0, 5.0, 5.0, 5.0]
    assert (law.size, law_value(law, 0.3)) == (1, 5.0)


@pytest.mark.parametrize("rise", [1e-6, 0.4, 1e3])
def test_a_rise_is_twice_continuous_and_meets_its_ends(rise: float) -> None:
    law = lw.Step(7.0, at=2.0, before=3.0, rise=rise)
    times, (rows,) = law.pieces()
    assert (law(2.0), law(2.0 + rise / 2), law(2.0 + rise), law(3.0 + rise)) == (3.0, pytest.approx(5.0), 7.0, 7.0)
    before = np.array([3.0, 0.0, 0.0])
    for k in range(len(times) - 1):
        h = times[k + 1] - times[k]
        assert [rows[k, 0], rise * rows[k, 1], 2 * rise**2 * rows[k, 2]] == pytest.approx(before, abs=1e-6)
        a, b, c, d = rows[k]
        ends = a + h * (b + h * (c + h * d)), b + h * (2 * c + 3 * h * d), 2 * c + 6 * h * d
        before = np.array([ends[0], rise * ends[1], rise**2 * ends[2]])
    assert before == pytest.approx([7.0, 0.0, 0.0], abs=1e-6)
    values = [law(t) for t in np.linspace(2.0, 2.0 + rise, 50)]
    assert (np.diff(values) >= 0.0).all()


def cart(law: Any) -> lw.Model:
    model = lw.Model("cart", gravity=(0, 0, 0))
    block = model.body("block", mass=2.0, shape=lw.Box((1, 1, 1)))
    rail = model.prismatic("rail", "ground", block, axis=(1, 0, 0))
    model.torque("push", rail, law)
    return model


@pytest.mark.parametrize("rise", [0.0, 0.2])
def test_the_loop_sees_the_same_law(rise: float) -> None:
    """The column of the force is the law; the momentum is its integral: F (T - at - rise / 2)."""
    law = lw.Step(6.0, at=0.5, before=1.0, rise=rise)
    run = lw.simulate(cart(law), until=1.0, dt=0.01, method="recursive")
    assert run["push.torque"] == pytest.approx([law(t) for t in run.time], abs=1e-12)
    momentum = 1.0 * 1.0 + 5.0 * (0.5 - rise / 2)
    error = abs(2.0 * run["rail.velocity"][-1] - momentum)
    assert error < (1e-12 if rise else 5.0 * 0.01)


def test_a_vector_steps_and_numbers_are_spread() -> None:
    law = lw.Step((0, 0, 5.0), at=0.05)
    assert law.size == 3
    assert law(0.1).tolist() == [0, 0, 5.0]
    model = lw.Model("stone", gravity=(0, 0, 0))
    stone = model.body("stone", mass=1.0, shape=lw.Sphere(0.1))
    model.force("kick", stone, law)
    run = lw.simulate(model, until=0.1, dt=0.01, method="recursive")
    assert run["kick.force"][-1].tolist() == [0, 0, 5.0]
    assert not run["kick.force"][0].any()
    assert law == lw.Step((0, 0, 5.0), at=0.05)
    assert law != lw.Step((0, 0, 5.0), at=0.06)


def test_a_motor_brought_to_speed_and_a_ground_that_moves_over() -> None:
    model = lw.Model("fan")
    fan = model.body("fan", shape=lw.Cylinder(0.2, 0.02), mass=0.5)
    shaft = model.revolute("shaft", "ground", fan, at=(0, 0, 0), axis=(0, 0, 1))
    law = lw.Step(30.0, at=0.1, rise=0.2)
    model.motor("drive", shaft, velocity=law)
    run = lw.simulate(model, until=0.5, dt=0.01, method="impulse")
    assert run["shaft.velocity"] == pytest.approx([law(t) for t in run.time], abs=1e-9)
    table = lw.Model("table")
    plate = table.moving_ground("plate", lw.Motion(position=(lw.Step(0.2, at=0.1, rise=0.3), 0, 0)))
    table.fixed("weld", plate, table.body("box", mass=2.0, shape=lw.Box((1, 1, 1))))
    moved = lw.simulate(table, until=0.5, dt=0.01, method="recursive")
    assert moved["box.position.x"][-1] == pytest.approx(0.2, abs=1e-12)
    # the weld gives the box its acceleration, 8 shift / rise^2 a quarter of the way up and down
    assert moved["weld.reaction.fx"].max() == pytest.approx(2.0 * 8 * 0.2 / 0.3**2, rel=0.1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: lw.Step("high", at=0.0), "Step: value"),
        (lambda: lw.Step(1.0, at=0.0, rise=-1.0), "rise"),
        (lambda: lw.Step(1.0, at=np.nan), "at"),
        (lambda: lw.Motion(position=(lw.Step(1.0, at=0.1), 0, 0)), "give its Step a rise="),
        (lambda: lw.Motion(angle=lw.Step(1.0, at=0.1)), "give its Step a rise="),
    ],
)
def test_refusals(make: Any, message: str) -> None:
    with pytest.raises(lw.ModelError, match=message):
        make()
