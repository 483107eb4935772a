"""[MST17, STT17] Which rows a system can have, their ids, and the dofs that move its links: made once for a system."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import small
from linkwork.formulations.samples import make_state
from linkwork.mechanics.counts import count_cut_q, count_q
from linkwork.mechanics.forces.laws import law_scratch
from linkwork.mechanics.rows.closure import close_at
from linkwork.mechanics.tree.workspace import tree_work
from linkwork.spatial.codes import ATTITUDE, FREE, SWING, SWING_BACK, SWINGING

# kinds of rows: `RowTable.code`, `RowWork.code`
CUT, COUPLING, LINE_SPRING, COIL_SPRING, MOTOR, LIMIT, JOINT_FRICTION, DRAG = range(8)
CONTACT, CONTACT_FRICTION, POINT_SPRING, BUSHING, PLAY, CONE, BALL_FRICTION, CONTACT_MOMENT = range(8, 16)
CONE_SIDES = 4  # of a cone: swing, lower and upper twist, whole turn
DRAGS = 4  # bodies that can be dragged at once
ROUNDING = 1e-22  # of a response, which is a square: halves that should cancel leave some 1e-16 of themselves


class RowTable(NamedTuple):
    """Which rows a system can have. Written once by `row_table`, read by all kernels.

    A row has an id, a number that stays from step to step: first those of bilateral rows, which hold always and both
    ways, then those of clipped ones; ids from `id_count` on are contacts, three to each, and then their torques against
    rolling and turning, three to each.
    """

    dofs: int
    link_span: Any  # (link + 1,) where its spans begin: dofs between a link and the ground, in stretches without gaps
    span_first: Any  # (span,) first dof
    span_last: Any  # (span,) last dof + 1
    rate_cut: Any  # (rate of a cut,) the cut
    rate_measure: Any  # (rate of a cut,) the measure of the cut
    rate_component: Any  # (rate of a cut,) the component of the measure
    row_cut: Any  # (cut row,) the cut that it belongs to
    coil_dof: Any  # (spring,) springs and dampers on dofs, which go into the joints' inertias; all others become rows
    code: Any  # (id,) its kind
    element: Any  # (id,) which one: limits and play 2 e + side, bushings 6 e + i; see below
    #             drags, point springs and ball frictions 3 e + axis, cones 4 e + side
    bilateral_ids: int  # ids below this are bilateral rows
    first_friction: int  # id of the first joint friction
    first_drag: int  # id of the first drag: they are the last
    id_count: int
    least_response: float  # 1/kg or 1/(kg m2): a response below this is rounding, the tree holds that row by itself


def row_table(tables: Any) -> RowTable:
    """Number all rows that the tables of a system can make."""
    tree, cuts, forces, drives = tables.tree, tables.cuts, tables.forces, tables.drives
    spans = spans_of_links(tree)
    ends = np.array([span for some in spans for span in some], dtype=np.int64).reshape(-1, 2)
    places = []
    for c in range(cuts.cut_a.size):
        for m in range(cuts.cut_measure[c], cuts.cut_measure[c + 1]):
            places += [(c, m, j) for j in range(3 if cuts.measure_kind[m] >= ATTITUDE else 1)]
    rates = np.array(places, dtype=np.int64).reshape(-1, 3)
    nv, couplings = tree.dof_link.size, cuts.coupling_law.size
    # a ball or free joint has no inertia of its own that a damper could be added to
    several = (SWING, SWING_BACK, FREE)
    inside = [c < nv and tree.link_motion[tree.dof_link[c]] not in several for c in forces.coil_coordinate]
    # softness in hertz refers to the effective mass while the bilateral rows hold: such a row comes after them
    lasts = np.isinf(drives.motor_most) & (drives.motor_soft[:, 0] != SWINGING)
    unlimited = [int(e) for e in np.flatnonzero(lasts)]
    limited = [int(e) for e in np.flatnonzero(~lasts)]
    kinds: list[tuple[int, Any]] = [
        (CUT, [e for e, empty in enumerate(empty_rows(tables)[: cuts.row_kind.size - couplings]) if not empty]),
        (COUPLING, np.flatnonzero(cuts.coupling_play == 0.0).tolist()),
        (LINE_SPRING, range(forces.spring_a.size)),
        (
            POINT_SPRING,
            [3 * s + j for s in range(forces.spring_a.size) if is_point_spring(forces, s) for j in range(3)],
        ),
        (BUSHING, np.flatnonzero((forces.bushing_k > 0.0) | (forces.bushing_c > 0.0)).tolist()),
        (COIL_SPRING, [s for s, within in enumerate(inside) if not within]),
        (MOTOR, unlimited),
        (MOTOR, limited),
        (LIMIT, range(2 * drives.limit_q.size)),
        (PLAY, [2 * int(e) + side for e in np.flatnonzero(cuts.coupling_play) for side in range(2)]),
        (CONE, cone_sides(drives)),
        (BALL_FRICTION, range(3 * drives.ball_friction_most.size)),
        (JOINT_FRICTION, range(drives.friction_most.size)),
        (DRAG, range(3 * DRAGS)),
    ]
    ids = [(code, e) for code, elements in kinds for e in elements]
    numbered = np.array(ids, dtype=np.int64).reshape(-1, 2)
    return RowTable(
        dofs=nv,
        link_span=np.cumsum([0, *(len(some) for some in spans)]).astype(np.int64),
        span_first=ends[:, 0].copy(),
        span_last=ends[:, 1].copy(),
        rate_cut=rates[:, 0].copy(),
        rate_measure=rates[:, 1].copy(),
        rate_component=rates[:, 2].copy(),
        row_cut=np.repeat(np.arange(cuts.side_link.shape[0]), np.diff(cuts.cut_row)).astype(np.int64),
        coil_dof=np.array([s for s, within in enumerate(inside) if within], dtype=np.int64),
        code=numbered[:, 0].copy(),
        element=numbered[:, 1].copy(),
        bilateral_ids=sum(len(elements) for _, elements in kinds[:7]),
        first_friction=len(ids) - 3 * DRAGS - drives.friction_most.size,
        first_drag=len(ids) - 3 * DRAGS,
        id_count=len(ids),
        least_response=ROUNDING * lightest_body_response(tree),
    )


@small
def is_spring(code):
    """Whether a row is a spring or damper of the model, whose load follows from the state."""
    return code == LINE_SPRING or code == COIL_SPRING or code == POINT_SPRING or code == BUSHING


def cone_sides(drives: Any) -> list[int]:
    """Elements of the cones: CONE_SIDES e + side, of those that have a bound."""
    bounds = np.stack([drives.cone_swing, drives.cone_low, drives.cone_high, drives.cone_turn], axis=1)
    return [int(e) for e in np.flatnonzero(np.isfinite(bounds).ravel())]


def is_point_spring(forces: Any, s: int) -> bool:
    """Whether spring s is unloaded at zero length, where it has no direction: three rows replace it there."""
    plain = forces.spring_guided[s] == 0 and forces.spring_elastic[s] < 0 and forces.spring_law[s] < 0
    return bool(plain and forces.spring_length[s] == 0.0 and forces.spring_k[s] > 0.0)


def spans_of_links(tree: Any) -> list[list[tuple[int, int]]]:
    """Of every link: first and last + 1 of each span of dofs between it and the ground, from the ground on."""
    spans: list[list[tuple[int, int]]] = [[] for _ in range(tree.grounds)]
    counts = np.bincount(tree.dof_link, minlength=tree.link_parent.size)
    for i in range(tree.grounds, tree.link_parent.size):
        path, k, n = list(spans[int(tree.link_parent[i])]), int(tree.link_v[i]), int(counts[i])
        if n > 0:
            begin = path.pop()[0] if path and path[-1][1] == k else k
            path.append((begin, k + n))
        spans.append(path)
    return spans


def lightest_body_response(tree: Any) -> float:
    """Response of the lightest body, alone, to a unit of force or torque, 1/kg or 1/(kg m2)."""
    masses, moments = tree.link_mass[tree.grounds :], tree.link_I[tree.grounds :, :3].sum(axis=1) / 3.0
    return max(1.0 / float(x[x > 0.0].min()) if (x > 0.0).any() else 0.0 for x in (masses, moments))


def empty_rows(tables: Any) -> Any:
    """(cut row,) True where no motion of the tree changes a row: those perpendicular to a planar linkage.

    A row that vanishes at random positions vanishes everywhere.
    """
    tree, cuts = tables.tree, tables.cuts
    n, nv = cuts.row_kind.size, tree.dof_link.size
    empty = np.ones(n, dtype=bool)
    if n == 0:
        return empty
    work, rng = tree_work(tables), np.random.default_rng(n)
    state = make_state(tables, np.zeros(1), np.zeros(count_cut_q(cuts) + 4))
    for _ in range(3):
        q = rng.uniform(-1.0, 1.0, count_q(tree))
        normalize_quaternions(tree, q)
        rows = (np.zeros(n), np.zeros(n), np.zeros((n, 6)), np.zeros((n, nv)), np.zeros((state.cut_rate.size, nv)))
        given = (0.0, law_scratch(tables.laws), np.zeros(4))
        close_at(tables, work, given, (q, np.zeros(nv), state.cut_q, state.cut_rate), rows)
        empty &= ~rows[3].any(axis=1)
    return empty


def normalize_quaternions(tree: Any, q: Any) -> None:
    """Scale the quaternions in q to unit length."""
    for i in range(tree.grounds, tree.link_parent.size):
        start = {SWING: 0, SWING_BACK: 0, FREE: 3}.get(int(tree.link_motion[i]))
        if start is not None:
            e = q[tree.link_q[i] + start : tree.link_q[i] + start + 4]
            e /= np.linalg.norm(e)
