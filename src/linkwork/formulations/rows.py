"""[MST17, STT17] One table for all that impulses enforce: each constraint is a row, soft or rigid, clipped or not.

    G v + gamma p = want        low <= p <= high        p   impulse of the row
    rate    G v of the row before impulses, v = v(t) + dt v̇ (7)      old   its rate at the start of the step
    shift   the rate that would close the row's gap within the step: what pseudo impulses enforce
    u z     halves of the row's response (mechanics.impulses): A_rs = u_r . z_s, the diagonal is 1 / m_eff of (4)

A step makes its rows anew: those that hold always and both ways (cuts, repeaters, springs, unlimited motors) come
first, `count[1]` of them, so that they can be factored as one block; the clipped ones follow. A row that moves nothing
is left out (step 5 of the algorithm). Every row has a `name`, a number that stays the same from step to step, under
which its impulse is kept to start the next step from; names beyond `table.names` are contacts, three to each. What
the rows of each kind say is in row_kinds.py; this is the table, and what all rows have in common.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel, small
from linkwork.formulations.record import make_state
from linkwork.formulations.recursive import count_q
from linkwork.mechanics.closure import close_at
from linkwork.mechanics.impulses import HANDS, carry_inward, carry_three, hold_dof, hold_link, rate_along
from linkwork.mechanics.parts import cut_frames, measure_wrench
from linkwork.mechanics.workspace import tree_work
from linkwork.spatial.codes import ATTITUDE, FREE, SPRING, SWING, SWING_BACK, SWINGING
from linkwork.spatial.vectors import load_pair

# what a row is made of
CUT, REPEATER, LINE, COIL, MOTOR, LIMIT, FRICTION, DRAG, CONTACT, RUBBING, TIE = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
SOFTNESS, BRAKE = 1, 2
DRAGS = 4  # bodies that can be dragged at once
BRAKING = 0.5  # part of a servo's torque that it may count on for stopping
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


class RowWork(NamedTuple):
    """The rows of the present step, and impulses kept for the next."""

    count: Any  # (2,) rows, and those of them that hold always and both ways
    code: Any  # (row,)
    name: Any
    runs: Any  # (row,) runs of dofs that it moves, one after the other in u and z
    first: Any  # (row, run) dof
    length: Any  # (row, run)
    u: Any  # (row, width)
    z: Any
    # what it holds: two links, or one coordinate, or two (a dof, or from nv on a rate of a cut, as in the tables)
    ends: Any  # (row, 2) links a and b, or -1
    wrench: Any  # (row, 6) on b, torque about the world's origin
    coordinate: Any  # (row, 2) or -1
    amount: Any  # (row, 2) change of the row with the coordinate
    rate: Any
    old: Any
    want: Any
    gamma: Any
    waste: Any  # N s/m or N m s/rad: the damper of a soft row; before that is known, the least A_rr it is reckoned by
    later: Any  # (row,) what waits for the row's effective mass: SOFTNESS, BRAKE or 0
    pending: Any  # (row, 5) softness, gap, pace; or torque, how far behind, pace; of springs: see `stretch_line`
    low: Any
    high: Any
    shift: Any
    shift_low: Any
    shift_high: Any
    normal: Any  # row whose impulse bounds this one's, or -1
    partner: Any  # the other row of the same friction, or -1
    friction: Any  # coefficient
    diagonal: Any  # A_rr
    p: Any
    pseudo: Any
    kept: Any  # (name,) impulses of the last step
    sliding: Any  # (friction,) impulses of joints that slide on: see sliding.py
    stops: Any  # (limit, lower and upper in turn) 1 where one is a row
    offset: Any  # (repeater,) what the follower is ahead at the start; nan before
    gap: Any  # (cut row,)
    cut_wrench: Any  # (cut row, 6)
    cut_load: Any  # (cut row,) multipliers of the last step, N or N m


class Drags(NamedTuple):
    """Springs that pull points of bodies to points in the world."""

    link: Any  # (drag,) -1 where there is none
    point: Any  # (drag, 3) in the link
    goal: Any  # (drag, 3) world
    soft: Any  # (drag, 3)
    most: Any  # (drag,) N
    least: Any  # (drag,) 1/kg: softness in hertz is reckoned by no heavier a mass, where joints hardly give way


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


def row_work(tables: Any, table: RowTable, contacts: int) -> RowWork:
    """Room for all rows that there could be."""
    n = table.names + 3 * contacts
    holds = HANDS if tables.drives.repeater_ratio.size else 2
    counts = [[last - first for first, last in way] for way in runs_of_links(tables.tree)]
    width = max(1, sum(sorted(map(sum, counts))[-holds:]))
    runs = max(1, sum(sorted(map(len, counts))[-holds:]))
    whole = {"code", "name", "runs", "first", "length", "ends", "coordinate", "later", "normal", "partner"}
    wide = {"first": runs, "length": runs, "u": width, "z": width, "wrench": 6, "pending": 5}
    wide |= {"ends": 2, "coordinate": 2, "amount": 2}
    own: dict[str, Any] = {
        "count": np.zeros(2, dtype=np.int64),
        "kept": np.zeros(table.names),
        "sliding": np.zeros(tables.drives.friction_most.size),
        "stops": np.zeros(2 * tables.drives.limit_q.size),
        "offset": np.full(tables.drives.repeater_ratio.size, np.nan),
        "gap": np.zeros(tables.cuts.row_kind.size),
        "cut_wrench": np.zeros((tables.cuts.row_kind.size, 6)),
        "cut_load": np.zeros(tables.cuts.row_kind.size),
    }
    for name in RowWork._fields:
        if name not in own:
            shape = (n, wide[name]) if name in wide else (n,)
            own[name] = np.zeros(shape, dtype=np.int64 if name in whole else np.float64)
    return RowWork(**own)


@kernel
def dragging(drags):
    """Whether a body is dragged."""
    for e in range(drags.link.size):
        if drags.link[e] >= 0:
            return True
    return False


def make_drags() -> Drags:
    return Drags(
        np.full(DRAGS, -1, dtype=np.int64),
        np.zeros((DRAGS, 3)),
        np.zeros((DRAGS, 3)),
        np.zeros((DRAGS, 3)),
        np.zeros(DRAGS),
        np.zeros(DRAGS),
    )


# ---- a row, from its first number to its response --------------------------------------------------------------------


@kernel
def open_row(rows, r, code, name):
    """Row r anew: rigid, unbounded, and no part of the position problem, until somebody says otherwise."""
    rows.code[r] = code
    rows.name[r] = name
    rows.ends[r, 0] = -1
    rows.ends[r, 1] = -1
    rows.coordinate[r, 0] = -1
    rows.coordinate[r, 1] = -1
    rows.want[r] = 0.0
    rows.gamma[r] = 0.0
    rows.waste[r] = 0.0
    rows.later[r] = 0
    rows.low[r] = -math.inf
    rows.high[r] = math.inf
    rows.shift[r] = 0.0
    rows.shift_low[r] = 0.0
    rows.shift_high[r] = 0.0
    rows.normal[r] = -1
    rows.partner[r] = -1
    rows.friction[r] = 0.0
    rows.pseudo[r] = 0.0
    rows.p[r] = 0.0


@kernel
def hold_row(tree, cuts, work, ahead_v, table, rows, hands, v, ahead, r):
    """A unit impulse on row r takes hold; the row's rates `old` and `rate`. Returns the hands it needs."""
    if rows.ends[r, 1] >= 0:
        n, f = load_pair(rows.wrench, r)
        a = rows.ends[r, 0]
        b = rows.ends[r, 1]
        hold_link(tree, work, hands, 0, b, n, f, 1.0)
        hold_link(tree, work, hands, 1, a, n, f, -1.0)
        rows.old[r] = rate_along(work, work.pose_v, b, n, f) - rate_along(work, work.pose_v, a, n, f)
        rows.rate[r] = rate_along(work, ahead_v, b, n, f) - rate_along(work, ahead_v, a, n, f)
        return 2
    count = 0
    rows.old[r] = 0.0
    rows.rate[r] = 0.0
    for j in range(2):
        c = rows.coordinate[r, j]
        amount = rows.amount[r, j]
        if 0 <= c < v.size:
            hold_dof(tree, hands, count, c, amount)
            rows.old[r] += amount * v[c]
            rows.rate[r] += amount * ahead[c]
            count += 1
        elif c >= 0:
            n, f, a, b = coordinate_wrench(cuts, work, table, c - v.size)
            hold_link(tree, work, hands, count, b, n, f, amount)
            hold_link(tree, work, hands, count + 1, a, n, f, -amount)
            rows.old[r] += amount * (rate_along(work, work.pose_v, b, n, f) - rate_along(work, work.pose_v, a, n, f))
            rows.rate[r] += amount * (rate_along(work, ahead_v, b, n, f) - rate_along(work, ahead_v, a, n, f))
            count += 2
    return count


