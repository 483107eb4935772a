"""Errors that stand beside the times: overlap, slip, and energy that came from nowhere, ours and MuJoCo's alike."""

from __future__ import annotations

from typing import Any

import numpy as np

import linkwork as lw
from linkwork.bench import Figure
from linkwork.bench.peers.mujoco_run import Watched

OVERLAP = "deepest overlap on the way, m"
GAIN = "energy from nowhere, of what moved"


def beside(case: str, what: str, ours: float, theirs: float | None) -> Figure:
    """An error of ours, which should be at most MuJoCo's.

    >>> figure = beside("pile", "overlap, m", 1e-4, 2e-4)
    >>> figure.name, figure.verdict
    ('pile: overlap, m', 'pass')
    """
    return Figure(f"{case}: {what}", ours, theirs, theirs)


def rise(energy: Any) -> float:
    """How far a sum of energies rises above what it was before, J: what friction and dampers take never comes back.

    >>> rise([5.0, 3.0, 3.5, 1.0, 2.0])
    1.0
    """
    values = np.asarray(energy, dtype=float)
    return float((values - np.minimum.accumulate(values)).max())


def gain(run: lw.Trajectory) -> float:
    """Energy that neither motors nor a fall explain, J; dampers and friction may hide more."""
    return rise(run.energy["total"] - run.energy["work"])


def overlap_and_gain(case: str, run: lw.Trajectory, peer: Watched | None) -> list[Figure]:
    """Deepest overlap and energy from nowhere on the whole way, both by the energy that moved in our run."""
    scale = run.certificate.energy_scale
    return [
        beside(case, OVERLAP, run.certificate.worst_overlap, None if peer is None else peer.overlap),
        beside(case, GAIN, gain(run) / scale, None if peer is None else rise(peer.unexplained) / scale),
    ]
