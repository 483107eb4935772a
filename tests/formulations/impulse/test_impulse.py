"""Methods impulse and maximal: every kind of row does what its words say, with either solver."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.gallery import chain, peaucellier
from measured import momenta

HOW = [(kind, solver) for kind in (lw.Impulse, lw.Maximal) for solver in ("direct", "sequential")]
every_way = pytest.mark.parametrize(("kind", "solver"), HOW, ids=lambda x: getattr(x, "name", x))


def arm(**pin: Any) -> lw.Model:
    """One body on the hinge "pin"; m g l = 4.905 N m, 0.35 kg m2 about the hinge."""
    model = lw.Model("arm")
    body = model.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -0.5))
    model.revolute("pin", "ground", body, at=(0, 0, 0), axis=(0, -1, 0), **pin)
    return model


def run(model: lw.Model, kind: Any, solver: str, until: float = 1.0, dt: float = 5e-3, **options: Any) -> lw.Trajectory:
    return lw.simulate(model, until=until, method=kind(dt=dt, solver=solver, iterations=500), **options)


def oscillator(k: float, c: float, how: str) -> lw.Model:
    """2 kg on a rail, starting at 0.3 m with -0.2 m/s."""
    model = lw.Model("oscillator", gravity=(0, 0, 0))
    body = model.body("load", mass=2.0, inertia=(1, 1, 1))
    spring = {"stiffness": k, "damping": c} if how == "joint" else {}
    model.prismatic("rail", "ground", body, axis=(1, 0, 0), position=0.3, velocity=-0.2, **spring)
    if how == "line":
        model.spring("spring", "ground", body, at_a=(-10, 0, 0), stiffness=k, damping=c, length=10.0)
    return model


def weight(k: float, c: float, h: float) -> float:
    """Of the end of the step: one half as by Newmark's rule, towards one, implicit Euler's, where it is too fast."""
    fast = max(h * h * k / 2.0, 0.5 * h * c / 2.0)
    return 1.0 - 0.5 / fast**2 if fast > 1.0 else 0.5


def stretched(k: float, c: float, h: float, steps: int) -> Any:
    """The rule of springs, by itself."""
    w = weight(k, c, h)
    x, v, out = 0.3, -0.2, [0.3]
    for _ in range(steps):
        force = -k * (x - h * (1.0 - w) ** 2 * v) - c * (1.0 - w) * v
        v = (v + h * force / 2.0) / (1.0 + h * w * (w * h * k + c) / 2.0)
        x += h * v
        out.append(x)
    return np.array(out)


@every_way
@pytest.mark.parametrize("how", ["joint", "line"])
@pytest.mark.parametrize(("k", "c"), [(1.0, 0.1), (1e3, 0.0), (1e6, 3.0), (0.0, 5.0), (0.0, 1e4), (1e5, 1e3)])
def test_a_spring_keeps_its_rule(kind: Any, solver: str, how: str, k: float, c: float) -> None:
    method = kind(dt=0.01, solver=solver, iterations=500, epsilon=1e-15)
    x = lw.simulate(oscillator(k, c, how), until=1.0, method=method)["rail.position"]
    assert np.abs(x - stretched(k, c, 0.01, 100)).max() < 1e-12


@pytest.mark.parametrize("kind", [lw.Impulse, lw.Maximal])
@pytest.mark.parametrize("how", ["joint", "line"])
def test_springs_of_any_stiffness_never_raise_the_energy(kind: Any, how: str) -> None:
    """The velocity of the start is taken to be half a step behind: the first step begins where it comes from."""
    for k in 10.0 ** np.arange(0, 13, 3):
        for dt in (1e-4, 1e-3, 1e-2, 0.1):
            energy = lw.simulate(oscillator(k, 0.0, how), until=100 * dt, method=kind(dt=dt)).energy["total"]
            begun = 0.2**2 + 0.5 * k * (0.3 + (1.0 - weight(k, 0.0, dt)) * dt * 0.2) ** 2
            assert energy[1] <= (1.0 + 1e-12) * begun
            assert np.diff(energy[1:]).max() <= 1e-12 * energy[0]
            assert energy[-1] >= 0.0


@pytest.mark.filterwarnings("ignore::linkwork.RunWarning")  # where springs are too fast for the step
@pytest.mark.parametrize("kind", [lw.Impulse, lw.Maximal])
@pytest.mark.parametrize("how", ["joint", "line"])
def test_a_spring_keeps_its_energy_where_the_step_resolves_it(kind: Any, how: str) -> None:
    for k in 10.0 ** np.arange(10):
        found = lw.simulate(oscillator(k, 0.0, how), until=10.0, method=kind(dt=1e-3))
        assert np.isfinite(found["rail.position"]).all()
        if 1e-6 * k / 2.0 <= 1.0:  # six steps a period
            total = found.energy["total"]
            assert np.ptp(total[1:]) < 1e-9 * total[0]
            assert np.abs(found.energy["balance"]).max() < 2e-3 * total[0]
            assert found["rail.position"][-2000:].max() > 0.25
        else:
            assert np.abs(found["rail.position"][1000:]).max() < 1e-3


@pytest.mark.parametrize("kind", [lw.Impulse, lw.Maximal])
@pytest.mark.parametrize("how", ["joint", "line"])
@pytest.mark.parametrize("k", [1e6, 1e9, 1e12])
@pytest.mark.parametrize("damping", [0.01, 1.0])
def test_a_stiff_spring_settles_under_its_load(kind: Any, how: str, k: float, damping: float) -> None:
    """It does not ring from step to step: after 300 ms the spring carries the load and nothing moves."""
    model = oscillator(k, damping * 2.0 * math.sqrt(2.0 * k), how)
    model.force("push", "load", (100.0, 0, 0))
    found = lw.simulate(model, until=0.5, method=kind(dt=0.01))
    assert found["rail.position"][30:] == pytest.approx(100.0 / k, rel=0.01, abs=1e-12)
    assert np.abs(found["rail.velocity"][30:]).max() < 1e-6


def coupled(how: str, k: float | None) -> lw.Model:
    """Two loads in a row, the first pushed; between them a spring, or, without k, a fixed joint."""
    model = lw.Model("coupled", gravity=(0, 0, 0))
    one, two = (model.body(name, mass=2.0, inertia=(1, 1, 1)) for name in ("one", "two"))
    verb = model.revolute if how == "turn" else model.prismatic
    verb("rail", "ground", one, at=(0, 0, 0), axis=(1, 0, 0))
    if k is None:
        model.fixed("between", one, two, at=(0, 0, 0))
    elif how == "loop":
        model.prismatic("other rail", "ground", two, axis=(1, 0, 0))
        model.spring("spring", one, two, at_a=(-1, 0, 0), stiffness=k, damping=0.01 * k, length=1.0)
    else:
        verb("between", one, two, at=(0, 0, 0), axis=(1, 0, 0), stiffness=k, damping=0.01 * k)
    model.torque("push", "rail", 3.0)
    return model


@pytest.mark.parametrize("kind", [lw.Impulse, lw.Maximal])
@pytest.mark.parametrize("how", ["turn", "slide", "loop"])
def test_stiffer_and_stiffer_becomes_the_rigid_joint(kind: Any, how: str) -> None:
    method = kind(dt=0.01)
    rigid = lw.simulate(coupled(how, None), until=1.0, method=method)["rail.position"]
    off = [
        np.abs(lw.simulate(coupled(how, k), until=1.0, method=method)["rail.position"] - rigid).max()
        for k in (1e5, 1e7, 1e12)  # too fast for the step: they do not swing over
    ]
    assert off[1] == pytest.approx(0.01 * off[0], rel=0.1)
    assert off[2] < 1e-9


@pytest.mark.parametrize("kind", [lw.Impulse, lw.Maximal])
def test_a_stiff_line_swings_as_a_rod(kind: Any) -> None:
    """A pendulum on a spring of 1e12 N/m: its length is off by no more than a step's curve of its way, v^2 dt^2 / L."""
    model = lw.Model("bob")
    model.body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(1, 0, 0))
    model.spring("rod", "ground", "bob", stiffness=1e12, damping=1e6, length=1.0)
    dt = 2e-3
    found = lw.simulate(model, until=3.0, method=kind(dt=dt))
    fastest = 2 * 9.81
    assert np.abs(np.linalg.norm(found["bob.position"], axis=1) - 1.0).max() < fastest * dt**2
    # not counting what so stiff a spring would store over that
    assert (found.energy["kinetic"] + found.energy["potential"]).max() < 0.01 * 9.81


