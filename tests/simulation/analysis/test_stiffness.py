"""Steps that are too large: found at the start, on the way, and told when a run fails or gains energy."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.formulations.status import SINGULAR
from linkwork.simulation.analysis.choice.stiffness import advice
from linkwork.simulation.methods import resolve
from linkwork.simulation.stepping.failures import failure_of

# an implicit step of 1 ms does not resolve a stop or a brake either, and says so
in_doubt = pytest.mark.filterwarnings("ignore:.*energy balance:linkwork.errors.RunWarning")


def chosen(model: lw.Model, **options: object) -> tuple[str, str]:
    system = lw.assemble(model)
    method, reason = resolve("auto", options, system, system.features)
    return method.name, reason


def wishbone(stiffness: float) -> lw.Model:
    """A double wishbone: each arm on two bushings of three springs, of no length and along the axes."""
    model = lw.Model("double wishbone")
    for name, z, y in (("upper", 0.3, 0.25), ("lower", 0.0, 0.35)):
        arm = model.body(f"{name} arm", mass=2.0, shape=lw.Box((0.3, y, 0.03)), position=(0, y / 2, z))
        for side, x in (("front", 0.15), ("rear", -0.15)):
            for letter, axis in zip("xyz", np.eye(3), strict=True):
                place = {"at_a": (x, 0, z), "at_b": (x, -y / 2, 0), "axis": axis, "length": 0.0}
                bush = {"stiffness": stiffness, "damping": 1e-4 * stiffness}
                model.spring(f"{name} {side} {letter}", model.ground, arm, **place, **bush)
    model.free("mount", model.ground, "upper arm")
    model.body("knuckle", mass=15.0, shape=lw.Box((0.1, 0.1, 0.35)), position=(0, 0.35, 0.15))
    model.ball("upper ball", "upper arm", "knuckle", at=(0, 0.25, 0.3))
    model.ball("lower ball", "lower arm", "knuckle", at=(0, 0.35, 0.0))
    rod = {"at_a": (0.1, 0, 0.1), "at_b": (0.1, 0, -0.05), "length": 0.35}
    model.spring("track rod", model.ground, "knuckle", **rod, stiffness=1e5, damping=1e2)
    strut = {"at_a": (0, 0.1, 0.4), "at_b": (0, 0.05, 0), "length": 0.45}
    model.spring("strut", model.ground, "lower arm", **strut, stiffness=3e4, damping=2e3)
    return model


def governor() -> lw.Model:
    """A flyball governor whose rods, from arms to collar, are stiff springs with dampers."""
    model = lw.Model("governor")
    shaft = model.body("shaft", mass=200.0, inertia=(25, 25, 50))
    model.revolute("spin", model.ground, shaft, at=(0, 0, 0), axis=(0, 0, 1), velocity=11.0)
    model.body("collar", mass=1.0, inertia=(0.15, 0.15, 0.125), position=(0, 0, -0.5))
    model.prismatic("slide", shaft, "collar", axis=(0, 0, 1))
    model.spring("base", shaft, "collar", stiffness=1e3, damping=30.0, length=0.5)
    for name, side in (("left", -1), ("right", 1)):
        tip = np.array([side * 0.5, 0.0, -math.sqrt(0.75)])
        model.body(f"{name} arm", mass=6.0, inertia=(0.6, 0.6, 0.1), position=tip)
        model.revolute(f"{name} hinge", shaft, f"{name} arm", at=(0, 0, 0), axis=(0, 1, 0))
        middle = tip / 2 - (0, 0, -0.5)
        rod = {"at_a": -tip / 2, "stiffness": 8e5, "damping": 4e4, "length": float(np.linalg.norm(middle))}
        model.spring(f"{name} rod", f"{name} arm", "collar", **rod)
    return model


def on_springs(count: int, stiffness: float, **options: Any) -> lw.Model:
    """A block of 1 kg between parallel springs."""
    model = lw.Model("parallel", gravity=(0, 0, 0))
    model.body("block", mass=1.0, shape=lw.Sphere(0.1))
    for k in range(count):
        model.spring(f"cord {k}", "ground", "block", at_a=(1, 0, 0), stiffness=stiffness, length=1.0, **options)
    return model


# ---- at the start ----------------------------------------------------------------------------------------------------


def test_a_wishbone_on_bushings() -> None:
    """Explicit steps throw it away; the choice sees the bushings, and ends where small explicit steps end."""
    model = wishbone(5e6)
    name, reason = chosen(model)
    assert name == "hybrid"
    assert "spring 'upper" in reason
    assert "too stiff for explicit steps of 0.001 s" in reason
    run = lw.simulate(model, until=0.2, dt=1e-3)
    fine = lw.simulate(model, until=0.2, dt=1e-4, method="recursive", every=10)
    assert np.abs(run["knuckle.position"] - fine["knuckle.position"]).max() < 2e-3
    with pytest.raises(lw.RunError, match=r"too large for spring '(upper|lower) .*dt of 0.000\d s or less"):
        lw.simulate(model, until=0.2, method="recursive")


def test_springs_are_judged_together() -> None:
    """2 rad in a step of 1 ms are 4e6 N/m for 1 kg."""
    assert chosen(on_springs(1, 2.1e6))[0] == "recursive"
    assert chosen(on_springs(2, 2.1e6)) == (
        "hybrid",
        "hybrid: spring 'cord 0' with 1 more is too stiff for explicit steps of 0.001 s",
    )
    assert chosen(on_springs(2, 1.9e6))[0] == "recursive"
    assert chosen(on_springs(2, 1.0, damping=1.1e3))[0] == "hybrid"


def test_bushings_are_named() -> None:
    """A mount that is too stiff for explicit steps is found and named; with impulses it is held in any step."""
    model = lw.Model("mounted")
    body = model.body("block", mass=50.0, inertia=(1, 1, 1))
    model.free("start", model.ground, body, velocity=(1, 0, 0, 0, 0, 0))
    model.bushing("mount", model.ground, body, at=(0, 0, 0), stiffness=(8e6, 8e6, 8e6, 1e4, 1e4, 1e4))
    reason = "hybrid: bushing 'mount' is too stiff for explicit steps of 0.005 s"
    assert chosen(model, dt=5e-3) == ("hybrid", reason)
    with pytest.warns(lw.RunWarning, match="too large for bushing 'mount', which swings at 4e"):
        lw.simulate(model, until=0.08, method="recursive", dt=8e-3)
    for method in ("impulse", "maximal"):
        assert advice(lw.Simulation(model, method, dt=5e-3).stepper) == ""


def test_springs_of_no_length_and_with_an_axis() -> None:
    for options in ({"length": 0.0}, {"length": 0.0, "axis": (0, 1, 0)}, {"length": 1.0, "axis": (0, 1, 0)}):
        for stiffness, name in ((3.9e6, "recursive"), (4.1e6, "hybrid")):
            model = lw.Model("knot", gravity=(0, 0, 0))
            model.body("block", mass=1.0, shape=lw.Sphere(0.1))
            model.spring("knot", "ground", "block", stiffness=stiffness, **options)
            assert chosen(model)[0] == name, (options, stiffness)


def test_the_lever_of_a_spring_counts() -> None:
    """A spring that holds a body beside its centre turns it: less effective mass. A gear of a screw does the same."""
    model = lw.Model("lever", gravity=(0, 0, 0))
    model.body("block", mass=1.0, inertia=(1e-2, 1e-2, 1e-2))
    model.spring("cord", "ground", "block", at_a=(0.5, 1, 0), at_b=(0.5, 0, 0), stiffness=2e5, length=1.0)
    assert chosen(model)[0] == "hybrid"  # 1 / (1 + 0.25 / 0.01) kg
    screw = lw.Model("screw", gravity=(0, 0, 0))
    screw.body("nut", mass=1.0, inertia=(1e-4, 1e-4, 1e-4))
    screw.screw("thread", "ground", "nut", at=(0, 0, 0), axis=(0, 0, 1), pitch=1.0)
    screw.spring("cord", "ground", "nut", at_a=(0, 0, 1), stiffness=5e6, length=1.0)
    assert chosen(screw)[0] == "hybrid"
    assert chosen(screw, dt=5e-4)[0] == "recursive"


def test_laws_tyres_and_curves_count() -> None:
    law = on_springs(0, 0.0)
    law.force("law", "block", lambda t, x, e, u, w: tuple(-5e6 * x))
    assert chosen(law)[1] == "hybrid: force 'law' is too stiff for explicit steps of 0.001 s"
    curve = on_springs(0, 0.0)
    steep = (
        lw.Curve.through([0.0, 2.0], [-5e6, 5e6]) if hasattr(lw.Curve, "through") else lw.Curve([0.0], [[-5e6, 5e6]])
    )
    curve.spring("curve", "ground", "block", at_a=(1, 0, 0), stiffness=steep, length=1.0)
    assert chosen(curve)[0] == "hybrid"


def test_a_force_that_jumps_is_not_stiff() -> None:
    """Newton's iteration would not converge; explicit steps just rattle."""
    model = on_springs(0, 0.0)
    model.force("friction", "block", lambda t, x, e, u, w: tuple(-3.0 * np.sign(u)))
    assert chosen(model)[0] == "recursive"
    smooth = on_springs(0, 0.0)
    smooth.force("friction", "block", lambda t, x, e, u, w: tuple(-3.0 * np.tanh(u / 1e-3)))
    assert chosen(smooth)[0] == "hybrid"  # 3000 / s


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("mass", [1e-6, 1.0, 1e6])
def test_whatever_the_size(scale: float, mass: float) -> None:
    for factor, name in ((3.9, "recursive"), (4.1, "hybrid")):
        model = lw.Model("swing")
        model.body("block", mass=mass, shape=lw.Sphere(0.1 * scale), position=(0, 0, -scale))
        model.spring("cord", "ground", "block", stiffness=factor * 1e6 * mass, damping=0.1 * mass, length=scale)
        assert chosen(model)[0] == name


