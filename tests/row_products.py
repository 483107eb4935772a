"""One way into the products of rows: tests share it, so that it is compiled once. And the rows as dense matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

import linkwork as lw
from linkwork._jit import entry
from linkwork.formulations.impulse.rows.row_algebra import (
    add_impulses,
    contact_rate_changes,
    has_friction,
    rate_change,
    response,
)
from linkwork.formulations.impulse.rows.rows import ALL_ROWS


@entry
def products(rows, p, A, x, change, three):  # type: ignore[no-untyped-def]
    """All responses; joint impulses x of p; rates that they change, and those of contacts three at a time."""
    n = rows.count[ALL_ROWS]
    for r in range(n):
        for s in range(n):
            A[r, s] = response(rows, r, s)
    add_impulses(rows, n, p, x)
    for r in range(n):
        change[r] = rate_change(rows, r, x)
        if has_friction(rows, r, n):
            three[r], three[r + 1], three[r + 2] = contact_rate_changes(rows, r, x)


def dense(sim: lw.Simulation) -> tuple[Any, Any]:
    """The halves u and z of the rows of the last step, (row, dof) each."""
    rows = sim.workspace.rows
    n, nv = int(rows.count[ALL_ROWS]), sim.workspace.v_next.size
    u, z = np.zeros((n, nv)), np.zeros((n, nv))
    for r in range(n):
        begin = 0
        for k in range(int(rows.spans[r])):
            first, length = int(rows.span_first[r, k]), int(rows.span_length[r, k])
            u[r, first : first + length] = rows.u[r, begin : begin + length]
            z[r, first : first + length] = rows.z[r, begin : begin + length]
            begin += length
    return u, z


def scene(name: str, steps: int, **options: Any) -> lw.Simulation:
    """A gallery piece after so many steps, its last one with impulses as exact as they get."""
    made = {"pile": lambda: lw.gallery.pile.build(n=8), "gripper": lw.gallery.gripper.build}
    model = made.get(name, lw.gallery.rover.build)()
    dt = 2e-3 if name == "gripper" else 5e-3
    sim = lw.Simulation(model, lw.Impulse(dt=dt, epsilon=1e-11, iterations=5000, **options))
    sim.step(steps)
    return sim
