"""Tree dynamics against the slow twin: every joint kind, both ways of walking it, on random trees."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import linkwork as lw
from random_mechanisms import ALL, random_frame, random_loops, random_tree, trees
from twins import Twin, matrix_of

KINDS = [kind for kind in ALL if kind != "fixed"]
CALM = settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


def distance(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Largest difference relative to the largest entry."""
    return float(np.max(np.abs(np.asarray(ours) - theirs)) / np.max(np.abs(theirs)))


def compare(model: lw.Model, seed: int) -> None:
    """All functions of the numbers underneath at one random state."""
    system = lw.assemble(model)
    twin = Twin(model, system.joint_names, system.body_names)
    assert (system.nq, system.nv) == (twin.nq, twin.nv)
    if not twin.nv:
        return
    rng = np.random.default_rng(seed)
    q, v = twin.random_state(rng)
    a, tau = rng.normal(size=twin.nv), rng.normal(size=twin.nv)

    poses = lw.forward_kinematics(system, q)
    assert list(poses) == system.body_names
    for name, T in twin.poses(q).items():
        position, quaternion = poses[name]
        assert position == pytest.approx(T[:3, 3], abs=1e-12)
        assert matrix_of(quaternion) == pytest.approx(T[:3, :3], abs=1e-12)
    body, point = system.body_names[int(rng.integers(len(system.body_names)))], rng.normal(size=3)
    assert lw.jacobian(system, q, body, point) == pytest.approx(np.vstack(twin.jacobian(q, body, point)), abs=1e-12)

    assert distance(lw.mass_matrix(system, q), twin.mass_matrix(q)) < 1e-12
    assert distance(lw.inverse_dynamics(system, q, v, a), twin.inverse_dynamics(q, v, a)) < 1e-12
    assert distance(lw.forward_dynamics(system, q, v, tau), twin.forward_dynamics(q, v, tau)) < 1e-9
    # articulated bodies are the inverse of Newton-Euler
    assert distance(lw.forward_dynamics(system, q, v, lw.inverse_dynamics(system, q, v, a)), a) < 1e-9
    assert lw.integrate(system, q, v, 0.1) == pytest.approx(twin.integrate(q, v, 0.1), abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", KINDS)
def test_one_kind(kind: str, seed: int) -> None:
    compare(random_tree(seed, 1 + seed, (kind,), armature=seed % 2 == 1), seed)


@pytest.mark.parametrize("seed", range(12))
def test_trees_with_rotors(seed: int) -> None:
    compare(random_tree(seed, 2 + seed % 5, rotors=True), seed)


@CALM
@given(model=trees(max_bodies=8), seed=st.integers(0, 1000))
def test_all_kinds(model: lw.Model, seed: int) -> None:
    compare(model, seed)


@CALM
@given(model=trees(max_bodies=8, armature=True, words="at"), seed=st.integers(0, 1000))
def test_all_kinds_placed_in_the_world(model: lw.Model, seed: int) -> None:
    compare(model, seed)


@pytest.mark.parametrize("seed", range(24))
def test_closed_loops(seed: int) -> None:
    """Accelerations on closed loops, some time after the start, with every kind of joint as the closing one.

    The twin is told the coordinates of the closing joints, and refuses them unless its own poses agree.
    """
    loops = 1 + seed % 3
    model = random_loops(seed, 6 + seed % 6, loops)
    system = lw.assemble(model)
    run = lw.simulate(model, until=0.2, dt=2e-3, method="recursive", integrator="rk4")
    q = np.concatenate([np.atleast_1d(run[f"{name}.position"][-1]) for name in system.joint_names])
    v = np.concatenate([np.atleast_1d(run[f"{name}.velocity"][-1]) for name in system.joint_names])
    closing = {name: run[f"{name}.position"][-1] for name in system.cut_names}
    twin = Twin(model, system.joint_names, system.body_names, system.cut_names)
    tau = np.random.default_rng(seed).normal(size=system.nv)
    theirs = twin.closed_forward_dynamics(q, v, tau, closing)
    assert distance(lw.forward_dynamics(system, q, v, tau), theirs) < 1e-7
    recorded = np.concatenate([np.atleast_1d(run[f"{name}.acceleration"][-1]) for name in system.joint_names])
    assert distance(recorded, twin.closed_forward_dynamics(q, v, 0 * tau, closing)) < 1e-7


@pytest.mark.parametrize("words", ["at", "frames"])
def test_inside_subsystems(words: str) -> None:
    """Joints within and across tilted subsystems, a body without a joint among them."""
    rng = np.random.default_rng(7)

    class Arm(lw.Subsystem):
        def build(self) -> None:
            # local frames place their bodies themselves
            high = {"position": (0.1, 0, 0)} if words == "at" else {}
            low = {"position": (0, 1, 0), "rotation": (0.6, 0.8, 0, 0)} if words == "at" else {}
            upper = self.body("upper", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, 0.2), **high)
            lower = self.body("lower", mass=2.0, inertia=(0.1, 0.2, 0.15), **low)
            loose = self.body("loose", mass=0.5, inertia=(0.1, 0.1, 0.1), position=(0, 0, 1))
            self.port("shoulder", upper)
            self.port("thing", loose)
            if words == "at":
                self.universal("elbow", upper, lower, at=(0, 0.5, 0), axis=((1, 0, 0), (0, 0, 1)))
            else:
                self.universal("elbow", upper, lower, frame_a=random_frame(rng), frame_b=random_frame(rng))

    model = lw.Model("two arms", gravity=(1, 2, -9))
    place = random_frame(rng)
    left = model.add("left", Arm(), position=place.position, rotation=place.rotation)
    right = model.add("right", Arm(), position=(0, 2, 0), rotation=(0.8, 0, 0.6, 0))
    if words == "at":
        model.revolute("first", model.ground, left.shoulder, at=(0, 0, 1), axis=(1, 1, 0))
        model.planar("second", right.shoulder, left["lower"], at=(0, 1, 1), axis=(1, 2, 3))
    else:
        model.revolute("first", left.ground, left.shoulder, frame_a=random_frame(rng), frame_b=random_frame(rng))
        model.planar("second", right.shoulder, left["lower"], frame_a=random_frame(rng), frame_b=random_frame(rng))
    compare(model, 1)
