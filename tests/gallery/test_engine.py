"""The engine: its parts, the gas in its cylinders, its friction, and how it starts and idles (VK section 5)."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from scipy.integrate import quad

import linkwork as lw
from case_choice import rest_long
from linkwork.gallery import engine, pictures

IDLE = (1000.0, 1100.0)  # rpm, Table 1


@pytest.fixture(scope="module")
def runs():
    """The paper's method and step, with all, two and one cylinder firing."""
    return {
        firing: lw.simulate(engine.build(firing=firing), until=engine.UNTIL, **engine.PRINTED) for firing in (4, 2, 1)
    }


@pytest.fixture(scope="module")
def exact():
    """The same engines with small errors."""
    options = {"until": engine.UNTIL, "dt": 2e-3, "integrator": "adaptive", "rtol": 1e-9, "atol": 1e-9}
    return {n: lw.simulate(engine.build(firing=n), record="main bearing.*", **options) for n in (4, 2, 1)}


def test_ten_bodies_and_thirteen_joints():
    model = engine.build()
    report = lw.check(model)
    assert report.bodies + 1 == 10  # the engine block is the ground
    assert report.joints == 13
    ends = Counter((joint.kind, joint.name.rstrip(" 1234")) for joint in model.all_joints())
    assert ends == {
        ("cylindrical", "small end"): 4,  # rods and pistons
        ("cylindrical", "bore"): 4,  # pistons and block
        ("revolute", "big end"): 4,  # crankshaft and rods
        ("revolute", "main bearing"): 1,  # crankshaft and block
    }
    assert report.degrees_of_freedom == 1
    assert report.redundant_rows == 4
    assert report.notes == []


def test_table_1():
    displacement = engine.DISPLACEMENT
    assert displacement == pytest.approx(9.98e-4, rel=1e-3)
    assert engine.volume(math.pi) / engine.volume(0.0) == pytest.approx(11.8)
    assert engine.volume(math.pi) - engine.volume(0.0) == pytest.approx(engine.AREA * 0.058)
    assert [30 / math.pi * speed for speed in engine.IDLE] == pytest.approx(IDLE, abs=0.5)


def test_volume_is_where_the_piston_is(runs):
    """The law's slider-crank is the one that the bodies make."""
    run = runs[4]
    for number, fires in engine.FIRES.items():
        height = run[f"bore {number}.position"][:, 1]
        below = engine.CRANK + engine.ROD - height
        from_law = [engine.volume(angle - fires) for angle in run["main bearing.position"]]
        assert engine.V_MIN + engine.AREA * below == pytest.approx(np.array(from_law), abs=1e-13)
    # pistons do not turn in their bores
    assert np.abs(run["bore 1.position"][:, 0]).max() < 1e-12


@pytest.mark.parametrize("angle", np.linspace(0.1, 12.0, 9))
def test_opening_is_the_slope_of_volume(angle):
    h = 1e-5
    slope = (engine.volume(angle + h) - engine.volume(angle - h)) / (2 * h)
    assert engine.opening(angle) == pytest.approx(slope, rel=1e-7)


# --- gas --------------------------------------------------------------------------------------------------


def pressure(angle, ignition):
    return engine.pressure(angle, engine.volume(angle), ignition)


def test_otto_cycle():
    """Figure 2: ignition at 50 atmospheres on top of what compression gives, the atmosphere elsewhere."""
    atmosphere = engine.ATMOSPHERE
    near = 1e-9
    assert pressure(near, 50.0) == pytest.approx(50 * atmosphere)
    assert pressure(-near, 50.0) == pytest.approx(11.8**1.4 * atmosphere)
    assert pressure(math.pi - near, 50.0) == pytest.approx(50 * 11.8**-1.4 * atmosphere)
    for angle in (1.5 * math.pi, 2.5 * math.pi):  # exhaust, intake
        assert pressure(angle, 50.0) == atmosphere
    assert pressure(3 * math.pi + near, 50.0) == pytest.approx(atmosphere)  # compression begins where intake ends
    for turns in (2, -2, 100):
        assert pressure(1.0 + turns * 2 * math.pi, 50.0) == pytest.approx(pressure(1.0, 50.0), rel=1e-12)