@every_way
def test_rigid_stop(kind: Any, solver: str) -> None:
    found = run(arm(position=1.0, limits=(-0.3, 2.0)), kind, solver)
    x = found["pin.position"]
    assert x.min() == pytest.approx(-0.3, abs=1e-6)
    stop = int(np.argmin(x))
    # its energy is gone there, and booked
    assert found["pin.velocity"][stop + 1] == pytest.approx(0.0, abs=0.05)
    assert found.energy["dissipated"][-1] == pytest.approx(4.905 * (math.cos(0.3) - math.cos(1.0)), rel=0.02)
    assert np.abs(found.energy["balance"]).max() < 0.02 * found.certificate.energy_scale


@every_way
def test_soft_stop_gives_way_by_its_frequency(kind: Any, solver: str) -> None:
    """Without gravity a stop of 5 Hz that does not damp throws the arm back after half a period."""
    model = lw.Model("stop", gravity=(0, 0, 0))
    body = model.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -0.5))
    soft = lw.Soft(hertz=5.0, damping_ratio=0.0)
    model.revolute(
        "pin", "ground", body, at=(0, 0, 0), axis=(0, -1, 0), limits=(-1, 0), velocity=1.0, limit_softness=soft
    )
    if (kind, solver) == (lw.Maximal, "sequential"):
        pytest.skip("row by row nobody knows how much mass a hinge hangs on the stop")
    found = run(model, kind, solver, until=0.15, dt=1e-4)
    x, v = found["pin.position"], found["pin.velocity"]
    assert x.max() == pytest.approx(1.0 / (2 * math.pi * 5.0), rel=0.02)
    assert found.time[x > 0][-1] == pytest.approx(0.1, rel=0.02)
    assert v[-1] == pytest.approx(-1.0, rel=0.02)


