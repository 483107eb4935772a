"""Random trees against Pinocchio: mass matrix, inverse and forward dynamics, and the slopes of the latter.

The tree is built on both sides in code. What differs is convention, see `bench.peers.open_tree`: Pinocchio writes
quaternions x, y, z, w and both velocities of a free flyer in the moving frame.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import linkwork as lw
from random_mechanisms import ALL, PEER_KINDS, random_tree
from twins import Twin

pytest.importorskip("pinocchio", reason="Pinocchio is not installed: pip install pin")
from linkwork.bench.peers.in_pinocchio import in_pinocchio, wxyz, xyzw

pytestmark = pytest.mark.peer

TURNABLE = ("revolute", "prismatic", "cylindrical", "screw", "ball", "fixed")  # walked from b to a without ado

# Pinocchio's slopes leave out that the axes of composite joints (universal, planar) turn in them
STEADY_KINDS = (*PEER_KINDS, "screw", "cylindrical", "fixed")


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


def cross_matrix(x: np.ndarray) -> np.ndarray:
    return np.cross(x, np.eye(3)).T


def slopes_of_pinocchio(peer, system, q, v) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """d accelerations / d displacements, velocities and efforts, in our coordinates: T a + b are those of Pinocchio.

    The axes of free joints turn with a displacement, so T and b change with it there: T v by v x d, and b = -w x u.
    """
    q_peer, T, b = peer.convert(q, v)
    efforts = np.zeros(system.nv)
    by_q, by_v, by_effort = (
        np.array(each) for each in peer.pin.computeABADerivatives(peer.model, peer.data, q_peer, T @ v, efforts)
    )
    by_effort = np.triu(by_effort) + np.triu(by_effort, 1).T
    a = np.linalg.solve(T, peer.raw_forward_dynamics(q_peer, T @ v, efforts) - b)
    turned_v, turned_a = np.zeros_like(T), np.zeros_like(T)  # change of T v and T a with displacements
    b_by_v = np.zeros_like(T)  # change of b with T v
    for place in system.joints:
        if place.kind == "free":
            k = place.v.start
            their = peer.theirs[place.name][1]
            R = T[their : their + 3, k : k + 3].T
            for part in (0, 3):
                rows, turns = slice(their + part, their + part + 3), slice(k + 3, k + 6)
                turned_v[rows, turns] = R.T @ cross_matrix(v[k + part : k + part + 3])
                turned_a[rows, turns] = R.T @ cross_matrix(a[k + part : k + part + 3])
            linear, angular = slice(their, their + 3), slice(their + 3, their + 6)
            b_by_v[linear, linear] = -cross_matrix((T @ v)[angular])
            b_by_v[linear, angular] = cross_matrix((T @ v)[linear])
    displaced = by_q @ T + by_v @ turned_v - b_by_v @ turned_v - turned_a
    return (
        np.linalg.solve(T, displaced),
        np.linalg.solve(T, (by_v - b_by_v) @ T),
        np.linalg.solve(T, by_effort) @ np.linalg.inv(T).T,
    )


@pytest.mark.parametrize("seed", range(30))
def test_same_linear_models(seed: int) -> None:
    """Stiffness, damping and inputs of random trees in random motion against the analytic slopes of Pinocchio."""
    model = random_tree(seed, 3 + seed % 10, STEADY_KINDS, reverse=False, armature=seed % 2 == 0)
    pushed = [joint for joint in model.all_joints() if joint.kind in ("revolute", "prismatic", "screw")]
    inputs = [model.torque(f"push {joint.name}", joint, 0.0).name for joint in pushed]
    system = lw.assemble(model)
    peer = in_pinocchio(model, system.joint_names)
    q, v = Twin(model, system.joint_names).random_state(np.random.default_rng(seed))
    linear = lw.linearise(replace(system, q_start=q, v_start=v), at="start", inputs=inputs)
    by_q, by_v, by_effort = slopes_of_pinocchio(peer, system, q, v)
    n = system.nv
    places = {place.name: place.v.start for place in system.joints}
    assert linear.freedom == n
    assert distance(linear.A[n:, :n], by_q) < 1e-10
    assert distance(linear.A[n:, n:], by_v) < 1e-10
    for k, joint in enumerate(pushed):
        assert distance(linear.B[n:, k], by_effort[:, places[joint.name]]) < 1e-10


@pytest.mark.parametrize("kind", ["universal", "planar"])
def test_same_linear_models_of_joints_whose_axes_turn(kind: str) -> None:
    """Where the slopes of Pinocchio leave something out, differences of its accelerations."""
    model = random_tree(3, 4, (kind,), reverse=False)
    system = lw.assemble(model)
    peer = in_pinocchio(model, system.joint_names)
    q, v = Twin(model, system.joint_names).random_state(np.random.default_rng(3))
    n, (q_peer, T, _) = system.nv, peer.convert(q, v)
    linear = lw.linearise(replace(system, q_start=q, v_start=v), at="start")

    def accelerations(d: np.ndarray) -> np.ndarray:
        moved = peer.pin.integrate(peer.model, q_peer, T @ d)
        return np.linalg.solve(T, peer.raw_forward_dynamics(moved, T @ v, np.zeros(n)))

    wanted = np.zeros((n, n))
    for k in range(n):
        d = 1e-3 * np.eye(n)[k]
        coarse, fine, finest = ((accelerations(s * d) - accelerations(-s * d)) / (2e-3 * s) for s in (1.0, 0.5, 0.25))
        wanted[:, k] = (64.0 * finest - 20.0 * fine + coarse) / 45.0
    assert distance(linear.A[n:, :n], wanted) < 1e-9


def test_quaternion_orders() -> None:
    q = np.array([0.1, 0.2, 0.3, 0.4])
    assert xyzw(q).tolist() == [0.2, 0.3, 0.4, 0.1]
    assert wxyz(xyzw(q)).tolist() == q.tolist()
