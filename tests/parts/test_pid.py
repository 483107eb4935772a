"""PID control: against a discrete reference, its twin without samples, and windup."""

import numpy as np
import pytest
from scipy.linalg import expm

import linkwork as lw

MASS, EVERY = 2.0, 0.01


def cart(damping=1.0, **options):
    """A cart on a rail, without gravity along it."""
    model = lw.Model("cart")
    body = model.body("cart", mass=MASS, inertia=(1, 1, 1))
    model.prismatic("rail", model.ground, body, axis=(1, 0, 0), damping=damping)
    model.torque("push", "rail", 0.0)
    model.controller("pid", **lw.parts.pid(every=EVERY, **options), sees=["rail.position"], sets=["push"])
    return model


def reference(count, kp, ki=0.0, kd=0.0, goal=0.0, low=-np.inf, high=np.inf, smooth=0.0, tracking=None):
    """Positions at the instants: the exact motion under a held force, and the recurrence of the controller."""
    whole = expm(np.array([[0, 1, 0], [0, -1.0 / MASS, 1.0 / MASS], [0, 0, 0]]) * EVERY)
    x, integral, rate, last, found = np.zeros(2), 0.0, 0.0, None, []
    for _ in range(count):
        found.append(x[0])
        e = goal - x[0]
        rate = 0.0 if last is None else (smooth * rate + x[0] - last) / (smooth + EVERY)
        last = x[0]
        wanted = kp * e + integral - kd * rate
        u = np.clip(wanted, low, high)
        if tracking is not None:
            integral += EVERY * (ki * e + (u - wanted) / tracking)
        elif wanted == u or np.sign(wanted - u) != np.sign(ki * e):
            integral += EVERY * ki * e
        x = (whole @ [*x, u])[:2]
    return np.array(found)


@pytest.mark.parametrize(
    "options",
    [
        {"kp": 20.0, "kd": 8.0, "goal": 0.4},
        {"kp": 20.0, "ki": 15.0, "kd": 8.0, "goal": 0.4, "smooth": 0.02},
        {"kp": 20.0, "ki": 30.0, "kd": 8.0, "goal": 0.4, "low": -1.0, "high": 1.5},
        {"kp": 20.0, "ki": 30.0, "kd": 8.0, "goal": 0.4, "low": -1.0, "high": 1.5, "tracking": 0.3},
    ],
    ids=["PD", "PID", "clamped", "back-calculation"],
)
def test_a_step_is_that_of_the_discrete_loop(options):
    run = lw.simulate(cart(**options), until=4.0, method="recursive", dt=EVERY / 4, every=4)
    exact = reference(len(run.time), **options)
    assert run["rail.position"] == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize("tracking", [None, 0.5])
def test_the_integral_does_not_wind_up(tracking):
    """For ten seconds the goal is out of reach; then it comes back, and so does the output at once."""

    model = lw.Model("held")
    body = model.body("cart", mass=MASS, inertia=(1, 1, 1))
    model.prismatic("rail", model.ground, body, axis=(1, 0, 0), damping=4.0, stiffness=10.0)
    model.torque("push", "rail", 0.0)
    model.input("goal", 1.0)
    control = lw.parts.pid(every=EVERY, kp=5.0, ki=8.0, kd=1.0, low=-5.0, high=5.0, tracking=tracking)
    model.controller("pid", **control, sees=["rail.position", "goal"], sets=["push"])
    sim = lw.Simulation(model, "recursive", dt=EVERY)
    sim.step(1000)
    assert sim["rail.position"] == pytest.approx(0.5, abs=1e-3)  # where the spring holds all that it may push
    assert abs(sim.controls.items[0].memory[0]) < 6.0
    sim.inputs["goal"] = 0.2
    sim.step(5)
    assert sim["pid.output"] < 4.0
    sim.step(1000)
    assert sim["rail.position"] == pytest.approx(0.2, abs=0.01)


def test_without_it_the_integral_winds_up():
    """What the two ways prevent: that it does is no property of the reference alone."""
    wound = reference(400, kp=20.0, ki=30.0, kd=8.0, goal=0.4, low=-1.0, high=1.5, tracking=1e12)
    clamped = reference(400, kp=20.0, ki=30.0, kd=8.0, goal=0.4, low=-1.0, high=1.5)
    assert wound.max() > clamped.max() + 0.02


def arm(law=None, **options):
    model = lw.Model("arm")
    rod = model.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -0.5))
    model.revolute("pin", "ground", rod, at=(0, 0, 0), axis=(0, 1, 0))
    model.torque("drive", "pin", 0.0 if law is None else law)
    if law is None:
        model.controller("pid", **lw.parts.pid(**options), sees=["pin.position"], sets=["drive"])
    return model


@pytest.mark.parametrize("limit", [np.inf, 6.0])
def test_the_sampled_one_tends_to_its_twin(limit):
    """Half the period, half the difference."""
    gains = {"kp": 40.0, "ki": 60.0, "kd": 8.0, "goal": 0.8, "low": -limit, "high": limit, "tracking": 0.5}
    smooth = lw.simulate(arm(lw.parts.pid_law("pin", **gains)), until=1.0, method="recursive", dt=5e-4, every=20)
    off = []
    for every in (4e-3, 2e-3, 1e-3):
        run = lw.simulate(arm(every=every, **gains), until=1.0, method="recursive", dt=5e-4, every=20)
        off.append(np.abs(run["pin.position"] - smooth["pin.position"]).max())
    assert off[2] < 4e-3
    assert 1.6 < off[0] / off[1] < 2.4
    assert 1.6 < off[1] / off[2] < 2.4


@pytest.mark.parametrize("method", ["hybrid", "absolute", "component"])
def test_the_twin_settles_by_every_method(method):
    law = lw.parts.pid_law("pin", kp=40.0, ki=60.0, kd=8.0, goal=lw.Step(0.5, at=0.1), low=-12.0, high=12.0)
    run = lw.simulate(arm(law), until=4.0, method=method, dt=2e-3, every=10)
    assert run["pin.position"][-1] == pytest.approx(0.5, abs=1e-3)
    assert run["drive.state"][-1] == pytest.approx(0.5 * 9.81 * np.sin(0.5), abs=5e-2)


def test_a_run_that_is_resumed_gives_the_same_bits(tmp_path):
    model = cart(kp=20.0, ki=30.0, kd=8.0, goal=0.4, low=-1.0, high=1.5)
    whole = lw.Simulation(model, "recursive", dt=EVERY)
    whole.step(30)
    whole.save(tmp_path / "here.npz")
    whole.step(50)
    again = lw.Simulation(model, resume=tmp_path / "here.npz")
    again.step(50)
    assert again["rail.position"] == whole["rail.position"]


def test_equal_numbers_give_equal_models():
    assert cart(kp=2.0, ki=1.0) == cart(kp=2, ki=1)
    assert cart(kp=2.0, ki=1.0) != cart(kp=2.0, ki=1.5)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: lw.parts.pid(every=0.0, kp=1.0), "pid: every is 0"),
        (lambda: lw.parts.pid(every=0.1, kp=1.0, low=2.0, high=1.0), "low is 2 and high is 1"),
        (lambda: lw.parts.pid(every=0.1, kp=1.0, tracking=-1.0), "tracking is -1"),
        (lambda: lw.parts.pid_law("pin", kp=1.0, ki=0.0), "needs no state"),
        (lambda: lw.parts.pid_law(3, kp=1.0, ki=1.0), "is no joint"),
    ],
)
def test_wrong_numbers_are_named(make, words):
    with pytest.raises(lw.ModelError, match=words):
        make()
