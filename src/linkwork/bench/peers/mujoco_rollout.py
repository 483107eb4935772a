"""Many worlds of one tree in MuJoCo, by its `rollout`: C++ threads that keep the state after every step."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.bench.peers.in_mujoco import in_mujoco
from linkwork.bench.peers.open_tree import Array

if TYPE_CHECKING:
    from linkwork.model.subsystem import Model


class MujocoRollout:
    """A tree in so many worlds, each from a start of its own. Its threads live while it is entered.

    Raises ImportError where MuJoCo is not installed. dt in seconds.
    """

    def __init__(self, model: Model, starts: Array, steps: int, *, threads: int, dt: float) -> None:
        from mujoco import rollout

        peer = in_mujoco(model, dt=dt)
        mujoco, self.model = peer.mujoco, peer.model
        whole = mujoco.mjtState.mjSTATE_FULLPHYSICS
        self.first = np.zeros((len(starts), mujoco.mj_stateSize(peer.model, whole)))
        for k, q in enumerate(starts):
            peer.stepper(q, np.zeros(peer.nv), dt)
            mujoco.mj_getState(peer.model, peer.data, self.first[k], whole)
        self.states = np.zeros((len(starts), steps, self.first.shape[1]))  # written again by every run
        self.nq, self.data = peer.model.nq, [mujoco.MjData(peer.model) for _ in range(threads)]
        self.rollout: Any = rollout.Rollout(nthread=threads)

    def run(self) -> Array:
        """All steps of all worlds; joint positions after the last, (world, nq)."""
        self.rollout.rollout(self.model, self.data, self.first, nstep=self.states.shape[1], state=self.states)
        last: Array = self.states[:, -1, 1 : 1 + self.nq]  # after the time
        return last

    def __enter__(self) -> MujocoRollout:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.rollout.close()
