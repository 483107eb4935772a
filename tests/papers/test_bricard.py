"""Bricard's linkage: six hinges in a ring, which a count of degrees of freedom says cannot move, and which moves.

Rods of 1 m and 1 kg along the edges of a cube; at every corner the hinge stands across both rods. One row of the loop
is redundant everywhere: 6 hinges leave 6 - 5 = 1 degree of freedom, not 0.
"""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw

CORNERS = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], dtype=float)
AXES = [(0, 1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0)]


def bricard(twice: tuple[int, ...] = (), stiffness: float = 0.0) -> lw.Model:
    """The linkage; a second hinge beside some of them, and a torsion spring at the first."""
    model = lw.Model("Bricard", gravity=(0, -9.81, 0))
    rods = [model.ground]
    for k in range(5):
        along = CORNERS[k + 1] - CORNERS[k]
        inertia = np.eye(3) / 12 - np.outer(along, along) * (1 / 12 - 1e-3)
        rods.append(model.body(f"rod {k}", mass=1.0, inertia=inertia, com=along / 2, position=CORNERS[k]))
    rods.append(model.ground)
    for k in range(6):
        model.revolute(f"hinge {k}", rods[k], rods[k + 1], at=CORNERS[k], axis=AXES[k])
    for k in twice:
        at = CORNERS[k] + 0.2 * np.array(AXES[k])
        model.revolute(f"second hinge {k}", rods[k], rods[k + 1], at=at, axis=AXES[k])
    if stiffness:
        model.torsion_spring("spring", "hinge 0", stiffness=stiffness)
    return model


def test_it_can_move() -> None:
    report = lw.check(bricard())
    assert report.degrees_of_freedom == 1
    assert len(report.redundant) == 1


@pytest.mark.parametrize("method", [lw.Hybrid, lw.SemiRecursive])
def test_implicit_methods_agree_with_recursive(method: type) -> None:
    exact = lw.simulate(bricard(), until=1.0, dt=1e-3, method="recursive", integrator="rk4")
    assert np.ptp(exact["hinge 2.position"]) > 0.5
    assert np.ptp(exact["energy.total"]) < 1e-6
    errors = []
    for dt in (0.01, 0.005):
        run = lw.simulate(bricard(), until=1.0, method=method(dt=dt))
        assert run.drift["position"].max() < 1e-8
        stride = round(dt / 1e-3)
        errors.append(
            max(np.abs(run[f"rod {k}.position"] - exact[f"rod {k}.position"][::stride]).max() for k in range(5))
        )
    assert errors[1] < 1e-3
    assert errors[0] / errors[1] > 3.0


def test_it_swings_as_its_energy_says() -> None:
    """One coordinate x: at rest the square of the frequency is V'' / m, with the redundant row in the loop."""
    model = bricard(stiffness=1000.0)
    linear = lw.linearise(model)
    rest = lw.equilibrium(model)
    joint = linear.states[0].removesuffix(".position")
    sim = lw.Simulation(model, method="recursive", dt=1e-3)
    at = rest.positions[joint][0]
    offsets = 0.05 * np.cos(np.pi * (np.arange(24) + 0.5) / 24)
    energies = []
    for offset in offsets:
        sim.reset(joints={joint: at + offset}, velocities={joint: 0.0})
        heights = [
            (
                sim[f"rod {k}.position"]
                + lw.Frame(rotation=sim[f"rod {k}.rotation"]).direction(CORNERS[k + 1] - CORNERS[k]) / 2
            )[1]
            for k in range(5)
        ]
        energies.append(9.81 * sum(heights) + 500.0 * sim["hinge 0.position"] ** 2)
    curve = np.polynomial.Chebyshev.fit(offsets, energies, 12)
    assert abs(curve.deriv()(0.0)) < 1e-6 * abs(curve.deriv(2)(0.0))
    assert linear.K[0, 0] == pytest.approx(curve.deriv(2)(0.0), rel=1e-8)
    frequency = np.sqrt(curve.deriv(2)(0.0) / linear.M[0, 0]) / (2 * np.pi)
    assert linear.modes().frequencies[0] == pytest.approx(frequency, rel=1e-8)


@pytest.mark.parametrize("twice", [(1,), (0, 3), (0, 1, 4)])
def test_second_hinges_change_no_mode(twice: tuple[int, ...]) -> None:
    linear, more = (lw.linearise(bricard(each, stiffness=1000.0)) for each in ((), twice))
    assert (linear.freedom, linear.redundant) == (1, 1)
    assert (more.freedom, more.redundant) == (1, 1 + 5 * len(twice))
    assert more.modes().frequencies == pytest.approx(linear.modes().frequencies, rel=1e-9)
