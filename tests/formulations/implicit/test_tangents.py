"""What force elements add to the tangent matrix of the implicit methods, against exact slopes of their forces.

The matrix has M + h/2 C + h^2/4 K. At rest, with every spring at its free length, nothing else stiffens the model (the
methods leave out what a preload adds, which costs iterations and no accuracy), so that C and K are those of the linear
model.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.numerics.sparse_cholesky import entry

pytest.importorskip("numba")
METHODS = ("hybrid", "semi-recursive")
STEPS = (0.01, 0.02, 0.04)


def tangent(model: lw.Model, method: str, dt: float) -> np.ndarray:
    """The matrix of one step from rest."""
    sim = lw.Simulation(model, method=method, dt=dt)
    sim.step(1)
    assert np.abs(sim.v).max() < 1e-9
    newton: Any = sim.stepper.workspace.newton
    n = sim.v.size
    found = np.zeros((n, n))
    shape = newton.stencil.shape
    for a in range(n):
        for b in range(a + 1):
            high, low = max(shape.place[a], shape.place[b]), min(shape.place[a], shape.place[b])
            if high == low or low in shape.column[shape.row[high] : shape.row[high + 1]]:
                found[a, b] = found[b, a] = newton.A[entry(shape, a, b)]
    return found


def parts(model: lw.Model, method: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """M, C and K, by steps of three lengths."""
    powers = np.array([[1.0, 0.5 * h, 0.25 * h**2] for h in STEPS])
    matrices = np.array([tangent(model, method, h) for h in STEPS])
    found = np.tensordot(np.linalg.inv(powers), matrices, 1)
    return found[0], found[1], found[2]


def chain() -> tuple[lw.Model, list[lw.Body]]:
    """A block on three slides and a ball, an arm on a hinge, a second one on a slide: no weight."""
    model = lw.Model("chain", gravity=(0, 0, 0))
    block = model.body("block", mass=2.0, inertia=(0.3, 0.4, 0.5), com=(0.1, 0, 0.05))
    arm = model.body("arm", mass=1.0, inertia=(0.1, 0.2, 0.15), com=(0.3, 0, 0), position=(0.4, 0, 0))
    foot = model.body("foot", mass=0.6, inertia=(0.05, 0.04, 0.03), position=(1.0, 0, 0))
    model.planar("plane", model.ground, block, at=(0, 0, 0), axis=(0, 0, 1), position=(0.1, -0.2, 0.3))
    model.revolute("pin", block, arm, frame_a=lw.Frame((0.4, 0, 0)), frame_b=lw.Frame(), position=0.4)
    rail = lw.Frame((0.6, 0, 0), rotation=lw.Frame.along((1, 0, 0)).rotation)
    model.prismatic("rail", arm, foot, frame_a=rail, frame_b=lw.Frame(rotation=rail.rotation), position=0.1)
    return model, [block, arm, foot]


def place(model: lw.Model, body: str, at: tuple[float, float, float]) -> np.ndarray:
    system = lw.assemble(model)
    position, rotation = lw.forward_kinematics(system, system.q_start)[body]
    return np.asarray(position + lw.Frame(rotation=rotation).direction(at))


def with_spring(model: lw.Model, **options: Any) -> None:
    ends = (0.5, 1.5, 0.2), (0.1, 0.05, 0)
    length = float(np.linalg.norm(place(model, "foot", ends[1]) - ends[0]))
    if options.pop("curved", False):
        pull = lw.Curve([], [[0.0, 300.0, 80.0, -40.0]], origins=[length])
        options = {"stiffness": pull, "damping": lw.Curve([], [[0.0, 7.0, 3.0]])}
    model.spring("spring", model.ground, "foot", at_a=ends[0], at_b=ends[1], length=length, **options)


def add_spring(model: lw.Model) -> None:
    with_spring(model, stiffness=300.0, damping=7.0)


def add_curved_spring(model: lw.Model) -> None:
    with_spring(model, curved=True)


def add_bushing(model: lw.Model) -> None:
    six = (400.0, 500.0, 600.0, 20.0, 30.0, 40.0)
    body = model["block"]
    system = lw.assemble(model)
    position, rotation = lw.forward_kinematics(system, system.q_start)["block"]
    frame = lw.Frame((0.2, 0, 0.1))
    ground = lw.Frame(position, rotation=rotation) @ frame
    model.bushing(
        "bushing", model.ground, body, frame_a=ground, frame_b=frame, stiffness=six, damping=tuple(np.array(six) / 50)
    )


def add_torsion_spring(model: lw.Model) -> None:
    model.torsion_spring("coil", "pin", stiffness=25.0, damping=0.6, angle=0.4)


def add_law_of_a_joint(model: lw.Model) -> None:
    model.torque("drive", "rail", lw.compiled(lambda t, x, rate: -70.0 * (x - 0.1) - 3.0 * rate))


def add_law_of_a_body(model: lw.Model) -> None:
    at = place(model, "foot", (0.0, 0.0, 0.0))

    def law(t, position, rotation, velocity, angular_velocity):
        return (
            -80.0 * (position[0] - at[0]) - 2.0 * velocity[0],
            -60.0 * (position[1] - at[1]) - 5.0 * velocity[1],
            0.0,
        )

    model.force("law", "foot", lw.compiled(law), frame="world")


def add_tyre(model: lw.Model) -> None:
    wheel = model.body("wheel", mass=5.0, inertia=(0.1, 0.2, 0.1), position=(3, 0, 0.3))
    model.prismatic("fall", model.ground, wheel, at=(3, 0, 0.3), axis=(0, 0, 1))
    model.tyre("tyre", wheel, radius=0.31, stiffness=2e3, damping=40.0)
    model.force("held", wheel, (0, 0, -20.0), frame="world")


ADDED = (
    add_spring,
    add_curved_spring,
    add_bushing,
    add_torsion_spring,
    add_law_of_a_joint,
    add_law_of_a_body,
    add_tyre,
)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("add", ADDED, ids=lambda add: add.__name__)
def test_every_force_adds_its_slopes(add: Any, method: str) -> None:
    model, _ = chain()
    add(model)
    linear = lw.linearise(model, at="start")
    M, C, K = parts(model, method)
    assert np.allclose(M, linear.M, rtol=0.0, atol=1e-9 * np.abs(linear.M).max())
    for found, wanted in ((C, linear.G), (K, linear.K)):
        assert np.abs(wanted).max() > 0.0
        symmetric = 0.5 * (wanted + wanted.T)
        assert np.abs(found - symmetric).max() < 1e-9 * np.abs(symmetric).max()