@kernel
def coordinate_wrench(cuts, work, table, s):
    """Wrench of the rate s of a cut, and its links a and b."""
    cut = table.rate_cut[s]
    R_a, _, R_b, p_b = cut_frames(cuts, work, cut)
    n, f = measure_wrench(cuts, table.rate_measure[s], table.rate_part[s], R_a, R_b, p_b)
    return n, f, cuts.cut_a[cut], cuts.cut_b[cut]


@kernel
def close_row(tree, work, table, rows, hands, q, count, r):
    """Response of the row that `count` hands hold; False where it moves nothing."""
    runs = 0
    for h in range(count):
        i = hands.link[h]
        if i < 0:
            continue
        for e in range(table.link_run[i], table.link_run[i + 1]):
            # ways to the ground that meet have their runs in common, but for the one in which they meet
            first = table.run_first[e]
            length = table.run_last[e] - first
            b = 0
            while b < runs and rows.first[r, b] != first:
                b += 1
            if b == runs:
                rows.first[r, b] = first
                rows.length[r, b] = length
                runs += 1
            else:
                rows.length[r, b] = max(rows.length[r, b], length)
    rows.runs[r] = runs
    carry_inward(tree, work, q, hands, count)
    u = rows.u[r]
    z = rows.z[r]
    x = 0.0
    i = 0
    for b in range(runs):
        first = rows.first[r, b]
        for k in range(first, first + rows.length[r, b]):
            u[i] = hands.u[0, k]
            z[i] = hands.z[0, k]
            x += u[i] * z[i]
            i += 1
    rows.diagonal[r] = x
    return x > table.nothing