@every_way
def test_motor_keeps_its_speed_within_its_torque(kind: Any, solver: str) -> None:
    model = arm()
    model.motor("drive", "pin", velocity=2.0, max_torque=6.0)
    found = run(model, kind, solver, until=3.0)
    # 6 N m lift the arm over the top, where m g l = 4.9: after that it turns as told
    assert found["pin.velocity"][30:] == pytest.approx(2.0, abs=1e-5)
    weak = arm()
    weak.motor("drive", "pin", velocity=2.0, max_torque=3.0)
    stalled = run(weak, kind, solver, until=10.0)
    assert stalled["pin.position"].max() < math.pi / 2
    assert stalled.energy["work"].max() > 0.0


@every_way
def test_servo_reaches_its_place_without_swinging_over(kind: Any, solver: str) -> None:
    model = arm()
    model.motor("servo", "pin", position=1.0, max_torque=8.0)
    x = run(model, kind, solver, until=2.0)["pin.position"]
    assert x[-1] == pytest.approx(1.0, abs=1e-6)
    assert x.max() < (1.0 + 1e-6 if solver == "direct" else 1.1)


@pytest.mark.parametrize("kind", [lw.Impulse, lw.Maximal])
def test_servo_follows_a_law_exactly(kind: Any) -> None:
    model = arm()
    model.motor("servo", "pin", position=lw.Cosine(0.5, 1.0, offset=-0.5))
    found = run(model, kind, "direct", until=1.0)
    assert found["pin.position"] == pytest.approx(0.5 * np.cos(2 * np.pi * found.time) - 0.5, abs=1e-9)


@pytest.mark.parametrize("kind", [lw.Impulse, lw.Maximal])
def test_soft_servo_settles_where_its_spring_holds_the_load(kind: Any) -> None:
    model = arm()
    model.motor("servo", "pin", position=1.0, softness=lw.Soft(stiffness=50.0, damping=20.0))
    x = run(model, kind, "direct", until=10.0)["pin.position"][-1]
    assert 50.0 * (1.0 - x) == pytest.approx(4.905 * math.sin(x), rel=1e-6)
    model = arm()
    model.motor("brake", "pin", velocity=0.0, softness=lw.Soft(damping=10.0))
    again = arm(position=None, damping=10.0)
    for other in (model, again):
        other.torque("push", "pin", 1.0)
    assert run(model, kind, "direct")["pin.position"] == pytest.approx(
        run(again, kind, "direct")["pin.position"], abs=1e-9
    )


