"""V06 chapter 8: the manipulator with the paper's method and step (Adams-Moulton, 0.1 ms), two integrators agreeing."""

from __future__ import annotations

import pytest

import linkwork as lw
from linkwork.gallery import manipulator

SHAFTS = [f"link {k}.motor.shaft" for k in (1, 2, 3)]


def test_two_integrators_agree():
    """The paper finds 1.4e-8 between two programs, in accelerations of up to 150 rad/s2."""
    adams = lw.simulate(manipulator.build(), until=2.0, integrator="abm4", dt=1e-4, every=100)
    runge = lw.simulate(manipulator.build(), until=2.0, integrator="rk4", dt=1e-4, every=100)
    for shaft in SHAFTS:
        for quantity in ("position", "velocity", "acceleration"):
            assert adams[f"{shaft}.{quantity}"] == pytest.approx(runge[f"{shaft}.{quantity}"], abs=1e-9)
    for run in (adams, runge):
        assert run.certificate.energy_balance_relative < 1e-11
        assert run.certificate.worst_drift_position == 0.0