@kernel
def apart(table, a, b):
    """Whether no dof moves both links."""
    i = table.link_run[a]
    j = table.link_run[b]
    if i == table.link_run[a + 1] or j == table.link_run[b + 1]:
        return True
    return table.run_first[i] != table.run_first[j]


@small
def close_three(tree, work, table, rows, hands, q, r):
    """Responses of rows r … r + 2 of a contact between links that are apart; how many of them move anything."""
    runs = 0
    i = 0
    x = 0.0
    x_1 = 0.0
    x_2 = 0.0
    for side in range(2):
        link = rows.ends[r, 1 - side]
        carry_three(tree, work, q, hands, link, rows.wrench, r, 1.0 - 2.0 * side)
        for e in range(table.link_run[link], table.link_run[link + 1]):
            first = table.run_first[e]
            last = table.run_last[e]
            for j in range(3):
                rows.first[r + j, runs] = first
                rows.length[r + j, runs] = last - first
            runs += 1
            for k in range(first, last):
                for j in range(3):
                    rows.u[r + j, i] = hands.u[j, k]
                    rows.z[r + j, i] = hands.z[j, k]
                x += hands.u[0, k] * hands.z[0, k]
                x_1 += hands.u[1, k] * hands.z[1, k]
                x_2 += hands.u[2, k] * hands.z[2, k]
                i += 1
    for j in range(3):
        rows.runs[r + j] = runs
    rows.diagonal[r] = x
    rows.diagonal[r + 1] = x_1
    rows.diagonal[r + 2] = x_2
    if not x > table.nothing:
        return 0
    if not x_1 > table.nothing:
        return 1
    return 3 if x_2 > table.nothing else 2


