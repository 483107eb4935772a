"""Responses by halves are those of the whole mass matrix: G M^-1 G^T, on random mechanisms of every joint kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwork as lw
from known_mechanisms import CLOSING, loop_of
from linkwork.simulation.starts.start import Closure
from random_mechanisms import ALL, random_loops, random_tree

ROWS_EACH = tuple(kind for kind in ALL if kind != "ball")  # friction of a ball joint is a torque of one length


def with_friction(model: lw.Model) -> lw.Model:
    """Dry friction in every joint that moves: a row on each of its coordinates."""
    for joint in model.all_joints():
        if joint.nv:
            object.__setattr__(joint, "friction", 0.1)
    return model


def matrix(sim: lw.Simulation) -> Any:
    """A of the start, from the halves, and what each row is of its kind."""
    rows, solver = sim.workspace.rows, sim.workspace.solver
    n = int(rows.count[0])
    return solver.A[:n, :n].copy(), sim.workspace.table.element[rows.id[:n]]


@pytest.mark.parametrize(
    ("kind", "seed"),
    [(kind, 1) for kind in ROWS_EACH if kind != "fixed"] + [("all", seed) for seed in range(8)],
)
def test_joint_impulses_meet_the_inverse_of_the_mass_matrix(kind: str, seed: int) -> None:
    model = random_tree(seed, 6, ROWS_EACH, armature=True) if kind == "all" else random_tree(seed, 3, (kind,))
    sim = lw.Simulation(with_friction(model), lw.Impulse(solver="sequential"))
    A, names = matrix(sim)
    moved = sim.tables.drives.friction_coordinate[names]
    expected = np.linalg.inv(lw.mass_matrix(sim.system, sim.start.q))[np.ix_(moved, moved)]
    assert len(moved) == sim.system.nv
    assert np.abs(A - expected).max() < 1e-10 * np.abs(expected).max()


def rows_and_inverse(sim: lw.Simulation) -> Any:
    """G of the cuts and M^-1, by other ways."""
    closure = Closure(sim.system)
    closure.at(sim.start.q, sim.start.v)
    return closure.G.copy(), np.linalg.inv(lw.mass_matrix(sim.system, sim.start.q))


@pytest.mark.parametrize("kind", CLOSING)
def test_rows_of_a_loop(kind: str) -> None:
    sim = lw.Simulation(loop_of(kind), lw.Impulse(solver="sequential"))
    A, names = matrix(sim)
    G, inverse = rows_and_inverse(sim)
    expected = (G @ inverse @ G.T)[np.ix_(names, names)]
    assert len(names) == sim.system.rows
    assert np.abs(A - expected).max() < 1e-9 * np.abs(expected).max()


@pytest.mark.parametrize("seed", range(6))
def test_rows_of_random_loops(seed: int) -> None:
    model = random_loops(seed, 8, 2)
    sim = lw.Simulation(model, lw.Impulse(solver="sequential"))
    A, names = matrix(sim)
    G, inverse = rows_and_inverse(sim)
    expected = (G @ inverse @ G.T)[np.ix_(names, names)]
    assert np.abs(A - expected).max() < 1e-9 * np.abs(expected).max()


@pytest.mark.parametrize("seed", range(3))
def test_rows_on_free_bodies(seed: int) -> None:
    """In maximal coordinates a joint is rows between two bodies, and their masses are all that answers."""
    model = random_loops(seed, 5, 1)
    sim = lw.Simulation(model, lw.Maximal(solver="sequential"))
    A, names = matrix(sim)
    closure = Closure(sim.moving)
    closure.at(sim.state.y[: sim.moving.nq], np.zeros(sim.moving.nv))
    M = lw.mass_matrix(sim.moving, sim.state.y[: sim.moving.nq])
    expected = (closure.G @ np.linalg.inv(M) @ closure.G.T)[np.ix_(names, names)]
    assert np.abs(A - expected).max() < 1e-9 * np.abs(expected).max()


def test_what_moves_nothing_is_no_row() -> None:
    """Of the 15 rows of a flat linkage nine lie across it: no joint can move that way."""
    sim = lw.Simulation(lw.gallery.peaucellier.build(drive="motor"), lw.Impulse())
    assert sim.workspace.rows.count[0] == 6 + 1
    assert sim.workspace.solver.rank[0] == 6 + 1
