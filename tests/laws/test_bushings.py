"""Bushings in every method: one motion, its order, closed forms, stiff mounts at large steps, sizes, the ledger."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from known_methods import EXPLICIT
from linkwork.simulation.analysis.linear.linear import Linear
from measured import fitted_order

UNTIL = 0.1
SMOOTH = (*EXPLICIT, "component in joint coordinates", "hybrid", "semi-recursive", "global")
LARGE_STEPS = ("hybrid", "semi-recursive", "global", "impulse", "maximal")
FIRST_ORDER = ("impulse", "maximal")
ORDERS = {**dict.fromkeys(SMOOTH[:4], 4), **dict.fromkeys(LARGE_STEPS[:3], 2), **dict.fromkeys(FIRST_ORDER, 1)}


def coupled(length: float = 1.0, mass: float = 1.0) -> np.ndarray:
    """A stiffness with every axis coupled to every other; masses and lengths in other units, times by gravity."""
    rng = np.random.default_rng(3)
    A = rng.normal(size=(6, 6))
    root = np.sqrt(np.array([4e3, 3e3, 5e3, 40.0, 30.0, 20.0]) * mass)
    root *= np.array([1 / math.sqrt(length)] * 3 + [math.sqrt(length)] * 3)
    like = A @ A.T
    one = np.sqrt(np.diag(like))
    return np.outer(root, root) * (0.6 * np.eye(6) + 0.4 * like / np.outer(one, one))


def block(length: float = 1.0, mass: float = 1.0) -> lw.Model:
    """A block thrown about on a bushing: it swings along and about all axes, by half a radian."""
    model = lw.Model("block")
    time = math.sqrt(length)
    body = model.body(
        "block",
        mass=2.0 * mass,
        inertia=np.array([0.02, 0.03, 0.015]) * mass * length**2,
        com=np.array([0.02, 0.01, 0.05]) * length,
        position=np.array([0.1, 0.2, 0.3]) * length,
        rotation=(0.9, 0.1, 0.2, -0.1),
    )
    place = [*(np.array([0.11, 0.18, 0.33]) * length), 0.95, 0.2, 0.15, -0.1]
    speed = [*(np.array([0.3, -0.2, 0.1]) * length / time), *(np.array([2.0, -1.0, 3.0]) / time)]
    model.free("start", model.ground, body, position=place, velocity=speed)
    K = coupled(length, mass)
    at = np.array([0.1, 0.15, 0.25]) * length
    model.bushing("mount", model.ground, body, at=at, axis=(1, 0.3, 0.2), stiffness=K, damping=2e-3 * time * K)
    return model


def run_of(model: lw.Model, method: str, dt: float, until: float = UNTIL, **more: Any) -> lw.Trajectory:
    if method == "component in joint coordinates":
        return lw.simulate(model, until=until, method=lw.Components(coordinates="joint", dt=dt), **more)
    return lw.simulate(model, until=until, method=method, dt=dt, **more)


def pose(run: lw.Trajectory) -> np.ndarray:
    return np.concatenate([run["block.position"][-1], run["block.rotation"][-1]])


@cache
def exact() -> np.ndarray:
    return pose(run_of(block(), "recursive", 1e-4))


@pytest.mark.parametrize("method", ORDERS)
@pytest.mark.filterwarnings("ignore:the run of:linkwork.RunWarning")
def test_one_motion_at_its_order(method: str) -> None:
    """Every method tends to the same motion, as fast as its order says."""
    steps = [2e-3, 1e-3, 5e-4]
    errors = [float(np.max(np.abs(pose(run_of(block(), method, dt)) - exact()))) for dt in steps]
    assert errors[-1] < {4: 1e-8, 2: 1e-4, 1: 2e-2}[ORDERS[method]]
    assert fitted_order(steps, errors) == pytest.approx(ORDERS[method], abs=0.35)


@pytest.mark.parametrize("method", ORDERS)
@pytest.mark.filterwarnings("ignore:the run of:linkwork.RunWarning")
def test_the_balance_closes(method: str) -> None:
    """What is stored, moved and wasted adds up, the better the smaller the steps."""
    left = [float(np.max(np.abs(run_of(block(), method, dt).energy["balance"]))) for dt in (1e-3, 5e-4)]
    moved = 10.0  # J
    assert left[1] < {4: 1e-8, 2: 1e-4, 1: 3e-2}[ORDERS[method]] * moved
    assert left[1] < left[0] / {4: 8.0, 2: 3.7, 1: 1.6}[ORDERS[method]]


def test_columns() -> None:
    """Force and torque are those on b, and the power is what the energy says."""
    run = run_of(block(), "recursive", 1e-4)
    assert [run.unit(f"mount.{word}") for word in ("force", "torque", "deflection", "turn", "power")] == [
        *("N", "N m", "m", "rad", "W")
    ]
    momentum = 2.0 * (run["block.velocity"] + np.cross(run["block.angular_velocity"], arms(run)))
    pushed = np.gradient(momentum, run.time, axis=0)[2:-2]
    assert np.allclose(run["mount.force"][2:-2] + 2.0 * np.array([0, 0, -9.81]), pushed, atol=2e-3)
    stored, wasted = run.energy["springs"], run.energy["dissipated"]
    fed = np.concatenate([[0.0], np.cumsum(0.5e-4 * (run["mount.power"][1:] + run["mount.power"][:-1]))])
    assert np.allclose(fed, stored[0] - stored - wasted, atol=1e-5)
    K, R = coupled(), lw.Frame.along((1, 0.3, 0.2)).matrix
    x = np.hstack([run["mount.deflection"], run["mount.turn"]])
    assert np.allclose(0.5 * np.einsum("ki,ij,kj->k", x, K, x), stored, rtol=1e-12)
    at = np.array([0.1, 0.15, 0.25])
    corner = lw.Frame((0.1, 0.2, 0.3), (0.9, 0.1, 0.2, -0.1)).inverse().point(at)
    place = run["block.position"][0] + lw.Frame(rotation=run["block.rotation"][0]).matrix @ corner
    assert np.allclose(R @ run["mount.deflection"][0], place - at, atol=1e-15)


def arms(run: lw.Trajectory) -> np.ndarray:
    """From the origin to the centre of mass of the block, world axes."""
    return np.array([lw.Frame(rotation=e).matrix @ (0.02, 0.01, 0.05) for e in run["block.rotation"]])


SPRINGS = np.array([200.0, 300.0, 500.0, 2.0, 3.0, 5.0])
INERTIA = np.array([2.0, 2.0, 2.0, 0.02, 0.05, 0.04])


def centred(**start: Any) -> lw.Model:
    """A body on a bushing at its centre of mass, in no gravity."""
    model = lw.Model("centred", gravity=(0, 0, 0))
    body = model.body("body", mass=2.0, inertia=INERTIA[3:])
    model.free("start", model.ground, body, **start)
    model.bushing("mount", model.ground, body, at=(0, 0, 0), stiffness=SPRINGS)
    return model


def test_frequencies() -> None:
    """sqrt(k/m) along the axes and sqrt(kr/I) about them."""
    system = lw.assemble(centred())
    found = np.sort(np.abs(Linear(system, system.q_start, system.v_start).eigenvalues))
    assert np.allclose(found, np.repeat(np.sort(np.sqrt(SPRINGS / INERTIA)), 2), rtol=1e-8)


@pytest.mark.parametrize("axis", range(3))
def test_a_turn_about_one_axis_is_a_cosine(axis: int) -> None:
    """The torque goes with the angle itself, at any angle: a swing by 1.5 rad is harmonic."""
    angle, turn = 1.5, np.zeros(4)
    turn[0], turn[1 + axis] = math.cos(angle / 2), math.sin(angle / 2)
    run = lw.simulate(centred(position=(0, 0, 0, *turn)), until=1.0, dt=1e-3, method="recursive")
    omega = math.sqrt(SPRINGS[3 + axis] / INERTIA[3 + axis])
    assert np.allclose(run["mount.turn"][:, axis], angle * np.cos(omega * run.time), atol=1e-8)
    assert np.allclose(run["mount.torque"][:, axis], -SPRINGS[3 + axis] * run["mount.turn"][:, axis], atol=1e-12)


def test_static_deflection() -> None:
    """Under a small load the bushing gives way by K^-1 load."""
    K, load = coupled(), 1e-4 * np.array([1.0, -2.0, 3.0, 0.01, 0.02, -0.03])
    model = lw.Model("loaded", gravity=(0, 0, 0))
    body = model.body("body", mass=2.0, inertia=(0.02, 0.03, 0.015))
    model.bushing("mount", model.ground, body, at=(0, 0, 0), stiffness=K, damping=1e-2 * K)
    model.force("push", body, load[:3])
    model.torque("twist", body, load[3:])
    run = lw.simulate(model, until=1e-3, dt=1e-3, start="equilibrium")
    found = np.concatenate([run["mount.deflection"][-1], run["mount.turn"][-1]])
    assert np.allclose(found, np.linalg.solve(K, load), rtol=1e-4, atol=1e-12)
    assert np.allclose(run["mount.force"][-1], -load[:3], atol=1e-9)


def heavy(damped: bool, steep: bool) -> lw.Model:
    """50 kg on 8e6 N/m, thrown so that the mount gives way by centimetres."""
    K = np.diag([8e6, 8e6, 8e6, 8e5, 8e5, 8e5])
    if steep:
        K[0, 4] = K[4, 0] = -1e6
        K[1, 3] = K[3, 1] = 1e6
    model = lw.Model("heavy")
    body = model.body("body", mass=50.0, inertia=(2, 3, 4), com=(0.1, 0.05, 0.2))
    start = {"position": (0.01, -0.02, 0.015, 1, 0.02, 0.03, -0.01), "velocity": (1, -1, 0.5, 2, -3, 1)}
    model.free("start", model.ground, body, **start)
    model.bushing("mount", model.ground, body, at=(0, 0, 0), stiffness=K, damping=2e-3 * K if damped else None)
    return model


@pytest.mark.parametrize("steep", [False, True])
@pytest.mark.parametrize("method", LARGE_STEPS)
@pytest.mark.filterwarnings("ignore:the run of:linkwork.RunWarning")
def test_a_stiff_mount_at_large_steps(method: str, steep: bool) -> None:
    """8e6 N/m at steps of 5 ms, in which it swings by 2 and more radians: the energy does not grow.

    That of a swing which the trapezoidal rule does not resolve goes up and down by some percents.
    """
    run = run_of(heavy(False, steep), method, 5e-3, until=1.0)
    assert run.energy["total"].max() < (1.0 + 1e-12 if method in FIRST_ORDER else 1.2) * run.energy["total"][0]
    damped = run_of(heavy(True, steep), method, 5e-3, until=1.0)
    rest = lw.simulate(heavy(True, steep), until=1e-3, dt=1e-3, start="equilibrium", method="hybrid")
    assert np.allclose(damped["body.position"][-1], rest["body.position"][0], atol=1e-9)
    assert np.allclose(damped["mount.force"][-1], (0, 0, 50 * 9.81), rtol=1e-6, atol=1e-3)


def crank(stiffness: float | None) -> lw.Model:
    """A slider-crank that falls from rest; its crank pin is a hinge, or a bushing of this stiffness (N/m)."""
    model = lw.Model("slider crank")
    crank = model.body("crank", mass=2.0, inertia=(0.001, 0.02, 0.02), position=(0.06, 0, 0.08))
    rod = model.body("rod", mass=1.0, inertia=(0.001, 0.04, 0.04), position=(0.42, 0, 0.08))
    piston = model.body("piston", mass=1.5, inertia=(0.01, 0.01, 0.01), position=(0.72, 0, 0))
    model.revolute("main", model.ground, crank, at=(0, 0, 0), axis=(0, 1, 0))
    model.prismatic("bore", model.ground, piston, axis=(1, 0, 0))
    model.revolute("small end", piston, rod, at=(0.72, 0, 0), axis=(0, 1, 0))
    if stiffness is None:
        model.revolute("big end", crank, rod, at=(0.12, 0, 0.16), axis=(0, 1, 0))
        return model
    K = stiffness * np.array([1, 1, 1, 0.01, 0.01, 0])  # about its z, the axis of the pin, it turns freely
    model.bushing("big end", crank, rod, at=(0.12, 0, 0.16), axis=(0, 1, 0), stiffness=K, damping=2e-4 * K)
    return model


STIFF = (1e5, 1e6, 1e7)  # N/m


@pytest.mark.parametrize("method", ["hybrid", "global"])
def test_a_bushing_tends_to_a_pin(method: str) -> None:
    """A slider-crank with a bushing in place of a pin comes as near to the rigid one as it is stiff."""
    wanted, *found = (
        lw.simulate(crank(k), until=0.3, dt=1e-3, method=method)["piston.position"][-1, 0] for k in (None, *STIFF)
    )
    away = np.abs(np.array(found) - wanted)
    assert away[0] < 1e-3
    assert fitted_order([1 / k for k in STIFF], away.tolist()) == pytest.approx(1.0, abs=0.01)


SCALES = [(1e-3, 1e-6), (1e-3, 1e6), (1e3, 1e-6), (1e3, 1e6)]


@pytest.mark.filterwarnings("ignore:model .block.:linkwork.ModelWarning")
@pytest.mark.parametrize(("length", "mass"), SCALES)
@pytest.mark.parametrize("method", ["recursive", "hybrid", "global", "impulse", "maximal"])
@pytest.mark.filterwarnings("ignore:the run of:linkwork.RunWarning")
def test_sizes(method: str, length: float, mass: float) -> None:
    """A block of a millimetre or a kilometre, a milligram or a thousand tons, moves alike; its balance closes alike."""
    here = run_of(block(), method, 1e-3, 0.05)
    time = math.sqrt(length)
    there = run_of(block(length, mass), method, 1e-3 * time, 0.05 * time)
    assert np.allclose(there["block.position"] / length, here["block.position"], atol=1e-9)
    assert np.allclose(there["mount.force"] / mass, here["mount.force"], atol=1e-5)
    joule = mass * length
    assert np.allclose(there.energy["balance"] / joule, here.energy["balance"], atol=1e-8)


def shaken() -> lw.Model:
    """A block on a bushing on a table that shakes and tilts."""
    model = lw.Model("shaken")
    motion = lw.Motion(position=(lw.Cosine(0.01, frequency=5.0), 0, 0), axis=(0, 1, 0), angle=lw.Cosine(0.1, 3.0))
    table = model.moving_ground("table", motion)
    body = model.body("block", mass=2.0, inertia=(0.02, 0.03, 0.015), position=(0, 0.1, 0.3))
    model.bushing("mount", table, body, at=(0, 0, 0.2), stiffness=coupled(), damping=2e-3 * coupled())
    return model


@pytest.mark.parametrize("method", ORDERS)
@pytest.mark.filterwarnings("ignore:the run of:linkwork.RunWarning")
def test_work_of_a_moving_ground(method: str) -> None:
    """What the table puts in through the bushing is in the ledger."""
    runs = [run_of(shaken(), method, dt) for dt in (1e-3, 5e-4)]
    assert np.ptp(runs[0].energy["work"]) > 0.1
    left = [float(np.max(np.abs(run.energy["balance"]))) for run in runs]
    assert left[1] < left[0] / {4: 8.0, 2: 3.7, 1: 1.6}[ORDERS[method]] + 1e-9


class Mounted(lw.Subsystem):
    """An arm with a block on a bushing at its end."""

    def build(self) -> None:
        arm = self.port("arm", self.body("arm", mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.3, 0, 0)))
        block = self.port("block", self.body("block", mass=2.0, inertia=(0.02, 0.03, 0.02), position=(0.7, 0, 0)))
        self.bushing("mount", arm, block, at=(0.6, 0, 0), stiffness=coupled(), damping=1e-3 * coupled())


@pytest.mark.parametrize("method", SMOOTH)
def test_between_and_in_subsystems(method: str) -> None:
    """Bushings inside components and across them."""

    def build() -> lw.Model:
        model = lw.Model("two")
        for k, name in enumerate(("left", "right")):
            part = model.add(name, Mounted(), position=(0, 0.5 * k, 0))
            model.revolute(f"pin {name}", model.ground, part.arm, at=(0, 0.5 * k, 0), axis=(0, 1, 0), velocity=1.0 + k)
        model.bushing("tie", "left.block", "right.block", at=(0.7, 0.25, 0), stiffness=np.full(6, 30.0))
        return model

    wanted = run_of(build(), "recursive", 2.5e-4, 0.05)
    found = run_of(build(), method, 5e-4, 0.05)
    for name in ("left.block", "right.block"):
        error = np.max(np.abs(found[f"{name}.position"][-1] - wanted[f"{name}.position"][-1]))
        assert error < {4: 1e-9, 2: 1e-5}[ORDERS[method]]
