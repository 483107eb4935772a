"""Which rows a system can have: dofs that move a link, ids in their order."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.formulations.impulse.rows.row_table import (
    CUT,
    DRAG,
    DRAGS,
    JOINT_FRICTION,
    LIMIT,
    MOTOR,
    POINT_SPRING,
    empty_rows,
    lightest_body_response,
    row_table,
    spans_of_links,
)
from random_mechanisms import ALL, random_tree


@pytest.mark.parametrize("seed", range(5))
def test_spans_are_the_dofs_between_a_link_and_the_ground(seed: int) -> None:
    tree = lw.assemble(random_tree(seed, 8, ALL)).tables.tree
    spans = spans_of_links(tree)
    for i in range(tree.link_parent.size):
        moved, link = set(), i
        while link >= tree.grounds:
            moved |= set(np.flatnonzero(tree.dof_link == link).tolist())
            link = int(tree.link_parent[link])
        assert {k for first, last in spans[i] for k in range(first, last)} == moved
        assert sum(last - first for first, last in spans[i]) == len(moved)


def loop() -> lw.Model:
    """A four-bar with a motor of limited torque, stops, friction and a spring of no length."""
    model = lw.Model("loop")
    bars = [model.body(f"bar {k}", mass=1.0, inertia=(0.1, 0.1, 0.1)) for k in range(3)]
    model.revolute("a", "ground", bars[0], at=(0, 0, 0), axis=(0, 1, 0), limits=(-1, 1), friction=0.1)
    model.revolute("b", bars[0], bars[1], at=(0, 0, 1), axis=(0, 1, 0))
    model.revolute("c", bars[1], bars[2], at=(1, 0, 1), axis=(0, 1, 0))
    model.revolute("d", bars[2], "ground", at=(1, 0, 0), axis=(0, 1, 0))
    model.motor("drive", "a", velocity=1.0, max_torque=5.0)
    model.motor("turn", "b", velocity=0.0)
    model.spring("tie", bars[1], "ground", stiffness=10.0, length=0.0)
    return model


def test_bilateral_rows_come_first_and_drags_last() -> None:
    tables = lw.assemble(loop()).tables
    table = row_table(tables)
    codes = table.code.tolist()
    first = set(codes[: table.bilateral_ids])
    assert {CUT, POINT_SPRING, MOTOR} <= first
    assert not first & {LIMIT, JOINT_FRICTION, DRAG}
    assert codes[table.first_friction] == JOINT_FRICTION
    assert codes[table.first_drag :] == [DRAG] * (3 * DRAGS)
    assert table.id_count == len(codes)
    assert codes.count(MOTOR) == 2
    assert codes[: table.bilateral_ids].count(MOTOR) == 1  # the other has a limit
    assert table.element[np.array(codes) == POINT_SPRING].tolist() == [0, 1, 2]
    # of the five rows that close a planar loop three are perpendicular to its plane
    assert int(empty_rows(tables).sum()) == 3
    assert codes.count(CUT) == 2


def test_the_lightest_body_bounds_responses() -> None:
    model = lw.Model("two")
    for k, mass in enumerate((2.0, 0.5)):
        model.free(f"free {k}", "ground", model.body(f"body {k}", mass=mass, inertia=(0.1, 0.2, 0.3)))
    assert lightest_body_response(lw.assemble(model).tables.tree) == pytest.approx(1 / 0.2)
