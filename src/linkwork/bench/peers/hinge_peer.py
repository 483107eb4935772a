"""A tree of hinges and slides in an engine whose coordinates there mean what ours do.

Both Drake and DART order their coordinates as joints are added, which here is depth first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.bench.peers.open_tree import Array, Branch, Peer

if TYPE_CHECKING:
    from linkwork.model.subsystem import Model

KINDS = ("revolute", "prismatic", "fixed")


class HingePeer(Peer):
    """A peer with hinges, slides and welds only."""

    def __init__(self, model: Model, joint_names: Iterable[str] | None) -> None:
        super().__init__(model, joint_names)
        for branch in self.branches:
            if branch.kind not in KINDS:
                raise ValueError(f"joint {branch.name!r} is {branch.kind}; these engines get hinges and slides only")

    def one(self, branch: Branch, q: Array, v: Array) -> tuple[Array, Array, Array]:
        return self.plain(branch, q)

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        """Accelerations in our coordinates."""
        q_peer, T, b = self.convert(q, v)
        return np.asarray(np.linalg.solve(T, self.accelerations(q_peer, T @ v) - b), dtype=np.float64)

    def accelerations(self, q: Array, v: Array) -> Array:
        """Theirs, without joint forces."""
        raise NotImplementedError

    def stepper(self, q: Array, v: Array, dt: float) -> Callable[[int], Any]:
        """A function that takes n steps, again and again from the same start."""
        raise NotImplementedError
