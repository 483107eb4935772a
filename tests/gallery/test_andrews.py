"""Andrews' squeezer: its geometry at the start, its first acceleration, its energy."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.gallery import andrews


def test_structure():
    report = lw.check(andrews.build())
    assert (report.bodies, report.joints, report.loops, report.degrees_of_freedom) == (7, 10, 3, 1)
    assert report.redundant_rows == 9
    assert report.total_mass == pytest.approx(0.21023)


def test_start_is_the_published_one():
    run = lw.simulate(andrews.build(), until=1e-5, dt=1e-5)
    assert andrews.angles(run)[0] == pytest.approx(andrews.START, abs=1e-14)
    first = [run[f"{joint}.acceleration"][0] for joint in andrews.JOINTS]
    published = (14222.4439199541139, -10666.8329399655854, 0, 0, 0, 0, 0)
    assert first == pytest.approx(published, rel=1e-11, abs=1e-6)


def test_energy_is_that_of_the_motor():
    run = lw.simulate(andrews.build(), until=0.01, dt=1e-5)
    turned = run["O.position"] - run["O.position"][0]
    assert run.energy["work"] == pytest.approx(0.033 * turned, abs=1e-12)
    assert run.certificate.energy_balance_relative < 1e-8
    assert run.certificate.worst_drift_position < 1e-15


def test_rounded_start_of_the_other_collection():
    run = lw.simulate(andrews.build(beta=-0.0620), until=1e-3, dt=1e-5)
    angles = andrews.angles(run)
    assert angles[0, 0] == pytest.approx(-0.0620, abs=1e-14)
    assert np.abs(angles[0] - andrews.START).max() < 1e-3
    assert run.drift["position"][0] < 1e-15


def test_loops_meet_at_e():
    """The closure equations of the source, from the seven angles."""
    run = lw.simulate(andrews.build(), until=0.005, dt=1e-5, every=50)
    beta, Theta, gamma, Phi, delta, Omega, epsilon = andrews.angles(run).T
    (Ax, Ay), (Bx, By) = andrews.A, andrews.B
    a = andrews
    x = a.rr * np.cos(beta) - a.d * np.cos(beta + Theta)
    y = a.rr * np.sin(beta) - a.d * np.sin(beta + Theta)
    for there in (
        (Bx + a.ss * np.sin(gamma), By - a.ss * np.cos(gamma)),
        (
            Ax + a.e * np.sin(Phi + delta) + a.zt * np.cos(delta),
            Ay - a.e * np.cos(Phi + delta) + a.zt * np.sin(delta),
        ),
        (
            Ax + a.zf * np.cos(Omega + epsilon) + a.u * np.sin(epsilon),
            Ay + a.zf * np.sin(Omega + epsilon) - a.u * np.cos(epsilon),
        ),
    ):
        assert np.hypot(x - there[0], y - there[1]).max() < 1e-15


def test_angles_run_on_over_turns():
    run = lw.simulate(andrews.build(), until=0.02, dt=1e-5, every=10)
    angles = andrews.angles(run)
    assert angles[-1, 0] > 2 * np.pi
    assert np.abs(np.diff(angles, axis=0)).max() < 0.5
    assert angles[:, 0] + angles[:, 1] == pytest.approx(np.unwrap(angles[:, 0] + angles[:, 1]))
    assert andrews.rates(run).shape == angles.shape
