"""Roads in pictures: a strip under the tyres that run on it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from linkwork.model import Frame, Road, Tyre
from linkwork.viewer.solids import Floats, Solid, quads

ALONG, ACROSS = 400, 7  # points of a strip
WIDER = 0.25  # m beside the wheels


def strips(tyres: list[Tyre], poses: Iterable[dict[str, Frame]], time: float) -> list[tuple[Floats, Solid]]:
    """One strip for each road: the line along its middle (k, 3) and the strip, as far as the tyres go in the poses."""
    centres: list[tuple[Road, list[Floats], float]] = []
    for tyre in tyres:
        places = [pose[tyre.body.path].point(tyre.at) for pose in poses]
        for road, found, _ in centres:
            if road == tyre.road:
                found += places
                break
        else:
            centres.append((tyre.road, places, tyre.radius))
    return [_strip(road, np.array(found), radius, time) for road, found, radius in centres]


def _strip(road: Road, centres: Floats, radius: float, time: float) -> tuple[Floats, Solid]:
    low, high = centres.min(axis=0), centres.max(axis=0)
    x = np.linspace(low[0] - 3 * radius, high[0] + 3 * radius, ALONG)
    y = np.linspace(low[1] - WIDER, high[1] + WIDER, ACROSS)
    grid = np.array([[(a, b, road(a, b, time)) for a in x] for b in y])
    return grid[ACROSS // 2], quads(grid, 0)