@small
def dot(a, r, i, x, j, n):
    """a[r, i …] . x[j …], n long; of a loose body written out: most of the time of a pile is spent here."""
    if n == 6:
        return (
            a[r, i] * x[j]
            + a[r, i + 1] * x[j + 1]
            + a[r, i + 2] * x[j + 2]
            + a[r, i + 3] * x[j + 3]
            + a[r, i + 4] * x[j + 4]
            + a[r, i + 5] * x[j + 5]
        )
    total = 0.0
    for k in range(n):
        total += a[r, i + k] * x[j + k]
    return total


@small
def add_times(x, j, p, a, r, i, n):
    """x[j …] += p a[r, i …], n long."""
    if n == 6:
        x[j] += p * a[r, i]
        x[j + 1] += p * a[r, i + 1]
        x[j + 2] += p * a[r, i + 2]
        x[j + 3] += p * a[r, i + 3]
        x[j + 4] += p * a[r, i + 4]
        x[j + 5] += p * a[r, i + 5]
    else:
        for k in range(n):
            x[j + k] += p * a[r, i + k]


@kernel
def rubs(rows, r, n):
    """Whether row r is a contact with two rows of friction after it."""
    return r + 2 < n and rows.partner[r + 2] == r + 1 and rows.normal[r + 1] == r


@kernel
def response(rows, r, s):
    """A_rs."""
    x = 0.0
    i = 0
    for b in range(rows.runs[r]):
        begin = rows.first[r, b]
        end = begin + rows.length[r, b]
        j = 0
        for c in range(rows.runs[s]):
            first = max(begin, rows.first[s, c])
            n = min(end, rows.first[s, c] + rows.length[s, c]) - first
            if n > 0:
                x += dot(rows.u, r, i + first - begin, rows.z[s], j + first - rows.first[s, c], n)
            j += rows.length[s, c]
        i += rows.length[r, b]
    return x


@kernel
def add_impulse(rows, r, p, x):
    """x (dof,) gets what the impulse p of row r leaves for the joints."""
    i = 0
    for b in range(rows.runs[r]):
        n = rows.length[r, b]
        add_times(x, rows.first[r, b], p, rows.u, r, i, n)
        i += n


@kernel
def rate_change(rows, r, x):
    """Change of the rate of row r by all that is in x."""
    change = 0.0
    i = 0
    for b in range(rows.runs[r]):
        n = rows.length[r, b]
        change += dot(rows.z, r, i, x, rows.first[r, b], n)
        i += n
    return change


@small
def add_three_times(x, j, p, p_1, p_2, a, r, i, n):
    """x[j …] += p a[r, i …] + p_1 a[r + 1, i …] + p_2 a[r + 2, i …], n long."""
    if n == 6:
        x[j] += p * a[r, i] + p_1 * a[r + 1, i] + p_2 * a[r + 2, i]
        x[j + 1] += p * a[r, i + 1] + p_1 * a[r + 1, i + 1] + p_2 * a[r + 2, i + 1]
        x[j + 2] += p * a[r, i + 2] + p_1 * a[r + 1, i + 2] + p_2 * a[r + 2, i + 2]
        x[j + 3] += p * a[r, i + 3] + p_1 * a[r + 1, i + 3] + p_2 * a[r + 2, i + 3]
        x[j + 4] += p * a[r, i + 4] + p_1 * a[r + 1, i + 4] + p_2 * a[r + 2, i + 4]
        x[j + 5] += p * a[r, i + 5] + p_1 * a[r + 1, i + 5] + p_2 * a[r + 2, i + 5]
    else:
        for k in range(n):
            x[j + k] += p * a[r, i + k] + p_1 * a[r + 1, i + k] + p_2 * a[r + 2, i + k]


