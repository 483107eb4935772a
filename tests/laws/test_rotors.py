"""Rotors by every method: closed forms, rigid bodies of the same inertia, energy, angular momentum, reactions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import linkwork as lw

EXPLICIT = ("recursive", "absolute", "component")
TRAPEZOIDAL = ("hybrid", "semi-recursive", "global")
IMPULSES = ("impulse", "maximal")
ALL = (*EXPLICIT, *TRAPEZOIDAL, *IMPULSES)
ROUGH = dict.fromkeys(EXPLICIT, 1e-7) | dict.fromkeys(TRAPEZOIDAL, 1e-3) | dict.fromkeys(IMPULSES, 2e-2)
J, AT = 0.02, np.array((0.2, 0.0, -0.3))


def second(r: Any) -> Any:
    """Moments of 1 kg at r."""
    return r @ r * np.eye(3) - np.outer(r, r)


def top(rotor: bool) -> lw.Model:
    """A body on a ball that carries a rotor, or a wheel with mass that it lacks itself, about x, turning fast."""
    model = lw.Model("top")
    mass, inertia, com = 2.0, np.diag((0.3, 0.25, 0.2)), np.array((0.1, 0.05, -0.4))
    m, across = (0.0, 0.0) if rotor else (0.5, 0.03)
    left = (mass * com - m * AT) / (mass - m)
    moments = inertia + mass * second(com) - m * second(AT) - across * np.diag((0, 1, 1)) - (mass - m) * second(left)
    body = model.body("body", mass=mass - m, inertia=moments, com=left)
    model.ball("socket", "ground", body, at=(0, 0, 0), velocity=(0.5, 1.0, 2.0))
    if rotor:
        model.rotor("wheel", inertia=J, on=body, axis=(1, 0, 0), at=AT, velocity=100.0)
    else:
        wheel = model.body("wheel", mass=m, inertia=np.diag((across, across, J)))
        model.revolute("wheel shaft", body, wheel, frame_a=lw.Frame.along((1, 0, 0), AT), velocity=100.0)
    return model


@pytest.mark.parametrize("method", ALL)
def test_a_wheel_without_mass_whose_mass_is_its_carriers(method: str) -> None:
    dt = {"absolute": 2.5e-4, "component": 2.5e-4, "maximal": 1e-4}.get(method, 1e-3)  # where the wheel turns by itself
    run, twin = (lw.simulate(top(rotor), until=0.25, dt=dt, method=method) for rotor in (True, False))
    near = 2e-4 if method == "maximal" else 1e-9  # of first order
    for name in ("body.rotation", "body.velocity", "wheel shaft.velocity", "socket.reaction"):
        assert run[name] == pytest.approx(twin[name], abs=near * max(1.0, np.abs(twin[name]).max())), name
    for account in ("kinetic", "potential"):
        assert run.energy[account] == pytest.approx(twin.energy[account], abs=near * 100.0)
    assert run.certificate.doubts() == []


@pytest.mark.parametrize("method", ALL)
def test_its_shaft_tells_what_turns_it(method: str) -> None:
    """No force, and the rate of its angular momentum J w n, where w is its whole rate about its axis n."""
    dt = 1e-4 if method in IMPULSES else 1e-3
    run = lw.simulate(top(True), until=0.1, dt=dt, method=method)
    e = run["body.rotation"]
    n = 2.0 * np.array([e[:, 0] ** 2 + e[:, 1] ** 2 - 0.5, e[:, 1] * e[:, 2] + e[:, 0] * e[:, 3]])
    n = np.stack([*n, 2.0 * (e[:, 1] * e[:, 3] - e[:, 0] * e[:, 2])], axis=1)
    rate = np.sum(n * run["wheel.angular_velocity"], axis=1)
    assert rate == pytest.approx(np.full_like(rate, rate[0]), rel=1e-5)  # nothing turns it about its axis
    torque = np.gradient(J * rate[:, None] * n, run.time, axis=0)[1:-1]
    reaction = run["wheel shaft.reaction"][1:-1]
    assert np.abs(reaction[:, :3]).max() < 1e-9
    assert reaction[:, 3:] == pytest.approx(torque, abs=(0.02 if method in IMPULSES else 2e-4) * np.abs(torque).max())


@pytest.mark.parametrize("method", ALL)
def test_a_shaft_of_two_discs(method: str) -> None:
    model = lw.Model("shaft")
    first = model.rotor("first", inertia=0.2, on="ground", axis=(1, 0, 0), at=(1, 2, 3))
    model.rotor("second", inertia=0.3, on=first, stiffness=50.0, position=0.1)
    run = lw.simulate(model, until=0.5, dt=1e-4 if method in IMPULSES else 1e-3, method=method)
    omega = math.sqrt(50.0 * (1 / 0.2 + 1 / 0.3))
    assert run["second shaft.position"] == pytest.approx(0.1 * np.cos(omega * run.time), abs=0.1 * ROUGH[method])
    assert run["first shaft.position"] == pytest.approx(
        0.1 * 0.3 / 0.5 * (1.0 - np.cos(omega * run.time)), abs=0.1 * ROUGH[method]
    )
    assert run.energy["total"][0] == pytest.approx(0.5 * 50.0 * 0.1**2, rel=1e-12)
    assert run.energy["potential"] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("method", ALL)
def test_steady_precession(method: str) -> None:
    """A weight on a level axis, which a fast rotor carries around: m g l = J s Omega."""
    mass, arm, spin = 1.5, 0.2, 300.0
    around = mass * 9.81 * arm / (J * spin)
    model = lw.Model("gyroscope")
    body = model.body("arm", mass=mass, inertia=(0.01, 0.02, 0.03), com=(arm, 0, 0))
    axes = ((0, 0, 1), (0, 1, 0))
    model.universal("pivot", "ground", body, at=(0, 0, 0), axis=axes, velocity=(around, 0.0))
    model.rotor("rotor", inertia=J, on="arm", axis=(1, 0, 0), velocity=spin)
    run = lw.simulate(model, until=0.5, dt=2.5e-4 if method in EXPLICIT else 1e-4, method=method)
    near = {"global": 1e-4, "impulse": 3e-3, "maximal": 3e-3}.get(method, 1e-7)
    assert run["pivot.position"][:, 0] == pytest.approx(around * run.time, abs=near)
    assert np.abs(run["pivot.position"][:, 1]).max() < near
    assert run["rotor shaft.velocity"] == pytest.approx(spin, rel=near)


def satellite() -> lw.Model:
    model = lw.Model("satellite", gravity=(0, 0, 0))
    body = model.body("body", mass=5.0, inertia=(0.3, 0.4, 0.5))
    model.free("flight", "ground", body, velocity=(0, 0, 0, 0.5, -1.0, 2.0))
    for name, axis, spin in (("x", (1, 0, 0), 50.0), ("y", (0, 1, 0), -30.0), ("z", (1, 1, 1), 80.0)):
        model.rotor(name, inertia=0.01, on=body, axis=axis, at=(0.1, 0.2, 0.3), velocity=spin, damping=1e-3)
    return model


@pytest.mark.parametrize("method", EXPLICIT)
def test_angular_momentum_of_a_satellite_with_three_wheels(method: str) -> None:
    run = lw.simulate(satellite(), until=2.0, dt=1e-3, method=method)
    momenta = []
    for k in (0, -1):
        R = lw.Frame(rotation=run["body.rotation"][k]).matrix
        w = R.T @ run["body.angular_velocity"][k]
        inside = np.diag((0.3, 0.4, 0.5)) @ w
        for name, axis in (("x", (1, 0, 0)), ("y", (0, 1, 0)), ("z", (1, 1, 1))):
            n = np.array(axis) / np.linalg.norm(axis)
            inside = inside + 0.01 * (run[f"{name} shaft.velocity"][k] + n @ w) * n
        momenta.append(R @ inside)
    assert momenta[1] == pytest.approx(momenta[0], rel=1e-8)
    assert run.certificate.energy_balance_relative < 1e-8


@pytest.mark.parametrize("method", ALL)
def test_a_motor_behind_a_gear(method: str) -> None:
    """The joint feels the reflected inertia, the gear gives the motor what it needs, times its ratio."""
    model = lw.Model("drive", gravity=(0, 0, 0))
    wheel = model.body("wheel", mass=1.0, inertia=(0.2, 0.2, 0.3))
    axle = model.revolute("axle", "ground", wheel, at=(1, 0, 0), axis=(0, 0, 1))
    motor = model.rotor("motor", inertia=2e-4, on=axle, ratio=-50.0)
    model.torque("torque", "axle", 2.0)
    run = lw.simulate(model, until=0.1, dt=1e-3, method=method)
    inertia = 0.3 + 1.0 + 2e-4 * 50.0**2
    rough = 1e-4 if method == "global" else 1e-9
    assert run["axle.velocity"] == pytest.approx(2.0 / inertia * run.time, rel=rough, abs=1e-9)
    assert run["motor shaft.velocity"] == pytest.approx(-50.0 * run["axle.velocity"], abs=1e-9)
    effort = run["motor gear.effort"][1:-1]
    assert effort == pytest.approx(-2e-4 * 50.0 * 2.0 / inertia, rel=1e-6 if method == "maximal" else rough)
    assert motor.shaft.a is model.ground


def test_reflected_inertia_is_an_armature() -> None:
    def arm(rotor: bool) -> lw.Model:
        model = lw.Model("arm")
        body = model.body("arm", mass=2.0, inertia=(0.3, 0.25, 0.2), com=(0.1, 0.05, -0.4))
        options = {} if rotor else {"armature": 0.9}
        model.revolute("hip", "ground", body, at=(0, 0, 0), axis=(0, 1, 0), position=1.0, **options)
        if rotor:
            model.rotor("motor", inertia=0.01 / 9.0, on="hip", ratio=9.0 * math.sqrt(10.0))
        return model

    run, same = (lw.simulate(arm(rotor), until=1.0, dt=1e-3, method="recursive") for rotor in (True, False))
    assert run["hip.position"] == pytest.approx(same["hip.position"], abs=1e-12)
    assert run["hip.reaction"][:, :3] == pytest.approx(same["hip.reaction"][:, :3], abs=1e-9)


@pytest.mark.parametrize("method", ALL)
def test_a_rack_motor(method: str) -> None:
    """On a slide the ratio is in radians by metres; the rotor may turn about any axis."""
    model = lw.Model("slide", gravity=(0, 0, 0))
    cart = model.body("cart", mass=2.0, inertia=(0.1, 0.1, 0.1))
    model.prismatic("rail", "ground", cart, axis=(1, 0, 0))
    model.rotor("motor", inertia=1e-3, on="rail", axis=(0, 1, 0), ratio=100.0)
    model.force("push", cart, (24.0, 0, 0))
    run = lw.simulate(model, until=0.1, dt=1e-3, method=method)
    assert run["rail.velocity"] == pytest.approx(2.0 * run.time, rel=1e-4 if method == "global" else 1e-8, abs=1e-9)


def drivetrain() -> lw.Model:
    """Two stages of gears in a swinging housing, with an elastic shaft between them."""
    model = lw.Model("drivetrain")
    housing = model.body("housing", mass=2.0, inertia=(0.3, 0.25, 0.2), com=(0.1, 0.05, -0.4))
    model.ball("hanger", "ground", housing, at=(0, 0, 0), velocity=(0.5, 1.0, 0.0))
    motor = model.rotor("motor", inertia=0.01, on=housing, axis=(1, 0, 0), velocity=10.0)
    model.rotor("pinion", inertia=0.02, on=housing, axis=(1, 0, 0))
    model.gear("first stage", motor, "pinion", ratio=-0.5)
    model.rotor("shaft end", inertia=0.01, on="pinion", stiffness=20.0)
    model.rotor("wheel", inertia=0.05, on=housing, axis=(0, 1, 0), at=(0.1, 0, 0))
    model.gear("second stage", "shaft end", "wheel", ratio=0.3)
    return model


def mixed() -> lw.Model:
    """Rotors on a flange without mass, beside others, one on another; on a hinge between the bodies of a chain."""
    model = lw.Model("mixed")
    body = model.body("body", mass=2.0, inertia=(0.3, 0.25, 0.2), com=(0.1, 0.05, -0.4))
    model.ball("socket", "ground", body, at=(0, 0, 0), velocity=(1, 2, 3))
    model.fixed("weld", body, model.body("flange", mass=0, position=(0.2, 0.1, -0.3)))
    model.rotor("first", inertia=0.01, on="flange", axis=(0, 1, 1), velocity=20.0)
    model.rotor("second", inertia=0.02, on=body, axis=(0, 1, 0), at=(0, 0.3, 0), velocity=-30.0)
    model.rotor("third", inertia=0.01, on="first", velocity=5.0, stiffness=3.0)
    arm = model.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.05), com=(0, 0, -0.3), position=(0, 0, -1))
    model.revolute("knee", body, arm, at=(0, 0, -1), axis=(1, 0, 0), velocity=2.0)
    model.rotor("motor", inertia=2e-4, on="knee", ratio=50.0, shape=lw.Cylinder(0.05, 0.1))
    return model


def on_table() -> lw.Model:
    model = lw.Model("table")
    turning = lw.Motion(axis=(0, 0, 1), angle=lw.Cosine(0.5, frequency=1.0))
    table = model.moving_ground("table", turning)
    model.rotor("on table", inertia=0.01, on=table, axis=(0, 1, 1), at=(0.5, 0, 0), velocity=20.0)
    return model


def on_little() -> lw.Model:
    """Rotors whose carriers have nothing to lend: a turning table, and a point mass on it."""
    model = on_table()
    bob = model.body("bob", mass=1.0, inertia=0, com=(0, 0, -1.0))
    model.revolute("hinge", "table", bob, at=(0, 0, 0), axis=(0, 1, 0), velocity=1.0)
    model.rotor("on bob", inertia=0.01, on=bob, axis=(0, 1, 0), at=(0, 0, -1), velocity=20.0)
    return model


class Housing(lw.Subsystem):
    def build(self) -> None:
        case = self.port("case", self.body("case", mass=2.0, inertia=(0.3, 0.25, 0.2), com=(0.1, 0.05, -0.4)))
        inner = self.body("inner", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, -1))
        self.revolute("pin", case, inner, at=(0, 0, -1), axis=(0, 1, 0))
        self.rotor("fan", inertia=0.01, on=inner, axis=(1, 0, 0), velocity=30.0)


def parts() -> lw.Model:
    """Rotors inside a subsystem, on its port, and on a joint in it that is turned."""
    model = lw.Model("parts")
    housing = model.add("housing", Housing(), position=(0.1, 0, 0), rotation=lw.Frame.along((0, 1, 1)).rotation)
    model.ball("socket", "ground", housing.case, at=(0, 0, 0), velocity=(0.5, 1, 0))
    model.rotor("outer", inertia=0.02, on=housing.case, axis=(0, 1, 1), velocity=-20.0)
    model.rotor("drive", inertia=0.002, on="housing.pin", ratio=10.0)
    return model


# parts of the largest of their kind: of positions and velocities, of reactions and efforts, of energy
NEAR = {
    "absolute": (1e-6, 1e-6, 3e-6),
    "component": (1e-6, 1e-6, 3e-6),
    "hybrid": (1e-3, 3e-3, 1e-3),
    "semi-recursive": (1e-3, 3e-3, 1e-3),
    "global": (1e-2, 1e-2, 1e-2),
    "impulse": (2e-2, 3e-2, 2e-2),
    "maximal": (2e-2, 3e-2, 2e-2),
}
BUILDS = (drivetrain, mixed, on_table, on_little, parts)
PAIRS = [(method, build) for method in NEAR for build in BUILDS if (method, build) != ("maximal", on_little)]


@pytest.mark.parametrize(("method", "build"), PAIRS)
def test_methods_agree(method: str, build: Any) -> None:
    dt = 1e-4 if method in IMPULSES else 1e-3
    wanted = lw.simulate(build(), until=0.2, dt=1e-3, method="recursive")
    run = lw.simulate(build(), until=0.2, dt=dt, every=round(1e-3 / dt), method=method)
    motion, force, energy = NEAR[method]
    for quantity in ("position", "velocity", "rotation", "angular_velocity", "reaction", "effort"):
        names = [name for name in wanted.names if name.endswith(f".{quantity}")]
        size = max((np.abs(wanted[name]).max() for name in names), default=0.0)
        for name in names:
            near = force if quantity in ("reaction", "effort") else motion
            assert np.abs(run[name] - wanted[name]).max() < near * size, name
    size = np.abs(wanted.energy["kinetic"]).max()
    for account in ("kinetic", "potential", "springs", "work"):
        assert np.abs(run.energy[account] - wanted.energy[account]).max() < energy * size, account
    assert wanted.certificate.energy_balance_relative < 1e-8
    if method not in IMPULSES:
        assert run.certificate.doubts() == []


def test_a_gear_counts_from_the_body_that_carries_both_wheels() -> None:
    run = lw.simulate(drivetrain(), until=0.2, dt=1e-3)
    turned = run["pinion shaft.position"] + run["shaft end shaft.position"]
    assert run["wheel shaft.position"] == pytest.approx(0.3 * turned, abs=1e-9)
    model = drivetrain()
    gear = model.gear("back", "shaft end", "pinion", ratio=2.0)
    assert {term.joint.name: term.factor for term in gear.whole} == {"pinion shaft": -1.0, "shaft end shaft": -2.0}


@pytest.mark.parametrize("method", IMPULSES)
def test_a_clutch_between_two_rotors(method: str) -> None:
    """Friction of 2 N m brings the halves together at the mean speed, after J1 J2 / (J1 + J2) w / T."""
    model = lw.Model("clutch")
    first = model.rotor("first", inertia=0.2, on="ground", axis=(1, 0, 0), velocity=10.0)
    model.rotor("second", inertia=0.3, on=first, friction=2.0, velocity=-10.0)
    run = lw.simulate(model, until=1.0, dt=1e-3, method=method)
    together = 0.2 * 0.3 / 0.5 * 10.0 / 2.0
    k = np.searchsorted(run.time, 0.5 * together)
    assert run["first shaft.velocity"][k] == pytest.approx(10.0 - 2.0 / 0.2 * run.time[k], rel=1e-9)
    assert run["first shaft.velocity"][-1] == pytest.approx(4.0, rel=1e-9)
    assert run["second shaft.velocity"][-1] == pytest.approx(0.0, abs=1e-9)


def test_what_cannot_be_run_is_refused() -> None:
    with pytest.raises(lw.ModelError, match="rotor 'on bob' .*'maximal'.*'bob'"):
        lw.simulate(on_little(), until=0.1, dt=1e-3, method="maximal")
    model = lw.Model("gimbal")
    ring = model.body("ring", mass=0)
    model.revolute("outer", "ground", ring, at=(0, 0, 0), axis=(0, 0, 1))
    model.rotor("rotor", inertia=0.1, on=ring, axis=(1, 0, 0), velocity=10.0)
    for method in ALL:
        with pytest.raises((lw.ModelError, lw.RunError), match="(outer|ring|rotor).*inertia"):
            lw.simulate(model, until=0.1, dt=1e-3, method=method)


def test_a_shaft_cannot_be_released() -> None:
    model = satellite()
    with pytest.raises(lw.ModelError, match="rotor 'x', which has no mass"):
        model.release("x shaft", time=0.01)
    with pytest.raises(lw.ModelError, match="rotor 'x', which has no mass"):
        lw.Simulation(model).release("x shaft")


@pytest.mark.parametrize("method", ALL)
def test_a_rack_counts_from_the_carrier_of_all(method: str) -> None:
    model = lw.Model("vehicle", gravity=(0, 0, 0))
    engine = model.rotor("engine", inertia=0.1, on="ground", axis=(0, 1, 0), velocity=2.0)
    pinion = model.rotor("pinion", inertia=0.1, on=engine, stiffness=50.0)
    model.prismatic("rail", "ground", model.body("bar", mass=2.0, inertia=(0.1, 0.1, 0.1)), axis=(1, 0, 0))
    model.rack("teeth", pinion, "rail", radius=0.1)
    run = lw.simulate(model, until=0.05, dt=1e-3, method=method)
    turned = run["engine shaft.position"] + run["pinion shaft.position"]
    assert run["rail.position"] == pytest.approx(0.1 * turned, abs=1e-8)
    whole = run["engine shaft.velocity"] + run["pinion shaft.velocity"]
    momentum = 0.1 * run["engine shaft.velocity"] + 0.1 * whole + 0.1 * 2.0 * run["rail.velocity"]
    assert momentum == pytest.approx(momentum[0], rel=1e-4)


def test_a_coupling_of_too_many_joints_is_refused() -> None:
    model = lw.Model("long")
    way = {"on": "ground", "axis": (0, 1, 0)}
    first = model.rotor("first", inertia=0.1, **way)
    third = model.rotor("third", inertia=0.1, on=model.rotor("second", inertia=0.1, on=first))
    others = [model.rotor(name, inertia=0.2, **way) for name in ("left", "right")]
    with pytest.raises(lw.ModelError, match="3 joints are the most"):
        model.gear("gear", third, others[0], ratio=2.0)
    with pytest.raises(lw.ModelError, match="3 joints are the most"):
        model.differential("bevels", *others, "second")
