"""Loops in joint coordinates against dense numpy: multipliers, rank, redundant rows, post-stabilisation."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from known_mechanisms import CLOSING, four_bar, loop_of
from linkwork.formulations.explicit.loops import RANK_LARGEST, RANK_NOW
from linkwork.formulations.explicit.recursive import run
from linkwork.formulations.samples import GAP, RANK, make_samples, make_state
from linkwork.formulations.status import TORN, TORN_APART


def two_hinged_door():
    """A door on two hinges of one line: the second one adds five rows that the first has already, but for one."""
    model = lw.Model("door")
    door = model.body("door", mass=10.0, inertia=(1.0, 2.0, 3.0), com=(0.5, 0.1, 0.3))
    model.revolute("low", model.ground, door, at=(0, 0, 0), axis=(0, 0, 1))
    model.revolute("high", model.ground, door, at=(0, 0, 1), axis=(0, 0, 1), cut=True)
    return model


MODELS = {kind: lambda kind=kind: loop_of(kind, cut="joint 0") for kind in CLOSING}
MODELS |= {"four bar": four_bar, "door": two_hinged_door}
REDUNDANT = {"four bar": 2, "door": 0}  # independent rows of those that have dependent ones


def settled(model, move=0.0, may_tear=False, **options):
    """The first evaluation at a random state: system, workspace, state, and q and v before it."""
    system = lw.assemble(model)
    method = lw.Recursive(**options)
    workspace = method.prepare(system.tables)
    rng = np.random.default_rng(3)
    start = lw.Simulation(model, method=method)
    q = lw.integrate(system, start.q, rng.normal(size=system.nv), move)
    v = np.asarray(start.v) + rng.normal(size=system.nv)
    state = make_state(system.tables, np.concatenate([q, v, [0.0, 0.0]]), system.cut_start)
    done = run(system.tables, workspace, state, 0.0, -1, 1e-3, 1, 1, make_samples(state, 1))
    assert done == (1, 1, 0) or (may_tear and done[2] == TORN)
    return system, workspace, state, q, v


def least_norm(A, b):
    """Solution of A x = b of least norm, rows scaled to a unit diagonal; rows without a diagonal are none."""
    d = np.diag(A)
    scale = np.where(d > 1e-18 * d.max(initial=0.0), 1.0 / np.sqrt(np.where(d > 0.0, d, 1.0)), 0.0)
    x: np.ndarray = scale * (np.linalg.pinv(scale[:, None] * A * scale, rcond=1e-9, hermitian=True) @ (scale * b))
    return x


@pytest.mark.parametrize("name", MODELS)
def test_multipliers(name):
    system, workspace, state, q, v = settled(MODELS[name](), stabilize=False)
    loops = workspace.loops
    inverse = np.linalg.inv(lw.mass_matrix(system, q))
    assert pytest.approx(loops.G @ inverse, abs=1e-9 * np.abs(loops.Y).max(initial=1e-9)) == loops.Y
    A = loops.G @ inverse @ loops.G.T
    assert pytest.approx(A, abs=1e-9 * np.abs(A).max(initial=1e-9)) == loops.A
    rank = np.linalg.matrix_rank(A, tol=1e-9 * np.abs(A).max(initial=1e-300), hermitian=True)
    assert loops.rank[RANK_NOW] == loops.rank[RANK_LARGEST] == state.count[RANK] == rank
    assert rank == REDUNDANT.get(name, len(A))
    # gdd is what the rows would do without multipliers
    assert loops.lam == pytest.approx(-least_norm(A, loops.gdd), rel=1e-7, abs=1e-9)
    # equations of motion: what the tree lacks is what the rows give
    lacking = lw.inverse_dynamics(system, q, v, state.vd, loops="open")
    assert lacking == pytest.approx(loops.G.T @ loops.lam, abs=1e-8 * max(1.0, np.abs(lacking).max()))
    assert loops.gdd + A @ loops.lam == pytest.approx(np.zeros(len(A)), abs=1e-8 * np.abs(loops.gdd).max(initial=1.0))


@pytest.mark.parametrize("name", MODELS)
def test_the_least_change_by_mass_closes_the_loops(name):
    """(2.39): q and v change by M^-1 G^T (G M^-1 G^T)^+ times the gap and its rate."""
    system, _, state, q, v = settled(MODELS[name](), move=1e-4, stabilize=True)
    _, open_workspace, open_state, _, _ = settled(MODELS[name](), move=1e-4, stabilize=False)
    before = open_workspace.loops
    A = before.G @ np.linalg.inv(lw.mass_matrix(system, q)) @ before.G.T
    gap, rate = before.g.copy(), before.G @ v
    moved, slowed = (before.Y.T @ least_norm(A, x) for x in (gap, rate))
    assert state.y[: system.nq] == pytest.approx(lw.integrate(system, q, -moved, 1.0), abs=1e-11)
    assert state.y[system.nq :][: system.nv] == pytest.approx(v - slowed, abs=1e-8)
    assert before.G @ state.y[system.nq :][: system.nv] == pytest.approx(np.zeros(len(A)), abs=1e-8)
    # Newton's iteration: what is left is of second order
    again = make_state(system.tables, state.y, open_state.cut_q)
    run(system.tables, open_workspace, again, 0.0, -1, 1e-3, 1, 1, make_samples(again, 1))
    assert np.abs(before.g).max(initial=0.0) <= 0.01 * np.abs(gap).max(initial=0.0)


@pytest.mark.parametrize(("move", "torn"), [(0.01, False), (0.3, True)])
def test_the_gap_of_a_loop_torn_open_is_measured_again(move, torn):
    """The state's gap is the one before the stabilisation; of a loop that was torn open it is the one after it."""
    _, workspace, state, _, _ = settled(four_bar(), move=move, stabilize=True)
    _, open_workspace, _, _, _ = settled(four_bar(), move=move, stabilize=False, may_tear=True)
    before, after = (np.abs(w.loops.g / w.loops.unit).max() for w in (open_workspace, workspace))
    assert (before > TORN_APART) == torn
    assert state.drift[GAP] == pytest.approx(after if torn else before)
    assert (after < 0.9 * before) == torn
