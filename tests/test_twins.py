"""The slow twin is itself checked by differences: what it says of rates must be the rates of what it says of poses."""

from __future__ import annotations

import numpy as np
import pytest

from random_mechanisms import ALL, random_tree
from twins import Twin

H = 1e-5


def vee(W: np.ndarray) -> np.ndarray:
    """The vector of a skew matrix."""
    return np.array([W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]]) / 2


def cases() -> list[tuple[str, int]]:
    """Three bodies tied by one kind of joint, walked both ways, and mixed trees."""
    return [(kind, seed) for kind in ALL if kind != "fixed" for seed in range(3)] + [("all", seed) for seed in range(6)]


@pytest.mark.parametrize(("kind", "seed"), cases())
def test_velocities_are_rates_of_poses(kind: str, seed: int) -> None:
    twin, q, v, _ = made(kind, seed)
    before, after, now = (
        twin.poses(twin.integrate(q, v, -H)),
        twin.poses(twin.integrate(q, v, H)),
        twin.kinematics(q, v),
    )
    for name in before:
        rate = (after[name] - before[name]) / (2 * H)
        R = now[name].pose[:3, :3]
        assert rate[:3, 3] == pytest.approx(now[name].velocity, abs=1e-7)
        assert vee(rate[:3, :3] @ R.T) == pytest.approx(now[name].omega, abs=1e-7)
        assert now[name].Jv @ v == pytest.approx(now[name].velocity, abs=1e-12)
        assert now[name].Jw @ v == pytest.approx(now[name].omega, abs=1e-12)


@pytest.mark.parametrize(("kind", "seed"), cases())
def test_accelerations_are_rates_of_velocities(kind: str, seed: int) -> None:
    twin, q, v, a = made(kind, seed)
    now = twin.kinematics(q, v, a)
    # q(h) = q + v h + a h^2 / 2 along the motion, v(h) = v + a h
    moved = [twin.kinematics(twin.integrate(q, v + a * h / 2, h), v + a * h) for h in (-H, H)]
    for name in now:
        assert (moved[1][name].velocity - moved[0][name].velocity) / (2 * H) == pytest.approx(
            now[name].acceleration, abs=3e-7
        )
        assert (moved[1][name].omega - moved[0][name].omega) / (2 * H) == pytest.approx(now[name].alpha, abs=3e-7)


@pytest.mark.parametrize("seed", range(6))
def test_energy_and_power(seed: int) -> None:
    twin, q, v, a = made("all", seed)
    M = twin.mass_matrix(q)
    assert twin.kinetic_energy(q, v) == pytest.approx(0.5 * v @ M @ v)

    def energy(h: float) -> float:
        x, y = twin.integrate(q, v + a * h / 2, h), v + a * h
        return twin.kinetic_energy(x, y) + twin.potential_energy(x)

    tau = twin.inverse_dynamics(q, v, a)
    assert (energy(H) - energy(-H)) / (2 * H) == pytest.approx(tau @ v, rel=1e-6, abs=1e-6)
    assert twin.forward_dynamics(q, v, tau) == pytest.approx(a, abs=1e-9)


def made(kind: str, seed: int) -> tuple[Twin, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    model = random_tree(seed, 6, ALL, armature=True) if kind == "all" else random_tree(seed, 3, (kind,))
    twin = Twin(model)
    q, v = twin.random_state(rng)
    return twin, q, v, rng.normal(size=twin.nv)
