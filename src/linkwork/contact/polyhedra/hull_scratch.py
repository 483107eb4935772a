"""Scratch of `gjk.py` and `epa.py`: points of the Minkowski difference of the pair at hand."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

POINTS = 96  # of the polytope that expands, at most
FACES = 2 * POINTS


class HullScratch(NamedTuple):
    """The first four points are the simplex of gjk.py. World axes, m."""

    start: Any  # (collider,) vertex at which the last climb ended; written by gjk.support
    point: Any  # (point, 3) corner of i less corner of j
    corner: Any  # (point, 2) which corners
    weight: Any  # (4,) of the simplex: where its point nearest to the origin is
    face: Any  # (face, 3) points of a face of the polytope
    normal: Any  # (face, 3) unit, outward
    height: Any  # (face,) m, of the face over the origin
    rim: Any  # (edge, 2) around the faces that a new point sees


def make_hull_scratch(colliders: Any) -> HullScratch:
    """Scratch for a table of colliders."""
    return HullScratch(
        start=colliders.vertex_start[:-1].copy(),
        point=np.zeros((POINTS, 3)),
        corner=np.zeros((POINTS, 2), dtype=np.int64),
        weight=np.zeros(4),
        face=np.zeros((FACES, 3), dtype=np.int64),
        normal=np.zeros((FACES, 3)),
        height=np.zeros(FACES),
        rim=np.zeros((FACES, 2), dtype=np.int64),
    )
