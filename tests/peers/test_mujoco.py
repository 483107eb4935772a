"""Random trees against MuJoCo: mass matrix, inverse and forward dynamics, and one Euler step.

The tree is built on both sides in code, contacts and constraints off. What differs is convention, see
`bench.peers.open_tree`: MuJoCo writes the angular velocity of a free body in the body's axes, has free joints only
on the world, and knows no screw.
"""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from random_mechanisms import ALL, PEER_KINDS, random_tree
from twins import Twin

pytest.importorskip("mujoco", reason="MuJoCo is not installed: pip install mujoco")
from linkwork.bench.peers.in_mujoco import in_mujoco

pytestmark = pytest.mark.peer

KNOWN = tuple(kind for kind in ALL if kind != "screw")
TURNABLE = ("revolute", "prismatic", "cylindrical", "ball", "fixed")  # walked from b to a without ado


def distance(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Largest difference relative to the largest entry."""
    return float(np.max(np.abs(np.asarray(ours) - theirs)) / np.max(np.abs(theirs)))


def trees() -> list[tuple[str, int]]:
    """The four common kinds, each kind alone, and all mixed."""
    alone = [(kind, seed) for kind in KNOWN if kind != "fixed" for seed in (1, 2)]
    return [("common", seed) for seed in range(12)] + alone + [("all", seed) for seed in range(8)]


def tree(kinds: str, seed: int) -> lw.Model:
    chosen = {"common": PEER_KINDS, "all": KNOWN}.get(kinds, (kinds,))
    reverse = TURNABLE if seed % 2 else False
    return random_tree(seed, 3 + seed % 8, chosen, reverse=reverse, free_on_ground=True, armature=seed % 3 != 0)


@pytest.mark.parametrize(("kinds", "seed"), trees())
def test_same_dynamics(kinds: str, seed: int) -> None:
    model = tree(kinds, seed)
    system = lw.assemble(model)
    peer = in_mujoco(model, system.joint_names)
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
    peer = in_mujoco(model)
    twin = Twin(model, [branch.name for branch in peer.ordered])
    rng = np.random.default_rng(seed)
    q, v = twin.random_state(rng)
    a = rng.normal(size=twin.nv)
    assert distance(twin.mass_matrix(q), peer.mass_matrix(q)) < 1e-11
    assert distance(twin.inverse_dynamics(q, v, a), peer.inverse_dynamics(q, v, a)) < 1e-11


@pytest.mark.parametrize("seed", range(4))
def test_same_euler_steps(seed: int) -> None:
    """Semi-implicit Euler is the same recurrence on both sides: v += a h, then q moves by v h."""
    h, steps = 1e-3, 20
    kinds = ("revolute", "prismatic", "ball", "universal", "cylindrical", "planar")
    model = random_tree(seed, 5, kinds, reverse=False)
    system = lw.assemble(model)
    peer = in_mujoco(model, system.joint_names, dt=h)
    q, v = Twin(model, system.joint_names).random_state(np.random.default_rng(seed))
    q_peer, T, _ = peer.convert(q, v)
    peer.mujoco.mj_resetData(peer.model, peer.data)
    peer.data.qpos[:], peer.data.qvel[:] = q_peer, T @ v
    peer.mujoco.mj_step(peer.model, peer.data, nstep=steps)
    for _ in range(steps):
        v = v + h * lw.forward_dynamics(system, q, v, np.zeros(system.nv))
        q = lw.integrate(system, q, v, h)
    q_peer, T, _ = peer.convert(q, v)
    assert q_peer == pytest.approx(np.array(peer.data.qpos), abs=1e-9)
    assert T @ v == pytest.approx(np.array(peer.data.qvel), abs=1e-8)
