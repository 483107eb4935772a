"""The pen of the Peaucellier linkage runs on a straight line."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.gallery import peaucellier


def test_structure():
    report = lw.check(peaucellier.build())
    assert (report.bodies, report.joints, report.loops, report.degrees_of_freedom) == (7, 10, 3, 1)


def test_pen_on_the_line():
    run = lw.simulate(peaucellier.build(), until=5.0, dt=2e-3, every=5)
    pen = peaucellier.pen(run)
    assert np.abs(pen[:, 0] - peaucellier.line()).max() < 1e-12
    assert np.abs(pen[:, 2]).max() < 1e-12
    assert np.ptp(pen[:, 1]) > 0.4
    # inside its reach, where no rods lie stretched
    assert np.abs(run["crank pivot.position"]).max() < 1.2


@pytest.mark.parametrize(
    "sizes", [{"long": 1.2, "short": 0.5, "crank": 0.5}, {"long": 0.6, "short": 0.35, "crank": 0.2}]
)
def test_pen_on_the_line_of_other_linkages(sizes):
    run = lw.simulate(peaucellier.build(**sizes, angle=-0.3), until=0.5, dt=1e-3)
    assert np.abs(peaucellier.pen(run)[:, 0] - peaucellier.line(**sizes)).max() < 1e-9


def test_inversion():
    """|OP| |O pen| = A^2 - C^2: what makes the line straight."""
    run = lw.simulate(peaucellier.build(), until=2.0, dt=2e-3)
    near, pen = run["left near.position"], peaucellier.pen(run)
    product = np.linalg.norm(near, axis=1) * np.linalg.norm(pen, axis=1)
    assert np.abs(product - (0.5**2 - 0.2**2)).max() < 1e-12
    assert np.abs(np.cross(near, pen)).max() < 1e-12


def test_energy_ledger_closes_and_gravity_does_no_work():
    run = lw.simulate(peaucellier.build(), until=2.0, dt=2e-3)
    assert run.certificate.energy_balance_relative < 1e-9
    assert np.ptp(run.energy["potential"]) < 1e-14
    assert run.energy["work"][-1] != 0.0


def test_gravity_across_does_not_change_the_motion():
    runs = [lw.simulate(peaucellier.build(gravity=g), until=1.0, dt=2e-3) for g in (0.0, 9.81)]
    assert runs[0]["crank pivot.position"] == pytest.approx(runs[1]["crank pivot.position"], abs=1e-13)


@pytest.mark.parametrize("wrong", [{"short": 0.6}, {"crank": 0.1}, {"angle": 1.6}, {"crank": 0.4}])
def test_refuses_what_cannot_be_built(wrong):
    with pytest.raises(lw.ModelError, match="peaucellier"):
        peaucellier.build(**wrong)
