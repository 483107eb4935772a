"""The chain: any length, with friction down to rest, without it for ever."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.gallery import chain


def test_starts_level():
    run = lw.simulate(chain.build(), until=1e-3, dt=1e-3)
    for k in range(1, 6):
        assert run[f"link {k}.position"][0] == pytest.approx((0.3 * (k - 1), 0, 0), abs=1e-15)


def test_energy_goes_into_the_hinges_and_nowhere_else():
    run = lw.simulate(chain.build(), until=2.0, dt=5e-4, every=20)
    assert run.certificate.energy_balance_relative < 1e-9
    assert np.diff(run.energy["dissipated"]).min() >= 0.0
    assert run.energy["dissipated"][-1] > 5.0


def test_without_friction_energy_stays():
    run = lw.simulate(chain.build(damping=0.0), until=1.0, dt=5e-4, every=20)
    assert np.ptp(run.energy["total"]) < 1e-8 * run.energy["kinetic"].max()
    assert run.energy["dissipated"][-1] == 0.0


def test_comes_to_rest_hanging():
    run = lw.simulate(chain.build(n=3, damping=1.0), until=20.0, dt=2e-3, every=100)
    hanging = -9.81 * 0.3 * sum(k - 0.5 for k in (1, 2, 3))
    assert run.energy["total"][-1] == pytest.approx(hanging, abs=1e-5)
    assert max(abs(run[f"hinge {k}.position"][-1]) for k in (1, 2, 3)) < 1e-3


def test_one_link_is_a_pendulum():
    run = lw.simulate(chain.build(n=1, damping=0.0, angle=0.001, length=0.5), until=1.0, dt=1e-3)
    rod = chain.build(n=1, length=0.5).bodies["link 1"]
    rate = np.sqrt(rod.mass * 9.81 * 0.25 / (rod.inertia[1, 1] + rod.mass * 0.25**2))
    assert run["hinge 1.position"] == pytest.approx(0.001 * np.cos(rate * run.time), abs=1e-9)


def test_dry_friction_waits_for_a_method_that_has_it():
    model = chain.build(friction=0.1)
    with pytest.raises(lw.OptionError, match="friction"):
        lw.simulate(model, until=0.1, method="recursive", dt=1e-3)
    assert lw.simulate(model, until=0.01, method="recursive", dt=1e-3, ignore="friction").certificate.complete


@pytest.mark.parametrize("n", [0, -1, 2.5])
def test_refuses_half_chains(n):
    with pytest.raises(lw.ModelError, match="whole number of links"):
        chain.build(n=n)
