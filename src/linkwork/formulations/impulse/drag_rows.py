"""Springs that pull points of bodies to points in the world, as a hand or a mouse does."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel

DRAGS = 4  # bodies that can be dragged at once


class Drags(NamedTuple):
    """All drags that there are now."""

    link: Any  # (drag,) -1 where there is none
    point: Any  # (drag, 3) in the link
    goal: Any  # (drag, 3) world
    soft: Any  # (drag, 3)
    most: Any  # (drag,) N
    least: Any  # (drag,) 1/kg: softness in hertz is reckoned by no heavier a mass, where joints hardly give way


@kernel
def dragging(drags):
    """Whether a body is dragged."""
    for e in range(drags.link.size):
        if drags.link[e] >= 0:
            return True
    return False


def make_drags() -> Drags:
    return Drags(
        np.full(DRAGS, -1, dtype=np.int64),
        np.zeros((DRAGS, 3)),
        np.zeros((DRAGS, 3)),
        np.zeros((DRAGS, 3)),
        np.zeros(DRAGS),
        np.zeros(DRAGS),
    )
