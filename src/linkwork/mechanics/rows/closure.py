"""The loop equations at one instant: values, rates and joint rows of every cut, for the consistent start."""

from __future__ import annotations

from linkwork._jit import entry
from linkwork.mechanics.rows.constraint_rows import measure_cuts
from linkwork.mechanics.rows.rows import joint_rows, measure_directions, row_rates, row_values
from linkwork.mechanics.tree.kinematics import forward_kinematics


@entry
def close_at(tables, work, given, state, rows):
    """Values, rates and joint rows of the cuts at q, v, and the joint rows of their coordinates.

    given = time and two scratch arrays of the laws.
    """
    tree = tables.tree
    cuts = tables.cuts
    q, v, cut_q, cut_rate = state
    g, gd, W, G, directions = rows
    forward_kinematics(tables, work, given[0], q, v, given[1], given[2])
    measure_cuts(cuts, work, cut_q, cut_rate)
    row_values(cuts, work, cut_q, g, W)
    joint_rows(tree, cuts, work, W, G)
    row_rates(cuts, work, gd)
    measure_directions(tree, cuts, work, directions)
