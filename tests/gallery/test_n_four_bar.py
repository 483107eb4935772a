"""N four-bars and the double one: structure, and the motion of the one crank that all follow."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw
from linkwork.gallery import double_four_bar, n_four_bar


def crank(n, until, length=1.0, speed=1.0, gravity=9.81):
    """Angle and rate of the cranks from the equation of the single degree of freedom."""
    pull = gravity / length * ((n + 1) / 2 + n) / ((n + 1) / 3 + n)
    solution = solve_ivp(
        lambda t, y: (y[1], pull * np.sin(y[0])),
        (0.0, until),
        (0.0, speed / length),
        method="DOP853",
        rtol=1e-13,
        atol=1e-13,
    )
    return solution.y[:, -1]


@pytest.mark.parametrize("n", [1, 2, 5])
def test_structure(n):
    report = lw.check(n_four_bar.build(n=n))
    assert report.bodies == 2 * n + 1
    assert report.joints == 3 * n + 1
    assert report.degrees_of_freedom == 1
    assert report.cuts == [f"right pin {k}" for k in range(1, n + 1)]
    # of the five rows of a plane hinge three hold what the plane holds already
    assert report.rows == 5 * n
    assert report.redundant_rows == 3 * n


def test_double_four_bar_is_n_four_bar_with_two_windows():
    one, other = double_four_bar.build(speed=2.0), n_four_bar.build(n=2, speed=2.0, name="double four bar")
    assert one == other


def test_start():
    run = lw.simulate(double_four_bar.build(), until=1e-3, dt=1e-3)
    assert double_four_bar.tip(run)[0] == pytest.approx((0, 1, 1, 0), abs=1e-14)
    assert run.energy["kinetic"][0] == pytest.approx(1.5, rel=1e-14)
    assert run.energy["potential"][0] == pytest.approx(3.5 * 9.81, rel=1e-14)


@pytest.mark.parametrize(
    ("n", "length", "speed", "gravity"), [(1, 1.0, 1.0, 9.81), (3, 0.5, -2.0, 4.0), (6, 2.0, 0.3, 9.81)]
)
def test_moves_as_one_crank(n, length, speed, gravity):
    model = n_four_bar.build(n=n, length=length, speed=speed, gravity=gravity, mass=2.0)
    run = lw.simulate(model, until=2.0, dt=1e-3, every=10)
    angle, rate = crank(n, 2.0, length, speed, gravity)
    assert run["foot 0.position"][-1] == pytest.approx(angle, abs=1e-8)
    assert run["foot 0.velocity"][-1] == pytest.approx(rate, abs=1e-7)
    angles = np.array([run[f"foot {k}.position"] for k in range(n + 1)])
    assert np.ptp(angles, axis=0).max() < 1e-10


@pytest.mark.parametrize("n", [0, 1.5])
def test_refuses_half_windows(n):
    with pytest.raises(lw.ModelError, match="whole number of windows"):
        n_four_bar.build(n=n)
