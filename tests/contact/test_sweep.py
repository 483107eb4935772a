"""What two colliders meet within a step: when, along which normal, and what only passes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.contact.broad_phase import find_contacts
from linkwork.contact.scratch import make_contact_scratch
from linkwork.contact.table import Contacts, make_contacts
from linkwork.mechanics.tree.workspace import tree_work

H = 0.01


def met(shape: Any, at: Any, velocity: Any, land: Any, fall: float = 0.0) -> Contacts:
    """Contacts of a body with a shape of the ground in a step of H, in which it gets faster downwards by `fall`."""
    model = lw.Model("sweep")
    model.body("body", mass=1.0, shape=shape, material=lw.Material(), inertia=(1, 1, 1), com=(0, 0, 0))
    model.collider("land", "ground", land)
    tables = lw.assemble(model).tables
    work, table = tree_work(tables), make_contacts(tables.colliders.capacity)
    link = int(tables.tree.body_link[0])
    work.pose_R[:] = np.eye(3).ravel()
    work.pose_p[link], work.pose_v[link, 3:] = at, velocity
    after = work.pose_v.copy()
    after[link, 5] -= fall
    scratch = make_contact_scratch(tables.colliders)
    find_contacts(tables.colliders, work, after, np.zeros_like(after), scratch, table, H)
    return table


BOX = lw.Box((1.0, 1.0, 1.0))


def test_a_ball_meets_the_edge_that_is_in_its_way() -> None:
    """It flies along x past the upper edge, its centre 0.05 m above: the normal is that of the moment it touches."""
    ball, height, gap, speed = 0.1, 0.05, 0.3, 100.0
    table = met(lw.Sphere(ball), (-0.5 - ball - gap, 0, 0.5 + height), (speed, 0, 0), BOX)
    assert int(table.count[0]) == 1
    assert table.passing[0] == 0.0
    beside = math.sqrt(ball**2 - height**2)
    normal = table.normal[0] if table.link_a[0] != 0 else -table.normal[0]
    assert normal == pytest.approx((beside / ball, 0, -height / ball), abs=2e-2)
    # so far it may go along the normal
    assert -table.depth[0] == pytest.approx((ball + gap - beside) * beside / ball, abs=2e-3)


@pytest.mark.parametrize("shape", [lw.Sphere(0.1), lw.Box((0.2, 0.2, 0.2)), lw.Cylinder(0.1, 0.2)])
def test_what_misses_passes(shape: Any) -> None:
    """Over the edge with 1 cm to spare: there are contacts, and none of them acts on this motion."""
    table = met(shape, (-0.8, 0, 0.61), (100.0, 0, 0), BOX)
    n = int(table.count[0])
    assert table.passing[:n].tolist() == [1.0] * n


def test_a_bullet_meets_the_near_side_of_a_plate() -> None:
    plate = lw.Box((1e-3, 1, 1))
    for shape in (lw.Sphere(0.01), lw.Box((0.02, 0.02, 0.02)), lw.Capsule(0.01, 0.02), lw.Cylinder(0.01, 0.02)):
        table = met(shape, (-0.5, 0, 0), (1e4, 0, 0), plate)
        n = int(table.count[0])
        assert n > 0
        assert table.passing[:n].tolist() == [0.0] * n
        assert -table.depth[:n] == pytest.approx(np.full(n, 0.5 - 0.01 - 5e-4), rel=1e-6)
        assert np.abs(table.normal[:n, 0]) == pytest.approx(np.ones(n))
        # the point is where it will be, seen from the bullet
        assert table.point[:n, 0] == pytest.approx(np.full(n, -0.49), abs=1e-3)


def test_what_falls_a_little_is_met_at_the_end_of_the_step() -> None:
    """Nearly at rest above a face: only the fall of this step leads to it, and the gap may close."""
    table = met(lw.Box((0.2, 0.2, 0.2)), (0, 0, 0.6 + 5e-4), (0, 0, 0), BOX, fall=0.1)
    assert int(table.count[0]) == 4
    assert not table.passing[:4].any()
    assert table.depth[:4] == pytest.approx(np.full(4, -5e-4))


def test_a_resting_overlap_is_no_side() -> None:
    """A little inside the tile that it slides over, a box meets the next one's upper side, not the side in its way."""
    tile = lw.Box((1.0, 1.0, 1.0), pose=lw.Frame((1.0, 0, -0.5)))
    table = met(lw.Box((0.4, 0.4, 0.2)), (0.29, 0, 0.1 - 5e-5), (3.0, 0, 0), tile, fall=0.1)
    n = int(table.count[0])
    assert n > 0
    assert np.abs(table.normal[:n, 2]) == pytest.approx(np.ones(n))
