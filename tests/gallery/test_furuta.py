"""The Furuta pendulum: up and kept there, pushed, falling as the linearised motion says, by several methods."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.linalg import expm, solve_continuous_are

import linkwork as lw
from linkwork.gallery import furuta


def off(run):
    """Of the pendulum from upright, rad."""
    return np.remainder(run["pin.position"] + math.pi, 2 * math.pi) - math.pi


def test_structure():
    report = lw.check(furuta.build())
    assert (report.bodies, report.joints, report.loops, report.degrees_of_freedom) == (2, 2, 0, 2)


def test_it_swings_up_and_stays():
    run = lw.simulate(furuta.build(), until=furuta.UNTIL, **furuta.METHOD)
    assert abs(off(run)[0]) == pytest.approx(math.pi)
    assert np.abs(off(run)[run.time > 2.5]).max() < 0.3
    assert np.abs(off(run)[run.time > 5.0]).max() < math.radians(1.0)
    assert np.abs(run["shaft.position"][run.time > 5.0]).max() < 0.1
    assert np.abs(run["voltage.value"]).max() == furuta.MOST
    assert np.abs(run["motor.state"]).max() < 2 * furuta.MOST / furuta.MOTOR["resistance"]
    steps = run["pendulum encoder.reading"] / (2 * math.pi / furuta.COUNTS)
    assert steps == pytest.approx(np.round(steps), abs=1e-6)


def test_a_push_is_caught():
    run = lw.simulate(furuta.build(angle=0.0, push=0.1), until=7.0, **furuta.METHOD)
    assert np.abs(off(run)[run.time < 4.0]).max() < math.radians(1.0)
    assert np.abs(off(run)).max() > 0.1
    assert np.abs(off(run)[run.time > 6.5]).max() < math.radians(1.0)


@pytest.mark.parametrize("gravity", [9.81, 1.6])
def test_without_control_it_falls_as_the_linearised_motion(gravity):
    start = 1e-4
    run = lw.simulate(furuta.build(angle=start, control=False, gravity=gravity), until=0.5, method="hybrid", dt=2e-4)
    A, _ = furuta.upright(gravity)
    exact = expm(A * 0.5) @ [0, start, 0, 0]
    grown = exact[1] / start
    assert grown > 3.0
    assert run["pin.position"][-1] / start == pytest.approx(grown, rel=1e-3)
    assert run["shaft.position"][-1] == pytest.approx(exact[0], rel=2e-3)


def test_the_gains_are_those_of_the_regulator():
    A, B = furuta.upright()
    P = solve_continuous_are(A, B, np.diag([4.0, 20.0, 0.1, 0.1]), [[0.5]])
    assert -(B.T @ P)[0] / 0.5 == pytest.approx(furuta.GAINS, rel=0.03)


@pytest.mark.parametrize(("method", "dt"), [("recursive", 2.5e-4), ("semi-recursive", 2.5e-4), ("absolute", 2.5e-4)])
def test_methods_agree_without_steps_of_the_encoders(method, dt):
    model = furuta.build(resolution=0.0)
    ours = lw.simulate(model, until=1.5, method="hybrid", dt=2.5e-4, every=40)
    theirs = lw.simulate(model, until=1.5, method=method, dt=dt, every=40)
    assert theirs.certificate.doubts() == []
    assert theirs["pin.position"] == pytest.approx(ours["pin.position"], abs=2e-3)
    assert theirs["shaft.position"] == pytest.approx(ours["shaft.position"], abs=2e-3)


def test_a_longer_delay_makes_it_fall():
    """What the encoders add is seen: half a fall time of delay cannot be balanced."""
    late = lw.simulate(furuta.build(angle=0.02, delay=0.1), until=3.0, **furuta.METHOD)
    assert np.abs(off(late)).max() > 1.0
