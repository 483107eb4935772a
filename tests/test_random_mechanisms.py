"""The makers of random mechanisms keep their promises: repeatable, every kind, loops that do close."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from random_mechanisms import ALL, DEGREES, random_loops, random_tree


def test_same_seed_same_model() -> None:
    assert random_tree(5, 6) == random_tree(5, 6)
    assert random_tree(5, 6) != random_tree(6, 6)
    assert random_loops(5) == random_loops(5)


def test_every_kind_comes_and_both_ways() -> None:
    joints = [joint for seed in range(30) for joint in random_tree(seed, 6).all_joints()]
    assert {joint.kind for joint in joints} == set(ALL)
    outer_first = {
        joint.kind for joint in joints if joint.name.removeprefix("joint") == joint.a.name.removeprefix("body")
    }
    assert outer_first == set(ALL) - {"free"}
    assert any(joint.at is None for joint in joints)
    assert any(joint.at is not None for joint in joints)


@pytest.mark.parametrize("seed", range(20))
def test_loops_close(seed: int) -> None:
    """As built, all joints at zero: the start needs no correction, and the count of freedoms is positive."""
    loops = 1 + seed % 3
    model = random_loops(seed, 6 + seed % 5, loops)
    joints = list(model.all_joints())
    assert sum(DEGREES[joint.kind] for joint in joints) - 6 * loops >= 1
    simulation = lw.Simulation(model, method=lw.Recursive(integrator="rk4", dt=1e-3))
    assert len(simulation.system.cuts) == loops
    assert simulation.q == pytest.approx(simulation.system.q_start, abs=1e-9)
    assert np.max(np.abs(simulation.state.drift[:2])) < 1e-9
