"""The hydraulic cylinder: force balance, flow at rest, the stiffness of oil, energy."""

import math

import numpy as np
import pytest

import linkwork as lw

BORE, ROD, STROKE, BULK, DEAD = 0.08, 0.05, 0.6, 1.4e9, 2e-4
A = math.pi / 4 * BORE**2
B = A - math.pi / 4 * ROD**2
SIZE = {"bore": BORE, "rod": ROD, "stroke": STROKE, "bulk_modulus": BULK, "dead_volume": DEAD, "flow": 1e-3}


def jack(mass=2000.0, position=0.3, damping=0.0, gravity=9.81, velocity=0.0, opening=0.0, **options):
    model = lw.Model("jack", gravity=(0, 0, -gravity))
    load = model.body("load", mass=mass, shape=lw.Box((1, 1, 1)))
    start = {"position": position, "velocity": velocity, "damping": damping}
    slide = model.prismatic("slide", model.ground, load, axis=(0, 0, 1), **start)
    model.input("valve", opening)
    law = lw.parts.hydraulic_cylinder(slide, **{**SIZE, "valve": "valve", **options})
    model.torque("jack", slide, law)
    return model


def test_a_load_at_rest_is_the_pressures_times_the_areas():
    bottom = (2000.0 * 9.81 + B * 3e6) / A
    run = lw.simulate(jack(pressures=(bottom, 3e6)), until=0.1, method="recursive", dt=1e-3)
    assert run["jack.torque"] == pytest.approx(2000.0 * 9.81, rel=1e-12)
    assert np.ptp(run["slide.position"]) < 1e-14


@pytest.mark.parametrize("opening", [0.5, -0.4, 3.0])
def test_a_steady_speed_is_that_of_the_orifices(opening):
    """Flow areas times speed, through an orifice on each side, and the forces in balance."""
    model = jack(position=0.3 - 0.2 * math.copysign(1, opening), damping=2e4, opening=opening)
    run = lw.simulate(model, until=0.5, method="hybrid", dt=1e-3)
    u = min(max(opening, -1.0), 1.0)
    v, (p_a, p_b) = run["slide.velocity"][-1], run["jack.state"][-1]
    assert A * p_a - B * p_b == pytest.approx(2000.0 * 9.81 + 2e4 * v, rel=2e-3)
    falls = (2.1e7 - p_a, p_b) if u > 0 else (p_a, 2.1e7 - p_b)
    for area, fall in zip((A, B), falls, strict=True):
        assert area * v == pytest.approx(u * 1e-3 * math.sqrt(fall / 1e6), rel=5e-3)


def test_a_mass_on_oil_swings_with_its_stiffness():
    """Both chambers closed: stiffness bulk (A² / V_a + B² / V_b); the frequency to 1e-4 at a small amplitude."""
    k = BULK * (A**2 / (DEAD + A * 0.3) + B**2 / (DEAD + B * (STROKE - 0.3)))
    period = 2 * math.pi / math.sqrt(k / 2000.0)
    model = jack(gravity=0.0, velocity=1e-3, pressures=(8e6, 8e6 * A / B))
    run = lw.simulate(model, until=10 * period, method="recursive", dt=period / 200)
    v = run["slide.velocity"]
    rises = np.flatnonzero((v[:-1] < 0) & (v[1:] >= 0))
    crossings = run.time[rises] - v[rises] * (run.time[rises + 1] - run.time[rises]) / (v[rises + 1] - v[rises])
    assert np.diff(crossings).mean() == pytest.approx(period, rel=1e-4)
    assert np.abs(v[-200:]).max() == pytest.approx(1e-3, rel=1e-4)  # nothing is lost


def test_energy_of_a_closed_cylinder_is_kinetic_and_in_the_oil():
    """Compressed by dp a volume V of oil has V dp² / (2 bulk); to first order of the small motion."""
    model = jack(gravity=0.0, velocity=1e-3, pressures=(8e6, 8e6 * A / B))
    run = lw.simulate(model, until=0.1, method="recursive", dt=1e-4)
    x, v = run["slide.position"] - 0.3, run["slide.velocity"]
    d_a, d_b = run["jack.state"].T - run["jack.state"][0][:, None]
    oil = 0.5 * (d_a**2 * (DEAD + A * 0.3) + d_b**2 * (DEAD + B * 0.3)) / BULK
    total = 0.5 * 2000.0 * v**2 + oil
    assert np.abs(x).max() > 1e-6
    assert total == pytest.approx(total[0], rel=2e-3)


def test_leakage_lets_the_load_sink():
    """Until both pressures are equal: then the area of the rod alone carries it, and the oil is compressed so far."""
    model = jack(leakage=5e-11, damping=1e5, pressures=(2000.0 * 9.81 / A, 0.0))
    run = lw.simulate(model, until=4.0, method="hybrid", dt=2e-3)
    p = 2000.0 * 9.81 / (A - B)
    assert run["jack.state"][-1] == pytest.approx((p, p), rel=1e-4)
    # A x is pressed out of the bottom, B x of it goes to the rod side: the rest, over the volumes, is dp / bulk
    sunk = 0.3 - run["slide.position"][-1]
    oil = ((p - 2000.0 * 9.81 / A) * (DEAD + A * 0.3) + p * (DEAD + B * 0.3)) / BULK
    assert (A - B) * sunk == pytest.approx(oil, rel=0.02)


def test_a_pulled_cylinder_fills_from_the_tank():
    model = jack(mass=500.0, gravity=-9.81 * 3, pressures=(1e5, 1e5), opening=0.3)  # the load pulls
    run = lw.simulate(model, until=0.15, method="hybrid", dt=1e-3)
    assert run["jack.state"][:, 0].min() > -1e6


def test_a_buffer_ends_the_stroke():
    """Shut in at full pressure: supply times area is the weight and what the buffer holds."""
    model = jack(opening=1.0, buffer=1e7, damping=5e4, position=0.55)
    run = lw.simulate(model, until=2.0, method="hybrid", dt=1e-3)
    beyond = run["slide.position"][-1] - STROKE
    assert run["jack.state"][-1] == pytest.approx((2.1e7, 0.0), abs=1e4)
    assert 1e7 * beyond == pytest.approx(A * 2.1e7 - 2000.0 * 9.81, rel=1e-3)


@pytest.mark.parametrize("method", ["semi-recursive", "global", "recursive"])
def test_methods_agree(method):
    valve = lw.Table((0.0, 0.1, 0.4, 0.5), (0.0, 0.5, 0.5, 0.0))
    model = jack(valve=valve, damping=2e4, position=0.1)
    ours = lw.simulate(model, until=0.6, method="hybrid", dt=2.5e-4, every=40)
    theirs = lw.simulate(model, until=0.6, method=method, dt=2.5e-4, every=40)
    assert theirs["slide.position"] == pytest.approx(ours["slide.position"], abs=2e-5)
    assert theirs["jack.state"] == pytest.approx(ours["jack.state"], abs=5e4)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rod": 0.09}, "the rod of 0.09 m does not fit into the bore of 0.08 m"),
        ({"supply": -1.0}, "supply= the higher pressure"),
        ({"pressures": (1.0, 2.0, 3.0)}, "pressures .* 2 numbers"),
        ({"flow": 0.0}, "flow is 0"),
    ],
)
def test_wrong_numbers_are_named(options, words):
    with pytest.raises(lw.ModelError, match=words):
        jack(**options)
