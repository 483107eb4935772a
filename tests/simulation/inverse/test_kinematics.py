"""Motions of driven mechanisms, against closed forms; dead points, jumps and free motions by name."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from known_mechanisms import four_bar
from linkwork import gallery

TURN = 2 * math.pi
R, L = 0.1, 0.3


def slider_crank(scale: float = 1.0) -> lw.Model:
    """Crank along x at the start, piston along x; "small end" closes the loop."""
    model = lw.Model("slider-crank")
    r, l = R * scale, L * scale
    model.body("crank", mass=1.0, shape=lw.Box((r, r / 9, r / 9)), position=(r / 2, 0, 0))
    model.body("rod", mass=1.0, shape=lw.Box((l, r / 9, r / 9)), position=(r + l / 2, 0, 0))
    model.body("piston", mass=1.0, shape=lw.Box((r, r, r)), position=(r + l, 0, 0))
    model.revolute("main", "ground", "crank", at=(0, 0, 0), axis=(0, 0, 1))
    model.revolute("big end", "crank", "rod", at=(r, 0, 0), axis=(0, 0, 1))
    model.prismatic("slide", "ground", "piston", at=(r + l, 0, 0), axis=(1, 0, 0))
    model.revolute("small end", "rod", "piston", at=(r + l, 0, 0), axis=(0, 0, 1), cut=True)
    return model


def piston(angle: Any, w: Any, a: Any) -> tuple[Any, Any, Any]:
    """Place of the piston and its two rates."""
    s, c = np.sin(angle), np.cos(angle)
    root = np.sqrt(L * L - (R * s) ** 2)
    first = -R * s - R * R * s * c / root
    second = -R * c - R * R * (c * c - s * s) / root - (R * R * s * c) ** 2 / root**3
    return R * c + root, first * w, first * a + second * w * w


@pytest.mark.filterwarnings("ignore:.*millimetres")
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_slider_crank_is_the_closed_form(scale: float) -> None:
    model = slider_crank(scale)
    model.motor("drive", "main", position=lw.Cosine(2.0, 1.0, phase=-math.pi / 2))
    motion = lw.kinematics(model, until=1.0, dt=0.01)
    t = motion.time
    angle, w, a = 2 * np.sin(TURN * t), 2 * TURN * np.cos(TURN * t), -2 * TURN**2 * np.sin(TURN * t)
    x, u, b = piston(angle, w, a)
    assert motion["main.position"] == pytest.approx(angle, abs=1e-12)
    assert motion["main.acceleration"] == pytest.approx(a, abs=1e-10)
    assert motion["piston.position"][:, 0] == pytest.approx(scale * x, abs=1e-12 * scale)
    assert motion["slide.velocity"] == pytest.approx(scale * u, abs=1e-11 * scale)
    assert motion["slide.acceleration"] == pytest.approx(scale * b, abs=1e-9 * scale)
    assert motion.certificate.drift_relative < 1e-12
    assert motion.certificate.rank_min == motion.certificate.rank_max == 2


@pytest.mark.parametrize(
    ("law", "end"),
    [
        ({"velocity": 5.0}, 5.0),
        ({"velocity": lambda t: 6 * t * t}, 2.0),
        ({"velocity": lw.Table((0.0, 1.0), (0.0, 4.0))}, 2.0),
        ({"velocity": lw.Step(3.0, at=0.2, rise=0.4)}, 1.8),
        ({"position": lambda t: 2 * t**3}, 2.0),
        ({"position": lw.Table((0, 0.3, 0.6, 1.0), (0.0, 1.0, 1.5, 2.0), kind="cubic")}, 2.0),
    ],
)
def test_every_kind_of_law(law: dict[str, Any], end: float) -> None:
    model = slider_crank()
    model.motor("drive", "main", **law)
    motion = lw.kinematics(model, until=1.0, dt=0.01)
    angle, w, a = (motion[f"main.{word}"] for word in ("position", "velocity", "acceleration"))
    assert angle[-1] == pytest.approx(end, abs=1e-10)
    # rates belong to each other
    assert angle[0] + np.trapezoid(w, motion.time) == pytest.approx(end, abs=2e-3)
    assert w[0] + np.trapezoid(a, motion.time) == pytest.approx(w[-1], abs=2e-2)
    _, u, b = piston(angle, w, a)
    assert motion["slide.velocity"] == pytest.approx(u, abs=1e-11)
    assert motion["slide.acceleration"] == pytest.approx(b, abs=1e-9)
    formed = callable(law.get("velocity", law.get("position"))) and not isinstance(law.get("velocity"), lw.Step)
    assert bool(motion.certificate.notes) == formed


@pytest.mark.parametrize("cut", ["crank", "coupler", "rocker", "foot"])
def test_motor_in_a_joint_that_closes_the_loop(cut: str) -> None:
    """The same motion wherever the loop is cut, and torques by virtual work."""
    found = []
    for opened in (cut, None):
        model = four_bar(cut=opened)
        model.motor("drive", "crank", position=lw.Cosine(0.4, 0.5, phase=-math.pi / 2))
        motion = lw.kinematics(model, until=1.0, dt=0.02)
        loads = lw.required_forces(model, motion, at=["drive"])
        found.append((motion["foot.position"], motion["foot.acceleration"], loads["drive.effort"]))
        assert loads.certificate.energy_balance_relative < 1e-4
    for one, other in zip(*found, strict=True):
        assert one == pytest.approx(other, abs=1e-9 * np.abs(other).max())


def test_the_torque_of_a_motor_is_the_one_that_moves_it_so() -> None:
    """Required forces of a driven motion, then the motion from these forces."""
    model = slider_crank()
    model.motor("drive", "main", position=lw.Step(5.0, at=0.1, rise=0.8))
    motion = lw.kinematics(model, until=1.0, dt=2e-3)
    loads = lw.required_forces(model, motion, at=["drive"])
    again = slider_crank()
    again.torque("drive", "main", lw.Table(loads.time, loads["drive.effort"], kind="cubic"))
    run = lw.simulate(again, until=1.0, dt=2e-3, method="recursive")
    assert run["main.position"] == pytest.approx(motion["main.position"], abs=1e-4)


def test_moving_ground() -> None:
    model = lw.Model("lift")
    floor = model.moving_ground("floor", lw.Motion(position=(0, 0, lw.Cosine(0.2, 1.0))))
    model.body("bob", mass=2.0, shape=lw.Sphere(0.1), position=(0, 0, -0.5))
    model.revolute("pin", floor, "bob", at=(0, 0, 0), axis=(0, 1, 0))
    model.motor("drive", "pin", velocity=2.0)
    motion = lw.kinematics(model, until=1.0, dt=0.01)
    assert motion["pin.position"] == pytest.approx(2.0 * motion.time, abs=1e-12)
    loads = lw.required_forces(model, motion, at=["drive"])
    lifted = 9.81 - 0.2 * TURN**2 * np.cos(TURN * motion.time)
    assert loads["drive.effort"] == pytest.approx(2.0 * 0.5 * lifted * np.sin(2.0 * motion.time), abs=1e-9)


def driven(joint: str, **law: Any) -> lw.Model:
    model = slider_crank()
    model.motor("drive", joint, **law)
    return model


def test_dead_point_jump_and_free_motion_are_named(tmp_path: Any) -> None:
    bent = driven("main", position=lw.Table((0, 1), (1.0, 2.0)))
    assert lw.kinematics(bent, until=0.5, dt=0.1)["main.position"][0] == pytest.approx(1.0)
    with pytest.raises(lw.OptionError, match="nothing drives '.*', or the start is a dead point"):
        lw.kinematics(driven("slide", velocity=-0.1), until=1.0, dt=0.01)
    pushed = four_bar()
    pushed.motor("push", "foot", velocity=1.0)
    with pytest.raises(
        lw.RunError, match=r"'push' cannot move 'four bar' beyond t = .* s: joint '.*' is in a dead point"
    ):
        lw.kinematics(pushed, until=5.0, dt=0.01)
    with pytest.raises(lw.RunError, match=r"motor 'drive' of 'slider-crank' jumps at t = 0\.2"):
        lw.kinematics(driven("main", position=lw.Step(2.0, at=0.25)), until=1.0, dt=0.1)
    with pytest.raises(lw.OptionError, match="nothing drives 'waist'"):
        lw.kinematics(gallery.puma.arm(), until=1.0, dt=0.1)
    both = driven("main", velocity=1.0)
    both.motor("other", "slide", velocity=1.0)
    with pytest.raises(lw.RunError, match="'drive', 'other'.*contradict"):
        lw.kinematics(both, until=1.0, dt=0.1)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_a_slide_that_jumps_is_named_at_every_size(scale: float) -> None:
    model = lw.Model("slide")
    block = model.body("block", mass=1.0, inertia=(1, 1, 1), com=(scale, 0, 0))
    model.prismatic("rail", "ground", block, axis=(1, 0, 0))
    model.motor("drive", "rail", position=lw.Step(0.5 * scale, at=0.25))
    with pytest.raises(lw.RunError, match=r"motor 'drive' of 'slide' jumps at t = 0\.2"):
        lw.kinematics(model, until=1.0, dt=0.1)


def test_refusals(tmp_path: Any) -> None:
    with pytest.raises(lw.OptionError, match="motor 'drive' gives way"):
        lw.kinematics(driven("main", velocity=1.0, max_torque=3.0), until=1.0, dt=0.1)
    with pytest.raises(lw.OptionError, match="dt must be a positive number"):
        lw.kinematics(driven("main", velocity=1.0), until=1.0, dt=0.0)
    with pytest.raises(lw.OptionError, match="is not a model"):
        lw.kinematics("crank", until=1.0, dt=0.1)  # type: ignore[arg-type]
    motion = lw.kinematics(driven("main", velocity=1.0), until=1.0, dt=0.1)
    motion.save(tmp_path / "motion.npz")
    assert lw.load_run(tmp_path / "motion.npz") == motion
