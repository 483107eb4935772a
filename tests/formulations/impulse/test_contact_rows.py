"""Rows of contacts: their rates, targets and bounds, and contacts beside a hinge."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.assembly.colliders.collider_tables import SLOP_SIZE
from linkwork.formulations.impulse.kinds.contact_rows import OVERLAP_PART
from linkwork.formulations.impulse.rows.row_table import CONTACT, CONTACT_FRICTION
from linkwork.formulations.impulse.rows.rows import ALL_ROWS

DT = 5e-3


def ball(height: float, velocity: tuple[float, ...] = (0, 0, 0, 0, 0, 0), **material: float) -> lw.Simulation:
    """A ball of 0.1 m, `height` above a plane, after one step without gravity."""
    model = lw.Model("ball", gravity=(0, 0, 0))
    stuff = lw.Material(**material)
    model.plane("floor", material=stuff)
    body = model.body("ball", shape=lw.Sphere(0.1), mass=1.0, position=(0, 0, 0.1 + height), material=stuff)
    model.free("fall", "ground", body, velocity=velocity)
    sim = lw.Simulation(model, lw.Impulse(dt=DT))
    sim.step(1)
    return sim


def test_rates_are_those_of_the_point_of_contact() -> None:
    """v + w x r along the normal, the tangent and the third direction."""
    v, w = np.array([0.3, -0.2, -0.1]), np.array([1.0, 2.0, 3.0])
    sim = ball(0.0, (*v, *w), friction=0.5)
    rows, contacts = sim.workspace.rows, sim.workspace.contacts
    assert rows.code[: int(rows.count[ALL_ROWS])].tolist() == [CONTACT, CONTACT_FRICTION, CONTACT_FRICTION]
    sign = 1.0 if contacts.link_b[0] > 0 else -1.0
    n, t = contacts.normal[0], contacts.tangent[0]
    moved = sign * (v + np.cross(w, (0, 0, -0.1)))
    assert rows.start_rate[:3] == pytest.approx([n @ moved, t @ moved, np.cross(n, t) @ moved])
    assert rows.normal_row[:3].tolist() == [-1, 0, 0]
    assert rows.partner_row[:3].tolist() == [-1, -1, 1]
    assert (rows.low[0], rows.high[0]) == (0.0, np.inf)
    assert rows.friction[:3].tolist() == [0.0, 0.5, 0.5]


def test_a_gap_may_close_and_no_more() -> None:
    sim = ball(1e-3, (0, 0, -1.0, 0, 0, 0))
    rows = sim.workspace.rows
    assert rows.target[0] == pytest.approx(-1e-3 / DT)
    assert sim["ball.position"][2] == pytest.approx(0.1)


def test_an_overlap_is_undone_step_by_step() -> None:
    overlap = 5e-3
    sim = ball(-overlap)
    rows, slop = sim.workspace.rows, SLOP_SIZE * 0.1
    assert rows.correction[0] == pytest.approx(OVERLAP_PART * (overlap - slop) / DT)
    assert rows.correction_high[0] == np.inf
    assert sim["ball.position"][2] - (0.1 - overlap) == pytest.approx(OVERLAP_PART * (overlap - slop))
    assert np.abs(sim["ball.velocity"]).max() < 1e-12  # by pseudo velocities alone


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_a_bounce_returns_its_part_of_the_speed(restitution: float) -> None:
    sim = ball(1e-6, (0, 0, -2.0, 0, 0, 0), restitution=restitution)
    assert sim["ball.velocity"][2] == pytest.approx(2.0 * restitution, abs=1e-3)


def test_frictionless_contacts_are_one_row() -> None:
    sim = ball(0.0, (0, 0, -1.0, 0, 0, 0), friction=0.0)
    assert int(sim.workspace.rows.count[ALL_ROWS]) == 1


def test_contacts_beside_a_hinge_leave_their_load_to_the_others() -> None:
    """A lid closes on its box: what is at the hinge would need a huge force to hold it."""
    model = lw.Model("lid")
    base = model.body("box", shape=lw.Box((0.4, 0.4, 0.2)), mass=1.0, material=lw.Material())
    model.fixed("stand", "ground", base)
    lid = model.body("lid", shape=lw.Box((0.4, 0.4, 0.02)), mass=0.2, position=(0, 0, 0.11), material=lw.Material())
    model.revolute("hinge", "ground", lid, at=(-0.203, 0, 0.1), axis=(0, 1, 0))
    sim = lw.Simulation(model, lw.Impulse(dt=DT))
    sim.step(20)
    rows, contacts = sim.workspace.rows, sim.workspace.contacts
    n = int(rows.count[ALL_ROWS])
    at = {}
    for r in np.flatnonzero(rows.code[:n] == CONTACT):
        e = (int(rows.id[r]) - sim.workspace.table.id_count) // 3
        at[round(float(contacts.point[e, 0]), 3)] = float(rows.high[r])
    assert at == {-0.2: 0.0, 0.2: np.inf}
