"""The quarter car: settles, drops down the kerb, settles again; the energy goes into the shock absorber."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import linkwork as lw
from linkwork.gallery import iltis_suspension


@functools.lru_cache
def run(method: str, dt: float) -> lw.Trajectory:
    return lw.simulate(iltis_suspension.build(), until=iltis_suspension.UNTIL, method=method, dt=dt)


def test_design_forces() -> None:
    start = run("recursive", 1e-3)
    assert start["leaf.force"][0] == pytest.approx(-2728.9, abs=0.1)
    assert start["shock.force"][0] == pytest.approx(-128.0, abs=0.1)
    assert start["tyre.load"][0] == pytest.approx(3829.6, abs=0.1001)


def test_it_settles_twice_ten_centimetres_apart() -> None:
    found = run("recursive", 1e-3)
    height, time = found["guide.position"], found.time
    rest = lw.equilibrium(iltis_suspension.build()).positions["guide"][0]
    assert abs(height[0] - rest) > 1e-3  # not the equilibrium
    assert height[(time > 2) & (time < 3)] == pytest.approx(rest, abs=1e-5)
    assert height[time > 6] == pytest.approx(rest - 0.1, abs=1e-5)
    assert height.min() < rest - 0.15
    assert found["tyre.load"].min() == 0.0  # in the air, for a moment
    weight = 9.81 * (315.0 + 6.0 + 57.35)
    assert found["tyre.load"][-1] == pytest.approx(weight, rel=1e-6)


def test_where_the_energy_goes() -> None:
    """Gravity gave 10 cm and the sag; springs keep some, the falling road takes what was in the tyre, the rest is heat.

    The accounts lose their order where the tyre leaves the road and comes back.
    """
    energy = run("recursive", 2.5e-4).energy
    lost = energy["potential"][0] - energy["potential"][-1]
    sag = run("recursive", 1e-3)["guide.position"][0] - run("recursive", 1e-3)["guide.position"][-1]
    assert lost == pytest.approx(9.81 * 378.35 * sag, rel=0.05)
    assert np.all(np.diff(energy["dissipated"]) >= 0)
    assert lost - energy["dissipated"][-1] == pytest.approx(
        energy["springs"][-1] - energy["springs"][0] - energy["work"][-1], abs=0.5
    )
    assert np.abs(energy["balance"]).max() < 0.5


@pytest.mark.parametrize(("dt", "error"), [(1e-2, 5e-3), (2.5e-3, 1e-3)])
def test_implicit_steps(dt: float, error: float) -> None:
    fine, coarse = run("recursive", 2.5e-4), run("hybrid", dt)
    assert coarse["guide.position"] == pytest.approx(
        np.interp(coarse.time, fine.time, fine["guide.position"]), abs=error
    )
    assert coarse.certificate.worst_drift_position < 1e-8


def test_parameters() -> None:
    model = iltis_suspension.build(mass=400.0, kerb=-0.05, after=0.5, gravity=3.7)
    assert lw.check(model).degrees_of_freedom == 2
    found = lw.simulate(model, until=8.0, dt=1e-3)
    assert found["tyre.load"][-1] == pytest.approx(3.7 * 463.35, rel=1e-5)
    assert found["hub.position"][-1, 2] > 0.35 + 0.05
