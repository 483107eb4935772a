"""How large a system is: the length that openings of its joints are compared with."""

from __future__ import annotations

import numpy as np

from linkwork.assembly.tables import Tables
from linkwork.spatial.codes import DISTANCE, FREE


def size_of(tables: Tables) -> float:
    """Length of the largest moving body, m: across its joints and its centre of mass; a rod between points counts too.

    Where no body has two such points it is the largest radius of gyration, and 1 m where there is none of that either.

    >>> round(size_of(lw.assemble(lw.gallery.pendulum.build(length=2.0)).tables), 9)
    2.0
    """
    tree, cuts = tables.tree, tables.cuts
    moving = np.arange(tree.link_parent.size) >= tree.grounds
    held = moving & (tree.link_motion != FREE)  # the frame of a free body may be anywhere
    heavy = moving & (tree.link_mass > 0.0)
    mass = tree.link_mass[heavy]
    com = tree.link_h[heavy] / mass[:, None]
    links = [np.flatnonzero(held), np.flatnonzero(heavy), tree.link_parent[held], cuts.cut_a, cuts.cut_b]
    points = [np.zeros((held.sum(), 3)), com, tree.link_p[held], cuts.cut_pa, cuts.cut_pb]
    least = np.full((moving.size, 3), np.inf)
    most = -least
    np.minimum.at(least, np.concatenate(links), np.concatenate(points))
    np.maximum.at(most, np.concatenate(links), np.concatenate(points))
    known = moving & np.isfinite(least[:, 0])
    across = np.linalg.norm(most[known] - least[known], axis=1).max(initial=0.0)
    rods = np.abs(cuts.row_pitch[cuts.row_kind == DISTANCE]).max(initial=0.0)
    if max(across, rods) > 0.0:
        return float(max(across, rods))
    about_origin = tree.link_I[heavy][:, [0, 1, 2]].sum(axis=1)
    turning = about_origin / mass - 2.0 * (com**2).sum(axis=1)
    return float(np.sqrt(0.5 * turning.max(initial=0.0))) or 1.0
