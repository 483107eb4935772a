"""How large a system and its bodies are: the lengths that openings of joints are compared with."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.spatial.codes import CROSSED, DISTANCE, FREE, SLIDE, TANGENT

ROUNDED = 1e-9  # of the radius of gyration: points nearer than this are one


def spans(tables: Any) -> Any:
    """(link,) m: how far each moving link reaches across its joints and its centre of mass; 0 where it does not."""
    tree, cuts = tables.tree, tables.cuts
    moving = np.arange(tree.link_parent.size) >= tree.grounds
    held = moving & (tree.link_motion != FREE)  # the frame of a free body may be anywhere
    heavy = moving & (tree.link_mass > 0.0)
    com = tree.link_h[heavy] / tree.link_mass[heavy][:, None]
    links = [np.flatnonzero(held), np.flatnonzero(heavy), tree.link_parent[held], cuts.cut_a, cuts.cut_b]
    points = [np.zeros((held.sum(), 3)), com, tree.link_p[held], cuts.cut_pa, cuts.cut_pb]
    least = np.full((moving.size, 3), np.inf)
    most = -least
    np.minimum.at(least, np.concatenate(links), np.concatenate(points))
    np.maximum.at(most, np.concatenate(links), np.concatenate(points))
    known = moving & np.isfinite(least[:, 0])
    found = np.zeros(moving.size)
    found[known] = np.linalg.norm(most[known] - least[known], axis=1)
    return found


def size_of(tables: Any) -> float:
    """Length of the largest moving body, m: across its joints and its centre of mass; rods, guides, rims count too.

    Where no body has two such points, or they differ by rounding alone, it is the largest radius of gyration, and 1 m
    where there is none of that either.

    >>> round(size_of(lw.assemble(lw.gallery.pendulum.build(length=2.0)).tables), 9)
    2.0
    """
    tree, cuts = tables.tree, tables.cuts
    sized = (cuts.row_kind >= DISTANCE) & (cuts.row_kind != TANGENT)
    given = np.abs(cuts.row_pitch[sized]).max(initial=0.0)
    size = max(spans(tables).max(initial=0.0), given)
    heavy = (np.arange(tree.link_parent.size) >= tree.grounds) & (tree.link_mass > 0.0)
    com = tree.link_h[heavy] / tree.link_mass[heavy][:, None]
    turning = tree.link_I[heavy][:, :3].sum(axis=1) / tree.link_mass[heavy] - 2.0 * (com**2).sum(axis=1)
    gyration = float(np.sqrt(0.5 * turning.max(initial=0.0)))
    return float(size) if size > ROUNDED * gyration else gyration or 1.0


def row_units(tables: Any) -> Any:
    """(row,) what a gap of a row is compared with: the size of the system, m, or 1 rad."""
    return np.where(tables.cuts.row_kind == CROSSED, 1.0, size_of(tables))


def dof_units(tables: Any) -> Any:
    """(dof,) what a displacement is compared with: the size of the system, m, or 1 rad."""
    tree = tables.tree
    motion = tree.link_motion[tree.dof_link]
    place = np.arange(motion.size) - tree.link_v[tree.dof_link]
    return np.where((motion == SLIDE) | ((motion == FREE) & (place < 3)), size_of(tables), 1.0)


def joint_units(tables: Any) -> tuple[Any, Any]:
    """(link,) how far each body reaches, m, never 0; (row,) the shorter of the two that the row holds, or 1 rad."""
    cuts, size = tables.cuts, size_of(tables)
    reach = spans(tables)
    reach[reach == 0.0] = size
    reach[: tables.tree.grounds] = np.inf
    shorter = np.where(cuts.side_link < 0, np.inf, reach[cuts.side_link]).min(axis=1, initial=np.inf)
    reach[: tables.tree.grounds] = size
    rows = np.repeat(np.where(np.isfinite(shorter), shorter, size), np.diff(cuts.cut_row))
    return reach, np.where(cuts.row_kind == CROSSED, 1.0, rows)
