"""Joint friction that slid in the last step is predicted to slide on, and needs no row then.

The impulse of a joint that slides is known: h times its friction, against the motion. It is added to the joint forces
before the step. After the impulses of all rows every such joint must still move the way it did; where one does not, the
step is repeated with rows for all of them. The solution of the clipped problem is the same, only the first guess
changes; the paper's loop (solver "sequential") does without.
"""

from __future__ import annotations

import math

from linkwork._jit import kernel
from linkwork.formulations.impulse.kinds.ball_rows import ball_friction_confirmed, start_ball_friction
from linkwork.mechanics.accounts import DISSIPATED, book, part_of_coordinate


@kernel
def predict_sliding(drives, table, rows, before, h, allowed):
    """Set rows.sliding: impulse of each friction that was at its bound in the last step, of length `before`; else 0."""
    start_ball_friction(rows)
    for e in range(rows.sliding.size):
        most = drives.friction_most[e]
        p = rows.kept[table.first_friction + e]
        slid = allowed and p != 0.0 and abs(p) >= before * most and drives.friction_coordinate[e] < table.dofs
        rows.sliding[e] = math.copysign(h * most, p) if slid else 0.0


@kernel
def apply_sliding(drives, rows, tau, h):
    """Add the friction of the joints that slide to the joint forces tau."""
    for e in range(rows.sliding.size):
        if rows.sliding[e] != 0.0:
            tau[drives.friction_coordinate[e]] += rows.sliding[e] / h


@kernel
def sliding_confirmed(drives, table, rows, v, h):
    """Whether all joints predicted to slide still move against their friction; if not, none is predicted to.

    Ball joints, whose friction is always rows, are asked too.
    """
    for e in range(rows.sliding.size):
        if rows.sliding[e] != 0.0 and rows.sliding[e] * v[drives.friction_coordinate[e]] > 0.0:
            for k in range(rows.sliding.size):
                rows.sliding[k] = 0.0
            return False
    return ball_friction_confirmed(drives, table, rows, h)


@kernel
def add_sliding_loss(tables, rows, v, v_next, energy):
    """Book what sliding joints waste in the step, J."""
    for e in range(rows.sliding.size):
        if rows.sliding[e] != 0.0:
            k = tables.drives.friction_coordinate[e]
            loss = -0.5 * rows.sliding[e] * (v[k] + v_next[k])
            book(energy, part_of_coordinate(tables, k), DISSIPATED, loss)
