"""Lengths of the arrays of coordinates and rates that belong to the tables of one system."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.spatial.codes import ATTITUDE, FREE, SWING, SWING_BACK


def count_q(tree: Any) -> int:
    """Length of q: a quaternion has one number more than it has rates."""
    return int(tree.dof_link.size + np.isin(tree.link_motion, (SWING, SWING_BACK, FREE)).sum())


def count_cut_q(cuts: Any) -> int:
    """Length of the coordinates of the joints that close loops, and of the offsets of couplings."""
    return int(sum(4 if kind >= ATTITUDE else 1 for kind in cuts.measure_kind)) + cuts.coupling_law.size


def count_cut_rates(cuts: Any) -> int:
    """Length of the rates of the joints that close loops; the last one has room for the three of an attitude."""
    return int(cuts.measure_rate.max() + 4) if cuts.measure_rate.size else 0