@every_way
def test_dry_friction_slides_and_holds(kind: Any, solver: str) -> None:
    held = run(arm(position=0.19, friction=1.0), kind, solver)["pin.position"]
    assert np.abs(held - 0.19).max() < 1e-6  # below asin(1 / 4.905) = 0.2053
    found = run(arm(position=1.2, friction=1.0), kind, solver, until=6.0)
    x = found["pin.position"]
    assert abs(x[-1]) < 0.2054
    assert np.ptp(x[-100:]) < 1e-6
    # friction takes 1 N m times the way
    assert found.energy["dissipated"][-1] == pytest.approx(np.abs(np.diff(x)).sum(), rel=0.01)


@every_way
def test_repeater(kind: Any, solver: str) -> None:
    model = lw.Model("gears", gravity=(0, 0, 0))
    for name, x in (("small", 0.0), ("big", 0.3)):
        wheel = model.body(name, shape=lw.Cylinder(0.1 + x / 3, 0.02), mass=1.0 + 3 * x, position=(x, 0, 0))
        model.revolute(f"{name} axle", "ground", wheel, at=(x, 0, 0), axis=(0, 0, 1))
    model.repeater("mesh", "small axle", "big axle", ratio=-0.5)
    model.torque("push", "small axle", 0.01)
    found = run(model, kind, solver)
    assert found["big axle.position"] == pytest.approx(-0.5 * found["small axle.position"], abs=1e-5)
    inertia = [model.bodies[name].inertia[2, 2] for name in ("small", "big")]
    rate = 0.01 / (inertia[0] + 0.25 * inertia[1])
    assert found["small axle.velocity"][-1] == pytest.approx(rate * found.time[-1], rel=1e-3)


@pytest.mark.parametrize("kind", [lw.Impulse, lw.Maximal])
def test_inputs_set_motors_while_stepping(kind: Any) -> None:
    model = arm()
    model.motor("drive", "pin", velocity=0.0)
    sim = lw.Simulation(model, kind(dt=5e-3))
    sim.step(10)
    sim.inputs["drive"] = 3.0
    sim.step(100)
    rate = sim.v[0] if kind is lw.Impulse else sim.state.cut_rate[0]
    angle = sim.q[0] if kind is lw.Impulse else sim.state.cut_q[0]
    assert rate == pytest.approx(3.0)
    assert angle == pytest.approx(1.5)


def test_steps_may_vary() -> None:
    """Impulses kept from one step are taken over to another of other length: a chain hangs on as if nothing was."""
    sim = lw.Simulation(chain.build(damping=0.0, friction=0.3, angle=0.1), lw.Impulse(dt=0.01))
    rng = np.random.default_rng(1)
    for dt in rng.uniform(1e-3, 1e-2, 300):
        sim.step(1, dt=float(dt))
    sim.step(700)
    assert sim.steps == 1000
    rest = sim.q.copy()
    sim.step(1, dt=2e-3)
    assert sim.state.solver_stats[0] == 1.0
    assert sim.q == pytest.approx(rest, abs=1e-9)


@every_way
def test_peaucellier_by_motor(kind: Any, solver: str) -> None:
    if (kind, solver) == (lw.Maximal, "sequential"):
        pytest.skip("takes thousands of sweeps a step: see the paper")
    model = peaucellier.build(drive="motor")
    # a minute, or a period
    until = 60.0 if solver == "direct" else 2.5
    masses = [body.mass for body in model.bodies.values()]
    paper = 1e-6 / (np.mean(masses) * 9.81 * 0.01)  # its 1e-6 N s, as a part of m g dt
    found = lw.simulate(model, until=until, method=kind(dt=0.01, solver=solver, iterations=200, epsilon=paper))
    size = 0.7  # m, arm and rod
    pen = peaucellier.pen(found)
    assert np.abs(pen[:, 0] - peaucellier.line()).max() < 1e-4 * size
    assert np.abs(pen[:, 2]).max() < 1e-9
    assert np.ptp(pen[:, 1]) > 0.4
    assert found["crank pivot.position"] == pytest.approx(-0.9 * np.cos(2 * np.pi * 0.4 * found.time), abs=1e-4)
    assert found.certificate.cut_short == 0
    if solver == "direct":
        assert found.drift["position"].max() < 1e-7
        assert found.certificate.sweeps_per_step == 1.0
    elif kind is lw.Impulse:
        assert found.certificate.sweeps_per_step < 40  # Table 1


