"""The impulses of a step solve the clipped problem: every row by itself, with A formed densely in numpy."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.formulations.impulse.rows.rows import ALL_ROWS, BILATERAL_ROWS
from linkwork.formulations.samples import RESIDUAL
from row_products import dense, scene

NEAR = 1e-7  # m/s or rad/s, of rates


def check(sim: lw.Simulation) -> tuple[int, int, int]:
    """How many rows hold, how many are at a bound, and how many contacts slide."""
    rows = sim.workspace.rows
    n = int(rows.count[ALL_ROWS])
    assert sim.state.solver_stats[RESIDUAL] <= 1e-11  # of m g dt
    u, z = dense(sim)
    p = rows.p[:n]
    excess = (u @ z.T) @ p + rows.gamma[:n] * p + rows.rate[:n] - rows.target[:n]
    holds = bound = slides = 0
    for r in range(n):
        if rows.normal_row[r] >= 0:
            continue
        if rows.low[r] < p[r] < rows.high[r]:
            holds += 1
            assert abs(excess[r]) < NEAR
        else:
            bound += 1
            assert excess[r] > -NEAR if p[r] == rows.low[r] else excess[r] < NEAR
        assert r >= rows.count[BILATERAL_ROWS] or (rows.low[r], rows.high[r]) == (-np.inf, np.inf)
        # friction of a contact: the two rows after it
        if r + 2 < n and rows.partner_row[r + 2] == r + 1 and rows.normal_row[r + 1] == r:
            friction, slip = p[r + 1 : r + 3], excess[r + 1 : r + 3]
            most = rows.friction[r + 1] * p[r]
            assert np.linalg.norm(friction) <= most * (1 + 1e-12)
            if np.linalg.norm(friction) < most * (1 - 1e-9):
                assert np.abs(slip).max() < NEAR
            elif most > 0 and np.linalg.norm(slip) > 1e-4:
                slides += 1
                assert friction / most == pytest.approx(-slip / np.linalg.norm(slip), abs=1e-4)
    return holds, bound, slides


@pytest.mark.parametrize(("name", "steps"), [("pile", 110), ("gripper", 1200), ("rover", 40)])
def test_every_row_holds_or_is_at_its_bound(name: str, steps: int) -> None:
    """Contacts with friction: A is not formed, Newton steps come first; loose bodies are islands of their own."""
    sim = scene(name, steps)
    solver = sim.workspace.solver
    assert solver.islands.row_start[1] == 0 if name == "pile" else solver.is_dense[0] == 0
    holds, _, _ = check(sim)
    assert holds > 5


@pytest.mark.parametrize("friction", [0.2, 1.0])
def test_a_box_on_a_slope_slides_or_sticks(friction: float) -> None:
    model = lw.Model("slope", gravity=(4.905, 0, -8.496))
    rough = lw.Material(friction=friction)
    model.plane("floor", material=rough)
    model.free(
        "fall", "ground", model.body("box", shape=lw.Box((1, 1, 0.2)), mass=2.0, position=(0, 0, 0.1), material=rough)
    )
    sim = lw.Simulation(model, lw.Impulse(dt=5e-3, epsilon=1e-13, iterations=5000))
    sim.step(40)
    _, _, slides = check(sim)
    assert (slides > 0) == (friction < 0.5)
    expected = max(0.0, 4.905 - friction * 8.496) * 0.2
    assert sim["box.velocity"][0] == pytest.approx(expected, abs=0.02)


def test_both_solvers_find_the_same_impulses() -> None:
    """Free bodies on a plane: the loop over all rows, and with guesses."""
    found = []
    for solver in ("direct", "sequential"):
        sim = lw.Simulation(
            lw.gallery.pile.build(n=3, kinds=("ball",)),
            lw.Impulse(dt=5e-3, epsilon=1e-14, iterations=20000, solver=solver),
        )
        sim.step(60)
        check(sim)
        found.append(sim.state.y.copy())
    assert found[0] == pytest.approx(found[1], abs=1e-9)
