"""Inner edges: what a neighbour covers is not met; free sides, real edges and corners between walls are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.contact.in_time.inner_edges import is_inner
from linkwork.contact.in_time.time_of_impact import place_collider
from linkwork.contact.scratch import make_contact_scratch
from linkwork.mechanics.tree.workspace import tree_work

TOUCH = 1e-4
TILES = [lw.Box((1, 1, 0.2), pose=lw.Frame((x, 0, -0.1))) for x in (0.0, 1.0)]
LEFT, UP = (-1.0, 0.0, 0.0), (0.0, 0.0, 1.0)


def inner(shapes: list[Any], j: int, x: Any, n: Any) -> bool:
    """Whether the contact at x of shape j of the ground, n out of it, is left out."""
    model = lw.Model("ground")
    for k, shape in enumerate(shapes):
        model.collider(f"shape {k}", "ground", shape)
    model.body("ball", mass=1.0, shape=lw.Sphere(0.1), position=(0, 0, 1), material=lw.Material())
    tables = lw.assemble(model).tables
    order = [k for k in range(tables.colliders.link.size) if tables.colliders.link[k] == 0]
    work, scratch = tree_work(tables), make_contact_scratch(tables.colliders)
    work.pose_R[:] = np.eye(3).ravel()
    for k in order:
        place_collider(tables.colliders, work, work.pose_v, scratch, k, 0.0)
    return bool(is_inner(tables.colliders, scratch, order[j], tuple(map(float, x)), n, TOUCH, True))


def test_neighbours_are_those_that_touch() -> None:
    model = lw.Model("row")
    for k in range(4):
        model.collider(f"tile {k}", "ground", lw.Box((1, 1, 0.2), pose=lw.Frame((float(k), 0, 0))))
    model.body("ball", mass=1.0, shape=lw.Sphere(0.1), position=(0, 0, 1), material=lw.Material())
    colliders = lw.assemble(model).tables.colliders
    start = colliders.adjacent_start
    found = [colliders.adjacent[start[k] : start[k + 1]].tolist() for k in range(5) if colliders.link[k] == 0]
    found = [[k - min(map(min, found)) for k in members] for members in found]
    assert found == [[1], [0, 2], [1, 3], [2]]


def test_bodies_that_fixed_joints_hold_together_are_neighbours_and_do_not_meet() -> None:
    model = lw.Model("row")
    model.collider("first", "ground", lw.Box((1, 1, 0.2)))
    for k in range(1, 4):
        at = {"position": (float(k), 0, 0), "rotation": (1, 0, 0, k)}
        body = model.body(f"tile {k}", mass=1.0, shape=lw.Box((1, 1, 0.2)), material=lw.Material(), **at)
        model.fixed(f"weld {k}", "ground" if k == 1 else f"tile {k - 1}", body)
    model.body("loose", mass=1.0, shape=lw.Box((1, 1, 0.2)), position=(4, 0, 0), material=lw.Material())
    for absolute in (False, True):
        colliders = lw.assemble(model, absolute=absolute).tables.colliders
        assert sorted(colliders.link.tolist()) == [0, 1, 2, 3, 4]
        start, at = colliders.adjacent_start, {int(link): k for k, link in enumerate(colliders.link)}
        found = [
            sorted(int(colliders.link[e]) for e in colliders.adjacent[start[at[k]] : start[at[k] + 1]])
            for k in range(5)
        ]
        assert found == [[1], [0, 2], [1, 3], [2], []]
        assert [colliders.can_collide[at[a], at[4]] for a in range(4)] == [1, 1, 1, 1]
        assert not any(colliders.can_collide[at[a], at[b]] for a in range(4) for b in range(4))


def test_the_side_between_two_tiles_is_covered() -> None:
    assert inner(TILES, 1, (0.5, 0.1, -5e-5), LEFT)
    assert not inner(TILES[1:], 0, (0.5, 0.1, -5e-5), LEFT)  # without the neighbour it is a side
    assert not inner(TILES, 0, (-0.5, 0.1, -5e-5), LEFT)  # the outer side


def test_the_edge_between_two_tiles_has_no_slanted_normals() -> None:
    lean = (-math.sin(0.05), 0.0, math.cos(0.05))
    assert inner(TILES, 1, (0.5, 0.1, 0.0), lean)
    assert not inner(TILES, 1, (0.5, 0.1, 0.0), UP)
    assert not inner(TILES, 0, (-0.5, 0.1, 0.0), (-math.sin(0.7), 0.0, math.cos(0.7)))


@pytest.mark.parametrize("step", [5e-4, 2e-2])
def test_a_step_between_tiles_is_met(step: float) -> None:
    higher = lw.Box((1, 1, 0.2), pose=lw.Frame((1.0, 0, step - 0.1)))
    assert not inner([TILES[0], higher], 1, (0.5, 0.1, 0.5 * step), LEFT)


def test_floor_and_wall_are_both_met_in_their_corner() -> None:
    wall = lw.Box((0.2, 1, 1), pose=lw.Frame((0.4, 0, 0.5)))
    both = [TILES[0], wall]
    assert not inner(both, 0, (0.3, 0.1, 0.0), UP)
    assert not inner(both, 1, (0.3, 0.1, 0.0), LEFT)