def test_a_large_model_is_asked_for_its_fastest_mode() -> None:
    model = lw.gallery.chain.build(n=200, damping=1e-3)
    assert chosen(model)[0] == "recursive"
    model.spring("anchor", "ground", "link 100", at_a=(0, 0, 0), stiffness=1e10, length=0.0)
    assert chosen(model)[1].startswith("hybrid: spring 'anchor' is too stiff")


def test_the_start_at_rest_is_what_is_judged() -> None:
    """A stop that is touched only where the model comes to rest."""
    model = lw.Model("stop")
    model.body("block", mass=1.0, shape=lw.Sphere(0.1))
    model.prismatic("rail", "ground", "block", axis=(0, 0, 1), stiffness=50.0)
    model.force("stop", "block", lambda t, x, e, u, w: (0, 0, 1e7 * max(0.0, -0.1 - x[2])))
    assert lw.Simulation(model).method.name == "recursive"
    assert lw.Simulation(model, start="equilibrium").method.name == "hybrid"


# ---- on the way ------------------------------------------------------------------------------------------------------


def brake(t: float, x: float, u: float) -> float:
    """Closes after 5 ms: 4000 N s/m."""
    return -4e3 * u if t > 0.005 else 0.0


def braked() -> lw.Model:
    model = lw.Model("brake", gravity=(0, 0, 0))
    model.body("block", mass=1.0, shape=lw.Sphere(0.1))
    model.prismatic("rail", "ground", "block", axis=(1, 0, 0), velocity=1.0)
    model.torque("brake", "rail", brake)
    return model