@pytest.mark.parametrize("kind", [lw.Impulse, lw.Maximal])
def test_peaucellier_at_a_millisecond(kind: Any) -> None:
    found = lw.simulate(peaucellier.build(drive="motor"), until=2.5, method=kind(dt=1e-3))
    assert np.abs(peaucellier.pen(found)[:, 0] - peaucellier.line()).max() < 1e-6 * 0.7
    assert found.drift["position"].max() < 1e-7


def test_budget_is_told() -> None:
    model = peaucellier.build(drive="motor")
    found = lw.simulate(model, until=0.2, method=lw.Impulse(dt=0.01, solver="sequential", iterations=5))
    assert found.certificate.cut_short > 0
    assert "CUT SHORT" in str(found.certificate)
    assert found["solver.sweeps"].shape == found.time.shape
    assert found.certificate.worst_residual == pytest.approx(found.solver["residual"].max())
    assert found["solver.cut"][-1] == found.certificate.cut_short
    assert np.all(
        np.diff(found["solver.cut"]) == (found["solver.residual"][1:] > found.certificate.settings["epsilon"])
    )
    free = lw.simulate(model, until=0.2, method=lw.Impulse(dt=0.01))
    assert free.certificate.cut_short == 0
    assert "CUT SHORT" not in str(free.certificate)


@pytest.mark.parametrize("kind", [lw.Impulse, lw.Maximal])
def test_first_order_towards_the_exact_motion(kind: Any) -> None:
    """Loops, springs, damping and a law, against recursive."""
    model = peaucellier.build(angle=-0.7)
    exact = lw.simulate(model, until=1.0, method="recursive", dt=1e-3)["crank pivot.position"][-1]
    errors = [
        abs(lw.simulate(model, until=1.0, method=kind(dt=dt))["crank pivot.position"][-1] - exact)
        for dt in (4e-3, 2e-3, 1e-3)
    ]
    assert errors[0] < 0.02
    assert errors[1] / errors[0] == pytest.approx(0.5, abs=0.15)
    assert errors[2] / errors[1] == pytest.approx(0.5, abs=0.1)


def test_auto_takes_impulses_where_nobody_else_can() -> None:
    found = lw.simulate(arm(limits=(-1, 1)), until=0.1, dt=1e-3)
    assert found.certificate.method == "impulse"
    assert "limits" in found.certificate.reason
    assert lw.simulate(arm(), until=0.1, dt=1e-3).certificate.method == "recursive"
    assert lw.simulate(arm(limits=(-1, 1)), until=0.1, dt=1e-3, ignore="limits").certificate.method == "recursive"


def test_two_motors_on_a_joint_are_refused() -> None:
    model = arm()
    model.motor("one", "pin", velocity=1.0)
    model.motor("two", "pin", velocity=2.0)
    with pytest.raises(lw.ModelError, match="'one' and 'two' both drive joint 'pin'"):
        lw.assemble(model)


@pytest.mark.parametrize("kind", [lw.Impulse, lw.Maximal])
def test_a_dragged_body_comes_along_and_hangs_where_the_spring_holds_it(kind: Any) -> None:
    model = lw.Model("stone")
    model.body("stone", shape=lw.Box((0.2, 0.1, 0.05)), mass=2.0)
    sim = lw.Simulation(model, kind(dt=5e-3))
    sim.drag("stone", to=(1, 2, 3), at=(0.1, 0, 0), softness=lw.Soft(stiffness=200.0, damping=30.0))
    sim.step(4000)
    # the corner below the point by m g / k, and hanging straight down from it
    assert sim["stone.position"] == pytest.approx((1, 2, 3 - 2.0 * 9.81 / 200.0 - 0.1), abs=1e-3)
    sim.drag("stone", to=(0, 0, 0), max_force=10.0)
    sim.step(100)
    assert sim["stone.velocity"][2] < -0.1  # 10 N do not hold it
    sim.drag("stone", to=None)
    before = sim["stone.velocity"][2]
    sim.step(100)
    assert sim["stone.velocity"][2] == pytest.approx(before - 0.5 * 9.81, abs=1e-6)


