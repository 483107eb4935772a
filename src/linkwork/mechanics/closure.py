"""The loop equations at one instant: values, rates and joint rows of every cut, for the consistent start."""

from __future__ import annotations

from linkwork._jit import entry
from linkwork.mechanics.articulated import outward_velocities
from linkwork.mechanics.constraint_rows import joint_rows, measure_cuts, measure_directions, row_rates, row_values
from linkwork.mechanics.grounds import move_grounds
from linkwork.mechanics.kinematics import outward_poses, world_velocities


@entry
def close_at(tables, work, given, state, rows):
    """Values, rates and joint rows of the cuts at q, v, and the joint rows of their coordinates."""
    tree = tables.tree
    cuts = tables.cuts
    q, v, cut_q, cut_rate = state
    g, gd, W, G, directions = rows
    if tree.grounds > 1:
        move_grounds(tree, tables.laws, work, given[0], given[1], given[2])
    outward_velocities(tree, work, q, v)
    outward_poses(tree, work)
    world_velocities(tree, work)
    measure_cuts(cuts, work, cut_q, cut_rate)
    row_values(cuts, work, cut_q, g, W)
    joint_rows(tree, cuts, work, W, G)
    row_rates(cuts, work, gd)
    measure_directions(tree, cuts, work, directions)
