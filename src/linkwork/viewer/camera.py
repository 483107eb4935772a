"""Where to look from: a camera is three unit vectors in rows: right, up, and towards the viewer."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

VIEWS = {
    "front": np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]]),  # along +y: x to the right, z up
    "top": np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1]]),  # from above: x to the right, y up
    "side": np.array([[0, 1.0, 0], [0, 0, 1], [1, 0, 0]]),  # along -x: y to the right, z up
}
LOOKS = {"front": (-90.0, 0.0), "top": (-90.0, 89.99), "side": (0.0, 0.0)}  # azimuth and elevation, degrees
ALONG = ("side", "front", "top")  # the views along x, y and z
NEARLY_ALONG = ((14.0, 10.0), (-76.0, 10.0), (-80.0, 62.0))  # azimuth and elevation near x, y and z, degrees
OBLIQUE = (-60.0, 18.0)  # where there is no common axis


def camera_from(azimuth: float, elevation: float) -> Floats:
    """The camera at an azimuth and an elevation, degrees.

    >>> camera_from(-90.0, 0.0).round(12).tolist() == VIEWS["front"].tolist()
    True
    """
    turn, up = math.radians(azimuth), math.radians(elevation)
    towards = np.array([math.cos(up) * math.cos(turn), math.cos(up) * math.sin(turn), math.sin(up)])
    right = np.array([-math.sin(turn), math.cos(turn), 0.0])
    return np.array([right, np.cross(towards, right), towards])