@in_doubt
def test_it_is_judged_again_after_the_first_steps(tmp_path: Path) -> None:
    model = braked()
    assert chosen(model)[0] == "recursive"
    run = lw.simulate(model, until=0.1, dt=1e-3)
    assert run.certificate.method == "hybrid"
    assert run.certificate.reason.startswith("hybrid: after ")
    assert "by recursive torque 'brake' was found too stiff for explicit steps of 0.001 s" in run.certificate.reason
    assert run.time[0] == 0.0
    assert len(run) == 101
    assert np.abs(run["rail.position"]).max() < 0.01
    made = lw.stream(model, tmp_path / "run.h5", until=0.1, dt=1e-3)
    assert made.reason == run.certificate.reason
    assert np.array_equal(lw.load_run(tmp_path / "run.h5")["rail.position"], run["rail.position"])


def test_by_hand_there_is_a_warning() -> None:
    sim = lw.Simulation(wishbone(5e6), lw.Recursive())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.step(2)  # who chose it is not told
    sim = lw.Simulation(braked())
    with pytest.warns(lw.RunWarning, match="torque 'brake', which .* take dt of 0.000. s or less, or method='hybrid'"):
        sim.step(12)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.step(1)  # once


@in_doubt
def test_a_stop_that_is_touched_for_an_instant() -> None:
    """Where the energy jumps is where it is looked for."""
    model = lw.Model("stop")
    model.body("block", mass=1.0, shape=lw.Sphere(0.1))
    model.prismatic("rail", "ground", "block", axis=(0, 0, 1))
    model.force("stop", "block", lambda t, x, e, u, w: (0, 0, 1e8 * max(0.0, -0.05 - x[2])))
    run = lw.simulate(model, until=0.2)
    assert run.certificate.reason.startswith("hybrid: after 200 steps by recursive force 'stop'")
    with pytest.warns(lw.RunWarning, match="too large for force 'stop'"):
        alone = lw.simulate(model, until=0.2, method="recursive")
    assert alone.certificate.advice == (
        "the steps of 0.001 s are too large for force 'stop', which swings at 1e+04 rad/s; take dt of 0.0001 s or "
        "less, or method='hybrid'"
    )
    assert "POOR: the steps of 0.001 s are too large for force 'stop'" in str(alone.certificate)


