"""The manipulator: how its links stand, and where its energy comes from."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import cumulative_simpson

import linkwork as lw
from linkwork.gallery import manipulator


def poses(**parameters):
    model = manipulator.build(**parameters)
    system = lw.assemble(model)
    found = lw.forward_kinematics(system, system.q_start)
    return {name: lw.Frame(x, e) for name, (x, e) in found.items()}


def test_structure():
    model = manipulator.build()
    report = lw.check(model)
    assert (report.bodies, report.joints, report.loops, report.degrees_of_freedom) == (9, 9, 0, 3)
    assert lw.assemble(model).q_start == pytest.approx((0, 2.5, 0))
    assert isinstance(model["link 2"], manipulator.Link)
    assert isinstance(model["link 2.motor"], manipulator.Motor)
    assert report.total_mass == pytest.approx(3 * (2 + 7.7 + 0.71))


def test_first_axis_is_vertical_and_the_others_are_level():
    found = poses()
    axes = [found[f"link {k}.motor.rotor"].direction((0, 1, 0)) for k in (1, 2, 3)]
    assert axes[0] == pytest.approx((0, 0, 1), abs=1e-12)
    assert axes[1] == pytest.approx((1, 0, 0), abs=1e-12)
    assert axes[2] == pytest.approx(axes[1], abs=1e-12)


def test_places_from_the_printed_vectors():
    """Motor on the ground, beam on the rotor's end, next motor on the beam's end; at zero the second beam points up."""
    found = poses(angles=(0, 0, 0))
    assert found["link 1.motor.housing"].position == pytest.approx((0, 0, 0.15), abs=1e-12)
    assert found["link 1.motor.rotor"].position == pytest.approx((0, 0, 0.175), abs=1e-12)
    assert found["link 1.beam.bar"].position == pytest.approx((0, -0.483, 0.37), abs=1e-12)
    assert found["link 2.motor.housing"].position == pytest.approx((0.15, -0.983, 0.37), abs=1e-12)
    assert found["link 2.beam.bar"].position == pytest.approx((0.37, -0.983, 0.853), abs=1e-12)
    assert found["link 3.beam.bar"].position == pytest.approx((0.76, -0.983, 1.819), abs=1e-12)


def test_energy_is_the_work_of_the_motors():
    run = lw.simulate(manipulator.build(), until=1.0, dt=2e-4, integrator="rk4", every=5)
    assert run.certificate.energy_balance_relative < 1e-9
    # the ledger's work is the integral of torque times rate
    power = sum(
        amplitude * np.cos(4 * np.pi * run.time) * run[f"link {k}.motor.shaft.velocity"]
        for k, amplitude in ((1, -600.0), (2, 300.0), (3, -12.0))
    )
    assert run.energy["work"] == pytest.approx(cumulative_simpson(power, x=run.time, initial=0.0), abs=1e-5)


def test_without_motors_and_gravity_it_stays():
    run = lw.simulate(manipulator.build(amplitudes=(0, 0, 0), gravity=0.0), until=0.5, dt=1e-2)
    assert np.ptp(run["link 3.beam.bar.position"], axis=0).max() == 0.0
