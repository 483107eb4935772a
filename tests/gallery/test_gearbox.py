"""The planetary gearbox: Willis' equation, torques by virtual work, nothing lost."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.gallery import gearbox
from linkwork.gallery.gearbox import MEMBERS, PLANET, RING, SUN, K
from linkwork.simulation.methods import ALL

IMPULSES = ("impulse", "maximal")
EXACT = [name for name in ALL if name not in IMPULSES]
ITERATED = ("hybrid", "global")  # whose rates are as exact as their iteration


def turns(run, quantity):
    return [run[f"{member} shaft.{quantity}"] for member in MEMBERS]


def test_structure():
    for stages, bodies, free in ((1, 6, 2), (2, 12, 3)):
        report = lw.check(gearbox.build(stages=stages))
        assert (report.bodies, report.degrees_of_freedom, report.notes) == (bodies, free, [])


def test_the_planets_fit():
    assert SUN + 2 * PLANET == RING
    assert (SUN + RING) % 3 == 0


@pytest.mark.parametrize("brake", MEMBERS)
@pytest.mark.parametrize("name", EXACT)
def test_willis(name, brake):
    run = lw.simulate(gearbox.build(brake=brake, rise=0.02), until=0.04, dt=1e-3, method=name)
    sun, carrier, ring = turns(run, "position")
    assert sun.max() + ring.max() > 2.0  # rad
    assert SUN * (sun - carrier) + RING * (ring - carrier) == pytest.approx(0.0, abs=1e-12 * RING)
    assert run["planet 2 pin.position"] == pytest.approx(-SUN / PLANET * (sun - carrier), abs=1e-12)
    sun, carrier, ring = turns(run, "velocity")
    close = 1e-6 if name in ITERATED else 1e-12
    assert SUN * (sun - carrier) + RING * (ring - carrier) == pytest.approx(0.0, abs=close * 100 * RING)
    _, end = gearbox.ways(brake)
    assert run[f"{end} shaft.velocity"][-1] == pytest.approx(gearbox.output_speed(100.0, brake), rel=1e-6)


@pytest.mark.parametrize("brake", MEMBERS)
@pytest.mark.parametrize("name", ALL)
def test_torques_and_power_at_constant_speed(name, brake):
    dt = 5e-4
    run = lw.simulate(gearbox.build(brake=brake, rise=0.0), until=0.01, dt=dt, method=name)
    start, end = gearbox.ways(brake)
    later = slice(2, None)  # impulse methods: from the second step on
    torque = {
        start: run["input.effort"][later],
        brake: run["brake.effort"][later],
        end: np.full(len(run) - 2, -np.copysign(50.0, gearbox.output_speed(1.0, brake))),
    }
    # maximal: its rows turn in a step by the angle of the carrier, and are off by the square of that
    close = 2 * (dt * run["carrier shaft.velocity"].max()) ** 2 + 1e-9 if name == "maximal" else 1e-9
    assert torque["carrier"] == pytest.approx(-(1 + K) * torque["sun"], rel=close)
    assert torque["ring"] == pytest.approx(K * torque["sun"], rel=close)
    assert sum(torque.values()) == pytest.approx(0.0, abs=50 * close)
    assert run["input.power"][later] == pytest.approx(-run["load.power"][later], rel=1e-6 + 2 * close)
    assert run["input.power"][later].min() > 0.0


@pytest.mark.parametrize("name", IMPULSES)
def test_impulse_methods_within_their_order(name):
    errors = []
    for dt in (1e-3, 5e-4):
        run = lw.simulate(gearbox.build(rise=0.02, load=1.0), until=0.04, dt=dt, every=round(1e-3 / dt), method=name)
        exact = lw.simulate(gearbox.build(rise=0.02, load=1.0), until=0.04, dt=1e-3, method="recursive")
        sun, carrier, ring = turns(run, "velocity")
        assert SUN * (sun - carrier) + RING * (ring - carrier) == pytest.approx(0.0, abs=1e-9 * 100 * RING)
        errors.append(np.abs(run["input.effort"] - exact["input.effort"])[1:].max() / exact["input.effort"].max())
    assert errors[1] < 0.6 * errors[0] < 0.1


def test_a_tooth_carries_what_the_torques_say():
    """The planet is in balance: what the sun's teeth put into it goes on into the ring."""
    run = lw.simulate(gearbox.build(rise=0.0), until=0.01, dt=1e-3, method="recursive")
    assert run["ring mesh.effort"] == pytest.approx(-run["brake.effort"], rel=1e-9)
    # wheels that mesh outside push each other the same way round, each with the force of the tooth times its radius
    assert run["sun mesh 1.effort"] == pytest.approx(-run["input.effort"] * PLANET / SUN, rel=1e-9)
    for idle in (2, 3):
        assert run[f"sun mesh {idle}.effort"] == pytest.approx(0.0, abs=1e-9)


def test_two_stages_multiply():
    run = lw.simulate(gearbox.build(stages=2, rise=0.0), until=0.05, dt=1e-3)
    assert run["second carrier shaft.velocity"] == pytest.approx(100.0 / (1 + K) ** 2, rel=1e-12)
    assert run["input.effort"] == pytest.approx(50.0 / (1 + K) ** 2, rel=1e-9)
    assert run["second brake.effort"] == pytest.approx(50.0 * K / (1 + K), rel=1e-9)
    assert run["input.power"] == pytest.approx(-run["load.power"], rel=1e-9)


@pytest.mark.parametrize("wrong", [{"brake": "planet"}, {"stages": 3}, {"stages": 2, "brake": "sun"}])
def test_refuses_what_cannot_be_built(wrong):
    with pytest.raises(lw.ModelError, match="gearbox"):
        gearbox.build(**wrong)
