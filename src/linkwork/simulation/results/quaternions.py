"""Many turns at once: quaternions (n, 4), w first, on vectors (n, 3)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def turned(q: Floats, x: Floats) -> Floats:
    """Vectors turned by quaternions.

    >>> turned(np.array([[0.0, 0, 0, 1]]), np.array([[1.0, 2, 3]])).tolist()
    [[-1.0, -2.0, 3.0]]
    """
    w, u = q[:, :1], q[:, 1:]
    t = 2.0 * np.cross(u, x)
    return np.asarray(x + w * t + np.cross(u, t))


def product(p: Floats, q: Floats) -> Floats:
    """Turn by q, then by p.

    >>> half = np.sqrt(0.5)
    >>> product(np.array([[half, 0, 0, half]]), np.array([[half, 0, 0, half]])).round(12).tolist()
    [[0.0, 0.0, 0.0, 1.0]]
    """
    w, u = p[:, :1], p[:, 1:]
    s, v = q[:, :1], q[:, 1:]
    return np.hstack([w * s - np.sum(u * v, axis=1, keepdims=True), w * v + s * u + np.cross(u, v)])