# ---- when it fails ---------------------------------------------------------------------------------------------------


def failure(model: lw.Model, **options: Any) -> lw.RunError:
    with pytest.raises(lw.RunError) as caught:
        lw.simulate(model, **options)
    assert "adaptive" not in str(caught.value)
    return caught.value


@pytest.mark.parametrize("integrator", ["rk4", "abm4", "semi-implicit", "trapezoidal"])
def test_a_governor_whose_steps_are_too_large(integrator: str) -> None:
    error = failure(governor(), until=1.0, dt=1e-3, method="recursive", integrator=integrator)
    assert "the steps of 0.001 s are too large for spring 'left rod' with 1 more, which settles within" in str(error)
    assert "inertia" not in str(error)
    assert error.culprit == "left rod"
    step = float(str(error).partition("take dt of ")[2].partition(" s or less, or method='hybrid'")[0])
    assert 1e-5 < step < 1e-3
    run = lw.simulate(governor(), until=0.05, dt=step, method="recursive", integrator=integrator)
    assert run.certificate.energy_balance_relative < 1e-2


def test_the_governor_by_itself() -> None:
    run = lw.simulate(governor(), until=0.5, dt=1e-3)
    fine = lw.simulate(governor(), until=0.5, dt=1e-4, method="recursive", every=10)
    assert run.certificate.method == "hybrid"
    assert np.abs(run["slide.position"] - fine["slide.position"]).max() < 1e-4


def test_other_coordinates_say_the_same() -> None:
    error = failure(governor(), until=1.0, dt=1e-3, method="absolute")
    assert "too large for spring 'left rod' with 1 more" in str(error)
    assert "take dt of 0.0002 s or less, or method='hybrid'" in str(error)


@pytest.mark.parametrize("law", ["spring", "damper"])
def test_laws_in_a_method_with_impulses(law: str) -> None:
    """It holds springs and dampers of the model whatever their stiffness, but a law of the user is explicit."""
    model = lw.Model("limited")
    model.body("block", mass=1.0, shape=lw.Sphere(0.1))
    rail = {"position": 0.01, "limits": (-5, 5), "stiffness": 1e8, "damping": 1e4}
    model.prismatic("rail", "ground", "block", axis=(1, 0, 0), **rail)
    sim = lw.Simulation(model, "impulse", dt=1e-3)
    sim.step(5)
    assert advice(sim.stepper) == ""
    model.torque("law", "rail", (lambda t, x, u: -1e8 * x) if law == "spring" else (lambda t, x, u: -1e4 * u))
    sim = lw.Simulation(model, "impulse", dt=1e-3)
    sim.step(5)
    assert advice(sim.stepper).startswith("the steps of 0.001 s are too large for torque 'law', which s")
    assert advice(sim.stepper).endswith(
        "0.0001 s or less, or make it a spring or damper, which this method holds in any step"
    )


