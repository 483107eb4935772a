"""Stability of what rolls: eigenvalues of a disc and of bicycles, against closed forms and against runs."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import brentq

import linkwork as lw

pytest.importorskip("numba")
G = 9.81
R, M, A, C = 0.3, 2.0, 0.05, 0.08  # of the disc: radius, mass, inertia across and along its axis


def disc(spin: float) -> lw.Model:
    """Upright, rolling along x."""
    model = lw.Model("disc")
    body = model.body("disc", mass=M, inertia=(A, C, A), position=(0, 0, R))
    start = (0, 0, R, 1, 0, 0, 0)
    model.free("flight", model.ground, body, position=start, velocity=(spin * R, 0, 0, 0, spin, 0))
    model.rolling("contact", model.ground, body, radius=R, axis=(0, 1, 0))
    return model


def lean(spin: float) -> float:
    """The square of the eigenvalue of leaning."""
    squares = np.linalg.eigvals(lw.linearise(disc(spin), at="start").A) ** 2
    return float(squares[np.argmax(np.abs(squares))].real)


@pytest.mark.parametrize("spin", [0.5, 2.0, 5.0, 20.0])
def test_a_rolling_disc(spin: float) -> None:
    fall, turn = M * G * R / (A + M * R**2), C * (C + M * R**2) / (A * (A + M * R**2))
    assert lean(spin) == pytest.approx(fall - turn * spin**2, rel=1e-9)
    linear = lw.linearise(disc(spin), at="start")
    assert (linear.freedom, linear.positions) == (3, 5)  # what rolls reaches places whose velocities are forbidden


def test_the_critical_speed_of_a_rolling_disc() -> None:
    """It rolls upright where C (C + m r^2) w^2 > A m g r."""
    found = brentq(lean, 3.0, 5.0, xtol=1e-12, rtol=1e-12)
    assert found == pytest.approx(math.sqrt(A * M * G * R / (C * (C + M * R**2))), rel=1e-8)


def bicycle(speed: float, rear_steered: bool = False) -> lw.Model:
    """Numbers of our own; x is forward. One that steers behind is the other one, driven backwards."""
    large, small, wheelbase, trail, tilt = 0.34, 0.28, 1.05, 0.06, 0.3
    side = -1.0 if rear_steered else 1.0
    model = lw.Model("bicycle")
    frame = model.body("frame", mass=78.0, inertia=(9.0, 11.0, 3.0), com=(0.4 * side, 0, 0.62), position=(0, 0, large))
    end = (side * wheelbase, 0, small)
    fork = model.body("fork", mass=3.5, inertia=(0.15, 0.14, 0.02), com=(0, 0, 0.35), position=end)
    fixed = model.body("fixed wheel", mass=2.2, inertia=(0.07, 0.14, 0.07), position=(0, 0, large))
    steered = model.body("steered wheel", mass=1.6, inertia=(0.04, 0.08, 0.04), position=end)
    start = (0, 0, large, 1, 0, 0, 0)
    model.free("flight", model.ground, frame, position=start, velocity=(speed, 0, 0, 0, 0, 0))
    model.revolute("hub", frame, fixed, at=(0, 0, large), axis=(0, 1, 0), velocity=speed / large)
    head = {"at": (side * (wheelbase + trail), 0, 0), "axis": (-side * math.sin(tilt), 0, math.cos(tilt))}
    model.revolute("steering", frame, fork, **head)
    model.revolute("axle", fork, steered, at=end, axis=(0, 1, 0), velocity=speed / small)
    model.rolling("fixed contact", model.ground, fixed, radius=large, axis=(0, 1, 0))
    model.rolling("steered contact", model.ground, steered, radius=small, axis=(0, 1, 0))
    return model


def roots(speed: float, rear_steered: bool) -> np.ndarray:
    """Eigenvalues of leaning and steering: all but those of rounding."""
    found = np.linalg.eigvals(lw.linearise(bicycle(speed, rear_steered), at="start").A)
    return np.sort_complex(found[np.argsort(-np.abs(found))][:4])


@pytest.mark.parametrize("speed", [1.0, 4.0, 10.0])
def test_steering_behind_is_driving_backwards(speed: float) -> None:
    """Rolling is the same when time runs backwards, with all eigenvalues of the other sign."""
    found, wanted = roots(speed, True), np.sort_complex(-roots(speed, False))
    assert np.allclose(found, wanted, rtol=1e-9, atol=1e-9 * np.abs(wanted).max())


def test_speeds_at_which_a_bicycle_stays_upright() -> None:
    locus = lw.root_locus(bicycle, {"speed": np.linspace(4.0, 16.0, 25)})
    weave, capsize = (value for value, _ in (locus.crossings[0], locus.crossings[-1]))
    assert 5.0 < weave < 6.0
    assert 10.0 < capsize < 11.0
    assert np.all(roots(8.0, False).real < 0.0)
    assert np.any(roots(8.0, True).real > 0.0)


@pytest.mark.parametrize(("speed", "rear_steered", "until"), [(6.5, False, 2.0), (4.0, False, 1.0), (4.0, True, 0.3)])
def test_a_bicycle_leans_as_its_eigenvalues_say(speed: float, rear_steered: bool, until: float) -> None:
    """Decay and growth of a run after a small push, against exp(A t); its energy stays."""
    model = bicycle(speed, rear_steered)
    linear = lw.linearise(model, at="start")
    system = lw.assemble(model)
    at = lw.Simulation(model, method=lw.Recursive(dt=1e-3, integrator="rk4"))
    q, v = at.q.copy(), at.v.copy()
    ways = lw.reduced(system, q)
    steps, size, shares = 50, 2e-4, []
    for side in (1.0, -1.0):
        sim = at.copy()
        sim.reset(q=q, v=v + side * size * ways.null_space[:, 0])  # it is pushed over
        moving = []
        for _ in range(round(until / 1e-3 / steps)):
            sim.step(steps)
            moving.append(sim.v[ways.independent].copy())
        shares.append(np.array(moving))
    found = (shares[0] - shares[1]) / (2.0 * size)
    begin = np.zeros(linear.A.shape[0])
    begin[linear.positions] = 1.0
    times = steps * 1e-3 * np.arange(1, len(found) + 1)
    wanted = np.array([(expm(linear.A * t) @ begin)[linear.positions :] for t in times])
    assert np.abs(found - wanted).max() < 1e-4 * np.abs(wanted).max()


@pytest.mark.parametrize("rear_steered", [False, True])
def test_a_bicycle_keeps_its_energy(rear_steered: bool) -> None:
    system = lw.assemble(bicycle(5.0, rear_steered))
    start = lw.Simulation(system, method="recursive", dt=1e-3)
    push = 0.02 * lw.reduced(system, start.q).null_space[:, 0]
    run = lw.simulate(replace(system, v_start=start.v + push), until=0.25, dt=2e-4, method="recursive")
    assert np.ptp(run["flight.position"][:, 1]) > 1e-4
    assert np.ptp(run.energy["total"]) < 1e-8 * run.energy["kinetic"][0]


def test_a_trailer_follows() -> None:
    """A wheel behind a hook that is pulled has positions to be displaced in, but no free velocity: x' = -v / l x."""
    speed, length = 1.3, 0.7
    model = lw.Model("trailer")
    hook = model.moving_ground("hook", lw.Motion(position=(([0.0, 100.0], [0.0, 100.0 * speed]), 0, 0)))
    pole = model.body("pole", mass=3.0, inertia=(0.1, 0.1, 0.1), com=(-0.3, 0, 0), position=(0, 0, 0.2))
    end = (-length, 0, 0.2)
    wheel = model.body("wheel", mass=1.0, inertia=(0.01, 0.02, 0.01), position=end)
    model.revolute("hitch", hook, pole, at=(0, 0, 0.2), axis=(0, 0, 1))
    model.revolute("axle", pole, wheel, at=end, axis=(0, 1, 0))
    model.rolling("contact", model.ground, wheel, radius=0.2, axis=(0, 1, 0))
    with pytest.warns(lw.ModelWarning, match="0 degrees of freedom"):
        linear = lw.linearise(model, at="start")
    assert linear.states == ["hitch.position", "axle.position"]
    assert np.allclose(linear.A, [[-speed / length, 0], [0, 0]], rtol=1e-12, atol=1e-12)
    modes = linear.modes()
    assert modes.decay_times[-1] == pytest.approx(length / speed)