@pytest.mark.parametrize("ignition", [40.0, 50.0])
def test_work_of_a_cycle(ignition):
    """In closed form; the atmosphere taken off once, twice or not at all makes no difference to it."""
    g, r = engine.HEATS, engine.RATIO
    expansion = ignition * engine.ATMOSPHERE * engine.V_MIN * (1 - r ** (1 - g)) / (g - 1)
    compression = engine.ATMOSPHERE * engine.V_MAX * (r ** (g - 1) - 1) / (g - 1)
    strokes = np.arange(5) * math.pi
    for taken_off in (0.0, engine.ATMOSPHERE, 2 * engine.ATMOSPHERE):
        work = sum(
            quad(lambda a, p=taken_off: (pressure(a, ignition) - p) * engine.opening(a), *span, epsabs=1e-9)[0]
            for span in itertools.pairwise(strokes)
        )
        assert work == pytest.approx(expansion - compression, rel=1e-7)


def gas(model):
    return model.forces["gas"].law.function


def test_gas_torque_has_no_jumps():
    """Pressure jumps at ignition and exhaust, but there the piston stands still."""
    law = gas(engine.build(start=0.0))
    for stroke in range(12, 24):
        left, right = (law(0.0, stroke * math.pi + side, 0.0) for side in (-1e-9, 1e-9))
        assert left == pytest.approx(right, abs=1e-4)


def test_cylinders_fire_one_after_another():
    """Each cylinder once in two turns, half a turn apart in the order 1-2-4-3; pairs of pistons move together."""
    assert [engine.FIRES[n] / math.pi for n in (1, 2, 4, 3)] == [0, 1, 2, 3]
    late = 40 * math.pi  # all of them work
    for firing, times in ((4, 4), (2, 2), (1, 1)):
        law = gas(engine.build(firing=firing))
        angles = late + np.linspace(0, 4 * math.pi, 2000, endpoint=False)
        torque = np.array([law(0.0, angle, 0.0) for angle in angles])
        assert np.sum((torque > 100) & (np.roll(torque, 1) <= 100)) == times
        # over a cycle it is what holds the idling speed against friction
        lost = engine.friction(0.0, 0.0, sum(engine.IDLE) / 2)
        assert torque.mean() == pytest.approx(-lost, rel=1e-3)


def test_nothing_works_before_its_first_intake():
    """From mid-stroke on: cylinder 3 is the first with a whole intake, from 180 to 360 degrees."""
    law = gas(engine.build())
    assert law(0.0, 2 * math.pi - 1e-6, 0.0) == 0.0
    assert law(0.0, 2 * math.pi + 0.5, 0.0) < 0.0  # it compresses
    assert law(0.0, 3 * math.pi + 0.5, 0.0) > 0.0  # and fires
    single = gas(engine.build(firing=1))
    assert single(0.0, 3 * math.pi - 1e-6, 0.0) == 0.0
    assert single(0.0, 4 * math.pi + 0.5, 0.0) > 0.0


def test_torque_on_the_crank_moves_as_forces_on_the_pistons_do():
    """Virtual work: the same force on every piston, once as a force, once through the slope of the volume."""
    force = 400.0

    @lw.compiled
    def by_virtual_work(t, position, velocity):
        torque = 0.0
        for k in range(4):
            angle = position - math.pi * k
            s, c = 0.029 * math.sin(angle), 0.029 * math.cos(angle)
            torque += (k + 1) * force * (s + s * c / math.sqrt(0.01 - s * s))
        return torque

    pushed, turned = engine.build(firing=0, start=0.3), engine.build(firing=0, start=0.3)
    for k, number in enumerate(engine.ORDER):
        pushed.force(f"push {number}", f"piston {number}", -(k + 1) * force, axis=(0, 0, 1))
    turned.torque("push", "main bearing", by_virtual_work)
    a, b = (lw.simulate(model, until=0.3, dt=1e-3, method="absolute", integrator="rk4") for model in (pushed, turned))
    assert np.ptp(a["main bearing.position"]) > 0.3
    assert a["main bearing.position"] == pytest.approx(b["main bearing.position"], abs=2e-8)
    # the rods feel it only where it acts on the pistons
    assert np.abs(a["small end 1.reaction"] - b["small end 1.reaction"]).max() > 300


