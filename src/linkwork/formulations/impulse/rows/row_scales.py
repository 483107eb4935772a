"""What the rows that hold by themselves are measured by, where dependent ones are told from the others."""

from __future__ import annotations

import math

from linkwork._jit import kernel, small
from linkwork.formulations.impulse.rows.row_table import CUT
from linkwork.spatial.codes import CROSSED


@kernel
def find_scales(rows, table, cuts, A, scale, bilateral):
    """Rows of a joint are measured by the largest of them: one that has nearly gone as a loop turns weighs nothing."""
    first = 0
    while first < bilateral:
        last = first + 1
        if table.code[rows.id[first]] == CUT:
            cut = table.row_cut[table.element[rows.id[first]]]
            while last < bilateral and is_of_cut(rows, table, last, cut):
                last += 1
        for r in range(first, last):
            most = 0.0
            for j in range(first, last):
                if alike(rows, table, cuts, r, j):
                    most = max(most, A[j, j])
            scale[r] = 1.0 / math.sqrt(most)
        first = last


@small
def is_of_cut(rows, table, r, cut):
    """Whether row r is one that closes this joint."""
    return table.code[rows.id[r]] == CUT and table.row_cut[table.element[rows.id[r]]] == cut


@small
def alike(rows, table, cuts, r, j):
    """Whether both rows of a joint are forces, or both torques."""
    if r == j:
        return True
    return (cuts.row_kind[table.element[rows.id[r]]] == CROSSED) == (
        cuts.row_kind[table.element[rows.id[j]]] == CROSSED
    )
