"""[MST17, STT17] One table for all that impulses enforce: each constraint is a row, soft or rigid, clipped or not.

    G v + gamma p = want        low <= p <= high        p   impulse of the row
    rate    G v of the row before impulses, v = v(t) + dt v̇ (7)      old   its rate at the start of the step
    shift   the rate that would close the row's gap within the step: what pseudo impulses enforce
    u z     halves of the row's response (mechanics.impulses): A_rs = u_r . z_s, the diagonal is 1 / m_eff of (4)

A step makes its rows anew: those that hold always and both ways (cuts, repeaters, springs, unlimited motors) come
first, `count[1]` of them, so that they can be factored as one block; the clipped ones follow. A row that moves nothing
is left out (step 5 of the algorithm). Every row has a `name`, a number that stays the same from step to step, under
which its impulse is kept to start the next step from.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel
from linkwork.mechanics.curves import curve_at
from linkwork.mechanics.forces import coordinate_rate, coordinate_value, spring_line
from linkwork.mechanics.impulses import carry_inward, hold_dof, hold_link, rate_along
from linkwork.mechanics.laws import evaluate
from linkwork.mechanics.parts import cut_frames, measure_wrench, row_values
from linkwork.mechanics.springs import spring_force, spring_slopes
from linkwork.spatial.codes import ATTITUDE, FREE, RIGID, SPRING, SWING, SWING_BACK
from linkwork.spatial.vectors import add, cross, load3, load9, load_pair, rotate, store_pair

# what a row is made of
CUT, REPEATER, LINE, COIL, MOTOR, LIMIT, FRICTION, DRAG, CONTACT, RUBBING = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
SOFTNESS, BRAKE = 1, 2
DRAGS = 4  # bodies that can be dragged at once
FAR = 4.0  # a limit that is farther than so many steps of its present motion is not looked at
BOUNCE = 0.05  # m/s: slower contacts do not bounce
SLACK = 1e-4  # m of overlap that contacts are left with, so that they stay contacts
PUSHED_OUT = 0.2  # part of an overlap that is undone in a step
FAINT = 1e-9  # of a row's effective mass over the step: the damping that stands for none
BRAKING = 0.5  # part of a servo's torque that it may count on for stopping


class RowTable(NamedTuple):
    """What stays the same from step to step."""

    link_tree: Any  # (link,) -1 for grounds
    tree_link: Any  # (tree + 1,) first link
    tree_dof: Any  # (tree + 1,) first dof
    rate_cut: Any  # (rate of a cut,) the cut, the measure and the place in it
    rate_measure: Any
    rate_part: Any
    # springs and dampers on dofs go into the joints' inertias, all others become rows
    coil_dof: Any  # (coil on a dof,)
    coil_row: Any  # (coil that is a row,)
    first: Any  # (code,) name of the first row of each kind; names of contacts are their own
    names: int


class RowWork(NamedTuple):
    """The rows of the present step, and impulses kept for the next."""

    count: Any  # (2,) rows, and those of them that hold always and both ways
    code: Any  # (row,)
    name: Any
    blocks: Any  # (row,) trees that it moves
    tree: Any  # (row, 4)
    place: Any  # (row, 4) of the tree's first dof in u and z
    u: Any  # (row, width)
    z: Any
    wrench: Any  # (row, 6) on b, torque about the world's origin; of rows between links
    ends: Any  # (row, 2) links a and b, -1 for rows on dofs
    rate: Any
    old: Any
    want: Any
    gamma: Any
    waste: Any  # N s/m or N m s/rad: the damper of a soft row
    later: Any  # (row,) what waits for the row's effective mass: SOFTNESS, BRAKE or 0
    pending: Any  # (row, 5) softness, gap, pace; or torque, how far behind, pace; of lines: see `line_row`
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


def row_table(tables: Any) -> RowTable:
    tree, cuts, forces, drives = tables.tree, tables.cuts, tables.forces, tables.drives
    links = tree.link_parent.size
    link_tree = np.full(links, -1, dtype=np.int64)
    firsts = [i for i in range(tree.grounds, links) if tree.link_first[i] == i]
    for t, first in enumerate(firsts):
        link_tree[first : int(tree.link_last[first])] = t
    dofs = [int(np.searchsorted(link_tree[tree.dof_link], t)) for t in range(len(firsts))]
    places = []
    for c in range(cuts.cut_a.size):
        for m in range(cuts.cut_measure[c], cuts.cut_measure[c + 1]):
            places += [(c, m, j) for j in range(3 if cuts.measure_kind[m] >= ATTITUDE else 1)]
    rates = np.array(places, dtype=np.int64).reshape(-1, 3)
    nv = tree.dof_link.size
    # a swing or a free joint has no inertia of its own that a damper could be added to
    many = (SWING, SWING_BACK, FREE)
    inside = [c < nv and tree.link_motion[tree.dof_link[c]] not in many for c in forces.coil_coordinate]
    coil_row = np.array([s for s, within in enumerate(inside) if not within], dtype=np.int64)
    sizes = {
        CUT: cuts.row_kind.size,
        REPEATER: drives.repeater_ratio.size,
        LINE: forces.spring_a.size,
        COIL: coil_row.size,
        MOTOR: drives.motor_law.size,
        LIMIT: 2 * drives.limit_q.size,
        FRICTION: drives.friction_most.size,
        DRAG: 3 * DRAGS,
    }
    starts = np.concatenate([[0], np.cumsum([sizes[code] for code in range(len(sizes))])]).astype(np.int64)
    return RowTable(
        link_tree=link_tree,
        tree_link=np.array([*firsts, links], dtype=np.int64),
        tree_dof=np.array([*dofs, nv], dtype=np.int64),
        rate_cut=rates[:, 0].copy(),
        rate_measure=rates[:, 1].copy(),
        rate_part=rates[:, 2].copy(),
        coil_dof=np.array([s for s, within in enumerate(inside) if within], dtype=np.int64),
        coil_row=coil_row,
        first=starts[:-1].copy(),
        names=int(starts[-1]),
    )


def row_work(tables: Any, table: RowTable, contacts: int) -> RowWork:
    """Room for all rows that there could be."""
    n = table.names + 3 * contacts
    sizes = sorted(np.diff(table.tree_dof).tolist(), reverse=True)
    holds = 4 if tables.drives.repeater_ratio.size else 2
    width = max(1, int(sum(sizes[:holds])))
    whole = {"code", "name", "blocks", "tree", "place", "ends", "later", "normal", "partner"}
    wide = {"tree": 4, "place": 4, "u": width, "z": width, "wrench": 6, "ends": 2, "pending": 5}
    own: dict[str, Any] = {
        "count": np.zeros(2, dtype=np.int64),
        "kept": np.zeros(table.names),
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


def make_drags() -> Drags:
    return Drags(
        np.full(DRAGS, -1, dtype=np.int64),
        np.zeros((DRAGS, 3)),
        np.zeros((DRAGS, 3)),
        np.zeros((DRAGS, 3)),
        np.zeros(DRAGS),
    )


# ---- a row, from its first number to its response --------------------------------------------------------------------


@kernel
def open_row(rows, code, name):
    """The next row: rigid, unbounded, and no part of the position problem, until somebody says otherwise."""
    r = rows.count[0]
    rows.code[r] = code
    rows.name[r] = name
    rows.ends[r, 0] = -1
    rows.ends[r, 1] = -1
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
    return r


@kernel
def close_row(w, q, count, r):
    """Response of the row that `count` hands hold; False, and the row is not counted, where it moves nothing."""
    tree = w.tables.tree
    rows = w.rows
    table = w.table
    hands = w.hands
    blocks = 0
    width = 0
    for h in range(count):
        i = hands.link[h]
        if i < 0:
            continue
        t = table.link_tree[i]
        b = 0
        while b < blocks and rows.tree[r, b] != t:
            b += 1
        if b == blocks:
            rows.tree[r, b] = t
            rows.place[r, b] = width
            width += table.tree_dof[t + 1] - table.tree_dof[t]
            blocks += 1
        hands.shift[h] = rows.place[r, b] - table.tree_dof[t]
    rows.blocks[r] = blocks
    u = rows.u[r]
    z = rows.z[r]
    for k in range(width):
        u[k] = 0.0
        z[k] = 0.0
    carry_inward(tree, w.tree, q, hands, count, u, z)
    x = 0.0
    for k in range(width):
        x += u[k] * z[k]
    rows.diagonal[r] = x
    if not x > 0.0:
        return False
    rows.count[0] = r + 1
    return True


@kernel
def response(table, rows, r, s):
    """A_rs."""
    x = 0.0
    for b in range(rows.blocks[r]):
        t = rows.tree[r, b]
        for c in range(rows.blocks[s]):
            if rows.tree[s, c] == t:
                i = rows.place[r, b]
                j = rows.place[s, c]
                for k in range(table.tree_dof[t + 1] - table.tree_dof[t]):
                    x += rows.u[r, i + k] * rows.z[s, j + k]
    return x


@kernel
def add_impulse(table, rows, r, p, x):
    """x (dof,) gets what the impulse p of row r leaves for the joints."""
    for b in range(rows.blocks[r]):
        t = rows.tree[r, b]
        i = rows.place[r, b]
        first = table.tree_dof[t]
        for k in range(table.tree_dof[t + 1] - first):
            x[first + k] += p * rows.u[r, i + k]


@kernel
def rate_change(table, rows, r, x):
    """Change of the rate of row r by all that is in x."""
    change = 0.0
    for b in range(rows.blocks[r]):
        t = rows.tree[r, b]
        i = rows.place[r, b]
        first = table.tree_dof[t]
        for k in range(table.tree_dof[t + 1] - first):
            change += rows.z[r, i + k] * x[first + k]
    return change


@kernel
def hold_between(w, r, a, b, n, f):
    """The wrench on b and its opposite on a take hold in the first two hands; rates of the row."""
    tree = w.tables.tree
    rows = w.rows
    rows.ends[r, 0] = a
    rows.ends[r, 1] = b
    store_pair(rows.wrench, r, n, f)
    hold_link(tree, w.tree, w.hands, 0, b, n, f, 1.0)
    hold_link(tree, w.tree, w.hands, 1, a, n, f, -1.0)
    rows.old[r] = rate_along(w.tree, w.tree.pose_v, b, n, f) - rate_along(w.tree, w.tree.pose_v, a, n, f)
    rows.rate[r] = rate_along(w.tree, w.ahead_v, b, n, f) - rate_along(w.tree, w.ahead_v, a, n, f)


@kernel
def hold_coordinate(w, h, r, c, amount, v, ahead):
    """Coordinate c times `amount` takes hold in the hands from h on; adds to the rates of row r; returns the next."""
    tree = w.tables.tree
    rows = w.rows
    if c < v.size:
        hold_dof(tree, w.hands, h, c, amount)
        rows.old[r] += amount * v[c]
        rows.rate[r] += amount * ahead[c]
        return h + 1
    cuts = w.tables.cuts
    s = c - v.size
    cut = w.table.rate_cut[s]
    a = cuts.cut_a[cut]
    b = cuts.cut_b[cut]
    R_a, _, R_b, p_b = cut_frames(cuts, w.tree, cut)
    n, f = measure_wrench(cuts, w.table.rate_measure[s], w.table.rate_part[s], R_a, R_b, p_b)
    hold_link(tree, w.tree, w.hands, h, b, n, f, amount)
    hold_link(tree, w.tree, w.hands, h + 1, a, n, f, -amount)
    here = w.tree.pose_v
    rows.old[r] += amount * (rate_along(w.tree, here, b, n, f) - rate_along(w.tree, here, a, n, f))
    rows.rate[r] += amount * (rate_along(w.tree, w.ahead_v, b, n, f) - rate_along(w.tree, w.ahead_v, a, n, f))
    return h + 2


@kernel
def coordinate_row(w, q, code, name, c, amount, v, ahead):
    """A row on one coordinate; -1 where it moves nothing."""
    r = open_row(w.rows, code, name)
    w.rows.old[r] = 0.0
    w.rows.rate[r] = 0.0
    count = hold_coordinate(w, 0, r, c, amount, v, ahead)
    return r if close_row(w, q, count, r) else -1


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


# ---- rows that hold always and both ways -----------------------------------------------------------------------------


@kernel
def lasting_rows(w, state, t, h, q, v, ahead):
    """Cuts, repeaters, springs and unlimited motors; needs poses, velocities and articulated inertias."""
    rows = w.rows
    first = w.table.first
    rows.count[0] = 0
    cuts = w.tables.cuts
    row_values(cuts, w.tree, state.cut_q, rows.gap, rows.cut_wrench)
    for c in range(cuts.cut_a.size):
        for e in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
            r = open_row(rows, CUT, e)
            n, f = load_pair(rows.cut_wrench, e)
            hold_between(w, r, cuts.cut_a[c], cuts.cut_b[c], n, f)
            rows.shift[r] = -rows.gap[e] / h
            rows.shift_low[r] = -math.inf
            rows.shift_high[r] = math.inf
            close_row(w, q, 2, r)
    drives = w.tables.drives
    for e in range(drives.repeater_ratio.size):
        r = open_row(rows, REPEATER, first[REPEATER] + e)
        rows.old[r] = 0.0
        rows.rate[r] = 0.0
        count = hold_coordinate(w, 0, r, drives.repeater_coordinate[e, 1], 1.0, v, ahead)
        count = hold_coordinate(w, count, r, drives.repeater_coordinate[e, 0], -drives.repeater_ratio[e], v, ahead)
        rows.shift[r] = -repeater_gap(w, e, q, state.cut_q) / h
        rows.shift_low[r] = -math.inf
        rows.shift_high[r] = math.inf
        close_row(w, q, count, r)
    forces = w.tables.forces
    for e in range(forces.spring_a.size):
        line_row(w, q, t, h, e)
    for s in range(w.table.coil_row.size):
        e = w.table.coil_row[s]
        r = coordinate_row(w, q, COIL, first[COIL] + s, forces.coil_coordinate[e], 1.0, v, ahead)
        if r >= 0:
            k = 0.0
            stretch = 0.0
            if forces.coil_q[e] >= 0:
                k = forces.coil_k[e]
                stretch = coordinate_value(forces.coil_q[e], q, state.cut_q) - forces.coil_rest[e]
            soften(rows, r, k, forces.coil_c[e], stretch, 0.0, h)
    for e in range(drives.motor_law.size):
        if drives.motor_most[e] == math.inf:
            motor_row(w, state, t, h, q, v, ahead, e)
    rows.count[1] = rows.count[0]


@kernel
def line_row(w, q, t, h, e):
    """A spring between two points (2), or along an axis; curves and laws by their slopes at the start of the step."""
    rows = w.rows
    forces = w.tables.forces
    _, p_b, axis, length, rate = spring_line(forces, w.tree, e)
    r = open_row(rows, LINE, w.table.first[LINE] + e)
    hold_between(w, r, forces.spring_a[e], forces.spring_b[e], cross(p_b, axis), axis)
    if not close_row(w, q, 2, r):
        return
    laws = w.tables.laws
    elastic, viscous, given = spring_force(forces, laws, e, length, rate, t, w.told, w.out)
    k, c = spring_slopes(forces, laws, e, length, rate, t, w.told, w.out)
    # a pull that does not change with the motion has no row of its own: it gets a spring that is hardly there
    stiff = max(k * h + c, FAINT / (h * rows.diagonal[r]))
    rows.gamma[r] = 1.0 / (h * stiff)
    rows.want[r] = -(elastic + viscous + given - c * rate) / stiff
    d = forces.spring_viscous[e]
    damper = forces.spring_c[e] if d < 0 else curve_at(forces, d, rate)[1]
    rows.waste[r] = damper
    rows.pending[r, 0] = viscous - damper * rate
    rows.pending[r, 1] = given


@kernel
def repeater_gap(w, e, q, cut_q):
    """How far the follower of repeater e is from where its leader wants it."""
    drives = w.tables.drives
    led = coordinate_value(drives.repeater_q[e, 1], q, cut_q)
    ahead = led - drives.repeater_ratio[e] * coordinate_value(drives.repeater_q[e, 0], q, cut_q)
    if math.isnan(w.rows.offset[e]):
        w.rows.offset[e] = ahead
    return ahead - w.rows.offset[e]


@kernel
def motor_row(w, state, t, h, q, v, ahead, e):
    """A motor: (6) with the rate that it is to have at the end of the step, within its torque."""
    rows = w.rows
    drives = w.tables.drives
    r = coordinate_row(w, q, MOTOR, w.table.first[MOTOR] + e, drives.motor_coordinate[e], 1.0, v, ahead)
    if r < 0:
        return
    most = drives.motor_most[e]
    rows.low[r] = -h * most
    rows.high[r] = h * most
    law = drives.motor_law[e]
    evaluate(w.tables.laws, law, t + h, w.told, w.out)
    goal = w.out[0]
    soft = drives.motor_soft
    if drives.motor_servo[e] == 0:
        rows.want[r] = goal
        if soft[e, 0] != RIGID:
            rows.gamma[r] = 1.0 / (h * soft[e, 2])
        return
    evaluate(w.tables.laws, law, t, w.told, w.out)
    pace = (goal - w.out[0]) / h
    place = coordinate_value(drives.motor_q[e], q, state.cut_q)
    if soft[e, 0] != RIGID:
        soften_later(rows, r, soft, e, place - goal, pace)
    elif most < math.inf:
        rows.later[r] = BRAKE
        rows.pending[r, 0] = most
        rows.pending[r, 1] = w.out[0] - place
        rows.pending[r, 2] = pace
    else:
        rows.want[r] = (goal - place) / h


# ---- rows with bounds ------------------------------------------------------------------------------------------------


@kernel
def clipped_rows(w, state, t, h, q, v, ahead):
    """Motors with a bound, limits, joint friction, drags, contacts; after `lasting_rows`."""
    rows = w.rows
    drives = w.tables.drives
    first = w.table.first
    for e in range(drives.motor_law.size):
        if drives.motor_most[e] < math.inf:
            motor_row(w, state, t, h, q, v, ahead, e)
    for e in range(drives.limit_q.size):
        limit_rows(w, state, h, q, v, ahead, e)
    for e in range(drives.friction_most.size):
        r = coordinate_row(w, q, FRICTION, first[FRICTION] + e, drives.friction_coordinate[e], 1.0, v, ahead)
        if r >= 0:
            rows.low[r] = -h * drives.friction_most[e]
            rows.high[r] = h * drives.friction_most[e]
    for e in range(w.drags.link.size):
        if w.drags.link[e] >= 0:
            drag_rows(w, h, q, e)
    for e in range(w.contacts.count[0]):
        contact_rows(w, h, q, e)


@kernel
def limit_rows(w, state, h, q, v, ahead, e):
    """The stops of a coordinate that it could reach in this step."""
    rows = w.rows
    drives = w.tables.drives
    c = drives.limit_coordinate[e]
    value = coordinate_value(drives.limit_q[e], q, state.cut_q)
    speed = abs(coordinate_rate(c, v, state.cut_rate))
    if c < v.size:
        speed = max(speed, abs(ahead[c]))
    soft = drives.limit_soft
    for side in range(2):
        sign = 1.0 if side == 0 else -1.0
        gap = value - drives.limit_low[e] if side == 0 else drives.limit_high[e] - value
        rigid = soft[e, 0] == RIGID
        if gap > (FAR * h * speed if rigid else 0.0):
            continue
        r = coordinate_row(w, q, LIMIT, w.table.first[LIMIT] + 2 * e + side, c, sign, v, ahead)
        if r < 0:
            continue
        rows.low[r] = 0.0
        if not rigid:
            soften_later(rows, r, soft, e, gap, 0.0)
        elif gap > 0.0:
            rows.want[r] = -gap / h
        else:
            rows.shift[r] = -gap / h
            rows.shift_high[r] = math.inf


@kernel
def drag_rows(w, h, q, e):
    """Three springs along x, y and z from a point of a body to a point of the world."""
    rows = w.rows
    drags = w.drags
    i = drags.link[e]
    x = add(load3(w.tree.pose_p, i), rotate(load9(w.tree.pose_R, i), load3(drags.point, e)))
    for j in range(3):
        axis = (1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0)
        r = open_row(rows, DRAG, w.table.first[DRAG] + 3 * e + j)
        hold_between(w, r, 0, i, cross(x, axis), axis)
        if close_row(w, q, 2, r):
            soften_later(rows, r, drags.soft, e, x[j] - drags.goal[e, j], 0.0)
            rows.low[r] = -h * drags.most[e]
            rows.high[r] = h * drags.most[e]


@kernel
def contact_rows(w, h, q, e):
    """One row that keeps two bodies apart, two of friction within mu times its impulse."""
    rows = w.rows
    contacts = w.contacts
    a = contacts.link_a[e]
    b = contacts.link_b[e]
    x = load3(contacts.point, e)
    n = load3(contacts.normal, e)
    depth = contacts.depth[e]
    r = open_row(rows, CONTACT, -1 - 3 * e)
    hold_between(w, r, a, b, cross(x, n), n)
    if not close_row(w, q, 2, r):
        return
    rows.low[r] = 0.0
    rows.p[r] = contacts.impulse[e, 0]
    if contacts.soft[e, 0] != RIGID and depth > 0.0:
        soften_later(rows, r, contacts.soft, e, -depth, 0.0)
    elif depth < 0.0:
        rows.want[r] = depth / h
    elif depth > SLACK:
        rows.shift[r] = PUSHED_OUT * (depth - SLACK) / h
        rows.shift_high[r] = math.inf
    if rows.old[r] < -BOUNCE and depth >= h * rows.old[r]:
        rows.want[r] = max(rows.want[r], -contacts.restitution[e] * rows.old[r])
    if contacts.friction[e] == 0.0:
        return
    t = load3(contacts.tangent, e)
    for j in range(2):
        axis = t if j == 0 else cross(n, t)
        s = open_row(rows, RUBBING, -1 - 3 * e - 1 - j)
        hold_between(w, s, a, b, cross(x, axis), axis)
        if close_row(w, q, 2, s):
            rows.normal[s] = r
            rows.friction[s] = contacts.friction[e]
            rows.p[s] = contacts.impulse[e, 1 + j]
            if j == 1 and rows.name[s - 1] == rows.name[s] + 1:
                rows.partner[s] = s - 1


# ---- impulses from step to step --------------------------------------------------------------------------------------


@kernel
def recall_impulses(rows, ratio):
    """Step 4: rows start with the impulses of the last step, `ratio` its length to the last one's."""
    for r in range(rows.count[0]):
        if rows.name[r] >= 0:
            rows.p[r] = rows.kept[rows.name[r]]
        p = ratio * rows.p[r]
        rows.p[r] = p if rows.normal[r] >= 0 else min(max(p, rows.low[r]), rows.high[r])


@kernel
def keep_impulses(rows, contacts):
    """What the next step starts from."""
    for k in range(rows.kept.size):
        rows.kept[k] = 0.0
    for e in range(contacts.count[0]):
        for j in range(3):
            contacts.impulse[e, j] = 0.0
    for r in range(rows.count[0]):
        name = rows.name[r]
        if name >= 0:
            rows.kept[name] = rows.p[r]
        else:
            contacts.impulse[(-1 - name) // 3, (-1 - name) % 3] = rows.p[r]