def test_what_cannot_be_dragged_is_named() -> None:
    able = lw.Simulation(arm(), lw.Impulse())
    with pytest.raises(lw.OptionError, match="ground"):
        able.drag("ground", to=(0, 0, 0))
    with pytest.raises(lw.ModelError, match="'to'|to must"):
        able.drag("arm", to=(0, 0))


@pytest.mark.parametrize("kind", [lw.Impulse, lw.Maximal])
def test_a_tumbling_body_keeps_its_energy_and_momentum(kind: Any) -> None:
    """At 9 rad/s and steps of 10 ms; taken at the start of the step w x I w would double the energy in seconds."""
    model = lw.Model("tumbling", gravity=(0, 0, 0))
    body = model.body("brick", mass=2.0, inertia=(0.1, 0.2, 0.3), com=(0.3, -0.1, 0.2))
    model.free("flight", "ground", body, velocity=(1, 2, 3, 8, 0.5, 4))
    found = lw.simulate(model, until=20.0, method=kind(dt=0.01), every=10)
    assert np.ptp(found.energy["kinetic"]) < 1e-10 * found.energy["kinetic"][0]
    momentum = momenta(found, model)
    assert np.abs(momentum[:, :3] - momentum[0, :3]).max() < 1e-10
    assert np.abs(momentum[:, 3:] - momentum[0, 3:]).max() < 0.1 * np.abs(momentum[0, 3:]).max()


def test_a_whipping_chain_does_not_run_away_at_ten_milliseconds() -> None:
    """Links at 30 rad/s and steps of 10 ms, with little friction: other engines give up here."""
    found = lw.simulate(chain.build(damping=0.0, friction=0.1), until=20.0, method=lw.Impulse(dt=0.01))
    height = 9.81 * 0.3 * 12.5  # J between level and hanging
    assert found.energy["total"].max() < 0.05 * height
    assert found.energy["total"][-1] < -0.5 * height


def test_chain_comes_to_rest_hanging() -> None:
    """MST17, first scene: five links with dry friction from the horizontal. Table 1 has 6 sweeps a step."""
    model = chain.build(damping=0.0, friction=1.0)
    found = lw.simulate(model, until=25.0, method=lw.Impulse(dt=0.01), every=10)
    assert np.abs(found["link 5.velocity"][-5:]).max() < 1e-6
    # straight down, up to the angle at which friction holds a link
    assert found["link 5.position"][-1][2] == pytest.approx(-1.2, abs=2e-3)
    assert found.certificate.sweeps_per_step < 2.0


def test_chain_sweeps_no_more_than_the_paper() -> None:
    """Six sweeps a step with the plain loop, while it swings; the more friction holds still, the more there are."""
    model = chain.build(damping=0.0, friction=0.2)
    sweeps = [
        lw.simulate(
            model, until=10.0, method=lw.Impulse(dt=0.01, solver=solver, iterations=200)
        ).certificate.sweeps_per_step
        for solver in ("direct", "sequential")
    ]
    assert sweeps[0] < sweeps[1] < 6.0


def test_joints_that_slide_on_need_no_row_and_the_motion_is_the_same() -> None:
    model = chain.build(damping=0.0, friction=1.0)
    sims = [
        lw.Simulation(model, lw.Impulse(dt=5e-3, solver=solver, epsilon=1e-14, iterations=20_000))
        for solver in ("direct", "sequential")
    ]
    counts = []
    for _ in range(150):
        for sim in sims:
            sim.step()
        counts.append([sim.state.solver_stats[2] for sim in sims])
        assert np.abs(sims[0].q - sims[1].q).max() < 1e-9
    ours, paper = np.array(counts).T
    # rows for joints that stick, and for all where one has stopped or turned round
    assert (paper == 5).all()
    assert ours[1:].max() == 5
    assert ours.mean() < 4
    # what friction wasted is the same
    assert sims[0].state.y[-2] == pytest.approx(sims[1].state.y[-2], rel=1e-9)
    assert sims[0].state.y[-2] > 1.0


