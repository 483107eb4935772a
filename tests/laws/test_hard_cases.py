"""Impulses under bad input: a clear refusal or a stable result, and never a number that is none in a trajectory."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.gallery import peaucellier, pile

both = pytest.mark.parametrize("kind", [lw.Impulse, lw.Maximal], ids=lambda kind: kind.name)
SHAPES = [lw.Box((0.2, 0.2, 0.2)), lw.Sphere(0.1), lw.Capsule(0.1, 0.2), lw.Cylinder(0.1, 0.2)]


def arm(**pin: Any) -> lw.Model:
    model = lw.Model("arm")
    body = model.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -0.5))
    model.revolute("pin", "ground", body, at=(0, 0, 0), axis=(0, -1, 0), **pin)
    return model


def all_finite(run: lw.Trajectory) -> bool:
    return all(np.isfinite(values).all() for values in run.columns.values())


@both
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: type(shape).__name__)
def test_bodies_that_start_inside_each_other_come_apart_gently(kind: Any, shape: lw.Box) -> None:
    """Four almost at the same place, and half in the floor: pushed out without getting speed from it."""
    model = lw.Model("crowded")
    model.plane("floor", material=lw.Material())
    for k in range(4):
        model.body(f"body {k}", shape=shape, mass=1.0, position=(0.01 * k, 0, 0.05), material=lw.Material())
    run = lw.simulate(model, until=5.0, method=kind(dt=0.01))
    assert all_finite(run)
    # no more than falling from where they were pushed to would give: the pile is at most four high
    assert run.energy["kinetic"].max() < 4 * 9.81 * 0.3
    ends = [run[f"body {k}.position"][-1] for k in range(4)]
    assert min(end[2] for end in ends) > 0.09
    assert min(np.linalg.norm(a - b) for i, a in enumerate(ends) for b in ends[:i]) > 0.15


@both
def test_bodies_at_the_very_same_place(kind: Any) -> None:
    for shape in SHAPES:
        model = lw.Model("twins", gravity=(0, 0, 0))
        for name in "ab":
            model.body(name, shape=shape, mass=1.0, material=lw.Material())
        run = lw.simulate(model, until=1.0, method=kind(dt=0.01))
        assert all_finite(run)
        assert np.linalg.norm(run["a.position"][-1] - run["b.position"][-1]) > 0.19


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: lw.Sphere(0.0), "radius is 0"),
        (lambda: lw.Box((0.0, 1.0, 1.0)), "must be positive"),
        (lambda: lw.Capsule(0.0, 1.0), "radius is 0"),
        (lambda: lw.Cylinder(0.1, 0.0), "length is 0"),
        (lambda: lw.Hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]), "lie in a plane"),
        (lambda: lw.Hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1e-14)]), "lie in a plane"),
        (lambda: lw.HeightField([[0, 0], [0, 0]], size=(0, 1)), r"size is \(0.0, 1.0\)"),
        (lambda: lw.Hull([(0, 0, 0), (math.nan, 0, 0), (0, 1, 0), (1, 1, 1)]), "finite"),
        (lambda: lw.Material(friction=-0.1), "friction is -0.1"),
        (lambda: lw.Material(restitution=1.5), "between 0 and 1"),
        (lambda: lw.Material(restitution=0.5, softness=lw.Soft(hertz=30)), "remove restitution= or softness="),
        (lambda: lw.Model("m").plane("floor", normal=(0, 0, 0)), "normal is zero"),
        (lambda: lw.Model("m").collider("c", "ground", lw.Cylinder(0.2, 0.1, inner_radius=0.1)), "hollow"),
        (lambda: arm(limits=(1.0, -1.0)), "lower limit 1 is not below its upper limit -1"),
        (lambda: arm(limits=(0.5, 1.0), position=0.0), "outside its limits"),
        (lambda: lw.Simulation(arm(limits=(0.5, 1.0)), "impulse"), "'pin'.*starts with it at 0, outside its limits"),
        (lambda: arm(limits=(-0.5, 0.5)).motor("m", "pin", position=1.0), "'pin' at 1, beyond its limits -0.5 to 0.5"),
        (lambda: arm(friction=-1.0), "friction"),
    ],
)
def test_words_that_make_no_sense_are_refused(make: Any, words: str) -> None:
    with pytest.raises(lw.ModelError, match=words):
        make()


@both
def test_drives_that_contradict_each_other_are_told(kind: Any) -> None:
    """Two rigid motors on a linkage of one freedom: no velocity suits both. With a limited one the other wins."""
    for most in (None, 5.0):
        model = peaucellier.build(drive="motor")
        other = next(joint for joint in model.all_joints() if joint.path != "crank pivot")
        model.motor("against", other, velocity=3.0, max_torque=most)
        run = lw.simulate(model, until=1.0, method=kind(dt=0.01))
        assert all_finite(run)
        if most is None:
            assert run.certificate.cut_short > 90
            assert "contradict" in str(run.certificate)
        else:
            assert run.certificate.cut_short == 0
            assert run.drift["position"].max() < 1e-6


@both
def test_a_rigid_motor_against_a_stop_is_told(kind: Any) -> None:
    model = arm(limits=(-1.0, 0.3))
    model.motor("drive", "pin", velocity=1.0)
    assert lw.simulate(model, until=1.0, method=kind(dt=0.01)).certificate.cut_short > 60
    model = arm(limits=(-1.0, 0.3))
    model.motor("drive", "pin", velocity=1.0, max_torque=20.0)
    run = lw.simulate(model, until=1.0, method=kind(dt=0.01))
    assert run.certificate.cut_short == 0
    assert run["pin.position"][-1] == pytest.approx(0.3, abs=1e-6)


@both
def test_a_rigid_servo_that_stands_beyond_a_stop_is_told(kind: Any) -> None:
    model = lw.Model("wheels")
    for name, limits in (("leader", None), ("follower", (-0.5, 0.5))):
        wheel = model.body(name, shape=lw.Cylinder(0.1, 0.02), mass=1.0)
        model.revolute(f"{name} axle", "ground", wheel, at=(0, 0, 0), axis=(0, 0, 1), limits=limits)
    model.repeater("mesh", "leader axle", "follower axle", ratio=2.0)
    model.motor("drive", "leader axle", position=1.0)
    assert lw.simulate(model, until=0.5, method=kind(dt=0.01)).certificate.cut_short > 45


@both
@pytest.mark.parametrize(("dt", "most"), [(1e-3, 500), (5e-3, 50)])
def test_a_light_box_between_heavy_ones_holds_or_is_told(kind: Any, dt: float, most: int) -> None:
    """Impulses too small to count throw a milligram far: it counts by its speed."""
    model = lw.Model("sandwich")
    model.plane("floor", material=lw.Material())
    for k, mass in enumerate((1.0, 1e-6, 1.0)):
        at = (0, 0, 0.1 + 0.2 * k)
        model.body(f"box {k}", shape=lw.Box((0.2, 0.2, 0.2)), mass=mass, position=at, material=lw.Material())
    run = lw.simulate(model, until=0.3, method=kind(dt=dt, iterations=most))
    assert all_finite(run)
    assert abs(run["box 2.position"][-1, 2] - 0.5) < 1e-3 or run.certificate.cut_short > 0


@both
@pytest.mark.parametrize("mass", [1e-6, 1e-3, 1e3, 1e6])
def test_a_box_on_a_box_of_another_weight(kind: Any, mass: float) -> None:
    model = lw.Model("two")
    model.plane("floor", material=lw.Material())
    for name, m, z in (("low", 1.0, 0.1), ("high", mass, 0.3)):
        model.body(name, shape=lw.Box((0.2, 0.2, 0.2)), mass=m, position=(0, 0, z), material=lw.Material())
    run = lw.simulate(model, until=2.0, method=kind(dt=5e-3))
    assert run["low.position"][-1] == pytest.approx([0, 0, 0.1], abs=1e-3)
    assert run["high.position"][-1] == pytest.approx([0, 0, 0.3], abs=1e-3)
    assert run.energy["kinetic"].max() < 1e-6 * max(1.0, mass)


@both
@pytest.mark.parametrize("mass", [1e-6, 1e6])
def test_a_chain_with_a_last_link_of_another_weight(kind: Any, mass: float) -> None:
    """So heavy an end makes the light links swing at 5 kHz: steps are short enough for that."""
    model = lw.Model("chain")
    above: Any = model.ground
    for k in range(5):
        m = mass if k == 4 else 1.0
        at = (0, 0, -0.3 * k)
        link = model.body(f"link {k}", mass=m, inertia=(0.01 * m,) * 3, com=(0, 0, -0.15), position=at)
        model.revolute(f"hinge {k}", above, link, at=at, axis=(0, 1, 0), position=0.5 if k == 0 else 0.0, friction=0.01)
        above = link
    run = lw.simulate(model, until=0.5, method=kind(dt=1e-4), every=10)
    assert all_finite(run)
    assert run.drift["position"].max() < 1e-6
    assert np.abs(run.energy["balance"]).max() < 0.01 * run.certificate.energy_scale


def test_numbers_that_are_none_stop_a_run_and_stay_out_of_it() -> None:
    def late(t: float) -> float:
        return math.nan if t > 0.5 else 0.0

    for name in ("torque", "motor"):
        model = arm()
        if name == "torque":
            model.torque("push", "pin", late)
        else:
            model.motor("push", "pin", velocity=late)
        with pytest.raises(lw.RunError, match=rf"law of {name} 'push' failed.*returned nan") as stop:
            lw.simulate(model, until=1.0, method="impulse", dt=5e-3)
        assert all_finite(stop.value.run)
        assert stop.value.run.time[-1] == pytest.approx(0.5, abs=0.01)
    model = arm()
    model.motor("push", "pin", velocity=0.0)
    sim = lw.Simulation(model, "impulse", dt=5e-3)
    for value in (math.nan, math.inf):
        with pytest.raises(lw.OptionError, match="'push' must be a finite number"):
            sim.inputs["push"] = value


@both
def test_after_a_step_that_failed_it_stands_where_it_was_and_can_go_on(kind: Any) -> None:
    model = lw.Model("wheels")
    for name, x in (("small", 0.0), ("big", 0.3)):
        wheel = model.body(name, shape=lw.Cylinder(0.1, 0.02), mass=1.0, position=(x, 0, 0))
        model.revolute(name + " axle", "ground", wheel, at=(x, 0, 0), axis=(0, 0, 1))
    model.repeater("mesh", "small axle", "big axle", ratio=-0.5)
    model.motor("drive", "small axle", velocity=20.0)
    load = {"factor": 0.0}
    model.torque("load", "big axle", lambda t: 1e200 * load["factor"])
    sims = [lw.Simulation(model, kind(dt=0.01)) for _ in range(2)]
    for sim in sims:
        sim.step(100)
    load["factor"] = 1.0
    with pytest.raises(lw.RunError, match="grew beyond all bounds"):
        sims[0].step(3)
    load["factor"] = 0.0
    assert sims[0].time == sims[1].time
    assert sims[0]["small axle.position"] == pytest.approx(20.0)  # whole turns are not lost
    assert np.isfinite(sims[0]["big axle.velocity"])
    for sim in sims:
        sim.inputs["drive"] = 10.0
        sim.step(10)
    for name in ("small axle.position", "big axle.position", "small.angular_velocity"):
        assert sims[0][name] == pytest.approx(sims[1][name], abs=1e-12)


def test_who_stands_still_is_not_called_poor_and_gains_are() -> None:
    model = lw.Model("locked")
    for k in range(3):
        wheel = model.body(f"wheel {k}", shape=lw.Cylinder(0.1, 0.02), mass=1.0, position=(0.3 * k, 0, 0))
        model.revolute(f"axle {k}", "ground", wheel, at=(0.3 * k, 0, 0), axis=(0, 0, 1))
    for a, b, ratio in ((0, 1, -2.0), (1, 2, -0.5), (0, 2, 1.5)):
        model.repeater(f"mesh {a} {b}", f"axle {a}", f"axle {b}", ratio=ratio)
    model.motor("drive", "axle 0", velocity=1.0, max_torque=1.0)
    run = lw.simulate(model, until=0.5, dt=0.01, method="impulse", strict=True)
    assert np.abs(run["axle 0.position"]).max() < 1e-12
    assert run.certificate.broken() == []
    wrong = replace(run.certificate, energy_scale=10.0, energy_gained=1.0)
    assert wrong.broken() == ["friction, stops or contacts gave 0.1 of what moved, more than 0.01"]
    assert "GAVE 1 J - POOR" in str(wrong)


@both
def test_the_same_run_twice_has_the_same_bits(kind: Any) -> None:
    one, two = (lw.simulate(pile.build(n=20), until=0.3, method=kind(dt=0.01)) for _ in range(2))
    for name, values in one.columns.items():
        assert values.tobytes() == two.columns[name].tobytes()


@both
def test_rods_that_are_torn_apart_are_named(kind: Any) -> None:
    model = lw.Model("crane")
    for name, mass, at in (("hook", 1.0, (0, 0, -1)), ("load", 1e6, (0.5, 0, -2))):
        model.body(name, mass=mass, inertia=(0.1 * mass,) * 3, position=at)
    model.distance("rope", "ground", "hook")
    model.distance("chain", "hook", "load")
    with pytest.raises(lw.RunError, match="was torn apart"):
        lw.simulate(model, until=3.0, method=kind(dt=1e-3))


def test_joints_that_are_torn_apart_are_named() -> None:
    """Light links before a heavy body, let go from the horizontal: more than the joints of loose bodies can hold."""
    model = lw.Model("whip")
    before: Any = "ground"
    for k, mass in enumerate((1.0, 1.0, 1e6)):
        link = model.body(f"link {k}", mass=mass, inertia=(mass / 48,) * 3, position=(0.5 * k + 0.25, 0, 0))
        model.revolute(f"hinge {k}", before, link, at=(0.5 * k, 0, 0), axis=(0, 1, 0))
        before = link
    with pytest.raises(lw.RunError, match=r"joint 'hinge \d' was torn apart: its ends are .* m from where") as caught:
        lw.simulate(model, until=3.0, method="maximal", dt=5e-3)
    assert str(caught.value.culprit).startswith("hinge")


def test_no_torque_is_told_of_a_step_that_failed() -> None:
    model = lw.Model("arm")
    arm = model.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -0.3), position=(0, 0, 0))
    model.revolute("hinge", "ground", arm, at=(0, 0, 0), axis=(0, 1, 0))
    model.motor("motor", "hinge", velocity=1.0, max_torque=5.0)
    model.torque("push", "hinge", lambda t: math.nan if t > 0.05 else 0.0)
    sim = lw.Simulation(model, lw.Impulse(dt=0.01))
    with pytest.raises(lw.RunError, match="'push'"):
        sim.step(20)
    assert sim["motor.torque"] == 0.0
