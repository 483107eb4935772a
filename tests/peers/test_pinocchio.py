"""Random trees against Pinocchio: mass matrix, inverse and forward dynamics.

The tree is built on both sides in code. What differs is convention, see `bench.peers.open_tree`: Pinocchio writes
quaternions x, y, z, w and both velocities of a free flyer in the moving frame.
"""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from random_mechanisms import ALL, PEER_KINDS, random_tree
from twins import Twin

pytest.importorskip("pinocchio", reason="Pinocchio is not installed: pip install pin")
from linkwork.bench.peers.in_pinocchio import in_pinocchio, wxyz, xyzw

pytestmark = pytest.mark.peer

TURNABLE = ("revolute", "prismatic", "cylindrical", "screw", "ball", "fixed")  # walked from b to a without ado


def distance(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Largest difference relative to the largest entry."""
    return float(np.max(np.abs(np.asarray(ours) - theirs)) / np.max(np.abs(theirs)))


def trees() -> list[tuple[str, int]]:
    """The four common kinds, each kind alone, and all mixed."""
    alone = [(kind, seed) for kind in ALL if kind != "fixed" for seed in (1, 2)]
    return [("common", seed) for seed in range(12)] + alone + [("all", seed) for seed in range(8)]


def tree(kinds: str, seed: int) -> lw.Model:
    chosen = {"common": PEER_KINDS, "all": ALL}.get(kinds, (kinds,))
    return random_tree(seed, 3 + seed % 8, chosen, reverse=TURNABLE if seed % 2 else False, armature=seed % 3 == 0)


@pytest.mark.parametrize(("kinds", "seed"), trees())
def test_same_dynamics(kinds: str, seed: int) -> None:
    model = tree(kinds, seed)
    system = lw.assemble(model)
    peer = in_pinocchio(model, system.joint_names)
    rng = np.random.default_rng(seed)
    q, v = Twin(model, system.joint_names).random_state(rng)
    a, tau = rng.normal(size=system.nv), rng.normal(size=system.nv)
    assert (system.nq, system.nv) == (peer.nq, peer.nv)
    assert distance(lw.mass_matrix(system, q), peer.mass_matrix(q)) < 1e-9
    assert distance(lw.inverse_dynamics(system, q, v, a), peer.inverse_dynamics(q, v, a)) < 1e-9
    assert distance(lw.forward_dynamics(system, q, v, tau), peer.forward_dynamics(q, v, tau)) < 1e-9


@pytest.mark.parametrize(("kinds", "seed"), trees())
def test_twin_agrees_too(kinds: str, seed: int) -> None:
    """The slow twin stands between: where linkwork and an engine differ, it says who is right."""
    model = tree(kinds, seed)
    twin, peer = Twin(model), in_pinocchio(model)
    twin = Twin(model, [branch.name for branch in peer.ordered])
    rng = np.random.default_rng(seed)
    q, v = twin.random_state(rng)
    a = rng.normal(size=twin.nv)
    assert distance(twin.mass_matrix(q), peer.mass_matrix(q)) < 1e-11
    assert distance(twin.inverse_dynamics(q, v, a), peer.inverse_dynamics(q, v, a)) < 1e-11


def test_quaternion_orders() -> None:
    q = np.array([0.1, 0.2, 0.3, 0.4])
    assert xyzw(q).tolist() == [0.2, 0.3, 0.4, 0.1]
    assert wxyz(xyzw(q)).tolist() == q.tolist()