def test_a_stop_that_a_motor_presses_on_from_rest_holds() -> None:
    model = lw.Model("stop")
    for name in "ab":
        slider = model.body(name, mass=1.0, inertia=0)
        model.prismatic(f"slide {name}", "ground", slider, axis=(1, 0, 0), position=0.0333, limits=(0.0, 0.1))
    model.motor("drive", "slide a", velocity=-0.15, max_torque=60.0)
    model.repeater("mirror", "slide a", "slide b")
    x = lw.simulate(model, until=1.0, method="impulse", dt=1e-3)["slide a.position"]
    assert x.min() > -1e-9
    assert abs(x[-1]) < 1e-9


@pytest.mark.parametrize("kind", [lw.Impulse, lw.Maximal])
def test_no_stop_is_passed_that_a_motor_or_a_blow_leads_to(kind: Any) -> None:
    """Beyond what the motion before the step could reach: the step is then done again with all stops."""
    for drive in ({"velocity": 10.0, "max_torque": 5.0}, {"position": 0.5, "softness": lw.Soft(hertz=20.0)}):
        model = arm(limits=(-0.02, 0.02))
        model.motor("drive", "pin", **drive)
        assert lw.simulate(model, until=0.2, dt=0.01, method=kind)["pin.position"].max() < 0.02 + 1e-9
    hard = lw.Material(friction=0.0, restitution=1.0)
    model = lw.Model("blow", gravity=(0, 0, 0))
    for name, mass, start in (
        ("anvil", 1.0, {"limits": (-1.0, 0.05)}),
        ("hammer", 10.0, {"position": -0.5, "velocity": 10.0}),
    ):
        model.body(name, shape=lw.Sphere(0.1), mass=mass, material=hard)
        model.prismatic(f"{name} slide", "ground", name, axis=(1, 0, 0), **start)
    found = lw.simulate(model, until=0.2, dt=0.01, method=kind)
    assert found["anvil slide.position"].max() == pytest.approx(0.05, abs=1e-9)


def limited_chain(softness: lw.Soft | None = None) -> lw.Model:
    model = lw.Model("chain", gravity=(0, 0, 0))
    before: Any = "ground"
    for k in range(4):
        link = model.body(f"link {k}", mass=1.0, inertia=(0.01,) * 3, position=(k + 0.5, 0, 0))
        how = {"velocity": 2.0 * (-1) ** k, "limits": (-0.2, 0.2), "limit_softness": softness}
        model.revolute(f"hinge {k}", before, link, at=(k, 0, 0), axis=(0, 0, 1), **how)
        before = link
    return model


@pytest.mark.parametrize("kind", [lw.Impulse, lw.Maximal])
@pytest.mark.parametrize("softness", [None, lw.Soft(stiffness=1e8), lw.Soft(stiffness=1e12, damping=1.0)])
def test_stops_of_neighbours_do_not_throw_each_other_about(kind: Any, softness: lw.Soft | None) -> None:
    found = lw.simulate(limited_chain(softness), until=2.0, dt=0.01, method=kind)
    kinetic = found.energy["kinetic"]
    assert kinetic.max() < 1.001 * kinetic[0]
    assert max(np.abs(found[f"hinge {k}.position"]).max() for k in range(4)) < 0.21


@every_way
def test_a_motor_tells_its_torque(kind: Any, solver: str) -> None:
    model = arm(position=math.pi / 2)
    model.motor("hold", "pin", position=math.pi / 2, softness=lw.Soft(stiffness=1e4, damping=1e2))
    found = run(model, kind, solver, until=1.0)
    assert found["hold.torque"][-1] == pytest.approx(4.905, rel=1e-4)  # m g l
    assert found.unit("hold.torque") == "N m"
    model = arm(position=math.pi / 2)
    model.motor("hold", "pin", position=math.pi / 2, max_torque=3.0)
    assert run(model, kind, solver, until=0.5)["hold.torque"][-1] == pytest.approx(3.0, rel=1e-9)


