"""What couplings do to the links that they hold."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from linkwork.assembly.tables import Floats
from linkwork.mechanics.rows.rows import term_wrench
from linkwork.simulation.starts.start import Closure


def coupled_wrenches(closure: Closure) -> Iterator[tuple[int, int, int, Floats]]:
    """Of every term of a coupling: its row, its links a and b, and what it does to b for a unit of the row.

    The wrench is the torque about the world's origin, then the force, where `closure` stands.
    """
    cuts = closure.tables.cuts
    for j in range(len(closure.system.coupled)):
        for e in range(int(cuts.coupling_term[j]), int(cuts.coupling_term[j + 1])):
            c = int(cuts.term_cut[e])
            wrench = np.concatenate(term_wrench(cuts, closure.work, e))
            yield closure.system.first_coupled + j, int(cuts.cut_a[c]), int(cuts.cut_b[c]), wrench
