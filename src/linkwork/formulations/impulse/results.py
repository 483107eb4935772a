"""[MST17] What the impulses of a step were: accelerations and loads for those who ask, and the energy of the rows."""

from __future__ import annotations

from linkwork._jit import kernel, small
from linkwork.formulations.explicit.loops import cut_reactions
from linkwork.formulations.impulse.row_algebra import rate_change
from linkwork.formulations.impulse.row_solver import add_impulses
from linkwork.formulations.impulse.row_table import COIL, CONTACT, CUT, DRAG, LIMIT, LINE, MOTOR, REPEATER, RUBBING, TIE
from linkwork.formulations.impulse.rows import ALL_ROWS, SMOOTH, coordinate_wrench
from linkwork.mechanics.forces import push_link
from linkwork.mechanics.power import ground_power
from linkwork.spatial.vectors import add_pair, load_pair, scale, store_pair


@small
def store_loads(w, state, h, q, v):
    """Accelerations, loads of the cuts and of what no table knows, for this step."""
    rows = w.rows
    work = w.tree
    w.carried[SMOOTH] = 1.0
    for k in range(v.size):
        state.vd[k] = (w.ahead[k] - v[k]) / h
    for e in range(rows.cut_load.size):
        rows.cut_load[e] = 0.0
    for i in range(state.push.shape[0]):
        for e in range(6):
            state.push[i, e] = 0.0
    for i in range(state.touch.shape[0]):
        for e in range(3):
            state.touch[i, e] = 0.0
    for e in range(state.drive.size):
        state.drive[e] = 0.0
    for r in range(rows.count[ALL_ROWS]):
        code = rows.code[r]
        p = rows.p[r] / h
        if code == MOTOR:
            state.drive[w.table.element[rows.name[r]]] = p
        if code == CONTACT or code == RUBBING:
            for e in range(3):
                state.touch[rows.ends[r, 1], e] += p * rows.wrench[r, 3 + e]
                state.touch[rows.ends[r, 0], e] -= p * rows.wrench[r, 3 + e]
        if code == CUT:
            rows.cut_load[w.table.element[rows.name[r]]] = p
        elif code != LINE and code != COIL and code != TIE:
            push_row(w.tables.cuts, work, w.table, rows, r, p, v.size, state.push)
        if p != 0.0 and (code == CONTACT or code == LIMIT):
            w.carried[SMOOTH] = 0.0  # a blow tells nothing about the next step
    if rows.cut_load.size > 0:
        cut_reactions(w.tables.cuts, work, w.loads, state.cut_force)
    if w.tables.tree.grounds > 1:
        # what acts on moving grounds: all that was told, and the springs, which are rows here
        for i in range(state.push.shape[0]):
            n, f = load_pair(state.push, i)
            store_pair(w.ahead_own, i, n, f)
        for r in range(rows.count[ALL_ROWS]):
            if rows.code[r] == LINE or rows.code[r] == COIL or rows.code[r] == TIE:
                push_row(w.tables.cuts, work, w.table, rows, r, rows.p[r] / h, v.size, w.ahead_own)
        for i in range(state.push.shape[0]):
            n, f = load_pair(w.ahead_own, i)
            push_link(work, i, n, f)
        w.power[1] += ground_power(w.tables, work, q, state.vd, w.loads)


@kernel
def push_row(cuts, work, table, rows, r, p, dofs, push):
    """The force p of row r as loads on links, added to `push`; forces on dofs are the joints' own affair."""
    if rows.ends[r, 1] >= 0:
        n, f = load_pair(rows.wrench, r)
        add_pair(push, rows.ends[r, 1], scale(p, n), scale(p, f))
        add_pair(push, rows.ends[r, 0], scale(-p, n), scale(-p, f))
        return
    for j in range(2):
        c = rows.coordinate[r, j]
        if c >= dofs:
            n, f, a, b = coordinate_wrench(cuts, work, table, c - dofs)
            Q = rows.amount[r, j] * p
            add_pair(push, b, scale(Q, n), scale(Q, f))
            add_pair(push, a, scale(-Q, n), scale(-Q, f))


@small
def row_energy(forces, table, rows, x, ahead, h):
    """Energy wasted and fed in by rows; impulses work along the mean of a row's rates before and after."""
    wasted = 0.0
    fed = 0.0
    pushed = False  # whether x is what the impulses leave for the joints
    for r in range(rows.count[ALL_ROWS]):
        code = rows.code[r]
        if code == CUT or code == REPEATER:
            continue
        c = rows.coordinate[r, 0]
        if 0 <= c < ahead.size and rows.coordinate[r, 1] < 0:
            rate = rows.amount[r, 0] * ahead[c]
        else:
            if not pushed:
                pushed = True
                add_impulses(rows, rows.count[ALL_ROWS], rows.p, x)
            rate = rows.rate[r] + rate_change(rows, r, x)
        if code == LINE:
            wasted += h * (rows.pending[r, 0] + rows.waste[r] * rate) * rate
            fed -= h * rows.pending[r, 1] * rate
        elif code == COIL or code == TIE:
            wasted += h * rows.waste[r] * rate * rate
        elif code == MOTOR or code == DRAG:
            fed += 0.5 * rows.p[r] * (rows.old[r] + rate)
        else:
            wasted -= 0.5 * rows.p[r] * (rows.old[r] + rate)
    for e in range(table.coil_dof.size):
        s = table.coil_dof[e]
        rate = ahead[forces.coil_coordinate[s]]
        wasted += h * forces.coil_c[s] * rate * rate
    return wasted, fed
