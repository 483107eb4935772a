"""The pendulum: where it starts, how long it takes to come back."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ellipk

import linkwork as lw
from linkwork.gallery import pendulum


def test_starts_level_at_rest():
    run = lw.simulate(pendulum.build(), until=1e-3, dt=1e-3)
    assert run["bob.position"][0] == pytest.approx((-1, 0, 0), abs=1e-15)
    assert np.abs(run["bob.velocity"][0]).max() == 0.0
    # all of gravity and none of the rod's pull
    assert run["pin.acceleration"][0] == pytest.approx(-9.81, rel=1e-14)
    assert np.abs(run["pin.reaction"][0]).max() < 1e-13


@pytest.mark.parametrize(("length", "angle", "gravity"), [(1.0, np.pi / 2, 9.81), (0.4, 2.8, 1.6), (3.0, 0.02, 9.81)])
def test_comes_back_after_its_period(length, angle, gravity):
    period = 4 * np.sqrt(length / gravity) * ellipk(np.sin(angle / 2) ** 2)
    model = pendulum.build(length=length, angle=angle, gravity=gravity, mass=7.0)
    run = lw.simulate(model, until=period, dt=period / 4000)
    assert run["pin.position"][-1] == pytest.approx(angle, abs=1e-9)
    assert run["pin.velocity"][-1] == pytest.approx(0.0, abs=1e-8)
    assert run["bob.position"][2000] == pytest.approx((length * np.sin(angle), 0, -length * np.cos(angle)), abs=1e-9)
