"""Slopes of accelerations and of whole runs, of every kind: joints, loops, couplings, forces, laws, integrators.

They are compared with differences, extrapolated twice, of which the best of a few steps counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from known_mechanisms import CLOSING, loop_of
from linkwork.simulation.analysis.dynamics import Accelerations, integrate
from linkwork.simulation.analysis.linear.slopes import Slopes
from random_mechanisms import ALL, random_loops, random_tree

pytest.importorskip("numba")
WAYS = 3


def worst(model: lw.Model, seed: int = 0, speed: float = 1.0) -> float:
    """The largest relative error of the slopes along random motions and velocities together."""
    sim = lw.Simulation(model, method="recursive", dt=1e-3)
    stepper, rng = sim.stepper, np.random.default_rng(seed)
    system, cut_q = stepper.moving, stepper.state.cut_q.copy()
    q, v = sim.q.copy(), sim.v + speed * rng.normal(size=system.nv)
    moves, rates = rng.normal(size=(2, system.nv, WAYS))
    slopes = Slopes(system, cut_q, tables=stepper.tables)
    found = slopes.along(q, v, slopes.directions(q, moves, rates)).accelerations
    accelerations = Accelerations(system, cut_q=cut_q)

    def central(k: int, h: float) -> Any:
        ends = []
        for side in (h, -h):
            a = accelerations.at(
                integrate(system, q, np.ascontiguousarray(moves[:, k]), side),
                v + side * rates[:, k],
                0.0,
                stepper.tables,
            )
            assert a is not None
            ends.append(a)
        return (ends[0] - ends[1]) / (2 * h)

    def extrapolated(k: int, h: float) -> Any:
        return (64 * central(k, h / 4) - 20 * central(k, h / 2) + central(k, h)) / 45

    errors = []
    for k in range(WAYS):
        tried = [extrapolated(k, h) for h in (1e-3, 3e-4, 1e-4)]
        errors.append(min(np.abs(found[:, k] - each).max() / max(np.abs(each).max(), 1e-3) for each in tried))
    return float(max(errors))


@pytest.mark.parametrize("seed", range(8))
def test_trees_of_all_joints(seed: int) -> None:
    assert worst(random_tree(seed, 6, ALL, reverse=True, armature=seed % 2 == 0), seed) < 1e-9


@pytest.mark.parametrize("kind", CLOSING)
def test_every_joint_closes_a_loop(kind: str) -> None:
    assert worst(loop_of(kind, cut="joint 0")) < 1e-8


@pytest.mark.parametrize("seed", [0, 1, 3, 4, 5, 6, 7, 8])  # 2 has a redundant row: any velocities would tear it
def test_random_loops(seed: int) -> None:
    assert worst(random_loops(seed, 6, 2), seed) < 1e-8


FLYING = (0, 0, 1, 0.9, 0.3, 0.1, 0.2)


def shafts(flying: bool = True) -> lw.Model:
    """Three wheels on shafts, a block on a rail, and a body that flies."""
    model = lw.Model("shafts")
    for k in range(3):
        wheel = model.body(f"wheel {k}", mass=1.0 + k, inertia=(0.1, 0.2, 0.3), com=(0.05, 0.02, 0), position=(k, 0, 0))
        model.revolute(f"shaft {k}", model.ground, wheel, at=(k, 0, 0), axis=(0, 0, 1))
    block = model.body("block", mass=2.0, inertia=(1, 1, 1), position=(0, 1, 0))
    model.prismatic("rail", model.ground, block, at=(0, 1, 0), axis=(1, 0, 0))
    rod = model.body("rod", mass=0.8, inertia=(0.02, 0.05, 0.06), com=(0.2, 0, 0.1), position=(0, 0, 1))
    model.free("flight", model.ground, rod, position=FLYING if flying else None)
    return model


def wave(x: Any) -> Any:
    return 0.1 * np.sin(x) + 0.02 * np.cos(2 * x)


@lw.compiled
def pull(t, position, rotation, velocity, angular_velocity):
    return (-3.0 * position[0] ** 2 - velocity[0], math.sin(position[1]), -2.0 * velocity[2] * angular_velocity[0])


CUBIC = lw.Curve([0.5], [[0.0, 20.0, 3.0, 5.0], [1.0, 30.0]])
KINDS: dict[str, Callable[[lw.Model], Any]] = {
    "gear": lambda m: m.gear("gear", "shaft 0", "shaft 1", ratio=-2.5),
    "rack": lambda m: m.rack("rack", "shaft 0", "rail", radius=0.2),
    "differential": lambda m: m.differential("bevels", "shaft 0", "shaft 1", "shaft 2"),
    "cam": lambda m: m.cam("cam", "shaft 0", "rail", wave),
    "repeater": lambda m: m.repeater("repeater", "shaft 0", "rail", ratio=0.4),
    "distance": lambda m: m.distance("rope", "wheel 0", "rod", at_a=(0.1, 0, 0), at_b=(0, 0.1, 0)),
    "slot": lambda m: m.slot(
        "slot", "wheel 0", "rod", lw.GuideCurve([(-1, 1.2, 0), (0, 1, 0), (0.5, 1.1, 0.1), (1, 1.0, 0)])
    ),
    "rolling pair": lambda m: m.rolling_pair("rims", "wheel 0", "wheel 1", radius_a=0.4, radius_b=0.6),
    "rigid motor": lambda m: m.motor("motor", "shaft 0", velocity=lw.Cosine(2.0, 0.3)),
    "spring": lambda m: m.spring("spring", "wheel 0", "rod", at_a=(0.2, 0, 0), stiffness=50.0, damping=2.0, length=0.3),
    "curved spring": lambda m: m.spring("spring", "wheel 0", "rod", at_a=(0.2, 0, 0), stiffness=CUBIC, damping=CUBIC),
    "guided spring": lambda m: m.spring("spring", m.ground, "rod", stiffness=50.0, axis=(0, 0, 1), length=0.2),
    "torsion spring": lambda m: m.torsion_spring("coil", "shaft 1", stiffness=5.0, damping=0.4, angle=0.3),
    "bushing": lambda m: m.bushing(
        "bush", m.ground, "rod", at=(0, 0, 1), stiffness=(9, 8, 7, 1, 2, 3), damping=(1, 2, 3, 0.1, 0.2, 0.3)
    ),
    "gyroscope": lambda m: m.gyroscope("rotor", "rod", axis=(0, 1, 0), momentum=3.0),
    "tyre": lambda m: m.tyre("tyre", "rod", radius=1.2, stiffness=300.0, damping=5.0, side=lw.Calspan()),
    "tyre on waves": lambda m: m.tyre(
        "tyre", "rod", radius=1.2, stiffness=300.0, road=lw.Profile([-3, -1, 0.3, 2], [0, 0.1, 0, 0.2])
    ),
    "law of a body": lambda m: m.force("pull", "rod", pull, at=(0.1, 0.2, 0)),
    "torque in a body": lambda m: m.torque("twist", "rod", (0.3, 0.1, 0.2)),
    "law of a joint": lambda m: m.torque("law", "shaft 1", lw.compiled(lambda t, x, rate: math.exp(-x) - rate**3)),
    "law that sees": lambda m: m.torque(
        "law", "rail", lw.compiled(lambda t, seen: seen[0] * seen[1], sees=["shaft 0.position", "rod.velocity.z"])
    ),
    "law with states": lambda m: m.torque("law", "shaft 0", lag),
    "servo": lambda m: m.motor("servo", "shaft 2", position=0.4, softness=lw.Soft(stiffness=20.0, damping=1.0)),
}


@lw.compiled_state(start=[0.2], sees=["shaft 0.position"])
def lag(t, x, seen, dx):
    dx[0] = (math.sin(seen[0]) - x[0]) / 0.1
    return 3.0 * x[0]


@pytest.mark.parametrize("kind", KINDS)
def test_every_coupling_force_and_law(kind: str) -> None:
    model = shafts(flying=kind not in ("distance", "slot"))
    KINDS[kind](model)
    assert worst(model, speed=0.3) < 1e-8


@pytest.mark.parametrize("integrator", ["semi-implicit", "rk2", "rk4", "abm4", "trapezoidal"])
def test_every_integrator(integrator: str) -> None:
    def build(length: float) -> lw.Model:
        model = shafts()
        model.spring("spring", "wheel 0", "rod", at_a=(0.2, 0, 0), stiffness=50.0, damping=2.0, length=length)
        model.gear("gear", "shaft 0", "shaft 1", ratio=-2.5)
        return model

    options: dict[str, Any] = {"until": 0.1, "dt": 1e-3, "integrator": integrator}
    found = lw.sensitivity(build, {"length": 0.3}, columns=["rod.position", "shaft 1.velocity"], **options)

    def central(column: str, h: float) -> Any:
        ends = [lw.simulate(build(0.3 + side), method="recursive", **options)[column] for side in (h, -h)]
        return (ends[0] - ends[1]) / (2 * h)

    for column in found.columns:
        wanted = (64 * central(column, 5e-3) - 20 * central(column, 1e-2) + central(column, 2e-2)) / 45
        assert np.abs(found.slope(column, "length") - wanted).max() < 1e-8 * np.abs(wanted).max()
