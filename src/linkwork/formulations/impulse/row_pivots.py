"""How small a pivot of the bilateral rows may be: near singular positions they are certain only where they hold."""

from __future__ import annotations

from linkwork._jit import kernel, small
from linkwork.formulations.impulse.rows import PIVOT_LEAST, PIVOT_RANK, PIVOT_ROWS

TURNED_MOST = 1e-2  # rad^2: a row that turns further in a step is not taken for a lost one the sooner


@small
def pivot_floor(rows, bilateral, turn):
    """Smallest pivot that proves a row to be independent which holds halfway through a step that turns it by `turn`.

    Near a singular position a pivot is the square of the angle to it. Within a step of it, the rate that such a row is
    to have at the start is none that it can have, and a small pivot would make of it a large motion.
    """
    if rows.pivot_kept[PIVOT_ROWS] != bilateral:
        return 0.0
    return min(turn * turn, TURNED_MOST) * rows.pivot_kept[PIVOT_LEAST]


@kernel
def keep_pivot(rows, bilateral, rank, L, order):
    """Keep the smallest pivot of the bilateral rows, where no fewer of them are independent than ever."""
    kept = rows.pivot_kept
    if kept[PIVOT_ROWS] != bilateral or rank > kept[PIVOT_RANK]:
        kept[PIVOT_ROWS] = bilateral
        kept[PIVOT_RANK] = rank
        kept[PIVOT_LEAST] = 0.0
    if rank > 0 and rank == kept[PIVOT_RANK]:
        kept[PIVOT_LEAST] = max(kept[PIVOT_LEAST], L[rank - 1, order[rank - 1]] ** 2)
