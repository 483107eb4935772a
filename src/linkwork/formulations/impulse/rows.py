"""[MST17, STT17] One table for all that impulses enforce: each constraint is a row, soft or rigid, clipped or not.

    G v + gamma p = want        low <= p <= high        p   impulse of the row
    rate    G v of the row before impulses, v = v(t) + dt v̇ (7)      old   its rate at the start of the step
    shift   the rate that would close the row's gap within the step: what pseudo impulses enforce
    u z     halves of the row's response (mechanics.impulses): A_rs = u_r . z_s, the diagonal is 1 / m_eff of (4)

A step makes its rows anew: those that hold always and both ways (cuts, repeaters, springs, unlimited motors) come
first, `count[LASTING_ROWS]` of them, so that they can be factored as one block; the clipped ones follow. A row that
moves nothing is left out (step 5 of the algorithm). Every row has a `name`, a number that stays from step to step,
under which its impulse is kept to start the next step from; names beyond `table.names` are contacts, three to each.
What the rows of each kind say is in row_kinds.py, which rows there can be in row_table.py, and how they answer to each
other in row_algebra.py; this is what all rows have in common.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel, small
from linkwork.formulations.impulse.row_table import RowTable
from linkwork.mechanics.constraint_rows import cut_frames, measure_wrench
from linkwork.mechanics.impulses import MOST_ENDS, carry_inward, carry_three, hold_dof, hold_link, rate_along
from linkwork.spatial.codes import SPRING
from linkwork.spatial.vectors import load_pair

SOFTNESS, BRAKE = 1, 2
BRAKING = 0.5  # part of a servo's torque that it may count on for stopping

# slots of `RowWork.count`
ALL_ROWS, LASTING_ROWS = range(2)
# slots of `carried` in the workspace of the impulse methods
LAST_STEP, ARMATURE_STEP, SMOOTH, END_SEEN, STOPS_TRIED = range(5)


class RowWork(NamedTuple):
    """The rows of the present step, and impulses kept for the next."""

    count: Any  # (2,) ALL_ROWS, and the LASTING_ROWS among them, which hold always and both ways
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


def row_work(tables: Any, table: RowTable, contacts: int) -> RowWork:
    """Room for all rows that there could be."""
    n = table.names + 3 * contacts
    holds = MOST_ENDS if tables.drives.repeater_ratio.size else 2
    lengths = np.append(0, np.cumsum(table.run_last - table.run_first))
    width = max(1, sum(sorted(np.diff(lengths[table.link_run]).tolist())[-holds:]))
    runs = max(1, sum(sorted(np.diff(table.link_run).tolist())[-holds:]))
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


@small
def hold_row(tree, cuts, work, ahead_v, table, rows, path, v, ahead, r):
    """A unit impulse on row r takes hold; the row's rates `old` and `rate`. Returns the ends at which it acts."""
    if rows.ends[r, 1] >= 0:
        n, f = load_pair(rows.wrench, r)
        a = rows.ends[r, 0]
        b = rows.ends[r, 1]
        hold_link(tree, work, path, 0, b, n, f, 1.0)
        hold_link(tree, work, path, 1, a, n, f, -1.0)
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
            hold_dof(tree, path, count, c, amount)
            rows.old[r] += amount * v[c]
            rows.rate[r] += amount * ahead[c]
            count += 1
        elif c >= 0:
            n, f, a, b = coordinate_wrench(cuts, work, table, c - v.size)
            hold_link(tree, work, path, count, b, n, f, amount)
            hold_link(tree, work, path, count + 1, a, n, f, -amount)
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


@small
def close_row(tree, work, table, rows, path, q, count, r):
    """Response of the row that acts at `count` ends; False where it moves nothing."""
    runs = 0
    for h in range(count):
        i = path.link[h]
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
    carry_inward(tree, work, q, path, count)
    u = rows.u[r]
    z = rows.z[r]
    x = 0.0
    i = 0
    for b in range(runs):
        first = rows.first[r, b]
        for k in range(first, first + rows.length[r, b]):
            u[i] = path.u[0, k]
            z[i] = path.z[0, k]
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
def close_three(tree, work, table, rows, path, q, r):
    """Responses of rows r … r + 2 of a contact between links that are apart; how many of them move anything."""
    runs = 0
    i = 0
    x = 0.0
    x_1 = 0.0
    x_2 = 0.0
    for side in range(2):
        link = rows.ends[r, 1 - side]
        carry_three(tree, work, q, path, link, rows.wrench, r, 1.0 - 2.0 * side)
        for e in range(table.link_run[link], table.link_run[link + 1]):
            first = table.run_first[e]
            last = table.run_last[e]
            for j in range(3):
                rows.first[r + j, runs] = first
                rows.length[r + j, runs] = last - first
            runs += 1
            for k in range(first, last):
                for j in range(3):
                    rows.u[r + j, i] = path.u[j, k]
                    rows.z[r + j, i] = path.z[j, k]
                x += path.u[0, k] * path.z[0, k]
                x_1 += path.u[1, k] * path.z[1, k]
                x_2 += path.u[2, k] * path.z[2, k]
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
    for r in range(rows.count[ALL_ROWS]):
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
    for r in range(rows.count[ALL_ROWS]):
        name = rows.name[r] - table.names
        if name < 0:
            rows.kept[rows.name[r]] = rows.p[r]
        else:
            contacts.impulse[name // 3, name % 3] = rows.p[r]
