"""Multipliers of periodic motions: Mathieu's equation, closed forms, and runs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import mathieu_a, mathieu_b

import linkwork as lw
from linkwork.errors import OptionError, RunError

pytest.importorskip("numba")
G = 9.81
LENGTH = 0.8


def shaken_pendulum(amplitude: float, omega: float, damping: float = 0.0, upright: bool = False) -> lw.Model:
    """A point mass on a rod whose support swings up and down by `amplitude` cos(omega t)."""
    model = lw.Model("shaken pendulum")
    table = model.moving_ground("table", lw.Motion(position=(0, 0, lw.Cosine(amplitude, omega / (2 * math.pi)))))
    side = 1.0 if upright else -1.0
    bob = model.body("bob", mass=1.3, inertia=0.0, com=(0, 0, side * LENGTH))
    model.revolute("pin", table, bob, at=(0, 0, 0), axis=(0, 1, 0), damping=damping)
    return model


def trace(model: lw.Model, omega: float, **options: float) -> float:
    return float(np.trace(lw.floquet(model, 2 * math.pi / omega, at="start", **options).monodromy))


@pytest.mark.parametrize("which", ["low", "high"])
def test_borders_of_mathieu(which: str) -> None:
    """a = 4 g / (l w^2), q = 2 Y / l: it grows between b1(q) and a1(q), to twice the period."""
    amplitude = 0.06
    q = 2 * amplitude / LENGTH
    wanted = math.sqrt(4 * G / (LENGTH * (mathieu_a(1, q) if which == "low" else mathieu_b(1, q))))
    found = brentq(
        lambda omega: trace(shaken_pendulum(amplitude, omega), omega) + 2.0, wanted - 0.1, wanted + 0.1, xtol=1e-9
    )
    assert found == pytest.approx(wanted, rel=1e-6)
    inside = wanted + (0.05 if which == "low" else -0.05)
    assert not lw.floquet(shaken_pendulum(amplitude, inside), 2 * math.pi / inside, at="start").stable
    outside = wanted - (0.05 if which == "low" else -0.05)
    assert lw.floquet(shaken_pendulum(amplitude, outside), 2 * math.pi / outside, at="start").stable


def test_an_upright_pendulum_that_shaking_holds() -> None:
    """It stands where -a < -a0(q), with a = -4 g / (l w^2)."""
    amplitude = 0.1
    q = 2 * amplitude / LENGTH
    wanted = math.sqrt(4 * G / (LENGTH * -mathieu_a(0, q)))
    found = brentq(
        lambda omega: trace(shaken_pendulum(amplitude, omega, upright=True), omega) - 2.0,
        0.98 * wanted,
        1.02 * wanted,
        xtol=1e-9,
    )
    assert found == pytest.approx(wanted, rel=1e-6)


def test_damping_takes_its_part() -> None:
    """The product of all multipliers is exp(-c T / J)."""
    damping, omega = 0.4, 6.0
    found = lw.floquet(shaken_pendulum(0.06, omega, damping), 2 * math.pi / omega)
    wanted = math.exp(-damping / (1.3 * LENGTH**2) * 2 * math.pi / omega)
    assert np.prod(found.multipliers).real == pytest.approx(wanted, rel=1e-9)
    assert str(found).startswith("'shaken pendulum' about a periodic motion of 1.0472 s")


def slider_crank(speed: float, damping: float = 3.0) -> lw.Model:
    """Turned by a motor; beside its block swings a mass on a spring."""
    model = lw.Model("slider crank")
    crank = model.body("crank", mass=1.0, inertia=(0.01, 0.01, 0.01))
    rod = model.body("rod", mass=0.5, inertia=(0.001, 0.02, 0.02), com=(0.25, 0, 0), position=(0.1, 0, 0))
    block = model.body("block", mass=2.0, inertia=(1, 1, 1), position=(0.6, 0, 0))
    rider = model.body("rider", mass=0.7, inertia=(1, 1, 1), position=(0.6, 0, 0.1))
    shaft = model.revolute("shaft", model.ground, crank, at=(0, 0, 0), axis=(0, 1, 0))
    model.revolute("crank pin", crank, rod, at=(0.1, 0, 0), axis=(0, 1, 0))
    model.revolute("piston pin", rod, block, at=(0.6, 0, 0), axis=(0, 1, 0))
    model.prismatic("bore", model.ground, block, at=(0.6, 0, 0), axis=(1, 0, 0))
    model.prismatic("rail", block, rider, at=(0.6, 0, 0.1), axis=(1, 0, 0), stiffness=90.0, damping=damping)
    model.motor("drive", shaft, velocity=speed)
    return model


def test_one_turn_of_a_crank() -> None:
    """The mass on the block is linear: its multipliers are exp(s T); its swing over a turn is found."""
    speed = 9.0
    period = 2 * math.pi / speed
    found = lw.floquet(slider_crank(speed), period)
    s = np.roots([0.7, 3.0, 90.0])
    assert found.states == ["rail.position", "rail.velocity"]
    assert np.allclose(np.sort_complex(found.multipliers), np.sort_complex(np.exp(s * period)), rtol=1e-7)
    assert np.allclose(np.abs(found.exponents.real), 3.0 / 1.4, rtol=1e-7)
    run = lw.simulate(slider_crank(speed), until=40 * period, dt=period / 600, method="recursive")
    rail = lw.assemble(slider_crank(speed), driven=True).joint_names.index("rail")
    assert found.q[rail] == pytest.approx(run["rail.position"][-1], abs=1e-7)


def test_what_does_not_repeat_says_why() -> None:
    omega = 6.0
    model = shaken_pendulum(0.06, omega)
    with pytest.raises(OptionError, match="at= must be 'periodic', 'start', 'equilibrium'"):
        lw.floquet(model, 1.0, at="steady")
    let_go = shaken_pendulum(0.06, omega)
    let_go.release("pin", time=0.5)
    with pytest.raises(OptionError, match="which slopes of a period do not go through; leave it out"):
        lw.floquet(let_go, 1.0)
    falling = lw.Model("ball")
    falling.body("ball", mass=1.0, inertia=(1, 1, 1))
    with pytest.raises(OptionError, match=r"'ball' does not repeat after 1 s: joint 'ball free.*correct period="):
        lw.floquet(falling, 1.0, at="start")
    with pytest.raises(RunError, match="no motion of 'ball' that repeats after 1 s was found"):
        lw.floquet(falling, 1.0)


def driven_cart(gain: float, rate_gain: float, every: float, filtered: bool = False) -> lw.Model:
    model = lw.Model("cart", gravity=(0, 0, 0))
    cart = model.body("cart", mass=2.0, inertia=(1, 1, 1))
    rail = model.prismatic("rail", model.ground, cart, at=(0, 0, 0), axis=(1, 0, 0))
    model.torque("push", rail, 0.0)

    def law(t, seen):
        return -gain * seen[0] - rate_gain * seen[1]

    def filter(t, seen, memory):
        memory[0] += 0.3 * (seen[0] - memory[0])
        return -gain * memory[0] - rate_gain * seen[1]

    more = {"memory": [0.0]} if filtered else {}
    model.controller(
        "hold", filter if filtered else law, every=every, sees=["rail.position", "rail.velocity"], sets="push", **more
    )
    return model


@pytest.mark.parametrize("filtered", [False, True])
def test_a_sampled_controller_is_a_map(filtered: bool) -> None:
    """A mass that a digital controller holds: x' = x + v T + u T^2 / 2m, v' = v + u T / m."""
    gain, rate_gain, T, m = 40.0, 9.0, 0.1, 2.0
    found = lw.floquet(driven_cart(gain, rate_gain, T, filtered), T, at="start", dt=0.01)
    move = np.array([[1, T], [0, 1.0]])
    push = np.array([T**2 / (2 * m), T / m])
    if filtered:  # states x, v, memory before a sample
        look = np.array([0.3, 0.0, 0.7])
        force = -gain * look - rate_gain * np.array([0, 1.0, 0])
        wanted = np.zeros((3, 3))
        wanted[:2, :2] = move
        wanted[:2] += np.outer(push, force)
        wanted[2] = look
    else:
        wanted = move + np.outer(push, [-gain, -rate_gain])
    values = np.sort(np.abs(np.linalg.eigvals(wanted)))
    size = np.sort(np.abs(found.multipliers))
    assert np.allclose(size[-values.size :], values, rtol=1e-7)
    assert np.all(size[: -values.size] < 1e-7)  # what is held is set anew at each sample
    assert found.stable == bool(values.max() < 1.0)


def test_a_controller_that_is_too_slow() -> None:
    assert lw.floquet(driven_cart(40.0, 9.0, 0.1), 0.1, at="start", dt=0.01).stable
    assert not lw.floquet(driven_cart(40.0, 9.0, 0.6), 0.6, at="start", dt=0.01).stable
    with pytest.raises(OptionError, match="acts every 0.1 s, of which 0.25 s are no whole number"):
        lw.floquet(driven_cart(40.0, 9.0, 0.1), 0.25)
