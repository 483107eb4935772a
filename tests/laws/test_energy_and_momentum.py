"""Energy of whatever falls, and the momenta of whatever floats: kept to the order of the integrator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwork as lw
from case_choice import rest_long
from known_methods import EXPLICIT
from measured import EPS, momenta, shrinks
from random_mechanisms import random_body_numbers, random_frame, random_loops, random_tree

FASTEST = 20.0  # rad/s: nothing here turns faster, so an error of one step is some part of (FASTEST dt)^5


def worst_balance(model: lw.Model, dt: float, **options: Any) -> tuple[float, float]:
    run = lw.simulate(model, until=0.32, dt=dt, record=["*.reaction"], **options)
    assert np.array_equal(run.energy["work"], np.zeros(len(run)))
    return run.certificate.energy_balance_worst, run.certificate.energy_scale


def keeps_energy(model: lw.Model, **options: Any) -> None:
    """The balance is small and shrinks with dt^4."""
    coarse, scale = worst_balance(model, 4e-3, **options)
    fine, _ = worst_balance(model, 2e-3, **options)
    assert coarse < (FASTEST * 4e-3) ** 4 * scale
    assert shrinks(coarse, fine, 4, 400 * EPS * scale)


@pytest.mark.parametrize("method", EXPLICIT)
@pytest.mark.parametrize("seed", rest_long(range(10), range(4)))
def test_random_trees(seed: int, method: str) -> None:
    """Every joint kind, both ways of walking it, free bodies on moving ones, tilted gravity."""
    keeps_energy(random_tree(seed, 4 + seed % 4), method=method)


@pytest.mark.parametrize("method", EXPLICIT)
@pytest.mark.parametrize("seed", rest_long(range(10), range(4)))
def test_random_loops(seed: int, method: str) -> None:
    keeps_energy(random_loops(seed, 6 + seed % 4, 1 + seed % 3), method=method)


@pytest.mark.parametrize("seed", range(3))
def test_rotors_carry_energy(seed: int) -> None:
    keeps_energy(random_tree(seed, 5, ("revolute", "prismatic", "universal", "screw", "planar"), armature=True))


def floating(seed: int, *, loop: bool = False, gravity: Any = (0, 0, 0)) -> lw.Model:
    """A free body with four others on it, as a tree or as a ring of five with a spring across; all in motion."""
    rng = np.random.default_rng(seed)
    model = lw.Model("floating", gravity=gravity)
    bodies = [model.body(f"body {i}", **random_body_numbers(rng)) for i in range(5)]
    speed = rng.uniform(-1, 1, 6)
    model.free("flight", model.ground, bodies[0], position=(*rng.normal(size=3), 1, 0, 0, 0), velocity=speed)
    for i, (kind, nv) in enumerate({"revolute": 1, "ball": 3, "universal": 2, "planar": 3}.items()):
        inner = bodies[i] if loop else bodies[int(rng.integers(0, i + 1))]
        ends = (inner, bodies[i + 1]) if rng.random() < 0.6 else (bodies[i + 1], inner)
        words = {"frame_a": random_frame(rng), "frame_b": random_frame(rng)}
        if not loop or i == 1:  # a ring has not so many speeds to choose
            words["velocity"] = rng.uniform(-1, 1, nv)
        getattr(model, kind)(kind, *ends, **words)
    if loop:
        system = lw.assemble(model)
        poses = lw.forward_kinematics(system, system.q_start)
        there = lw.Frame(*poses["body 0"]).inverse() @ lw.Frame(*poses["body 4"])
        model.ball("closing", bodies[0], bodies[4], frame_a=there, frame_b=lw.Frame())
        model.spring("cord", bodies[1], bodies[3], at_a=(0.1, 0, 0), at_b=(0, 0.2, 0), stiffness=5.0, length=0.2)
    return model


@pytest.mark.parametrize("method", EXPLICIT)
@pytest.mark.parametrize("loop", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_momenta_of_what_floats(seed: int, loop: bool, method: str) -> None:
    """No force from outside: linear and angular momentum stay, though joints, a spring and a loop pull inside."""
    found = []
    for dt in (4e-3, 2e-3):
        model = floating(seed, loop=loop)
        run = lw.simulate(model, until=0.32, dt=dt, every=round(0.04 / dt), method=method)
        p = momenta(run, model)
        found.append(float(np.max(np.abs(p - p[0]))))
    size = float(np.max(np.abs(p[0])))
    assert found[0] < (FASTEST * 4e-3) ** 4 * size
    assert shrinks(found[0], found[1], 4, 400 * EPS * size)


def test_centre_of_mass_falls_as_a_stone() -> None:
    """What floats falls: its momentum grows by m g t, whatever its limbs do."""
    model = floating(1, gravity=(0.5, 0, -9.0))
    run = lw.simulate(model, until=0.5, dt=1e-3, every=100)
    p = momenta(run, model)[:, :3]
    mass = sum(body.mass for body in model.bodies.values())
    wanted = p[0] + mass * np.outer(run.time, model.gravity)
    assert np.max(np.abs(p - wanted)) < (FASTEST * 1e-3) ** 4 * np.max(np.abs(p))
