"""Friction and backlash shut up inside a component: exact at an instant, the laws of both over time."""

from __future__ import annotations

import math
import threading

import numpy as np
import pytest

import linkwork as lw
from linkwork.distribute.server import serve
from linkwork.distribute.socket_transport import pair
from linkwork.distribute.substitute import substitute
from linkwork.gallery import friction_damper
from linkwork.gallery.friction_damper import FrictionDamper

SIDES = ("left", "right")
START = {"angle": 0.35, "speed": 0.5}
FAST = {"method": "recursive", "dt": 2.5e-4, "every": 8}


@pytest.fixture(scope="module")
def run():
    return lw.simulate(friction_damper.build(**START), until=friction_damper.UNTIL, **FAST)


def swings(run):
    """Largest angles of the pendulum, one swing after another."""
    angle = np.abs(run["pin.position"])
    top = (angle[1:-1] >= angle[:-2]) & (angle[1:-1] > angle[2:])
    return angle[1:-1][top]


# --- what exact means -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "method", [{"method": "component"}, {"method": "component", "coordinates": "joint"}, {"method": "absolute"}]
)
def test_methods_agree(run, method):
    found = lw.simulate(friction_damper.build(**START), until=1.6, **{**FAST, **method})
    # at one instant, in motion and with the friction in full, the sealed solve is the flat one but for round-off
    names = [name for name in run.names if name.endswith(".acceleration")]
    size = max(np.abs(run[name][0]).max() for name in names)
    assert abs(run["left damper.bore.velocity"][0]) > 0.1
    assert max(np.abs(run[name][0] - found[name][0]).max() for name in names) < 1e-11 * size
    # over time as far as the corners of the laws let rounding grow
    for name in found.names:
        if name.endswith(".position"):
            assert np.abs(found[name] - run[name][: len(found)]).max() < 1e-8, name
    assert found.certificate.worst_drift_position < 1e-14


def test_the_response_does_not_know_the_laws():
    """D is that of masses and joints, to the last bit; what is inside acts through r."""
    seen = []
    for friction in (1.5, 1e4):
        sim = lw.Simulation(friction_damper.build(**START, friction=friction), "component")
        seen.append((sim.workspace.factors.D, sim.state.vd))
    assert np.abs(seen[0][0]).max() > 0
    assert np.array_equal(seen[0][0], seen[1][0])
    assert np.abs(seen[0][1] - seen[1][1]).max() > 1e3


def test_verify():
    verdict = lw.verify(FrictionDamper())
    assert verdict.good, str(verdict)
    assert sorted(verdict.ports) == ["rod", "tube"]


def test_sealed_and_elsewhere():
    """One damper served by its owner: the pendulum swings as before, and nobody sees a shoe."""
    options = {"until": 0.15, "dt": 5e-4, "method": "component"}

    def pushed():
        model = friction_damper.build(angle=0.0)  # a part elsewhere starts as its owner has it
        model.torque("push", "pin", lw.Cosine(60.0, frequency=1.0))
        return model

    here, model = lw.simulate(pushed(), **options), pushed()
    ours, theirs = pair(60.0)
    thread = threading.Thread(target=serve, args=(FrictionDamper, theirs), daemon=True)
    thread.start()
    substitute(model, "left damper", lw.Remote(transport=ours))
    there = lw.simulate(model, **options)
    thread.join(30)
    assert not thread.is_alive()
    seen = {
        name.removeprefix("left damper.").rpartition(".")[0] for name in there.names if name.startswith("left damper")
    }
    assert seen == {"tube", "rod"}  # its ports, and nothing inside
    assert np.abs(here["left damper.bore.velocity"]).max() > 0.2
    assert np.abs(there["pin.position"] - here["pin.position"]).max() < 1e-12
    assert there.certificate.energy_balance_relative < 1e-5


# --- friction and play over time --------------------------------------------------------------------------


def test_energy(run):
    assert run.certificate.energy_balance_relative < 1e-7
    # what friction and stops take is booked as work, and is what the pendulum loses
    assert run.energy["work"][-1] == pytest.approx(run.energy["total"][-1] - run.energy["total"][0], abs=1e-6)
    assert run.energy["work"][-1] < -2.5
    # most of it is friction: force times way of the shoes
    lost = 0.0
    for side in SIDES:
        speed = run[f"{side} damper.bore.velocity"]
        lost -= float(np.trapezoid(1.5 * np.tanh(speed / 1e-3) * speed, run.time))
    assert run.energy["work"][-1] < lost < 0.8 * run.energy["work"][-1]


def test_swings_shrink_by_the_same_amount_until_they_fit_the_play(run):
    """Friction takes F times the way: m g l / 2 (a^2 - b^2) = 2 F h (a + b), less what the clearance lets through."""
    size = swings(run)
    assert len(size) > 9
    weight = 9.81 * 10.0 * 0.45  # N m: of the pendulum, to its centre of mass
    step = 4 * 1.5 * friction_damper.HEIGHT / weight
    large = np.diff(size)[:4]
    assert np.all(-large < step)
    assert np.all(-large > 0.75 * step)
    assert np.ptp(large) < 0.1 * step
    # then the pendulum rattles within the play, and nothing takes its energy any more
    late = size[-3:]
    assert np.ptp(late) < 0.01 * late[0]
    assert 0.5 * 0.006 < late[-1] * friction_damper.HEIGHT < 0.006
    after = run.time > 6.5
    for side in SIDES:
        assert np.ptp(run[f"{side} damper.bore.position"][after]) < 1e-4
        play = np.abs(run[f"{side} damper.play.position"])
        assert play.max() < 0.006 + 0.0015  # the stops give way a little
        assert play[after].max() < 0.006 + 1e-4


def test_without_friction_it_swings_on():
    run = lw.simulate(friction_damper.build(friction=0.0, clearance=1.0), until=3.0, **FAST)
    assert swings(run).min() > 0.34
    assert run.certificate.energy_balance_relative < 1e-9


def test_what_should_stick_creeps_as_said():
    """A shoe under three quarters of its friction: creep atanh(3/4), 0.97 mm/s."""
    model = lw.Model("pulled", gravity=(0, 0, 0))
    damper = model.add("damper", FrictionDamper(clearance=0.0))
    model.fixed("wall", model.ground, damper.tube, at=(0, 0, 0))
    model.force("pull", damper.rod, (0.75 * 1.5, 0, 0))
    run = lw.simulate(model, until=0.5, dt=2.5e-4, method="component")
    assert run["damper.bore.velocity"][-1] == pytest.approx(1e-3 * math.atanh(0.75), rel=1e-3)
