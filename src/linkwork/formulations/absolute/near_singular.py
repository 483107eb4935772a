"""Near singular positions of bodies in absolute coordinates, where rows vanish that hold elsewhere.

Cranks of a parallelogram in line, a linkage that folds flat: there S loses rank, or nearly so. On the joints the motion
is smooth across such a place; off them it is not. With the distance x from the place, and y by which a stage of a step
is off the branch, the vanishing row is x y = 0, its second rate gives y'' = -(2 x' y' + x'' y) / x, and y is some dt^2
in a stage. So near such a place the stages of a step are projected onto the joints before they are evaluated. That is
another continuation off the joints, of the same order, and costs a factorisation or two more. Whether a place is near
is decided at the ends of steps, so that all stages of a step are treated alike.

The measure of the distance is the root of a joint's smallest pivot, as a part of the largest that it has been: it goes
to zero as x does. A place that the next two steps may reach is near. On the place itself x and y cannot be told apart,
and a row that is wrongly taken as independent leads onto another branch: within a thousandth, more than any y of a
stage, the vanishing rows are released. That is one evaluation or none; the next projection corrects its error.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel
from linkwork.numerics.block_sparse import remember_rows

NEAR = 0.02  # distance that is near, whatever the step
REACH = 2.0  # steps that must not come nearer than that
PROJECTIONS = 4  # of a stage at most, each with a factorisation of its own
CLOSED = 1e-12  # of the lengths of the bodies, or rad: a stage with no larger gap is on the joints
LOST = 1e-6  # of the largest pivot: vanishing rows are released below this


class NearSingular(NamedTuple):
    """Carried from step to step, but for y."""

    y: Any  # (q and v,) a stage projected onto the joints; written by `evaluate_bodies`
    root: Any  # (joint,) root of its smallest pivot as a part of the largest, at the last step; `detect_near_singular`
    near: Any  # (1,) 1 where stages are projected; `detect_near_singular`
    looked: Any  # (1,) 1 where the independent rows are known from the geometry; `find_independent_rows`


CARRIED_NEARNESS = ("near_singular.root", "near_singular.near", "near_singular.looked")
CARRIED_ROWS = ("sure", "reference", "floor")  # independent rows, and what their pivots are compared with


def near_singular(nq: int, nv: int, joints: int) -> NearSingular:
    """Memory for so many coordinates, velocities and joints."""
    return NearSingular(np.zeros(nq + nv), np.ones(joints), np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64))


@kernel
def detect_near_singular(s, blocks):
    """At the end of a step: find whether the next one is near a singular position."""
    s.near[0] = 0
    for k in range(blocks.found.size):
        if blocks.found[k] < blocks.sure[k] and s.root[k] == 0.0:
            # fewer rows for the second time: they are not independent
            blocks.sure[k] = blocks.found[k]
            blocks.reference[k] = 0.0
    remember_rows(blocks)
    for k in range(blocks.found.size):
        root = 0.0  # where rows are lost
        if blocks.found[k] == blocks.sure[k]:
            root = math.sqrt(blocks.pivot[k] / blocks.reference[k]) if blocks.reference[k] > 0.0 else 1.0
        if root - REACH * abs(root - s.root[k]) < NEAR:
            s.near[0] = 1
        s.root[k] = root
    for k in range(blocks.found.size):
        blocks.floor[k] = LOST * blocks.reference[k] if s.near[0] == 1 else 0.0