# --- starter and friction ---------------------------------------------------------------------------------


def test_starter():
    """(53): strong, weak, off."""
    assert engine.starter(0.0, 0.0, 0.0) == pytest.approx(22.0)
    assert engine.starter(0.0, 20.0, 35.0) == pytest.approx(22.0, abs=0.02)
    assert engine.starter(0.0, 20.0, 50.0) == pytest.approx(11.0, abs=0.02)
    assert engine.starter(0.0, 31.4, 90.0) == pytest.approx(11.0)
    assert engine.starter(0.0, 31.5, 0.0) == 0.0


def test_friction():
    """(56)-(57) in Heywood's units: 0.97, 1.17 and 2.67 bar at rest, 1000 and 4571 rpm, as work per cycle."""
    for rpm, bar in ((1000.0, 1.17), (3000.0, 1.87), (6000.0, 3.67)):
        torque = engine.friction(0.0, 0.0, rpm * math.pi / 30)
        assert -torque * 4 * math.pi == pytest.approx(bar * 1e5 * engine.DISPLACEMENT)
    assert engine.friction(0.0, 0.0, 0.0) == 0.0
    assert engine.friction(0.0, 0.0, -50.0) == -engine.friction(0.0, 0.0, 50.0) > 0.0
    # less than the starter, or it would never turn
    assert 7.0 < -engine.friction(0.0, 0.0, 5.0) < 22.0


# --- the run ----------------------------------------------------------------------------------------------


def turned(run, turns):
    """When the crankshaft has made so many turns, s."""
    position = run["main bearing.position"]
    return float(run.time[np.argmax(position - position[0] > 2 * math.pi * turns)])


def test_start(runs, exact):
    """Cranked to 400 rpm in a quarter of a second, slowed by the first compression, running after five turns."""
    for firing, run in runs.items():
        speed = engine.speed(run)
        assert 0.2 < run.time[np.argmax(speed > 400)] < 0.3
        first = (run.time > 0.27) & (run.time < 0.42)
        assert 50 < speed[first].min() < 250
        assert 0.6 < turned(run, 5) < 0.75
        assert speed[run.time > 0.8].min() > 700, firing
        assert np.all(speed[1:] > 0)  # never backwards
        assert turned(run, 5) == pytest.approx(turned(exact[firing], 5), abs=0.004)


def test_fewer_cylinders_run_less_evenly(runs):
    """Figure 3: "the reduction of number of working cylinders significantly increases the irregularity"."""
    settled = runs[4].time > 1.5
    swing = {firing: np.ptp(engine.speed(run)[settled]) for firing, run in runs.items()}
    assert swing[4] < 0.8 * swing[2] < 0.65 * swing[1]
    # one pulse every half turn, turn, two turns
    for firing, run in runs.items():
        speed, turn = engine.speed(run)[settled], np.ptp(run["main bearing.position"][settled]) / (2 * math.pi)
        level = (speed.min() + speed.max()) / 2
        pulses = np.sum((speed[1:] > level) & (speed[:-1] <= level))
        assert pulses == pytest.approx(turn * firing / 2, abs=1.01)


