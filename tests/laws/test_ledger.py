"""The energy ledger closes to the order of the integrator: what is stored, plus what is wasted, is what was put in."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from case_choice import rest_long
from known_mechanisms import four_bar
from known_methods import EXPLICIT
from measured import EPS, shrinks
from random_mechanisms import random_loops

UNTIL = 0.32


def arm() -> lw.Model:
    """A universal joint, a hinge and a ball in a row, in motion."""
    model = lw.Model("arm")
    for i, name in enumerate(("upper", "lower", "hand")):
        model.body(name, mass=2.0 - 0.5 * i, inertia=(0.03, 0.04, 0.02), com=(0.2, 0, 0.05), position=(0.5 * i, 0, 0))
    axes = ((0, 1, 0), (0, 0, 1))
    model.universal("shoulder", "ground", "upper", at=(0, 0, 0), axis=axes, velocity=(1.0, -2.0))
    model.revolute("elbow", "upper", "lower", at=(0.5, 0, 0), axis=(0, 1, 1), velocity=2.0)
    model.ball("wrist", "lower", "hand", at=(1.0, 0, 0), velocity=(1, 2, 3))
    return model


@lw.compiled
def brake(t, position, velocity):
    return -0.4 * velocity - 0.1 * position


@lw.compiled
def wind(t, position, rotation, velocity, angular_velocity):
    lean = rotation[0] * rotation[1]  # a quaternion and its negative are one rotation
    return (3.0 - velocity[0], 2.0 * math.cos(9.0 * t) - velocity[1] + lean, position[2] - angular_velocity[2])


@lw.compiled
def pulse(t):
    return 4.0 * math.exp(-10.0 * (t - 0.1) ** 2)


def drag(t, position, rotation, velocity, angular_velocity):
    return -0.5 * velocity + np.array([0.0, 0.0, math.sin(t)])


def spin(t, position, rotation, velocity, angular_velocity):
    return -0.05 * angular_velocity[0]


@lw.compiled
def tug(t, position, velocity):
    return 3.0 * math.sin(4.0 * t) + 5.0 * position - velocity


@lw.compiled
def hills(t, x, y):
    z = 0.05 * math.sin(2.0 * x) * math.cos(y)
    return z, 0.1 * math.cos(2.0 * x) * math.cos(y), -0.05 * math.sin(2.0 * x) * math.sin(y)


HARD = lw.Curve([], [[-1.0, 2.0, 0.5, 3.0]])
TIMES = np.linspace(0.0, 0.4, 11)  # the steps below meet every knot
ELEMENTS: dict[str, Callable[[lw.Model], Any]] = {
    "spring": lambda m: m.spring("s", "ground", "hand", at_a=(1, 1, 0), at_b=(0, 0, 0.1), stiffness=40.0, length=0.6),
    "damped spring": lambda m: m.spring("s", "upper", "hand", at_b=(0, 0.2, 0), stiffness=30, damping=2, length=0.9),
    "coil": lambda m: m.torsion_spring("s", "elbow", stiffness=8.0, damping=0.3, angle=0.4),
    "curved spring": lambda m: m.spring("s", "ground", "hand", at_a=(1, 1, 0), stiffness=HARD, damping=HARD),
    "spring along an axis": lambda m: m.spring("s", "upper", "hand", axis=(1, 0, 1), stiffness=30.0, length=0.4),
    "pull by a law": lambda m: m.spring("s", "ground", "hand", at_a=(1, 1, 0), law=tug),
    "gyroscope": lambda m: m.gyroscope("s", "hand", axis=(1, 2, 3), momentum=0.4),
    "constant": lambda m: m.torque("s", "elbow", 1.5),
    "cosine": lambda m: m.torque("s", "elbow", lw.Cosine(3.0, frequency=2.0, phase=0.3, offset=0.5)),
    "second coordinate": lambda m: m.torque("s", "shoulder", lw.Cosine(3.0, frequency=1.0), coordinate=1),
    "ball axis": lambda m: m.torque("s", "wrist", 0.4, coordinate=2),
    "linear table": lambda m: m.torque("s", "elbow", (TIMES, np.cos(9 * TIMES))),
    "cubic table": lambda m: m.force("s", "hand", lw.Table(TIMES, np.outer(TIMES, (1, 2, 3)), "cubic"), at=(0.1, 0, 0)),
    "world force": lambda m: m.force("s", "hand", (1.0, -2.0, 3.0), at=(0.1, 0.2, 0)),
    "body force": lambda m: m.force("s", "hand", lw.Cosine(4.0, frequency=3.0), at=(0.1, 0, 0), axis=(0, 1, 1)),
    "force in body axes": lambda m: m.force("s", "lower", (1.0, 2.0, 0.0), at=(0, 0.1, 0), frame="body"),
    "body torque": lambda m: m.torque("s", "hand", 0.3, axis=(1, 0, 0)),
    "world torque": lambda m: m.torque("s", "hand", (0.1, 0.2, -0.3)),
    "Python law of time": lambda m: m.torque("s", "elbow", lambda t: 2.0 * math.sin(7.0 * t)),
    "Python law of a joint": lambda m: m.torque("s", "elbow", lambda t, angle, rate: math.cos(angle) - rate),
    "Python law of a body": lambda m: m.force("s", "hand", drag, at=(0.1, 0.1, 0)),
    "Python torque on a body": lambda m: m.torque("s", "hand", spin, axis=(1, 0, 0)),
    "compiled law of time": lambda m: m.torque("s", "elbow", pulse),
    "compiled law of a joint": lambda m: m.torque("s", "elbow", brake),
    "compiled law of a body": lambda m: m.force("s", "hand", wind, at=(0, 0.1, 0)),
}  # fmt: skip


def closes(
    build: Callable[[], lw.Model], coarsest: float = 4e-3, floor: float = 400 * EPS, **options: Any
) -> list[lw.Trajectory]:
    runs = [lw.simulate(build(), until=UNTIL, dt=dt, **options) for dt in (coarsest, coarsest / 2)]
    coarse, fine = (run.certificate.energy_balance_worst for run in runs)
    scale = runs[0].certificate.energy_scale
    # nothing here is faster than 20 rad/s
    assert coarse < (20 * coarsest) ** 4 * scale
    assert shrinks(coarse, fine, 4, floor * scale)
    return runs


@pytest.mark.parametrize("name", ELEMENTS)
def test_each_element_by_itself(name: str) -> None:
    def build() -> lw.Model:
        model = arm()
        ELEMENTS[name](model)
        return model

    run = closes(build)[1]
    energy = run.energy
    assert np.all(np.diff(energy["dissipated"]) >= 0)
    moved = {
        "springs": np.ptp(energy["springs"]) > 1e-3,
        "dissipated": energy["dissipated"][-1] > 1e-3,
        "work": np.ptp(energy["work"]) > 1e-3,
    }
    expected = {
        "spring": {"springs"},
        "damped spring": {"springs", "dissipated"},
        "coil": {"springs", "dissipated"},
        "curved spring": {"springs", "dissipated"},
        "spring along an axis": {"springs"},
        "gyroscope": set(),
    }
    assert {account for account, did in moved.items() if did} == expected.get(name, {"work"})


@pytest.mark.parametrize("method", EXPLICIT)
def test_everything_at_once_on_a_loop(method: str) -> None:
    def build() -> lw.Model:
        model = random_loops(2, 7, 2)
        joints = [joint for joint in model.joints.values() if joint.nv == 1]
        for k, joint in enumerate(joints):
            model.torque(f"drive {k}", joint, lw.Cosine(2.0, frequency=1.0 + k))
        model.spring("spring", "ground", "body 1", at_b=(0.1, 0, 0), stiffness=20.0, damping=1.0, length=0.5)
        model.spring("cord", "body 2", "body 4", stiffness=10.0, damping=0.5)
        model.force("wind", "body 3", wind, at=(0, 0.1, 0))
        model.force("drag", "body 5", drag)
        return model

    run = closes(build, method=method)[1]
    assert run.energy["dissipated"][-1] > 0.01
    assert np.ptp(run.energy["work"]) > 0.1


@pytest.mark.parametrize("method", EXPLICIT)
def test_viscous_joints_of_every_kind(method: str) -> None:
    """Damping and stiffness said at the joint, cut or not; a ball has damping only."""

    def build() -> lw.Model:
        model = lw.Model("damped")
        words: dict[str, Any] = {"stiffness": 10.0, "damping": 0.7, "rest": 0.1}
        kinds = {
            "revolute": {"axis": (0, 1, 0)},
            "prismatic": {"axis": (1, 0, 1)},
            "cylindrical": {"axis": (0, 1, 0)},
            "screw": {"axis": (1, 0, 0), "pitch": 0.2},
            "universal": {"axis": ((1, 0, 0), (0, 1, 0))},
            "planar": {"axis": (0, 1, 1)},
        }
        for i, (kind, extra) in enumerate(kinds.items()):
            model.body(kind, mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0.2, 0.1, 0), position=(0, i, 0))
            getattr(model, kind)(f"{kind} joint", "ground", kind, at=(0, i, 0), **extra, **words)
        model.body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0.2, 0.1, 0), position=(0, 9, 0))
        model.ball("ball joint", "ground", "ball", at=(0, 9, 0), damping=0.7)
        return model

    run = closes(build, method=method)[1]
    assert run.energy["dissipated"][-1] > 0.01


# ---- tyres -----------------------------------------------------------------------------------------------------------


def cart(**tyre: Any) -> lw.Model:
    """Three tyres under one body that rolls, slips and leans."""
    model = lw.Model("cart")
    body = model.body("body", mass=60.0, inertia=(6.0, 8.0, 9.0))
    start = {"position": (0, 0, 0.62, 1, 0, 0, 0), "velocity": (3.0, 0.2, 0.1, 0.3, -0.2, 0.4)}
    model.free("flight", "ground", body, **start)
    for k, at in enumerate(((0.8, 0, -0.2), (-0.5, 0.5, -0.2), (-0.5, -0.5, -0.2))):
        axis = (0.1 * k, 1.0, 0.1 - 0.05 * k)
        model.tyre(f"tyre {k}", body, at=at, axis=axis, radius=0.6, stiffness=1200.0, **tyre)
    return model


TYRES: dict[str, tuple[dict[str, Any], set[str]]] = {
    "springs": ({}, {"springs", "work"}),
    "damped": ({"damping": 80.0}, {"springs", "dissipated", "work"}),
    "on hills": ({"road": lw.Surface(hills)}, {"springs", "work"}),
    "on a shaker": ({"road": lw.FlatRoad(lw.Cosine(0.02, frequency=2.0))}, {"springs", "work"}),
    "side force": ({"side": lw.Calspan()}, {"springs", "dissipated", "work"}),
    "all": ({"side": lw.Calspan(), "damping": 80.0, "road": lw.Surface(hills)}, {"springs", "dissipated", "work"}),
}


@pytest.mark.parametrize("name", TYRES)
def test_tyres(name: str) -> None:
    options, accounts = TYRES[name]
    energy = closes(lambda: cart(**options))[1].energy
    moved = {account for account in ("springs", "dissipated", "work") if np.ptp(energy[account]) > 1e-2}
    assert moved == accounts


@pytest.mark.parametrize("method", EXPLICIT)
def test_tyres_by_every_method(method: str) -> None:
    options, _ = TYRES["all"]
    run = closes(lambda: cart(**options), method=method)[1]
    other = lw.simulate(cart(**options), until=UNTIL, dt=2e-3)
    assert run["body.position"] == pytest.approx(other["body.position"], abs=1e-12)
    assert run["tyre 1.force"] == pytest.approx(other["tyre 1.force"], abs=1e-8)


# ---- moving grounds --------------------------------------------------------------------------------------------------


def on_a_shaker(motion: lw.Motion, loop: bool = False) -> lw.Model:
    """A double pendulum, or a four-bar with one foot, on a ground that moves."""
    model = four_bar() if loop else lw.Model("shaken")
    table = model.moving_ground("table", motion, position=(0, 0, 0.1))
    if loop:
        model.body("rider", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0.1, 0, 0), position=(0.4, 0, 0.8))
        model.ball("seat", "coupler bar", "rider", at=(0.4, 0, 0.7))
        model.spring("rope", table, "rider", at_a=(0.3, 0.1, 0), stiffness=40.0, damping=1.0, length=0.4)
    else:
        for i, name in enumerate(("first", "second")):
            model.body(name, mass=1.0, inertia=(0.02, 0.02, 0.01), com=(0, 0, -0.2), position=(0.2, 0, 0.1 - 0.4 * i))
        model.revolute("pin", table, "first", at=(0.2, 0, 0.1), axis=(0, 1, 0), damping=0.05)
        model.ball("hook", "first", "second", at=(0.2, 0, -0.3), velocity=(1, 0, 0))
        model.spring("rope", table, "second", at_a=(0.3, 0, 0), stiffness=10.0, damping=0.5, length=0.4)
    return model


MOTIONS: dict[str, Callable[[], lw.Motion]] = {
    "shaken": lambda: lw.Motion(position=(lw.Cosine(0.05, frequency=2.0), 0, lw.Cosine(0.02, frequency=3.0, phase=1))),
    "rotating": lambda: lw.Motion(axis=(0, 0, 1), angle=lambda t: (3.0 * t, 3.0, 0.0)),
    "rocking and shaken": lambda: lw.Motion(
        position=(0, lw.Cosine(0.05, frequency=2.0), 0), axis=(1, 1, 0), angle=lw.Cosine(0.3, frequency=1.5)
    ),
    "by a Python function": lambda: lw.Motion(position=(lambda t: 0.05 * math.sin(12.0 * t), 0, 0)),
}  # fmt: skip


@pytest.mark.parametrize("method", rest_long(EXPLICIT, ["recursive"]))
@pytest.mark.parametrize("loop", [False, True])
@pytest.mark.parametrize("name", MOTIONS)
def test_the_ground_works(name: str, loop: bool, method: str) -> None:
    """What a moving ground puts in through its joints and springs is in the ledger."""
    # rates of a plain function come from differences over a millisecond: h^4 / 90 times the sixth derivative
    floor = 1e-12 / 90 * 12.0**6 if name == "by a Python function" else 400 * EPS
    runs = closes(lambda: on_a_shaker(MOTIONS[name](), loop), floor=floor, method=method)
    assert np.ptp(runs[1].energy["work"]) > 1e-2


def test_loop_between_two_moving_grounds() -> None:
    """A cut on a moving ground: its work comes from the multipliers."""

    def build() -> lw.Model:
        model = lw.Model("table on two shakers")
        left = model.moving_ground(
            "left", lw.Motion(position=(0, 0, lw.Cosine(0.05, frequency=2.0))), position=(-1, 0, 0)
        )
        right = model.moving_ground(
            "right", lw.Motion(position=(0, 0, lw.Cosine(0.05, frequency=3.0))), position=(1, 0, 0)
        )
        model.body("rod", mass=1.0, inertia=(0.02, 0.02, 0.02), position=(-1, 0, 0.5))
        model.body("top", mass=2.0, inertia=(0.1, 0.3, 0.3), position=(0, 0, 1))
        model.ball("a", left, "rod", at=(-1, 0, 0))
        model.universal("b", "rod", "top", at=(-1, 0, 1), axis=((1, 0, 0), (0, 1, 0)))
        model.revolute("c", right, "top", at=(1, 0, 1), axis=(0, 1, 0), cut=True)
        return model

    run = closes(build)[1]
    assert run.certificate.loops == 1
    assert np.ptp(run.energy["work"]) > 1e-2
    assert run.certificate.worst_drift_position < 1e-13


def test_a_bead_on_a_rotating_rail() -> None:
    """r'' = w^2 r: r = r0 cosh(w t), and the rail's work is the kinetic energy gained."""
    w, r0 = 3.0, 0.1
    model = lw.Model("rail", gravity=(0, 0, 0))
    table = model.moving_ground("table", lw.Motion(axis=(0, 0, 1), angle=lambda t: (w * t, w, 0.0)))
    model.body("bead", mass=2.0, inertia=0.0)
    model.prismatic("rail", table, "bead", axis=(1, 0, 0), position=r0)
    run = lw.simulate(model, until=1.0, dt=2e-3)
    r, rd = r0 * np.cosh(w * run.time), r0 * w * np.sinh(w * run.time)
    error = (w * 2e-3) ** 4 * r[-1]
    assert np.max(np.abs(run["rail.position"] - r)) < error
    assert np.max(np.abs(run["rail.velocity"] - rd)) < w * error
    kinetic = 0.5 * 2.0 * (rd**2 + w**2 * r**2)
    assert np.max(np.abs(run.energy["kinetic"] - kinetic)) < 4 * w**2 * r[-1] * error
    assert np.max(np.abs(run.energy["work"] - (kinetic - kinetic[0]))) < 4 * w**2 * r[-1] * error
    # Coriolis: the rail pushes with 2 m w r' across itself
    across = np.stack([-np.sin(w * run.time), np.cos(w * run.time)], axis=1)
    push = np.einsum("ki,ki->k", run["rail.reaction"][:, :2], across)
    assert np.max(np.abs(push - 2 * 2.0 * w * rd)) < 4 * 2.0 * w**2 * error + 1e-9


def test_an_accelerated_ground_is_another_gravity() -> None:
    """On a ground that goes up with t^2 / 2 times a, everything swings as with g + a."""
    a = 4.0
    runs = []
    for lifted in (True, False):
        model = lw.Model("lift", gravity=(0, 0, -9.81 - (0.0 if lifted else a)))
        floor: Any = model.ground
        if lifted:
            floor = model.moving_ground("floor", lw.Motion(position=(0, 0, lambda t: (0.5 * a * t * t, a * t, a))))
        bob = model.body("bob", mass=1.0, inertia=(0.01, 0.01, 0.01), com=(0.3, 0, -0.4))
        model.ball("pin", floor, bob, at=(0, 0, 0), velocity=(0.5, 0, 2.0))
        runs.append(lw.simulate(model, until=1.0, dt=2e-3))
    for name in ("pin.position", "pin.velocity", "pin.acceleration", "pin.reaction", "bob.rotation"):
        size = np.max(np.abs(runs[1][name]))
        assert np.max(np.abs(runs[0][name] - runs[1][name])) < 1e-11 * size, name
