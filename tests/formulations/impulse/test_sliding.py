"""Joint friction that slides needs no row; where it stops it gets one again."""

from __future__ import annotations

import pytest

import linkwork as lw
from linkwork.formulations.impulse.rows.rows import ALL_ROWS

DT, TORQUE, INERTIA, SPEED = 1e-3, 0.5, 0.2, 2.0


def wheel(solver: str) -> lw.Simulation:
    model = lw.Model("wheel", gravity=(0, 0, 0))
    body = model.body("wheel", mass=1.0, inertia=(INERTIA, INERTIA, INERTIA))
    model.revolute("axle", "ground", body, at=(0, 0, 0), axis=(0, 0, 1), velocity=SPEED, friction=TORQUE)
    return lw.Simulation(model, lw.Impulse(dt=DT, solver=solver))


def test_a_wheel_slides_without_a_row_and_stops_with_one() -> None:
    sim = wheel("direct")
    rows, stop = sim.workspace.rows, SPEED * INERTIA / TORQUE
    sim.step(1)
    assert int(rows.count[ALL_ROWS]) == 1  # nothing is known before the first step
    sim.step(9)
    assert int(rows.count[ALL_ROWS]) == 0
    assert rows.sliding[0] == pytest.approx(-DT * TORQUE)
    assert sim["axle.velocity"] == pytest.approx(SPEED - 10 * DT * TORQUE / INERTIA)
    sim.step(round(stop / DT))
    assert int(rows.count[ALL_ROWS]) == 1
    assert rows.sliding[0] == 0.0
    assert abs(sim["axle.velocity"]) < 1e-12


@pytest.mark.parametrize("solver", ["direct", "sequential"])
def test_all_of_its_energy_is_wasted(solver: str) -> None:
    sim = wheel(solver)
    sim.step(2000)
    assert sim.state.y[-2] == pytest.approx(0.5 * INERTIA * SPEED**2, rel=1e-12)


def test_the_paper_s_loop_predicts_nothing() -> None:
    sim = wheel("sequential")
    sim.step(10)
    assert int(sim.workspace.rows.count[ALL_ROWS]) == 1
    assert sim.workspace.rows.sliding[0] == 0.0