@kernel
def add_three(rows, r, p, p_1, p_2, x):
    """What impulses of a contact that rubs leave: of row r and the two after it, which move the same dofs."""
    i = 0
    for b in range(rows.runs[r]):
        n = rows.length[r, b]
        add_three_times(x, rows.first[r, b], p, p_1, p_2, rows.u, r, i, n)
        i += n


@kernel
def change_three(rows, r, x):
    """Changes of the rates of these three rows."""
    a = 0.0
    a_1 = 0.0
    a_2 = 0.0
    i = 0
    for b in range(rows.runs[r]):
        n = rows.length[r, b]
        first = rows.first[r, b]
        a += dot(rows.z, r, i, x, first, n)
        a_1 += dot(rows.z, r + 1, i, x, first, n)
        a_2 += dot(rows.z, r + 2, i, x, first, n)
        i += n
    return a, a_1, a_2


@kernel
def soften_later(rows, r, soft, e, gap, pace):
    """Row r gets the softness in row e of `soft`, once its effective mass is known."""
    rows.later[r] = SOFTNESS
    for j in range(3):
        rows.pending[r, j] = soft[e, j]
    rows.pending[r, 3] = gap
    rows.pending[r, 4] = pace


@kernel
def finish_row(rows, r, diagonal, h):
    """What waited for the effective mass 1 / diagonal of row r: softness told in hertz, speed of a servo."""
    if not diagonal > 0.0:
        return
    if rows.later[r] == SOFTNESS:
        k = rows.pending[r, 1]
        c = rows.pending[r, 2]
        if rows.pending[r, 0] != SPRING:
            diagonal = max(diagonal, rows.waste[r])
            omega = 2.0 * math.pi * k
            k = omega * omega / diagonal
            c = 2.0 * c * omega / diagonal
        soften(rows, r, k, c, rows.pending[r, 3], rows.pending[r, 4], h)
    elif rows.later[r] == BRAKE:
        # towards its goal no faster than half the torque can stop
        behind = rows.pending[r, 1]
        speed = min(abs(behind) / h, math.sqrt(2.0 * BRAKING * rows.pending[r, 0] * diagonal * abs(behind)))
        rows.want[r] = rows.pending[r, 2] + (speed if behind > 0.0 else -speed)


@kernel
def soften(rows, r, k, c, gap, pace, h):
    """Row r becomes a spring and damper: `gap` its stretch, `pace` the rate at which its rest moves on (13)."""
    stiff = k * h + c
    beta = k * h / stiff  # (6)
    rows.gamma[r] = 1.0 / (h * stiff)
    rows.waste[r] = c
    rows.want[r] = -beta * gap / h + (1.0 - beta) * pace


# ---- impulses from step to step --------------------------------------------------------------------------------------


@small
def recall_impulses(table, rows, contacts, ratio):
    """Step 4: rows start with the impulses of the last step, `ratio` its length to the last one's."""
    for r in range(rows.count[0]):
        name = rows.name[r] - table.names
        p = rows.kept[rows.name[r]] if name < 0 else contacts.impulse[name // 3, name % 3]
        p *= ratio
        rows.p[r] = p if rows.normal[r] >= 0 else min(max(p, rows.low[r]), rows.high[r])


@small
def keep_impulses(table, rows, contacts):
    """What the next step starts from."""
    for k in range(rows.kept.size):
        rows.kept[k] = 0.0
    for e in range(rows.sliding.size):
        rows.kept[table.rubbed + e] = rows.sliding[e]
    for e in range(contacts.count[0]):
        for j in range(3):
            contacts.impulse[e, j] = 0.0
    for r in range(rows.count[0]):
        name = rows.name[r] - table.names
        if name < 0:
            rows.kept[rows.name[r]] = rows.p[r]
        else:
            contacts.impulse[name // 3, name % 3] = rows.p[r]
