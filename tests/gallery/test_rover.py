"""The rover: over its kerb and up its stairs, steered, stopped, and on springs of any stiffness."""

import numpy as np
import pytest

import linkwork as lw
from linkwork import targets
from linkwork.gallery import rover

WHEELS = [f"{axle} {side}" for side in rover.SIDES for axle in rover.AXLES]
RIDE = rover.RIDE + rover.CLEAR  # m, of the hull's middle on level ground


@pytest.fixture(scope="module")
def run():
    return lw.simulate(rover.build(), until=rover.UNTIL, **rover.METHOD)


def pitch(run):
    """How far the hull is turned about y, rad; positive: its nose down."""
    w, x, y, z = run["hull.rotation"].T
    return np.arcsin(2.0 * (w * y - z * x))


def test_climbs_the_kerb_and_comes_down_again(run):
    for wheel in WHEELS:
        x, _, z = run[f"{wheel} wheel.position"].T
        on_top = (x > 1.2) & (x < 1.6)
        assert z[on_top].min() == pytest.approx(rover.RADIUS + 0.1, abs=5e-3), wheel
        assert z[(x > 2.2) & (x < 2.6)].min() == pytest.approx(rover.RADIUS, abs=2e-3), wheel


def test_climbs_the_stairs(run):
    assert run["hull.position"][-1, 0] > 4.4
    assert run["hull.position"][-1, 2] == pytest.approx(RIDE + 4 * 0.08, abs=0.01)
    assert abs(pitch(run)[-1]) < 0.05  # its motors lift the nose a little
    assert pitch(run).min() < -0.2  # as steep as the stairs: 0.08 in 0.3
    for wheel in WHEELS:
        assert run[f"{wheel} wheel.position"][-1, 2] == pytest.approx(rover.RADIUS + 4 * 0.08, abs=5e-3)


def test_hull_is_shaken_less_than_wheels(run):
    over = run.time < 3.5  # the kerb
    hull = np.abs(np.diff(run["hull.velocity"][over, 2]))
    wheel = np.abs(np.diff(run["front left wheel.velocity"][over, 2]))
    assert hull.max() < 0.6 * wheel.max()


def test_arms_stay_inside_their_stops(run):
    for wheel in WHEELS:
        assert np.abs(run[f"{wheel} arm hinge.position"]).max() < 0.6 + 1e-3


def test_books_balance(run):
    assert run.certificate.complete
    assert run.certificate.energy_balance_relative < 0.05
    for name in run:
        assert np.isfinite(run[name]).all(), name


@pytest.mark.long
def test_smaller_steps_agree(run):
    """Over the kerb its way does not depend on the steps; on the stairs wheels slip and catch, sooner or later."""
    fine = lw.simulate(rover.build(), until=rover.UNTIL, method="impulse", dt=2.5e-4, every=80)
    kerb = run.time < 5.0
    assert fine["hull.position"][kerb] == pytest.approx(run["hull.position"][kerb], abs=0.03)
    assert fine["hull.position"][-1, 0] == pytest.approx(run["hull.position"][-1, 0], abs=0.5)
    assert fine["hull.position"][-1, 2] == pytest.approx(run["hull.position"][-1, 2], abs=0.005)
    assert fine.certificate.energy_balance_relative < 0.5 * run.certificate.energy_balance_relative


def test_springs_carry_it_level():
    run = lw.simulate(rover.build(speed=0.0), until=1.0, **rover.METHOD)
    assert run["hull.position"] == pytest.approx(np.tile((0, 0, RIDE), (len(run), 1)), abs=1e-4)
    for wheel in WHEELS:
        load = 9.81 * (30.0 / 6 + rover.ARM_MASS + rover.WHEEL_MASS)
        assert run[f"{wheel} wheel.contact_force"][-1, 2] == pytest.approx(load, rel=1e-3)
    coil = -9.81 * (30.0 / 6 + rover.ARM_MASS / 2) / rover.SEAT
    assert run["front left coil.force"][-1] == pytest.approx(coil, rel=1e-3)


@pytest.mark.parametrize("turn", [0.2, -0.2])
def test_wheels_steer_it(turn):
    run = lw.simulate(rover.build(turn=turn, kerb=0.0, rise=0.0), until=3.0, **rover.METHOD)
    w, x, y, z = run["hull.rotation"][-1]
    heading = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    assert 0.1 < np.sign(turn) * heading < 2.0 * 0.2 * 3.0 / (2.0 * rover.TRACK)  # it slips, as tanks do
    assert np.sign(turn) * run["hull.position"][-1, 1] > 0.1


def test_somebody_drives_it():
    sim = lw.Simulation(rover.build(speed=0.0, kerb=0.0, rise=0.0), lw.Impulse(dt=0.01))
    assert targets.find("rover").keys == rover.KEYS
    assert all(name in sim.inputs for inputs in rover.KEYS.values() for name in inputs)
    sim.inputs.update(rover.KEYS["I"])
    sim.step(200)
    there = sim["hull.position"][0]
    assert there == pytest.approx(6.0 * rover.RADIUS * 2.0, rel=0.1)
    sim.inputs.update(dict.fromkeys(sim.inputs, 0.0))
    sim.step(300)
    assert np.abs(sim["hull.velocity"]).max() < 1e-3
    sim.inputs.update(rover.KEYS["K"])
    sim.step(200)
    assert sim["hull.position"][0] < there - 1.0


@pytest.mark.parametrize(("stiffness", "damping"), [(1e2, 1.0), (1e6, 10.0), (1e10, 1e7)])
def test_no_spring_makes_it_unstable(stiffness, damping):
    model = rover.build(stiffness=stiffness, damping=damping)
    run = lw.simulate(model, until=2.5, method="impulse", dt=0.01, record="hull.*")
    assert run.certificate.complete
    assert run["hull.position"][:, 2].min() > 0.1
    assert run["hull.position"][:, 2].max() < 0.6
    assert np.abs(run["hull.velocity"]).max() < 2.0


def test_refuses_half_a_step():
    with pytest.raises(lw.ModelError, match="rover: steps"):
        rover.build(steps=2.5)
