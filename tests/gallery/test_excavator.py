"""The excavator: lengths of its cylinders, forces by virtual work, oil that holds it, several methods."""

from __future__ import annotations

import math

import numpy as np
import pytest

import linkwork as lw
from linkwork.gallery import excavator
from linkwork.gallery.excavator import ELBOW, FOOT, RAMS, WRIST

PINS = {"boom": ("foot", FOOT), "stick": ("elbow", ELBOW), "bucket": ("wrist", WRIST)}


@pytest.fixture(scope="module")
def cycle():
    return lw.simulate(excavator.build(), until=excavator.UNTIL, **excavator.METHOD)


def areas(name):
    bottom = math.pi / 4 * RAMS[name].bore ** 2
    return bottom, bottom - math.pi / 4 * RAMS[name].rod ** 2


def test_structure():
    report = lw.check(excavator.build())
    assert (report.bodies, report.joints, report.loops, report.degrees_of_freedom) == (9, 12, 3, 3)
    assert (report.redundant_rows, report.position_freedoms, report.law_states) == (0, 3, 6)


@pytest.mark.parametrize("name", RAMS)
def test_lengths_are_those_of_the_law_of_cosines(cycle, name):
    ram, (joint, pin) = RAMS[name], PINS[name]
    (a, first), (b, second) = (
        (math.dist(point, pin), math.atan2(point[1] - pin[1], point[0] - pin[0])) for point in (ram.eye, ram.tip)
    )
    angle = second - first - cycle[f"{joint}.position"]  # a turn about y is down
    length = np.sqrt(a**2 + b**2 - 2 * a * b * np.cos(angle))
    moved = cycle[f"{name} cylinder.position"]
    assert np.ptp(moved) > 0.25
    assert length - math.dist(ram.eye, ram.tip) == pytest.approx(moved, abs=1e-9)


@pytest.mark.parametrize("load", [0.0, 1500.0])
def test_at_rest_the_pressures_hold_the_arm_by_virtual_work(load):
    model = excavator.build(load=load, manual=True, leakage=0.0)
    sim = lw.Simulation(model, "recursive", dt=1e-3)
    assert [sim[f"{joint}.acceleration"] for joint, _ in PINS.values()] == pytest.approx([0, 0, 0], abs=1e-9)
    sim.step(500)
    for name in RAMS:
        A, B = areas(name)
        p, q = sim[f"{name} drive.state"]
        assert A * p - B * q == pytest.approx(excavator.push(name, load), rel=1e-6)
        assert sim[f"{name} cylinder.position"] == pytest.approx(0.0, abs=1e-9)


def test_a_shut_valve_holds_the_arm_which_swings_on_the_oil():
    """Pushed by 3 kN for 20 ms it moves by a tenth of a millimetre and comes back."""
    model = excavator.build(manual=True, leakage=0.0)
    model.force("knock", "bucket", lw.Table((0, 0.005, 0.015, 0.02), ((0, 0, 0), (0, 0, 3e3), (0, 0, 3e3), (0, 0, 0))))
    run = lw.simulate(model, until=4.0, method="hybrid", dt=1e-3)
    moved = run["boom cylinder.position"]
    assert 1e-5 < np.abs(moved).max() < 1e-3
    swings = np.count_nonzero(np.diff(np.sign(moved[run.time > 0.1])))
    assert swings > 10
    assert np.abs(moved[run.time > 3.0]).max() < np.abs(moved[run.time < 1.0]).max()  # seals take some of it
    assert np.abs(moved[run.time > 3.0].mean()) < 0.1 * np.abs(moved).max()


def test_the_cycle_stays_within_the_strokes_and_pressures(cycle):
    for name, ram in RAMS.items():
        drawn = cycle[f"{name} cylinder.position"] + math.dist(ram.eye, ram.tip) - ram.closed
        assert drawn.min() > 0.02
        assert drawn.max() < ram.stroke - 0.02
        assert cycle[f"{name} drive.state"].min() > -1e5
        assert cycle[f"{name} drive.state"].max() < 3.5e7
    assert cycle.certificate.worst_drift_position < 1e-9


def test_work_of_the_cylinders_is_what_the_arm_gains_and_the_seals_take(cycle):
    work = sum(
        np.trapezoid(cycle[f"{name} drive.torque"] * cycle[f"{name} cylinder.velocity"], cycle.time) for name in RAMS
    )
    taken = sum(np.trapezoid(2e4 * cycle[f"{name} cylinder.velocity"] ** 2, cycle.time) for name in RAMS)
    energy = cycle.energy["kinetic"] + cycle.energy["potential"]
    assert work == pytest.approx(energy[-1] - energy[0] + taken, rel=5e-3, abs=100.0)


@pytest.mark.parametrize(("method", "dt"), [("recursive", 5e-4), ("semi-recursive", 1e-3), ("global", 1e-3)])
def test_methods_agree(cycle, method, dt):
    run = lw.simulate(excavator.build(), until=4.0, method=method, dt=dt, every=round(0.02 / dt))
    assert run.certificate.doubts() == []
    assert run.certificate.worst_drift_position < 1e-9
    for name in RAMS:
        ours = cycle[f"{name} cylinder.position"][: len(run.time)]
        assert run[f"{name} cylinder.position"] == pytest.approx(ours, abs=2e-5)
        assert run[f"{name} drive.state"] == pytest.approx(cycle[f"{name} drive.state"][: len(run.time)], abs=1e5)


def test_a_valve_is_an_input_and_buffers_end_the_stroke():
    sim = lw.Simulation(excavator.build(manual=True), "hybrid", dt=1e-3)
    sim.inputs["bucket valve"] = 1.0
    sim.step(3000)
    ram = RAMS["bucket"]
    drawn = sim["bucket cylinder.position"] + math.dist(ram.eye, ram.tip) - ram.closed
    assert ram.stroke < drawn < ram.stroke + 0.02
    assert abs(sim["bucket cylinder.velocity"]) < 0.02  # it swings on the oil
