"""Points and frames that bodies carry, many at once: quaternions (n, 4), w first, and positions (n, 3)."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.simulation.results.quaternions import Floats, product, turned


def along(directions: Any) -> Floats:
    """The shortest turns that bring z to these unit vectors.

    >>> turned(along([[0.6, 0, 0.8]]), np.array([[0.0, 0, 1]])).round(12).tolist()
    [[0.6, 0.0, 0.8]]
    """
    x, y, z = np.asarray(directions, dtype=float).reshape(-1, 3).T
    made = np.stack([1.0 + z, -y, x, np.zeros_like(x)], axis=1)
    made[1.0 + z < 1e-9] = (0.0, 1.0, 0.0, 0.0)  # straight back: half a turn about x
    return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True))


class BodyPoints:
    """Points, or frames, that bodies carry: `bodies` are places in the list of poses, -1 is the world.

    >>> held = BodyPoints([0, -1], [(1, 0, 0), (0, 0, 5)])
    >>> held.points(np.array([[0, 0, 1.0, 0, 0, 0, 1]])).tolist()
    [[-1.0, 0.0, 1.0], [0.0, 0.0, 5.0]]
    """

    def __init__(self, bodies: Any, places: Any, turns: Any = None) -> None:
        self.bodies = np.asarray(bodies, dtype=np.int64)
        self.places = np.asarray(places, dtype=float).reshape(-1, 3)
        self.turns = None if turns is None else np.asarray(turns, dtype=float).reshape(-1, 4)

    def __len__(self) -> int:
        return len(self.bodies)

    def _carriers(self, poses: Floats) -> Floats:
        return np.asarray(np.vstack([poses, [0.0, 0, 0, 1, 0, 0, 0]])[self.bodies])  # -1 is the last: the world

    def points(self, poses: Floats) -> Floats:
        """Where the points are in the world."""
        on = self._carriers(poses)
        return on[:, :3] + turned(on[:, 3:], self.places)

    def rotations(self, poses: Floats) -> Floats:
        """How the frames stand in the world."""
        assert self.turns is not None
        return product(self._carriers(poses)[:, 3:], self.turns)
