"""Eight test impulses on a link at once are those one by one."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork._jit import entry
from linkwork.gallery import gripper, kuka, rover
from linkwork.mechanics.tree.impulse_lanes import carry_together
from linkwork.mechanics.tree.impulses import apply_test_wrench, carry_inward
from linkwork.spatial.vectors import load_pair


@entry
def together(tree, work, q, path, i, wrench, r, count, amount):  # type: ignore
    carry_together(tree, work, q, path, i, wrench, r, count, amount)


@entry
def one_by_one(tree, work, q, path, i, wrench, r, amount):  # type: ignore
    n, f = load_pair(wrench, r)
    apply_test_wrench(tree, work, path, 0, i, n, f, amount)
    carry_inward(tree, work, q, path, 1)


@pytest.mark.parametrize("piece", [gripper, kuka, rover])
@pytest.mark.parametrize("compiled", [True, False])
def test_the_same_impulses(piece, compiled: bool) -> None:
    sim = lw.Simulation(piece.build(), lw.Impulse(dt=1e-3))
    sim.step(3)
    w, q = sim.workspace, sim.state.y
    tree = w.tables.tree
    wrench = np.random.default_rng(1).normal(size=(9, 6))
    call = together if compiled else together.py_func
    for i in range(tree.grounds, tree.link_parent.size):
        for count in (8, 3):
            w.path.u[:], w.path.z[:] = 0.0, 0.0
            call(tree, w.tree, q, w.path, i, wrench, 9 - count, count, -1.0)
            u, z = w.path.u.copy(), w.path.z.copy()
            for e in range(count):
                w.path.u[:], w.path.z[:] = 0.0, 0.0
                one_by_one(tree, w.tree, q, w.path, i, wrench, 9 - count + e, -1.0)
                assert u[e] == pytest.approx(w.path.u[0], rel=1e-9, abs=1e-11)
                assert z[e] == pytest.approx(w.path.z[0], rel=1e-9, abs=1e-11 * np.abs(z).max())
