"""[MST17] The stages of a step, and the right side b of each: rates, overlaps, gaps at the new positions."""

from __future__ import annotations

from linkwork._jit import small
from linkwork.formulations.impulse.kinds.row_kinds import passed_stop
from linkwork.formulations.impulse.motion.placed import update_kinematics
from linkwork.formulations.impulse.rows.row_table import COUPLING, CUT, LIMIT
from linkwork.formulations.impulse.rows.rows import ALL_ROWS
from linkwork.mechanics.rows.rows import first_coupled, row_values
from linkwork.spatial.codes import CROSSED

# forces and rows, impulses, pseudo impulses; from POSITIONS on the gaps at the new positions
FORCES, VELOCITIES, PSEUDO_VELOCITIES, POSITIONS = range(-1, 3)
CLOSED_GAP = 1e-9  # of the size of the model, or rad: gaps below this are not corrected


@small
def right_side(w, state, t, q, v, world, stage):
    """Right side b of a stage, with the positions at t, the end of the step.

    Returns whether there is something to solve, and the largest gap that positions are to close.
    """
    rows = w.rows
    b = w.solver.b
    n = rows.count[ALL_ROWS]
    if stage == VELOCITIES:
        for r in range(n):
            b[r] = rows.target[r] - rows.rate[r]
        return n > 0, 0.0
    for r in range(n):
        b[r] = 0.0
        rows.pseudo[r] = 0.0
    worst = 0.0
    if stage == PSEUDO_VELOCITIES:
        # gaps that are closed at the new positions are left to the later stages
        for r in range(n):
            code = rows.code[r]
            if w.position_iterations == 0 or (code != CUT and code != COUPLING):
                b[r] = rows.correction[r]
                worst = max(worst, abs(b[r]))
        return worst > 0.0, 0.0
    update_kinematics(w.tables, w.tree, world, w.law_input, w.out, state, t, q, v)
    row_values(w.tables.cuts, w.tree, state.cut_q, w.gap, w.wrench)
    for r in range(n):
        e = w.table.element[rows.id[r]] if rows.id[r] < w.table.id_count else 0
        if rows.code[r] == LIMIT:
            b[r] = passed_stop(w.tables.drives, rows, r, e, q, state.cut_q)
            worst = max(worst, b[r])
            continue
        if rows.code[r] == COUPLING:
            e += first_coupled(w.tables.cuts)
        elif rows.code[r] != CUT:
            continue
        b[r] = -w.gap[e]
        worst = max(worst, abs(b[r]) if w.tables.cuts.row_kind[e] == CROSSED else abs(b[r]) / state.size[0])
    return worst > CLOSED_GAP, worst
