"""Rows of loops and reduced mass matrices: runs obey them, energies agree, redundant rows change nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest

import linkwork as lw
from known_mechanisms import CLOSING, loop_of
from random_mechanisms import random_tree


def crank(scale: float = 1.0) -> lw.Model:
    """A slider-crank of thin parts: only the slider has mass."""
    model = lw.Model("crank")
    parts = {"crank": (0.1, 0.05), "rod": (0.35, 0.1), "slider": (0.5, 0.0)}
    for name, (x, z) in parts.items():
        mass = 2.0 if name == "slider" else 1e-9
        inertia = (mass * 1e-9 * scale**2,) * 3
        model.body(name, mass=mass, inertia=inertia, position=(x * scale, 0, z * scale))
    model.revolute("main", model.ground, "crank", at=(0, 0, 0), axis=(0, 1, 0))
    model.revolute("pin", "crank", "rod", at=(0.2 * scale, 0, 0.1 * scale), axis=(0, 1, 0))
    model.revolute("end", "rod", "slider", at=(0.5 * scale, 0, 0), axis=(0, 1, 0))
    model.prismatic("bore", model.ground, "slider", axis=(1, 0, 0))
    return model


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_a_slider_crank(scale: float) -> None:
    """The mass of the slider, by the square of its speed at one unit of the independent velocity."""
    system = lw.assemble(crank(scale))
    found = lw.reduced(system, system.q_start)
    assert len(found.names) == 1
    G = lw.constraint_jacobian(system, system.q_start)
    assert np.abs(G @ found.null_space).max() < 1e-12 * max(1.0, scale)
    assert found.null_space[found.independent[0], 0] == pytest.approx(1.0)
    slider = lw.jacobian(system, system.q_start, "slider")[3:] @ found.null_space
    assert found.mass[0, 0] == pytest.approx(2.0 * float((slider**2).sum()), rel=1e-6)
    # of the crank's angle: x = r cos p + sqrt(l^2 - r^2 sin^2 p), p measured from the line of stroke
    r, l, p = math.hypot(0.2, 0.1), math.hypot(0.3, 0.1), math.atan2(0.1, 0.2)
    rate = -r * math.sin(p) - r**2 * math.sin(p) * math.cos(p) / math.sqrt(l**2 - (r * math.sin(p)) ** 2)
    of_crank = found.null_space[0, 0]
    assert math.sqrt(found.mass[0, 0] / 2.0) / abs(of_crank) == pytest.approx(abs(rate) * scale, rel=1e-6)


@pytest.mark.parametrize("kind", CLOSING)
def test_every_joint_that_closes_a_loop(kind: str) -> None:
    """Velocities of a run are spanned, and their kinetic energy is that of the reduced mass matrix."""
    model = loop_of(kind)
    sim = lw.Simulation(model, "recursive", dt=1e-3)
    sim.step(20)
    system, q, v = sim.system, np.array(sim.q), np.array(sim.v)
    found = lw.reduced(system, q)
    G = lw.constraint_jacobian(system, q)
    assert len(found.names) == system.nv - np.linalg.matrix_rank(G, tol=1e-8)
    assert np.abs(found.null_space @ v[found.independent] - v).max() < 1e-8 * max(1.0, np.abs(v).max())
    small = v[found.independent]
    assert small @ found.mass @ small == pytest.approx(v @ lw.mass_matrix(system, q) @ v, rel=1e-7, abs=1e-12)


def test_without_loops_it_is_the_mass_matrix() -> None:
    system = lw.assemble(random_tree(3, 6))
    found = lw.reduced(system, system.q_start)
    assert np.allclose(found.mass, lw.mass_matrix(system, system.q_start))
    assert np.array_equal(found.null_space, np.eye(system.nv))
    assert lw.constraint_jacobian(system, system.q_start).shape == (0, system.nv)


def test_redundant_hinges_change_nothing() -> None:
    one, two = crank(), crank()
    two.revolute("second end", "rod", "slider", at=(0.5, 0.1, 0), axis=(0, 1, 0), cut=True)
    masses = []
    for model in (one, two):
        system = lw.assemble(model)
        found = lw.reduced(system, system.q_start)
        masses.append(found.mass[0, 0] / found.null_space[0, 0] ** 2)
    assert masses[0] == pytest.approx(masses[1], rel=1e-9)
