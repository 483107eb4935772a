"""Poses and velocities of all links, at the start of a step and at its new positions."""

from __future__ import annotations

from linkwork._jit import kernel
from linkwork.mechanics.rows.constraint_rows import measure_cuts
from linkwork.mechanics.rows.given import move_given
from linkwork.mechanics.tree.articulated import outward_velocities
from linkwork.mechanics.tree.kinematics import outward_poses, world_velocities


@kernel
def update_kinematics(tables, work, world, law_input, out, state, t, q, v):
    """Poses and velocities of all links at time t; in the world where `world` says so."""
    tree = tables.tree
    move_given(tables, work, t, law_input, out)
    outward_velocities(tree, work, q, v)
    if world:
        outward_poses(tree, work)
        world_velocities(tree, work)
        measure_cuts(tables.cuts, work, state.cut_q, state.cut_rate)
