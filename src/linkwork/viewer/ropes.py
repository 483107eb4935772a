"""Which distances are drawn as ropes: those that only pull, as far as a run tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from linkwork.viewer.staging import Stage

ROWS = 2000  # of a run that are looked at
SLIGHT = 1e-3  # of the largest force: a push that is only rounding


def only_pulls(stage: Stage, joint: dict[str, Any]) -> bool | None:
    """Whether a distance joint never pushes its ends apart in the run; None where its reaction was not recorded.

    >>> model = lw.Model("ball on a string")
    >>> ball = model.body("ball", mass=1.0, shape=lw.Sphere(0.1), position=(0, 0, -1))
    >>> joint = model.distance("string", model.ground, ball, length=1.0)
    >>> run = lw.simulate(model, until=0.1, dt=0.01, method="recursive")
    >>> from linkwork.viewer.staging import Stage
    >>> only_pulls(Stage(run), Stage(run).scene["joints"][0])
    True
    """
    name = f"{joint['name']}.reaction"
    if name not in stage.run or "frame_b" not in joint:
        return None
    rows = np.unique(np.linspace(0, len(stage.run) - 1, min(len(stage.run), ROWS)).astype(int))
    force = np.nan_to_num(np.asarray(stage.run[name], dtype=float)[rows, :3])  # on b from a
    ends = [(joint["a"], joint["position"]), (joint["b"], joint["frame_b"][:3])]
    poses = stage.poses(rows)
    a, b = (np.array([stage.world(body, point, row) for row in poses]) for body, point in ends)
    along = (force * (b - a)).sum(axis=1) / np.maximum(np.linalg.norm(b - a, axis=1), 1e-300)
    return bool(along.max() <= SLIGHT * np.abs(along).max())
