"""The linearised system: its eigenvalues against closed forms, and who makes a mode fast."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from known_mechanisms import pendulum
from linkwork.simulation.analysis.choice.elements import answers, elements, left_out
from linkwork.simulation.analysis.linear.linear import Linear
from linkwork.simulation.starts.start import consistent_start

SMALL = (0.1, 0.1, 0.1)


def linear(model: lw.Model, **options: Any) -> Linear:
    system = lw.assemble(model)
    start = consistent_start(system)
    return Linear(system, start.q, start.v, cut_q=start.cut_q, **options)


def frequencies(model: lw.Model, **options: Any) -> list[float]:
    """Of the modes that swing, rad/s, each once."""
    values = linear(model, **options).eigenvalues
    return sorted(values.imag[values.imag > 1e-3 * np.abs(values).max()].tolist())


def on_rail(stiffness: float = 0.0, damping: float = 0.0, mass: float = 1.0) -> lw.Model:
    model = lw.Model("block", gravity=(0, 0, 0))
    model.body("block", mass=mass, inertia=SMALL)
    model.prismatic("rail", "ground", "block", axis=(1, 0, 0), stiffness=stiffness, damping=damping)
    return model


@pytest.mark.parametrize("length", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("mass", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("faster", [1.0, 1e4])
def test_a_mass_on_a_spring(length: float, mass: float, faster: float) -> None:
    """As fast as a pendulum of its size, and much faster."""
    omega = faster * math.sqrt(9.81 / length)
    model = lw.Model("swing")
    model.body("block", mass=mass, shape=lw.Sphere(length / 10), position=(0, 0, -length))
    model.prismatic("rail", "ground", "block", axis=(0, 0, 1))
    model.spring("cord", "ground", "block", stiffness=mass * omega**2, length=length)
    assert frequencies(model) == pytest.approx([omega], rel=1e-6)


def test_parallel_springs_add_up() -> None:
    model = on_rail(mass=2.0)
    for k in range(4):
        model.spring(f"cord {k}", "ground", "block", at_a=(1, 0, 0), stiffness=200.0, length=1.0)
    assert frequencies(model) == pytest.approx([20.0], rel=1e-8)


@pytest.mark.parametrize("arm", [0.0, 0.3])
def test_an_eccentric_spring_turns_its_body(arm: float) -> None:
    """Effective mass of a free body at a point beside its centre: 1 / (1 / m + arm^2 / I)."""
    model = lw.Model("eccentric", gravity=(0, 0, 0))
    model.body("block", mass=2.0, inertia=SMALL)
    model.spring("cord", "ground", "block", at_a=(0, arm, 1), at_b=(0, arm, 0), stiffness=800.0, length=1.0)
    assert frequencies(model) == pytest.approx([math.sqrt(800.0 * (1 / 2.0 + arm**2 / 0.1))], rel=1e-8)


def test_a_chain_of_two_masses() -> None:
    """Wall, spring, mass, spring, mass: omega^2 = (3 -+ sqrt 5) / 2 of k / m."""
    model = lw.Model("chain", gravity=(0, 0, 0))
    before: Any = "ground"
    for k in range(2):
        model.body(f"block {k}", mass=3.0, inertia=SMALL)
        model.prismatic(f"rail {k}", before, f"block {k}", axis=(1, 0, 0), stiffness=300.0)
        before = f"block {k}"
    expected = [math.sqrt(100.0 * (3 - s * math.sqrt(5)) / 2) for s in (1, -1)]
    assert frequencies(model) == pytest.approx(expected, rel=1e-8)


def test_a_damper_decays() -> None:
    values = linear(on_rail(damping=30.0, mass=2.0)).eigenvalues
    assert sorted(values.real.tolist()) == pytest.approx([-15.0, 0.0], abs=1e-8)
    swing = linear(on_rail(stiffness=200.0, damping=4.0, mass=2.0)).eigenvalues
    assert swing[0] == pytest.approx(complex(-1.0, math.copysign(math.sqrt(99.0), swing[0].imag)), rel=1e-8)


@pytest.mark.parametrize("length", [1e-3, 1.0, 1e3])
def test_pendulum_hanging_and_standing(length: float) -> None:
    rate = math.sqrt(9.81 / length)
    assert frequencies(pendulum(length, position=0.0)) == pytest.approx([rate], rel=1e-7)
    standing = linear(pendulum(length, position=math.pi)).eigenvalues
    assert sorted(standing.real.tolist()) == pytest.approx([-rate, rate], rel=1e-7)


def parallelogram(angle: float, velocity: float, stiffness: float = 0.0) -> lw.Model:
    """Two rods of 1 m and 1 kg that carry a beam of 2 kg: theta'' = -(3 g sin theta + k theta) / (8 / 3)."""
    model = lw.Model("parallelogram")
    way = np.array([math.sin(angle), 0, -math.cos(angle)])
    for name, x in (("left", 0.0), ("right", 2.0)):
        model.body(name, mass=1.0, inertia=(1 / 12, 1 / 12, 1e-3), position=way / 2 + (x, 0, 0), rotation=turned(angle))
        start = {"velocity": velocity} if name == "left" else {}
        model.revolute(f"{name} pin", "ground", name, at=(x, 0, 0), axis=(0, -1, 0), **start)
    model.body("beam", mass=2.0, inertia=SMALL, position=way + (1, 0, 0))
    for name, x in (("left", 0.0), ("right", 2.0)):
        model.revolute(f"{name} foot", name, "beam", at=way + (x, 0, 0), axis=(0, -1, 0))
    if stiffness:
        model.torsion_spring("coil", "left pin", stiffness=stiffness)
    return model


def turned(angle: float) -> tuple[float, float, float, float]:
    return (math.cos(angle / 2), 0.0, -math.sin(angle / 2), 0.0)


@pytest.mark.parametrize(("angle", "velocity"), [(0.0, 0.0), (0.4, 0.0), (0.4, 3.0)])
def test_a_loop_with_a_spring(angle: float, velocity: float) -> None:
    """Redundant rows, and a motion of the loop that carries velocities along."""
    expected = math.sqrt((3 * 9.81 * math.cos(angle) + 50.0) / (8 / 3))
    assert frequencies(parallelogram(angle, velocity, 50.0)) == pytest.approx([expected], rel=1e-6)
    if not velocity:
        assert frequencies(parallelogram(angle, 0.0, 50.0), whole=False) == pytest.approx([expected], rel=1e-3)


def test_a_spring_of_no_length() -> None:
    """Unloaded length 0 pulls back in every direction; with an axis in one."""
    model = lw.Model("knot", gravity=(0, 0, 0))
    model.body("block", mass=2.0, inertia=SMALL)
    model.spring("knot", "ground", "block", stiffness=800.0, length=0.0)
    assert frequencies(model) == pytest.approx([20.0] * 3, rel=1e-8)
    guided = lw.Model("guided", gravity=(0, 0, 0))
    guided.body("block", mass=2.0, inertia=SMALL)
    guided.spring("guided", "ground", "block", stiffness=800.0, length=0.0, axis=(0, 1, 0))
    assert frequencies(guided) == pytest.approx([20.0], rel=1e-8)


def test_a_bushing_of_three_springs() -> None:
    model = lw.Model("bushing", gravity=(0, 0, 0))
    model.body("block", mass=2.0, inertia=SMALL)
    for k, axis in enumerate(np.eye(3)):
        model.spring(f"bush {k}", "ground", "block", stiffness=2.0 * 10.0 ** (2 * k), length=0.0, axis=axis)
    assert frequencies(model) == pytest.approx([1.0, 10.0, 100.0], rel=1e-6)


def test_a_law_of_the_user_and_a_gyroscope() -> None:
    model = on_rail(mass=2.0)
    model.torque("law", "rail", lambda t, x, u: -200.0 * x - 4.0 * u)
    value = linear(model).eigenvalues[0]
    assert (value.real, abs(value)) == pytest.approx((-1.0, 10.0), rel=1e-8)
    top = lw.Model("gimbal", gravity=(0, 0, 0))
    top.body("case", mass=1.0, inertia=(0.1, 0.4, 0.4))
    top.ball("centre", "ground", "case", at=(0, 0, 0))
    top.gyroscope("rotor", "case", momentum=6.0, axis=(0, 0, 1))
    assert frequencies(top) == pytest.approx([6.0 / math.sqrt(0.1 * 0.4)], rel=1e-8)


def test_nutation_of_a_body_that_spins() -> None:
    """Axes that stay see I3 / I1 of the spin; axes that turn with the body see (I3 - I1) / I1, and the spin itself."""
    model = lw.Model("coin", gravity=(0, 0, 0))
    model.body("coin", mass=1.0, inertia=(0.1, 0.1, 0.15))
    model.free("flight", "ground", "coin", velocity=(0, 0, 0, 0, 0, 8.0))
    assert frequencies(model) == pytest.approx([12.0], rel=1e-7)
    held = lw.Model("top", gravity=(0, 0, 0))
    held.body("coin", mass=1.0, inertia=(0.1, 0.1, 0.15))
    held.ball("tip", "ground", "coin", at=(0, 0, 0), velocity=(0, 0, 8.0))
    assert frequencies(held) == pytest.approx([4.0, 8.0], rel=1e-7)


@pytest.mark.parametrize("piece", ["car", "iltis"])
def test_the_fastest_mode_by_itself(piece: str) -> None:
    """Large systems are asked for it by iteration."""
    model = getattr(lw.gallery, piece).build()
    fastest = np.abs(linear(model, whole=True).eigenvalues).max()
    assert np.abs(linear(model, whole=False).eigenvalues).max() == pytest.approx(fastest, rel=0.02)


def every_element() -> lw.Model:
    """A wheel of 1 kg m2 with every element that can hold it, each as stiff as the other: 100 N m/rad."""
    model = lw.Model("wheel", gravity=(0, 0, 0))
    model.body("wheel", mass=1.0, inertia=(1, 1, 1))
    model.revolute("axle", "ground", "wheel", at=(0, 0, 0), axis=(0, 1, 0), stiffness=100.0)
    model.spring("cord", "ground", "wheel", at_a=(1, 0, 1), at_b=(0, 0, 1), stiffness=100.0, length=1.0)
    model.torsion_spring("coil", "axle", stiffness=100.0)
    model.torque("law", "axle", lambda t, x, u: -100.0 * x)
    model.torque("load", "wheel", lambda t, x, e, u, w: (0, -200.0 * e[2], 0))
    model.torque("still", "axle", 0.0)
    return model


def test_an_element_is_left_out() -> None:
    model = every_element()
    system = lw.assemble(model)
    names = {each.what: each for each in elements(system)}
    assert list(names) == [
        "joint 'axle'", "spring 'cord'", "torsion spring 'coil'", "torque 'law'", "torque 'load'", "torque 'still'",
    ]  # fmt: skip
    whole = Linear(system, system.q_start, system.v_start)
    assert np.abs(whole.eigenvalues) == pytest.approx([math.sqrt(500.0)] * 2, rel=1e-6)
    for what, each in names.items():
        less = Linear(system, system.q_start, system.v_start, tables=left_out(system.tables, [each]))
        expected = 500.0 if what == "torque 'still'" else 400.0
        assert np.abs(less.eigenvalues) ** 2 == pytest.approx([expected] * 2, rel=1e-6), what
    several = left_out(system.tables, [names["torque 'law'"], names["spring 'cord'"], names["torque 'still'"]])
    less = Linear(system, system.q_start, system.v_start, tables=several)
    assert np.abs(less.eigenvalues) ** 2 == pytest.approx([300.0] * 2, rel=1e-6)


def test_what_answers_to_motion() -> None:
    """Weight, numbers and laws of time do not: such a model is not linearised at the start of a run."""
    quiet = on_rail()
    quiet.torque("drive", "rail", math.sin)
    assert not answers(lw.assemble(quiet).tables)
    for model in (on_rail(stiffness=1.0), on_rail(damping=1.0), every_element(), lw.gallery.iltis.build()):
        assert answers(lw.assemble(model).tables)
    assert not answers(lw.assemble(lw.gallery.n_four_bar.build(n=2)).tables)


def test_nothing_that_can_move_has_no_modes() -> None:
    model = lw.Model("welded")
    model.body("block", mass=1.0, inertia=SMALL)
    model.fixed("weld", "ground", "block")
    found = linear(model)
    assert found.eigenvalues.size == 0
    assert found.motions.shape == (0, 0)
