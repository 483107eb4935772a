"""Rows of the joints at one level on all that moves there: own bodies, and components elsewhere through their D."""

from __future__ import annotations

from typing import Any

import numpy as np

NOTHING = 1e-12  # of the largest response of a component: what it does not move


def reported_rows(tables: Any, w: Any) -> Any:
    """G (row, column) with G G^T = B D^ B^T at the last evaluation: rows that depend on others do so in G.

    Columns are the own bodies' velocities, then what the components elsewhere let their ports do.
    """
    tree, cuts, parts, B = tables.tree, tables.cuts, w.parts, w.joint_blocks.B
    roots = {int(part): _root(parts, w.factors, int(part)) for part in np.flatnonzero(parts.remote >= 0)}
    place = int(tree.dof_link.size)
    columns = {}
    for part, root in roots.items():
        columns[part] = slice(place, place + root.shape[1])
        place += root.shape[1]
    nodes = range(parts.node_link.size)
    foreign = {int(parts.node_link[n]): n for n in nodes if int(parts.node_part[n]) in roots}
    G = np.zeros((len(B), place))
    for c, side in np.argwhere(cuts.side_link >= 0):
        link, rows = int(cuts.side_link[c, side]), slice(cuts.cut_row[c], cuts.cut_row[c + 1])
        if link >= tree.grounds:
            v = int(tree.link_v[link])
            G[rows, v : v + 3] += B[rows, side, :3] * w.joint_blocks.inverse_mass[link] ** 0.5
            G[rows, v + 3 : v + 6] += B[rows, side, 3:] @ np.linalg.cholesky(
                _full(w.joint_blocks.inverse_inertia[link])
            )
        elif link in foreign:
            part, at = int(parts.node_part[foreign[link]]), 6 * int(parts.node_place[foreign[link]])
            G[rows, columns[part]] += B[rows, side] @ roots[part][at : at + 6]
    return G


def _root(parts: Any, factors: Any, part: int) -> Any:
    """R with R R^T = D of a component elsewhere."""
    size = 6 * int(parts.border_start[part + 1] - parts.border_start[part])
    D = factors.D[parts.D[part] : parts.D[part] + size * size].reshape(size, size)
    values, vectors = np.linalg.eigh(D)
    moves = values > NOTHING * values.max(initial=0.0)
    return vectors[:, moves] * np.sqrt(values[moves])


def _full(s: Any) -> Any:
    """A symmetric matrix of its six numbers."""
    return s[[[0, 3, 4], [3, 1, 5], [4, 5, 2]]]
