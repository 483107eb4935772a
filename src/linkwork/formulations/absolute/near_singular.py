"""Near singular positions of bodies in absolute coordinates, where rows vanish that hold elsewhere.

Cranks of a parallelogram in line, a linkage that folds flat: there S loses rank, or nearly so. On the joints the motion
is smooth across such a place; off them it is not. With the distance x from the place, and y by which a stage of a step
is off the branch, the vanishing row is x y = 0, its second rate gives y'' = -(2 x' y' + x'' y) / x, and y is some dt^2
in a stage. So near such a place the stages of a step are put on the joints before they are evaluated. That is another
way of going on off the joints, of the same order, and needs a factorisation or two more; whether it is near is decided
at the ends of steps, so that all stages of a step are treated alike.

How near it is, as a part of how far it can be, the root of a joint's smallest pivot tells against the largest that it
has been: it goes to zero as x does. A place that the next two steps may reach is near. On the place itself nothing can
tell x from y, and a row that is taken for one leads onto another branch: within a thousandth, more than any y of a
stage, the rows let go. That is one evaluation or none; the next projection undoes what comes of it.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel
from linkwork.numerics.block_sparse import remember_rows

NEAR = 0.02  # and nearer, whatever the step
REACH = 2.0  # steps
ROUNDS = 4  # projections of a stage at most, each with a factorisation of its own
CLOSED = 1e-12  # of the lengths of the bodies, or rad
LOST = 1e-6  # of the largest pivot: there rows let go


class NearSingular(NamedTuple):
    y: Any  # (q and v,) a state on the joints
    root: Any  # (joint,) root of the smallest pivot as a part of its reference, at the last step
    near: Any  # (1,) 1 where stages are put on the joints
    looked: Any  # (1,) 1 where the independent rows are known from the geometry


CARRIED_NEARNESS = ("near_singular.root", "near_singular.near", "near_singular.looked")
CARRIED_ROWS = ("sure", "reference", "floor")  # independent rows, and what their pivots are compared with


def near_singular(nq: int, nv: int, joints: int) -> NearSingular:
    """Memory for so many coordinates, velocities and joints."""
    return NearSingular(np.zeros(nq + nv), np.ones(joints), np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64))


@kernel
def watch(s, blocks):
    """At the end of a step: is the next one near a singular position?"""
    s.near[0] = 0
    for k in range(blocks.found.size):
        if blocks.found[k] < blocks.sure[k] and s.root[k] == 0.0:
            # fewer rows for the second time: then they were none
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
