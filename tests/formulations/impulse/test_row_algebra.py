"""Products with the halves of the rows, against the same rows as dense matrices."""

from __future__ import annotations

import numpy as np
import pytest

from linkwork.formulations.impulse.rows.row_table import CONTACT
from linkwork.formulations.impulse.rows.rows import ALL_ROWS
from row_products import dense, products, scene


@pytest.mark.parametrize(("name", "steps"), [("pile", 110), ("gripper", 5), ("rover", 40)])
def test_products_are_those_of_dense_matrices(name: str, steps: int) -> None:
    sim = scene(name, steps)
    rows = sim.workspace.rows
    n, nv = int(rows.count[ALL_ROWS]), sim.workspace.v_next.size
    assert n > 10
    u, z = dense(sim)
    A, x, change, three = np.zeros((n, n)), np.zeros(nv), np.zeros(n), np.full(n, np.nan)
    p = np.zeros(rows.p.size)
    p[:n] = np.random.default_rng(0).normal(size=n)
    products(rows, p, A, x, change, three)
    size = np.abs(A).max()
    assert np.abs(A - u @ z.T).max() < 1e-12 * size
    assert np.abs(A - A.T).max() < 1e-9 * size
    assert np.linalg.eigvalsh((A + A.T) / 2).min() > -1e-9 * size
    assert np.diag(A) == pytest.approx(rows.diagonal[:n], rel=1e-12)
    assert x == pytest.approx(u.T @ p[:n], abs=1e-12 * np.abs(u).max() * n)
    assert change == pytest.approx(A @ p[:n], abs=1e-9 * size)
    asked = ~np.isnan(three)
    assert asked.any() == (CONTACT in rows.code[:n])
    assert three[asked] == pytest.approx(change[asked], abs=1e-12 * size)