@pytest.mark.parametrize("kind", [lw.Impulse, lw.Maximal])
def test_a_servo_swings_at_the_frequency_it_was_given(kind: Any) -> None:
    """Whatever the mass that it meets, also where joints are rows."""
    model = arm(position=0.1)
    model.motor("servo", "pin", position=0.0, softness=lw.Soft(hertz=20.0, damping_ratio=0.0))
    angle = lw.simulate(model, until=0.5, dt=1e-4, method=kind)["pin.position"]
    crossings = np.flatnonzero(np.diff(np.sign(angle)))
    assert 0.5 / (1e-4 * np.diff(crossings).mean()) == pytest.approx(20.0, rel=0.01)


@pytest.mark.parametrize("kind", [lw.Impulse, lw.Maximal])
def test_a_taut_chain_can_be_dragged(kind: Any) -> None:
    """Along itself it gives way to nothing: the spring is then no stiffer than for all that it hangs on."""
    model = lw.Model("taut")
    before: Any = "ground"
    for k in range(4):
        link = model.body(f"link {k}", mass=1.0, shape=lw.Box((1, 0.1, 0.1)), position=(k + 0.5, 0, 0))
        model.revolute(f"hinge {k}", before, link, at=(k, 0, 0), axis=(0, 1, 0), damping=1.0)
        before = link
    sim = lw.Simulation(model, kind(dt=0.01))
    sim.drag("link 3", to=(2, 0, 0.5))
    speeds = []
    for _ in range(600):
        sim.step()
        speeds.append(np.linalg.norm(sim["link 3.velocity"]))
    assert max(speeds) < 30.0
    assert sim["link 3.position"] == pytest.approx((2, 0, 0.5), abs=0.05)


@pytest.mark.parametrize("kind", [lw.Impulse, lw.Maximal])
def test_a_spring_that_pulls_into_a_point_is_stable_there(kind: Any) -> None:
    """It has no direction in that point, and another one after every step near it: its energy swings, but never grows.

    So by the square of the turn in a step; a spring too fast for the step comes to rest.
    """
    for dt, k in itertools.product((1e-3, 1e-2, 0.1), (1.0, 1e3, 1e6, 1e9, 1e12)):
        for start in ((0.1, 0, 0), (0, 0, 0)):
            model = lw.Model("hook", gravity=(0, 0, 0))
            body = model.body("body", mass=1.0, inertia=(0.1, 0.1, 0.1))
            model.free("free", "ground", body, position=(*start, 1, 0, 0, 0), velocity=(0, 1, 0, 0, 0, 0))
            model.spring("hook", "ground", body, stiffness=k)
            total = lw.simulate(model, until=1000 * dt, dt=dt, method=kind).energy["total"]
            resolved = k * dt**2 <= 1.0
            assert total.max() - total[0] < (k * dt**2 if resolved else 1e-9) * max(total[0], 0.5)


@pytest.mark.parametrize("kind", [lw.Impulse, lw.Maximal])
def test_a_stiff_spring_between_two_points_becomes_a_ball_joint(kind: Any) -> None:
    swings = []
    for stiffness in (None, 1e7):
        model = lw.Model("pendulum")
        rod = model.body(
            "rod", shape=lw.Cylinder(0.02, 1.0), mass=1.0, position=(0.5, 0, 0), rotation=(0.5**0.5, 0, 0.5**0.5, 0)
        )
        if stiffness is None:
            model.ball("hook", "ground", rod, at=(0, 0, 0))
        else:
            model.spring("hook", "ground", rod, at_b=(0, 0, -0.5), stiffness=stiffness)
        how = kind if stiffness else lw.Impulse  # which has the joint among its coordinates
        swings.append(lw.simulate(model, until=1.0, dt=1e-3, method=how)["rod.position"])
    assert np.abs(swings[1] - swings[0]).max() < 2e-3


@pytest.mark.parametrize("kind", [lw.Impulse, lw.Maximal])
def test_a_drag_pulls_with_its_strength_in_any_direction(kind: Any) -> None:
    model = lw.Model("stone", gravity=(0, 0, 0))
    model.body("stone", shape=lw.Sphere(0.1), mass=2.0)
    sim = lw.Simulation(model, kind(dt=0.01))
    sim.drag("stone", to=(10, 20, -30), max_force=10.0)
    sim.step(10)
    assert np.linalg.norm(sim["stone.velocity"]) == pytest.approx(10.0 * 0.1 / 2.0, rel=1e-6)