def test_paper_step(runs, exact):
    """Runge-Kutta 2 with 2 ms, 13 degrees of crank angle: curves, not digits. Half the step is ten times nearer."""
    for firing, run in runs.items():
        speed, good = engine.speed(run), engine.speed(exact[firing])
        assert np.abs(speed - good)[run.time < 0.6].max() < 6.0
        late = run.time > 1.0
        assert speed[late].mean() == pytest.approx(good[late].mean(), rel=0.012)
        lag = run["main bearing.position"] - exact[firing]["main bearing.position"]
        assert np.abs(lag).max() / (2 * math.pi) < 0.25  # turns
        options = {**engine.METHOD, "dt": 1e-3, "every": 2}
        half = lw.simulate(engine.build(firing=firing), until=engine.UNTIL, record="main bearing.*", **options)
        nearer = half["main bearing.position"] - exact[firing]["main bearing.position"]
        assert np.abs(nearer).max() < 0.25 * np.abs(lag).max()


def test_drift_is_constant(runs):
    """Figure 4."""
    for run in runs.values():
        running = run.time > 0.8
        for level, most in (("position", 2e-11), ("velocity", 3e-9)):
            first, second = np.array_split(run.drift[level][running], 2)
            assert second.max() < most
            assert second.max() < 4 * first.max()
        assert (run.certificate.rank_min, run.certificate.rank_max) == (53, 53)


@pytest.mark.parametrize("firing", rest_long([4, 2, 1], [1]))
def test_it_idles_as_table_1_says(firing):
    """Left alone for twenty seconds, and measured over the last whole cycles."""
    run = lw.simulate(engine.build(firing=firing), until=20.0, dt=1e-3, integrator="rk4", record="main bearing.*")
    turns = run["main bearing.position"] / (4 * math.pi)
    last = turns > turns[-1] - 8
    speed = 60 * 2 * np.ptp(turns[last]) / np.ptp(run.time[last])
    assert IDLE[0] < speed < IDLE[1]


def test_printed_ignition_is_more_than_idling_needs():
    """50 atmospheres: four cylinders run away from idling, one alone dies."""
    options = {"until": 3.0, "dt": 1e-3, "record": "main bearing.*"}
    four = lw.simulate(engine.build(ignition=50.0), **options)
    assert engine.speed(four)[-1] > 2500
    one = lw.simulate(engine.build(ignition=50.0, firing=1), **options)
    peak = engine.speed(one).max()
    assert engine.speed(one)[-300:].mean() < 0.8 * peak


def test_without_gas_the_starter_turns_and_friction_stops_it():
    run = lw.simulate(engine.build(firing=0), until=4.0, dt=1e-3, record="main bearing.*")
    assert "gas" not in engine.build(firing=0).forces
    assert turned(run, 5) > 0.5
    assert abs(engine.speed(run)[-1]) < 1.0
    assert run.certificate.energy_balance_relative < 1e-6


@pytest.mark.parametrize(
    "parameters", [{"firing": 2, "flywheel": 0.2}, {"start": 0.3, "lean": 0.0, "gravity": 1.6}, {"ignition": 60.0}]
)
def test_other_parameters(parameters):
    model = engine.build(**parameters)
    report = lw.check(model)
    assert (report.degrees_of_freedom, report.notes) == (1, [])
    run = lw.simulate(model, until=0.05, **engine.METHOD)
    assert run.certificate.complete
    assert run.certificate.worst_drift_position < 1e-12


def test_three_cylinders_are_refused():
    with pytest.raises(lw.ModelError, match="firing=4, 2, 1 or 0"):
        engine.build(firing=3)


def test_curves_are_drawn(tmp_path, monkeypatch):
    """Of short runs; all at their full length: python -m linkwork.gallery.pictures."""
    pytest.importorskip("matplotlib")
    for of in (engine, pictures):
        monkeypatch.setattr(of, "UNTIL", 0.1)
    for name, draw in pictures.CURVES.items():
        file = draw(tmp_path)
        assert file.name in (f"{name}.png", f"{name.removesuffix('_loop')}.gif")
        assert file.stat().st_size > 10_000
