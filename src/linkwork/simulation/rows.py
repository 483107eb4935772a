"""Start values given at joints that close loops, as further rows of the start equations."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.assembly.system import System
from linkwork.mechanics.motions import world_axis
from linkwork.mechanics.parts import cut_frames, measure_wrench
from linkwork.spatial.codes import ATTITUDE


def measure_rows(system: System, closure: Any, *, rates: bool = False) -> tuple[Any, Any]:
    """What the given coordinates (or rates) of cuts are off by, and the rows of their change with the dofs."""
    given = system.cut_v_given if rates else system.cut_q_given
    cuts, tree = system.tables.cuts, system.tables.tree
    gaps: list[float] = []
    rows: list[Any] = []
    if not given.any():
        return np.zeros(0), np.zeros((0, system.nv))
    for c in range(cuts.cut_a.size):
        R_a, p_a, R_b, p_b = cut_frames(cuts, closure.work, c)
        for m in range(cuts.cut_measure[c], cuts.cut_measure[c + 1]):
            s, k = int(cuts.measure_rate[m]), int(cuts.measure_q[m])
            if not given[s]:
                continue
            count = 3 if cuts.measure_kind[m] == ATTITUDE else 1
            if rates:
                gaps.extend(closure.cut_rate[s : s + count] - system.cut_v_start[s : s + count])
            elif count == 3:
                gaps.extend(_turn_between(system.cut_start[k : k + 4], closure.cut_q[k : k + 4]))
            else:
                gaps.append(closure.cut_q[k] - system.cut_start[k])
            for j in range(count):
                n, f = measure_wrench(cuts, m, j, R_a, R_b, p_b)
                row = np.zeros(system.nv)
                for e in range(cuts.path_start[c], cuts.path_start[c + 1]):
                    dof = int(cuts.path_dof[e])
                    link = int(tree.dof_link[dof])
                    w, u = world_axis(tree, closure.work.pose_R, closure.work.pose_p, link, dof - tree.link_v[link])
                    row[dof] = cuts.path_sign[e] * (np.dot(n, w) + np.dot(f, u))
                rows.append(row)
    return np.array(gaps), np.array(rows).reshape(-1, system.nv)


def _turn_between(wanted: Any, found: Any) -> Any:
    """Rotation vector, in the axes that turn, from the wanted quaternion to the found one."""
    w, x = wanted[0], -wanted[1:]
    scalar = w * found[0] - x @ found[1:]
    vector = w * found[1:] + found[0] * x + np.cross(x, found[1:])
    return 2.0 * vector * (1.0 if scalar >= 0.0 else -1.0)
