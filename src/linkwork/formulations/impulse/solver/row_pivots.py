"""How near a singular position is, by the smallest pivot of the rows that hold by themselves."""

from __future__ import annotations

import math

from linkwork._jit import kernel
from linkwork.formulations.impulse.rows.rows import (
    BILATERAL_ROWS,
    PIVOT_LARGEST,
    PIVOT_NEAR,
    PIVOT_RANK,
    PIVOT_ROOT,
    PIVOT_ROWS,
)

NEAR = 0.02  # distance that is near: the root of the smallest pivot, as a part of what it has been
REACH = 2.0  # steps that must not come nearer than that


@kernel
def keep_pivot(rows, s):
    """At the end of a step: keep the smallest pivot, and whether the next steps come near a singular position."""
    kept = rows.pivot_kept
    bilateral = rows.count[BILATERAL_ROWS]
    rank = s.rank[0]
    if kept[PIVOT_ROWS] != bilateral or rank > kept[PIVOT_RANK]:
        kept[PIVOT_ROWS] = bilateral
        kept[PIVOT_RANK] = rank
        kept[PIVOT_LARGEST] = 0.0
        kept[PIVOT_ROOT] = 1.0
    root = 0.0  # where rows are lost
    if rank == kept[PIVOT_RANK]:
        pivot = s.L[rank - 1, s.order[rank - 1]] ** 2 if rank > 0 else 1.0
        kept[PIVOT_LARGEST] = max(kept[PIVOT_LARGEST], pivot)
        root = math.sqrt(pivot / kept[PIVOT_LARGEST])
    kept[PIVOT_NEAR] = 1.0 if root - REACH * abs(root - kept[PIVOT_ROOT]) < NEAR else 0.0
    kept[PIVOT_ROOT] = root
