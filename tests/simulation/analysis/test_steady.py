"""Linear models about steady motions: closed forms, and runs beside them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import OptionError, RunError
from linkwork.simulation.analysis.linear.steady import Steady

pytest.importorskip("numba")
G = 9.81


def swinging(linear: lw.LinearModel) -> np.ndarray:
    """Frequencies, rad/s, of all that swings."""
    found = np.linalg.eigvals(linear.A).imag
    return np.sort(found[found > 1e-4 * np.abs(found).max()])


def governor(speed: float, motor: bool = False, angle: float = 0.8, length: float = 0.5) -> lw.Model:
    """A point mass on an arm that hangs from a shaft which turns about the vertical."""
    model = lw.Model("governor")
    shaft = model.body("shaft", mass=1.0, inertia=(0.01, 0.01, 0.02))
    arm = model.body("arm", mass=1.0, inertia=0.0, com=(0, 0, -length))
    model.revolute("turn", model.ground, shaft, at=(0, 0, 0), axis=(0, 0, 1), velocity=speed)
    model.revolute("knee", shaft, arm, at=(0, 0, 0), axis=(0, 1, 0), position=-angle)
    if motor:
        model.motor("drive", "turn", velocity=speed)
    return model


@pytest.mark.parametrize("motor", [False, True])
def test_a_governor(motor: bool) -> None:
    """cos a = g / (w^2 l); its swing is faster where the shaft is free to slow down."""
    w, length = 6.0, 0.5
    linear = lw.linearise(governor(w, motor), at="steady")
    sine = math.sqrt(1.0 - (G / (w**2 * length)) ** 2)
    square = (w * sine) ** 2
    if not motor:
        square += (2 * w * length * sine * G / (w**2 * length)) ** 2 / (0.02 + (length * sine) ** 2)
    assert swinging(linear) == pytest.approx([math.sqrt(square)], rel=1e-8)
    assert "turn 6 rad/s" in linear.about


def test_torque_and_damper_find_the_speed() -> None:
    model = lw.Model("fan")
    wheel = model.body("wheel", mass=1.0, inertia=(1, 1, 2))
    model.revolute("pin", model.ground, wheel, at=(0, 0, 0), axis=(0, 0, 1), velocity=1.0, damping=0.5)
    model.torque("push", "pin", 3.0)
    linear = lw.linearise(model, at="steady", inputs="push", outputs="pin.velocity")
    assert "pin 6 rad/s" in linear.about
    assert np.allclose(linear.A, [[0, 1], [0, -0.25]], atol=1e-12)
    assert linear.frequency_response(0.5).values[0, 0, 0] == pytest.approx(1 / (2j * math.pi * 0.5 * 2 + 0.5))


A, C, M, H = 0.02, 0.01, 1.5, 0.1  # of a top: inertias about its tip, mass, height of its centre


def top(spin: float, lean: float = 0.0, turn: float = 0.0) -> lw.Model:
    """It spins by `spin` about its axis in all, and that axis goes round by `turn`, rad/s."""
    model = lw.Model("top")
    body = model.body("top", mass=M, inertia=(A - M * H**2, A - M * H**2, C), com=(0, 0, H))
    about = (math.cos(lean / 2), 0, math.sin(lean / 2), 0)
    model.ball("tip", model.ground, body, at=(0, 0, 0), position=about, velocity=(-turn * math.sin(lean), 0, spin))
    return model


def test_a_sleeping_top_from_outside() -> None:
    """Precession and nutation as one sees them who does not spin."""
    spin = 60.0
    root = math.sqrt((C * spin) ** 2 - 4 * A * M * G * H)
    linear = lw.linearise(top(spin), at="steady")
    assert swinging(linear) == pytest.approx([(C * spin - root) / (2 * A), (C * spin + root) / (2 * A)], rel=1e-9)


def test_a_top_that_leans() -> None:
    """About its steady precession it nutates as its effective potential says."""
    spin, lean = 60.0, 0.6
    precession = (C * spin - math.sqrt((C * spin) ** 2 - 4 * A * M * G * H * math.cos(lean))) / (2 * A * math.cos(lean))
    linear = lw.linearise(top(spin, lean, precession), at="steady")
    momentum = A * precession * math.sin(lean) ** 2 + C * spin * math.cos(lean)

    def potential(angle):
        return (momentum - C * spin * np.cos(angle)) ** 2 / (2 * A * np.sin(angle) ** 2) + M * G * H * np.cos(angle)

    curve = np.polynomial.Chebyshev.interpolate(potential, 14, [lean - 0.05, lean + 0.05])
    assert swinging(linear) == pytest.approx([math.sqrt(curve.deriv(2)(lean) / A)], rel=1e-8)


R, DISC_M, DISC_A, DISC_C = 0.3, 2.0, 0.05, 0.08


def leaning_disc(spin: float, lean: float, turn: float) -> lw.Model:
    """It rolls in a circle, about."""
    model = lw.Model("disc")
    body = model.body("disc", mass=DISC_M, inertia=(DISC_A, DISC_C, DISC_A))
    place, about = (0, R * math.sin(lean), R * math.cos(lean)), (math.cos(lean / 2), -math.sin(lean / 2), 0, 0)
    rate = spin * lw.Frame(rotation=about).direction((0, 1, 0)) + turn * np.array([0, 0, 1])
    velocity = (*np.cross(rate, place), *rate)
    model.free("flight", model.ground, body, position=(*place, *about), velocity=velocity)
    model.rolling("contact", model.ground, body, radius=R, axis=(0, 1, 0))
    return model


def test_a_disc_in_a_circle_sways_as_its_eigenvalues_say() -> None:
    """About a circle that it rolls; a run beside it swings about it by that frequency."""
    model = leaning_disc(6.0, 0.3, 1.5)
    linear = lw.linearise(model, at="steady")
    frequencies = swinging(linear)
    assert linear.positions == 5
    turn = frequencies[0]  # of the circle itself, seen from the disc
    system = lw.assemble(model)
    start = lw.Simulation(model, method="recursive", dt=1e-3)
    steady = Steady(system, system.tables, 0.0, start.q, start.v, system.cut_start)
    push = lw.reduced(system, steady.q).null_space[:, 0]
    runs = [
        lw.simulate(
            replace(system, q_start=steady.q, v_start=steady.v + size * push), until=3.0, dt=1e-3, method="recursive"
        )
        for size in (2e-4, 0.0, -2e-4)
    ]
    heights = [run["disc.position"][:, 2] for run in runs]
    assert np.ptp(heights[1]) < 1e-9
    assert turn == pytest.approx(np.linalg.norm(steady.turning[:3, :3]) / math.sqrt(2), rel=1e-9)
    swing, time = (heights[0] - heights[2]) / 4e-4, runs[0].time
    shape = np.array([np.ones_like(time), np.cos(frequencies[1] * time), np.sin(frequencies[1] * time)]).T
    left = swing - shape @ np.linalg.lstsq(shape, swing, rcond=None)[0]
    assert np.abs(left).max() < 1e-6 * np.ptp(swing)


def test_a_car_in_a_bend() -> None:
    """The Iltis with its rack held aside goes round in a circle; what goes along with it may be an output."""

    @lw.compiled
    def hold(t, position, rotation, velocity, angular_velocity):
        gap = 1e4 * (8.0 - math.hypot(velocity[0], velocity[1]))
        return (gap * velocity[0] / 8.0, gap * velocity[1] / 8.0, 0.0)

    model = lw.gallery.iltis.build(manoeuvre="bump", road=lw.FlatRoad(), speed=8.0)
    model.force("drive", "chassis", hold)
    model.force("wind", "chassis", (0, 0, 0.0), at=(0, 0, 0.5), frame="body")
    model.torque("turn aside", "chassis", (0, 0, 300.0))
    linear = lw.linearise(model, at="steady", outputs=["front left leaf.length"])
    modes = linear.modes()
    assert linear.freedom == 10
    assert modes.stable
    with pytest.raises(OptionError, match=r"'chassis.position' does not go along with the steady motion of 'iltis'"):
        lw.linearise(model, at="steady", outputs=["chassis.position"])


def test_what_is_not_steady_says_why() -> None:
    falling = lw.Model("ball")
    falling.body("ball", mass=1.0, inertia=(1, 1, 1))
    with pytest.raises(
        RunError, match=r"no steady motion of 'ball' .* still accelerates by 9.81 m/s2; start it nearer"
    ):
        lw.linearise(falling, at="steady")
    shaken = governor(6.0)
    shaken.torque("shake", "turn", lw.Cosine(1.0, 2.0, phase=math.pi / 2))
    with pytest.raises(OptionError, match="change with time, so that no motion is steady; give them constant laws"):
        lw.linearise(shaken, at="steady")


def test_a_simulation_near_a_steady_motion() -> None:
    sim = lw.Simulation(governor(6.0, angle=1.0), method="recursive", dt=1e-3)
    sim.step(100)
    linear = lw.linearise(sim, at="steady")
    assert linear.modes().stable
    assert linear.about.startswith("a steady motion (turn ")


def test_a_governor_behind_a_gear() -> None:
    """A wheel turns the governor twelve times as fast as itself; both keep their speeds."""
    model = governor(6.0)
    wheel = model.body("wheel", mass=3.0, inertia=(0.5, 0.5, 0.9), position=(1, 0, 0))
    model.revolute("axle", model.ground, wheel, at=(1, 0, 0), axis=(0, 0, 1))
    model.gear("mesh", "axle", "turn", ratio=-12.0)
    linear = lw.linearise(model, at="steady")
    w, length = 6.0, 0.5
    sine = math.sqrt(1.0 - (G / (w**2 * length)) ** 2)
    inertia = 0.02 + (length * sine) ** 2 + 0.9 / 144
    square = (w * sine) ** 2 + (2 * w * length * sine * G / (w**2 * length)) ** 2 / inertia
    assert swinging(linear) == pytest.approx([math.sqrt(square)], rel=1e-8)


def test_a_crank_at_its_dead_point_is_not_steady() -> None:
    """There no acceleration changes with its angle, for a moment."""
    model = lw.Model("slider crank", gravity=(0, 0, 0))
    crank = model.body("crank", mass=1.0, inertia=(0.01, 0.01, 0.01))
    rod = model.body("rod", mass=0.5, inertia=(0.001, 0.02, 0.02), com=(0.25, 0, 0), position=(0.1, 0, 0))
    block = model.body("block", mass=2.0, inertia=(1, 1, 1), position=(0.6, 0, 0))
    shaft = model.revolute("shaft", model.ground, crank, at=(0, 0, 0), axis=(0, 1, 0))
    model.revolute("crank pin", crank, rod, at=(0.1, 0, 0), axis=(0, 1, 0))
    model.revolute("piston pin", rod, block, at=(0.6, 0, 0), axis=(0, 1, 0))
    model.prismatic("bore", model.ground, block, at=(0.6, 0, 0), axis=(1, 0, 0))
    rider = model.body("rider", mass=0.7, inertia=(1, 1, 1), position=(0.6, 0, 0.1))
    model.prismatic("rail", block, rider, at=(0.6, 0, 0.1), axis=(1, 0, 0), stiffness=90.0)
    model.motor("drive", shaft, velocity=9.0)
    with pytest.raises((RunError, OptionError), match="steady"):
        lw.linearise(model, at="steady")


def test_whirl_from_outside_over_speed() -> None:
    """A disc on a shaft that spins in a bearing: forward and backward whirl, as one sees them who stands beside it."""

    def build(speed: float) -> lw.Model:
        model = lw.Model("rotor", gravity=(0, 0, 0))
        disc = model.body("disc", mass=2.0, inertia=(0.02, 0.02, 0.035))
        model.ball("tip", model.ground, disc, at=(0, 0, 0), velocity=(0, 0, speed))
        for k, (x, y) in enumerate(((1, 0), (0, 1), (-1, 0), (0, -1))):
            at = (0.3 * x, 0.3 * y, -1.0)
            hub = (0, 0, -0.2)
            model.spring(f"spring {k}", model.ground, disc, at_a=at, at_b=hub, stiffness=500.0, length=0.6)
        return model

    locus = lw.root_locus(build, {"speed": np.linspace(0.0, 300.0, 4)}, at="steady")
    first = np.abs(locus.eigenvalues[0].imag).max()
    for speed, roots in zip(locus.values, locus.eigenvalues, strict=True):
        half = 0.035 * speed / (2 * 0.02)
        root = math.sqrt(half**2 + first**2)
        wanted = np.sort([root - half, root + half])
        found = np.sort(roots.imag[roots.imag > 1e-3 * first])
        assert np.allclose(found, wanted if speed else [first, first], rtol=1e-8)
