"""[MST17, STT17] Which rows a system can have, their names, and the dofs that move its links: always the same."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork.formulations.explicit.recursive import count_q
from linkwork.formulations.impulse.drag_rows import DRAGS
from linkwork.formulations.samples import make_state
from linkwork.mechanics.closure import close_at
from linkwork.mechanics.workspace import tree_work
from linkwork.spatial.codes import ATTITUDE, FREE, SWING, SWING_BACK, SWINGING

# what a row is made of
CUT, REPEATER, LINE, COIL, MOTOR, LIMIT, FRICTION, DRAG, CONTACT, RUBBING, TIE = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
ROUNDING = 1e-22  # of an answer, which is a square: halves that should cancel leave some 1e-16 of themselves


class RowTable(NamedTuple):
    """What stays the same from step to step."""

    dofs: int
    link_run: Any  # (link + 1,) of the runs below: the dofs between a link and the ground, in stretches without gaps
    run_first: Any
    run_last: Any
    rate_cut: Any  # (rate of a cut,) the cut, the measure and the place in it
    rate_measure: Any
    rate_part: Any
    row_cut: Any  # (cut row,) the cut that it belongs to
    coil_dof: Any  # springs and dampers on dofs, which go into the joints' inertias; all others become rows
    code: Any  # (name,) what it is a row of
    element: Any  # (name,) which one: a row of the cuts, a repeater, …; of limits, drags and ties counted by row
    lasting: int  # names below this hold always and both ways
    rubbed: int  # the first name of a joint friction
    dragged: int  # the first name of a drag: they are the last
    names: int
    nothing: float  # a response below this is rounding: the tree holds that row by itself


def row_table(tables: Any) -> RowTable:
    tree, cuts, forces, drives = tables.tree, tables.cuts, tables.forces, tables.drives
    runs = runs_of_links(tree)
    ends = np.array([run for some in runs for run in some], dtype=np.int64).reshape(-1, 2)
    places = []
    for c in range(cuts.cut_a.size):
        for m in range(cuts.cut_measure[c], cuts.cut_measure[c + 1]):
            places += [(c, m, j) for j in range(3 if cuts.measure_kind[m] >= ATTITUDE else 1)]
    rates = np.array(places, dtype=np.int64).reshape(-1, 3)
    nv = tree.dof_link.size
    # a swing or a free joint has no inertia of its own that a damper could be added to
    many = (SWING, SWING_BACK, FREE)
    inside = [c < nv and tree.link_motion[tree.dof_link[c]] not in many for c in forces.coil_coordinate]
    # softness in hertz is reckoned by the mass that a row meets while the lasting ones hold: it comes after them
    lasts = np.isinf(drives.motor_most) & (drives.motor_soft[:, 0] != SWINGING)
    unlimited = [int(e) for e in np.flatnonzero(lasts)]
    limited = [int(e) for e in np.flatnonzero(~lasts)]
    kinds: list[tuple[int, Any]] = [
        (CUT, [e for e, empty in enumerate(empty_rows(tables)) if not empty]),
        (REPEATER, range(drives.repeater_ratio.size)),
        (LINE, range(forces.spring_a.size)),
        (TIE, [3 * s + j for s in range(forces.spring_a.size) if without_length(forces, s) for j in range(3)]),
        (COIL, [s for s, within in enumerate(inside) if not within]),
        (MOTOR, unlimited),
        (MOTOR, limited),
        (LIMIT, range(2 * drives.limit_q.size)),
        (FRICTION, range(drives.friction_most.size)),
        (DRAG, range(3 * DRAGS)),
    ]
    names = [(code, e) for code, elements in kinds for e in elements]
    named = np.array(names, dtype=np.int64).reshape(-1, 2)
    return RowTable(
        dofs=nv,
        link_run=np.cumsum([0, *(len(some) for some in runs)]).astype(np.int64),
        run_first=ends[:, 0].copy(),
        run_last=ends[:, 1].copy(),
        rate_cut=rates[:, 0].copy(),
        rate_measure=rates[:, 1].copy(),
        rate_part=rates[:, 2].copy(),
        row_cut=np.repeat(np.arange(cuts.cut_a.size), np.diff(cuts.cut_row)).astype(np.int64),
        coil_dof=np.array([s for s, within in enumerate(inside) if within], dtype=np.int64),
        code=named[:, 0].copy(),
        element=named[:, 1].copy(),
        lasting=sum(len(elements) for _, elements in kinds[:6]),
        rubbed=len(names) - 3 * DRAGS - drives.friction_most.size,
        dragged=len(names) - 3 * DRAGS,
        names=len(names),
        nothing=ROUNDING * lightest_answer(tree),
    )


def without_length(forces: Any, s: int) -> bool:
    """Whether spring s would pull its ends into one point, where it has no direction: three rows stand for it there."""
    plain = forces.spring_guided[s] == 0 and forces.spring_elastic[s] < 0 and forces.spring_law[s] < 0
    return bool(plain and forces.spring_length[s] == 0.0 and forces.spring_k[s] > 0.0)


def runs_of_links(tree: Any) -> list[list[tuple[int, int]]]:
    """Of every link: first and last + 1 of each run of dofs between it and the ground, from the ground on."""
    runs: list[list[tuple[int, int]]] = [[] for _ in range(tree.grounds)]
    counts = np.bincount(tree.dof_link, minlength=tree.link_parent.size)
    for i in range(tree.grounds, tree.link_parent.size):
        way, k, n = list(runs[int(tree.link_parent[i])]), int(tree.link_v[i]), int(counts[i])
        if n > 0:
            begin = way.pop()[0] if way and way[-1][1] == k else k
            way.append((begin, k + n))
        runs.append(way)
    return runs


def lightest_answer(tree: Any) -> float:
    """What the lightest body, alone, would answer to a unit of force or torque, 1/kg or 1/(kg m2)."""
    masses, moments = tree.link_mass[tree.grounds :], tree.link_I[tree.grounds :, :3].sum(axis=1) / 3.0
    return max(1.0 / float(x[x > 0.0].min()) if (x > 0.0).any() else 0.0 for x in (masses, moments))


def empty_rows(tables: Any) -> Any:
    """(cut row,) True where no motion of the tree ever changes a row: those across a flat linkage.

    A row that vanishes at places drawn at random vanishes everywhere.
    """
    tree, cuts = tables.tree, tables.cuts
    n, nv = cuts.row_kind.size, tree.dof_link.size
    empty = np.ones(n, dtype=bool)
    if n == 0:
        return empty
    work, rng = tree_work(tree), np.random.default_rng(n)
    state = make_state(tables, np.zeros(1), np.zeros(1 + int(cuts.measure_q.max(initial=0)) + 4))
    for _ in range(3):
        q = rng.uniform(-1.0, 1.0, count_q(tree))
        normalize_all(tree, q)
        rows = (np.zeros(n), np.zeros(n), np.zeros((n, 6)), np.zeros((n, nv)), np.zeros((state.cut_rate.size, nv)))
        given = (0.0, np.zeros(16), np.zeros(4))
        close_at(tables, work, given, (q, np.zeros(nv), state.cut_q, state.cut_rate), rows)
        empty &= ~rows[3].any(axis=1)
    return empty


def normalize_all(tree: Any, q: Any) -> None:
    """Quaternions in q to unit length."""
    for i in range(tree.grounds, tree.link_parent.size):
        start = {SWING: 0, SWING_BACK: 0, FREE: 3}.get(int(tree.link_motion[i]))
        if start is not None:
            e = q[tree.link_q[i] + start : tree.link_q[i] + start + 4]
            e /= np.linalg.norm(e)
