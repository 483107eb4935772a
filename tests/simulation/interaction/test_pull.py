"""Bodies dragged in methods without impulses: the force is soft, goes where it is told, and cannot blow up."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.simulation.interaction.drag import GENTLE, Drag
from linkwork.simulation.interaction.pull import pull
from linkwork.simulation.results.columns.observe import Observer


def ball(gravity=0.0):
    model = lw.Model("ball", gravity=(0, 0, -gravity))
    model.body("ball", mass=2.0, shape=lw.Sphere(0.1), position=(1, 0, 0))
    return model


def test_it_moves_as_the_oscillator_that_was_asked_for():
    """Without damping, by one radian of the oscillation: the goal is 0.1 m away, so x = 0.1 (1 - cos 1)."""
    sim = lw.Simulation(ball(), "recursive", dt=1e-4)
    sim.drag("ball", to=(1.1, 0, 0), softness=lw.Soft(hertz=2.0, damping_ratio=0.0))
    steps = round(1.0 / (4 * np.pi) / 1e-4)
    sim.step(steps)
    assert sim["ball.position"][0] - 1.0 == pytest.approx(0.1 * (1 - np.cos(steps * 1e-4 * 4 * np.pi)), rel=2e-3)


def test_it_comes_to_the_goal_and_is_let_go():
    sim = lw.Simulation(ball(), "recursive", dt=1e-3)
    sim.drag("ball", to=(1, 0, 0.3), at=(0, 0, 0.1))
    sim.step(1500)
    np.testing.assert_allclose(sim["ball.position"], (1, 0, 0.2), atol=1e-6)
    sim.drag("ball", to=(1.5, 0, 0.3), at=(0, 0, 0.1))
    sim.step(20)
    sim.drag("ball", to=None)
    moving = sim["ball.velocity"]
    assert moving[0] > 0.01
    sim.step(100)
    np.testing.assert_allclose(sim["ball.velocity"], moving, atol=1e-12)
    assert sim.tables.forces.load_law.size == 0


def test_the_force_is_bounded():
    sim = lw.Simulation(ball(9.81), "recursive", dt=1e-3)
    sim.drag("ball", to=(1, 0, 5), max_force=10.0)  # less than its weight of 19.6 N
    sim.step(200)
    assert sim["ball.velocity"][2] == pytest.approx((10.0 / 2.0 - 9.81) * 0.2, rel=1e-6)


@pytest.mark.parametrize("dt", [3e-3, 0.01, 0.04])
def test_it_cannot_blow_up(dt):
    """A light hand at the end of heavy links is torn about; whatever comes in is what the ledger says."""
    model = lw.Model("arm")
    mass = {"upper": 20.0, "lower": 5.0, "hand": 0.2}
    last, z = model.ground, 0.0
    for name in mass:
        body = model.body(name, mass=mass[name], shape=lw.Capsule(0.02, 0.4), position=(0, 0, z - 0.2))
        model.revolute(f"{name} pin", last, body, at=(0, 0, z), axis=(0, 1, 0), damping=0.1 * mass[name])
        last, z = body, z - 0.4
    sim = lw.Simulation(model, "recursive", dt=dt)
    goals = np.random.default_rng(3).uniform(-1.0, 1.0, size=(40, 3))
    fastest = 0.0
    for goal in goals:
        sim.drag("hand", to=goal, at=(0, 0, -0.2), softness=lw.Soft(hertz=20.0), max_force=500.0)
        sim.step(max(1, round(0.1 / dt)))
        fastest = max(fastest, np.linalg.norm(sim["hand.velocity"]))
    assert fastest < 60.0
    sim.drag("hand", to=None)
    sim.step(round(20.0 / dt))
    assert np.linalg.norm(sim["hand.velocity"]) < 1.0


def test_loops_stay_closed_and_the_ledger_adds_up():
    model = lw.gallery.double_four_bar.build()
    sim = lw.Simulation(model, "recursive", dt=1e-3)

    def total():
        _, row = Observer(sim.moving, tables=sim.tables).look(sim.stepper.present(), 1)
        stored = sum(float(row[name][0]) for name in ("kinetic", "potential", "springs", "dissipated"))
        return stored - float(row["work"][0]), float(row["drift position"][0])

    before, _ = total()
    sim.drag("coupler 1", to=sim["coupler 1.position"] + (0.5, 0, 0.3))
    sim.step(300)
    sim.drag("coupler 1", to=None)
    sim.step(100)
    after, drift = total()
    assert abs(after - before) < 1e-4  # J, of the 40 J about that move; forces jump from step to step
    assert drift < 1e-12


def test_inputs_and_structure_survive():
    model = ball()
    block = model.body("block", mass=1.0, shape=lw.Box((0.1, 0.1, 0.1)))
    pin = model.revolute("pin", model.ground, block, at=(0, 0, 0), axis=(0, 0, 1))
    model.torque("drive", pin, 0.0)
    sim = lw.Simulation(model, "recursive", dt=1e-3)
    sim.inputs["drive"] = 0.5
    sim.drag("ball", to=(1, 0.2, 0))
    assert sim.inputs["drive"] == 0.5
    sim.step(10)
    assert sim["pin.velocity"] == pytest.approx(0.5 * 0.01 / (1.0 / 600.0), rel=1e-6)
    sim.attach("ground", "block", "fixed", name="stop")
    sim.step(1500)
    np.testing.assert_allclose(sim["ball.position"], (1, 0.2, 0), atol=1e-5)
    assert sim["pin.velocity"] == pytest.approx(0.0, abs=1e-9)


def test_who_cannot_says_so():
    sim = lw.Simulation(ball(), "recursive", dt=1e-3)
    with pytest.raises(lw.OptionError, match="a ground cannot be dragged"):
        sim.drag("ground", to=(0, 0, 0))
    sim.stepper.method = lw.Components(coordinates="joint")  # whose inner tables it cannot reach
    with pytest.raises(lw.OptionError, match="cannot drag bodies in joint coordinates; use method 'impulse'"):
        sim.drag("ball", to=(0, 0, 0))
    sim.stepper.method = lw.Recursive()
    sim.drag("ball", to=None)  # nothing is held: nothing to do


def test_what_hardly_moves_is_not_pulled_without_bound():
    W = np.diag([1.0, 1e-9, 0.0])
    force = pull(W, np.ones(3), np.zeros(3), Drag(0, 0, GENTLE, np.inf), 1e-3)
    assert force[0] == pytest.approx((6 * np.pi) ** 2)
    assert np.all(force[1:] < 11 * force[0])
    assert np.all(pull(np.zeros((3, 3)), np.ones(3), np.zeros(3), Drag(0, 0, GENTLE, np.inf), 1e-3) == 0.0)
