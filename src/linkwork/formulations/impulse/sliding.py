"""Joint friction that slid in the last step is taken to slide on, and needs no row then.

The impulse of a joint that slides is known, whatever else happens: h times the most that its friction can be, against
the motion. So it goes among the joint forces before the step; after the impulses of all rows one looks whether every
such joint still moves the way it did. Where one does not, the step is done again with rows for all of them. Of the
clipped problem this changes nothing but who guesses first; the paper's loop (solver "sequential") is left as it is.
"""

from __future__ import annotations

import math

from linkwork._jit import kernel


@kernel
def guess_sliding(drives, table, rows, before, h, allowed):
    """rows.sliding: impulse of each friction that was at its bound in the last step, of length `before`; else 0."""
    for e in range(rows.sliding.size):
        most = drives.friction_most[e]
        p = rows.kept[table.rubbed + e]
        slid = allowed and p != 0.0 and abs(p) >= before * most and drives.friction_coordinate[e] < table.dofs
        rows.sliding[e] = math.copysign(h * most, p) if slid else 0.0


@kernel
def push_sliding(drives, rows, tau, h):
    """Friction of the joints that slide, among the joint forces."""
    for e in range(rows.sliding.size):
        if rows.sliding[e] != 0.0:
            tau[drives.friction_coordinate[e]] += rows.sliding[e] / h


@kernel
def slides_on(drives, rows, v):
    """Whether all that was taken to slide still moves against its friction; if not, none is taken to from now on."""
    for e in range(rows.sliding.size):
        if rows.sliding[e] * v[drives.friction_coordinate[e]] > 0.0:
            for k in range(rows.sliding.size):
                rows.sliding[k] = 0.0
            return False
    return True


@kernel
def sliding_loss(drives, rows, v, ahead):
    """Energy that it wastes in the step, J."""
    wasted = 0.0
    for e in range(rows.sliding.size):
        if rows.sliding[e] != 0.0:
            k = drives.friction_coordinate[e]
            wasted -= 0.5 * rows.sliding[e] * (v[k] + ahead[k])
    return wasted