@pytest.mark.parametrize("lever", [0.0, 0.05], ids=["across", "turning"])
def test_the_pull_of_a_spring_in_a_method_with_impulses(lever: float) -> None:
    """It is held along its line alone: a light body between two that are stretched swings across, as on a string."""

    def pulled(stretch: float) -> lw.Model:
        model = lw.Model("string", gravity=(0, 0, 0))
        body = model.body("bead", mass=1e-3, inertia=(2e-6,) * 3, position=(0, 0, 0))
        model.free("way", "ground", body, velocity=(0, 0.1, 0, 0, 0.3, 0.2))
        for name, side in (("left", -1.0), ("right", 1.0)):
            model.spring(
                name,
                "ground",
                body,
                at_a=(side, 0, 0),
                at_b=(side * lever, 0, 0),
                stiffness=1e4,
                length=1.0 - lever - stretch,
            )
        return model

    slack = lw.Simulation(pulled(0.0), "impulse", dt=5e-3)
    slack.step(2)
    assert advice(slack.stepper) == ""
    with pytest.warns(
        lw.RunWarning, match="too large for the pull of spring 'left' with 1 more, which swings at"
    ) as told:
        wild = lw.simulate(pulled(0.1), until=1.0, method="impulse", dt=5e-3)
    assert wild.energy["kinetic"].max() > 100.0 * wild.energy["kinetic"][0]
    text = str(told[0].message)
    assert "make it a spring" not in text
    step = float(text.partition("take dt of ")[2].partition(" s or less, or method='hybrid'")[0])
    assert 1e-5 < step < 3e-3
    run = lw.simulate(pulled(0.1), until=0.2, method="impulse", dt=step)
    assert run.energy["kinetic"].max() < 2.0 * run.energy["kinetic"][0]


@pytest.mark.parametrize("damping", [0.0, 0.3])
def test_no_inertia_is_still_told_as_such(damping: float) -> None:
    """A bob on two hinges comes to hang below the first, which it then does not hold: sixteen steps to there.

    Its damper becomes too stiff for the steps on the way, but only because the inertia vanishes.
    """
    model = lw.Model("vanishing", gravity=(0, 0, 0))
    model.body("yoke", mass=1.0, inertia=0.0)
    model.body("bob", mass=1.0, inertia=0.0, com=(0, 0, -1))
    model.revolute("pin", "ground", "yoke", at=(0, 0, 0), axis=(0, 0, 1), damping=damping)
    model.revolute("knee", "yoke", "bob", at=(0, 0, 0), axis=(1, 0, 0), position=1.0, velocity=-1.0)
    error = failure(model, until=2.0, dt=0.0625, method="recursive")
    assert error.culprit == "pin"
    assert "what joint 'pin' moves has no inertia in this position; give the bodies beyond it an inertia" in str(error)


@pytest.mark.parametrize("method", ["recursive", "absolute", "impulse"])
def test_an_inertia_that_is_there_is_not_said_to_lack(method: str) -> None:
    """Numbers beyond all bounds turn an inertia into nothing, too: then they are the cause, as in a coarse step."""
    model = lw.Model("bar")
    model.body("bar", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0.5, 0, 0))
    model.revolute("pin", "ground", "bar", at=(0, 0, 0), axis=(0, 1, 0))
    sim = lw.Simulation(model, method, dt=0.01)
    sim.step(3)
    told = str(failure_of(sim.stepper, SINGULAR + 1))
    assert "no inertia" not in told
    assert "grew beyond all bounds" in told


def test_a_chain_that_weight_makes_stiff() -> None:
    """No spring at all: tiny links under a heavy load swing faster than the steps; the joint is named."""
    model = lw.Model("cable")
    before: Any = model.ground
    for k in range(3):
        link = model.body(f"link {k}", mass=1e-3, inertia=(1e-9, 1e-9, 1e-9), position=(0, 0, -0.01 * k - 0.005))
        model.revolute(f"hinge {k}", before, link, at=(0, 0, -0.01 * k), axis=(0, 1, 0))
        before = link
    model.body("load", mass=1e3, inertia=(10, 10, 10), position=(0, 0, -0.5))
    model.revolute("hook", before, "load", at=(0, 0, -0.03), axis=(0, 1, 0), position=0.05)
    error = failure(model, until=1.0, dt=1e-3, method="recursive")
    assert "too large for joint 'h" in str(error)
    assert lw.simulate(model, until=0.1, dt=1e-3).certificate.reason.startswith("hybrid: after ")


def test_advice_of_a_healthy_run_is_empty() -> None:
    sim = lw.Simulation(governor(), "recursive", dt=1e-4)
    sim.step(20)
    assert advice(sim.stepper) == ""
    assert advice(lw.Simulation(governor(), "hybrid", dt=1e-2).stepper) == ""
